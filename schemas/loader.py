"""From a folder of YAML files to a checked Schema.

Nothing is drawn before every file, path and source has been checked.

A folder holds one `<ObjectType>.yaml` an object type, and optionally `_schema.yaml` (description),
`_beats.yaml`
(dialogue acts) and `_invariants.yaml`. Knows nothing of companies; `schemas.profile` does.
"""

import re
from dataclasses import replace
from datetime import datetime
from pathlib import Path
from typing import Annotated, Any, Literal

from jsonschema import Draft202012Validator
from jsonschema.exceptions import SchemaError as MetaSchemaError
from pydantic import BaseModel, ConfigDict, model_validator
from pydantic import Field as Key

from schemas import graph
from schemas.errors import SchemaError
from schemas.files import checked, read_yaml
from schemas.model import (
    BATCH,
    Beat,
    Count,
    Field,
    Invariant,
    Judging,
    ObjectType,
    Question,
    Schema,
    UnitRule,
    latents_of,
)
from schemas.sources import SOURCES, RangeSource, Source

JSON_KEYWORDS = frozenset(
    [
        "type",
        "format",
        "pattern",
        "enum",
        "const",
        "minLength",
        "maxLength",
        "minimum",
        "maximum",
        "items",
        "minItems",
        "maxItems",
        "description",
        "title",
        "examples",
    ]
)
FIELD_KEYWORDS = frozenset(["x-source", "x-unique", "x-createable", "x-holds-ids", "x-insert-as"])


class CountModel(BaseModel):
    """`x-count`: exactly one of number, per, cross, latent; `number` may go with `per` (so many
    each) or `latent` (the target).
    """

    model_config = ConfigDict(extra="forbid", frozen=True)
    number: int | None = Key(default=None, ge=0)
    per: str | None = None
    cross: tuple[str, str] | None = None
    latent: str | None = None

    @model_validator(mode="after")
    def _one_way(self) -> "CountModel":
        ways = sum(way is not None for way in (self.per, self.cross, self.latent))
        if (
            ways > 1
            or (self.cross and self.number is not None)
            or (not ways and self.number is None)
        ):
            raise ValueError(
                "give exactly one of number, per, cross, latent (a number may go with per or"
                " latent)"
            )
        return self


class UnitModel(BaseModel):
    """`x-unit`: what is written as one piece."""

    model_config = ConfigDict(extra="forbid", frozen=True)
    group: str | None = None
    parts: str | None = None
    by: str | None = None
    batch: int = Key(default=BATCH, ge=1, le=100)


class QuestionModel(BaseModel):
    """One question in `x-judge`."""

    model_config = ConfigDict(extra="forbid", frozen=True)
    asks: str = Key(min_length=10)
    answer: str


class JudgeModel(BaseModel):
    """`x-judge`: what a model that only reads the text has to find out from it."""

    model_config = ConfigDict(extra="forbid", frozen=True)
    questions: tuple[QuestionModel, ...] = Key(min_length=1)
    always: bool | str = False


class ObjectModel(BaseModel):
    """The top level of an object type's file."""

    model_config = ConfigDict(extra="forbid", frozen=True)
    schema_: Literal["https://json-schema.org/draft/2020-12/schema"] = Key(alias="$schema")
    title: str
    description: str
    type: Literal["object"]
    required: list[str] = []
    properties: dict[str, dict[str, Any]]
    key_prefix: str = Key(alias="x-key-prefix", pattern="^[A-Za-z0-9]{3}$")
    count: CountModel = Key(alias="x-count")
    scale: Literal["linear", "fixed"] = Key(alias="x-scale", default="linear")
    follows: str | None = Key(alias="x-follows", default=None)
    lane: str | None = Key(alias="x-lane", default=None)
    key_fields: tuple[str, ...] = Key(alias="x-key-fields", default=())
    unit: UnitModel = Key(alias="x-unit", default=UnitModel())
    facts: dict[str, str] | None = Key(alias="x-facts", default=None)
    part_facts: dict[str, str] | None = Key(alias="x-part-facts", default=None)
    avoid: str | None = Key(alias="x-avoid", default=None)
    roster: tuple[Annotated[str, Key(pattern=r"^\w+\.\w+$")], ...] = Key(
        alias="x-roster", default=()
    )
    judge: JudgeModel | None = Key(alias="x-judge", default=None)
    label: str = Key(alias="x-label", default="", pattern=r"^([^{}]|\{[\w.]+\})*$")


class BeatModel(BaseModel):
    """One dialogue act in `_beats.yaml`."""

    model_config = ConfigDict(extra="forbid", frozen=True)
    says: str
    must: tuple[str, ...] = ()
    uses: dict[str, str] = {}
    rules: tuple[str, ...] = ()


