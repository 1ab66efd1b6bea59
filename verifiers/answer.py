"""A writer's answer put before the verifiers: a verdict for every unit that was asked for.

What a text must name follows from its field (`must`) and from the beats that it has to say.
"""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import permutations

import jsonschema_rs

from schemas.beats import VALUE, beat_named
from schemas.incidents import IncidentPlan, Incidents, plan_for
from schemas.model import Beat
from verifiers.content import STATED, WISH, forms_of
from verifiers.course import (
    NUMBER,
    CourseFacts,
    Statement,
    days_in,
    hours_in,
    hours_of,
    sign_marks,
    sums_in,
    verify_course,
)
from verifiers.duplicates import folded
from verifiers.format import entry_schema, validator_of, verify_format
from verifiers.material import (
    NOBODY,
    WAYS_END,
    Demand,
    Entry,
    Facts,
    Roster,
    Unit,
    WrittenField,
    WrittenText,
)
from verifiers.near_days import near_name, spans_until
from verifiers.texts import verify_text
from verifiers.tongue import Tongue
from verifiers.transcript import CUSTOMER
from verifiers.verdict import PASS, Verdict, fail
from verifiers.ways import Remedies, all_ways, sure_ways, unsure_ways
from verifiers.wording import GAP, plain

QUOTED = 300
BEATS, GIVEN = "beats", "given"  # facts of a turn: its acts, and its text where that stands already
# How the acts begin that tell a fact of what is granted or offered.
SETTLES = ("option.tell.", "option.would.")
STAKE = "stake"  # the fact that says what exactly a case is about, such as a sum or a difference
DECIMAL = re.compile(r"\d+\.\d+")
DETAILS = "details"  # the fact that holds what else a case tells, as JSON by their names
DAY = "_date"  # with this end the names of facts that are days
TELLS = "issue.sign."  # with this begins the act that tells a sign
ASKS = "c.asks"  # with this begins the act that asks for something else in the same turn
SUM = "back"  # the fact that says how much is paid back, credited or taken off
KEY_END = "_key"  # with this end the names of facts that are keys of a lexicon
ISSUE_KEY = "issue_key"  # the fact by which an incident's plan is found
# Facts that name people, places and what was bought; their words tell no sign.
NAMES = ("customer", "city", "company", "product")
NO_ENTRY = "format: no entry"
MUST = "must"  # the fact that holds forms of its own, as JSON: [["refund", "refunds"], ["30 days"]]


@dataclass(frozen=True, slots=True)
class VerifiedUnit:
    """What came of a unit: its verdict and, where that is a pass, its entry."""

    verdict: Verdict
    entry: Entry | None = None


