"""What a model is told to draft a piece of a company: the company so far, the form, the rules.

The slots that a rule's lines may use, and lines to show its form, are taken from the lexicons that
ship, so that they can't be wrong. Knows no endpoint.
"""

import re
from collections.abc import Container, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from typing import Any

import yaml

from pipeline.company.incident_pieces import CAUSES, LEAST, VALUES, IncidentPiece
from pipeline.company.lexicon_map import CHAT, general_name
from pipeline.company.line_facts import LineFacts
from pipeline.company.meanings import FACTS, MEANINGS
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

INCIDENT_ASKS = f"""`signs` are what the customer sees of it, by topic. A sign has {VALUES[0]} to
{VALUES[1]} values that exclude each other: what a customer may answer when the agent asks about the
topic. Of each value: `key` is one word in small letters, `weight` how often it is so (1 is usual),
`marks` two to six words or short phrases in small letters by which a line shows that it tells this
value (a stem ends in *), `says` how the customer tells it in a mail, `chat` the same in a chat,
short, and `repeated` how the agent takes it up: a phrase without an end mark that goes on from "You
mentioned". Whichever way of a line is taken, it has one of its value's marks and none of another
value's.
`causes` are {CAUSES[0]} to {CAUSES[1]} things that can be behind it. `ends` says what the customer
gets: a remedy where the company has to make up for it, a refusal where nothing went wrong on its
side, either where both happen; have one at least for each. `known_by` is who finds it out: answer
(what the customer says), record (the company's books), inspection, second_level, or what the
customer sends (photo, screenshot, receipt, statement, video, log). `tells` is the sign whose answer
points to it, and `values` the values that speak for it, none where all do alike. `explains` is how
the agent explains it to the customer, and `advice` a useful tip. State {LEAST["says"]} lines at
least of `says` and `explains`, and one at least of all others, better twice as many."""
"""What a model is told of an issue's signs and causes."""

ENQUIRY = ".enquiry_"
"""In the names of rules on what is no complaint, which the lexicon `base` words for everybody."""

SHOWN = 2
"""Example lines of a rule."""

FIRST_LINES = 3
"""Lines of one rule that may be an example; more would all be of one kind."""

EXAMPLES_OF = {
    "goods": ("goods", "shoes", "utility"),
    "services": ("generic", "utility", "saas"),
    "subscriptions": ("generic", "saas", "utility"),
    "accounts": ("generic", "bank", "saas"),
}
"""What kind of thing is sold -> the lexicons whose lines show what a rule looks like."""

FIGURED = ("policy.",)
"""Rules whose facts are figures of their own policy."""

TOLD_LENGTH = 20
"""A line that has to have so many characters is told so; nobody writes a shorter one unasked."""

FIGURES = re.compile(r"\d")
"""What a model is told to leave out, and must not be shown."""

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
    known = "nothing yet\n"
    if sofar:
        known = yaml.safe_dump(
            sofar,
            sort_keys=False,
            width=200,
            default_flow_style=None,
        )
    prompt = (
        f"{PIECE}{drafted.part}\nThe company: {told}\n\nWhat stands already:\n{known}\n"
        f"{drafted.asks}\nState {drafted.least} to {drafted.most} of them."
    )
    return DraftAsk(drafted.part, prompt, list_form(drafted))


def word_prompt(
    told: str, piece: WordPiece, job: PreparedRun, facts: Mapping[str, LineFacts]
) -> DraftAsk:
    """The prompt for the rules of a piece; `facts` are those of each rule."""
    lines = [f"{PIECE}{piece.name}", f"The company: {told}", "", piece.asks, "", GRAMMAR]
    lines += [*_meant(piece.rules, facts), *_unsaid(piece), ""]
    alike = lines_alike(job.setting.world.trade.kind)
    for name, least in piece.rules.items():
        lines += _rule(
            name,
            least,
            facts[name],
            alike.get(general_name(name), ()),
        )
    return DraftAsk(piece.name, "\n".join(lines), piece.form)


