"""Object types as they are shown: captions, what each column is, which columns a list shows, by
what it is narrowed, who refers to whom.

All of it follows from the schema and from what was measured in the org; no object type is known by
name.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from orgweave.explore.captions import caption, plural
from orgweave.explore.labels import parts_of
from orgweave.explore.measure import Measured
from schemas.model import Field, ObjectType, Schema
from schemas.sources import CopySource

Form = Literal[
    "id", "link", "date", "moment", "number", "integer", "boolean", "choice", "prose", "text"
]
LONG = 120
"""Characters from which a text is read, not glanced at."""
FEW, FEW_LINKS, REPEATED, FACETS, SHOWN = 60, 120, 5, 10, 8
RESERVED = frozenset({"rank", "rowid"})
"""Names that a full-text index keeps for itself."""
WEIGHTS: Mapping[Form, int] = {
    "choice": 1,
    "link": 2,
    "number": 2,
    "integer": 2,
    "text": 3,
    "boolean": 4,
    "moment": 5,
    "date": 5,
}
"""Which columns a list shows rather than others."""
PLAIN: Mapping[str, Form] = {"integer": "integer", "number": "number", "boolean": "boolean"}
"""JSON types that say all of a column's form."""


@dataclass(frozen=True, slots=True)
class Column:
    """One field.

    `targets` are the object types whose ids it holds; `many` says that they stand in a JSON list.
    """

    name: str
    caption: str
    form: Form
    targets: tuple[str, ...] = ()
    many: bool = False
    constant: bool = False


@dataclass(frozen=True, slots=True)
class Kind:
    """An object type.

    `shown` are a list's columns beside the label, the most telling first, `words` those that are
    searched, `date` the one it is sorted by.
    """

    name: str
    caption: str
    plural: str
    says: str
    prefix: str
    records: int
    columns: tuple[Column, ...]
    shown: tuple[Column, ...]
    facets: tuple[str, ...]
    words: tuple[str, ...]
    date: str
    hue: int

    def column(self, name: str) -> Column | None:
        """The column of that name, if there is one."""
        return next((column for column in self.columns if column.name == name), None)

    @property
    def prose(self) -> tuple[Column, ...]:
        """The columns whose texts are read as a whole."""
        return tuple(column for column in self.columns if column.form == "prose")


@dataclass(frozen=True, slots=True)
class Relation:
    """Records of `child` that refer to a record by `column`.

    A detail belongs to it alone and comes in time order; a thread is read.
    """

    child: Kind
    column: Column
    caption: str
    detail: bool
    thread: bool


def kind_of(
    schema: Schema, item: ObjectType, measured: Mapping[str, Measured], records: int, at: int
) -> Kind:
    """An object type as it is shown; `at` is its place in the plan."""
    columns = tuple(_column(schema, item, field, measured[field.name]) for field in item.fields)
    date = _date(item, columns, measured)
    facets = _facets(item, columns, measured, records)
    title = caption(item.name)
    return Kind(
        name=item.name,
        caption=title,
        plural=plural(title),
        says=item.description,
        prefix=item.key_prefix,
        records=records,
        columns=columns,
        shown=_shown(schema, item, columns, facets, date),
        facets=facets,
        words=tuple(
            column.name
            for column in columns
            if column.form in ("text", "prose") and column.name.lower() not in RESERVED
        ),
        date=date,
        hue=round(at * 137.5) % 360,
    )


def relations_of(schema: Schema, kinds: Mapping[str, Kind], name: str) -> tuple[Relation, ...]:
    """Everything that may refer to a record of an object type: threads first, then in the order of
    the plan.
    """
    found = [
        _relation(schema, child, column, kinds[name])
        for child in kinds.values()
        for column in child.columns
        if name in column.targets
    ]
    return tuple(sorted(found, key=lambda relation: not relation.thread))


def _column(schema: Schema, item: ObjectType, field: Field, measured: Measured) -> Column:
    targets = _targets(schema, item, field, measured)
    return Column(
        field.name,
        caption(field.name),
        "link" if targets else _form(field, measured),
        targets,
        field.type == "array",
        measured.distinct <= 1 and not measured.empty,
    )


