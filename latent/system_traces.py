"""SystemTraces: what the mail system and the chat window add to what people write.

It draws `messages` (one a mail: the block below an agent's name, the line of a phone, which mail is
quoted below, a notice that was sent before, prefix and token of the subject, a copy) and `chats`
(what the window says at the beginning and the end, and which files came).
It is drawn from CaseStory (who wrote when), CustomerVoice and Household (devices), Reopening (what
was closed before), AttachmentHabit (files), Workforce (time zones) and the trade's figures and
texts.
It drives the text, the subject and the copies of mails, and the lines of the system in chats.
It knows no words that people write.
"""

import re
import sqlite3
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from zoneinfo import ZoneInfo

import numpy as np

from latent.dialogue import AGENT
from latent.local_time import to_local
from latent.statistics import shares
from latent.variable import Effect
from latent.workers import SERVICE_KINDS
from latent.workforce import integration_user
from pipeline.world.org import Org
from pipeline.world.streams import Stream
from pipeline.world.tables import NONE, Array, Table, objects, strings, table
from schemas.traces import TraceFigures

# The line that a mail program on a device adds; who has switched it off has done so for good.
DEVICE_LINES = {
    "iOS": "Sent from my iPhone",
    "Android": "Get Outlook for Android",
}
OTHER_ANDROID_LINE = "Sent from my Galaxy"
GALAXY = 0.6  # of those with Android, by eye

# How a program on each platform quotes: Apple's Mail, Gmail and its like, or Outlook, which some of
# those with Windows or Android use for mails (chosen by eye).
APPLE = "apple"
GMAIL = "gmail"
OUTLOOK = "outlook"
DESK = "desk"
PROGRAMS = {
    "iOS": APPLE,
    "macOS": APPLE,
}
OUTLOOK_FROM = {
    "Windows": 0.4,
    "Android": GALAXY,
}

AMERICAN_ZONE = re.compile("[A-Z]ST")
"""How a time zone of America is called in winter; people say `ET` in all seasons."""

# Most agents keep the desk's block; the others have chosen another one. Chosen by eye.
FIRST_SIGNATURE = 0.7

# Nobody can tell a second mail from an answer but by what it quotes: who writes again before
# anybody has answered mostly begins a new one, and replies to the acknowledgement in few cases: a
# quote of what isn't in the thread sends its readers looking for it. Chosen by eye.
QUOTES_ACKNOWLEDGEMENT = 0.1
# Who comes back after a closing mostly answers what the agent wrote, and in few cases the notice
# that closed it, for the same reason. By eye.
QUOTES_CLOSING = 0.3
ACKNOWLEDGED_AFTER = np.timedelta64(40, "s")

# Who quotes does so in most mails, not in each; long quotes are cut below a few lines by some
# programs, or by hand. Chosen by eye.
QUOTES_THIS_TIME = 0.75
CUT = 0.2
LINES_LEFT = 3
ALL_LINES = 60

# How chats end beside a farewell: the visitor leaves, or the agent closes. By eye. Where a visitor
# has fallen silent, the window closes by itself.
LEFT = 0.5
ASKS_WHICH = frozenset({"a.ask_order", "a.wrong", "a.identify", "a.remind"})
"""Acts that ask which order, or who, a mail is about, or wait for the answer to that."""
TYPES_ORDER = "c.order"
ASKS_WHO = "a.identify"
SIGNED_IN = "a.signed_in"
GONE = "a.gone"
CLOSING = "a.closing"
OPEN_ENDED = (
    *(GONE, "a.offer", "a.alternative", "option.would"),
    *("a.ask_wish", "a.else", "issue.ask"),
)
"""Acts behind which an answer is waited for."""

PLACES = (
    "family",
    "work",
    "home",
    "office",
)

DEVICES_AND_LINES = """
    SELECT v.device IN ('iOS', 'Android'), m.TextBody LIKE '%Sent from my %'
        OR m.TextBody LIKE '%Get Outlook for %'
    FROM EmailMessage m
    JOIN latent."CustomerVoice.cases" v ON v.Id = m.ParentId
    WHERE m.Incoming
"""


