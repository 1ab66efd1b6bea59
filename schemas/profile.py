"""Company profiles: the one short input. Example (`schemas/companies/shoes.yaml`):

    name: Tarn & Alder
    industry: footwear retail
    description: Sells shoes of all kinds online and in eleven shops.
    schema: service_cloud
    period: {start: 2020-01-01, end: 2023-12-31}

Knows what a person asks for; how a run turns it into counts stands in `pipeline.config`.
"""

import os
import re
from datetime import date
from pathlib import Path
from typing import Annotated

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, model_validator

from schemas.categories import Category
from schemas.country import DEFAULT_LOCALE, check_locale, load_country
from schemas.errors import BadInput, SchemaError
from schemas.files import checked, read_yaml
from schemas.issues import Issue, Option
from schemas.lexicon import no_such_lexicon
from schemas.names import check_file_name, no_such_schema

RESERVED = re.compile(r"[a-z0-9-]+(\.[a-z0-9-]+)*\.(example|test|invalid)")
"""Domains that nobody can own (RFC 2606), so that no made-up address is a real person's."""

CONTROLS = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028\u2029]")
"""Signs that no printed text has; a tab and a line break are none of them."""

SHORTEST_PERIOD = 90
"""Days. In less there is no season, and cases opened late would have no time to be closed."""

FIRST_DAY = date(1970, 1, 1)
"""Moments are counted from here, and a table holds a number below 0 where there is no moment."""

LAST_DAY = date(2999, 12, 31)
"""Calendars end with the year 9999, and promised days, holidays and summers lie behind an org's
end. Any year between would do.
"""

SHORTEST_NAME = 2
LONGEST_NAME = 255
"""Bytes of a file's name, on every usual system."""


class Period(BaseModel):
    """The org's life in whole days, the first and the last included."""

    model_config = ConfigDict(extra="forbid", frozen=True, defer_build=True)
    start: Annotated[date, Field(description="The first day: `2020-01-01`.")]
    end: Annotated[
        date, Field(description="The last day, at least 90 days after the first: `2023-12-31`.")
    ]

    @model_validator(mode="after")
    def _in_order(self) -> "Period":
        if self.end < self.start:
            raise ValueError(f"ends on {self.end}, before it starts on {self.start}; swap the two")
        if (self.end - self.start).days < SHORTEST_PERIOD:
            raise ValueError(f"must last at least {SHORTEST_PERIOD} days; set a later end")
        if self.start < FIRST_DAY or self.end > LAST_DAY:
            raise ValueError(f"must lie from {FIRST_DAY} to {LAST_DAY}; set other years")
        return self


class Rates(BaseModel):
    """Shares that a service organisation lives by.

    The defaults are those of the published CRMArena org, which has 977 cases.
    """

    model_config = ConfigDict(extra="forbid", frozen=True, defer_build=True)
    closed: Annotated[
        float, Field(ge=0, le=1, description="Which share of the cases is closed: `0.94`.")
    ] = 918 / 977
    transfers: Annotated[
        float,
        Field(
            ge=0,
            le=1,
            description="How many times a case is passed to another agent, on average: `0.11`.",
        ),
    ] = 111 / 977
    violations: Annotated[
        float,
        Field(
            ge=0,
            le=0.5,
            description="In which share of the closed cases the agent breaks a rule: `0.14`.",
        ),
    ] = 0.14
    links: Annotated[
        float,
        Field(
            ge=1,
            le=3,
            description="How many categories a product stands in, on average: `1.5`.",
        ),
    ] = 762 / 500


class Size(BaseModel):
    """How large a company is, where its counts shall follow from what is usual in its trade."""

    model_config = ConfigDict(extra="forbid", frozen=True, defer_build=True)
    customers: Annotated[
        int,
        Field(
            ge=1,
            le=10_000_000,
            strict=True,
            description="How many customers: `12000`.",
        ),
    ]


def _is_text(text: str) -> str:
    if CONTROLS.search(text):
        raise ValueError("holds a control character; leave it out")
    return text


def _is_line(text: str) -> str:
    if "\n" in text or "\t" in text:
        raise ValueError("holds a line break or a tab; write it in one line")
    return _is_text(text)


