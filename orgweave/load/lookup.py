"""Finding in the CRM what was sent to it, by an external id or a natural key: one query a batch, no
id of ours in it.

The key is the first of these that tells the batch's records apart: the external id; a field that
the CRM keeps unique, then one that
our org does; references, times and picklists together; all short values. Records that even those
don't tell apart are alike.
"""

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence

from orgweave.crm.field import TEXTS, CrmField, CrmObject
from orgweave.crm.seam import BATCH, Body, Target
from orgweave.load.values import alike, literal
from schemas.errors import UploadFailed

QUOTED = TEXTS | {"id", "reference", "combobox", "encryptedstring"}
"""Types whose values stand in quotes in SOQL."""
LONGEST_CONDITION = 8000
"""Characters of a WHERE: the URL of a query holds about 16,000."""
ENCODED_COMMA = 4
"""Characters of a comma and a space in a URL."""
COARSE = frozenset({"reference", "datetime", "date", "picklist"})
NAMING = frozenset({"reference", "picklist", "string", "email", "phone"})
"""Types of which a CRM gives back what it was sent."""
SHORT = COARSE | {"string", "email", "phone", "boolean", "int", "double", "currency"}
VISITOR = "LiveChatVisitor"
FREE = "Id NOT IN (SELECT LiveChatVisitorId FROM LiveChatTranscript)"
"""A visitor has no field of its own: any that has no transcript is as good as another."""
OWNER = "OwnerId"
RecordKey = tuple[object, ...]
"""A record's values of the fields that tell records apart."""
Ready = tuple[str, Body]
"""A record on its way: our key, and what is sent."""


def key_fields(
    info: CrmObject,
    bodies: Sequence[Body],
    external: str | None,
    unique: Iterable[str] = (),
) -> tuple[str, ...]:
    """The fields by which the bodies are told apart; `unique` are those that our org keeps so."""
    sent: set[str] = set()
    for body in bodies:
        sent.update(name for name in body if info.has(name))
    own = sorted(sent & set(unique), key=lambda name: (not info.field(name).unique, name))
    others = sent - {*own, external}
    theirs = sorted(name for name in others if info.field(name).unique)
    candidates: list[tuple[str, ...]] = [(name,) for name in (external, *own, *theirs) if name]
    several = [
        tuple(name for name in _in_order(info, sent) if info.field(name).type in kinds)
        for kinds in (COARSE, SHORT)
    ]
    for fields in (*candidates, *several):
        if fields and _tell_apart(info, fields, bodies):
            return fields
    return several[-1]


def surely_ours(info: CrmObject, fields: tuple[str, ...]) -> bool:
    """Whether what is found by these fields can be of nobody else: the CRM keeps them unique, or
    they lead to records that we made.

    Owners aren't such records: they may have been there before us.
    """
    if not fields or info.field(fields[0]).unique:
        return bool(fields)
    return len(fields) > 1 and info.field(fields[0]).type == "reference" and fields[0] != OWNER


def sole_keys(
    info: CrmObject,
    sent: Collection[str],
    together: tuple[str, ...] = (),
) -> list[tuple[str, ...]]:
    """The keys that the CRM lets no two records share, of fields that are sent: what is sent twice
    is refused the second time.

    `together` are the fields of a key that no describe tells of.
    """
    keys: list[tuple[str, ...]] = []
    for name in sorted(sent):
        field = info.find(name)
        if field and field.unique and field.filterable and field.type in QUOTED:
            keys.append((name,))
    if together and set(together) <= set(sent):
        keys.append(together)
    return keys


def sent_by_all(bodies: Iterable[Body]) -> set[str]:
    """The fields that every one of the bodies has a value for."""
    names: set[str] | None = None
    for body in bodies:
        filled = {name for name, value in body.items() if value not in (None, "")}
        names = filled if names is None else names & filled
    return names or set()


def telling(
    info: CrmObject,
    fields: tuple[str, ...],
    external: str | None,
    bodies: Sequence[Body],
) -> tuple[str, ...]:
    """The fields in which a record must be as it was sent to be taken for ours.

    A unique field that isn't our own, such as a Username, may hold the same value in somebody's
    record; so all else that was sent and that the CRM gives back unchanged is compared, too.
    """
    if len(fields) != 1 or fields[0] == external or not info.field(fields[0]).unique:
        return fields
    more = sent_by_all(bodies) - {fields[0]}
    return (*fields, *sorted(name for name in more if _names(info.find(name))))


