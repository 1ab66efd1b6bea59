"""Scores from texts and from trials: what counts as an answer, as a refusal, as right; and how many
scores make one figure.
"""

import math
from itertools import combinations
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from orgweave.benchmark.evaluate.answers import extract
from orgweave.benchmark.evaluate.refusals import says_nothing_answers
from orgweave.benchmark.metrics import (
    clustered_error,
    exact_match,
    graded,
    is_id,
    pass_hat_k,
    token_f1,
)
from orgweave.benchmark.task import AnswerKind
from pipeline.world.ids import make_ids, to_18

AGENT, OTHER, ARTICLE = "005zz000000000QAAQ", "005zz0000000002AAA", "ka0zz000000000BAAQ"

FOUND: dict[str, tuple[str, AnswerKind, list[str | None] | None]] = {
    "a bare id": (AGENT, "id", [AGENT]),
    "an id of 15 characters": (AGENT[:15], "id", [AGENT[:15]]),
    "an id in a sentence": (f"The agent with the longest handle time is {AGENT}.", "id", [AGENT]),
    "an id after yes": (f"Yes, the agent is {AGENT}", "id", [AGENT]),
    "an id after no": (f"No other agent is slower than {AGENT}.", "id", [AGENT]),
    "an article's id": (f"Violated: {ARTICLE}", "id", [ARTICLE]),
    "a JSON list": (f'["{AGENT}", "{OTHER}"]', "id", [AGENT, OTHER]),
    "a list as one text": (f"{AGENT}, {OTHER}", "id", [AGENT, OTHER]),
    "a list in a JSON text": (f'"{AGENT}, {OTHER}"', "id", [AGENT, OTHER]),
    "a JSON object": (f'{{"answer": "{AGENT}"}}', "id", [AGENT]),
    "a fenced answer": (f'```json\n["{AGENT}"]\n```', "id", [AGENT]),
    "left-over tags": (f"<respond>{AGENT}</respond>", "id", [AGENT]),
    "bold type and a label": (f"**Final answer:** `{AGENT}`", "id", [AGENT]),
    "the same id twice": (f"{AGENT} ({AGENT})", "id", [AGENT]),
    "a label with none": ("Answer: None", "id", [None]),
    "None": ("None", "id", [None]),
    "a list of null": ("[null]", "id", [None]),
    "a list of None": ('["None"]', "id", [None]),
    "an empty list": ("[]", "id", [None]),
    "null": ("null", "id", [None]),
    "not applicable": ("N/A", "id", [None]),
    "no such agent": ("There is no such agent.", "id", [None]),
    "no agent in a period": ("No agent handled more than 5 cases in June 2021.", "id", [None]),
    "no violation": ("The agent did not violate any policy.", "id", [None]),
    "an agent by name": ("No agent did better than Ann Lee.", "id", None),
    "yes alone": ("Yes", "id", None),
    "a number": ("100000000000000", "id", None),
    "words of 15 letters": ("incomprehensible responsibility", "id", None),
    "nothing": ("  ", "id", None),
    "a month": ("March", "month", ["March"]),
    "a month in small letters": ("march", "month", ["March"]),
    "a month's short name": ("Sept.", "month", ["September"]),
    "a month in a sentence": ("Cases peak in May 2022, as one may see.", "month", ["May"]),
    "a month as a number": ("2022-03", "month", ["March"]),
    "two months": ('["March", "May"]', "month", ["March", "May"]),
    "no month": ("There is no month.", "month", [None]),
    "a state": ("CA", "state", ["CA"]),
    "a state in small letters": ("ca", "state", ["CA"]),
    "a state's name": ("California", "state", ["CA"]),
    "a state's name and code": ("We are fastest in California (CA).", "state", ["CA"]),
    "states as one text": ("CA and TX", "state", ["CA", "TX"]),
    "West Virginia is not Virginia": ("West Virginia", "state", ["WV"]),
    "words that are codes": ("It is fastest in Oregon or me.", "state", ["OR"]),
    "a free text": ("Within 30 days of the order.", "text", ["Within 30 days of the order."]),
    "a free text as JSON": ('["30 days"]', "text", ["30 days"]),
    "a free text that begins with no": (
        "No returns after 30 days.",
        "text",
        ["No returns after 30 days."],
    ),
    "a free text that is a refusal": ("None", "text", [None]),
    "a free text that begins with answer": (
        "Answer calls within 5 minutes",
        "text",
        ["Answer calls within 5 minutes"],
    ),
}


@pytest.mark.parametrize("name", sorted(FOUND))
def test_an_answer_is_found_by_rules(name: str) -> None:
    """What was submitted gives its values, `[None]` for a refusal, and None where the rules find
    nothing.
    """
    submitted, kind, answer = FOUND[name]
    assert extract(submitted, kind) == answer


def test_an_item_that_is_a_part_of_another_one_is_found_beside_it() -> None:
    """`Refund` stands in `Full Refund`, and a list of both holds both."""
    gold = ["Refund", "Full Refund"]
    assert graded(["Full Refund, Refund"], gold, "token_f1") == 1.0
    assert graded(["Refund and Full Refund"], gold, "token_f1") == 1.0
    assert graded(["Refund"], gold, "token_f1") == 0.0
    assert graded(["Refund, Refund, Refund, Full Refund"], gold, "token_f1") == 1.0


