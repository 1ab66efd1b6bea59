"""AttachmentHabit: the photos, screenshots and papers that customers send with what they write, and
the papers that agents send.

It draws `cases` (how likely the customer sends something, and how many files it was), `files` (of
which case, by which turn, by whom, what they are called and how large they are) and `messages`
(which e-mails carry files).
It is drawn from Incident (who would send what), CaseStory (which turns say that they send
something), Solution (kinds of issues) and Household (the phones and computers, the time zones).
It drives ContentDocument, ContentVersion and ContentDocumentLink, HasAttachment of e-mails, and
whether a text tells of one picture or of several.
It knows no words and no bytes: files have names and sizes, and nothing in them.
"""

import sqlite3
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime

import numpy as np

from latent.desk_files import DeskFiles, desk_files
from latent.dialogue import CUSTOMER
from latent.draws import labels
from latent.file_names import DOCUMENT, EXTENSIONS, PHOTO, SCREENSHOT, Shot, title_of
from latent.household import PHONES
from latent.local_time import to_local
from latent.sending import kinds_of
from latent.statistics import correlation, shares
from latent.variable import Effect
from latent.workforce import integration_user
from pipeline.world.org import Org
from pipeline.world.streams import Stream
from pipeline.world.tables import NONE, Array, Table, strings, table

SENDS = "c.evidence."
"""With this begins the act by which a customer sends files; their form stands behind it."""

LETTER = "letter"
"""The form of what agents send."""

# How many files of a form come together. Chosen by eye.
NUMBERS = {PHOTO: {"1": 5, "2": 4, "3": 2}, SCREENSHOT: {"1": 8, "2": 2}, DOCUMENT: {"1": 1}}

# Median bytes and the spread of their logarithm: phone photos of 12 megapixels as mail programs
# send them, screenshots of whole screens, a page or two. Mail servers refuse more than some 20
# megabytes a mail; what is larger than a third of that is shrunk before it is sent. By eye.
SIZES = {
    PHOTO: (2.3e6, 0.5),
    SCREENSHOT: (4.5e5, 0.7),
    DOCUMENT: (2.2e5, 0.9),
    LETTER: (9e4, 0.4),
}
SMALLEST = 12_000
LARGEST = 6_500_000
SHRUNK = 3

# A file is made some 25 minutes before it is sent: after the agent asked for it, and not more than
# half a day before a first mail. Chosen by eye.
LAG_MINUTES = (25, 1.2)
LONGEST_LAG = 12 * 3600
PAUSE_SECONDS = (4, 60)  # between two photos of the same thing
SHOTS_A_DAY = 4  # by which the counter of a customer's camera goes on
COUNTER = 9999  # after which cameras begin anew

CHANCE_AND_FILES = 'SELECT chance, files > 0 FROM latent."AttachmentHabit.cases"'
ASKED_AND_SENT = """
    SELECT
        instr(before.beats, 'a.evidence') > 0
            OR (instr(before.beats, 'a.remind') > 0 AND instr(asked.beats, 'a.evidence') > 0),
        m.has_file
    FROM latent."CaseStory.messages" s
    JOIN latent."CaseStory.messages" before
        ON before.rowid = s.rowid - 1 AND before."case" = s."case"
    LEFT JOIN latent."CaseStory.messages" asked
        ON asked.rowid = s.rowid - 2 AND asked."case" = s."case"
    JOIN latent."AttachmentHabit.messages" m ON m.rowid = s.rowid
    WHERE s.incoming AND NOT s.first
"""


@dataclass(frozen=True, slots=True)
class Said:
    """The turns by which customers send files, by mail and in chats, in order.

    `message` is the row of the e-mail, or NONE in a chat; `since` the moment of the turn before in
    the same case, or NaT; `form` what is sent.
    """

    case: Array
    message: Array
    moment: Array
    since: Array
    form: Array