class SystemTraces:
    """What no person wrote."""

    name = "SystemTraces"
    reads: tuple[str, ...] = (
        "CaseStory",
        "CustomerVoice",
        "Household",
        "Reopening",
        "AttachmentHabit",
        "ComplaintHabit",
        "Workforce",
    )
    tables: Mapping[str, tuple[str, ...]] = {
        "messages": (
            "signature",
            "reference",
            "disclaimer",
            "device_line",
            "quotes",
            "lines",
            "quoted",
            "quoted_at",
            "notice",
            "files",
            "prefix",
            "token_head",
            "token_case",
            "creator",
            "token_tail",
            "copy",
            "hours",
            "hotline",
        ),
        "chats": ("form", "window", "ending", "survey", "files", "order"),
    }
    drives = ("EmailMessage", "LiveChatTranscript.Body")
    references: Mapping[str, str] = {"order": "Order", "token_case": "Case", "creator": "User"}

    def draw(self, org: Org) -> tuple[Table, ...]:
        """A row for each mail and each chat, in the order of CaseStory's."""
        return _messages(org), _chats(org)

    def effects(self, org: sqlite3.Connection) -> tuple[Effect, ...]:
        """Lines of phones stand in mails from phones."""
        rows = org.execute(DEVICES_AND_LINES).fetchall()
        return (shares(self.name, "mails from phones say so", rows),)


@dataclass(frozen=True, slots=True)
class MailSenders:
    """Who sent each mail and with what: a row a mail.

    `account` is NONE for strangers, `taste` a number from 0 to 1 that each customer keeps, and
    `ours` says where a customer of ours wrote.
    """

    incoming: Array
    ours: Array
    account: Array
    agent: Array
    device: Array
    taste: Array
    program: Array


def _messages(org: Org) -> Table:
    """`SystemTraces.messages`; the draws are of one stream, so their order must stay."""
    figures = org.setting.world.trade.contact.traces
    rng = org.setting.stream("SystemTraces", "messages")
    mails = org.table("CaseStory.messages")
    cases = org.table("CaseStory.cases")
    size = mails.size
    senders = _senders(rng, org)
    quotes = _quoting_programs(rng, org, senders, figures)
    lines = _lines_of_devices(rng, org, senders, figures)
    signed = ~senders.incoming & (rng.random(size) < figures.signed)
    habits = rng.random(org.setting.count("User"))
    is_cut = rng.random(size) < CUT
    columns = {
        "signature": strings(_signatures(figures, habits[senders.agent], signed)),
        "reference": strings(_references(mails, cases["about"], figures)),
        "disclaimer": _said_where(~senders.incoming, figures.disclaimer),
        "device_line": lines.astype(object),
        "quotes": quotes.astype(object),
        "lines": np.where(is_cut, LINES_LEFT, ALL_LINES),
        "files": strings(_files_of_mails(org)),
        "prefix": _prefixes(mails, senders.incoming & (senders.program == OUTLOOK)),
        "copy": _copies(org, rng, senders.account, senders.ours, figures),
    }
    columns |= _of_the_desk(org, size)
    columns |= _quoted(org, rng.random(size), figures)
    columns |= _tokens(mails, figures)
    # What customers send is put into the CRM by the mail system, what agents send by themselves.
    columns["creator"] = np.where(senders.incoming, integration_user(org), senders.agent)
    references = {"token_case": "Case", "creator": "User"}
    return table("SystemTraces.messages", references, **columns)


def _senders(rng: Stream, org: Org) -> MailSenders:
    mails = org.table("CaseStory.messages")
    case = mails["case"]
    account = org.table("CaseStory.cases")["account"][case]
    device = org.table("CustomerVoice.cases")["device"][case]
    taste = rng.random(org.table("Household.customers").size)[account]
    incoming = mails["incoming"].astype(bool)
    return MailSenders(
        incoming=incoming,
        # Strangers write from systems of their own, which leave no trace that is known here.
        ours=incoming & (account != NONE),
        account=account,
        agent=mails["agent"],
        device=device,
        taste=taste,
        program=_programs(device, taste),
    )


def _quoting_programs(rng: Stream, org: Org, senders: MailSenders, figures: TraceFigures) -> Array:
    """The program whose form a mail quotes in; "" where it quotes nothing."""
    this_time = rng.random(len(senders.incoming)) < QUOTES_THIS_TIME
    customers = rng.random(org.table("Household.customers").size)
    quotes_at_all = customers[senders.account] < figures.quoted
    desk_quotes = rng.random(org.setting.count("User"))[senders.agent] < figures.desk_quoted
    by_customer = np.where(this_time & quotes_at_all & senders.ours, senders.program, "")
    by_desk = np.where(this_time & desk_quotes, DESK, "")
    return np.where(senders.incoming, by_customer, by_desk)


