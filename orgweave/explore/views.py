"""Object types as they are shown: captions, what each field looks like, which fields a list shows,
by what it is narrowed, who refers to whom.

All of it follows from the CRM's fields and from what was measured in the org; no object type is
known by name.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from orgweave.crm.field import LISTS, CrmField, CrmObject
from orgweave.explore.captions import caption, plural
from orgweave.explore.labels import parts_of
from orgweave.explore.measure import Measured
from schemas.country import DEFAULT_LOCALE, load_country
from schemas.errors import SchemaError
from schemas.model import Schema
from schemas.object_type import ObjectType
from schemas.sources import CopySource
from schemas.tour import Tour, TourRelated

Form = Literal[
    "id", "link", "date", "moment", "number", "integer", "boolean", "choice", "prose", "text"
]
FORMS: Mapping[str, Form] = {
    "id": "id",
    "date": "date",
    "datetime": "moment",
    "currency": "number",
    "double": "number",
    "int": "integer",
    "boolean": "boolean",
    "picklist": "choice",
}
"""How the CRM's types are shown; texts are prose or not as they are in the org."""
DECIMALS = 2
LONG = 120
"""Characters from which a text is read, not glanced at."""
FEW, FEW_LINKS = 60, 120
"""Different values, or different records referred to, that a list of facets can still show."""
REPEATED = 5
"""Records a value that make it worth choosing."""
FACETS, SHOWN = 12, 8
"""Facets beside a list, and fields in it beside the label, that fit on a page."""
GOLDEN_ANGLE = 137.5
"""Degrees; hues that far apart stay different however many there are."""
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
"""Which fields a list shows rather than others."""
LAST = 9
"""The weight of every other field."""
AUDIT = frozenset({"CreatedById", "LastModifiedById", "LastModifiedDate", "SystemModstamp"})
"""Who wrote a record and when: every object type has them, so they tell nothing of a single one."""
NARROWING = frozenset({"link", "choice", "boolean", "text"})
"""Forms whose values can divide records into groups."""


@dataclass(frozen=True, slots=True)
class FieldView:
    """A CRM field as it is shown.

    `targets` are the object types whose ids it holds; `constant` says that all records have one
    value. Numbers are shown with so many `decimals`.
    """

    field: CrmField
    caption: str
    form: Form
    targets: tuple[str, ...] = ()
    constant: bool = False
    decimals: int = DECIMALS

    @property
    def name(self) -> str:
        """The field's API name."""
        return self.field.name

    @property
    def many(self) -> bool:
        """Whether its values are JSON lists."""
        return self.field.type in LISTS


@dataclass(frozen=True, slots=True)
class ObjectView:
    """An object type as it is shown.

    Attributes:
        says: what it is, in a sentence.
        prefix: how its ids begin.
        records: how many there are.
        shown: a list's fields beside the label, the most telling first.
        facets: the fields by which a list is narrowed.
        words: the fields that are searched.
        date: the field that a list is sorted by; empty where there is none.
        hue: its colour, in degrees.
    """

    name: str
    caption: str
    plural: str
    says: str
    prefix: str
    records: int
    columns: tuple[FieldView, ...]
    shown: tuple[FieldView, ...]
    facets: tuple[str, ...]
    words: tuple[str, ...]
    date: str
    hue: int

    def column(self, name: str) -> FieldView | None:
        """The field of that name, if there is one."""
        for column in self.columns:
            if column.name == name:
                return column
        return None

    @property
    def prose(self) -> tuple[FieldView, ...]:
        """The fields whose texts are read as a whole."""
        return tuple(column for column in self.columns if column.form == "prose")


@dataclass(frozen=True, slots=True)
class Relation:
    """Records of `child` that refer to a record by `column`.

    A detail belongs to it alone and comes in time order; a thread is read. With `through`, an
    object type and its column, they refer to records of that type, which refer to the record.
    """

    child: ObjectView
    column: FieldView
    caption: str
    detail: bool
    thread: bool
    through: tuple[ObjectView, FieldView] | None = None