@dataclass(frozen=True, slots=True)
class Shots:
    """The files in the order in which they came: by which row of `Said`, in which form (photo,
    screenshot or document), and when they were made.
    """

    turn: Array
    form: Array
    made: Array


class AttachmentHabit:
    """The files of cases."""

    name = "AttachmentHabit"
    reads: tuple[str, ...] = (
        "CaseStory",
        "CustomerVoice",
        "Incident",
        "Solution",
        "Household",
        "Workforce",
    )
    tables: Mapping[str, tuple[str, ...]] = {
        "cases": ("Id", "kind", "chance", "files", "several"),
        "files": (
            "document",
            "case",
            "account",
            "form",
            "platform",
            "title",
            "extension",
            "file_type",
            "path",
            "bytes",
            "made",
            "at",
            "creator",
        ),
        "messages": ("has_file", "several"),
    }
    drives = (
        "ContentDocument",
        "ContentVersion",
        "ContentDocumentLink",
        "EmailMessage.HasAttachment",
        "EmailMessage.TextBody",
        "LiveChatTranscript.Body",
        "Case.Description",
    )
    references: Mapping[str, str] = {"creator": "User"}

    def draw(self, org: Org) -> tuple[Table, ...]:
        """Files by the kind of the issue, the channel, and how much the customer uses a phone."""
        rng = org.setting.stream("AttachmentHabit", "files")
        cases = org.table("CaseStory.cases")
        kind = kinds_of(org, cases)
        said = _said(org)
        sent = np.arange(len(said.case))
        form = said.form
        number = _numbers(rng, form, said.message == NONE)
        made = _made(rng, said, sent, number)
        turn = np.repeat(sent, number)
        order = np.argsort(said.moment[turn], kind="stable")
        shots = Shots(turn[order], np.repeat(form, number)[order], made[order])
        desk = desk_files(org)
        files = _in_turn(
            _files(
                rng,
                org,
                said,
                shots,
                kind,
            ),
            _of_desk(rng, org, desk),
        )
        counted = np.bincount(said.case[turn], minlength=cases.size)
        carried = said.message[turn]
        has_file = np.zeros(org.table("CaseStory.messages").size, dtype=bool)
        has_file[carried[carried != NONE]] = True
        has_file[desk.message] = True
        several = _several(said, number, len(has_file))
        return (
            table(
                "AttachmentHabit.cases",
                {"Id": "Case"},
                Id=np.arange(cases.size),
                kind=kind,
                chance=org.table("Incident.cases")["chance"],
                files=counted,
                several=_first(org, several, cases.size),
            ),
            files,
            table(
                "AttachmentHabit.messages",
                has_file=has_file,
                several=several,
            ),
        )

    def effects(self, org: sqlite3.Connection) -> tuple[Effect, ...]:
        """The chance against what came, and replies to those who ask against others."""
        came = org.execute(CHANCE_AND_FILES).fetchall()
        asked = org.execute(ASKED_AND_SENT).fetchall()
        return (
            correlation(self.name, "files come with issues that can be shown", came),
            shares(self.name, "who is asked for a file sends one more often", asked),
        )


def _said(org: Org) -> Said:
    mails = org.table("CaseStory.messages")
    lines = org.table("CaseStory.turns")
    case = np.concatenate([mails["case"], org.table("CaseStory.chats")["case"][lines["chat"]]])
    message = np.concatenate([np.arange(mails.size), np.full(lines.size, NONE)])
    moment = np.concatenate([mails["at"], lines["at"]])
    speaker = np.concatenate([mails["speaker"], lines["speaker"]])
    since = np.full(len(case), np.datetime64("NaT", "s"))
    goes_on = np.flatnonzero(case[1:] == case[:-1]) + 1
    since[goes_on] = moment[goes_on - 1]
    forms = [_form_sent(beats) for beats in (*mails["beats"], *lines["beats"])]
    form = strings(forms)
    kept = (speaker == CUSTOMER) & (form != "")
    return Said(
        case[kept],
        message[kept],
        moment[kept],
        since[kept],
        form[kept],
    )