def _lines_of_devices(rng: Stream, org: Org, senders: MailSenders, figures: TraceFigures) -> Array:
    """The line that a device adds below a customer's mail; "" where it adds none."""
    mails = org.table("CaseStory.messages")
    customers = rng.random(org.table("Household.customers").size)
    shows_device = senders.ours & (customers[senders.account] < figures.device_lines)
    # A web form is filled in on a page, whatever the device.
    by_form = org.table("CaseStory.cases")["by_form"][mails["case"]].astype(bool)
    shows_device &= ~(by_form & mails["first"].astype(bool))
    return np.where(shows_device, _device_lines(senders.device, senders.taste), "")


def _programs(device: Array, points: Array) -> Array:
    """How the mail program on each device quotes."""
    known = np.array([PROGRAMS.get(str(name), GMAIL) for name in device], dtype=object)
    least = np.array([OUTLOOK_FROM.get(str(name), 2.0) for name in device])
    return np.where(points >= least, OUTLOOK, known)


def _device_lines(device: Array, points: Array) -> Array:
    """What a phone adds; nothing on a computer."""
    lines = np.array([DEVICE_LINES.get(str(name), "") for name in device], dtype=object)
    return np.where((device == "Android") & (points < GALAXY), OTHER_ANDROID_LINE, lines)


def _signatures(figures: TraceFigures, points: Array, signed: Array) -> list[str]:
    """The block of each mail's agent; nothing in the mails that have none."""
    others = figures.signatures[1:]
    texts = []
    for point, has in zip(points.tolist(), signed.tolist(), strict=True):
        text = figures.signatures[0]
        if point >= FIRST_SIGNATURE and others:
            place = (point - FIRST_SIGNATURE) / (1 - FIRST_SIGNATURE)
            text = others[int(place * len(others))]
        texts.append(text if has else "")
    return texts


def _references(mails: Table, about: Array, figures: TraceFigures) -> list[str]:
    """What the desk's system writes below the first mail of its own in a thread.

    Nobody has filed a mail under an order that still asks which one it is, unless the desk writes
    no more in that thread.
    """
    seen: set[int] = set()
    texts = []
    cases = mails["case"].tolist()
    incoming = mails["incoming"].tolist()
    last = {case: row for row, case in enumerate(cases) if not incoming[row]}
    for row, (case, beats) in enumerate(zip(cases, mails["beats"], strict=True)):
        text = ""
        asks = ASKS_WHICH.intersection(str(beats).split(",")) and row != last.get(case)
        if not incoming[row] and not asks and case not in seen:
            seen.add(case)
            sold = about[case] != NONE
            text = figures.reference if sold else ""
        texts.append(text)
    return texts


def _prefixes(mails: Table, shouted: Array) -> Array:
    """What stands before each subject; Outlook writes its own in capitals."""
    again = np.where(shouted, "RE: ", "Re: ")
    return np.where(mails["first"].astype(bool), "", again).astype(object)


def _said_where(holds: Array, text: str) -> Array:
    """A text where something holds, "" elsewhere; it is there once, however many rows show it.

    (An array of numpy's own texts takes as much for each row as for the longest of them.)
    """
    return strings(["", text])[holds.astype(np.int64)]


def _tokens(mails: Table, figures: TraceFigures) -> dict[str, Array]:
    """The token behind each subject since the desk's first mail, around the case's number."""
    answered = np.zeros(mails.size, dtype=bool)
    seen: set[int] = set()
    columns = zip(mails["case"].tolist(), mails["incoming"].tolist(), strict=True)
    for row, (case, incoming) in enumerate(columns):
        if not incoming:
            seen.add(case)
        answered[row] = case in seen
    has = answered & bool(figures.token)
    head, _, tail = figures.token.partition("{case_number}")
    return {
        "token_head": np.where(has, f" {head}", "").astype(object),
        "token_case": np.where(has, mails["case"], NONE),
        "token_tail": np.where(has, tail, "").astype(object),
    }


def _copies(org: Org, rng: Stream, account: Array, incoming: Array, figures: TraceFigures) -> Array:
    """The second address to which some customers send copies, none for the others."""
    customers = org.table("Household.customers")
    has = (rng.random(customers.size) < figures.copied)[account] & incoming
    place = rng.integers(len(PLACES), size=customers.size)
    copies = []
    for row in range(len(account)):
        owner = int(account[row])
        name, _, host = str(customers["email"][owner]).partition("@")
        copies.append(f"{name}.{PLACES[place[owner]]}@{host}" if has[row] else None)
    return objects(copies)