def found(
    target: Target,
    info: CrmObject,
    ready: Sequence[Ready],
    fields: tuple[str, ...],
    known: frozenset[str] = frozenset(),
) -> dict[str, str]:
    """Of the records that were sent those that the CRM has: our key and its id.

    What it had before (`known`) isn't meant.
    """
    there: defaultdict[RecordKey, list[str]] = defaultdict(list)
    for record in _asked(target, info, [body for _, body in ready], fields):
        if record["Id"] not in known:
            there[_key(info, fields, record)].append(str(record["Id"]))
    return match(info, ready, fields, there)


def match(
    info: CrmObject,
    ready: Iterable[Ready],
    fields: tuple[str, ...],
    there: Mapping[RecordKey, list[str]],
) -> dict[str, str]:
    """Each record beside one of the ids that have its key; an id is given once."""
    left = {key: list(reversed(ids)) for key, ids in there.items()}
    pairs = ((key, left.get(_key(info, fields, body))) for key, body in ready)
    return {key: ids.pop() for key, ids in pairs if ids}


def ids_there(
    target: Target,
    info: CrmObject,
    ready: Sequence[Ready],
    fields: tuple[str, ...],
) -> frozenset[str]:
    """The ids of all records that have the key of one of these."""
    wanted = {_key(info, fields, body) for _, body in ready}
    records = _asked(target, info, [body for _, body in ready], fields)
    return frozenset(
        str(record["Id"]) for record in records if _key(info, fields, record) in wanted
    )


def _asked(
    target: Target,
    info: CrmObject,
    bodies: Sequence[Body],
    fields: tuple[str, ...],
) -> Iterator[Mapping[str, object]]:
    selected = ", ".join(dict.fromkeys(("Id", *fields)))
    for condition in _conditions(info, bodies, fields):
        yield from target.query(f"SELECT {selected} FROM {info.name} WHERE {condition}")


def _conditions(info: CrmObject, bodies: Sequence[Body], fields: tuple[str, ...]) -> Iterator[str]:
    if info.name == VISITOR and not fields:
        yield FREE
        return
    anchors = [name for name in fields if _selects(info.field(name), bodies)]
    if not anchors:
        raise UploadFailed(
            f"{info.name}: no field tells its records apart, so none can be looked up after a"
            " break; give the object an external id field (--external-id) and run the same command"
            " again"
        )
    anchor = anchors[0]
    part: list[str] = []
    length = 0
    for text in dict.fromkeys(literal(body[anchor]) for body in bodies):
        if part and (len(part) == BATCH or length + len(text) >= LONGEST_CONDITION):
            yield f"{anchor} IN ({', '.join(part)})"
            part, length = [], 0
        part.append(text)
        length += len(text) + ENCODED_COMMA
    if part:
        yield f"{anchor} IN ({', '.join(part)})"


def _names(field: CrmField | None) -> bool:
    return field is not None and field.type in NAMING and field.filterable


def _selects(field: CrmField, bodies: Sequence[Body]) -> bool:
    """Whether a condition on a field can find all of the bodies' records."""
    return (
        field.type in QUOTED
        and field.filterable
        and all(body.get(field.name) not in (None, "") for body in bodies)
    )


def _in_order(info: CrmObject, sent: set[str]) -> list[str]:
    """Filterable fields, references first, in the order of their names; what hasn't been sent is
    empty and tells nothing.
    """

    def rank(name: str) -> tuple[bool, bool, str]:
        return info.field(name).type != "reference", name == OWNER, name

    return sorted((name for name in sent if info.field(name).filterable), key=rank)


def _key(info: CrmObject, fields: tuple[str, ...], values: Mapping[str, object]) -> RecordKey:
    return tuple(alike(info.find(name), values.get(name)) for name in fields)


def _tell_apart(info: CrmObject, fields: tuple[str, ...], bodies: Sequence[Body]) -> bool:
    keys = {_key(info, fields, body) for body in bodies}
    empty = (None,) * len(fields)
    return len(keys) == len(bodies) and empty not in keys
