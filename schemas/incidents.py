"""Incidents: what can have happened behind a case of an issue, as data of a lexicon.

`incidents:` in a lexicon's files names for each issue its causes, and what of them a customer sees.
What is seen are signs, each with a few values. Every value has marks: words by which a text shows
that it tells this value. The words themselves stand in the rules; `missing_rules` says which of
them an incident needs and a lexicon lacks.

Example: the sign `spot` of a sole that comes off has the values `toe` and `heel`, and the marks of
`toe` are `toe`, `front` and `tip*`.
"""

import re
from collections.abc import Container, Iterator, Mapping
from functools import cached_property, lru_cache
from typing import Annotated, Literal

from pydantic import (
    AfterValidator,
    BaseModel,
    ConfigDict,
    Field,
    StringConstraints,
    model_validator,
)

from schemas.terms import Weight

EVIDENCE = ("photo", "screenshot", "receipt", "statement", "video", "log")
"""What a customer can send."""

DESK = ("answer", "record", "inspection", "second_level")
"""Who else can know a cause: whoever answers the question, and whoever looks it up or looks at it.
"""

Evidence = Literal["photo", "screenshot", "receipt", "statement", "video", "log"]
Knower = Literal[
    "answer",
    "record",
    "inspection",
    "second_level",
    "photo",
    "screenshot",
    "receipt",
    "statement",
    "video",
    "log",
]
Disclosure = Literal["told", "hinted", "open"]
"""What becomes of a cause that a desk could know: it is told; the desk learns or says what happened
and not why; or nobody finds it out, and the problem is put right all the same."""

# How often each is so, by who knows a cause that leads to a remedy. A customer's own words and
# their picture show it themselves. A record shows what happened and seldom why. Whoever has looked
# for days mostly knows, and mostly tells a part of it. Chosen by eye: a desk that often put right
# what it could not explain was not believed, nor was one that always knew. What only an inspection
# shows, and a picture that never came, are open besides.
USUAL_FINDINGS: Mapping[str, Mapping[Disclosure, float]] = {
    "answer": {"told": 94, "hinted": 4, "open": 2},
    "record": {"told": 88, "hinted": 9, "open": 3},
    "second_level": {"told": 88, "hinted": 10, "open": 2},
    "photo": {"told": 94, "hinted": 4, "open": 2},
    "video": {"told": 94, "hinted": 4, "open": 2},
    "screenshot": {"told": 90, "hinted": 8, "open": 2},
    "receipt": {"told": 90, "hinted": 8, "open": 2},
    "statement": {"told": 90, "hinted": 8, "open": 2},
    "log": {"told": 88, "hinted": 9, "open": 3},
    "inspection": {"open": 1},
}

WonderTime = Literal["finding", "remedy"]
"""When a customer asks what anybody would: of what was found, or of what is done about it."""

InternalStep = Literal["warehouse", "carrier", "engineering", "back_office", "supervisor"]
Mark = Annotated[str, StringConstraints(pattern=r"^[a-z0-9$%][a-z0-9$%.,' -]*\*?$", max_length=40)]
FIGURE = re.compile(r"\d+(?:,\d{3})*(?:\.\d+)?")
PRICE = "the price"
"""The stake of a case that is about what was paid for the order's line, such as a second charge."""
BETWEEN = " to "
"""Stands between the lowest and the highest figure of a range."""


def stake_range(stake: str) -> tuple[float, float] | None:
    """The bounds of a range of figures, `$20.00 to $140.00`; None where it is one figure.

    Raises ValueError where it is no range of two figures, the lower one above 0 and first.
    """
    lowest, between, highest = stake.partition(BETWEEN)
    if not between:
        return None
    found = [FIGURE.findall(text) for text in (lowest, highest)]
    if [len(figures) for figures in found] != [1, 1]:
        raise ValueError(f"{stake!r} is no range; write a figure on each side: $20.00 to $140.00")
    low, high = (float(figures[0].replace(",", "")) for figures in found)
    if not 0 < low < high:
        raise ValueError(f"{stake!r} is no range; the lower figure comes first and is above 0")
    return low, high


