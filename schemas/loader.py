"""From a folder of YAML files to a checked Schema.

A folder holds one `<ObjectType>.yaml` for each object type, and optionally `_schema.yaml` (a
description, and the schema that this one extends), `_common.yaml` (fields of every object type),
`_beats.yaml` (dialogue acts), `_invariants.yaml`, `_realism.yaml` and `_conversations.yaml`. Every
file, path and source is checked here, before anything
is drawn. Knows nothing of companies; `schemas.profile` does.
"""

import dataclasses
import pickle
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache, lru_cache
from pathlib import Path
from typing import Any, TypeVar

import jsonschema_rs

from schemas import graph
from schemas.beats import VALUE
from schemas.common import NOTHING_COMMON, CommonFields, check_common, with_common
from schemas.country import DEFAULT_LOCALE
from schemas.errors import SchemaError
from schemas.field_loader import is_pattern, read_fields
from schemas.files import checked, read_yaml
from schemas.inherit import (
    BEATS,
    COMMON,
    FIGURES,
    HEAD,
    LISTS,
    RULES,
    TALK,
    SchemaFile,
    schema_files,
)
from schemas.localize import localized
from schemas.model import Beat, Schema
from schemas.names import (
    check_distinct,
    check_field_name,
    check_file_name,
    check_object_name,
    no_such_schema,
)
from schemas.object_type import ObjectType
from schemas.paths import ValueExpression
from schemas.proofs import ConversationFigure, Invariant, Statistic
from schemas.rule_sql import check_rules, check_statistics

FIXED = {"$schema": "https://json-schema.org/draft/2020-12/schema", "type": "object"}
"""What every object type's file says, so that other tools read it as JSON Schema too."""

FRAME = frozenset([*FIXED, "required", "properties"])
"""The keywords of JSON Schema around the fields; all others are the object type's own."""

Figure = TypeVar("Figure", Statistic, ConversationFigure)
"""An entry of a file of figures with bands."""


def load_schema(folder: Path, locale: str = DEFAULT_LOCALE) -> Schema:
    """The checked schema of a folder as it is in a locale.

    Raises SchemaError naming file, path and mend.
    """
    if not folder.is_dir():
        raise SchemaError(f"{folder}: {no_such_schema(folder.name)}")
    check_file_name(folder.name, str(folder))
    files = localized(schema_files(folder), locale)
    if all(name.startswith("_") for name in files):
        raise SchemaError(f"{folder}: holds no object types; add a <ObjectType>.yaml file")
    text = _SchemaText(folder.name, locale, pickle.dumps(_content(files)), folder, files)
    return _of_files(_checked_schema(text), files)


@dataclass(frozen=True, slots=True)
class _SchemaText:
    """What a schema's files say in a locale: equal to the same in another folder, such as a run's
    own copy, which only messages name.
    """

    name: str
    locale: str
    content: bytes
    folder: Path = dataclasses.field(compare=False)
    files: Mapping[str, SchemaFile] = dataclasses.field(compare=False)


def _content(files: Mapping[str, SchemaFile]) -> dict[str, object]:
    return {name: file.data for name, file in files.items()}


def _of_files(schema: Schema, files: Mapping[str, SchemaFile]) -> Schema:
    """The schema as read from these files, which may be another folder's with the same content."""
    objects = []
    for item in schema.objects:
        objects.append(replace(item, file=str(files[f"{item.name}.yaml"].path)))
    return replace(schema, objects=tuple(objects))


@lru_cache(maxsize=8)  # a process mostly has one schema, which a run reads from several folders
def _checked_schema(text: _SchemaText) -> Schema:
    """The schema that files tell; kept, since to check it takes a tenth of a small run's time."""
    folder, files = text.folder, text.files
    objects = [file for name, file in sorted(files.items()) if not name.startswith("_")]
    common = _common(files)
    schema = Schema(
        name=text.name,
        objects=_with_inherited([_object_type(file.path, file.data, common) for file in objects]),
        beats=_beats(files),
        invariants=_invariants(files),
        description=str(files[HEAD].data.get("description", "")) if HEAD in files else "",
        statistics=_statistics(files),
        conversations=_conversations(files),
        locale=text.locale,
    )
    _check_apart(folder, schema.objects)
    _check_facts(schema.objects)
    _check_beats(folder / "_beats.yaml", schema)
    _check_judging(schema.objects)
    graph.check_references(schema)
    graph.check_acyclic(schema)
    check_rules(_path(folder, files, RULES), schema.invariants, schema.objects)
    check_statistics(_path(folder, files, FIGURES), schema.statistics, schema.objects)
    return schema


def _path(folder: Path, files: Mapping[str, SchemaFile], name: str) -> Path:
    """Where a file's faults are mended, which may be the folder of an extended schema."""
    return files[name].path if name in files else folder / name


