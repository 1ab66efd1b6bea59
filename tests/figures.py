"""Figures beside their bounds, as every bench prints them."""

import sys
from dataclasses import dataclass, field


@dataclass(slots=True)
class Figures:
    """Prints each figure, and remembers those that miss their bound."""

    width: int = 62
    misses: list[str] = field(default_factory=list)

    def __call__(
        self,
        says: str,
        value: float,
        bound: float,
        unit: str = "",
        at_least: bool = False,
    ) -> None:
        """One figure with its bound, an upper one unless it is to be at least so much."""
        right = value >= bound if at_least else value <= bound
        print(
            f"  {says:<{self.width}} {value:>10,.4g} {unit:<8} {'>=' if at_least else '<='}"
            f" {bound:<8,.4g} {'ok' if right else 'MISSED'}",
            flush=True,
        )
        if not right:
            self.misses.append(says)

    def end(self) -> None:
        """Says what was missed; exits 1 where anything was."""
        print("all figures reached" if not self.misses else f"missed: {', '.join(self.misses)}")
        sys.exit(1 if self.misses else 0)
