"""Incident: what is behind every complaint, and what its customer sees of it.

It draws `cases`: the cause, the signs with their values (`spot:toe,wear:daily`), the sign whose
question tells the cause, who can know it, whether the desk tells it, hints at it or leaves it
open, the evidence that the customer would send, and the internal step that it takes, with its
days, what is at stake (an amount, a rate) with the sign that tells it, and the day by which some
need it. All are empty for what is no complaint, but for the evidence. And `marks`: by which words
each value of each sign shows in a text.
It is drawn from Solution (the issues), Assortment and ShoppingHabit (what was bought),
ComplaintHabit (channel), PolicyViolation (a cause fits the ending), and Household (phones, by which
photos are taken).
It drives what is asked, answered and stated in mails and chats.
It knows no words: marks and rules stand in the lexicon.
"""

import random
import sqlite3
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from datetime import date

import numpy as np

from latent.contacts import COMPLAINT
from latent.dialogue import NO_FAULT, TOLD
from latent.drawn_figures import figure_of
from latent.enquiry_ending import DECLINED
from latent.file_names import DOCUMENT, PHOTO, SCREENSHOT
from latent.incident_details import (
    DetailCase,
    details_text,
    needed_by,
    owed_by,
    with_needed,
)
from latent.sending import evidence_chances, kinds_of
from latent.statistics import shares
from latent.variable import Effect
from pipeline.world.org import Org, RunContext
from pipeline.world.streams import text_stream
from pipeline.world.tables import NONE, Array, Table, strings, table
from schemas.contacts import AttachedFiles
from schemas.incidents import PRICE, IncidentCause, IncidentPlan, SignValue, plan_for

FORMS = {
    "photo": PHOTO,
    "video": PHOTO,
    "screenshot": SCREENSHOT,
    "receipt": DOCUMENT,
    "statement": DOCUMENT,
    "log": SCREENSHOT,
}
"""As what kind of file each evidence comes; a video is sent as a photo or two after all."""

GRANTED = ("granted", "granted_other", "late_grant", "unlisted_grant")

CHAT = "chat"

# Who has a day by which they need it says so, and so many do: all others want it soon. By eye.
NEEDS_IT_BY = 0.1

# Customers of a country in the middle of which it is so many hours earlier than UTC. By eye.
AT_HOME = np.timedelta64(6, "h")

TOLD_FOR_SURE = frozenset({"answer", "record"})
"""By what every desk knows a cause before it decides."""

TOLD_IN_CHAT = TOLD_FOR_SURE | frozenset(FORMS)
"""By what a cause is known before a chat is over."""

TAKES_DAYS = frozenset({"warehouse", "carrier", "engineering"})
"""Whose answer nobody waits for in a chat."""

# A cause that a file tells makes the desk ask for one, and who is asked mostly sends it. Chosen so
# that about as many cases have files as the trade says.
ASKED_FOR = 1.6
NOT_ASKED_FOR = 0.3
LEAST_WHEN_ASKED = 0.6
# Nobody is refused something for what a picture would show without the picture.
SENT_WHEN_REFUSED = 1.0
# In a chat a picture is taken while the agent waits; a paper has to be found. By eye.
SENT_IN_CHAT = 0.85
FOUND_IN_CHAT = 0.5
SHOWN = "product"
"""The kind of issue whose files show the thing itself."""

SEEN_AND_SENT = """
    SELECT
        i.known_by IN ('photo', 'screenshot', 'receipt', 'statement', 'video', 'log'),
        a.files > 0
    FROM latent."Incident.cases" i
    JOIN latent."AttachmentHabit.cases" a ON a.Id = i.Id
    WHERE i.cause <> ''
"""


@dataclass(frozen=True, slots=True)
class DrawnIncident:
    """One case's incident; all texts are empty where there is none."""

    cause: str = ""
    signs: str = ""
    tells: str = ""
    known_by: str = ""
    finding: str = ""
    step: str = ""
    step_days: int = 0
    mends: bool = False
    stake: str = ""
    stake_in: str = ""
    details: str = ""
    owed: float = 0.0
    needed: date | None = None


@dataclass(frozen=True, slots=True)
class ToldCase:
    """What of a case its cause has to fit.

    `mends` says whether something is granted that makes good for a mistake, `faultless` whether
    the case is refused because the company has made none. `outage` numbers what struck many at
    once, NONE for all else. `days` is how old the order is. `in_vain` is what is refused though it
    would undo the problem, `for_trouble` whether something on top of that is refused.
    """

    ending: str
    granted: str
    mends: bool
    faultless: bool
    channel: str
    category: str
    outage: int
    days: int
    in_vain: str = ""
    for_trouble: bool = False