def _check_apart(folder: Path, objects: Sequence[ObjectType]) -> None:
    """No two object types have the same name, or ids that begin alike."""
    check_distinct([item.name for item in objects], str(folder))
    prefixes: dict[str, str] = {}
    for item in objects:
        other = prefixes.setdefault(item.key_prefix, item.name)
        if other != item.name:
            raise SchemaError(
                f"{item.file}: x-key-prefix: {item.key_prefix!r} is that of {other} too, and their"
                " ids would be the same; choose another"
            )


def load_object(path: Path, common: CommonFields = NOTHING_COMMON) -> ObjectType:
    """One object type's file, checked by itself, with the fields that all object types have."""
    return _object_type(path, read_yaml(path), common)


def _object_type(path: Path, data: dict[str, Any], common: CommonFields) -> ObjectType:
    check_object_name(path.stem, f"{path}: title")
    _check_frame(path, data)
    _check_meta_schema(path, data)
    properties = with_common(path.stem, data["properties"], common)
    required = checked(list[str], data.get("required", []), f"{path}: required")
    item = checked(
        ObjectType,
        {key: value for key, value in data.items() if key not in FRAME},
        str(path),
        file=str(path),
        properties=read_fields(path, properties, required),
    )
    if item.name != path.stem:
        raise SchemaError(
            f"{path}: title: is {item.name!r}; make it the file's name, {path.stem!r}"
        )
    _check_names(path, item, required)
    return item


def _check_frame(path: Path, data: dict[str, Any]) -> None:
    for keyword, value in FIXED.items():
        found = data.get(keyword)
        if found != value:
            raise SchemaError(f"{path}: {keyword}: must be {value!r} (got {found!r:.60})")
    properties = data.get("properties")
    if not isinstance(properties, dict):
        raise SchemaError(f"{path}: properties: must hold a mapping of fields; add Id at least")
    for name, keywords in properties.items():
        check_field_name(name, f"{path}: properties")
        if not isinstance(keywords, dict):
            raise SchemaError(
                f"{path}: properties.{name}: should be a valid dictionary (got {keywords!r:.60});"
                " write {type: ..., x-source: ...}"
            )
    check_distinct(properties, f"{path}: properties")


def _check_meta_schema(path: Path, data: dict[str, Any]) -> None:
    if _is_json_schema(data):
        return
    # Imported where something is wrong only: it takes a hundred times as long, and says it better.
    from jsonschema import Draft202012Validator
    from jsonschema.exceptions import SchemaError as MetaSchemaError

    try:
        Draft202012Validator.check_schema(data)
    except MetaSchemaError as error:
        place = ".".join(str(step) for step in error.absolute_path)
        raise SchemaError(
            f"{path}: {place}: not JSON Schema 2020-12: {error.message}; mend the keyword"
        ) from error
    except (OverflowError, RecursionError) as error:
        fields = data["properties"]
        faulty = [name for name in fields if not _is_json_schema(fields[name])]
        raise SchemaError(
            f"{path}: properties.{', '.join(faulty)}: a pattern is too large ({error}); write a"
            " simpler one"
        ) from error


def _is_json_schema(data: dict[str, Any]) -> bool:
    """Whether this is JSON Schema for certain; what JSON can't hold is left to a closer look."""
    try:
        return _meta_schema().is_valid(data) and all(map(is_pattern, _patterns(data)))
    except (ValueError, TypeError, RecursionError):
        return False


def _patterns(data: object) -> Iterator[str]:
    """Yields what may be a pattern of a schema: all that stands under such a key, our own keywords
    aside.
    """
    if isinstance(data, dict):
        yield from data.get("patternProperties") or ()
        for name, value in data.items():
            if name == "pattern" and isinstance(value, str):
                yield value
            elif not str(name).startswith("x-"):
                yield from _patterns(value)
    elif isinstance(data, list):
        for value in data:
            yield from _patterns(value)


@cache
def _meta_schema() -> jsonschema_rs.Draft202012Validator:
    """The validator of JSON Schema itself; kept, as the types' validators are.

    It is given no check of ours for patterns: an interruption that falls into such a check would be
    swallowed by the library.
    """
    return jsonschema_rs.Draft202012Validator({"$ref": FIXED["$schema"]}, validate_formats=True)


def _check_names(path: Path, item: ObjectType, required: list[str]) -> None:
    group = [item.unit.group] if item.unit.group else []
    named = {"required": required, "x-key-fields": item.key_fields, "x-unit.group": group}
    for keyword, names in named.items():
        for name in names:
            if not item.has(name):
                raise SchemaError(
                    f"{path}: {keyword}: names field {name}, which is not among the properties;"
                    " add it or mend the name"
                )
    if not item.has("Id"):
        raise SchemaError(
            f"{path}: properties: has no Id; add `Id: {{type: string, x-source: {{id: true}}}}`"
        )


def _with_inherited(objects: list[ObjectType]) -> tuple[ObjectType, ...]:
    by_name = {item.name: item for item in objects}
    return tuple(_inherited(item, by_name) for item in objects)


