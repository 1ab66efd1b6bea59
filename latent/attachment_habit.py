"""AttachmentHabit: the photos, screenshots and papers that customers send with what they write.

It draws `cases` (how likely the customer sends something, and how many files it was), `files` (of
which case, by which turn, what they are called and how large they are) and `messages` (which
e-mails carry files).
It is drawn from CaseStory (who wrote what when), Solution (kinds of issues) and Household (the
phones and computers, and the time zones).
It drives ContentDocument, ContentVersion and ContentDocumentLink, and HasAttachment of e-mails.
It knows no words and no bytes: files have names and sizes, and nothing in them.
"""

import sqlite3
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime

import numpy as np

from latent.complaints import COMPLAINT
from latent.dialogue import CUSTOMER
from latent.draws import labels
from latent.file_names import DOCUMENT, EXTENSIONS, PHOTO, SCREENSHOT, Shot, title_of
from latent.local_time import to_local
from latent.statistics import correlation, shares
from latent.variable import Effect
from pipeline.world.org import Org
from pipeline.world.streams import Stream
from pipeline.world.tables import NONE, Array, Table, strings, table

ENQUIRY = "enquiry"

# Who asks for a picture gets one: an answer carries files twice as often as the first mail. Turns
# that say neither what is wrong nor answer anything carry none. Chosen by eye.
CARRIES = {"issue.answer": 2.0, "issue.complaint": 1.0, "issue.request": 1.0}

# Chat windows take files, too, but fewer people use that; who does most things by phone has the
# camera at hand: from 0.6 times the usual share to 1.4 times. Chosen by eye.
CHAT = 0.6
WITHOUT_PHONE, BY_PHONE_ALONE = 0.6, 1.4

# How many files of a form come together. Chosen by eye.
NUMBERS = {PHOTO: {"1": 5, "2": 4, "3": 2}, SCREENSHOT: {"1": 8, "2": 2}, DOCUMENT: {"1": 1}}

# Median bytes and the spread of their logarithm: phone photos of 12 megapixels as mail programs
# send them, screenshots of whole screens, a page or two. Mail servers refuse more than some 20
# megabytes a mail; what is larger than a third of that is shrunk before it is sent. By eye.
SIZES = {PHOTO: (2.3e6, 0.5), SCREENSHOT: (4.5e5, 0.7), DOCUMENT: (2.2e5, 0.9)}
SMALLEST, LARGEST = 12_000, 6_500_000
SHRUNK = 3

# A file is made some 25 minutes before it is sent: after the agent asked for it, and not more than
# half a day before a first mail. Chosen by eye.
LAG_MINUTES = (25, 1.2)
LONGEST_LAG = 12 * 3600
PAUSE_SECONDS = (4, 60)  # between two photos of the same thing
SHOTS_A_DAY = 4  # by which the counter of a customer's camera goes on
COUNTER = 9999  # after which cameras begin anew

CHANCE_AND_FILES = 'SELECT chance, files > 0 FROM latent."AttachmentHabit.cases"'
ANSWERS_AND_FILES = """
    SELECT instr(s.beats, 'issue.answer') > 0, m.has_file
    FROM latent."CaseStory.messages" s
    JOIN latent."AttachmentHabit.messages" m ON m.rowid = s.rowid
    WHERE s.incoming AND NOT s.first
"""


@dataclass(frozen=True, slots=True)
class Said:
    """What customers wrote, by mail and in chats, in order.

    `message` is the row of the e-mail, or NONE in a chat; `since` the moment of the turn before in
    the same case, or NaT; `weight` how well files go with what is said.
    """

    case: Array
    message: Array
    moment: Array
    since: Array
    weight: Array


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
    reads: tuple[str, ...] = ("CaseStory", "Solution", "Household")
    tables: Mapping[str, tuple[str, ...]] = {
        "cases": ("Id", "kind", "chance", "files"),
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
        ),
        "messages": ("has_file",),
    }
    drives = (
        "ContentDocument",
        "ContentVersion",
        "ContentDocumentLink",
        "EmailMessage.HasAttachment",
    )
    references: Mapping[str, str] = {}

    def draw(self, org: Org) -> tuple[Table, ...]:
        """Files by the kind of the issue, the channel, and how much the customer uses a phone."""
        rng = org.setting.stream("AttachmentHabit", "files")
        cases = org.table("CaseStory.cases")
        kind = _kinds(org, cases)
        chance = _chances(org, cases, kind)
        said = _said(org)
        sent = _sent(rng, said, rng.random(cases.size) < chance)
        form = _forms(rng, org, kind[said.case[sent]])
        number = _numbers(rng, form)
        made = _made(rng, said, sent, number)
        turn = np.repeat(sent, number)
        order = np.argsort(said.moment[turn], kind="stable")
        shots = Shots(turn[order], np.repeat(form, number)[order], made[order])
        files = _files(rng, org, said, shots, kind)
        counted = np.bincount(said.case[turn], minlength=cases.size)
        carried = said.message[turn]
        has_file = np.zeros(org.table("CaseStory.messages").size, dtype=bool)
        has_file[carried[carried != NONE]] = True
        return (
            table(
                "AttachmentHabit.cases",
                {"Id": "Case"},
                Id=np.arange(cases.size),
                kind=kind,
                chance=np.round(chance, 4),
                files=counted,
            ),
            files,
            table("AttachmentHabit.messages", has_file=has_file),
        )

    def effects(self, org: sqlite3.Connection) -> tuple[Effect, ...]:
        """The chance against what came, and answers against other replies."""
        came = org.execute(CHANCE_AND_FILES).fetchall()
        answers = org.execute(ANSWERS_AND_FILES).fetchall()
        return (
            correlation(self.name, "files come with issues that can be shown", came),
            shares(self.name, "answers to agents' questions carry files", answers),
        )


