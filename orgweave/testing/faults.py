"""How the test server misbehaves: each fault with its share of the requests.

Faults are drawn from the request itself, so that runs can be compared; the same request asked once
more draws anew. Content faults spoil an answer of right words; what they leave unspoiled is right.
Knows no HTTP. Example: `Behaviour(faults={"busy": 0.1, "truncated": 0.05})` refuses a tenth of the
requests and cuts a twentieth of the answers off.
"""

import hashlib
import json
import random
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from orgweave.testing.asked import Prompt
from pipeline.write.telling import MUST_CONTAIN

FaultyEntry = dict[str, object]
FactsByUnit = Mapping[int, Sequence[str]]
CONNECTION = ("error_500", "dropped", "busy")
CONTENT = (
    "malformed",
    "truncated",
    "wrong_field",
    "missing_field",
    "too_few",
    "too_many",
    "duplicate",
    "contradicted",
    "prose",
    "empty",
    "refused",
)
GATEWAY = ("garbled", "cut_short", "stray", "no_choices")
"""What gateways do now and then: no HTTP at all, a body that breaks off, a refusal that was meant
for nobody (once there were answers), an answer without a choice."""
SHAPE = ("filtered", "wrapped", "keyed", "text_numbers")
"""An answer that a filter stopped, and right entries in other shapes than what was asked for."""


@dataclass(frozen=True, slots=True)
class Behaviour:
    """What the server does besides answering.

    Args:
        latency, jitter: seconds before an answer, and up to so many more.
        most_at_once: calls at once beyond which it answers 429; 0 for any number.
        retry_after: seconds that a 429 asks to wait.
        forms: types of `response_format` that it takes.
        key, models: the key that it wants, and the models that it has, where they are given.
        down: models that always answer 500.
        context, quota, per_minute: its limits of tokens a prompt, tokens in all, and requests a
            minute; 0 for none.
        batch_seconds: how long a batch takes.
        faults: every fault's share of the requests.
        poisoned: phrases, and what a prompt that holds one gets each time: `refusal` is a content
            filter's 400, `filter` an answer that it stopped, `nothing` an answer without a choice.
    """

    latency: float = 0.0
    jitter: float = 0.0
    most_at_once: int = 0
    retry_after: float = 0.2
    forms: tuple[str, ...] = ("json_schema", "json_object", "text")
    key: str = ""
    models: tuple[str, ...] = ()
    down: tuple[str, ...] = ()
    context: int = 0
    quota: int = 0
    per_minute: int = 0
    batch_seconds: float = 0.0
    faults: Mapping[str, float] = field(default_factory=dict)
    poisoned: Mapping[str, str] = field(default_factory=dict)

    def drawn(self, body: bytes, time: int) -> tuple[str | None, random.Random]:
        """Draws the fault of a request asked for the n-th time, or None.

        Also returns the stream to draw the fault's details from.
        """
        seed = hashlib.sha256(body + str(time).encode()).digest()
        rng = random.Random(seed)
        drawn = rng.random()
        for name, share in self.faults.items():
            if drawn < share:
                return name, rng
            drawn -= share
        return None, rng


def everything(share: float) -> dict[str, float]:
    """Returns every fault with the same share."""
    return dict.fromkeys((*CONNECTION, *CONTENT), share)


@dataclass(frozen=True, slots=True)
class Spoiled:
    """An answer as it goes out: its text, why it ended, and a refusal in place of a text."""

    text: str
    finish: str = "stop"
    refusal: str | None = None


def spoiled(
    fault: str | None,
    entries: list[FaultyEntry],
    prompt: Prompt,
    demanded: FactsByUnit,
    rng: random.Random,
) -> Spoiled:
    """Returns the answer with that fault in it."""
    if fault in SPOIL_ENTRIES and entries:
        SPOIL_ENTRIES[fault](
            entries,
            prompt,
            demanded,
            rng,
        )
    text = json.dumps({"entries": entries}, ensure_ascii=False)
    if fault == "truncated":
        return Spoiled(text[: rng.randrange(len(text))], "length")
    if fault == "refused":
        return Spoiled("", "stop", "I can't help with that.")
    if fault == "filtered":
        return Spoiled("", "content_filter")
    if fault in SPOIL_TEXT:
        return Spoiled(SPOIL_TEXT[fault](text))
    return Spoiled(text)


def _wrong_field(
    entries: list[FaultyEntry],
    prompt: Prompt,
    demanded: FactsByUnit,
    rng: random.Random,
) -> None:
    entry = rng.choice(entries)
    entry[_field(entry, rng)] = 17


