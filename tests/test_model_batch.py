"""Writing in waves: `--batch-dir` as a loop of files that someone answers, `--batch` through the
endpoint's Batch API, killed and continued.
"""

import asyncio
import hashlib
import json
import os
import signal
import sqlite3
import subprocess
import sys
import time
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path

import pytest

from orgweave.cli import run
from orgweave.testing.asked import prompt_of
from orgweave.testing.faults import Behaviour
from orgweave.testing.server import ModelServer
from orgweave.testing.words import Words
from pipeline.config import RunRequest, load_job
from pipeline.model.batch_files import FolderCaller
from pipeline.model.pauses import Pauses
from pipeline.model.replies import ReplyKind, meaning_of
from pipeline.model.settings import choose
from pipeline.model.transport import ModelReply
from pipeline.run import generate, writers_with
from schemas.errors import AnswersAwaited, BadInput, CallFailed
from tests.tiers import THOROUGH, tried_on

ROOT = Path(__file__).parent.parent
ASK = RunRequest("shoes", scale=0.02)
MODEL = "gpt-4o-mini"
HASTY = Pauses(quiet=0.01, poll=0.01)
"""For who answers on this machine."""
Line = Mapping[str, object]


def orgweave(out: Path, *words: str) -> list[str]:
    """The words of the command that makes the small company with a model."""
    return [
        "generate",
        "--company",
        ASK.company,
        "--scale",
        str(ASK.scale),
        "--no-report",
        "--model",
        MODEL,
        "--out",
        str(out),
        *words,
    ]


def org(out: Path) -> dict[str, str]:
    """SHA-256 of every file of the org itself; what it cost stands elsewhere."""
    files = [out / "org.sqlite", out / "latent.sqlite", *sorted((out / "upload").glob("*.json"))]
    return {path.name: hashlib.sha256(path.read_bytes()).hexdigest() for path in files}


def cost(out: Path) -> float:
    """Dollars of writer and judge, from the manifest."""
    written = json.loads((out / "manifest.json").read_text())["written"]
    return sum(spent["cost"] + spent["judge_cost"] for spent in written.values())


@pytest.fixture(scope="module")
def words() -> Words:
    """Answers for the small company."""
    return Words(load_job(ASK))


