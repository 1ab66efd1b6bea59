"""A request as a model's messages; the text follows from request, beats and templates alone.

Templates are files with `$name` places: `system.txt`, `user.txt`, `judge/system.txt`,
`judge/user.txt`. A person's own folder may hold any of them, and `<ObjectType>/system.txt` or
`<ObjectType>/user.txt` for one object type; what it doesn't hold is taken from the package.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from string import Template

from pipeline.write.abroad import country_of, told_of_language
from pipeline.write.questions import JudgeBatch, JudgeItem
from pipeline.write.request import WriteRequest
from pipeline.write.senses import NO_SENSES, Senses
from pipeline.write.telling import MUST, MUST_CONTAIN, UnitTelling
from schemas.errors import BadInput
from schemas.model import Beat
from verifiers.format import entry_schema

PromptMessage = dict[str, str]
ROLES = ("system", "user")
TALK = """
How a plan is read:
- `to_say` lists what a text does; how is the writer's own. Points that belong together become one
  sentence, their order may change, and a point that the talk has settled already is a word or two.
- A text may hold what people add that decides nothing: a lunch break, a child asleep, how it was
  noticed. Figures, days and names are those of the plan, of `facts` and of their `details`; no
  other product, cause, promise or question. It greets or signs only where its plan says so. A first
  mail names what exactly it is about, by `details`, and leaves open what is `asked_later`.
- `must_contain` are facts that stand in it in any natural wording. What stands `in the sense of`
  tells what a word of the desk means: say it anew for this person. `customer_sees` holds what is
  true of the matter, with words in brackets that show it; a customer tells what the plan says.
- A remedy stands in a plan under its name in the catalog, which nobody says. Who offers, grants or
  refuses it says in everyday words what is done, so that it is clear which: see `people_say_...`
  (... stands for other words), or the like. After that it is "that" or "it".
- `when` is the customer's clock: "today", "Tuesday" and "good morning" follow from it. What the
  window shows is known to both. A difference may be told by its two figures: "15.5, not 13.2".
- A text that is `given` stands already. No text may hold a phrase of `never_mention`.

How people write:
- Each takes up what was just said: a question is answered first, a worry met. "It", "they", "the
  left one" will do; nobody reads product and date back.
- American English with contractions. Lengths differ: a fragment, then a block of clauses in one
  breath; never a row of short sentences. Not every line is polished, no two begin alike, and none
  is a maxim. In chats most lines end without a period.
- Customers begin with what bothers them and leave out what seems plain to them. Tone and length
  show in each of their texts; a habit of `customer_types_with` in one of three.
- Agents name what they look at, with its figure or day from `details`, then what follows from it,
  with the reason of a refusal, once. No sympathy that fits any case. Who knows a cause from an
  answer or a photo alone says "looks like".
- What was agreed on is confirmed once; from there on it is what will happen: "they'll ship Friday".
  Money is named with its sum where the plan of the same text has it, in one sentence.
- Who is `formal` greets by the full name in mails ("Dear Dana Moss"), and nobody is called both
  ways there; in chats all greet by the first name.
- Nobody thanks, greets or is sorry twice. Two words may be a whole turn.
""".strip()
"""What holds for conversations, whatever their plan."""
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
    senses: Senses = NO_SENSES,
) -> list[PromptMessage]:
    """System and user message; raises BadInput where a template names an unknown place.

    `senses` say what the keys in the units' facts and plans mean.
    """
    country = country_of(request.company)
    telling = UnitTelling(beats, senses, country)
    fields = []
    for field in request.fields:
        fields.append(f"- {field.name}: {field.instruction}{_must(field.must)}")
    places = {
        **request.company,
        "object": request.object,
        "fields": "\n".join(fields),
        "beats": _beats(request, telling),
        "schema": json.dumps(answer_schema(request), sort_keys=True),
        "earlier": _earlier(request),
        "units": "\n".join(_as_line(telling.unit(unit)) for unit in request.units),
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


def _beats(request: WriteRequest, telling: UnitTelling) -> str:
    """How to read a turn's plan, and what people don't do; nothing where no text has a plan."""
    if not any(telling.has_plan(unit) for unit in request.units):
        return ""
    return f"\n{TALK}\n"


def _as_line(told: Mapping[str, object]) -> str:
    return json.dumps(told, ensure_ascii=False)


def _earlier(request: WriteRequest) -> str:
    if not request.earlier:
        return ""
    # A line each: what stands on a second line is no item of the list.
    lines = "\n".join(f"- {' '.join(entry.split())}" for entry in request.earlier)
    return f"\nThese exist already; write nothing like them:\n{lines}\n"
