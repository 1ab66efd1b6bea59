"""What an act means here, in a sentence of the company's lexicon.

A plan names causes and signs by their keys, such as `bond` and `spot`, and articles their figures
by names, such as `wash_fee`. The lexicon, which words them for the embedded writer, says what they
stand for, and in which unit a figure is. Knows no prompt.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from pipeline.write.grammar import GrammarNode, Phrase, Slot, chosen, dealt
from pipeline.write.rules import Rules, candidates
from pipeline.write.style import sentences
from schemas.lexicon import Lexicon
from verifiers.material import Facts

# Acts of an issue that name a key: `issue.cause.bond`.
GLOSSED = ("issue.cause.", "issue.advice.", "issue.ask.")
# Acts that tell a sign's value mean the sign that is asked for: `issue.sign.spot.toe`.
TOLD, ASKED = ("issue.sign.", "issue.echo."), "issue.ask."
# Where an article's figures are told, by the kind of the article.
FIGURES_IN = {"product": "article.{}.facts", "policy": "policy.{}.body"}


@dataclass(frozen=True, slots=True)
class Senses:
    """The meanings that a lexicon's rules tell; without rules there are none."""

    rules: Rules | None = None

    def of_rule(self, rule: str, facts: Facts, number: int) -> str:
        """A wording of a rule by these facts; "" where there is none that they are enough for.

        `number` chooses among the wordings, so that no two conversations are told the same words.
        """
        known = {name: str(value or "") for name, value in facts.items()}
        for candidate in candidates(rule, known):
            lines = self._lines(candidate)
            for turn in range(len(lines)):
                text = _text(dealt(lines, number + turn), facts)
                if text:
                    return " ".join(text.split())
        return ""

    def of_figure(self, name: str, facts: Facts, figures: Mapping[str, object]) -> str:
        """The sentence that tells a figure of an article, with the unit in which it counts."""
        place = FIGURES_IN.get(str(facts.get("kind")), "")
        rule = place.format(facts.get("article_key"))
        for line in self._lines(rule):
            known: dict[str, object] = {**facts, **figures, name: _held(name)}
            text = _text(chosen(line, 0), known)
            found = [said for said in sentences(text) if _held(name) in said]
            if found:
                return " ".join(found[0].split()).replace(_held(name), str(figures[name]))
        return ""

    def _lines(self, rule: str) -> Sequence[Phrase]:
        return self.rules.lines(rule) if self.rules is not None else ()


NO_SENSES = Senses()
"""For prompts of a schema without a lexicon."""


def senses_of(lexicon: Lexicon) -> Senses:
    """The meanings that a lexicon knows."""
    return Senses(Rules(lexicon))


def rule_of(act: str) -> str:
    """The rule that says what an act's key means; "" for an act without one.

    >>> rule_of("issue.sign.spot.toe")
    'issue.ask.spot'
    """
    for told in TOLD:
        if act.startswith(told):
            sign, _, _ = act.removeprefix(told).partition(".")
            return ASKED + sign
    return act if act.startswith(GLOSSED) else ""


def _text(phrase: Phrase, facts: Mapping[str, object]) -> str:
    """A phrase without choices as a text; "" where it needs what the facts don't hold."""
    parts = []
    for node in phrase:
        part = _part(node, facts)
        if not part:
            return ""
        parts.append(part)
    return "".join(parts)


def _part(node: GrammarNode, facts: Mapping[str, object]) -> str:
    if isinstance(node, str):
        return node
    value = facts.get(node.name) if isinstance(node, Slot) else None
    return "" if value is None else str(value)


def _held(name: str) -> str:
    """What stands for a figure while its sentence is looked for."""
    return f"<{name}>"
