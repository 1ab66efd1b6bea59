"""orgweave as a library: what works on a finished org.

Examples: `orgweave.RunFolder(Path("outputs/shoes")).read_manifest().counts["Case"]`, and
`orgweave.connect("http://127.0.0.1:8080", token)`, a client of simple-salesforce on a server of
`serve`.

The project's code lies in five packages side by side: `orgweave`, `pipeline`, `latent`, `verifiers`
and `schemas`. The last ones have common names, so a package of the same name that Python finds
first would be taken in their place, and its errors would make no sense. Importing `orgweave`
therefore looks where each of them would come from, and ends with one line if it is not from here.
"""

import importlib
import importlib.util
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from orgweave.crm.simple_client import connect
    from pipeline.run_folder import RunFolder

__all__ = ["RunFolder", "connect"]
HOMES = {"RunFolder": "pipeline.run_folder", "connect": "orgweave.crm.simple_client"}
"""What the package gives -> the module that has it."""
CLIENT = ("requests", "simple_salesforce")
"""What `connect` needs and only an extra brings."""
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
    """Imports `RunFolder` and `connect` when they are asked for.

    Every command imports this package first, and most of the time of `orgweave --help` would go
    into pydantic, which a run's folder brings along.
    """
    if name not in HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    try:
        home = importlib.import_module(HOMES[name])
    except ModuleNotFoundError as error:
        if name != "connect" or (error.name or "").partition(".")[0] not in CLIENT:
            raise
        raise ModuleNotFoundError(
            f"orgweave.connect needs {error.name}, which isn't installed; run: pip install"
            " 'orgweave[upload]'",
            name=error.name,
        ) from error
    found: object = getattr(home, name)
    return found


def _refuse_foreign_packages() -> None:
    for name, place in foreign_packages():
        raise ImportError(
            f"orgweave: package {name!r} would be taken from {place}, which is not orgweave's;"
            " rename that one, or use orgweave in an environment and a folder of its own",
            name="orgweave",
        )


_refuse_foreign_packages()
