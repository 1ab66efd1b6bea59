"""The trade: what kind of thing a company sells, and the figures that such a business lives by.

A trade is one YAML file in `schemas/trades`. A world names one (`trade: goods`), or lays its own
figures over one (`trade: {like: goods, channels: [...]}`). Figures that differ between a shoe shop
and a bank stand here, and nowhere in the code. Knows no company, no categories and no issues:
those are the world's.
"""

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any, Literal, get_args

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
from schemas.terms import Opening, Renewal, Share, Weight
from schemas.traces import TraceFigures

SHORTEST_SHIFT = 4.0
"""Hours."""

IssueKind = Literal["product", "delivery", "service", "billing"]
"""What a customer's problem is with."""


CUSTOMERS = "customers"
"""The word for a company's size in a ratio."""

EnquiryName = Literal[
    "status", "return", "question", "change", "wrong_department", "praise", "duplicate", "spam"
]
"""What may be written to the company beside complaints."""

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


DayCount = Annotated[int, Field(ge=0, le=3650)]
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

    sites: Annotated[int, Field(ge=1, le=6, description="In how many cities service agents sit.")]
    shops: Annotated[int, Field(ge=0, description="How many shops or branches there are.")]
    shifts: Annotated[tuple[Shift, ...], Field(min_length=1, description="The agents' shifts.")]
    saturday: Annotated[
        Share,
        Field(description="Which share of the agents works on Saturdays and has another day off."),
    ]
    sunday: Annotated[
        Share,
        Field(description="Which share of the agents works on Sundays and has another day off."),
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

    @model_validator(mode="after")
    def _weeks_in_order(self) -> "Staff":
        if self.saturday + self.sunday > 1:
            raise ValueError("saturday and sunday are more than all agents; lower one of them")
        return self

    @field_validator("service_share")
    @classmethod
    def _share_in_order(cls, share: tuple[float, float]) -> tuple[float, float]:
        if share[0] > share[1]:
            raise ValueError("the least share is above the largest; swap them")
        return share


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


class ContactLag(TradePart):
    """The days from a sale, or from the arrival of what was shipped, until the customer writes."""

    first: Annotated[int, Field(ge=0, le=60, description="The fewest days.")] = 0
    shape: Annotated[
        Weight,
        Field(
            description=(
                "The shape of the gamma distribution of the days beyond the fewest: below 1 most"
                " write at once, and a few much later."
            )
        ),
    ]
    scale: Annotated[Weight, Field(description="The distribution's scale in days.")]
    waits: Annotated[
        bool, Field(description="Whether the days count from the arrival of what was shipped.")
    ] = True


class Enquiry(TradePart):
    """What customers write about that is no complaint: how soon, how pressing, how it is filed."""

    lag: Annotated[ContactLag, Field(description="How soon customers write.")]
    shipped_only: Annotated[
        bool, Field(description="Whether it is about something that is sent to the customer.")
    ] = False
    fits: Annotated[
        tuple[str, ...],
        Field(
            description=(
                "The keys of the world's categories that it is about: `[checking, savings]`; none"
                " stands for all."
            )
        ),
    ] = ()
    urgency: Annotated[Share, Field(description="How much it presses, from 0 to 1.")] = 0.2
    type: Annotated[str, Field(description="The case's type.")]
    reason: Annotated[str, Field(description="The case's reason.")]
    kind: Annotated[
        Literal["Enquiry", "Return", "Feedback"], Field(description="The case's record type.")
    ] = "Enquiry"
    lapses: Annotated[
        bool,
        Field(description="Whether it may end without an answer, as `endings` says how often."),
    ] = True
    stranger: Annotated[
        bool,
        Field(
            description=(
                "Whether it comes from nobody whom the company knows: a mail without account and"
                " contact that is closed without an answer."
            )
        ),
    ] = False


# Chosen by eye: where a parcel is, people ask before it comes; an order is changed on its day; what
# doesn't fit is known within a week.
ENQUIRIES: dict[EnquiryName, Enquiry] = {
    "status": Enquiry(
        lag=ContactLag(first=1, shape=1.2, scale=2.5, waits=False),
        shipped_only=True,
        urgency=0.45,
        type="Order Status",
        reason="Delivery Status",
    ),
    "return": Enquiry(
        lag=ContactLag(shape=1.1, scale=6),
        urgency=0.3,
        type="Return",
        reason="Return or Exchange",
        kind="Return",
    ),
    "question": Enquiry(
        lag=ContactLag(shape=0.8, scale=25, waits=False),
        type="Question",
        reason="Product Details",
    ),
    "change": Enquiry(
        lag=ContactLag(shape=0.5, scale=1, waits=False),
        urgency=0.6,
        type="Order Change",
        reason="Change or Cancellation",
    ),
    "wrong_department": Enquiry(
        lag=ContactLag(shape=1, scale=90, waits=False),
        urgency=0.05,
        type="Other",
        reason="Wrong Department",
        lapses=False,
    ),
    "praise": Enquiry(
        lag=ContactLag(first=1, shape=1.2, scale=15),
        urgency=0.0,
        type="Feedback",
        reason="Praise",
        kind="Feedback",
        lapses=False,
    ),
    "duplicate": Enquiry(
        lag=ContactLag(shape=0.8, scale=2, waits=False),
        urgency=0.3,
        type="Duplicate",
        reason="Duplicate Contact",
        lapses=False,
    ),
    # It comes evenly through the year: the lag behind an order means nothing to it.
    "spam": Enquiry(
        lag=ContactLag(shape=1, scale=120, waits=False),
        urgency=0.0,
        type="Other",
        reason="Spam",
        lapses=False,
        stranger=True,
    ),
}


class AttachedFiles(TradePart):
    """How often customers send files about an issue of a kind, and what these are."""

    share: Annotated[
        Share, Field(description="The share of such e-mail cases with a file; of chats, fewer.")
    ]
    photo: Annotated[
        float, Field(ge=0, allow_inf_nan=False, description="How often these are photos.")
    ] = 0.0
    screenshot: Annotated[
        float, Field(ge=0, allow_inf_nan=False, description="How often these are screenshots.")
    ] = 0.0
    document: Annotated[
        float, Field(ge=0, allow_inf_nan=False, description="How often it is a paper as PDF.")
    ] = 0.0

    @model_validator(mode="after")
    def _some_form(self) -> "AttachedFiles":
        if self.photo + self.screenshot + self.document <= 0:
            raise ValueError("has no kind of file; weigh photo, screenshot or document")
        return self


class OutageFigures(TradePart):
    """How often something fails for many customers at once, and how many write about it."""

    share: Annotated[
        Share,
        Field(
            description=(
                "The share of complaints, beside those about products that fail, which outages"
                " bring; the world's issues say which of them an outage can have."
            )
        ),
    ] = 0.0
    cases: Annotated[
        tuple[Annotated[int, Field(ge=1)], Annotated[int, Field(ge=1)]],
        Field(description="The fewest and the most who write about one: `[5, 14]`."),
    ] = (5, 14)

    @field_validator("cases")
    @classmethod
    def _rises(cls, cases: tuple[int, int]) -> tuple[int, int]:
        fewest, most = cases
        if fewest > most:
            raise ValueError(f"has {fewest} as the fewest cases and {most} as the most")
        return cases


class ContactFigures(TradePart):
    """How customers get in touch: how soon, on which days and hours, how pressing, and again."""

    lags: Annotated[
        dict[IssueKind, ContactLag],
        Field(description="How soon customers write, by the kind of the issue."),
    ] = {
        # Chosen by eye: a bill is read at once; what is wrong with a parcel is seen as it comes;
        # a product fails after weeks of use, but fits or not on the first day.
        "billing": ContactLag(shape=0.6, scale=9, waits=False),
        "delivery": ContactLag(shape=0.7, scale=4),
        "service": ContactLag(shape=0.9, scale=24, waits=False),
        "product": ContactLag(shape=0.55, scale=64),
    }
    lasting: Annotated[
        Share,
        Field(
            description=(
                "The share of what lasts (`lasts` of the world's issues) that is complained about"
                " on any day since the order, however long ago; none, unless said."
            )
        ),
    ] = 0.0
    longest: Annotated[
        DayCount,
        Field(ge=1, description="After how many days nothing is written about any more: `340`."),
    ] = 340
    waves: Annotated[
        tuple[IssueKind, ...],
        Field(
            description=(
                "The kinds of issues that strike many buyers of a product in one month: what is"
                " made fails by the batch; what is run for its customers is also out of order, or"
                " billed wrongly, for all of them."
            )
        ),
    ] = ("product",)
    outages: Annotated[
        OutageFigures,
        Field(description="What fails for many customers on one day: none, unless said."),
    ] = OutageFigures()
    arrival: Annotated[
        tuple[int, int],
        Field(description="The fewest and the most days until what was shipped arrives: `[2, 5]`."),
    ] = (2, 5)
    weekdays: Annotated[
        tuple[Weight, Weight, Weight, Weight, Weight, Weight, Weight],
        Field(description="How many write on each day of the week, Monday first."),
        # Service desks report a Monday peak and weekends of half a weekday; chosen by eye.
    ] = (1.4, 1.15, 1.05, 1.0, 0.9, 0.42, 0.42)
    hours: Annotated[
        tuple[Weight, ...],
        Field(
            min_length=24,
            max_length=24,
            description="How many write in each hour of their own day, midnight first.",
        ),
        # Office breaks and the evening, some at night; chosen by eye.
    ] = (
        *(0.5, 0.3, 0.2, 0.15, 0.15, 0.3, 0.8, 1.8, 3.0, 4.2, 4.8, 4.8),
        *(4.6, 4.2, 4.0, 3.8, 3.8, 3.6, 3.4, 3.6, 3.8, 3.2, 2.0, 1.0),
    )
    chat_hours: Annotated[
        tuple[int, int],
        Field(description="The hours between which chats begin, on the customer's clock."),
    ] = (8, 20)
    urgency: Annotated[
        dict[IssueKind, Share],
        Field(
            description=(
                "How much an issue presses that doesn't say so itself, by its kind, from 0 to 1."
            )
        ),
    ] = {"product": 0.3, "delivery": 0.55, "service": 0.4, "billing": 0.65}
    high: Annotated[Share, Field(description="The share of cases of high priority.")] = 0.2
    low: Annotated[Share, Field(description="The share of cases of low priority.")] = 0.3
    escalated: Annotated[
        Share, Field(description="The share of cases that are escalated; 3 to 8 % is usual.")
    ] = 0.05
    reopened: Annotated[
        Share,
        Field(description="The share of closed cases that were reopened; 3 to 8 % is usual."),
    ] = 0.05
    identifies: Annotated[
        bool,
        Field(
            description=(
                "Whether the desk identifies who writes before it says anything: a bank does."
            )
        ),
    ] = False
    surveyed: Annotated[
        Share, Field(description="The share of closed cases whose customer answers a survey.")
    ] = 0.28
    returned: Annotated[
        Share,
        Field(
            description=(
                "The share of sold lines that are sent back without a case; none where nothing can"
                " be sent back. Shoes bought online come back at 15 to 30 %."
            )
        ),
    ] = 0.0
    attached: Annotated[
        dict[IssueKind | Literal["enquiry"], AttachedFiles],
        Field(
            description=(
                "Which cases have files, by the kind of their issue, `enquiry` for all that is no"
                " complaint: `{product: {share: 0.35, photo: 9, screenshot: 1}}`. What isn't named"
                " has none."
            )
        ),
        # Chosen by eye: what is broken is shown, what was charged stands in a picture of the screen
        # or in a statement, and about how one was served there is little to show.
    ] = {
        "product": AttachedFiles(share=0.35, photo=9, screenshot=1),
        "delivery": AttachedFiles(share=0.25, photo=3, screenshot=2),
        "billing": AttachedFiles(share=0.2, screenshot=3, document=2),
        "service": AttachedFiles(share=0.07, screenshot=4, photo=1),
        "enquiry": AttachedFiles(share=0.04, photo=1, screenshot=2),
    }

    intents: Annotated[
        dict[Literal["complaint"] | EnquiryName, Weight],
        Field(
            description=(
                "What customers write about, by how often they do: `{complaint: 3, status: 2,"
                " return: 2}`. Complaints alone, unless said otherwise; there must be some."
            )
        ),
    ] = {"complaint": 1.0}
    enquiries: Annotated[
        dict[EnquiryName, Enquiry],
        Field(description="The figures of all that is no complaint, by its name in `intents`."),
    ] = ENQUIRIES
    endings: Annotated[
        dict[Literal["answered", "unanswered", "withdrawn"], Weight],
        Field(
            min_length=1,
            description=(
                "How closed e-mail contacts that are no complaints end, by how often they do:"
                " `{answered: 78, unanswered: 15, withdrawn: 7}`. Unanswered are those whose"
                " customer never replies to the desk's question; withdrawn those that the customer"
                " has settled alone."
            ),
        ),
        # Chosen by eye: desks report a tenth to a fifth of contacts that end in silence.
    ] = {"answered": 0.78, "unanswered": 0.15, "withdrawn": 0.07}
    silence: Annotated[
        tuple[
            Annotated[float, Field(ge=1, le=30, allow_inf_nan=False)],
            Annotated[float, Field(ge=1, le=30, allow_inf_nan=False)],
        ],
        Field(
            description=(
                "The fewest and the most days without a reply after which the CRM closes a case by"
                " itself: `[4, 9]`."
            )
        ),
        # Rules that close what waits for the customer usually run after a week; chosen by eye.
    ] = (4, 9)

    traces: Annotated[
        TraceFigures,
        Field(description="What the mail system and the chat window add to what people write."),
    ] = TraceFigures()

    @field_validator("silence")
    @classmethod
    def _rises(cls, days: tuple[float, float]) -> tuple[float, float]:
        shortest, longest = days
        if shortest > longest:
            raise ValueError(f"has {shortest} as the fewest days and {longest} as the most")
        return days

    @field_validator("intents")
    @classmethod
    def _some_complain(cls, intents: dict[str, float]) -> dict[str, float]:
        if "complaint" not in intents:
            raise ValueError("has no complaint; give it a weight")
        return intents

    @field_validator("lags", "urgency")
    @classmethod
    def _has_every_kind(cls, figures: dict[IssueKind, Any]) -> dict[IssueKind, Any]:
        missing = [kind for kind in get_args(IssueKind) if kind not in figures]
        if missing:
            raise ValueError(f"has nothing for {', '.join(missing)}; add it")
        return figures


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

    @field_validator("names")
    @classmethod
    def _known_slots(cls, names: tuple[str, ...]) -> tuple[str, ...]:
        for name in names:
            try:
                name.format(city="", surname="")
            except (KeyError, ValueError, IndexError) as error:
                raise ValueError(
                    f"{name!r:.80}: {{city}} and {{surname}} are all that may stand in braces"
                ) from error
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
    order_notes: Annotated[
        dict[str, OrderNotes],
        Field(description="What people write on orders, by the channel's name; on others nothing."),
    ] = {}


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
    are merged key by key, lists and values are replaced. Raises SchemaError for a name that isn't
    known.
    """
    if isinstance(stated, str):
        return _shipped(stated, where)
    if not isinstance(stated, Mapping):
        raise SchemaError(
            f"{where}: trade: must be the name of a trade, or a mapping with `like: <name>`"
        )
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