def _checked(stake: str) -> str:
    stake_range(stake)
    return stake


Stake = Annotated[
    str,
    StringConstraints(pattern=r"^[$A-Za-z0-9][A-Za-z0-9$%.,' -]*$", max_length=40),
    AfterValidator(_checked),
]
Key = Annotated[str, StringConstraints(pattern=r"^[a-z][a-z0-9_]*$", max_length=40)]

NEEDED_NAMES = ("needed_on", "needed_day")
"""What wordings call the day by which somebody needs it, and its weekday."""

ANY = "any"
"""The incident of every issue that has none of its own."""


class IncidentPart(BaseModel):
    """Base of the parts of an incident: unknown keys are errors, and values never change."""

    model_config = ConfigDict(extra="forbid", frozen=True, defer_build=True)


Weekday = Literal["Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"]
DetailText = Annotated[
    str,
    StringConstraints(pattern=r"^[$A-Za-z0-9][A-Za-z0-9$%.,:/&' -]*$", max_length=60),
    AfterValidator(_checked),
]


class IncidentDetail(IncidentPart):
    """Facts of a case that are told though no cause hangs on them: a merchant, a day, two rates."""

    names: Annotated[
        tuple[Key, ...],
        Field(
            min_length=1,
            description=(
                "What wordings call them, `{shop}`: `[shop]`; facts that belong together are drawn"
                " together: `[agreed, billed]`. A day has a name for the date, and may have others"
                " for the weekday and the month."
            ),
        ),
    ]
    values: Annotated[
        tuple[tuple[DetailText, ...], ...],
        Field(
            description=(
                "What they can be, one text a name, of which each may be a figure of a range:"
                " `[[11.9 cents, 13.4 cents], [12.2 cents, 14.0 cents]]`."
            )
        ),
    ] = ()
    days: Annotated[
        tuple[int, int] | None,
        Field(
            description=(
                "It is a day, so many days before the customer first wrote: `[2, 6]`;"
                " below 0 it is one after that. Nothing happened before the order was placed."
            )
        ),
    ] = None
    weekdays: Annotated[
        tuple[Weekday, ...],
        Field(description="Only such days, as far as there are any: `[Saturday, Sunday]`."),
    ] = ()
    part: Annotated[
        tuple[float, float] | None,
        Field(
            description=(
                "It is a sum that is such a part of the case's stake: `[0.47, 0.53]` where a bill"
                " has doubled."
            )
        ),
    ] = None
    rates: Annotated[
        bool,
        Field(
            description=(
                "They are two rates of the account, the one agreed on and the one in use, as far"
                " apart as the case's stake says."
            )
        ),
    ] = False
    products: Annotated[
        tuple[str, ...],
        Field(description="The keys of the categories that it fits; all of them without it."),
    ] = ()
    theirs: Annotated[
        bool,
        Field(
            description=(
                "Whether only the customer knows it, such as how long a page took: no agent names"
                " it before it was told. What a record shows is known to both."
            )
        ),
    ] = False

    @model_validator(mode="after")
    def _says_one_thing(self) -> "IncidentDetail":
        names = list(self.names)
        kinds = (bool(self.values), self.days is not None, self.rates, self.part is not None)
        if sum(kinds) != 1:
            raise ValueError(f"detail {names} needs one of values, days, rates and part")
        if any(len(row) != len(names) for row in self.values):
            raise ValueError(f"detail {names}: each of its values needs a text a name")
        if len(names) != 2 and self.rates:
            raise ValueError(f"detail {names}: rates have two names")
        if len(names) != 1 and self.part is not None:
            raise ValueError(f"detail {names}: a part has one name")
        if self.days is not None and (len(names) > 3 or self.days[0] > self.days[1]):
            raise ValueError(f"detail {names}: a day has three names at most, and its days rise")
        return self


