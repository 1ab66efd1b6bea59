"""The org as JSON that a CRM takes: `<Object>.json` with `@refs`, and `plan.json` in load order.

    {"attributes": {"type": "Contact", "referenceId": "ContactRef12"}, "AccountId": "@AccountRef12"}

Fields that a CRM lets nobody write stay out. Where a status may only be set later (an order's), the
record carries its first value, and `<Object>.update.json` has the final one. What refers to another
record of its own object type stands there, too: a user's manager.
"""

import json
from collections.abc import Iterator, Mapping
from concurrent.futures import Future
from dataclasses import dataclass
from dataclasses import field as fresh
from pathlib import Path

from pipeline.atomic import CHECK_DISK, write_json, write_text
from pipeline.compute.executor import Executor
from pipeline.store import own_values
from pipeline.world.ids import reference_id
from pipeline.world.org import Org
from pipeline.world.tables import NONE, Array, Table
from schemas.errors import StorageFailed
from schemas.field import Field
from schemas.graph import load_order, self_references
from schemas.object_type import ObjectType

References = Mapping[str, str]
"""Id -> @ref, for the ids that may stand in a text."""


@dataclass(slots=True)
class UploadFolder:
    """An upload folder that is being written, by whoever computes: they are sent the tables, so no
    file of the org has to be there. What else lies in the folder stays.
    """

    org: Org
    folder: Path
    executor: Executor
    _parts: dict[str, Future[list[Path]]] = fresh(default_factory=dict)
    _known: References | None = None

    def begin(self, item: ObjectType) -> None:
        """Begins with the files of an object type, once."""
        if item.name in self._parts:
            return
        self._make_folder()
        needed = self._references() if any(each.holds_ids for each in item.fields) else {}
        table = self.org.table(item.name)
        part = self.executor.submit(_object_files, item, table, needed, self.folder)
        self._parts[item.name] = part

    def begin_early(self, item: ObjectType) -> None:
        """The same where no other table is needed for it."""
        if not any(field.holds_ids for field in item.fields):
            self.begin(item)

    def begin_rest(self) -> None:
        """Begins with all that hasn't begun, the object types with most records first."""
        objects = self.org.setting.schema.objects
        for item in sorted(objects, key=lambda item: -self.org.table(item.name).size):
            self.begin(item)

    def files(self) -> list[Path]:
        """All files, once the last one is written."""
        self.begin_rest()
        self._make_folder()
        found = _plan(self.folder, load_order(self.org.setting.schema))
        for part in self._parts.values():
            found += part.result()
        return sorted(found)

    def _references(self) -> References:
        """What ids may stand in a text, found once: several object types hold such texts."""
        if self._known is None:
            self._known = _references_by_id(self.org)
        return self._known

    def _make_folder(self) -> None:
        try:
            self.folder.mkdir(exist_ok=True)
        except OSError as error:
            raise StorageFailed(
                f"{self.folder}: can't be written ({error.strerror}); {CHECK_DISK}"
            ) from error


def _plan(folder: Path, order: list[str]) -> list[Path]:
    """Writes which file comes when."""
    path = folder / "plan.json"
    write_json(path, [{"sobject": name, "files": [f"{name}.json"]} for name in order])
    return [path]


def _object_files(
    item: ObjectType,
    table: Table,
    references: References,
    folder: Path,
) -> list[Path]:
    """Writes the files of an object type."""
    path = folder / f"{item.name}.json"
    write_text(path, _records(item, table, references))
    return [path, *_update(item, table, folder)]


def _records(item: ObjectType, table: Table, references: References) -> Iterator[str]:
    """The file of an object type, a record a line, in pieces."""
    late = self_references(item)
    fields = []
    for field in item.fields:
        if field.createable and field.name != "Id" and field.name not in late:
            fields.append(field)
    names = [field.name for field in fields]
    yield '{"records": ['
    # Made once: a large org has millions of records.
    as_json = json.JSONEncoder(ensure_ascii=False).encode
    row = 0
    for block in table.blocks():
        columns = [_column(block, field, references) for field in fields]
        for values in zip(*columns, strict=True):
            record = _attributes(item, row)
            for name, value in zip(names, values, strict=True):
                if value is not None:
                    record[name] = value
            separator = "\n" if row == 0 else ",\n"
            yield separator + as_json(record)
            row += 1
    yield "\n]}\n"


def _attributes(item: ObjectType, row: int) -> dict[str, object]:
    """What every record of an upload begins with."""
    name = reference_id(item.name, row)
    return {"attributes": {"type": item.name, "referenceId": name}}


def _column(table: Table, field: Field, references: References) -> list[object]:
    """A field's value in every record of a table, as JSON has it."""
    values = table[field.name]
    if field.insert_as is not None:
        return [field.insert_as] * table.size
    if field.name in table.references and values.dtype.kind in "iu":
        return _refs(table.references[field.name], values)
    stored = own_values(values, field)
    if field.type == "array":
        lists = [None if value is None else json.loads(str(value)) for value in stored]
        if field.holds_ids:
            return [_named(ids, references) for ids in lists]
        return lists
    if field.holds_ids:
        return [references.get(str(value), value) for value in stored]
    if field.type == "boolean":
        return [None if value is None else bool(value) for value in stored]
    return list(stored)


def _named(ids: list[str] | None, references: References) -> list[str] | None:
    if ids is None:
        return None
    return [references.get(key, key) for key in ids]


def _refs(name: str, rows: Array) -> list[object]:
    return [None if row == NONE else f"@{reference_id(name, row)}" for row in rows.tolist()]


def _references_by_id(org: Org) -> References:
    objects = org.setting.schema.objects
    holds_any = [item for item in objects if any(field.holds_ids == "*" for field in item.fields)]
    if not holds_any:
        return {}
    found = {}
    # A mail goes to an agent or to a customer: only their ids stand in such a field.
    for name in sorted({item.name for item in objects} & {"User", "Contact"}):
        for row, key in enumerate(org.table(name)["Id"]):
            found[str(key)] = f"@{reference_id(name, row)}"
    return found


def _update(item: ObjectType, table: Table, folder: Path) -> list[Path]:
    """The second pass of an object type: final statuses, and references to its own kind.

    A record that another one refers to may come behind it, so all must be there first.
    """
    own = self_references(item)
    columns: dict[str, list[object]] = {}
    for field in item.fields:
        if field.insert_as is not None:
            columns[field.name] = list(own_values(table[field.name], field))
        elif field.name in own and field.createable:
            columns[field.name] = _refs(item.name, table[field.name])
    if not columns:
        return []
    first = {field.name: field.insert_as for field in item.fields}
    records = []
    for row in range(table.size):
        final = {name: values[row] for name, values in columns.items()}
        changed = {name: value for name, value in final.items() if value != first[name]}
        if changed:
            records.append(_attributes(item, row) | changed)
    path = folder / f"{item.name}.update.json"
    write_json(path, {"records": records})
    return [path]
