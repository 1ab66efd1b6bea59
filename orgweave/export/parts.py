"""What is loaded in one go: an object type's records or some of them.

Prices come in two parts, for a product's standard price goes first.

The standard price book itself exists in every org and can't be created: its part is one that is
only looked up.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from orgweave.export.crm import Column, CrmObject
from orgweave.export.source import ExportRow, ExportSource
from orgweave.soql.sql import quoted
from schemas.model import Schema

BOOK, PRICE = "Pricebook2", "PricebookEntry"
OF_STANDARD = '"Pricebook2Id" IN (SELECT "Id" FROM "Pricebook2" WHERE "IsStandard")'


@dataclass(frozen=True, slots=True)
class ObjectPart:
    """Some records of an object type, by an SQL condition.

    `there` says that the CRM has them already.
    """

    name: str
    one: CrmObject
    where: str = ""
    there: bool = False

    def number(self, source: ExportSource) -> int:
        """How many records."""
        return source.number(self.one.table, self.where)


def parts_of(source: ExportSource, objects: Sequence[CrmObject]) -> tuple[ObjectPart, ...]:
    """All parts with records in load order."""
    return tuple(
        part for one in objects for part in _parts(source.schema, one) if part.number(source)
    )


def _parts(schema: Schema, one: CrmObject) -> Iterator[ObjectPart]:
    if not has_standard_book(schema) or one.name not in (BOOK, PRICE):
        yield ObjectPart(one.name, one)
    elif one.name == BOOK:
        yield ObjectPart(f"{BOOK}_standard", one, '"IsStandard"', there=True)
        yield ObjectPart(BOOK, one, 'NOT "IsStandard"')
    else:
        yield ObjectPart(f"{PRICE}_standard", one, OF_STANDARD)
        yield ObjectPart(PRICE, one, f"NOT {OF_STANDARD}")


def has_standard_book(schema: Schema) -> bool:
    """Whether the schema tells the standard price book from others."""
    return schema.has(BOOK) and schema.has(PRICE) and schema.object(BOOK).has("IsStandard")


def late_columns(one: CrmObject) -> list[Column]:
    """The columns that are inserted with a first value and set to their own later: an order's
    status.
    """
    return [column for column in one.loaded if column.fill and column.stored]


def late_rows(source: ExportSource, one: CrmObject, *first: str) -> Iterator[ExportRow]:
    """Where the final values differ from the first ones: the given SQL expressions, then the final
    values.
    """
    late = late_columns(one)
    changed = " OR ".join(f"{quoted(column.stored)} <> '{column.fill}'" for column in late)
    yield from source.rows(
        one.table, [*first, *(quoted(column.stored) for column in late)], changed
    )
