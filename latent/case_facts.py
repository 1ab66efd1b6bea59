"""What the writers of a case are told of it: its subject, its customer, its incident, its terms.

One function a group of columns of `CaseStory.cases`. Knows no course and no words.
"""

import numpy as np

from latent.contacts import COMPLAINT
from latent.elapsed import nth_in_words, roughly_dated, told_day
from latent.enquiry_topics import topics_of
from latent.plots import orders_before, other_items
from latent.policy_terms import MOST_TERMS
from pipeline.world.org import Org
from pipeline.world.tables import NONE, Array, Table, strings

# Who writes did something about it today or in the last days. By eye; six hours are the time of a
# customer in the middle of the country behind UTC.
LONGEST_TRYING = 6

AT_HOME = np.timedelta64(6, "h")


def filed_as(org: Org, cases: Table) -> tuple[Array, Array]:
    """The type and the reason that the desk gives each case."""
    trade = org.setting.world.trade
    issues = org.table("Solution.issues")
    kinds = issues["kind"][cases["issue"]]
    own = issues["reason"][cases["issue"]]
    types = []
    reasons = []
    for kind, reason, intent in zip(kinds, own, cases["intent"], strict=True):
        enquiry = trade.contact.enquiries.get(intent)
        types.append(enquiry.type if enquiry else trade.desk.types[kind])
        usual = reason or trade.desk.reasons[kind]
        reasons.append(enquiry.reason if enquiry else usual)
    return strings(types), strings(reasons)


def subject_of(org: Org, cases: Table, pitch: Array) -> dict[str, Array]:
    """What each case is about: its issue, and the product in words; or what a stranger offers."""
    products = org.table("Assortment.products")
    product = org.table("ShoppingHabit.items")["product"][cases["item"]]
    category = products["category"][product]
    issues = org.table("Solution.issues")
    complaint = cases["intent"] == COMPLAINT
    enquiry_key = _enquiry_keys(org, cases, pitch)
    _, reasons = filed_as(org, cases)
    return {
        "issue_key": np.where(complaint, issues["key"][cases["issue"]], enquiry_key),
        "issue_name": np.where(complaint, issues["name"][cases["issue"]], reasons),
        "category_key": products["category_key"][product],
        "group_key": products["group_key"][product],
        "product_short": products["short"][product],
        "plural": org.table("Assortment.categories")["plural"][category],
    }


def _enquiry_keys(org: Org, cases: Table, pitch: Array) -> Array:
    """By which words each case that is no complaint is written: `enquiry_question_papers`.

    What exactly it is about is its topic, if it has one, or what a stranger offers.
    """
    keys = []
    for intent, topic, offer in zip(cases["intent"], topics_of(org, cases), pitch, strict=True):
        about = topic or offer
        keys.append(f"enquiry_{intent}_{about}" if about else f"enquiry_{intent}")
    return strings(keys)


def bought_when(org: Org, cases: Table) -> Array:
    """How each customer dates the purchase in the first mail, roughly."""
    created = cases["created"].astype("datetime64[D]")
    ordered = created - cases["days"].astype("timedelta64[D]")
    rows = zip(
        cases["days"].tolist(),
        ordered.tolist(),
        created.tolist(),
        strict=True,
    )
    return strings([roughly_dated(days, day, today) for days, day, today in rows])


def background_of(org: Org, cases: Table) -> dict[str, Array]:
    """What customers can tell of themselves: which of their orders it is, the year of the first
    one, and the day on which they tried something themselves.
    """
    rng = org.setting.stream("CaseStory", "background")
    orders = org.table("ShoppingHabit.orders")
    first = np.full(org.table("ShoppingHabit.customers").size, np.datetime64("9999-01-01"))
    np.minimum.at(first, orders["account"], orders["day"])
    years = first[cases["account"]].astype("datetime64[Y]").astype(str)
    nth = [nth_in_words(int(before) + 1) for before in orders_before(org, cases)]
    written = (cases["created"] - AT_HOME).astype("datetime64[D]")
    back = rng.integers(0, LONGEST_TRYING, size=cases.size)
    back = np.minimum(back, np.maximum(cases["days"] - 1, 0))
    tried = []
    for today, days in zip(written.tolist(), back.tolist(), strict=True):
        tried.append(told_day(today, days))
    return {
        "nth_order": strings(nth),
        "first_year": strings(years.tolist()),
        "tried": strings(tried),
    }


