"""Who asks a lexicon for words, and which facts stand there: a scene for each written object type.

An object type's texts are worded with its own facts, the company's, and what the embedded writer
adds: pronouns, the figures of policies, blocks of options. Knows no rules.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from latent.assortment import stated_categories
from latent.solution import stated_issues
from pipeline.world.org import RunContext
from pipeline.write.following import BY_ISSUE
from pipeline.write.slots import SINGULAR
from pipeline.write.stories import COMPLAINS, STORY
from schemas.articles import Policy, ProductArticle
from schemas.categories import Category
from schemas.issues import Issue, Option
from schemas.model import Schema
from schemas.object_type import ObjectType
from schemas.sources import WrittenSource

FIRST_ARGUMENT = "{1}"
"""What an act with arguments says has a place for each of them."""

WHERE_STATED = frozenset({"issue.stock", "issue.missed"})
"""Acts that happen only where an incident states it, which asks for their words by itself."""

INSTEAD = {COMPLAINS: STORY, **BY_ISSUE}
"""Acts, and the rules that a lexicon may have to word them in another way."""

TURN_FACTS = ("phone_end", "due", "back_by", "city_line", "products")
"""What the embedded writer adds to the facts of a conversation."""

OPTION_FACTS = ("option_key", "option_name", "limit")
"""What the sentence on an option in an article may use."""


@dataclass(frozen=True, slots=True)
class AskedRule:
    """A rule that somebody asks for by its general name, and the facts that its text must name.

    `act` says that a dialogue act asks for it, which may be one of chats alone. `goes_on` says that
    arguments may stand behind the name, `c.evidence.photo`, and that no rule has to be there.
    `least` is how many characters the text has at least.
    """

    name: str
    asker: str
    place: tuple[str, ...]
    must: tuple[str, ...] = ()
    act: bool = False
    goes_on: bool = False
    least: int = 0


@dataclass(frozen=True, slots=True)
class Scene:
    """An object type whose texts are composed: its facts and the rules that it asks for."""

    name: str
    file: str
    facts: frozenset[str]
    asks: tuple[AskedRule, ...]


def scenes_of(setting: RunContext) -> Iterator[Scene]:
    """Yields the scenes of all written object types, and of the options of an article."""
    shared = frozenset([*setting.company, *SINGULAR, "channel"])
    for item in setting.schema.objects:
        if not item.written:
            continue
        scene = _scene(setting, item, shared)
        yield scene
        if "options" in scene.facts:
            asked = AskedRule("option.article", f"the options of {item.name}", ("x-facts",))
            facts = scene.facts | set(OPTION_FACTS)
            yield replace(
                scene,
                name=f"{item.name} options",
                facts=facts,
                asks=(asked,),
            )


def _scene(setting: RunContext, item: ObjectType, shared: frozenset[str]) -> Scene:
    facts = {*shared, *item.facts, *item.part_facts}
    asks: list[AskedRule] = []
    for field in item.written:
        source = field.written
        if source is None:
            continue
        place = ("properties", field.name)
        if source.beats:
            # What opens a conversation is worded by acts and facts of the conversation itself.
            asks += _beats(setting.schema, item, place) if item.part_facts else []
            facts |= {*TURN_FACTS, *_renamed(setting.schema)}
        else:
            asked = _of_field(item, field.name, source, place)
            asks.append(replace(asked, least=int(field.json_schema.get("minLength", 0))))
        facts.add(field.name)
    if "options" in facts:
        facts.add("options_block")
    if "figures" in facts:
        for policy in setting.world.policies:
            facts |= set(policy.figures)
        facts |= {fact.figure for fact in setting.world.facts}
    return Scene(item.name, item.file, frozenset(facts), tuple(asks))


def _of_field(
    item: ObjectType,
    name: str,
    source: WrittenSource,
    place: tuple[str, ...],
) -> AskedRule:
    # `must` as a fact lists wordings of its own, which differ from record to record.
    must = tuple(fact for fact in source.must if fact != "must")
    return AskedRule(
        source.rule or f"{item.name}.{name}",
        f"{item.name}.{name}",
        place,
        must,
    )


def _beats(schema: Schema, item: ObjectType, place: tuple[str, ...]) -> list[AskedRule]:
    asks = []
    for name, beat in (schema.beats or {}).items():
        for rule in beat.rules or (name,):
            asker = f"the dialogues of {item.name}"
            goes_on = FIRST_ARGUMENT in beat.says or name in WHERE_STATED
            asks.append(
                AskedRule(
                    rule,
                    asker,
                    place,
                    beat.must,
                    act=True,
                    goes_on=goes_on,
                )
            )
            if name in INSTEAD:
                asks.append(
                    AskedRule(
                        INSTEAD[name],
                        asker,
                        place,
                        act=True,
                        goes_on=True,
                    )
                )
    return asks


def _renamed(schema: Schema) -> set[str]:
    """The facts that beats know by another name."""
    names: set[str] = set()
    for beat in (schema.beats or {}).values():
        names |= set(beat.uses or {})
    return names


def note_lines(item: ObjectType, source: WrittenSource) -> tuple[str, ...]:
    """Lines to begin a rule with for a field: they name what its text must name."""
    names = [fact for fact in source.must if fact != "must"] or list(item.facts)[:2]
    slots = " and ".join(f"{{{name}}}" for name in names) or "one thing"
    line = f"[A word|Something] about {slots}."
    other = f"[This is|Here is] what there is to say about {slots}."
    return (json.dumps(line), json.dumps(other))


def keys_by_head(setting: RunContext) -> Mapping[str, tuple[str, tuple[str, ...]]]:
    """The first word of a rule's name -> the list of the world that its keys stand in, and them.

    Raises BadInput where fewer categories or issues are stated than are asked for.
    """
    world = setting.world
    categories = stated_categories(setting) if setting.schema.has("ProductCategory") else []
    issues = stated_issues(setting) if setting.schema.has("Issue__c") else []
    names = {category.key for category in categories}
    articles = [item for item in world.articles if item.category in ("", *names)]
    options = setting.profile.options or world.options
    return {
        "issue": ("issues", _keys(issues)),
        "category": ("categories", _keys(categories)),
        "option": ("options", _keys(options)),
        "policy": ("policies", _keys(world.policies)),
        "article": ("articles", _keys(articles)),
    }


def _keys(
    entries: Sequence[Issue | Category | Option | Policy | ProductArticle],
) -> tuple[str, ...]:
    return tuple(entry.key for entry in entries)
