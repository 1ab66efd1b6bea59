"""What accounts and subscriptions promise, and how such contracts run.

`Terms` stand with a category of a world (`terms: {holds: loan, rate: [2.6, 5.2]}`), `Opening` and
`Renewal` with a trade. A shop has no use for them. Knows no company and draws nothing.
"""

from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, field_validator

MONTHS = 12
Share = Annotated[float, Field(ge=0, le=1, allow_inf_nan=False)]
Weight = Annotated[float, Field(gt=0, allow_inf_nan=False)]
Amount = Annotated[float, Field(ge=0, allow_inf_nan=False)]
MostOften = Annotated[float, Field(ge=0, le=0.9, allow_inf_nan=False)]
Months = Annotated[int, Field(ge=1, le=480)]
DaysToDecide = Annotated[int, Field(ge=0, le=365)]
Points = Annotated[float, Field(ge=-100, le=100, allow_inf_nan=False)]


ByAge = dict[Annotated[int, Field(ge=0, le=130)], Weight]


class TermsPart(BaseModel):
    """Base of these figures: unknown keys are errors, and values never change."""

    model_config = ConfigDict(extra="forbid", frozen=True, defer_build=True)


class Terms(TermsPart):
    """What a contract on a product of a category says, where accounts or subscriptions are sold."""

    holds: Annotated[
        Literal["deposit", "loan", "line", "prepaid", "plan"],
        Field(
            description=(
                "What it is: a `deposit` grows, a `loan` is paid off over its term, a `line` is"
                " drawn upon up to a limit, `prepaid` money is spent, a `plan` is used."
            )
        ),
    ] = "plan"
    charge: Annotated[
        str, Field(description="What the price is: `Annual Fee`, `Price per Seat and Year`.")
    ] = ""
    unit: Annotated[str, Field(description="What is counted: `Seat`, `Account`.")] = "Each"
    promoted: Annotated[
        bool,
        Field(description="Whether promotions lower its price; nobody lowers a least deposit so."),
    ] = True
    rate: Annotated[
        tuple[Points, Points] | None,
        Field(description="Percent a year above (or below) the market's rate: `[2.5, 6]`."),
    ] = None
    months: Annotated[
        tuple[Months, ...],
        Field(description="Terms in months, of which each product has one: `[36, 60, 72]`."),
    ] = ()
    amount: Annotated[
        tuple[Weight, Weight] | None,
        Field(
            description=(
                "The usual lowest and highest deposit, loan or limit in dollars, or the yearly use"
                " of a plan: `[5000, 40000]`."
            )
        ),
    ] = None
    metered: Annotated[
        bool, Field(description="Whether the use of a plan is read from a meter.")
    ] = False
    use_by_month: Annotated[
        tuple[Weight, ...],
        Field(
            description=(
                "How much of a plan is used in each month from January to December, against one"
                " another: twelve weights, `[2, 2, 1.5, ...]`. Without them it is used evenly."
            )
        ),
    ] = ()
    home_use: Annotated[
        float,
        Field(
            ge=0,
            le=1,
            allow_inf_nan=False,
            description=(
                "By which power of the people in a home its use grows: 0.5 of four is twice that"
                " of one. It leaves the mean of all where it is; 0 without."
            ),
        ),
    ] = 0.0
    decided: Annotated[
        tuple[DaysToDecide, DaysToDecide],
        Field(description="Days from an application to its decision."),
    ] = (0, 1)
    declined: Annotated[
        MostOften, Field(description="Which share of the applications is declined: `0.2`.")
    ] = 0.0

    @field_validator("use_by_month")
    @classmethod
    def _twelve_months(cls, weights: tuple[float, ...]) -> tuple[float, ...]:
        if len(weights) not in (0, MONTHS):
            raise ValueError(f"it has {len(weights)} months; give {MONTHS} weights, or none")
        return weights

    @field_validator("rate", "amount", "decided")
    @classmethod
    def _in_order(cls, span: tuple[float, float] | None) -> tuple[float, float] | None:
        if span and span[0] > span[1]:
            raise ValueError("the lowest is above the highest; swap them")
        return span


class Opening(TermsPart):
    """How accounts are applied for, opened, carried and closed; for trades of kind `accounts`.

    Scores are credit scores, 300 to 850; rates are percent a year.
    """

    market: Annotated[
        tuple[Amount, Amount],
        Field(description="Between which values the market's rate moves: `[0.25, 5.5]`."),
    ] = (0.25, 5.5)
    market_of: Annotated[
        dict[int, Amount],
        Field(
            description=(
                "What it was on the first day of some years, between which it moves evenly:"
                " `{2022: 0.1, 2023: 4.3}`. In other years it moves by chance."
            )
        ),
    ] = {}
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
        MostOften,
        Field(description="Which share of the accounts is closed by the customer in a year."),
    ] = 0.08
    decline_reasons: Annotated[
        dict[str, Weight],
        Field(min_length=1, description="Why applications are declined, with weights."),
    ] = {
        "Credit history too short": 3,
        "Debt too high for the income": 3,
        "Income could not be verified": 2,
        "Identity could not be verified": 1,
    }
    low_score_reasons: Annotated[
        tuple[str, ...],
        Field(description="Those of them that are only given to scores below the mean."),
    ] = ("Credit history too short",)
    close_reasons: Annotated[
        dict[str, Weight],
        Field(min_length=1, description="Why customers close accounts, with weights."),
    ] = {"Moved to another bank": 3, "No longer needed": 4, "Fees": 2, "Moved away": 1}

    @field_validator("market")
    @classmethod
    def _market_in_order(cls, market: tuple[float, float]) -> tuple[float, float]:
        if market[0] > market[1]:
            raise ValueError("the lowest is above the highest; swap them")
        return market


class Renewal(TermsPart):
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
    starts: Annotated[
        dict[int, Weight],
        Field(
            min_length=1,
            description="How many days after its order a contract starts, with weights: `{0: 9}`.",
        ),
    ] = {0: 80, 1: 11, 2: 4, 3: 5}
    reading_months: Annotated[
        int,
        Field(ge=0, le=120, description="After how many months each meter is read; 0 is never."),
    ] = 0
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
        dict[str, Weight],
        Field(min_length=1, description="Why contracts are not renewed, with weights."),
    ] = {
        "Too expensive": 3,
        "Not used enough": 3,
        "Moved to another provider": 2,
        "Unhappy with the service": 2,
        "Closed the business": 1,
    }

    @field_validator("uplift")
    @classmethod
    def _uplift_in_order(cls, uplift: tuple[float, float]) -> tuple[float, float]:
        if uplift[0] > uplift[1]:
            raise ValueError("the least is above the most; swap them")
        return uplift
