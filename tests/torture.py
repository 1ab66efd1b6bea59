"""Torture: damaged files, malformed input, kills, bad networks, full disks, hostile requests.

    python -m tests.torture [--minutes 20] [--seed N] [--only NAME] [--share F]   (or: make torture)

Each part has a share of the minutes and does as much of its work as fits; what it has done is
printed, and each failure as soon as it is found, with the number of its trial. The same seed tries
the same things. Ends with exit code 1 unless tracebacks, hangs, silent acceptances, lost and
doubled records are all 0. Linux only; a few parts do more as root.
"""

import argparse
import random
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
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


PARTS: dict[str, TorturePart] = {
    "files": TorturePart(files, 500, 4),
    "inputs": TorturePart(inputs, 500, 3),
    "kills": TorturePart(kills, 200, 6),
    "uploads": TorturePart(uploads, 60, 4),
    "disks": TorturePart(disks, 30, 1),
    "serve": TorturePart(requests_to("serve", "--token", TOKEN), 100_000, 1),
    "writable": TorturePart(requests_to("serve", "--writable", "--token", TOKEN), 100_000, 1),
    "explore": TorturePart(requests_to("explore"), 100_000, 1),
    "mcp": TorturePart(requests_to("mcp", "--http", "0"), 100_000, 1),
    "histories": TorturePart(histories, 20, 1),
    "soql": TorturePart(soql, 20, 0.5),
}


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
    preload()
    weights = sum(part.weight for part in PARTS.values())
    tallies = []
    for name in given.only or PARTS:
        part = PARTS[name]
        seconds = 60 * given.minutes * given.share * part.weight / weights
        tallies.append(
            tortured(name, part, seed, max(1, round(part.trials * given.share)), seconds)
        )
    return summary(tallies)


def tortured(name: str, part: TorturePart, seed: int, trials: int, seconds: float) -> PartTally:
    """Runs one part in a scratch folder of its own."""
    tally = PartTally(name, trials)
    started = time.monotonic()
    print(f"{name} ...", flush=True)
    with tempfile.TemporaryDirectory(prefix="torture-") as scratch:
        part.work(Budget(tally, seed, seconds, Path(scratch)))
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
