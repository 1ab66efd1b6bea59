"""What is to be loaded: a finished run's upload folder, record by record, and the order in which a
CRM takes it. Knows no CRM.

A record's `key` is its id in our org; a reference in its values is still `@AccountRef12`, whose key
`keys["AccountRef12"]` tells.
"""

import json
import sqlite3
from collections.abc import Iterator, Mapping
from contextlib import closing
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import networkx as nx

from pipeline.atomic import sha256_of
from pipeline.run_folder import GENERATE_AGAIN, RunFolder
from pipeline.upload_files import reference_id
from schemas.errors import BadInput
from schemas.graph import object_graph
from schemas.model import ObjectType, Schema

ORDER = (
    *(
        "User",
        "Account",
        "Contact",
        "ProductCatalog",
        "ProductCategory",
        "Product2",
        "ProductCategoryProduct",
        "Pricebook2",
        "PricebookEntry",
    ),
    *(
        "Order",
        "OrderItem",
        "Issue__c",
        "Case",
        "CaseHistory__c",
        "EmailMessage",
        "LiveChatTranscript",
        "Knowledge__kav",
    ),
)
"""The order that a CRM wants, as far as references leave a choice; object types that aren't listed
come last, by name.
"""

ACTIVE_FIRST = {"Pricebook2": "IsActive"}
"""Boolean fields that are true until all that needs the record is in: an inactive price book takes
no entries.
"""


@dataclass(frozen=True, slots=True)
class UploadRecord:
    """A record to load, or in a second pass to change; `values` may hold `@refs`."""

    type: str
    key: str
    values: Mapping[str, object]


class UploadSource:
    """The upload of a run's folder; raises BadInput where the run isn't whole."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._run = RunFolder(folder)
        self.schema: Schema = self._run.read_schema()
        self.order: tuple[str, ...] = tuple(
            nx.lexicographical_topological_sort(object_graph(self.schema), key=_rank)
        )
        self.keys: dict[str, str] = {}
        for name in self.order:
            for row, key in enumerate(self._column(name, "Id")):
                self.keys[reference_id(name, row)] = str(key)
        self._references = {
            item.name: _references(self.schema, item) for item in self.schema.objects
        }
        self._refs = {key: ref for ref, key in self.keys.items()}

    def ref_of(self, key: str) -> str:
        """A record's name within the upload, such as `AccountRef12`; a key that isn't there is its
        own name.
        """
        return self._refs.get(key, key)

    @cached_property
    def digest(self) -> str:
        """SHA-256 of the run's manifest: another org has another, one whose upload a person mended
        has the same.
        """
        return sha256_of(self._run.manifest_file)

    def references(self, name: str) -> Mapping[str, str]:
        """Fields that hold ids, and the object type that they lead to; `*` for any.

        An object type that isn't ours has none.
        """
        return self._references.get(name, {})

    def records(self, name: str) -> list[UploadRecord]:
        """All records of an object type, as they are inserted."""
        field = ACTIVE_FIRST.get(name)
        found = self._read(name, f"{name}.json")
        return (
            [UploadRecord(name, one.key, {**one.values, field: True}) for one in found]
            if field
            else found
        )

    def updates(self, name: str) -> list[UploadRecord]:
        """What is set in a second pass, when all that belongs to a record is in."""
        late = (
            self._read(name, f"{name}.update.json")
            if (self._run.upload_folder / f"{name}.update.json").is_file()
            else []
        )
        field = ACTIVE_FIRST.get(name)
        return late + [
            UploadRecord(name, one.key, {field: False})
            for one in self._read(name, f"{name}.json")
            if field and one.values.get(field) is False
        ]

    def published(self, name: str) -> list[UploadRecord]:
        """Articles that are to be put online."""
        if not self.schema.has(name) or not self.schema.object(name).has("PublishStatus"):
            return []
        states = zip(self._column(name, "Id"), self._column(name, "PublishStatus"), strict=True)
        return [
            UploadRecord(name, str(key), {"PublishStatus": state})
            for key, state in states
            if state == "Online"
        ]

    @cached_property
    def standard_book(self) -> str | None:
        """The key of the standard price book, None where the org has no price books; raises
        BadInput where none is the standard one.
        """
        if not self.schema.has("Pricebook2") or not self.schema.object("Pricebook2").has(
            "IsStandard"
        ):
            return None
        books = list(
            zip(
                self._column("Pricebook2", "Id"),
                self._column("Pricebook2", "IsStandard"),
                strict=True,
            )
        )
        found = [str(key) for key, standard in books if standard]
        if len(found) != 1 and books:
            raise BadInput(
                f"{self.folder}: {len(found)} price books are the standard one (IsStandard); a CRM"
                " has exactly one, whose prices come before all others. Generate the org again"
            )
        return found[0] if found else None

    def _column(self, name: str, field: str) -> list[object]:
        """A field of every record, in the order of the upload's files."""
        try:
            with closing(self._run.open_org()) as db:
                return [
                    row[0] for row in db.execute(f'SELECT "{field}" FROM "{name}" ORDER BY rowid')
                ]
        except sqlite3.Error as error:
            raise BadInput(
                f"{self._run.org_file}: can't be read ({error}); {GENERATE_AGAIN}"
            ) from error

    def _read(self, name: str, file: str) -> list[UploadRecord]:
        path = self._run.upload_folder / file
        try:
            return list(
                self._records(name, json.loads(path.read_text(encoding="utf-8"))["records"])
            )
        except (OSError, ValueError, KeyError, TypeError) as error:
            raise BadInput(
                f"{path}: can't be read ({error}); run generate again, which writes the upload anew"
            ) from error

    def _records(self, name: str, read: list[dict[str, Any]]) -> Iterator[UploadRecord]:
        for one in read:
            yield UploadRecord(
                name,
                self.keys[one["attributes"]["referenceId"]],
                {field: value for field, value in one.items() if field != "attributes"},
            )


def _references(schema: Schema, item: ObjectType) -> dict[str, str]:
    found = {field.name: field.holds_ids or schema.target(item, field) for field in item.fields}
    return {field: target for field, target in found.items() if target}


def _rank(name: str) -> str:
    """Listed object types in their order, then the others by name."""
    return f"{ORDER.index(name):02d}" if name in ORDER else f"~{name}"
