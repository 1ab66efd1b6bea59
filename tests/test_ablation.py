"""Solvers that skip a part of a task: what they answer on a toy org, how many instances they pass,
and when a set of tasks is refused for it.
"""

from collections.abc import Mapping
from dataclasses import replace
from datetime import datetime, timedelta
from importlib.util import find_spec
from typing import Any

import pytest

from orgweave.benchmark.ablation import (
    Ablation,
    AblationRow,
    NoneGuess,
    ablated,
    ablation_table,
    as_report,
)
from orgweave.benchmark.guessing import guess_from_numbers, guess_from_texts
from orgweave.benchmark.instance import QueryInstance
from orgweave.benchmark.make import MadeTask
from orgweave.benchmark.org_facts import (
    OrgArticle,
    OrgAssignment,
    OrgCase,
    OrgFacts,
    by_product,
)
from orgweave.benchmark.registry import TASKS
from orgweave.benchmark.run import missing_told, refuse_easy
from orgweave.benchmark.windows import Timeline
from schemas.errors import TasksTooEasy
from tests.task_toys import no_facts

MARCH = {"start": "2022-03-01T00:00:00Z", "end": "2022-04-01T00:00:00Z", "period": "March 2022"}


def org_case(number: int, owner: str, created: str, hours: float, **more: Any) -> OrgCase:
    """A closed case of an owner, created at midnight of a day."""
    start = datetime.fromisoformat(created)
    made = OrgCase(
        id=f"c{number}",
        account="a1",
        owner=owner,
        issue="leaks",
        product="p1",
        state="OR",
        created=start,
        closed=start + timedelta(hours=hours),
        ordered=start.date() - timedelta(days=10),
        subject="It leaks",
        description="",
        hours=hours,
    )
    return replace(made, **more)


def org(*cases: OrgCase, moved: Mapping[str, str] | None = None, **more: Any) -> OrgFacts:
    """An org of these cases, handed to their owners; `moved` names who had a case before."""
    steps = []
    for case in cases:
        before = (moved or {}).get(case.id, "")
        if before:
            steps.append(OrgAssignment(case.id, "", before, case.created))
        steps.append(OrgAssignment(case.id, before, case.owner, case.created))
    facts = replace(
        no_facts(),
        cases=Timeline(cases, lambda case: case.created),
        of_product=by_product(cases),
        every_case=cases,
        assignments=Timeline(steps, lambda step: step.moment),
        transferred=frozenset(moved or ()),
    )
    return replace(facts, **more)


def guesses(task: str, facts: OrgFacts, wanted: Mapping[str, Any]) -> dict[str, tuple[str, ...]]:
    """What each reduced solver of a task answers."""
    return {skips: solver(facts, wanted) for skips, solver in TASKS[task].reduced.items()}


def test_each_reduced_solver_of_handle_time_skips_one_thing() -> None:
    """By the rule u1 is slowest in March: u2's long case was transferred, u3 has too few cases, and
    u4 is slow in the year before only.
    """
    march = [
        *(org_case(number, "u1", f"2022-03-{number + 1:02d}", 20) for number in range(3)),
        *(org_case(number, "u2", f"2022-03-{number + 1:02d}", 10) for number in range(3, 6)),
        org_case(6, "u2", "2022-03-09", 400),
        org_case(7, "u3", "2022-03-10", 90),
        org_case(8, "u2", "2022-03-11", 30),
    ]
    before = [org_case(number, "u4", f"2021-10-{number - 9:02d}", 50) for number in range(10, 14)]
    facts = org(*march, *before, moved={"c6": "u1"})
    said = guesses("handle_time", facts, {"extremum": "longest", "more_than": 2, **MARCH})
    assert said["rule: transferred cases count"] == ("u2",)
    assert said["n: any number"] == ("u3",)
    assert said["window: always 12 months"] == ("u4",)
    assert said["rule: one case, no mean"] == ("u2",)
    assert said["window: its later half"] == ()


def test_each_reduced_solver_of_top_issue_skips_one_thing() -> None:
    """Leaks lead in March; in the year blisters do; the first and the last case are blisters."""
    days = ("2022-03-02", "2022-03-05", "2022-03-06", "2022-03-07", "2022-03-09")
    issues = ("blisters", "leaks", "leaks", "leaks", "blisters")
    march = []
    for number, (day, issue) in enumerate(zip(days, issues, strict=True)):
        march.append(org_case(number, "u1", day, 5, issue=issue))
    before = [
        org_case(number, "u1", f"2021-09-{number:02d}", 5, issue="blisters")
        for number in range(10, 14)
    ]
    said = guesses("top_issue_identification", org(*march, *before), {"product": "p1", **MARCH})
    assert said["window: always 12 months"] == ("blisters",)
    assert said["counting: its first case"] == said["counting: its last case"] == ("blisters",)
    assert said["counting: its middle case"] == ("leaks",)
    assert said["window: the one before"] == ()


def test_a_breach_of_a_policy_is_missed_by_who_looks_at_the_issue_alone() -> None:
    """The solver that always names the issue's article, and the one that knows its limits."""
    solution = OrgArticle("k1", "Leaks", "Full Refund: 30 days.", {"Full Refund": 30})
    facts = org(
        org_case(1, "u1", "2022-03-02", 5),
        articles={"k1": solution},
        said={"c1": "A full refund is yours."},
        article_of_issue={"leaks": solution},
    )
    said = guesses("policy_violation_identification", facts, {"case": "c1"})
    assert said["article: always the issue's"] == ("k1",)
    assert said["article: always the issue's, limits known"] == ()