class SignValue(IncidentPart):
    """One value of a sign, such as `toe` of `spot`."""

    weight: Annotated[Weight, Field(description="How often it is so, in proportion.")] = 1.0
    marks: Annotated[
        tuple[Mark, ...],
        Field(
            min_length=1,
            description=(
                "Words in small letters, any of which shows in a text that this value is told;"
                " stems end in `*`: `[toe, front, tip*]`."
            ),
        ),
    ]
    stakes: Annotated[
        tuple[Stake, ...],
        Field(
            description=(
                "What it is about under this value, one of which is drawn: `[$9.95, $12.00]`,"
                " or a figure of a range: `[$20.00 to $140.00]`; `[the price]` is what was paid."
                " Wordings name it by `{stake}`."
            )
        ),
    ] = ()
    least_days: Annotated[
        int,
        Field(
            ge=0,
            description="How many days old the order is at least: `21` where it says three weeks.",
        ),
    ] = 0
    most_days: Annotated[
        int | None,
        Field(
            ge=0,
            description="How old it is at most: `60` where it says that they just started.",
        ),
    ] = None
    products: Annotated[
        tuple[str, ...],
        Field(description="The keys of the categories that it fits; all of them without it."),
    ] = ()
    details: Annotated[
        tuple[IncidentDetail, ...],
        Field(description="Facts that are told under this value, in place of the issue's own."),
    ] = ()

    def fits(self, category: str, days: int) -> bool:
        """Whether it can be so of a product of a category that was ordered so many days before."""
        if self.products and category not in self.products:
            return False
        return self.least_days <= days and (self.most_days is None or days <= self.most_days)