@dataclass(frozen=True, slots=True)
class AnswerRules:
    """What all answers about one object type are held against.

    `keys` are the fields in which no entry may equal an earlier one or another of the same
    answer; without any, the first field may not equal what was shown as earlier, unless its text is
    one of the short ones that may stand twice. `incidents` hold the marks by which a text shows
    which value of a sign it tells: in English, so that of texts in another language they say
    nothing. `tongue` is the language, American English without one. By the ways of an issue's
    `remedies` they are told from one another.
    """

    fields: tuple[WrittenField, ...]
    beats: Mapping[str, Beat]
    roster: Roster = NOBODY
    keys: tuple[str, ...] = ()
    incidents: Incidents = field(default_factory=dict)
    tongue: Tongue | None = None
    remedies: Remedies = field(default_factory=dict)
    _validators: dict[int | None, jsonschema_rs.Draft202012Validator] = field(
        default_factory=dict,
        compare=False,
        repr=False,
    )

    def __reduce__(self) -> tuple[type["AnswerRules"], tuple[object, ...]]:
        """All but the compiled validators, which another process makes for itself."""
        kept = (self.fields, self.beats, self.roster, self.keys, self.incidents, self.tongue)
        return AnswerRules, (*kept, self.remedies)

    def verify_answer(
        self,
        units: Sequence[Unit],
        entries: Sequence[object],
        earlier: Sequence[str] = (),
    ) -> dict[int, VerifiedUnit]:
        """What came of every unit, by its id.

        The first right entry of a unit counts, else the last wrong one; entries of units that
        nobody asked for are passed over.
        """
        asked = {unit.id: unit for unit in units}
        missing = VerifiedUnit(fail(f"{NO_ENTRY} for this unit"))
        found = dict.fromkeys(asked, missing)
        taken = {folded(text) for text in earlier}
        for entry in entries:
            unit = asked.get(_unit_of(entry))
            if unit is not None and found[unit.id].entry is None:
                found[unit.id] = self._verified(unit, entry, taken)
        return found

    def verify_entry(
        self,
        unit: Unit,
        entry: object,
    ) -> Verdict:
        """The verdict on the form first, then that of the text verifiers on each text."""
        verdict = verify_format(self._validator(unit), entry)
        if verdict.failed or not isinstance(entry, Mapping):
            return verdict
        for written in self.texts(unit, entry):
            verdict = verify_text(written)
            if verdict.failed:
                return verdict
        return self._verify_course(unit, entry)

    def has_form(self, unit: Unit, entry: object) -> bool:
        """Whether an entry has the form that a unit's texts are asked in."""
        return not verify_format(self._validator(unit), entry).failed

    def wrong_texts(self, unit: Unit, entry: Entry) -> dict[int, Verdict]:
        """The verdicts on the refused texts of a conversation, by place among those to write.

        Empty where no single text is at fault, and where more than one field is written. The entry
        is of the right form.
        """
        wrong: dict[int, Verdict] = {}
        if not unit.parts or len(self.fields) != 1:
            return wrong
        for place, written in enumerate(self.texts(unit, entry)):
            verdict = verify_text(written)
            if verdict.failed:
                wrong[place] = verdict
        if not wrong:
            verdict = self._verify_course(unit, entry)
            place_told = verdict.path.rpartition(".")[2]
            if verdict.failed and place_told.isdecimal():
                wrong[int(place_told)] = verdict
        return wrong

    def _verify_course(self, unit: Unit, entry: Entry) -> Verdict:
        """The verdict on a whole conversation, what stands already included."""
        plan = self._plan(unit.facts)
        if plan is None or not unit.parts or not any(field.beats for field in self.fields):
            return PASS
        facts = _course_facts(unit, plan)
        for written in self.fields:
            value = entry[written.name]
            if isinstance(value, Sequence):
                verdict = verify_course(list(_statements(unit, written, value)), facts)
                if verdict.failed:
                    return verdict
        return PASS

    def _verified(
        self,
        unit: Unit,
        entry: object,
        taken: set[str],
    ) -> VerifiedUnit:
        verdict = self.verify_entry(unit, entry)
        if verdict.failed or not isinstance(entry, Mapping):
            return VerifiedUnit(verdict)
        verdict = self._verify_new(entry, taken)
        if verdict.failed:
            return VerifiedUnit(verdict)
        taken.update(folded(str(entry[name])) for name in self.keys)
        # With the fields' own names: a hundred thousand entries need not each keep a copy.
        texts = {written.name: entry[written.name] for written in self.fields}
        return VerifiedUnit(PASS, {"unit": unit.id, **texts})

    def _verify_new(self, entry: Entry, taken: set[str]) -> Verdict:
        """Fails where the text of a field that must be new stands already."""
        least = 1 if self.keys else self.fields[0].new_from
        for name in self.keys or (self.fields[0].name,):
            text = str(entry[name])
            if len(text.split()) >= least and folded(text) in taken:
                return fail(f"duplicate: {text[:QUOTED]!r} is taken already", name)
        return PASS

    def _validator(self, unit: Unit) -> jsonschema_rs.Draft202012Validator:
        parts = len(unit.open_parts) if unit.parts else None
        if parts not in self._validators:
            schemas = {written.name: written.json_schema for written in self.fields}
            self._validators[parts] = validator_of(entry_schema(schemas, parts))
        return self._validators[parts]

    def texts(self, unit: Unit, entry: Entry) -> Iterator[WrittenText]:
        """Yields each text of an entry of the right form, with what it must name."""
        own = tuple(_values(unit))
        for written in self.fields:
            value = entry[written.name]
            if not unit.parts or not isinstance(value, Sequence):
                demands = (*_field_demands(unit.facts, written, entry),)
                demands += (*self._beat_demands(unit.facts, written),)
                yield self._text(unit, own, str(value), demands, written.name)
                continue
            said: list[str] = []
            fresh = iter(enumerate(value))
            for part in unit.parts:
                if part.get(GIVEN):
                    said.append(str(part[GIVEN]))
                    continue
                number, text = next(fresh)
                demands = (*self._beat_demands({**unit.facts, **part}, written, said),)
                yield self._text(unit, own, str(text), demands, f"{written.name}.{number}")
                said.append(str(text))

    def _text(
        self,
        unit: Unit,
        own: tuple[str, ...],
        text: str,
        demands: tuple[Demand, ...],
        path: str,
    ) -> WrittenText:
        return WrittenText(
            text,
            path,
            demands,
            unit.avoid,
            own,
            self.roster,
            self.tongue,
        )

    def _beat_demands(
        self,
        facts: Facts,
        written: WrittenField,
        said: Sequence[str] = (),
    ) -> Iterator[Demand]:
        """Yields what the beats demand, under the names that the beats use for the facts.

        `said` are the texts of the conversation before this one.
        """
        if not written.beats:
            return
        for name in str(facts.get(written.beats) or "").split(","):
            beat, arguments = beat_named(self.beats, name)
            if beat is None:
                continue
            for fact in beat.must:
                if fact == VALUE:
                    yield from self._value_demands(facts, arguments)
                    continue
                stands = (beat.uses or {}).get(fact, fact)
                value = str(facts.get(stands) or "")
                if value and value != "0":
                    forms = (*forms_of(fact, value), *_near(value, facts))
                    demand = Demand(fact, forms, ways=pairs_of(facts) if fact == STAKE else ())
                    yield self._with_ways(demand, stands, facts, said)

    def _with_ways(self, demand: Demand, stands: str, facts: Facts, said: Sequence[str]) -> Demand:
        """A demand with the ways to word a remedy, which stands among the facts as `stands`."""
        ways = str(facts.get(f"{stands}{WAYS_END}") or "").split("|")
        if ways == [""]:
            return demand
        before = plain(" ".join(said))
        if demand.fact == WISH:
            return replace(demand, ways=(*all_ways(ways, facts, before),))
        rivals: list[str] = []
        own = str(facts.get(f"{stands}{KEY_END}") or "")
        for key, others in self.remedies.get(str(facts.get(ISSUE_KEY) or ""), {}).items():
            if key != own:
                rivals += sure_ways(others, facts, before)
                rivals += unsure_ways(others, facts, before)
        return replace(
            demand,
            ways=(*sure_ways(ways, facts, before),),
            unsure=(*unsure_ways(ways, facts, before), *filter(None, [str(facts.get(SUM) or "")])),
            rivals=tuple(rivals),
        )

    def _plan(self, facts: Facts) -> IncidentPlan | None:
        """What is behind a unit's issue, as far as words can show it."""
        if self.tongue is not None and self.tongue.is_foreign:
            return None
        return plan_for(self.incidents, str(facts.get(ISSUE_KEY) or ""))

    def _value_demands(self, facts: Facts, arguments: tuple[str, ...]) -> Iterator[Demand]:
        """Yields that a text mustn't show another value of a sign than the one it tells.

        The marks can't hold all words that tell it: who pays for a screenshot that "shows all six
        of us" need not say "only us". The embedded writer's own lines are held to them by a test.
        """
        plan = self._plan(facts)
        if plan is None or len(arguments) < 2:
            return
        sign, value = arguments[0], arguments[1]
        values = dict(plan.signs.get(sign, {}))
        known = values.pop(value, None)
        if known is None:
            return
        others: list[str] = []
        for other in values.values():
            others += other.marks
        yield Demand(VALUE, known.marks, tuple(others))


