"""How a run grows with its size, a part of `make bench`.

    python -m tests.bench_scale --largest 10
    python -m tests.bench_scale --largest 10 --only jobs
    python -m tests.bench_scale --largest 100 --only growth

Makes the shoe company at scales 1, 3, 10 and 30 (up to `--largest`, which may be 100: that takes an
hour and 10 GB of disk), each in a process of its own, and fits an exponent to each stage's
processor time: 1 is linear, 2 is every pair. Then it compares one process with several, by the wall
and by a run that is recorded and played again (`tests.replayed`), real runs with what
`plan --workers` tells, and a first run with a second one. Figures are ratios of one call; what is
bounded in seconds is told at the pace of the machine that they were set on (`tests.pace`).
"""

import argparse
import json
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from pipeline.compute.jobs import cores
from pipeline.config import RunRequest, load_job
from pipeline.plan import make_plan
from pipeline.spread import play
from pipeline.spread_trial import measured_costs
from tests.bench import figures
from tests.pace import pace

ROOT = Path(__file__).parent.parent
SCALES = (1, 3, 10, 30, 100)
# Everyone can wait for scale 30; beyond it the memory is told by a line, unless it is asked for.
USUAL_LARGEST = 30
PARTS = ("growth", "jobs", "told", "again", "planned")

MOST_EXPONENT = 1.05
MOST_TENFOLD = 10.5
# Four million records in two gigabytes.
MOST_MEGABYTES, MEMORY_SCALE = 2_000, 100
LEAST_SPEED_UP, SPEED_UP_SCALE = 1.6, 10
MOST_SECONDS_AGAIN, MOST_SECONDS_PLANNED = 1.5, 2.0
# What `plan --workers --measure` tells, against real runs: processor seconds. A pool of one worker
# there is not: that is a single process.
MOST_OFF, TOLD_SCALE, TOLD_WORKERS = 0.15, 3, (2, 4)
# A stage that takes less than a hundredth of the largest run is all start and no growth.
LEAST_SHARE = 0.01


@dataclass(frozen=True, slots=True)
class ScaledRun:
    """What a run at a scale took: processor seconds, also by stage, and its peak of memory."""

    scale: int
    seconds: float
    megabytes: float
    stages: dict[str, float]


def main() -> None:
    """Prints every figure; exits 1 where one misses its bound."""
    options = argparse.ArgumentParser(description="How a run grows with its size.")
    options.add_argument("--largest", type=int, default=USUAL_LARGEST, metavar="X")
    options.add_argument("--only", choices=PARTS, metavar="PART", help=", ".join(PARTS))
    asked = options.parse_args()
    scales = [scale for scale in SCALES if scale <= asked.largest]
    with figures() as figure, tempfile.TemporaryDirectory(prefix="bench-scale-") as folder:
        parts: dict[str, Callable[[], None]] = {
            "growth": lambda: _growth(Path(folder), scales, figure),
            "jobs": lambda: _jobs(Path(folder), min(max(scales), SPEED_UP_SCALE), figure),
            "told": lambda: _told(Path(folder), min(max(scales), TOLD_SCALE), figure),
            "again": lambda: _again(Path(folder), figure),
            "planned": lambda: _planned(figure),
        }
        for part in PARTS:
            if asked.only in (None, part):
                parts[part]()


def exponent(scales: Sequence[float], seconds: Sequence[float]) -> float:
    """The slope of the straight line through the logarithms: 1 where time grows as the scale."""
    return float(np.polyfit(np.log(scales), np.log(seconds), 1)[0])


def _growth(folder: Path, scales: Sequence[int], figure: Callable[..., None]) -> None:
    print("growth of the shoe company, one process")
    runs = []
    for scale in scales:
        run = _run(folder / f"grown_{scale}", scale)
        print(f"  scale {scale}: {run.seconds:.1f} CPU s, {run.megabytes:.0f} MB", flush=True)
        runs.append(run)
    if len(runs) < 2:
        return
    last = runs[-1]
    for stage, seconds in sorted(last.stages.items(), key=lambda found: -found[1]):
        if seconds >= LEAST_SHARE * last.seconds:
            spent = [max(run.stages.get(stage, 0.0), 0.01) for run in runs]
            figure(f"{stage}: exponent", exponent(scales, spent), MOST_EXPONENT)
    figure("the whole run: exponent", exponent(scales, [run.seconds for run in runs]), 1.05)
    by_scale = {run.scale: run for run in runs}
    if 10 in by_scale:
        tenfold = by_scale[10].seconds / by_scale[1].seconds
        figure("scale 10 against scale 1: processor time", tenfold, MOST_TENFOLD, unit="fold")
    if MEMORY_SCALE in by_scale:
        says, megabytes = f"memory at scale {MEMORY_SCALE}", by_scale[MEMORY_SCALE].megabytes
    else:
        line = np.polyfit(scales, [run.megabytes for run in runs], 1)
        says = f"memory at scale {MEMORY_SCALE}, on the line through these runs"
        megabytes = float(np.polyval(line, MEMORY_SCALE))
    figure(says, megabytes, MOST_MEGABYTES, unit="MB")


