"""A turn's plan read back into dialogue acts: the opposite of what `pipeline.write.prompt` does.

A model reads intentions ("asks for a photo that shows it"); the embedded writer, which gives the
test endpoint its words, composes of acts. Each act says something else, so the intention tells the
act, its arguments, and the facts that stand in it.
"""

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, replace

from pipeline.write.prompt import JSON_FACTS, MUST, MUST_CONTAIN, PLAN
from schemas.lexicon import Category, World
from schemas.model import Beat
from verifiers.material import Fact, Facts, Unit

PLACE = re.compile(r"\\\{(\w+)\\\}")


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
        facts = self._facts(unit.facts, unit.facts)
        if PLAN in unit.facts or any(PLAN in part for part in unit.parts):
            facts |= self._keys(facts)
        parts = tuple(self._facts(part, {**unit.facts, **part}) for part in unit.parts)
        return replace(unit, facts=facts, parts=parts)

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
            elif name in JSON_FACTS:
                facts[name] = json.dumps(value)
            else:
                facts[name] = value
        return facts

    def _acts(self, says: list[str], known: Facts) -> dict[str, Fact]:
        """The acts of a plan, joined by commas, and the facts that their intentions hold."""
        names = []
        facts: dict[str, Fact] = {}
        for said in says:
            for name, pattern in self.patterns.items():
                found = pattern.fullmatch(said)
                if found is None:
                    continue
                arguments, held = self._places(name, found.groupdict())
                if _contradicts(held, known):
                    continue
                facts |= held
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
        """The keys that the embedded writer's rules go by, from the names in the facts."""
        issues = {issue.name: issue.key for issue in self.world.issues}
        options = {option.phrase: option.key for option in self.world.options}
        shorts: dict[str, Category] = {}
        for known in self.world.categories:
            shorts |= dict.fromkeys(known.short, known)
        category = shorts.get(str(facts.get("product_short", "")))
        return {
            "issue_key": issues.get(str(facts.get("issue", "")), "any"),
            "wish_key": options.get(str(facts.get("wish", "")), "any"),
            "option_key": options.get(str(facts.get("option", "")), "any"),
            "category_key": category.key if category else "any",
            "plural": bool(category and category.plural),
        }


def _contradicts(held: Facts, known: Facts) -> bool:
    """Whether an intention holds another value of a fact than the known one.

    Two acts may say the same of different facts: the first term of a remedy, and the second.
    """
    for name, value in held.items():
        right = known.get(name)
        if right not in (None, "") and " ".join(str(right).split()) != value:
            return True
    return False


def act_reader(beats: Mapping[str, Beat], world: World) -> ActReader:
    """A reader of these acts; what says more is tried first."""
    longest_first = sorted(beats, key=lambda name: len(beats[name].says), reverse=True)
    patterns = {}
    for name in longest_first:
        pattern = PLACE.sub(_group, re.escape(beats[name].says))
        patterns[name] = re.compile(pattern)
    return ActReader(patterns, beats, world)


def _group(found: re.Match[str]) -> str:
    """A group for a place: `{1}` is an argument, `{wish}` a fact."""
    name = found.group(1)
    return f"(?P<_{name}>.*)" if name.isdigit() else f"(?P<{name}>.*)"
