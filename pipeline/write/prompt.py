"""A request as a model's messages.

The text is a function of the request, the schema's beats and the templates alone.

Templates are files with `$name` places: `system.txt`, `user.txt`, `judge/system.txt`,
`judge/user.txt`. A person's own folder may hold any of them,
and `<ObjectType>/system.txt` or `<ObjectType>/user.txt` for one object type; what it doesn't hold
is taken from the package.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from string import Template

from pipeline.write.questions import JudgeBatch
from pipeline.write.request import Fact, Facts, Unit, WriteRequest
from schemas.errors import BadInput
from schemas.model import Beat
from verifiers.format import entry_schema

PromptMessage = dict[str, str]
ROLES = ("system", "user")
UNSAID = ("at",)
PLACES = (
    "company",
    "industry",
    "description",
    "object",
    "fields",
    "beats",
    "schema",
    "earlier",
    "units",
)
JUDGE_PLACES = ("object", "texts")


@dataclass(frozen=True, slots=True)
class Prompts:
    """Templates by place: `user`, `judge/user`, `Case/user`; and the file that each came from."""

    texts: Mapping[str, str]
    files: Mapping[str, Path]

    def filled(self, place: str, role: str, values: Mapping[str, str]) -> str:
        """The template of an object type or of everyone, its places filled; raises BadInput for an
        unknown place.
        """
        name = f"{place}/{role}" if f"{place}/{role}" in self.texts else role
        try:
            return Template(self.texts[name]).substitute(values).strip()
        except (KeyError, ValueError) as error:
            raise BadInput(
                f"{self.files[name]}: unknown place {error}; use"
                f" {', '.join('$' + one for one in values)}, and $$ for a dollar sign"
            ) from error


def default_prompts() -> Path:
    """The folder of the templates that ship with the package."""
    return Path(__file__).parent / "prompts"


def load_prompts(folder: Path | None = None) -> Prompts:
    """The shipped templates, those of `folder` in their place; raises BadInput for a folder that
    can't be read or holds no template.
    """
    files = _files(default_prompts())
    if folder is not None:
        own = _files(folder) if folder.is_dir() else {}
        if not own:
            raise BadInput(
                f"{folder}: holds no prompt template; put system.txt, user.txt, judge/user.txt or"
                " <ObjectType>/user.txt there"
            )
        files |= own
    return Prompts({name: _read(path) for name, path in files.items()}, files)


def check_prompts(prompts: Prompts, objects: Sequence[str]) -> None:
    """Raises BadInput for what would only be found out in the middle of a run: unknown places and
    object types, templates without what they are about.
    """
    for name, text in prompts.texts.items():
        folder, _, role = name.rpartition("/")
        if folder not in ("", "judge", *objects):
            raise BadInput(
                f"{prompts.files[name]}: there is no object type {folder}; name the folder after"
                f" one of {', '.join(objects)}, or judge"
            )
        known = JUDGE_PLACES if folder == "judge" else PLACES
        template = Template(text)
        if not template.is_valid() or (strange := set(template.get_identifiers()) - set(known)):
            what = f" ${min(strange)}" if template.is_valid() else ": a lone $"
            raise BadInput(
                f"{prompts.files[name]}: unknown place{what}; use"
                f" {', '.join('$' + place for place in known)}, and $$ for a dollar sign"
            )
        if role == "user" and known[-1] not in template.get_identifiers():
            raise BadInput(
                f"{prompts.files[name]}: has no ${known[-1]}, so a model would not know what to do;"
                " put it in"
            )


def _files(folder: Path) -> dict[str, Path]:
    found = {
        path.relative_to(folder).with_suffix("").as_posix(): path
        for path in sorted(folder.rglob("*.txt"))
    }
    for name, path in found.items():
        if name.split("/")[-1] not in ROLES or name.count("/") > 1:
            raise BadInput(
                f"{path}: is no prompt template; name it system.txt or user.txt, in the folder or"
                " in a folder named after an object type"
            )
    return found


def _read(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise BadInput(
            f"{path}: can't be read ({error}); a prompt template is a UTF-8 text file"
        ) from error


def messages(
    request: WriteRequest, beats: Mapping[str, Beat], prompts: Prompts
) -> list[PromptMessage]:
    """System and user message; raises BadInput where a template names an unknown place."""
    places = {
        **request.company,
        "object": request.object,
        "fields": "\n".join(
            f"- {field.name}: {field.instruction}{_must(field.must)}" for field in request.fields
        ),
        "beats": _beats(request, beats),
        "schema": json.dumps(answer_schema(request), sort_keys=True),
        "earlier": _earlier(request),
        "units": "\n".join(_unit(unit) for unit in request.units),
    }
    return [
        {"role": role, "content": prompts.filled(request.object, role, places)} for role in ROLES
    ]


def judge_messages(asked: JudgeBatch, prompts: Prompts) -> list[PromptMessage]:
    """The same for a judge: texts, then their questions with lettered candidates."""
    places = {"object": asked.object, "texts": "\n\n".join(_read_by_judge(asked))}
    return [{"role": role, "content": prompts.filled("judge", role, places)} for role in ROLES]


def _read_by_judge(asked: JudgeBatch) -> Sequence[str]:
    shown = []
    for one in asked.reads:
        lines = [json.dumps({"unit": one.unit, "text": one.text}, ensure_ascii=False)]
        for number, choice in enumerate(one.choices, 1):
            lines.append(
                f"  {number}. {choice.asks} "
                + " ".join(
                    f"{letter(at)}) {candidate}" for at, candidate in enumerate(choice.candidates)
                )
            )
        shown.append("\n".join(lines))
    return shown


def letter(place: int) -> str:
    """A candidate's letter: A, B, …"""
    return chr(ord("A") + place)


