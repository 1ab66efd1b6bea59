"""Paths and templates: the small language in which schema files say where a value comes from.

A path is read from a record:

    Subject                               a field of the record itself
    OrderId.AccountId.Name                a field behind references
    latent.CaseStory.cases.tone           a column of a latent table, row by row
    ParentId.latent.CaseStory.cases.tone  the same for the record that ParentId refers to
    company.domain                        a word of the company's profile

A template is text with paths in braces: `"{FirstName:lower}.{LastName:lower}@example.com"`.

Both are taken apart once, when a file is read. This file knows their form alone; whether a field
exists is checked in `schemas.graph`, and the values are found in `pipeline.world.paths`.
"""

import re
from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Annotated, Self

from pydantic import (
    AfterValidator,
    GetCoreSchemaHandler,
    GetJsonSchemaHandler,
    PlainValidator,
    WithJsonSchema,
)
from pydantic.json_schema import JsonSchemaValue
from pydantic_core import CoreSchema, core_schema

from schemas.filters import check_filter

PROFILE_WORDS = {
    "company": ("name", "team", "domain", "industry", "description"),
    "period": ("start", "end", "imported"),
}
"""What a path may start with instead of a field, and what may stand behind it."""

LATENT = "latent"
"""The step of a path behind which a latent variable, one of its tables and a column follow."""

NAMES = re.compile(r"\w+(\.\w+)*")
IN_BRACES = re.compile(r"\{([^{}]+)\}")


class FromText(ABC):
    """Base of what a file holds as one text and the program keeps taken apart.

    Lets pydantic read it from the text and write it back as the text.
    """

    __slots__ = ()

    @classmethod
    @abstractmethod
    def parse(cls, text: str) -> Self:
        """The text taken apart; raises ValueError that says what is wrong with it."""

    @classmethod
    def read(cls, value: object) -> Self:
        """The same for a value from a file, which may be no text at all, or one already read."""
        if isinstance(value, cls):
            return value
        if not isinstance(value, str):
            raise ValueError("must be a text; put it in quotes")
        return cls.parse(value)

    @classmethod
    def __get_pydantic_core_schema__(
        cls,
        source: object,
        handler: GetCoreSchemaHandler,
    ) -> CoreSchema:
        return core_schema.no_info_plain_validator_function(
            cls.read, serialization=core_schema.to_string_ser_schema()
        )

    @classmethod
    def __get_pydantic_json_schema__(
        cls,
        schema: CoreSchema,
        handler: GetJsonSchemaHandler,
    ) -> JsonSchemaValue:
        return {"type": "string"}


@dataclass(frozen=True, slots=True)
class ValuePath(FromText):
    """Where a value comes from, seen from a record: `ValuePath(("OrderId", "AccountId"))`."""

    steps: tuple[str, ...]

    @classmethod
    def parse(cls, text: str) -> Self:
        """`OrderId.AccountId` taken apart; raises ValueError for no path and for a wrong word."""
        path = cls(split_names(text))
        _check_word(path)
        _check_latent(path)
        return path

    def __str__(self) -> str:
        return ".".join(self.steps)

    @property
    def first(self) -> str:
        """The first step: a field, `latent`, or a word of PROFILE_WORDS."""
        return self.steps[0]

    @property
    def rest(self) -> "ValuePath | None":
        """What stands behind the first step, or None."""
        behind = self.steps[1:]
        return ValuePath(behind) if behind else None

    @property
    def latent(self) -> "LatentPath | None":
        """The part behind the step `latent`, or None for a path that has no such step."""
        if LATENT not in self.steps:
            return None
        place = self.steps.index(LATENT)
        return LatentPath.of(self.steps[place + 1 :])

    def through(self, reference: str) -> "ValuePath":
        """The same path, seen from a record that leads here by its field `reference`."""
        return ValuePath((reference, *self.steps))


@dataclass(frozen=True, slots=True)
class LatentPath(FromText):
    """A table of a latent variable, `CaseStory.cases`, or what is read from it.

    `column` is None for the table itself, one step for a column (`tone`), and several where the
    column holds references to records (`agent.Name`).
    """

    variable: str
    table: str
    column: ValuePath | None = None

    @classmethod
    def parse(cls, text: str) -> Self:
        """`CaseStory.cases.tone` taken apart; raises ValueError where the table is missing."""
        return cls.of(split_names(text))

    @classmethod
    def of(cls, steps: tuple[str, ...]) -> Self:
        """The path of these steps; raises ValueError where there are fewer than two."""
        if len(steps) < 2:
            raise ValueError(NO_LATENT_VALUE)
        variable, table, *column = steps
        if not column:
            return cls(variable, table)
        return cls(variable, table, ValuePath(tuple(column)))

    def __str__(self) -> str:
        if self.column is None:
            return self.table_name
        return f"{self.table_name}.{self.column}"

    @property
    def table_name(self) -> str:
        """What the org calls the table: `CaseStory.cases`."""
        return f"{self.variable}.{self.table}"


