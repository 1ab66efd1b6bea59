"""Agents that a model plays, end to end: the command line, Inspect's openai provider and a chat
server over real sockets.
"""

import json
import os
import re
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Sequence
from pathlib import Path
from socket import socket

import httpx2
import pytest
from inspect_ai._util.error import PrerequisiteError

from orgweave.benchmark.evaluate.endpoint import model_options
from orgweave.benchmark.evaluate.results import ScoreRow, read_rows
from orgweave.cli import run
from orgweave.inspect_tasks import crm
from orgweave.testing.chat import ChatServer, ChatTurn, ScriptedReply
from orgweave.testing.org_server import OrgServer
from orgweave.testing.server import ModelServer
from orgweave.testing.words import Words
from pipeline.config import RunRequest, load_job
from pipeline.run_folder import RunFolder
from tests.evaluate_toys import INSTANCES, evaluated_org, instance
from tests.tiers import THOROUGH
from tests.tools_toys import USERS

UNHEARD_OF = "openai/my-model"
"""A name that OpenAI doesn't have: Inspect takes it for a model to come."""
KEYLESS = "ollama/gpt-4o-mini"
"""A provider of Inspect's that wants no key, so that the command can be called in this process."""
QUERY = "SELECT Name FROM User ORDER BY Id LIMIT 1"


@pytest.fixture
def org(tmp_path: Path) -> Path:
    """The toy org with one instance, answered by the first user."""
    return evaluated_org(tmp_path / "toys", INSTANCES[:1])


def words_of(
    org: Path, server: ChatServer | ModelServer, agent: str, model: str, *more: str
) -> list[str]:
    """The command line of an evaluation by a model of that server."""
    return [
        "evaluate",
        str(org),
        "--agent",
        agent,
        "--model",
        model,
        "--base-url",
        server.url,
        *more,
    ]


def evaluated(org: Path, server: ChatServer | ModelServer, agent: str, *more: str) -> ScoreRow:
    """The row of an evaluation by the command line."""
    assert run(words_of(org, server, agent, KEYLESS, *more)) == 0
    (row,) = read_rows([org / "evaluations"])
    return row


def contents(messages: Sequence[ChatTurn]) -> str:
    """All that stands in a conversation."""
    return "\n".join(str(one.get("content")) for one in messages)


@pytest.mark.parametrize("agent", ["act", "react"])
def test_a_text_agent_queries_and_answers(agent: str, org: Path) -> None:
    """A malformed turn is corrected, a bad query's error and a query's records come back, the
    answer is scored, tokens and dollars are counted.
    """
    turns = [
        "Let me see.",
        "<execute>SELECT Nothing FROM User</execute>",
        f"<thought>So.</thought><execute>{QUERY}</execute>\nResult: made up",
        f"<respond>{USERS[0]}</respond>",
    ]

    def script(messages: Sequence[ChatTurn], calls: int) -> ScriptedReply:
        return turns[calls]

    with ChatServer(script) as server:
        row = evaluated(org, server, agent)
        last = contents(server.requests[-1]["messages"])
        spent = server.tokens
    assert "That was no action" in last
    assert "INVALID_FIELD" in last
    assert "Agent 0" in last
    assert "made up" not in last
    assert "OwnerId: reference to" in last
    figures = row.every["ALL"]
    assert (figures.mean, figures.turns) == (1.0, 4.0)
    assert [figures.tokens_in, figures.tokens_out] == spent
    assert figures.cost == pytest.approx((spent[0] * 0.15 + spent[1] * 0.6) / 1_000_000)


def test_a_calling_agent_uses_tools_and_submits(org: Path) -> None:
    """Tools are offered by function calling, a refused argument is told, a turn without a call
    corrected, submit ends the work.
    """
    calls: list[ScriptedReply] = [
        "I think it is the first.",
        {"name": "get_period", "arguments": {"period_name": "Someday", "year": 2022}},
        {"name": "issue_soql_query", "arguments": {"query": QUERY}},
        {"name": "submit", "arguments": {"content": USERS[0]}},
    ]
    with ChatServer(lambda messages, at: calls[at]) as server:
        row = evaluated(org, server, "fc")
        first, last = server.requests[0], contents(server.requests[-1]["messages"])
    assert {one["function"]["name"] for one in first["tools"]} >= {
        "get_cases",
        "issue_soql_query",
        "submit",
    }
    assert "execute" not in {one["function"]["name"] for one in first["tools"]}
    assert "That was no tool call" in last
    assert "Someday" in last
    assert "Agent 0" in last
    assert (row.every["NCR"].mean, row.every["NCR"].turns) == (1.0, 4.0)


