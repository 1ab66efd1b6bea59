"""`python -m pipeline`: checks that the project's four packages are its own, then hands over to the
command line.
"""

import importlib.util
import sys
from pathlib import Path

SIBLINGS = ("schemas", "latent", "verifiers")


def foreign_packages() -> list[tuple[str, str]]:
    """The project's packages that Python would take from elsewhere, with the place it would take
    them from.
    """
    home = Path(__file__).resolve().parent.parent
    found = []
    for name in SIBLINGS:
        spec = importlib.util.find_spec(name)
        places = (
            [Path(place).resolve() for place in spec.submodule_search_locations or []]
            if spec
            else []
        )
        if home / name not in places[:1]:
            found.append((name, str(places[0]) if places else "nowhere"))
    return found


def main() -> int:
    """The exit code of the command line, or 2 where another distribution shadows one of the
    packages.
    """
    for name, place in foreign_packages():
        print(
            f"orgweave: package {name!r} would be taken from {place}, another distribution of that"
            " name; install orgweave in an environment of its own",
            file=sys.stderr,
        )
        return 2
    try:
        from orgweave.cli import run
    except KeyboardInterrupt:
        return 130
    return run(sys.argv[1:])


if __name__ == "__main__":
    sys.exit(main())
