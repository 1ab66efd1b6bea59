"""Reads what tasks are made from out of a run's folder: the hidden causes, and from the org the
words, the addresses and the conversations that belong to them.
"""

import json
import sqlite3
from collections import defaultdict
from collections.abc import Iterator
from contextlib import closing
from datetime import date, datetime
from pathlib import Path

from orgweave.benchmark.instance import SECONDS
from orgweave.benchmark.story import (
    Article,
    Assignment,
    Conversation,
    HiddenCase,
    Product,
    PurchasedItem,
    SaidTerm,
    Story,
    Utterance,
)
from orgweave.benchmark.texts import CHAT_LINE
from pipeline.ledger import is_locked
from pipeline.run_folder import LATENT_FILE, ORG_FILE, RunFolder, unreadable
from schemas.errors import BadInput, StorageFailed
from schemas.profile import Period
from schemas.world import World
from verifiers.mail_frame import own_part

NEEDED = (
    "CaseStory.cases",
    "CaseStory.history",
    "PolicyViolation.terms",
    "ShoppingHabit.orders",
    "ShoppingHabit.items",
    "Solution.issues",
    "Solution.options",
    "IssueSolution.articles",
)
"""The tables of the latent variables without which no case was simulated."""
CASES = """
SELECT c.Id AS id, coalesce(c.account, '') AS account, c.owner,
       coalesce(c.issue, '') AS issue, c.issue_key,
       coalesce(i.product, '') AS product, coalesce(a.ShippingState, '') AS state,
       c.channel, c.created, c.closed, coalesce(o.day, substr(c.created, 1, 10)) AS ordered,
       c.ending, c.violated, c.days, c.wish, c.granted, c."limit", c.broken,
       c.status, c.touched
FROM hidden."CaseStory.cases" c
LEFT JOIN hidden."ShoppingHabit.items" i ON i.Id = c.item
LEFT JOIN hidden."ShoppingHabit.orders" o ON o.Id = c."order"
LEFT JOIN Account a ON a.Id = c.account
ORDER BY c.created, c.Id
"""
HISTORY = """
SELECT "case", old, new, at FROM hidden."CaseStory.history"
WHERE event = 'Owner Assignment'
ORDER BY at, rowid
"""
TERMS = """
SELECT "case", policy, figure, stated, broken, phrase FROM hidden."PolicyViolation.terms"
ORDER BY "case", place
"""
BOUGHT = """
SELECT o.account, i.product, o.day
FROM hidden."ShoppingHabit.items" i
JOIN hidden."ShoppingHabit.orders" o ON o.Id = i."order"
WHERE o.status = 'Activated'
ORDER BY o.day, i.Id
"""
PRODUCTS = """
SELECT p.Id, p.Name, p.Family, a.category_key
FROM Product2 p
JOIN hidden."Assortment.products" a ON a.Id = p.Id
"""
ARTICLES = """
SELECT k.Id, a.kind, a.key, a.issue_key, k.Title, k.FAQ_Answer__c, a.options, a.figures
FROM Knowledge__kav k
JOIN hidden."IssueSolution.articles" a ON a.Id = k.Id
WHERE k.PublishStatus = 'Online'
"""
# The last row of an account wins in the dictionary that is made of them, so its first contact.
CONTACTS = "SELECT Id, AccountId FROM Contact ORDER BY Id DESC"
ISSUES = 'SELECT Id, name FROM hidden."Solution.issues"'
DESCRIPTIONS = "SELECT Id, Description__c FROM Issue__c"
OPTIONS = 'SELECT "key", name, phrase FROM hidden."Solution.options"'
MAILS = """
SELECT Id, ParentId, Incoming, TextBody FROM EmailMessage ORDER BY MessageDate, rowid
"""
CHATS = """
SELECT Id, CaseId, Body FROM LiveChatTranscript WHERE CaseId IS NOT NULL ORDER BY rowid
"""


def read_story(
    folder: Path,
    world: World,
    period: Period,
) -> Story:
    """The story of a finished run.

    Raises BadInput where its schema simulates no cases, StorageFailed where a file can't be read.
    """
    try:
        with closing(_opened(folder)) as db:
            _check(folder, db)
            return _story(db, world, period)
    except sqlite3.Error as error:
        if is_locked(error):
            raise unreadable(RunFolder(folder).org_file, error) from error
        raise StorageFailed(
            f"{folder}: {ORG_FILE} or {LATENT_FILE} can't be read ({error}); generate the company"
            " again, the ledger keeps the words"
        ) from error


def read_conversations(folder: Path) -> dict[str, Conversation]:
    """The conversations of a run's org by case id: mails in order, or the lines of a chat."""
    found: dict[str, list[Utterance]] = defaultdict(list)
    with closing(RunFolder(folder).open_org()) as db:
        for record, case, incoming, text in db.execute(MAILS):
            found[case].append(Utterance(record, not incoming, own_part(text)))
        for record, case, body in db.execute(CHATS):
            for line in CHAT_LINE.finditer(body):
                said = Utterance(record, line["role"] == "Agent", line["text"])
                found[case].append(said)
    return {case: Conversation(tuple(said)) for case, said in found.items()}


