"""Company profiles: the one short input. Example (`schemas/companies/shoes.yaml`):

    name: Tarn & Alder
    industry: footwear retail
    description: Sells shoes of all kinds online and in eleven shops.
    schema: service_cloud
    period: {start: 2020-01-01, end: 2023-12-31}

Knows what a person asks for; how a run turns it into counts stands in `pipeline.plan`.
"""

import re
from datetime import date
from pathlib import Path
from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, model_validator

from schemas.errors import BadInput
from schemas.files import checked, read_yaml
from schemas.lexicon import Category, Issue, Option

RESERVED = re.compile(r"^[a-z0-9-]+(\.[a-z0-9-]+)*\.(example|test|invalid)$")


class Period(BaseModel):
    """First and last day of the org's life, both included."""

    model_config = ConfigDict(extra="forbid", frozen=True)
    start: date
    end: date

    @model_validator(mode="after")
    def _in_order(self) -> "Period":
        if (self.end - self.start).days < 90:
            raise ValueError("must last at least 90 days; set a later end")
        return self


class Rates(BaseModel):
    """Shares that a service organisation lives by; the defaults are the published org's (918 and
    111 of 977 cases).
    """

    model_config = ConfigDict(extra="forbid", frozen=True)
    closed: float = Field(default=918 / 977, ge=0, le=1)
    transfers: float = Field(default=111 / 977, ge=0, le=1)
    violations: float = Field(default=0.14, ge=0, le=0.5)
    links: float = Field(default=762 / 500, ge=1, le=3)


class Profile(BaseModel):
    """A company profile.

    `counts` overrides the schema's; `categories`, `issues`, `options` override the lexicon's.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)
    name: str = Field(min_length=2, max_length=80)
    industry: str
    description: str = Field(min_length=10)
    schema_: Annotated[str, Field(alias="schema")] = "service_cloud"
    lexicon: str = "generic"
    period: Period
    locale: Literal["en_US"] = "en_US"
    seed: int = Field(default=1, ge=0, lt=2**63)
    domain: str = ""
    team: str = "Customer Care"
    counts: dict[str, Annotated[int, Field(ge=0)]] = {}
    rates: Rates = Rates()
    categories: tuple[str | Category, ...] = ()
    issues: tuple[Issue, ...] = ()
    options: tuple[Option, ...] = ()

    @model_validator(mode="after")
    def _reserved_domain(self) -> "Profile":
        if self.domain and not RESERVED.match(self.domain):
            raise ValueError(
                f"domain {self.domain!r} is not reserved for examples; end it in .example or .test"
            )
        return self

    @property
    def email_domain(self) -> str:
        """The company's own reserved domain; made from its name where the profile gives none."""
        return (
            self.domain or (re.sub(r"[^a-z0-9]+", "", self.name.lower()) or "company") + ".example"
        )


def companies_folder() -> Path:
    """Where the profiles that ship with the package lie."""
    return Path(__file__).parent / "companies"


def known_companies() -> list[str]:
    """The names `--company` takes without a path."""
    return sorted(path.stem for path in companies_folder().glob("*.yaml"))


def find_profile(company: str) -> Path:
    """The profile file of a company's name or path; raises BadInput that lists the known names."""
    is_path = company.endswith((".yaml", ".yml")) or "/" in company
    path = Path(company) if is_path else companies_folder() / f"{company}.yaml"
    if not path.is_file():
        raise BadInput(
            f"--company {company}: no such profile; use one of {', '.join(known_companies())}, or"
            " the path of a .yaml file"
        )
    return path


def load_profile(path: Path) -> Profile:
    """The checked profile in a file; raises SchemaError naming file, key and mend."""
    return checked(Profile, read_yaml(path), str(path))


def schema_folder(profile: Profile, path: Path) -> Path:
    """The folder of the profile's schema: shipped by name,
    or relative to the profile's own file.
    """
    shipped = Path(__file__).parent / profile.schema_
    return shipped if shipped.is_dir() else path.parent / profile.schema_


def lexicon_folder(profile: Profile, path: Path) -> Path:
    """The folder of the profile's lexicon: shipped by name,
    or relative to the profile's own file.
    """
    shipped = lexicons_folder() / profile.lexicon
    return shipped if shipped.is_dir() else path.parent / profile.lexicon


def lexicons_folder() -> Path:
    """Where the lexicons that ship with the package lie; `base` is beneath all others."""
    return Path(__file__).parent / "lexicons"
