"""Lexicons: what the embedded writer may say, and the facts of an industry's world.

A lexicon is a folder of YAML files. `rules` hold the wordings, each a name with its lines; the
rules of all files are merged, and those of the lexicon `base` lie beneath every other. The other
keys (categories, issues, options, …) are the world. Knows no grammar: a rule's lines stay text
here, and `pipeline.write` compiles them.
"""

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from dataclasses import field as derived
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, model_validator

from schemas.contacts import IssueKind
from schemas.errors import SchemaError
from schemas.files import checked, read_yaml
from schemas.incidents import ANY, IncidentPlan, missing_rules
from schemas.names import check_file_name
from schemas.terms import Terms, Weight
from schemas.trade import USUAL_TRADE, Trade, load_trade, trade_of

Dollars = Annotated[float, Field(gt=0, allow_inf_nan=False)]
Month = Annotated[int, Field(ge=1, le=12)]
Days = Annotated[int, Field(ge=1, le=3650)]


BASE = "base"
"""The lexicon beneath every other."""

HEAD = "_lexicon.yaml"
WORLD_FILE = "world.yaml"
"""Where the keys of a world mostly stand; they may stand in any file of the folder."""

MOST_LAYERS = 5
"""A lexicon may extend one that extends another, and so on: so many in all."""

KEYED_PARTS = ("categories", "groups", "issues", "options", "policies", "articles")
"""The lists of a world whose entries have a key, which no two of a list share."""

LONGEST_LINE = 5_000
"""Characters of a rule's line; the longest that ships has 758."""


class WorldPart(BaseModel):
    """Base of the parts of a world: unknown keys are errors, and values never change."""

    model_config = ConfigDict(extra="forbid", frozen=True)


class TargetGroup(WorldPart):
    """Whom products are made for, and the sizes that such people wear."""

    key: Annotated[str, Field(description="The name that categories use: `women`.")]
    name: Annotated[str, Field(description="The name in the CRM: `Women`.")]
    gender: Annotated[
        Literal["female", "male"] | None,
        Field(description="Only for people of this gender; for all of them without it."),
    ] = None
    ages: Annotated[
        tuple[Annotated[int, Field(ge=0, le=130)], Annotated[int, Field(ge=0, le=130)]],
        Field(description="The youngest and the oldest whom it is for: `[0, 12]`."),
    ] = (0, 130)
    grows: Annotated[
        bool,
        Field(description="Whether they grow: the size follows from the age within `ages`."),
    ] = False
    need: Annotated[
        Weight, Field(description="How much such a person needs, in proportion to others.")
    ] = 1.0
    price: Annotated[
        Weight, Field(description="What products for them cost, in proportion to the others.")
    ] = 1.0
    sizes: Annotated[
        tuple[str, ...], Field(description="The sizes that are made, smallest first.")
    ] = ()
    usual: Annotated[
        str, Field(description="The size that most of them wear; the one in the middle without it.")
    ] = ""
    spread: Annotated[
        Weight, Field(description="How many sizes around it two thirds of them wear.")
    ] = 2.5


class Variants(WorldPart):
    """How the pieces of one product differ; what is bought stands on the order's line."""

    Size: Annotated[
        bool, Field(description="Whether pieces come in the sizes of the product's target group.")
    ] = False
    Color: Annotated[
        tuple[str, ...], Field(description="The colors, of which a product comes in a few.")
    ] = ()
    Width: Annotated[
        dict[str, Weight],
        Field(description="The widths, each with its weight: `{Regular: 8, Wide: 1.5}`."),
    ] = {}