Line = Annotated[str, AfterValidator(_is_line)]
Text = Annotated[str, AfterValidator(_is_text)]


class Profile(BaseModel):
    """A company profile: what a person says of the company that is to be made."""

    model_config = ConfigDict(extra="forbid", frozen=True, defer_build=True)
    name: Annotated[
        Line,
        Field(
            min_length=SHORTEST_NAME,
            max_length=80,
            description="The company's name: `Tarn & Alder`.",
        ),
    ]
    industry: Annotated[Line, Field(description="Its industry in a few words: `footwear retail`.")]
    description: Annotated[
        Text,
        Field(
            min_length=10,
            description="A sentence or two on what it does; every writer is told them.",
        ),
    ]
    schema_: Annotated[
        str,
        Field(
            alias="schema",
            description=(
                "The object types of its CRM: a schema that ships (`service_cloud`, `clinic`), or"
                " a folder beside the profile's file."
            ),
        ),
    ] = "service_cloud"
    lexicon: Annotated[
        str,
        Field(
            description=(
                "What is sold and how people speak of it: a lexicon that ships (`shoes`, `bank`,"
                " `saas`, `utility`, `clinic`), or a folder beside the profile's file. Without one"
                " the words are `goods` where the trade says so, else `generic`, which fit anything"
                " that is sold."
            )
        ),
    ] = ""
    period: Annotated[
        Period,
        Field(description="The org's life: `{start: 2020-01-01, end: 2023-12-31}`."),
    ]
    locale: Annotated[
        str,
        AfterValidator(check_locale),
        Field(
            description=(
                "The country and the language: `de_DE`. People, addresses, telephones, prices and"
                " holidays are that country's, and a model writes in its language. [Locales]"
                "(../guide/locales.md) lists them."
            )
        ),
    ] = DEFAULT_LOCALE
    seed: Annotated[
        int,
        Field(
            ge=0,
            lt=2**63,
            strict=True,
            description="What all chance hangs on: another seed makes another company.",
        ),
    ] = 1
    domain: Annotated[
        str,
        Field(
            description=(
                "The company's domain in mail addresses, one that is reserved for examples:"
                " `tarnandalder.example`. It is made from the name where it is left out."
            )
        ),
    ] = ""
    team: Annotated[Line, Field(description="What the service team is called in mails.")] = (
        "Customer Care"
    )
    counts: Annotated[
        dict[str, Annotated[int, Field(ge=0, strict=True)]],
        Field(
            description=(
                "How many records of an object type there are, in place of the schema's number:"
                " `{Account: 196, Case: 977}`."
            )
        ),
    ] = {}
    size: Annotated[
        Size | None,
        Field(
            description=(
                "How large the company is: `{customers: 12000}`. The counts that are not stated"
                " then follow from the `sizes` of its trade; large ones are a few in a"
                " thousand more or fewer, so that none is round. A stated count is exact."
            )
        ),
    ] = None
    trade: Annotated[
        str | dict[str, object],
        Field(
            description=(
                "What kind of thing is sold, where the lexicon doesn't say it (`goods`,"
                " `services`, `accounts`, `subscriptions`), or figures of the trade that are others"
                " in this company: `{bands: {order_value: [20, 60]}}`. [The world](world.md)"
                " describes the keys."
            )
        ),
    ] = {}
    rates: Annotated[
        Rates, Field(description="Shares that the service team lives by: `{closed: 0.9}`.")
    ] = Rates()
    categories: Annotated[
        tuple[str | Category, ...],
        Field(
            description=(
                "Product categories in place of the lexicon's. A name alone, `Tents`, takes prices"
                " and seasons from one of the lexicon's."
            )
        ),
    ] = ()
    issues: Annotated[
        tuple[Issue, ...], Field(description="Issues in place of the lexicon's.")
    ] = ()
    options: Annotated[
        tuple[Option, ...], Field(description="Options in place of the lexicon's.")
    ] = ()

    @model_validator(mode="after")
    def _reserved_domain(self) -> "Profile":
        if self.domain and not RESERVED.fullmatch(self.domain):
            raise ValueError(
                f"domain {self.domain!r} is not reserved for examples; end it in .example or .test"
            )
        return self

    @model_validator(mode="after")
    def _names_once(self) -> "Profile":
        names = [item if isinstance(item, str) else item.name for item in self.categories]
        # A CRM takes names that differ in capitals alone for the same one.
        folded = [name.casefold() for name in names]
        for place, name in enumerate(names):
            if folded[place] in folded[:place]:
                raise ValueError(f"categories: {name!r:.60} stands twice; rename one")
        return self

    @property
    def email_domain(self) -> str:
        """The company's own reserved domain; made from its name where the profile gives none."""
        spelled = load_country(self.locale).latin(self.name)
        plain_name = re.sub(r"[^a-z0-9]+", "", spelled.lower())
        return self.domain or f"{plain_name or 'company'}.example"


