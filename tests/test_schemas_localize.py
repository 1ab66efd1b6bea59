"""A schema is written for the United States; its fields become those of the company's country."""

import re
from datetime import date
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from schemas.country import (
    DEFAULT_LOCALE,
    Country,
    known_locales,
    load_country,
    without_accents,
)
from schemas.errors import BadInput
from schemas.inherit import SchemaFile
from schemas.language import INTERNATIONAL, WrittenLanguage
from schemas.localize import LOCAL, ROLES, localized

pytestmark = pytest.mark.quick

GERMANY = load_country("de_DE")
PHONE = {"type": "string", "pattern": "^555$", "x-source": {"pattern": "555"}}


@pytest.fixture(params=known_locales())
def country(request: pytest.FixtureRequest) -> Country:
    """Each country in turn."""
    return load_country(request.param)


def there(role: str, locale: str = "de_DE", **keywords: object) -> dict[str, object]:
    """A field of a role, as it is in a country."""
    field = {LOCAL: role, **keywords}
    return dict(file_there(locale, Field=field).data["properties"]["Field"])


def file_there(locale: str, **fields: object) -> SchemaFile:
    """A toy object type's file, as it is in a country."""
    file = SchemaFile(Path("Toy.yaml"), {"title": "Toy", "properties": fields})
    return localized({"Toy": file}, locale)["Toy"]


def test_a_schema_stays_as_it_is_at_home() -> None:
    """No file is changed, and none counts as merged."""
    file = file_there(DEFAULT_LOCALE, Phone={LOCAL: "phone", **PHONE})
    assert file.data["properties"]["Phone"]["pattern"] == "^555$"
    assert not file.merged


def test_only_files_with_fields_of_a_country_are_merged() -> None:
    """A file that is what stands on the disk goes on to say so."""
    assert file_there("de_DE", Phone={LOCAL: "phone", **PHONE}).merged
    assert not file_there("de_DE", Name={"type": "string"}).merged
    assert not file_there("de_DE", Name={LOCAL: "unknown"}).merged


def test_what_is_no_mapping_of_fields_is_left_to_others() -> None:
    """A broken file is no business of the country's; who reads it says what is wrong."""
    file = SchemaFile(Path("Toy.yaml"), {"properties": ["Name"]})
    assert localized({"Toy": file}, "de_DE") == {"Toy": file}
    assert file_there("de_DE", Name=7).data["properties"] == {"Name": 7}


def test_a_telephone_field_takes_the_countrys_numbers() -> None:
    """Its pattern takes all of them, and where numbers are drawn, they are of the first form."""
    field = there("phone", **PHONE)
    form = GERMANY.phones.mobile[0]
    assert field["x-source"] == {"pattern": form}
    assert re.fullmatch(str(field["pattern"]), form.replace("#", "7"))


def test_a_source_of_another_kind_stays() -> None:
    """A number that is copied from elsewhere is copied everywhere."""
    source = {"copy": "AccountId.Phone"}
    assert there("phone", pattern="^555$", **{"x-source": source})["x-source"] == source
    assert "x-source" not in there("phone", pattern="^555$")


@pytest.mark.parametrize(
    ("role", "value"),
    [("currency", "EUR"), ("locale", "de_DE"), ("language", "de")],
)
def test_a_field_with_one_value_has_the_countrys(role: str, value: str) -> None:
    """It is listed as the only one, and it is what the field is filled with."""
    field = there(role, enum=["x"], **{"x-source": {"constant": "x"}})
    assert field["enum"] == [value]
    assert field["x-source"] == {"constant": value}


def test_states_and_postal_codes_have_the_countrys_pattern() -> None:
    """What addresses have elsewhere is refused."""
    state = str(there("state", pattern="x")["pattern"])
    postal = str(there("postal_code", pattern="x")["pattern"])
    assert re.fullmatch(state, "BY") and not re.fullmatch(state, "WA")
    assert re.fullmatch(postal, "80331") and not re.fullmatch(postal, "8033")


def test_the_name_of_the_country_is_its_own() -> None:
    """Addresses name it as the people there do."""
    field = there("country", **{"x-source": {"constant": "United States"}})
    assert field["x-source"] == {"constant": "Deutschland"}


def test_full_names_have_the_countrys_order() -> None:
    """In Japan the family's name comes first."""
    template = {"x-source": {"template": "{FirstName} {LastName}"}}
    assert there("full_name", "ja_JP", **template)["x-source"] == {
        "template": load_country("ja_JP").full_name
    }
    assert load_country("ja_JP").full_name.startswith("{LastName}")


