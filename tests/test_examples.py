"""The examples in docstrings: each gives what it says.

Those of `orgweave.benchmark.evaluate` are tried in `test_evaluate.py`, which needs Inspect anyway.
"""

import doctest
import re
from importlib import import_module
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
EXAMPLE = re.compile(r"^\s*>>> ", re.MULTILINE)


def with_examples() -> list[str]:
    """The modules that hold an example."""
    found = []
    for top in ("latent", "orgweave", "pipeline", "schemas", "verifiers"):
        for path in sorted((ROOT / top).rglob("*.py")):
            if "evaluate" not in path.parts and EXAMPLE.search(path.read_text(encoding="utf-8")):
                found.append(".".join(path.relative_to(ROOT).with_suffix("").parts))
    return found


@pytest.mark.parametrize("module", with_examples())
def test_an_example_gives_what_it_says(module: str) -> None:
    """Whoever types it sees the same."""
    told: list[str] = []
    finder, runner = doctest.DocTestFinder(), doctest.DocTestRunner()
    tried = 0
    for example in finder.find(import_module(module)):
        tried += runner.run(example, out=told.append).attempted
    assert tried and not told, "".join(told)