def answer_schema(request: WriteRequest) -> dict[str, object]:
    """The JSON Schema of one entry (of a conversation: with lists of any length; the format
    verifier counts).
    """
    fields: dict[str, Mapping[str, object]] = {
        field.name: field.json_schema for field in request.fields
    }
    if request.units and request.units[0].parts:
        fields = {name: {"type": "array", "items": {"type": "string"}} for name in fields}
    return entry_schema(fields)


def judge_schema() -> dict[str, object]:
    """The JSON Schema of one entry of a judge's answer."""
    return entry_schema({"answers": {"type": "array", "items": {"type": "string"}}})


def _must(must: tuple[str, ...]) -> str:
    return f" Must name: {', '.join(must)}." if must else ""


def _beats(request: WriteRequest, beats: Mapping[str, Beat]) -> str:
    used = {
        name
        for unit in request.units
        for facts in (unit.facts, *unit.open_parts)
        for name in str(facts.get("beats") or "").split(",")
    }
    lines = [_beat(beats[name]) for name in beats if name in used]
    return (
        "\nBeats (what a turn has to say, in order):\n" + "\n".join(lines) + "\n" if lines else ""
    )


def _beat(beat: Beat) -> str:
    """A beat by the names that the facts have: what it calls {limit} may be the fact deny_limit."""
    says = beat.says
    for used, stands in (beat.uses or {}).items():
        says = says.replace("{" + used + "}", "{" + stands + "}")
    return (
        f"- {beat.name}:"
        f" {says}.{_must(tuple((beat.uses or {}).get(fact, fact) for fact in beat.must))}"
    )


def _earlier(request: WriteRequest) -> str:
    return (
        "\nThese exist already; write nothing like them:\n"
        + "\n".join(f"- {entry}" for entry in request.earlier)
        + "\n"
        if request.earlier
        else ""
    )


def _unit(unit: Unit) -> str:
    """A unit on one line.

    Facts that all its turns share stand once; empty ones and a turn's exact time not at all: most
    of a prompt is facts.
    """
    data: dict[str, object] = {"unit": unit.id, "facts": _filled(unit.facts)}
    if unit.parts:
        shared = _shared(unit.parts)
        data["every_turn"] = _filled(shared)
        data["turns"] = [
            _filled({name: value for name, value in part.items() if name not in shared})
            for part in unit.parts
        ]
        data["texts_to_write"] = len(unit.open_parts)
    if unit.avoid:
        data["never_mention"] = list(unit.avoid)
    if unit.notes:
        data["refused_before_because"] = list(unit.notes)
    return json.dumps(data, ensure_ascii=False)


def _shared(parts: Sequence[Facts]) -> dict[str, Fact]:
    first = parts[0]
    return {
        name: value
        for name, value in first.items()
        if name != "given" and all(part.get(name) == value for part in parts)
    }


def _filled(facts: Facts) -> dict[str, Fact]:
    return {
        name: value
        for name, value in facts.items()
        if value not in ("", None) and name not in UNSAID
    }
