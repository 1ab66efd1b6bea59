"""What an act means here, in a sentence of the company's lexicon.

A plan names causes and signs by their keys, such as `bond` and `spot`, and articles their figures
by names, such as `wash_fee`. The lexicon, which words them for the embedded writer, says what they
stand for, and in which unit a figure is. A wording that belongs to another case, as of a sole that
opened at the toe where this one opened at the heel, is no meaning here. Knows no prompt.
"""

import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from pipeline.write.coherence import clashes
from pipeline.write.facts_as_written import products_of
from pipeline.write.grammar import GrammarNode, Phrase, Slot, chosen, dealt
from pipeline.write.rules import Rules, candidates
from pipeline.write.slots import as_texts
from pipeline.write.style import sentences
from schemas.lexicon import Lexicon
from verifiers.material import Facts

# Acts of an issue that name a key, such as `issue.cause.bond`; and acts that stand for what only
# the lexicon knows: a question and its answer, how a problem is mended, why there is no danger,
# how a remedy goes on.
GLOSSED = (
    "issue.cause.",
    "issue.advice.",
    "issue.ask.",
    "issue.mend.",
    "issue.doubt.",
    "issue.assure.",
    "issue.contest.",
    "issue.upheld.",
    "issue.wonders.",
    "issue.clears.",
    "option.wonders.",
    "option.clears.",
    "a.evidence.",
    "a.test.",
    "c.tested.",
)
KNOWN_TO_DESK = (
    *("issue.request", "issue.resolve", "issue.mend", "issue.calm", "issue.needed"),
    *("issue.loss", "issue.stock", "issue.missed", "option.steps", "a.second"),
)
# How a problem is mended may depend on its cause, and is worded as for any cause else.
MENDED = "issue.mend"
# Acts that tell a sign's value mean the sign that is asked for: `issue.sign.spot.toe`.
TOLD, ASKED = ("issue.sign.", "issue.echo."), "issue.ask."
# Where an article's figures are told, by the kind of the article.
FIGURES_IN = {"product": "article.{}.facts", "policy": "policy.{}.body"}
# A slot of a sense may be a rule, and that rule hold slots; what nests deeper is left out.
DEEPEST = 3


@dataclass(frozen=True, slots=True)
class Senses:
    """The meanings that a lexicon's rules tell; without rules there are none."""

    rules: Rules | None = None

    def of_rule(self, rule: str, facts: Facts, number: int) -> str:
        """A wording of a rule by these facts; "" where there is none that they are enough for.

        `number` chooses among the wordings, so that no two conversations are told the same words.
        """
        # A wording may speak of "them", and of a case's own details, as its texts do.
        known = as_texts(facts)
        # Who asks for something says `the Skerrin Hikers`: without that only "I have a question"
        # is left of what they want.
        products = products_of(known)
        known |= {"products": products} if products else {}
        worded = [*candidates(rule, known)]
        if rule.startswith(MENDED):
            worded += candidates(MENDED, known)
        for candidate in worded:
            lines = self._lines(candidate)
            for turn in range(len(lines)):
                text = self._text(dealt(lines, number + turn), known)
                if text and self._fits(rule, text, known):
                    return " ".join(text.split())
        return ""

    def word(self, name: str, facts: Facts) -> str:
        """What the lexicon calls something that is no fact: `application` for `order_noun`.

        Without a lexicon it is called what its name begins with: an order.
        """
        lines = self._of_slot(name, facts)
        if not lines:
            return name.partition("_")[0]
        return self._text(chosen(lines[0], 0), facts)

    def of_figure(self, name: str, facts: Facts, figures: Mapping[str, object]) -> str:
        """The sentence that tells a figure of an article, with the unit in which it counts."""
        place = FIGURES_IN.get(str(facts.get("kind")), "")
        rule = place.format(facts.get("article_key"))
        for line in self._lines(rule):
            known: dict[str, object] = {**facts, **figures, name: _held(name)}
            text = self._text(chosen(line, 0), known)
            found = [said for said in sentences(text) if _held(name) in said]
            if found:
                return " ".join(found[0].split()).replace(_held(name), str(figures[name]))
        return ""

    def _lines(self, rule: str) -> Sequence[Phrase]:
        return self.rules.lines(rule) if self.rules is not None else ()

    def _of_slot(self, name: str, facts: Mapping[str, object]) -> Sequence[Phrase]:
        """The lines of the rule that a slot names, none where there is no such rule."""
        if self.rules is None:
            return ()
        known = _as_texts(facts)
        if not any(self.rules.lines(rule) for rule in candidates(name, known)):
            return ()
        return self.rules.chooser(known, (), random.Random(0))(name)

    def _fits(self, act: str, text: str, facts: Mapping[str, str]) -> bool:
        """Whether a wording is one of this case."""
        if self.rules is None:
            return True
        return not clashes(
            act,
            text,
            facts,
            self.rules.lexicon.world.incidents,
        )

    def _text(self, phrase: Phrase, facts: Mapping[str, object], depth: int = 0) -> str:
        """A phrase without choices as a text; "" where it needs what isn't known."""
        parts = []
        for node in phrase:
            part = self._part(node, facts, depth)
            if not part:
                return ""
            parts.append(part)
        return "".join(parts)

    def _part(self, node: GrammarNode, facts: Mapping[str, object], depth: int) -> str:
        if isinstance(node, str):
            return node
        if not isinstance(node, Slot):
            return ""
        if node.name in facts:
            value = facts[node.name]
            return "" if value is None else str(value)
        lines = self._of_slot(node.name, facts) if depth < DEEPEST else ()
        return self._text(chosen(lines[0], 0), facts, depth + 1) if lines else ""


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
    return act if act.startswith(GLOSSED) or act in KNOWN_TO_DESK else ""


def _as_texts(facts: Mapping[str, object]) -> dict[str, str]:
    return {name: "" if value is None else str(value) for name, value in facts.items()}


def _held(name: str) -> str:
    """What stands for a figure while its sentence is looked for."""
    return f"<{name}>"