def _form_sent(beats: str) -> str:
    """What a turn sends: photo, screenshot or document; "" for nothing."""
    for beat in beats.split(","):
        if beat.startswith(SENDS):
            return beat.removeprefix(SENDS)
    return ""


def _several(said: Said, number: Array, mails: int) -> Array:
    """How many files each mail of a customer brings, where it is more than one; "" elsewhere."""
    told = strings([""] * mails)
    for mail, files in zip(said.message.tolist(), number.tolist(), strict=True):
        if mail != NONE and files > 1:
            told[mail] = str(files)
    return told


def _first(org: Org, several: Array, cases: int) -> Array:
    """The same for each case's first mail, which its description holds."""
    mails = org.table("CaseStory.messages")
    first = np.flatnonzero(mails["first"])
    told = strings([""] * cases)
    told[mails["case"][first]] = several[first]
    return told


def _numbers(rng: Stream, form: Array, in_chat: Array) -> Array:
    """How many files come together; a window for chats takes one."""
    number = np.ones(len(form), dtype=np.int64)
    for name, weights in NUMBERS.items():
        rows = np.flatnonzero(form == name)
        number[rows] = labels(rng, {text: float(n) for text, n in weights.items()}, len(rows))
    number[in_chat] = 1
    return number


def _in_turn(customers: dict[str, Array], desk: dict[str, Array]) -> Table:
    """`AttachmentHabit.files` in the order in which they came."""
    columns = {name: np.concatenate([customers[name], desk[name]]) for name in customers}
    turn = np.argsort(columns["at"], kind="stable")
    return table(
        "AttachmentHabit.files",
        {"document": "ContentDocument", "case": "Case", "account": "Account", "creator": "User"},
        document=np.arange(len(turn)),
        **{name: column[turn] for name, column in columns.items()},
    )


def _of_desk(rng: Stream, org: Org, desk: DeskFiles) -> dict[str, Array]:
    """The columns of the files that agents sent; their own programs made them as they wrote."""
    mails = org.table("CaseStory.messages")
    size = len(desk.message)
    case = mails["case"][desk.message]
    form = np.full(size, LETTER, dtype=object)
    return {
        "case": case,
        "account": org.table("CaseStory.cases")["account"][case],
        "form": form,
        "platform": strings([""] * size),
        "title": strings(desk.title),
        "extension": strings([EXTENSIONS[DOCUMENT]] * size),
        "file_type": strings([EXTENSIONS[DOCUMENT].upper()] * size),
        "path": strings([f"{title}.{EXTENSIONS[DOCUMENT]}" for title in desk.title]),
        "bytes": _bytes(rng, form),
        "made": mails["at"][desk.message],
        "at": mails["at"][desk.message],
        "creator": mails["agent"][desk.message],
    }


def _files(rng: Stream, org: Org, said: Said, shots: Shots, kind: Array) -> dict[str, Array]:
    """The columns of the files that customers sent; `kind` is one a case."""
    case = said.case[shots.turn]
    account = org.table("CaseStory.cases")["account"][case]
    platform = _platforms(rng, org, case, shots.form)
    extension = strings([EXTENSIONS[name] for name in shots.form])
    title = _titles(
        rng,
        org,
        account,
        shots,
        platform,
        kind[case] == "billing",
    )
    paths = [f"{name}.{ending}" for name, ending in zip(title, extension, strict=True)]
    return {
        "case": case,
        "account": account,
        "form": shots.form,
        "platform": platform,
        "title": title,
        "extension": extension,
        "file_type": strings([ending.upper() for ending in extension]),
        "path": strings(paths),
        "bytes": _bytes(rng, shots.form),
        "made": shots.made,
        "at": said.moment[shots.turn],
        # What comes by mail or by the chat window a program files.
        "creator": np.full(len(case), integration_user(org)),
    }


