"""The trade: what kind of thing a company sells, and the figures that such a business lives by.

A trade is one YAML file in `schemas/trades`. A world names one (`trade: goods`), or lays its own
figures over one (`trade: {like: goods, channels: [...]}`). Figures that differ between a shoe shop
and a bank stand here, and nowhere in the code. Knows no company, no categories and no issues:
those are the world's.
"""

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any, Literal, get_args

from pydantic import BaseModel, ConfigDict, Field, ValidationInfo, field_validator

from schemas.errors import SchemaError
from schemas.files import checked, read_yaml

Share = Annotated[float, Field(ge=0, le=1, allow_inf_nan=False)]
Weight = Annotated[float, Field(gt=0, allow_inf_nan=False)]
Amount = Annotated[float, Field(ge=0, allow_inf_nan=False)]

IssueKind = Literal["product", "delivery", "service", "billing"]
"""What a customer's problem is with."""

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


class Desk(TradePart):
    """What the service desk calls its cases, by the kind of their issue."""

    types: Annotated[
        dict[IssueKind, str],
        Field(description="The case's type: `{billing: Billing, product: Product Problem, …}`."),
    ]
    reasons: Annotated[
        dict[IssueKind, str],
        Field(description="The case's reason: `{delivery: Shipping, …}`."),
    ]

    @field_validator("types", "reasons")
    @classmethod
    def _names_every_kind(cls, names: dict[IssueKind, str]) -> dict[IssueKind, str]:
        missing = [kind for kind in get_args(IssueKind) if not names.get(kind)]
        if missing:
            raise ValueError(f"has no name for {', '.join(missing)}; add it")
        return names


class Ratio(TradePart):
    """How many records of an object type there usually are for each of another."""

    per: Annotated[
        str, Field(description="The other object type, or `customers`: those of `size`.")
    ]
    number: Annotated[
        float, Field(ge=0, le=1000, allow_inf_nan=False, description="Records for each: `1.4`.")
    ]
    least: Annotated[int, Field(ge=0, description="The fewest that there are.")] = 0


class Opening(TradePart):
    """How accounts are applied for, opened, carried and closed; for trades of kind `accounts`.

    Scores are credit scores, 300 to 850; rates are percent a year.
    """

    market: Annotated[
        tuple[Amount, Amount],
        Field(description="Between which values the market's rate moves: `[0.25, 5.5]`."),
    ] = (0.25, 5.5)
    market_step: Annotated[
        Weight, Field(description="By how much it moves in a month in which it does: `0.25`.")
    ] = 0.25
    score: Annotated[
        tuple[Amount, Amount],
        Field(description="The mean of customers' scores and their standard deviation."),
    ] = (714, 72)
    score_costs: Annotated[
        Amount,
        Field(description="How much dearer credit is for a score lower by 100: `1.6` points."),
    ] = 1.6
    score_declines: Annotated[
        Amount,
        Field(description="By how much a score lower by 100 raises the odds' logarithm of a no."),
    ] = 1.4
    withdrawn: Annotated[
        Share, Field(description="Which share of the applications is withdrawn by the customer.")
    ] = 0.05
    closed_yearly: Annotated[
        Share, Field(description="Which share of the accounts is closed by the customer in a year.")
    ] = 0.08
    decline_reasons: Annotated[
        dict[str, Weight], Field(description="Why applications are declined, with weights.")
    ] = {
        "Credit history too short": 3,
        "Debt too high for the income": 3,
        "Income could not be verified": 2,
        "Identity could not be verified": 1,
    }
    close_reasons: Annotated[
        dict[str, Weight], Field(description="Why customers close accounts, with weights.")
    ] = {"Moved to another bank": 3, "No longer needed": 4, "Fees": 2, "Moved away": 1}


class Renewal(TradePart):
    """How contracts run, are changed and end; for trades of kind `subscriptions`."""

    renewed: Annotated[
        Share, Field(description="Which share of the contracts is renewed after a year's term.")
    ] = 0.86
    loyalty: Annotated[
        Amount,
        Field(description="How much customers differ in that: a deviation of odds' logarithms."),
    ] = 1.1
    defect_costs: Annotated[
        Amount,
        Field(description="What a product's bad spell takes off the odds' logarithm: `1.2`."),
    ] = 1.2
    upgraded: Annotated[
        Share, Field(description="Which share of the contracts is upgraded in a year.")
    ] = 0.18
    downgraded: Annotated[
        Share, Field(description="Which share of the contracts is downgraded in a year.")
    ] = 0.06
    growth: Annotated[
        Share, Field(description="By how much an upgrade raises the seats, at the median: `0.35`.")
    ] = 0.35
    uplift: Annotated[
        tuple[Amount, Amount],
        Field(description="By how many percent a renewal is dearer: the least and the most."),
    ] = (0, 6)
    auto_renewed: Annotated[
        Share, Field(description="Which share of the contracts renews by itself.")
    ] = 0.7
    reasons: Annotated[
        dict[str, Weight], Field(description="Why contracts are not renewed, with weights.")
    ] = {
        "Too expensive": 3,
        "Not used enough": 3,
        "Moved to another provider": 2,
        "Unhappy with the service": 2,
        "Closed the business": 1,
    }


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
    desk: Annotated[Desk, Field(description="What the service desk calls its cases.")]
    opening: Annotated[
        Opening, Field(description="How accounts are opened, carried and closed.")
    ] = Opening()
    renewal: Annotated[Renewal, Field(description="How contracts run, are changed and end.")] = (
        Renewal()
    )

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