def _jobs(folder: Path, scale: int, figure: Callable[..., None]) -> None:
    print(f"several processes against one, scale {scale}")
    before = _of_children()
    seconds = [_timed(_command(folder / "jobs_1", scale, 1))]
    alone = _of_children() - before
    if cores() == 1:
        return
    seconds.append(_timed(_command(folder / f"jobs_{cores()}", scale, cores())))
    says = f"{cores()} processes: wall time of one over theirs"
    figure(says, seconds[0] / seconds[1], LEAST_SPEED_UP, most=False, unit="fold")
    # Nobody's load weighs in this one.
    place = str(folder / "replayed")
    asked = ["-m", "tests.replayed", "shoes", str(scale), str(cores()), place]
    again = _told_by(asked)
    says = f"{cores()} processes: processor time of one over theirs, played again"
    figure(says, alone / again["wall"], LEAST_SPEED_UP, most=False, unit="fold")


def _of_children() -> float:
    """The processor seconds of all processes that were started here and have ended."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def _told_by(asked: Sequence[str]) -> dict[str, float]:
    """What a module of the tests prints as JSON."""
    command = [sys.executable, *asked]
    done = subprocess.run(command, check=True, capture_output=True, text=True, cwd=ROOT)
    told: dict[str, float] = json.loads(done.stdout)
    return told


def _told(folder: Path, scale: int, figure: Callable[..., None]) -> None:
    """How far the simulation is off, by what pieces take on this machine in the same minutes."""
    print(f"what plan --workers --measure tells of scale {scale}, against real runs")
    plan = make_plan(load_job(RunRequest("shoes", scale=float(scale))))
    costs = measured_costs(RunRequest("shoes"))
    alone, _ = _spent(folder, scale, 1)
    single = play(plan, 0, costs)
    figure("one process: is off by", abs(single.command / alone - 1), MOST_OFF)
    for number in TOLD_WORKERS:
        command, workers = _spent(folder, scale, number)
        told = play(plan, number, costs)
        figure(
            f"{number} workers: the command is off by", abs(told.command / command - 1), MOST_OFF
        )
        figure(f"{number} workers: these are off by", abs(told.workers / workers - 1), MOST_OFF)
        # Nobody's load weighs in this one: it follows from the seconds above, with a core for each.
        fold = single.wall / told.wall
        says = f"{number} workers, a core for each process: one process's time over theirs, told"
        figure(says, fold, LEAST_SPEED_UP, most=False, unit="fold")


def _spent(folder: Path, scale: int, jobs: int) -> tuple[float, float]:
    """The processor seconds of a run's command, and of its workers."""
    place = str(folder / f"told_{jobs}")
    told = _told_by(["-m", "tests.process_times", "shoes", str(scale), str(jobs), place])
    return told["command"], told["workers"]


def _again(folder: Path, figure: Callable[..., None]) -> None:
    print("the same command again")
    command = _command(folder / "again", 1, 1)
    _timed(command)
    says = "a second generate, scale 1: processor time, at the bounds' pace"
    figure(says, _at_their_pace(command), MOST_SECONDS_AGAIN, unit="s")


def _planned(figure: Callable[..., None]) -> None:
    command = [sys.executable, "-m", "pipeline", "plan", "--company", "shoes", "--scale", "1000"]
    says = "plan --scale 1000: processor time, at the bounds' pace"
    figure(says, _at_their_pace(command), MOST_SECONDS_PLANNED, unit="s")


def _at_their_pace(command: Sequence[str]) -> float:
    """The processor seconds of a command on the machine whose seconds the bounds are in."""
    before = _of_children()
    wall = _timed(command)
    spent = _of_children() - before
    slower = pace()
    print(f"  {wall:.2f} s by the wall, {spent:.2f} CPU s, on a machine {slower:.1f} times as slow")
    return spent / slower


def _run(folder: Path, scale: int) -> ScaledRun:
    done = subprocess.run(
        [sys.executable, "-m", "tests.stage_times", "shoes", str(scale), str(folder)],
        check=True,
        capture_output=True,
        text=True,
        cwd=ROOT,
    )
    told = json.loads(done.stdout)
    return ScaledRun(scale, told["seconds"], told["megabytes"], told["stages"])


def _command(folder: Path, scale: int, jobs: int) -> list[str]:
    asked = ["--company", "shoes", "--scale", str(scale), "--jobs", str(jobs)]
    return [sys.executable, "-m", "pipeline", "generate", *asked, "--out", str(folder)]


def _timed(command: Sequence[str]) -> float:
    started = time.monotonic()
    subprocess.run(command, check=True, capture_output=True, cwd=ROOT)
    return time.monotonic() - started


if __name__ == "__main__":
    main()