class Category(WorldPart):
    """A product category: what it is called, when it sells and what it costs."""

    key: Annotated[str, Field(description="The name that other parts use: `hiking`.")]
    name: Annotated[str, Field(description="The name in the catalog: `Hiking Boots`.")]
    description: Annotated[str, Field(description="One sentence for the catalog, or nothing.")] = ""
    peak: Annotated[
        tuple[Month, ...],
        Field(description="The months in which it sells more, 1 to 12: `[10, 11, 12, 1]`."),
    ] = ()
    price: Annotated[
        tuple[Dollars, Dollars],
        Field(description="The lowest and the highest list price in dollars: `[85, 190]`."),
    ]
    weight: Annotated[
        float,
        Field(
            gt=0,
            allow_inf_nan=False,
            description=(
                "How many of the products are in it, in proportion to the other categories."
            ),
        ),
    ] = 1.0
    short: Annotated[
        tuple[str, ...],
        Field(
            min_length=1,
            description=(
                "What customers call such a product in a sentence: `[hiking boots, boots]`."
            ),
        ),
    ]
    plural: Annotated[
        bool, Field(description="Whether those words are plural: `boots are`, not `boots is`.")
    ] = False
    terms: Annotated[
        Terms,
        Field(description="What a contract says, where accounts or subscriptions are sold."),
    ] = Terms()
    also: Annotated[
        dict[str, Weight],
        Field(
            description=(
                "In which other categories its products stand too, by key, each with its weight:"
                " `{winter: 3, rain: 1}`. Products of a category that names none stand in one."
            )
        ),
    ] = {}
    groups: Annotated[
        dict[str, Weight],
        Field(
            description=(
                "For whom its products are made: keys of the world's target groups, each with its"
                " weight: `{women: 5, men: 4}`."
            )
        ),
    ] = {}
    variants: Annotated[
        Variants, Field(description="How the pieces of a product differ: sizes, colors, widths.")
    ] = Variants()
    quantity: Annotated[
        dict[Annotated[int, Field(ge=1)], Weight],
        Field(
            description=(
                "How many pieces stand on an order's line, where that is unlike the trade's:"
                " `{1: 6, 2: 3}`."
            )
        ),
    ] = {}
    holding: Annotated[
        Annotated[int, Field(ge=0)] | None,
        Field(
            description=(
                "The most of this category that one customer may hold: 1 for mortgages. Without"
                " it there is no limit."
            )
        ),
    ] = None


class Issue(WorldPart):
    """A kind of problem that customers write about."""

    key: Annotated[
        str,
        Field(description="The name that rules and articles use: `issue.leaking.complaint`."),
    ]
    name: Annotated[str, Field(description="The name in the CRM: `Water Leakage`.")]
    description: Annotated[str, Field(description="One sentence that says what goes wrong.")]
    kind: Annotated[
        IssueKind,
        Field(description="What the problem is with."),
    ]
    reason: Annotated[
        str,
        Field(
            description=(
                "What the desk files as the case's reason: `Fit or Comfort`; without one the"
                " trade's for problems of this kind."
            )
        ),
    ] = ""
    weight: Annotated[
        float,
        Field(gt=0, description="How often it happens, in proportion to the other issues."),
    ] = 1.0
    options: Annotated[
        tuple[str, ...],
        Field(
            min_length=1,
            description="The keys of the options that may be granted: `[refund, repair]`.",
        ),
    ]
    sometimes: Annotated[
        tuple[str, ...],
        Field(
            description=(
                "Further options that some companies list for it: with any, a few of both are"
                " drawn, those of `options` rather than others."
            )
        ),
    ] = ()
    lenient: Annotated[
        tuple[str, ...],
        Field(
            description=(
                "The keys of the options that an agent may give against the rules where the company"
                " doesn't list them for it: `[statement_reissue]`. Without any, those that are"
                " listed for problems of a like kind."
            )
        ),
    ] = ()
    mended_by: Annotated[
        tuple[str, ...] | None,
        Field(
            description=(
                "The keys of the options that undo the problem itself: `[access_reset]`, or `[]`"
                " where none does. With other options the desk puts the problem right besides, as"
                " the rules `issue.<key>.wish` and `issue.<key>.mend` tell. Without it any option"
                " settles the problem."
            )
        ),
    ] = None
    topics: Annotated[
        tuple[str, ...],
        Field(
            min_length=1,
            description=(
                "What an agent asks about, each with rules of its own: `[conditions, entry]`."
            ),
        ),
    ]
    fits: Annotated[
        tuple[str, ...],
        Field(
            description=(
                "The keys of the categories whose products can have it: `[checking, credit_card]`;"
                " none stands for all."
            )
        ),
    ] = ()
    shipped_only: Annotated[
        bool,
        Field(description="Whether it only befalls what is sent to the customer."),
    ] = False
    since: Annotated[
        int,
        Field(
            ge=0,
            le=120,
            description=(
                "The fewest days after the order at which it can come up: nothing is overdue on"
                " the day of the order."
            ),
        ),
    ] = 0
    never_came: Annotated[
        bool,
        Field(
            description=(
                "Whether the customer never got what was bought, so that nothing is sent back"
                " whatever is granted."
            )
        ),
    ] = False
    lasts: Annotated[
        bool,
        Field(
            description=(
                "Whether it may come up for as long as the customer has what was bought, as the"
                " trade's `lasting` says how often, and not only while it is new."
            )
        ),
    ] = False
    outage: Annotated[
        bool,
        Field(
            description=(
                "Whether it may strike many customers on one day, as the trade's `outages` say how"
                " often: a supply that fails, a service that is down."
            )
        ),
    ] = False
    urgency: Annotated[
        float | None,
        Field(
            ge=0,
            le=1,
            allow_inf_nan=False,
            description=(
                "How much it presses, from 0 (it can wait) to 1 (safety, or money at stake): `0.7`."
                " Without it the trade's usual for the issue's kind."
            ),
        ),
    ] = None


