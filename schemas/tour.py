"""A schema's tour, `_tour.yaml`: what to show first in a finished org.

It holds records to begin with and questions worth asking, both as SQL:

    starts:
    - {title: A good customer, says: "Many orders, several cases.", sql: "SELECT Id FROM Account
      ORDER BY …"}
    queries:
    - {name: cases_by_issue, title: Issues by number of cases, sql: "SELECT …"}

The file is optional: for a schema without it `explore` shows what it can tell from the object
types. Runs no SQL.
"""

from pathlib import Path
from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field

from schemas.files import checked, read_yaml


class TourPart(BaseModel):
    """Base of the parts of a tour: unknown keys are errors, and values never change."""

    model_config = ConfigDict(extra="forbid", frozen=True, defer_build=True)


class TourStart(TourPart):
    """A record to begin with."""

    title: Annotated[str, Field(description="What the record is called on the first page.")]
    says: Annotated[str, Field(description="One sentence on why the record is worth a look.")]
    sql: Annotated[
        str,
        Field(
            description=(
                "SQL that selects the record's Id in the first column of its first row. An org"
                " without such a row has no such start."
            )
        ),
    ]


class TourQuery(TourPart):
    """A question about the org."""

    name: Annotated[
        str,
        Field(
            pattern="^[a-z][a-z0-9_]*$",
            description="The question's name in addresses: `cases_by_issue`.",
        ),
    ]
    title: Annotated[str, Field(description="The question as a heading.")]
    says: Annotated[str, Field(description="A sentence below the heading, or nothing.")] = ""
    sql: Annotated[
        str,
        Field(
            description=(
                "SQL that answers the question. Ids in its columns are shown as links to their"
                " records."
            )
        ),
    ]


class TourRelated(TourPart):
    """A list on the page of a record, of records that refer to it by way of others."""

    of: Annotated[str, Field(description="The object type on whose pages the list stands.")]
    list: Annotated[str, Field(description="The object type that it lists.")]
    by: Annotated[
        str,
        Field(
            pattern=r"^\w+\.\w+$",
            description=(
                "The way from a listed record to the page's: its own reference, and that of the"
                " record between, such as `OrderItemId__c.Product2Id`."
            ),
        ),
    ]


class Tour(TourPart):
    """All starts and queries, in the order in which they are shown."""

    starts: Annotated[
        tuple[TourStart, ...], Field(description="The records to begin with, in order.")
    ] = ()
    queries: Annotated[
        tuple[TourQuery, ...], Field(description="The questions worth asking, in order.")
    ] = ()
    related: Annotated[
        tuple[TourRelated, ...],
        Field(description="Lists of records that refer to a page's record by way of others."),
    ] = ()


def tour_file(folder: Path) -> Path:
    """Where a schema's tour lies."""
    return folder / "_tour.yaml"


def load_tour(folder: Path) -> Tour | None:
    """The tour in a schema's folder, or None; raises SchemaError naming file, place and mend."""
    path = tour_file(folder)
    if not path.exists():
        return None
    return checked(Tour, read_yaml(path), str(path))