def _targets(schema: Schema, item: ObjectType, field: Field, measured: Measured) -> tuple[str, ...]:
    if field.holds_ids == "*":
        return tuple(
            other.name for other in schema.objects if other.key_prefix in measured.prefixes
        )
    target = field.holds_ids or schema.target(item, field)
    return (target,) if target else ()


def _form(field: Field, measured: Measured) -> Form:
    if field.name == "Id":
        return "id"
    if field.type in PLAIN:
        return PLAIN[field.type]
    if field.format in ("date", "date-time"):
        return "date" if field.format == "date" else "moment"
    if "enum" in field.json_schema:
        return "choice"
    return "prose" if measured.broken or measured.longest > LONG else "text"


def _date(item: ObjectType, columns: Sequence[Column], measured: Mapping[str, Measured]) -> str:
    """The date by which records are sorted: a required one rather than another, a moment rather
    than a day, and nobody's birthday.
    """
    dates = [
        column
        for column in columns
        if column.form in ("date", "moment") and "birth" not in column.name.lower()
    ]
    dates.sort(
        key=lambda column: (
            not item.field(column.name).required,
            measured[column.name].empty > 0,
            column.form != "moment",
        )
    )
    return dates[0].name if dates else ""


def _facets(
    item: ObjectType, columns: Sequence[Column], measured: Mapping[str, Measured], records: int
) -> tuple[str, ...]:
    """The columns with the fewest values where there are many, in the schema's order."""
    narrowing = [
        column.name for column in columns if _narrows(item, column, measured[column.name], records)
    ]
    fewest = sorted(narrowing, key=lambda name: measured[name].distinct)[:FACETS]
    return tuple(name for name in narrowing if name in fewest)


def _narrows(item: ObjectType, column: Column, measured: Measured, records: int) -> bool:
    """Whether a column's values divide the records into a few groups worth choosing from; a copy of
    another column doesn't.
    """
    field = item.field(column.name)
    source = field.source
    if (
        field.unique
        or column.many
        or measured.distinct < 2
        or records < measured.distinct * REPEATED
        or (isinstance(source, CopySource) and item.has(str(source.path)))
    ):
        return False
    return measured.distinct <= (FEW_LINKS if column.targets else FEW) and column.form in (
        "link",
        "choice",
        "boolean",
        "text",
    )


def _shown(
    schema: Schema, item: ObjectType, columns: Sequence[Column], facets: Sequence[str], date: str
) -> tuple[Column, ...]:
    """The columns of a list, the most telling first: not what the label tells, nor what is alike in
    all records or too long for a cell.
    """
    told = parts_of(schema, item)
    useful = [
        column
        for column in columns
        if column.form not in ("id", "prose") and column.name not in told and not column.constant
    ]
    doubled = _doubled(schema, useful)
    copied = {
        column.name for column in useful if isinstance(item.field(column.name).source, CopySource)
    }
    chosen = [column for column in useful if column.name not in doubled]
    chosen.sort(
        key=lambda column: (
            column.name != date,
            column.name in copied and column.form != "number",
            WEIGHTS.get(column.form, 9),
            column.name not in facets,
        )
    )
    return tuple(chosen[:SHOWN])


def _doubled(schema: Schema, columns: Sequence[Column]) -> set[str]:
    """References to the one record that another reference's record has: beside an account, the
    contact that it has one of.
    """
    all_targets = {target for column in columns for target in column.targets}
    counts = {
        column.name: schema.object(column.targets[0]).count
        for column in columns
        if len(column.targets) == 1
    }
    return {
        name for name, count in counts.items() if count.number == 1 and count.per in all_targets
    }


def in_list_order(kind: Kind, columns: Sequence[Column]) -> tuple[Column, ...]:
    """The date first, the others as the object type's file has them."""
    return tuple(
        sorted(columns, key=lambda column: (column.name != kind.date, kind.columns.index(column)))
    )


def _relation(schema: Schema, child: Kind, column: Column, parent: Kind) -> Relation:
    item = schema.object(child.name)
    owned = parent.name in (item.follows, item.count.per)
    alone = [field.name for field in item.references] == [column.name]
    natural = column.caption.endswith(parent.caption) or column.caption.startswith("Parent")
    title = child.plural if natural else f"{child.plural} · {column.caption}"
    return Relation(
        child,
        column,
        title,
        detail=owned or (alone and natural),
        thread=owned and bool(child.prose),
    )
