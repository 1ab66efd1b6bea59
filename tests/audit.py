"""`make audit`: what the program is built on. Licences, the lock of CI, known vulnerabilities.

    python -m tests.audit [--pip-audit PATH]

Each distribution of the base install and of all extras, and what those need in turn, must have a
permissive licence, or stand in ALLOWED. `requirements/ci.lock` must hold all of them with hashes
and name no package index. `pip-audit` asks the public advisories. Exit code 1 where something is
wrong, 3 where all is right but the advisories can't be reached: silence is no safety.
"""

import argparse
import json
import re
import subprocess
import sys
import tempfile
import tomllib
from collections.abc import Iterable, Sequence
from importlib.metadata import Distribution, PackageNotFoundError, distribution
from pathlib import Path

from packaging.markers import default_environment
from packaging.requirements import Requirement

ROOT = Path(__file__).parents[1]
LOCK = ROOT / "requirements" / "ci.lock"
PERMISSIVE = (
    *("MIT", "MIT-0", "MIT-CMU", "HPND", "BSD", "BSD-2-Clause", "BSD-3-Clause", "0BSD", "ISC"),
    *("Apache-2.0", "Apache", "PSF-2.0", "Python Software Foundation", "CNRI-Python", "Zlib"),
    *("CC0-1.0", "Unlicense", "Public Domain"),
)
ALLOWED = {
    "tqdm": "MPL-2.0",
    "hypothesis": "MPL-2.0",
    "certifi": "MPL-2.0",
    "pathspec": "MPL-2.0",
}
"""What has another licence and is taken all the same: MPL-2.0 binds changes to its own files."""
UNTOLD = {"agent-client-protocol": "Apache-2.0"}
"""What tells no licence in its metadata; its LICENSE file was read."""
PROBE = "requests==2.19.0"
"""An old release with well-known advisories: who finds none for it can't tell of any."""
UNREACHED = 3
URL = re.compile(r"--(index-url|extra-index-url|find-links|trusted-host)|://|file:|@ ")


def requirements_of(project: dict[str, object]) -> list[str]:
    """All requirements of a pyproject.toml's project table, the extras' among them."""
    extras = project.get("optional-dependencies", {})
    lists = [project["dependencies"], *(extras.values() if isinstance(extras, dict) else ())]
    return [text for wanted in lists if isinstance(wanted, list) for text in wanted]


def closure(texts: Iterable[str]) -> dict[str, Distribution | None]:
    """The installed distributions that requirements need, and theirs; None for a missing one."""
    found: dict[str, Distribution | None] = {}
    waiting = list(texts)
    seen: set[tuple[str, frozenset[str]]] = set()
    while waiting:
        wanted = Requirement(waiting.pop())
        name, extras = normal(wanted.name), frozenset(wanted.extras)
        if (name, extras) in seen:
            continue
        seen.add((name, extras))
        try:
            found[name] = distribution(wanted.name)
        except PackageNotFoundError:
            found[name] = None
            continue
        for needed in found[name].requires or ():  # type: ignore[union-attr]
            if applies(Requirement(needed), extras):
                waiting.append(needed)
    return found


def applies(needed: Requirement, extras: frozenset[str]) -> bool:
    """Whether a requirement holds here, for a distribution that is wanted with some extras."""
    if needed.marker is None:
        return True
    here = dict(default_environment())
    return any(needed.marker.evaluate({**here, "extra": extra}) for extra in ("", *extras))


def normal(name: str) -> str:
    """A distribution's normal name."""
    return re.sub(r"[-_.]+", "-", name).lower()


def licence_of(found: Distribution) -> str:
    """What a distribution says of its licence: the expression, the classifiers or the text."""
    data = found.metadata
    classifiers = data.get_all("Classifier") or []
    told = [line.rpartition(" :: ")[2] for line in classifiers if line.startswith("License ::")]
    text = str(data.get("License") or "").strip().split("\n")[0]
    return str(data.get("License-Expression") or "; ".join(told) or text)


