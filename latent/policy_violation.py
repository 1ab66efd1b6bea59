"""PolicyViolation: in which closed cases an agent breaks an article, which one, and how.

It draws `agents` (leniency), `outcomes` (for each case how it ends, the option wished for, the
option granted, their day limits, and the article broken) and `terms` (what agents told of policies
beside the grant: `latent.policy_terms`). An agent breaks the article of the case's issue by what is
granted, or a policy's article by a term that is kinder than the article.
A case is granted, granted_other, declined or open, or it ends in one of two breaches, late_grant
and unlisted_grant. What is no complaint is answered, or open; `latent.enquiry_ending` says which
of it ends without an answer.
It is drawn from Solution (options and limits), ComplaintHabit (tone, days since the order) and
Routing (the last agent).
It drives what CaseStory has the agent say in e-mails and chats.
A grant is lawful where the option is listed for the issue and the case was created within its
limit, counted from the order's date.
"""

import sqlite3
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from latent.broken_articles import DealtBreach, dealt_out
from latent.contacts import COMPLAINT
from latent.dialogue import NO_FAULT, TOO_LATE, UNLISTED
from latent.draws import exactly_within
from latent.policy_terms import (
    KnownTerm,
    ToldTerm,
    breakable_terms,
    coming_to_mind,
    known_terms,
    terms_table,
    told_with,
)
from latent.statistics import correlation
from latent.variable import Effect
from pipeline.world.org import Org
from pipeline.world.streams import Stream
from pipeline.world.tables import NONE, Array, Table, strings, table
from schemas.incidents import plan_for
from schemas.issues import Option

BREACHES = ("late_grant", "unlisted_grant")

# How much likelier an agent is to give in, by the customer's tone. Chosen by eye: anger helps
# most.
PRESSING = {"angry": 2.2, "annoyed": 1.5, "worried": 1.2, "friendly": 1.0, "calm": 0.8}

# Leniency is gamma with a shape below one: most agents hardly ever break a rule, a few often do,
# so that "which agent breaks the policy most" has an answer. The small floor keeps every agent
# able to.
LENIENCY_SHAPE = 0.9
LEAST_LENIENCY = 0.03

# Of breaches where an option is too late four in five grant that one, since customers ask for it;
# the others grant what isn't listed at all, half of them unasked. Chosen by eye.
LATE_RATHER_THAN_UNLISTED = 0.8
UNLISTED_ASKED_FOR = 0.5

# Where some option is too late and another not, a quarter of the customers wish for the late one
# and get the other: few are refused one thing and given the next. Of the rest, and of all others,
# three in five name what they wish for where it undoes the problem and anybody thinks of it: their
# money back, and no priority review. What is given on top of that is mostly given to who asks for
# it. Chosen by eye.
WISHES_TOO_LATE = 0.25
NAMES_A_WISH = 0.6
NAMES_WHAT_FEW_KNOW = 0.2
ASKS_FOR_MONEY = 0.85

# What undoes the problem is granted so many times as often as what is given on top of that: a desk
# that pays in every second case, whatever was wrong, sounds like a machine. Chosen by eye.
UNDOES_RATHER = 15.0

# Of the cases in time some are refused all the same, since the company made no mistake; and some
# customers wish for what is never given for such a problem, and get something else. By eye, so
# that about every second refusal has another reason than the date.
NO_FAULT_SHARE = 0.07
WISHES_UNLISTED = 0.05

# Breaches are spread evenly over the issues: else the articles on the commonest, and on what a few
# lenient agents have most, would be most of what is broken. But of an issue's closed complaints no
# more than this share is in breach, as long as others are left.
MOST_OF_AN_ISSUE = 0.3

# Of the breaches so many are of a policy's article, the grant itself being lawful: with fewer the
# article would mostly follow from the case's issue, and with more from what the agents speak of.
OF_POLICIES = 0.55

# What goes with a term: whoever gets nothing is told nothing of it.
GRANTED = frozenset({"granted", "granted_other", *BREACHES})

# Only where something may be granted can an article be broken. Each case counts: a desk of a dozen
# agents has too few of them to compare their shares.
LENIENCY_AND_BREACHES = """
    SELECT a.leniency, o.broken <> ''
    FROM "Case" c
    JOIN latent."PolicyViolation.agents" a ON a.Id = c.OwnerId
    JOIN latent."PolicyViolation.outcomes" o ON o.Id = c.Id
    WHERE c.ClosedDate IS NOT NULL AND c.IssueId__c IS NOT NULL
"""