@given(st.text(max_size=60), st.sampled_from(["id", "month", "state", "text"]))
def test_no_text_makes_extraction_raise(text: str, kind: AnswerKind) -> None:
    """Whatever is submitted, the rules find values or say that they found none."""
    found = extract(text, kind)
    assert found is None or (found and all(one is None or one for one in found))


@given(st.text(max_size=40))
def test_a_text_with_an_id_is_never_a_refusal(text: str) -> None:
    """No wording around an id makes it a refusal."""
    assert not says_nothing_answers(f"{text} {AGENT}")


@given(st.integers(1, 62**4), st.booleans())
def test_made_ids_are_ids_in_every_spelling(number: int, lower: bool) -> None:
    """Every id that an org can hold is taken for one, of 15 and of 18 characters, the long one
    without its case too.
    """
    made = str(make_ids("005", 1, number)[0])
    assert is_id(made.lower() if lower else made)
    assert is_id(made[:15])


RIGHT = {
    "the same": ([AGENT], [AGENT], True),
    "order": ([AGENT, OTHER], [OTHER, AGENT], True),
    "15 for 18": ([AGENT[:15]], [AGENT], True),
    "18 in small letters": ([AGENT.lower()], [AGENT], True),
    "15 in another case is another record": ([AGENT[:15].lower()], [AGENT], False),
    "case of a month": (["march"], ["March"], True),
    "one of two": ([AGENT], [AGENT, OTHER], False),
    "two for one": ([AGENT, OTHER], [AGENT], False),
    "a refusal for a refusal": ([None], [None], True),
    "a refusal for an answer": ([None], [AGENT], False),
    "an answer for a refusal": ([AGENT], [None], False),
    "nothing for a refusal": ([], [None], False),
    "an answer beside None": ([None, AGENT], [AGENT], False),
}


@pytest.mark.parametrize("name", sorted(RIGHT))
def test_exact_match_is_all_or_nothing(name: str) -> None:
    """Order, case of whole ids and words, and the length of ids don't matter; anything missing or
    more does.
    """
    said, gold, right = RIGHT[name]
    assert exact_match(said, gold) is right


@given(st.lists(st.integers(1, 10**6), min_size=1, max_size=5, unique=True), st.randoms())
def test_exact_match_sees_no_order_and_no_check_characters(
    numbers: list[int], random: Random
) -> None:
    """A shuffled list of the same ids, some cut to 15 characters, matches; without one of them it
    doesn't.
    """
    gold = [str(make_ids("005", 1, number)[0]) for number in numbers]
    said = [one[: random.choice((15, 18))] for one in random.sample(gold, len(gold))]
    assert exact_match(said, gold)
    assert not exact_match(said[1:], gold)


F1 = {
    "the same but for case, points and articles": ("Within the 30 days.", "within 30 days", 1.0),
    "half of it": ("30 days", "30 days after order", 2 * 2 / (2 + 4)),
    "too much of it": ("it is 30 days", "30 days", 2 * 2 / (4 + 2)),
    "repeated words count once each": ("days days", "days", 2 * 1 / 3),
    "nothing in common": ("never", "30 days", 0.0),
    "nothing said": ("", "30 days", 0.0),
}


@pytest.mark.parametrize("name", sorted(F1))
def test_token_f1(name: str) -> None:
    """Words in common against words said and words of the gold answer."""
    said, gold, value = F1[name]
    assert token_f1(said, gold) == pytest.approx(value)


@given(st.text(max_size=40), st.text(max_size=40))
def test_token_f1_is_symmetric_and_bounded(one: str, other: str) -> None:
    """F1 lies between 0 and 1, is the same both ways, and 1 for a text and itself."""
    assert token_f1(one, other) == token_f1(other, one)
    assert 0.0 <= token_f1(one, other) <= 1.0
    assert token_f1(one, one) == 1.0


@given(
    st.lists(st.lists(st.booleans(), min_size=1, max_size=6), min_size=1, max_size=4),
    st.integers(1, 6),
)
def test_pass_hat_k_counts_draws_of_k_trials(trials: list[list[bool]], k: int) -> None:
    """pass^k is the share of all draws of k trials in which each succeeded, averaged over
    instances.
    """
    enough = [one for one in trials if len(one) >= k]
    if enough:
        drawn = [[all(draw) for draw in combinations(one, k)] for one in enough]
        assert pass_hat_k(enough, k) == pytest.approx(
            sum(sum(one) / len(one) for one in drawn) / len(drawn)
        )


def test_pass_hat_1_is_the_mean_and_falls_with_k() -> None:
    """With one of two trials right, pass^1 is a half and pass^2 nothing."""
    assert pass_hat_k([[True, False]], 1) == 0.5
    assert pass_hat_k([[True, False], [True, True]], 2) == 0.5


