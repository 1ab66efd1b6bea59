"""What a new record gets without being asked: id, running numbers, owner, creation time, defaults;
and given values by their fields.

Ids carry a marker of their own, so that an id of a served copy is never taken for one of the org it
was made from.
"""

from collections import Counter
from collections.abc import Mapping

from orgweave.crm.field import CrmObject
from orgweave.server.store import Changing, StoreRow
from orgweave.soql.sql import quoted
from pipeline.world.ids import make_ids
from schemas.model import Schema
from schemas.sources import SequenceSource

MARKER = "sb000"


class Filler:
    """Counts ids and running numbers; `user` owns what nobody is named for."""

    def __init__(self, schema: Schema, user: str | None) -> None:
        self.user = user
        self._ids: Counter[str] = Counter()
        self._numbers: dict[tuple[str, str], int] = {}
        self._forms = {
            (item.name, field.name): field.source
            for item in schema.objects
            for field in item.fields
            if isinstance(field.source, SequenceSource) and not field.createable
        }

    def filled(
        self, change: Changing, access: CrmObject, given: Mapping[str, object], now: str
    ) -> StoreRow:
        """A whole new row: the given values, defaults where there are none."""
        self._ids[access.name] += 1
        row: StoreRow = {
            "Id": str(make_ids(access.key_prefix, 1, self._ids[access.name], MARKER)[0])
        }
        for field in access.fields.values():
            if field.stored and field.name != "Id":
                value = given.get(field.name)
                row[field.name] = (
                    value
                    if isinstance(value, str | int | float)
                    else self._default(change, access, field.name, now)
                )
        return row

    def _default(
        self, change: Changing, access: CrmObject, name: str, now: str
    ) -> str | int | None:
        at = (access.name, name)
        if at in self._forms:
            return self._number(change, at)
        field = access.field(name)
        if field.default is not None:
            return field.default
        if field.type == "boolean":
            return 0
        return {"OwnerId": self.user, "CreatedDate": now}.get(name)

    def _number(self, change: Changing, at: tuple[str, str]) -> str:
        """The next running number behind the highest that the org has."""
        form = self._forms[at]
        if at not in self._numbers:
            highest = str(change.one(f"SELECT max({quoted(at[1])}) FROM {quoted(at[0])}") or "")
            digits = highest[len(highest.rstrip("0123456789")) :]
            self._numbers[at] = int(digits) if digits else form.start - 1
        self._numbers[at] += 1
        return form.sequence.format(self._numbers[at])
