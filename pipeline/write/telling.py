"""How a unit is told to a model: its facts by names that explain themselves, and its plan.

A conversation's acts become what each text has to say, with the facts in it and the meaning of
what the desk knows by a key. What no text needs stays out: keys of the embedded writer's rules,
and facts that stand in the plan where it needs them. Knows no templates and no requests.
"""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain

from pipeline.write.abroad import demanded_abroad, worded_abroad
from pipeline.write.facts_as_written import day_ordered, days_ahead, told_span
from pipeline.write.moments import WAITED, exact_waits, told_moment, told_moments
from pipeline.write.senses import ASKED, Senses, rule_of
from pipeline.write.slots import phone_end
from pipeline.write.transcript import WINDOW_FACTS, window_before
from pipeline.write.typing import habits_in_mail
from schemas.beats import beat_named, said_with
from schemas.country import Country
from schemas.model import Beat
from verifiers.answer import DETAILS, STAKE, pairs_of
from verifiers.material import WAYS_END, Fact, Facts, Unit
from verifiers.near_days import AT, ZONE, local_moment
from verifiers.transcript import CUSTOMER
from verifiers.ways import shown_ways

BEATS = "beats"
GIVEN = "given"
PLAN = "to_say"
MUST = "must"
MUST_CONTAIN = "must_contain"
FIGURES = "figures"
OPTIONS = "options"
TERMS = "terms"
MANNER = "manner"
EMAIL = "email"
TEXT_NUMBER = "text"
"""The number of an open turn among the texts to write, from 1."""

UNSAID = frozenset(
    {"at", "weekday", "nth", "nth_of_issue", "ranks", "plural", "noun_titled", "asks"}
    | {"issue_key", "category_key", "option_key", "wish_key", "article_key", "group_key"}
    | {ZONE, *WINDOW_FACTS}
)
"""What says nothing about words: exact times, and the keys and numbers of the embedded writer."""

UNSAID_BY_PLAN = frozenset(
    {"beats", "named_product", "bought", "other_short", "days", "cause", "known_by"}
    | {"limit", "deny_limit", "first", "last", "order_month", "device", "postal", "phone"}
    | {"nth_order", "first_year", "tried", "ask_1", "ask_2", "company", "domain"}
    | {"term_1", "shown_1", "term_2", "shown_2", "return_number", "stranger", "stranger_firm"}
    | {"back", "due_date", "due_day", "due_time", "back_date", "piece"}
    | {"agent_first", "next_agent", "next_first", "prev_agent", "prev_first"}
)
"""Where a text has a plan, these stand in it wherever a text needs them."""

TOLD_AS: Mapping[str, str] = {
    "wish": "wanted_remedy",
    "option": "granted_remedy",
    "amount": "price_paid",
    "thing": "customer_calls_it",
    "seen": "customer_sees",
    "style": "agent_style",
    "verbosity": "customer_length",
    "tone": "customer_tone",
    "manner": "customer_types_with",
    "note": "note_on_the_case",
    "ago": "order_was_placed",
    "option_ways": "people_say_granted",
    "wish_ways": "people_say_wanted",
    "waited": "customer_waited",
}
"""The names by which a plan's writer is told facts whose own names say too little."""

WISH_WAYS = "wish_ways"
WAYS = ("option_ways", WISH_WAYS)
"""Facts that hold the ways to word a remedy, see `verifiers.ways`."""
FEW_WAYS = 4
"""So many of them are told as examples; a text may use any."""
WISHES, LAY = ("c.wish", "c.wish.also", "c.push", "c.accept.instead"), "option.{}.lay"
"""Acts in which a customer names a remedy, and the rule that words it as customers do."""
REFUSES = "a.deny"
"""How the acts begin in which an agent names what was wished for."""
IN_SENSE = ' (in the sense of: "{}")'
SINCE = "since_the_message_before"
"""What a customer's text is told instead of how long the customer waited."""
WHEN = "when"
"""The day and the hour at which a text is written, by the customer's clock."""
WINDOW = "window_shows_first"
"""What both sides of a chat read before its first line."""
ASKED_LATER = "asked_later"
"""What a first mail leaves open, since the answer to it will ask for that."""
ASKS, CUSTOMER_ACT = "asks", "c."
NOUN = "_noun"
"""What the lexicon has a word for, and no fact holds, is called so."""
PHONE_OF = ("phone", "customer")
DUE = "due_date"
BY_DUE = re.compile(r"\b(?:by|around) \{due_date\}")
WITHIN_DUE = "within {due_date}"
_PLACE = re.compile(r"\{(\w+)\}")


