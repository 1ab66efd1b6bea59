"""What may be spent, over all runs in a folder: each call reserves what it may cost before it is
sent, so that no limit is overrun by much.

Reservations are estimates; what calls really cost corrects them. Once a call didn't fit, none is
let through any more.
"""

import asyncio
from dataclasses import dataclass, field

from schemas.errors import BudgetReached

SLACK = 1.25


@dataclass(frozen=True, slots=True)
class Reservation:
    """What is set aside for a call: dollars, tokens,
    and the overrun by which they were stretched.
    """

    cost: float
    tokens: int
    overrun: float


@dataclass(slots=True)
class Budget:
    """Dollars and tokens already paid in this folder, their limits, and what calls under way have
    reserved.
    """

    paid: float = 0.0
    tokens: int = 0
    max_cost: float | None = None
    max_tokens: int | None = None
    reserved_cost: float = 0.0
    reserved_tokens: int = 0
    overrun: float = 1.0
    closed: bool = False
    _waiting: list[asyncio.Future[None]] = field(default_factory=list)

    async def set_aside(self, cost: float, tokens: int) -> Reservation:
        """As `reserve`, but where a call doesn't fit only because of what others have reserved, it
        waits for what they leave.
        """
        while (
            not self.closed
            and self.reserved_tokens > 0
            and not self._fits(self._stretched(cost, tokens))
        ):
            place: asyncio.Future[None] = asyncio.get_running_loop().create_future()
            self._waiting.append(place)
            await place
        return self.reserve(cost, tokens)

    def reserve(self, cost: float, tokens: int) -> Reservation:
        """Sets aside what a call may take; raises BudgetReached where that is over a limit.

        Give it back to `settle`.
        """
        taken = self._stretched(cost, tokens)
        if self.closed or not self._fits(taken):
            self.closed = True
            raise BudgetReached(self._message())
        self.reserved_cost += taken.cost
        self.reserved_tokens += taken.tokens
        return taken

    def _stretched(self, cost: float, tokens: int) -> Reservation:
        return Reservation(
            cost * SLACK * self.overrun, round(tokens * SLACK * self.overrun), self.overrun
        )

    def _fits(self, taken: Reservation) -> bool:
        dear = (
            self.max_cost is not None
            and self.paid + self.reserved_cost + taken.cost > self.max_cost
        )
        return not dear and not (
            self.max_tokens is not None
            and self.tokens + self.reserved_tokens + taken.tokens > self.max_tokens
        )

    def settle(self, taken: Reservation, cost: float, tokens: int) -> None:
        """Replaces a reservation by what the call took; later estimates learn from a call that took
        more.
        """
        self.reserved_cost -= taken.cost
        self.reserved_tokens -= taken.tokens
        self.paid += cost
        self.tokens += tokens
        if taken.tokens:
            self.overrun = max(self.overrun, taken.overrun * tokens / taken.tokens)
        for place in self._waiting:
            if not place.done():
                place.set_result(None)
        self._waiting.clear()

    def _message(self) -> str:
        limits = [f"--max-cost {self.max_cost:g}"] if self.max_cost is not None else []
        limits += [f"--max-tokens {self.max_tokens}"] if self.max_tokens is not None else []
        return f"stopped before {' or '.join(limits)}"