def _missing_field(
    entries: list[FaultyEntry],
    prompt: Prompt,
    demanded: FactsByUnit,
    rng: random.Random,
) -> None:
    entry = rng.choice(entries)
    del entry[_field(entry, rng)]


def _too_few(
    entries: list[FaultyEntry],
    prompt: Prompt,
    demanded: FactsByUnit,
    rng: random.Random,
) -> None:
    del entries[rng.randrange(len(entries))]


def _too_many(
    entries: list[FaultyEntry],
    prompt: Prompt,
    demanded: FactsByUnit,
    rng: random.Random,
) -> None:
    entries.insert(rng.randrange(len(entries) + 1), {**rng.choice(entries), "unit": 10**9})
    entries.append(dict(rng.choice(entries)))


def _duplicate(
    entries: list[FaultyEntry],
    prompt: Prompt,
    demanded: FactsByUnit,
    rng: random.Random,
) -> None:
    """An entry whose first field is that of an entry which the prompt shows as earlier."""
    entry = rng.choice(entries)
    name = next((name for name in entry if name != "unit"), None)
    if name and prompt.earlier:
        entry[name] = rng.choice(prompt.earlier)


def _contradicted(
    entries: list[FaultyEntry],
    prompt: Prompt,
    demanded: FactsByUnit,
    rng: random.Random,
) -> None:
    """An entry that states another value for a fact that it must name, where it must name it."""
    entry = rng.choice(entries)
    unit = int(str(entry["unit"]))
    values = demanded.get(unit, ())
    if not values:
        return
    for name, text in entry.items():
        if isinstance(text, str):
            entry[name] = _other_value(text, values[0])
        elif isinstance(text, list):
            value = next((value for value in values if _naming(prompt, unit, value)), values[0])
            turns = _naming(prompt, unit, value)
            entry[name] = [
                _other_value(str(part), value) if place in turns else part
                for place, part in enumerate(text)
            ]


def _other_value(text: str, value: str) -> str:
    """The text with another value wherever this one stands."""
    other = value[::-1].swapcase()
    if re.search(r"[0-689]", value):
        other = re.sub(r"\d", "7", value)
    return re.sub(re.escape(value), lambda found: other, text, flags=re.IGNORECASE)


def _naming(prompt: Prompt, unit: int, value: str) -> set[int]:
    """The places of a conversation's texts that must contain a value."""
    places: set[int] = set()
    for asked in prompt.units:
        if asked.id != unit:
            continue
        for place, part in enumerate(asked.open_parts):
            must = part.get(MUST_CONTAIN)
            if isinstance(must, list) and value in must:
                places.add(place)
    return places


def _field(entry: FaultyEntry, rng: random.Random) -> str:
    """One of an entry's fields."""
    names = [name for name in entry if name != "unit"]
    return rng.choice(names or ["unit"])


def _malformed(text: str) -> str:
    return text.replace("{", "<").replace("}", ">")


def _prose(text: str) -> str:
    return (
        f"Of course! Here is what you asked for:\n```json\n{text}\n```\nLet me know if you need"
        " {anything} else."
    )


def _empty(text: str) -> str:
    return ""


def _wrapped(text: str) -> str:
    return f'{{"output": {text}}}'


def _keyed(text: str) -> str:
    """The entries under their units' numbers."""
    entries = json.loads(text)["entries"]
    by_number = {str(entry.pop("unit")): entry for entry in entries}
    return json.dumps({"entries": by_number}, ensure_ascii=False)


def _text_numbers(text: str) -> str:
    """Units as `"3"` and as 3.0, one after the other."""
    entries = json.loads(text)["entries"]
    for place, entry in enumerate(entries):
        entry["unit"] = str(entry["unit"]) if place % 2 else float(entry["unit"])
    return json.dumps({"entries": entries}, ensure_ascii=False)


SpoilEntries = Callable[[list[FaultyEntry], Prompt, FactsByUnit, random.Random], None]
SPOIL_ENTRIES: dict[str, SpoilEntries] = {
    "wrong_field": _wrong_field,
    "missing_field": _missing_field,
    "too_few": _too_few,
    "too_many": _too_many,
    "duplicate": _duplicate,
    "contradicted": _contradicted,
}
SPOIL_TEXT: dict[str, Callable[[str], str]] = {
    "malformed": _malformed,
    "prose": _prose,
    "empty": _empty,
    "wrapped": _wrapped,
    "keyed": _keyed,
    "text_numbers": _text_numbers,
}