class Outcome(NamedTuple):
    """How a case ends; options are keys ("" for none), limits days (0 for none).

    Where a grant was not wished for, the wish's limit is the grant's. `terms` were told with it.
    `refusal` says why the wish is refused, where it is: `latent.dialogue.TOO_LATE` and others.
    """

    ending: str
    wish: str
    granted: str
    wish_limit: int
    granted_limit: int
    terms: tuple[ToldTerm, ...] = ()
    refusal: str = TOO_LATE

    @property
    def of_policy(self) -> ToldTerm | None:
        """The term that breaks its policy's article."""
        return next((term for term in self.terms if term.broken), None)


ANSWERED = Outcome("answered", "", "", 0, 0)
"""How what is no complaint ends: nothing is wished for, granted or refused."""


class PolicyViolation:
    """Outcomes of all cases, lawful and not."""

    name = "PolicyViolation"
    reads: tuple[str, ...] = (
        "Solution",
        "ComplaintHabit",
        "Routing",
        "IssueSolution",
        "Assortment",
        "ShoppingHabit",
    )
    tables: Mapping[str, tuple[str, ...]] = {
        "agents": ("Id", "leniency"),
        "outcomes": (
            "Id",
            "ending",
            "wish",
            "granted",
            "wish_limit",
            "granted_limit",
            "article",
            "broken",
            "refusal",
        ),
        "terms": (
            "case",
            "place",
            "policy",
            "figure",
            "told",
            "stated",
            "broken",
            "phrase",
            "shown",
            "asked",
        ),
    }
    drives = ("EmailMessage.TextBody", "LiveChatTranscript.Body")
    references: Mapping[str, str] = {}

    def draw(self, org: Org) -> tuple[Table, ...]:
        """The profile's share of cases in breach, by lenient agents and pressing customers."""
        rng = org.setting.stream("PolicyViolation", "outcomes")
        cases = org.table("ComplaintHabit.cases")
        users = org.setting.count("User")
        gamma = rng.gamma(LENIENCY_SHAPE, 1.0, size=users)
        leniency = np.round(gamma + LEAST_LENIENCY, 3)
        breaking = _breaking(org, rng, cases, leniency)
        outcomes = _outcomes(org, rng, cases, breaking)
        agents = table(
            "PolicyViolation.agents",
            {"Id": "User"},
            Id=np.arange(users),
            leniency=leniency,
        )
        terms = terms_table([outcome.terms for outcome in outcomes])
        return agents, _as_table(org, cases, outcomes), terms

    def effects(self, org: sqlite3.Connection) -> tuple[Effect, ...]:
        """Lenient agents break the rules more often."""
        rows = org.execute(LENIENCY_AND_BREACHES).fetchall()
        return (correlation(self.name, "lenient agents break the article more often", rows),)


def _breaking(
    org: Org,
    rng: Stream,
    cases: Table,
    leniency: Array,
) -> Array:
    """Which cases end in a breach: exactly the profile's share of those that are closed, evenly
    over their issues.
    """
    last = _last_agents(org.table("Routing.assignments"), cases.size)
    pressing = np.array([PRESSING[str(tone)] for tone in cases["tone"]])
    closed = org.table("Routing.cases")["closed"]
    breaking = np.zeros(cases.size, dtype=bool)
    complaints = cases["intent"] == COMPLAINT
    wanted = round((closed & complaints).sum() * org.setting.profile.rates.violations)
    weights = leniency[last] * pressing * closed * complaints
    _, issue = np.unique(cases["issue"], return_inverse=True)
    possible = np.bincount(issue, weights=weights > 0)
    even = np.ceil(wanted / max(np.count_nonzero(possible), 1))
    room = np.minimum(even, np.ceil(possible * MOST_OF_AN_ISSUE))
    breaking[exactly_within(rng, weights, wanted, issue, room)] = True
    return breaking


def _last_agents(assignments: Table, cases: int) -> Array:
    last = np.zeros(cases, dtype=np.int64)
    # Rows stand in the order of steps, so the last one of a case wins.
    last[assignments["case"]] = assignments["agent"]
    return last


@dataclass(frozen=True, slots=True)
class _Rules:
    """What is listed for each issue, what else an agent might think of, and the terms to tell."""

    limits: list[dict[str, int]]
    gestures: list[list[str]]
    unlisted: list[list[str]]
    fixes: list[list[str]]
    in_vain: list[list[str]]
    asks_less: dict[str, float]
    few_know: frozenset[str]
    from_day: dict[str, int]
    terms: list[KnownTerm]


