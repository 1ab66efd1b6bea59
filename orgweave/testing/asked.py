"""A prompt read back: the units, facts and earlier entries that a chat completion's messages hold.

Knows the line forms of the shipped user template, and nothing of how it is answered. Example: the
line `{"unit": 3, "facts": {"name": "Alder Boot"}}` is `Unit(3, {"name": "Alder Boot"}, ...)`.
"""

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import takewhile
from typing import Any

from pipeline.write.telling import MUST_CONTAIN, PLAN, TOLD_AS
from verifiers.material import Fact, Facts, Unit

EARLIER = "These exist already; write nothing like them:"
NAMED = "Object type: "
UNIT = '{"unit":'
OWN_NAMES = {told: name for name, told in TOLD_AS.items()}
LANGUAGE = re.compile(r"Write every text in (\w+),")


@dataclass(frozen=True, slots=True)
class Prompt:
    """What was asked: the object type's name, the units, and earlier entries.

    A judge is asked about `reads`: texts with lettered candidates. `language` is the one that the
    words shall be in, "" for English.
    """

    object: str
    units: tuple[Unit, ...]
    earlier: tuple[str, ...]
    reads: tuple["JudgedText", ...] = ()
    language: str = ""


@dataclass(frozen=True, slots=True)
class JudgedText:
    """A text put before a judge, with the candidates of each question."""

    unit: int
    text: str
    candidates: tuple[tuple[str, ...], ...]


def prompt_of(body: Mapping[str, Any]) -> Prompt:
    """Reads the prompt of a request's body."""
    lines: list[str] = []
    for message in body["messages"]:
        if message["role"] == "user":
            lines += message["content"].split("\n")
    schema = body.get("response_format", {}).get("json_schema", {})
    name = schema.get("name") or _named(lines)
    found = [json.loads(line) for line in lines if line.startswith(UNIT)]
    if any("text" in data for data in found):
        return Prompt("Judge", (), (), tuple(_texts(lines)))
    units = tuple(unit_of(data) for data in found)
    return Prompt(str(name), units, tuple(_earlier(lines)), language=_language(body))


def _language(body: Mapping[str, Any]) -> str:
    """The language that the system message asks for."""
    for message in body["messages"]:
        found = LANGUAGE.search(message["content"]) if message["role"] == "system" else None
        if found:
            return found.group(1)
    return ""


def unit_of(data: Mapping[str, Any]) -> Unit:
    """Returns the unit that a line was made from: what every turn shares is given back to each."""
    shared: Facts = data.get("every_turn", {})
    parts = tuple(_own_names({**shared, **part}) for part in data.get("turns", ()))
    plan = {name: data[name] for name in (PLAN, MUST_CONTAIN) if name in data}
    return Unit(
        data["unit"],
        _own_names({**data.get("facts", {}), **plan}),
        parts,
        tuple(data.get("never_mention", ())),
        tuple(data.get("refused_before_because", ())),
    )


def _own_names(shown: Facts) -> dict[str, Fact]:
    """Facts under the names that the schema gives them."""
    return {OWN_NAMES.get(name, name): value for name, value in shown.items()}


def _named(lines: list[str]) -> str:
    """The object type's name, where it stands in the prompt's own words."""
    for line in lines:
        if line.startswith(NAMED):
            return line.removeprefix(NAMED)
    return ""


def _earlier(lines: list[str]) -> list[str]:
    """The bullets below the line that announces them."""
    if EARLIER not in lines:
        return []
    after = lines[lines.index(EARLIER) + 1 :]
    bullets = takewhile(lambda line: line.startswith("- "), after)
    return [line.removeprefix("- ") for line in bullets]


def _texts(lines: list[str]) -> list[JudgedText]:
    """The texts put before a judge, with the questions indented below each."""
    texts: list[JudgedText] = []
    for line in lines:
        if line.startswith(UNIT):
            data = json.loads(line)
            texts.append(JudgedText(data["unit"], data["text"], ()))
        elif texts and line.startswith("  "):
            last = texts.pop()
            texts.append(
                JudgedText(
                    last.unit,
                    last.text,
                    (*last.candidates, _candidates(line)),
                )
            )
    return texts


def _candidates(line: str) -> tuple[str, ...]:
    """The candidates of `  1. Which one? A) this B) that`."""
    found: list[str] = []
    _, mark, rest = line.partition(_mark(0))
    while mark:
        candidate, mark, rest = rest.partition(_mark(len(found) + 1))
        found.append(candidate)
    return tuple(found)


def _mark(place: int) -> str:
    """What stands before a candidate: ` A) ` before the first."""
    return f" {chr(ord('A') + place)}) "
