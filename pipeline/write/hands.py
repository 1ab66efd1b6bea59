"""How far each person's habits at the keys go: nobody is either tidy or careless throughout.

A habit that a fact names, such as `small letters`, is an inclination. How often it shows, which of
its neighbors come with it, and what a phone mends of it are one person's, the same in all their
texts. Knows no texts and no cases; what is lost is taken out by `pipeline.write.haste`.
"""

import random
from functools import lru_cache

from pipeline.write.haste import (
    APOSTROPHES,
    COMMAS,
    CONFUSED,
    DAYS,
    FIRSTS,
    LAST_STOP,
    NAMES,
    PRONOUNS,
    STOPS,
    Haste,
    haste_of,
)

Reach = tuple[float, float]
"""The least and the most of a share."""

SMALL, LAST_LOST, SHORTENS = "small letters", "last stops", "short words"
ERRING_HABIT, APOSTROPHES_LOST = "errors", "apostrophes"
"""The inclinations that a hand has."""

# Whoever types small letters on a phone has switched its capitals off: half of them have left the
# corrections on, which bring back "I'm", "don't" and "Tuesday". The rest mend nothing, and so it is
# with who leaves out apostrophes. By eye, after chats of shops and service desks.
LEFT_ON = 0.5
# How often each sign is lost by who types small letters: what a phone mends, and what none does.
MENDED: dict[str, Reach] = {
    FIRSTS: (0.7, 0.97),
    PRONOUNS: (0.0, 0.25),
    NAMES: (0.35, 0.9),
    DAYS: (0.0, 0.12),
    APOSTROPHES: (0.0, 0.08),
}
UNMENDED: dict[str, Reach] = {
    FIRSTS: (0.85, 1.0),
    PRONOUNS: (0.85, 1.0),
    NAMES: (0.75, 1.0),
    DAYS: (0.6, 1.0),
    APOSTROPHES: (0.25, 0.9),
}
# They lose most commas, and run sentences together now and then, most of them with nothing between.
GOES_ON = {", ": 0.35, " ": 0.47, "... ": 0.18}
# The stop at the end of a chat line, lost by who types small letters, by who has the habit, and by
# half of all others, as sending the line ends it; in a mail far less often.
SMALL_LOST: dict[str, Reach] = {COMMAS: (0.5, 0.98), STOPS: (0.12, 0.6), LAST_STOP: (0.75, 1.0)}
USUAL_LAST: Reach = (0.6, 1.0)
LIGHT_LAST: Reach = (0.1, 0.6)
IN_MAIL = 0.45
# Half of the others have a light habit: a comma less, or no stop. By eye.
LIGHT = 0.5
LIGHT_COMMAS: Reach = (0.1, 0.5)
# Who leaves out apostrophes does so mostly, and misses other signs, too.
NO_APOSTROPHES: Reach = (0.6, 0.95)
WITH_APOSTROPHES: dict[str, Reach] = {
    COMMAS: (0.3, 0.85),
    STOPS: (0.05, 0.3),
    LAST_STOP: (0.3, 0.9),
}
# What no phone corrects as it is a word, "its" for "it's": so many of the careless write each. Who
# errs has habits of their own.
CONFUSES = 0.16
# What people shorten who do, how many of them each word, and how often they do so is the writer's.
SHORT = {
    "please": ("pls", 0.6),
    "thanks": ("thx", 0.55),
    "because": ("bc", 0.4),
    "tomorrow": ("tmrw", 0.4),
    "though": ("tho", 0.4),
    "probably": ("prob", 0.4),
    "minutes": ("min", 0.5),
    "okay": ("ok", 0.9),
    "people": ("ppl", 0.3),
    "you": ("u", 0.3),
}
# Who writes "u" writes "ur", too.
WITH_YOU = ("your", "ur")
# How many count in figures, of who types small letters and of the others.
FIGURES = (0.75, 0.3)
# How many double a question mark now and then, and how often.
INSISTS, OFTEN_INSISTS = 0.08, 0.2
# How likely a word is mistyped and left so: by who errs, by who is careless, by others. Hurried
# typists on phones leave 2.3 % (Palin et al. 2019); to a company people write with more care,
# and mails are read once more.
ERRING: Reach = (0.01, 0.026)
CARELESS: Reach = (0.001, 0.01)
TIDY: Reach = (0.0, 0.001)
MAIL_SLIPS = 0.65

# Agents type fast, too: some leave out the stop of a short line in a chat, a few begin one small.
# One slip in a thousand words is left in chats, hardly any in mails. Formal ones are tidy.
AGENT_LAST, AGENT_LAST_SPAN = 0.5, (0.35, 0.95)
AGENT_SMALL, AGENT_SMALL_SPAN = 0.14, (0.05, 0.3)
AGENT_APOSTROPHES, AGENT_APOSTROPHES_SPAN = 0.25, (0.03, 0.15)
AGENT_SLIPS, AGENT_SLIPS_SPAN = 0.45, (0.001, 0.004)
AGENT_MAIL_SLIPS = 0.01


