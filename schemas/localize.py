"""A schema in a country: its fields for telephones, addresses, names and codes as they are there.

A schema is written for the United States. A field that is another one elsewhere says so by its
role, `x-local: phone`; here its pattern, its listed values and its constant become the country's.
Knows no other field and no values.
"""

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

from schemas.country import DEFAULT_LOCALE, Country, load_country
from schemas.inherit import SchemaFile

Keywords = dict[str, Any]

LOCAL = "x-local"


def localized(files: Mapping[str, SchemaFile], locale: str) -> dict[str, SchemaFile]:
    """The files of a schema as they are in a country; those of the default locale as they stand."""
    if locale == DEFAULT_LOCALE:
        return dict(files)
    country = load_country(locale)
    found = {}
    for name, file in files.items():
        fields = file.data.get("properties")
        if isinstance(fields, dict):
            there = {}
            for field, keywords in fields.items():
                there[field] = _there(keywords, country, locale)
            if there != fields:
                file = replace(file, data={**file.data, "properties": there}, merged=True)
        found[name] = file
    return found


def _there(keywords: object, country: Country, locale: str) -> object:
    """A field's keywords in a country; as they are where it has no role that is known."""
    if not isinstance(keywords, dict):
        return keywords
    change = ROLES.get(str(keywords.get(LOCAL)))
    return keywords if change is None else change(keywords, country, locale)


def _phone(keywords: Keywords, country: Country, locale: str) -> Keywords:
    form = country.phones.mobile[0].replace("{area}", country.places[0].area_codes[0])
    return _sourced({**keywords, "pattern": country.phone_pattern()}, "pattern", form)


def _state(keywords: Keywords, country: Country, locale: str) -> Keywords:
    return {**keywords, "pattern": country.region_pattern()}


def _postal_code(keywords: Keywords, country: Country, locale: str) -> Keywords:
    return {**keywords, "pattern": country.postal.pattern}


def _country(keywords: Keywords, country: Country, locale: str) -> Keywords:
    return _sourced(keywords, "constant", country.country)


def _currency(keywords: Keywords, country: Country, locale: str) -> Keywords:
    return _listed(keywords, country.currency.code)


def _locale(keywords: Keywords, country: Country, locale: str) -> Keywords:
    return _listed(keywords, locale)


def _language(keywords: Keywords, country: Country, locale: str) -> Keywords:
    return _listed(keywords, country.language.key)


def _full_name(keywords: Keywords, country: Country, locale: str) -> Keywords:
    return _sourced(keywords, "template", country.full_name)


def _listed(keywords: Keywords, value: str) -> Keywords:
    """A field that has one value only."""
    return _sourced({**keywords, "enum": [value]}, "constant", value)


def _sourced(keywords: Keywords, kind: str, value: str) -> Keywords:
    """A source of a kind with another value; a source of another kind stays."""
    source = keywords.get("x-source")
    if not isinstance(source, dict) or kind not in source:
        return keywords
    return {**keywords, "x-source": {**source, kind: value}}


ROLES: dict[str, Callable[[Keywords, Country, str], Keywords]] = {
    "phone": _phone,
    "state": _state,
    "postal_code": _postal_code,
    "country": _country,
    "currency": _currency,
    "locale": _locale,
    "language": _language,
    "full_name": _full_name,
}
"""What `x-local` may say -> how the field's keywords change."""
