"""Do an org's conversations read as people's? Figures of them beside the schema's bounds.

Each figure is a function of what is known of all conversations, and one line in `FIGURES`. A figure
out of its bounds is no violation: it says where a reader would stop believing. Nothing here raises
on a damaged org; an org without such conversations has no such rows.
"""

import hashlib
import re
import sqlite3
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from itertools import chain, pairwise
from typing import Any, Generic, TypeVar

import numpy as np
import numpy.typing as npt

from schemas.measuring_sql import correlation
from schemas.model import Schema
from schemas.proofs import ConversationFigure
from verifiers.columns import blocks_of
from verifiers.content import without_article
from verifiers.conversation_words import (
    NAME,
    NUMBER,
    REMEDY,
    Masks,
    catalog_of,
    masked_words,
    name_words,
    named_in,
    remedy_pattern,
    runs_of,
    sentences_of,
)
from verifiers.conversations import CaseTalk, Remark, case_talks, sample_of
from verifiers.course import NUMBER as CRM_NUMBER
from verifiers.course import CourseFacts, SignMarks, Statement, sign_marks, verify_course
from verifiers.realism import Band, MeasuredStatistic
from verifiers.wording import DATES, plain, says_date

TOPIC = "Conversations"
SECONDS = 19  # characters of a moment without milliseconds and zone
SAMPLE = 40
"""Conversations whose runs are compared: the more there are, the more share one, so it is fixed."""

RUN_LENGTH = 7
"""Words of a run: so many in a row are hardly the same in two conversations by chance."""

LEAST_WORDS = 6
"""Words of the shortest sentence that counts as repeated; people say shorter ones again."""

BLOCK = 2000
"""Conversations that are looked at together: they take some ten megabytes."""

KEY_BYTES = 8
"""Of the numbers that stand for sentences: they are alike by no chance among millions."""

MOST_MASKED = 3
"""A run of which more words are masked is hardly a wording at all."""

PRODUCTS = "SELECT DISTINCT Name FROM Product2"
REMEDIES = 'SELECT phrase FROM latent."Solution.options"'
DECIDED = 'SELECT Id, decided_by FROM latent."CaseStory.cases"'
MARKS = 'SELECT issue_key, sign, value, marks FROM latent."Incident.marks"'
INCIDENTS = """
    SELECT i.Id, s.issue_key, i.signs, o.OrderNumber, c.CaseNumber
    FROM latent."Incident.cases" i
    JOIN latent."CaseStory.cases" s ON s.Id = i.Id
    JOIN "Case" c ON c.Id = i.Id
    JOIN "Order" o ON o.Id = s."order"
    WHERE i.cause <> ''
"""
NAMES = """
    SELECT c.Id, a.Name, a.ShippingCity FROM "Case" c JOIN Account a ON a.Id = c.AccountId
"""
RETURNS = 'SELECT Id, number FROM latent."ReturnHabit.cases"'
TELLING = """
    SELECT "case", at
    FROM latent."CaseStory.messages"
    WHERE beats LIKE '%issue.sign.%' AND beats NOT LIKE '%c.asks%'
    UNION
    SELECT c."case", t.at
    FROM latent."CaseStory.turns" t
    JOIN latent."CaseStory.chats" c ON c.rowid = t.chat + 1
    WHERE t.beats LIKE '%issue.sign.%' AND t.beats NOT LIKE '%c.asks%'
"""
EVIDENCE = "SELECT DISTINCT LinkedEntityId FROM ContentDocumentLink"

Counted = float | None
PartT = TypeVar("PartT")
SentenceKeys = npt.NDArray[np.uint64]
Measurements = npt.NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class KnownTalk:
    """All conversations of an org, and what is known of them besides.

    `catalog` holds the products' full names by their first words. `remedies` finds the phrases of
    remedies. `decided` says by case what decided its outcome
    (`answer`, `evidence`, `record`, `none`), `shown` holds the cases with files, `courses` what
    holds through each conversation, and `tells` the cases and moments at which a customer tells of
    a sign. Each is empty where the org does not tell.
    """

    talks: Sequence[CaseTalk]
    remedies: re.Pattern[str] | None = None
    decided: Mapping[str, str] | None = None
    shown: frozenset[str] = frozenset()
    courses: Mapping[str, CourseFacts] | None = None
    tells: frozenset[tuple[str, str]] = frozenset()
    catalog: Mapping[str, Sequence[str]] = field(default_factory=dict)

    @property
    def chats(self) -> list[CaseTalk]:
        """The live chats."""
        return [talk for talk in self.talks if talk.is_chat and talk.said]

    @property
    def threads(self) -> list[CaseTalk]:
        """The threads of mails."""
        return [talk for talk in self.talks if not talk.is_chat]

    def masks(self, talk: CaseTalk) -> Masks:
        """What is masked in one conversation: its people, all products and the remedies.

        Who asks before they buy names a product that the case does not link.
        """
        names = {remark.name for remark in talk.said} | {talk.product}
        names.update(*(named_in(remark.text, self.catalog) for remark in talk.said))
        return Masks(name_words(names), self.remedies)


