"""The MCP server as the official client sees it: a process over stdio, and over HTTP; and the
commands `mcp` and `tools`.
"""

import json
import os
import re
import signal
import socket
import subprocess
import sys
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from importlib.metadata import version
from pathlib import Path
from typing import Any

import anyio
import pytest
from mcp import Client, StdioServerParameters
from mcp.shared.exceptions import MCPError

from orgweave.tools.crm import local_crm
from orgweave.tools.toolbox import FUNCTIONS, Toolbox, definitions
from tests.called import called
from tests.tiers import THOROUGH
from tests.tools_calls import CALLS
from tests.tools_toys import WINDOW, toy_folder

ROOT = Path(__file__).parent.parent
COMMAND = [sys.executable, "-m", "pipeline", "mcp"]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The toy org."""
    return toy_folder(tmp_path_factory.mktemp("mcp"))


@contextmanager
def over_http(folder: Path) -> Iterator[tuple[str, subprocess.Popen[str]]]:
    """A server's URL and process."""
    with subprocess.Popen(
        [*COMMAND, str(folder), "--http", "0"],
        stdout=subprocess.PIPE,
        text=True,
        cwd=ROOT,
    ) as process:
        assert process.stdout is not None
        try:
            yield process.stdout.readline().strip(), process
        finally:
            process.kill()


@pytest.fixture(scope="module")
def url(folder: Path) -> Iterator[str]:
    """The address of a server over HTTP, which all clients of this file share."""
    with over_http(folder) as (address, _):
        yield address


@asynccontextmanager
async def connected(folder: Path, url: str, way: str) -> AsyncIterator[Client]:
    """A client of a server that runs in a process of its own."""
    if way == "stdio":
        async with Client(
            StdioServerParameters(command=COMMAND[0], args=[*COMMAND[1:], str(folder)], cwd=ROOT)
        ) as client:
            yield client
    else:
        assert re.fullmatch(r"http://127\.0\.0\.1:\d+/mcp", url)
        async with Client(url) as client:
            yield client


def told(result: Any) -> str:
    """The one text of a result."""
    (content,) = result.content
    return str(content.text)


@pytest.mark.parametrize("way", ["stdio", "http"])
def test_a_client_finds_the_tools_and_the_schema(folder: Path, url: str, way: str) -> None:
    """Every tool with its description and schema, instructions, and the org's schema as a text
    resource; another resource is refused.
    """

    async def look() -> None:
        async with connected(folder, url, way) as client:
            tools = (await client.list_tools()).tools
            told_of = {tool.name: (tool.description, tool.input_schema) for tool in tools}
            assert list(told_of) == list(FUNCTIONS)
            known: dict[str, Any] = {
                one["name"]: (one["description"], one["parameters"])
                for one in (definition["function"] for definition in definitions())
            }
            assert {name for name in FUNCTIONS if told_of[name] != known[name]} == {"submit"}
            assert "can be called afterwards" in str(told_of["submit"][0])
            assert "nothing can be called" not in str(told_of["submit"][0])
            assert client.server_info.version == version("orgweave")
            assert "crm://schema" in str(client.instructions)
            (resource,) = (await client.list_resources()).resources
            (content,) = (await client.read_resource(str(resource.uri))).contents
            assert "\nCase: " in content.text
            assert "  OwnerId: reference to User (relationship Owner)\n" in content.text
            assert "  Priority: picklist, one of High, Medium, Low\n" in content.text
            with pytest.raises(MCPError, match="there is crm://schema"):
                await client.read_resource("crm://other")

    anyio.run(look)


@pytest.mark.parametrize("way", ["stdio", "http"])
def test_a_client_calls_every_tool(folder: Path, url: str, way: str) -> None:
    """A call's result is the toolbox's reply; what the toolbox refuses is an error with the reason;
    submitting ends nothing for the next caller.
    """

    async def call() -> None:
        with local_crm(folder) as crm:
            async with connected(folder, url, way) as client:
                for name in FUNCTIONS:
                    assert told(await client.call_tool(name, CALLS[name][0])) == Toolbox(crm).reply(
                        name, CALLS[name][0]
                    )
                refused = await client.call_tool("get_cases", {"start_date": "soon"})
                assert refused.is_error
                assert "start_date: 'soon' is no datetime" in told(refused)
                assert (await client.call_tool("get_everything", {})).is_error
                for name, text in [
                    ("execute", "SELECT"),
                    ("issue_soql_query", "SELECT"),
                    ("issue_sosl_query", "FIND"),
                ]:
                    no_query = await client.call_tool(name, {"query": text})
                    assert no_query.is_error
                    assert told(no_query).startswith("MALFORMED_")
                assert not (
                    await client.call_tool(
                        "execute", {"query": "SELECT Id FROM Case WHERE Subject = 'none'"}
                    )
                ).is_error

    anyio.run(call)