class IncidentCause(IncidentPart):
    """One cause of an issue: who can know it, and what it leads to."""

    weight: Annotated[Weight, Field(description="How often it is this one, in proportion.")] = 1.0
    ends: Annotated[
        tuple[Literal["remedy", "refusal", "either"], ...],
        Field(
            min_length=1,
            description=(
                "Which endings it fits: `remedy` where something is granted, `refusal` where"
                " nothing is, `either` both."
            ),
        ),
    ] = ("either",)
    known_by: Annotated[
        Knower,
        Field(
            description=(
                "Who or what can tell it: `answer`, `record`, `inspection`, `second_level`, or a"
                " kind of evidence such as `photo`."
            )
        ),
    ]
    tells: Annotated[
        Key | None,
        Field(description="The sign whose question tells this cause from the others: `spot`."),
    ] = None
    theirs: Annotated[
        bool,
        Field(
            description=(
                "Whether it is somebody else's mistake, such as a carrier's or a shop's, which the"
                " desk puts right all the same: nobody calls it the company's own."
            )
        ),
    ] = False
    looked_up: Annotated[
        bool,
        Field(
            description=(
                "Whether the desk finds it in its own records, once an answer has told where to"
                " look: nobody states it without having looked."
            )
        ),
    ] = False
    findings: Annotated[
        dict[Disclosure, Weight],
        Field(
            description=(
                "How often a desk tells it, hints at it or leaves it open where something is"
                " granted: `{told: 1}` where the remedy makes no sense without it. Without it, as"
                " usual for who knows it."
            )
        ),
    ] = {}
    signs: Annotated[
        dict[Key, dict[Key, Weight]],
        Field(
            description=(
                "The weights of values under this cause: `{spot: {toe: 5, heel: 2}}`; a sign that"
                " is left out keeps its own."
            )
        ),
    ] = {}
    channels: Annotated[
        tuple[Literal["email", "chat"], ...],
        Field(description="By which channels it comes; by all of them without it."),
    ] = ()
    products: Annotated[
        tuple[str, ...],
        Field(description="The keys of the categories that it strikes; all of them without it."),
    ] = ()
    least_days: Annotated[
        int,
        Field(
            ge=0,
            description="How many days old the order is at least: `120` where a sole is worn out.",
        ),
    ] = 0
    most_days: Annotated[
        int | None,
        Field(
            ge=0,
            description="How old it is at most: `60` where something has to be broken in.",
        ),
    ] = None
    many: Annotated[
        bool,
        Field(
            description=(
                "Whether one failure of it strikes many customers: of an outage all have such a"
                " cause, as far as it fits."
            )
        ),
    ] = False
    days: Annotated[
        tuple[Annotated[int, Field(ge=0, le=90)], Annotated[int, Field(ge=0, le=90)]] | None,
        Field(description="How many days an internal step takes: `[1, 4]`."),
    ] = None
    step: Annotated[
        InternalStep | None,
        Field(description="Who takes that step: `warehouse`, `carrier`, `engineering`, ..."),
    ] = None
    not_with: Annotated[
        tuple[str, ...],
        Field(
            description=(
                "The keys of the options that are no help against it, as another pair of a bad lot:"
                " `[replacement]`."
            )
        ),
    ] = ()
    helped_by: Annotated[
        tuple[str, ...],
        Field(
            description=(
                "The keys of the options that cure it; where it names some, no other one is granted"
                " for it as far as another cause fits, but for a courtesy: `[refund, repair]`."
            )
        ),
    ] = ()
    tests: Annotated[
        tuple[Key, ...],
        Field(
            description=(
                "What a desk has its customer try first, of which none helps here: `[restart]` is"
                " asked by the rule `a.test.restart` and answered by `c.test.restart`."
            )
        ),
    ] = ()
    at_once: Annotated[
        bool,
        Field(
            description=(
                "Whether what the desk does about it helps at once, so that the customer can try it"
                " and say whether it works: a lock that is lifted."
            )
        ),
    ] = False
    more_to_do: Annotated[
        bool,
        Field(
            description=(
                "Whether the desk does its own part about it in the same breath, such as a charge"
                " that is disputed or a number on file that is changed: it is told even where the"
                " option granted undoes the problem."
            )
        ),
    ] = False
    mended: Annotated[
        bool | None,
        Field(
            description=(
                "Whether the desk puts the problem right though the option granted doesn't; without"
                " it, where the cause may lead to a remedy."
            )
        ),
    ] = None

    details: Annotated[
        tuple[IncidentDetail, ...],
        Field(description="Facts that are told of this cause, in place of the issue's own."),
    ] = ()
    wonders: Annotated[
        dict[Key, WonderTime],
        Field(
            description=(
                "What anybody would ask next, and when: as soon as they hear this cause, or once"
                " the remedy is set up: `{entered: finding, again: remedy}`. `entered` is asked by"
                " the rule `issue.<issue>.wonders.entered` and answered by"
                " `issue.<issue>.clears.entered`."
            )
        ),
    ] = {}

    def fits_age(self, days: int) -> bool:
        """Whether it can be so of what was ordered so many days before."""
        return self.least_days <= days and (self.most_days is None or days <= self.most_days)

    @property
    def found(self) -> Mapping[Disclosure, float]:
        """How often it is told, hinted at or left open where something is granted."""
        if self.findings:
            return self.findings
        if "refusal" in self.ends:
            # Where it may lead to a refusal, it is the ground of what is decided.
            return {"told": 1}
        return USUAL_FINDINGS["record" if self.looked_up else self.known_by]

    def is_cured_by(self, option: str) -> bool:
        """Whether an option is any help against it, by what the cause names."""
        named = not self.helped_by or option in self.helped_by
        return named and option not in self.not_with

    @property
    def is_mended(self) -> bool:
        """Whether the desk puts the problem itself right."""
        usual = "remedy" in self.ends or "either" in self.ends
        return usual if self.mended is None else self.mended


