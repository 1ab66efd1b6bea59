"""CustomerVoice: how each customer writes, and what they know when they write.

It draws `customers` (the device at hand, habits of typing, greeting and closing, how exact they
are, whether they tell whole stories, how they chat; the same through all their cases) and `cases`
(the device of that day, how they name the product and the day of the purchase, whether they have
the order's number, name a wish, or mention an earlier case).
It is drawn from Household (ages and devices), ComplaintHabit (cases, tones, verbosity) and
CaseLinks (earlier cases).
It drives the words of customers: the first mail, the mails, the chats. The words for the product
are those of ProductNaming, since products' names are written and nothing here waits for them.
"""

import sqlite3
from collections.abc import Mapping

import numpy as np

from latent.draws import exactly, labels
from latent.elapsed import DAYS_A_YEAR
from latent.naming import FULL, KIND, SHORT, VAGUE
from latent.statistics import correlation, shares
from latent.variable import Effect
from pipeline.world.org import Org
from pipeline.world.streams import Stream
from pipeline.world.tables import NONE, Array, Table, strings, table
from verifiers.transcript import CUSTOMER, chat_lines

# From this age on habits are those of older people altogether, up to that age those of younger
# ones; between both they change evenly. Chosen by eye.
YOUNG = 24
OLD = 66

# How many have each habit, at both ends of that scale: (young, old). Chosen by eye after what chats
# and mails to service desks look like: three in ten customers type without capitals, most of them
# young and on a phone; hardly anybody uses smileys with a company. How far each habit goes is its
# writer's, see `pipeline.write.hands`.
SMALL_LETTERS = (0.58, 0.04)
# Who writes by phone alone is twice as likely to type without capitals as who has a keyboard.
ON_COMPUTER, BY_PHONE = 0.6, 0.6
NO_FINAL_STOPS = (0.7, 0.15)
ABBREVIATES = (0.4, 0.05)
SMILEYS = (0.16, 0.04)
# Most people make few errors, and mend what they see before they send it.
ERRS = (0.34, 0.26)
CORRECTS = (0.55, 0.35)

# A sixth of the young leave out apostrophes; of the angry, one in four gets loud. Chosen by eye.
NO_APOSTROPHES = (0.24, 0.04)
SHOUTS = (0.22, 0.28)

# Words a minute: 38 on a phone and 44 at a keyboard (Palin et al. 2019 measured 36 and 52 of all
# ages), a third less in old age.
ON_PHONE = 40.0
AT_KEYBOARD = 48.0
SLOWER_WHEN_OLD = 0.36
TYPING_SPREAD = 6.0
SLOWEST = 15.0
FASTEST = 60.0

# The share of chat turns that are sent in two or three lines: beta, more among the young.
DOUBLES_SHAPE = (2.0, 4.0)
DOUBLES_YOUNG = 0.18

# How letters begin and end, by eye after mails to service desks.
GREETINGS = {
    "hello": 0.3,
    "hi": 0.38,
    "dear": 0.12,
    "none": 0.2,
}
CLOSINGS = {
    "full": 0.22,
    "first": 0.4,
    "thanks": 0.26,
    "none": 0.12,
}

# Exactness (beta, from 0 to 1) says how likely somebody has papers at hand. It decides how the
# product and the day are told: the weights are (of the least exact, of the most exact). By eye:
# hardly anybody tells a day unasked, and what people own is a kind of thing to them, not a brand.
EXACTNESS_SHAPE = (1.4, 1.9)
NAMINGS = {
    FULL: (0.01, 0.14),
    SHORT: (0.12, 0.3),
    KIND: (0.52, 0.46),
    VAGUE: (0.35, 0.1),
}
DATINGS = {
    "exact": (0.01, 0.09),
    "rough": (0.05, 0.08),
    "none": (0.94, 0.83),
}
HAS_NUMBER = (0.2, 0.75)

# Who is angry or annoyed says what they want sooner than others; most people just tell what is
# wrong. Chosen by eye.
NAMES_WISH = {
    "angry": 0.5,
    "annoyed": 0.42,
    "worried": 0.25,
    "calm": 0.3,
    "friendly": 0.25,
}
# Hardly anybody who wrote before says so: it was about something else. Chosen by eye.
MENTIONS = 0.08

# A few people write to a desk as one used to write letters: so many, the oldest ten times as likely
# as the youngest. Chosen by eye.
WRITE_LETTERS = 0.008
YOUNG_LETTERS = 0.1
OLD_LETTERS = 1.0

HABITS = {
    "small_letters": "small letters",
    "no_final_stops": "no final stops",
    "abbreviates": "abbreviations",
    "smileys": "smileys",
    "errs": "typing errors",
    "corrects": "mends them in a second line",
    "no_apostrophes": "no apostrophes",
    "shouts": "capitals and double marks when angry",
}
"""What a customer's manner names, by the column that says whether they have the habit."""

