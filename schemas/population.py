"""The people of a country: names by birth year, gender and culture group, with their shares.

They stand in `schemas/population/<locale>.yaml`. Knows no customers.
"""

from pathlib import Path
from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field, model_validator

from schemas.files import checked, read_yaml

NameList = Annotated[tuple[str, ...], Field(min_length=1)]
PeopleShare = Annotated[float, Field(ge=0, le=1, allow_inf_nan=False)]


class PeoplePart(BaseModel):
    """Base of the parts of the file: unknown keys are errors, and values never change."""

    model_config = ConfigDict(extra="forbid", frozen=True)


class GivenNames(PeoplePart):
    """Given names of women and of men, commonest first."""

    female: Annotated[NameList, Field(description="Names of women.")]
    male: Annotated[NameList, Field(description="Names of men.")]


class CultureGroup(GivenNames):
    """People whose surnames, and some of whose given names, are of one origin."""

    name: Annotated[str, Field(description="What the group is called here: `hispanic`.")]
    share: Annotated[PeopleShare, Field(description="Its share of the adults.")]
    usual: Annotated[
        PeopleShare,
        Field(description="Which share has a given name that is usual all over the country."),
    ]
    surnames: Annotated[NameList, Field(description="Surnames, commonest first.")]


class Population(PeoplePart):
    """The file of names of one locale, `schemas/population/<locale>.yaml`."""

    cohorts: Annotated[
        tuple[int, ...],
        Field(description="The first birth year of each list of `usual`: `[1950, 1980]`."),
    ]
    usual: Annotated[
        tuple[GivenNames, ...],
        Field(description="The usual given names of each cohort."),
    ]
    groups: Annotated[
        tuple[CultureGroup, ...], Field(min_length=1, description="The culture groups.")
    ]
    nicknames: Annotated[
        dict[str, str], Field(description="Short forms of given names: `{Robert: Bob}`.")
    ]
    handles: Annotated[
        NameList, Field(description="What some make a mail address of instead of their name.")
    ]
    professions: Annotated[NameList, Field(description="What people do for a living.")]

    @model_validator(mode="after")
    def _a_list_a_cohort(self) -> "Population":
        if len(self.cohorts) != len(self.usual) or list(self.cohorts) != sorted(self.cohorts):
            raise ValueError("usual must have one list for each of cohorts, which must rise")
        return self


def load_population(locale: str) -> Population:
    """The people of a locale; raises SchemaError where the file is wrong."""
    path = Path(__file__).parent / "population" / f"{locale}.yaml"
    return checked(Population, read_yaml(path), str(path))