def known_talk(db: sqlite3.Connection, schema: Schema) -> KnownTalk:
    """All conversations of an org, and what it tells of them."""
    return replace(_told_besides(db), talks=list(case_talks(db, schema)))


def talk_blocks(db: sqlite3.Connection, schema: Schema) -> Iterator[KnownTalk]:
    """Yields the same, some thousand conversations at a time, and first of all none."""
    besides = _told_besides(db)
    yield besides
    for block in blocks_of(case_talks(db, schema), BLOCK):
        yield replace(besides, talks=block)


def _told_besides(db: sqlite3.Connection) -> KnownTalk:
    """What an org, and the hidden causes where they are attached, tell of its conversations."""
    remedies = [without_article(str(phrase)) for (phrase,) in _rows(db, REMEDIES)]
    decided = {str(case): str(by) for case, by in _rows(db, DECIDED)}
    return KnownTalk(
        talks=(),
        remedies=remedy_pattern([phrase for phrase in remedies if phrase]),
        decided=decided or None,
        shown=frozenset(str(case) for (case,) in _rows(db, EVIDENCE)),
        courses=_courses(db),
        tells=frozenset((str(case), _second(moment)) for case, moment in _rows(db, TELLING)),
        catalog=catalog_of(str(name) for (name,) in _rows(db, PRODUCTS)),
    )


def _second(moment: object) -> str:
    """A moment as `2022-03-01T09:31:12`, whatever stands behind it."""
    return str(moment).replace(" ", "T")[:SECONDS]


def _courses(db: sqlite3.Connection) -> dict[str, CourseFacts] | None:
    """What holds through each conversation by the hidden incidents; None where there are none."""
    marks: defaultdict[str, dict[str, dict[str, tuple[str, ...]]]] = defaultdict(dict)
    for issue, sign, value, known in _rows(db, MARKS):
        values = marks[str(issue)].setdefault(str(sign), {})
        values[str(value)] = tuple(str(known).split("|"))
    returns = {str(case): str(number) for case, number in _rows(db, RETURNS)}
    names: dict[object, tuple[str, str]] = {}
    for case, customer, city in _rows(db, NAMES):
        # An org need not know everybody's city.
        names[case] = (str(customer), str(city or customer))
    found = {}
    # The marks of equal signs are one object: there are some dozens of them.
    by_signs: dict[tuple[object, object], dict[str, SignMarks]] = {}
    for case, issue, signs, order, number in _rows(db, INCIDENTS):
        told = by_signs.get((issue, signs))
        if told is None:
            pairs = [pair.split(":") for pair in str(signs).split(",") if pair]
            told = sign_marks(((sign, value) for sign, value in pairs), marks[str(issue)])
            by_signs[issue, signs] = told
        numbers = CRM_NUMBER.findall(f"{order} {number} {returns.get(str(case), '')}")
        found[str(case)] = CourseFacts(told, frozenset(numbers), names=names.get(case, ()))
    return found or None


def _rows(db: sqlite3.Connection, query: str) -> list[tuple[object, ...]]:
    """What a query selects; nothing where the org has no such table."""
    try:
        return db.execute(query).fetchall()
    except sqlite3.Error:
        return []


def measure_conversations(
    db: sqlite3.Connection,
    schema: Schema,
    bands: Mapping[str, Band | None],
) -> Iterator[MeasuredStatistic]:
    """Yields each figure of the schema that has something to measure, with the trade's band.

    A figure for which the trade states None is left out.
    """
    if not schema.conversations:
        return
    wanted = [figure for figure in schema.conversations if bands.get(figure.name, figure.band)]
    counts: dict[str, list[object]] = {figure.name: [] for figure in wanted}
    fault = ""
    try:
        for known in talk_blocks(db, schema):
            for name, parts in counts.items():
                parts.append(FIGURES[name].counted(known))
    except (sqlite3.Error, ValueError, TypeError) as error:
        fault = f"can't be measured: {error}"
    for figure in wanted:
        band = bands.get(figure.name, figure.band)
        value = None if fault else FIGURES[figure.name].value(counts[figure.name])
        if band is not None and (value is not None or fault):
            yield _measured(figure, value, band, fault)


