"""The plot of every case, put together of what other variables have drawn.

A part of CaseStory: incidents, voices and endings come in, plots for `latent.dialogue` go out.
Knows no acts and no words.
"""

from bisect import bisect_left
from collections import Counter
from typing import TypedDict

import numpy as np

from latent.behalf import FAMILY, behalves
from latent.dialogue import ANSWERS, ARRIVES, SIZED, Plot
from latent.enquiry_ending import Endings
from latent.hand_over import HIGHER
from latent.incident import plan_of_issue
from latent.naming import FULL, KIND, SHORT
from latent.next_questions import NextQuestions
from latent.settlement import exceeds, has_faulty, is_resized, sums_back, told_of
from pipeline.world.org import Org
from pipeline.world.tables import NONE, Array, Table
from schemas.incidents import IncidentCause


class PutRight(TypedDict):
    """What a plot says of putting the problem itself right, by its names there."""

    mended: bool
    fixes: bool
    own_wish: bool
    blameless: bool


class _ToDo(TypedDict):
    """What a plot says of what its cause gives both sides to do, by its names there."""

    tests: tuple[str, ...]
    at_once: bool


class _Remedied(PutRight, _ToDo):
    """Some of a plot's facts, by their names there."""

    refunded: bool
    stake: bool
    stake_in: str
    on_file: bool
    sent_back: bool
    pictured: tuple[str, ...]
    refusal: str
    owes: bool
    in_records: bool
    settles: tuple[str, ...]
    sum_named: bool
    size_named: bool
    on_top: bool
    outweighs: bool


PHONES = ("iOS", "Android")
"""The platforms on which nobody types more than has to be."""

PRAISE = "praise"
"""The intent of who wants nothing but to say something nice."""

REASONS = {
    "unskilled_agent": "team",
    "kept_unskilled": "team",
    "agent_left": "left",
    "overloaded_agent": "shift",
}
"""Why a case goes on to the next agent, by how it was routed; what is escalated goes higher."""

LATE = "late_grant"
"""The ending in which an agent grants something after its limit."""


class Plots:
    """The plots of all cases, each made when it is asked for.

    `lengths` counts the mails of each case, 0 for a chat.
    """

    def __init__(
        self,
        org: Org,
        cases: Table,
        endings: Endings,
        transfers: Array,
        lengths: Array,
    ) -> None:
        self.cases = cases
        self.endings = endings
        self.transfers = transfers
        self.passed = _passed(org, cases.size)
        self.lengths = lengths
        self.others = other_items(org, cases)
        self.ordered_before = orders_before(org, cases) > 0
        self.incidents = org.table("Incident.cases")
        self.voices = org.table("CustomerVoice.cases")
        self.habits = org.table("CustomerVoice.customers")
        self.remedies = _Remedies(org, cases)
        self.behalves = behalves(org, cases)
        enquiries = org.setting.world.trade.contact.enquiries
        self.called = called_by(org, cases)
        self.arrive = {name for name, enquiry in enquiries.items() if enquiry.arrives}
        self.identifies = org.setting.world.trade.contact.identifies
        self.questions = NextQuestions(org, cases)
        self.stock = _with_stock_answers(org)

    def of(self, case: int) -> Plot:
        """The plot of a case."""
        cases, incidents, voices, habits = self.cases, self.incidents, self.voices, self.habits
        ending = str(self.endings.name[case])
        dating = str(voices["dating"][case])
        return Plot(
            ending=ending,
            wish=str(self.remedies.wish[case]),
            wants=bool(voices["wants"][case]),
            verbosity=str(cases["verbosity"][case]),
            tone=str(cases["tone"][case]),
            transfers=int(self.transfers[case]),
            passed=self.passed[case],
            cause=str(incidents["cause"][case]),
            signs=_signs(str(incidents["signs"][case])),
            tells=str(incidents["tells"][case]),
            known_by=str(incidents["known_by"][case]),
            finding=str(incidents["finding"][case]),
            needed=not np.isnat(incidents["needed"][case]),
            step=str(incidents["step"][case]),
            step_days=int(incidents["step_days"][case]),
            evidence=str(incidents["evidence"][case]),
            identifies=self.identifies,
            knows_order=bool(voices["knows_order"][case]),
            naming=self._naming(case),
            dating=dating,
            before=bool(voices["mentions_before"][case]),
            ordered_before=bool(self.ordered_before[case]),
            others=bool(self.others[case] != NONE),
            doubles=float(habits["doubles"][cases["account"][case]]),
            letters=bool(habits["letters"][cases["account"][case]]),
            on_phone=str(voices["device"][case]) in PHONES,
            looked_up=cases["intent"][case] != PRAISE,
            answer=ARRIVES if cases["intent"][case] in self.arrive else ANSWERS,
            called=FULL if self.lengths[case] == 1 else str(self.called[case]),
            for_theirs=self.behalves[case].writes_for not in ("", FAMILY),
            # What makes a late grant a breach must stand in the case.
            dated=ending == LATE and dating != "exact",
            stock=int(cases["issue"][case]) in self.stock,
            **self.questions.of(case),
            **self.remedies.of(case),
        )

    def _naming(self, case: int) -> str:
        """How the product is named: what nobody answers must say by itself what it is about."""
        return FULL if self.lengths[case] == 1 else str(self.voices["naming"][case])


