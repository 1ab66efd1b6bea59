"""Evaluations: the instances' file, what an agent is told, what a text holds as an action, the
scripted agents, failures that stay alone.
"""

import asyncio
import doctest
import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from inspect_ai import Task
from inspect_ai import eval as inspect_eval
from inspect_ai.dataset import MemoryDataset
from inspect_ai.solver import Generate, Solver, TaskState, solver

from orgweave.benchmark.evaluate import silence
from orgweave.benchmark.evaluate.actions import Action, action_in
from orgweave.benchmark.evaluate.build import (
    EvaluationRequest,
    chosen_instances,
    sample_of,
    wanted_of,
)
from orgweave.benchmark.evaluate.instances import load_instances
from orgweave.benchmark.evaluate.outcome import submit
from orgweave.benchmark.evaluate.prompting import Briefing, system_prompt
from orgweave.benchmark.scripts import reading
from orgweave.benchmark.scripts.article import read_off
from orgweave.benchmark.scripts.script import ScriptInput
from orgweave.benchmark.scripts.windows import interval_named, period_named, shifted
from orgweave.benchmark.tasks.knowledge_qa import TASK
from orgweave.inspect_tasks import answer_score
from schemas.errors import BadInput
from tests.evaluate_toys import (
    INSTANCES,
    LIMIT,
    WINDOW,
    evaluated_org,
    instance,
    run,
    samples_of,
    values_of,
)
from tests.tools_toys import ARTICLES, USERS

GOLDEN = Path(__file__).parent / "golden"


