"""What each task takes as its truth, on a toy story that can be worked out by hand; and which draws
are refused.
"""

import itertools
from dataclasses import replace
from datetime import date
from random import Random
from typing import Any

import pytest

from orgweave.benchmark.choice import best
from orgweave.benchmark.instance import NOTHING, Answer, Candidate, Dropped, TwinGroup
from orgweave.benchmark.registry import TASKS
from orgweave.benchmark.story import (
    Conversation,
    HiddenCase,
    NewCase,
    Product,
    PurchasedItem,
    SaidTerm,
    Story,
    Utterance,
)
from orgweave.benchmark.task import TaskSources
from orgweave.benchmark.tasks.case_routing import CasesSoFar
from orgweave.benchmark.tasks.knowledge_qa import as_stated
from orgweave.benchmark.texts import passage
from orgweave.benchmark.vague_names import Buyer, closeness
from tests.task_toys import case, story


def groups(
    task: str, story: Story, number: int = 600, nothing: bool = False, **more: Any
) -> list[TwinGroup]:
    """What comes of so many draws of a task; `more` are other sources than the story."""
    draws = TASKS[task].draws(TaskSources(story, **more), Random(1), nothing)
    some = itertools.islice(draws, number)
    return [group for group in some if not isinstance(group, Dropped)]


def drawn(
    task: str, story: Story, number: int = 600, nothing: bool = False, **more: Any
) -> list[Candidate]:
    """The candidates of all groups."""
    return list(itertools.chain.from_iterable(groups(task, story, number, nothing, **more)))


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


def test_a_case_lasts_from_its_creation_to_its_close_in_hours() -> None:
    """An open one lasts none."""
    assert case(1, "u1", "2021-03-02", 10.0).hours == 10
    assert case(1, "u1", "2021-03-02", None).hours == 0


def test_handle_time_leaves_out_transferred_cases_and_agents_with_too_few() -> None:
    """u2's mean is 20 hours, not 140: the transferred case doesn't count; u3, with one case,
    doesn't qualify.
    """
    asked = march(drawn("handle_time", three_agents(), 3000))
    assert asked == {
        ("longest", 1, "u2"),
        ("longest", 2, "u2"),
        ("shortest", 1, "u1"),
        ("shortest", 2, "u1"),
    }


def test_a_number_on_which_readings_of_managed_disagree_is_not_asked() -> None:
    """With more than 3 cases u1 qualifies only where the case that it was handed and gave away
    counts: no question has that number.
    """
    assert all(
        more_than <= 2 for _, more_than, *_ in march(drawn("handle_time", three_agents(), 3000))
    )


def test_where_nobody_qualifies_the_twin_of_same_length_and_number_has_an_answer() -> None:
    """In April nobody manages more than four cases, on every reading; in March, next to it, two
    do, and the question on March has the same form, length and n.
    """
    busy = [case(at, "u1", f"2021-03-{at + 1:02d}", 10.0) for at in range(6)]
    busy += [case(at + 10, "u2", f"2021-03-{at + 10:02d}", 20.0) for at in range(6)]
    quiet = [case(at + 30, "u1", f"2021-04-{at + 1:02d}") for at in range(4)]
    found = groups("handle_time", story([*busy, *quiet]), 6000, nothing=True)
    of_months = [pair for pair in found if pair[1].parameters.get("period") == "April 2021"]
    assert of_months
    for answered, nothing in of_months:
        assert (answered.parameters["period"], nothing.answer) == ("March 2021", NOTHING)
        assert answered.parameters["more_than"] == nothing.parameters["more_than"] == 4
        assert answered.answer and answered.seed == nothing.seed


def test_where_nobody_qualifies_a_slightly_smaller_number_has_an_answer_too() -> None:
    """More than seven cases in March nobody has, more than six two agents: behind the question
    with six stands the same one with eight, so the month tells nothing.
    """
    busy = [case(at, "u1", f"2021-03-{at + 1:02d}", 10.0) for at in range(8)]
    busy += [case(at + 10, "u2", f"2021-03-{at + 10:02d}", 20.0) for at in range(7)]
    found = groups("handle_time", story(busy), 6000, nothing=True)
    march = [pair for pair in found if pair[-1].parameters.get("period") == "March 2021"]
    assert march
    for fewer, nothing in march:
        assert fewer.parameters["start"] == nothing.parameters["start"]
        assert (fewer.parameters["more_than"], nothing.parameters["more_than"]) == (6, 8)
        assert fewer.answer and nothing.answer == NOTHING