def _near(day: str, facts: Facts) -> tuple[str, ...]:
    """What a day to come is called besides its date: `Friday`, `3 business days`."""
    return (*filter(None, (near_name(day, facts),)), *spans_until(day, facts))


def pairs_of(facts: Facts) -> tuple[str, ...]:
    """The ways to tell what it is about by two figures of the case: `15.5 instead of 13.2`.

    Whoever names both has told the difference, which nobody reckons.
    """
    told = []
    for detail in json.loads(str(facts.get(DETAILS) or "{}")).values():
        figures = DECIMAL.findall(plain(str(detail)))
        told += figures if len(figures) == 1 else []
    return tuple(f"{first} {GAP} {second}" for first, second in permutations(told, 2))


def _course_facts(unit: Unit, plan: IncidentPlan) -> CourseFacts:
    """What holds through a conversation: the signs that its turns tell, and its numbers."""
    marks = {}
    for sign, values in plan.signs.items():
        marks[sign] = {value: known.marks for value, known in values.items()}
    told: list[tuple[str, str]] = []
    for part in unit.parts:
        told += _signs_in(str(part.get(BEATS) or ""))
    stated = [str(fact) for fact in unit.facts.values()]
    numbers = set(NUMBER.findall(" ".join(stated)))
    for part in unit.parts:
        numbers.update(NUMBER.findall(str(part.get(GIVEN) or "")))
    details = plain(" ; ".join(json.loads(str(unit.facts.get(DETAILS) or "{}")).values()))
    days: set[tuple[int, int]] = set(days_in(details))
    for name in unit.facts:
        if name.endswith(DAY):
            days |= days_in(str(unit.facts[name] or ""))
    names = []
    for name in NAMES:
        named = unit.facts.get(name)
        if named:
            names.append(str(named))
    return CourseFacts(
        signs=sign_marks(told, marks),
        numbers=frozenset(numbers),
        sums=frozenset(sums_in(" ; ".join(filter(_may_be_money, stated)))),
        days=frozenset(days),
        hours=frozenset({*hours_of(str(unit.facts.get("due_time") or "")), *hours_in(details)}),
        names=tuple(names),
    )