def incident_prompt(
    told: str, piece: IncidentPiece, job: PreparedRun, facts: Mapping[str, LineFacts]
) -> DraftAsk:
    """The prompt for what is behind an issue; `facts` are those of a rule of each kind."""
    lines = [f"{PIECE}{piece.name}", f"The company: {told}", ""]
    lines += [f"What is behind the issue {piece.issue}: {piece.told}.", "", INCIDENT_ASKS, ""]
    lines += [GRAMMAR, *_meant(piece.rule_of_kind.values(), facts), ""]
    alike = lines_alike(job.setting.world.trade.kind)
    for kind, name in piece.rule_of_kind.items():
        usable = facts[name].may
        lines.append(f"Facts in `{kind}`: {_in_braces(usable)}.")
        like = alike.get(general_name(name), ())
        examples = [line for line in like if _is_like(line, name, usable)]
        lines += [f"  as another company has it: {line}" for line in examples[:SHOWN]]
    return DraftAsk(piece.name, "\n".join(lines), piece.form)


def _in_braces(facts: Iterable[str]) -> str:
    return ", ".join(f"{{{fact}}}" for fact in facts) or "none"


def _meant(
    rules: Iterable[str],
    facts: Mapping[str, LineFacts],
) -> list[str]:
    """What stands for each fact that some of the rules may use."""
    used: set[str] = set()
    for name in rules:
        used.update(facts[name].may, facts[name].must)
    meant = [f"{{{fact}}} {meaning}" for fact, meaning in FACTS.items() if fact in used]
    return [f"What stands for a fact: {'; '.join(meant)}."] if meant else []


def _unsaid(piece: WordPiece) -> list[str]:
    """What the customer's complaints leave out."""
    if not piece.unsaid:
        return []
    return [
        "The customer tells in sentences of their own which of these it is, so complaints and what"
        f" it means to them use none of these words: {', '.join(piece.unsaid)}."
    ]


def _rule(
    name: str,
    least: int,
    facts: LineFacts,
    lines: Sequence[str],
) -> list[str]:
    """A rule's line in the prompt: what it says, its facts, and lines of another company."""
    general = general_name(name)
    meaning = MEANINGS.get(general.replace("*.", "").partition("@")[0].removeprefix("chat."), "")
    usable = dict.fromkeys((*facts.may, *facts.must))
    shown = _in_braces(usable)
    wanted = f"At least {least} lines, better twice as many." if least > 1 else "One line will do."
    asks = [f"{name}: {_whom(name)}{meaning} {wanted} Facts: {shown}."]
    if facts.least >= TOLD_LENGTH:
        asks.append(f"  Every line has at least {facts.least} characters")
    if facts.must:
        asks.append(f"  Every line names each of these facts: {', '.join(facts.must)}")
    examples = [line for line in lines if _is_like(line, name, usable)]
    return [*asks, *(f"  as another company has it: {line}" for line in examples[:SHOWN])]


def _whom(name: str) -> str:
    """When the lines are said, where it is not always."""
    chat = "In a chat, short and without a greeting: " if name.startswith(CHAT) else ""
    _, angry, trait = name.partition("@")
    return f"{chat}By an {trait} customer: " if angry else chat


def _is_like(line: str, name: str, facts: Container[str]) -> bool:
    """Whether a line shows how one for the rule may look: it uses nothing that this may not.

    The text of another policy names that policy's own figures.
    """
    if name.startswith(FIGURED):
        return True
    return not FIGURES.search(line) and all(fact in facts for fact in slots(parse(line)))


@cache
def lines_alike(trade: str) -> dict[str, tuple[str, ...]]:
    """General name of a rule -> lines of its like in the lexicons that ship for such a trade, those
    of a key of the world before those for any.
    """
    base = lexicons_folder() / BASE
    lines: dict[str, dict[str, None]] = {}
    for shipped in EXAMPLES_OF[trade]:
        rules = load_lexicon(base.parent / shipped, base).rules
        for name in sorted(rules, key=lambda name: ".any." in name):
            if ENQUIRY not in name:
                found = lines.setdefault(general_name(name), {})
                found |= dict.fromkeys(rules[name][:FIRST_LINES])
    return {general: tuple(found) for general, found in lines.items()}
