"""A request as a model's messages; the text follows from request, beats and templates alone.

Templates are files with `$name` places: `system.txt`, `user.txt`, `judge/system.txt`,
`judge/user.txt`. A person's own folder may hold any of them, and `<ObjectType>/system.txt` or
`<ObjectType>/user.txt` for one object type; what it doesn't hold is taken from the package.
"""

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from string import Template

from pipeline.write.abroad import country_of, demanded_abroad, told_of_language, worded_abroad
from pipeline.write.questions import JudgeBatch, JudgeItem
from pipeline.write.request import WriteRequest
from schemas.beats import beat_named, said_with
from schemas.country import Country
from schemas.errors import BadInput
from schemas.model import Beat
from verifiers.format import entry_schema
from verifiers.material import Fact, Facts, Unit

PromptMessage = dict[str, str]
ROLES = ("system", "user")
# What says nothing about words: a turn's exact time and, where a text has a plan, the keys and
# numbers of the embedded writer and the figures that stand in the intentions with their units.
UNSAID = frozenset({"at", "nth", "nth_of_issue"})
UNSAID_BY_PLAN = frozenset(
    {"beats", "wish_key", "option_key", "issue_key", "category_key", "named_product", "plural"}
    | {"bought", "ago", "waited", "other_short", "days", "deny_limit"}
)
BEATS, GIVEN = "beats", "given"
PLAN, MUST, MUST_CONTAIN = "to_say", "must", "must_contain"
JSON_FACTS = ("options", "figures")
_PLACE = re.compile(r"\{(\w+)\}")
TALK = " ".join(
    (
        "How a plan is read: `to_say` lists what a text says, in this order, in the writer's own",
        "words; `must_contain` are facts that stand in it in any natural wording. People who",
        "write are no forms. Nobody reads product and date back to the other side. A remedy's",
        "full name stands once, where an agent grants or refuses it; before and after that it is",
        "`that`, `the refund`, `my money`. Customers say what they want in lay words. Nobody",
        "thanks or greets twice. Nobody states a cause that is not in the plan. Answers take up",
        "what was asked. Short is fine: two words may be a whole turn.",
    )
)
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
TEXTS: Mapping[str, object] = {"type": "array", "items": {"type": "string"}}


@dataclass(frozen=True, slots=True)
class Prompts:
    """Templates by place: `user`, `judge/user`, `Case/user`; and the file that each came from."""

    texts: Mapping[str, str]
    files: Mapping[str, Path]

    def filled(
        self,
        place: str,
        role: str,
        values: Mapping[str, str],
    ) -> str:
        """The template of an object type, or of everyone, with its places filled.

        Raises BadInput for an unknown place.
        """
        name = f"{place}/{role}"
        if name not in self.texts:
            name = role
        try:
            return Template(self.texts[name]).substitute(values).strip()
        except (KeyError, ValueError) as error:
            message = _unknown_place(self.files[name], f" {error}", tuple(values))
            raise BadInput(message) from error


def default_prompts() -> Path:
    """The folder of the templates that ship with the package."""
    return Path(__file__).parent / "prompts"


