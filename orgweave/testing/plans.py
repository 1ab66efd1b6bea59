"""A unit read back from its prompt: the opposite of what `pipeline.write.telling` does.

A model reads intentions ("asks for a photo that shows it"); the embedded writer, which gives the
test endpoint its words, composes of acts and keys. Each act says something else, so the intention
tells the act, its arguments, and the facts that stand in it.
"""

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, replace

from pipeline.write.facts_as_written import DAYS, ORDERED, YEAR
from pipeline.write.telling import (
    FIGURES,
    IN_SENSE,
    MUST,
    MUST_CONTAIN,
    OPTIONS,
    PLAN,
    TERMS,
    TEXT_NUMBER,
)
from schemas.categories import Category
from schemas.model import Beat
from schemas.world import World
from verifiers.answer import DETAILS
from verifiers.material import Fact, Facts, Unit
from verifiers.near_days import DUE_SPAN
from verifiers.wording import day_of

PLACE = re.compile(r"\\\{(\w+)\\\}")
BY_DUE = re.compile(r"\b(by|around)((?:\\)? \\\{due_date\\\})")
SENSE = IN_SENSE.partition("{")[0]
OF_CASE = ("return_number", "back", "due_date", "due_day", "due_time", "back_date")
"""Facts of the whole case that only the plan of one turn tells."""
ASKED_NEXT = "issue.wonders."
DOMAIN = "shop.example"
"""A prompt doesn't tell the company's domain; what is written to strangers may name one."""


@dataclass(frozen=True, slots=True)
class ActReader:
    """Finds the act that an intention was made from.

    `patterns` are the acts by name, each with the pattern of what it says.
    """

    patterns: Mapping[str, re.Pattern[str]]
    beats: Mapping[str, Beat]
    world: World

    def unit(self, unit: Unit) -> Unit:
        """The unit with acts and keys in place of its plan."""
        known = unit.facts
        facts = self._facts(known, known)
        facts |= self._keys(facts)
        parts = []
        for part in unit.parts:
            parts.append(self._facts(part, {**known, **part}))
        if PLAN in known or any(PLAN in part for part in unit.parts):
            acts = [str(told.get("beats") or "") for told in (facts, *parts)]
            facts |= self._keys_of_case(facts, ",".join(acts).split(","))
        for part in parts:
            facts |= {name: part[name] for name in OF_CASE if name in part}
        return replace(unit, facts=facts, parts=tuple(parts))

    def _facts(self, shown: Facts, known: Facts) -> dict[str, Fact]:
        """The facts of a unit or a turn as they were before a prompt was made of them.

        `known` are those that hold for it: a turn's with its unit's.
        """
        facts: dict[str, Fact] = {}
        for name, value in shown.items():
            if name == PLAN:
                facts |= self._acts(list(value), known)  # type: ignore[arg-type]
            elif name == MUST_CONTAIN:
                if PLAN not in shown:
                    facts[MUST] = json.dumps(value)
            elif name == FIGURES:
                facts[FIGURES] = json.dumps(_figures(value))
            elif name == DETAILS:
                facts[DETAILS] = json.dumps(value)
            elif name == OPTIONS:
                facts[OPTIONS] = json.dumps(value)
            elif name == TERMS:
                facts |= {TERMS: value, OPTIONS: json.dumps(self._options(str(value)))}
            elif name != TEXT_NUMBER:
                facts[name] = value
        if facts.get("agent"):
            facts["agent_first"] = str(facts["agent"]).split()[0]
        return facts

    def _options(self, terms: str) -> list[dict[str, object]]:
        """The options of an article from its terms: `Full Refund within 50 days; ...`."""
        keys = {option.name: option.key for option in self.world.options}
        found: list[dict[str, object]] = []
        for term in terms.split("; "):
            name, _, limit = term.removesuffix(" days").rpartition(" within ")
            found.append({"key": keys.get(name, "any"), "name": name, "limit": int(limit)})
        return found

    def _acts(self, says: list[str], known: Facts) -> dict[str, Fact]:
        """The acts of a plan, joined by commas, and the facts that their intentions hold."""
        names = []
        facts: dict[str, Fact] = {}
        for told in says:
            said = told.partition(SENSE)[0]
            for name, pattern in self.patterns.items():
                found = pattern.fullmatch(said)
                if found is None:
                    continue
                arguments, held = self._places(name, found.groupdict())
                if _contradicts(held, known):
                    continue
                facts |= _dated(held, known)
                names.append(".".join([name, *arguments]))
                break
        return {"beats": ",".join(names), **facts}

    def _places(self, act: str, places: Mapping[str, str]) -> tuple[list[str], dict[str, Fact]]:
        """What stands in an intention's places: the act's arguments, and facts by their names."""
        uses = self.beats[act].uses or {}
        arguments = []
        held: dict[str, Fact] = {}
        for place, value in places.items():
            if place.startswith("_"):
                arguments.append(value.replace(" ", "_"))
            else:
                held[uses.get(place, place)] = value
        return arguments, held

    def _keys(self, facts: Facts) -> dict[str, Fact]:
        """The keys and forms that the embedded writer's rules go by, as far as the facts tell."""
        keys: dict[str, Fact] = {}
        if facts.get("category"):
            keys |= self._keys_of_product(facts)
        if facts.get("subject"):
            keys |= self._keys_of_article(str(facts["subject"]))
        if facts.get("product_short"):
            category = self._category(facts)
            keys["plural"] = bool(category and category.plural)
        return keys

    def _category(self, facts: Facts) -> Category | None:
        """The category whose goods go by that short name."""
        shorts: dict[str, Category] = {}
        for known in self.world.categories:
            shorts |= dict.fromkeys(known.short, known)
        return shorts.get(str(facts.get("product_short", "")))

    def _keys_of_product(self, facts: Facts) -> dict[str, Fact]:
        names = {known.name: known.key for known in self.world.categories}
        groups = {group.name: group.key for group in self.world.groups}
        return {
            "category_key": names.get(str(facts["category"]), "any"),
            "group_key": groups.get(str(facts.get("made_for", "")), ""),
            "noun_titled": str(facts.get("noun", "")).title(),
        }

    def _keys_of_article(self, subject: str) -> dict[str, Fact]:
        keys = {issue.name: issue.key for issue in self.world.issues}
        keys |= {policy.title: policy.key for policy in self.world.policies}
        for article in self.world.articles:
            if subject.endswith(article.topic):
                keys[subject] = article.key
        key = keys.get(subject, "any")
        return {"article_key": key, "issue_key": key}

    def _keys_of_case(self, facts: Facts, acts: list[str]) -> dict[str, Fact]:
        issues = {issue.name: issue.key for issue in self.world.issues}
        options = {option.phrase: option for option in self.world.options}
        wish, granted = (options.get(str(facts.get(name, ""))) for name in ("wish", "option"))
        category = self._category(facts)
        issue, name = (str(facts.get(key, "")) for key in ("issue", "customer"))
        return {
            "issue_key": issues.get(issue) or self._enquiry_key(issue, acts),
            "wish_key": wish.key if wish else "any",
            "wish_ways": "|".join(wish.ways) if wish else "",
            "option_key": granted.key if granted else "any",
            "option_ways": "|".join(granted.ways) if granted else "",
            "category_key": category.key if category else "any",
            "first": name.partition(" ")[0],
            "last": name.rpartition(" ")[2],
            "order_month": str(facts.get("order_date", "")).partition(" ")[0],
            "domain": DOMAIN,
        }

    def _enquiry_key(self, reason: str, acts: list[str]) -> str:
        """The key of what is no complaint, "any" where the acts don't hang on it.

        A prompt tells the reason and no topic: it is one whose answer is followed by the question
        that is asked next.
        """
        asked = {act.removeprefix(ASKED_NEXT) for act in acts if act.startswith(ASKED_NEXT)}
        for name, enquiry in self.world.trade.contact.enquiries.items():
            if enquiry.reason != reason:
                continue
            for topic, questions in enquiry.wonders.items():
                if asked & set(questions):
                    return f"enquiry_{name}" if topic == "any" else f"enquiry_{name}_{topic}"
        return "any"