def test_calls_side_by_side_are_answered_each(folder: Path, url: str) -> None:
    """Twenty calls under way together get their own answers."""

    async def call() -> None:
        async with connected(folder, url, "http") as client:
            found: dict[int, str] = {}

            async def one(number: int) -> None:
                found[number] = told(
                    await client.call_tool(
                        "get_period", {"period_name": "Winter", "year": 2000 + number}
                    )
                )

            async with anyio.create_task_group() as group:
                for number in range(20):
                    group.start_soon(one, number)
            assert {
                number: json.loads(text)["start_date"][:4] for number, text in found.items()
            } == {number: str(2000 + number) for number in range(20)}

    anyio.run(call)


def test_an_interrupt_ends_the_http_server_in_good_order(folder: Path) -> None:
    """Ctrl-C ends it with exit code 0."""
    with over_http(folder) as (url, process):
        assert url
        process.send_signal(signal.SIGINT)
        assert process.wait(60) == 0


def test_a_client_that_hangs_up_leaves_no_traceback(folder: Path) -> None:
    """A request that breaks off in its body is nobody's fault here, and writes nothing."""
    line = [*COMMAND, str(folder), "--http", "0"]
    with subprocess.Popen(
        line,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        cwd=ROOT,
    ) as process:
        assert process.stdout is not None
        port = int(process.stdout.readline().strip().removesuffix("/mcp").rpartition(":")[2])
        head = (
            f"POST /mcp HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nContent-Type: application/json\r\n"
            "Accept: application/json, text/event-stream\r\nContent-Length: 900\r\n\r\n{"
        )
        for _ in range(5):
            with socket.create_connection(("127.0.0.1", port)) as connection:
                connection.sendall(head.encode())
        with socket.create_connection(("127.0.0.1", port)) as connection:
            connection.sendall(head.replace("Content-Length: 900", "Content-Length: 1").encode())
            assert connection.recv(99).startswith(b"HTTP/1.1 400")
        process.send_signal(signal.SIGINT)
        assert process.communicate(timeout=60)[1] == ""


@THOROUGH
def test_over_stdio_an_interrupt_or_the_end_of_stdin_ends_the_server(folder: Path) -> None:
    """The end of stdin is the usual end; Ctrl-C ends it at once, though stdin is open."""
    ended = subprocess.run(
        [*COMMAND, str(folder)],
        capture_output=True,
        cwd=ROOT,
        stdin=subprocess.DEVNULL,
    )
    assert (ended.returncode, ended.stdout, ended.stderr) == (0, b"", b"")
    with subprocess.Popen(
        [*COMMAND, str(folder)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        cwd=ROOT,
    ) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdin.write('{"jsonrpc": "2.0", "id": 1, "method": "ping"}\n')
        process.stdin.flush()
        assert json.loads(process.stdout.readline())["id"] == 1
        process.send_signal(signal.SIGINT)
        assert process.wait(60) == -signal.SIGINT


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (["nowhere"], "can't be read"),
        (["--http", "99999"], "choose another address or port"),
        (["--clock", "soon"], "--clock soon"),
    ],
)
def test_bad_input_is_one_clear_line(folder: Path, words: list[str], says: str) -> None:
    """A folder without an org, a port that isn't one, a date that isn't one: exit code 2 and one
    line.
    """
    ended = called("mcp", *words, *([] if "nowhere" in words else [str(folder)]))
    assert ended.returncode == 2
    assert says in ended.stderr
    assert len(ended.stderr.splitlines()) == 1


def test_without_the_package_the_command_names_it(folder: Path, tmp_path: Path) -> None:
    """Where mcp isn't installed, nor what it brings, one line says how to install it."""
    (tmp_path / "uvicorn.py").write_text("raise ImportError('no uvicorn', name='uvicorn')\n")
    (tmp_path / "mcp.py").write_text("raise ImportError('no mcp', name='mcp')\n")
    ended = subprocess.run(
        [*COMMAND, str(folder)],
        capture_output=True,
        text=True,
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": str(tmp_path)},
    )
    assert ended.returncode == 2
    assert (
        ended.stderr
        == "orgweave: mcp needs mcp, which isn't installed; run: pip install 'orgweave[mcp]'\n"
    )


def test_tools_are_printed_without_an_org() -> None:
    """As OpenAI's JSON, and as text that names every tool with its arguments."""
    shown = {form: called("tools", "--format", form).stdout for form in ("openai", "text")}
    assert json.loads(shown["openai"]) == definitions()
    assert all(f"{name}(" in shown["text"] for name in FUNCTIONS)
    assert all(f"- {argument}" in shown["text"] for argument in WINDOW)
