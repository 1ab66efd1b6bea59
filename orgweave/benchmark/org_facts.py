"""The org's records as reduced solvers read them: all at once, without SOQL.

A reduced solver stands for an agent that has the org and skips a part of its task, so nothing here
comes from the hidden story.
"""

import sqlite3
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from contextlib import closing
from dataclasses import dataclass
from datetime import date, datetime
from functools import lru_cache
from itertools import chain
from pathlib import Path

from orgweave.benchmark.instance import SECONDS
from orgweave.benchmark.scripts import reading
from orgweave.benchmark.tally import NameNumbers, Tally, places_before, tally_of
from orgweave.benchmark.texts import CHAT_LINE
from orgweave.benchmark.windows import Timeline, TimeWindow
from pipeline.run_folder import RunFolder

CASES = """
SELECT c.Id, coalesce(c.AccountId, ''), c.OwnerId, coalesce(c.IssueId__c, '') AS issue,
       coalesce(i.Product2Id, '') AS product, a.ShippingState, c.CreatedDate, c.ClosedDate,
       o.EffectiveDate, coalesce(c.Subject, '') AS subject,
       coalesce(c.Description, '') AS description
FROM "Case" c
LEFT JOIN Account a ON a.Id = c.AccountId
LEFT JOIN OrderItem i ON i.Id = c.OrderItemId__c
LEFT JOIN "Order" o ON o.Id = i.OrderId
ORDER BY c.CreatedDate, c.Id
"""
ASSIGNMENTS = """
SELECT CaseId__c, OldValue__c, NewValue__c, CreatedDate FROM CaseHistory__c
WHERE Field__c = 'Owner Assignment'
ORDER BY CreatedDate, rowid
"""
PURCHASES = """
SELECT o.AccountId, i.Product2Id, o.EffectiveDate
FROM OrderItem i JOIN "Order" o ON o.Id = i.OrderId
WHERE o.Status = 'Activated'
ORDER BY o.EffectiveDate, i.Id
"""
ARTICLES = (
    "SELECT Id, Title, FAQ_Answer__c FROM Knowledge__kav WHERE PublishStatus = 'Online' ORDER BY Id"
)
MAILS = "SELECT ParentId, TextBody FROM EmailMessage WHERE NOT Incoming ORDER BY MessageDate, rowid"
CHATS = "SELECT CaseId, Body FROM LiveChatTranscript WHERE CaseId IS NOT NULL ORDER BY rowid"
SECONDS_AN_HOUR = 3600
WINDOWS_KEPT = 64
"""Of so many windows what was counted is kept: the reduced solvers of a question, and of its twins,
count in the same few.
"""
IN_THE_TITLE = 5
"""How much more a word of an issue's name tells in an article's title than in its text."""


@dataclass(frozen=True, slots=True)
class OrgCase:
    """A case as its record has it; `issue`, `product` and `ordered` are empty where it has none.

    `hours` run from creation to close; they are 0 while it is open.
    """

    id: str
    account: str
    owner: str
    issue: str
    product: str
    state: str
    created: datetime
    closed: datetime | None
    ordered: date | None
    subject: str
    description: str
    hours: float = 0.0

    @property
    def days(self) -> int:
        """The days from its order to its creation; 0 where it has no order."""
        return 0 if self.ordered is None else (self.created.date() - self.ordered).days


@dataclass(frozen=True, slots=True)
class OrgAssignment:
    """A row of the owner history; `old` is empty at first."""

    case: str
    old: str
    new: str
    moment: datetime


@dataclass(frozen=True, slots=True)
class OrgPurchase:
    """An item of an activated order."""

    product: str
    day: date


@dataclass(frozen=True, slots=True)
class OrgArticle:
    """A knowledge article with the remedies that rules read in it, each with its limit in days."""

    id: str
    title: str
    text: str
    remedies: Mapping[str, int]


@dataclass(frozen=True, slots=True)
class OrgFacts:
    """What an agent could read in an org.

    `of_product` are the cases of each product. `accounts` gives a contact's account, `products` a
    product's name with its family, `issues` an issue's name and `said` all that agents wrote in a
    case.
    """

    cases: Timeline[OrgCase]
    of_product: Mapping[str, Timeline[OrgCase]]
    every_case: tuple[OrgCase, ...]
    assignments: Timeline[OrgAssignment]
    transferred: frozenset[str]
    purchases: Mapping[str, tuple[OrgPurchase, ...]]
    accounts: Mapping[str, str]
    products: Mapping[str, str]
    issues: Mapping[str, str]
    articles: Mapping[str, OrgArticle]
    said: Mapping[str, str]
    article_of_issue: Mapping[str, OrgArticle]

    def case(self, case_id: str) -> OrgCase:
        """The case of that id."""
        return next(case for case in self.every_case if case.id == case_id)

    def managed(self, window: TimeWindow) -> Mapping[str, float]:
        """How many cases each agent was handed in a window."""
        return _managed(self.assignments, window)


