"""Texts from facts by the grammar: a single field from its rule, a mail or a chat line from its
dialogue acts.

Gives the same words for the same facts and stream. Knows the lexicon's rules and the schema's
beats, no files and no requests.
"""

import json
import random
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from pipeline.write.grammar import expand
from pipeline.write.request import Facts
from pipeline.write.rules import Rules, candidates
from pipeline.write.style import ended, habit_of, tidy, typed_in_chat, written_date
from schemas.model import Beat

GREETINGS = frozenset({"c.greet", "c.greet.reply", "a.greet"})
CLOSINGS = frozenset({"c.sign", "c.sign.reply", "a.sign"})
PRONOUNS = {
    False: {
        "it": "it",
        "them": "it",
        "is": "is",
        "has": "has",
        "was": "was",
        "this": "this",
        "does": "does",
    },
    True: {
        "it": "they",
        "them": "them",
        "is": "are",
        "has": "have",
        "was": "were",
        "this": "these",
        "does": "do",
    },
}
LONGEST_CHAT_ASIDE = 24


@dataclass(frozen=True, slots=True)
class Composer:
    """The embedded writer's hand: compiled rules and the beats of the schema."""

    rules: Rules
    beats: Mapping[str, Beat]

    def field(
        self,
        rule: str,
        facts: Facts,
        written: Mapping[str, str],
        rng: random.Random,
        words: int = 12,
    ) -> str:
        """One text by a rule; a field without a rule gets a plain one that names its facts."""
        texts = {**_as_texts(facts), **written}
        texts |= self._blocks(facts, texts, rng)
        name = rule if self._known(rule, texts) else ("any.short" if words <= 8 else "any.long")
        texts.setdefault("about", ", ".join(str(value) for value in list(facts.values())[:3]))
        return self._distinct_sentences(name, texts, _traits(facts), rng)

    def tail(self, rule: str, facts: Facts, rng: random.Random) -> str:
        """How a text by that rule may go on (`<rule>_tail`),
        nothing where the lexicon doesn't say.
        """
        texts = _as_texts(facts)
        if not self._known(name := f"{rule}_tail", texts):
            return ""
        choose = self.rules.chooser(texts, (), rng)
        return expand(rng.choice(choose(name)), texts, choose, rng)

    def turn(self, beats: Sequence[str], facts: Facts, rng: random.Random) -> str:
        """One mail or chat line that says its beats in order."""
        agent = facts.get("speaker") == "Agent"
        habit = habit_of(str(facts.get("agent" if agent else "customer", "")))
        texts = _as_texts(facts)
        if not agent and "order_date" in texts:
            texts["order_date"] = written_date(texts["order_date"], habit)
        traits = (
            [str(facts.get("style", "")), str(facts.get("tone", ""))]
            if agent
            else [str(facts.get("tone", ""))]
        )
        said = [(beat, self._beat(beat, texts, traits, rng)) for beat in beats]
        if facts.get("channel") != "chat":
            return _mail(said, rng)
        line = tidy(" ".join(text for _, text in said))
        if agent:
            return line
        return typed_in_chat(
            line,
            habit,
            [
                texts.get(name, "")
                for name in ("product", "customer", "agent", "agent_first", "order_month", "city")
            ],
        )

    def _beat(
        self, name: str, texts: Mapping[str, str], traits: Sequence[str], rng: random.Random
    ) -> str:
        beat = self.beats.get(name, Beat(name, name))
        facts = {
            **texts,
            **{used: texts.get(stands, "") for used, stands in (beat.uses or {}).items()},
        }
        rule = rng.choice(beat.rules) if beat.rules else name
        if beat.rules and not self._known(rule, facts):
            rule = beat.rules[0]
        if name in GREETINGS | CLOSINGS:
            rng, always = _own_habit(name, facts), True
        else:
            always = False
        choose = self.rules.chooser(facts, traits, rng, always)
        text = expand(rng.choice(choose(rule)), facts, choose, rng)
        if facts.get("channel") == "chat" and not beat.must:
            text = _short(text)
        return text if name in GREETINGS | CLOSINGS else ended(tidy(text))

    def _known(self, rule: str, facts: Mapping[str, str]) -> bool:
        return any(self.rules.has(name) for name in candidates(rule, facts))

    def _blocks(self, facts: Facts, texts: Mapping[str, str], rng: random.Random) -> dict[str, str]:
        """`options_block`: a sentence for every option that an article must state; figures become
        facts of their own.
        """
        made: dict[str, str] = {}
        if figures := json.loads(str(facts.get("figures") or "{}")):
            made |= {name: f"{value:g}" for name, value in figures.items()}
        if options := json.loads(str(facts.get("options") or "[]")):
            made["options_block"] = " ".join(self._option(texts, option, rng) for option in options)
        return made

    def _option(
        self, texts: Mapping[str, str], option: Mapping[str, object], rng: random.Random
    ) -> str:
        facts = {
            **texts,
            "option_key": str(option["key"]),
            "option_name": str(option["name"]),
            "limit": str(option["limit"]),
        }
        choose = self.rules.chooser(facts, (), rng)
        return ended(tidy(expand(rng.choice(choose("option.article")), facts, choose, rng)))

    def _distinct_sentences(
        self, rule: str, texts: Mapping[str, str], traits: Sequence[str], rng: random.Random
    ) -> str:
        """A text in which no word of a short one and no sentence of a long one stands twice, if a
        few tries find it.
        """
        choose, text = self.rules.chooser(texts, traits, rng), ""
        for _ in range(12):
            text = tidy(expand(rng.choice(choose(rule)), texts, choose, rng))
            pieces = re.split(r"(?<=[.!?])\s+", text) if "." in text else text.lower().split()
            starts = [" ".join(piece.split()[:4]) for piece in pieces]
            if len(set(starts)) == len(starts):
                return text
        return text


