"""What goes wrong in a world, and what is done about it.

Parts of `schemas.world`. What is behind a single case stands in `schemas.incidents`.
"""

from typing import Annotated, Literal

from pydantic import Field, StringConstraints

from schemas.contacts import IssueKind
from schemas.world_part import Days, WorldPart


class Issue(WorldPart):
    """A kind of problem that customers write about."""

    key: Annotated[
        str,
        Field(description="The name that rules and articles use: `issue.leaking.complaint`."),
    ]
    name: Annotated[str, Field(description="The name in the CRM: `Water Leakage`.")]
    description: Annotated[str, Field(description="One sentence that says what goes wrong.")]
    kind: Annotated[
        IssueKind,
        Field(description="What the problem is with."),
    ]
    reason: Annotated[
        str,
        Field(
            description=(
                "What the desk files as the case's reason: `Fit or Comfort`; without one the"
                " trade's for problems of this kind."
            )
        ),
    ] = ""
    weight: Annotated[
        float,
        Field(gt=0, description="How often it happens, in proportion to the other issues."),
    ] = 1.0
    options: Annotated[
        tuple[str, ...],
        Field(
            min_length=1,
            description="The keys of the options that may be granted: `[refund, repair]`.",
        ),
    ]
    sometimes: Annotated[
        tuple[str, ...],
        Field(
            description=(
                "Further options that some companies list for it: with any, a few of both are"
                " drawn, those of `options` rather than others."
            )
        ),
    ] = ()
    lenient: Annotated[
        tuple[str, ...],
        Field(
            description=(
                "The keys of the options that an agent may give against the rules where the company"
                " doesn't list them for it: `[statement_reissue]`. Without any, those that are"
                " listed for problems of a like kind."
            )
        ),
    ] = ()
    mended_by: Annotated[
        tuple[str, ...] | None,
        Field(
            description=(
                "The keys of the options that undo the problem itself: `[access_reset]`, or `[]`"
                " where none does. With other options the desk puts the problem right besides, as"
                " the rules `issue.<key>.wish` and `issue.<key>.mend` tell. Without it any option"
                " settles the problem."
            )
        ),
    ] = None
    topics: Annotated[
        tuple[str, ...],
        Field(
            min_length=1,
            description=(
                "What an agent asks about, each with rules of its own: `[conditions, entry]`."
            ),
        ),
    ]
    fits: Annotated[
        tuple[str, ...],
        Field(
            description=(
                "The keys of the categories whose products can have it: `[checking, credit_card]`;"
                " none stands for all."
            )
        ),
    ] = ()
    shipped_only: Annotated[
        bool,
        Field(description="Whether it only befalls what is sent to the customer."),
    ] = False
    since: Annotated[
        int,
        Field(
            ge=0,
            le=120,
            description=(
                "The fewest days after the order at which it can come up: nothing is overdue on"
                " the day of the order."
            ),
        ),
    ] = 0
    never_came: Annotated[
        bool,
        Field(
            description=(
                "Whether the customer never got what was bought, so that nothing is sent back"
                " whatever is granted."
            )
        ),
    ] = False
    lasts: Annotated[
        bool,
        Field(
            description=(
                "Whether it may come up for as long as the customer has what was bought, as the"
                " trade's `lasting` says how often, and not only while it is new."
            )
        ),
    ] = False
    within: Annotated[
        int | None,
        Field(
            ge=1,
            description=(
                "The most days after the order at which it comes up, as far as there are such"
                " orders: shoes that never fitted are no news after half a year. Any number"
                " without it."
            ),
        ),
    ] = None
    outage: Annotated[
        bool,
        Field(
            description=(
                "Whether it may strike many customers on one day, as the trade's `outages` say how"
                " often: a supply that fails, a service that is down."
            )
        ),
    ] = False
    urgency: Annotated[
        float | None,
        Field(
            ge=0,
            le=1,
            allow_inf_nan=False,
            description=(
                "How much it presses, from 0 (it can wait) to 1 (safety, or money at stake): `0.7`."
                " Without it the trade's usual for the issue's kind."
            ),
        ),
    ] = None