def _signs_in(beats: str) -> Iterator[tuple[str, str]]:
    """Yields the signs that a turn's acts tell, each with its value."""
    for beat in beats.split(","):
        if beat.startswith(TELLS):
            sign, _, value = beat.removeprefix(TELLS).partition(".")
            yield sign, value


def _may_be_money(fact: str) -> bool:
    """Whether a fact may state an amount; of nearly a hundred few do."""
    small = fact.lower()
    return "$" in small or "dollar" in small or "usd" in small or not fact.isascii()


def _statements(unit: Unit, written: WrittenField, texts: Sequence[object]) -> Iterator[Statement]:
    """Yields the turns of a conversation in order, given ones as they stand."""
    fresh = iter(enumerate(texts))
    for part in unit.parts:
        given = part.get(GIVEN)
        path, text = written.name, str(given)
        if not given:
            number, own = next(fresh)
            path, text = f"{written.name}.{number}", str(own)
        beats = str(part.get(BEATS) or "")
        yield Statement(
            by_customer=part.get("speaker") == CUSTOMER,
            text=text,
            path=path,
            # "From what amount is shipping free?" does not tell that the shipping was wrong.
            tells=TELLS in beats and ASKS not in beats,
            ago=str(part.get("ago") or ""),
            moment=str(part.get("at") or ""),
            settles=any(act in beats for act in SETTLES),
            signs=frozenset(sign for sign, _ in _signs_in(beats)),
        )


def demands_of(fact: str, value: str) -> Iterator[Demand]:
    """Yields what a field's `must` demands for one fact; nothing for a fact that is empty."""
    if fact == MUST:
        for forms in json.loads(value or "[]"):
            yield Demand(STATED, tuple(forms))
    elif value:
        yield Demand(fact, forms_of(fact, value))


def _field_demands(
    facts: Facts,
    written: WrittenField,
    entry: Entry,
) -> Iterator[Demand]:
    """Yields a field's demands; a fact may be another field of the same entry."""
    for name in written.must:
        value = entry.get(name, facts.get(name))
        yield from demands_of(name, "" if value is None else str(value))


def _values(unit: Unit) -> Iterator[str]:
    """Yields all that a text of the unit may name."""
    for facts in (unit.facts, *unit.parts):
        for value in facts.values():
            yield str(value)


def _unit_of(entry: object) -> int:
    """The id that an entry gives itself; -1, which no unit has, where it gives none."""
    value = entry.get("unit") if isinstance(entry, Mapping) else None
    return value if isinstance(value, int) else -1
