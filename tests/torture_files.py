"""Torture by files: a run's own files damaged in every way, and input that nobody should give.

A damaged file may be told of, or be made anew; what a command makes of it without a word must be
what it makes of the whole one. Anything else is accepted in silence.
"""

import json
import os
import random
import shutil
import sqlite3
from collections.abc import Callable
from contextlib import closing, suppress
from pathlib import Path

from tests.torture_orgs import (
    EVALUATE,
    EXPORTS,
    GENERATE,
    READING,
    REGENERATE,
    TASKS,
    TriedCommand,
    copied,
    prepared,
)
from tests.torture_trial import Budget, judged

TRIED = (*READING, *EXPORTS, GENERATE, REGENERATE, TASKS)
DAMAGED = (
    *("org.sqlite", "latent.sqlite", "ledger.sqlite", "manifest.json", "check.json"),
    *("made_from/profile.yaml", "made_from/lexicon.json", "made_from/schema/*/*.yaml"),
    *("upload/*.json", "tasks/tasks.jsonl", "tasks/report.json"),
)


def empty(path: Path, rng: random.Random) -> None:
    """Nothing is left of it."""
    path.write_bytes(b"")


def cut(path: Path, rng: random.Random) -> None:
    """Its end is missing."""
    content = path.read_bytes()
    path.write_bytes(content[: rng.randrange(len(content))])


def zeroed(path: Path, rng: random.Random) -> None:
    """A piece of it is zeros, as a lost block is."""
    content = bytearray(path.read_bytes())
    start, size = rng.randrange(len(content)), rng.choice([1, 16, 512, 4096])
    piece = content[start : start + size]
    content[start : start + size] = bytes(len(piece))
    path.write_bytes(content)


def flipped(path: Path, rng: random.Random) -> None:
    """One to three bits are others."""
    content = bytearray(path.read_bytes())
    for _ in range(rng.randrange(1, 4)):
        content[rng.randrange(len(content))] ^= 1 << rng.randrange(8)
    path.write_bytes(content)


def other_version(path: Path, rng: random.Random) -> None:
    """A later version of the program has made it."""
    if path.suffix == ".sqlite":
        with closing(sqlite3.connect(path)) as db:
            db.execute("PRAGMA user_version = 99")
        return
    text = path.read_text(encoding="utf-8")
    with suppress(ValueError):
        data = json.loads(text)
        text = json.dumps({**data, "format": 99}) if isinstance(data, dict) else text
    path.write_text(text, encoding="utf-8")


def garbage(path: Path, rng: random.Random) -> None:
    """Something else is in its place."""
    path.write_bytes(rng.choice([b"\xff\xfe\x00", b"[" * 100_000, b"null", b"{}\n", b"\0" * 9000]))


def missing(path: Path, rng: random.Random) -> None:
    """It isn't there."""
    path.unlink()


def directory(path: Path, rng: random.Random) -> None:
    """A folder has its name."""
    path.unlink()
    path.mkdir()


def loop(path: Path, rng: random.Random) -> None:
    """A link to itself has its name."""
    path.unlink()
    path.symlink_to(path.name)


def pipe(path: Path, rng: random.Random) -> None:
    """A pipe has its name, into which nobody writes."""
    path.unlink()
    os.mkfifo(path)


DAMAGES: tuple[Callable[[Path, random.Random], None], ...] = (
    *(empty, cut, cut, zeroed, zeroed, flipped, flipped, flipped),
    *(other_version, garbage, missing, directory, loop, pipe),
)


def files(budget: Budget) -> None:
    """Damages a file, runs a command, and compares."""
    whole = prepared(budget.scratch)
    right: dict[str, object] = {}
    for tried in (*TRIED, EVALUATE):
        folder = copied(whole, budget.scratch / "right")
        end = tried.run(folder)
        assert end.code == 0 and not end.crashed, f"{tried.name}: {end.err}"
        right[tried.name] = tried.made(folder, end)
    for number, rng in budget.trials():
        # An evaluation takes ten times as long as the others.
        tried = EVALUATE if number % 40 == 0 else rng.choice(TRIED)
        folder = copied(whole, budget.scratch / "damaged")
        path = rng.choice(sorted(folder.glob(rng.choice(DAMAGED))))
        damage = rng.choice(DAMAGES)
        damage(path, rng)
        compare(
            budget,
            tried,
            folder,
            right,
            f"{number}: {path.relative_to(folder)} {damage.__name__}",
        )


def compare(
    budget: Budget,
    tried: TriedCommand,
    folder: Path,
    right: dict[str, object],
    what: str,
) -> None:
    """Runs a command on a damaged folder; what it makes must be right, or told of."""
    end = tried.run(folder)
    what = f"{what}, {tried.name}"
    if not judged(budget.tally, end, what) or end.code or tried.serves:
        return
    told = [line for line in end.err.splitlines() if line.startswith("orgweave:")]
    if tried.made(folder, end) != right[tried.name] and not told:
        budget.tally.fail("silent", what)
    shutil.rmtree(folder.parent, ignore_errors=True)
