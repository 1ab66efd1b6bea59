"""Who computes: the same results from this process and from others, whatever becomes of these."""

import os
import signal
import subprocess
import time
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path

import pytest

from orgweave.cli import run
from pipeline.compute.executor import Executor, InProcess
from pipeline.compute.jobs import (
    WORTH_BESIDE_CALLS,
    WORTH_WORKERS,
    WORTH_WRITING_BESIDE,
    Workers,
    cores,
    executor_of,
)
from pipeline.compute.processes import ProcessPool, process_pool
from pipeline.config import RunRequest, load_job
from pipeline.run import records_of
from schemas.errors import BadInput, RunFailed
from tests.compute_work import doubled, killed_until, refused, worker
from tests.test_kill import command, hashes, kept
from tests.tiers import THOROUGH, tried_on

ROOT = Path(__file__).parent.parent
COMPANY = ["--company", "shoes", "--scale", "0.03", "--no-report"]


def test_workers_give_what_this_process_gives() -> None:
    """Results and errors are the same, and a shared value is one argument among others."""
    executors: list[Executor] = [InProcess()]
    with process_pool(2) as pool:
        executors.append(pool)
        for executor in executors:
            shared = executor.share([1, 2])
            sent = [executor.submit(doubled, shared, name=name) for name in "abc"]
            assert [done.result() for done in sent] == [([2, 4], name) for name in "abc"]
            with pytest.raises(BadInput, match="7: is no good number"):
                executor.submit(refused, 7).result()
        assert pool.submit(worker).result() != os.getpid()
    assert InProcess().submit(worker).result() == os.getpid()


def test_a_killed_workers_work_is_done_again(tmp_path: Path) -> None:
    """What it had before it is computed by others, and nobody sees that it was killed."""
    with process_pool(2) as pool:
        killed = pool.submit(killed_until, 2, tmp_path)
        others = [pool.submit(doubled, [number]) for number in range(40)]
        assert killed.result() == 2
        assert [done.result()[0] for done in others] == [[2 * number] for number in range(40)]


def test_a_shared_value_is_sent_to_workers_that_lack_it(tmp_path: Path) -> None:
    """Each of them in the beginning, and those that came for killed ones."""
    with process_pool(2) as pool:
        shared = pool.share([1, 2])
        sent = [pool.submit(doubled, shared) for _ in range(20)]
        assert pool.submit(killed_until, 1, tmp_path).result() == 1
        sent += [pool.submit(doubled, shared) for _ in range(20)]
        assert all(done.result() == ([2, 4], "") for done in sent)


def test_workers_that_are_always_killed_end_the_run(tmp_path: Path) -> None:
    """After a few pools somebody is told, and how to go on."""
    with process_pool(1) as pool:
        done = pool.submit(killed_until, 1000, tmp_path)
        with pytest.raises(RunFailed, match="workers were killed .* fewer --jobs"):
            done.result()


def test_an_answer_that_nobody_waits_for_is_dropped(
    caplog: pytest.LogCaptureFixture,
) -> None:
    """Work that was given up while a worker was at it ends without a word, and others go on."""
    with process_pool(1) as pool:
        given_up = pool.submit(doubled, [1])
        assert given_up.cancel()
        assert pool.submit(doubled, [3]).result() == ([6], "")
    assert given_up.cancelled()
    assert caplog.records == []


def test_a_closed_pool_has_no_workers() -> None:
    """At the end no process is left, and no further work is taken."""
    pool = ProcessPool(2)
    workers = {pool.submit(worker).result() for _ in range(6)}
    pool.close()
    assert not any(_lives(pid) for pid in workers)
    with pytest.raises(RunFailed, match="have ended"):
        pool.submit(worker).result()


def test_small_runs_stay_in_one_process() -> None:
    """Without --jobs workers are started for what is worth them; a number is taken as it is."""
    for jobs, records, workers in (
        (None, WORTH_WORKERS - 1, 1),
        (None, WORTH_WORKERS, cores()),
        (1, WORTH_WORKERS, 1),
        (3, 1, 3),
    ):
        with executor_of(Workers(jobs), records) as executor:
            assert executor.workers == workers


