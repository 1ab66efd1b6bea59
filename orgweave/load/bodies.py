"""From a record of ours to what is sent: references as the CRM's ids, only fields that the CRM
takes, and what it wants besides.

A record whose reference isn't in the CRM yet is `Held`: it can't be sent before that one is.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field

from orgweave.load.cargo import UploadRecord, UploadSource
from orgweave.load.described import ObjectInfo
from orgweave.load.idmap import IdMap
from orgweave.load.target import Body

REF = re.compile(r"@(\w+)Ref\d+")
TAG = 5
"""Characters of the org's digest in an external id: the same org twice is told from two orgs,
within 36 characters.
"""


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

    cargo: UploadSource
    idmap: IdMap
    infos: Mapping[str, ObjectInfo]
    external_field: str
    more: dict[str, dict[str, dict[str, object]]] = field(default_factory=dict)

    def external_of(self, name: str) -> str | None:
        """The external id field of an object type, None where the CRM has none."""
        info = self.infos[name].fields.get(self.external_field)
        return info.name if info and info.createable and info.external_id and info.unique else None

    def external_id(self, record: UploadRecord) -> str:
        """What stands in it: `3f2a1.AccountRef12` for the twelfth account of that org."""
        return f"{self.cargo.digest[:TAG]}.{self.cargo.ref_of(record.key)}"

    def body(self, record: UploadRecord) -> Body | Blocked:
        """A record as the CRM takes it."""
        info, references = self.infos[record.type], self.cargo.references(record.type)
        made: dict[str, object] = {}
        for name, value in record.values.items():
            if info.takes(name):
                found = self._resolved(name, value) if name in references else value
                if isinstance(found, Blocked):
                    return found
                if found is not None:
                    made[name] = found
        external = self.external_of(record.type)
        return {
            **made,
            **({external: self.external_id(record)} if external else {}),
            **self.more.get(record.type, {}).get(record.key, {}),
        }

    def _resolved(self, name: str, value: object) -> object:
        """A value with the CRM's ids for `@refs`; None for a reference to an object type that the
        CRM doesn't take.
        """
        if isinstance(value, list):
            found = [self._resolved(name, one) for one in value]
            held = next((one for one in found if isinstance(one, Blocked)), None)
            return held or [one for one in found if one is not None] or None
        ref = REF.fullmatch(value) if isinstance(value, str) else None
        if ref is None:
            return value
        key = self.cargo.keys[ref[0][1:]]
        return (self.idmap.org_id(key) or Blocked(name, key)) if ref[1] in self.infos else None


def left_out(cargo: UploadSource, infos: Mapping[str, ObjectInfo]) -> dict[str, str]:
    """The object types that the CRM can't take, and why: it hasn't got them, or what they can't do
    without.
    """
    found: dict[str, str] = {}
    for name in cargo.order:
        info = infos.get(name)
        if info is None or not info.createable:
            found[name] = (
                "the CRM has no such object" if info is None else "the CRM lets nobody create it"
            )
            continue
        needs = [
            target
            for one, target in cargo.references(name).items()
            if target in found and one in info.fields and info.fields[one].required
        ]
        if needs:
            found[name] = f"can't do without {needs[0]}"
    return found


def lacking(cargo: UploadSource, info: ObjectInfo) -> dict[str, int]:
    """Fields of our records that the CRM doesn't take, and how many records have them."""
    found: dict[str, int] = {}
    for record in cargo.records(info.name):
        for name in record.values:
            if not info.takes(name):
                found[name] = found.get(name, 0) + 1
    return found
