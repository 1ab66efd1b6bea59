"""Finding in the CRM what was sent to it, by an external id or a natural key: one query a batch, no
id of ours in it.

The key is the first of these that tells the batch's records apart: the external id; a field that
the CRM keeps unique, then one that
our org does; references, times and picklists together; all short values. Records that even those
don't tell apart are alike.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence

from orgweave.load.described import QUOTED, ObjectInfo
from orgweave.load.target import BATCH, Body, Target
from orgweave.load.values import alike, literal
from schemas.errors import UploadFailed

LONGEST_CONDITION = 8000
"""Characters of a WHERE: the URL of a query holds about 16,000."""
COARSE = frozenset({"reference", "datetime", "date", "picklist"})
SHORT = COARSE | {"string", "email", "phone", "boolean", "int", "double", "currency"}
VISITOR = "LiveChatVisitor"
FREE = "Id NOT IN (SELECT LiveChatVisitorId FROM LiveChatTranscript)"
"""A visitor has no field of its own: any that has no transcript is as good as another."""
OWNER = "OwnerId"
Ready = tuple[str, Body]
"""A record on its way: our key, and what is sent."""


def key_fields(
    info: ObjectInfo, bodies: Sequence[Body], external: str | None, unique: Iterable[str] = ()
) -> tuple[str, ...]:
    """The fields by which the bodies are told apart;
    `unique` are those that our org keeps unique.
    """
    sent = {name for body in bodies for name in body if name in info.fields}
    own = sorted(
        (name for name in sent & set(unique)), key=lambda name: not info.fields[name].unique
    )
    theirs = sorted(
        name for name in sent - set(own) if info.fields[name].unique and name != external
    )
    several = [
        tuple(name for name in _in_order(info, sent) if info.fields[name].type in kinds)
        for kinds in (COARSE, SHORT)
    ]
    candidates = [
        *([(external,)] if external else []),
        *((name,) for name in (*own, *theirs)),
        *several,
    ]
    return next(
        (fields for fields in candidates if fields and _tell_apart(info, fields, bodies)),
        candidates[-1],
    )


def surely_ours(info: ObjectInfo, fields: tuple[str, ...]) -> bool:
    """Whether what is found by these fields can be of nobody else: the CRM keeps them unique, or
    they lead to records that we made.

    Owners aren't such records: they may have been there before us.
    """
    if not fields or info.fields[fields[0]].unique:
        return bool(fields)
    return len(fields) > 1 and info.fields[fields[0]].type == "reference" and fields[0] != OWNER


def found(
    target: Target,
    info: ObjectInfo,
    ready: Sequence[Ready],
    fields: tuple[str, ...],
    known: frozenset[str] = frozenset(),
) -> dict[str, str]:
    """Of the records that were sent those that the CRM has: our key and its id.

    What it had before (`known`) isn't meant.
    """
    there: defaultdict[tuple[object, ...], list[str]] = defaultdict(list)
    for record in _asked(target, info, [body for _, body in ready], fields):
        if record["Id"] not in known:
            there[_key(info, fields, record)].append(str(record["Id"]))
    return match(info, ready, fields, there)


def match(
    info: ObjectInfo,
    ready: Iterable[Ready],
    fields: tuple[str, ...],
    there: Mapping[tuple[object, ...], list[str]],
) -> dict[str, str]:
    """Each record beside one of the ids that have its key; an id is given once."""
    left = {key: list(reversed(ids)) for key, ids in there.items()}
    pairs = ((key, left.get(_key(info, fields, body))) for key, body in ready)
    return {key: ids.pop() for key, ids in pairs if ids}


def ids_there(
    target: Target, info: ObjectInfo, ready: Sequence[Ready], fields: tuple[str, ...]
) -> frozenset[str]:
    """The ids of all records that have the key of one of these."""
    wanted = {_key(info, fields, body) for _, body in ready}
    records = _asked(target, info, [body for _, body in ready], fields)
    return frozenset(
        str(record["Id"]) for record in records if _key(info, fields, record) in wanted
    )


def _asked(
    target: Target, info: ObjectInfo, bodies: Sequence[Body], fields: tuple[str, ...]
) -> Iterator[Mapping[str, object]]:
    selected = ", ".join(dict.fromkeys(("Id", *fields)))
    for condition in _conditions(info, bodies, fields):
        yield from target.query(f"SELECT {selected} FROM {info.name} WHERE {condition}")


def _conditions(info: ObjectInfo, bodies: Sequence[Body], fields: tuple[str, ...]) -> Iterator[str]:
    if info.name == VISITOR and not fields:
        yield FREE
        return
    anchor = next(
        (
            name
            for name in fields
            if info.fields[name].type in QUOTED
            and info.fields[name].filterable
            and all(body.get(name) not in (None, "") for body in bodies)
        ),
        None,
    )
    if anchor is None:
        raise UploadFailed(
            f"{info.name}: no field tells its records apart, so none can be looked up after a"
            " break; give the object an external id field (--external-id) and run the same command"
            " again"
        )
    texts = list(dict.fromkeys(literal(body[anchor]) for body in bodies))
    while texts:
        count, length = 0, 0
        while count < min(len(texts), BATCH) and (
            not count or length + len(texts[count]) < LONGEST_CONDITION
        ):
            length += len(texts[count]) + 4
            count += 1
        yield f"{anchor} IN ({', '.join(texts[:count])})"
        texts = texts[count:]


def _in_order(info: ObjectInfo, sent: set[str]) -> list[str]:
    """Filterable fields, references first, in the order of their names; what hasn't been sent is
    empty and tells nothing.
    """
    return sorted(
        (name for name in sent if info.fields[name].filterable),
        key=lambda name: (info.fields[name].type != "reference", name == OWNER, name),
    )


def _key(
    info: ObjectInfo, fields: tuple[str, ...], values: Mapping[str, object]
) -> tuple[object, ...]:
    return tuple(alike(info.fields.get(name), values.get(name)) for name in fields)


def _tell_apart(info: ObjectInfo, fields: tuple[str, ...], bodies: Sequence[Body]) -> bool:
    keys = {_key(info, fields, body) for body in bodies}
    return len(keys) == len(bodies) and not any(all(part is None for part in key) for key in keys)
