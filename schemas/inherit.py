"""Schemas that extend another one: which files they hold in all, and what each file says.

A folder's `_schema.yaml` may name the schema that it extends, and what of it stays out:

    extends: service_cloud
    without: [LiveChatTranscript]

A file that both folders have is laid over the parent's: an object type's fields, facts and other
keywords one by one; common fields, dialogue acts, invariants, statistics and figures of
conversations by their name. A field or a fact that is `null` leaves the parent's out. A tour takes
the place of the parent's. Knows nothing of what object types are; `schemas.loader` checks what
comes out of here as it checks any file.
"""

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import yaml
from pydantic import BaseModel, ConfigDict, Field

from schemas.errors import SchemaError
from schemas.files import checked, read_yaml
from schemas.names import check_file_name

HEAD = "_schema.yaml"
BEATS = "_beats.yaml"
COMMON = "_common.yaml"
RULES = "_invariants.yaml"
FIGURES = "_realism.yaml"
TALK = "_conversations.yaml"
TOUR = "_tour.yaml"

LISTS = {
    RULES: ("invariants", "{name, says, tried, broken}"),
    FIGURES: ("statistics", "{name, topic, says, measure, band, source}"),
    TALK: ("conversations", "{name, says, band, source}"),
}
"""Files that hold a list of named entries: its key, and what an entry is made of."""

DEEPEST_LINE = 5
"""A schema may extend one that extends another, and so on: so many in all."""

LAID_OVER_BY_KEY = ("properties", "x-facts", "x-part-facts", "x-frame")
"""The keywords of an object type that are merged; the others are replaced."""


class SchemaHead(BaseModel):
    """What `_schema.yaml` says of a schema as a whole."""

    model_config = ConfigDict(extra="forbid", frozen=True, defer_build=True)

    description: Annotated[str, Field(description="What the org of this schema is.")] = ""
    extends: Annotated[
        str,
        Field(
            description=(
                "The schema that this one is laid over: one that ships (`service_cloud`), or a"
                " folder beside this one."
            )
        ),
    ] = ""
    without: Annotated[
        tuple[str, ...],
        Field(
            description=(
                "What of the extended schema stays out: object types, invariants, statistics"
                " and figures of conversations, by name."
            )
        ),
    ] = ()


@dataclass(frozen=True, slots=True)
class SchemaFile:
    """One file of a schema: where its faults are mended, what it says, and whether it is merged.

    Only a file that stands in one folder alone is what `path` holds.
    """

    path: Path
    data: dict[str, Any]
    merged: bool = False


def schema_files(folder: Path) -> dict[str, SchemaFile]:
    """All files of a schema by name, those of the schemas that it extends included.

    Raises SchemaError for a folder, an object type or an invariant that isn't there, and for
    schemas that extend each other.
    """
    return _files(folder, (folder.resolve(),))


def copy_schema(files: Mapping[str, SchemaFile], target: Path) -> None:
    """Copies a schema's files into a new folder in which it needs no other one."""
    target.mkdir(parents=True)
    for name, data in schema_bytes(files).items():
        (target / name).write_bytes(data)


def schema_bytes(files: Mapping[str, SchemaFile]) -> dict[str, bytes]:
    """What the files hold of a schema that needs no other one, by their names.

    A file that stands in one folder alone is taken byte for byte.
    """
    held = {}
    for name, file in files.items():
        if file.merged:
            text = yaml.safe_dump(file.data, sort_keys=False, allow_unicode=True)
            held[name] = text.encode()
        else:
            held[name] = file.path.read_bytes()
    return held


def _files(folder: Path, line: tuple[Path, ...]) -> dict[str, SchemaFile]:
    own = {}
    for path in sorted(folder.glob("*.yaml")):
        own[path.name] = SchemaFile(path, read_yaml(path))
    head = _head(folder, own)
    if not head.extends:
        if head.without:
            raise SchemaError(
                f"{folder / HEAD}: without: there is nothing to leave out; name a schema in extends"
            )
        return own
    parent = _parent(folder, head.extends)
    if parent.resolve() in line or len(line) >= DEEPEST_LINE:
        raise SchemaError(
            f"{folder / HEAD}: extends: {head.extends} leads back here, or through more than"
            f" {DEEPEST_LINE} schemas; extend one that stands by itself"
        )
    above = _files(parent, (*line, parent.resolve()))
    files = _left(folder, above, head.without)
    for name, file in own.items():
        files[name] = _laid_over(files.get(name), file)
    description = {"description": head.description}
    files[HEAD] = SchemaFile(folder / HEAD, description, merged=True)
    return files