SettledFact = Literal[
    "refund",
    "credit",
    "discount",
    "ships",
    "visit",
    "session",
    "plan",
    "done",
    "return",
    "keep",
]
"""What can be told of a remedy: the sum and its day; when something ships, somebody comes or calls,
the first payment of a plan is due, or it is done; by when the thing goes back, or that it stays."""


class Option(WorldPart):
    """A remedy that an agent may grant within a limit of days."""

    key: Annotated[str, Field(description="The name that issues use: `store_credit`.")]
    name: Annotated[str, Field(description="The name in articles: `Store Credit`.")]
    phrase: Annotated[str, Field(description="The words in a sentence: `a full refund`.")]
    days: Annotated[
        tuple[Days, ...],
        Field(
            min_length=1,
            description=(
                "Candidates for the limit in days, counted from the order's EffectiveDate: `[30,"
                " 30, 45]`. One is drawn for each issue that lists the option."
            ),
        ),
    ]
    sent_back: Annotated[
        bool, Field(description="Whether the customer sends back what was bought.")
    ] = False
    refunded: Annotated[bool, Field(description="Whether what was paid is paid back in full.")] = (
        False
    )
    share: Annotated[
        float | None,
        Field(gt=0, le=1, description="Which part of the price it pays back: `0.2`."),
    ] = None
    prorated: Annotated[
        bool,
        Field(description="Whether it pays back the part of a year's price that is still to run."),
    ] = False
    worth: Annotated[
        str,
        Field(
            description=(
                "What it is worth where the price does not tell: `$30`, or a range of which a"
                " case has one figure: `$6.40 to $58.90`."
            )
        ),
    ] = ""
    tells: Annotated[
        tuple[SettledFact, ...],
        Field(
            description=(
                "The facts that agents tell of it, in this order: `[ships, return]`. Without any"
                " they tell only how it goes on."
            )
        ),
    ] = ()
    due: Annotated[
        tuple[Annotated[int, Field(ge=0)], Annotated[int, Field(ge=0)]],
        Field(
            description=("In how many working days it happens, the fewest and the most: `[2, 6]`.")
        ),
    ] = (1, 3)
    repays: Annotated[
        bool,
        Field(
            description=(
                "Whether it pays back what the case is about, as the incident's `stakes` tell it."
            )
        ),
    ] = False
    gesture: Annotated[
        bool,
        Field(
            description=(
                "Whether it mends nothing: it is granted where nobody has made a mistake, as a"
                " courtesy."
            )
        ),
    ] = False


class Policy(WorldPart):
    """A company policy with figures in it; each policy has an article of its own."""

    key: Annotated[str, Field(description="The name that rules use: `policy.returns.…`.")]
    title: Annotated[str, Field(description="The article's heading: `Returns and Refunds`.")]
    figures: Annotated[
        dict[str, tuple[int | float, ...]],
        Field(
            description=(
                "Candidates for each figure, of which one is drawn: `{refund_days: [5, 7, 10]}`."
            )
        ),
    ]


