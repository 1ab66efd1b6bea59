"""A lexicon compiled: which lines word a rule, given the case's keys, the channel and the speaker's
traits.

`issue.complaint` becomes `issue.<issue_key>.complaint`, else `issue.any.complaint`; in chats
`chat.…` comes first;
`rule@trait` lines are taken two times in three where the trait fits.
"""

import random
from collections.abc import Callable, Mapping, Sequence

from pipeline.write.grammar import Phrase, parse
from schemas.errors import SchemaError
from schemas.lexicon import Lexicon

KEYED = {
    "issue": "issue_key",
    "category": "category_key",
    "option": "option_key",
    "policy": "article_key",
    "article": "article_key",
}
TRAIT_SHARE = 0.66


class Rules:
    """Compiled rules; lines are parsed when first used and kept."""

    def __init__(self, lexicon: Lexicon) -> None:
        self.lexicon = lexicon
        self._parsed: dict[str, tuple[Phrase, ...]] = {}
        self._names = frozenset(rule.partition("@")[0] for rule in lexicon.rules)

    def lines(self, name: str) -> tuple[Phrase, ...]:
        """A rule's lines, none where there is no such rule."""
        if name not in self._parsed:
            self._parsed[name] = tuple(parse(line) for line in self.lexicon.rules.get(name, ()))
        return self._parsed[name]

    def has(self, name: str) -> bool:
        """Whether a rule of exactly that name exists, with or without a trait."""
        return name in self._names

    def chooser(
        self,
        facts: Mapping[str, str],
        traits: Sequence[str],
        rng: random.Random,
        always: bool = False,
    ) -> Callable[[str], Sequence[Phrase]]:
        """A function from a rule's name to the lines that may word it here; raises SchemaError for
        an unknown rule.

        With `always`, lines for a trait are taken whenever there are any.
        """

        def choose(name: str) -> Sequence[Phrase]:
            for candidate in candidates(name, facts):
                found = self._pooled(candidate, traits, rng, always)
                if found:
                    return found
            raise SchemaError(
                f"lexicon {self.lexicon.name}: there is no rule for {{{name}}}; add it under rules,"
                " or mend the slot's name"
            )

        return choose

    def _pooled(
        self, name: str, traits: Sequence[str], rng: random.Random, always: bool
    ) -> Sequence[Phrase]:
        plain = self.lines(name)
        special = [phrase for trait in traits for phrase in self.lines(f"{name}@{trait}")]
        if special and (always or not plain or rng.random() < TRAIT_SHARE):
            return special
        return plain


def candidates(name: str, facts: Mapping[str, str]) -> list[str]:
    """The rule names to try in turn: by key before `any`, chat before both."""
    head, _, rest = name.partition(".")
    names = [name]
    if head in KEYED and rest:
        topic = f".{facts['topic']}" if rest in ("ask", "answer") and facts.get("topic") else ""
        any_topic = ".any" if topic else ""
        names = [
            f"{head}.{facts.get(KEYED[head], 'any')}.{rest}{topic}",
            f"{head}.any.{rest}{any_topic}",
            name,
        ]
    return [f"chat.{one}" for one in names] + names if facts.get("channel") == "chat" else names
