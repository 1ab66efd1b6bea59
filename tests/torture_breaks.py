"""Torture by breaking off: kills, a bad network, full disks. After each the same command goes on,
and what it makes must be, byte for byte, what it makes undisturbed.
"""

import json
import random
import shutil
import signal
import subprocess
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

import requests
from simple_salesforce import Salesforce

import orgweave
from orgweave.testing.org_server import TOKEN
from tests.torture_crm import BadNetwork, crm, loading
from tests.torture_orgs import (
    BUNDLE,
    EVALUATE,
    EXPORTS,
    GENERATE,
    REGENERATE,
    REPORT,
    TASKS,
    TriedCommand,
    copied,
    prepared,
)
from tests.torture_trial import Budget, ChildEnd, command, judged
from tests.upload_orgs import differences, ids

KILLED = (GENERATE, GENERATE, REGENERATE, TASKS, REPORT, BUNDLE, *EXPORTS)
SIGNALS = (signal.SIGKILL, signal.SIGINT, signal.SIGTERM)
PATIENCE = ("--patience", "2")
EXTERNAL = "Synth_Id__c"
AGAIN = 12
"""Runs after which an upload should be through."""
GENEROUS = "200m"
"""The size of a disk that is large enough."""
SCANTY = (4, 16, 64, 128, 256, 512, 1024)
"""Kilobytes of room on a disk that is nearly full. A run writes about 1,200, an export 300."""


def kills(budget: Budget) -> None:
    """Ends commands at shares of their processor time, then lets them go on."""
    whole = prepared(budget.scratch)
    reached: Counter[str] = Counter()
    right = {tried.name: undisturbed(tried, whole, budget) for tried in (*KILLED, EVALUATE)}
    for number, rng in budget.trials():
        if number % 8 == 0:
            reached["upload"] += killed_upload(budget, whole, number, rng)
            continue
        tried = EVALUATE if number % 50 == 1 else rng.choice(KILLED)
        cpu = right[tried.name].cpu
        folder = copied(whole, budget.scratch / "killed")
        prepare(tried, folder)
        number_of_kills = rng.choice([1, 1, 2])
        what = f"{number}: {tried.name}"
        for _ in range(number_of_kills):
            sent, end, hit = killed(tried.start(folder), rng, rng.uniform(0, 1.05) * cpu)
            reached[tried.name] += hit
            check_ending(budget, end, sent, what)
        end = tried.run(folder)
        if judged(budget.tally, end, f"{what}, again") and end.code:
            budget.tally.fail("lost", f"{what}, again: exit code {end.code}, {end.said[:200]}")
        elif tried.made(folder, end) not in right[tried.name].made:
            budget.tally.fail("lost", f"{what}: other bytes than undisturbed")
        left = [path.name for path in folder.rglob("*") if path.name.endswith(".part")]
        if left:
            budget.tally.fail("silent", f"{what}: left {left[:3]} behind")
    hits = ", ".join(f"{name} {count}" for name, count in sorted(reached.items()))
    budget.tally.notes.append(f"signals that reached a living process: {hits}")


@dataclass(frozen=True, slots=True)
class Undisturbed:
    """What a command makes, after each of some runs, and its seconds of the processor."""

    made: list[object]
    cpu: float


def undisturbed(tried: TriedCommand, whole: Path, budget: Budget) -> Undisturbed:
    """Runs a command that nothing disturbs.

    Each `regenerate` writes other words than the one before; all others make the same again. A kill
    may come when all is made, so that what goes on is a run of its own.
    """
    folder = copied(whole, budget.scratch / "right")
    prepare(tried, folder)
    made: list[object] = []
    end = tried.run(folder)
    made.append(tried.made(folder, end))
    cpu = end.cpu
    assert end.code == 0, end.err
    for _ in range(2 if tried is REGENERATE else 0):
        end = tried.run(folder)
        made.append(tried.made(folder, end))
    return Undisturbed(made, cpu)


