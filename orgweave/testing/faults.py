"""How the test server misbehaves: each fault with its share of the requests, drawn from the request
itself, so that runs can be compared.

Content faults spoil an answer of right words; what they left unspoiled is right. The same request
asked once more draws anew.
"""

import hashlib
import json
import random
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from orgweave.testing.asked import Prompt

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


@dataclass(frozen=True, slots=True)
class Behaviour:
    """What the server does besides answering: seconds of latency, the most calls at once (429
    beyond), forms it takes, its limits, models that are
    down (500 always), faults by share.
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

    def drawn(self, body: bytes, time: int) -> tuple[str | None, random.Random]:
        """The fault of a request asked for the n-th time, or None; and the stream to draw its
        details from.
        """
        rng = random.Random(hashlib.sha256(body + str(time).encode()).digest())
        at = rng.random()
        for name, share in self.faults.items():
            if at < share:
                return name, rng
            at -= share
        return None, rng


def everything(share: float) -> dict[str, float]:
    """Every fault with the same share."""
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
    """The answer with that fault in it."""
    if fault in SPOIL_ENTRIES and entries:
        SPOIL_ENTRIES[fault](entries, prompt, demanded, rng)
    text = json.dumps({"entries": entries}, ensure_ascii=False)
    if fault == "truncated":
        return Spoiled(text[: rng.randrange(len(text))], "length")
    if fault == "refused":
        return Spoiled("", "stop", "I can't help with that.")
    return Spoiled(SPOIL_TEXT[fault](text, rng) if fault in SPOIL_TEXT else text)


def _wrong_field(
    entries: list[FaultyEntry], prompt: Prompt, demanded: FactsByUnit, rng: random.Random
) -> None:
    entry = rng.choice(entries)
    entry[_field(entry, rng)] = 17


def _missing_field(
    entries: list[FaultyEntry], prompt: Prompt, demanded: FactsByUnit, rng: random.Random
) -> None:
    entry = rng.choice(entries)
    del entry[_field(entry, rng)]


def _too_few(
    entries: list[FaultyEntry], prompt: Prompt, demanded: FactsByUnit, rng: random.Random
) -> None:
    del entries[rng.randrange(len(entries))]


def _too_many(
    entries: list[FaultyEntry], prompt: Prompt, demanded: FactsByUnit, rng: random.Random
) -> None:
    entries.insert(rng.randrange(len(entries) + 1), {**rng.choice(entries), "unit": 10**9})
    entries.append(dict(rng.choice(entries)))


def _duplicate(
    entries: list[FaultyEntry], prompt: Prompt, demanded: FactsByUnit, rng: random.Random
) -> None:
    """An entry whose first field is that of an entry which the prompt shows as earlier."""
    entry = rng.choice(entries)
    name = next((name for name in entry if name != "unit"), None)
    if name and prompt.earlier:
        entry[name] = rng.choice(prompt.earlier)


def _contradicted(
    entries: list[FaultyEntry], prompt: Prompt, demanded: FactsByUnit, rng: random.Random
) -> None:
    """An entry that states another value for a fact that it must name."""
    entry = rng.choice(entries)
    for value in demanded.get(int(str(entry["unit"])), ())[:1]:
        other = (
            re.sub(r"\d", "7", value) if re.search(r"[0-689]", value) else value[::-1].swapcase()
        )
        for name, text in entry.items():
            if isinstance(text, str):
                entry[name] = re.sub(re.escape(value), other, text, flags=re.IGNORECASE)
            elif isinstance(text, list):
                entry[name] = [
                    re.sub(re.escape(value), other, str(part), flags=re.IGNORECASE) for part in text
                ]


def _field(entry: FaultyEntry, rng: random.Random) -> str:
    return rng.choice([name for name in entry if name != "unit"] or ["unit"])


SPOIL_ENTRIES: dict[
    str, Callable[[list[FaultyEntry], Prompt, FactsByUnit, random.Random], None]
] = {
    "wrong_field": _wrong_field,
    "missing_field": _missing_field,
    "too_few": _too_few,
    "too_many": _too_many,
    "duplicate": _duplicate,
    "contradicted": _contradicted,
}
SPOIL_TEXT: dict[str, Callable[[str, random.Random], str]] = {
    "malformed": lambda text, rng: text.replace("{", "<").replace("}", ">"),
    "prose": lambda text, rng: (
        f"Of course! Here is what you asked for:\n```json\n{text}\n```\nLet me know if you need"
        " {anything} else."
    ),
    "empty": lambda text, rng: "",
}
