"""The progress line of a run: texts done and the node under way.

With a model it also tells what is spent and what it will come to. Where nobody looks (stderr is no
terminal) there is no line.
"""

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

# What only counts (an upload, an export) shouldn't wait until all that makes an org is imported.
if TYPE_CHECKING:
    from pipeline.making import RunObserver
    from pipeline.plan import Plan

# Below this share of the planned tokens the spending so far says too little about the whole.
LEAST_KNOWN = 0.02


@dataclass(slots=True)
class Forecast:
    """What a run will cost in all: its cost so far, over the share of the plan that is done."""

    plan: "Plan"
    done: dict[str, int] = field(default_factory=dict)

    def count(self, name: str, units: int) -> None:
        """Units of an object type are done."""
        self.done[name] = self.done.get(name, 0) + units

    @property
    def share(self) -> float:
        """Of the planned tokens, from 0 to 1."""
        done, planned = 0.0, 0
        for node in self.plan.nodes:
            tokens = node.tokens_in + node.tokens_out
            planned += tokens
            if node.units:
                done += tokens * self.done.get(node.name, 0) / node.units
        return min(done / max(planned, 1), 1.0)

    def of(self, spent: float, planned: float) -> float:
        """Dollars or tokens in all; the plan's own figure while too little is done."""
        return spent / self.share if self.share > LEAST_KNOWN else planned

    def text(self, dollars: float, tokens: int) -> str:
        """`$0.42 of about $3.10` or, without a price, `120,000 of about 900,000 tokens`."""
        if self.plan.price.known:
            return f"${dollars:.2f} of about ${self.of(dollars, self.plan.cost):.2f}"
        return f"{tokens:,} of about {round(self.of(tokens, self.plan.tokens)):,} tokens"


@contextmanager
def watching(plan: "Callable[[], Plan] | None") -> "Iterator[RunObserver]":
    """An observer that draws the line on a terminal.

    `plan` is made only there, for the forecast of a run with a model.
    """
    from pipeline.making import RunObserver

    if not sys.stderr.isatty():
        yield RunObserver()
        return
    # Here and below: who draws no line needs nothing that draws one.
    from tqdm import tqdm

    forecast = Forecast(plan()) if plan else None
    with tqdm(total=0, unit="text", leave=False, dynamic_ncols=True) as bar:

        def more(units: int) -> None:
            bar.total = (bar.total or 0) + units
            bar.refresh()

        def done(name: str, units: int) -> None:
            bar.update(units)
            if forecast:
                forecast.count(name, units)

        def spent(dollars: float, tokens: int) -> None:
            if forecast:
                bar.set_postfix_str(forecast.text(dollars, tokens), refresh=False)

        yield RunObserver(
            node=bar.set_description,
            units=done,
            total=more,
            spent=spent,
            outage=bar.set_postfix_str,
        )


@contextmanager
def counting(unit: str, total: int, done_before: int = 0) -> Iterator[Callable[[str, int], None]]:
    """A line that counts what is done of a whole and names what is under way.

    `done_before` of the total was done by earlier runs.
    """
    if not sys.stderr.isatty():
        yield lambda name, count: None
        return
    from tqdm import tqdm

    with tqdm(total=total, initial=done_before, unit=unit, leave=False, dynamic_ncols=True) as bar:

        def done(name: str, count: int) -> None:
            bar.set_description(name, refresh=False)
            bar.update(count)

        yield done


def tell_above(text: str) -> None:
    """One line on stderr, at once; on a terminal it stands above a bar that is drawn."""
    if not sys.stderr.isatty():
        print(text, file=sys.stderr, flush=True)
        return
    from tqdm import tqdm

    tqdm.write(text, file=sys.stderr)
    sys.stderr.flush()


def tell_begun(what: str) -> None:
    """Says on a terminal what is under way, where a bar comes only seconds later."""
    if sys.stderr.isatty():
        print(f"orgweave: {what} ...", file=sys.stderr, flush=True)
