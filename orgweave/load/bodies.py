"""From a record of ours to what is sent: references as the CRM's ids, only fields that the CRM
takes, and what it wants besides.

A record whose reference isn't in the CRM yet is `Blocked`: it can't be sent before that one is.
"""

import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field

from orgweave.crm.field import CrmObject
from orgweave.crm.seam import Body
from orgweave.crm.setup import filled_by_loaders
from orgweave.load.idmap import IdMap
from orgweave.load.lookup import sent_by_all, sole_keys
from orgweave.load.source import UploadRecord, UploadSource

REF = re.compile(r"@(\w+)Ref\d+")


@dataclass(frozen=True, slots=True)
class Blocked:
    """Why a record can't be sent: the field, and the key of the record that it waits for."""

    field: str
    key: str


@dataclass(frozen=True, slots=True)
class Bodies:
    """Makes bodies for one CRM.

    `infos` are the object types that it takes; `more` adds or replaces fields by object type.
    """

    source: UploadSource
    idmap: IdMap
    infos: Mapping[str, CrmObject]
    external_field: str
    more: dict[str, dict[str, dict[str, object]]] = field(default_factory=dict)

    def external_of(self, name: str) -> str | None:
        """The external id field of an object type, None where the CRM has none."""
        field = self.infos[name].find(self.external_field)
        if field and field.createable and field.external_id and field.unique:
            return field.name
        return None

    def sole_keys(self, name: str, sent: Collection[str]) -> list[tuple[str, ...]]:
        """The keys, among the fields that are sent, that no two records of the CRM share."""
        together = self.source.catalog.object(name).unique_together
        return sole_keys(self.infos[name], sent, together.fields if together else ())

    def kept_once(self, name: str) -> bool:
        """Whether the CRM refuses a record of an object type that is sent to it twice."""
        if self.external_of(name):
            return True
        sent = sent_by_all([record.values for record in self.source.records(name)])
        taken = [field for field in sent if self.infos[name].takes(field)]
        return bool(self.sole_keys(name, taken))

    def external_id(self, record: UploadRecord) -> str:
        """What stands in it: `3f2a1.AccountRef12` for the twelfth account of that org."""
        return f"{self.source.tag}.{self.source.ref_of(record.key)}"

    def body(self, record: UploadRecord) -> Body | Blocked:
        """A record as the CRM takes it."""
        info, references = self.infos[record.type], self.source.references(record.type)
        made: dict[str, object] = {}
        for name, value in record.values.items():
            if not info.takes(name):
                continue
            found = self._resolved(name, value) if name in references else value
            if isinstance(found, Blocked):
                return found
            if found is not None:
                made[name] = found
        external = self.external_of(record.type)
        if external:
            made[external] = self.external_id(record)
        more = self.more.get(record.type, {})
        return {**made, **more.get(record.key, {})}

    def resolved(self, record: UploadRecord) -> UploadRecord | None:
        """A record of a second pass with the CRM's ids for `@refs`, without the fields that the CRM
        doesn't take; None where it waits for another one.
        """
        info, references = self.infos[record.type], self.source.references(record.type)
        made: dict[str, object] = {}
        for name, value in record.values.items():
            if name not in references:
                made[name] = value
                continue
            found = self._resolved(name, value)
            if isinstance(found, Blocked):
                return None
            if found is not None and info.takes(name):
                made[name] = found
        return UploadRecord(record.type, record.key, made)

    def _resolved(self, name: str, value: object) -> object:
        """A value with the CRM's ids for `@refs`; None for a reference to an object type that the
        CRM doesn't take.
        """
        if isinstance(value, list):
            return self._resolved_list(name, value)
        ref = REF.fullmatch(value) if isinstance(value, str) else None
        if ref is None:
            return value
        if ref[1] not in self.infos:
            return None
        key = self.source.keys[ref[0][1:]]
        return self.idmap.org_id(key) or Blocked(name, key)

    def _resolved_list(self, name: str, values: list[object]) -> object:
        """The values that are left, None where none is."""
        found = [self._resolved(name, value) for value in values]
        for value in found:
            if isinstance(value, Blocked):
                return value
        return [value for value in found if value is not None] or None


def left_out(source: UploadSource, infos: Mapping[str, CrmObject]) -> dict[str, str]:
    """The object types that the CRM can't take, and why: it hasn't got them, or what they can't do
    without.
    """
    found: dict[str, str] = {}
    for name in source.order:
        info = infos.get(name)
        if info is None:
            found[name] = "the CRM has no such object"
        elif not info.createable:
            found[name] = "the CRM lets nobody create it"
        else:
            needed = _needed(source, info)
            lacked = [target for target in needed if target in found]
            if lacked:
                found[name] = f"can't do without {lacked[0]}"
    return found


def _needed(source: UploadSource, info: CrmObject) -> list[str]:
    """The object types without whose records none of this one can be created."""
    needed: list[str] = []
    filled = filled_by_loaders(info.name)
    for name, target in source.references(info.name).items():
        field = info.find(name)
        if field and field.required and name not in filled:
            needed.append(target)
    return needed


def lacking(source: UploadSource, info: CrmObject) -> dict[str, int]:
    """Fields of our records that the CRM doesn't take, and how many records have them."""
    found: dict[str, int] = {}
    for record in source.records(info.name):
        for name in record.values:
            if not info.takes(name):
                found[name] = found.get(name, 0) + 1
    return found
