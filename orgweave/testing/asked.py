"""A prompt read back: the units, facts and earlier entries that a chat completion's messages hold.

Knows the shipped user template's line forms.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from verifiers.material import Facts, Unit

EARLIER = "These exist already; write nothing like them:"


@dataclass(frozen=True, slots=True)
class Prompt:
    """What was asked: the object type's name, the units, earlier entries; for a judge its texts
    with their lettered candidates.
    """

    object: str
    units: tuple[Unit, ...]
    earlier: tuple[str, ...]
    reads: tuple["JudgedText", ...] = ()


@dataclass(frozen=True, slots=True)
class JudgedText:
    """A text put before a judge, with the candidates of each question."""

    unit: int
    text: str
    candidates: tuple[tuple[str, ...], ...]


def prompt_of(body: Mapping[str, Any]) -> Prompt:
    """The prompt of a request's body."""
    lines = [
        line
        for message in body["messages"]
        if message["role"] == "user"
        for line in message["content"].split("\n")
    ]
    name = body.get("response_format", {}).get("json_schema", {}).get("name") or _named(lines)
    found = [json.loads(line) for line in lines if line.startswith('{"unit":')]
    if any("text" in one for one in found):
        return Prompt("Judge", (), (), tuple(_texts(lines)))
    return Prompt(str(name), tuple(unit_of(one) for one in found), tuple(_earlier(lines)))


def unit_of(data: Mapping[str, Any]) -> Unit:
    """A unit's line as the unit it was: what every turn shares is given back to each."""
    shared: Facts = data.get("every_turn", {})
    parts = tuple({**shared, **part} for part in data.get("turns", ()))
    return Unit(
        data["unit"],
        data.get("facts", {}),
        parts,
        tuple(data.get("never_mention", ())),
        tuple(data.get("refused_before_because", ())),
    )


def _named(lines: list[str]) -> str:
    return next(
        (line.removeprefix("Object type: ") for line in lines if line.startswith("Object type: ")),
        "",
    )


def _earlier(lines: list[str]) -> list[str]:
    if EARLIER not in lines:
        return []
    after = lines[lines.index(EARLIER) + 1 :]
    ends = next((at for at, line in enumerate(after) if not line.startswith("- ")), len(after))
    return [line[2:] for line in after[:ends]]


def _texts(lines: list[str]) -> list[JudgedText]:
    texts: list[JudgedText] = []
    for line in lines:
        if line.startswith('{"unit":'):
            data = json.loads(line)
            texts.append(JudgedText(data["unit"], data["text"], ()))
        elif texts and line.startswith("  "):
            last = texts.pop()
            texts.append(JudgedText(last.unit, last.text, (*last.candidates, _candidates(line))))
    return texts


def _candidates(line: str) -> tuple[str, ...]:
    """The candidates of `  1. Which one? A) this B) that`."""
    found: list[str] = []
    at = 0
    while (start := line.find(mark := f" {chr(ord('A') + len(found))}) ", at)) >= 0:
        end = line.find(f" {chr(ord('A') + len(found) + 1)}) ", start + len(mark))
        found.append(line[start + len(mark) : end if end >= 0 else len(line)])
        at = start + len(mark)
    return tuple(found)
