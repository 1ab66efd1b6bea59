"""What the packages import is what pyproject.toml declares."""

import ast
import re
import sys
import tomllib
from collections.abc import Iterator, Mapping
from functools import cache
from importlib.metadata import distribution, packages_distributions
from pathlib import Path

import pytest
from packaging.requirements import Requirement

ROOT = Path(__file__).parents[1]
PACKAGES = ("orgweave", "pipeline", "latent", "schemas", "verifiers")
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
EXTRAS = {
    "orgweave/benchmark/guessing.py": "ablation",
    "orgweave/benchmark/evaluate/": "evaluate",
    "orgweave/benchmark/formats.py": "parquet",
    "orgweave/commands/evaluate.py": "evaluate",
    "orgweave/crm/simple_client.py": "upload",
    "orgweave/explore/": "explore",
    "orgweave/export/parquet_files.py": "parquet",
    "orgweave/inspect_tasks.py": "evaluate",
    "orgweave/load/": "upload",
    "orgweave/report/": "report",
    "orgweave/server/": "serve",
    "orgweave/tools/mcp_server.py": "mcp",
    "pipeline/draw_plan.py": "plots",
    "pipeline/part_files.py": "parquet",
    "pipeline/parts.py": "parquet",
}
"""Where a package may be imported that only an extra brings: the command that leads there names it,
as `pip install 'orgweave[serve]'` does."""
LOADED_BY_OTHERS = {
    "httptools",  # by uvicorn's protocol that orgweave.server.app builds on
}


def name_of(text: str) -> str:
    """A distribution's normal name: `openai[aiohttp]>=3` is openai, `Json_Repair` json-repair."""
    bare = re.split(r"[\s\[<>=!~;]", text, maxsplit=1)[0]
    return re.sub(r"[-_.]+", "-", bare).lower()


def declared(extra: str = "") -> set[str]:
    """The distributions of the base install, or of an extra alone."""
    lists = PROJECT["optional-dependencies"]
    return {name_of(text) for text in (lists[extra] if extra else PROJECT["dependencies"])}


def modules_in(source: str) -> Iterator[str]:
    """The modules that a source imports, anywhere in it."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            for alias in node.names:
                yield alias.name
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            yield node.module


@cache
def known() -> Mapping[str, list[str]]:
    """Each installed module's distributions; read once, since it opens the files of all of them."""
    return packages_distributions()


@cache
def distributions_in(source: str) -> frozenset[str]:
    """The distributions that a source imports; one that isn't installed is called as the module."""
    found = set()
    for module in modules_in(source):
        top = module.partition(".")[0]
        if top not in sys.stdlib_module_names and top not in PACKAGES:
            found.add(name_of(known().get(top, [top])[0]))
    return frozenset(found)


@cache
def sources() -> dict[str, str]:
    """Every module of the packages by its path."""
    files = [file for package in PACKAGES for file in (ROOT / package).rglob("*.py")]
    return {file.relative_to(ROOT).as_posix(): file.read_text("utf-8") for file in sorted(files)}


def test_imports_are_found_wherever_they_stand() -> None:
    """An import inside a function counts, the standard library and our own packages don't."""
    source = "import json\nfrom schemas import errors\ndef run():\n    import yaml.reader\n"
    assert distributions_in(source) == {"pyyaml"}


@pytest.mark.parametrize("package", PACKAGES)
def test_every_import_is_declared(package: str) -> None:
    """A module imports what the base install brings, or what its command's extra does."""
    for path, source in sources().items():
        if not path.startswith(f"{package}/"):
            continue
        extras = [extra for place, extra in EXTRAS.items() if path.startswith(place)]
        allowed = declared().union(*(declared(extra) for extra in extras))
        assert distributions_in(source) <= allowed, path


def test_every_dependency_is_imported() -> None:
    """Nothing is declared that no module imports."""
    imported = frozenset[str]().union(*(distributions_in(source) for source in sources().values()))
    for extra in ("", *sorted(set(EXTRAS.values()))):
        assert declared(extra) <= imported | LOADED_BY_OTHERS, extra


@pytest.mark.parametrize("extra", sorted(set(EXTRAS.values())))
def test_every_extra_is_named_where_it_is_missing(extra: str) -> None:
    """Some module tells a user without the extra which one to install."""
    assert any(f"orgweave[{extra}]" in source for source in sources().values())


LARGEST_BASE = 210
"""Megabytes that others' packages may take; with bytecode and our own that is 250 on the disk."""


def base_distributions() -> set[str]:
    """Every distribution that the base install brings, those that others bring included."""
    found: set[tuple[str, frozenset[str]]] = set()
    waiting = [Requirement(text) for text in PROJECT["dependencies"]]
    while waiting:
        wanted = waiting.pop()
        name, extras = name_of(wanted.name), frozenset(wanted.extras)
        if (name, extras) not in found:
            found.add((name, extras))
            requires = map(Requirement, distribution(name).requires or [])
            waiting += [other for other in requires if _holds(other, extras)]
    return {name for name, _ in found}


def _holds(wanted: Requirement, extras: frozenset[str]) -> bool:
    """Whether a requirement holds on this system, for these extras."""
    if wanted.marker is None:
        return True
    return any(wanted.marker.evaluate({"extra": extra}) for extra in extras or {""})


def test_the_base_install_is_small() -> None:
    """What everybody installs takes little room, and nothing that only draws is in it."""
    names = base_distributions()
    files = [file.locate() for name in names for file in distribution(name).files or []]
    taken = sum(Path(str(file)).stat().st_size for file in files if Path(str(file)).exists())
    assert taken / 1e6 <= LARGEST_BASE
    assert names.isdisjoint({"matplotlib", "networkx", "scipy", "pandas", "scikit-learn"})