class IncidentPlan(IncidentPart):
    """What can be behind the cases of one issue."""

    evidence: Annotated[
        tuple[Evidence, ...],
        Field(description="What a customer can send: `[photo]`; nothing without it."),
    ] = ()
    stakes: Annotated[
        tuple[Stake, ...],
        Field(
            description=(
                "The amounts, or rates, that a case can be about where no value of a sign has its"
                " own: `[$31.40, $46.80]`. Customers tell theirs first, and agents repeat it."
            )
        ),
    ] = ()
    needed: Annotated[
        tuple[Annotated[int, Field(ge=2)], Annotated[int, Field(le=60)]] | None,
        Field(
            description=(
                "In how many days some need it, `[4, 18]`; without it nobody names a day. Wordings"
                " call the day `{needed_on}` and `{needed_day}`."
            )
        ),
    ] = None
    details: Annotated[
        tuple[IncidentDetail, ...],
        Field(
            description=(
                "Facts of a case that are told though no cause hangs on them:"
                " `[{names: [shop], values: [[Corner Market], [Ivy Cafe]]}]`."
            )
        ),
    ] = ()
    signs: Annotated[
        dict[Key, dict[Key, SignValue]],
        Field(
            min_length=1,
            description="What the customer sees: each sign with its values.",
        ),
    ]
    causes: Annotated[
        dict[Key, IncidentCause], Field(min_length=1, description="The causes by their keys.")
    ]
    pictured: Annotated[
        tuple[Key, ...],
        Field(
            description="The signs that a file shows: nobody asks for them once it is there.",
        ),
    ] = ()
    stock_answer: Annotated[
        bool,
        Field(
            description=(
                "Whether a desk has a stock answer to it, which some agents give before they have"
                " read what was written: it is worded by the rule `issue.<issue>.stock`, and"
                " answered by `issue.<issue>.missed`."
            )
        ),
    ] = False

    def detail_names(self) -> Iterator[str]:
        """Yields what wordings may call the plan's details, those of its values and causes too."""
        for detail in self.every_detail():
            yield from detail.names
        if self.needed is not None:
            yield from NEEDED_NAMES

    @cached_property
    def told_names(self) -> tuple[str, ...]:
        """The names of all details, each once."""
        names: dict[str, None] = {}
        for detail in self.every_detail():
            names |= dict.fromkeys(detail.names)
        return tuple(names)

    @cached_property
    def their_names(self) -> tuple[str, ...]:
        """The names of the details that only the customer knows."""
        names: dict[str, None] = {}
        for detail in self.every_detail():
            names |= dict.fromkeys(detail.names if detail.theirs else ())
        return tuple(names)

    def every_detail(self) -> Iterator[IncidentDetail]:
        """Yields the plan's details, those of its values and of its causes."""
        yield from self.details
        for values in self.signs.values():
            for value in values.values():
                yield from value.details
        for cause in self.causes.values():
            yield from cause.details

    @model_validator(mode="after")
    def _keys_resolve(self) -> "IncidentPlan":
        if self.needed is not None and self.needed[0] > self.needed[1]:
            raise ValueError(f"needed {list(self.needed)} must rise")
        for sign, values in self.signs.items():
            if len(values) < 2:
                raise ValueError(f"sign {sign} has one value only; a sign has two at least")
        unknown = sorted(set(self.pictured) - set(self.signs))
        if unknown:
            raise ValueError(f"pictured names the unknown signs {unknown}; name those under signs")
        for key, cause in self.causes.items():
            self._check_cause(key, cause)
        if not any(_fits_remedy(cause) for cause in self.causes.values()):
            raise ValueError("no cause fits a remedy; let one end in remedy or either")
        return self

    def _check_cause(self, key: str, cause: IncidentCause) -> None:
        """Raises ValueError where a cause names what the plan doesn't have."""
        if cause.known_by not in (*DESK, *self.evidence):
            raise ValueError(
                f"cause {key} is known by {cause.known_by}, which is not listed under evidence;"
                " add it there"
            )
        if cause.tells is not None and cause.tells not in self.signs:
            raise ValueError(f"cause {key} is told by the unknown sign {cause.tells}")
        if cause.days is not None and cause.days[0] > cause.days[1]:
            raise ValueError(f"cause {key}: days {list(cause.days)} must rise")
        if (cause.days is None) != (cause.step is None):
            raise ValueError(f"cause {key} needs both step and days, or neither")
        for sign, weights in cause.signs.items():
            unknown = sorted(set(weights) - set(self.signs.get(sign, {})))
            if sign not in self.signs or unknown:
                raise ValueError(
                    f"cause {key} weighs the unknown sign or values {sign}: {unknown}; name"
                    " those under signs"
                )


