"""The hidden story as tasks need it: who handled which case when, who bought what, what was
granted, what articles state, what was said.

This is the side of the truth that asks no query. It knows neither files nor SOQL.
"""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date, datetime

from orgweave.benchmark.texts import naming

SECONDS_AN_HOUR = 3600


@dataclass(frozen=True, slots=True)
class SaidTerm:
    """A clause on a policy as an agent told it, with the policy's key, the name of its figure, the
    figure that its article states, and whether another was told.
    """

    policy: str
    figure: str
    stated: float
    broken: bool
    clause: str


@dataclass(frozen=True, slots=True)
class HiddenCase:
    """A case as it was simulated; `issue` and `product` are empty where it is no complaint.

    `broken` is the key of the article that its agent broke, `terms` are what the agent told of
    policies; `touched` is when it was changed last.
    """

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
    broken: str = ""
    terms: tuple[SaidTerm, ...] = ()
    status: str = ""
    touched: datetime | None = None

    @property
    def hours(self) -> float:
        """The hours from creation to close; 0 while it is open."""
        if self.closed is None:
            return 0.0
        return (self.closed - self.created).total_seconds() / SECONDS_AN_HOUR


@dataclass(frozen=True, slots=True)
class NewCase:
    """A case that nobody has yet: its row among the new ones, its issue and its product, and the
    day on which it came.
    """

    row: int
    issue: str
    product: str
    arrived: date


@dataclass(frozen=True, slots=True)
class Assignment:
    """A case handed to an agent; `old` is None at first."""

    case: str
    old: str | None
    new: str
    moment: datetime


@dataclass(frozen=True, slots=True)
class PurchasedItem:
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
    """A knowledge article: what it must state, and its words.

    An option is a remedy: its key, its name, and its limit in days.
    """

    id: str
    kind: str
    key: str
    issue_key: str
    title: str
    text: str
    options: tuple[tuple[str, str, int], ...]
    figures: Mapping[str, float]


@dataclass(frozen=True, slots=True)
class Utterance:
    """A mail or a chat line: the record it stands in, whether an agent wrote it, its words."""

    record: str
    agent: bool
    text: str


@dataclass(frozen=True, slots=True)
class Conversation:
    """All that was said in a case, in order."""

    utterances: tuple[Utterance, ...]

    @property
    def agents_words(self) -> str:
        """All that agents said."""
        return "\n".join(said.text for said in self.utterances if said.agent)

    def by_agent(self, forms: Sequence[str], ways: Sequence[str] = ()) -> list[tuple[str, str]]:
        """Record and sentence wherever an agent used one of the forms or of the ways."""
        found = []
        for said in self.utterances:
            if said.agent:
                found += [(said.record, sentence) for sentence in naming(said.text, forms, ways)]
        return found


@dataclass(frozen=True, slots=True)
class Story:
    """All that was hidden, read once from a run's folder.

    `contacts` gives an account's contact, `issues` an issue's name and `descriptions` what goes
    wrong in a sentence, `options` the name and the phrase of a remedy and `ways` how people word it
    else; `first` and `last` are the first and the last day of the org's period.
    """

    cases: tuple[HiddenCase, ...]
    assignments: tuple[Assignment, ...]
    bought: tuple[PurchasedItem, ...]
    products: Mapping[str, Product]
    contacts: Mapping[str, str]
    issues: Mapping[str, str]
    articles: tuple[Article, ...]
    options: Mapping[str, tuple[str, str]]
    first: date
    last: date
    descriptions: Mapping[str, str] = field(default_factory=dict)
    ways: Mapping[str, tuple[str, ...]] = field(default_factory=dict)

    @property
    def complaints(self) -> tuple[HiddenCase, ...]:
        """The cases that are about a product and an issue."""
        return tuple(case for case in self.cases if case.product)

    def transferred(self) -> frozenset[str]:
        """The cases that were passed on at least once."""
        return frozenset(step.case for step in self.assignments if step.old is not None)

    def purchases(self) -> dict[str, list[PurchasedItem]]:
        """The items by account."""
        found: dict[str, list[PurchasedItem]] = defaultdict(list)
        for item in self.bought:
            found[item.account].append(item)
        return dict(found)
