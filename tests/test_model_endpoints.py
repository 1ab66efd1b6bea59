"""Several endpoints of one model: one writer over them, the same org, and limits over all of them.

Runs go over real sockets to several of the package's own servers; how long an endpoint is left is
told by a clock that jumps.
"""

import asyncio
import json
import random
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Coroutine, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from orgweave.cli import run
from orgweave.testing.faults import Behaviour
from orgweave.testing.server import ModelServer
from orgweave.testing.words import Words
from pipeline.model.caller import EndpointCaller
from pipeline.model.endpoints import FIRST_REST, ManyEndpoints
from pipeline.model.limits import Limits, Rate
from pipeline.model.settings import choose
from pipeline.model.transport import ModelReply
from pipeline.run import FinishedRun, generate, writers_with
from schemas.errors import BadInput, BudgetReached, CallFailed, PromptRefused, Unreachable
from tests.jumping_clock import told_by_the_clock
from tests.test_model_runs import HASTY, KEY, ROOT, SHOES, by_model, digest, served, small_job
from tests.tiers import THOROUGH, tried_on

# --- whole runs over sockets


def by_all(urls: Sequence[str], out: Path, **given: object) -> FinishedRun:
    """A run of the small shoe company with a model at several endpoints."""
    options = {"model": "toy-model", "base_url": list(urls), "price": "2.5,10", **given}
    settings = choose(options, {"OPENAI_API_KEY": KEY})
    return generate(SHOES, out, writers_of=writers_with(settings, HASTY))


@contextmanager
def two(first: dict[str, Any], second: dict[str, Any]) -> Iterator[tuple[ModelServer, ModelServer]]:
    """Two servers of one model, which both know what either has written: a judge asks for that."""
    words = Words(small_job())
    with (
        ModelServer(words, Behaviour(**first)) as one,
        ModelServer(words, Behaviour(**second)) as other,
    ):
        yield one, other


def unused() -> str:
    """An address where nobody listens."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return f"http://127.0.0.1:{free.getsockname()[1]}/v1"


@pytest.fixture(scope="module")
def by_one(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, int]:
    """The company as one endpoint writes it, and how many answers that takes."""
    out = tmp_path_factory.mktemp("alone") / "shoes"
    with served() as server:
        assert by_model(server, out).report.right
        return out, server.counts["answers"]


@pytest.fixture(scope="module")
def alone(by_one: tuple[Path, int]) -> Path:
    """The company as one endpoint writes it."""
    return by_one[0]


def written(out: Path) -> dict[str, dict[str, float]]:
    """What the manifest says that each object type's words took."""
    told: dict[str, dict[str, float]] = json.loads((out / "manifest.json").read_text())["written"]
    return told


def test_two_endpoints_write_the_org_of_one(by_one: tuple[Path, int], tmp_path: Path) -> None:
    """They share the calls, none of which is made twice; org and cost are those of one endpoint."""
    alone, calls = by_one
    with two({"latency": 0.01}, {"latency": 0.01}) as (first, second):
        assert by_all([first.url, second.url], tmp_path / "shoes").report.right
        answers = [server.counts["answers"] for server in (first, second)]
    assert digest(tmp_path / "shoes") == digest(alone)
    for name, usage in written(alone).items():
        assert written(tmp_path / "shoes")[name] == pytest.approx(usage, abs=2e-6)
    assert sum(answers) == calls
    assert min(answers) > calls / 4


@tried_on("place", [0, 1])
def test_a_dead_endpoint_is_left_and_the_other_goes_on(
    place: int, alone: Path, tmp_path: Path
) -> None:
    """Where nobody listens at one address, the other endpoint makes the same org."""
    with served() as server:
        urls = [server.url]
        urls.insert(place, unused())
        assert by_all(urls, tmp_path / "shoes").report.right
    assert digest(tmp_path / "shoes") == digest(alone)


@tried_on(
    "broken",
    [
        {"faults": {"error_500": 1.0}},
        {"faults": {"dropped": 0.7}},
        {"faults": {"busy": 1.0}, "retry_after": 0.05},
        {"key": "another"},
        {"models": ("other",)},
        {"quota": 2000},
    ],
)
def test_an_endpoint_that_fails_costs_no_answer(
    broken: dict[str, Any], alone: Path, tmp_path: Path
) -> None:
    """Whatever ails one of two endpoints, from the start or later, the org is the same."""
    with two(broken, {}) as (bad, good):
        assert by_all([bad.url, good.url], tmp_path / "shoes").report.right
    assert digest(tmp_path / "shoes") == digest(alone)


