"""Torture: damaged files, malformed input, kills, bad networks, full disks, hostile requests.

    python -m tests.torture [--minutes 20] [--seed N] [--only NAME] [--share F]   (or: make torture)

Each part has a share of the minutes and does as much of its work as fits; what it leaves the next
parts have. What it has done is printed, and each failure as soon as it is found, with the number of
its trial. Two parts run at a time, each in a process of its own. The same seed tries the same
things. Ends with exit code 1 unless tracebacks, hangs, silent acceptances, lost and doubled records
are all 0. Linux only; a few parts do more as root.
"""

import argparse
import multiprocessing
import random
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from dataclasses import dataclass
from pathlib import Path

from tests.torture_breaks import disks, kills, uploads
from tests.torture_files import files
from tests.torture_inputs import inputs
from tests.torture_models import histories, soql
from tests.torture_orgs import preload
from tests.torture_requests import TOKEN, requests_to
from tests.torture_trial import FAILINGS, Budget, PartTally


@dataclass(frozen=True, slots=True)
class TorturePart:
    """A part: what it does, how many trials, and its weight in the time."""

    work: Callable[[Budget], None]
    trials: int
    weight: float


# Those that need most come first, so that both lanes end at about the same time. The weights are
# the seconds that the whole of each part took on two cores, in tens.
PARTS: dict[str, TorturePart] = {
    "kills": TorturePart(kills, 200, 37),
    "uploads": TorturePart(uploads, 60, 32),
    "explore": TorturePart(requests_to("explore"), 100_000, 29),
    "files": TorturePart(files, 500, 25),
    "inputs": TorturePart(inputs, 500, 20),
    "histories": TorturePart(histories, 20, 15),
    "mcp": TorturePart(requests_to("mcp", "--http", "0"), 100_000, 12),
    "serve": TorturePart(requests_to("serve", "--token", TOKEN), 100_000, 7),
    "writable": TorturePart(requests_to("serve", "--writable", "--token", TOKEN), 100_000, 7),
    "disks": TorturePart(disks, 30, 6),
    "soql": TorturePart(soql, 20, 3),
}

# As many parts run at a time: the usual machine of a continuous integration has two cores.
LANES = 2


def main(words: Sequence[str] | None = None) -> int:
    """Runs the parts and prints their counts."""
    parser = argparse.ArgumentParser(description="Torture the program.")
    parser.add_argument("--minutes", type=float, default=20.0, help="of all parts (default: 20)")
    parser.add_argument("--seed", type=int, help="which trials (default: others each time)")
    parser.add_argument("--only", choices=PARTS, action="append", help="may be given again")
    parser.add_argument("--share", type=float, default=1.0, help="this share of trials and time")
    given = parser.parse_args(words)
    seed = random.SystemRandom().randrange(10**6) if given.seed is None else given.seed
    print(f"seed {seed}", flush=True)
    tallies = in_lanes(given.only or list(PARTS), seed, 60 * given.minutes, given.share)
    return summary(tallies)


def in_lanes(names: Sequence[str], seed: int, seconds: float, share: float) -> list[PartTally]:
    """Runs parts, as many at a time as there are lanes; what one leaves of its time the next have.

    A part that is asked for alone has no more time than beside the others.
    """
    ends = time.monotonic() + seconds * share
    all_weights = sum(part.weight for part in PARTS.values())
    weights = sum(PARTS[name].weight for name in names)
    left = seconds * share * LANES * weights / all_weights
    waiting, running, tallies = list(names), dict[Future[PartTally], float](), []
    with ProcessPoolExecutor(LANES, multiprocessing.get_context("fork"), preload) as lanes:
        while waiting or running:
            while waiting and len(running) < LANES:
                part = PARTS[waiting[0]]
                given = min(left * part.weight / weights, ends - time.monotonic())
                weights, left = weights - part.weight, left - given
                trials = max(1, round(part.trials * share))
                running[lanes.submit(tortured, waiting.pop(0), seed, trials, given)] = given
            for ended in wait(running, return_when=FIRST_COMPLETED).done:
                tallies.append(ended.result())
                left += running.pop(ended) - tallies[-1].seconds
    return tallies


def tortured(name: str, seed: int, trials: int, seconds: float) -> PartTally:
    """Runs one part in a scratch folder of its own."""
    tally = PartTally(name, trials)
    started = time.monotonic()
    print(f"{name} ...", flush=True)
    with tempfile.TemporaryDirectory(prefix="torture-") as scratch:
        PARTS[name].work(Budget(tally, seed, seconds, Path(scratch)))
    tally.seconds = time.monotonic() - started
    for note in tally.notes:
        print(f"  {note}")
    print(tally.line, flush=True)
    return tally


def summary(tallies: Sequence[PartTally]) -> int:
    """All parts again, one below the other, and the sum; the exit code."""
    print()
    for tally in tallies:
        print(tally.line)
    counts = {name: sum(len(tally.failed[name]) for tally in tallies) for name in FAILINGS}
    print("all: " + ", ".join(f"{name} {count}" for name, count in counts.items()))
    return 1 if any(counts.values()) else 0


if __name__ == "__main__":
    sys.exit(main())
