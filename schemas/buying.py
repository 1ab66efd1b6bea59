"""Who the customers of a trade are, and how they buy.

Parts of `schemas.trade`. Knows no company and draws nothing.
"""

from typing import Annotated

from pydantic import Field, field_validator

from schemas.selling import OrderNotes
from schemas.terms import Share, Weight
from schemas.trade_part import TradePart


class Segment(TradePart):
    """Customers who buy alike, and how they do."""

    name: Annotated[str, Field(description="The segment's name: `regular`.")]
    share: Annotated[
        Weight,
        Field(
            description=(
                "Its share of the customers of a business of usual size, in proportion to the"
                " others."
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
    surplus: Annotated[
        float,
        Field(
            ge=0,
            allow_inf_nan=False,
            description=(
                "Its share of the customers that a business has in place of others whose profile"
                " asks for more orders a customer than the usual mix places; 0 for customers of"
                " whom such a business has no more."
            ),
        ),
    ] = 0.0
    others: Annotated[
        Share, Field(description="Share of what they buy that is for people outside the household.")
    ] = 0.0
    contacts: Annotated[
        Weight,
        Field(
            description=(
                "How often they write about something that they bought, against others: less than 1"
                " where they see to most of it by themselves."
            )
        ),
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
        bool, Field(description="Whether it is closed on the days of the staff's `closed_on`.")
    ] = False


class Organization(TradePart):
    """What customers are called who are no private persons: clubs, shops, firms."""

    names: Annotated[
        tuple[str, ...],
        Field(
            min_length=1,
            description=(
                "Their names; of alternatives in brackets one is drawn, `{city}` and `{surname}`"
                " are those of the person who acts for them: `{city} (Runners|Striders)`."
            ),
        ),
    ]
    titles: Annotated[
        tuple[str, ...],
        Field(min_length=1, description="What that person is there: `Treasurer`."),
    ]
    notes: Annotated[
        tuple[str, ...], Field(description="Notes that staff write into their records.")
    ] = ()
    own_domain: Annotated[
        Share,
        Field(
            description=(
                "How many write from a domain of their own; the others use the mailbox of the"
                " person who acts for them."
            )
        ),
    ] = 1.0
    buys_for: Annotated[
        tuple[str, ...],
        Field(
            description=(
                "Whose things they complain of, as the person who acts for them says it first:"
                " `one of our members`. Nothing where they use themselves what they buy."
            )
        ),
    ] = ()
    buys_for_child: Annotated[
        tuple[str, ...],
        Field(
            description=(
                "The same of what children alone use: `one of our juniors`. As for the others"
                " where nothing is stated."
            )
        ),
    ] = ()

    @field_validator("names")
    @classmethod
    def _known_slots(cls, names: tuple[str, ...]) -> tuple[str, ...]:
        return _checked_names(names, ("city", "surname"))


class LineOfBusiness(TradePart):
    """What some of the firms do that buy."""

    line: Annotated[str, Field(description="What the CRM calls it: `Plumbing`.")]
    industry: Annotated[str, Field(description="The industry it belongs to: `Construction`.")]
    weight: Annotated[Weight, Field(description="How many firms do it, against the others.")] = 1.0
    does: Annotated[
        tuple[str, ...],
        Field(
            min_length=1,
            description="What such firms put into their names: `[Plumbing, Plumbing & Heating]`.",
        ),
    ]


class Firms(TradePart):
    """Customers who all are firms: what they do and what they are called."""

    lines: Annotated[
        tuple[LineOfBusiness, ...], Field(min_length=1, description="Their lines of business.")
    ]
    names: Annotated[
        tuple[str, ...],
        Field(
            min_length=1,
            description=(
                "Their names; of alternatives in brackets one is drawn. `{does}` is what they put"
                " into their names, `{city}` and `{surname}` are those of the person who signed up:"
                " `{surname} {does}`."
            ),
        ),
    ]
    own_domain: Annotated[
        Share, Field(description="How many have a domain of their own, all their people with it.")
    ] = 0.6

    @field_validator("names")
    @classmethod
    def _known_slots(cls, names: tuple[str, ...]) -> tuple[str, ...]:
        return _checked_names(names, ("does", "city", "surname"))


def _checked_names(names: tuple[str, ...], slots: tuple[str, ...]) -> tuple[str, ...]:
    """The names; raises ValueError for one with something else in braces than the slots."""
    for name in names:
        try:
            name.format(**dict.fromkeys(slots, ""))
        except (KeyError, ValueError, IndexError) as error:
            may = " and ".join(f"{{{slot}}}" for slot in slots)
            raise ValueError(f"{name!r:.80}: {may} are all that may stand in braces") from error
    return names


class Buying(TradePart):
    """Who the customers are, how they are won, how often they buy, and when they stay away."""

    segments: Annotated[
        tuple[Segment, ...], Field(min_length=1, description="Kinds of customers.")
    ] = (
        Segment(name="occasional", share=0.8, yearly=0.5, dropout=0.8, basket=1.3),
        Segment(name="regular", share=0.17, yearly=1.8, dropout=0.3, basket=1.5),
        Segment(name="heavy", share=0.03, yearly=12, dropout=0.03, basket=4, surplus=1),
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
    prospects: Annotated[
        Share,
        Field(
            description=(
                "Share of customers who registered, asked or were declined and never ordered; where"
                " fewer orders than customers are asked for, there are more of them."
            )
        ),
    ] = 0.0
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
    cancelled: Annotated[
        Share,
        Field(
            description=(
                "Share of orders that customers call off before they are packed; nobody does so at"
                " a counter."
            )
        ),
    ] = 0.0
    territory: Annotated[
        int | None,
        Field(
            ge=1,
            description=(
                "In how many states customers live, which lie next to each other: `3`. None for a"
                " company that sells in all of the country."
            ),
        ),
    ] = None
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
        Field(
            description=(
                "Notes that staff write into a customer's record; of alternatives in brackets one"
                " is drawn: `Prefers (mail|a call).`"
            )
        ),
    ] = ()
    organizations: Annotated[
        dict[str, Organization],
        Field(description="Which segments are clubs, shops or firms, and what such are called."),
    ] = {}
    roles: Annotated[
        tuple[str, ...],
        Field(
            description=(
                "What customers are where all act for firms: `[Owner, Office Manager]`; any"
                " profession of the country where it is empty."
            )
        ),
    ] = ()
    colleague_roles: Annotated[
        tuple[str, ...],
        Field(
            description=(
                "What the other people of such a firm are who are on file beside who signed up:"
                " `[Bookkeeper, Technician]`; the roles above where it is empty."
            )
        ),
    ] = ()
    firms: Annotated[
        Firms | None, Field(description="What firms are called and do, where all customers are.")
    ] = None
    owned_by: Annotated[
        str,
        Field(
            description=(
                "The department whose people own the accounts: `Sales`. Without it an account is"
                " theirs who entered the customer's last order, or that of what connects the shop"
                " and the CRM."
            )
        ),
    ] = ""
    order_notes: Annotated[
        dict[str, OrderNotes],
        Field(description="What people write on orders, by the channel's name; on others nothing."),
    ] = {}