def test_an_agent_that_never_answers_is_stopped(org: Path) -> None:
    """After its last action an agent without an answer scores 0, and the result tells of no
    failure.
    """
    with ChatServer(lambda messages, calls: f"<execute>{QUERY}</execute>") as server:
        row = evaluated(org, server, "act", "--actions", "3")
        assert len(server.requests) == 3
    assert (row.every["ALL"].mean, row.every["ALL"].turns, row.every["ALL"].failed) == (0.0, 3.0, 0)


def test_busy_and_failing_endpoints_are_asked_again(org: Path) -> None:
    """A 429 and a 500 are tried again; the episode goes on and is scored."""
    replies: list[ScriptedReply] = [429, 500, f"<respond>{USERS[0]}</respond>"]
    with ChatServer(lambda messages, calls: replies[calls]) as server:
        row = evaluated(org, server, "act")
    assert row.every["ALL"].mean == 1.0


def test_trials_give_pass_hat_k(org: Path) -> None:
    """With --epochs 2 and one right answer of two, pass^1 is a half and pass^2 nothing;
    scores.json, table and picture lie beside the logs.
    """
    with ChatServer(lambda messages, calls: f"<respond>{USERS[calls % 2]}</respond>") as server:
        row = evaluated(org, server, "act", "--epochs", "2", "--max-connections", "1")
    assert dict(row.every["NCR"].passes) == {1: 0.5, 2: 0.0}
    folder = org / "evaluations" / "act-ollama_gpt-4o-mini"
    assert {path.name for path in folder.iterdir() if path.suffix != ".eval"} == {
        "scores.json",
        "scores.md",
        "scores.png",
    }
    assert json.loads((folder / "scores.json").read_text())[0]["every"]["NCR"]["passes"] == {
        "1": 0.5,
        "2": 0.0,
    }