@THOROUGH
def test_an_endpoint_that_is_killed_in_the_middle_costs_no_answer(tmp_path: Path) -> None:
    """The calls that were under way there are made at the other one, and the org is the same."""
    with process_endpoint() as (process, url), served(latency=0.05) as good:
        watching = threading.Thread(target=kill_after, args=(good, process))
        watching.start()
        by_all([url, good.url], tmp_path / "two", judge_model="none", max_connections=4)
        watching.join()
        assert process.poll() == -signal.SIGKILL
    with served() as server:
        by_model(server, tmp_path / "one", judge_model="none")
    assert digest(tmp_path / "two") == digest(tmp_path / "one")


@contextmanager
def process_endpoint() -> Iterator[tuple["subprocess.Popen[str]", str]]:
    """A slow server as a process of its own, and its address."""
    command = [sys.executable, "-m", "orgweave.testing", "--company", "shoes", "--latency", "0.1"]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True, cwd=ROOT)
    try:
        assert process.stdout is not None
        yield process, process.stdout.readline().strip()
    finally:
        process.kill()
        process.wait()
        assert process.stdout is not None
        process.stdout.close()


def kill_after(other: ModelServer, process: "subprocess.Popen[str]") -> None:
    """Kills a process once the other server has answered some calls, or at last after a while."""
    for _ in range(3000):
        if other.counts["answers"] >= 6:
            break
        time.sleep(0.01)
    process.kill()
    process.wait()


def test_an_endpoint_that_takes_plain_text_alone_is_one_of_them(
    alone: Path, tmp_path: Path
) -> None:
    """The form of output is the strictest that all endpoints take."""
    with two({"forms": ("text",)}, {}) as (plain, strict):
        assert by_all([plain.url, strict.url], tmp_path / "shoes").report.right
        assert min(plain.counts["answers"], strict.counts["answers"]) > 0
    assert digest(tmp_path / "shoes") == digest(alone)


def test_a_budget_holds_over_all_endpoints(by_one: tuple[Path, int], tmp_path: Path) -> None:
    """What both have taken stays within the limit; the same command with a higher one goes on, and
    nothing that was answered is asked again by either.
    """
    alone, calls = by_one
    out = tmp_path / "shoes"
    with two({}, {}) as (first, second):
        urls = [first.url, second.url]
        with pytest.raises(BudgetReached):
            by_all(urls, out, max_tokens=30_000)
        assert 0 < first.counts["tokens"] + second.counts["tokens"] <= 30_000
        assert by_all(urls, out).report.right
        assert first.counts["answers"] + second.counts["answers"] == calls
    assert digest(out) == digest(alone)


def test_endpoints_that_are_all_dead_end_the_run_in_one_line(tmp_path: Path) -> None:
    """The line names one of them and says that the work is kept."""
    with pytest.raises(Unreachable, match="nothing got through .*what was written is kept"):
        by_all([unused(), unused()], tmp_path / "shoes")


def test_the_option_is_given_once_for_each_endpoint(capsys: pytest.CaptureFixture[str]) -> None:
    """Each address is checked, and the one that can't be used is named."""
    asked = ["plan", "--company", "shoes", "--scale", "0.02", "--model", "toy"]
    assert run([*asked, "--base-url", "http://a/v1", "--base-url", "http://b/v1"]) == 0
    assert run([*asked, "--base-url", "http://a/v1", "--base-url", "b:1"]) == 2
    assert "--base-url b:1: write it with http:// or https://" in capsys.readouterr().err


def test_a_batch_lies_at_one_endpoint() -> None:
    """Several addresses and the Batch API don't go together, and it is said which to leave."""
    with pytest.raises(BadInput, match="--batch: takes one --base-url"):
        choose({"model": "m", "base_url": ["http://a/v1", "http://b/v1"], "batch": True}, {})


def test_an_address_that_is_given_twice_is_one_endpoint() -> None:
    """Otherwise it would seem to take twice as many calls."""
    settings = choose({"model": "m", "base_url": ["http://a/v1", "http://a/v1"]}, {})
    assert settings is not None and settings.base_url == ("http://a/v1",)


# --- calls under a clock that jumps

Rule = Callable[[int, float], int]


class Site:
    """A transport that answers by a rule of the request's number and the moment.

    `seen` holds each call's moment; all sites of a list count in `under_way` what is open.
    """

    def __init__(self, rule: Rule, under_way: list[int] | None = None) -> None:
        self.seen: list[float] = []
        self.most = 0
        self._rule = rule
        self._under_way = under_way if under_way is not None else [0]

    async def post(self, path: str, body: Mapping[str, object], timeout: float) -> ModelReply:
        """An answer or a refusal after a tenth of a second."""
        now = asyncio.get_running_loop().time()
        self.seen.append(now)
        self._under_way[0] += 1
        self.most = max(self.most, self._under_way[0])
        await asyncio.sleep(0.1)
        self._under_way[0] -= 1
        status = self._rule(int(str(body["number"])), now)
        if status != 200:
            code = "content_filter" if status == 400 else ""
            error = {"message": "out of order", "code": code}
            return ModelReply(status, {"error": error}, {"retry-after": "20"}, "no")
        return ModelReply(200, {"model": "toy", "choices": [{"message": {"content": "{}"}}]})

    async def close(self) -> None:
        """Nothing is open."""