def incident_of(org: Org) -> dict[str, Array]:
    """What a writer is told of each incident: the cause, what is seen of it, and who can know."""
    incidents = org.table("Incident.cases")
    marks = org.table("Incident.marks")
    words = {}
    for sign, value, known in zip(marks["sign"], marks["value"], marks["marks"], strict=True):
        words[f"{sign}:{value}"] = str(known).replace("*", "").replace("|", ", ")
    seen = []
    for signs in incidents["signs"]:
        told = [pair for pair in str(signs).split(",") if pair]
        seen.append("; ".join(f"{pair.replace(':', ': ')} ({words[pair]})" for pair in told))
    return {
        "cause": incidents["cause"],
        "seen": strings(seen),
        "known_by": incidents["known_by"],
        "stake": incidents["stake"],
        "details": incidents["details"],
    }


def numbers_of_issue(cases: Table) -> Array:
    """The number of each case among those of its issue and channel, from 1, in time.

    Where nothing went wrong the issue says nothing: praise is counted among praise.
    """
    counted: dict[tuple[int, str, str], int] = {}
    numbers = []
    issues = np.where(cases["intent"] == COMPLAINT, cases["issue"], NONE)
    for key in zip(issues.tolist(), cases["channel"], cases["intent"], strict=True):
        counted[key] = counted.get(key, 0) + 1
        numbers.append(counted[key])
    return np.array(numbers, dtype=np.int64)


def others_of(org: Org, cases: Table) -> Array:
    """What customers call the product of an order that is mistaken for the right one."""
    items = org.table("ShoppingHabit.items")["product"]
    shorts = org.table("Assortment.products")["short"]
    found = []
    for row in other_items(org, cases).tolist():
        found.append("" if row == NONE else str(shorts[items[row]]))
    return strings(found)


def terms_of(org: Org, cases: int) -> dict[str, Array]:
    """What each case's agent tells of policies: the clauses, and their figures with units.

    And how its customer asks for them. `grant_text` is the clause that breaks its policy's article.
    """
    terms = org.table("PolicyViolation.terms")
    columns: dict[str, Array] = {}
    for place in range(MOST_TERMS):
        rows = np.flatnonzero(terms["place"] == place)
        for kind, source in (("term", "phrase"), ("shown", "shown"), ("ask", "asked")):
            said = strings([""] * cases)
            said[terms["case"][rows]] = terms[source][rows]
            columns[f"{kind}_{place + 1}"] = said
    breaks = np.flatnonzero(terms["broken"])
    columns["grant_text"] = strings([""] * cases)
    columns["grant_text"][terms["case"][breaks]] = terms["phrase"][breaks]
    return columns


def phrases_of(org: Org) -> dict[str, str]:
    """The noun phrase of each option, and of none."""
    options = org.table("Solution.options")
    return {**dict(zip(options["key"], options["phrase"], strict=True)), "": ""}


def ways_of(org: Org) -> dict[str, str]:
    """The other words that show each option, apart by `|`, and those of none."""
    options = org.table("Solution.options")
    return {**dict(zip(options["key"], options["ways"], strict=True)), "": ""}


def avoided_in(org: Org, phrases: dict[str, str]) -> list[str]:
    """For each case the options that it is not about: its texts may not name them.

    What somebody asks for besides, and is told of a policy, may name one all the same.
    """
    outcomes = org.table("PolicyViolation.outcomes")
    terms = org.table("PolicyViolation.terms")
    said: dict[int, str] = {}
    for case, asked, told in zip(terms["case"], terms["asked"], terms["phrase"], strict=True):
        said[int(case)] = f"{said.get(int(case), '')} {asked} {told}".casefold()
    avoided = []
    for case, named in enumerate(zip(outcomes["wish"], outcomes["granted"], strict=True)):
        others = [_noun(phrase) for key, phrase in phrases.items() if key and key not in named]
        besides = said.get(case, "")
        avoided.append("|".join(other for other in others if other.casefold() not in besides))
    return avoided


def _noun(phrase: str) -> str:
    """An option's phrase without its article, as a text about another option may not have it."""
    return phrase.removeprefix("a ").removeprefix("an ").removeprefix("the ")
