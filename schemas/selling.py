"""What a trade sells, and how: channels, prices, promotions, the range, and what orders say.

Parts of `schemas.trade`. Knows no company and draws nothing.
"""

from typing import Annotated

from pydantic import Field

from schemas.terms import ByAge, Share, Weight
from schemas.trade_part import DayCount, Percents, TradePart


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
    in_person: Annotated[
        bool,
        Field(
            description=(
                "Whether customers come to a shop, branch or counter for it; they go to one in"
                " their own state or next to it."
            )
        ),
    ] = False
    entered_by: Annotated[
        str,
        Field(
            description=(
                "The department whose people enter its orders: `Customer Support`. Without it those"
                " of the shop do, where customers come in person, else the systems."
            )
        ),
    ] = ""
    by_age: Annotated[
        ByAge,
        Field(
            description=(
                "How much more customers of some ages use it than others, evenly between the ages:"
                " `{20: 0.6, 45: 1, 75: 1.6}`. Everybody alike without it."
            )
        ),
    ] = {}


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
        DayCount, Field(ge=1, description="Over how many days that is missing afterwards.")
    ]
    excluded: Annotated[
        Share, Field(description="Which share of the products no promotion makes cheaper.")
    ] = 0.0
    standard: Annotated[
        str, Field(description="What the price book with the list prices is called.")
    ] = "Standard Price Book"
    standard_says: Annotated[
        str, Field(description="What that price book says of itself; `{days}` stands for its days.")
    ] = "List prices of every product, valid {days}."
    seasonal: Annotated[
        str, Field(description="What the price book of a quarter is called: `{season} {year}`.")
    ] = "{season} {year}"
    seasonal_says: Annotated[
        str, Field(description="What the price book of a quarter says of itself.")
    ] = "Prices of the season's range, valid {days}."
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
        DayCount, Field(ge=1, description="Within how many days two thirds of that are gone.")
    ] = 90
    markdown: Annotated[
        Percents,
        Field(
            description="By how many percent the last pieces of a model are cheaper: `[20, 50]`."
        ),
    ] = (0, 0)
    markdown_days: Annotated[
        tuple[DayCount, DayCount],
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
    peak: Annotated[
        Weight,
        Field(
            description=(
                "How many times more than in its other months a category is bought in its peak"
                " months."
            )
        ),
        # Chosen by eye, so that winter boots sell some three times as well before Christmas as in
        # spring.
    ] = 2.6
    unit: Annotated[
        str,
        Field(description="What is counted on an order's line: `Each`, `Booking`."),
    ] = "Each"
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


class OrderNotes(TradePart):
    """What people write on orders of a channel."""

    share: Annotated[Share, Field(description="On which share of the orders: `0.3`.")]
    texts: Annotated[
        tuple[str, ...],
        Field(
            min_length=1,
            description=(
                "The notes; of alternatives in brackets one is drawn, `#` is a digit: `Paid"
                " (cash|by card).`"
            ),
        ),
    ]