NO_LATENT_VALUE = (
    "is no whole path to a latent value; write Variable.table.column (in x-count Variable.table)"
)


@dataclass(frozen=True, slots=True)
class Placeholder:
    """A path in a template's braces, and the filters that its value goes through, in order."""

    path: ValuePath
    filters: tuple[str, ...] = ()

    def __str__(self) -> str:
        text = ":".join([str(self.path), *self.filters])
        return "{" + text + "}"


@dataclass(frozen=True, slots=True)
class Template(FromText):
    """Text with placeholders: `"Dear {Name:word}"` is the text `"Dear "` and a placeholder."""

    pieces: tuple[str | Placeholder, ...]

    @classmethod
    def parse(cls, text: str) -> Self:
        """The text taken apart; raises ValueError for a brace without its partner, for what is no
        path, and for an unknown filter.
        """
        pieces: list[str | Placeholder] = []
        # A split by a pattern with one group gives what the group matched at every odd place.
        for place, piece in enumerate(IN_BRACES.split(text)):
            if place % 2:
                pieces.append(_placeholder(piece))
            elif "{" in piece or "}" in piece:
                raise ValueError(f"has a brace without its partner near {piece[:20]!r}; pair it")
            elif piece:
                pieces.append(piece)
        return cls(tuple(pieces))

    def __str__(self) -> str:
        return "".join(str(piece) for piece in self.pieces)

    @property
    def placeholders(self) -> tuple[Placeholder, ...]:
        """The placeholders alone, in order."""
        return tuple(piece for piece in self.pieces if isinstance(piece, Placeholder))

    @property
    def paths(self) -> tuple[ValuePath, ...]:
        """The paths of all placeholders, in order."""
        return tuple(placeholder.path for placeholder in self.placeholders)

    def through(self, reference: str) -> "Template":
        """The same template, seen from a record that leads here by its field `reference`."""
        pieces = []
        for piece in self.pieces:
            if isinstance(piece, Placeholder):
                piece = Placeholder(piece.path.through(reference), piece.filters)
            pieces.append(piece)
        return Template(tuple(pieces))


def read_expression(value: object) -> ValuePath | Template:
    """A template where the text has braces, and a path otherwise."""
    if isinstance(value, ValuePath | Template):
        return value
    if isinstance(value, str) and "{" in value:
        return Template.parse(value)
    return ValuePath.read(value)


def _is_table(path: LatentPath) -> LatentPath:
    if path.column is not None:
        raise ValueError("must name a latent table alone; write Variable.table")
    return path


def _is_column(path: LatentPath) -> LatentPath:
    if path.column is None:
        raise ValueError(NO_LATENT_VALUE)
    return path


ValueExpression = Annotated[
    ValuePath | Template, PlainValidator(read_expression), WithJsonSchema({"type": "string"})
]
"""A path, or a template of several."""

LatentTable = Annotated[LatentPath, AfterValidator(_is_table)]
"""A latent table: `CaseStory.cases`."""

LatentColumn = Annotated[LatentPath, AfterValidator(_is_column)]
"""A column of a latent table: `CaseStory.cases.tone`."""


def paths_in(expression: ValuePath | Template) -> tuple[ValuePath, ...]:
    """The paths that an expression is made from: itself, or those in a template's placeholders."""
    return expression.paths if isinstance(expression, Template) else (expression,)


def split_names(text: str) -> tuple[str, ...]:
    """`split_names("A.B") == ("A", "B")`; raises ValueError where the text is no dotted name."""
    if not NAMES.fullmatch(text):
        raise ValueError("is no path; write names with dots between them, such as OrderId.Name")
    return tuple(text.split("."))


def _placeholder(text: str) -> Placeholder:
    path, *filters = text.split(":")
    for name in filters:
        check_filter(name)
    return Placeholder(ValuePath.parse(path), tuple(filters))


def _check_word(path: ValuePath) -> None:
    words = PROFILE_WORDS.get(path.first)
    if words is None:
        return
    known = [f"{path.first}.{word}" for word in words]
    if str(path) not in known:
        raise ValueError(f"there is no {path}; use one of {', '.join(known)}")


def _check_latent(path: ValuePath) -> None:
    latent = path.latent
    if latent is not None:
        _is_column(latent)
