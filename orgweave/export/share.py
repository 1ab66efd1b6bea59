"""Which records fit where not all do: whole families from the first on, with all that they refer
to. Knows ids, no values.

A family is a record of a type that grows with the org (an account, with its orders, items, cases
and mails). Example: of 40,600 records
at most 2,500 are chosen, the first ten accounts with all that is theirs, and only the prices and
products that those need.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from orgweave.export.crm import CrmObject
from orgweave.export.parts import OF_STANDARD, PRICE, has_standard_book
from orgweave.export.source import ExportSource
from orgweave.soql.sql import quoted

Chosen = Mapping[str, frozenset[str]]


@dataclass(frozen=True, slots=True)
class Links:
    """How records hang together: object type -> id -> (object type, id) of each parent, the first
    one its master.

    Families begin at `roots`, `followers` come with their master, `fixed` types don't grow and come
    whole, `joints` (a product in a
    category) come where all their parents do, and a price with the `standard` price of its product.
    """

    parents: Mapping[str, Mapping[str, tuple[tuple[str, str], ...]]]
    roots: tuple[str, ...]
    fixed: tuple[str, ...]
    standard: Mapping[str, str]
    followers: tuple[str, ...]
    joints: tuple[str, ...]


def chosen(source: ExportSource, objects: Sequence[CrmObject], most: int) -> Chosen | None:
    """Ids by object type, at most `most` records in all; None where all fit."""
    if sum(source.number(one.table) for one in objects) <= most:
        return None
    links = _links(source, objects)
    low, high = 0, max((len(links.parents[name]) for name in links.roots), default=0)
    while low < high:
        middle = (low + high + 1) // 2
        low, high = (middle, high) if _size(_families(links, middle)) <= most else (low, middle - 1)
    return {name: frozenset(ids) for name, ids in _families(links, low).items()}


def _size(found: Mapping[str, set[str]]) -> int:
    return sum(len(ids) for ids in found.values())


def _links(source: ExportSource, objects: Sequence[CrmObject]) -> Links:
    named = {one.name: one for one in objects}
    masters = {one.name: str(one.lookups[0].target) for one in objects if one.lookups}
    grows = [
        one.name for one in objects if one.item.scale == "linear" and one.item.count.cross is None
    ]
    followers = tuple(name for name, master in masters.items() if name in grows and master in grows)
    return Links(
        {one.name: _parents(source, one) for one in objects},
        roots=tuple(
            name
            for name in grows
            if name not in masters and name in {masters[follower] for follower in followers}
        ),
        fixed=tuple(
            name
            for name in named
            if name not in grows
            and named[name].item.count.cross is None
            and masters.get(name) not in grows
        ),
        standard=_standard_prices(source),
        followers=followers,
        joints=tuple(
            name for name, master in masters.items() if name in grows and master not in grows
        ),
    )


def _parents(source: ExportSource, one: CrmObject) -> dict[str, tuple[tuple[str, str], ...]]:
    columns = one.lookups
    rows = source.rows(one.table, ['"Id"', *(quoted(column.stored) for column in columns)])
    return {
        str(key): tuple(
            (str(column.target), str(value))
            for column, value in zip(columns, values, strict=True)
            if value is not None
        )
        for key, *values in rows
    }


def _standard_prices(source: ExportSource) -> dict[str, str]:
    """A price -> the standard price of the same product, without which the CRM refuses it."""
    if not has_standard_book(source.schema):
        return {}
    first = {
        str(product): str(price)
        for product, price in source.rows(PRICE, ['"Product2Id"', '"Id"'], OF_STANDARD)
    }
    return {
        str(price): first[str(product)]
        for price, product in source.rows(PRICE, ['"Id"', '"Product2Id"'])
        if str(product) in first
    }


def _families(links: Links, number: int) -> dict[str, set[str]]:
    """The first families, what they need, and the links between records that are in."""
    found: dict[str, set[str]] = {name: set() for name in links.parents}
    for name in links.fixed:
        for key in links.parents[name]:
            _add(links, found, name, key)
    for name in links.roots:
        for key in list(links.parents[name])[:number]:
            _add(links, found, name, key)
    for name in links.followers:
        for key, parents in links.parents[name].items():
            if parents and parents[0][1] in found[parents[0][0]]:
                _add(links, found, name, key)
    for name in links.joints:
        found[name] |= {
            key
            for key, parents in links.parents[name].items()
            if all(parent in found[kind] for kind, parent in parents)
        }
    return found


def _add(links: Links, found: dict[str, set[str]], name: str, key: str) -> None:
    """A record and, before it, all that it refers to."""
    if key in found[name]:
        return
    found[name].add(key)
    for kind, parent in links.parents[name][key]:
        _add(links, found, kind, parent)
    if name == PRICE and key in links.standard:
        _add(links, found, PRICE, links.standard[key])
