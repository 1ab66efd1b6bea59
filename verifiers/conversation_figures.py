"""Do an org's conversations read as people's? Figures of them beside the schema's bounds.

Each figure is a function of what is known of all conversations, and one line in `FIGURES`. A figure
out of its bounds is no violation: it says where a reader would stop believing. Nothing here raises
on a damaged org; an org without such conversations has no such rows.
"""

import re
import sqlite3
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import pairwise

import numpy as np

from schemas.measuring_sql import correlation
from schemas.model import Schema
from schemas.proofs import ConversationFigure
from verifiers.content import without_article
from verifiers.conversation_words import (
    NAME,
    NUMBER,
    REMEDY,
    Masks,
    masked_words,
    name_words,
    remedy_pattern,
    runs_of,
    sentences_of,
)
from verifiers.conversations import CaseTalk, Remark, case_talks, sample_of
from verifiers.course import NUMBER as CRM_NUMBER
from verifiers.course import CourseFacts, Statement, sign_marks, verify_course
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

MOST_MASKED = 3
"""A run of which more words are masked is hardly a wording at all."""

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


@dataclass(frozen=True, slots=True)
class KnownTalk:
    """All conversations of an org, and what is known of them besides.

    `remedies` finds the phrases of remedies. `decided` says by case what decided its outcome
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

    @property
    def chats(self) -> list[CaseTalk]:
        """The live chats."""
        return [talk for talk in self.talks if talk.is_chat and talk.said]

    @property
    def threads(self) -> list[CaseTalk]:
        """The threads of mails."""
        return [talk for talk in self.talks if not talk.is_chat]

    def masks(self, talk: CaseTalk) -> Masks:
        """What is masked in one conversation: its people, its product and the remedies."""
        names = {remark.name for remark in talk.said} | {talk.product}
        return Masks(name_words(names), self.remedies)


def known_talk(db: sqlite3.Connection, schema: Schema) -> KnownTalk:
    """What an org, and the hidden causes where they are attached, tell of its conversations."""
    remedies = [without_article(str(phrase)) for (phrase,) in _rows(db, REMEDIES)]
    decided = {str(case): str(by) for case, by in _rows(db, DECIDED)}
    return KnownTalk(
        talks=case_talks(db, schema),
        remedies=remedy_pattern([phrase for phrase in remedies if phrase]),
        decided=decided or None,
        shown=frozenset(str(case) for (case,) in _rows(db, EVIDENCE)),
        courses=_courses(db),
        tells=frozenset((str(case), _second(moment)) for case, moment in _rows(db, TELLING)),
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
    found = {}
    for case, issue, signs, order, number in _rows(db, INCIDENTS):
        pairs = [pair.split(":") for pair in str(signs).split(",") if pair]
        told = sign_marks(((sign, value) for sign, value in pairs), marks[str(issue)])
        numbers = CRM_NUMBER.findall(f"{order} {number} {returns.get(str(case), '')}")
        found[str(case)] = CourseFacts(told, frozenset(numbers))
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
    fault, known = "", KnownTalk(())
    try:
        known = known_talk(db, schema)
    except (sqlite3.Error, ValueError, TypeError) as error:
        fault = f"can't be measured: {error}"
    for figure in schema.conversations:
        band = bands.get(figure.name, figure.band)
        if band is None:
            continue
        value = None if fault else FIGURES[figure.name](known)
        if value is not None or fault:
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


def shared_runs(known: KnownTalk) -> Counted:
    """Which share of a sample of conversations shares a run of masked words with another one."""
    sample = sample_of(list(known.talks), SAMPLE)
    return share_with_common([run_set(known, talk) for talk in sample])


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


def repeated_sentences(known: KnownTalk) -> Counted:
    """Which share of customers' sentences stands in another case as well."""
    cases: defaultdict[str, set[str]] = defaultdict(set)
    said: list[str] = []
    for case, sentence in customer_sentences(known):
        cases[sentence].add(case)
        said.append(sentence)
    if not said:
        return None
    return sum(len(cases[sentence]) > 1 for sentence in said) / len(said)


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