def test_twins_differ_in_the_number_or_in_the_window_alone() -> None:
    """Two questions of a group have different answers, and one thing that decides is not the
    same.
    """
    cases = []
    for agent, (number, hours) in enumerate(((3, 10.0), (5, 20.0), (8, 30.0)), 1):
        for day in range(number):
            at = 10 * agent + day
            cases.append(case(at, f"u{agent}", f"2021-03-{5 * agent + day:02d}", hours))
    ways = set()
    for group in groups("handle_time", story(cases), 1500):
        if len(group) > 1:
            first, second = group
            assert first.answer != second.answer and first.seed == second.seed
            same_number = first.parameters["more_than"] == second.parameters["more_than"]
            same_window = first.parameters["start"] == second.parameters["start"]
            ways.add((same_number, same_window))
    assert ways == {(True, False), (False, True)}


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
    assert {("most", 4, "u1"), ("fewest", 4, "u2")} <= asked


def test_ties_are_no_answer() -> None:
    """Two names with the same value leave nothing to answer, and so do values that differ by less
    than a thousandth.
    """
    assert best({"a": 2, "b": 2, "c": 1}, largest=True) == NOTHING
    assert best({"a": 10.0, "b": 10.001}, largest=False) == NOTHING
    assert best({"a": 1000.0, "b": 999.0}, largest=True) == NOTHING
    assert best({"a": 2, "b": 3}, largest=False) == ("a",)
    assert best({"a": 0.0, "b": 0.0}, largest=True) == NOTHING
    assert best({}, largest=True) == NOTHING


def routed(cases: list[HiddenCase]) -> Answer:
    """Who should get a new leak of p1 in March 2021."""
    new = NewCase(0, "i1", "p1", date(2021, 3, 9))
    return CasesSoFar(story(cases)).fittest(new, date(2021, 3, 10)).answer


def test_a_new_case_goes_by_issue_then_product_then_load() -> None:
    """Most cases of the issue closed in the last 3 months win; among equals those of the product;
    among these the fewest open cases.
    """
    by_issue = [
        case(1, "u1", "2021-02-01"),
        case(2, "u1", "2021-02-02"),
        case(3, "u2", "2021-02-03"),
    ]
    assert routed(by_issue) == ("u1",)
    by_product = [
        case(1, "u1", "2021-02-01", product="p2"),
        case(2, "u2", "2021-02-02", product="p1"),
    ]
    assert routed(by_product) == ("u2",)
    by_load = [
        case(1, "u1", "2021-02-01"),
        case(2, "u2", "2021-02-02"),
        case(3, "u1", "2021-03-03", None, issue="i2"),
    ]
    assert routed(by_load) == ("u2",)


def test_who_skips_the_tie_break_is_right_by_chance_alone() -> None:
    """Of two agents equal by the issue the product names the second of the list, or the first."""
    new = NewCase(0, "i1", "p1", date(2021, 3, 9))
    for product, by_chance in (("p1", True), ("p2", False)):
        cases = [
            case(1, "u1", "2021-02-01", product=product),
            case(2, "u2", "2021-02-02", product="p2" if product == "p1" else "p1"),
        ]
        routing = CasesSoFar(story(cases)).fittest(new, date(2021, 3, 10))
        assert (routing.steps, routing.by_chance) == (2, by_chance)


def test_a_new_case_goes_by_what_was_closed_in_the_last_months() -> None:
    """Two leaks closed long ago count for nobody, and neither does one closed after the day."""
    old = [case(at, "u1", f"2020-11-{at + 1:02d}") for at in range(2)]
    later = [case(at + 4, "u1", f"2021-03-{at + 20:02d}") for at in range(2)]
    assert routed([*old, *later, case(9, "u2", "2021-02-03")]) == ("u2",)


def test_a_new_case_for_which_two_agents_are_equally_fit_is_dropped() -> None:
    """A question without one best answer is none."""
    twins = story([case(1, "u1", "2021-02-01"), case(2, "u2", "2021-02-02")])
    new = NewCase(0, "i1", "p1", date(2021, 3, 9))
    assert not drawn("case_routing", twins, new_cases=[new])


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
    pairs = groups("top_issue_identification", story(cases), 400, nothing=True)
    named = [pair for pair in pairs if pair[0].seed == "named"]
    assert named
    for answered, nothing in named:
        assert (answered.answer, nothing.answer) == (("i1",), NOTHING)
        assert nothing.parameters["period"] != "March 2021"
        assert nothing.parameters["product"] == answered.parameters["product"]


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


def bought_on(day: int, *products: str) -> list[PurchasedItem]:
    """What a1 bought on a day of May 2021."""
    return [PurchasedItem("a1", product, date(2021, 5, day)) for product in products]


def test_a_vague_name_means_one_product_of_its_day() -> None:
    """Of two runners of one day neither is asked for; the slippers and the boots are."""
    bought = bought_on(3, "p1", "p2", "p3", "p4")
    toy = story([case(1, "u1", "2021-03-02")], bought=bought, products=names())
    asked = drawn("named_entity_disambiguation", toy)
    meant = {str(one.parameters["vague_name"]): one.answer for one in asked}
    assert meant["slippers"] == ("p2",) and "runners" not in meant
    assert all(closeness(vague, names()[answer[0]]) >= 70 for vague, answer in meant.items())


