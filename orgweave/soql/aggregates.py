"""Aggregates that SQLite lacks: sums without binary rounding, and the first and last of texts in
any case, the same whatever the rows' order.
"""

from decimal import Decimal


class ExactSum:
    """SUM without binary rounding: 0.1 + 0.2 is 0.3."""

    def __init__(self) -> None:
        self.total = Decimal(0)
        self.count = 0
        self.whole = True

    def step(self, value: int | float | None) -> None:
        """Takes one value; nulls don't count."""
        if value is not None:
            self.total += Decimal(repr(value))
            self.count += 1
            self.whole = self.whole and isinstance(value, int)

    def finalize(self) -> int | float | None:
        """The sum; null where nothing was summed."""
        if not self.count:
            return None
        return int(self.total) if self.whole else float(self.total)


class ExactAverage(ExactSum):
    """AVG of the exact sum."""

    def finalize(self) -> float | None:
        """The mean; null where nothing was counted."""
        return float(self.total / self.count) if self.count else None


class FirstText:
    """MIN of texts in any case; of two spellings of one text the one that comes first byte by
    byte.
    """

    def __init__(self) -> None:
        self.best: tuple[bytes, bytes] | None = None

    def step(self, value: str | None) -> None:
        """Takes one text; nulls don't count."""
        if value is not None:
            raw = value.encode()
            key = (raw.lower(), raw)
            if self.best is None or self.before(key, self.best):
                self.best = key

    def before(self, key: tuple[bytes, bytes], best: tuple[bytes, bytes]) -> bool:
        """Whether a text takes the place of the best so far."""
        return key < best

    def finalize(self) -> str | None:
        """The text; null where there was none."""
        return None if self.best is None else self.best[1].decode()


class LastText(FirstText):
    """MAX of texts in any case."""

    def before(self, key: tuple[bytes, bytes], best: tuple[bytes, bytes]) -> bool:
        """Later in the alphabet, or the earlier spelling of the same."""
        return key[0] > best[0] or (key[0] == best[0] and key[1] < best[1])


AGGREGATES = {
    "exact_sum": ExactSum,
    "exact_avg": ExactAverage,
    "text_min": FirstText,
    "text_max": LastText,
}
"""SQL name -> aggregate."""
