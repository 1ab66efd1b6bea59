"""Lexicons: what the embedded writer may say, and the facts of an industry's world.

A lexicon is a folder of YAML files. `rules` hold the wordings, each a name with its lines; the
rules of all files are merged, and those of the lexicon `base` lie beneath every other. The other
keys (categories, issues, options, …) are the world. Knows no grammar: a rule's lines stay text
here, and `pipeline.write` compiles them.
"""

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, model_validator

from schemas.errors import SchemaError
from schemas.files import checked, read_yaml
from schemas.names import check_file_name
from schemas.terms import Terms, Weight
from schemas.trade import USUAL_TRADE, IssueKind, Trade, load_trade, trade_of

Dollars = Annotated[float, Field(gt=0, allow_inf_nan=False)]
Month = Annotated[int, Field(ge=1, le=12)]
Days = Annotated[int, Field(ge=1, le=3650)]


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
    category: Annotated[str, Field(description="The key of the category.")]
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
                "What kind of thing is sold: the name of a trade that ships (`goods`, `accounts`,"
                " `subscriptions`), or figures of one's own over one: `{like: goods, channels:"
                " [...]}`."
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

    @model_validator(mode="after")
    def _keys_resolve(self) -> "World":
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
            if article.category not in categories:
                raise ValueError(f"article {article.key} names unknown category {article.category}")
        known = {article.key for article in self.articles}
        for fact in self.facts:
            if fact.article not in known:
                raise ValueError(f"fact {fact.figure} names unknown article {fact.article}")
        for holiday in self.holidays:
            missing = sorted(set(holiday.boost) - categories)
            if missing:
                raise ValueError(f"holiday {holiday.name} boosts unknown categories {missing}")
        return self


WORLD_KEYS = tuple(World.model_fields)


@dataclass(frozen=True, slots=True)
class Lexicon:
    """Rules (name -> lines) and the world's facts, with the rules of `base` beneath."""

    name: str
    rules: Mapping[str, tuple[str, ...]]
    world: World

    @property
    def version(self) -> str:
        """Eight hexadecimal digits that change with any rule."""
        text = json.dumps(self.rules, sort_keys=True)
        return hashlib.sha256(text.encode()).hexdigest()[:8]


def load_lexicon(folder: Path, base: Path) -> Lexicon:
    """The lexicon in a folder, laid over `base`.

    A rule of the folder takes the place of the base's rule of the same name; the base's world is
    not used. Raises SchemaError naming the file and the rule.
    """
    check_file_name(folder.name, str(folder))
    base_rules, _ = _read(base)
    rules, facts = _read(folder)
    where = str(folder / "world.yaml")
    facts["trade"] = trade_of(facts.get("trade", USUAL_TRADE), where)
    world = checked(World, facts, where)
    return Lexicon(folder.name, {**base_rules, **rules}, world)


def _read(folder: Path) -> tuple[dict[str, tuple[str, ...]], dict[str, Any]]:
    """The rules of all files of a folder, and the keys of the world as they stand there."""
    if not folder.is_dir():
        folders = [path.name for path in folder.parent.glob("*") if path.is_dir()]
        known = ", ".join(sorted(folders))
        raise SchemaError(f"{folder}: no such lexicon; use one of {known}, or make the folder")
    rules: dict[str, tuple[str, ...]] = {}
    facts: dict[str, Any] = {}
    for path in sorted(folder.glob("*.yaml")):
        data = read_yaml(path)
        own_rules = data.pop("rules", None) or {}
        if not isinstance(own_rules, dict):
            raise SchemaError(f"{path}: rules: must hold names, each with a list of texts")
        for name, lines in own_rules.items():
            rules[name] = _lines(path, name, lines, name in rules)
        unknown = [key for key in data if key not in WORLD_KEYS]
        if unknown:
            raise SchemaError(
                f"{path}: unknown key {unknown[0]!r}; use rules or one of {', '.join(WORLD_KEYS)}"
            )
        facts.update(data)
    return rules, facts


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
