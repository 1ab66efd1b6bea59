"""Locales: companies of other countries, from their people and prices to the words of a model."""

import asyncio
import json
import re
import shutil
import sqlite3
from collections.abc import Iterator
from datetime import date, datetime
from functools import cache
from pathlib import Path
from zoneinfo import ZoneInfo

import pyarrow.parquet
import pytest

from latent.holidays import holidays_between
from latent.local_time import utc_of
from latent.registry import LATENT
from latent.telephones import telephone
from orgweave.benchmark.evaluate.answers import extract
from orgweave.benchmark.run import make_tasks
from orgweave.cli import run as run_command
from orgweave.explore.site import opened
from orgweave.export.registry import FORMATS, export
from orgweave.soql.engine import Engine
from orgweave.testing.faults import Behaviour
from orgweave.testing.server import ModelServer
from orgweave.testing.words import Words
from pipeline.company.starter import new_company
from pipeline.config import RunRequest, load_job
from pipeline.model.pauses import Pauses
from pipeline.model.settings import choose
from pipeline.plan import english_words, make_plan
from pipeline.run import FinishedRun, generate, writers_with
from pipeline.run_folder import RunFolder
from pipeline.world.org import Org
from schemas.country import Country, known_locales, load_country
from schemas.errors import BadInput, SchemaError
from schemas.profile import companies_folder, load_profile
from tests.server_client import client
from tests.tiers import THOROUGH, first_of, tried_on
from tests.upload_orgs import differences, empty, upload
from verifiers.content import names_fact
from verifiers.material import Demand, WrittenText
from verifiers.privacy import verify_privacy
from verifiers.tongue import Tongue, tongue_of
from verifiers.wording import plain

LOCALES = ["de_DE", "en_GB", "fr_FR", "ja_JP"]
"""All but the default, whose bytes are held elsewhere."""

SMALL = 0.06


def profile_in(folder: Path, locale: str, like: str = "shoes", more: str = "") -> Path:
    """A shipped profile in another country."""
    text = (companies_folder() / f"{like}.yaml").read_text(encoding="utf-8")
    path = folder / f"{like}_{locale}.yaml"
    path.write_text(f"{text}\nlocale: {locale}\n{more}\n", encoding="utf-8")
    return path


@cache
def own(locale: str) -> Tongue:
    """The tongue of a country's own language."""
    tongue = tongue_of(locale, own=True)
    assert tongue is not None
    return tongue


def says(locale: str, fact: str, value: str, text: str) -> bool:
    """Whether a text in a country's language names a fact."""
    return names_fact(Demand(fact, (value,)), plain(text, own(locale)), own(locale))


