"""A schema's tour, `_tour.yaml`: what to show first in a finished org.

Records to begin with and questions worth asking, both as SQL.

    starts:
    - {title: A good customer, says: "Many orders, several cases.", sql: "SELECT Id FROM Account
      ORDER BY …"}
    queries:
    - {name: cases_by_issue, title: Issues by number of cases, sql: "SELECT …"}

Optional: a schema without the file gets what `explore` can tell from its object types. Runs no SQL.
"""

from pathlib import Path

from pydantic import BaseModel, ConfigDict, Field

from schemas.files import checked, read_yaml


class TourStart(BaseModel):
    """A record to begin with: `sql` selects its Id, in the first column of the first row; no row
    where the org has none.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)
    title: str
    says: str
    sql: str


class TourQuery(BaseModel):
    """A question about the org; a column of ids is shown as links to the records."""

    model_config = ConfigDict(extra="forbid", frozen=True)
    name: str = Field(pattern="^[a-z][a-z0-9_]*$")
    title: str
    says: str = ""
    sql: str


class Tour(BaseModel):
    """All starts and queries, in the order in which they are shown."""

    model_config = ConfigDict(extra="forbid", frozen=True)
    starts: tuple[TourStart, ...] = ()
    queries: tuple[TourQuery, ...] = ()


def tour_file(folder: Path) -> Path:
    """Where a schema's tour lies."""
    return folder / "_tour.yaml"


def load_tour(folder: Path) -> Tour | None:
    """The tour in a schema's folder, or None; raises SchemaError naming file, place and mend."""
    path = tour_file(folder)
    return checked(Tour, read_yaml(path), str(path)) if path.exists() else None