def load_prompts(folder: Path | None = None) -> Prompts:
    """The shipped templates, those of `folder` in their place.

    Raises BadInput for a folder that can't be read or holds no template.
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
    """Raises BadInput for what would only be found out in the middle of a run.

    That is an unknown place, an unknown object type, or a template without what it is about.
    """
    for name, text in prompts.texts.items():
        file = prompts.files[name]
        folder, _, role = name.rpartition("/")
        if folder not in ("", "judge", *objects):
            raise BadInput(
                f"{file}: there is no object type {folder}; name the folder after"
                f" one of {', '.join(objects)}, or judge"
            )
        known = JUDGE_PLACES if folder == "judge" else PLACES
        template = Template(text)
        if not template.is_valid():
            raise BadInput(_unknown_place(file, ": a lone $", known))
        named = template.get_identifiers()
        strange = set(named) - set(known)
        if strange:
            raise BadInput(_unknown_place(file, f" ${min(strange)}", known))
        subject = known[-1]
        if role == "user" and subject not in named:
            raise BadInput(
                f"{file}: has no ${subject}, so a model would not know what to do; put it in"
            )


def _unknown_place(
    file: Path,
    what: str,
    known: Sequence[str],
) -> str:
    places = ", ".join(f"${place}" for place in known)
    return f"{file}: unknown place{what}; use {places}, and $$ for a dollar sign"


def _files(folder: Path) -> dict[str, Path]:
    found = {}
    for path in sorted(folder.rglob("*.txt")):
        name = path.relative_to(folder).with_suffix("").as_posix()
        if name.split("/")[-1] not in ROLES or name.count("/") > 1:
            raise BadInput(
                f"{path}: is no prompt template; name it system.txt or user.txt, in the folder or"
                " in a folder named after an object type"
            )
        found[name] = path
    return found


def _read(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise BadInput(
            f"{path}: can't be read ({error}); a prompt template is a UTF-8 text file"
        ) from error


def messages(
    request: WriteRequest,
    beats: Mapping[str, Beat],
    prompts: Prompts,
) -> list[PromptMessage]:
    """System and user message; raises BadInput where a template names an unknown place."""
    country = country_of(request.company)
    fields = []
    for field in request.fields:
        fields.append(f"- {field.name}: {field.instruction}{_must(field.must)}")
    places = {
        **request.company,
        "object": request.object,
        "fields": "\n".join(fields),
        "beats": _beats(request, beats),
        "schema": json.dumps(answer_schema(request), sort_keys=True),
        "earlier": _earlier(request),
        "units": "\n".join(_unit(unit, beats, country) for unit in request.units),
    }
    made = _in_roles(request.object, places, prompts)
    if country is not None:
        made[0]["content"] += f"\n{told_of_language(country)}"
    return made


def judge_messages(batch: JudgeBatch, prompts: Prompts) -> list[PromptMessage]:
    """The same for a judge: texts, then their questions with lettered candidates."""
    texts = "\n\n".join(_judge_item(item) for item in batch.items)
    return _in_roles("judge", {"object": batch.object, "texts": texts}, prompts)


def letter(place: int) -> str:
    """A candidate's letter: A, B, ..."""
    return chr(ord("A") + place)


def answer_schema(request: WriteRequest) -> dict[str, object]:
    """The JSON Schema of one entry.

    A conversation's fields are lists of any length: units differ, and the format verifier counts.
    """
    listed = bool(request.units and request.units[0].parts)
    fields = {field.name: TEXTS if listed else field.json_schema for field in request.fields}
    return entry_schema(fields)


def judge_schema() -> dict[str, object]:
    """The JSON Schema of one entry of a judge's answer."""
    return entry_schema({"answers": TEXTS})


def _in_roles(
    place: str,
    values: Mapping[str, str],
    prompts: Prompts,
) -> list[PromptMessage]:
    return [{"role": role, "content": prompts.filled(place, role, values)} for role in ROLES]


def _judge_item(item: JudgeItem) -> str:
    """A text as JSON, then a line a question: `  1. Which product? A) Brindle Tent B) ...`."""
    lines = [json.dumps({"unit": item.unit, "text": item.text}, ensure_ascii=False)]
    for number, question in enumerate(item.questions, 1):
        shown = []
        for place, candidate in enumerate(question.candidates):
            shown.append(f"{letter(place)}) {candidate}")
        lines.append(f"  {number}. {question.asks} {' '.join(shown)}")
    return "\n".join(lines)


def _must(must: tuple[str, ...]) -> str:
    if not must:
        return ""
    if must == (MUST,):
        return f" Must contain one of each group in {MUST_CONTAIN}."
    return f" Must name: {', '.join(must)}."


def _beats(request: WriteRequest, beats: Mapping[str, Beat]) -> str:
    """How to read a turn's plan, and what people don't do; nothing where no text has a plan."""
    if not any(_has_plan(unit, beats) for unit in request.units):
        return ""
    return f"\n{TALK}\n"


def _has_plan(unit: Unit, beats: Mapping[str, Beat]) -> bool:
    """Whether acts say what the texts of a unit have to say."""
    return any(_planned(facts, beats) for facts in (unit.facts, *unit.parts))


