"""The trade: what kind of thing a company sells, and the figures that such a business lives by.

A trade is one YAML file in `schemas/trades`. A world names one (`trade: goods`), or lays its own
figures over one (`trade: {like: goods, channels: [...]}`). Figures that differ between a shoe shop
and a bank stand here, and nowhere in the code. Knows no company, no categories and no issues:
those are the world's.
"""

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import (
    BaseModel,
    ConfigDict,
    Field,
    ValidationInfo,
    field_validator,
    model_validator,
)

from schemas.errors import SchemaError
from schemas.files import checked, read_yaml

Share = Annotated[float, Field(ge=0, le=1, allow_inf_nan=False)]
Weight = Annotated[float, Field(gt=0, allow_inf_nan=False)]

SHORTEST_SHIFT = 4.0
"""Hours."""

USUAL_TRADE = "goods"
"""The trade of a world that names none."""


class TradePart(BaseModel):
    """Base of the parts of a trade: unknown keys are errors, and values never change."""

    model_config = ConfigDict(extra="forbid", frozen=True)


class Channel(TradePart):
    """A way by which customers buy."""

    name: Annotated[str, Field(description="The order's type in the CRM: `Online`.")]
    weight: Annotated[
        Weight, Field(description="How often it is used, in proportion to the others.")
    ]
    shipped: Annotated[
        bool,
        Field(description="Whether something is sent to the customer, and may be late or broken."),
    ] = False


class Shift(TradePart):
    """Working hours of service agents, as wall clock of their site."""

    name: Annotated[str, Field(description="What it is called: `Early`.")]
    start: Annotated[float, Field(ge=0, le=24, description="The hour at which it begins: `8.5`.")]
    end: Annotated[float, Field(ge=0, le=24, description="The hour at which it ends.")]
    weight: Annotated[Weight, Field(description="How many work it, in proportion to the others.")]

    @model_validator(mode="after")
    def _in_order(self) -> "Shift":
        if self.end - self.start < SHORTEST_SHIFT:
            raise ValueError(f"must last {SHORTEST_SHIFT:g} hours at least; set a later end")
        return self


class Department(TradePart):
    """People of a company who use its CRM and are no service agents."""

    name: Annotated[str, Field(description="The department: `Marketing`.")]
    title: Annotated[str, Field(description="What most of its people are: `Campaign Planner`.")]
    head: Annotated[str, Field(description="What its head is: `Head of Marketing`.")]
    weight: Annotated[
        Weight, Field(description="How many people it has, in proportion to the others.")
    ]
    leave_a_year: Annotated[Share, Field(description="Which share leaves within a year.")] = 0.12
    profile: Annotated[str, Field(description="What they may do in the CRM, by a name.")] = (
        "Business User"
    )
    in_shops: Annotated[
        bool, Field(description="Whether they work in the shops or branches, not in an office.")
    ] = False


class Staff(TradePart):
    """Who works for the company, when, and how much a service desk takes on."""

    sites: Annotated[
        int, Field(ge=1, le=6, description="In how many cities service agents sit.")
    ]
    shops: Annotated[int, Field(ge=0, description="How many shops or branches there are.")]
    shifts: Annotated[tuple[Shift, ...], Field(min_length=1, description="The agents' shifts.")]
    saturday: Annotated[
        Share, Field(description="Which share of the agents works from Tuesday to Saturday.")
    ]
    closed_on: Annotated[
        tuple[str, ...],
        Field(
            description=(
                "The federal holidays on which nobody works; on the others every fourth agent does."
            )
        ),
    ]
    minutes_a_case: Annotated[
        float, Field(gt=0, description="How many minutes of work a case takes, on average.")
    ]
    case_hours_a_year: Annotated[
        float,
        Field(
            gt=0,
            description=(
                "How many hours a year an agent has for cases: what is left of the paid time behind"
                " occupancy, leave, training and other service work (counter, phone)."
            ),
        ),
    ]
    service_share: Annotated[
        tuple[Share, Share],
        Field(
            description=(
                "The least and the largest share of the CRM's users who are service people; between"
                " both their number follows from the cases."
            )
        ),
    ]
    leave_a_year: Annotated[
        Share, Field(description="Which share of the service agents leaves within a year.")
    ]
    answer_hours: Annotated[
        float,
        Field(
            gt=0,
            description=(
                "The median of the working hours from a mail to an agent's first answer, at the"
                " usual priority and backlog."
            ),
        ),
    ]
    departments: Annotated[
        tuple[Department, ...],
        Field(min_length=1, description="The others who use the CRM; the first ones come first."),
    ]

    @field_validator("service_share")
    @classmethod
    def _share_in_order(cls, share: tuple[float, float]) -> tuple[float, float]:
        if share[0] > share[1]:
            raise ValueError("the least share is above the largest; swap them")
        return share


class Trade(TradePart):
    """The figures of one kind of business."""

    kind: Annotated[
        Literal["goods", "subscriptions", "accounts"],
        Field(
            description=(
                "What a sale is: `goods` (a quantity, handed over or shipped), `subscriptions` (a"
                " start, a term, seats, a renewal) or `accounts` (an application, an opening, a"
                " rate or limit; one of a kind or few, never a parcel)."
            )
        ),
    ]
    channels: Annotated[
        tuple[Channel, ...], Field(min_length=1, description="The ways by which customers buy.")
    ]

    staff: Annotated[Staff, Field(description="The workforce, its hours and its load.")]

    @field_validator("channels")
    @classmethod
    def _names_differ(cls, channels: tuple[Channel, ...], _: ValidationInfo) -> tuple[Channel, ...]:
        names = [channel.name for channel in channels]
        if len(set(names)) < len(names):
            raise ValueError("two channels have the same name; give each one its own")
        return channels


def trades_folder() -> Path:
    """Where the trades that ship with the package lie."""
    return Path(__file__).parent / "trades"


def trade_of(stated: object, where: str) -> dict[str, Any]:
    """The keys of a trade as a world states it: a name, or a mapping laid over another trade.

    Mappings are merged key by key, lists and values are replaced. Raises SchemaError for a name
    that isn't known.
    """
    if isinstance(stated, str):
        return _shipped(stated, where)
    if not isinstance(stated, Mapping):
        raise SchemaError(
            f"{where}: trade: must be the name of a trade, or a mapping with `like: <name>`"
        )
    own = {str(key): value for key, value in stated.items()}
    like = own.pop("like", USUAL_TRADE)
    if not isinstance(like, str):
        raise SchemaError(f"{where}: trade.like: must be the name of a trade")
    return _laid_over(_shipped(like, where), own)


def load_trade(name: str = USUAL_TRADE) -> Trade:
    """A trade that ships with the package; raises SchemaError for an unknown name."""
    path = trades_folder() / f"{name}.yaml"
    return checked(Trade, _shipped(name, "trade"), str(path))


def _shipped(name: str, where: str) -> dict[str, Any]:
    names = sorted(path.stem for path in trades_folder().glob("*.yaml"))
    if name not in names:
        raise SchemaError(
            f"{where}: trade: there is no {name!r:.60}; use one of {', '.join(names)}"
        )
    return read_yaml(trades_folder() / f"{name}.yaml")


def _laid_over(beneath: dict[str, Any], above: Mapping[str, Any]) -> dict[str, Any]:
    merged = dict(beneath)
    for key, value in above.items():
        under = merged.get(key)
        if isinstance(value, Mapping) and isinstance(under, dict):
            merged[key] = _laid_over(under, value)
        else:
            merged[key] = value
    return merged