def prepare(tried: TriedCommand, folder: Path) -> None:
    """What is to be made isn't there yet."""
    if tried is GENERATE:
        shutil.rmtree(folder)
    if tried is TASKS:
        shutil.rmtree(folder / "tasks")


def killed(child, rng: random.Random, cpu: float) -> tuple[signal.Signals, ChildEnd, bool]:
    """Sends a signal once so much processor time is used; whether it was still alive then."""
    number = rng.choice(SIGNALS)
    while not child.poll() and child.cpu < cpu:
        time.sleep(0.001)
    hit = child.status is None
    child.send(number)
    return number, child.end(), hit


def check_ending(budget: Budget, end: ChildEnd, sent: signal.Signals, what: str) -> None:
    """A command that is ended says so in a line, or dies of what ended it."""
    if end.crashed or end.hung:
        judged(budget.tally, end, f"{what}, {sent.name}")
    elif end.code < 0 and -end.code not in (signal.SIGKILL, signal.SIGTERM):
        budget.tally.fail("traceback", f"{what}: {sent.name} gave signal {-end.code}")


def killed_upload(budget: Budget, whole: Path, number: int, rng: random.Random) -> int:
    """An upload that is ended up to three times and goes on; how often it was alive."""
    external, idmap = rng.choice(["", EXTERNAL]), budget.scratch / f"{number}.idmap.jsonl"
    bulk = rng.choice([(), ("--bulk-from", "20")])
    what = f"{number}: upload {external} {' '.join(bulk)}"
    reached = 0
    with crm(whole, external) as url:
        words = loading(url, whole, idmap, *PATIENCE, *bulk)
        for _ in range(rng.randrange(1, 4)):
            child = command(words, budget.scratch)
            sent, end, hit = killed(child, rng, rng.uniform(0, 0.8))
            reached += hit
            check_ending(budget, end, sent, what)
        loaded(budget, words, what)
        compared(budget, url, whole, idmap, what)
    return reached


def loaded(budget: Budget, words: list[str], what: str) -> ChildEnd:
    """Gives an upload again until it is through."""
    for _ in range(AGAIN):
        end = command(words, budget.scratch).end()
        if not judged(budget.tally, end, what) or end.code == 0:
            return end
        if "are doubled: they look" in end.err and "weren't taken" not in end.err:
            return end  # All is there, some of it twice, and told.
    budget.tally.fail("lost", f"{what}: not through after {AGAIN} runs: {end.said[:300]}")
    return end


def compared(budget: Budget, url: str, whole: Path, idmap: Path, what: str) -> None:
    """Counts what the CRM has too much, too little or otherwise, unless the upload told of it."""
    told = idmap.with_name(idmap.stem.removesuffix("idmap") + "doubled.jsonl")
    known = set()
    with suppress(OSError):
        known = {json.loads(line)["org_id"] for line in told.read_text().splitlines()}
    sf = orgweave.connect(url, TOKEN)
    doubled_totals = totals_of(sf, known, idmap)
    for text in differences(sf, whole, idmap):
        if text.endswith("too much"):
            if text.split()[1].rstrip(":") not in known:
                budget.tally.fail("doubled", f"{what}: {text}")
        elif not text.startswith(doubled_totals):
            budget.tally.fail("lost", f"{what}: {text}")


def totals_of(sf: Salesforce, known: set[str], idmap: Path) -> tuple[str, ...]:
    """How differences begin that follow from items of which the upload told that they are doubled:
    an order's total is that of its items.
    """
    back = {theirs: ours for ours, theirs in ids(idmap).items()}
    found = []
    for item in sf.query_all("SELECT Id, OrderId FROM OrderItem")["records"]:
        if item["Id"] in known:
            found.append(f"Order.TotalAmount {back.get(item['OrderId'])}:")
    return tuple(found)


