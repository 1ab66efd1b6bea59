"""What an export tells of itself: every loss in one line, with its count."""

from collections.abc import Callable, Iterator, Sequence

from orgweave.export.crm import Column, CrmObject, why_not
from orgweave.export.resolve_ids import FILE
from orgweave.export.source import ExportSource

Reason = Callable[[CrmObject, Column], str | None]


def counted(number: int, noun: str) -> str:
    """`counted(1, "value") == "1 value"`, `counted(1200, "value") == "1,200 values"`."""
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


def left_out(source: ExportSource, objects: Sequence[CrmObject], reason: Reason) -> Iterator[str]:
    """A line an object type and reason, with the columns that stay out for it and how many values
    they hold. Ids don't count: Synth_Id__c holds them.
    """
    for one in objects:
        found: dict[str, list[str]] = {}
        for column in one.columns:
            why = reason(one, column)
            number = (
                source.filled(one.table, column.stored)
                if why and column.stored not in ("", "Id")
                else 0
            )
            if why and number:
                found.setdefault(why, []).append(
                    f"{one.name}.{column.name} ({counted(number, 'value')})"
                )
        for why, columns in found.items():
            yield f"left out: {', '.join(columns)}: {why}"


def without_users(why: str) -> Reason:
    """The usual reasons, and one more for what refers to users, where a format has none."""
    return lambda one, column: why if column.target == "User" else why_not(one, column)


def unresolved(objects: Sequence[CrmObject]) -> Iterator[str]:
    """A line on the columns that hold our ids as text."""
    if held := [
        f"{one.name}.{column.name}" for one in objects for column in one.loaded if column.holds_ids
    ]:
        yield f"as text until {FILE} has run: {', '.join(held)}"
