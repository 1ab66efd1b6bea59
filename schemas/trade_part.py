"""The base of the parts of a trade, and the ranges that several of them have."""

from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field

DayCount = Annotated[int, Field(ge=0, le=3650)]


Percents = tuple[
    Annotated[float, Field(ge=0, le=100, allow_inf_nan=False)],
    Annotated[float, Field(ge=0, le=100, allow_inf_nan=False)],
]


class TradePart(BaseModel):
    """Base of the parts of a trade: unknown keys are errors, and values never change."""

    model_config = ConfigDict(extra="forbid", frozen=True)