SMALL_AND_CHATS = """
    SELECT v.small_letters, t.Body
    FROM LiveChatTranscript t
    JOIN latent."CustomerVoice.customers" v ON v.Id = t.AccountId
    WHERE t.Body IS NOT NULL
"""
AGE_AND_CHATS = """
    SELECT julianday(h.born), t.Body
    FROM LiveChatTranscript t
    JOIN latent."Household.customers" h ON h.Id = t.AccountId
    WHERE t.Body IS NOT NULL
"""


class CustomerVoice:
    """Customers' ways of writing."""

    name = "CustomerVoice"
    reads: tuple[str, ...] = (
        "Household",
        "ComplaintHabit",
        "CaseLinks",
    )
    tables: Mapping[str, tuple[str, ...]] = {
        "customers": (
            "Id",
            "device",
            "small_letters",
            "no_final_stops",
            "abbreviates",
            "smileys",
            "errs",
            "corrects",
            "no_apostrophes",
            "shouts",
            "greeting",
            "closing",
            "exactness",
            "verbosity",
            "letters",
            "doubles",
            "typing",
            "manner",
        ),
        "cases": (
            "Id",
            "device",
            "naming",
            "naming_point",
            "dating",
            "knows_order",
            "wants",
            "mentions_before",
            "manner",
        ),
    }
    drives = ("Case.Description", "EmailMessage.TextBody", "LiveChatTranscript.Body")
    references: Mapping[str, str] = {}

    def draw(self, org: Org) -> tuple[Table, ...]:
        """One way of writing for each customer, and what each case's customer knows."""
        customers = _customers(org)
        return customers, _cases(org, customers)

    def effects(self, org: sqlite3.Connection) -> tuple[Effect, ...]:
        """Small letters in chats, by the habit and by the customer's age."""
        typed = _typed_small(org.execute(SMALL_AND_CHATS).fetchall())
        ages = _typed_small(org.execute(AGE_AND_CHATS).fetchall())
        habit = [(known, small > 0.5) for known, small in typed]
        return (
            shares(self.name, "who types in small letters does so in every chat", habit),
            correlation(self.name, "younger customers begin lines in small letters", ages),
        )


def _typed_small(rows: list[tuple[float, str]]) -> list[tuple[float, float]]:
    """Each row's number, and the share of the customer's chat lines that begin in a small letter.

    Chats without a customer's line are left out.
    """
    shown = []
    for number, body in rows:
        said = [line.text for line in chat_lines(str(body)) or [] if line.role == CUSTOMER]
        if said:
            shown.append((number, sum(text[0].islower() for text in said) / len(said)))
    return shown


def _customers(org: Org) -> Table:
    rng = org.setting.stream("CustomerVoice", "customers")
    household = org.table("Household.customers")
    age = (org.setting.last_day - household["born"]).astype(float) / DAYS_A_YEAR
    oldness = np.clip((age - YOUNG) / (OLD - YOUNG), 0, 1)
    phone = household["by_phone"]
    habits = _habits(rng, oldness, phone) | _temper(org, oldness)
    keyboard = np.where(rng.random(len(age)) < phone, ON_PHONE, AT_KEYBOARD)
    typing = keyboard * (1 - SLOWER_WHEN_OLD * oldness) + rng.normal(0, TYPING_SPREAD, len(age))
    doubles = rng.beta(*DOUBLES_SHAPE, size=len(age)) + DOUBLES_YOUNG * (1 - oldness)
    return table(
        "CustomerVoice.customers",
        {"Id": "Account"},
        Id=np.arange(len(age)),
        device=_device(org, np.zeros(len(age)), np.arange(len(age))),
        **habits,
        greeting=labels(rng, GREETINGS, len(age)),
        closing=labels(rng, CLOSINGS, len(age)),
        exactness=np.round(rng.beta(*EXACTNESS_SHAPE, size=len(age)), 3),
        verbosity=org.table("ComplaintHabit.customers")["verbosity"],
        letters=_writes_letters(org, oldness),
        doubles=np.round(np.minimum(doubles, 1.0), 3),
        typing=np.round(np.clip(typing, SLOWEST, FASTEST), 1),
        manner=strings(_manners(habits)),
    )


def _writes_letters(org: Org, oldness: Array) -> Array:
    """Who tells a desk the whole story; a stream of its own, so that other habits stay."""
    rng = org.setting.stream("CustomerVoice", "letters")
    wanted = max(round(WRITE_LETTERS * len(oldness)), 1)
    likely = _share((YOUNG_LETTERS, OLD_LETTERS), oldness)
    return np.isin(np.arange(len(oldness)), exactly(rng, likely, wanted))