@dataclass(frozen=True, slots=True)
class UnitTelling:
    """What the telling of units depends on, besides their facts.

    `country` is that of the company, None for the country of American English.
    """

    beats: Mapping[str, Beat]
    senses: Senses
    country: Country | None = None

    def unit(self, unit: Unit) -> dict[str, object]:
        """A unit as JSON holds it.

        Facts that all its turns share stand once, and empty ones not at all: most of a prompt is
        facts.
        """
        planned = self.has_plan(unit)
        acts = chain.from_iterable(_acts(part) for part in unit.parts)
        refuses = any(act.startswith(REFUSES) for act in acts)
        facts = self._shown(unit.facts, planned, unit.id, refuses)
        data: dict[str, object] = {"unit": unit.id, "facts": facts}
        if unit.parts:
            data |= self._conversation(unit, planned)
        else:
            moment = local_moment(unit.facts.get(AT), unit.facts.get(ZONE)) if planned else None
            data |= _unless_empty(WHEN, moment and told_moment(moment))
            data |= self._plan(unit, unit.facts, set())
            data |= _unless_empty(ASKED_LATER, self._asked_later(unit))
        if unit.avoid:
            data["never_mention"] = list(unit.avoid)
        if unit.notes:
            data["refused_before_because"] = list(unit.notes)
        if self.country is not None:
            return {name: worded_abroad(value, self.country) for name, value in data.items()}
        return data

    def has_plan(self, unit: Unit) -> bool:
        """Whether acts say what the texts of a unit have to say."""
        for facts in (unit.facts, *unit.parts):
            if any(beat_named(self.beats, name)[0] is not None for name in _acts(facts)):
                return True
        return False

    def _conversation(self, unit: Unit, planned: bool) -> dict[str, object]:
        """The turns; those to be written are numbered as their texts are in the answer."""
        shared = shared_facts(unit.parts)
        asked: set[str] = set()
        for part in unit.parts:
            asked.update(name for name in _acts(part) if name.startswith(ASKED))
        turns = []
        number = 0
        moments = told_moments(unit.parts, unit.facts.get(ZONE))
        waits = exact_waits(unit.parts)
        for told, waited, part in zip(moments, waits, unit.parts, strict=True):
            if waited:
                part = {**part, WAITED: waited}
            own = {name: part[name] for name in part if name not in shared}
            if own.get("speaker") == CUSTOMER:
                own.pop("style", None)
                since = own.pop(WAITED, None)
                own |= {} if part.get(AT) and unit.facts.get(ZONE) else {SINCE: since}
            turn = {**_unless_empty(WHEN, told), **self._shown(own, planned)}
            if not part.get(GIVEN):
                number += 1
                turn = {TEXT_NUMBER: number, **turn, **self._plan(unit, part, asked)}
            turns.append(turn)
        every_turn = _unless_empty("every_turn", self._shown(shared, planned))
        seen = _unless_empty(WINDOW, window_before(unit.facts))
        return {**seen, **every_turn, "turns": turns, "texts_to_write": number}

    def _plan(self, unit: Unit, part: Facts, told: set[str]) -> dict[str, object]:
        """What a text is to say, one intention an act, and what it must contain.

        `told` are the keys whose meaning stands in the unit's plans already; it grows.
        """
        facts: dict[str, Fact] = {**unit.facts, **part}
        if self.country is None:
            facts |= {**days_ahead(facts), **day_ordered(facts)}
        facts["phone_end"] = phone_end({name: str(facts.get(name) or "") for name in PHONE_OF})
        says: list[str] = []
        must: list[str] = []
        for name in _acts(part):
            beat, arguments = beat_named(self.beats, name)
            if beat is None:
                continue
            meant = {used: facts.get(stands) for used, stands in (beat.uses or {}).items()}
            meant |= self._span(name, {**unit.facts, **part})
            said = said_with(beat.says, arguments)
            if DUE in meant:
                said = BY_DUE.sub(WITHIN_DUE, said)
            said = self._filled_in(said, {**facts, **meant})
            says.append(said + self._sense(name, unit, facts, told))
            must += self._must(beat, {**facts, **meant})
        plan: dict[str, object] = {PLAN: says} if says else {}
        demanded = [text for text in must if text]
        if demanded:
            plan[MUST_CONTAIN] = demanded
        return plan

    def _span(self, act: str, facts: Facts) -> dict[str, Fact]:
        """How long something takes in place of its day, where the agent tells that by habit."""
        span = told_span(act, facts) if self.country is None else ""
        return {DUE: span} if span else {}

    def _must(self, beat: Beat, facts: Facts) -> Iterator[str]:
        """Yields what an act's text must contain.

        A remedy that people have words of their own for is not to be called by its name, nor a
        difference to be reckoned by who can name both figures.
        """
        for fact in beat.must:
            value = facts.get(fact)
            if value in (None, "", 0) or facts.get(f"{fact}{WAYS_END}"):
                continue
            if fact == STAKE and pairs_of(facts):
                continue
            yield self._demanded(fact, str(value))

    def _asked_later(self, unit: Unit) -> list[str]:
        """What an agent will ask who answers a customer's first mail: it leaves that open."""
        if not any(act.startswith(CUSTOMER_ACT) for act in _acts(unit.facts)):
            return []
        signs = str(unit.facts.get(ASKS) or "").split(",")
        asked = [self.senses.of_rule(f"{ASKED}{sign}", unit.facts, unit.id) for sign in signs]
        return [question for question in asked if question]

    def _sense(self, act: str, unit: Unit, facts: Facts, told: set[str]) -> str:
        """The meaning of an act's key, behind the intention; once in a unit."""
        rule = rule_of(act)
        if act in WISHES:
            rule = LAY.format(facts.get("wish_key"))
        if not rule or (rule in told and rule != act):
            return ""
        told.add(rule)
        sense = self.senses.of_rule(rule, facts, unit.id)
        return IN_SENSE.format(sense) if sense else ""

    def _filled_in(self, says: str, facts: Facts) -> str:
        """An intention with its facts and words; the place of a fact that is empty stays empty."""

        def filled(found: re.Match[str]) -> str:
            name = found.group(1)
            if name in facts or not name.endswith(NOUN):
                value = facts.get(name)
            else:
                value = self.senses.word(name, facts)
            return "" if value is None else str(value)

        return " ".join(_PLACE.sub(filled, says).split())

    def _demanded(self, fact: str, value: str) -> str:
        """What a text must contain of a fact, in the language in which it is written."""
        return value if self.country is None else demanded_abroad(fact, value, self.country)

    def _shown(
        self, facts: Facts, planned: bool, number: int = 0, refuses: bool = False
    ) -> dict[str, object]:
        """The facts that a writer is shown: what JSON holds in a text is laid open.

        `number` chooses among examples; how agents name a wish is told where one `refuses` it.
        """
        shown: dict[str, object] = {}
        for name, value in _filled(facts).items():
            if planned and name in UNSAID_BY_PLAN:
                continue
            if name == MUST:
                shown[MUST_CONTAIN] = _laid_open(value)
            elif name == FIGURES:
                shown |= self._figures(facts, _laid_open(value))
            elif name == DETAILS:
                shown[DETAILS] = _laid_open(value)
            elif name == WISH_WAYS and not refuses:
                continue
            elif name in WAYS:
                shown[TOLD_AS[name]] = "; ".join(some_of([*shown_ways(str(value))], number))
            elif name == OPTIONS:
                # The terms say the same in words.
                shown |= {} if facts.get(TERMS) else _unless_empty(name, _laid_open(value))
            elif name == MANNER and facts.get("channel") == EMAIL:
                habits = habits_in_mail(str(value), str(facts.get("device")))
                shown |= _unless_empty(TOLD_AS[MANNER], habits)
            else:
                shown[TOLD_AS.get(name, name) if planned else name] = value
        return shown

    def _figures(self, facts: Facts, figures: object) -> dict[str, object]:
        """An article's figures, each with the sentence that says what it counts."""
        if not isinstance(figures, dict):
            return {FIGURES: figures}
        shown: dict[str, object] = {}
        for name, value in figures.items():
            sense = self.senses.of_figure(name, facts, figures)
            shown[name] = f"{value}{IN_SENSE.format(sense)}" if sense else value
        return _unless_empty(FIGURES, shown)