def test_an_extractor_reads_what_rules_cannot(
    org: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """With --extractor-model another model is asked where the rules find no answer, and its reply
    need not be JSON. Both may be models that nobody has heard of.
    """

    def script(messages: Sequence[ChatTurn], calls: int) -> ScriptedReply:
        return (
            f"I'd say {USERS[0]}"
            if "Copy out of the answer" in contents(messages)
            else "<respond>Agent 0, of course</respond>"
        )

    with ChatServer(script) as server:
        for name, value in {"OPENAI_API_KEY": "key", "OPENAI_BASE_URL": server.url}.items():
            monkeypatch.setenv(name, value)
        words = words_of(org, server, "act", UNHEARD_OF, "--extractor-model", UNHEARD_OF)
        assert run(words) == 0
        assert len(server.requests) == 2
    assert f"act {UNHEARD_OF} on toys" in capsys.readouterr().out
    (row,) = read_rows([org / "evaluations"])
    assert row.every["NCR"].mean == 1.0


@pytest.mark.parametrize(
    ("name", "url", "options"),
    [
        ("openai/my-model", "http://127.0.0.1:8000/v1", {"responses_api": False}),
        ("openai/org/my-model", "http://127.0.0.1:8000/v1", {"responses_api": False}),
        ("openai/gpt-5", "https://api.openai.com/v1", {}),
        ("openai/azure/gpt-5", "https://mine.openai.azure.com/v1", {}),
        ("ollama/my-model", "http://127.0.0.1:11434/v1", {}),
    ],
)
def test_an_endpoint_of_ones_own_is_asked_for_chat_completions(
    name: str, url: str, options: dict[str, bool]
) -> None:
    """Only OpenAI itself, and the clouds that Inspect knows, may be asked by another API."""
    assert model_options(name, url) == options


def test_an_agent_works_in_a_served_crm(org: Path) -> None:
    """With --server and --token the queries go to that CRM, and the token stands in no log."""
    turns = [f"<execute>{QUERY}</execute>", f"<respond>{USERS[0]}</respond>"]
    with OrgServer(org) as crm, ChatServer(lambda messages, calls: turns[calls]) as server:
        row = evaluated(org, server, "act", "--server", crm.url, "--token", crm.token)
        # Before the query it is asked, once an object type, whether it holds the same org.
        assert crm.org.usage.calls == len(RunFolder(org).read_schema().objects) + 1
        assert "Agent 0" in contents(server.requests[-1]["messages"])
    assert row.every["NCR"].mean == 1.0


REFUSED = {
    "no model": (["--agent", "react"], "name one in Inspect's form"),
    "no such agent": (["--agent", "robot"], "no such agent"),
    "no such task": (["--agent", "oracle", "--tasks", "htu"], "no such task"),
    "no trial": (["--agent", "oracle", "--epochs", "0"], "--epochs 0"),
    "no connection": (
        ["--agent", "oracle", "--max-connections", "0"],
        "--max-connections 0: must be at least 1",
    ),
    "less than none": (["--agent", "oracle", "--max-connections", "-1"], "--max-connections -1"),
    "no time": (["--agent", "oracle", "--time-limit", "0"], "--time-limit 0"),
    "no action": (["--agent", "oracle", "--actions", "0"], "--actions 0"),
    "no server's URL": (["--agent", "oracle", "--server", "here"], "--server here: is no URL"),
    "no host": (["--agent", "oracle", "--server", "http://"], "--server http://: is no URL"),
    "no model's URL": (["--agent", "oracle", "--base-url", "here"], "--base-url here: is no URL"),
    "no provider": (
        ["--model", "gpt-4o-mini"],
        "--model gpt-4o-mini: write PROVIDER/NAME, such as openai/gpt-4o-mini",
    ),
    "unknown provider": (["--model", "nosuch/model"], "--model nosuch/model: "),
    "no extractor": (
        ["--agent", "oracle", "--extractor-model", "nosuch/model"],
        "--extractor-model nosuch/model: ",
    ),
}


@pytest.mark.parametrize("name", sorted(REFUSED))
def test_bad_options_are_one_clear_line(
    name: str,
    org: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """What can't be evaluated ends with exit code 2 and one line that says what to do."""
    words, says = REFUSED[name]
    assert run(["evaluate", str(org), *words]) == 2
    told = capsys.readouterr().err
    assert says in told
    assert len(told.splitlines()) == 1


def test_a_missing_key_is_one_clear_line(org: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A provider whose key is not in the environment is told before anything runs."""
    assert run(["evaluate", str(org), "--model", "openai-api/nobody/toy-model"]) == 2
    told = capsys.readouterr().err
    assert "Set NOBODY_API_KEY" in told
    assert len(told.splitlines()) == 1


def test_a_server_that_is_not_there_is_told_before_anything_runs(
    org: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """It is asked once: exit code 1, one line, no log."""
    assert run(["evaluate", str(org), "--agent", "oracle", "--server", "http://127.0.0.1:1"]) == 1
    told = capsys.readouterr().err
    assert len(told.splitlines()) == 1
    assert "nothing gets through" in told
    assert not (org / "evaluations").exists()


@pytest.mark.parametrize("hangs", [False, True], ids=["nobody listens", "nobody answers"])
def test_an_endpoint_that_is_dead_is_told_in_a_line(
    hangs: bool,
    org: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """It is asked once, for at most a quarter of a minute: exit code 1, one line, no log."""
    monkeypatch.setenv("OPENAI_API_KEY", "toy")
    with socket() as held:
        held.bind(("127.0.0.1", 0))
        if hangs:
            held.listen()
        url = f"http://127.0.0.1:{held.getsockname()[1]}/v1"
        began = time.monotonic()
        asked = ["evaluate", str(org), "--agent", "act", "--model", "openai/toy", "--base-url", url]
        assert run(asked) == 1
    assert time.monotonic() - began < 30
    told = capsys.readouterr().err
    assert f"{url}: nothing gets through to the endpoint of openai/toy" in told
    assert len(told.splitlines()) == 1
    assert not list((org / "evaluations").rglob("*.eval"))


def test_an_endpoint_that_dies_on_the_way_is_told(
    org: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Within half a minute stderr says who is silent and why; once it answers, that too."""
    healthy = threading.Event()
    told: list[str] = []

    def script(messages: Sequence[ChatTurn], calls: int) -> ScriptedReply:
        if calls == 0:
            return f"<execute>{QUERY}</execute>"
        return f"<respond>{USERS[0]}</respond>" if healthy.is_set() else 503

    def mend_once_told() -> None:
        while not told:
            time.sleep(0.2)
            told.extend(capsys.readouterr().err.splitlines())
        healthy.set()

    with ChatServer(script) as server:
        mending = threading.Thread(target=mend_once_told)
        mending.start()
        row = evaluated(org, server, "act")
        mending.join()
    assert row.every["ALL"].mean == 1.0
    assert re.match(f"orgweave: {KEYLESS}: no answer from the endpoint for [0-9]+ s .*503", told[0])
    assert f"{KEYLESS}: the endpoint answers again" in capsys.readouterr().err


@pytest.mark.parametrize("agent", ["react", "fc"])
def test_the_test_server_plays_an_agent(agent: str, org: Path) -> None:
    """Without a key the whole way can be watched: a query, and an answer of what it returned."""
    with ModelServer(Words(load_job(RunRequest("shoes", scale=0.02)))) as server:
        row = evaluated(org, server, agent)
        assert row.every["ALL"].turns == 2


def test_the_test_server_refuses_what_it_does_not_know() -> None:
    """A prompt of nobody's is a request that can't be answered, not a fault to try again."""
    body = {"model": "toy", "messages": [{"role": "user", "content": "Hello?"}]}
    with ModelServer(Words(load_job(RunRequest("shoes", scale=0.02)))) as server:
        refused = httpx2.post(f"{server.url}/chat/completions", json=body)
    assert refused.status_code == 400
    assert "none of them" in refused.json()["error"]["message"]


def test_where_every_sample_failed_nothing_was_measured(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """All samples failed: exit code 1, no table; some failed: their number on stderr, and the
    table. Both say how to see more.
    """
    lost = [instance(f"handle_time-00{number}", [USERS[0]], {}) for number in (1, 2)]
    all_lost = evaluated_org(tmp_path / "lost", lost)
    assert run(["evaluate", str(all_lost), "--agent", "oracle"]) == 1
    told = capsys.readouterr()
    assert "2 of 2 samples failed or were stopped, such as handle_time-00" in told.err
    assert "Scores" not in told.out
    some_lost = evaluated_org(tmp_path / "some", [*lost, INSTANCES[0]])
    assert run(["evaluate", str(some_lost), "--agent", "oracle"]) == 0
    told = capsys.readouterr()
    assert "2 of 3 samples failed or were stopped" in told.err
    assert "Scores" in told.out


def test_more_trials_than_are_shown_are_told(org: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """pass^k is shown up to k = 10."""
    assert run(["evaluate", str(org), "--agent", "none", "--epochs", "11"]) == 0
    told = capsys.readouterr()
    assert "--epochs 11: pass^k is shown up to k = 10" in told.err
    assert "k=10" in told.out


def test_scores_reads_past_damaged_logs(org: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """In a folder a damaged log is skipped with a line on stderr; one that is named itself is bad
    input, as is a name of nothing.
    """
    assert run(["evaluate", str(org), "--agent", "oracle"]) == 0
    capsys.readouterr()
    logs = org / "evaluations" / "oracle"
    (good,) = logs.glob("*.eval")
    (logs / "2026-01-01T00-00-00-00-00_crm_half.eval").write_bytes(good.read_bytes()[:200])
    (logs / "2026-01-01T00-00-00-00-00_crm_junk.eval").write_text("junk")
    assert run(["scores", str(logs)]) == 0
    told = capsys.readouterr()
    assert "oracle on toys" in told.out
    assert [line.startswith("orgweave: skipped: ") for line in told.err.splitlines()] == [
        True,
        True,
    ]
    for name, says in [
        (str(logs / "2026-01-01T00-00-00-00-00_crm_junk.eval"), "can't be read as a log"),
        (str(org / "manifest.json"), "can't be read as a log"),
        ("", "is followed by nothing"),
    ]:
        assert run(["scores", name]) == 2
        (line,) = capsys.readouterr().err.splitlines()
        assert says in line


@pytest.mark.parametrize("command", ["evaluate", "scores"])
def test_without_the_package_the_command_names_it(command: str, org: Path, tmp_path: Path) -> None:
    """Where Inspect isn't installed, one line says what needs it and how to install it."""
    (tmp_path / "inspect_ai.py").write_text("raise ImportError('none', name='inspect_ai')\n")
    ended = subprocess.run(
        [sys.executable, "-m", "pipeline", command, str(org)],
        capture_output=True,
        text=True,
        env={**os.environ, "PYTHONPATH": str(tmp_path)},
    )
    assert ended.returncode == 2
    assert (
        ended.stderr
        == f"orgweave: {command} needs inspect_ai, which isn't installed; run: pip install"
        " 'orgweave[evaluate]'\n"
    )


@THOROUGH
def test_inspect_is_told_what_cannot_be_used(org: Path) -> None:
    """`inspect eval` shows what is wrong without a traceback, and fails."""
    words = ["eval", "orgweave/crm", "-T", "org=nowhere", "-T", "agent=oracle"]
    ended = subprocess.run(
        [sys.executable, "-m", "inspect_ai", *words, "--model", "mockllm/model"],
        capture_output=True,
        text=True,
        timeout=60,
        cwd=org,
    )
    assert ended.returncode != 0
    assert "can't be read" in ended.stdout + ended.stderr
    assert "Traceback" not in ended.stdout + ended.stderr
    # Inspect shows this error as that line, whatever it says.
    with pytest.raises(PrerequisiteError, match="-T limit=x: Input should be"):
        crm(str(org), "oracle", limit="x")  # type: ignore[arg-type]


@THOROUGH
def test_inspect_finds_the_task_by_its_name(org: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """`inspect eval orgweave/crm` runs it, and `scores` reads its log."""
    logs = org / "by_inspect"
    words = [
        "eval",
        "orgweave/crm",
        "-T",
        f"org={org}",
        "-T",
        "agent=oracle",
        "--model",
        "mockllm/model",
        "--log-dir",
        str(logs),
        "--display",
        "plain",
    ]
    ended = subprocess.run(
        [sys.executable, "-m", "inspect_ai", *words],
        capture_output=True,
        text=True,
        timeout=60,
        cwd=org,
    )
    assert ended.returncode == 0, ended.stdout + ended.stderr
    capsys.readouterr()
    assert run(["scores", str(logs)]) == 0
    shown = capsys.readouterr().out
    assert "oracle on toys" in shown
    assert "100.0" in shown


@THOROUGH
def test_an_interrupted_evaluation_goes_on(tmp_path: Path) -> None:
    """Ctrl-C: exit code 130 and the usual line; samples that were broken off are not in the scores,
    and those of an earlier log count.

    The same command then asks a model only what it hadn't answered; with another option, and once
    it was finished, all is asked anew. Signs of a URL are only signs in a folder's name.
    """
    folder = evaluated_org(tmp_path / "o r#g? 50%é")
    halted, asked = threading.Event(), []
    fifth = len(INSTANCES) + 4

    def script(messages: Sequence[ChatTurn], calls: int) -> ScriptedReply:
        asked.append(str(messages[-1]))
        if calls == fifth:
            halted.set()
            time.sleep(1)
        return "<respond>None</respond>"

    with ChatServer(script) as server:
        words = words_of(folder, server, "act", KEYLESS, "--max-connections", "1")
        evaluated(folder, server, "act", "--max-connections", "1")
        with subprocess.Popen(
            [sys.executable, "-m", "pipeline", *words],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            text=True,
        ) as process:
            assert halted.wait(60)
            process.send_signal(signal.SIGINT)
            _, said = process.communicate(timeout=60)
        assert process.returncode == 130
        assert said.splitlines()[-1].startswith("orgweave: interrupted")
        assert "Traceback" not in said
        (row,) = read_rows([folder / "evaluations"])
        assert (row.every["ALL"].instances, row.every["ALL"].failed) == (len(INSTANCES), 0)
        assert len(asked) == fifth + 1
        evaluated(folder, server, "act", "--max-connections", "1", "--hints")
        assert len(asked) == fifth + 1 + len(INSTANCES)
        row = evaluated(folder, server, "act", "--max-connections", "1")
        # Four were answered; the fifth was under way, and is asked again.
        assert len(asked) == fifth + 1 + 2 * len(INSTANCES) - 4
        assert row.every["ALL"].instances == len(INSTANCES)
        evaluated(folder, server, "act", "--max-connections", "1")
        assert len(asked) == fifth + 1 + 3 * len(INSTANCES) - 4
