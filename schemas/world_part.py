"""The base of the parts of a world, and the numbers that several of them have."""

from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field

Dollars = Annotated[float, Field(gt=0, allow_inf_nan=False)]


Month = Annotated[int, Field(ge=1, le=12)]


Days = Annotated[int, Field(ge=1, le=3650)]


class WorldPart(BaseModel):
    """Base of the parts of a world: unknown keys are errors, and values never change."""

    model_config = ConfigDict(extra="forbid", frozen=True, defer_build=True)
