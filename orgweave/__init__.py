"""orgweave as a library: what works on a finished org.

Example: `orgweave.RunFolder(Path("outputs/shoes")).read_manifest().counts["Case"]`.

The project's code lies in five packages side by side: `orgweave`, `pipeline`, `latent`, `verifiers`
and `schemas`. The last ones have common names, so a package of the same name that Python finds
first would be taken in their place, and its errors would make no sense. Importing `orgweave`
therefore looks where each of them would come from, and ends with one line if it is not from here.
"""

import importlib.util
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pipeline.run_folder import RunFolder

__all__ = ["RunFolder"]
SIBLINGS = ("pipeline", "latent", "verifiers", "schemas")


def foreign_packages() -> list[tuple[str, str]]:
    """The project's packages that Python would take from elsewhere, and the place it would take."""
    home = Path(__file__).resolve().parent.parent
    foreign = []
    for name in SIBLINGS:
        found = importlib.util.find_spec(name)
        places = list(found.submodule_search_locations or []) if found else []
        if not places and found and found.origin:
            places = [found.origin]
        first = Path(places[0]).resolve() if places else None
        if first != home / name:
            foreign.append((name, str(first or "nowhere")))
    return foreign


def __getattr__(name: str) -> object:
    """Imports `RunFolder` when it is asked for.

    Every command imports this package first, and most of the time of `orgweave --help` would go
    into pydantic, which a run's folder brings along.
    """
    if name != "RunFolder":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from pipeline.run_folder import RunFolder

    return RunFolder


def _refuse_foreign_packages() -> None:
    for name, place in foreign_packages():
        raise ImportError(
            f"orgweave: package {name!r} would be taken from {place}, which is not orgweave's;"
            " rename that one, or use orgweave in an environment and a folder of its own",
            name="orgweave",
        )


_refuse_foreign_packages()
