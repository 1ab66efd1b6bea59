"""Does a conversation hold together? What is said in one turn stays true in the later ones.

Held against the facts: nobody tells another value of a sign than the one told before, numbers are
those of the case, and spans of time are right on the day. Rules only; works on remarks in their
order and knows no unit and no table.

Example: who said that the sole opens at the toe doesn't write later that it opens at the heel.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime

from schemas.incidents import tells_value
from verifiers.verdict import PASS, Verdict, fail
from verifiers.wording import DATES, MONTH_NAMES, SMALL_NUMBERS, day_of, plain

Marks = tuple[str, ...]

# Order and case numbers have eight digits.
NUMBER = re.compile(r"(?<!\d)\d{8}(?!\d)")
SPAN = re.compile(r"\b(a|an|\d+|[a-z]+) (day|week|month|year)s?\b")
# "Version 2.2 weeks ago" tells no span of two weeks.
AGO = re.compile(rf"(?<!\d\.){SPAN.pattern} ago\b")
HELD = re.compile(
    r"\b(?:had|owned|worn|used|using|wearing) (?:it|them|these|this|those|the [a-z]+)\b"
    rf"[^.!?]{{0,20}}\bfor ({SPAN.pattern})"
)
"""How customers say for how long they have had something."""
GONE_BY = re.compile(
    rf"\b(?:it's|it is|it's been|it has been|been|waiting|waited) ({SPAN.pattern})"
    r" (?:now|already|past|late|over)\b"
)
"""How customers say for how long something has gone on that began with what they ordered."""
SAID = re.compile(
    r"\b(?:wrote|written|writes?|mailed|e-?mailed|messaged|called|phoned|asked|replied|answered"
    r"|reported|told|said|contacted|heard|promised|in touch|chatted|reached out"
    r"|messages?|mails?|e-?mails?|notes?|letters?|calls?|questions?|requests?|reply|answer)\b"
)
"""Words by which a sentence dates something that was said, not what was ordered."""
ORDERED = re.compile(
    r"\b(?:order(?:ed|s)?|bought|purchased?|placed|applied|application|opened|signed up|sign-?up"
    r"|delivered|received|shipped|arrived|started|began|joined)\b"
)
"""Words by which a sentence dates what was ordered, or what has come of it."""
DAYS = {"day": 1.0, "week": 7.0, "month": 30.4, "year": 365.0}

SENTENCE = re.compile(r"[.!?](?:\s|$)|\n")
# A sum as the plain form has it, and an hour of the clock: `5 pm`, `2:30 p.m.`.
SUM = re.compile(r"(?<![\d.])(\d+(?:\.\d+)?) dollars\b")
HOUR = re.compile(r"(?<![\d:])(\d{1,2})(?::(\d\d))? ?[ap]\.?m\b")
CLOCK = re.compile(r"(\d{1,2})(?::(\d\d))?")

# Two ways to say one span differ by rounding: `nine weeks` may be `two months`.
ROUNDING = 0.3
LEAST_ROUNDING = 1.5  # days


@dataclass(frozen=True, slots=True)
class SignMarks:
    """The marks of a sign's true value, and those of its other values."""

    value: str
    own: Marks
    others: Mapping[str, Marks]


@dataclass(frozen=True, slots=True)
class CourseFacts:
    """What holds through a whole conversation: signs by their names, and its numbers.

    What is arranged has `sums` in plain form, `days` as pairs of month and day, and `hours`
    as `2:30`. `names` of people and places say nothing of a sign: `new` is no part of `New York`.
    """

    signs: Mapping[str, SignMarks] = field(default_factory=dict)
    numbers: frozenset[str] = frozenset()
    sums: frozenset[str] = frozenset()
    days: frozenset[tuple[int, int]] = frozenset()
    hours: frozenset[str] = frozenset()
    names: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Statement:
    """One turn: who says what.

    `tells` says whether it tells of signs at all: in other turns the same words mean other things.
    `signs` are those that it is to tell. `ago` is how long before it the order was placed.
    `settles` says whether it tells facts of what is granted: a sum, a day, an hour. `moment` is
    when it is made, "" where it isn't known.
    """

    by_customer: bool
    text: str
    path: str = ""
    tells: bool = True
    ago: str = ""
    settles: bool = False
    signs: frozenset[str] = frozenset()
    moment: str = ""