def test_a_models_run_is_worth_workers_sooner() -> None:
    """They start while calls are waited for, so that a smaller org pays for them."""
    with executor_of(Workers(None), WORTH_BESIDE_CALLS, WORTH_BESIDE_CALLS) as executor:
        assert executor.workers == cores()
    assert WORTH_BESIDE_CALLS < WORTH_WRITING_BESIDE < WORTH_WORKERS


def test_the_whole_shoe_company_is_written_by_all_cores() -> None:
    """The main job is as quick as the machine allows without anybody saying how."""
    assert WORTH_WRITING_BESIDE < records_of(load_job(RunRequest("shoes"))) < WORTH_WORKERS


def test_no_jobs_at_all_are_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """One line tells it, before anything is made."""
    assert run(["generate", *COMPANY, "--jobs", "0", "--out", str(tmp_path / "out")]) != 0
    assert "--jobs 0: must be at least 1" in capsys.readouterr().err


def test_more_jobs_than_any_machine_has_are_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The line comes before anything is made or any process is started."""
    for jobs in ("257", "999999999999"):
        assert run(["generate", *COMPANY, "--jobs", jobs, "--out", str(tmp_path / "out")]) == 2
        assert f"--jobs {jobs}: must be at most 256" in capsys.readouterr().err
    assert not (tmp_path / "out" / "manifest.json").exists()


@pytest.fixture(scope="module")
def alone(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A small company made by one process."""
    out = tmp_path_factory.mktemp("alone") / "shoes"
    assert run(["generate", *COMPANY, "--jobs", "1", "--out", str(out)]) == 0
    return out


def test_more_processes_make_the_same_files(alone: Path, tmp_path: Path) -> None:
    """Every file of the org and the verdict on it are equal, byte for byte."""
    assert run(["generate", *COMPANY, "--jobs", "3", "--out", str(tmp_path / "shoes")]) == 0
    assert hashes(tmp_path / "shoes") == hashes(alone)
    assert run(["check", "--jobs", "2", str(tmp_path / "shoes")]) == 0
    assert hashes(tmp_path / "shoes") == hashes(alone)


@THOROUGH
@pytest.mark.skipif(not Path("/proc").is_dir(), reason="finds processes in /proc")
@tried_on("way", ["kill -9", "Ctrl-C"])
def test_no_worker_outlives_the_run(alone: Path, tmp_path: Path, way: str) -> None:
    """However a run ends its workers end, and the same command goes on to the same org."""
    out = tmp_path / "shoes"
    words = ["generate", *COMPANY, "--jobs", "2", "--out", str(out)]
    process = subprocess.Popen(
        command(*words),
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        cwd=ROOT,
        start_new_session=True,
    )
    _wait_until(lambda: kept(out) >= 5 or process.poll() is not None)
    workers = _children(process.pid)
    assert len(workers) >= 2
    if way == "kill -9":
        os.kill(process.pid, signal.SIGKILL)
    else:
        os.killpg(process.pid, signal.SIGINT)
    _, told = process.communicate(timeout=30)
    _wait_until(lambda: not any(_lives(pid) for pid in workers))
    assert b"Traceback" not in told
    assert process.returncode == (-signal.SIGKILL if way == "kill -9" else 130)
    done = subprocess.run(command(*words), capture_output=True, cwd=ROOT, check=False)
    assert done.returncode == 0
    assert hashes(out) == hashes(alone)


def _children(pid: int) -> list[int]:
    return [int(child) for child in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]


def _lives(pid: int) -> bool:
    """Whether a process runs; one that has ended and waits for its parent does not."""
    try:
        state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except OSError:
        return False
    return state != "Z"


def _wait_until(holds: Callable[[], bool]) -> None:
    end = time.monotonic() + 60
    while not holds():
        assert time.monotonic() < end, "waited a minute for nothing"
        time.sleep(0.01)


def test_a_cluster_needs_ray_and_to_be_asked_for(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Without Ray one line names the extra; an address without --on ray is an error."""
    asked = ["generate", *COMPANY, "--out", str(tmp_path / "out")]
    assert run([*asked, "--ray-address", "127.0.0.1:6379"]) != 0
    assert "add --on ray" in capsys.readouterr().err
    if find_spec("ray") is None:
        assert run([*asked, "--on", "ray"]) != 0
        assert "pip install 'ray>=2.49'" in capsys.readouterr().err