def object_view(
    schema: Schema,
    crm_object: CrmObject,
    measured: Mapping[str, Measured],
    records: int,
    place: int,
) -> ObjectView:
    """An object type as it is shown; `place` is where it stands in the plan, counted from 0."""
    item = schema.object(crm_object.name)
    fields = [field for field in crm_object.fields.values() if field.stored]
    columns = tuple(_column(schema, item, field, measured[field.name]) for field in fields)
    date = _date(item, columns, measured)
    facets = _facets(item, columns, measured, records)
    title = caption(item.name)
    texts = [column.name for column in columns if column.form in ("text", "prose")]
    return ObjectView(
        name=item.name,
        caption=title,
        plural=plural(title),
        says=item.description,
        prefix=item.key_prefix,
        records=records,
        columns=columns,
        shown=_shown(schema, item, columns, facets, date),
        facets=facets,
        words=tuple(name for name in texts if name.lower() not in RESERVED),
        date=date,
        hue=round(place * GOLDEN_ANGLE) % 360,
    )


def relations_of(
    schema: Schema,
    views: Mapping[str, ObjectView],
    name: str,
) -> tuple[Relation, ...]:
    """Everything that may refer to a record of an object type: threads first, then in the order of
    the plan.
    """
    found: list[Relation] = []
    for child in views.values():
        telling = [column for column in child.columns if column.name not in AUDIT]
        referring = [column for column in telling if name in column.targets]
        found += [_relation(schema, child, column, views[name]) for column in referring]
    return tuple(sorted(found, key=lambda relation: not relation.thread))


def relations_through(
    views: Mapping[str, ObjectView],
    tour: Tour,
    name: str,
    file: str,
) -> tuple[Relation, ...]:
    """The lists of a tour that stand on an object type's pages; raises SchemaError where one names
    what there isn't. `file` is the tour's, for messages.
    """
    return tuple(_through(views, entry, file) for entry in tour.related if entry.of == name)


def _through(views: Mapping[str, ObjectView], entry: TourRelated, file: str) -> Relation:
    own, _, onward = entry.by.partition(".")
    child = views.get(entry.list)
    column = child.column(own) if child else None
    if child is not None and column is not None and len(column.targets) == 1:
        between = views[column.targets[0]]
        last = between.column(onward)
        if last is not None and entry.of in last.targets:
            return Relation(child, column, child.plural, False, False, (between, last))
    raise SchemaError(
        f"{file}: related: {entry.of}, {entry.list}: by: {entry.by} doesn't lead from {entry.list}"
        f" to {entry.of}; name two references, as OrderItemId__c.Product2Id"
    )


def _column(schema: Schema, item: ObjectType, field: CrmField, measured: Measured) -> FieldView:
    targets = _targets(schema, field, measured)
    currency = load_country(schema.locale).currency
    is_money = field.type == "currency"
    # Dollars need no name; whose amounts are in something else is told so.
    unit = f" ({currency.code})" if is_money and schema.locale != DEFAULT_LOCALE else ""
    return FieldView(
        field,
        caption(field.name) + unit,
        "link" if targets else _form(field, measured),
        targets,
        constant=measured.distinct <= 1 and not measured.empty,
        decimals=currency.decimals if is_money else DECIMALS,
    )


def _targets(schema: Schema, field: CrmField, measured: Measured) -> tuple[str, ...]:
    if field.holds_ids == "*":
        held = measured.prefixes
        return tuple(item.name for item in schema.objects if item.key_prefix in held)
    target = field.holds_ids or field.target
    return (target,) if target else ()


def _form(field: CrmField, measured: Measured) -> Form:
    if field.type in FORMS:
        return FORMS[field.type]
    return "prose" if measured.broken or measured.longest > LONG else "text"


