"""A request as a model's messages. The text is a function of the request, the schema's beats and the templates alone.

Templates are files (`prompts/system.txt`, `prompts/user.txt`) with `$name` places, so that a person can put their own in.
"""

import json
from collections.abc import Mapping
from pathlib import Path
from string import Template

from pipeline.write.request import Unit, WriteRequest
from schemas.errors import BadInput
from schemas.model import Beat
from verifiers.format import entry_schema

Message = dict[str, str]


def default_prompts() -> Path:
    """The folder of the templates that ship with the package."""
    return Path(__file__).parent / "prompts"


def messages(request: WriteRequest, beats: Mapping[str, Beat], folder: Path | None = None) -> list[Message]:
    """System and user message; raises BadInput where a template is missing or names an unknown place."""
    places = {
        **request.company,
        "object": request.object,
        "fields": "\n".join(f"- {field.name}: {field.instruction}{_must(field.must)}" for field in request.fields),
        "beats": _beats(request, beats),
        "schema": json.dumps(answer_schema(request), sort_keys=True),
        "earlier": _earlier(request),
        "units": "\n".join(_unit(unit) for unit in request.units),
    }
    return [{"role": role, "content": _filled(folder or default_prompts(), role, places)} for role in ("system", "user")]


def answer_schema(request: WriteRequest) -> dict[str, object]:
    """The JSON Schema of one entry (of a conversation: with lists of any length; the format verifier counts)."""
    fields: dict[str, Mapping[str, object]] = {field.name: field.json_schema for field in request.fields}
    if request.units and request.units[0].parts:
        fields = {name: {"type": "array", "items": {"type": "string"}} for name in fields}
    return entry_schema(fields)


def _filled(folder: Path, role: str, places: Mapping[str, str]) -> str:
    path = folder / f"{role}.txt"
    try:
        return Template(path.read_text(encoding="utf-8")).substitute(places).strip()
    except OSError as error:
        raise BadInput(f"{path}: can't be read ({error.strerror}); a prompt folder holds system.txt and user.txt") from error
    except (KeyError, ValueError) as error:
        raise BadInput(f"{path}: unknown place {error}; use {', '.join('$' + name for name in places)}") from error


def _must(must: tuple[str, ...]) -> str:
    return f" Must name: {', '.join(must)}." if must else ""


def _beats(request: WriteRequest, beats: Mapping[str, Beat]) -> str:
    used = {name for unit in request.units for facts in (unit.facts, *unit.parts) for name in str(facts.get("beats") or "").split(",")}
    lines = [_beat(beats[name]) for name in beats if name in used]
    return "\nBeats (what a turn has to say, in order):\n" + "\n".join(lines) + "\n" if lines else ""


def _beat(beat: Beat) -> str:
    """A beat by the names that the facts have: what it calls {limit} may be the fact deny_limit."""
    says = beat.says
    for used, stands in (beat.uses or {}).items():
        says = says.replace("{" + used + "}", "{" + stands + "}")
    return f"- {beat.name}: {says}.{_must(tuple((beat.uses or {}).get(fact, fact) for fact in beat.must))}"


def _earlier(request: WriteRequest) -> str:
    return "\nThese exist already; write nothing like them:\n" + "\n".join(f"- {entry}" for entry in request.earlier) + "\n" if request.earlier else ""


def _unit(unit: Unit) -> str:
    data: dict[str, object] = {"unit": unit.id, "facts": dict(unit.facts)}
    if unit.parts:
        data["turns"] = [dict(part) for part in unit.parts]
        data["texts_to_write"] = len(unit.open_parts)
    if unit.avoid:
        data["never_mention"] = list(unit.avoid)
    if unit.notes:
        data["refused_before_because"] = list(unit.notes)
    return json.dumps(data, ensure_ascii=False)
