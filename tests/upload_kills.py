"""The whole shoe company into an empty CRM, both processes of their own, the uploader killed with -9 at random moments and continued.

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

import requests
from simple_salesforce import Salesforce

from tests.sandbox_client import PlainHttp

ROOT = Path(__file__).parent.parent
TOKEN = "kills"


@dataclass(frozen=True, slots=True)
class Crm:
    """A served empty CRM."""

    url: str

    def client(self) -> Salesforce:
        """A client of it."""
        session = requests.Session()
        session.trust_env = False
        session.mount(self.url.replace("http://", "https://"), PlainHttp())
        return Salesforce(instance_url=self.url, session_id=TOKEN, session=session)

    def upload(self, folder: Path, idmap: Path) -> "subprocess.Popen[str]":
        """Starts the uploader."""
        words = ["upload", str(folder), "--instance-url", self.url, "--session-id", TOKEN, "--idmap", str(idmap)]
        return subprocess.Popen([sys.executable, "-m", "pipeline", *words], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, cwd=ROOT)


@contextmanager
def served(folder: Path, *more: str) -> Iterator[Crm]:
    """A process that serves the empty CRM."""
    words = ["serve", str(folder), "--empty", "--writable", "--token", TOKEN, *more]
    with subprocess.Popen([sys.executable, "-m", "pipeline", *words], stdout=subprocess.PIPE, text=True, cwd=ROOT) as process:
        try:
            assert process.stdout is not None
            yield Crm(process.stdout.readline().split()[-1])
        finally:
            process.terminate()


def killed_and_continued(crm: Crm, folder: Path, idmap: Path, seed: int, kills: int = 3, longest: float = 12.0) -> list[float]:
    """Kills the uploader after so many seconds each, then lets it finish; gives the seconds. The last run must end well."""
    draw = random.Random(seed)
    moments = [draw.uniform(1.5, longest) for _ in range(kills)]
    for moment in moments:
        process = crm.upload(folder, idmap)
        time.sleep(moment)
        assert process.poll() is None, f"over before it could be killed: {process.stdout and process.stdout.read()}"
        os.kill(process.pid, signal.SIGKILL)
        process.communicate()
    process = crm.upload(folder, idmap)
    said, _ = process.communicate(timeout=600)
    assert process.returncode == 0, said
    return moments