@pytest.fixture(scope="module")
def org(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """The toy org with its tasks."""
    yield evaluated_org(tmp_path_factory.mktemp("org") / "toys")


ACTIONS = {
    "a query": ("<execute>SELECT Id FROM Case</execute>", ("execute", "SELECT Id FROM Case")),
    "an answer": ("<respond> CA </respond>", ("respond", "CA")),
    "another name for it": ("<submit>CA</submit>", ("respond", "CA")),
    "a thought before it": (
        "<thought>Count.</thought>\n<execute>SELECT Id FROM Case;</execute>",
        ("execute", "SELECT Id FROM Case"),
    ),
    "a tag left open": ("<execute>SELECT Id FROM Case", ("execute", "SELECT Id FROM Case")),
    "a tag closed by the next": (
        "<execute>SELECT Id FROM Case <respond>CA</respond>",
        ("execute", "SELECT Id FROM Case"),
    ),
    "only the first of two": ("<execute>A</execute>[...]<respond>B</respond>", ("execute", "A")),
    "a fence inside": (
        "<Execute>\n```sql\nSELECT Id\nFROM Case\n```\n</Execute>",
        ("execute", "SELECT Id\nFROM Case"),
    ),
    "less than is no tag": (
        "<execute>SELECT Id FROM Case WHERE CreatedDate < 2022-01-01T00:00:00Z</execute>",
        ("execute", "SELECT Id FROM Case WHERE CreatedDate < 2022-01-01T00:00:00Z"),
    ),
    "no action": ("The answer is CA.", None),
    "nothing inside": ("<execute> </execute>", None),
}


@pytest.mark.parametrize("name", sorted(ACTIONS))
def test_an_action_is_what_stands_between_the_first_tags(name: str) -> None:
    """The first action of a reply counts, however its tags are written; a reply without one is
    none.
    """
    reply, wanted = ACTIONS[name]
    found = action_in(reply)
    assert (found and (found.kind, found.content)) == wanted


def test_what_follows_an_action_is_forgotten() -> None:
    """The reply that stays in the conversation ends with its action, without the result that the
    model made up.
    """
    assert action_in("<thought>x</thought><execute>A</execute>\nResult: 7") == Action(
        "execute",
        "A",
        "<thought>x</thought><execute>A</execute>",
    )


@given(st.text(max_size=80))
def test_no_reply_makes_parsing_raise(reply: str) -> None:
    """Any text is an action with content, or none."""
    found = action_in(reply)
    assert found is None or found.content


@pytest.mark.parametrize("agent", ["act", "react", "fc"])
def test_what_an_agent_is_told(agent: str) -> None:
    """The system message holds persona, objects, what is required and hints, word for word as the
    golden file.
    """
    told = system_prompt(
        agent,
        Briefing("service manager", "Today is 2022-04-01.", "Look at Case."),
        "" if agent == "fc" else "Case: an inquiry\n  Id: id",
        20,
    )
    assert told + "\n" == (GOLDEN / f"agent_{agent}.txt").read_text(encoding="utf-8")


def test_an_agent_is_told_no_hints_unless_there_are() -> None:
    """Without hints there is no heading for them."""
    assert "Hints" not in system_prompt("act", Briefing("manager", "Today."), "", 20)


BROKEN = {
    "no JSON": ("{", "line 1 is no JSON"),
    "no object": ("[]", "line 1: Input should be"),
    "too deep": ("[" * 100_000, "line 1 is no JSON"),
    "too long a number": ("9" * 5000, "line 1 is no JSON"),
    "not UTF-8": (b'{"id": "\xff"}', "is not UTF-8"),
    "unknown task": (json.dumps(instance("routing-1", ["x"], {})), "no such task"),
    "no answer": (json.dumps(instance("handle_time-1", [], {})), "answer"),
    "two of an id": ("\n".join([json.dumps(INSTANCES[0])] * 2), "same id"),
    "nothing": ("", "holds no instance"),
}


@pytest.mark.parametrize("name", sorted(BROKEN))
def test_a_broken_tasks_file_is_told_with_its_line(name: str, tmp_path: Path) -> None:
    """A file of instances that can't be used is refused with what is wrong and the command that
    makes it anew, if that helps.
    """
    text, says = BROKEN[name]
    (tmp_path / "tasks").mkdir()
    (tmp_path / "tasks" / "tasks.jsonl").write_bytes(
        text if isinstance(text, bytes) else text.encode()
    )
    with pytest.raises(BadInput, match=says) as caught:
        load_instances(tmp_path)
    assert name == "nothing" or f"orgweave tasks {tmp_path}" in str(caught.value)


def test_only_a_line_feed_ends_a_line(tmp_path: Path) -> None:
    """Other line ends inside a text, such as U+2028 and U+0085, are part of it; blank lines are
    skipped.
    """
    (tmp_path / "tasks").mkdir()
    line = json.dumps(
        instance("handle_time-1", ["x"], {}, "one\u2028two\u0085three"), ensure_ascii=False
    )
    (tmp_path / "tasks" / "tasks.jsonl").write_text(f"\n{line}\n  \n", encoding="utf-8")
    assert [one.query for one in load_instances(tmp_path)] == ["one\u2028two\u0085three"]


REPORTS = {
    "another company": (
        b'{"company": "Wrenmoor Bank", "seed": 20}',
        "are of Wrenmoor Bank, seed 20, the org is Tarn & Alder, seed 20",
    ),
    "another seed": (b'{"company": "Tarn & Alder", "seed": 7}', "are of Tarn & Alder, seed 7"),
    "damaged": (b"\xff{", "is damaged"),
    "no seed": (b'{"company": "Tarn & Alder"}', "seed: Field required"),
}


@pytest.mark.parametrize("name", sorted(REPORTS))
def test_tasks_of_another_org_are_refused(name: str, tmp_path: Path) -> None:
    """Company and seed of the tasks' report must be the org's; tasks without a report are taken."""
    report, says = REPORTS[name]
    folder = evaluated_org(tmp_path / "toys")
    assert chosen_instances(EvaluationRequest(folder, "oracle"))
    (folder / "tasks" / "report.json").write_bytes(report)
    with pytest.raises(BadInput, match=says):
        chosen_instances(EvaluationRequest(folder, "oracle"))
    (folder / "tasks" / "report.json").write_text(
        '{"company": "Tarn & Alder", "seed": 20, "writer": "embedded"}'
    )
    assert chosen_instances(EvaluationRequest(folder, "oracle"))


TYPED = {
    "limit": ("x", "-T limit=x: Input should be a valid integer"),
    "folder": (5, "-T org=5: "),
    "tasks": (7, "-T tasks=7: "),
    "agent": (["act"], r"-T agent=\['act'\]: "),
    "hints": ("maybe", "-T hints=maybe: "),
    "actions": (0, "--actions 0: must be at least 1"),
    "server": ("ftp://here", "--server ftp://here: is no URL"),
    "extractor": ("nosuch/model", "--extractor-model nosuch/model: .* not recognized"),
}


@pytest.mark.parametrize("name", sorted(TYPED))
def test_what_is_wanted_is_checked_before_anything_is_opened(name: str) -> None:
    """A value of a wrong type or form is named, with the name that a person gave it by."""
    value, says = TYPED[name]
    with pytest.raises(BadInput, match=says):
        wanted_of({"folder": "nowhere", "agent": "oracle", name: value})


def test_a_scalar_answer_is_a_list_of_one(tmp_path: Path) -> None:
    """A gold answer that is given as a text or null counts as a list of it."""
    (tmp_path / "tasks").mkdir()
    lines = [
        instance("handle_time-1", [], {}) | {"answer": "x"},
        instance("handle_time-2", [], {}) | {"answer": None},
    ]
    (tmp_path / "tasks" / "tasks.jsonl").write_text("\n".join(map(json.dumps, lines)))
    assert [one.answer for one in load_instances(tmp_path)] == [["x"], [None]]


def test_tasks_and_limit_choose_instances(org: Path) -> None:
    """`tasks` keeps some tasks, `limit` the first so many of each; an agent is given only tasks
    that it fits.
    """
    assert [
        one.id
        for one in chosen_instances(
            EvaluationRequest(org, "oracle", ("handle_time", "case_routing"), 2)
        )
    ] == ["case_routing-001", "handle_time-001", "handle_time-002"]
    assert {one.task for one in chosen_instances(EvaluationRequest(org, "wrong_window"))} == {
        "handle_time",
        "transfer_count",
        "top_issue_identification",
        "monthly_trend_analysis",
        "best_region_identification",
    }
    with pytest.raises(BadInput, match="no such agent"):
        chosen_instances(EvaluationRequest(org, "robot"))
    with pytest.raises(BadInput, match="fits none"):
        chosen_instances(EvaluationRequest(org, "wrong_window", ("knowledge_qa",)))
    with pytest.raises(BadInput, match="no such task"):
        chosen_instances(EvaluationRequest(org, "oracle", ("htu",)))


def test_a_sample_keeps_its_answer_in_the_target_alone(org: Path) -> None:
    """Nothing that a solver is given in the metadata is the answer."""
    (one,) = chosen_instances(EvaluationRequest(org, "oracle", ("knowledge_qa",)))
    sample = sample_of(one)
    assert sample.target == ["14 days"]
    assert "answer" not in (sample.metadata or {})


def test_the_oracle_finds_every_answer_by_tools(org: Path) -> None:
    """On the toy org the oracle is right throughout, and each of its tool calls stands in the
    transcript.
    """
    log = run(org, "oracle")
    assert values_of(log) == dict.fromkeys([one["id"] for one in INSTANCES], 1.0)
    called = [
        event.function
        for event in samples_of(log)["handle_time-001"].events
        if event.event == "tool"
    ]
    assert called[0] == "get_period"
    assert called[-2:] == ["find_id_with_max_value", "submit"]


OTHERS: dict[str, Callable[[dict[str, float]], bool]] = {
    "noop": lambda values: not any(values.values()),
    "none": lambda values: (
        {name for name, value in values.items() if value}
        == {one["id"] for one in INSTANCES if one["answer"] == [None]}
    ),
    "first_record": lambda values: (
        values["best_region_identification-001"] == 1.0 and values["handle_time-003"] == 0.0
    ),
    "wrong_window": lambda values: (
        values["handle_time-001"] == 0.0 and values["best_region_identification-001"] == 0.0
    ),
    "swapped_extremum": lambda values: (
        values["best_region_identification-001"] == 0.0 and values["case_routing-001"] == 0.0
    ),
    "most_frequent": lambda values: (
        values["best_region_identification-001"] == 1.0 and values["handle_time-002"] == 0.0
    ),
    "text_only": lambda values: (
        values["case_routing-001"] == 0.0 and values["knowledge_qa-001"] == 0.0
    ),
}


@pytest.mark.parametrize("agent", sorted(OTHERS))
def test_a_scripted_agent_scores_what_its_script_is_worth(agent: str, org: Path) -> None:
    """Each baseline is right where its script happens to be, and no sample of it fails."""
    log = run(org, agent)
    assert OTHERS[agent](values_of(log))
    assert not any(one.error for one in samples_of(log).values())


def test_a_wrong_proof_is_not_believed(tmp_path: Path) -> None:
    """Where the evidence doesn't stand in what the tools return, the oracle gives no answer."""
    false = {"grant": "I have allowed a new pair.", "message": "", "article_text": ""}
    folder = evaluated_org(
        tmp_path / "toys",
        [
            next(one for one in INSTANCES if one["task"] == "policy_violation_identification")
            | {"evidence": false}
        ],
    )
    assert list(values_of(run(folder, "oracle")).values()) == [0.0]


@solver
def unreliable() -> Solver:
    """Raises on one instance, hangs on another, answers the third."""

    async def solve(state: TaskState, generate: Generate) -> TaskState:
        if state.sample_id == "handle_time-001":
            raise RuntimeError("lost its way")
        if state.sample_id == "handle_time-002":
            import anyio

            await anyio.sleep(600)
        return submit(state, "None")

    return solve


def test_a_raising_or_hanging_agent_costs_its_own_instance(org: Path) -> None:
    """What raises or outlasts the time limit scores 0 with the reason; the others are scored as
    ever.
    """
    samples = MemoryDataset([sample_of(one) for one in load_instances(org, ("handle_time",))])
    made = Task(
        dataset=samples,
        solver=unreliable(),
        scorer=answer_score(),
        fail_on_error=False,
        score_on_error=True,
        time_limit=2,
    )
    (log,) = inspect_eval(
        made,
        model="mockllm/model",
        display="none",
        log_dir=str(org / "unreliable"),
    )
    assert log.status == "success"
    assert values_of(log) == {
        "handle_time-001": 0.0,
        "handle_time-002": 0.0,
        "handle_time-003": 1.0,
    }
    found = samples_of(log)
    assert found["handle_time-001"].error
    assert found["handle_time-002"].limit
    assert "before it answered" in str(
        (found["handle_time-002"].scores or {})["answer_score"].explanation
    )


def test_remedies_are_names_with_days_beside_them() -> None:
    """A remedy's limit stands in its sentence or in the next one that names no other remedy."""
    text = (
        "Full Refund is listed. Check the date; after 45 days it is closed. Size Exchange: up to 60"
        " days. Ask the Care Team."
    )
    assert reading.remedies(text) == {"Full Refund": 45, "Size Exchange": 60}


@pytest.mark.parametrize(
    "sentence",
    [
        "Count from the order date: Reinstatement applies for 75 days.",
        "Reinstatement: possible up to 75 days after the order date, on the old terms.",
        'Within 75 days of the order the agent may grant the option "Reinstatement".',
        "After 75 days from the order date, Reinstatement is closed.",
    ],
)
def test_a_remedy_may_be_one_word(sentence: str) -> None:
    """Its place tells it from a word that a sentence begins with."""
    text = f"{sentence} Count from the order date: Prorated Refund applies for 60 days."
    assert reading.remedies(text) == {"Reinstatement": 75, "Prorated Refund": 60}


def test_what_is_denied_has_the_name_of_what_is_granted() -> None:
    """`No Bonus Payment is booked after 180 days` speaks of the Bonus Payment."""
    text = "No Bonus Payment is booked when more than 180 days have passed."
    assert reading.remedies(text) == {"Bonus Payment": 180}


def test_an_answer_is_read_from_its_own_article() -> None:
    """Another article with the same sentence lists other remedies. It is found before, and by the
    query alone.
    """
    alike = "Full Refund is open for 14 days after the order."
    found = [
        {"Id": "other", "FAQ_Answer__c": f"{alike} Spare Part: up to 9 days."},
        {"Id": "own", "FAQ_Answer__c": f"{alike} Size Exchange: up to 60 days."},
    ]

    async def call(name: str, search_term: str) -> object:
        return found if search_term == alike else found[:1]

    asked = ScriptInput(
        "knowledge_qa",
        "Which remedies are still open?",
        {"asks": "open", "days": "10"},
        evidence={"article": "own", "span": alike},
    )
    assert asyncio.run(TASK.oracle(asked, call)) == "Full Refund, Size Exchange"


def test_a_proof_may_be_several_sentences(tmp_path: Path) -> None:
    """The article's sentences that prove a limit are found one by one, and an article that the
    evidence names is found by the issue.
    """
    proof = {"article_text": f"Blisters come from a seam. {LIMIT}", "article": ARTICLES[0]}
    violation = next(one for one in INSTANCES if one["task"] == "policy_violation_identification")
    folder = evaluated_org(
        tmp_path / "toys",
        [
            violation | {"evidence": violation["evidence"] | proof},
            violation
            | {
                "id": "other",
                "evidence": violation["evidence"] | {"article": ARTICLES[1]},
            },
        ],
    )
    assert values_of(run(folder, "oracle")) == {violation["id"]: 1.0, "other": 0.0}


def test_a_figure_is_read_in_the_unit_that_is_asked_for() -> None:
    """What `hold_days` asks for are days, whatever else the sentence counts."""
    span = "Transfers stop at $750 a day, and funds may be on hold for 5 business days."
    assert (
        read_off(
            ScriptInput(
                "knowledge_qa",
                "For how long may a deposit be held?",
                {"asks": "hold_days"},
            ),
            span,
            span,
        )
        == "5 business days"
    )
    assert reading.figures("After 12 failed attempts it is blocked.") == ["12 failed attempts"]


def test_a_grant_means_the_remedy_whose_words_it_uses() -> None:
    """Words count in any order, the whole name before half of one; where no name is used, nothing
    is meant.
    """
    names = ["Full Refund", "Partial Refund", "Extended Warranty Cover"]
    assert (
        reading.meant("You get cover under the extended warranty.", names)
        == "Extended Warranty Cover"
    )
    assert reading.meant("A partial refund of 20 percent it is.", names) == "Partial Refund"
    assert reading.meant("You get a new pair.", names) is None


def test_windows_are_read_from_their_names() -> None:
    """Periods and intervals are what the tools take; the window before is as long."""
    assert [
        period_named(one) for one in ("the third quarter of 2021", "the fall of 2022", "June 2022")
    ] == [("Q3", 2021), ("Autumn", 2022), ("June", 2022)]
    assert interval_named("6 weeks") == (6, "week")
    assert shifted((WINDOW["start"], WINDOW["end"])) == ("2021-10-03T00:00:00Z", WINDOW["start"])


def test_answers_of_15_characters_are_right(org: Path) -> None:
    """The scorer takes an id as it was submitted, of 15 characters and in a sentence."""

    @solver
    def short() -> Solver:
        async def solve(state: TaskState, generate: Generate) -> TaskState:
            return submit(state, f"It is {USERS[0][:15]}.")

        return solve

    samples: Any = MemoryDataset(
        [sample_of(one) for one in load_instances(org, ("handle_time",), 1)]
    )
    (log,) = inspect_eval(
        Task(dataset=samples, solver=short(), scorer=answer_score()),
        model="mockllm/model",
        display="none",
        log_dir=str(org / "short"),
    )
    assert values_of(log) == {"handle_time-001": 1.0}


def test_the_example_of_a_silent_endpoint_gives_what_it_says() -> None:
    """Whoever types it sees the same."""
    assert doctest.testmod(silence) == doctest.TestResults(failed=0, attempted=7)