def _opened(folder: Path) -> sqlite3.Connection:
    run = RunFolder(folder)
    for path in (run.org_file, run.latent_file):
        if not path.is_file():
            raise BadInput(
                f"{path}: no such file; tasks are made from a finished run, with the hidden truth"
                " beside the org"
            )
    db = run.open_org()
    db.row_factory = sqlite3.Row
    run.attach_latent(db, "hidden")
    return db


def _check(folder: Path, db: sqlite3.Connection) -> None:
    tables = {row["name"] for row in _rows(db, "SELECT name FROM hidden.sqlite_master")}
    missing = [name for name in NEEDED if name not in tables]
    if missing:
        raise BadInput(
            f"{folder}: its schema has no {missing[0].split('.')[0]}, so no case was simulated;"
            " tasks need an org of the service_cloud schema"
        )


def _story(
    db: sqlite3.Connection,
    world: World,
    period: Period,
) -> Story:
    terms = _terms(db)
    return Story(
        cases=tuple(_case(row, terms.get(row["id"], ())) for row in _rows(db, CASES)),
        assignments=tuple(_assignment(row) for row in _rows(db, HISTORY)),
        bought=tuple(_item(row) for row in _rows(db, BOUGHT)),
        products=_products(db, world),
        contacts={row["AccountId"]: row["Id"] for row in _rows(db, CONTACTS)},
        issues={row["Id"]: row["name"] for row in _rows(db, ISSUES)},
        articles=tuple(_article(row) for row in _rows(db, ARTICLES)),
        options={row["key"]: (row["name"], row["phrase"]) for row in _rows(db, OPTIONS)},
        first=period.start,
        last=period.end,
        descriptions=dict(_pairs(db, DESCRIPTIONS)),
        ways={option.key: option.ways for option in world.options},
    )


def _rows(db: sqlite3.Connection, sql: str) -> Iterator[sqlite3.Row]:
    yield from db.execute(sql)


def _pairs(db: sqlite3.Connection, sql: str) -> Iterator[tuple[str, str]]:
    for key, value in db.execute(sql):
        yield str(key), str(value or "")


def _moment(text: str) -> datetime:
    return datetime.fromisoformat(text[:SECONDS])


def _terms(db: sqlite3.Connection) -> dict[str, tuple[SaidTerm, ...]]:
    """What was told of policies in each case."""
    found: dict[str, list[SaidTerm]] = defaultdict(list)
    for row in _rows(db, TERMS):
        term = SaidTerm(
            policy=row["policy"],
            figure=row["figure"],
            stated=row["stated"],
            broken=bool(row["broken"]),
            clause=row["phrase"],
        )
        found[row["case"]].append(term)
    return {case: tuple(terms) for case, terms in found.items()}


def _case(row: sqlite3.Row, terms: tuple[SaidTerm, ...]) -> HiddenCase:
    return HiddenCase(
        id=row["id"],
        account=row["account"],
        owner=row["owner"],
        issue=row["issue"],
        issue_key=row["issue_key"],
        product=row["product"],
        state=row["state"],
        channel=row["channel"],
        created=_moment(row["created"]),
        closed=_moment(row["closed"]) if row["closed"] else None,
        ordered=date.fromisoformat(row["ordered"]),
        ending=row["ending"],
        violated=bool(row["violated"]),
        days=int(row["days"]),
        wish=row["wish"],
        granted=row["granted"],
        limit=int(row["limit"]),
        broken=row["broken"],
        terms=terms,
        status=row["status"],
        touched=_moment(row["touched"]) if row["touched"] else None,
    )


def _assignment(row: sqlite3.Row) -> Assignment:
    return Assignment(
        case=row["case"],
        old=row["old"],
        new=row["new"],
        moment=_moment(row["at"]),
    )


def _item(row: sqlite3.Row) -> PurchasedItem:
    day = date.fromisoformat(row["day"])
    return PurchasedItem(row["account"], row["product"], day)


def _products(db: sqlite3.Connection, world: World) -> dict[str, Product]:
    shorts = {category.key: category.short for category in world.categories}
    products = {}
    for row in _rows(db, PRODUCTS):
        family = row["Family"]
        nouns = shorts.get(row["category_key"], (family.lower(),))
        products[row["Id"]] = Product(row["Id"], row["Name"], family, nouns)
    return products


def _article(row: sqlite3.Row) -> Article:
    options = []
    for option in json.loads(row["options"]):
        options.append((option["key"], option["name"], int(option["limit"])))
    return Article(
        id=row["Id"],
        kind=row["kind"],
        key=row["key"],
        issue_key=row["issue_key"],
        title=row["Title"],
        text=row["FAQ_Answer__c"],
        options=tuple(options),
        figures=json.loads(row["figures"]),
    )
