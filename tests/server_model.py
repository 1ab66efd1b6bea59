"""What the writable server must answer, as a plain dictionary of records: accounts and their
contacts, with external ids.

Knows no HTTP and no clock. `apply` gives the answer to an operation and the records after it;
`linearized` tells whether some order of operations that overlapped gives the answers that were
given. Only the ids of new records are taken from the answers.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

Kind = Literal["Account", "Contact"]
NAME: dict[Kind, str] = {"Account": "Name", "Contact": "LastName"}
"""The field without which there is no record."""
Values = tuple[tuple[str, str], ...]
"""Fields and values of a request; "" is null."""
Answer = tuple[object, ...]
"""Whether it went well, and what came back: ids, values, or the code of an error."""


@dataclass(frozen=True, slots=True)
class ModelRecord:
    """A record: its fields as REST gives them, nulls left out."""

    kind: Kind
    fields: frozenset[tuple[str, str]]

    def get(self, name: str) -> str:
        """A field; "" for null."""
        return dict(self.fields).get(name, "")


@dataclass(frozen=True, slots=True)
class Records:
    """All records by id, and the ids of those that there were."""

    live: frozenset[tuple[str, ModelRecord]] = frozenset()
    deleted: frozenset[str] = frozenset()

    def get(self, key: str) -> ModelRecord | None:
        """A record, None where there is none."""
        return dict(self.live).get(key)

    def of(self, kind: Kind) -> dict[str, ModelRecord]:
        """The records of an object type."""
        return {key: record for key, record in self.live if record.kind == kind}


@dataclass(frozen=True, slots=True)
class Operation:
    """A call: what it does, with what."""

    verb: Literal[
        "create", "read", "update", "delete", "upsert", "query", "count", "all", "together"
    ]
    kind: Kind
    key: str = ""
    values: Values = ()
    parts: tuple["Operation", ...] = ()


@dataclass(frozen=True, slots=True)
class Happened:
    """An operation of a client, its answer, and its place among all beginnings and ends."""

    operation: Operation
    answer: Answer
    begun: int
    ended: int


def apply(records: Records, operation: Operation, told: Answer) -> tuple[Answer, Records]:
    """The right answer, and the records after it; ids of new records are those that were told."""
    kind, key = operation.kind, operation.key
    match operation.verb:
        case "read":
            record = records.get(key)
            if record is None or record.kind != kind:
                return ("NOT_FOUND",), records
            return ("ok", record.fields), records
        case "count":
            return ("ok", len(records.of(kind))), records
        case "query":
            # SOQL compares texts in any case.
            wanted = dict(operation.values)["Phone"].lower()
            of_kind = records.of(kind).items()
            found = [key for key, record in of_kind if record.get("Phone").lower() == wanted]
            return ("ok", frozenset(found)), records
        case "all":
            every = [(key, record.fields) for key, record in records.of(kind).items()]
            return ("ok", frozenset(every)), records
        case "create":
            return _create(records, kind, operation.values, told)
        case "update":
            return _update(records, kind, key, operation.values)
        case "delete":
            return _delete(records, kind, key)
        case "upsert":
            return _upsert(records, operation, told)
        case "together":
            return _together(records, operation, told)


def _create(records: Records, kind: Kind, values: Values, told: Answer) -> tuple[Answer, Records]:
    made = ModelRecord(kind, frozenset((name, value) for name, value in values if value))
    fault = _fault(records, made, "", values)
    if fault:
        return (fault,), records
    new = str(told[1]) if told[0] == "ok" and len(told) > 1 else "?"
    if new in dict(records.live) or new in records.deleted:
        return ("an id that nobody had",), records
    return ("ok", new), Records(records.live | {(new, made)}, records.deleted)


def _update(records: Records, kind: Kind, key: str, values: Values) -> tuple[Answer, Records]:
    old = records.get(key)
    if old is None or old.kind != kind:
        gone = key in records.deleted
        return ("ENTITY_IS_DELETED" if gone else "NOT_FOUND",), records
    changed = {**dict(old.fields), **dict(values)}
    new = ModelRecord(kind, frozenset((name, value) for name, value in changed.items() if value))
    fault = _fault(records, new, key, values)
    if fault:
        return (fault,), records
    return ("ok",), Records(records.live - {(key, old)} | {(key, new)}, records.deleted)


def _delete(records: Records, kind: Kind, key: str) -> tuple[Answer, Records]:
    old = records.get(key)
    if old is None or old.kind != kind:
        gone = key in records.deleted
        return ("ENTITY_IS_DELETED" if gone else "NOT_FOUND",), records
    # An account takes its contacts along.
    lost = {key} | {child for child, record in records.live if record.get("AccountId") == key}
    live = frozenset((key, record) for key, record in records.live if key not in lost)
    return ("ok",), Records(live, records.deleted | lost)


def _upsert(records: Records, operation: Operation, told: Answer) -> tuple[Answer, Records]:
    kind, external = operation.kind, operation.key
    for key, record in records.of(kind).items():
        if record.get("Synth_Id__c") == external:
            answer, after = _update(records, kind, key, operation.values)
            return (("ok", key, False) if answer == ("ok",) else answer), after
    values = (*operation.values, ("Synth_Id__c", external))
    answer, after = _create(records, kind, values, told)
    return ((*answer, True) if answer[0] == "ok" else answer), after


def _together(records: Records, operation: Operation, told: Answer) -> tuple[Answer, Records]:
    """All parts or none: either each part's answer, or which of them failed."""
    after = records
    answers: list[Answer] = []
    parts = told[1] if told[0] == "ok" and isinstance(told[1], tuple) else ()
    for number, part in enumerate(operation.parts):
        told_part = parts[number] if number < len(parts) else ("?",)
        answer, after = apply(after, part, told_part)
        answers.append(answer)
    if all(answer[0] == "ok" for answer in answers):
        return ("ok", tuple(answers)), after
    return ("undone",), records


