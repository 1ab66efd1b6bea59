"""Words and checks on a Ray cluster: the same files, whatever becomes of its workers.

The extra `scale` is needed; without it all of these are skipped.
"""

import os
import signal
import subprocess
import time
from collections.abc import Callable, Iterator
from importlib.util import find_spec
from pathlib import Path

import pytest

from orgweave.cli import run
from pipeline.compute.ray_cluster import RayCluster, ray_cluster
from pipeline.write.comparing import SpreadComparing
from schemas.errors import BadInput
from tests.compute_work import doubled, killed_until, refused, worker
from tests.test_kill import ROOT, answers, command, hashes, kept
from tests.test_model_endpoints import two
from verifiers.duplicates import KnownTexts, folded_repeats

# It is not imported here: it reads its settings when it is.
pytestmark = pytest.mark.skipif(
    find_spec("ray") is None, reason="Ray is not installed: pip install 'ray>=2.49'"
)

LISTENS = "0A"  # the state of a listening socket in /proc/net/tcp
LOOPBACKS = ("0100007F", "0000000000000000FFFF00000100007F", "00000000000000000000000001000000")


@pytest.fixture(scope="module")
def cluster() -> Iterator[RayCluster]:
    """Two workers on this machine."""
    with ray_cluster(2) as made:
        yield made


def test_a_cluster_gives_what_this_process_gives(cluster: RayCluster, tmp_path: Path) -> None:
    """Results, errors and shared values are the same; a killed worker's work is done again."""
    shared = cluster.share([1, 2])
    assert cluster.submit(doubled, shared, name="a").result() == ([2, 4], "a")
    with pytest.raises(BadInput, match="7: is no good number"):
        cluster.submit(refused, 7).result()
    assert cluster.submit(worker).result() != os.getpid()
    assert cluster.submit(killed_until, 1, tmp_path).result() == 1


def test_a_cluster_compares_texts_as_this_process_does(cluster: RayCluster) -> None:
    """Signatures, band keys and pairs are shared out; the repeats are those found alone."""
    texts = [f"the zip of tent {place * 7919 % 601} broke on day {place}" for place in range(2500)]
    alone, together = KnownTexts(), KnownTexts()
    found = folded_repeats(texts, together, SpreadComparing(cluster))
    assert found == folded_repeats(texts, alone)
    assert found and together.near == alone.near


@pytest.mark.skipif(not Path("/proc/net/tcp").exists(), reason="reads /proc/net")
def test_a_cluster_of_ones_own_listens_on_the_loopback_alone(cluster: RayCluster) -> None:
    """Nobody beyond this machine can reach it, and whoever is on it needs the token."""
    assert cluster.submit(worker).result()
    addresses = {address for _, address in _listening(_family(os.getpid()))}
    assert addresses and addresses <= set(LOOPBACKS)
    assert os.environ["RAY_AUTH_MODE"] == "token"
    assert len(os.environ["RAY_AUTH_TOKEN"]) == 64