def _inherited(item: ObjectType, objects: dict[str, ObjectType]) -> ObjectType:
    """The object type with the facts that it inherits.

    `inherit: CaseId` in x-facts stands for all facts of the object type that CaseId refers to, seen
    through CaseId.
    """
    own = dict(item.facts)
    inherit = own.pop("inherit", None)
    if inherit is None:
        return item
    reference = str(inherit)
    target = item.field(reference).reference
    if target not in objects:
        raise SchemaError(
            f"{item.file}: x-facts.inherit: {reference} is no reference to an object type; name one"
            " that is"
        )
    facts: dict[str, ValueExpression] = {}
    for name, expression in objects[target].facts.items():
        if name != "inherit":
            facts[name] = expression.through(reference)
    return replace(item, facts={**facts, **own})


def _check_facts(objects: tuple[ObjectType, ...]) -> None:
    """What a written text must name, and the acts that it is composed of, are facts of its unit."""
    for item in objects:
        known = [*item.facts, *item.part_facts]
        # A text may also have to name what another field of its record says.
        named = {*known, *(field.name for field in item.fields)}
        for field in item.written:
            if field.written is None:
                continue
            wanted = [*field.written.must, *filter(None, [field.written.beats])]
            for name in wanted:
                if name not in named:
                    listed = ", ".join(known) or "them, and add them first"
                    raise SchemaError(
                        f"{item.file}: properties.{field.name}.x-source: {name!r:.60} is none of"
                        f" the x-facts; use one of {listed}"
                    )


def _check_beats(path: Path, schema: Schema) -> None:
    """What an act must name, and what it means by another name, are facts of who says it.

    Any object type whose texts are composed of acts may say each of them.
    """
    known: set[str] = set()
    for item in schema.objects:
        if any(field.written and field.written.beats for field in item.written):
            known |= {*item.facts, *item.part_facts, *(field.name for field in item.fields)}
    for beat in schema.beats.values():
        wanted = {f"uses.{used}": fact for used, fact in beat.uses.items()}
        for place, fact in enumerate(beat.must):
            if fact == VALUE:
                continue
            wanted[f"must.{place}"] = beat.uses.get(fact, fact)
        for key, fact in wanted.items():
            if fact not in known:
                raise SchemaError(
                    f"{path}: {beat.name}.{key}: {fact!r:.60} is none of the x-facts of an object"
                    " type that says acts; name one of those, or add it to them"
                )


def _check_judging(objects: tuple[ObjectType, ...]) -> None:
    """A question's answer is one of the facts that the object type's units have."""
    for item in objects:
        for question in item.judging.questions:
            if question.answer not in item.facts:
                known = ", ".join(item.facts) or "them, and add them first"
                raise SchemaError(
                    f"{item.file}: x-judge: answer {question.answer!r} is none of its x-facts; use"
                    f" one of {known}"
                )


def _common(files: Mapping[str, SchemaFile]) -> CommonFields:
    if COMMON not in files:
        return NOTHING_COMMON
    file = files[COMMON]
    common = checked(CommonFields, file.data, str(file.path))
    objects = {name.removesuffix(".yaml") for name in files if not name.startswith("_")}
    check_common(common, objects, str(file.path))
    return common


def _beats(files: Mapping[str, SchemaFile]) -> dict[str, Beat]:
    if BEATS not in files:
        return {}
    file = files[BEATS]
    found = {}
    for name, keywords in file.data.items():
        found[name] = checked(Beat, keywords, f"{file.path}: {name}", name=name)
    return found


def _invariants(files: Mapping[str, SchemaFile]) -> tuple[Invariant, ...]:
    if RULES not in files:
        return ()
    file = files[RULES]
    rules = file.data.get("invariants")
    if not isinstance(rules, list):
        raise SchemaError(
            f"{file.path}: invariants: must be a list of {{name, says, tried, broken}}"
        )
    found = []
    for place, rule in enumerate(rules):
        found.append(checked(Invariant, rule, f"{file.path}: invariants.{place}"))
    return tuple(found)


def _statistics(files: Mapping[str, SchemaFile]) -> tuple[Statistic, ...]:
    return _with_bands(files, FIGURES, Statistic)


def _conversations(files: Mapping[str, SchemaFile]) -> tuple[ConversationFigure, ...]:
    return _with_bands(files, TALK, ConversationFigure)


def _with_bands(
    files: Mapping[str, SchemaFile],
    name: str,
    kind: type[Figure],
) -> tuple[Figure, ...]:
    """A file's list of figures, each under a name of its own and with a band in order."""
    if name not in files:
        return ()
    path = files[name].path
    key, form = LISTS[name]
    listed = files[name].data.get(key)
    if not isinstance(listed, list):
        raise SchemaError(f"{path}: {key}: must be a list of {form}")
    found: dict[str, Figure] = {}
    for place, stated in enumerate(listed):
        figure = checked(kind, stated, f"{path}: {key}.{place}")
        low, high = figure.band
        if not low <= high:
            raise SchemaError(f"{path}: {figure.name}: band: {low} is above {high}; swap them")
        if found.setdefault(figure.name, figure) is not figure:
            raise SchemaError(f"{path}: {figure.name}: stands there twice; rename one of them")
    return tuple(found.values())
