"""The world of an industry: what is sold there, what goes wrong, and what is done about it.

Its keys may stand in any file of a lexicon. Knows no wordings and draws nothing.
"""

from collections.abc import Sequence
from typing import Annotated

from pydantic import Field, model_validator

from schemas.articles import ArticleFact, Policy, PolicyTerm, ProductArticle
from schemas.categories import Category, TargetGroup
from schemas.incidents import ANY, IncidentPlan
from schemas.issues import Issue, Option
from schemas.trade import Trade, load_trade
from schemas.world_part import WorldPart

KEYED_PARTS = ("categories", "groups", "issues", "options", "policies", "articles")
"""The lists of a world whose entries have a key, which no two of a list share."""


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

    def unsaid_of(self, category: str, group: str = "") -> tuple[str, ...]:
        """The words that nobody uses of what this category holds for this target group."""
        unsaid: tuple[str, ...] = ()
        for known in self.categories:
            if known.key == category:
                unsaid += known.unsaid
        for made_for in self.groups:
            if made_for.key == group:
                unsaid += made_for.unsaid
        return unsaid

    @model_validator(mode="after")
    def _keys_resolve(self) -> "World":
        for part in KEYED_PARTS:
            _check_once(part, [entry.key for entry in getattr(self, part)])
        _check_once("categories", [category.name for category in self.categories], "the name")
        categories = {category.key for category in self.categories}
        options = {option.key for option in self.options}
        self._check_categories(categories)
        self._check_issues(categories, options)
        self._check_terms(options)
        self._check_articles(categories)
        self._check_incidents(categories)
        return self

    def _check_categories(self, categories: set[str]) -> None:
        """Raises ValueError for a category or a holiday that names what isn't there."""
        groups = {group.key for group in self.groups}
        for category in self.categories:
            unknown = sorted({*category.also} - categories | {*category.groups} - groups)
            if unknown:
                raise ValueError(
                    f"category {category.key} names unknown categories or groups {unknown}"
                )
        for holiday in self.holidays:
            missing = sorted(set(holiday.boost) - categories)
            if missing:
                raise ValueError(f"holiday {holiday.name} boosts unknown categories {missing}")

    def _check_issues(self, categories: set[str], options: set[str]) -> None:
        """Raises ValueError for an issue with an unknown remedy, or of what nobody sells."""
        for issue in self.issues:
            missing = sorted({*issue.options, *issue.sometimes} - options)
            if missing:
                raise ValueError(
                    f"issue {issue.key} lists unknown options {missing}; add them to options"
                )
            missing = sorted(set(issue.fits) - categories)
            if missing:
                raise ValueError(f"issue {issue.key} fits unknown categories {missing}")

    def _check_terms(self, options: set[str]) -> None:
        """Raises ValueError for a term on an unknown policy, figure or remedy."""
        figures = {policy.key: set(policy.figures) for policy in self.policies}
        for term in self.terms:
            if term.figure not in figures.get(term.policy, set()):
                raise ValueError(
                    f"term on {term.policy} names unknown policy or figure {term.figure}"
                )
            missing = sorted(set(term.after) - options)
            if missing:
                raise ValueError(f"term on {term.policy} follows unknown options {missing}")

    def _check_articles(self, categories: set[str]) -> None:
        """Raises ValueError for an article on what nobody sells, or a fact of no article."""
        for article in self.articles:
            if article.category and article.category not in categories:
                raise ValueError(f"article {article.key} names unknown category {article.category}")
        known = {article.key for article in self.articles}
        for fact in self.facts:
            if fact.article not in known:
                raise ValueError(f"fact {fact.figure} names unknown article {fact.article}")

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
