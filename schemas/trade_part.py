"""The base of the parts of a trade, and the ranges that several of them have."""

from typing import Annotated, TypeVar

from pydantic import BaseModel, ConfigDict, Field

Limit = TypeVar("Limit", int, float)
DayCount = Annotated[int, Field(ge=0, le=3650)]


Percents = tuple[
    Annotated[float, Field(ge=0, le=100, allow_inf_nan=False)],
    Annotated[float, Field(ge=0, le=100, allow_inf_nan=False)],
]


class TradePart(BaseModel):
    """Base of the parts of a trade: unknown keys are errors, and values never change."""

    model_config = ConfigDict(extra="forbid", frozen=True, defer_build=True)


def rising(limits: tuple[Limit, Limit], falls: str) -> tuple[Limit, Limit]:
    """The least and the most; raises ValueError where they are the other way round.

    `falls` says so and has a place for each: `rising((3, 1), "falls from {} to {}")`.
    """
    least, most = limits
    if least > most:
        raise ValueError(falls.format(least, most))
    return limits
