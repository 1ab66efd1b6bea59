"""The numbers that a question tells, and the cells that they lie in.

Whether anything answers must not be guessed from them: a guesser splits them where the questions
without an answer crowd. Knows no answers.
"""

from bisect import bisect_right
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from statistics import quantiles

from orgweave.benchmark.instance import Parameters
from orgweave.benchmark.shortcuts import window_in

TOLD = ("n", "days", "n a day", "month", "words of a name", "named")
"""What `numbers_of` gives, in this order."""
PARTS = {1: 36, 2: 4}
"""Into how many parts a number is split alone, and beside another one: of 130 questions each alone
holds three or four, as the leaves of a guesser's trees do. With 12 parts a single month in which
nothing answered hid among others; with 25 cells a pair each held too few for what two numbers tell
together to be seen, and boosted trees guessed 76 of 100 right where 70 is the base.
"""
PAIRS = (("n a day", "month"), ("days", "n a day"), ("days", "month"), ("n", "month"))
"""The numbers that a window and an n tell together."""


def numbers_of(wanted: Parameters) -> list[float]:
    """The numbers that a question tells: n, the length of its window, n a day, the month it ends
    in, the length of a name, 1 where a period is named.
    """
    number = float(str(wanted.get("more_than", 0)))
    days = 1.0
    month = 0.0
    if wanted.get("start"):
        window = window_in(wanted)
        days = float((window.end - window.start).days)
        month = window.end.year * 12.0 + window.end.month
    name = float(len(str(wanted.get("vague_name", "")).split()))
    named = float("period" in wanted)
    return [number, days, number / days, month, name, named]


@dataclass(frozen=True, slots=True)
class ToldCells:
    """Where the parts of each number begin, by how many numbers make a cell."""

    edges: Mapping[int, Sequence[Sequence[float]]]

    def of(self, wanted: Parameters) -> Iterator[str]:
        """The names of the cells that a question lies in."""
        numbers = numbers_of(wanted)
        for place, name in enumerate(TOLD):
            yield f"{name} {self._part(1, place, numbers)}"
        for pair in PAIRS:
            parts = [self._part(2, TOLD.index(name), numbers) for name in pair]
            yield f"{pair} {parts}"

    def _part(self, together: int, place: int, numbers: Sequence[float]) -> int:
        return bisect_right(self.edges[together][place], numbers[place])


def told_cells(questions: Sequence[Parameters]) -> ToldCells:
    """Cells whose parts hold equally many of these questions, as far as ties allow.

    Raises ValueError for fewer than two questions.
    """
    rows = [numbers_of(wanted) for wanted in questions]
    columns = list(zip(*rows, strict=True))
    edges = {}
    for together, parts in PARTS.items():
        edges[together] = [sorted(set(quantiles(column, n=parts))) for column in columns]
    return ToldCells(edges)
