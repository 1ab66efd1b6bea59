"""The trade: what kind of thing a company sells, and the figures that such a business lives by.

A trade is one YAML file in `schemas/trades`. A world names one (`trade: goods`), or lays its own
figures over one (`trade: {like: goods, channels: [...]}`). Figures that differ between a shoe shop
and a bank stand here, and nowhere in the code. Knows no company, no categories and no issues:
those are the world's.
"""

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import Field, ValidationInfo, field_validator

from schemas.buying import Buying
from schemas.contacts import ContactFigures
from schemas.errors import SchemaError
from schemas.files import checked, read_yaml
from schemas.selling import Channel, Range
from schemas.staffing import Desk, Staff
from schemas.terms import Opening, Renewal
from schemas.trade_part import TradePart

CUSTOMERS = "customers"
"""The word for a company's size in a ratio."""


USUAL_TRADE = "goods"
"""The trade of a world that names none."""


class Ratio(TradePart):
    """How many records of an object type there usually are for each of another."""

    per: Annotated[
        str, Field(description="The other object type, or `customers`: those of `size`.")
    ]
    number: Annotated[
        float, Field(ge=0, le=1000, allow_inf_nan=False, description="Records for each: `1.4`.")
    ]
    least: Annotated[int, Field(ge=0, description="The fewest that there are.")] = 0


class Trade(TradePart):
    """The figures of one kind of business."""

    kind: Annotated[
        Literal["goods", "services", "subscriptions", "accounts"],
        Field(
            description=(
                "What a sale is: `goods` (a quantity, handed over or shipped), `services` (a"
                " booking, of which nothing is shipped), `subscriptions` (a"
                " start, a term, seats, a renewal) or `accounts` (an application, an opening, a"
                " rate or limit; one of a kind or few, never a parcel)."
            )
        ),
    ]
    channels: Annotated[
        tuple[Channel, ...], Field(min_length=1, description="The ways by which customers buy.")
    ]
    range: Annotated[Range, Field(description="What is sold, at what prices, and how often.")]

    desk: Annotated[Desk, Field(description="What the service desk calls its cases.")]
    opening: Annotated[
        Opening, Field(description="How accounts are opened, carried and closed.")
    ] = Opening()
    renewal: Annotated[Renewal, Field(description="How contracts run, are changed and end.")] = (
        Renewal()
    )
    contact: Annotated[
        ContactFigures, Field(description="How customers get in touch, and how often again.")
    ] = ContactFigures()

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
                "Bands of the schema's statistics and of the figures of its conversations"
                " (`_realism.yaml`, `_conversations.yaml`) that are others in this trade:"
                " `{one_time_buyers: [0.1, 0.4]}`; one without a meaning here has none (`null`)."
            )
        ),
    ] = {}

    staff: Annotated[Staff, Field(description="The workforce, its hours and its load.")]
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


def trade_of(stated: object, where: str, beneath: dict[str, Any] | None = None) -> dict[str, Any]:
    """The keys of a trade as a world states it: a name, or a mapping laid over another trade.

    A mapping without `like` is laid over `beneath`, or without that over the usual trade. Mappings
    are merged key by key, lists and values are replaced, and what is null is left out. Raises
    SchemaError for a name that isn't known.
    """
    if isinstance(stated, str):
        return _shipped(stated, where)
    if not isinstance(stated, Mapping):
        raise SchemaError(f"{where}: a trade must be a name, or a mapping with `like: <name>`")
    own = {str(key): value for key, value in stated.items()}
    if beneath is not None and "like" not in own:
        return _laid_over(beneath, own)
    like = own.pop("like", USUAL_TRADE)
    if not isinstance(like, str):
        raise SchemaError(f"{where}: trade.like: must be the name of a trade")
    return _laid_over(_shipped(like, where), own)


def load_trade(name: str = USUAL_TRADE) -> Trade:
    """A trade that ships with the package; raises SchemaError for an unknown name."""
    path = trades_folder() / f"{name}.yaml"
    return checked(Trade, _shipped(name, "trade"), str(path))


def changed_trade(trade: Trade, own: str | Mapping[str, object], where: str) -> Trade:
    """The trade that a company states itself, or a trade with its own figures laid over it.

    Raises SchemaError naming the key.
    """
    if not own:
        return trade
    return checked(Trade, trade_of(own, where, trade.model_dump(mode="json")), where)


def _shipped(name: str, where: str) -> dict[str, Any]:
    names = sorted(path.stem for path in trades_folder().glob("*.yaml"))
    if name not in names:
        raise SchemaError(f"{where}: there is no trade {name!r:.60}; use one of {', '.join(names)}")
    return read_yaml(trades_folder() / f"{name}.yaml")


def _laid_over(beneath: dict[str, Any], above: Mapping[str, object]) -> dict[str, Any]:
    merged = dict(beneath)
    for key, value in above.items():
        under = merged.get(key)
        if isinstance(value, Mapping) and isinstance(under, dict):
            merged[key] = _laid_over(under, value)
        elif value is None:
            merged.pop(key, None)
        else:
            merged[key] = value
    return merged