def _date(item: ObjectType, columns: Sequence[FieldView], measured: Mapping[str, Measured]) -> str:
    """The date by which records are sorted: a required one rather than another, a moment rather
    than a day, and nobody's birthday.
    """

    def rank(column: FieldView) -> tuple[bool, bool, bool]:
        required = item.field(column.name).required
        return not required, measured[column.name].empty > 0, column.form != "moment"

    dates = [column for column in columns if column.form in ("date", "moment")]
    dates = [column for column in dates if "birth" not in column.name.lower()]
    return min(dates, key=rank).name if dates else ""


def _facets(
    item: ObjectType,
    columns: Sequence[FieldView],
    measured: Mapping[str, Measured],
    records: int,
) -> tuple[str, ...]:
    """The fields with the fewest values where there are many, in the schema's order.

    Those that most records leave empty come after all others, for they narrow little.
    """

    def rank(name: str) -> tuple[bool, int]:
        return measured[name].empty * 2 > records, measured[name].distinct

    narrowing = [
        column.name for column in columns if _narrows(item, column, measured[column.name], records)
    ]
    fewest = sorted(narrowing, key=rank)[:FACETS]
    return tuple(name for name in narrowing if name in fewest)


def _narrows(item: ObjectType, column: FieldView, measured: Measured, records: int) -> bool:
    """Whether a field's values divide the records into a few groups worth choosing from; a copy of
    another field doesn't.
    """
    field = item.field(column.name)
    source = field.source
    copied = isinstance(source, CopySource) and item.has(str(source.path))
    if field.unique or column.many or copied or column.name in AUDIT:
        return False
    if column.form not in NARROWING:
        return False
    most = FEW_LINKS if column.targets else FEW
    filled = records - measured.empty
    return 2 <= measured.distinct <= most and filled >= measured.distinct * REPEATED


def _shown(
    schema: Schema,
    item: ObjectType,
    columns: Sequence[FieldView],
    facets: Sequence[str],
    date: str,
) -> tuple[FieldView, ...]:
    """The fields of a list, the most telling first: not what the label tells, nor what is alike in
    all records or too long for a cell.
    """
    told = parts_of(schema, item)

    def rank(column: FieldView) -> tuple[bool, bool, int, bool]:
        copied = isinstance(item.field(column.name).source, CopySource)
        weight = LAST if column.name in AUDIT else WEIGHTS.get(column.form, LAST)
        facet = column.name in facets
        return column.name != date, copied and column.form != "number", weight, not facet

    short = [column for column in columns if column.form not in ("id", "prose")]
    # Of a comment, or of a change, one wants to know who made it; never who saved it last.
    unseen = told | (AUDIT - {"CreatedById"})
    useful = [column for column in short if column.name not in unseen and not column.constant]
    doubled = _doubled(schema, useful)
    chosen = [column for column in useful if column.name not in doubled]
    return tuple(sorted(chosen, key=rank)[:SHOWN])


def _doubled(schema: Schema, columns: Sequence[FieldView]) -> set[str]:
    """References to the one record that another reference's record has: beside an account, the
    contact that it has one of.
    """
    all_targets: set[str] = set()
    for column in columns:
        all_targets.update(column.targets)
    found: set[str] = set()
    for column in columns:
        if len(column.targets) == 1:
            count = schema.object(column.targets[0]).count
            if count.number == 1 and count.per in all_targets:
                found.add(column.name)
    return found


def in_list_order(view: ObjectView, columns: Sequence[FieldView]) -> tuple[FieldView, ...]:
    """The date first, the others as the object type's file has them."""

    def place(column: FieldView) -> tuple[bool, int]:
        return column.name != view.date, view.columns.index(column)

    return tuple(sorted(columns, key=place))


def _relation(schema: Schema, child: ObjectView, column: FieldView, parent: ObjectView) -> Relation:
    item = schema.object(child.name)
    owned = parent.name in (item.follows, item.count.per)
    alone = {field.name for field in item.references} - AUDIT == {column.name}
    natural = column.caption.endswith(parent.caption) or column.caption.startswith("Parent")
    return Relation(
        child,
        column,
        child.plural if natural else f"{child.plural} · {column.caption}",
        detail=owned or (alone and natural),
        thread=owned and bool(child.prose),
    )