SettledFact = Literal[
    "refund",
    "credit",
    "discount",
    "ships",
    "visit",
    "session",
    "plan",
    "done",
    "return",
    "keep",
]
"""What can be told of a remedy: the sum and its day; when something ships, somebody comes or calls,
the first payment of a plan is due, or it is done; by when the thing goes back, or that it stays."""


class Option(WorldPart):
    """A remedy that an agent may grant within a limit of days."""

    key: Annotated[str, Field(description="The name that issues use: `store_credit`.")]
    name: Annotated[str, Field(description="The name in articles: `Store Credit`.")]
    phrase: Annotated[str, Field(description="The words in a sentence: `a full refund`.")]
    ways: Annotated[
        tuple[str, ...],
        Field(
            description=(
                "Other ways by any of which a text shows that this remedy is given, and none of the"
                " issue's others: `[refund* ! 20%, money ... back]`. Three dots stand for a few"
                " words, `&` for any in the sentence, in either order; `/` parts words of which one"
                " will do, `*` lets a word go on, and behind `!` stands what mustn't be in the"
                " sentence. What stands in brackets may be `it` or `one` once the talk has named"
                " it. With `? ` in front a way will do where the remedy is refused, or where no"
                " other remedy of the issue is spoken of. `{stake}` and `{amount}` are the sum that"
                " the case is about, and the price."
            )
        ),
    ] = ()
    days: Annotated[
        tuple[Days, ...],
        Field(
            min_length=1,
            description=(
                "Candidates for the limit in days, counted from the order's EffectiveDate: `[30,"
                " 30, 45]`. One is drawn for each issue that lists the option."
            ),
        ),
    ]
    sent_back: Annotated[
        bool, Field(description="Whether the customer sends back what was bought.")
    ] = False
    refunded: Annotated[bool, Field(description="Whether what was paid is paid back in full.")] = (
        False
    )
    share: Annotated[
        float | None,
        Field(gt=0, le=1, description="Which part of the price it pays back: `0.2`."),
    ] = None
    prorated: Annotated[
        bool,
        Field(description="Whether it pays back the part of a year's price that is still to run."),
    ] = False
    worth: Annotated[
        str,
        Field(
            description=(
                "What it is worth where the price does not tell: `$30`, or a range of which a"
                " case has one figure: `$6.40 to $58.90`."
            )
        ),
    ] = ""
    from_day: Annotated[
        int,
        Field(
            ge=0,
            description=(
                "How many days old the order is at least when it is thought of, as far as something"
                " else is in time: nobody has new shoes mended. 0 for any."
            ),
        ),
    ] = 0
    tells: Annotated[
        tuple[SettledFact, ...],
        Field(
            description=(
                "The facts that agents tell of it, in this order: `[ships, return]`. Without any"
                " they tell only how it goes on."
            )
        ),
    ] = ()
    due: Annotated[
        tuple[Annotated[int, Field(ge=0)], Annotated[int, Field(ge=0)]],
        Field(
            description=("In how many working days it happens, the fewest and the most: `[2, 6]`.")
        ),
    ] = (1, 3)
    repays: Annotated[
        bool,
        Field(
            description=(
                "Whether it pays back what the case is about, as the incident's `stakes` tell it."
            )
        ),
    ] = False
    accrues: Annotated[
        bool,
        Field(
            description=(
                "Whether it pays back what a wrong rate has cost on the account's sum so far; where"
                " that isn't known it is worth what `worth` says."
            )
        ),
    ] = False
    gesture: Annotated[
        bool,
        Field(
            description=(
                "Whether it mends nothing: it is granted where nobody has made a mistake, as a"
                " courtesy."
            )
        ),
    ] = False
    wonders: Annotated[
        tuple[Annotated[str, StringConstraints(pattern=r"^[a-z][a-z0-9_]*$")], ...],
        Field(
            description=(
                "What anybody would ask of it once it is set up: `[home, before]`; `home` is asked"
                " by the rule `option.<key>.wonders.home`, or `option.wonders.home`, and answered"
                " by `option.<key>.clears.home`."
            )
        ),
    ] = ()
    on_top: Annotated[
        bool,
        Field(
            description=(
                "Whether it is worth something by itself, though no sum is told of it: where the"
                " problem is put right besides, it is for the trouble."
            )
        ),
    ] = False