@dataclass(frozen=True, slots=True)
class HeldAccounts:
    """What the accounts of a bank hold and run at, by the lines of orders that opened them."""

    holds: Mapping[int, str]
    rates: Mapping[int, float | None]
    sums: Mapping[int, float]


class Incident:
    """Causes, and what is seen of them."""

    name = "Incident"
    reads: tuple[str, ...] = (
        "ComplaintHabit",
        "PolicyViolation",
        "Solution",
        "Assortment",
        "ShoppingHabit",
        "Household",
    )
    tables: Mapping[str, tuple[str, ...]] = {
        "cases": (
            "Id",
            "cause",
            "signs",
            "tells",
            "known_by",
            "finding",
            "step",
            "step_days",
            "mends",
            "stake",
            "stake_in",
            "details",
            "owed",
            "needed",
            "evidence",
            "chance",
        ),
        "marks": ("issue_key", "sign", "value", "marks"),
    }
    drives = (
        "Case.Description",
        "EmailMessage.TextBody",
        "LiveChatTranscript.Body",
        "ContentDocument",
    )
    references: Mapping[str, str] = {}

    def draw(self, org: Org) -> tuple[Table, ...]:
        """One incident a case, in the order of `ComplaintHabit.cases`."""
        cases = org.table("ComplaintHabit.cases")
        drawn = _incidents(org, cases)
        kinds = kinds_of(org, cases)
        chance = evidence_chances(org, cases, kinds)
        seen = np.isin([incident.known_by for incident in drawn], list(FORMS))
        complains = cases["intent"] == COMPLAINT
        asked = np.where(seen, ASKED_FOR, NOT_ASKED_FOR)
        chance = np.minimum(np.where(complains, chance * asked, chance), 1.0)
        chance = np.where(complains & seen, np.maximum(chance, LEAST_WHEN_ASKED), chance)
        # Who is asked for a file in a chat has it at hand, or takes it while the agent waits.
        chats = complains & seen & (cases["channel"] == CHAT)
        broken = kinds == SHOWN
        chance = np.where(chats, np.where(broken, SENT_IN_CHAT, FOUND_IN_CHAT), chance)
        declined = org.table("PolicyViolation.outcomes")["ending"] == DECLINED
        chance = np.where(complains & seen & declined, SENT_WHEN_REFUSED, chance)
        return (
            table(
                "Incident.cases",
                {"Id": "Case"},
                Id=np.arange(cases.size),
                cause=strings([incident.cause for incident in drawn]),
                signs=strings([incident.signs for incident in drawn]),
                tells=strings([incident.tells for incident in drawn]),
                known_by=strings([incident.known_by for incident in drawn]),
                finding=strings([incident.finding for incident in drawn]),
                step=strings([incident.step for incident in drawn]),
                step_days=np.array([incident.step_days for incident in drawn], dtype=np.int64),
                mends=np.array([incident.mends for incident in drawn], dtype=bool),
                stake=strings([incident.stake for incident in drawn]),
                stake_in=strings([incident.stake_in for incident in drawn]),
                details=strings([incident.details for incident in drawn]),
                owed=np.array([incident.owed for incident in drawn]),
                needed=np.array([incident.needed for incident in drawn], dtype="datetime64[D]"),
                evidence=_evidence(org, cases, drawn, kinds, chance),
                chance=np.round(chance, 4),
            ),
            _marks(org),
        )

    def effects(self, org: sqlite3.Connection) -> tuple[Effect, ...]:
        """What can be seen on a picture is sent as one."""
        rows = org.execute(SEEN_AND_SENT).fetchall()
        says = "cases whose cause a file can tell have files more often"
        return (shares(self.name, says, rows),)


def plan_of_issue(org: Org, issue: int) -> IncidentPlan | None:
    """What can be behind the cases of an issue, given by its row."""
    key = str(org.table("Solution.issues")["key"][issue])
    return plan_for(org.setting.world.incidents, key)


