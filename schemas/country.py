"""What is particular to a country: its places, people, telephones, currency, holidays, language.

Each locale is one file, `schemas/locales/<locale>.yaml`, and `load_country` reads it. Who adds a
file adds a locale; nothing else names them. Knows no company.
"""

import re
import unicodedata
from functools import cache
from pathlib import Path
from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field, model_validator

from schemas.errors import BadInput
from schemas.files import checked, read_yaml
from schemas.gazetteer import City, Streets
from schemas.language import INTERNATIONAL, WrittenLanguage
from schemas.population import Population

DEFAULT_LOCALE = "en_US"

Name = Annotated[str, Field(min_length=1)]
Times = Annotated[float, Field(gt=0, allow_inf_nan=False)]


class CountryPart(BaseModel):
    """Base of the parts of the file: unknown keys are errors, and values never change."""

    model_config = ConfigDict(extra="forbid", frozen=True, defer_build=True)


class Currency(CountryPart):
    """What is paid with, and which prices are usual."""

    code: Annotated[str, Field(pattern="^[A-Z]{3}$", description="The ISO 4217 code: `EUR`.")]
    symbol: Annotated[Name, Field(description="The sign: `€`.")]
    decimals: Annotated[int, Field(ge=0, le=3, description="How many decimals: `2`.")] = 2
    words: Annotated[
        tuple[Name, ...],
        Field(min_length=1, description="What it is called there: `[euro, euros, eur]`."),
    ]
    english: Annotated[
        tuple[Name, Name],
        Field(description="One of them and several in English: `[euro, euros]`."),
    ]
    rate: Annotated[
        Times,
        Field(
            description=(
                "What takes the place of a dollar in the price ranges of a lexicon that states"
                " dollars: `100` for yen. No exchange rate: what shops ask in round figures."
            )
        ),
    ] = 1.0
    under: Annotated[
        dict[float, Times],
        Field(
            description=(
                "How far below a round price goods are sold, each with its weight, in place of"
                " the trade's: `{0.05: 5, 0.01: 2}`; the trade's own without it."
            )
        ),
    ] = {}

    def shown(self, amount: float, language: WrittenLanguage | None = None) -> str:
        """An amount as it stands in a text: `$1,299.50`; as a language writes it where given."""
        if language is None:
            sign = "-" if amount < 0 else ""
            return f"{sign}{self.symbol}{abs(amount):,.{self.decimals}f}"
        return language.written_amount(amount, self.symbol, self.decimals)


class Phones(CountryPart):
    """Telephone numbers that belong to nobody: `#` is a digit, `{area}` the city's area code."""

    home: Annotated[
        tuple[Name, ...],
        Field(min_length=1, description='Of houses and offices: `["({area}) 555-01##"]`.'),
    ]
    mobile: Annotated[tuple[Name, ...], Field(min_length=1, description="Of mobile telephones.")]
    prefix: Annotated[
        str, Field(description="What stands in the place of the first zero abroad: `+49`.")
    ] = "+1"
    found: Annotated[
        str,
        Field(
            description=(
                "A regular expression that finds what looks like a number of the country in a"
                " text. What it finds must be one of these numbers, however it is spaced."
            )
        ),
    ] = ""


class PublicHolidays(CountryPart):
    """The holidays of a country, as the library `holidays` has them."""

    country: Annotated[str, Field(description="The ISO code under which it keeps them: `DE`.")]
    region: Annotated[
        str, Field(description="Its subdivision, where holidays differ by region: `ENG`.")
    ] = ""
    language: Annotated[str, Field(description="The language of their names: `de`.")] = ""
    names: Annotated[
        dict[str, str],
        Field(description="Other names for some: `{Washington's Birthday: Presidents' Day}`."),
    ] = {}
    all_closed: Annotated[
        bool,
        Field(
            description=(
                "Whether nobody works on any of them; without it the trade says on which"
                " (`closed_on`)."
            )
        ),
    ] = True


class Postal(CountryPart):
    """Postal codes."""

    pattern: Annotated[str, Field(description="A regular expression for them: `^\\d{5}$`.")]
    tail: Annotated[
        str,
        Field(
            description=(
                "What stands behind a city's own part; `#` is a digit and `@` a letter: ` #@@`."
            )
        ),
    ] = ""
    letters: Annotated[str, Field(description="The letters that the tail may have.")] = (
        "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
    )


