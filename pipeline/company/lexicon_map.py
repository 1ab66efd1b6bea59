"""A lexicon as a map: which lines each rule has, where they stand, and what they surely name.

Reads no schema; what is asked of the rules is `pipeline.company.needs`'s.
"""

import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from pipeline.write.grammar import Phrase, parse, slots
from pipeline.write.rules import KEYED
from schemas.errors import SchemaError
from schemas.lexicon import BASE, Lexicon, load_lexicon
from schemas.positions import line_of
from schemas.profile import lexicons_folder

EXAMPLES_FROM = ("goods", "shoes", "utility", "bank", "saas", BASE)
"""The lexicons whose lines are shown as examples, the plainest first."""

SHOWN = 2
"""Lines of an example."""

BODY = (
    "What holds, for whom, from when on and until when, in whole sentences, and what a customer has"
    " to do for it. Say as well what an agent may decide alone, and whom they ask in all other"
    " cases. Each of these figures stands in it: "
)
"""An article on a policy that no company has the like of; it is long enough for its field."""

CHAT = "chat."
"""How the names of rules begin that are for chats alone."""


@dataclass(slots=True)
class LineLibrary:
    """What several maps share: each line is parsed once, and each shipped lexicon read once."""

    _phrases: dict[str, Phrase] = field(default_factory=dict)
    _slots: dict[str, frozenset[str]] = field(default_factory=dict)
    _shipped: dict[str, Lexicon] = field(default_factory=dict)
    _likes: dict[str, tuple[str, ...]] = field(default_factory=dict)

    def phrase(self, line: str) -> Phrase:
        """The compiled line; raises SchemaError where it can't be read."""
        if line not in self._phrases:
            self._phrases[line] = parse(line)
        return self._phrases[line]

    def slots(self, line: str) -> frozenset[str]:
        """The names of all slots of a line; raises SchemaError where it can't be read."""
        if line not in self._slots:
            self._slots[line] = frozenset(slots(self.phrase(line)))
        return self._slots[line]

    def like(self, name: str) -> tuple[str, ...]:
        """Some lines of the first shipped rule of that name, else of one that says the same of
        another key.
        """
        if name not in self._likes:
            self._likes[name] = self._found(name)
        return self._likes[name]

    def ships(self, name: str) -> bool:
        """Whether a lexicon that ships has a rule of exactly that name."""
        return any(name in self._lexicon(shipped).rules for shipped in EXAMPLES_FROM)

    def figures(self) -> frozenset[str]:
        """The names of all figures that a policy which ships states."""
        found: set[str] = set()
        for name in EXAMPLES_FROM:
            for policy in self._lexicon(name).world.policies:
                found.update(policy.figures)
        return frozenset(found)

    def _found(self, name: str) -> tuple[str, ...]:
        for shipped in EXAMPLES_FROM:
            if name in self._lexicon(shipped).rules:
                return self._lexicon(shipped).rules[name][:SHOWN]
        tail = general_name(name)
        for shipped in EXAMPLES_FROM:
            for other, lines in self._lexicon(shipped).rules.items():
                if general_name(other) == tail and ".any." not in other:
                    return lines[:SHOWN]
        return ()

    def _lexicon(self, name: str) -> Lexicon:
        if name not in self._shipped:
            base = lexicons_folder() / BASE
            self._shipped[name] = load_lexicon(base.parent / name, base)
        return self._shipped[name]


@dataclass(slots=True)
class LexiconMap:
    """The rules of a lexicon by their plain names, without traits; lines are parsed when asked."""

    lexicon: Lexicon
    own: Sequence[Path]
    library: LineLibrary = field(default_factory=LineLibrary)
    _variants: dict[str, list[str]] = field(default_factory=dict)
    _parsed: dict[str, tuple[Phrase, ...]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for name in self.lexicon.rules:
            self._variants.setdefault(name.partition("@")[0], []).append(name)

    def variants(self, plain: str) -> Sequence[str]:
        """The rules of a plain name: itself, and those for a trait; none where there is none."""
        return self._variants.get(plain, ())

    def plain_names(self) -> Sequence[str]:
        """All names, without traits."""
        return tuple(self._variants)

    def phrases(self, name: str) -> tuple[Phrase, ...]:
        """The compiled lines of a rule; raises SchemaError for a line that can't be read."""
        if name not in self._parsed:
            lines = self.lexicon.rules[name]
            self._parsed[name] = tuple(self.library.phrase(line) for line in lines)
        return self._parsed[name]

    def slots(self, name: str) -> tuple[frozenset[str], ...]:
        """The slots of each line of a rule; raises SchemaError for a line that can't be read."""
        return tuple(self.library.slots(line) for line in self.lexicon.rules[name])

    def place(self, name: str, line: int | None = None) -> tuple[Path, int]:
        """The file of a rule, and the line of it, or of its line of that number."""
        file = self.lexicon.files[name]
        steps: list[str | int] = ["rules", name]
        if line is not None:
            steps.append(line)
        return file, line_of(file, steps)

    def is_own(self, name: str) -> bool:
        """Whether a rule stands in a folder of the company's own."""
        return self.lexicon.files[name].parent in self.own

    def example(self, name: str, figures: Sequence[str] = ()) -> tuple[str, ...]:
        """A rule of that name as YAML, with lines that a lexicon which ships has for its like.

        `figures` are those that each line must name; lines that name others help nobody.
        """
        lines = self.library.like(name) or ("…",)
        if figures and not all(self._names_just(line, figures) for line in lines):
            lines = (BODY + ", ".join(f"{{{figure}}}" for figure in figures) + ".",)
        return (f"{name}:", *(f"- {json.dumps(line, ensure_ascii=False)}" for line in lines))

    def _names_just(self, line: str, figures: Sequence[str]) -> bool:
        others = self.library.figures().difference(figures)
        named = self.library.slots(line)
        return named.issuperset(figures) and named.isdisjoint(others)


def general_name(name: str) -> str:
    """A rule's name without its key: `issue.leaking.ask.where` is `issue.*.ask`."""
    plain, mark, trait = name.partition("@")
    chat = CHAT if plain.startswith(CHAT) else ""
    head, _, rest = plain.removeprefix(CHAT).partition(".")
    steps = rest.split(".")
    if head not in KEYED or len(steps) == 1:
        return name
    kept = steps[1:3] if steps[1] == "article" else steps[1:2]
    return f"{chat}{head}.*.{'.'.join(kept)}{mark}{trait}"


def unreadable(lexicon: LexiconMap, name: str) -> str:
    """What is wrong with a rule's lines, or nothing."""
    try:
        lexicon.phrases(name)
    except SchemaError as error:
        return str(error)
    return ""
