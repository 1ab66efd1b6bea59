"""Words in another language for a prompt that asks for it: sentences around what must be named.

They come from the request alone. They mean little, but they are of that language, hold the facts in
the forms in which the prompt shows them, and no two texts are alike. Knows no HTTP.

Example: a prompt in German that demands `Alpin 3` gets `Es geht um Alpin 3. Ohne Sorlen wird es
schwierig.`
"""

import random
from collections.abc import Mapping, Sequence
from datetime import date
from itertools import product
from pathlib import Path

from pydantic import BaseModel, ConfigDict

from pipeline.write.prompt import MUST, MUST_CONTAIN
from schemas.country import load_country
from schemas.files import checked, read_yaml
from verifiers.material import Facts, Unit, WrittenField
from verifiers.tongue import Tongue, tongue_of

SYLLABLES = tuple(map("".join, product("bdfgklmnprstvz", "aeiou", "lmnrst")))
SHORT_NAME = 12
"""A field of so few words, or fewer, is a name and no sentence."""

YEAR_DIGITS = 4
LONGEST = 100_000
"""Characters of a text whose field states no length."""

LEAST_SENTENCES, MOST_SENTENCES = 3, 5


class Phrases(BaseModel):
    """The phrases of one language; `{x}` stands for a fact and `{w}` for a word without meaning."""

    model_config = ConfigDict(extra="forbid", frozen=True)
    names: tuple[str, ...]
    facts: tuple[str, ...]
    fillers: tuple[str, ...]


def phrases_of(language: str) -> Phrases | None:
    """The phrases of a language, by the name that a prompt gives it; None for an unknown one."""
    path = Path(__file__).parent / "foreign.yaml"
    found = read_yaml(path).get(language)
    return None if found is None else checked(Phrases, found, f"{path}: {language}")


def foreign_entry(
    fields: Sequence[WrittenField], unit: Unit, phrases: Phrases, again: int
) -> dict[str, object]:
    """A unit's entry; another `again` gives other words."""
    rng = random.Random(f"{unit.id} {again} {sorted(unit.facts.items(), key=str)}")
    entry: dict[str, object] = {"unit": unit.id}
    for written in fields:
        if unit.parts:
            texts = []
            for part in unit.open_parts:
                demanded = _demanded({**unit.facts, **part})
                texts.append(_text(written, demanded, phrases, rng))
            entry[written.name] = texts
            continue
        demanded = _demanded(unit.facts) if written.beats or MUST in written.must else []
        for name in written.must:
            value = entry.get(name, unit.facts.get(name))
            if isinstance(value, str) and value:
                demanded.append(value)
        entry[written.name] = _text(written, demanded, phrases, rng)
    return entry


def as_stated(facts: Facts, locale: str) -> Facts:
    """Facts with the days as a company states them, where a prompt shows them in its language."""
    stated = dict(facts)
    english, tongue = load_country(locale).english, tongue_of(locale, own=True)
    if tongue is None:
        return facts
    for name, value in facts.items():
        day = _day_in(str(value), tongue)
        if day is not None:
            stated[name] = english.written_day(day)
    return stated


def _day_in(text: str, tongue: Tongue) -> date | None:
    """The day that a whole text is, as a tongue writes days; None for another text."""
    for form in tongue.dates:
        found = form.fullmatch(text.casefold())
        parts = {} if found is None else found.groupdict()
        if len(parts.get("year") or "") == YEAR_DIGITS:
            month = parts.get("number") or _month(parts["month"], tongue)
            return date(int(parts["year"]), int(month), int(parts["day"]))
    return None


def _month(name: str, tongue: Tongue) -> int:
    """The number of a month by its name."""
    return next(number for number, names in enumerate(tongue.months, 1) if name in names)


def demanded_abroad(unit: Unit) -> list[str]:
    """What the texts of a unit must contain, as its prompt shows it; the longest first."""
    found: set[str] = set()
    for facts in (unit.facts, *unit.parts):
        found.update(_demanded(facts))
    return sorted(found, key=lambda text: (-len(text), text))


def _demanded(facts: Mapping[str, object] | Facts) -> list[str]:
    """What a text must contain: texts, or lists of them of which the first is taken."""
    stated: object = facts.get(MUST_CONTAIN) or []
    found = []
    for wanted in stated if isinstance(stated, list) else []:
        found.append(str(wanted[0]) if isinstance(wanted, list) else str(wanted))
    return found


def _text(
    written: WrittenField, demanded: Sequence[str], phrases: Phrases, rng: random.Random
) -> str:
    least = _length(written, "minLength", 0)
    most = _length(written, "maxLength", LONGEST)
    if not demanded and written.words <= SHORT_NAME:
        return f"{_word(rng)} {rng.choice(phrases.names)} {_word(rng)}"[:most]
    sentences = [rng.choice(phrases.facts).replace("{x}", fact) for fact in demanded]
    wanted = rng.randint(LEAST_SENTENCES, MOST_SENTENCES)
    while len(sentences) < wanted or len(" ".join(sentences)) < least:
        sentences.append(rng.choice(phrases.fillers).replace("{w}", _word(rng)))
    text = " ".join(sentences)
    return text if len(text) <= most else " ".join(sentences[: len(demanded)])[:most]


def _length(written: WrittenField, keyword: str, usual: int) -> int:
    """How long a field's text must or may be."""
    stated = written.json_schema.get(keyword)
    return stated if isinstance(stated, int) else usual


def _word(rng: random.Random) -> str:
    return "".join(rng.choices(SYLLABLES, k=2)).capitalize()