def companies_folder() -> Path:
    """Where the profiles that ship with the package lie."""
    return Path(__file__).parent / "companies"


def known_companies() -> list[str]:
    """The names `--company` takes without a path."""
    return sorted(path.stem for path in companies_folder().glob("*.yaml"))


def find_profile(company: str) -> Path:
    """The profile's file for a company's name or path.

    Raises BadInput that lists the known names where there is none.
    """
    is_path = company.endswith((".yaml", ".yml")) or "/" in company
    path = Path(company) if is_path else companies_folder() / f"{company}.yaml"
    # Of a name that is too long for any file the system says that it can't even look.
    if len(os.fsencode(path.name)) > LONGEST_NAME or not path.is_file():
        known = ", ".join(known_companies())
        raise BadInput(
            f"--company {company:.200}: no such profile; use one of {known}, or the path of a .yaml"
            f" file{_meant(company)}"
        )
    check_file_name(path.name, f"--company {company}")
    # What is made of it goes to outputs/<stem> where nothing else is said.
    check_file_name(path.stem, f"--company {company}")
    return path


def _meant(company: str) -> str:
    """`, such as hotel/hotel.yaml`, where that is there; else nothing.

    `company new hotel` makes a folder, whose name is soon taken for the profile's; so is a file's
    name without its ending.
    """
    if len(os.fsencode(company)) > LONGEST_NAME:
        return ""
    folder = Path(company)
    within = folder / f"{folder.name}.yaml"
    beside = Path(company.removesuffix(".yml") + ".yaml")
    for path in (within, beside):
        if path.is_file():
            return f", such as {path}"
    return ""


def load_profile(path: Path) -> Profile:
    """The checked profile in a file; raises SchemaError naming file, key and mend."""
    return checked(Profile, read_yaml(path), str(path))


def schema_folder(profile: Profile, path: Path) -> Path:
    """The folder of the profile's schema: one that ships, or one beside the profile's file.

    Raises SchemaError where there is neither.
    """
    shipped = Path(__file__).parent / profile.schema_
    folder = shipped if shipped.is_dir() else path.parent / profile.schema_
    if not folder.is_dir():
        raise SchemaError(f"{path}: schema: {no_such_schema(profile.schema_)}")
    return folder


def lexicon_folder(profile: Profile, path: Path) -> Path:
    """The folder of the profile's lexicon: one that ships, or one beside the profile's file.

    A profile that names none gets the words of any goods, or those of anything that is sold. Raises
    SchemaError where there is no such folder.
    """
    name = profile.lexicon or unnamed_lexicon(profile)
    shipped = lexicons_folder() / name
    folder = shipped if shipped.is_dir() else path.parent / name
    if not folder.is_dir():
        said = no_such_lexicon(name, path.parent, lexicons_folder())
        raise SchemaError(f"{path}: lexicon: {said}")
    return folder


def unnamed_lexicon(profile: Profile) -> str:
    """The lexicon of a profile that names none: it follows from the trade that it states."""
    trade = profile.trade if isinstance(profile.trade, str) else profile.trade.get("like", "")
    return "goods" if trade == "goods" else "generic"


def lexicons_folder() -> Path:
    """Where the lexicons that ship with the package lie; `base` is beneath all others."""
    return Path(__file__).parent / "lexicons"