def over(
    sites: Sequence[Site],
    course: Callable[[ManyEndpoints], Coroutine[None, None, list[object]]],
    most: int = 8,
    rate: Rate | None = None,
) -> list[object]:
    """What a course of calls over all sites comes to."""

    async def played() -> list[object]:
        await asyncio.sleep(1)
        callers = []
        for number, site in enumerate(sites):
            limits = Limits(most, rate)
            rng = random.Random(1)
            callers.append(EndpointCaller(site, limits, f"toy at {number}", rng=rng))
        return await course(ManyEndpoints(callers, most))

    return told_by_the_clock(played())


def asking(numbers: range) -> Callable[[ManyEndpoints], Coroutine[None, None, list[object]]]:
    """All these calls side by side: the status of each, or its error."""

    async def one(caller: ManyEndpoints, number: int) -> object:
        try:
            reply = await caller.call(partial(dict, number=number), 20, partial(str, number))
        except CallFailed as error:
            return error
        return reply.status

    async def course(caller: ManyEndpoints) -> list[object]:
        return list(await asyncio.gather(*(one(caller, number) for number in numbers)))

    return course


def fine(number: int, now: float) -> int:
    """Always an answer."""
    return 200


def test_calls_at_once_are_counted_over_all_endpoints() -> None:
    """Three endpoints together have no more calls under way than a person allows."""
    under_way = [0]
    sites = [Site(fine, under_way) for _ in range(3)]
    assert over(sites, asking(range(60)), most=5) == [200] * 60
    assert max(site.most for site in sites) == 5
    assert min(len(site.seen) for site in sites) >= 10


def test_a_rate_is_kept_over_all_endpoints() -> None:
    """Sixty requests a minute are one a second, whoever answers them."""
    sites = [Site(fine), Site(fine)]
    assert over(sites, asking(range(30)), rate=Rate(60)) == [200] * 30
    moments = sorted(moment for site in sites for moment in site.seen)
    assert moments[-1] - moments[0] == pytest.approx(29, abs=0.2)
    assert min(len(site.seen) for site in sites) > 0


def test_an_endpoint_that_comes_back_is_used_again() -> None:
    """Down for a minute it is left, but for a trial now and then; after it, it has its share."""
    down = Site(lambda number, now: 500 if now < 60 else 200)
    up = Site(fine)
    assert over([down, up], asking(range(6000)), most=4) == [200] * 6000
    within = [moment for moment in down.seen if moment < 60]
    assert 3 <= len(within) <= 10
    assert within[-1] > FIRST_REST
    assert len(down.seen) > 500


def test_a_busy_endpoint_holds_nobody_up() -> None:
    """What one of two endpoints refuses for load goes to the other at once."""
    busy, free = Site(lambda number, now: 429), Site(fine)
    assert over([busy, free], asking(range(40))) == [200] * 40
    assert free.seen[-1] < 20
    assert len(free.seen) == 40


def test_a_prompt_is_refused_where_each_endpoint_refuses_it() -> None:
    """One filter is not the other's; a dead endpoint is not waited for to say so, too."""
    first = Site(lambda number, now: 400 if number in (3, 4) else 200)
    second = Site(lambda number, now: 400 if number == 4 else 200)
    ends = over([first, second], asking(range(8)))
    assert isinstance(ends.pop(4), PromptRefused)
    assert ends == [200] * 7
    ends = over([first, Site(lambda number, now: 500)], asking(range(3, 5)))
    assert all(isinstance(end, PromptRefused) for end in ends)
    assert max(first.seen) < 60


def test_an_outage_of_all_endpoints_is_waited_for_as_one() -> None:
    """Two minutes without any answer are borne; what lasts ends the calls within the patience."""
    out = [Site(lambda number, now: 502 if 1.15 < now < 120 else 200) for _ in range(2)]
    assert over(out, asking(range(40))) == [200] * 40
    gone = [Site(lambda number, now: 502 if now > 1.15 else 200) for _ in range(2)]
    ends = over(gone, asking(range(40)))
    assert {type(end) for end in ends} == {int, Unreachable}
    assert max(max(site.seen) for site in gone) < 400