class InvariantModel(BaseModel):
    """One rule in `_invariants.yaml`."""

    model_config = ConfigDict(extra="forbid", frozen=True)
    name: str
    says: str
    tried: str
    broken: str


def load_schema(folder: Path) -> Schema:
    """The checked schema of a folder; raises SchemaError naming file, path and mend."""
    if not folder.is_dir():
        raise SchemaError(
            f"{folder}: no such schema folder; name one that holds <ObjectType>.yaml files"
        )
    files = sorted(path for path in folder.glob("*.yaml") if not path.name.startswith("_"))
    if not files:
        raise SchemaError(f"{folder}: holds no object types; add a <ObjectType>.yaml file")
    objects = _with_inherited(tuple(load_object(path) for path in files))
    schema = Schema(
        name=folder.name,
        objects=objects,
        latents=tuple(
            sorted({name.split(".")[0] for item in objects for name in latent_columns(item)})
        ),
        beats=_beats(folder / "_beats.yaml"),
        invariants=_invariants(folder / "_invariants.yaml"),
        description=(
            str(read_yaml(folder / "_schema.yaml").get("description", ""))
            if (folder / "_schema.yaml").exists()
            else ""
        ),
    )
    _check_latents(schema)
    _check_judging(objects)
    graph.check_references(schema)
    graph.check_acyclic(schema)
    return schema


def load_object(path: Path) -> ObjectType:
    """One object type's file, checked by itself."""
    data = read_yaml(path)
    model = checked(ObjectModel, data, str(path))
    if model.title != path.stem:
        raise SchemaError(
            f"{path}: title: is {model.title!r}; make it the file's name, {path.stem!r}"
        )
    _check_meta_schema(path, data)
    fields = tuple(
        _field(path, name, spec, name in model.required) for name, spec in model.properties.items()
    )
    item = ObjectType(
        name=model.title,
        file=str(path),
        description=model.description,
        key_prefix=model.key_prefix,
        count=Count(**model.count.model_dump()),
        fields=fields,
        scale=model.scale,
        follows=model.follows,
        lane=model.lane,
        key_fields=model.key_fields,
        unit=UnitRule(**model.unit.model_dump()),
        facts=model.facts,
        part_facts=model.part_facts,
        avoid=model.avoid,
        roster=model.roster,
        judging=_judging(path, model),
        label=model.label,
    )
    _check_names(path, item, model.required)
    return item


def _judging(path: Path, model: ObjectModel) -> Judging:
    if model.judge is None:
        return Judging()
    always = (
        {True: "true", False: ""}.get(model.judge.always, "")
        if isinstance(model.judge.always, bool)
        else model.judge.always
    )
    return Judging(tuple(Question(one.asks, one.answer) for one in model.judge.questions), always)


def _field(path: Path, name: str, spec: dict[str, Any], required: bool) -> Field:
    where = f"{path}: properties.{name}"
    for keyword in spec:
        if keyword not in JSON_KEYWORDS | FIELD_KEYWORDS:
            known = ", ".join(sorted(FIELD_KEYWORDS))
            raise SchemaError(
                f"{where}.{keyword}: unknown keyword; use a JSON Schema keyword or one of {known}"
            )
    field = Field(
        name=name,
        json_schema={key: value for key, value in spec.items() if not key.startswith("x-")},
        source=_source(where, spec.get("x-source")),
        required=required,
        unique=bool(spec.get("x-unique", False)),
        createable=bool(spec.get("x-createable", True)),
        holds_ids=spec.get("x-holds-ids"),
        insert_as=spec.get("x-insert-as"),
    )
    _check_range(f"{where}.x-source.range", field)
    return field


def _check_range(where: str, field: Field) -> None:
    for bound in field.source.range if isinstance(field.source, RangeSource) else ():
        if field.format in ("date", "date-time"):
            if bound not in ("period.start", "period.end") and not _is_moment(bound):
                raise SchemaError(
                    f'{where}: {bound!r} is no date; write "2021-03-03" (with quotes) or'
                    " period.start"
                )
        elif isinstance(bound, bool) or not isinstance(bound, int | float):
            raise SchemaError(
                f"{where}: {bound!r} is no number; write one, or give the field the format date"
            )


def _is_moment(bound: object) -> bool:
    try:
        datetime.fromisoformat(str(bound))
    except ValueError:
        return False
    return bool(re.fullmatch(r"\d{4}-\d\d-\d\d(T\d\d:\d\d(:\d\d)?)?", str(bound)))


