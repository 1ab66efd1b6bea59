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

from pipeline.write.telling import MUST, MUST_CONTAIN
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

LEAST_SENTENCES = 3
MOST_SENTENCES = 5


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
    if found is None:
        return None
    return checked(Phrases, found, f"{path}: {language}")


def foreign_entry(
    fields: Sequence[WrittenField],
    unit: Unit,
    phrases: Phrases,
    again: int,
) -> dict[str, object]:
    """A unit's entry; another `again` gives other words."""
    seed = sorted(unit.facts.items(), key=str)
    rng = random.Random(f"{unit.id} {again} {seed}")
    entry: dict[str, object] = {"unit": unit.id}
    for written in fields:
        if unit.parts:
            entry[written.name] = _part_texts(written, unit, phrases, rng)
            continue
        demanded = []
        if written.beats or MUST in written.must:
            demanded = _demanded(unit.facts)
        for name in written.must:
            value = entry.get(name, unit.facts.get(name))
            if isinstance(value, str) and value:
                demanded.append(value)
        entry[written.name] = _text(written, demanded, phrases, rng)
    return entry


def _part_texts(
    written: WrittenField,
    unit: Unit,
    phrases: Phrases,
    rng: random.Random,
) -> list[str]:
    """A text for each part of a unit that has none."""
    texts = []
    for part in unit.open_parts:
        demanded = _demanded({**unit.facts, **part})
        text = _text(written, demanded, phrases, rng)
        texts.append(text)
    return texts


def as_stated(facts: Facts, locale: str) -> Facts:
    """Facts with the days as a company states them, where a prompt shows them in its language."""
    tongue = tongue_of(locale, own=True)
    if tongue is None:
        return facts
    english = load_country(locale).english
    stated = dict(facts)
    for name, value in facts.items():
        day = _day_in(str(value), tongue)
        if day is not None:
            stated[name] = english.written_day(day)
    return stated


def _day_in(text: str, tongue: Tongue) -> date | None:
    """The day that a whole text is, as a tongue writes days; None for another text."""
    for form in tongue.dates:
        found = form.fullmatch(text.casefold())
        if found is None:
            continue
        parts = found.groupdict()
        year = parts.get("year") or ""
        if len(year) == YEAR_DIGITS:
            month = parts.get("number") or _month(parts["month"], tongue)
            day = parts["day"]
            return date(int(year), int(month), int(day))
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
    stated: object = facts.get(MUST_CONTAIN)
    if not isinstance(stated, list):
        return []
    found = []
    for wanted in stated:
        first = wanted[0] if isinstance(wanted, list) else wanted
        found.append(str(first))
    return found


def _text(
    written: WrittenField,
    demanded: Sequence[str],
    phrases: Phrases,
    rng: random.Random,
) -> str:
    least = _length(written, "minLength", 0)
    most = _length(written, "maxLength", LONGEST)
    if not demanded and written.words <= SHORT_NAME:
        before = _word(rng)
        name = rng.choice(phrases.names)
        behind = _word(rng)
        return f"{before} {name} {behind}"[:most]
    sentences = []
    for fact in demanded:
        phrase = rng.choice(phrases.facts)
        sentences.append(phrase.replace("{x}", fact))
    wanted = rng.randint(LEAST_SENTENCES, MOST_SENTENCES)
    text = " ".join(sentences)
    while len(sentences) < wanted or len(text) < least:
        phrase = rng.choice(phrases.fillers)
        sentences.append(phrase.replace("{w}", _word(rng)))
        text = " ".join(sentences)
    if len(text) <= most:
        return text
    with_facts = sentences[: len(demanded)]
    return " ".join(with_facts)[:most]


def _length(written: WrittenField, keyword: str, usual: int) -> int:
    """How long a field's text must or may be."""
    stated = written.json_schema.get(keyword)
    if isinstance(stated, int):
        return stated
    return usual


def _word(rng: random.Random) -> str:
    syllables = rng.choices(SYLLABLES, k=2)
    return "".join(syllables).capitalize()