def _platforms(rng: Stream, org: Org, case: Array, form: Array) -> Array:
    """By what each file was made: a photo by the phone, a document by the computer where there is
    one, a screenshot by either; a photo without a phone is a camera's, which has no platform.

    Who writes from a phone shows the phone's screen.
    """
    owned = _owned(org)
    account = org.table("CaseStory.cases")["account"][case]
    by_phone = org.table("Household.customers")["by_phone"][account]
    from_phone = np.isin(org.table("CustomerVoice.cases")["device"][case], list(PHONES))
    on_phone = from_phone | (rng.random(len(account)) < by_phone)
    made = []
    for owner, name, phone_first in zip(account.tolist(), form, on_phone, strict=True):
        devices = owned[owner]
        phone, computer = devices.get("phone", ""), devices.get("computer", "")
        if name == PHOTO:
            made.append(phone)
        elif name == SCREENSHOT and phone_first:
            made.append(phone or computer)
        else:
            made.append(computer or phone)
    return strings(made)


def _owned(org: Org) -> list[dict[str, str]]:
    """The platform of each kind of device that each customer has."""
    devices = org.table("Household.devices")
    owned: list[dict[str, str]] = [{} for _ in range(org.table("Household.customers").size)]
    columns = (devices["account"].tolist(), devices["device"], devices["platform"])
    for account, device, platform in zip(*columns, strict=True):
        owned[account][str(device)] = str(platform)
    return owned


def _made(rng: Stream, said: Said, sent: Array, number: Array) -> Array:
    """The moments (UTC) at which files were made, after the turn that they answer.

    The first file of each sending is made some while before it; the others follow within a minute.
    """
    median, sigma = LAG_MINUTES
    lag = rng.lognormal(np.log(median * 60), sigma, size=len(sent))
    gap = (said.moment - said.since)[sent]
    longest = np.where(np.isnat(gap), LONGEST_LAG, gap.astype("timedelta64[s]").astype(float) / 2)
    lag = np.minimum(lag, np.minimum(longest, LONGEST_LAG))
    pause = np.minimum(rng.uniform(*PAUSE_SECONDS, size=len(sent)), lag / 4)
    first = np.repeat(np.cumsum(number) - number, number)
    place = np.arange(len(first)) - first
    seconds = np.repeat(lag, number) - place * np.repeat(pause, number)
    moment = said.moment[np.repeat(sent, number)]
    return np.asarray(moment - seconds.astype("timedelta64[s]"))


def _titles(
    rng: Stream,
    org: Org,
    account: Array,
    shots: Shots,
    platform: Array,
    is_bill: Array,
) -> Array:
    """What each file is called; an owner's counter goes on from file to file."""
    customers = org.table("Household.customers")
    habit = rng.random(customers.size)
    counter = rng.integers(1, COUNTER, size=customers.size)
    days = (shots.made.astype("datetime64[D]") - org.setting.first_day).astype(int)
    local: list[datetime] = to_local(shots.made, customers["zone"][account]).tolist()
    before = [0] * customers.size
    titles = []
    for row, owner in enumerate(account.tolist()):
        number = int(counter[owner] + SHOTS_A_DAY * days[row]) + before[owner]
        before[owner] += 1
        shot = Shot(
            form=str(shots.form[row]),
            platform=str(platform[row]),
            taken=local[row],
            number=1 + number % COUNTER,
            habit=float(habit[owner]),
            is_bill=bool(is_bill[row]),
        )
        titles.append(title_of(shot))
    return strings(titles)


def _bytes(rng: Stream, form: Array) -> Array:
    medians = np.array([SIZES[name][0] for name in form], dtype=float)
    sigmas = np.array([SIZES[name][1] for name in form], dtype=float)
    drawn = np.exp(np.log(medians) + sigmas * rng.normal(size=len(form)))
    sent = np.where(drawn > LARGEST, drawn / SHRUNK, drawn)
    return np.asarray(np.maximum(sent, SMALLEST).astype(np.int64))