def verify_course(said: Sequence[Statement], facts: CourseFacts) -> Verdict:
    """Fails at the first turn that contradicts the facts or an earlier turn."""
    told: set[str] = set()
    for place, statement in enumerate(said):
        text = plain(statement.text)
        reason = (
            _other_value(statement, text, facts, told)
            or _other_number(text, facts)
            or _other_span(statement, text, said[:place])
            or _other_settlement(statement, text, facts)
        )
        if reason:
            return fail(f"course: {reason}", statement.path)
    return PASS


def _other_value(statement: Statement, text: str, facts: CourseFacts, told: set[str]) -> str:
    """Why a customer's text contradicts what was told of a sign; "" where it doesn't."""
    if not (statement.by_customer and statement.tells):
        return ""
    nameless = _without(facts.names, text)
    beside = _besides(nameless, statement.signs, facts)
    for sign, marks in facts.signs.items():
        if tells_value(text, marks.own):
            told.add(sign)
            continue
        if sign not in told:
            continue
        heard = nameless if sign in statement.signs else beside
        for value, others in marks.others.items():
            if tells_value(heard, others):
                return f"tells {value} of the {sign}, which was {marks.value} before"
    return ""


def _without(names: Iterable[str], text: str) -> str:
    """A plain text without the names that stand in it."""
    for name in names:
        text = text.replace(plain(name), " ")
    return text


def _besides(text: str, signs: frozenset[str], facts: CourseFacts) -> str:
    """The sentences in which none of these signs is told.

    What tells one sign may hold a word of another: `the wrong label, with another order number`
    says nothing of a size.
    """
    own = [facts.signs[sign].own for sign in sorted(signs) if sign in facts.signs]
    sentences = SENTENCE.split(text)
    left = [line for line in sentences if not any(tells_value(line, marks) for marks in own)]
    return " . ".join(left)


def _other_number(text: str, facts: CourseFacts) -> str:
    """Why a number in a text is none of the case's; "" where all are."""
    for found in NUMBER.findall(text):
        if facts.numbers and found not in facts.numbers:
            return f"names the number {found}, which is not among its facts"
    return ""


def _other_settlement(statement: Statement, text: str, facts: CourseFacts) -> str:
    """Why a sum, a day or an hour of what is granted is another than the one arranged."""
    if not statement.settles or statement.by_customer:
        return ""
    for amount in SUM.findall(text):
        if amount not in facts.sums:
            return f"tells {amount} dollars, which is not among its facts"
    for month, day in days_in(text):
        if facts.days and (month, day) not in facts.days:
            return f"tells the day {month}/{day}, on which nothing is arranged"
    for hour in hours_in(text):
        if facts.hours and hour not in facts.hours:
            return f"tells the hour {hour}, at which nothing is arranged"
    return ""


def sums_in(text: str) -> set[str]:
    """The amounts of money in a text, in plain form.

    >>> sorted(sums_in("It's $24.50 off, not $30"))
    ['24.50', '30']
    """
    return set(SUM.findall(plain(text)))


def days_in(text: str) -> set[tuple[int, int]]:
    """The days that a plain text or a fact names, as pairs of month and day."""
    stated = day_of(text)
    if stated is not None:
        return {(stated.month, stated.day)}
    found = set()
    for form in DATES:
        for match in form.finditer(text):
            named = match.group("month")
            found.add((_month(named), int(match.group("day"))))
    return found


def hours_in(text: str) -> set[str]:
    """The hours of the clock that a text names, without the half of the day.

    >>> sorted(hours_in("9 AM or 2:30 p.m."))
    ['2:30', '9:00']
    """
    return {f"{hour}:{minutes or '00'}" for hour, minutes in HOUR.findall(text.casefold())}