def _outcomes(
    org: Org,
    rng: Stream,
    cases: Table,
    breaking: Array,
) -> list[Outcome]:
    closed = org.table("Routing.cases")["closed"]
    issues = range(org.table("Solution.issues").size)
    rules = _Rules(
        [_limits(org, issue) for issue in issues],
        [_gestures(org, issue) for issue in issues],
        [_unlisted(org, issue) for issue in issues],
        [keys.split(",") for keys in org.table("Solution.issues")["mended_by"]],
        [_in_vain(org, issue) for issue in issues],
        {option.key: float(np.mean(option.days)) for option in org.setting.world.options},
        _known_to_few(org.setting.world.options),
        {option.key: option.from_day for option in org.setting.world.options},
        known_terms(org),
    )
    product = org.table("ShoppingHabit.items")["product"][cases["item"]]
    categories = org.table("Assortment.products")["category_key"][product]
    keys = org.table("Solution.issues")["key"]
    teller = org.setting.stream("PolicyViolation", "terms")
    of_policy = _of_policy(teller, cases, breaking, rules, keys, categories)
    outcomes = []
    complains = cases["intent"] == COMPLAINT
    rows = zip(cases["issue"], cases["days"], breaking, closed, complains, strict=True)
    for case, (issue, days, broken, done, complained) in enumerate(rows):
        told_wrongly = None
        if not complained:
            outcome = ANSWERED
        elif case in of_policy:
            outcome, told_wrongly = of_policy[case]
        elif broken:
            outcome = breach(rng, rules.limits[issue], int(days), rules.gestures[issue])
        else:
            outcome = _unbroken(rng, rules, int(issue), int(days))
        if not done:
            outcome = _still_open(outcome)
        category = str(categories[case])
        known = coming_to_mind(rules.terms, str(keys[issue]), category)
        outcomes.append(_with_terms(teller, outcome, known, told_wrongly, category))
    return outcomes


def _unbroken(rng: Stream, rules: _Rules, issue: int, days: int) -> Outcome:
    """What the article allows, or what is refused."""
    limits = thought_of(rules.limits[issue], days, rules.from_day)
    fixes, in_vain = rules.fixes[issue], rules.in_vain[issue]
    unlisted = rules.unlisted[issue]
    other = refused(rng, limits, days, unlisted, fixes, rules.asks_less, in_vain)
    return other or lawful(rng, limits, days, fixes, in_vain, rules.few_know)


def _of_policy(
    rng: Stream,
    cases: Table,
    breaking: Array,
    rules: _Rules,
    keys: Array,
    categories: Array,
) -> dict[int, tuple[Outcome, KnownTerm]]:
    """The breaches of a policy's article: what is granted, and the term that is told wrongly.

    They are some of those in which something is still in time: who breaks a policy's article grants
    something. None, where agents have nothing to tell of policies.
    """
    rows = np.flatnonzero(breaking)
    tellable = any(term.kinder for term in rules.terms)
    wanted = round(rows.size * OF_POLICIES) if tellable else 0
    grants: list[Outcome] = []
    breaches = []
    for row in rows.tolist():
        issue, days = int(cases["issue"][row]), int(cases["days"][row])
        category = str(categories[row])
        limits = thought_of(rules.limits[issue], days, rules.from_day)
        fixes, in_vain = rules.fixes[issue], rules.in_vain[issue]
        grant = lawful(rng, limits, days, fixes, in_vain, rules.few_know)
        terms: list[KnownTerm] = []
        if grant.granted:
            own = coming_to_mind(rules.terms, str(keys[issue]), category)
            terms = breakable_terms(rules.terms, own, grant.granted, category)
        grants.append(grant)
        breaches.append(DealtBreach(issue, grant.granted, terms))
    broken = dealt_out(rng, breaches, wanted)
    found = zip(rows.tolist(), grants, broken, strict=True)
    return {row: (grant, term) for row, grant, term in found if term}


def _with_terms(
    rng: Stream,
    outcome: Outcome,
    known: list[KnownTerm],
    breaks: KnownTerm | None,
    category: str,
) -> Outcome:
    """The outcome with what is told beside its grant."""
    if outcome.ending not in GRANTED:
        return outcome
    beside = outcome.ending in BREACHES
    told = told_with(rng, known, outcome.granted, breaks, category, beside)
    return outcome._replace(terms=tuple(told))


