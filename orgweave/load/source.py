"""What is to be loaded: a finished run's upload folder, record by record, and the order in which a
CRM takes it.

Knows no connection.

A record's `key` is its id in our org; a reference in its values is still `@AccountRef12`, whose key
`keys["AccountRef12"]` tells.
"""

import sqlite3
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, TypeVar

from orgweave.crm.facts import Catalog
from orgweave.crm.messaging import TRANSCRIPT
from orgweave.crm.order import load_order
from orgweave.crm.person_accounts import ACCOUNT, CONTACT, person_fields
from orgweave.export.forms import AS_THEY_ARE, OrgForms
from orgweave.load.messaging import derived_records
from orgweave.load.persons import Values, as_person, contacts_by_account
from pipeline.atomic import sha256_of
from pipeline.manifest import Manifest
from pipeline.run_folder import RunFolder, unreadable
from pipeline.world.ids import reference_id
from schemas.errors import BadInput, UploadFailed
from schemas.model import Schema
from schemas.object_type import ObjectType
from schemas.regular import json_of, regular_text

T = TypeVar("T")
TAG = 5
"""Characters of the org's digest in an external id.

They tell two orgs in one CRM apart, and leave room for the rest within 36 characters.
"""
BOOK = "Pricebook2"


@dataclass(frozen=True, slots=True)
class UploadRecord:
    """A record to load, or in a second pass to change; `values` may hold `@refs`."""

    type: str
    key: str
    values: Mapping[str, object]