def _fault(records: Records, new: ModelRecord, key: str, given: Values) -> str:
    """Why a record can't be written; "" where it can."""
    if not new.get(NAME[new.kind]):
        return "REQUIRED_FIELD_MISSING"
    values = dict(given)
    parent, external = values.get("AccountId"), values.get("Synth_Id__c")
    if parent and parent not in records.of("Account"):
        return "INVALID_CROSS_REFERENCE_KEY"
    for other, record in records.of(new.kind).items():
        if external and other != key and record.get("Synth_Id__c") == external:
            return "DUPLICATE_VALUE"
    return ""


def linearized(records: Records, clients: Sequence[Sequence[Happened]]) -> Records | None:
    """The records after some order of all operations that gives the answers that were given.

    An operation that ended before another began stands before it. None where there is no such
    order: then somebody was told what was never so.
    """
    start = (tuple(0 for _ in clients), records)
    seen = {start}
    stack = [start]
    while stack:
        places, here = stack.pop()
        if all(place == len(done) for place, done in zip(places, clients, strict=True)):
            return here
        for number, happened in _next(clients, places):
            answer, after = apply(here, happened.operation, happened.answer)
            moved = list(places)
            moved[number] += 1
            state = (tuple(moved), after)
            if answer == happened.answer and state not in seen:
                seen.add(state)
                stack.append(state)
    return None


def _next(
    clients: Sequence[Sequence[Happened]], places: Sequence[int]
) -> Iterator[tuple[int, Happened]]:
    """Each client's next operation, if none that is left had ended when it began."""
    waiting = []
    for number, done in enumerate(clients):
        if places[number] < len(done):
            waiting.append((number, done[places[number]]))
    first_end = min(happened.ended for _, happened in waiting)
    for number, happened in waiting:
        if happened.begun < first_end:
            yield number, happened
