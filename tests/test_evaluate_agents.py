"""Agents that a model plays, end to end: the command line, Inspect's openai provider and a chat server over real sockets."""

import json
import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest

from pipeline.evaluate.results import Row, read_rows
from pipeline.testing.chat import ChatServer, Message, Reply
from pipeline.testing.sandbox import SandboxServer
from tests.evaluate_toys import INSTANCES, evaluated_org
from tests.tools_toys import USERS

QUERY = "SELECT Name FROM User ORDER BY Id LIMIT 1"


@pytest.fixture
def org(tmp_path: Path) -> Path:
    """The toy org with one instance, answered by the first user."""
    return evaluated_org(tmp_path / "toys", INSTANCES[:1])


def evaluated(org: Path, server: ChatServer, agent: str, *words: str, **environment: str) -> Row:
    """The row of an evaluation run as a person runs it, in a process of its own."""
    command = [sys.executable, "-m", "pipeline", "evaluate", str(org), "--agent", agent, "--model", "openai/gpt-4o-mini", "--base-url", server.url, *words]
    ended = subprocess.run(command, capture_output=True, text=True, env={**os.environ, "OPENAI_API_KEY": "key", **environment}, timeout=120)
    assert ended.returncode == 0, ended.stdout + ended.stderr
    assert f"{agent} openai/gpt-4o-mini on toys" in ended.stdout
    (row,) = read_rows([org / "evaluations"])
    return row


def contents(messages: Sequence[Message]) -> str:
    """All that stands in a conversation."""
    return "\n".join(str(one.get("content")) for one in messages)


@pytest.mark.parametrize("agent", ["act", "react"])
def test_a_text_agent_queries_and_answers(agent: str, org: Path) -> None:
    """A malformed turn is corrected, a bad query's error and a query's records come back, the answer is scored, tokens and dollars are counted."""
    turns = ["Let me see.", "<execute>SELECT Nothing FROM User</execute>", f"<thought>So.</thought><execute>{QUERY}</execute>\nResult: made up", f"<respond>{USERS[0]}</respond>"]

    def script(messages: Sequence[Message], calls: int) -> Reply:
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
    """Tools are offered by function calling, a refused argument is told, a turn without a call corrected, submit ends the work."""
    calls: list[Reply] = [
        "I think it is the first.",
        {"name": "get_period", "arguments": {"period_name": "Someday", "year": 2022}},
        {"name": "issue_soql_query", "arguments": {"query": QUERY}},
        {"name": "submit", "arguments": {"content": USERS[0]}},
    ]
    with ChatServer(lambda messages, at: calls[at]) as server:
        row = evaluated(org, server, "fc")
        first, last = server.requests[0], contents(server.requests[-1]["messages"])
    assert {one["function"]["name"] for one in first["tools"]} >= {"get_cases", "issue_soql_query", "submit"}
    assert "execute" not in {one["function"]["name"] for one in first["tools"]}
    assert "That was no tool call" in last
    assert "Someday" in last
    assert "Agent 0" in last
    assert (row.every["NCR"].mean, row.every["NCR"].turns) == (1.0, 4.0)


def test_an_agent_that_never_answers_is_stopped(org: Path) -> None:
    """After its last action an agent without an answer scores 0, and the result tells of no failure."""
    with ChatServer(lambda messages, calls: f"<execute>{QUERY}</execute>") as server:
        row = evaluated(org, server, "act", "--actions", "3")
        assert len(server.requests) == 3
    assert (row.every["ALL"].mean, row.every["ALL"].turns, row.every["ALL"].failed) == (0.0, 3.0, 0)


def test_busy_and_failing_endpoints_are_asked_again(org: Path) -> None:
    """A 429 and a 500 are tried again; the episode goes on and is scored."""
    replies: list[Reply] = [429, 500, f"<respond>{USERS[0]}</respond>"]
    with ChatServer(lambda messages, calls: replies[calls]) as server:
        row = evaluated(org, server, "act")
    assert row.every["ALL"].mean == 1.0


