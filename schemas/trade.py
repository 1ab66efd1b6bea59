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

CUSTOMERS = "customers"
"""The word for a company's size in a ratio."""

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


Days = Annotated[int, Field(ge=0, le=3650)]
Percents = tuple[
    Annotated[float, Field(ge=0, le=100, allow_inf_nan=False)],
    Annotated[float, Field(ge=0, le=100, allow_inf_nan=False)],
]


class Rung(TradePart):
    """A stretch of the price ladder: which round prices a shop thinks in."""

    up_to: Annotated[Weight, Field(description="The rung holds for prices up to this one: `100`.")]
    every: Annotated[Weight, Field(description="Prices lie so many dollars apart: `5`.")]
    favored: Annotated[
        Weight, Field(description="Its multiples are taken far more often than the rest: `10`.")
    ]


class Prices(TradePart):
    """How list prices are made, and how they change."""

    ladder: Annotated[
        tuple[Rung, ...], Field(min_length=1, description="The price points, cheapest rung first.")
    ]
    under: Annotated[
        dict[float, Weight],
        Field(
            min_length=1,
            description=(
                "How many dollars below a round price a product is sold, each with its weight:"
                " `{0.05: 7, 0.01: 2, 0: 1}` for 79.95, 79.99 and 80."
            ),
        ),
    ]
    steps: Annotated[
        Share, Field(description="Which share of the list prices changes a year: `0.12`.")
    ]
    steps_of: Annotated[
        dict[int, Share],
        Field(description="The same share for years that were unlike others: `{2022: 0.3}`."),
    ] = {}
    rises: Annotated[
        Share, Field(description="Which share of these changes is upwards: `0.85`.")
    ] = 0.85
    change: Annotated[
        Percents, Field(description="By how many percent a list price changes: `[4, 10]`.")
    ] = (4, 10)
    cost: Annotated[
        Percents | None,
        Field(description="What a product costs the company, in percent of its list price."),
    ] = None


class Promotions(TradePart):
    """What a sales occasion is called, and what it does to demand."""

    lift: Annotated[
        float,
        Field(
            ge=0,
            allow_inf_nan=False,
            description=(
                "How much more is bought of what is promoted, for each percent of the discount:"
                " 0.1 doubles it at 10 percent and triples it at 20; where the whole range is"
                " cheaper, the lowest discount counts."
            ),
        ),
    ]
    borrowed: Annotated[
        Share,
        Field(description="Which share of what is bought more would have been bought afterwards."),
    ]
    dip_days: Annotated[
        Days, Field(ge=1, description="Over how many days that is missing afterwards.")
    ]
    excluded: Annotated[
        Share, Field(description="Which share of the products no promotion makes cheaper.")
    ] = 0.0
    seasonal: Annotated[
        str, Field(description="What the price book of a quarter is called: `{season} {year}`.")
    ] = "{season} {year}"
    extra: Annotated[
        str,
        Field(
            description=(
                "What further promotions are called, where more price books are asked for than"
                " there are seasons and holidays: `{month} Clearance {year}`."
            )
        ),
    ] = "{month} Offer {year}"
    extra_discount: Annotated[
        tuple[int, int], Field(description="Their lowest and highest discount in percent.")
    ] = (10, 20)
    says: Annotated[
        str,
        Field(
            description=(
                "What a promotion's price book says of itself: `{name} prices, valid {days};"
                " {lowest} to {highest} percent below list price.`"
            )
        ),
    ] = "{name} prices, valid {days}; {lowest} to {highest} percent below list price."


class Range(TradePart):
    """What is sold: how the range turns over, its prices, its promotions, and quantities."""

    turnover: Annotated[
        float,
        Field(ge=0, le=0.9, description="Which share of the range is replaced a year: `0.45`."),
    ]
    novelty: Annotated[
        float,
        Field(
            ge=0,
            allow_inf_nan=False,
            description="How much better than later a product sells when it is new: 0.8 is 80 %.",
        ),
    ]
    novelty_days: Annotated[
        Days, Field(ge=1, description="Within how many days two thirds of that are gone.")
    ] = 90
    markdown: Annotated[
        Percents,
        Field(
            description="By how many percent the last pieces of a model are cheaper: `[20, 50]`."
        ),
    ] = (0, 0)
    markdown_days: Annotated[
        tuple[Days, Days],
        Field(description="How many days after a season's end the last pieces are gone."),
    ] = (14, 70)
    spread: Annotated[
        Weight,
        Field(
            description=(
                "How unequal products sell: the spread of the logarithm of their popularity. At"
                " 1.2 a fifth of them makes two thirds of the sales."
            )
        ),
    ] = 1.2
    quantity: Annotated[
        dict[int, Weight],
        Field(
            min_length=1,
            description="How many pieces a line has, each number with its weight: `{1: 97, 2: 3}`.",
        ),
    ]
    largest_quantity: Annotated[
        int, Field(ge=1, description="The most pieces that a line may have, whatever a world says.")
    ]
    gifts: Annotated[
        Share, Field(description="Which share of the lines is for somebody outside the household.")
    ] = 0.0
    prices: Annotated[Prices, Field(description="How list prices are made and change.")]
    promotions: Annotated[Promotions, Field(description="What sales occasions do.")]


class Ratio(TradePart):
    """How many records of an object type there usually are for each of another."""

    per: Annotated[
        str, Field(description="The other object type, or `customers`: those of `size`.")
    ]
    number: Annotated[
        float, Field(ge=0, le=1000, allow_inf_nan=False, description="Records for each: `1.4`.")
    ]
    least: Annotated[int, Field(ge=0, description="The fewest that there are.")] = 0


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
    others: Annotated[
        Share, Field(description="Share of what they buy that is for people outside the household.")
    ] = 0.0
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
    range: Annotated[Range, Field(description="What is sold, at what prices, and how often.")]

    sizes: Annotated[
        dict[str, Ratio],
        Field(
            description=(
                "How an org grows with its customers, by object type: `{Order: {per: Account,"
                " number: 1.9}}`. Profiles that give a `size` follow it; counts go before."
            )
        ),
    ] = {}
    bands: Annotated[
        dict[str, tuple[float, float] | None],
        Field(
            description=(
                "Bands of the schema's statistics (`_realism.yaml`) that are others in this trade:"
                " `{one_time_buyers: [0.1, 0.4]}`; a statistic without a meaning here has none"
                " (`null`)."
            )
        ),
    ] = {}

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


def changed_trade(trade: Trade, own: Mapping[str, object], where: str) -> Trade:
    """A trade with a company's own figures laid over it; raises SchemaError naming the key."""
    if not own:
        return trade
    return checked(Trade, _laid_over(trade.model_dump(mode="json"), own), where)


def _shipped(name: str, where: str) -> dict[str, Any]:
    names = sorted(path.stem for path in trades_folder().glob("*.yaml"))
    if name not in names:
        raise SchemaError(
            f"{where}: trade: there is no {name!r:.60}; use one of {', '.join(names)}"
        )
    return read_yaml(trades_folder() / f"{name}.yaml")


def _laid_over(beneath: dict[str, Any], above: Mapping[str, object]) -> dict[str, Any]:
    merged = dict(beneath)
    for key, value in above.items():
        under = merged.get(key)
        if isinstance(value, Mapping) and isinstance(under, dict):
            merged[key] = _laid_over(under, value)
        else:
            merged[key] = value
    return merged
