"""The trade: what kind of thing a company sells, and the figures that such a business lives by.

A trade is one YAML file in `schemas/trades`. A world names one (`trade: goods`), or lays its own
figures over one (`trade: {like: goods, channels: [...]}`). Figures that differ between a shoe shop
and a bank stand here, and nowhere in the code. Knows no company, no categories and no issues:
those are the world's.
"""

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationInfo, field_validator

from schemas.errors import SchemaError
from schemas.files import checked, read_yaml

Share = Annotated[float, Field(ge=0, le=1, allow_inf_nan=False)]
Weight = Annotated[float, Field(gt=0, allow_inf_nan=False)]

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


class Segment(TradePart):
    """Customers who buy alike, and how they do."""

    name: Annotated[str, Field(description="The segment's name: `regular`.")]
    share: Annotated[
        Weight,
        Field(
            description=(
                "Its share of the customers of a business of usual size. Where a profile asks for"
                " more orders a customer than such a mix would place, the segments that order more"
                " have larger shares."
            )
        ),
    ]
    yearly: Annotated[Weight, Field(description="Orders a year of an active customer, on average.")]
    dropout: Annotated[
        Share, Field(description="After which share of the orders no further one follows.")
    ]
    basket: Annotated[float, Field(ge=1, description="Lines of an order, on average.")]
    families: Annotated[
        Weight,
        Field(description="How much likelier a household with children is to be of it."),
    ] = 1.0
    label: Annotated[str, Field(description="The account's type in the CRM: `Reseller`.")] = (
        "Customer"
    )


class Visit(TradePart):
    """When customers use a channel."""

    weekdays: Annotated[
        tuple[float, float, float, float, float, float, float],
        Field(description="How busy Monday to Sunday are; 0 is a day on which it is closed."),
    ] = (1.05, 1.0, 0.95, 0.95, 0.9, 0.95, 1.2)
    hours: Annotated[
        tuple[float, float],
        Field(description="The hours of the day between which it is used: `[10, 20]`."),
    ] = (7, 23)
    staffed: Annotated[
        bool, Field(description="Whether it is closed on New Year's Day, Thanksgiving, Christmas.")
    ] = False


class Buying(TradePart):
    """Who the customers are, how they are won, how often they buy, and when they stay away."""

    segments: Annotated[
        tuple[Segment, ...], Field(min_length=1, description="Kinds of customers.")
    ] = (
        Segment(name="occasional", share=0.8, yearly=0.5, dropout=0.8, basket=1.3),
        Segment(name="regular", share=0.17, yearly=1.8, dropout=0.3, basket=1.5),
        Segment(name="heavy", share=0.03, yearly=12, dropout=0.03, basket=4),
    )
    rate_shape: Annotated[
        Weight,
        Field(
            description=(
                "Shape of the gamma distribution of the yearly orders within a segment: the"
                " smaller, the more they differ."
            )
        ),
    ] = 1.8
    dropout_strength: Annotated[
        Weight,
        Field(
            description=(
                "How alike customers are in dropping out: the sum of both parameters of the beta"
                " distribution."
            )
        ),
    ] = 5.0
    gap_sigma: Annotated[
        Weight,
        Field(description="Spread of the log-normal gaps between two orders of a customer."),
    ] = 0.85
    growth: Annotated[
        float,
        Field(gt=-1, description="By which share more customers come a year later: `0.2`."),
    ] = 0.15
    months: Annotated[
        tuple[float, ...],
        Field(
            min_length=12,
            max_length=12,
            description="How many customers are won in January to December, 1 being usual.",
        ),
    ] = (0.85, 0.85, 0.95, 1.0, 1.0, 0.95, 0.95, 1.05, 1.0, 1.0, 1.2, 1.2)
    imported: Annotated[
        Share,
        Field(
            description=(
                "Share of the customers who were there before the CRM and were moved into it, all"
                " at one moment, when it went live."
            )
        ),
    ] = 0.08
    same_day: Annotated[
        Share, Field(description="Share of customers who register on the day of their first order.")
    ] = 0.82
    lag_days: Annotated[
        Weight,
        Field(description="Days from registration to the first order of half of the others."),
    ] = 9.0
    own_channel: Annotated[
        Share, Field(description="Share of orders by the customer's usual channel.")
    ] = 0.85
    visits: Annotated[
        dict[str, Visit],
        Field(description="When each channel is used, by its name; any hour for others."),
    ] = {}
    sources: Annotated[
        dict[str, dict[str, Weight]],
        Field(
            description=(
                "What the CRM says of how customers came, by the channel of their first order and"
                " with weights: `{Store: {Store: 9, Referral: 1}}`. The channel's own name stands"
                " for one that isn't listed."
            )
        ),
    ] = {}
    born: Annotated[
        tuple[float, float],
        Field(description="Mean and spread of the customers' age, in years: `[44, 15]`."),
    ] = (44, 15)
    titles: Annotated[
        Share, Field(description="Share of customers of whom a profession is known.")
    ] = 0.15
    birthdates: Annotated[
        Share, Field(description="Share of customers of whom the date of birth is known.")
    ] = 0.35
    notes: Annotated[
        tuple[str, ...],
        Field(description="Notes that staff write into a customer's record."),
    ] = ()


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
    buying: Annotated[Buying, Field(description="Who the customers are and how they buy.")] = (
        Buying()
    )

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
