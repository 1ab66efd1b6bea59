"""What each task takes as its truth, on a toy story that can be worked out by hand; and which draws
are refused.
"""

import itertools
from datetime import date
from random import Random
from typing import Any

from orgweave.benchmark.choice import Twins, best
from orgweave.benchmark.instance import NOTHING, Candidate
from orgweave.benchmark.registry import TASKS
from orgweave.benchmark.story import (
    Conversation,
    NewCase,
    Product,
    PurchasedItem,
    Story,
    Utterance,
)
from orgweave.benchmark.task import TaskSources
from orgweave.benchmark.tasks.case_routing import fittest
from orgweave.benchmark.tasks.named_entity_disambiguation import closeness
from orgweave.benchmark.texts import passage
from tests.task_toys import case, story


def drawn(
    task: str, story: Story, number: int = 600, twins: Twins | None = None, **more: Any
) -> list[Candidate]:
    """What comes of so many draws of a task; `more` are other sources than the story."""
    draws = TASKS[task].draws(TaskSources(story, **more), Random(1), twins)
    some = itertools.islice(draws, number)
    return [candidate for candidate in some if isinstance(candidate, Candidate)]


def three_agents() -> Story:
    """In March 2021: u1 closes three cases in 10 hours each, u2 three in 20, u3 one in 1 hour, and
    one of u2's takes 500 after a transfer from u1.
    """
    quick = [case(at, "u1", f"2021-03-{at + 2:02d}", 10.0) for at in range(3)]
    slow = [case(at + 10, "u2", f"2021-03-{at + 10:02d}", 20.0) for at in range(3)]
    return story(
        [*quick, *slow, case(20, "u3", "2021-03-25", 1.0), case(30, "u2", "2021-03-26", 500.0)],
        {"c30": ("u1",)},
    )


def march(found: list[Candidate]) -> set[tuple[object, ...]]:
    """Extremum, n and answer of the questions on March 2021."""
    return {
        (one.parameters["extremum"], one.parameters["more_than"], *one.answer)
        for one in found
        if one.parameters.get("period") == "March 2021"
    }


def test_handle_time_leaves_out_transferred_cases_and_agents_with_too_few() -> None:
    """u2's mean is 20 hours, not 140: the transferred case doesn't count; u3, with one case,
    doesn't qualify.
    """
    asked = march(drawn("handle_time", three_agents(), 3000))
    assert asked == {
        answer
        for more_than in (1, 2)
        for answer in (("longest", more_than, "u2"), ("shortest", more_than, "u1"))
    }


def test_a_number_on_which_readings_of_managed_disagree_is_not_asked() -> None:
    """With more than 3 cases u1 qualifies only where the case that it was handed and gave away
    counts: no question has that number.
    """
    assert all(
        more_than <= 2 for _, more_than, *_ in march(drawn("handle_time", three_agents(), 3000))
    )


def test_nobody_qualifies_where_nothing_answers() -> None:
    """In an unanswerable question no agent with a mean managed more than n, on every reading; its
    window is of the kind of an answerable one.
    """
    months = story(
        [case(at, "u1", f"2021-03-{at + 1:02d}") for at in range(3)]
        + [case(9, "u2", "2021-03-20")]
        + [case(at + 20, f"u{at}", f"2021-07-{at + 1:02d}") for at in range(3)]
    )
    twin = Candidate(
        "named",
        {
            "period": "May 2021",
            "more_than": 2,
            "start": "2021-05-01T00:00:00Z",
            "end": "2021-05-31T00:00:00Z",
        },
        {},
        (),
        ("u1",),
    )
    found = drawn("handle_time", months, 3000, [twin])
    assert {
        (one.parameters["period"], one.parameters["more_than"], one.answer) for one in found
    } == {("July 2021", 1, NOTHING)}