@pytest.fixture(scope="module", params=["shoes", "bank"])
def alone(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A small company made by one process."""
    out = tmp_path_factory.mktemp("alone") / str(request.param)
    assert run(_words(out)) == 0
    return out


@pytest.mark.parametrize("workers", [1, 2, 4])
def test_a_cluster_makes_the_same_files(alone: Path, tmp_path: Path, workers: int) -> None:
    """Every file of the org and the verdict on it are equal, byte for byte."""
    out = tmp_path / alone.name
    _finish(_words(out, workers))
    assert hashes(out) == hashes(alone)
    assert answers(out) == answers(alone)


@pytest.mark.skipif(not Path("/proc").is_dir(), reason="finds processes in /proc")
@pytest.mark.parametrize("victim", ["a worker", "the driver"])
def test_a_kill_in_the_middle_loses_nothing(alone: Path, tmp_path: Path, victim: str) -> None:
    """Each mini-batch is kept once, and the same command makes the same org."""
    out = tmp_path / alone.name
    process = subprocess.Popen(
        command(*_words(out, 2)),
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        cwd=ROOT,
    )
    _wait_until(lambda: kept(out) >= 3 or process.poll() is not None)
    family = _family(process.pid)
    if victim == "the driver":
        process.kill()
    else:
        os.kill(next(iter(_workers(family)), process.pid), signal.SIGKILL)
    process.wait()
    if victim == "the driver":
        _wait_until(lambda: not any(Path(f"/proc/{pid}").exists() for pid in family))
    _finish(_words(out, 2))
    assert hashes(out) == hashes(alone)
    assert answers(out) == answers(alone)


def test_a_models_endpoints_are_one_writer_beside_a_cluster(tmp_path: Path) -> None:
    """The command makes the calls and keeps to the limits itself: with a cluster, org and calls are
    those without one, and no call is made twice.
    """
    made, answers_of = [], []
    for name, workers in (("alone", 0), ("beside", 2)):
        out = tmp_path / name / "shoes"
        with two({}, {}) as (first, second):
            model = ["--model", "toy", "--base-url", first.url, "--base-url", second.url]
            _finish([*_words(out, workers), *model, "--max-connections", "4", "--rpm", "100000"])
            counts = [server.counts for server in (first, second)]
        made.append(hashes(out))
        answers_of.append(sum(count["answers"] for count in counts))
        assert all(count["most at once"] <= 4 for count in counts)
        assert min(count["answers"] for count in counts) > 0
    assert made[0] == made[1]
    assert answers_of[0] == answers_of[1]


def test_a_cluster_makes_the_same_shards(tmp_path: Path) -> None:
    """An org in shards is the same by one process and by workers that make whole shards, also
    where one of these is killed while it makes one.
    """
    alone, together = tmp_path / "alone" / "shoes", tmp_path / "together" / "shoes"
    shards = ["--shard-size", "0.01"]
    assert run([*_words(alone), *shards]) == 0
    process = subprocess.Popen(
        command(*_words(together, 2), *shards),
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        cwd=ROOT,
    )
    later = together / "shards" / "00002" / "ledger.sqlite"
    _wait_until(lambda: later.exists() or process.poll() is not None)
    for victim in list(_workers(_family(process.pid)))[:1]:
        os.kill(victim, signal.SIGKILL)
    assert process.wait() == 0
    assert hashes(together) == hashes(alone)


def _words(out: Path, workers: int = 0) -> list[str]:
    asked = ["generate", "--company", out.name, "--scale", "0.03", "--out", str(out)]
    asked.append("--no-report")
    return [*asked, "--on", "ray", "--jobs", str(workers)] if workers else asked


def _finish(words: list[str]) -> None:
    """Runs a command in a process of its own, as a person does."""
    done = subprocess.run(command(*words), capture_output=True, text=True, cwd=ROOT, check=False)
    assert done.returncode == 0, done.stderr


def _family(pid: int) -> set[int]:
    """A process and all that come from it."""
    found = {pid}
    waiting = [pid]
    while waiting:
        for task in Path(f"/proc/{waiting.pop()}/task").glob("*/children"):
            children = {int(child) for child in task.read_text().split()} - found
            found |= children
            waiting += children
    return found


def _workers(family: set[int]) -> Iterator[int]:
    for pid in sorted(family):
        if Path(f"/proc/{pid}/cmdline").read_text().startswith("ray::_computed"):
            yield pid


def _listening(family: set[int]) -> Iterator[tuple[int, str]]:
    """Yields the processes of a family that listen, and the address, as the kernel writes it."""
    sockets = {}
    for table in ("tcp", "tcp6"):
        for line in Path(f"/proc/net/{table}").read_text().splitlines()[1:]:
            words = line.split()
            if words[3] == LISTENS:
                sockets[f"socket:[{words[9]}]"] = words[1].partition(":")[0]
    for pid in family:
        for handle in Path(f"/proc/{pid}/fd").glob("*"):
            target = str(handle.readlink()) if handle.is_symlink() else ""
            if target in sockets:
                yield pid, sockets[target]


def _wait_until(holds: Callable[[], bool]) -> None:
    end = time.monotonic() + 120
    while not holds():
        assert time.monotonic() < end, "waited two minutes for nothing"
        time.sleep(0.02)