def hours_of(time: str) -> set[str]:
    """The hours of a fact, `between 9 AM and noon`: all its numbers, and noon.

    >>> sorted(hours_of("between 8 and 11 AM"))
    ['11:00', '8:00']
    """
    hours = {f"{hour}:{minutes or '00'}" for hour, minutes in CLOCK.findall(time)}
    return hours | {"12:00"} if "noon" in time else hours


def _month(named: str) -> int:
    """The number of a month that is named by its name or its number."""
    if named.isdecimal():
        return int(named)
    for number, names in enumerate(MONTH_NAMES, 1):
        if named in names:
            return number
    return 0


def _other_span(statement: Statement, text: str, before: Sequence[Statement]) -> str:
    """Why a span of time is wrong on the day; "" where it isn't."""
    if not statement.ago:
        return ""
    if statement.by_customer:
        return _longer_than_had(statement, text)
    for sentence in SENTENCE.split(text):
        for found in AGO.finditer(sentence):
            dates_talk = _dates_talk(sentence, found)
            true = _spans_since(statement, before) if dates_talk else [statement.ago]
            if true and not any(_alike(found.group(), span) for span in true):
                return f"says {found.group()}, and it was {true[0]}"
    return ""


def _dates_talk(sentence: str, span: re.Match[str]) -> bool:
    """Whether a span dates something that was said: `you wrote to us four weeks ago`.

    The word next before it tells, or where none stands there, the next one behind it. A sentence
    without such a word dates the order.
    """
    kinds = []
    for form in (SAID, ORDERED):
        for found in form.finditer(sentence):
            behind = found.start() > span.start()
            kinds.append((behind, abs(found.start() - span.start()), form is SAID))
    return min(kinds)[2] if kinds else False


def _spans_since(statement: Statement, before: Sequence[Statement]) -> list[str]:
    """How long ago each earlier turn was, the latest first; none where no moment is known."""
    spans = []
    for earlier in reversed(before):
        if statement.moment and earlier.moment:
            since = datetime.fromisoformat(earlier.moment)
            spans.append(f"{(datetime.fromisoformat(statement.moment) - since).days} days ago")
    return spans


def _longer_than_had(statement: Statement, text: str) -> str:
    """Why a customer can't have had something for as long as they say; "" where they can."""
    right = days_of(statement.ago)
    for form in (HELD, GONE_BY):
        for found in form.finditer(text):
            said = days_of(found.group(1))
            if said and right is not None and said > right + max(ROUNDING * right, LEAST_ROUNDING):
                return f"says {found.group()}, and it was bought {statement.ago}"
    return ""


def _alike(said: str, true: str) -> bool:
    """Whether two spans are the same but for rounding; true where one can't be read."""
    days, right = days_of(said), days_of(true)
    if days is None or right is None:
        return True
    return abs(days - right) <= max(ROUNDING * right, LEAST_ROUNDING)


def days_of(span: str) -> float | None:
    """How many days a span is: `two weeks ago` is 14; None for what is none.

    >>> days_of("three days ago")
    3.0
    """
    found = SPAN.search(plain(span))
    if found is None:
        return None
    number = _number(found.group(1))
    return None if number is None else number * DAYS[found.group(2)]


def _number(word: str) -> float | None:
    if word in ("a", "an"):
        return 1.0
    if word.isdecimal():
        return float(word)
    return float(SMALL_NUMBERS.index(word)) if word in SMALL_NUMBERS else None


def sign_marks(
    signs: Iterable[tuple[str, str]], marks: Mapping[str, Mapping[str, Marks]]
) -> dict[str, SignMarks]:
    """The marks of each sign with its true value, from the marks of all values of all signs."""
    found = {}
    for sign, value in signs:
        known = dict(marks.get(sign, {}))
        own = known.pop(value, ())
        if own:
            found[sign] = SignMarks(value, own, known)
    return found