def test_trials_give_pass_hat_k(org: Path) -> None:
    """With --epochs 2 and one right answer of two, pass^1 is a half and pass^2 nothing; scores.json, table and picture lie beside the logs."""
    with ChatServer(lambda messages, calls: f"<respond>{USERS[calls % 2]}</respond>") as server:
        row = evaluated(org, server, "act", "--epochs", "2", "--max-connections", "1")
    assert dict(row.every["NCR"].passes) == {1: 0.5, 2: 0.0}
    folder = org / "evaluations" / "act-openai_gpt-4o-mini"
    assert {path.name for path in folder.iterdir() if path.suffix != ".eval"} == {"scores.json", "scores.md", "scores.png"}
    assert json.loads((folder / "scores.json").read_text())[0]["every"]["NCR"]["passes"] == {"1": 0.5, "2": 0.0}


def test_an_extractor_reads_what_rules_cannot(org: Path) -> None:
    """With --extractor-model another model is asked where the rules find no answer, and its reply need not be JSON."""

    def script(messages: Sequence[Message], calls: int) -> Reply:
        return f"I'd say {USERS[0]}" if "Copy out of the answer" in contents(messages) else "<respond>Agent 0, of course</respond>"

    with ChatServer(script) as server:
        row = evaluated(org, server, "act", "--extractor-model", "openai/gpt-4o-mini", OPENAI_BASE_URL=server.url)
        assert len(server.requests) == 2
    assert row.every["NCR"].mean == 1.0


def test_an_agent_works_in_a_served_crm(org: Path) -> None:
    """With --server and --token the queries go to that CRM, and the token stands in no log."""
    turns = [f"<execute>{QUERY}</execute>", f"<respond>{USERS[0]}</respond>"]
    with SandboxServer(org) as crm, ChatServer(lambda messages, calls: turns[calls]) as server:
        row = evaluated(org, server, "act", "--server", crm.url, "--token", crm.token)
        assert crm.org.usage.calls == 1
        assert "Agent 0" in contents(server.requests[-1]["messages"])
    assert row.every["NCR"].mean == 1.0


REFUSED = {
    "no model": (["--agent", "react"], "name one in Inspect's form"),
    "no such agent": (["--agent", "robot"], "no such agent"),
    "no such task": (["--agent", "oracle", "--tasks", "htu"], "no such task"),
    "no trial": (["--agent", "oracle", "--epochs", "0"], "--epochs 0"),
}


@pytest.mark.parametrize("name", sorted(REFUSED))
def test_bad_options_are_one_clear_line(name: str, org: Path) -> None:
    """What can't be evaluated ends with exit code 2 and one line that says what to do."""
    words, says = REFUSED[name]
    ended = subprocess.run([sys.executable, "-m", "pipeline", "evaluate", str(org), *words], capture_output=True, text=True, timeout=60)
    assert ended.returncode == 2
    assert says in ended.stderr
    assert len(ended.stderr.splitlines()) == 1


def test_inspect_finds_the_task_by_its_name(org: Path) -> None:
    """`inspect eval orgweave/crm` runs it, and `scores` reads its log."""
    logs = org / "by_inspect"
    words = ["eval", "orgweave/crm", "-T", f"org={org}", "-T", "agent=oracle", "--model", "mockllm/model", "--log-dir", str(logs), "--display", "plain"]
    ended = subprocess.run([sys.executable, "-m", "inspect_ai", *words], capture_output=True, text=True, timeout=60, cwd=org)
    assert ended.returncode == 0, ended.stdout + ended.stderr
    shown = subprocess.run([sys.executable, "-m", "pipeline", "scores", str(logs)], capture_output=True, text=True, timeout=60)
    assert "oracle on toys" in shown.stdout
    assert "100.0" in shown.stdout