def _measured(
    figure: ConversationFigure,
    value: Counted,
    band: Band,
    fault: str,
) -> MeasuredStatistic:
    return MeasuredStatistic(
        name=figure.name,
        topic=TOPIC,
        says=figure.says,
        value=value,
        band=band,
        source=figure.source,
        fault=fault,
    )


@dataclass(frozen=True, slots=True)
class TalkFigure(Generic[PartT]):
    """A figure: what is counted in some of the conversations, and the value of all that was."""

    counted: Callable[[KnownTalk], PartT]
    value: Callable[[Sequence[PartT]], Counted]

    def __call__(self, known: KnownTalk) -> Counted:
        """The figure of these conversations alone."""
        return self.value([self.counted(known)])


ShareCount = tuple[int, int]
"""How many are counted, and of how many."""


def share_of(parts: Sequence[ShareCount]) -> Counted:
    """Which share is counted of all, None where there are none."""
    every = sum(number for _, number in parts)
    return sum(counted for counted, _ in parts) / every if every else None


def sampled(known: KnownTalk) -> KnownTalk:
    """The conversations alone whose runs are compared."""
    return replace(known, talks=sample_of(known.talks, SAMPLE))


def shared_runs(parts: Sequence[KnownTalk]) -> Counted:
    """Which share of a sample of conversations shares a run of masked words with another one."""
    sample = sample_of(chain.from_iterable(known.talks for known in parts), SAMPLE)
    return share_with_common([run_set(parts[0], talk) for talk in sample])


def run_set(known: KnownTalk, talk: CaseTalk) -> frozenset[tuple[str, ...]]:
    """The runs of masked words in a conversation; none reaches over two remarks."""
    masks = known.masks(talk)
    runs: set[tuple[str, ...]] = set()
    for remark in talk.said:
        for run in runs_of(masked_words(remark.text, masks), RUN_LENGTH):
            if sum(word in (NAME, NUMBER, REMEDY) for word in run) <= MOST_MASKED:
                runs.add(run)
    return frozenset(runs)


def share_with_common(sets: Sequence[frozenset[tuple[str, ...]]]) -> Counted:
    """Which share of sets holds something that another one holds too."""
    if len(sets) < 2:
        return None
    holders: Counter[tuple[str, ...]] = Counter()
    for runs in sets:
        holders.update(runs)
    common = {run for run, count in holders.items() if count > 1}
    return sum(not common.isdisjoint(runs) for runs in sets) / len(sets)


def sentence_keys(known: KnownTalk) -> SentenceKeys:
    """A row for each longer sentence of a customer: what stands for it, and for its case.

    These are numbers of 64 bits that two sentences share by no chance.
    """
    rows = [(_key(sentence), _key(case)) for case, sentence in customer_sentences(known)]
    return np.array(rows, dtype=np.uint64).reshape(-1, 2)


def _key(text: str) -> int:
    raw = text.encode("utf-8", "surrogatepass")
    digest = hashlib.blake2b(raw, digest_size=KEY_BYTES).digest()
    return int.from_bytes(digest)


def repeated_sentences(parts: Sequence[SentenceKeys]) -> Counted:
    """Which share of customers' sentences stands in another case as well."""
    said = np.concatenate(parts)
    if not len(said):
        return None
    distinct, places = np.unique(said[:, 0], return_inverse=True)
    numbered = np.stack([places.astype(np.uint64), said[:, 1]], axis=1)
    # Each sentence once a case.
    in_cases = np.unique(numbered, axis=0)
    sentences = in_cases[:, 0].astype(np.int64)
    cases = np.bincount(sentences, minlength=len(distinct))
    repeated = cases[places] > 1
    return int(repeated.sum()) / len(said)


def customer_sentences(known: KnownTalk) -> Iterator[tuple[str, str]]:
    """Yields the case and the masked words of each longer sentence that a customer wrote."""
    for talk in known.talks:
        masks = known.masks(talk)
        for remark in talk.said:
            if not remark.by_customer:
                continue
            for sentence in sentences_of(remark.text):
                if sentence.count(" ") < LEAST_WORDS - 1:
                    continue
                words = masked_words(sentence, masks)
                if len(words) >= LEAST_WORDS:
                    yield talk.case, " ".join(words)


def strict_alternation(known: KnownTalk) -> ShareCount:
    """How many chats have no two lines in a row from one side."""
    chats = known.chats
    strict = 0
    for chat in chats:
        strict += all(line.by_customer != after.by_customer for line, after in pairwise(chat.said))
    return strict, len(chats)


def pauses_and_lengths(known: KnownTalk) -> Measurements:
    """The seconds before each chat line and the words in it, a row a line."""
    pairs = []
    for chat in known.chats:
        for before, after in pairwise(chat.said):
            pairs.append((_seconds(before, after), len(after.text.split())))
    return np.array(pairs, dtype=float).reshape(-1, 2)