def test_nobody_transferred_where_nothing_answers() -> None:
    """An unanswerable transfer question may have a small n: agents qualify, and none of them passed
    a case on.
    """
    quiet = story(
        [case(at, "u1", f"2021-03-{at + 1:02d}") for at in range(4)]
        + [case(9, "u2", "2021-07-01")],
        {"c9": ("u1",)},
    )
    twin = Candidate(
        "named",
        {
            "period": "May 2021",
            "more_than": 1,
            "start": "2021-05-01T00:00:00Z",
            "end": "2021-05-31T00:00:00Z",
        },
        {},
        (),
        ("u1",),
    )
    assert ("most", 1) in march(drawn("transfer_count", quiet, 2000, [twin]))


def test_transfers_count_for_the_agent_who_gave_the_case_away() -> None:
    """u1 passed three cases on and u2 one: u1 has most, u2 fewest, and u3, who passed on none,
    doesn't enter.
    """
    cases = (
        [case(at, "u3", f"2021-03-{at + 1:02d}") for at in range(8)]
        + [case(at + 20, "u1", f"2021-03-{at + 10:02d}") for at in range(5)]
        + [case(at + 40, "u2", f"2021-03-{at + 10:02d}") for at in range(5)]
    )
    moves = {"c0": ("u1",), "c1": ("u1",), "c2": ("u1",), "c3": ("u2",)}
    asked = march(drawn("transfer_count", story(cases, moves), 3000))
    assert {("most", 2, "u1"), ("fewest", 2, "u2")} <= asked


def test_ties_are_no_answer() -> None:
    """Two names with the same value leave nothing to answer, and so do values that differ by less
    than a thousandth.
    """
    assert best({"a": 2, "b": 2, "c": 1}, largest=True) == NOTHING
    assert best({"a": 10.0, "b": 10.001}, largest=False) == NOTHING
    assert best({"a": 2, "b": 3}, largest=False) == ("a",)
    assert best({}, largest=True) == NOTHING


def test_a_new_case_goes_by_issue_then_product_then_load() -> None:
    """Most closed cases of the issue win; among equals those of the product; among these the fewest
    open cases.
    """
    by_issue = [
        case(1, "u1", "2021-02-01"),
        case(2, "u1", "2021-02-02"),
        case(3, "u2", "2021-02-03"),
    ]
    assert fittest(story(by_issue), "i1", "p1") == ("u1",)
    by_product = [
        case(1, "u1", "2021-02-01", product="p2"),
        case(2, "u2", "2021-02-02", product="p1"),
    ]
    assert fittest(story(by_product), "i1", "p1") == ("u2",)
    by_load = [
        case(1, "u1", "2021-02-01"),
        case(2, "u2", "2021-02-02"),
        case(3, "u1", "2021-03-03", None, issue="i2"),
    ]
    assert fittest(story(by_load), "i1", "p1") == ("u2",)


def test_a_new_case_for_which_two_agents_are_equally_fit_is_dropped() -> None:
    """A question without one best answer is none."""
    twins = story([case(1, "u1", "2021-02-01"), case(2, "u2", "2021-02-02")])
    assert not drawn("case_routing", twins, new_cases=[NewCase(0, "i1", "p1")])


def test_the_top_issue_has_a_rival_and_no_equal() -> None:
    """Two leaks against one blister in the window: leaks.

    An empty window answers nothing, though the product has cases at other times.
    """
    cases = [
        case(1, "u1", "2021-03-02"),
        case(2, "u1", "2021-03-03"),
        case(3, "u1", "2021-03-04", issue="i2"),
    ]
    assert {one.answer for one in drawn("top_issue_identification", story(cases), 2000)} == {
        ("i1",)
    }
    twin = Candidate("named", {"period": "May 2021"}, {}, (), ("i1",))
    empty = drawn("top_issue_identification", story(cases), 400, [twin])
    assert empty and all(
        one.answer == NOTHING and one.parameters["period"] != "March 2021" for one in empty
    )


def test_two_halves_of_one_month_do_not_make_a_peak_by_themselves() -> None:
    """March of one year and of the next have two cases together, June has two: whoever counts
    months apart sees June only, so nothing is asked.
    """
    cases = [
        case(1, "u1", "2021-03-20"),
        case(2, "u1", "2022-03-05"),
        case(3, "u1", "2021-06-01"),
        case(4, "u1", "2021-06-02"),
        case(5, "u1", "2022-03-06"),
    ]
    asked = [
        one
        for one in drawn("monthly_trend_analysis", story(cases), 4000)
        if str(one.parameters["start"]) < "2021-03-20" and str(one.parameters["end"]) > "2022-03-07"
    ]
    assert not asked