def _source(where: str, data: object) -> Source:
    if not isinstance(data, dict) or not data:
        raise SchemaError(
            f"{where}.x-source: is missing; say where the field comes from, one of"
            f" {', '.join(SOURCES)}"
        )
    kind = next((kind for kind in SOURCES if kind in data), None)
    if kind is None:
        raise SchemaError(
            f"{where}.x-source: unknown source {next(iter(data))!r}; use one of"
            f" {', '.join(SOURCES)}"
        )
    if kind == "written" and len(str(data["written"] or "").strip()) < 10:
        raise SchemaError(
            f"{where}.x-source.written: has no instruction; say in a sentence what the writer shall"
            " write"
        )
    return checked(SOURCES[kind], data, f"{where}.x-source")


def _check_meta_schema(path: Path, data: dict[str, Any]) -> None:
    try:
        Draft202012Validator.check_schema(data)
    except MetaSchemaError as error:
        place = ".".join(str(step) for step in error.absolute_path)
        raise SchemaError(
            f"{path}: {place}: not JSON Schema 2020-12: {error.message}; mend the keyword"
        ) from error


def _check_names(path: Path, item: ObjectType, required: list[str]) -> None:
    named = [
        ("required", required),
        ("x-key-fields", item.key_fields),
        ("x-unit.group", filter(None, [item.unit.group])),
    ]
    for where, name in ((where, name) for where, names in named for name in names):
        if not item.has(name):
            raise SchemaError(
                f"{path}: {where}: names field {name}, which is not among the properties; add it or"
                " mend the name"
            )
    if not item.has("Id"):
        raise SchemaError(
            f"{path}: properties: has no Id; add `Id: {{type: string, x-source: {{id: true}}}}`"
        )


def _check_latents(schema: Schema) -> None:
    """A latent table is named with its variable, a latent column with its table; what they hold
    stands in `latent`.
    """
    for item in schema.objects:
        for name in latent_columns(item):
            if name.count(".") < (1 if name in (item.count.latent, item.unit.parts) else 2):
                raise SchemaError(
                    f"{item.file}: {name}: is no whole path to a latent value; write"
                    " Variable.table.column (in x-count Variable.table)"
                )


def latent_columns(item: ObjectType) -> set[str]:
    """Every latent column or table that an object type names: `CaseStory.cases.tone`,
    `CaseStory.cases`.
    """
    paths = [
        *(item.facts or {}).values(),
        item.lane,
        item.avoid,
        item.judging.always,
        *((item.part_facts or {}).values() if item.unit.group else ()),
    ]
    inner = {name for path in paths if path for name in re.findall(r"latent\.([\w.]+)", path)}
    return (
        inner
        | {name for field in item.fields for name in latents_of(field)}
        | {name for name in (item.count.latent, item.unit.parts) if name}
    )


def _with_inherited(objects: tuple[ObjectType, ...]) -> tuple[ObjectType, ...]:
    """`inherit: CaseId` in x-facts stands for all facts of the object type that CaseId refers to,
    seen through CaseId.
    """
    by_name = {item.name: item for item in objects}
    return tuple(_inherited(item, by_name) for item in objects)


def _inherited(item: ObjectType, objects: dict[str, ObjectType]) -> ObjectType:
    facts = dict(item.facts or {})
    via = facts.pop("inherit", None)
    if via is None:
        return item
    target = item.field(via).reference
    if target not in objects:
        raise SchemaError(
            f"{item.file}: x-facts.inherit: {via} is no reference to an object type; name one"
            " that is"
        )
    theirs = {
        name: _through(via, path)
        for name, path in (objects[target].facts or {}).items()
        if name != "inherit"
    }
    return replace(item, facts={**theirs, **facts})


def _check_judging(objects: tuple[ObjectType, ...]) -> None:
    """A question's answer is one of the facts that the object type's units have."""
    for item in objects:
        for question in item.judging.questions:
            if question.answer not in (item.facts or {}):
                raise SchemaError(
                    f"{item.file}: x-judge: answer {question.answer!r} is none of its x-facts; use"
                    f" one of {', '.join(item.facts or {}) or 'them, and add them first'}"
                )


def _through(via: str, path: str) -> str:
    return path.replace("{", "{" + via + ".") if "{" in path else f"{via}.{path}"


def _beats(path: Path) -> dict[str, Beat]:
    if not path.exists():
        return {}
    return {
        name: Beat(name, **checked(BeatModel, spec, f"{path}: {name}").model_dump())
        for name, spec in read_yaml(path).items()
    }


def _invariants(path: Path) -> tuple[Invariant, ...]:
    if not path.exists():
        return ()
    rows = read_yaml(path).get("invariants")
    if not isinstance(rows, list):
        raise SchemaError(f"{path}: invariants: must be a list of {{name, says, tried, broken}}")
    return tuple(
        Invariant(**checked(InvariantModel, row, f"{path}: invariants.{at}").model_dump())
        for at, row in enumerate(rows)
    )