def _marks(org: Org) -> Table:
    """The marks of all values of all signs of the org's issues."""
    rows = []
    for issue, key in enumerate(org.table("Solution.issues")["key"]):
        plan = plan_of_issue(org, issue)
        for sign, values in plan.signs.items() if plan else ():
            for value, known in values.items():
                rows.append((str(key), sign, value, "|".join(known.marks)))
    return table(
        "Incident.marks",
        issue_key=strings([row[0] for row in rows]),
        sign=strings([row[1] for row in rows]),
        value=strings([row[2] for row in rows]),
        marks=strings([row[3] for row in rows]),
    )


def _incidents(org: Org, cases: Table) -> list[DrawnIncident]:
    outcomes = org.table("PolicyViolation.outcomes")
    undone_by = [keys.split(",") for keys in org.table("Solution.issues")["mended_by"]]
    gestures = [option.key for option in org.setting.world.options if option.gesture]
    courtesies = np.isin(outcomes["granted"].astype(str), gestures)
    product = org.table("ShoppingHabit.items")["product"][cases["item"]]
    categories = org.table("Assortment.products")["category_key"][product]
    plans = [plan_of_issue(org, issue) for issue in range(org.table("Solution.issues").size)]
    held = _held_accounts(org)
    setting = org.setting
    paid = org.table("ShoppingHabit.items")["amount"][cases["item"]]
    drawn = []
    for case in range(cases.size):
        plan = plans[int(cases["issue"][case])]
        if plan is None or cases["intent"][case] != COMPLAINT:
            drawn.append(DrawnIncident(mends=plan is None))
            continue
        rng = text_stream(setting.seed, setting.salted("Incident"), str(case))
        ending = str(outcomes["ending"][case])
        granted = str(outcomes["granted"][case])
        undoes = undone_by[int(cases["issue"][case])]
        wish = str(outcomes["wish"][case])
        told = ToldCase(
            ending=ending,
            granted=granted,
            mends=ending != DECLINED and not courtesies[case],
            faultless=outcomes["refusal"][case] == NO_FAULT,
            channel=str(cases["channel"][case]),
            category=str(categories[case]),
            outage=int(cases["outage"][case]),
            days=int(cases["days"][case]),
            in_vain=wish if ending == DECLINED and wish in undoes else "",
            for_trouble=ending == DECLINED and any(undoes) and wish not in undoes,
        )
        causes = _possible(plan, told)
        if told.outage != NONE:
            causes = _shared(setting, causes, told.outage)
        incident = _drawn(rng, plan, causes, told)
        finding = _finding(setting, causes[incident.cause], case, told)
        incident = replace(incident, finding=finding)
        if incident.stake == PRICE:
            price = setting.country.currency.shown(float(paid[case]))
            incident = replace(incident, stake=price)
        item = int(cases["item"][case])
        created = cases["created"][case]
        ordered = (created.astype("datetime64[D]") - told.days).item()
        # By the customer's clock a case may have been written on the day before.
        day = max((created - AT_HOME).astype("datetime64[D]").item(), ordered)
        told = replace(told, days=(day - ordered).days)
        rng = text_stream(setting.seed, setting.salted("Incident.details"), str(case))
        detailed = _detailed(rng, plan, incident, told, (held, item, day))
        rng = text_stream(setting.seed, setting.salted("Incident.needed"), str(case))
        drawn.append(_needed(rng, plan, detailed, day))
    return drawn


def _held_accounts(org: Org) -> HeldAccounts:
    """What is known of the accounts that an org's orders have opened; nothing where none do."""
    if "Holding.accounts" not in org.tables:
        return HeldAccounts({}, {}, {})
    accounts = org.table("Holding.accounts")
    items = accounts["item"].tolist()
    rates: list[float | None] = []
    for rate in accounts["rate"].tolist():
        rates.append(None if rate is None else float(rate))
    lent: list[float] = []
    for limit in accounts["limit"].tolist():
        lent.append(0.0 if limit is None else float(limit))
    # A line is drawn upon by a part of its limit; all else is what was paid in or out at first.
    used = np.array(lent, dtype=float) * accounts["use"].astype(float)
    sums = np.where(used > 0, used, accounts["opening"].astype(float))
    return HeldAccounts(
        holds=dict(zip(items, accounts["holds"].astype(str), strict=True)),
        rates=dict(zip(items, rates, strict=True)),
        sums=dict(zip(items, sums.tolist(), strict=True)),
    )