def _of_the_desk(org: Org, size: int) -> dict[str, Array]:
    """What is the same below all mails of a company: when somebody is there, and the telephone.

    It is that of the head office; other sites have numbers of their own.
    """
    hotline = org.table("Workforce.sites")["line"][0]
    return {
        "hours": np.full(size, _hours(org), dtype=object),
        "hotline": np.full(size, hotline, dtype=object),
    }


def _hours(org: Org) -> str:
    """When somebody is there, by the clock of the head office: `Mon-Fri 8 AM-8 PM`, or `daily
    7:30-20:00` where the clock has all hours of the day. A desk that works in several time zones
    says whose hours these are: `daily 8 AM-11 PM ET`.
    """
    twelve = org.setting.country.language.twelve_hours
    staff = org.setting.world.trade.staff
    first, last, zone = _open_hours(org)
    span = f"{_hour(first, twelve)}-{_hour(last, twelve)}{zone}"
    if staff.saturday and staff.sunday:
        return f"daily {span}"
    return f"Mon-Sat {span}" if staff.saturday else f"Mon-Fri {span}"


def _open_hours(org: Org) -> tuple[float, float, str]:
    """The first and the last hour of the desk, and the name of the time zone if it needs one."""
    shifts = org.setting.world.trade.staff.shifts
    opens = min(shift.start for shift in shifts)
    closes = max(shift.end for shift in shifts)
    people = org.table("Workforce.people")
    head = str(org.table("Workforce.sites")["zone"][0])
    ahead = (people["start"] - people["start_utc"]).astype(float)
    home = ahead[people["zone"].astype(str) == head]
    serves = np.isin(people["kind"].astype(str), sorted(SERVICE_KINDS))
    away = ahead[serves] - home[0] if len(home) else np.zeros(0)
    if not away.any():
        return opens, closes, ""
    # Who works farther west begins later by the head office's clock.
    first, last = opens - away.max(), closes - away.min()
    short = datetime(2021, 1, 15, tzinfo=ZoneInfo(head)).strftime("%Z")
    generic = f" {short[0]}{short[2]}" if AMERICAN_ZONE.fullmatch(short) else f" {short}"
    return first, last, generic


def _hour(hour: float, twelve: bool) -> str:
    minutes = round(hour % 1 * 60)
    if not twelve:
        return f"{int(hour)}:{minutes:02d}"
    shown = f":{minutes:02d}" if minutes else ""
    return f"{int(hour - 1) % 12 + 1}{shown} {'AM' if hour % 24 < 12 else 'PM'}"


def _quoted(org: Org, points: Array, figures: TraceFigures) -> dict[str, Array]:
    """Which mail of its thread each mail quotes (its place, or NONE), and at what time it was.

    A notice takes the place of a mail: the acknowledgement, or that the case was closed.
    """
    mails = org.table("CaseStory.messages")
    case = mails["case"]
    incoming = mails["incoming"].astype(bool)
    again = ~mails["first"].astype(bool)
    places, rows = _answered(mails)
    reopening = org.table("Reopening.cases")
    closed = reopening["first_closed"][case]
    comes_back = incoming & (mails["at"] == reopening["reopened_at"][case])
    comes_back &= points < QUOTES_CLOSING
    comes_back &= bool(figures.closing)
    alone = incoming & again & (rows == NONE)
    alone &= points < QUOTES_ACKNOWLEDGEMENT
    alone &= bool(figures.acknowledgement)
    created = org.table("CaseStory.cases")["created"][case].astype("datetime64[s]")
    moment = np.where(rows == NONE, created, mails["at"][rows])
    moment = np.where(alone, created + ACKNOWLEDGED_AFTER, moment)
    moment = np.where(comes_back, closed, moment).astype("datetime64[s]")
    notice = _said_where(alone, figures.acknowledgement)
    notice[comes_back] = figures.closing
    return {
        "quoted": np.where(alone | comes_back, NONE, places),
        "quoted_at": to_local(moment, _zones(org, mails)),
        "notice": notice,
    }


def _answered(mails: Table) -> tuple[Array, Array]:
    """Of each mail the one before it that it goes on from: its place in the thread, and its row.

    A customer answers the desk's last mail; the desk's program has the whole thread open, and an
    agent who writes again does so below the own mail.
    """
    places = np.full(mails.size, NONE)
    rows = np.full(mails.size, NONE)
    last: dict[tuple[int, bool], tuple[int, int]] = {}
    place = 0
    before = NONE
    columns = zip(mails["case"].tolist(), mails["incoming"].tolist(), strict=True)
    for row, (case, incoming) in enumerate(columns):
        place = place + 1 if case == before else 0
        before = case
        known = [last[case, side] for side in (True, False) if (case, side) in last]
        answered = last.get((case, False), (NONE, NONE))
        places[row], rows[row] = answered if incoming else max(known, default=(NONE, NONE))
        last[case, bool(incoming)] = (place, row)
    return places, rows


