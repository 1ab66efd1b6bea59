"""The people of a country: names by birth year, gender and culture group, with their shares.

They are a part of a locale's file, `schemas/locales/<locale>.yaml`. Knows no customers.
"""

from collections.abc import Iterator
from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field, model_validator

NameList = Annotated[tuple[str, ...], Field(min_length=1)]
PeopleShare = Annotated[float, Field(ge=0, le=1, allow_inf_nan=False)]


class PeoplePart(BaseModel):
    """Base of the parts of the file: unknown keys are errors, and values never change."""

    model_config = ConfigDict(extra="forbid", frozen=True, defer_build=True)


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
    """The names of one country."""

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
    retired: Annotated[str, Field(description="What those say who no longer work.")] = "Retired"
    accents: Annotated[
        PeopleShare, Field(description="Which share writes the accents of their names.")
    ] = 1.0
    double: Annotated[PeopleShare, Field(description="Which share has a double surname.")] = 0.0
    suffixes: Annotated[
        dict[str, PeopleShare],
        Field(min_length=1, description="What follows men's surnames, with shares: `{' Jr.': 1}`."),
    ] = {"": 1.0}
    romanized: Annotated[
        dict[str, str],
        Field(
            description=(
                "Names in Latin letters, where they are written in others: `{佐藤: Sato}`. Where"
                " there are any, all names must stand here, and the staff's names come from the"
                " same lists."
            )
        ),
    ] = {}

    @model_validator(mode="after")
    def _a_list_a_cohort(self) -> "Population":
        if len(self.cohorts) != len(self.usual) or list(self.cohorts) != sorted(self.cohorts):
            raise ValueError("usual must have one list for each of cohorts, which must rise")
        return self

    @model_validator(mode="after")
    def _all_romanized(self) -> "Population":
        missing = set(self.all_names()) - set(self.romanized) if self.romanized else set()
        if missing:
            raise ValueError(f"romanized lacks {min(missing)}; add it in Latin letters")
        return self

    def all_names(self) -> Iterator[str]:
        """Yields every given name and surname."""
        for listed in (*self.usual, *self.groups):
            yield from (*listed.female, *listed.male)
        for group in self.groups:
            yield from group.surnames
