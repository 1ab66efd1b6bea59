"""The pages on what a person writes: the profile, the world of a lexicon, object types."""

from docs.make_reference.markdown import code, table
from docs.make_reference.models import keys_of, keys_table, parts_of, section
from schemas.articles import Policy, ProductArticle
from schemas.categories import Category
from schemas.common import CommonFields
from schemas.field import Field, FillRule, Judging, Question
from schemas.inherit import SchemaHead
from schemas.issues import Issue, Option
from schemas.model import Beat
from schemas.object_type import Count, ObjectType, UnitRule
from schemas.profile import Period, Profile, Rates
from schemas.proofs import ConversationFigure, Invariant, Statistic
from schemas.tour import Tour, TourQuery, TourStart
from schemas.trade import Trade
from schemas.world import Holiday, World

JSON_TOP = {
    "$schema": "Always `https://json-schema.org/draft/2020-12/schema`.",
    "title": "The object type's API name. It must be the name of the file.",
    "description": "One sentence that says what a record is.",
    "type": "Always `object`.",
    "required": "The fields that every record has.",
    "properties": "The fields by name. Each is a JSON Schema with an `x-source`.",
}
FILES = {
    "<ObjectType>.yaml": "One object type. The file is named after it.",
    "_schema.yaml": "What the org of this schema is, and which schema it extends.",
    "_common.yaml": "Fields that every object type has beside its own.",
    "_beats.yaml": "The dialogue acts of conversations, by name.",
    "_invariants.yaml": "`invariants`: a list of rules that hold for every record.",
    "_realism.yaml": "`statistics`: figures of an org, each with the band that real orgs show.",
    "_conversations.yaml": "`conversations`: figures of what is said, each with its bounds.",
    "_tour.yaml": "What `explore` shows first.",
}


def profile_page() -> str:
    """The page on the keys of a company's profile."""
    introduction = """# The profile

A profile is a YAML file that describes one company. `--company` takes the name of a shipped profile
(`shoes`, `bank`, `saas`, `clinic`) or the path of a file. The [guide](../guide/industry.md) shows
one to start from. `categories`, `issues` and `options` have the keys that
[the world of a lexicon](world.md) describes."""
    return "\n\n".join(
        [
            introduction,
            section(Profile, "Keys of a profile"),
            section(Period, "Period: keys of `period`"),
            section(Rates, "Rates: keys of `rates`"),
        ]
    )


def world_page() -> str:
    """The page on the facts of an industry's world."""
    introduction = """# The world of a lexicon

The files of a lexicon's folder hold two things: rules, which [a page of their own](lexicon.md)
explains, and the facts of the industry's world, which stand in `world.yaml` by convention. The
`key` of a part names it in rules and in other parts, so keep it stable."""
    parts = {
        "Category: an entry of `categories`": Category,
        "Issue: an entry of `issues`": Issue,
        "Option: an entry of `options`": Option,
        "Policy: an entry of `policies`": Policy,
        "ProductArticle: an entry of `articles`": ProductArticle,
        "Holiday: an entry of `holidays`": Holiday,
        "Trade: the keys of `trade`, and of a file in `schemas/trades`": Trade,
        **{f"{model.__name__}: a part of a trade": model for model in parts_of(Trade)},
    }
    sections = [section(model, title) for title, model in parts.items()]
    return "\n\n".join([introduction, section(World, "World: the top keys"), *sections])


def schema_page() -> str:
    """The page on object types and the other files of a schema's folder."""
    introduction = """# Object types

A schema is a folder of YAML files. A profile names it (`schema: service_cloud`), either a shipped
one or a folder beside the profile. An object type is a
[JSON Schema 2020-12](https://json-schema.org/) document. What JSON Schema has no word for stands in
keywords that begin with `x-`."""
    shown = [key for key in keys_of(ObjectType) if key.name.startswith("x-")]
    in_field = [key for key in keys_of(Field) if key.name.startswith("x-")]
    keywords = len(shown) + len(in_field)
    sections = [
        introduction,
        "## Files of a schema",
        table(("File", "What it holds"), [(code(name), says) for name, says in FILES.items()]),
        section(SchemaHead, "SchemaHead: keys of `_schema.yaml`"),
        "A schema that extends another one holds only what differs. An object type's file may hold"
        " a few fields or keywords, which are laid over the other schema's; a field that is `null`"
        " is left out. Dialogue acts and invariants are laid over by name.",
        "## Keywords of an object type",
        f"There are {keywords} `x-` keywords: {len(shown)} of an object type and {len(in_field)} of"
        " a field. These keywords are JSON Schema's own:",
        table(("Keyword", "Meaning"), [(code(name), says) for name, says in JSON_TOP.items()]),
        "And these are the project's:",
        keys_table(shown),
        section(Count, "Count: keys of `x-count`"),
        section(UnitRule, "UnitRule: keys of `x-unit`"),
        section(Judging, "Judging: keys of `x-judge`"),
        section(Question, "Question: an entry of `x-judge.questions`"),
        "## Keywords of a field",
        "A field takes JSON Schema's keywords (`type`, `format`, `pattern`, `enum`, `minLength` and"
        " so on), which verifiers check, and these:",
        keys_table(in_field),
        section(FillRule, "FillRule: keys of `x-filled`"),
        section(CommonFields, "CommonFields: keys of `_common.yaml`"),
        section(Beat, "Beat: an entry of `_beats.yaml`", leave_out=("name",)),
        section(Invariant, "Invariant: an entry of `_invariants.yaml`"),
        section(Statistic, "Statistic: an entry of `_realism.yaml`"),
        section(ConversationFigure, "ConversationFigure: an entry of `_conversations.yaml`"),
        section(Tour, "Tour: keys of `_tour.yaml`"),
        section(TourStart, "TourStart: an entry of `starts`", 3),
        section(TourQuery, "TourQuery: an entry of `queries`", 3),
    ]
    return "\n\n".join(sections)