def _detailed(
    rng: random.Random,
    plan: IncidentPlan,
    incident: DrawnIncident,
    told: ToldCase,
    account: tuple[HeldAccounts, int, date],
) -> DrawnIncident:
    """An incident with its details, by the account that it is about and the day it is told."""
    held, item, day = account
    case = DetailCase(
        category=told.category,
        day=day,
        days=told.days,
        holds=held.holds.get(item, ""),
        rate=held.rates.get(item),
        mends=told.mends and incident.mends,
        stake=incident.stake,
    )
    signs = [(sign, value) for sign, _, value in _pairs(incident.signs)]
    details = details_text(rng, plan, plan.causes[incident.cause], signs, case)
    owed = owed_by(incident.stake, held.sums.get(item, 0.0), told.days)
    return replace(incident, details=details, owed=owed)


def _needed(
    rng: random.Random,
    plan: IncidentPlan,
    incident: DrawnIncident,
    day: date,
) -> DrawnIncident:
    """An incident with the day by which its customer needs it, where they have one."""
    if plan.needed is None or rng.random() >= NEEDS_IT_BY:
        return incident
    needed = needed_by(rng, plan.needed, day)
    return replace(incident, needed=needed, details=with_needed(incident.details, needed))


def _pairs(signs: str) -> list[tuple[str, str, str]]:
    """The signs of an incident with their values, as they are written in its table."""
    return [pair.partition(":") for pair in signs.split(",") if pair]


def _possible(plan: IncidentPlan, told: ToldCase) -> dict[str, IncidentCause]:
    """The causes that fit a case; all that fit its ending where none fits everything.

    Where nothing is mended, by a refusal or a mere courtesy, nobody has made a mistake: causes that
    lead to a refusal come first. Who is refused because the company is not at fault must hear why,
    so somebody must be able to tell it.
    """
    fitting = {key: cause for key, cause in plan.causes.items() if _fits_ending(cause, told.ending)}
    # What can't have happened comes first: a cause that the product can't have is worse than a
    # remedy that is a mere courtesy.
    fitting = _kept(fitting, lambda cause: _can_be_seen(plan, cause, told))
    fitting = _kept(fitting, lambda cause: not cause.products or told.category in cause.products)
    fitting = _kept(fitting, lambda cause: cause.fits_age(told.days))
    fitting = _kept(fitting, lambda cause: not cause.channels or told.channel in cause.channels)
    fitting = _kept(fitting, lambda cause: told.granted not in cause.not_with)
    if told.mends and told.granted:
        fitting = _kept(fitting, lambda cause: cause.is_cured_by(told.granted))
    if not told.mends:
        fitting = _kept(fitting, lambda cause: "refusal" in cause.ends)
    if told.in_vain:
        # Nobody is refused what has just been done for them.
        fitting = _kept(fitting, lambda cause: not cause.is_mended)
        fitting = _kept(fitting, lambda cause: cause.is_cured_by(told.in_vain))
    if told.for_trouble:
        fitting = _kept(fitting, lambda cause: cause.is_mended)
    if told.faultless:
        fitting = _kept(fitting, lambda cause: cause.known_by in TOLD_FOR_SURE)
    if told.channel == CHAT:
        fitting = _kept(fitting, lambda cause: cause.step not in TAKES_DAYS)
        # Who chats is to hear what it was: what only a workshop finds out comes up by mail.
        fitting = _kept(fitting, _is_told_in_chat)
    return fitting


def _is_told_in_chat(cause: IncidentCause) -> bool:
    """Whether somebody can tell a cause before a chat is over."""
    asks_around = cause.step is not None and cause.step not in TAKES_DAYS
    return cause.known_by in TOLD_IN_CHAT or asks_around


def _shared(
    setting: RunContext,
    causes: dict[str, IncidentCause],
    outage: int,
) -> dict[str, IncidentCause]:
    """The cause that strikes many which all cases of an outage have, as far as it fits."""
    causes = _kept(causes, lambda cause: cause.many)
    rng = text_stream(setting.seed, setting.salted("Incident.outages"), str(outage))
    # The same draw for each case of an outage: where the same causes fit, it is the same one.
    (key,) = rng.choices(list(causes), [cause.weight for cause in causes.values()])
    return {key: causes[key]}


def _kept(
    causes: dict[str, IncidentCause], fits: Callable[[IncidentCause], bool]
) -> dict[str, IncidentCause]:
    """The causes that fit; all of them where none does."""
    return {key: cause for key, cause in causes.items() if fits(cause)} or causes


def _fits_ending(cause: IncidentCause, ending: str) -> bool:
    """Whether a cause may lead to an ending."""
    if ending in GRANTED:
        return "remedy" in cause.ends or "either" in cause.ends
    return True