def test_twins_mean_another_product_on_another_day() -> None:
    """The runners of May 3 and those of May 10 are two products: only the day tells them apart."""
    bought = [*bought_on(3, "p1", "p2", "p3"), *bought_on(10, "p4", "p2", "p5")]
    toy = story([case(1, "u1", "2021-03-02")], bought=bought, products=names())
    pairs = [pair for pair in groups("named_entity_disambiguation", toy) if len(pair) > 1]
    assert pairs
    for first, second in pairs:
        assert first.parameters["vague_name"] == second.parameters["vague_name"]
        assert {first.answer, second.answer} == {("p1",), ("p4",)}


def test_who_skips_a_part_of_the_question_finds_another_product() -> None:
    """The runners of May 3 are hidden among other things, were ordered again later, and the later
    pair comes first in the catalog: three ways to be wrong. Those of May 10 have one.
    """
    bought = [*bought_on(3, "p4", "p2"), *bought_on(10, "p1", "p3")]
    toy = story([case(1, "u1", "2021-03-02")], bought=bought, products=names())
    buyer = Buyer(toy, "t1", bought)
    (runners,) = [name for name in buyer.vague_names() if name.words == "runners"]
    first, second = date(2021, 5, 3), date(2021, 5, 10)
    assert runners.meant == {first: "p4", second: "p1"}
    assert (runners.hardness(first), runners.hardness(second)) == (3, 0)
    assert runners.outlived(first) == second


def test_the_day_of_the_question_is_after_the_name_meant_another_product() -> None:
    """Whoever takes the last order that fits is wrong about the runners of May 3."""
    bought = [*bought_on(3, "p4", "p2"), *bought_on(10, "p1", "p3")]
    toy = story([case(1, "u1", "2021-03-02")], bought=bought, products=names())
    for group in groups("named_entity_disambiguation", toy):
        for asked in group:
            if (asked.parameters["date"], asked.answer) == ("2021-05-03", ("p4",)):
                assert str(asked.parameters["today"]) > "2021-05-10"


def test_nothing_was_ordered_where_nothing_answers() -> None:
    """On the day of an unanswerable question there is no order; or the order holds nothing that
    the name could mean.
    """
    bought = [*bought_on(3, "p1", "p2", "p3"), *bought_on(20, "p2", "p3", "p5")]
    toy = story([case(1, "u1", "2021-03-02")], bought=bought, products=names())
    pairs = groups("named_entity_disambiguation", toy, nothing=True)
    assert pairs
    for answered, nothing in pairs:
        assert answered.answer and nothing.answer == NOTHING
        day = date.fromisoformat(str(nothing.parameters["date"]))
        vague = str(nothing.parameters["vague_name"])
        of_day = [names()[item.product] for item in bought if item.day == day]
        assert all(closeness(vague, product) <= 58 for product in of_day)


def test_nobody_asks_for_sneakers_where_a_trainer_was_ordered() -> None:
    """People call many shoes sneakers, so the bare word is no question where it is not clear."""
    products = {
        **names(),
        "p6": Product("p6", "Tarnwick Court Trainer", "Court Shoes", ("court shoes",)),
        "p7": Product("p7", "Pennant Canvas Sneaker Low", "Sneakers", ("sneakers",)),
    }
    unclear = [*bought_on(3, "p7", "p2", "p3"), *bought_on(20, "p6", "p3")]
    clear = [*bought_on(3, "p7", "p2", "p3"), *bought_on(20, "p2", "p3")]
    for bought, days in ((unclear, []), (clear, [date(2021, 5, 20)])):
        toy = story([case(1, "u1", "2021-03-02")], bought=bought, products=products)
        names_of = {name.words: name for name in Buyer(toy, "t1", bought).vague_names()}
        assert list(names_of["sneakers"].nothing) == days
        assert names_of["sneakers"].meant == {date(2021, 5, 3): "p7"}


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
    """The agent names the option, somebody says how old the order is or of which day, and the
    article has a limit of 30 days: broken. Without the days, or the option, it is no instance.
    """
    asked = drawn(
        "policy_violation_identification",
        late(61),
        conversations=talk("It has been 61 days since March 1, 2021, but a full refund is yours."),
    )
    assert [(one.answer, one.evidence["grant"]) for one in asked] == [
        (("k1",), "It has been 61 days since March 1, 2021, but a full refund is yours.")
    ]
    for said in ("On March 1, all of it is arranged.", "A full refund is yours."):
        assert not drawn("policy_violation_identification", late(61), conversations=talk(said))
    for said in ("A full refund is yours, as of March 1.", "61 days? A full refund is yours."):
        assert drawn("policy_violation_identification", late(61), conversations=talk(said))


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