def pause_and_length(parts: Sequence[Measurements]) -> Counted:
    """Pearson's r of the seconds before a chat line and the words in it."""
    pairs = np.concatenate(parts)
    return correlation(pairs) if len(pairs) else None


def _seconds(before: Remark, after: Remark) -> float:
    passed = datetime.fromisoformat(after.time) - datetime.fromisoformat(before.time)
    return passed.total_seconds()


def lines(known: KnownTalk) -> list[int]:
    """The lines of each chat."""
    return [len(chat.said) for chat in known.chats]


def shortest_chats(parts: Sequence[list[int]]) -> Counted:
    """The 5th percentile of the lines of a chat."""
    return _lines_at(parts, 0.05)


def longest_chats(parts: Sequence[list[int]]) -> Counted:
    """The 95th percentile of the lines of a chat."""
    return _lines_at(parts, 0.95)


def _lines_at(parts: Sequence[list[int]], share: float) -> Counted:
    counts = list(chain.from_iterable(parts))
    return float(np.quantile(counts, share)) if counts else None


def same_side(known: KnownTalk) -> ShareCount:
    """How many neighbouring mails of a thread come from one side."""
    neighbours = same = 0
    for thread in known.threads:
        for before, after in pairwise(thread.said):
            neighbours += 1
            same += before.by_customer == after.by_customer
    return same, neighbours


def mail_traces(known: KnownTalk) -> ShareCount:
    """How many threads show a trace of the system that carried them."""
    threads = known.threads
    return sum(thread.framed for thread in threads), len(threads)


def exact_openings(known: KnownTalk) -> ShareCount:
    """How many customers open with the product's full name and the day of the purchase."""
    openings = [talk for talk in known.talks if talk.product and talk.bought and talk.opening]
    return sum(_is_exact(talk) for talk in openings), len(openings)


def _is_exact(talk: CaseTalk) -> bool:
    said = plain(talk.opening)
    if talk.bought is None or plain(talk.product) not in said:
        return False
    if not any(pattern.search(said) for pattern in DATES):
        return False
    return says_date(f"{talk.bought:%B} {talk.bought.day}, {talk.bought.year}", said)


def decided_by_talk(known: KnownTalk) -> ShareCount:
    """How many closed complaints were decided by an answer or by evidence, as their words show.

    An answer shows where the customer writes after an agent's question, evidence where the case
    has a file. Where nothing went wrong, as with praise, there is nothing to decide.
    """
    if known.decided is None:
        return 0, 0
    closed = [talk for talk in known.talks if talk.closed]
    if known.courses:
        closed = [talk for talk in closed if talk.case in known.courses]
    decided = 0
    for talk in closed:
        by = known.decided.get(talk.case, "")
        decided += by == "answer" and _answered(talk)
        decided += by == "evidence" and talk.case in known.shown
    return decided, len(closed)


def _answered(talk: CaseTalk) -> bool:
    """Whether the customer says something after an agent has asked."""
    asked = False
    for remark in talk.said:
        if remark.by_customer and asked:
            return True
        asked |= not remark.by_customer and "?" in remark.text
    return False


def contradictions(known: KnownTalk) -> Counted:
    """How many conversations contradict what was said in them before."""
    if known.courses is None:
        return None
    broken = 0
    for talk in known.talks:
        facts = known.courses.get(talk.case)
        if facts is not None:
            said = []
            for remark in talk.said:
                tells = (talk.case, _second(remark.time)) in known.tells
                said.append(Statement(remark.by_customer, remark.text, tells=tells))
            broken += verify_course(said, facts).failed
    return float(broken)


def all_of(parts: Sequence[Counted]) -> Counted:
    """The sum of what was counted, None where nothing can be."""
    counted = [part for part in parts if part is not None]
    return sum(counted) if counted else None


FIGURES: dict[str, TalkFigure[Any]] = {
    "shared_runs": TalkFigure(sampled, shared_runs),
    "repeated_sentences": TalkFigure(sentence_keys, repeated_sentences),
    "strict_alternation": TalkFigure(strict_alternation, share_of),
    "pause_and_length": TalkFigure(pauses_and_lengths, pause_and_length),
    "shortest_chats": TalkFigure(lines, shortest_chats),
    "longest_chats": TalkFigure(lines, longest_chats),
    "same_side": TalkFigure(same_side, share_of),
    "mail_traces": TalkFigure(mail_traces, share_of),
    "exact_openings": TalkFigure(exact_openings, share_of),
    "decided_by_talk": TalkFigure(decided_by_talk, share_of),
    "contradictions": TalkFigure(contradictions, all_of),
}
"""What is counted of some thousand conversations, and what all counts come to: those of a large
org are never all there.
"""