class Country(CountryPart):
    """The file of one locale."""

    country: Annotated[Name, Field(description="The country's name in addresses: `Deutschland`.")]
    code: Annotated[str, Field(pattern="^[A-Z]{2}$", description="Its ISO 3166 code: `DE`.")]
    time_zone: Annotated[
        str, Field(description="The IANA time zone of the company's CRM: `Europe/Berlin`.")
    ]
    full_name: Annotated[
        str, Field(description="The order of names: `{FirstName} {LastName}`.")
    ] = "{FirstName} {LastName}"
    transliteration: Annotated[
        dict[str, str],
        Field(description="Signs as mail addresses write them: `{ä: ae}`; accents only fall off."),
    ] = {}
    legal_forms: Annotated[
        dict[str, str],
        Field(description="What stands for a legal form of the United States: `{LLC: GmbH}`."),
    ] = {}
    currency: Currency
    language: WrittenLanguage
    phones: Phones
    postal: Postal
    holidays: PublicHolidays
    bands: Annotated[
        dict[str, tuple[float, float] | None],
        Field(
            description=(
                "Bands of the schema's statistics that are others there: `{order_value: [5000,"
                " 18000]}`; `null` for one that has no meaning there."
            )
        ),
    ] = {}
    regions: Annotated[
        dict[str, str],
        Field(
            min_length=1,
            description="States as addresses have them, with their names: `{BY: Bayern}`.",
        ),
    ]
    neighbors: Annotated[
        dict[str, tuple[str, ...]],
        Field(description="Which states lie next to each: `{OR: [CA, ID, NV, WA]}`."),
    ] = {}
    people: Annotated[Population, Field(description="Who lives there.")]
    streets: Annotated[Streets, Field(description="How streets are called.")]
    places: Annotated[tuple[City, ...], Field(min_length=1, description="The cities.")]

    @model_validator(mode="after")
    def _regions_known(self) -> "Country":
        for city in self.places:
            if city.state not in self.regions:
                raise ValueError(f"places: {city.city} is in {city.state}, which no region is")
        for region, nearby in self.neighbors.items():
            unknown = {region, *nearby} - self.regions.keys()
            if unknown:
                raise ValueError(f"neighbors of {region}: {sorted(unknown)[0]} is no region")
        return self

    @property
    def english(self) -> WrittenLanguage:
        """The English of the embedded writer in this country."""
        return self.language if self.language.is_english else INTERNATIONAL

    def words_of(self, own: bool) -> WrittenLanguage:
        """The language of an org's words: the country's own, or the embedded writer's English."""
        return self.language if own else self.english

    def told(self, words: str) -> str:
        """A sentence on an org of this country whose words are in a language, by the CRM's key."""
        own = words == self.language.key
        language = self.language.name if own else "English, of the embedded writer"
        return (
            f"People, addresses and holidays are those of {self.country}, amounts are in"
            f" {self.currency.code}, and the words are {language}."
        )

    def latin(self, text: str) -> str:
        """A name as mail addresses spell it, its accents aside: `Müller` -> `Mueller`."""
        spelled = self.people.romanized.get(text, text)
        for sign, letters in self.transliteration.items():
            spelled = spelled.replace(sign, letters).replace(sign.upper(), letters.capitalize())
        return spelled

    def phone_pattern(self) -> str:
        """A regular expression that the country's numbers match as a whole."""
        return f"^(?:{'|'.join(_as_regex(form) for form in self._phone_forms())})$"

    def is_fictional(self, phone: str) -> bool:
        """Whether a number, however it is spaced, is one that belongs to nobody."""
        plain = phone.replace(f"{self.phones.prefix}", "0", 1).replace("(0)", "")
        digits = re.sub(r"\D", "", plain)
        return re.fullmatch(self._phone_digits(), digits) is not None

    def _phone_digits(self) -> str:
        """A regular expression for the digits of the country's numbers."""
        found = dict.fromkeys(re.sub(r"[^\d#]", "", form) for form in self._phone_forms())
        return "|".join(_as_regex(form) for form in found)

    def _phone_forms(self) -> list[str]:
        """The forms of all numbers, with the area codes in them."""
        areas: dict[str, None] = {}
        for city in self.places:
            areas |= dict.fromkeys(city.area_codes)
        forms: dict[str, None] = {}
        for form in (*self.phones.home, *self.phones.mobile):
            forms |= {form.replace("{area}", area): None for area in areas}
        return list(forms)

    def region_pattern(self) -> str:
        """A regular expression that the country's regions match as a whole."""
        return f"^(?:{'|'.join(self.regions)})$"


def without_accents(text: str) -> str:
    """`José` -> `Jose`."""
    parts = unicodedata.normalize("NFKD", text)
    return "".join(sign for sign in parts if not unicodedata.combining(sign))


def locales_folder() -> Path:
    """Where the files of the locales lie."""
    return Path(__file__).parent / "locales"


def known_locales() -> list[str]:
    """The locales that a profile may name."""
    return sorted(path.stem for path in locales_folder().glob("*.yaml"))


def check_locale(locale: str) -> str:
    """The locale itself; raises ValueError that lists the known ones where it is none of them."""
    if locale not in known_locales():
        raise ValueError(
            f"there is no locale {locale!r:.40}; use one of {', '.join(known_locales())}"
        )
    return locale


@cache
def load_country(locale: str) -> Country:
    """What a locale's file says; raises BadInput for an unknown one, SchemaError for a wrong file.

    A file is read once, since every customer is drawn by it.
    """
    try:
        path = locales_folder() / f"{check_locale(locale)}.yaml"
    except ValueError as error:
        raise BadInput(str(error)) from error
    return checked(Country, read_yaml(path), str(path))


def _as_regex(form: str) -> str:
    """A pattern of a telephone number as a regular expression: `07700 900###`."""
    escaped = re.sub(r"([().+])", r"\\\1", form)
    return re.sub(r"#+", lambda found: rf"\d{{{len(found.group())}}}", escaped)