def instance(number: int, answer: list[str | None], **more: Any) -> QueryInstance:
    """A question on the top issue in March."""
    return QueryInstance(
        id=f"top_issue_identification-{number}",
        task="top_issue_identification",
        query="What was the most common issue with p1 in March 2022?",
        answer=answer,
        parameters={"product": "p1", **MARCH},
        reward_metric="exact_match",
        answerable=answer != [None],
        **more,
    )


def test_the_table_counts_what_passes_of_the_answerable() -> None:
    """Leaks are the answer of the year too, so the reduced solver passes; None questions aren't
    counted, and the usual answer is that of three of four.
    """
    facts = org(*(org_case(number, "u1", f"2022-03-{number + 1:02d}", 5) for number in range(3)))
    rows = [instance(number, ["leaks"]) for number in range(3)]
    rows += [instance(3, ["blisters"]), instance(4, [None])]
    table = ablated(facts, "top_issue_identification", rows)
    shares = {row.solver: row.share for row in table.rows}
    assert table.answerable == 4
    assert shares["window: always 12 months"] == shares["everything: the usual answer"] == 0.75
    assert shares["window: the one before"] == 0.0
    assert as_report(table)["answerable"] == 4
    assert "TII   window: always 12 months" in ablation_table({"top_issue_identification": table})


def refused(*rows: AblationRow, guess: float = 0.7, answerable: int = 91) -> str:
    """What a set with this table is refused for; an empty text where it isn't."""
    guesses = (NoneGuess("its parameters", guess, 0.7),)
    table = Ablation(rows, guesses, answerable)
    try:
        refuse_easy([MadeTask("handle_time", 130, (), {}, table)])
    except TasksTooEasy as error:
        assert error.exit_code == 3
        return str(error)
    return ""


@pytest.mark.skipif(find_spec("sklearn") is None, reason="the classifiers aren't installed")
def test_who_has_the_classifiers_is_not_told_to_install_them() -> None:
    """Where a handful of questions is too few to guess from, the table says that."""
    few = Ablation((AblationRow("everything: words", None),), (), 6)
    table = ablation_table({"handle_time": few})
    assert "fewer than 10" in table
    assert "install" not in table


def test_a_set_that_a_reduced_solver_passes_is_refused_by_name() -> None:
    """More than half of the answerable instances, or None told five points better than by always
    saying the commoner; a handful of instances is not judged, and what is unknown is no fault.
    """
    assert not refused(AblationRow("n", 0.5), guess=0.75)
    assert "handle_time: n passes 51%" in refused(AblationRow("n", 0.51))
    assert "its parameters tells 76%" in refused(AblationRow("n", 0.1), guess=0.76)
    assert not refused(AblationRow("n", 1.0), answerable=39)
    assert "n passes 100%" in refused(AblationRow("n", 1.0), answerable=40)
    assert not refused(AblationRow("n", None))


def test_the_best_solver_is_the_one_that_passes_most() -> None:
    """A share that is unknown, for want of a classifier, is no share."""
    rows = (AblationRow("words", None), AblationRow("n", 0.1), AblationRow("window", 0.3))
    assert Ablation(rows, (), 40).best.solver == "window"


def test_what_is_missing_of_a_set_is_told_with_the_commonest_reasons() -> None:
    """Where no draw was dropped, the org itself has no more; a whole set has nothing to tell."""
    bare = MadeTask("handle_time", 3, ())
    dropped = MadeTask("handle_time", 3, (), {"tied": 2, "asked before": 1_000, "too easy": 0})
    assert (bare.missing, MadeTask("handle_time", 0, ()).missing) == (3, 0)
    assert missing_told([bare, MadeTask("handle_time", 0, ()), dropped]) == [
        "handle_time: 0 of 3 instances; the org has no more to ask about",
        "handle_time: 0 of 3 instances; asked before (1,000), tied (2)",
    ]


def test_a_refusal_says_how_to_take_the_set_all_the_same() -> None:
    """The default is exit code 3; the message names the option that only warns."""
    assert "--allow-easy" in refused(AblationRow("n", 0.51))


@pytest.mark.skipif(find_spec("sklearn") is not None, reason="scikit-learn is installed")
def test_without_scikit_learn_a_guess_is_unknown() -> None:
    """The classifiers belong to development; a run without them says so."""
    labels = [True, False] * 20
    assert guess_from_numbers([[float(label)] for label in labels], labels) is None
    assert guess_from_texts(["a"] * 40, ["x", "y"] * 20) is None


@pytest.mark.skipif(find_spec("sklearn") is None, reason="needs scikit-learn")
def test_a_classifier_guesses_what_is_given_away() -> None:
    """A number or a word that goes with the answer is found, one that doesn't is not."""
    labels = [True, False] * 20
    assert guess_from_numbers([[float(label)] for label in labels], labels) == 1.0
    words = ["red ball" if label else "blue ball" for label in labels]
    assert guess_from_texts(words, [str(label) for label in labels]) == 1.0


def test_few_instances_or_one_answer_can_not_be_guessed() -> None:
    """Where there is nothing to learn from, nothing is told."""
    assert guess_from_texts(["a"] * 40, ["x"] * 40) is None
    assert guess_from_texts(["a"] * 9, [*"xyxyxyxyx"]) is None


@pytest.mark.skipif(find_spec("sklearn") is None, reason="needs scikit-learn")
def test_two_instances_for_each_fold_are_enough_to_guess_from() -> None:
    """Ten instances are split into five folds."""
    assert guess_from_texts(["red ball", "blue ball"] * 5, ["x", "y"] * 5) is not None
