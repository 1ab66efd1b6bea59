"""What verifiers are given: units with their facts, the fields to be written, and single texts.

The writing stage makes these and asks writers by them; verifiers read them.

Example unit: facts {"product": "Brindle Trail Runner", "tone": "angry", …}, parts ({"speaker":
"Agent", "beats": "a.greet,…"}, …).
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from verifiers.tongue import Tongue

Fact = str | int | float | bool | None
Facts = Mapping[str, Fact]
Entry = Mapping[str, object]

MARKS = '.,;:!?()[]"'
WAYS_END = "_ways"
"""With this end the names of facts that hold other words for one, apart by `|`."""
LONGEST_NAME = 5  # words; no name of a person or a product that ships has more


@dataclass(frozen=True, slots=True)
class WrittenField:
    """A field to be written: its instruction, the facts that its text must name, its JSON Schema.

    `rule` and `beats` say how the embedded writer words it; `words` is its usual length. Texts of
    fewer words than `new_from` may stand twice.
    """

    name: str
    instruction: str
    must: tuple[str, ...]
    json_schema: Mapping[str, object]
    rule: str = ""
    beats: str = ""
    words: int = 12
    new_from: int = 1


@dataclass(frozen=True, slots=True)
class Unit:
    """One piece of writing: a record, or a conversation whose `parts` are its turns.

    Parts with `given` stand already. `avoid` lists phrases that no text of the unit may hold;
    `notes` says why earlier tries were refused.
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
class Demand:
    """A fact that a text must name, in any one of its forms or ways.

    A form stands in the text as it is, one of the `ways` is a pattern of words (`verifiers.ways`).
    One of the `unsure` ways will do where the text has none of the `rivals`, the ways of what else
    it might be. With `denials` a text may also leave the fact open: it only mustn't show one of
    these, which tell another value, and none of the forms.
    """

    fact: str
    forms: tuple[str, ...]
    denials: tuple[str, ...] = ()
    ways: tuple[str, ...] = ()
    unsure: tuple[str, ...] = ()
    rivals: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Roster:
    """Names of two to five words by their first word.

    A text is looked through once, however many names there are.
    """

    by_first: Mapping[str, frozenset[str]]

    def __bool__(self) -> bool:
        return bool(self.by_first)

    def named_in(self, text: str) -> Iterator[str]:
        """Yields the names on the roster that stand in a text, marks around them aside.

        A mark within ends a name: "Hi Dana, Martin here" doesn't name Dana Martin.
        """
        words = text.split()
        for start, word in enumerate(words):
            names = self.by_first.get(word.strip(MARKS))
            if not names:
                continue
            for length in range(2, LONGEST_NAME + 1):
                name = " ".join(words[start : start + length]).strip(MARKS)
                if name in names:
                    yield name


NOBODY = Roster({})


def roster_of(names: Iterable[str]) -> Roster:
    """The roster of these names; those of one word, or of more than five, are left out."""
    by_first: dict[str, set[str]] = {}
    for name in names:
        words = name.split()
        if 2 <= len(words) <= LONGEST_NAME:
            by_first.setdefault(words[0], set()).add(name)
    return Roster({first: frozenset(found) for first, found in by_first.items()})


@dataclass(frozen=True, slots=True)
class WrittenText:
    """One text and what it is held against; a text alone is held against nothing of its own.

    `path` says where in its entry it stands. `own` are the facts whose names it may use, although
    they stand on the roster. `tongue` is its language, American English without one.
    """

    text: str
    path: str = ""
    demands: tuple[Demand, ...] = ()
    avoid: tuple[str, ...] = ()
    own: tuple[str, ...] = ()
    roster: Roster = NOBODY
    tongue: Tongue | None = None