def some_of(ways: Sequence[str], number: int) -> list[str]:
    """A few of the ways to word something, spread over all; `number` chooses which.

    >>> some_of(["a", "b", "c", "d", "e", "f", "g", "h"], 1)
    ['b', 'd', 'f', 'h']
    """
    few = min(FEW_WAYS, len(ways))
    step = len(ways) / few
    return [ways[(number + int(place * step)) % len(ways)] for place in range(few)]


def shared_facts(parts: Sequence[Facts]) -> dict[str, Fact]:
    """The facts that are the same in all parts; what was given is each part's own."""
    shared: dict[str, Fact] = {}
    for name, value in parts[0].items():
        if name != GIVEN and all(part.get(name) == value for part in parts):
            shared[name] = value
    return shared


def _acts(facts: Facts) -> Iterator[str]:
    """Yields the names of the acts that a text says."""
    yield from str(facts.get(BEATS) or "").split(",")


def _unless_empty(name: str, value: object) -> dict[str, object]:
    return {name: value} if value else {}


def _laid_open(value: Fact) -> object:
    """What a JSON text holds; a fact of the same name that holds no JSON stays as it is."""
    try:
        return json.loads(str(value))
    except ValueError:
        return value


def _filled(facts: Facts) -> dict[str, Fact]:
    filled: dict[str, Fact] = {}
    for name, value in facts.items():
        if value not in ("", None) and name not in UNSAID:
            filled[name] = value
    return filled
