"""What may be spent, over all runs in a folder.

Each call reserves what it may cost before it is sent, so that no limit is overrun by much.
Reservations are estimates; what calls really cost corrects them. Once a call didn't fit, none is
let through any more.
"""

import asyncio
from dataclasses import dataclass, field

from schemas.errors import BudgetReached

# Estimates go by usual lengths: one answer in twenty is longer, few by more than a quarter.
SLACK = 1.25


@dataclass(frozen=True, slots=True)
class Reservation:
    """What is set aside for a call: dollars, tokens, and the overrun that stretched them."""

    cost: float
    tokens: int
    overrun: float


@dataclass(slots=True)
class Budget:
    """Dollars and tokens already paid in this folder, and their limits (None: there is none).

    `reserved_cost` and `reserved_tokens` are what calls under way may take; `overrun` is how many
    times its estimate a call has taken at most so far.
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

    async def set_aside(
        self,
        cost: float,
        tokens: int,
    ) -> Reservation:
        """As `reserve`, but a call that would fit alone waits for what others leave."""
        while not self.closed and self.reserved_tokens > 0:
            if self._fits(self._stretched(cost, tokens)):
                break
            place: asyncio.Future[None] = asyncio.get_running_loop().create_future()
            self._waiting.append(place)
            await place
        return self.reserve(cost, tokens)

    def reserve(
        self,
        cost: float,
        tokens: int,
    ) -> Reservation:
        """Sets aside what a call may take; `settle` takes it back.

        Raises BudgetReached where that is over a limit.
        """
        reservation = self._stretched(cost, tokens)
        if self.closed or not self._fits(reservation):
            self.closed = True
            raise BudgetReached(self._message())
        self.reserved_cost += reservation.cost
        self.reserved_tokens += reservation.tokens
        return reservation

    def settle(
        self,
        reservation: Reservation,
        cost: float,
        tokens: int,
    ) -> None:
        """Replaces a reservation by what the call took.

        Later estimates learn from a call that took more.
        """
        self.reserved_cost -= reservation.cost
        self.reserved_tokens -= reservation.tokens
        self.paid += cost
        self.tokens += tokens
        if reservation.tokens:
            share = tokens / reservation.tokens
            self.overrun = max(self.overrun, reservation.overrun * share)
        for place in self._waiting:
            if not place.done():
                place.set_result(None)
        self._waiting.clear()

    def _stretched(
        self,
        cost: float,
        tokens: int,
    ) -> Reservation:
        factor = SLACK * self.overrun
        return Reservation(cost * factor, round(tokens * factor), self.overrun)

    def _fits(self, reservation: Reservation) -> bool:
        cost = self.paid + self.reserved_cost + reservation.cost
        if self.max_cost is not None and cost > self.max_cost:
            return False
        tokens = self.tokens + self.reserved_tokens + reservation.tokens
        return self.max_tokens is None or tokens <= self.max_tokens

    def _message(self) -> str:
        limits = []
        if self.max_cost is not None:
            limits.append(f"--max-cost {self.max_cost:g}")
        if self.max_tokens is not None:
            limits.append(f"--max-tokens {self.max_tokens}")
        return f"stopped before {' or '.join(limits)}"