class PolicyTerm(WorldPart):
    """What agents tell customers of a policy's figure, rightly or wrongly."""

    policy: Annotated[str, Field(description="The policy's key: `gift_cards`.")]
    figure: Annotated[str, Field(description="The policy's figure: `credit_expiry_months`.")]
    kinder: Annotated[
        Literal["more", "less"],
        Field(description="Whether customers would rather have a larger figure or a smaller one."),
    ]
    shown: Annotated[
        str, Field(description="The figure with its unit, `{n}` being the figure: `{n} months`.")
    ]
    after: Annotated[
        tuple[str, ...],
        Field(
            description=(
                "The keys of the options with which it is told: `[store_credit]`; none stands for"
                " all."
            )
        ),
    ] = ()
    fits: Annotated[
        tuple[str, ...],
        Field(
            description=(
                "The keys of the categories whose customers ask for it: `[certificate]`; none"
                " stands for all."
            )
        ),
    ] = ()
    asks: Annotated[
        tuple[str, ...],
        Field(
            description=(
                "How a customer asks for it, without a capital: `how long does store credit last?`."
                " Without any, what the rules on the policy are."
            )
        ),
    ] = ()
    says: Annotated[
        tuple[str, ...],
        Field(
            min_length=1,
            description=(
                "Clauses that tell it, `{shown}` being the figure with its unit: `[the credit"
                " stays good for {shown}]`."
            ),
        ),
    ]


class ProductArticle(WorldPart):
    """An article on the products of a category."""

    key: Annotated[str, Field(description="The name that rules use: `article.running_care.…`.")]
    category: Annotated[
        str, Field(description="The key of the category; without one it is on the whole range.")
    ] = ""
    topic: Annotated[str, Field(description="What the article is about, as a heading.")]


class ArticleFact(WorldPart):
    """A figure that an article on products states of this company alone."""

    article: Annotated[str, Field(description="The article's key: `running_care`.")]
    figure: Annotated[
        str,
        Field(
            description=(
                "The figure's name, as the rules `article.<key>.facts` and"
                " `article.<key>.question.<figure>` have it: `wash_fee`."
            )
        ),
    ]
    values: Annotated[
        tuple[int | float, ...],
        Field(min_length=1, description="Candidates, of which one is drawn: `[7, 9, 11]`."),
    ]


class Holiday(WorldPart):
    """A sales occasion that comes every year."""

    name: Annotated[str, Field(description="The occasion's name: `Memorial Day`.")]
    month: Annotated[int, Field(ge=1, le=12, description="The month in which it begins.")]
    day: Annotated[int, Field(ge=1, le=31, description="The day of the month.")]
    length: Annotated[int, Field(ge=1, le=60, description="How many days it lasts.")]
    discount: Annotated[
        tuple[int, int],
        Field(description="The lowest and the highest discount in percent: `[15, 25]`."),
    ]
    boost: Annotated[
        tuple[str, ...],
        Field(
            description=(
                "The keys of the categories that it is for: `[sandals, rain]`. Its price book holds"
                " these alone; without any it holds the whole range."
            )
        ),
    ] = ()
    storewide: Annotated[
        bool,
        Field(
            description=(
                "Whether the whole range is cheaper, the categories of `boost` by the highest"
                " discount."
            )
        ),
    ] = False


