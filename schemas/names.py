"""Names that become names of tables, columns, files, and words of scripts.

A name is checked once, when the file that gives it is read, so that it means the same to SQLite, to
a CRM, to a shell and to every file system. Knows nothing of what is named.
"""

import re
from collections.abc import Iterable
from pathlib import Path

from schemas.errors import SchemaError

NAME = re.compile(r"[A-Za-z][A-Za-z0-9_]{0,62}")
"""A name in SQL and in a CRM's API. PostgreSQL keeps 63 characters of one, a CRM about 40."""

FILE_NAME = re.compile(r"\w[\w .-]{0,99}")
"""The last part of a path: `..` and `-rf` are none."""

RESERVED_OBJECTS = frozenset(["plan"])
"""The upload's own file beside those of the object types is plan.json."""

SQLITES_OWN = "sqlite_"
"""How the names of SQLite's own tables begin."""

RESERVED_FIELDS = frozenset(["attributes", "company", "latent", "oid", "period", "rowid"])
"""`attributes` stands in every record of the upload, SQLite has a rowid under two names, and the
others begin a path that leaves the record.
"""


def check_object_name(name: object, where: str) -> None:
    """Raises SchemaError, which begins with `where`, for what can't be an object type's name."""
    text = _checked_name(name, where)
    if text.lower() in RESERVED_OBJECTS or text.lower().startswith(SQLITES_OWN):
        raise SchemaError(f"{where}: {text!r} is a name of the program's own; choose another")


def check_field_name(name: object, where: str) -> None:
    """Raises SchemaError, which begins with `where`, for what can't be a field's name."""
    text = _checked_name(name, where)
    if text.lower() in RESERVED_FIELDS:
        raise SchemaError(f"{where}: {text!r} is a name of the program's own; choose another")


def check_distinct(names: Iterable[str], where: str) -> None:
    """Raises SchemaError where two names differ only in capitals: SQL and a CRM take them as one.

    The message begins with `where`.
    """
    seen: dict[str, str] = {}
    for name in names:
        earlier = seen.setdefault(name.lower(), name)
        if earlier != name:
            raise SchemaError(
                f"{where}: {earlier} and {name} differ only in capitals, which SQL and a CRM don't"
                " tell apart; rename one"
            )


def check_file_name(name: str, where: str) -> None:
    """Raises SchemaError, which begins with `where`, for a name that no file of ours may have."""
    if not FILE_NAME.fullmatch(name):
        raise SchemaError(
            f"{where}: the name {name!r:.60} can't be used; rename it to letters, digits, _, - and"
            " dots"
        )


def _checked_name(name: object, where: str) -> str:
    if isinstance(name, str) and NAME.fullmatch(name):
        return name
    raise SchemaError(
        f"{where}: {name!r:.80} is no name; use at most 63 letters, digits and _, beginning with a"
        " letter"
    )


def shipped_schemas() -> list[str]:
    """The names of the schemas that ship: folders that hold an object type, written with a
    capital."""
    found = Path(__file__).parent.glob("*/[A-Z]*.yaml")
    return sorted({path.parent.name for path in found})


def no_such_schema(name: str) -> str:
    """What is said where there is no schema folder of that name."""
    return (
        f"there is no such schema folder {name!r:.60}; name one that holds <ObjectType>.yaml files,"
        f" or one that ships: {', '.join(shipped_schemas())}"
    )