def _head(folder: Path, own: Mapping[str, SchemaFile]) -> SchemaHead:
    if HEAD not in own:
        return SchemaHead()
    return checked(SchemaHead, own[HEAD].data, str(folder / HEAD))


def _parent(folder: Path, name: str) -> Path:
    """The folder of the extended schema: one that ships, or one beside this one."""
    where = f"{folder / HEAD}: extends"
    check_file_name(name, where)
    shipped = Path(__file__).parent / name
    found = shipped if shipped.is_dir() else folder.resolve().parent / name
    if not any(found.glob("*.yaml")):
        raise SchemaError(
            f"{where}: there is no schema {name!r:.60}; name one that ships or a folder beside"
            f" {folder.name}"
        )
    return found


def _left(
    folder: Path,
    above: Mapping[str, SchemaFile],
    without: tuple[str, ...],
) -> dict[str, SchemaFile]:
    """The parent's files but for what stays out."""
    files = dict(above)
    missing = {name for name in without if files.pop(f"{name}.yaml", None) is None}
    if COMMON in files:
        files[COMMON] = _without_objects(files[COMMON], without)
    for name in LISTS:
        if name not in above or not missing:
            continue
        listed = _by_name(above[name])
        kept = [entry for key, entry in listed.items() if key not in without]
        if len(kept) < len(listed):
            files[name] = SchemaFile(above[name].path, {LISTS[name][0]: kept}, merged=True)
            missing -= set(listed)
    if missing:
        raise SchemaError(
            f"{folder / HEAD}: without: the extended schema has no object type, invariant or"
            f" statistic {min(missing)!r:.60}; mend the name"
        )
    return files


def _laid_over(beneath: SchemaFile | None, file: SchemaFile) -> SchemaFile:
    """A file over the parent's of the same name; the file itself where the parent has none."""
    name = file.path.name
    if beneath is None or name in (HEAD, TOUR):
        return file
    if name in LISTS:
        entries = {**_by_name(beneath), **_by_name(file)}
        data: dict[str, Any] = {LISTS[name][0]: list(entries.values())}
    elif name == BEATS:
        data = {**beneath.data, **file.data}
    elif name == COMMON:
        data = _common_fields(beneath.data, file.data)
    else:
        data = _object_type(beneath.data, file.data)
    return SchemaFile(file.path, data, merged=True)


def _object_type(beneath: Mapping[str, Any], above: Mapping[str, Any]) -> dict[str, Any]:
    """An object type's keywords, with those of `above` over those of `beneath`."""
    data = {**beneath, **above}
    for keyword in LAID_OVER_BY_KEY:
        under, over = beneath.get(keyword), above.get(keyword)
        if isinstance(under, dict) and isinstance(over, dict):
            merged = {**under, **over}
            data[keyword] = {name: value for name, value in merged.items() if value is not None}
    required, fields = data.get("required"), above.get("properties")
    if isinstance(required, list) and isinstance(fields, dict):
        # A field that is left out is no longer demanded either.
        left_out = [name for name, keywords in fields.items() if keywords is None]
        data["required"] = [name for name in required if name not in left_out]
    return data


def _common_fields(beneath: Mapping[str, Any], above: Mapping[str, Any]) -> dict[str, Any]:
    """The common fields of both; `own` and `without` go by object type."""
    data = {}
    for keyword in {**beneath, **above}:
        data[keyword] = {**beneath.get(keyword, {}), **above.get(keyword, {})}
    return data


def _without_objects(common: SchemaFile, left_out: Collection[str]) -> SchemaFile:
    """The common fields but for what they say of object types that stay out."""
    data = dict(common.data)
    for keyword in ("own", "without"):
        named = data.get(keyword, {})
        data[keyword] = {name: said for name, said in named.items() if name not in left_out}
    return SchemaFile(common.path, data, merged=common.merged or data != common.data)


def _by_name(file: SchemaFile) -> dict[str, Any]:
    """A list's entries by name; what has no name is refused by the loader later."""
    key, form = LISTS[file.path.name]
    listed = file.data.get(key)
    if not isinstance(listed, list):
        raise SchemaError(f"{file.path}: {key}: must be a list of {form}")
    named = {}
    for place, entry in enumerate(listed):
        name = entry.get("name") if isinstance(entry, dict) else None
        named[str(name or f"{file.path} {place}")] = entry
    return named