def uploads(budget: Budget) -> None:
    """Uploads through a bad network, given again until they are through."""
    whole = prepared(budget.scratch)
    told = 0
    for number, rng in budget.trials():
        external, bulk = rng.choice(["", EXTERNAL]), rng.choice([(), ("--bulk-from", "20")])
        network = BadNetwork(rng.uniform(0.02, 0.25), rng.uniform(0.2, 1.5), rng.randrange(10**6))
        idmap = budget.scratch / f"{number}.idmap.jsonl"
        what = f"{number}: {network} {external} {' '.join(bulk)}"
        with crm(whole, external, network) as url:
            end = loaded(budget, loading(url, whole, idmap, *PATIENCE, *bulk), what)
            # What a gateway sends twice is doubled where there is no external id, and must be told.
            told += "are doubled: they look" in end.err
            if external and "are doubled: they look" in end.err:
                names = {
                    line.split(":")[0] for line in end.out.splitlines() if "are doubled" in line
                }
                if names - {"LiveChatVisitor"}:
                    budget.tally.fail("doubled", f"{what}: {names} in spite of an external id")
            time.sleep(network.delay)
            compared_behind(budget, url, whole, idmap, what)
    budget.tally.notes.append(f"uploads that told of records that a gateway had doubled: {told}")


def compared_behind(budget: Budget, url: str, whole: Path, idmap: Path, what: str) -> None:
    """The same through the bad network, which harms no reading."""
    try:
        compared(budget, url, whole, idmap, what)
    except (requests.RequestException, OSError) as error:
        budget.tally.fail("lost", f"{what}: the CRM is gone: {error}")


def disks(budget: Budget) -> None:
    """Commands on a disk that is full, which then has room again."""
    whole = prepared(budget.scratch)
    tmpfs = can_mount(budget.scratch)
    kind = "a small tmpfs" if tmpfs else "RLIMIT_FSIZE (no right to mount)"
    budget.tally.notes.append(f"disks are made full by {kind}")
    right = {tried.name: undisturbed(tried, whole, budget).made for tried in KILLED}
    full = 0
    for number, rng in budget.trials():
        tried = rng.choice(KILLED)
        what = f"{number}: {tried.name}"
        room = rng.choice(SCANTY) * 1024
        with small_disk(budget.scratch / "disk", tmpfs) as disk:
            folder = copied(whole, disk / "on")
            prepare(tried, folder)
            end = start_full(tried, folder, disk, room, tmpfs)
            full += end.code != 0
            judged(budget.tally, end, what)
            if tmpfs:
                mount("remount,size=" + GENEROUS, disk)
            end = tried.run(folder)
            if judged(budget.tally, end, f"{what}, again") and end.code:
                budget.tally.fail("lost", f"{what}, again: {end.said[:200]}")
            elif tried.made(folder, end) not in right[tried.name]:
                budget.tally.fail("lost", f"{what}: other bytes than undisturbed")
    budget.tally.notes.append(f"commands that met the full disk: {full}")


def start_full(tried: TriedCommand, folder: Path, disk: Path, room: int, tmpfs: bool) -> ChildEnd:
    """Runs a command with so many bytes of room."""
    if not tmpfs:
        return tried.start(folder, max(room // 8, 4096)).end()
    used = shutil.disk_usage(disk).used
    mount(f"remount,size={used + room}", disk)
    return tried.run(folder)


def can_mount(scratch: Path) -> bool:
    """Whether we may have a disk of our own."""
    try:
        with small_disk(scratch / "trial", True):
            return True
    except (OSError, subprocess.CalledProcessError):
        return False


@contextmanager
def small_disk(place: Path, tmpfs: bool) -> Iterator[Path]:
    """A disk of our own, or a folder."""
    place.mkdir(exist_ok=True)
    if tmpfs:
        mount("size=" + GENEROUS, place)
    try:
        yield place
    finally:
        if tmpfs:
            subprocess.run(["umount", "--lazy", str(place)], check=True)
        shutil.rmtree(place, ignore_errors=True)


def mount(options: str, place: Path) -> None:
    """Mounts a tmpfs, or changes its size."""
    subprocess.run(
        ["mount", "-t", "tmpfs", "-o", options, "none", str(place)],
        check=True,
        capture_output=True,
    )
