"""How customers of a trade get in touch: with what, by what, how soon and how often again.

Parts of `schemas.trade`. Knows no company and draws nothing.
"""

from typing import Annotated, Any, Literal, get_args

from pydantic import Field, StringConstraints, field_validator, model_validator

from schemas.terms import Share, Weight
from schemas.traces import TraceFigures
from schemas.trade_part import DayCount, TradePart, rising

IssueKind = Literal["product", "delivery", "service", "billing"]
"""What a customer's problem is with."""


EnquiryName = Literal[
    "status", "return", "question", "change", "wrong_department", "praise", "duplicate", "spam"
]
"""What may be written to the company beside complaints."""


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


ByTopic = dict[Annotated[str, StringConstraints(pattern=r"^[a-z]+$")], tuple[str, ...]]
"""What is so of each topic that customers write about, by the topic's key."""


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
    topics: Annotated[
        ByTopic,
        Field(
            description=(
                "What exactly customers write about, each worded by rules of its own"
                " (`issue.enquiry_question_limits.request`), with the keys of the categories that"
                " it is about; none stand for all: `{limits: [checking], papers: []}`."
            )
        ),
    ] = {}
    wonders: Annotated[
        ByTopic,
        Field(
            description=(
                "What anybody would ask next who hears the answer, by the topic, or for `any`:"
                " `{any: [files]}` is asked by the rule `issue.enquiry_return.wonders.files` and"
                " answered by `issue.enquiry_return.clears.files`."
            )
        ),
    ] = {}
    asks: Annotated[
        bool,
        Field(
            description=(
                "Whether the customer waits for something: who only praises gets an answer, and"
                " never asks for news of it."
            )
        ),
    ] = True
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
    arrives: Annotated[
        tuple[Annotated[int, Field(ge=0)], Annotated[int, Field(ge=0)]] | None,
        Field(
            description=(
                "In how many working days what is waited for comes, the fewest and the most, so"
                " that the answer names the day: `[1, 4]`. Without it no day is named."
            )
        ),
    ] = None
    stranger: Annotated[
        bool,
        Field(
            description=(
                "Whether it comes from nobody whom the company knows: a mail without account and"
                " contact that is closed without an answer."
            )
        ),
    ] = False


ENQUIRIES: dict[EnquiryName, Enquiry] = {
    "status": Enquiry(
        lag=ContactLag(first=1, shape=1.2, scale=2.5, waits=False),
        shipped_only=True,
        arrives=(1, 4),
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
        topics={"care": (), "lasting": (), "again": (), "matching": ()},
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
        asks=False,
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


class EnclosedFile(TradePart):
    """A file that agents send along, and how often."""

    share: Annotated[Share, Field(description="The share of the mails that say so with the file.")]
    title: Annotated[
        str,
        Field(
            min_length=1,
            max_length=200,
            description="What it is called, a digit for each `#`; all of them are PDF.",
        ),
    ]


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
        return rising(cases, "has {} as the fewest cases and {} as the most")


class ContactFigures(TradePart):
    """How customers get in touch: how soon, on which days and hours, how pressing, and again."""

    lags: Annotated[
        dict[IssueKind, ContactLag],
        Field(description="How soon customers write, by the kind of the issue."),
    ] = {
        # Chosen by eye: a bill is read at once; what is wrong with a parcel is seen as it comes;
        # a product fails after weeks of use, but fits or not on the first day.
        "billing": ContactLag(shape=0.55, scale=4, waits=False),
        "delivery": ContactLag(shape=0.7, scale=4),
        "service": ContactLag(shape=0.9, scale=24, waits=False),
        "product": ContactLag(shape=0.48, scale=72),
    }
    again: Annotated[
        Share,
        Field(
            description=(
                "The share of complaints that come back to an earlier one of the same customer"
                " about the same purchase, as what was put right did not last. Where things are"
                " sent back it must be 0: nobody returns one thing twice."
            )
        ),
    ] = 0.0
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
        *(4.6, 4.2, 4.0, 3.8, 3.8, 3.6, 3.6, 3.9, 4.1, 3.5, 2.2, 1.1),
    )
    chat_hours: Annotated[
        tuple[int, int],
        Field(description="The hours between which chats begin, on the customer's clock."),
    ] = (8, 20)
    missed: Annotated[
        Share,
        Field(
            description=(
                "The share of chats that nobody takes before the visitor leaves: none, unless said;"
                " 0.05 to 0.15 is usual."
            )
        ),
    ] = 0.0
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
    named_by_kind: Annotated[
        Share,
        Field(
            description=(
                "The share of those who ask for something that call what they have by its kind,"
                " `my car loan`, and by its maker as well where they have two; the others name it"
                " in full."
            )
        ),
    ] = 0.85
    possessives: Annotated[
        dict[Literal["my", "our", "the"], Weight],
        Field(
            description=(
                "How many customers by habit call what they have theirs, in proportion: `my boots`,"
                " `our plan`, `the boots`. A firm's own is always `our`."
            )
        ),
        # People call what they own theirs; a few speak of "the boots". By eye.
    ] = {"my": 0.88, "the": 0.12}
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
        "product": AttachedFiles(share=0.33, photo=9, screenshot=1),
        "delivery": AttachedFiles(share=0.25, photo=3, screenshot=2),
        "billing": AttachedFiles(share=0.2, screenshot=3, document=2),
        "service": AttachedFiles(share=0.07, screenshot=4, photo=1),
        "enquiry": AttachedFiles(share=0.04, photo=1, screenshot=2),
    }

    enclosed: Annotated[
        dict[str, EnclosedFile],
        Field(
            description=(
                "What agents send with a mail, by what they say in it, an act of `_beats.yaml`:"
                " `{a.return: {share: 0.3, title: 'Return_Label_######'}}`."
            )
        ),
    ] = {}

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

    @model_validator(mode="after")
    def _returns_once(self) -> "ContactFigures":
        if self.again and self.returned:
            raise ValueError("has both again and returned, so one thing could be returned twice")
        return self

    @field_validator("silence")
    @classmethod
    def _rises(cls, days: tuple[float, float]) -> tuple[float, float]:
        return rising(days, "has {} as the fewest days and {} as the most")

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
