"""A lexicon compiled: which lines word a rule, by facts, channel and the speaker's traits.

`issue.note` of `enquiry_question_papers` may be that of `enquiry_question`;
`issue.complaint` becomes `issue.<issue_key>.complaint`, else `issue.any.complaint`;
`category.model` first of all `category.<category_key>.<group_key>.model`, and `option.steps`
`option.<option_key>.<issue_key>.steps`; in chats `chat.…` comes first; `rule@trait` lines are
taken two times in three where the trait fits and has lines enough.
"""

import random
from collections.abc import Mapping, Sequence

from pipeline.write.grammar import LinesOf, Phrase, parse
from schemas.errors import SchemaError
from schemas.lexicon import Lexicon

# The first word of a rule's name -> the fact whose value takes its place beside it.
KEYED = {
    "issue": "issue_key",
    "category": "category_key",
    "option": "option_key",
    "policy": "article_key",
    "article": "article_key",
}
# What of a topic of an enquiry has no words of its own is said in those of the enquiry.
ENQUIRY = "enquiry_"
# A narrower rule of a thing: that of a group's goods, that of a remedy beside one problem.
NARROWER = {"category": "group_key", "option": "issue_key"}
# An angry customer sounds angry mostly, not in every sentence, and not always by the same line:
# where a trait has fewer lines than these, they are taken as much less often.
TRAIT_SHARE = 0.66
FEW_LINES = 4
# Rules of which one line serves a whole case: a customer's letters speak of one colleague by name.
ONE_A_CASE = frozenset({"coworker"})
# Who writes for somebody else has lines of their own (`w.who@club`), where there are any; then no
# other ones are taken. The fact that says for whom it is: `club`, `family`; a `club_child` has the
# lines of a club where it has none of its own.
WRITES_FOR = "writes_for"
# The fact that tells cases apart.
CASE = "nth"


class Rules:
    """Compiled rules; lines are parsed when first used and kept."""

    def __init__(self, lexicon: Lexicon) -> None:
        self.lexicon = lexicon
        self._parsed: dict[str, tuple[Phrase, ...]] = {}
        self._names = frozenset(rule.partition("@")[0] for rule in lexicon.rules)

    def lines(self, name: str) -> tuple[Phrase, ...]:
        """A rule's lines, none where there is no such rule."""
        if name not in self._parsed:
            lines = self.lexicon.rules.get(name, ())
            self._parsed[name] = tuple(parse(line) for line in lines)
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
    ) -> LinesOf:
        """A function from a rule's name to the lines that may word it here.

        It raises SchemaError for an unknown rule. With `always`, lines for a trait are taken
        whenever there are any.
        """

        def choose(name: str) -> Sequence[Phrase]:
            named = candidates(name, facts)
            own = self._for_another(named, facts.get(WRITES_FOR, ""))
            for candidate in named:
                found = own or self._pooled(candidate, traits, rng, always)
                if found and name in ONE_A_CASE and facts.get(CASE):
                    return (found[int(facts[CASE]) % len(found)],)
                if found:
                    return found
            raise SchemaError(
                f"lexicon {self.lexicon.name}: there is no rule for {{{name}}}, and no fact of that"
                " name; add a rule, add the fact under x-facts of the object type, or mend the"
                " slot's name (`orgweave company check` lists all that is missing, and where)"
            )

        return choose

    def _for_another(self, names: Sequence[str], for_whom: str) -> Sequence[Phrase]:
        """The lines of a rule for who writes for somebody else, by any of its names; else none.

        Where a chat has words of its own, none of a mail take their place.
        """
        if not for_whom:
            return ()
        usual, _, _ = for_whom.partition("_")
        for name in names:
            lines = self.lines(f"{name}@{for_whom}") or self.lines(f"{name}@{usual}")
            if lines or (name.startswith("chat.") and self.has(name)):
                return lines
        return ()

    def _pooled(
        self,
        name: str,
        traits: Sequence[str],
        rng: random.Random,
        always: bool,
    ) -> Sequence[Phrase]:
        plain = self.lines(name)
        special: list[Phrase] = []
        for trait in traits:
            special += self.lines(f"{name}@{trait}")
        share = TRAIT_SHARE * min(1.0, len(special) / FEW_LINES)
        if special and (always or not plain or rng.random() < share):
            return special
        return plain


def candidates(name: str, facts: Mapping[str, str]) -> list[str]:
    """The rule names to try in turn: by key before `any`, chat before both."""
    names = [name]
    head, _, rest = name.partition(".")
    if head in KEYED and rest:
        key = facts.get(KEYED[head], "any")
        own = f"{head}.{key}.{rest}"
        any_key = f"{head}.any.{rest}"
        names = [own, any_key, name]
        if key.startswith(ENQUIRY):
            enquiry, _, _ = key.rpartition("_")
            names.insert(1, f"{head}.{enquiry}.{rest}")
        narrower = facts.get(NARROWER.get(head, ""))
        if narrower:
            names.insert(0, f"{head}.{key}.{narrower}.{rest}")
    if facts.get("channel") == "chat":
        return [f"chat.{candidate}" for candidate in names] + names
    return names