@pytest.fixture(scope="module", params=first_of(["ja_JP", "de_DE", "en_GB", "fr_FR"]))
def company(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> tuple[str, FinishedRun]:
    """A small shoe company of a country, by the embedded writer."""
    locale = str(request.param)
    folder = tmp_path_factory.mktemp(locale)
    ask = RunRequest(str(profile_in(folder, locale)), scale=SMALL)
    return locale, generate(ask, folder / "run")


def rows(run: FinishedRun, sql: str) -> list[tuple[object, ...]]:
    """Rows of a finished org."""
    with sqlite3.connect(run.folder / "org.sqlite") as db:
        return db.execute(sql).fetchall()


def test_a_company_of_another_country_is_right(company: tuple[str, FinishedRun]) -> None:
    """No invariant is broken, and addresses, names and codes are those of the country."""
    locale, run = company
    country = load_country(locale)
    assert run.report.right
    states = {str(state) for (state,) in rows(run, "SELECT ShippingState FROM Account")}
    assert states <= set(country.regions) and len(states) > 1
    assert rows(run, "SELECT DISTINCT ShippingCountry FROM Account") == [(country.country,)]
    codes = rows(run, "SELECT LocaleSidKey, LanguageLocaleKey, TimeZoneSidKey FROM User LIMIT 1")
    zones = {city.time_zone for city in country.places}
    assert codes[0][:2] == (locale, country.language.key) and codes[0][2] in zones


def test_numbers_postal_codes_and_addresses_have_the_countrys_form(
    company: tuple[str, FinishedRun],
) -> None:
    """Telephones are from ranges that nobody has; mail addresses are Latin whatever the name."""
    locale, run = company
    country = load_country(locale)
    found = rows(run, "SELECT MobilePhone FROM Contact WHERE MobilePhone IS NOT NULL")
    found += rows(run, "SELECT Phone FROM User")
    assert found
    for (phone,) in found:
        assert re.fullmatch(country.phone_pattern(), str(phone))
    for (code,) in rows(run, "SELECT ShippingPostalCode FROM Account"):
        assert re.fullmatch(country.postal.pattern, str(code))
    emails = rows(run, "SELECT Email FROM User")
    emails += rows(run, "SELECT PersonEmail FROM Account WHERE PersonEmail IS NOT NULL")
    for (email,) in emails:
        assert re.fullmatch(r"[a-z0-9._]+@[a-z.]+", str(email))


def test_holidays_are_the_countrys(company: tuple[str, FinishedRun]) -> None:
    """The desk is closed on the days on which everybody there is."""
    locale, run = company
    period = load_profile(companies_folder() / "shoes.yaml").period
    kept = holidays_between(load_country(locale).holidays, period.start, period.end)
    expected = sorted((free.name, free.day.isoformat()) for free in kept)
    assert sorted(rows(run, "SELECT Name, ActivityDate FROM Holiday")) == expected


def test_the_desks_hours_are_told_by_the_countrys_clock(
    company: tuple[str, FinishedRun],
) -> None:
    """Below a mail stands when somebody is there: `8:00-20:00` where nobody says 8 PM."""
    _, run = company
    texts = [str(body) for (body,) in rows(run, "SELECT TextBody FROM EmailMessage")]
    span = re.compile(r"\| (?:daily|Mon-\w{3}) (.*)")
    told = {found for text in texts for found in span.findall(text)}
    assert told
    assert all(re.fullmatch(r"\d{1,2}:\d\d-\d{1,2}:\d\d", found) for found in told)


def test_prices_are_in_the_countrys_currency(company: tuple[str, FinishedRun]) -> None:
    """Prices are round or so much below as shops there ask (990 yen), and texts name no dollars."""
    locale, run = company
    currency = load_country(locale).currency
    prices = [float(str(price)) for (price,) in rows(run, "SELECT UnitPrice FROM PricebookEntry")]
    assert all(round(price, currency.decimals) == price for price in prices)
    below = {round(price / currency.rate % 1, 4) for price in prices}
    assert below <= {round(-under / currency.rate % 1, 4) for under in currency.under}
    worded = {"EmailMessage": "TextBody", "LiveChatTranscript": "Body", "Case": "Description"}
    for name, field in {**worded, "Knowledge__kav": "FAQ_Answer__c"}.items():
        texts = rows(run, f'SELECT {field} FROM "{name}"')
        assert not any("$" in str(text) or "dollar" in str(text) for (text,) in texts)


@pytest.mark.parametrize("locale", LOCALES)
def test_list_prices_are_those_of_dollars_at_the_currencys_rate(
    locale: str, tmp_path: Path
) -> None:
    """A product of 24.95 dollars costs 2,480 yen or 24.99 euros: the same round price, and less
    what is usual there.
    """
    dollars = listed(tmp_path, "en_US")
    currency = load_country(locale).currency
    for price, in_dollars in zip(listed(tmp_path, locale), dollars, strict=True):
        assert abs(price / currency.rate - in_dollars) <= 0.3


def listed(folder: Path, locale: str) -> list[float]:
    """The list prices of the small shoe company in a country, product by product."""
    org = Org(load_job(RunRequest(str(profile_in(folder, locale)), scale=SMALL)).setting)
    org.add(*LATENT["Assortment"].draw(org))
    prices: list[float] = org.table("Assortment.products")["list_price"].tolist()
    return prices


@tried_on("like", ["bank", "saas", "clinic"])
def test_other_schemas_have_locales_too(like: str, tmp_path: Path) -> None:
    """A Japanese bank, a Japanese software house and a Japanese clinic are right."""
    ask = RunRequest(str(profile_in(tmp_path, "ja_JP", like)), scale=0.03)
    assert generate(ask, tmp_path / "run").report.right


def test_an_unknown_locale_is_told_in_one_line(tmp_path: Path) -> None:
    """The line lists the known ones."""
    with pytest.raises(SchemaError, match="no locale 'xx_XX'; use one of de_DE, en_GB"):
        load_profile(profile_in(tmp_path, "xx_XX"))
    with pytest.raises(BadInput, match="use one of"):
        load_country("xx_XX")


@pytest.mark.parametrize("locale", known_locales())
def test_a_locale_file_agrees_with_itself(locale: str) -> None:
    """Its time zones exist, each city's numbers are fictional, and its days can be read back."""
    country = load_country(locale)
    for city in country.places:
        assert ZoneInfo(city.time_zone)
        for form in (*country.phones.home, *country.phones.mobile):
            phone = telephone([form], city.area_codes, 0.0, 7)
            assert re.fullmatch(country.phone_pattern(), phone) and country.is_fictional(phone)
    language = country.language
    for form in language.written_days(date(2021, 8, 3)):
        if locale != "en_US":
            assert says(locale, "order_date", "3 August 2021", f"x {form} y")


DATES = {
    "de_DE": (
        ["am 3. August 2021", "3.8.2021", "03.08.21", "am 3. Aug. 2021", "3. August"],
        ["4. August 2021", "3. August 2020", "3.9.2021", "8.3.2021", "13. August 2021"],
    ),
    "en_GB": (
        ["3 August 2021", "3rd August", "August 3rd, 2021", "03/08/2021"],
        ["3 March 2021", "08/03/2021", "3 August 2020"],
    ),
    "fr_FR": (
        ["le 3 août 2021", "03/08/2021", "3 aout 2021", "3 août"],
        ["le 3 avril 2021", "08/03/2021", "3 août 2022"],
    ),
    "ja_JP": (
        ["2021年8月3日に", "８月３日", "2021/08/03", "２０２１年８月３日"],
        ["2021年8月13日", "2020年8月3日", "3月8日", "2021/03/08"],
    ),
}


@pytest.mark.parametrize("locale", LOCALES)
def test_days_are_read_as_people_there_write_them(locale: str) -> None:
    """Each usual form names the day, with or without its year; another day is another one."""
    right, wrong = DATES[locale]
    assert [text for text in right if not says(locale, "order_date", "3 August 2021", text)] == []
    assert [text for text in wrong if says(locale, "order_date", "3 August 2021", text)] == []


AMOUNTS = {
    "de_DE": (
        "€1,234.56",
        ["kostet 1.234,56 €", "1234,56 Euro", "EUR 1.234,56"],
        ["1.234,57 €", "12.345,60 €", "1.234,56 Tage"],
    ),
    "en_GB": ("£1,234.56", ["£1,234.56", "1234.56 pounds"], ["£1,234.65", "$1,234.56"]),
    "fr_FR": ("€1,234.56", ["1 234,56 €", "1234,56 euros", "1\u202f234,56\u00a0€"], ["1 234,65 €"]),
    "ja_JP": (
        "¥12,345",
        ["12,345円です", "１２，３４５円", "￥12,345", "12345円"],
        ["12,354円", "2,345円"],
    ),
}


@pytest.mark.parametrize("locale", LOCALES)
def test_amounts_are_read_as_people_there_write_them(locale: str) -> None:
    """Sign or word, before or behind, with the country's signs between the digits."""
    stated, right, wrong = AMOUNTS[locale]
    assert [text for text in right if not says(locale, "amount", stated, text)] == []
    assert [text for text in wrong if says(locale, "amount", stated, text)] == []


@pytest.mark.parametrize(
    ("locale", "text", "said"),
    [
        ("de_DE", "innerhalb von 30 Tagen", True),
        ("de_DE", "innerhalb von dreißig Tagen", True),
        ("de_DE", "innerhalb von 130 Tagen", False),
        ("de_DE", "30 Prozent", False),
        ("fr_FR", "dans les trente jours", True),
        ("ja_JP", "三十日以内", True),
        ("ja_JP", "３０日以内", True),
        ("ja_JP", "百三十日以内", False),
    ],
)
def test_numbers_are_read_in_digits_and_words(locale: str, text: str, said: bool) -> None:
    """A number of days is a whole one, and no share."""
    assert says(locale, "limit", "30", text) is said


def test_the_language_of_the_words_is_told_in_english() -> None:
    """The one line on the embedded writer's language can be read without knowing the country's."""
    for name in known_locales():
        told = english_words(load_country(name))
        assert told.isascii()
        assert bool(told) == (not load_country(name).language.is_english)


def test_what_only_english_words_show_is_left_to_a_reader() -> None:
    """A remedy's phrase needs no English in a German mail; names and numbers stand as they are."""
    assert says("de_DE", "option", "full refund", "Sie bekommen Ihr Geld zurück.")
    assert not says("de_DE", "customer", "Jörg Weiß", "Guten Tag Herr Weiss!")
    assert says("de_DE", "customer", "Jörg Weiß", "Guten Tag, Jörg Weiß!")
    assert not says("ja_JP", "order_number", "00000130", "ご注文00000131")


@pytest.mark.parametrize(
    ("locale", "phone", "kept"),
    [
        ("de_DE", "+49 176 04069012", True),
        ("de_DE", "(030) 23125 123", True),
        ("de_DE", "030 9018200", False),
        ("de_DE", "Rechnung 03.08.2021, 20:15 Uhr", True),
        ("en_GB", "020 7946 0123", True),
        ("en_GB", "020 7219 3000", False),
        ("fr_FR", "06 39 98 12 34", True),
        ("fr_FR", "+33 1 42 68 53 00", False),
        ("ja_JP", "03-0123-4567", True),
        ("ja_JP", "03-5253-1111", False),
    ],
)
def test_a_telephone_number_of_somebody_is_refused(locale: str, phone: str, kept: bool) -> None:
    """Only numbers of ranges for fiction may stand in a text, however they are spaced."""
    written = WrittenText(f"Tel. {phone}", tongue=own(locale))
    assert verify_privacy(written).failed is not kept


def test_clocks_change_where_they_do() -> None:
    """Noon in Berlin is ten in UTC in summer and eleven in winter; in Tokyo it is always three."""
    summer, winter = datetime(2021, 7, 15, 12), datetime(2021, 1, 15, 12)
    berlin, tokyo = ZoneInfo("Europe/Berlin"), ZoneInfo("Asia/Tokyo")
    assert (utc_of(summer, berlin).hour, utc_of(winter, berlin).hour) == (10, 11)
    assert (utc_of(summer, tokyo).hour, utc_of(winter, tokyo).hour) == (3, 3)


@pytest.mark.parametrize(
    ("locale", "submitted", "region"),
    [
        ("de_DE", "The best state is Nordrhein-Westfalen.", ["NW"]),
        ("de_DE", "by", ["BY"]),
        ("en_GB", "It is Greater London (LDN).", ["LDN"]),
        ("fr_FR", "Auvergne-Rhône-Alpes", ["ARA"]),
        ("ja_JP", "答えは東京都です。", ["東京都"]),
        ("ja_JP", "Kyoto", ["京都府"]),
        ("ja_JP", "None", [None]),
    ],
)
def test_regions_are_read_from_answers(locale: str, submitted: str, region: list[str]) -> None:
    """An answer may give the region's code, or its name."""
    assert extract(submitted, "state", locale) == region


@pytest.fixture(scope="module", params=first_of(["de_DE", "ja_JP"]))
def worded(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[tuple[Country, FinishedRun]]:
    """A very small company whose words a model writes in the country's language."""
    locale = str(request.param)
    folder = tmp_path_factory.mktemp(f"words_{locale}")
    ask = RunRequest(str(profile_in(folder, locale)), scale=0.04)
    with ModelServer(Words(load_job(ask)), Behaviour(faults={"contradicted": 0.3})) as server:
        given = {"model": "toy-model", "base_url": server.url, "price": "2.5,10"}
        settings = choose(given, {"OPENAI_API_KEY": "k"})
        writers = writers_with(settings, Pauses(retry=0.01))
        yield load_country(locale), generate(ask, folder / "run", writers_of=writers)


def test_a_model_writes_the_language_of_the_country(worded: tuple[Country, FinishedRun]) -> None:
    """Its org is right, every prompt asks for the language, and wrong facts were refused."""
    country, run = worded
    assert run.report.right
    with sqlite3.connect(run.folder / "ledger.sqlite") as db:
        sent = [str(text) for (text,) in db.execute("SELECT sent FROM answers WHERE sent <> ''")]
        refused = db.execute("SELECT verdicts FROM answers").fetchall()
    assert sent and all(f"Write every text in {country.language.name}" in text for text in sent)
    assert any("does not name" in str(reasons) for (reasons,) in refused)
    (text,) = rows(run, "SELECT group_concat(TextBody) FROM EmailMessage WHERE Incoming")[0]
    assert re.search("Es geht um|Ich schreibe wegen|の件です|についてご連絡", str(text))


def test_exports_carry_the_countrys_signs(
    worded: tuple[Country, FinishedRun], tmp_path: Path
) -> None:
    """Each format holds a word of a mail as it is in the org, in UTF-8."""
    _, run = worded
    (text,) = rows(run, "SELECT TextBody FROM EmailMessage WHERE TextBody GLOB '*[^ -~\n]*'")[0]
    found = re.search(r"\w*[^\x00-\x7f]\w*", str(text))
    assert found
    for form in FORMATS:
        folder = export(run.folder, form, tmp_path / form).folder
        files = [path for path in folder.rglob("*") if path.is_file()]
        assert any(_holds(path, found.group()) for path in files), form


def _holds(path: Path, word: str) -> bool:
    """Whether a file holds a word, as it stands or as JSON may escape it."""
    if path.suffix == ".parquet":
        return word in str(pyarrow.parquet.read_table(path).to_pylist())
    content = path.read_bytes()
    return word.encode() in content or json.dumps(word)[1:-1].encode() in content


def test_soql_shows_amounts_and_days_as_the_country_does(
    company: tuple[str, FinishedRun],
) -> None:
    """FORMAT follows the company's locale, and so does what the CRM tells of itself."""
    locale, run = company
    country = load_country(locale)
    schema = RunFolder(run.folder).read_schema()
    engine = Engine(run.folder / "org.sqlite", schema, datetime(2024, 1, 1))
    query = "SELECT UnitPrice, FORMAT(UnitPrice) shown FROM PricebookEntry LIMIT 1"
    record = engine.query(query).page()[0]
    price = float(str(record["UnitPrice"]))
    assert record["shown"] == country.currency.shown(price, country.language)
    query = "SELECT DefaultLocaleSidKey, TimeZoneSidKey FROM Organization"
    (told,) = engine.query(query).page()
    assert (told["DefaultLocaleSidKey"], told["TimeZoneSidKey"]) == (locale, country.time_zone)


@THOROUGH
def test_tasks_are_made_in_another_country(tmp_path: Path) -> None:
    """Every task of a small German company has instances, also those on states."""
    ask = RunRequest(str(profile_in(tmp_path, "de_DE")), scale=0.15)
    run = generate(ask, tmp_path / "run").folder
    made = make_tasks(run, 5)
    assert {task.task for task in made if not task.instances} == set()
    regions = load_country("de_DE").regions
    lines = (run / "tasks" / "tasks.jsonl").read_text(encoding="utf-8").splitlines()
    best = [json.loads(line) for line in lines if '"best_region_identification"' in line]
    assert best and all(set(one["answer"]) <= set(regions) for one in best)


def test_the_language_of_the_words_is_told(
    company: tuple[str, FinishedRun], tmp_path: Path
) -> None:
    """Manifest, plan and card say where the words are English and the company isn't."""
    locale, run = company
    country = load_country(locale)
    manifest = RunFolder(run.folder).read_manifest()
    assert (manifest.locale, manifest.language) == (locale, country.english.key)
    told = make_plan(load_job(RunRequest(str(profile_in(tmp_path, locale)), scale=SMALL))).language
    assert bool(told) is not country.language.is_english
    card = export(run.folder, "parquet", tmp_path / "card").folder / "README.md"
    assert f"amounts are in {country.currency.code}" in card.read_text(encoding="utf-8")


def test_a_models_words_are_in_the_countrys_language(worded: tuple[Country, FinishedRun]) -> None:
    """The manifest of a company whose words a model wrote names the country's language."""
    country, run = worded
    assert RunFolder(run.folder).read_manifest().language == country.language.key


def test_generate_says_that_its_words_are_english(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """One line at the start tells it, and what would change it."""
    path, out = profile_in(tmp_path, "fr_FR"), tmp_path / "run"
    words = ["generate", "--company", str(path), "--scale", "0.02", "--no-report"]
    assert run_command([*words, "--out", str(out)]) == 0
    shown = capsys.readouterr().err
    assert "with --model NAME the words are French, too" in shown


def test_a_new_company_may_be_of_another_country(tmp_path: Path) -> None:
    """`company new --locale` states it in the profile, and refuses an unknown one."""
    (profile, *_) = new_company("gasthof", "generic", tmp_path / "gasthof", "de_DE")
    assert load_profile(profile).locale == "de_DE"
    with pytest.raises(BadInput, match="no locale 'de_XX'"):
        new_company("inn", "generic", tmp_path / "inn", "de_XX")


def test_a_field_for_the_currency_is_filled_where_a_schema_has_one(tmp_path: Path) -> None:
    """The role `currency` gives the field the country's code."""
    schema = tmp_path / "own"
    schema.mkdir()
    (schema / "_schema.yaml").write_text("extends: service_cloud\n")
    (schema / "Order.yaml").write_text(
        "properties:\n  CurrencyIsoCode: {type: string, enum: [USD], x-local: currency,"
        " x-source: {constant: USD}}\n"
    )
    path = profile_in(tmp_path, "en_GB")
    path.write_text(path.read_text().replace("schema: service_cloud", "schema: own"))
    run = generate(RunRequest(str(path), scale=0.02), tmp_path / "run")
    assert run.report.right
    assert rows(run, 'SELECT DISTINCT CurrencyIsoCode FROM "Order"') == [("GBP",)]
    copied = run.folder / "made_from" / "schema" / "own" / "Order.yaml"
    assert "GBP" in copied.read_text()


def test_explore_names_the_currency(company: tuple[str, FinishedRun]) -> None:
    """A column of amounts tells in what they are."""
    locale, run = company
    code = load_country(locale).currency.code
    with opened(run.folder) as site:
        page = asyncio.run(site.client.get("/org/PricebookEntry"))
        assert f"({code})" in page.text


@THOROUGH
def test_tasks_are_made_as_far_as_words_of_another_language_go(
    worded: tuple[Country, FinishedRun], tmp_path: Path
) -> None:
    """What only English words would show is told as missing; the other tasks have instances."""
    _, run = worded
    folder = Path(shutil.copytree(run.folder, tmp_path / "run"))
    made = {task.task: len(task.instances) for task in make_tasks(folder, 2)}
    assert made["handle_time"] and made["monthly_trend_analysis"]


def test_an_upload_carries_the_countrys_signs(
    worded: tuple[Country, FinishedRun], tmp_path: Path
) -> None:
    """A CRM that was loaded over HTTP holds every text as it is in the org, and names in the
    country's order; it numbers returns itself.
    """
    _, run = worded
    idmap = tmp_path / "idmap.jsonl"
    with empty(run.folder) as server:
        assert upload(server, run.folder, idmap) == 0
        found = differences(client(server), run.folder, idmap)
    own = ("ReturnOrder.ReturnOrderNumber ", "ReturnOrderLineItem.")
    assert [told for told in found if not told.startswith(own)] == []