def _with_stock_answers(org: Org) -> frozenset[int]:
    """The rows of the issues to which the desk has a stock answer."""
    plans = [plan_of_issue(org, row) for row in range(org.table("Solution.issues").size)]
    return frozenset(row for row, plan in enumerate(plans) if plan and plan.stock_answer)


def _passed(org: Org, size: int) -> list[tuple[str, ...]]:
    """Why each case was passed on, a reason for each time."""
    assignments = org.table("Routing.assignments")
    escalated = org.table("Urgency.cases")["escalated"]
    reasons: list[tuple[str, ...]] = [()] * size
    for case, reason in zip(assignments["case"].tolist(), assignments["reason"], strict=True):
        told = HIGHER if escalated[case] else REASONS.get(str(reason), "team")
        reasons[case] += (told,)
    # The last of them has kept it.
    return [told[:-1] for told in reasons]


class _Remedies:
    """What is granted, what is done about the problem itself, and why something is refused."""

    def __init__(self, org: Org, cases: Table) -> None:
        outcomes = org.table("PolicyViolation.outcomes")
        incidents = org.table("Incident.cases")
        self.issue = cases["issue"]
        self.fixes = org.table("Solution.issues")["mended_by"]
        plans = [plan_of_issue(org, issue) for issue in range(len(self.fixes))]
        self.causes = [plan.causes if plan else {} for plan in plans]
        self.pictured = [plan.pictured if plan else () for plan in plans]
        self.wish = outcomes["wish"]
        self.granted = outcomes["granted"]
        self.refusal = outcomes["refusal"]
        self.cause = incidents["cause"]
        self.mends = incidents["mends"]
        options = org.table("Solution.options")
        granted = outcomes["granted"].astype(str)
        keys = options["key"].astype(str)
        self.stake = incidents["stake"]
        self.stake_in = incidents["stake_in"]
        self.back = sums_back(org, cases)
        self.settles = told_of(org, cases)
        self.on_top = {option.key for option in org.setting.world.options if option.on_top}
        self.phrases = dict(zip(keys, options["phrase"].astype(str), strict=True))
        self.sent_back = has_faulty(org, cases) & np.isin(granted, keys[options["sent_back"]])

    def of(self, case: int) -> _Remedied:
        """The facts of one case's plot."""
        wish = str(self.wish[case])
        granted = str(self.granted[case])
        fixes = str(self.fixes[int(self.issue[case])])
        return {
            "refunded": bool(self.back[case]),
            "stake": bool(self.stake[case]),
            "stake_in": str(self.stake_in[case]),
            "on_file": any(sign.isdigit() for sign in str(self.stake[case])),
            "sent_back": bool(self.sent_back[case]),
            "pictured": self.pictured[int(self.issue[case])],
            "refusal": str(self.refusal[case]),
            "owes": self._owes(case),
            "in_records": self._is_in_records(case),
            "settles": self.settles[case],
            "sum_named": self._names_sum(case, granted),
            **put_right(fixes, wish, granted, str(self.cause[case]), bool(self.mends[case])),
            "outweighs": exceeds(self.back[case], str(self.stake[case])),
            "size_named": SIZED in self.settles[case] and self._resized(case, granted),
            "on_top": granted in self.on_top,
            **self._to_do(case),
        }

    def _to_do(self, case: int) -> _ToDo:
        """What the cause of a case gives both sides to do, besides the remedy."""
        cause = self._known(case)
        if cause is None:
            return {"tests": (), "at_once": False}
        return {
            "tests": cause.tests,
            "at_once": cause.at_once,
        }

    def _known(self, case: int) -> IncidentCause | None:
        """The cause of a case; None where there is none."""
        return self.causes[int(self.issue[case])].get(str(self.cause[case]))

    def _owes(self, case: int) -> bool:
        """Whether the cause is the company's mistake, and nobody else's."""
        cause = self._known(case)
        return cause is not None and cause.ends == ("remedy",) and not cause.theirs

    def _is_in_records(self, case: int) -> bool:
        """Whether the cause is looked up once an answer has told where to look."""
        cause = self._known(case)
        return cause is not None and cause.looked_up

    def _resized(self, case: int, granted: str) -> bool:
        return is_resized(granted, str(self.cause[case]))

    def _names_sum(self, case: int, granted: str) -> bool:
        """Whether everybody knows the sum: what is granted names it, or gives the very sum back
        that the case is about.
        """
        is_stake = bool(self.stake[case]) and str(self.stake[case]) == self.back[case]
        return is_stake or any(sign.isdigit() for sign in self.phrases.get(granted, ""))