def _as_table(org: Org, cases: Table, outcomes: list[Outcome]) -> Table:
    own = org.table("IssueSolution.by_issue")["article"][cases["issue"]]
    keys = org.table("IssueSolution.articles")["key"]
    articles = []
    for outcome, of_issue in zip(outcomes, own.tolist(), strict=True):
        term = outcome.of_policy
        by_grant = of_issue if outcome.ending in BREACHES else NONE
        articles.append(term.known.article if term else by_grant)
    return table(
        "PolicyViolation.outcomes",
        {"Id": "Case", "article": "Knowledge__kav"},
        Id=np.arange(cases.size),
        ending=strings([outcome.ending for outcome in outcomes]),
        wish=strings([outcome.wish for outcome in outcomes]),
        granted=strings([outcome.granted for outcome in outcomes]),
        wish_limit=np.array([outcome.wish_limit for outcome in outcomes], dtype=np.int64),
        granted_limit=np.array([outcome.granted_limit for outcome in outcomes], dtype=np.int64),
        article=np.array(articles, dtype=np.int64),
        broken=strings(["" if row == NONE else str(keys[row]) for row in articles]),
        refusal=strings([outcome.refusal for outcome in outcomes]),
    )


def _limits(org: Org, issue: int) -> dict[str, int]:
    """The day limit of each option that is listed for an issue."""
    listed = org.table("Solution.listed")
    rows = np.flatnonzero(listed["issue"] == issue)
    limits = {}
    for row in rows:
        option = str(listed["option"][row])
        limits[option] = int(listed["limit"][row])
    return limits


def _in_vain(org: Org, issue: int) -> list[str]:
    """What customers wish for in vain where nobody has made a mistake, of what the issue lists.

    Who believes that a fee is wrong wants the fee back, and nothing for the trouble. That is asked
    for by those for whom something is put right all the same, such as a lock of their own making.
    """
    issues = org.table("Solution.issues")
    plan = plan_for(org.setting.world.incidents, str(issues["key"][issue]))
    listed = list(_limits(org, issue))
    if plan is None:
        return listed
    fixes = str(issues["mended_by"][issue]).split(",")
    innocent = [cause for cause in plan.causes.values() if "refusal" in cause.ends]
    final = [cause for cause in innocent if not cause.is_mended]
    asked = []
    for key in listed:
        if key in fixes and any(cause.is_cured_by(key) for cause in final):
            asked.append(key)
    if asked and len(final) == len(innocent):
        return asked
    return [*asked, *(key for key in listed if key not in fixes)]


def _known_to_few(options: Sequence[Option]) -> frozenset[str]:
    """Options that give nobody their money or a new thing: a review, a call, a corrected bill."""
    few = [each for each in options if not (each.refunded or each.sent_back or each.repays)]
    return frozenset(option.key for option in few if not option.worth and not option.share)


def _gestures(org: Org, issue: int) -> list[str]:
    """Options not listed for an issue that an agent might yet think of.

    Those that the world states; else those that other companies list for it; else those listed for
    others of its kind; else those of several kinds; else any.
    """
    issues = org.table("Solution.issues")
    listed = org.table("Solution.listed")
    stated = str(issues["lenient"][issue])
    here = set(map(str, listed["option"][listed["issue"] == issue]))
    lenient = [key for key in stated.split(",") if key and key not in here]
    elsewhere = lenient or _unlisted(org, issue)
    if elsewhere:
        return elsewhere
    kinds: dict[str, set[str]] = {}
    for key, other in zip(listed["option"], listed["issue"], strict=True):
        kind = str(issues["kind"][other])
        kinds.setdefault(str(key), set()).add(kind)
    for key in listed["option"][listed["issue"] == issue]:
        kinds.pop(str(key), None)
    kind = str(issues["kind"][issue])
    near = [key for key, known in kinds.items() if kind in known]
    general = [key for key, known in kinds.items() if len(known) > 1]
    return near or general or list(kinds)


def _unlisted(org: Org, issue: int) -> list[str]:
    """Options that other companies list for an issue, and this one does not."""
    keys = str(org.table("Solution.issues")["elsewhere"][issue])
    return [key for key in keys.split(",") if key]