class World(WorldPart):
    """The facts of an industry's world; every key that one part names exists in another."""

    trade: Annotated[
        Trade,
        Field(
            default_factory=load_trade,
            description=(
                "What kind of thing is sold: the name of a trade that ships (`goods`,"
                " `services`, `accounts`, `subscriptions`), or figures of one's own over one:"
                " `{like: goods, channels: [...]}`."
            ),
        ),
    ]
    categories: Annotated[
        tuple[Category, ...], Field(description="What is sold, by category.")
    ] = ()
    groups: Annotated[
        tuple[TargetGroup, ...], Field(description="Whom products are made for.")
    ] = ()
    issues: Annotated[tuple[Issue, ...], Field(description="What goes wrong.")] = ()
    options: Annotated[tuple[Option, ...], Field(description="What may be granted.")] = ()
    policies: Annotated[tuple[Policy, ...], Field(description="The company's policies.")] = ()
    terms: Annotated[
        tuple[PolicyTerm, ...],
        Field(description="What agents tell customers of the policies beside a remedy."),
    ] = ()
    articles: Annotated[
        tuple[ProductArticle, ...], Field(description="The articles on products.")
    ] = ()
    facts: Annotated[
        tuple[ArticleFact, ...],
        Field(description="What these articles state of the company alone."),
    ] = ()
    holidays: Annotated[
        tuple[Holiday, ...], Field(description="The occasions on which prices are lower.")
    ] = ()
    incidents: Annotated[
        dict[str, IncidentPlan],
        Field(description="What can be behind the cases of each issue, by the issue's key."),
    ] = {}

    @model_validator(mode="after")
    def _keys_resolve(self) -> "World":
        for part in KEYED_PARTS:
            _check_once(part, [entry.key for entry in getattr(self, part)])
        _check_once("categories", [category.name for category in self.categories], "the name")
        options = {option.key for option in self.options}
        categories = {category.key for category in self.categories}
        groups = {group.key for group in self.groups}
        for category in self.categories:
            unknown = sorted({*category.also} - categories | {*category.groups} - groups)
            if unknown:
                raise ValueError(
                    f"category {category.key} names unknown categories or groups {unknown}"
                )
        for issue in self.issues:
            missing = sorted({*issue.options, *issue.sometimes} - options)
            if missing:
                raise ValueError(
                    f"issue {issue.key} lists unknown options {missing}; add them to options"
                )
            missing = sorted(set(issue.fits) - categories)
            if missing:
                raise ValueError(f"issue {issue.key} fits unknown categories {missing}")
        figures = {policy.key: set(policy.figures) for policy in self.policies}
        for term in self.terms:
            if term.figure not in figures.get(term.policy, set()):
                raise ValueError(
                    f"term on {term.policy} names unknown policy or figure {term.figure}"
                )
            missing = sorted(set(term.after) - options)
            if missing:
                raise ValueError(f"term on {term.policy} follows unknown options {missing}")
        for article in self.articles:
            if article.category and article.category not in categories:
                raise ValueError(f"article {article.key} names unknown category {article.category}")
        known = {article.key for article in self.articles}
        for fact in self.facts:
            if fact.article not in known:
                raise ValueError(f"fact {fact.figure} names unknown article {fact.article}")
        for holiday in self.holidays:
            missing = sorted(set(holiday.boost) - categories)
            if missing:
                raise ValueError(f"holiday {holiday.name} boosts unknown categories {missing}")
        self._check_incidents(categories)
        return self

    def _check_incidents(self, categories: set[str]) -> None:
        """Raises ValueError for incidents of unknown issues or of what nobody sells."""
        known = {issue.key for issue in self.issues}
        for key, plan in self.incidents.items():
            if key not in known | {ANY}:
                raise ValueError(f"incident {key} is of no issue; use one of {sorted(known)}")
            for name, cause in plan.causes.items():
                missing = sorted(set(cause.products) - categories)
                if missing and key != ANY:
                    raise ValueError(
                        f"incident {key}: cause {name} strikes unknown categories {missing}"
                    )


WORLD_KEYS = tuple(World.model_fields)


def _check_once(part: str, names: Sequence[str], said: str = "the key") -> None:
    """Raises ValueError for a name that two entries of a list have."""
    for place, name in enumerate(names):
        if name in names[:place]:
            raise ValueError(f"{part}: two have {said} {name!r:.60}; rename one")


class LexiconHead(WorldPart):
    """What `_lexicon.yaml` says of a lexicon as a whole."""

    extends: Annotated[
        str,
        Field(
            description=(
                "The lexicon that this one is laid over: one that ships (`generic`), or a folder"
                " beside this one."
            )
        ),
    ] = ""
    without: Annotated[
        tuple[str, ...],
        Field(description="The names of rules of the extended lexicon that stay out."),
    ] = ()


@dataclass(frozen=True, slots=True)
class Lexicon:
    """Rules (name -> lines) and the world's facts, with the rules of `base` beneath.

    `files` says in which file each rule stands.
    """

    name: str
    rules: Mapping[str, tuple[str, ...]]
    world: World
    files: Mapping[str, Path] = derived(default_factory=dict, compare=False, repr=False)

    @property
    def version(self) -> str:
        """Eight hexadecimal digits that change with any rule, and any mark of an incident."""
        plans = {key: plan.model_dump(mode="json") for key, plan in self.world.incidents.items()}
        text = json.dumps([self.rules, plans], sort_keys=True)
        return hashlib.sha256(text.encode()).hexdigest()[:8]


@dataclass(frozen=True, slots=True)
class LexiconLayer:
    """What the files of one folder say: its rules, their files, and the keys of its world."""

    folder: Path
    head: LexiconHead
    rules: Mapping[str, tuple[str, ...]]
    files: Mapping[str, Path]
    facts: Mapping[str, Any]


