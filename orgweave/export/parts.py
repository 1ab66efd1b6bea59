"""What is loaded in one go: an object type's records or some of them.

Prices come in two parts, for a product's standard price goes first. The standard price book itself
exists in every org and can't be created: its part is one that is only looked up.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from orgweave.crm.field import CrmField, CrmObject
from orgweave.export.objects import is_own_kind, loaded
from orgweave.export.source import ExportRow, ExportSource
from orgweave.soql.sql import quoted
from schemas.model import Schema

BOOK = "Pricebook2"
PRICE = "PricebookEntry"
OF_STANDARD = '"Pricebook2Id" IN (SELECT "Id" FROM "Pricebook2" WHERE "IsStandard")'


@dataclass(frozen=True, slots=True)
class ObjectPart:
    """Some records of an object type, by an SQL condition.

    `there` says that the CRM has them already.
    """

    name: str
    crm_object: CrmObject
    where: str = ""
    there: bool = False

    def number(self, source: ExportSource) -> int:
        """How many records there are."""
        return source.number(self.crm_object.table, self.where)


def parts_of(source: ExportSource, objects: Sequence[CrmObject]) -> tuple[ObjectPart, ...]:
    """All parts with records in load order."""
    found: list[ObjectPart] = []
    for crm_object in objects:
        parts = _parts(source.schema, crm_object)
        found += [part for part in parts if part.number(source)]
    return tuple(found)


def _parts(schema: Schema, crm_object: CrmObject) -> Iterator[ObjectPart]:
    name = crm_object.name
    if not has_standard_book(schema) or name not in (BOOK, PRICE):
        yield ObjectPart(name, crm_object)
    elif name == BOOK:
        yield ObjectPart(f"{BOOK}_standard", crm_object, '"IsStandard"', there=True)
        yield ObjectPart(BOOK, crm_object, 'NOT "IsStandard"')
    else:
        yield ObjectPart(f"{PRICE}_standard", crm_object, OF_STANDARD)
        yield ObjectPart(PRICE, crm_object, f"NOT {OF_STANDARD}")


def has_standard_book(schema: Schema) -> bool:
    """Whether the schema tells the standard price book from others."""
    return schema.has(BOOK) and schema.has(PRICE) and schema.object(BOOK).has("IsStandard")


def late_fields(crm_object: CrmObject) -> list[CrmField]:
    """The fields that are set when all records are in.

    Those that are inserted with a first value, as an order's status, and those that refer to
    another record of their own object, as a user's manager.
    """
    found = []
    for field in loaded(crm_object):
        if (field.insert_as and field.column) or is_own_kind(crm_object, field):
            found.append(field)
    return found


def late_rows(source: ExportSource, crm_object: CrmObject, *first: str) -> Iterator[ExportRow]:
    """The records whose final values differ from the first ones.

    A row holds the values of the SQL expressions `first`, then the final values.
    """
    late = late_fields(crm_object)
    columns = [quoted(field.column) for field in late]
    changed = []
    for field in late:
        is_other = f"<> '{field.insert_as}'" if field.insert_as else "IS NOT NULL"
        changed.append(f"{quoted(field.column)} {is_other}")
    yield from source.rows(crm_object.table, [*first, *columns], " OR ".join(changed))
