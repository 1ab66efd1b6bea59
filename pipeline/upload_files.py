"""The org as JSON that a CRM takes: `upload/<Object>.json` with `@refs`, `plan.json` in load order.

A record: `{"attributes": {"type": "Contact", "referenceId": "ContactRef12"}, "AccountId":
"@AccountRef12", …}`. Read-only fields stay
out; where a status may only be set later (Order), the record carries its first value and
`<Object>.update.json` the final one.
"""

import json
from collections.abc import Iterator
from pathlib import Path

import networkx as nx

from pipeline.atomic import CHECK_DISK, write_json, write_text
from pipeline.store import ColumnValue, values_of
from pipeline.world.org import Org
from pipeline.world.tables import NONE, Array
from schemas.errors import StorageFailed
from schemas.graph import object_graph
from schemas.model import Field, ObjectType


def write_upload(org: Org, folder: Path) -> list[Path]:
    """Writes the upload folder anew; returns its files."""
    try:
        folder.mkdir(exist_ok=True)
        for old in folder.glob("*.json"):
            old.unlink()
    except OSError as error:
        raise StorageFailed(
            f"{folder}: can't be written ({error.strerror}); {CHECK_DISK}"
        ) from error
    places = _places(org)
    files = []
    for item in org.setting.schema.objects:
        files.append(folder / f"{item.name}.json")
        write_text(files[-1], _records(org, item, places))
        files += _update(org, item, folder)
    files.append(folder / "plan.json")
    write_json(
        files[-1], [{"sobject": name, "files": [f"{name}.json"]} for name in load_order(org)]
    )
    return sorted(files)


def load_order(org: Org) -> list[str]:
    """Object types so that each stands behind those it refers to."""
    return list(nx.lexicographical_topological_sort(object_graph(org.setting.schema)))


def reference_id(name: str, row: int) -> str:
    """The name of a record within the upload: `AccountRef12` (rows count from 1)."""
    return f"{name}Ref{row + 1}"


def _records(org: Org, item: ObjectType, places: dict[str, str]) -> Iterator[str]:
    fields = [field for field in item.fields if field.createable and field.name != "Id"]
    columns = [_column(org, item, field, places) for field in fields]
    names = [field.name for field in fields]
    yield '{"records": ['
    for row, values in enumerate(zip(*columns, strict=True)):
        record: dict[str, object] = {
            "attributes": {"type": item.name, "referenceId": reference_id(item.name, row)}
        }
        record |= {
            name: value for name, value in zip(names, values, strict=True) if value is not None
        }
        yield ("\n" if row == 0 else ",\n") + json.dumps(record, ensure_ascii=False)
    yield "\n]}\n"


def _column(org: Org, item: ObjectType, field: Field, places: dict[str, str]) -> list[object]:
    at = org.table(item.name)
    values = at[field.name]
    if field.insert_as is not None:
        return [field.insert_as] * at.size
    if field.name in at.references and values.dtype.kind in "iu":
        return _refs(at.references[field.name], values)
    stored = values_of(org, at, field)
    if field.holds_ids:
        return [
            (
                [places.get(one, one) for one in json.loads(str(value))]
                if field.type == "array"
                else places.get(str(value), value)
            )
            for value in stored
        ]
    return [bool(value) for value in stored] if field.type == "boolean" else _parsed(field, stored)


def _parsed(field: Field, values: list[ColumnValue]) -> list[object]:
    return [json.loads(str(value)) for value in values] if field.type == "array" else list(values)


def _refs(name: str, rows: Array) -> list[object]:
    return [None if row == NONE else f"@{reference_id(name, row)}" for row in rows.tolist()]


def _places(org: Org) -> dict[str, str]:
    """Id -> @ref, for the object types that texts with ids may name."""
    if not any(
        field.holds_ids == "*" for item in org.setting.schema.objects for field in item.fields
    ):
        return {}
    named = {item.name for item in org.setting.schema.objects if item.name in ("User", "Contact")}
    return {
        str(value): f"@{reference_id(name, row)}"
        for name in sorted(named)
        for row, value in enumerate(org.table(name)["Id"])
    }


def _update(org: Org, item: ObjectType, folder: Path) -> list[Path]:
    """The second pass of an object type whose final status may not be inserted."""
    late = [field for field in item.fields if field.insert_as is not None]
    if not late:
        return []
    path = folder / f"{item.name}.update.json"
    columns = [values_of(org, org.table(item.name), field) for field in late]
    rows = [
        {
            "attributes": {"type": item.name, "referenceId": reference_id(item.name, row)},
            **{field.name: value for field, value in zip(late, values, strict=True)},
        }
        for row, values in enumerate(zip(*columns, strict=True))
        if any(value != field.insert_as for field, value in zip(late, values, strict=True))
    ]
    write_json(path, {"records": rows})
    return [path]