def load_lexicon(folder: Path, base: Path) -> Lexicon:
    """The lexicon in a folder, laid over those that it extends, and all of them over `base`.

    A rule takes the place of the rule of the same name beneath, and so does a key of the world; of
    the base's world only its incidents are. Raises SchemaError naming the file and the rule.
    """
    layers = read_layers(folder, base)
    where = str(folder / WORLD_FILE)
    world = checked(World, world_facts(layers), where)
    rules: dict[str, tuple[str, ...]] = {}
    files: dict[str, Path] = {}
    for layer in layers:
        _leave_out(layer, rules)
        rules |= layer.rules
        files |= layer.files
    _check_words(folder, world, rules)
    return Lexicon(folder.name, rules, world, files)


def _check_words(folder: Path, world: World, rules: Mapping[str, tuple[str, ...]]) -> None:
    """Raises SchemaError for the first incident whose words are not all there."""
    for key, plan in world.incidents.items():
        missing = missing_rules(key, plan, rules)
        if missing:
            raise SchemaError(
                f"{folder}: incidents.{key}: there is no rule {missing[0]} ({len(missing)} are"
                " missing); add it under rules, or leave out what needs it"
            )


def read_layers(folder: Path, base: Path) -> list[LexiconLayer]:
    """The layers of a lexicon: `base` first, then what it extends, then the folder's own.

    A lexicon that it extends ships beside `base`, or lies beside the folder. Raises SchemaError.
    """
    layers = [_read(folder, base.parent)]
    while layers[0].head.extends:
        beneath = layers[0]
        if len(layers) == MOST_LAYERS:
            raise SchemaError(
                f"{beneath.folder / HEAD}: more than {MOST_LAYERS} lexicons extend each other;"
                " break the circle"
            )
        layers.insert(0, _read(_extended(beneath, base.parent), base.parent))
    return [_read(base, base.parent), *layers]


def own_folders(folder: Path, base: Path) -> list[Path]:
    """The folders of a lexicon's layers that don't ship beside `base`."""
    folders = [layer.folder for layer in read_layers(folder, base)]
    return [path for path in folders if path.parent.resolve() != base.parent.resolve()]


def world_facts(layers: Sequence[LexiconLayer]) -> dict[str, Any]:
    """The keys of the world of all layers above `base`, with the trade's figures written out.

    What a layer beneath says of categories that a layer above has replaced is left out.
    """
    facts: dict[str, Any] = {}
    trade: dict[str, Any] | None = None
    for layer in layers[1:]:
        stated = layer.facts.get("trade")
        if stated is not None:
            trade = trade_of(stated, str(layer.folder / WORLD_FILE), trade)
        if isinstance(layer.facts.get("categories"), list):
            facts = _of_categories(facts, layer.facts["categories"])
        facts |= layer.facts
    facts["trade"] = trade or trade_of(USUAL_TRADE, str(layers[-1].folder))
    facts["incidents"] = _incidents(layers, facts.get("issues"))
    return facts


def _incidents(layers: Sequence[LexiconLayer], issues: object) -> dict[str, IncidentPlan]:
    """The plans of all layers, the base's too, for issues that the world has."""
    known = {ANY}
    if isinstance(issues, list):
        known |= {str(issue.get("key")) for issue in issues if isinstance(issue, dict)}
    plans: dict[str, IncidentPlan] = {}
    for layer in layers:
        for key, plan in layer.facts.get("incidents", {}).items():
            if key in known or layer is layers[-1]:
                plans[key] = plan
    return plans


def _of_categories(facts: Mapping[str, Any], stated: Sequence[object]) -> dict[str, Any]:
    """A world's lists without what is said of other categories than the stated ones.

    What isn't of the right form stays as it is, and is told when the world is checked.
    """
    keys = {str(entry.get("key")) for entry in stated if isinstance(entry, dict)}
    kept = dict(facts)
    for part, name in (("articles", "category"), ("holidays", "boost"), ("issues", "fits")):
        if isinstance(facts.get(part), list):
            entries = [_of_keys(entry, name, keys) for entry in facts[part]]
            kept[part] = [entry for entry in entries if entry is not None]
    articles = kept.get("articles")
    if isinstance(kept.get("facts"), list) and isinstance(articles, list):
        known = {str(entry.get("key")) for entry in articles if isinstance(entry, dict)}
        stated = [_of_keys(entry, "article", known) for entry in kept["facts"]]
        kept["facts"] = [entry for entry in stated if entry is not None]
    return kept


