"""What a model is told to draft a piece of a company: the company so far, the form, the rules.

The slots that a rule's lines may use, and lines to show its form, are taken from the lexicons that
ship, so that they can't be wrong. Knows no endpoint.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from typing import Any

import yaml

from pipeline.company.lexicon_map import EXAMPLES_FROM, general_name
from pipeline.company.meanings import MEANINGS
from pipeline.company.pieces import (
    PROFILE,
    PROFILE_ASKS,
    PROFILE_PIECE,
    AnswerForm,
    DraftedList,
    WordPiece,
    list_form,
)
from pipeline.config import PreparedRun
from pipeline.write.grammar import parse, slots
from schemas.lexicon import BASE, load_lexicon
from schemas.profile import lexicons_folder

PIECE = "Piece: "
"""How the line begins that names what is asked for."""

REFUSED = "Your last answer was refused because:"

SYSTEM = """You help to set up the CRM of an invented company, so that it reads like a real one.
Stay within its industry: no word may fit only another one. Invent names; use no real company, brand
or person, no e-mail addresses, no phone numbers and no links.
Answer with one JSON object {"entries": [...]} that holds a single entry of the given form, and
nothing around it."""

GRAMMAR = """Each rule is a list of lines, and each line is another way to say the same thing in
natural English. [a|b] in a line chooses between a and b, and {name} is replaced by a fact; use only
the facts listed for the rule, in braces, and write no other braces or brackets. State no dates,
amounts or numbers of days yourself. Write as people do: varied, plain, some short, some long."""

ENQUIRY = ".enquiry_"
"""In the names of rules on what is no complaint, which the lexicon `base` words for everybody."""

SHOWN = 2
"""Example lines of a rule."""

TOKENS = 3000
"""About how many tokens the longest answer takes."""


@dataclass(frozen=True, slots=True)
class DraftAsk:
    """What is asked for: the piece's name, the prompt, and the form of the answer's one entry."""

    piece: str
    prompt: str
    form: AnswerForm

    def again(self, faults: Sequence[str]) -> "DraftAsk":
        """The same with what was wrong with the last answer."""
        if not faults:
            return self
        listed = "\n".join(f"- {fault}" for fault in faults)
        return replace(self, prompt=f"{self.prompt}\n\n{REFUSED}\n{listed}")

    @property
    def messages(self) -> list[dict[str, str]]:
        """The messages of a chat completion."""
        return [
            {"role": "system", "content": SYSTEM},
            {"role": "user", "content": self.prompt},
        ]


def profile_prompt(told: str) -> DraftAsk:
    """The prompt for the profile, by what a person said."""
    prompt = f"{PIECE}{PROFILE_PIECE}\nThe company: {told}\n\n{PROFILE_ASKS}"
    return DraftAsk(PROFILE_PIECE, prompt, PROFILE)


def list_prompt(told: str, drafted: DraftedList, world: Mapping[str, Any]) -> DraftAsk:
    """The prompt for one list of the world, with the lists that stand already."""
    sofar = {part: stated for part, stated in world.items() if part != "trade"}
    known = yaml.safe_dump(sofar, sort_keys=False, width=200) if sofar else "nothing yet\n"
    prompt = (
        f"{PIECE}{drafted.part}\nThe company: {told}\n\nWhat stands already:\n{known}\n"
        f"{drafted.asks}\nState {drafted.least} to {drafted.most} of them."
    )
    return DraftAsk(drafted.part, prompt, list_form(drafted))


def word_prompt(told: str, piece: WordPiece, job: PreparedRun) -> DraftAsk:
    """The prompt for the rules of a piece."""
    lines = [f"{PIECE}{piece.name}", f"The company: {told}", "", piece.asks, "", GRAMMAR, ""]
    figures = _figures(job)
    for name, least in piece.rules.items():
        lines += _rule(name, least, figures.get(name, ()))
    return DraftAsk(piece.name, "\n".join(lines), piece.form)


def _figures(job: PreparedRun) -> dict[str, tuple[str, ...]]:
    """The rule of each policy's text -> the figures that every line of it must name."""
    found = {}
    for policy in job.setting.world.policies:
        found[f"policy.{policy.key}.body"] = tuple(policy.figures)
    return found


def _rule(name: str, least: int, figures: Sequence[str]) -> list[str]:
    """A rule's line in the prompt: what it says, its facts, and lines of another company."""
    general = general_name(name)
    like = rules_alike().get(general, RuleLike((), ()))
    meaning = MEANINGS.get(general.replace("*.", "").partition("@")[0].removeprefix("chat."), "")
    facts = ", ".join(f"{{{fact}}}" for fact in (*like.facts, *figures)) or "none"
    lines = [f"{name}: {meaning} At least {least} lines, better twice as many. Facts: {facts}."]
    if figures:
        lines.append("  Every line names each of these facts: " + ", ".join(figures))
    lines += [f"  as another company has it: {example}" for example in like.lines]
    return lines


@dataclass(frozen=True, slots=True)
class RuleLike:
    """What lexicons that ship have for a rule of that kind: facts that it may use, and lines."""

    facts: tuple[str, ...]
    lines: tuple[str, ...]


@cache
def rules_alike() -> dict[str, RuleLike]:
    """General name of a rule -> its like in the lexicons that ship."""
    base = lexicons_folder() / BASE
    facts: dict[str, set[str]] = {}
    lines: dict[str, list[str]] = {}
    for shipped in EXAMPLES_FROM:
        rules = load_lexicon(base.parent / shipped, base).rules
        known = {name.partition("@")[0] for name in rules}
        for name, texts in rules.items():
            general = general_name(name)
            if ENQUIRY in name:
                continue
            lines.setdefault(general, []).extend(texts[:1])
            for text in texts:
                used = {slot for slot in slots(parse(text)) if "." not in slot or slot in NAMED}
                facts.setdefault(general, set()).update(used - known | used & NAMED)
    made = {}
    for general, found in lines.items():
        usable = sorted(facts.get(general, set()) | _spoken(general))
        if general.startswith(FIGURED):
            usable = [fact for fact in usable if fact in NAMED]
        made[general] = RuleLike(tuple(usable), tuple(found[:SHOWN]))
    return made


def _spoken(general: str) -> set[str]:
    """The facts that everything may use which people say about an issue."""
    said = general.removeprefix("chat.").startswith("issue.") and ".article." not in general
    return {"product", "product_short", "order_noun"} if said else set()


FIGURED = ("policy.",)
"""Rules whose facts are figures of their own policy."""

NAMED = frozenset(["product", "company", "order_noun", "team", "category.for"])
"""Rules that a line may use like facts."""