def test_a_grant_may_be_worded_as_people_word_it() -> None:
    """Who says that the sum is refunded grants a refund, where its option has such a way."""
    told = talk("It has been 61 days since March 1, 2021, but I've refunded the $80.")
    assert not drawn("policy_violation_identification", late(61), conversations=told)
    known = replace(late(61), ways={"refund": ("refunded the",)})
    (asked,) = drawn("policy_violation_identification", known, conversations=told)
    assert asked.answer == ("k1",)
    assert asked.evidence["remedy"] == "Full Refund"


def with_breach(*cases: HiddenCase) -> Story:
    """These cases, and one in which a repair was granted that the article doesn't list."""
    breach = case(9, "u1", "2021-04-01", violated=True, ending="unlisted_grant", granted="repair")
    return story([*cases, breach])


def said(text: str, terms: str = "") -> dict[str, Conversation]:
    """What the agents of the case and of the breach say."""
    breach = Conversation((Utterance("m9", True, f"You get a free workshop repair. {terms}"),))
    return {**talk(text), "c9": breach}


def test_a_lawful_grant_has_no_article_and_is_lawful_on_the_closing_day_too() -> None:
    """Ten days of thirty: nothing is broken.

    Closed on the 40th day, it would depend on the day that counts.
    """
    lawful = with_breach(case(1, "u1", "2021-05-01", 24.0, days=10))
    words = said("A full refund, then.")
    (pair,) = groups("policy_violation_identification", lawful, nothing=True, conversations=words)
    assert [question.answer for question in pair] == [("k1",), NOTHING]
    dragging = with_breach(case(1, "u1", "2021-05-01", 24.0 * 30, days=10))
    assert not groups(
        "policy_violation_identification",
        dragging,
        nothing=True,
        conversations=words,
    )


def test_a_wrong_figure_breaks_the_policy_that_states_another() -> None:
    """The article on gift cards says $25, the agent says $15 beside a lawful refund: that article
    is broken, not the issue's.
    """
    told = SaidTerm("gift_cards", "minimum", 25.0, True, "a gift card starts at $15")
    kind = case(1, "u1", "2021-05-01", days=10, violated=True, terms=(told,))
    asked = drawn(
        "policy_violation_identification",
        story([kind]),
        conversations=talk("A full refund, then. A gift card starts at $15."),
    )
    assert [(one.answer, one.evidence["article_text"]) for one in asked] == [
        (("k2",), "The smallest card is $25.")
    ]


def test_knowledge_questions_are_answered_by_the_articles_words() -> None:
    """The toy article knows two remedies with 30 and 60 days: limits, when the first and the last
    run out, which are open after days between them, and for how long after some days.
    """
    asked = {}
    for one in drawn("knowledge_qa", story([case(1, "u1", "2021-03-02")])):
        about = [one.slots[name] for name in ("option", "days") if name in one.slots]
        asked[(one.parameters["asks"], *about)] = one
    assert asked[("limit", "Full Refund")].answer == ("30 days",)
    assert asked[("longest",)].answer == ("60 days",)
    assert asked[("shortest",)].answer == ("30 days",)
    after = {about: one.answer for about, one in asked.items() if about[0] in ("left", "open")}
    assert len(after) == 4
    for (asks, gone), answer in after.items():
        early = asks == "open"
        assert 0 < int(gone) < 30 if early else 30 < int(gone) < 60
        assert answer == ("Full Refund", "Replacement Pair")[0 if early else 1 :]
    left = {(about[1], about[2]): one.answer for about, one in asked.items() if len(about) == 3}
    limits = {"Full Refund": 30, "Replacement Pair": 60}
    assert len(left) == 4
    for (option, days), answer in left.items():
        assert answer == (f"{limits[option] - int(days)} days",)
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


@pytest.mark.parametrize(
    ("sentence", "value", "stated"),
    [
        (
            "Transfers stop at $1200 a day, funds are held for 12 business days.",
            12,
            "12 business days",
        ),
        ("A card starts at $75.00.", 75, "$75.00"),
        ("Up to 30% is lent, never $30,000.", 30, "30%"),
        ("The rate is 3.5 points above 3.55.", 3.5, "3.5 points"),
    ],
)
def test_a_figure_is_read_whole(sentence: str, value: float, stated: str) -> None:
    """A number that is the beginning of a larger one is not the figure."""
    assert as_stated(sentence, value) == stated


def test_a_time_is_no_amount_of_money() -> None:
    """Of `$12` and `12 days` in one sentence the second one is a number of days."""
    sentence = "A fee of $12 is due after 12 days."
    assert as_stated(sentence, 12, is_money=False) == "12 days"
