"""How long the texts of a line can get at most, so that one too short for its field is told.

Knows phrases; the rules and facts behind their slots are `pipeline.company.needs`'s.
"""

from collections.abc import Callable

from pipeline.write.grammar import Phrase, Slot

A_FACT = 80
"""Characters of a fact: hardly one that stands in a line is longer."""

A_FIGURE = 8
"""Characters of a figure of a policy or an article."""

A_BLOCK = 10_000
"""A fact that is a text of several sentences fills any field."""

BLOCKS = ("options_block",)
"""The facts that are such texts."""


def longest(phrase: Phrase, of_slot: Callable[[str], int]) -> int:
    """The most characters that a phrase can have; `of_slot` says how many a slot's text has.

    >>> longest(("A ", Slot("noun"), "."), lambda name: 80)
    83
    """
    number = 0
    for node in phrase:
        if isinstance(node, str):
            number += len(node)
        elif isinstance(node, Slot):
            number += of_slot(node.name)
        else:
            number += max(longest(option, of_slot) for option in node.options)
    return number
