"""Which records fit where not all do: whole families from the first on, with all that they refer
to. Knows ids, no values.

A family is a record of a type that grows with the org (an account, with its orders, items, cases
and mails). Example: of 40,600 records at most 2,500 are chosen, the first ten accounts with all
that is theirs, and only the prices and products that those need.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from orgweave.crm.field import CrmObject
from orgweave.export.objects import lookups
from orgweave.export.parts import OF_STANDARD, PRICE, has_standard_book
from orgweave.export.source import ExportSource
from orgweave.soql.sql import quoted

Chosen = Mapping[str, frozenset[str]]
"""Ids by object type."""
Parents = tuple[tuple[str, str], ...]
"""The records that one refers to, as (object type, id); the first is its master."""


@dataclass(frozen=True, slots=True)
class Links:
    """How records hang together.

    Attributes:
        parents: object type -> id -> what that record refers to.
        roots: the object types with which families begin.
        fixed: those that don't grow with the org and come whole.
        standard: a price's id -> the id of the standard price of its product.
        followers: those whose records come with their master.
        joints: those whose records (a product in a category) come where all their parents do.
    """

    parents: Mapping[str, Mapping[str, Parents]]
    roots: tuple[str, ...]
    fixed: tuple[str, ...]
    standard: Mapping[str, str]
    followers: tuple[str, ...]
    joints: tuple[str, ...]


def chosen(source: ExportSource, objects: Sequence[CrmObject], most: int) -> Chosen | None:
    """Ids by object type, at most `most` records in all; None where all fit.

    The number of families is found by halving, for more families never have fewer records.
    """
    if sum(source.number(crm_object.table) for crm_object in objects) <= most:
        return None
    links = _links(source, objects)
    low, high = 0, max((len(links.parents[name]) for name in links.roots), default=0)
    while low < high:
        middle = (low + high + 1) // 2
        if _size(_families(links, middle)) <= most:
            low = middle
        else:
            high = middle - 1
    return {name: frozenset(ids) for name, ids in _families(links, low).items()}


def _size(found: Mapping[str, set[str]]) -> int:
    return sum(len(ids) for ids in found.values())


def _links(source: ExportSource, objects: Sequence[CrmObject]) -> Links:
    crossed: set[str] = set()
    grows: list[str] = []
    masters: dict[str, str] = {}
    for crm_object in objects:
        item = source.schema.object(crm_object.table)
        if item.count.cross is not None:
            crossed.add(crm_object.name)
        elif item.scale == "linear":
            grows.append(crm_object.name)
        if lookups(crm_object):
            masters[crm_object.name] = str(lookups(crm_object)[0].target)
    growing = {name: master for name, master in masters.items() if name in grows}
    followers = [name for name, master in growing.items() if master in grows]
    followed = {masters[name] for name in followers}
    still = [name for name in _names(objects) if name not in grows and name not in crossed]
    return Links(
        {crm_object.name: _parents(source, crm_object) for crm_object in objects},
        roots=tuple(name for name in grows if name not in masters and name in followed),
        fixed=tuple(name for name in still if masters.get(name) not in grows),
        standard=_standard_prices(source),
        followers=tuple(followers),
        joints=tuple(name for name, master in growing.items() if master not in grows),
    )


def _names(objects: Sequence[CrmObject]) -> list[str]:
    return [crm_object.name for crm_object in objects]


def _parents(source: ExportSource, crm_object: CrmObject) -> dict[str, Parents]:
    """What each record of an object type refers to."""
    fields = lookups(crm_object)
    columns = [quoted(field.column) for field in fields]
    found: dict[str, Parents] = {}
    for key, *values in source.rows(crm_object.table, ['"Id"', *columns]):
        pairs = zip(fields, values, strict=True)
        found[str(key)] = tuple(
            (str(field.target), str(value)) for field, value in pairs if value is not None
        )
    return found


def _standard_prices(source: ExportSource) -> dict[str, str]:
    """A price -> the standard price of the same product, without which the CRM refuses it."""
    if not has_standard_book(source.schema):
        return {}
    first: dict[str, str] = {}
    for product, price in source.rows(PRICE, ['"Product2Id"', '"Id"'], OF_STANDARD):
        first[str(product)] = str(price)
    found: dict[str, str] = {}
    for price, product in source.rows(PRICE, ['"Id"', '"Product2Id"']):
        if str(product) in first:
            found[str(price)] = first[str(product)]
    return found


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
            if parents and _has(found, *parents[0]):
                _add(links, found, name, key)
    for name in links.joints:
        for key, parents in links.parents[name].items():
            if all(_has(found, *parent) for parent in parents):
                found[name].add(key)
    return found


def _has(found: Mapping[str, set[str]], name: str, key: str) -> bool:
    return key in found[name]


def _add(links: Links, found: dict[str, set[str]], name: str, key: str) -> None:
    """Adds a record and, before it, all that it refers to."""
    if key in found[name]:
        return
    found[name].add(key)
    for parent_name, parent in links.parents[name][key]:
        _add(links, found, parent_name, parent)
    if name == PRICE and key in links.standard:
        _add(links, found, PRICE, links.standard[key])