def _figures(shown: object) -> dict[str, object]:
    """An article's figures without their senses."""
    figures: dict[str, object] = {}
    for name, value in dict(shown).items():  # type: ignore[call-overload]
        figures[name] = json.loads(str(value).partition(SENSE)[0])
    return figures


def _dated(held: Mapping[str, Fact], known: Facts) -> dict[str, Fact]:
    """The facts with the year of days ahead, which a plan leaves out: that of the order, or the
    next. A span in a day's place has none.
    """
    dated = dict(held)
    ordered = day_of(str(known.get(ORDERED) or ""))
    if ordered is not None and ORDERED in held:
        dated[ORDERED] = known[ORDERED]
    for name in DAYS.keys() & held.keys():
        told = str(held[name])
        if ordered is None or YEAR.search(told) or DUE_SPAN.fullmatch(told):
            continue
        this_year = f"{told}, {ordered.year}"
        day = day_of(this_year)
        is_past = day is not None and day < ordered
        dated[name] = f"{told}, {ordered.year + 1}" if is_past else this_year
    return dated


def _contradicts(held: Facts, known: Facts) -> bool:
    """Whether an intention holds another value of a fact than the known one.

    Two acts may say the same of different facts: the first term of a remedy, and the second.
    """
    for name, value in held.items():
        right = " ".join(str(known.get(name) or "").split())
        without_year = YEAR.sub("", right) if name == ORDERED else right
        if right and value not in (right, without_year):
            return True
    return False


def act_reader(beats: Mapping[str, Beat], world: World) -> ActReader:
    """A reader of these acts; what says more is tried first, apart from its places."""
    own = {name: len(PLACE.sub("", re.escape(beat.says))) for name, beat in beats.items()}
    longest_first = sorted(beats, key=own.__getitem__, reverse=True)
    patterns = {}
    for name in longest_first:
        pattern = PLACE.sub(_group, BY_DUE.sub(_by_or_within, re.escape(beats[name].says)))
        patterns[name] = re.compile(pattern)
    return ActReader(patterns, beats, world)


def _by_or_within(found: re.Match[str]) -> str:
    """A day that a plan may tell as a span: `by March 8`, `within 3 business days`."""
    return f"(?:{found.group(1)}|within){found.group(2)}"


def _group(found: re.Match[str]) -> str:
    """A group for a place: `{1}` is an argument, `{wish}` a fact."""
    name = found.group(1)
    return f"(?P<_{name}>.*)" if name.isdigit() else f"(?P<{name}>.*)"