@lru_cache(maxsize=4096)
def hand_of(person: str, habits: frozenset[str], on_phone: bool, in_mail: bool) -> Haste:
    """How a customer of these inclinations types on this device, always the same."""
    rng = random.Random(f"hand|{person}")
    small, drops = SMALL in habits, APOSTROPHES_LOST in habits
    careless = small or drops or SHORTENS in habits
    errs = ERRING_HABIT in habits
    # All is drawn for everybody, so that no habit changes another one.
    mended = rng.random() < LEFT_ON
    mended = on_phone and (mended or not (small or drops))
    lost = _lost(rng, habits, mended)
    if in_mail and LAST_STOP in lost:
        lost[LAST_STOP] *= IN_MAIL
    goes_on, short, confused = _goes_on(rng), _short(rng), _confused(rng)
    counts, insists, slips = rng.random(), rng.random(), rng.random()
    likely = ERRING if errs else CARELESS if careless else TIDY
    hand = Haste(
        lost,
        goes_on,
        confused=confused if careless else {},
        short=short if SHORTENS in habits else {},
        figures=counts < FIGURES[0 if small else 1],
        insists=OFTEN_INSISTS if insists < INSISTS else 0.0,
        slips=_within(likely, slips) * (MAIL_SLIPS if in_mail else 1.0),
        mended=mended,
    )
    return _joined(hand, haste_of(person)) if errs else hand


def _lost(rng: random.Random, habits: frozenset[str], mended: bool) -> dict[str, float]:
    """How often each sign is lost in a chat, by one person's inclinations or a light habit."""
    point = {kind: rng.random() for kind in (*UNMENDED, COMMAS, STOPS, LAST_STOP)}
    light_comma, light_last = rng.random() < LIGHT, rng.random() < LIGHT
    spans: dict[str, Reach] = {}
    if light_comma:
        spans[COMMAS] = LIGHT_COMMAS
    if light_last:
        spans[LAST_STOP] = LIGHT_LAST
    if APOSTROPHES_LOST in habits:
        spans |= WITH_APOSTROPHES
    if LAST_LOST in habits:
        spans[LAST_STOP] = USUAL_LAST
    if SMALL in habits:
        spans |= (MENDED if mended else UNMENDED) | SMALL_LOST
    if APOSTROPHES_LOST in habits and not mended:
        spans[APOSTROPHES] = NO_APOSTROPHES
    return {kind: _within(span, point[kind]) for kind, span in spans.items()}


@lru_cache(maxsize=1024)
def agent_hand(person: str, formal: bool) -> Haste:
    """How an agent types in chats, always the same; who is formal minds capitals and stops."""
    rng = random.Random(f"hand|agent|{person}")
    habits = (
        (LAST_STOP, AGENT_LAST, AGENT_LAST_SPAN),
        (FIRSTS, AGENT_SMALL, AGENT_SMALL_SPAN),
        (APOSTROPHES, AGENT_APOSTROPHES, AGENT_APOSTROPHES_SPAN),
    )
    lost = {}
    for kind, share, span in habits:
        has, often = rng.random() < share, _within(span, rng.random())
        if has and not formal:
            lost[kind] = often
    errs, often = rng.random() < AGENT_SLIPS, _within(AGENT_SLIPS_SPAN, rng.random())
    return Haste(lost, slips=often if errs else 0.0)


def _joined(hand: Haste, careless: Haste) -> Haste:
    """The habits of a hand with those of somebody careless: of both, the one that goes further."""
    lost = dict(hand.lost)
    for kind, often in careless.lost.items():
        lost[kind] = max(often, lost.get(kind, 0.0))
    return Haste(
        lost,
        hand.goes_on if STOPS in hand.lost else careless.goes_on,
        careless.spelt,
        careless.confused,
        hand.short,
        hand.figures,
        hand.insists,
        hand.slips,
        hand.mended,
    )


def _goes_on(rng: random.Random) -> str:
    return rng.choices(list(GOES_ON), list(GOES_ON.values()))[0]


def _confused(rng: random.Random) -> dict[str, str]:
    """What one person writes for a word that sounds like it."""
    return {right: other for right, other in CONFUSED.items() if rng.random() < CONFUSES}


def _short(rng: random.Random) -> dict[str, str]:
    """What one person shortens; all are drawn, so that one more word changes no other."""
    short = {word: form for word, (form, share) in SHORT.items() if rng.random() < share}
    if "you" in short:
        word, form = WITH_YOU
        short[word] = form
    return short


def _within(span: Reach, point: float) -> float:
    least, most = span
    return least + (most - least) * point