def test_the_best_region_is_the_least_mean() -> None:
    """OR closes in 5 hours on average, WA in 6; TX in one, but with two cases only, and a state
    counts with three.
    """
    cases = [
        case(at, "u1", f"2021-03-{at + 1:02d}", hours) for at, hours in enumerate((2.0, 8.0, 5.0))
    ]
    cases += [case(at, "u1", f"2021-03-{at + 1:02d}", 6.0, state="WA") for at in (4, 5, 6)] + [
        case(at, "u1", f"2021-03-{at + 1:02d}", 1.0, state="TX") for at in (8, 9)
    ]
    asked = [
        one
        for one in drawn("best_region_identification", story(cases), 800)
        if one.parameters.get("period") == "March 2021"
    ]
    assert {one.answer for one in asked} == {("OR",)}


def names() -> dict[str, Product]:
    """Five products, two of them alike."""
    rows = [
        ("p1", "Brindle Trail Runner", "Running Shoes", "runners"),
        ("p2", "Harrow Wool Slipper", "Slippers", "slippers"),
        ("p3", "Sandling Rain Boot", "Rain Boots", "rain boots"),
    ]
    rows += [
        ("p4", "Brindle Road Runner", "Running Shoes", "runners"),
        ("p5", "Corvane Cap Toe", "Dress Shoes", "dress shoes"),
    ]
    return {key: Product(key, name, family, (short,)) for key, name, family, short in rows}


def test_a_vague_name_means_one_product_of_the_customer() -> None:
    """Of two Brindle runners neither is asked for as `Brindle runners`, since the name fits both;
    the slippers are.
    """
    bought = [PurchasedItem("a1", product, date(2021, 5, 3)) for product in names()]
    toy = story([case(1, "u1", "2021-03-02")], bought=bought, products=names())
    asked = drawn("named_entity_disambiguation", toy)
    meant = {str(one.parameters["vague_name"]): one.answer for one in asked}
    assert meant["Harrow slippers"] == ("p2",) and "Brindle runners" not in meant
    assert all(closeness(vague, names()[answer[0]]) >= 70 for vague, answer in meant.items())
    assert all(
        vague.casefold() not in names()[answer[0]].name.casefold()
        for vague, answer in meant.items()
    )


def test_nothing_was_ordered_where_nothing_answers() -> None:
    """On the day of an unanswerable question there is no order, nor is there one a day before or
    after; or the order holds nothing of that family.
    """
    bought = [PurchasedItem("a1", product, date(2021, 5, 3)) for product in ("p1", "p2")]
    toy = story([case(1, "u1", "2021-03-02")], bought=bought, products=names())
    for one in drawn("named_entity_disambiguation", toy, twins=()):
        day = date.fromisoformat(str(one.parameters["date"]))
        fits = [
            name
            for name in ("p1", "p2")
            if closeness(str(one.parameters["vague_name"]), names()[name]) > 58
        ]
        assert abs((day - date(2021, 5, 3)).days) > 1 or not fits


def talk(text: str) -> dict[str, Conversation]:
    """A conversation in which the agent says this."""
    return {
        "c1": Conversation(
            (
                Utterance("m1", False, "It leaks. I'd like my money back."),
                Utterance("m2", True, text),
            )
        )
    }


def late(days: int, ending: str = "late_grant", granted: str = "refund") -> Story:
    """One closed case, ordered on March 1, 2021, so many days before it came."""
    return story(
        [
            case(
                1,
                "u1",
                "2021-05-01",
                violated=True,
                ending=ending,
                granted=granted,
                days=days,
                ordered=date(2021, 3, 1),
            )
        ]
    )


