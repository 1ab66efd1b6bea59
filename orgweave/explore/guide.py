"""What the start page shows first: the schema's tour, or what can be told from the object types
alone where the schema has none.
"""

import sqlite3
from collections.abc import Mapping, Sequence
from contextlib import closing
from pathlib import Path

from orgweave.explore.cells import Link
from orgweave.explore.reading import OrgPages
from orgweave.explore.views import ObjectView, Relation
from orgweave.soql.sql import Sql, quoted
from pipeline.run_folder import ORG_FILE
from schemas.errors import SchemaError
from schemas.tour import Tour, TourQuery, TourStart

MOST_STARTS = 3
MOST_QUERIES = 6


def general_tour(
    kinds: Mapping[str, ObjectView], relations: Mapping[str, Sequence[Relation]]
) -> Tour:
    """Starts: the records that most others refer to.

    Queries: records by month, and by the first column that divides them.
    """
    referring: dict[str, int] = {}
    for name in kinds:
        referring[name] = sum(relation.child.records for relation in relations[name])
    hubs = [name for name in kinds if referring[name] > kinds[name].records > 0]
    hubs.sort(key=lambda name: -referring[name])
    filled = [kind for kind in kinds.values() if kind.records]
    queries: list[TourQuery] = []
    for kind in sorted(filled, key=lambda kind: -kind.records):
        queries += filter(None, (_by_month(kind), _by_facet(kind)))
    return Tour(
        starts=tuple(_start(kinds[name], relations[name]) for name in hubs[:MOST_STARTS]),
        queries=tuple(queries[:MOST_QUERIES]),
    )


def check_tour(path: Path, tour: Tour, file: Path) -> None:
    """Raises SchemaError for SQL that the org in a file can't answer, naming the tour's file and
    entry.
    """
    with closing(sqlite3.connect(path)) as db:
        entries: tuple[TourStart | TourQuery, ...] = (*tour.starts, *tour.queries)
        for entry in entries:
            try:
                db.execute(f"EXPLAIN {entry.sql}")
            except (sqlite3.Error, sqlite3.Warning) as error:
                raise SchemaError(
                    f"{file}: {entry.title}: sql: {error}; mend the statement, it must be one"
                    f" SELECT on {ORG_FILE}"
                ) from error


async def beginnings(tour: Tour, reading: OrgPages) -> list[tuple[TourStart, Link]]:
    """The tour's starts with their records; those that this org has none for are left out."""
    found = []
    for start in tour.starts:
        rows = await reading.reader.rows(Sql(start.sql))
        link = await reading.link(str(next(iter(rows[0].values())))) if rows else None
        if link:
            found.append((start, link))
    return found


def _start(kind: ObjectView, relations: Sequence[Relation]) -> TourStart:
    counts = [_counting(relation) for relation in relations if not relation.column.many] or ["0"]
    plurals = [relation.child.plural.lower() for relation in relations]
    children = " and ".join(dict.fromkeys(plurals))
    return TourStart(
        title=f"A busy {kind.caption.lower()}",
        says=f"The one with the most {children}.",
        sql=(
            f'SELECT "Id" FROM {quoted(kind.name)} AS t ORDER BY {" + ".join(counts)} DESC, "Id"'
            " LIMIT 1"
        ),
    )


def _counting(relation: Relation) -> str:
    """SQL for how many records of a relation refer to the record `t`."""
    child, column = quoted(relation.child.name), quoted(relation.column.name)
    return f'(SELECT count(*) FROM {child} WHERE {column} = t."Id")'


def _by_month(kind: ObjectView) -> TourQuery | None:
    if not kind.date:
        return None
    sql = (
        f"SELECT substr({quoted(kind.date)}, 1, 7) AS Month, count(*) AS"
        f" {quoted(kind.plural)}\nFROM {quoted(kind.name)} GROUP BY Month ORDER BY Month"
    )
    return TourQuery(
        name=f"{kind.name.lower()}_by_month",
        title=f"{kind.plural} month by month",
        says=kind.says,
        sql=sql,
    )


def _by_facet(kind: ObjectView) -> TourQuery | None:
    columns = [
        column for column in kind.columns if column.name in kind.facets and column.form != "boolean"
    ]
    if not columns:
        return None
    column = columns[0]
    sql = (
        f"SELECT {quoted(column.name)} AS {quoted(column.caption)}, count(*) AS"
        f" {quoted(kind.plural)}\nFROM {quoted(kind.name)} GROUP BY 1 ORDER BY 2 DESC"
    )
    return TourQuery(
        name=f"{kind.name.lower()}_by_{column.name.lower()}",
        title=f"{kind.plural} by {column.caption.lower()}",
        says=kind.says,
        sql=sql,
    )