def _can_be_seen(plan: IncidentPlan, cause: IncidentCause, told: ToldCase) -> bool:
    """Whether each sign of a cause has a value that the product and the order's age allow."""
    for sign, weights in cause.signs.items():
        values = [plan.signs[sign][value] for value in weights]
        if not any(value.fits(told.category, told.days) for value in values):
            return False
    return True


def _drawn(
    rng: random.Random,
    plan: IncidentPlan,
    causes: Mapping[str, IncidentCause],
    case: ToldCase,
) -> DrawnIncident:
    (key,) = rng.choices(list(causes), [cause.weight for cause in causes.values()])
    cause = causes[key]
    told = []
    for sign, values in plan.signs.items():
        usual = {value: known.weight for value, known in values.items()}
        weights = _fitting(values, cause.signs.get(sign, usual), case)
        (value,) = rng.choices(list(weights), list(weights.values()))
        told.append(f"{sign}:{value}")
    days = rng.randint(*cause.days) if cause.days else 0
    stake_in, stakes = _stakes(plan, told)
    return DrawnIncident(
        cause=key,
        signs=",".join(told),
        tells=cause.tells or "",
        known_by=cause.known_by,
        step=cause.step or "",
        step_days=days,
        mends=cause.is_mended,
        stake=figure_of(rng, rng.choice(stakes)) if stakes else "",
        stake_in=stake_in,
    )


def _finding(setting: RunContext, cause: IncidentCause, case: int, told: ToldCase) -> str:
    """Whether the desk tells a cause, hints at it, or leaves it open.

    Only who gets something does without it: a refusal needs its ground, and so does what is no
    mistake that is mended. What struck many is known to all who ask, or to none.
    """
    if told.ending not in GRANTED or not cause.is_mended:
        return TOLD
    shared = f"outage|{told.outage}" if told.outage != NONE else str(case)
    rng = text_stream(setting.seed, setting.salted("Incident.findings"), shared)
    (finding,) = rng.choices(list(cause.found), list(cause.found.values()))
    return finding


def _fitting(
    values: Mapping[str, SignValue], weights: Mapping[str, float], case: ToldCase
) -> dict[str, float]:
    """The weights of those values that a case's product and its order's age allow.

    Those of the cause come first; where none of them fits, any other that does, else all of them.
    """
    allowed = {key for key, value in values.items() if value.fits(case.category, case.days)}
    fitting = {key: weight for key, weight in weights.items() if key in allowed}
    others = {key: values[key].weight for key in values if key in allowed}
    return fitting or others or dict(weights)


def _stakes(plan: IncidentPlan, told: list[str]) -> tuple[str, tuple[str, ...]]:
    """What can be at stake under these values of signs, and the sign that tells it, or ""."""
    for pair in told:
        sign, _, value = pair.partition(":")
        stakes = plan.signs[sign][value].stakes
        if stakes:
            return sign, stakes
    return "", plan.stakes


def _evidence(
    org: Org,
    cases: Table,
    drawn: list[DrawnIncident],
    kinds: Array,
    chance: Array,
) -> Array:
    """The kind of file that each customer sends if there is a moment for it; "" for none."""
    rng = org.setting.stream("Incident", "evidence")
    points = rng.random((cases.size, 2))
    attached = org.setting.world.trade.contact.attached
    found = []
    for case, incident in enumerate(drawn):
        plan = plan_of_issue(org, int(cases["issue"][case]))
        figures = attached.get(kinds[case])
        sends = points[case, 0] < chance[case] and figures is not None
        if not sends or figures is None:
            found.append("")
        elif incident.known_by in FORMS:
            found.append(FORMS[incident.known_by])
        else:
            known = plan.evidence if plan and incident.cause else ()
            found.append(_usual_form(figures, known, float(points[case, 1])))
    return strings(found)


def _usual_form(figures: AttachedFiles, known: tuple[str, ...], point: float) -> str:
    """A form by the trade's weights, of those that the issue knows; "" where it knows none."""
    weights = {PHOTO: figures.photo, SCREENSHOT: figures.screenshot, DOCUMENT: figures.document}
    allowed = {FORMS[evidence] for evidence in known} or set(weights)
    total = sum(weight for form, weight in weights.items() if form in allowed)
    reached = 0.0
    for form, weight in weights.items():
        reached += weight if form in allowed else 0.0
        if reached > point * total:
            return form
    return ""
