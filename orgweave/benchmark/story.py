"""The hidden story as tasks need it: who handled which case when, who bought what, what was
granted, what articles state.

The side of truth that asks no query. Knows neither files nor SOQL.
"""

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date, datetime


@dataclass(frozen=True, slots=True)
class HiddenCase:
    """A case as it was simulated."""

    id: str
    account: str
    owner: str
    issue: str
    issue_key: str
    product: str
    state: str
    channel: str
    created: datetime
    closed: datetime | None
    ordered: date
    ending: str
    violated: bool
    days: int
    wish: str
    granted: str
    limit: int

    @property
    def hours(self) -> float:
        """From creation to close; 0 while it is open."""
        return (self.closed - self.created).total_seconds() / 3600 if self.closed else 0.0


@dataclass(frozen=True, slots=True)
class Assignment:
    """A case handed to an agent; `old` is None at first."""

    case: str
    old: str | None
    new: str
    at: datetime


@dataclass(frozen=True, slots=True)
class Bought:
    """An item of an activated order."""

    account: str
    product: str
    day: date


@dataclass(frozen=True, slots=True)
class Product:
    """A product's name and family, and the vague nouns of its category."""

    id: str
    name: str
    family: str
    shorts: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Article:
    """A knowledge article: what it must state, and its words."""

    id: str
    kind: str
    key: str
    issue_key: str
    title: str
    text: str
    options: tuple[tuple[str, str, int], ...]
    figures: Mapping[str, float]


@dataclass(frozen=True, slots=True)
class Story:
    """All that was hidden, read once from a run's folder."""

    cases: tuple[HiddenCase, ...]
    assignments: tuple[Assignment, ...]
    bought: tuple[Bought, ...]
    products: Mapping[str, Product]
    contacts: Mapping[str, str]
    issues: Mapping[str, str]
    articles: tuple[Article, ...]
    options: Mapping[str, tuple[str, str]]
    first: date
    last: date

    def transferred(self) -> frozenset[str]:
        """Cases that were passed on at least once."""
        return frozenset(one.case for one in self.assignments if one.old is not None)

    def purchases(self) -> dict[str, list[Bought]]:
        """Items by account."""
        found: dict[str, list[Bought]] = defaultdict(list)
        for one in self.bought:
            found[one.account].append(one)
        return dict(found)