class UploadSource:
    """The upload of a run's folder; raises BadInput where the run isn't whole.

    `forms` says in which forms chats and customers are loaded: messaging sessions are made of the
    transcripts, and persons of accounts with their contacts, which the CRM makes again by itself.
    """

    def __init__(self, folder: Path, forms: OrgForms = AS_THEY_ARE) -> None:
        self.folder, self.forms = folder, forms
        self._run = RunFolder(folder)
        manifest = self._run.read_manifest()
        self.digest = sha256_of(self._run.manifest_file)
        """SHA-256 of the run's manifest: another org has another, one whose upload a person mended
        has the same.
        """
        self.edited = self._changed(manifest)
        """The upload files that somebody changed since they were made."""
        self._own: Schema = self._run.read_schema()
        self.schema: Schema = forms.schema_of(self._own)
        self.catalog: Catalog = forms.catalog
        """What the CRM says of its objects, in these forms."""
        self.order: tuple[str, ...] = load_order(self.schema, self.catalog)
        self._derived: dict[str, list[UploadRecord]] = {}
        if forms.messaging:
            self._derived |= self._sessions()
        if forms.persons:
            self._derived |= {ACCOUNT: self._persons(), CONTACT: []}
        self.keys: dict[str, str] = {}
        for name in self.order:
            for row, key in enumerate(self._keys_of(name)):
                self.keys[reference_id(name, row)] = key
        self._references = {
            item.name: _references(self.schema, item) for item in self.schema.objects
        }
        self._refs = {key: ref for ref, key in self.keys.items()}

    @property
    def tag(self) -> str:
        """What tells its records from those of other orgs in the same CRM."""
        return self.digest[:TAG]

    def ref_of(self, key: str) -> str:
        """A record's name within the upload, such as `AccountRef12`; a key that isn't there is its
        own name.
        """
        return self._refs.get(key, key)

    def references(self, name: str) -> Mapping[str, str]:
        """Fields that hold ids, and the object type that they lead to; `*` for any.

        An object type that isn't ours has none.
        """
        return self._references.get(name, {})

    def records(self, name: str) -> list[UploadRecord]:
        """All records of an object type, as they are inserted; none that the CRM makes itself."""
        if name in self._derived:
            return list(self._derived[name])
        first = self._first_values(name)
        found = self._read(name, f"{name}.json")
        if not first:
            return found
        return [UploadRecord(name, record.key, {**record.values, **first}) for record in found]

    def updates(self, name: str) -> list[UploadRecord]:
        """What is set in a second pass, when all that belongs to a record is in; one a record."""
        if self._derived.get(name) == []:
            return []
        file = f"{name}.update.json"
        late: dict[str, dict[str, object]] = {}
        if (self._run.upload_folder / file).is_file():
            for record in self._read(name, file):
                late[record.key] = dict(record.values)
        for field, first in self._first_values(name).items():
            for record in self._read(name, f"{name}.json"):
                if record.values.get(field) is (not first):
                    late.setdefault(record.key, {})[field] = not first
        return [UploadRecord(name, key, values) for key, values in late.items()]

    def published(self, name: str) -> list[UploadRecord]:
        """Articles that are to be put online; what was archived stays a draft that nobody reads."""
        if not self.schema.has(name) or not self.schema.object(name).has("PublishStatus"):
            return []
        states = zip(self._column(name, "Id"), self._column(name, "PublishStatus"), strict=True)
        online = [str(key) for key, state in states if state == "Online"]
        return [UploadRecord(name, key, {"PublishStatus": "Online"}) for key in online]

    @cached_property
    def standard_book(self) -> str | None:
        """The key of the standard price book, None where the org has no price books; raises
        BadInput where none is the standard one.
        """
        if not self.schema.has(BOOK) or not self.schema.object(BOOK).has("IsStandard"):
            return None
        keys = self._column(BOOK, "Id")
        books = zip(keys, self._column(BOOK, "IsStandard"), strict=True)
        found = [str(key) for key, standard in books if standard]
        if len(found) != 1 and keys:
            raise BadInput(
                f"{self.folder}: {len(found)} price books are the standard one (IsStandard); a CRM"
                " has exactly one, whose prices come before all others. Generate the org again"
            )
        return found[0] if found else None

    def _sessions(self) -> dict[str, list[UploadRecord]]:
        """What is loaded in place of transcripts, by object type."""
        contacts = self._by_ref(CONTACT) if self._own.has(CONTACT) else {}
        keys = [str(key) for key in self._column(TRANSCRIPT, "Id")]
        chats: dict[str, Values] = {}
        for key, values in zip(keys, self._values(f"{TRANSCRIPT}.json"), strict=True):
            # A chat that nobody took has no conversation, and so no session.
            if values.get("CaseId"):
                chats[key] = values
        found: dict[str, list[UploadRecord]] = {}
        for name, records in derived_records(chats, contacts, self.tag).items():
            found[name] = [UploadRecord(name, record.key, record.values) for record in records]
        return found

    def _persons(self) -> list[UploadRecord]:
        """Accounts with the fields of their contacts."""
        accounts, contacts = self._by_ref(ACCOUNT), self._by_ref(CONTACT)
        keys = [str(key) for key in self._column(ACCOUNT, "Id")]
        fields = list(person_fields(self._own))
        of_account = contacts_by_account(contacts)
        found: list[UploadRecord] = []
        for key, (ref, values) in zip(keys, accounts.items(), strict=True):
            if ref not in of_account:
                raise BadInput(
                    f"--accounts person: {ref[1:]} has no contact; a person has exactly one. Leave"
                    " the option out"
                )
            contact = of_account[ref]
            own_key = f"{self.tag}.{contact[1:]}"
            person = as_person(values, contacts[contact], fields, own_key)
            found.append(UploadRecord(ACCOUNT, key, person))
        return found

    def contact_of(self) -> dict[str, str]:
        """The key of each account's contact, by the account's key."""
        found: dict[str, str] = {}
        for account, contact in contacts_by_account(self._by_ref(CONTACT)).items():
            found[self.keys[account[1:]]] = self.keys[contact[1:]]
        return found

    def _by_ref(self, name: str) -> dict[str, Values]:
        """An object type's records by `@ref`."""
        read = self._values(f"{name}.json")
        return {f"@{reference_id(name, row)}": values for row, values in enumerate(read)}

    def _first_values(self, name: str) -> dict[str, bool]:
        """Booleans that are otherwise until all that needs the record is in: an inactive price book
        takes no entries.
        """
        fields = self.catalog.object(name).fields
        return {
            field: facts.load_as for field, facts in fields.items() if facts.load_as is not None
        }

    def _keys_of(self, name: str) -> list[str]:
        """The keys of all records of an object type, in the order of the upload's files."""
        if not self._own.has(name):
            return [record.key for record in self._derived[name]]
        return [str(key) for key in self._column(name, "Id")]

    def _column(self, name: str, field: str) -> list[object]:
        """A field of every record, in the order of the upload's files."""
        try:
            with closing(self._run.open_org()) as db:
                rows = db.execute(f'SELECT "{field}" FROM "{name}" ORDER BY rowid').fetchall()
        except sqlite3.Error as error:
            raise unreadable(self._run.org_file, error) from error
        self._require_same()
        return [row[0] for row in rows]

    def _read(self, name: str, file: str) -> list[UploadRecord]:
        return self._parsed(file, lambda read: list(self._records(name, read)))

    def _values(self, file: str) -> list[dict[str, object]]:
        """The records of a file by their fields, and nothing of their names."""
        return self._parsed(file, lambda read: [_fields(record) for record in read])

    def _parsed(self, file: str, parse: Callable[[list[dict[str, Any]]], list[T]]) -> list[T]:
        path = self._run.upload_folder / file
        try:
            found = parse(json_of(regular_text(path))["records"])
        except (OSError, ValueError, KeyError, TypeError) as error:
            self._require_same()
            raise BadInput(
                f"{path}: can't be read ({error}); run generate again, which writes the upload anew"
            ) from error
        self._require_same()
        return found

    def _changed(self, manifest: Manifest) -> tuple[str, ...]:
        folder = f"{self._run.upload_folder.name}/"
        names = [name for name in manifest.files if name.startswith(folder)]
        paths = self._run.changed_files(*names) if names else []
        return tuple(path.name for path in paths)

    def _require_same(self) -> None:
        """Raises UploadFailed where the org was made anew since the upload was opened.

        A run takes the manifest away before it changes anything, so what was read before a look
        at it is of the org that it tells of.
        """
        manifest = self._run.manifest_file
        if not manifest.is_file() or sha256_of(manifest) != self.digest:
            raise UploadFailed(
                f"{self.folder}: its org was made anew while it is loaded; what the CRM took is"
                " kept in the id map, but it is of the old org: give --idmap ANOTHER_FILE to load"
                " the new one"
            )

    def _records(self, name: str, read: list[dict[str, Any]]) -> Iterator[UploadRecord]:
        for record in read:
            key = self.keys[record["attributes"]["referenceId"]]
            yield UploadRecord(name, key, _fields(record))


def _fields(record: Mapping[str, object]) -> dict[str, object]:
    return {field: value for field, value in record.items() if field != "attributes"}


def _references(schema: Schema, item: ObjectType) -> dict[str, str]:
    found = {field.name: field.holds_ids or schema.target(item, field) for field in item.fields}
    return {field: target for field, target in found.items() if target}