def _own_habit(name: str, facts: Mapping[str, str]) -> random.Random:
    """People greet alike within a thread, and agents always sign alike."""
    person = facts.get("agent" if name.startswith("a.") else "customer", "")
    return random.Random(
        f"{name}|{person}" + ("" if name == "a.sign" else f"|{facts.get('case_number', '')}")
    )


def _traits(facts: Facts) -> list[str]:
    return [str(facts[name]) for name in ("kind", "tone") if facts.get(name)]


def _as_texts(facts: Facts) -> dict[str, str]:
    texts = {name: "" if value is None else str(value) for name, value in facts.items()}
    return {**PRONOUNS[bool(facts.get("plural"))], **texts}


def _short(text: str) -> str:
    """The first sentences of an aside, up to about two dozen words:
    nobody types essays in a chat.
    """
    kept: list[str] = []
    for sentence in re.split(r"(?<=[.!?])\s+", text):
        if kept and len(" ".join([*kept, sentence]).split()) > LONGEST_CHAT_ASIDE:
            break
        kept.append(sentence)
    return " ".join(kept)


def _mail(said: Sequence[tuple[str, str]], rng: random.Random) -> str:
    """Greeting, paragraphs of one to three acts, closing,
    and a remark behind it if there is one.
    """
    greeting = [text for beat, text in said if beat in GREETINGS]
    closing = [text for beat, text in said if beat in CLOSINGS]
    remark = [text for beat, text in said if beat == "c.ps"]
    body = [
        (beat, text) for beat, text in said if beat not in GREETINGS | CLOSINGS and beat != "c.ps"
    ]
    paragraphs: list[str] = []
    while body:
        taken = min(len(body), rng.choice((1, 2, 2, 3)))
        while taken < len(body) and body[taken - 1][0].endswith(".lead"):
            taken += 1
        paragraphs.append(" ".join(text for _, text in body[:taken]))
        body = body[taken:]
    return tidy("\n\n".join([*greeting, *paragraphs, *closing, *remark]))