def _of_keys(entry: object, name: str, keys: set[str]) -> object:
    """An entry with those of the categories that it names which are known; None where none is."""
    named = entry.get(name) if isinstance(entry, dict) else None
    if not named:
        return entry
    if isinstance(named, str):
        return entry if named in keys else None
    if not isinstance(named, list):
        return entry
    known = [key for key in named if str(key) in keys]
    return {**entry, name: known} if known and isinstance(entry, dict) else None


def _extended(layer: LexiconLayer, shipped: Path) -> Path:
    """The folder of the lexicon that a layer is laid over."""
    name = layer.head.extends
    where = str(layer.folder / HEAD)
    check_file_name(name, f"{where}: extends")
    for folder in (shipped / name, layer.folder.parent / name):
        if folder.is_dir() and folder.resolve() != layer.folder.resolve():
            return folder
    raise SchemaError(f"{where}: extends: {no_such_lexicon(name, layer.folder.parent, shipped)}")


def no_such_lexicon(name: str, beside: Path, shipped: Path) -> str:
    """What is said where there is no lexicon of that name: those that ship and those beside."""
    known = set()
    for folder in (shipped, beside):
        for path in folder.glob("*"):
            if path.is_dir() and any(path.glob("*.yaml")) and path.name != BASE:
                known.add(path.name)
    named = ", ".join(sorted(known))
    return f"there is no such lexicon {name!r:.60}; use one of {named}, or make the folder"


def _leave_out(layer: LexiconLayer, rules: dict[str, tuple[str, ...]]) -> None:
    """Takes out of the rules beneath what a layer's `without` names."""
    for name in layer.head.without:
        if name not in rules:
            raise SchemaError(
                f"{layer.folder / HEAD}: without: no lexicon beneath has a rule {name!r:.80}; mend"
                " the name"
            )
        del rules[name]


def _read(folder: Path, shipped: Path) -> LexiconLayer:
    """The rules of all files of a folder, and the keys of the world as they stand there."""
    if not folder.is_dir():
        said = no_such_lexicon(folder.name, folder.parent, shipped)
        raise SchemaError(f"{folder}: {said}")
    head = LexiconHead()
    rules: dict[str, tuple[str, ...]] = {}
    files: dict[str, Path] = {}
    facts: dict[str, Any] = {}
    for path in sorted(folder.glob("*.yaml")):
        data = read_yaml(path)
        if path.name == HEAD:
            head = checked(LexiconHead, data, str(path))
            continue
        own_rules = data.pop("rules", None) or {}
        if not isinstance(own_rules, dict):
            raise SchemaError(f"{path}: rules: must hold names, each with a list of texts")
        for name, lines in own_rules.items():
            rules[name] = _lines(path, name, lines, name in rules)
            files[name] = path
        unknown = [key for key in data if key not in WORLD_KEYS]
        if unknown:
            raise SchemaError(
                f"{path}: unknown key {unknown[0]!r}; use rules or one of {', '.join(WORLD_KEYS)}"
            )
        incidents = data.pop("incidents", None) or {}
        if not isinstance(incidents, dict):
            raise SchemaError(f"{path}: incidents: must hold one plan for each issue's key")
        _put_incidents(path, facts.setdefault("incidents", {}), incidents)
        facts.update(data)
    return LexiconLayer(folder, head, rules, files, facts)


def _put_incidents(path: Path, into: dict[str, Any], plans: dict[str, Any]) -> None:
    """Adds the checked plans of one file; raises SchemaError for a fault, naming the file."""
    for key, plan in plans.items():
        if key in into:
            raise SchemaError(
                f"{path}: incidents.{key}: stands in another file of the folder too; keep one"
            )
        into[key] = checked(IncidentPlan, plan, f"{path}: incidents.{key}")


def _lines(path: Path, name: object, lines: object, seen: bool) -> tuple[str, ...]:
    if not isinstance(name, str):
        raise SchemaError(f"{path}: rules.{name!r:.60}: is no name; put it in quotes")
    if seen:
        raise SchemaError(
            f"{path}: rules.{name}: stands in another file of the folder too; keep one"
        )
    if not isinstance(lines, list) or not lines or not all(isinstance(line, str) for line in lines):
        raise SchemaError(
            f"{path}: rules.{name}: must be a list of texts; quote lines that YAML reads otherwise"
        )
    if max(len(line) for line in lines) > LONGEST_LINE:
        raise SchemaError(
            f"{path}: rules.{name}: a line has more than {LONGEST_LINE:,} characters; make rules of"
            " its parts"
        )
    return tuple(lines)