def test_standard_error_counts_facts_not_instances() -> None:
    """Of 40 values on 40 facts the error is that of the mean; on four facts of ten alike it is some
    three times as large, and one fact alone has none.
    """
    values = [1.0, 0.0] * 20
    apart = clustered_error(values, [str(number) for number in range(40)])
    together = clustered_error(sorted(values), [str(number // 10) for number in range(40)])
    assert apart == pytest.approx(0.5 / math.sqrt(40), rel=0.15)
    assert together == pytest.approx(0.5 / math.sqrt(4), rel=0.15)
    assert math.isnan(clustered_error(values, ["same"] * 40))
    assert clustered_error(values, ["one", "other"] * 20) >= 0


REFUSALS = """
None, because no agent managed more than 3 cases.
I could not find any records matching your criteria.
I couldn't find any agent who managed more than 5 cases in June 2021.
It was not possible to find an agent.
Unable to find any matching product.
I was unable to find any order.
The contact did not order any such product on that day.
The customer did not order sneakers on that day.
The customer has no such order.
The agent followed the policy.
The agent complied with all articles.
Sorry, but I could not find any such product.
Unfortunately, there are no cases for this product in the given period.
No knowledge article was violated.
I'm unable to find a matching agent.
I am not able to identify any agent who meets these criteria.
There isn't any agent with more than 5 cases in that period.
There were no transfers in this period.
No transfers were made by any agent.
No results.
No matching records found.
The answer is none.
The answer is that no agent qualifies.
Nobody handled that many cases.
It looks like no agent handled more than 4 cases.
Based on the data, no agent qualifies.
Based on the records, there are no such agents.
After checking the records, I found no agent who managed more than 4 cases.
I found no matching product.
I found nothing.
We found no violation.
No violation was found.
The agent did not violate any policy.
The agent did not violate any knowledge article.
No policy violation occurred.
There was no violation in this case.
The agent's answer doesn't break any article.
The customer didn't order anything on that day.
This customer has no orders from that date.
No order was placed that day.
The customer did not purchase such a product.
None of the agents qualify.
None of the products match.
None found.
Not applicable.
Cannot be determined.
It can't be determined.
Unable to determine.
Unable to answer.
This question cannot be answered from the data.
The data does not contain any such cases.
The query returned no results.
The search returned nothing.
The result is empty.
Empty result.
0 records found.
Zero agents meet the requirement.
The product has no cases in that period.
There are no cases for this product in this period.
No issue was reported for the product in that window.
no such agent exists
I don't see any agent that qualifies.
I do not have any matching records.
Nobody crossed the threshold of 4 cases.
I checked all cases and none qualifies.
Insufficient data.
The response complied with all knowledge articles.
Everything the agent did is in line with the articles.
There are no cases for Torvane Switchback Hiker in June 2022.
The list of qualified agents is empty.
"""


@pytest.mark.parametrize("text", REFUSALS.strip().split("\n"))
def test_a_refusal_is_read_in_natural_words(text: str) -> None:
    """People and models say in many ways that nothing answers; an id in the sentence is an answer
    all the same.
    """
    assert extract(text, "id") == [None]
    assert extract(f"{text} But {AGENT}.", "id") == [AGENT]


@pytest.mark.parametrize(
    "text",
    ["No agent did better than Ann Lee.", "Not Karen Poe but Ann Lee.", "The best one is Ann Lee."],
)
def test_who_names_somebody_does_not_refuse(text: str) -> None:
    """A name is an answer that the rules can't read, though the sentence denies something."""
    assert extract(text, "id") is None


GRADES: dict[str, tuple[str, list[str | None], float]] = {
    "a number without its unit": ("30", ["30 days"], 1.0),
    "a number with its unit": ("30 days", ["30"], 1.0),
    "a compound unit": ("10", ["10 business days"], 1.0),
    "an amount": ("25 dollars", ["$25"], 1.0),
    "another unit": ("30 weeks", ["30 days"], 0.5),
    "another number": ("31", ["30 days"], 0.0),
    "hyphens between words": ("Store-Credit", ["Store Credit"], 1.0),
    "curly quotes": ("\u201cStore Credit\u201d", ["Store Credit"], 1.0),
    "a list in another order": (
        "Store Credit and Full Refund",
        ["Full Refund", "Store Credit"],
        1.0,
    ),
    "a list with days": (
        "Full Refund (30 days), Store Credit (90 days)",
        ["Full Refund", "Store Credit"],
        1.0,
    ),
    "a list with one too many": (
        "Full Refund, Store Credit, Free Repair",
        ["Full Refund", "Store Credit"],
        0.0,
    ),
    "a list with one missing": ("Full Refund", ["Full Refund", "Store Credit"], 0.0),
}


@pytest.mark.parametrize("name", sorted(GRADES))
def test_a_text_is_graded_by_what_it_says(name: str) -> None:
    """A number is right with its unit or without it; a list is right as a whole, in any order."""
    said, gold, value = GRADES[name]
    assert graded([said], gold, "token_f1") == pytest.approx(value)


def test_check_characters_are_the_crms() -> None:
    """A short id becomes the long one that the CRM gives it."""
    assert to_18(AGENT[:15]) == AGENT