def test_a_late_grant_breaks_the_article_where_the_text_says_so() -> None:
    """The agent names option, days and date, and the article a limit of 30 days: broken.

    Without the days in the text it is no instance.
    """
    asked = drawn(
        "policy_violation_identification",
        late(61),
        conversations=talk("It has been 61 days since March 1, 2021, but a full refund is yours."),
    )
    assert [(one.answer, one.evidence["grant"]) for one in asked] == [
        (("k1",), "It has been 61 days since March 1, 2021, but a full refund is yours.")
    ]
    assert not drawn(
        "policy_violation_identification", late(61), conversations=talk("A full refund is yours.")
    )


def test_a_grant_on_the_edge_is_not_asked_about() -> None:
    """A day past the limit could be lawful by another way to count, so it is dropped."""
    assert not drawn(
        "policy_violation_identification",
        late(31),
        conversations=talk("It has been 31 days since March 1, 2021, but a full refund is yours."),
    )


def test_an_unlisted_grant_breaks_the_article_that_does_not_name_it() -> None:
    """A workshop repair is nowhere in the article."""
    asked = drawn(
        "policy_violation_identification",
        late(10, "unlisted_grant", "repair"),
        conversations=talk("You get a free workshop repair."),
    )
    assert [one.answer for one in asked] == [("k1",)]


def test_a_lawful_grant_has_no_article_and_is_lawful_on_the_closing_day_too() -> None:
    """Ten days of thirty: nothing is broken.

    Closed on the 40th day, it would depend on the day that counts.
    """
    lawful = story([case(1, "u1", "2021-05-01", 24.0, days=10)])
    assert [
        one.answer
        for one in drawn(
            "policy_violation_identification",
            lawful,
            conversations=talk("A full refund, then."),
            twins=(),
        )
    ] == [NOTHING]
    dragging = story([case(1, "u1", "2021-05-01", 24.0 * 30, days=10)])
    assert not drawn(
        "policy_violation_identification",
        dragging,
        conversations=talk("A full refund, then."),
        twins=(),
    )


def test_knowledge_questions_are_answered_by_the_articles_words() -> None:
    """The toy article knows two remedies with 30 and 60 days: limits, which is open longest, which
    after 40 days.
    """
    asked = {
        (one.parameters["asks"], one.slots.get("option") or one.slots.get("days")): one
        for one in drawn("knowledge_qa", story([case(1, "u1", "2021-03-02")]))
    }
    assert asked[("limit", "Full Refund")].answer == ("30 days",)
    assert asked[("longest", None)].answer == ("Replacement Pair",)
    assert asked[("left", "40")].answer == ("Replacement Pair",)
    assert asked[("open", "10")].answer == ("Full Refund, Replacement Pair",)
    assert all(
        one.evidence["span"]
        in "Full Refund ends after 30 days. Replacement Pair ends after 60 days."
        for one in asked.values()
    )


def test_the_evidence_of_a_limit_reaches_into_the_next_sentence() -> None:
    """Where the option's own sentence has no number, the passage goes on to the one that has; a
    number further away is no evidence.
    """
    text = (
        "Full Refund is listed. Check the date: after 30 days it is closed. Anything else takes 60"
        " days."
    )
    assert (
        passage(text, ["Full Refund"], 30)
        == "Full Refund is listed. Check the date: after 30 days it is closed."
    )
    assert passage(text, ["Full Refund"], 60) == ""


def test_what_a_shortcut_would_find_is_marked() -> None:
    """In March leaks lead, between blisters first and last, and at other times blisters do: nothing
    but counting finds them. In a lone run of leaks any case does.
    """
    ends = [case(1, "u1", "2021-03-02", issue="i2"), case(5, "u1", "2021-03-06", issue="i2")]
    middle = [case(at, "u1", f"2021-03-{at + 1:02d}") for at in (2, 3, 4)]
    later = [case(at, "u1", f"2021-09-{at:02d}", issue="i2") for at in range(10, 14)]
    of_march = [
        one
        for one in drawn("top_issue_identification", story([*ends, *middle, *later]), 3000)
        if one.parameters.get("period") == "March 2021"
    ]
    assert {(one.answer, one.easy) for one in of_march} == {(("i1",), frozenset())}
    plain = drawn(
        "top_issue_identification", story([*middle, case(9, "u1", "2021-03-09", issue="i2")]), 3000
    )
    assert {"first", "ever"} <= set.union(*(set(one.easy) for one in plain))