def strict_alternation(known: KnownTalk) -> Counted:
    """Which share of chats has no two lines in a row from one side."""
    chats = known.chats
    if not chats:
        return None
    strict = 0
    for chat in chats:
        strict += all(line.by_customer != after.by_customer for line, after in pairwise(chat.said))
    return strict / len(chats)


def pause_and_length(known: KnownTalk) -> Counted:
    """Pearson's r of the seconds before a chat line and the words in it."""
    pairs: list[tuple[object, ...]] = []
    for chat in known.chats:
        for before, after in pairwise(chat.said):
            pairs.append((_seconds(before, after), len(after.text.split())))
    return correlation(pairs) if pairs else None


def _seconds(before: Remark, after: Remark) -> float:
    passed = datetime.fromisoformat(after.time) - datetime.fromisoformat(before.time)
    return passed.total_seconds()


def shortest_chats(known: KnownTalk) -> Counted:
    """The 5th percentile of the lines of a chat."""
    return _lines_at(known, 0.05)


def longest_chats(known: KnownTalk) -> Counted:
    """The 95th percentile of the lines of a chat."""
    return _lines_at(known, 0.95)


def _lines_at(known: KnownTalk, share: float) -> Counted:
    lines = [len(chat.said) for chat in known.chats]
    return float(np.quantile(lines, share)) if lines else None


def same_side(known: KnownTalk) -> Counted:
    """Which share of neighbouring mails of a thread comes from one side."""
    neighbours = same = 0
    for thread in known.threads:
        for before, after in pairwise(thread.said):
            neighbours += 1
            same += before.by_customer == after.by_customer
    return same / neighbours if neighbours else None


def mail_traces(known: KnownTalk) -> Counted:
    """Which share of threads shows a trace of the system that carried it."""
    threads = known.threads
    return sum(thread.framed for thread in threads) / len(threads) if threads else None


def exact_openings(known: KnownTalk) -> Counted:
    """Which share of customers opens with the product's full name and the day of the purchase."""
    openings = [talk for talk in known.talks if talk.product and talk.bought and talk.opening]
    if not openings:
        return None
    return sum(_is_exact(talk) for talk in openings) / len(openings)


def _is_exact(talk: CaseTalk) -> bool:
    said = plain(talk.opening)
    if talk.bought is None or plain(talk.product) not in said:
        return False
    if not any(pattern.search(said) for pattern in DATES):
        return False
    return says_date(f"{talk.bought:%B} {talk.bought.day}, {talk.bought.year}", said)


def decided_by_talk(known: KnownTalk) -> Counted:
    """Which share of closed complaints was decided by an answer or by evidence, as their words
    show.

    An answer shows where the customer writes after an agent's question, evidence where the case
    has a file. Where nothing went wrong, as with praise, there is nothing to decide.
    """
    if known.decided is None:
        return None
    closed = [talk for talk in known.talks if talk.closed]
    if known.courses:
        closed = [talk for talk in closed if talk.case in known.courses]
    if not closed:
        return None
    decided = 0
    for talk in closed:
        by = known.decided.get(talk.case, "")
        decided += by == "answer" and _answered(talk)
        decided += by == "evidence" and talk.case in known.shown
    return decided / len(closed)


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


FIGURES: dict[str, Callable[[KnownTalk], Counted]] = {
    "shared_runs": shared_runs,
    "repeated_sentences": repeated_sentences,
    "strict_alternation": strict_alternation,
    "pause_and_length": pause_and_length,
    "shortest_chats": shortest_chats,
    "longest_chats": longest_chats,
    "same_side": same_side,
    "mail_traces": mail_traces,
    "exact_openings": exact_openings,
    "decided_by_talk": decided_by_talk,
    "contradictions": contradictions,
}