def _planned(facts: Facts, beats: Mapping[str, Beat]) -> bool:
    names = str(facts.get(BEATS) or "").split(",")
    return any(beat_named(beats, name)[0] is not None for name in names)


def _earlier(request: WriteRequest) -> str:
    if not request.earlier:
        return ""
    lines = "\n".join(f"- {entry}" for entry in request.earlier)
    return f"\nThese exist already; write nothing like them:\n{lines}\n"


def _unit(unit: Unit, beats: Mapping[str, Beat], country: Country | None) -> str:
    """A unit on one line.

    Facts that all its turns share stand once, and empty ones not at all: most of a prompt is
    facts. What a text has to say stands as intentions, with the facts in them.
    """
    planned = _has_plan(unit, beats)
    data: dict[str, object] = {"unit": unit.id, "facts": _shown(unit.facts, planned)}
    if not unit.parts:
        data |= _plan(unit.facts, unit.facts, beats, country)
    if unit.parts:
        shared = _shared(unit.parts)
        turns = []
        for part in unit.parts:
            own = {name: part[name] for name in part if name not in shared}
            turns.append(_shown(own, planned) | _plan(part, {**unit.facts, **part}, beats, country))
        data["every_turn"] = _shown(shared, planned)
        data["turns"] = turns
        data["texts_to_write"] = len(unit.open_parts)
    if unit.avoid:
        data["never_mention"] = list(unit.avoid)
    if unit.notes:
        data["refused_before_because"] = list(unit.notes)
    shown = data if country is None else worded_abroad(data, country)
    return json.dumps(shown, ensure_ascii=False)


def _plan(
    part: Facts, facts: Facts, beats: Mapping[str, Beat], country: Country | None
) -> dict[str, object]:
    """What a turn is to say, one intention an act, and what its text must contain."""
    if part.get(GIVEN):
        return {}
    says, must = [], []
    for name in str(part.get(BEATS) or "").split(","):
        beat, arguments = beat_named(beats, name)
        if beat is None:
            continue
        meant = {used: facts.get(stands) for used, stands in (beat.uses or {}).items()}
        says.append(_filled_in(said_with(beat.says, arguments), {**facts, **meant}))
        for fact in beat.must:
            value = {**facts, **meant}.get(fact)
            if value not in (None, "", 0):
                must.append(_demanded(fact, str(value), country))
    plan: dict[str, object] = {PLAN: says} if says else {}
    demanded = [text for text in must if text]
    if demanded:
        plan[MUST_CONTAIN] = demanded
    return plan


def _demanded(fact: str, value: str, country: Country | None) -> str:
    """What a text must contain of a fact, in the language in which it is written."""
    return value if country is None else demanded_abroad(fact, value, country)


def _filled_in(says: str, facts: Facts) -> str:
    """An intention with its facts; the place of a fact that is empty stays empty."""

    def filled(found: re.Match[str]) -> str:
        value = facts.get(found.group(1))
        return "" if value is None else str(value)

    return " ".join(_PLACE.sub(filled, says).split())


def _shown(facts: Facts, planned: bool) -> dict[str, object]:
    """The facts that a writer is shown: what JSON holds in a text is laid open."""
    shown: dict[str, object] = {}
    for name, value in _filled(facts).items():
        if planned and name in UNSAID_BY_PLAN:
            continue
        if name == MUST:
            shown[MUST_CONTAIN] = _laid_open(value)
        elif name in JSON_FACTS:
            shown[name] = _laid_open(value)
        else:
            shown[name] = value
    return shown


def _laid_open(value: Fact) -> object:
    """What a JSON text holds; a fact of the same name that holds no JSON stays as it is."""
    try:
        return json.loads(str(value))
    except ValueError:
        return value


def _shared(parts: Sequence[Facts]) -> dict[str, Fact]:
    """The facts that are the same in all parts; what was given is each part's own."""
    shared: dict[str, Fact] = {}
    for name, value in parts[0].items():
        if name != "given" and all(part.get(name) == value for part in parts):
            shared[name] = value
    return shared


def _filled(facts: Facts) -> dict[str, Fact]:
    filled: dict[str, Fact] = {}
    for name, value in facts.items():
        if value not in ("", None) and name not in UNSAID:
            filled[name] = value
    return filled
