"""Who works for a company of a trade: shifts, departments, staff and the service desk.

Parts of `schemas.trade`. Knows no company and draws nothing.
"""

from typing import Annotated, get_args

from pydantic import Field, field_validator, model_validator

from schemas.contacts import IssueKind
from schemas.terms import Share, Weight
from schemas.trade_part import TradePart

SHORTEST_SHIFT = 4.0
"""Hours."""


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
    receives: Annotated[
        bool, Field(description="Whether they take in what customers send back.")
    ] = False
    keeps_range: Annotated[
        bool,
        Field(
            description=(
                "Whether they keep up products and prices. Where no department does, all offices do"
                " that take nothing in."
            )
        ),
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