def _fits_remedy(cause: IncidentCause) -> bool:
    return "remedy" in cause.ends or "either" in cause.ends


Incidents = Mapping[str, IncidentPlan]
"""The plans by the keys of their issues."""


def plan_for(incidents: Incidents, issue: str) -> IncidentPlan | None:
    """The plan of an issue, else the one of every issue; None where a lexicon has neither."""
    return incidents.get(issue) or incidents.get(ANY)


def needed_rules(issue: str, plan: IncidentPlan) -> Iterator[str]:
    """Yields the names of the rules that an incident's words stand in."""
    yield f"issue.{issue}.complaint"
    yield f"chat.issue.{issue}.complaint"
    yield f"issue.{issue}.impact"
    yield f"issue.{issue}.subject"
    if plan.stock_answer:
        yield f"issue.{issue}.stock"
        yield f"issue.{issue}.missed"
    for sign, values in plan.signs.items():
        yield f"issue.{issue}.ask.{sign}"
        for value in values:
            yield f"issue.{issue}.sign.{sign}.{value}"
            yield f"chat.issue.{issue}.sign.{sign}.{value}"
            yield f"issue.{issue}.echo.{sign}.{value}"
    for key, cause in plan.causes.items():
        yield f"issue.{issue}.cause.{key}"
        yield f"issue.{issue}.advice.{key}"
        for wonder in cause.wonders:
            yield f"issue.{issue}.wonders.{wonder}"
            yield f"issue.{issue}.clears.{wonder}"


def missing_rules(issue: str, plan: IncidentPlan, rules: Container[str]) -> list[str]:
    """Which of the needed rules a lexicon doesn't have."""
    return [name for name in needed_rules(issue, plan) if name not in rules]


@lru_cache(maxsize=4096)
def mark_pattern(marks: tuple[str, ...]) -> re.Pattern[str]:
    """A pattern that finds any of the marks in a plain text: `tip*` finds `tips`, `toe` not `toes`.

    >>> bool(mark_pattern(("toe", "tip*")).search("it starts at the tips"))
    True
    """
    forms = []
    for mark in marks:
        end = "" if mark.endswith("*") else r"(?!\w)"
        for stem in _as_people_write(mark.removesuffix("*")):
            # Each form begins with a sign, so that a search skips to those; most texts have none.
            first, rest = re.escape(stem[:1]), re.escape(stem[1:])
            forms.append(rf"{first}(?<!\w{first}){rest}{end}")
    return re.compile("|".join(forms))


def _as_people_write(stem: str) -> Iterator[str]:
    """Yields a mark as it stands and, of a contraction, without apostrophe and in full."""
    yield stem
    if "'" in stem:
        yield stem.replace("'", "")
    if "n't" in stem:
        full = stem.replace("won't", "will not").replace("can't", "cannot")
        yield full.replace("n't", " not")


def tells_value(text: str, marks: tuple[str, ...]) -> bool:
    """Whether a text tells a value, given in small letters."""
    return mark_pattern(marks).search(text) is not None