def refused(
    rng: Stream,
    limits: dict[str, int],
    days: int,
    unlisted: Sequence[str],
    fixes: Collection[str],
    asks_less: Mapping[str, float] | None = None,
    in_vain: Collection[str] = (),
) -> Outcome | None:
    """What is refused for another reason than the date, in a few cases in time; mostly nothing.

    `unlisted` are options that customers may wish for and never get for such a problem; `fixes`
    undo the problem itself, and are refused last of all. `asks_less` are the days for which options
    are usually granted: what is granted longer asks less of the company, and nobody is refused that
    and given more. `in_vain` are what somebody may be refused for whom nothing went wrong.
    """
    in_time = [key for key, limit in limits.items() if days <= limit]
    if not in_time:
        return None
    point = rng.random()
    if point < NO_FAULT_SHARE:
        wishes = [key for key in in_time if key in in_vain]
        if in_vain and not wishes:
            return None
        beside = [key for key in in_time if key not in fixes]
        wish = _any_of(rng, wishes or beside or in_time)
        return Outcome("declined", wish, "", limits[wish], 0, refusal=NO_FAULT)
    others = [key for key in unlisted if key not in fixes]
    if others and point < NO_FAULT_SHARE + WISHES_UNLISTED:
        granted = _of_use(rng, in_time, fixes)
        usual = asks_less or {}
        more = [key for key in others if usual.get(key, 0) <= usual.get(granted, 0)]
        if not more:
            return None
        wish = _any_of(rng, more)
        return Outcome("granted_other", wish, granted, 0, limits[granted], refusal=UNLISTED)
    return None


def thought_of(limits: dict[str, int], days: int, from_day: Mapping[str, int]) -> dict[str, int]:
    """The options that come to mind after so many days, as far as any of them is in time."""
    here = {key: limit for key, limit in limits.items() if days >= from_day.get(key, 0)}
    return here if any(days <= limit for limit in here.values()) else limits


def lawful(
    rng: Stream,
    limits: dict[str, int],
    days: int,
    fixes: Collection[str] = (),
    in_vain: Collection[str] = (),
    few_know: Collection[str] = (),
) -> Outcome:
    """What the article allows after so many days; `limits` is option -> day limit.

    `fixes` undo the problem itself: nobody wishes for one that is too late who gets another option.
    `in_vain` are what somebody wishes for who gets nothing; `few_know` are options that customers
    seldom think of.
    """
    in_time = [key for key, limit in limits.items() if days <= limit]
    late = _late(limits, days)
    beside = [key for key in late if key not in fixes]
    if not in_time:
        asked = [key for key in late if key in in_vain]
        wish = _any_of(rng, asked or beside or late)
        return Outcome("declined", wish, "", limits[wish], 0)
    if beside and rng.random() < WISHES_TOO_LATE:
        wish = _any_of(rng, beside)
        granted = _of_use(rng, in_time, fixes)
        return Outcome("granted_other", wish, granted, limits[wish], limits[granted])
    granted = _of_use(rng, in_time, fixes)
    names_it = NAMES_A_WISH if granted in fixes else ASKS_FOR_MONEY
    if granted in fixes and granted in few_know:
        names_it = NAMES_WHAT_FEW_KNOW
    wish = granted if rng.random() < names_it else ""
    return Outcome("granted", wish, granted, limits[granted], limits[granted])


def breach(
    rng: Stream,
    limits: dict[str, int],
    days: int,
    unlisted: list[str],
) -> Outcome:
    """What the article forbids after so many days: an option that is late, or one not listed.

    Where neither exists, the case is granted lawfully after all.
    """
    late = _late(limits, days)
    if late and rng.random() < LATE_RATHER_THAN_UNLISTED:
        return _grant("late_grant", _any_of(rng, late), limits)
    if unlisted:
        granted = _any_of(rng, unlisted)
        wish = granted if rng.random() < UNLISTED_ASKED_FOR else ""
        return Outcome("unlisted_grant", wish, granted, 0, 0)
    granted = _any_of(rng, list(limits))
    if late:
        return _grant("late_grant", late[0], limits)
    return _grant("granted", granted, limits)


def _grant(ending: str, option: str, limits: dict[str, int]) -> Outcome:
    """The option that was wished for is granted."""
    return Outcome(ending, option, option, limits[option], limits[option])


def _still_open(outcome: Outcome) -> Outcome:
    """A case still open has a wish, but no ending yet."""
    return Outcome("open", outcome.wish, "", outcome.wish_limit, 0)


def _late(limits: dict[str, int], days: int) -> list[str]:
    return [key for key, limit in limits.items() if days > limit]


def _of_use(rng: Stream, keys: Sequence[str], fixes: Collection[str]) -> str:
    """One of the options, mostly one that undoes the problem, should there be any."""
    weights = np.array([UNDOES_RATHER if key in fixes else 1.0 for key in keys])
    return keys[int(rng.choice(len(keys), p=weights / weights.sum()))]


def _any_of(rng: Stream, keys: list[str]) -> str:
    return keys[int(rng.integers(len(keys)))]
