"""The look at texts while the last ones are waited for: it decides nothing, and saves work."""

import asyncio

from pipeline.write.early_look import MOST, SHARE, WORTH, EarlyLook
from tests.likeness_toys import NOTE
from verifiers.likeness import KnownLots, verify_unlike
from verifiers.material import Entry

MANY = 2 * WORTH
SENTENCE = "The {} lamp in room {} has gone dark, and nobody in this house knows why."
COLORS = ("copper", "violet", "orchard")


def entries_of(number: int) -> dict[int, Entry]:
    """So many notes, of which some are alike and some equal."""
    texts = [
        SENTENCE.format(COLORS[unit % 3] * (1 + unit % 7), unit // 9) for unit in range(number)
    ]
    return {unit: {field.name: text for field in NOTE.written} for unit, text in enumerate(texts)}


async def looked(number: int, entries: dict[int, Entry]) -> KnownLots:
    """What is known once so many of the entries were told of."""
    look = EarlyLook(NOTE, range(MANY))
    look.written({unit: entries[unit] for unit in list(entries)[:number]})
    return await look.over()


def test_what_is_looked_at_early_is_decided_as_if_it_were_not() -> None:
    """Late texts, and early ones that were changed since, get the same verdicts."""
    entries = entries_of(MANY)
    known = asyncio.run(looked(round(0.9 * MANY), entries))
    entries[3] = entries[MANY - 1]
    units = list(range(MANY))
    plain = verify_unlike(NOTE, units, entries)
    assert plain and known.lots
    assert verify_unlike(NOTE, units, entries, known) == plain


def test_the_look_waits_until_most_is_written() -> None:
    """Before that nothing is known: what came by then would be looked at again."""
    entries = entries_of(MANY)
    assert asyncio.run(looked(round(SHARE * MANY) - 1, entries)) == KnownLots()
    assert asyncio.run(looked(round(SHARE * MANY), entries)).lots


def test_few_texts_are_not_looked_at_early() -> None:
    """They are compared in no time when all are there."""

    async def few() -> KnownLots:
        look = EarlyLook(NOTE, range(WORTH - 1))
        look.written(entries_of(WORTH - 1))
        return await look.over()

    assert asyncio.run(few()) == KnownLots()


def test_very_many_texts_are_not_looked_at_early() -> None:
    """The look would hold more memory than all calls that are waited for."""

    async def many() -> KnownLots:
        look = EarlyLook(NOTE, range(MOST + 1))
        # Of the entries of all units a toy's worth is enough: their number alone is looked at.
        look.written(dict.fromkeys(range(MOST + 1), entries_of(1)[0]))
        return await look.over()

    assert asyncio.run(many()) == KnownLots()