@pytest.mark.parametrize("role", sorted(ROLES))
def test_every_role_leaves_other_keywords_alone(role: str) -> None:
    """A field's type, and what else stands there, is the same in every country."""
    for locale in known_locales():
        field = there(role, locale, type=["string", "null"], maxLength=40)
        assert (field["type"], field["maxLength"], field[LOCAL]) == (["string", "null"], 40, role)


def test_an_unknown_locale_lists_the_known_ones() -> None:
    """The line tells what to choose from."""
    with pytest.raises(BadInput, match="there is no locale 'xx_XX'; use one of de_DE, en_GB"):
        load_country("xx_XX")


def test_a_countrys_own_numbers_belong_to_nobody(country: Country) -> None:
    """However a number is spaced, and with the country's prefix too, it is told from a real one."""
    for form in country.phones.mobile:
        number = form.replace("{area}", country.places[0].area_codes[0]).replace("#", "3")
        spaced = re.sub(r"\D", " ", number)
        assert country.is_fictional(number) and country.is_fictional(spaced)
        assert not country.is_fictional(f"{number}9")
        if number.startswith("0"):
            assert country.is_fictional(f"{country.phones.prefix} {number[1:]}")


def test_names_become_letters_of_mail_addresses(country: Country) -> None:
    """No name of the country has a sign left that such an address can't have."""
    for name in country.people.all_names():
        plain = without_accents(country.latin(name))
        assert plain.isascii(), name


def test_umlauts_are_spelled_out_in_german_alone() -> None:
    """Elsewhere accents only fall off; capitals stay capitals."""
    assert GERMANY.latin("Übermüller-Groß") == "Uebermueller-Gross"
    assert without_accents(load_country("en_GB").latin("José")) == "Jose"


def test_what_is_told_of_a_country_names_the_language_of_the_words() -> None:
    """The embedded writer's words are English, a model's are the country's."""
    assert "the words are German" in GERMANY.told("de")
    assert "the words are English, of the embedded writer" in GERMANY.told("en_US")


def test_the_embedded_writers_english_is_the_countrys_where_there_is_one() -> None:
    """A German company's days are written so that nobody reads them two ways."""
    assert GERMANY.english is INTERNATIONAL
    assert GERMANY.words_of(own=True) is GERMANY.language
    assert GERMANY.words_of(own=False) is INTERNATIONAL
    britain = load_country("en_GB")
    assert britain.english is britain.language


@given(day=st.dates(date(2000, 1, 1), date(2039, 12, 31)))
def test_every_form_of_a_day_is_filled(day: date) -> None:
    """No form leaves a brace, and all of them name the year or leave it out as a whole."""
    for locale in known_locales():
        forms = load_country(locale).language.written_days(day)
        assert len(forms) == len(load_country(locale).language.written)
        assert not any(set("{}[]") & set(form) for form in forms)


@pytest.mark.parametrize(
    ("form", "shown"),
    [
        ("{day}. {month} {year}", "3. März 2021"),
        ("{dd}.{nn}.{year}", "03.03.2021"),
        ("{number}/{mon}", "3/Mrz"),
    ],
)
def test_a_form_names_the_parts_of_a_day(form: str, shown: str) -> None:
    """`mon` is the shortest name, and doubled letters have two digits."""
    assert GERMANY.language.written_day(date(2021, 3, 3), form) == shown


@pytest.mark.parametrize(
    ("number", "most", "shown"),
    [(1234567, 0, "1.234.567"), (1234.5, 2, "1.234,5"), (1234.0, 2, "1.234"), (0.126, 2, "0,13")],
)
def test_numbers_have_the_languages_signs(number: float, most: int, shown: str) -> None:
    """Thousands are parted, and no zero ends the decimals."""
    assert GERMANY.language.written_number(number, most) == shown


@pytest.mark.parametrize("form", ["{weekday} {day}", "{day}[. {month}", "{day} {}"])
def test_an_unknown_part_of_a_date_is_refused(form: str) -> None:
    """The message names the form and the parts there are."""
    data = {**INTERNATIONAL.model_dump(), "dates": [form]}
    with pytest.raises(ValidationError, match="is no form of a date; use {day}, {month}"):
        WrittenLanguage.model_validate(data)


def test_a_city_lies_in_a_region_of_its_country() -> None:
    """A place in a state that nobody has named is a mistake in the file."""
    data = GERMANY.model_dump()
    data["places"][0]["state"] = "XX"
    with pytest.raises(ValidationError, match="is in XX, which no region is"):
        Country.model_validate(data)
