"""What a writer is asked: units with their facts, the fields to write, entries that stand already.

Both writers get this type.

Example unit: facts {"product": "Brindle Trail Runner", "tone": "angry", …}, parts ({"speaker":
"Agent", "beats": "a.greet,…"}, …).
The SHA-256 of a request's canonical JSON is its key in the ledger.
"""

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, field

Fact = str | int | float | bool | None
Facts = Mapping[str, Fact]


@dataclass(frozen=True, slots=True)
class WrittenField:
    """A field to be written: its instruction, the facts its text must name, its JSON Schema, and
    how the embedded writer words it.
    """

    name: str
    instruction: str
    must: tuple[str, ...]
    json_schema: Mapping[str, object]
    rule: str = ""
    beats: str = ""
    words: int = 12


@dataclass(frozen=True, slots=True)
class Unit:
    """One piece of writing: a record, or a conversation whose `parts` are its turns (those with
    `given` stand already).

    `avoid` lists phrases no text of the unit may hold; `notes` says why an earlier try was refused.
    """

    id: int
    facts: Facts
    parts: tuple[Facts, ...] = ()
    avoid: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()

    @property
    def open_parts(self) -> tuple[Facts, ...]:
        """The parts that are to be written."""
        return tuple(part for part in self.parts if not part.get("given"))


@dataclass(frozen=True, slots=True)
class WriteRequest:
    """A mini-batch: up to ten units of one object type, with the key fields of its lane's earlier
    entries.
    """

    object: str
    company: Mapping[str, str]
    fields: tuple[WrittenField, ...]
    units: tuple[Unit, ...]
    earlier: tuple[str, ...] = ()
    attempt: int = 0
    seed: int = 0
    node: str = ""
    model: str = ""
    parameters: Mapping[str, Fact] = field(default_factory=dict)

    def canonical(self) -> str:
        """The request as JSON with sorted keys; equal requests have equal texts."""
        return json.dumps(_plain(self), sort_keys=True, ensure_ascii=False, separators=(",", ":"))

    @property
    def key(self) -> str:
        """What the ledger keeps its answer under."""
        return key_of(self.canonical())


@dataclass(frozen=True, slots=True)
class WriterAnswer:
    """What came back: raw entries (each a mapping with `unit` and the written fields), tokens, and
    money in dollars.

    `sent` and `text` are the messages and the answer as they went over the wire; `trouble` says
    what was wrong with the whole
    (such as `not JSON`), and `cut` that the model stopped at its longest output.
    """

    entries: tuple[object, ...]
    tokens_in: int = 0
    tokens_out: int = 0
    cost: float = 0.0
    sent: str = ""
    text: str = ""
    trouble: str = ""
    cut: bool = False


def key_of(canonical: str) -> str:
    """SHA-256 of a canonical request, 64 hexadecimal digits."""
    return hashlib.sha256(canonical.encode()).hexdigest()


def _plain(request: WriteRequest) -> dict[str, object]:
    return {
        "object": request.object,
        "company": dict(request.company),
        "fields": [
            {
                "name": one.name,
                "instruction": one.instruction,
                "must": one.must,
                "schema": dict(one.json_schema),
                "rule": one.rule,
                "beats": one.beats,
                "words": one.words,
            }
            for one in request.fields
        ],
        "units": [
            {
                "id": unit.id,
                "facts": dict(unit.facts),
                "parts": [dict(part) for part in unit.parts],
                "avoid": unit.avoid,
                "notes": unit.notes,
            }
            for unit in request.units
        ],
        "earlier": request.earlier,
        "attempt": request.attempt,
        "seed": request.seed,
        "node": request.node,
        "model": request.model,
        "parameters": dict(request.parameters),
    }