def _kinds(org: Org, cases: Table) -> Array:
    """The kind of each case's issue; all that is no complaint is an enquiry."""
    kinds = org.table("Solution.issues")["kind"]
    complaint = cases["intent"] == COMPLAINT
    kind = np.full(cases.size, ENQUIRY, dtype=object)
    kind[complaint] = kinds[cases["issue"][complaint]]
    return kind


def _chances(org: Org, cases: Table, kind: Array) -> Array:
    """How likely each case's customer sends a file."""
    attached = org.setting.world.trade.contact.attached
    usual = np.array([attached[name].share if name in attached else 0.0 for name in kind])
    by_phone = org.table("Household.customers")["by_phone"][cases["account"]]
    habit = WITHOUT_PHONE + (BY_PHONE_ALONE - WITHOUT_PHONE) * by_phone
    channel = np.where(cases["channel"] == "chat", CHAT, 1.0)
    chance = np.minimum(usual * habit * channel, 1.0)
    # Nobody opens what a stranger sends along.
    return np.where(cases["account"] == NONE, 0.0, chance)


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
    weights = [_weight(beats) for beats in (*mails["beats"], *lines["beats"])]
    # Without anything said there is nothing to weigh, and numpy would take no texts for numbers.
    weight = np.array(weights, dtype=float)
    kept = (speaker == CUSTOMER) & (weight > 0)
    return Said(case[kept], message[kept], moment[kept], since[kept], weight[kept])


def _weight(beats: str) -> float:
    return max((CARRIES.get(beat, 0.0) for beat in beats.split(",")), default=0.0)


def _sent(rng: Stream, said: Said, sends: Array) -> Array:
    """The turn by which each customer who sends something does so, the likelier the heavier."""
    keys = np.log(said.weight) + rng.gumbel(size=len(said.weight))
    heaviest_first = np.lexsort((-keys, said.case))
    _, place = np.unique(said.case[heaviest_first], return_index=True)
    chosen = heaviest_first[place]
    return np.asarray(chosen[sends[said.case[chosen]]])


def _forms(rng: Stream, org: Org, kind: Array) -> Array:
    """What each customer sends: photos, screenshots or a document."""
    form = np.full(len(kind), None, dtype=object)
    for name, files in org.setting.world.trade.contact.attached.items():
        rows = np.flatnonzero(kind == name)
        weights = {PHOTO: files.photo, SCREENSHOT: files.screenshot, DOCUMENT: files.document}
        form[rows] = labels(rng, weights, len(rows))
    return form


def _numbers(rng: Stream, form: Array) -> Array:
    number = np.ones(len(form), dtype=np.int64)
    for name, weights in NUMBERS.items():
        rows = np.flatnonzero(form == name)
        number[rows] = labels(rng, {text: float(n) for text, n in weights.items()}, len(rows))
    return number


def _files(rng: Stream, org: Org, said: Said, shots: Shots, kind: Array) -> Table:
    """`Attachment.files` in the order in which they came; `kind` is one a case."""
    case = said.case[shots.turn]
    account = org.table("CaseStory.cases")["account"][case]
    platform = _platforms(rng, org, account, shots.form)
    extension = strings([EXTENSIONS[name] for name in shots.form])
    title = _titles(rng, org, account, shots, platform, kind[case] == "billing")
    paths = [f"{name}.{ending}" for name, ending in zip(title, extension, strict=True)]
    return table(
        "AttachmentHabit.files",
        {"document": "ContentDocument", "case": "Case", "account": "Account"},
        document=np.arange(len(case)),
        case=case,
        account=account,
        form=shots.form,
        platform=platform,
        title=title,
        extension=extension,
        file_type=strings([ending.upper() for ending in extension]),
        path=strings(paths),
        bytes=_bytes(rng, shots.form),
        made=shots.made,
        at=said.moment[shots.turn],
    )


def _platforms(rng: Stream, org: Org, account: Array, form: Array) -> Array:
    """By what each file was made: a photo by the phone, a document by the computer where there is
    one, a screenshot by either; a photo without a phone is a camera's, which has no platform.
    """
    owned = _owned(org)
    by_phone = org.table("Household.customers")["by_phone"][account]
    on_phone = rng.random(len(account)) < by_phone
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