def _habits(rng: Stream, oldness: Array, phone: Array) -> dict[str, Array]:
    """Whether each customer has each of HABITS; capitals cost a second key on a phone only."""
    size = len(oldness)
    small = _share(SMALL_LETTERS, oldness) * (ON_COMPUTER + BY_PHONE * phone)
    errs = rng.random(size) < _share(ERRS, oldness)
    return {
        "small_letters": rng.random(size) < small,
        "no_final_stops": rng.random(size) < _share(NO_FINAL_STOPS, oldness),
        "abbreviates": rng.random(size) < _share(ABBREVIATES, oldness),
        "smileys": rng.random(size) < _share(SMILEYS, oldness),
        "errs": errs,
        "corrects": errs & (rng.random(size) < _share(CORRECTS, oldness)),
    }


def _temper(org: Org, oldness: Array) -> dict[str, Array]:
    """Who leaves out apostrophes and who gets loud; a stream of its own, as other habits stay."""
    rng = org.setting.stream("CustomerVoice", "temper")
    size = len(oldness)
    return {
        "no_apostrophes": rng.random(size) < _share(NO_APOSTROPHES, oldness),
        "shouts": rng.random(size) < _share(SHOUTS, oldness),
    }


def _share(ends: tuple[float, float], place: Array) -> Array:
    """A share for each place between 0 (the first end) and 1 (the second)."""
    return np.asarray(ends[0] + (ends[1] - ends[0]) * place)


def _manners(habits: Mapping[str, Array]) -> list[str]:
    """The habits of each customer in words: `small letters, no final stops`."""
    manners = []
    for row in range(len(habits["errs"])):
        named = [words for column, words in HABITS.items() if habits[column][row]]
        manners.append(", ".join(named))
    return manners


def _cases(org: Org, customers: Table) -> Table:
    rng = org.setting.stream("CustomerVoice", "cases")
    cases = org.table("ComplaintHabit.cases")
    account = cases["account"]
    exactness = customers["exactness"][account]
    naming = _by_exactness(rng, NAMINGS, exactness)
    # Who types without capitals doesn't type a name of the catalog with all of its own.
    small = customers["small_letters"][account].astype(bool)
    naming = np.where((naming == FULL) & small, SHORT, naming)
    wish = np.array([NAMES_WISH[str(tone)] for tone in cases["tone"]], dtype=float)
    links = org.table("CaseLinks.cases")["before"]
    # Whoever comes back to the same thing has no other matter to tell of.
    before = (links != NONE) & (cases["item"][links] != cases["item"])
    return table(
        "CustomerVoice.cases",
        {"Id": "Case"},
        Id=np.arange(cases.size),
        device=_device(org, rng.random(cases.size), account),
        naming=naming,
        naming_point=_of_first(account, np.round(rng.random(cases.size), 3)),
        dating=_by_exactness(rng, DATINGS, exactness),
        knows_order=rng.random(cases.size) < _share(HAS_NUMBER, exactness),
        wants=rng.random(cases.size) < wish,
        mentions_before=before & (rng.random(cases.size) < MENTIONS),
        manner=customers["manner"][account],
    )


def _of_first(account: Array, points: Array) -> Array:
    """The point of each customer's first case, for all of their cases: a habit stays."""
    _, first, customer = np.unique(account, return_index=True, return_inverse=True)
    return np.asarray(points[first][customer])


def _by_exactness(rng: Stream, ways: Mapping[str, tuple[float, float]], exactness: Array) -> Array:
    """One of the ways for each case, with the weights that its customer's exactness gives."""
    names = np.array(list(ways), dtype=object)
    weights = np.stack([_share(ends, exactness) for ends in ways.values()], axis=1)
    bounds = np.cumsum(weights, axis=1)
    point = rng.random(len(exactness)) * bounds[:, -1]
    return np.asarray(names[(point[:, None] > bounds).sum(axis=1)], dtype=object)


def _device(org: Org, points: Array, accounts: Array) -> Array:
    """The platform of the device at hand: the one most used at point 0, others beyond its share."""
    owned: dict[int, list[tuple[float, str]]] = {}
    devices = org.table("Household.devices")
    columns = (devices["account"].tolist(), devices["use"].tolist(), devices["platform"])
    for account, use, platform in zip(*columns, strict=True):
        owned.setdefault(account, []).append((use, str(platform)))
    chosen = []
    for account, point in zip(accounts.tolist(), points.tolist(), strict=True):
        most_used_first = sorted(owned[account], reverse=True)
        total = sum(use for use, _ in most_used_first)
        usual = most_used_first[0][0] >= point * total
        chosen.append(most_used_first[0 if usual else -1][1])
    return strings(chosen)