def _zones(org: Org, mails: Table) -> Array:
    """The time zone that each mail's program shows: the customer's own, or the desk's.

    All agents work with one program, whose clock is that of the first site.
    """
    customers = org.table("ComplaintHabit.cases")["zone"][mails["case"]]
    desk = org.table("Workforce.sites")["zone"][0]
    return np.where(mails["incoming"].astype(bool), customers, desk)


def _files_of_mails(org: Org) -> list[str]:
    """The names of the files that came with each mail, one a line."""
    files = org.table("AttachmentHabit.files")
    names: dict[tuple[int, str], list[str]] = {}
    columns = zip(
        files["case"].tolist(),
        files["at"].astype(str),
        files["path"],
        strict=True,
    )
    for case, moment, path in columns:
        names.setdefault((case, moment), []).append(str(path))
    mails = org.table("CaseStory.messages")
    texts = []
    columns = zip(
        mails["case"].tolist(),
        mails["at"].astype(str),
        mails["incoming"],
        strict=True,
    )
    for case, moment, incoming in columns:
        texts.append("\n".join(names.get((case, moment), [])) if incoming else "")
    return texts


def _chats(org: Org) -> Table:
    figures = org.setting.world.trade.contact.traces
    rng = org.setting.stream("SystemTraces", "chats")
    chats = org.table("CaseStory.chats")
    left = rng.random(chats.size) < LEFT
    silent, waits = _fallen_silent(org)
    # Whoever has said their last word to somebody silent ends the chat in the end.
    ending = np.where(left & ~silent, "left", "closed")
    ending = np.where(silent & waits, "idle", ending)
    knows = org.table("CustomerVoice.cases")["knows_order"][chats["case"]]
    order = org.table("CaseStory.cases")["order"][chats["case"]]
    window = "\n".join(f"{name}={text}" for name, text in figures.window.items())
    return table(
        "SystemTraces.chats",
        {"order": "Order"},
        form=(rng.random(chats.size) < figures.form) & ~_says(org, ASKS_WHO)
        | _says(org, SIGNED_IN),
        window=np.full(chats.size, window, dtype=object),
        ending=ending.astype(object),
        survey=rng.random(chats.size) < figures.surveyed,
        files=strings(_files_of_chats(org)),
        order=np.where(knows & ~_says(org, TYPES_ORDER), order, NONE),
    )


def _says(org: Org, named: str) -> Array:
    """Whether somebody says such an act in each chat.

    Who types the order's number in it has not given it in a form, and who is asked who they are
    has not signed in. Who needs not be asked for that reason has.
    """
    lines = org.table("CaseStory.turns")
    size = org.table("CaseStory.chats").size
    said = np.zeros(size, dtype=bool)
    for chat, beats in zip(lines["chat"].tolist(), lines["beats"], strict=True):
        said[chat] |= any(act.startswith(named) for act in str(beats).split(","))
    return said


def _fallen_silent(org: Org) -> tuple[Array, Array]:
    """Whether the customer of each chat said nothing more after the agent asked for them.

    The second column says whether the last line of all waits for an answer.
    """
    lines = org.table("CaseStory.turns")
    size = org.table("CaseStory.chats").size
    silent = np.zeros(size, dtype=bool)
    waits = np.zeros(size, dtype=bool)
    columns = zip(
        lines["chat"].tolist(),
        lines["speaker"],
        lines["beats"],
        strict=True,
    )
    for chat, speaker, beats in columns:
        acts = str(beats).split(",")
        asked = GONE in acts or CLOSING in acts
        silent[chat] = speaker == AGENT and (asked or bool(silent[chat]))
        waits[chat] = speaker == AGENT and any(act.startswith(OPEN_ENDED) for act in acts)
    return silent, waits


def _files_of_chats(org: Org) -> list[str]:
    """The files that came in each chat, one a line: the moment, a blank, the name."""
    files = org.table("AttachmentHabit.files")
    chats = org.table("CaseStory.chats")
    sent: dict[int, list[str]] = {}
    columns = zip(
        files["case"].tolist(),
        files["at"].astype(str),
        files["path"],
        strict=True,
    )
    for case, moment, path in columns:
        sent.setdefault(case, []).append(f"{moment} {path}")
    return ["\n".join(sent.get(case, [])) for case in chats["case"].tolist()]