def is_permissive(licence: str) -> bool:
    """Whether all that must be kept of a licence is a notice; of `A OR B` one will do."""
    if not licence:
        return False
    return any(
        all(_known(part) for part in re.split(r" AND |; ", choice.strip("() ")))
        for choice in licence.split(" OR ")
    )


def _known(part: str) -> bool:
    bare = re.sub(r"( Software)?( License)?(, Version 2\.0)?$", "", part.strip("() "))
    return bare in PERMISSIVE


def check_licences(found: dict[str, Distribution | None]) -> list[str]:
    """Every distribution whose licence isn't known to be permissive."""
    wrong = []
    for name, each in sorted(found.items()):
        if each is None:
            wrong.append(f"{name}: isn't installed, so its licence can't be read")
            continue
        licence = UNTOLD.get(name) or licence_of(each)
        if name not in ALLOWED and not is_permissive(licence):
            wrong.append(f"{name}: {licence or 'tells no licence'}")
    return wrong


def check_lock(text: str, wanted: Iterable[str]) -> list[str]:
    """What is wrong with a lock: a place that it names, a pin without hashes, what it lacks."""
    wrong = [f"names a place: {line.strip()}" for line in text.splitlines() if URL.search(line)]
    pins: dict[str, str] = {}
    for block in re.split(r"\n(?=[A-Za-z0-9])", text):
        pin = re.match(r"([A-Za-z0-9._-]+)(\[[^]]*\])?==([^\s;]+)", block)
        if pin is None:
            continue
        pins[normal(pin[1])] = pin[3]
        if "--hash=sha256:" not in block:
            wrong.append(f"{pin[1]}: has no hash")
    for needed in map(Requirement, wanted):
        version = pins.get(normal(needed.name))
        if version is None or not needed.specifier.contains(version, prereleases=True):
            wrong.append(f"{needed}: the lock holds {version or 'none'}; run `make lock`")
    return wrong


def advisories(tool: str, lock: Path) -> list[str] | None:
    """The known vulnerabilities of a lock's pins; None where nobody could be asked."""
    with tempfile.TemporaryDirectory() as folder:
        probe = Path(folder) / "probe.txt"
        probe.write_text(PROBE + "\n", encoding="utf-8")
        # One question first: no use in asking 160 where there is no answer.
        if not _asked(tool, probe):
            return None
    return _asked(tool, lock)


def _asked(tool: str, requirements: Path) -> list[str] | None:
    line = [tool, "--requirement", str(requirements), "--no-deps", "--disable-pip"]
    try:
        said = subprocess.run(
            [*line, "--format", "json", "--progress-spinner", "off"],
            capture_output=True,
            text=True,
            timeout=600,
        )
        found = json.loads(said.stdout)["dependencies"]
    except (OSError, subprocess.TimeoutExpired, ValueError, KeyError):
        return None
    if any("skip_reason" in each for each in found):
        return None
    return [
        f"{each['name']} {each.get('version')}: {fault['id']}"
        for each in found
        for fault in each.get("vulns", ())
    ]


def main(words: Sequence[str] | None = None) -> int:
    """Checks all three and prints what is wrong."""
    parser = argparse.ArgumentParser(description="What the program is built on.")
    parser.add_argument("--pip-audit", default="pip-audit", help="the tool's path")
    given = parser.parse_args(words)
    pyproject = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    wanted = requirements_of(pyproject["project"])
    found = closure(wanted)
    licences = check_licences(found)
    lock = check_lock(LOCK.read_text(encoding="utf-8"), wanted)
    print(f"licences: {len(found)} distributions, {len(licences)} to look at")
    print(f"{LOCK.relative_to(ROOT)}: {len(lock)} faults")
    faults = advisories(given.pip_audit, LOCK)
    if faults is None:
        print("advisories: can't be asked from here (no pip-audit, or no way to its service)")
    else:
        print(f"advisories: {len(faults)} known vulnerabilities")
    wrong = [*licences, *lock, *(faults or ())]
    for line in wrong:
        print(f"  {line}")
    if wrong:
        return 1
    return UNREACHED if faults is None else 0


if __name__ == "__main__":
    sys.exit(main())
