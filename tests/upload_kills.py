"""A shoe company into an empty CRM, both processes of their own, the uploader killed with
-9 at random moments and continued.

Shared by the test and by `python -m tests.bench_upload`.
"""

import os
import random
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from simple_salesforce import Salesforce

import orgweave
from orgweave.load.sender import BULK_FROM

ROOT = Path(__file__).parent.parent
TOKEN = "kills"
PATIENCE = "2"
"""Seconds; our own server ends in less what it was at when its client was killed."""


@dataclass(frozen=True, slots=True)
class Crm:
    """A served empty CRM."""

    url: str

    def client(self) -> Salesforce:
        """A client of it."""
        return orgweave.connect(self.url, TOKEN)

    def upload(self, folder: Path, idmap: Path, bulk_from: int) -> "subprocess.Popen[str]":
        """Starts the uploader."""
        words = [
            "upload",
            str(folder),
            "--instance-url",
            self.url,
            "--session-id",
            TOKEN,
            "--idmap",
            str(idmap),
            "--patience",
            PATIENCE,
            "--bulk-from",
            str(bulk_from),
        ]
        return subprocess.Popen(
            [sys.executable, "-m", "pipeline", *words],
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            cwd=ROOT,
        )


@contextmanager
def served(folder: Path, *more: str) -> Iterator[Crm]:
    """A process that serves the empty CRM."""
    words = ["serve", str(folder), "--empty", "--writable", "--token", TOKEN, *more]
    with subprocess.Popen(
        [sys.executable, "-m", "pipeline", *words],
        stdout=subprocess.PIPE,
        text=True,
        cwd=ROOT,
    ) as process:
        try:
            assert process.stdout is not None
            yield Crm(process.stdout.readline().split()[-1])
        finally:
            process.terminate()


def killed_and_continued(
    crm: Crm,
    folder: Path,
    idmap: Path,
    seed: int,
    records: int,
    kills: int = 3,
    bulk_from: int = BULK_FROM,
) -> list[int]:
    """Kills the uploader at random shares of the records and a random moment later, then lets it
    finish; gives the id map's lines at each kill.

    Each run gets to write something before it is killed; the last must end well. Shares, not
    seconds: so the speed of the machine doesn't matter.
    """
    draw = random.Random(seed)
    marks = sorted(draw.uniform(0.0, 0.6) * records for _ in range(kills))
    found = []
    for mark in marks:
        before = _lines(idmap)
        process = crm.upload(folder, idmap, bulk_from)
        while _lines(idmap) < max(mark, before + 1) and process.poll() is None:
            time.sleep(0.01)
        time.sleep(draw.uniform(0.0, 0.1))
        # On a busy machine this process may be woken when the uploader is done: no kill then.
        if process.poll() is None:
            os.kill(process.pid, signal.SIGKILL)
            found.append(_lines(idmap))
        process.communicate()
    assert found, "every run was over before it could be killed"
    process = crm.upload(folder, idmap, bulk_from)
    said, _ = process.communicate(timeout=600)
    assert process.returncode == 0, said
    return found


def _lines(idmap: Path) -> int:
    return idmap.read_bytes().count(b"\n") if idmap.exists() else 0