def read_org_facts(folder: Path) -> OrgFacts:
    """All of it from a run's org."""
    with closing(RunFolder(folder).open_org()) as db:
        cases = tuple(_cases(db))
        assignments = tuple(_assignments(db))
        articles = {article.id: article for article in _articles(db)}
        return OrgFacts(
            cases=Timeline(cases, lambda case: case.created),
            of_product=by_product(cases),
            every_case=cases,
            assignments=Timeline(assignments, lambda step: step.moment),
            transferred=frozenset(step.case for step in assignments if step.old),
            purchases=_purchases(db),
            accounts=dict(db.execute("SELECT Id, AccountId FROM Contact")),
            products=dict(db.execute("SELECT Id, Name || ' ' || Family FROM Product2")),
            issues=dict(db.execute("SELECT Id, Name FROM Issue__c")),
            articles=articles,
            said=_said(db),
            article_of_issue=_articles_of_issues(db, articles),
        )


def by_product(cases: Iterable[OrgCase]) -> dict[str, Timeline[OrgCase]]:
    """The cases of each product in time; those on no product are left out."""
    found: dict[str, list[OrgCase]] = {}
    for case in cases:
        if case.product:
            found.setdefault(case.product, []).append(case)
    return {product: Timeline(own, lambda case: case.created) for product, own in found.items()}


@lru_cache(maxsize=WINDOWS_KEPT)
def _managed(assignments: Timeline[OrgAssignment], window: TimeWindow) -> Mapping[str, float]:
    agents, before = _handed(assignments)
    return agents.counted_once(before, *assignments.span(window))


@lru_cache(maxsize=1)
def _handed(assignments: Timeline[OrgAssignment]) -> tuple[Tally, NameNumbers]:
    """Who was handed a case, in time, and where the same agent was handed the same case before."""
    steps = assignments.items
    agents = tally_of(step.new for step in steps)
    return agents, places_before((step.new, step.case) for step in steps)


def _cases(db: sqlite3.Connection) -> Iterator[OrgCase]:
    for row in db.execute(CASES):
        case_id, account, owner, issue, product, state, created, closed, ordered, *words = row
        subject, description = words
        start, end = _moment(created), _moment(closed) if closed else None
        yield OrgCase(
            id=case_id,
            account=account,
            owner=owner,
            issue=issue,
            product=product,
            state=state or "",
            created=start,
            closed=end,
            ordered=date.fromisoformat(ordered) if ordered else None,
            subject=subject,
            description=description,
            hours=(end - start).total_seconds() / SECONDS_AN_HOUR if end else 0.0,
        )


def _assignments(db: sqlite3.Connection) -> Iterator[OrgAssignment]:
    for case, old, new, moment in db.execute(ASSIGNMENTS):
        yield OrgAssignment(case, old or "", new, _moment(moment))


def _articles(db: sqlite3.Connection) -> Iterator[OrgArticle]:
    for article_id, title, text in db.execute(ARTICLES):
        yield OrgArticle(article_id, title, text, reading.remedies(text))


def _purchases(db: sqlite3.Connection) -> dict[str, tuple[OrgPurchase, ...]]:
    found: dict[str, list[OrgPurchase]] = {}
    for account, product, day in db.execute(PURCHASES):
        found.setdefault(account, []).append(OrgPurchase(product, date.fromisoformat(day)))
    return {account: tuple(own) for account, own in found.items()}


def _said(db: sqlite3.Connection) -> dict[str, str]:
    found: dict[str, list[str]] = {}
    for case, text in db.execute(MAILS):
        found.setdefault(case, []).append(text)
    for case, body in db.execute(CHATS):
        for line in CHAT_LINE.finditer(body):
            if line["role"] == "Agent":
                found.setdefault(case, []).append(line["text"])
    return {case: "\n".join(texts) for case, texts in found.items()}


def _articles_of_issues(
    db: sqlite3.Connection, articles: Mapping[str, OrgArticle]
) -> dict[str, OrgArticle]:
    """An article with remedies for each issue: the pairs that share most words first, rare words
    before common ones, and no article twice.
    """
    listing = {article.id: article for article in articles.values() if article.remedies}
    known = {key: _weighed(article) for key, article in listing.items()}
    among = Counter(chain.from_iterable(known.values()))
    scores = []
    for issue, name, description in db.execute("SELECT Id, Name, Description__c FROM Issue__c"):
        wanted = reading.words(f"{name} {description}")
        for key, words in known.items():
            score = sum(words.get(word, 0) / among[word] for word in wanted if word in words)
            scores.append((score, issue, key))
    found: dict[str, OrgArticle] = {}
    for _, issue, key in sorted(scores, reverse=True):
        if issue not in found and key in listing:
            found[issue] = listing.pop(key)
    return found


def _weighed(article: OrgArticle) -> dict[str, int]:
    """How much each word of an article tells."""
    weights = dict.fromkeys(reading.words(article.text), 1)
    weights.update(dict.fromkeys(reading.words(article.title), IN_THE_TITLE))
    return weights


def _moment(text: str) -> datetime:
    return datetime.fromisoformat(text[:SECONDS])