@pytest.fixture(scope="module")
def single(words: Words, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The small company written through single calls."""
    out = tmp_path_factory.mktemp("single") / "shoes"
    with ModelServer(words) as server:
        generate(
            ASK,
            out,
            writers_of=writers_with(choose({"model": MODEL, "base_url": server.url}, {})),
        )
    return out


# --- files


def answered(line: Line, text: str = '{"entries": []}', status: int = 200) -> Line:
    """A line of Batch output with that text."""
    body = {
        "choices": [{"finish_reason": "stop", "message": {"role": "assistant", "content": text}}],
        "usage": {"prompt_tokens": 10, "completion_tokens": 10},
    }
    return {
        "custom_id": line["custom_id"],
        "response": {"status_code": status, "body": body},
        "error": None,
    }


def refused(line: Line, status: int, message: str) -> Line:
    """A line of Batch output with an error as reply."""
    return {
        "custom_id": line["custom_id"],
        "response": {"status_code": status, "body": {"error": {"message": message}}},
        "error": None,
    }


def expired(line: Line) -> Line:
    """A line of Batch output for a request that was not answered in time."""
    return {
        "custom_id": line["custom_id"],
        "response": None,
        "error": {
            "code": "batch_expired",
            "message": "This request could not be executed before the completion window expired.",
        },
    }


def requests(folder: Path, wave: int) -> list[Line]:
    """The lines of one request file."""
    return [
        json.loads(line)
        for line in (
            (folder / f"wave-{wave:04d}.requests.jsonl")
            .read_text(encoding="utf-8")
            .rstrip("\n")
            .split("\n")
        )
    ]


def put(path: Path, lines: list[Line]) -> None:
    """Batch output as an engine writes it, characters as they are."""
    path.write_text(
        "".join(json.dumps(line, ensure_ascii=False) + "\n" for line in lines), encoding="utf-8"
    )


@THOROUGH
def test_a_folder_of_files_makes_the_same_org(words: Words, single: Path, tmp_path: Path) -> None:
    """Each run ends with the next wave's requests until all answers lie in the folder, in order or
    not; then the org is that of single calls.
    """
    out, folder = tmp_path / "shoes", tmp_path / "files"
    settings = choose({"model": MODEL, "batch_dir": folder}, {})
    waves = 0
    while True:
        try:
            generate(ASK, out, writers_of=writers_with(settings))
            break
        except AnswersAwaited as awaited:
            waves += 1
            assert f"wave-{waves:04d}.requests.jsonl; " in str(awaited)
        assert not (out / "manifest.json").exists()
        asked = requests(folder, waves)
        assert {(line["method"], line["url"]) for line in asked} == {
            ("POST", "/v1/chat/completions")
        }
        put(
            folder / f"answers-{waves}.jsonl",
            [
                answered(line, json.dumps({"entries": words.entries(prompt_of(line["body"]))}))
                for line in reversed(asked)
            ],
        )  # type: ignore[arg-type]
    assert waves >= 3
    assert org(out) == org(single)


def asking(
    folder: Path, *keys: str, model: Callable[[str], str] = lambda key: "toy", text: str = "Hello."
) -> list[ModelReply | BaseException]:
    """What a fresh caller gives for the requests of these keys, errors included."""

    async def work() -> list[ModelReply | BaseException]:
        caller = FolderCaller(folder, HASTY)
        calls = (
            caller.call(
                partial(dict, model=model(key), messages=[{"role": "user", "content": text}]),
                5,
                partial(str, key),
            )
            for key in keys
        )
        return list(await asyncio.gather(*calls, return_exceptions=True))

    return asyncio.run(work())


def says(ended: list[ModelReply | BaseException]) -> str:
    """The one message with which all calls ended that have no answer yet."""
    (message,) = {str(one) for one in ended if isinstance(one, AnswersAwaited)}
    return message


def test_a_first_wave_from_a_shell(tmp_path: Path) -> None:
    """As a process of its own, without any key: exit code 3, one line that says what waits where,
    and no traceback.
    """
    command = [
        sys.executable,
        "-m",
        "pipeline",
        *orgweave(tmp_path / "shoes", "--batch-dir", str(tmp_path / "files")),
    ]
    ended = subprocess.run(
        command,
        capture_output=True,
        text=True,
        cwd=ROOT,
        env={name: value for name, value in os.environ.items() if not name.startswith("OPENAI")},
    )
    (line,) = [line for line in ended.stderr.splitlines() if not line.startswith("writing with")]
    assert ended.returncode == 3
    assert (
        f"wave-0001.requests.jsonl; {len(requests(tmp_path / 'files', 1))} requests wait for"
        " answers" in line
    )


def test_what_was_asked_already_is_not_written_again(tmp_path: Path) -> None:
    """Run again before answers came, nothing new is written and the message says how many wait."""
    assert "wave-0001.requests.jsonl; 2 requests wait for answers (2 of them new)" in says(
        asking(tmp_path, "a", "b")
    )
    assert "2 requests wait for answers (0 of them new)" in says(asking(tmp_path, "a", "b"))
    assert "wave-0002.requests.jsonl; 3 requests wait for answers (1 of them new)" in says(
        asking(tmp_path, "a", "b", "c")
    )
    assert [line["custom_id"] for line in requests(tmp_path, 2)] == ["c"]


@pytest.mark.parametrize(
    "half",
    ['{"custom_id": "b", "response": {"stat', '{"custom_id": "b", "error": "h\u00e9'],
    ids=["half a line", "half a character"],
)
def test_a_half_written_last_line_is_left_for_the_next_time(tmp_path: Path, half: str) -> None:
    """A file that an engine is still writing gives its whole lines."""
    asking(tmp_path, "a", "b")
    whole = json.dumps(answered(requests(tmp_path, 1)[0]))
    (tmp_path / "out.jsonl").write_bytes(
        f"{whole}\n{half}".encode()[: -1 if half[-1] == "\u00e9" else None]
    )
    ended = asking(tmp_path, "a", "b")
    assert isinstance(ended[0], ModelReply)
    assert "1 requests wait for answers (0 of them new)" in says(ended)


def test_a_broken_line_in_the_middle_is_told(tmp_path: Path) -> None:
    """A line that isn't JSON before the last is refused with file and number, and so is text that
    isn't UTF-8.
    """
    for broken in (b"{oops\n", b'{"custom_id": "\xff"}\n'):
        (tmp_path / "out.jsonl").write_bytes(broken + b"{}\n")
        with pytest.raises(BadInput, match=r"out\.jsonl: line 1 is not JSON"):
            FolderCaller(tmp_path)


@pytest.mark.parametrize("sign", ["\u2028", "\u0085", "\x0c", "\u001e"])
def test_any_sign_may_stand_in_requests_and_answers(tmp_path: Path, sign: str) -> None:
    """Signs that some take for line ends (U+2028, U+0085) end no line of a JSON Lines file."""
    asking(tmp_path, "a", text=f"one{sign}two")
    put(
        tmp_path / "out.jsonl",
        [answered(requests(tmp_path, 1)[0], f"one{sign}two"), expired({"custom_id": "z"})],
    )
    (reply,) = asking(tmp_path, "a")
    assert isinstance(reply, ModelReply)
    assert reply.body["choices"][0]["message"]["content"] == f"one{sign}two"


@pytest.mark.parametrize(
    "failed",
    [
        expired,
        lambda line: refused(line, 500, "engine fell over"),
        lambda line: refused(line, 429, "slow down"),
    ],
    ids=["expired", "500", "429"],
)
def test_lines_that_failed_are_asked_again_once(
    tmp_path: Path, failed: Callable[[Line], Line]
) -> None:
    """A line that expired or failed goes into the next wave, once for each time it failed; its
    answer counts whatever its file's name.
    """
    asking(tmp_path, "a", "b")
    put(
        tmp_path / "z-first.jsonl",
        [answered(requests(tmp_path, 1)[0]), failed(requests(tmp_path, 1)[1])],
    )
    assert "wave-0002.requests.jsonl; 1 requests wait for answers (1 of them new)" in says(
        asking(tmp_path, "a", "b")
    )
    assert "1 requests wait for answers (0 of them new)" in says(asking(tmp_path, "a", "b"))
    put(tmp_path / "a-second.jsonl", [answered(requests(tmp_path, 2)[0])])
    assert [isinstance(one, ModelReply) and one.status for one in asking(tmp_path, "a", "b")] == [
        200,
        200,
    ]


def test_a_form_that_the_engine_refuses_is_asked_in_the_next_one(tmp_path: Path) -> None:
    """A 400 for response_format is told once; the request in another form then goes into the next
    wave, and waits there for its own answer.
    """

    async def work() -> tuple[ModelReply, str]:
        caller, body = FolderCaller(tmp_path, HASTY), {"model": "toy", "messages": []}
        first = await caller.call(lambda: body, 5, lambda: "a")
        with pytest.raises(AnswersAwaited) as raised:
            await caller.call(lambda: body, 5, lambda: "a")
        return first, str(raised.value)

    asking(tmp_path, "a")
    put(
        tmp_path / "out.jsonl",
        [refused(requests(tmp_path, 1)[0], 400, "response_format is not supported")],
    )
    reply, message = asyncio.run(work())
    assert meaning_of(reply).kind is ReplyKind.FORM
    assert "(1 of them new)" in message
    assert "(0 of them new)" in says(asking(tmp_path, "a"))


def test_an_answer_that_no_repetition_mends_is_told_with_its_request(tmp_path: Path) -> None:
    """A 404 in the output ends the run with folder and request; a later answer to the same request
    goes before it.
    """
    put(tmp_path / "1.jsonl", [refused({"custom_id": "a"}, 404, "no model toy")])
    (error,) = asking(tmp_path, "a")
    assert isinstance(error, CallFailed)
    assert "request a: no such model" in str(error)
    put(tmp_path / "0.jsonl", [answered({"custom_id": "a"})])
    assert isinstance(asking(tmp_path, "a")[0], ModelReply)


def test_a_file_asks_one_model_only(tmp_path: Path) -> None:
    """Writer and judge of different models get files of their own, since a batch may hold one
    model's requests only.
    """
    asking(tmp_path, "a", "b", "c", model=lambda key: "judge" if key == "b" else "writer")
    assert [[line["custom_id"] for line in requests(tmp_path, wave)] for wave in (1, 2)] == [
        ["a", "c"],
        ["b"],
    ]


# --- the Batch API


def batches_under_way(out: Path) -> list[str]:
    """The ids that the ledger keeps; none while it is being made."""
    try:
        with sqlite3.connect(out / "ledger.sqlite") as db:
            return [
                one
                for (value,) in db.execute("SELECT value FROM meta WHERE key LIKE 'batches %'")
                for one in json.loads(value)
            ]
    except sqlite3.Error:
        return []


@tried_on("faults", [{"error_500": 0.2}, {}])
def test_batches_make_the_same_org_at_half_the_price(
    words: Words,
    single: Path,
    tmp_path: Path,
    faults: Mapping[str, float],
) -> None:
    """Through the Batch API the org is that of single calls, for half the money, also where lines
    fail and are asked again.
    """
    with ModelServer(words, Behaviour(faults=faults)) as server:
        generate(
            ASK,
            tmp_path,
            writers_of=writers_with(
                choose({"model": MODEL, "base_url": server.url, "batch": True}, {}),
                Pauses(poll=0.01),
            ),
        )
        assert server.counts["answers repeated"] == 0
        assert server.counts["batches"] < 20
    assert org(tmp_path) == org(single)
    assert cost(tmp_path) == pytest.approx(cost(single) / 2, abs=1e-5)
    assert batches_under_way(tmp_path) == []


@THOROUGH
def test_a_killed_run_waits_for_the_same_batches_again(
    words: Words,
    single: Path,
    tmp_path: Path,
) -> None:
    """After kill -9 while the second batch is under way the same command takes that batch's
    answers: no request is sent, or paid, twice.
    """
    with ModelServer(words, Behaviour(batch_seconds=0.2)) as server:
        words_of_command = orgweave(tmp_path, "--batch", "--base-url", server.url)
        process = subprocess.Popen(
            [sys.executable, "-m", "pipeline", *words_of_command],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            cwd=ROOT,
        )
        deadline = time.monotonic() + 120
        while (
            len(batches_under_way(tmp_path)) < 2
            and process.poll() is None
            and time.monotonic() < deadline
        ):
            time.sleep(0.01)
        assert process.poll() is None
        os.kill(process.pid, signal.SIGKILL)
        process.wait()
        assert run(words_of_command) == 0
        assert server.counts["answers repeated"] == 0
    assert org(tmp_path) == org(single)