def put_right(
    mended_by: str,
    wish: str,
    granted: str,
    cause: str,
    mends: bool,
) -> PutRight:
    """How the problem itself is put right: by an option that the issue lists, or beside them all.

    `mends` says whether the cause is one that the company mends, once it is known. Who is refused
    something where nothing is to be put right has no other wish than that.
    """
    fixes = set(mended_by.split(",")) if mended_by else set()
    return {
        "mended": bool(fixes) and mends and not fixes & {wish, granted},
        "fixes": granted in fixes,
        "own_wish": bool(fixes) and wish not in fixes and (mends or bool(granted)),
        "blameless": bool(cause) and not mends,
    }


def _signs(stated: str) -> tuple[tuple[str, str], ...]:
    """The signs of an incident with their values: `"heel:loose,sole:worn"` holds two."""
    signs = []
    for pair in stated.split(","):
        if pair:
            sign, value = pair.split(":")
            signs.append((sign, value))
    return tuple(signs)


def orders_before(org: Org, cases: Table) -> Array:
    """How many orders the customer of each case had placed on days before that of its order."""
    orders = org.table("ShoppingHabit.orders")
    items = org.table("ShoppingHabit.items")
    order_days = _day_numbers(orders["day"])
    days: dict[int, list[int]] = {}
    for account, day in sorted(zip(orders["account"].tolist(), order_days, strict=True)):
        days.setdefault(account, []).append(day)
    ordered = items["order"][cases["item"]].tolist()
    numbers = []
    for account, order in zip(cases["account"].tolist(), ordered, strict=True):
        numbers.append(bisect_left(days[account], order_days[order]))
    return np.array(numbers, dtype=np.int64)


def other_items(org: Org, cases: Table) -> Array:
    """For each case an item of another order of the customer, the last one before; or NONE.

    It is called otherwise than the case's own: nobody mistakes "the sandals" for "the sandals".
    """
    items = org.table("ShoppingHabit.items")
    orders = org.table("ShoppingHabit.orders")
    by_day = np.argsort(orders["day"][items["order"]], kind="stable").tolist()
    # Python's own numbers: one of numpy's by itself takes ten times as long to look at.
    order = items["order"].tolist()
    called = org.table("Assortment.products")["short"][items["product"]].tolist()
    account = orders["account"].tolist()
    day = _day_numbers(orders["day"])
    by_account: dict[int, list[int]] = {}
    for row in by_day:
        by_account.setdefault(account[order[row]], []).append(row)
    found = np.full(cases.size, NONE)
    created = _day_numbers(cases["created"])
    customers = cases["account"].tolist()
    for case, own in enumerate(cases["item"].tolist()):
        for row in reversed(by_account[customers[case]]):
            other_order = order[row] != order[own]
            other_product = called[row] != called[own]
            ordered_before = day[order[row]] <= created[case]
            if other_order and other_product and ordered_before:
                found[case] = row
                break
    return found


def called_by(org: Org, cases: Table) -> Array:
    """By what each case's customer calls what they ask about: its kind, its maker or its name.

    So many as the trade says don't say its name. They say the kind where they have only one of it,
    and the maker as well where they have two: `my Trellick car loan`.
    """
    items = org.table("ShoppingHabit.items")
    products = org.table("Assortment.products")
    owners = org.table("ShoppingHabit.orders")["account"][items["order"]].tolist()
    held = Counter(zip(owners, products["short"][items["product"]].tolist(), strict=True))
    product = items["product"][cases["item"]]
    kinds = products["short"][product].tolist()
    alone = [held[owned] == 1 for owned in zip(cases["account"].tolist(), kinds, strict=True)]
    points = org.setting.stream("CaseStory", "kinds").random(cases.size)
    shorter = points < org.setting.world.trade.contact.named_by_kind
    small = org.table("CustomerVoice.customers")["small_letters"][cases["account"]].astype(bool)
    by_kind = np.where(np.array(alone, dtype=bool), KIND, SHORT)
    return np.asarray(np.where(shorter | small, by_kind, FULL), dtype=object)


def _day_numbers(moments: Array) -> list[int]:
    """The days of moments, counted from 1970."""
    days: list[int] = moments.astype("datetime64[D]").astype(np.int64).tolist()
    return days
