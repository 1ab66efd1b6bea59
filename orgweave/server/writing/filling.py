"""What a record gets without being asked: id, running numbers, owner, defaults, who wrote it when.

Knows no rule of what may be given. Ids carry a marker of their own, so that an id of a served copy
is never taken for one of the org it was made from. Example: the first case created gets the Id
`500sb0000000001AAA` and the CaseNumber behind the org's highest.
"""

from collections import Counter
from collections.abc import Mapping

from orgweave.crm.field import CrmObject
from orgweave.server.store import Changing, StoreRow
from orgweave.soql.sql import SqlValue, quoted
from pipeline.world.ids import make_ids
from schemas.model import Schema
from schemas.sources import SequenceSource, TemplateSource

MARKER = "sb000"


PERSON_NAMES = ("{FirstName} {LastName}", "{LastName} {FirstName}")
"""The templates of names that are a given and a family name, and nothing else."""


class Filler:
    """Counts ids and running numbers; `user` writes everything, and owns what is given no owner."""

    def __init__(self, schema: Schema, user: str | None) -> None:
        self.user = user
        self._ids: Counter[str] = Counter()
        self._numbers: dict[tuple[str, str], int] = {}
        self._forms: dict[tuple[str, str], SequenceSource] = {}
        self._names: dict[str, str] = {}
        for item in schema.objects:
            for field in item.fields:
                if isinstance(field.source, SequenceSource) and not field.createable:
                    self._forms[item.name, field.name] = field.source
                if field.name == "Name" and isinstance(field.source, TemplateSource):
                    self._names[item.name] = str(field.source.template)

    def name_person(self, name: str, row: StoreRow) -> None:
        """Puts a person's name together in the country's order: in Japan the family name comes
        first.
        """
        template = self._names.get(name, "")
        last = row.get("LastName")
        if template in PERSON_NAMES and last is not None:
            parts = {"FirstName": row.get("FirstName") or "", "LastName": last}
            row["Name"] = " ".join(template.format_map(parts).split())

    def filled(
        self,
        change: Changing,
        access: CrmObject,
        given: Mapping[str, object],
        now: str,
    ) -> StoreRow:
        """Returns a whole new row: the given values, and defaults where there are none."""
        self._ids[access.name] += 1
        (key,) = make_ids(access.key_prefix, 1, self._ids[access.name], MARKER)
        row: StoreRow = {"Id": key}
        for field in access.fields.values():
            if field.stored and field.name != "Id":
                value = given.get(field.name)
                if not isinstance(value, str | int | float):
                    value = self._default(change, access, field.name, now)
                row[field.name] = value
        return row

    def changed(self, access: CrmObject, now: str) -> StoreRow:
        """Returns who changed a record and when, as far as its object type keeps that."""
        told: StoreRow = {
            "LastModifiedDate": now,
            "LastModifiedById": self.user,
            "SystemModstamp": now,
        }
        kept = {field.name for field in access.fields.values() if field.stored}
        return {name: value for name, value in told.items() if name in kept}

    def _default(
        self,
        change: Changing,
        access: CrmObject,
        name: str,
        now: str,
    ) -> SqlValue:
        column = (access.name, name)
        if column in self._forms:
            return self._number(change, column)
        field = access.field(name)
        if field.default is not None:
            return field.default
        if field.type == "boolean":
            return 0
        created = {"OwnerId": self.user, "CreatedById": self.user, "CreatedDate": now}
        return {**created, **self.changed(access, now)}.get(name)

    def _number(self, change: Changing, column: tuple[str, str]) -> str:
        """The next running number behind the highest that the org has."""
        form = self._forms[column]
        if column not in self._numbers:
            name, field = column
            highest = str(change.one(f"SELECT max({quoted(field)}) FROM {quoted(name)}") or "")
            digits = highest[len(highest.rstrip("0123456789")) :]
            self._numbers[column] = int(digits) if digits else form.start - 1
        self._numbers[column] += 1
        return form.sequence.format(self._numbers[column])
