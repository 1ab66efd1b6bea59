"""SOQL beside SQL in `explore`: asked as a CRM takes it, bounded, and kept where it is refused."""

import asyncio
from collections.abc import Callable, Iterator
from html import unescape
from pathlib import Path
from urllib.parse import quote

import httpx
import pytest

from orgweave.explore.site import Site, opened
from pipeline.run import FinishedRun
from tests.explore_orgs import toy_run

Ask = Callable[[str], httpx.Response]


@pytest.fixture(scope="module")
def site(small_shoes: FinishedRun) -> Iterator[Site]:
    """The small company's site."""
    with opened(small_shoes.folder) as site:
        yield site


@pytest.fixture
def ask(site: Site) -> Ask:
    """Asks it in SOQL."""
    return lambda text: asyncio.run(site.client.get(f"/-/soql?q={quote(text)}"))


def test_soql_is_answered_as_a_table(ask: Ask) -> None:
    """A column for each path, ids as links, child queries as their counts."""
    page = ask("SELECT Id, Account.Name, (SELECT Id FROM EmailMessages) FROM Case LIMIT 3").text
    assert "3 records" in page
    for column in ("Id", "Account.Name", "EmailMessages"):
        assert f'<th scope="col">{column}</th>' in page
    assert page.count('<td><a href="/org/Case/') == 3


def test_sosl_is_answered_too(ask: Ask) -> None:
    """`FIND` searches as the CRM does."""
    page = ask("FIND {refund} RETURNING Knowledge__kav(Title)")
    assert page.status_code == 200 and '<th scope="col">Title</th>' in page.text


def test_the_clock_is_the_end_of_the_orgs_period(ask: Ask) -> None:
    """Relative dates find what lies in the org's own time."""
    found = ask("SELECT COUNT() FROM Case WHERE CreatedDate = LAST_N_DAYS:365").text
    assert ">0 records" not in found


def test_what_is_refused_keeps_its_text(ask: Ask) -> None:
    """The page says where it is wrong, and the text stays to be mended."""
    page = ask("SELECT Nam FROM Account")
    assert page.status_code == 400
    assert "No such column &#39;Nam&#39;" in page.text
    assert "SELECT Nam FROM Account</textarea>" in page.text


def test_a_long_text_is_refused(ask: Ask) -> None:
    """It is not even parsed."""
    assert "has more than 20,000 letters" in ask("SELECT " + "x" * 20_001).text


def test_a_refused_sql_statement_keeps_its_text(site: Site) -> None:
    """What is no SELECT comes back with the text to be mended."""
    page = asyncio.run(site.client.get("/org?sql=selekt+1"))
    assert page.status_code == 400
    assert "selekt 1</textarea>" in page.text


def test_no_sql_is_no_soql_either(small_shoes: FinishedRun) -> None:
    """Where a person may ask nothing of their own, neither page nor link is there."""
    with opened(small_shoes.folder, sql=False) as site:
        assert asyncio.run(site.client.get("/-/soql?q=SELECT+Id+FROM+Case")).status_code == 403
        assert "/-/soql" not in asyncio.run(site.client.get("/")).text


def test_any_schema_has_examples_of_its_own(tmp_path: Path) -> None:
    """They name the org's object types, and each of them is answered."""
    with opened(toy_run(tmp_path)) as site:
        page = asyncio.run(site.client.get("/-/soql")).text
        example = unescape(page.split("<code>SELECT")[1].split("</code>")[0])
        answer = asyncio.run(site.client.get(f"/-/soql?q={quote('SELECT' + example)}"))
    assert "Visit" in example and answer.status_code == 200


def test_a_product_shows_its_cases(site: Site, small_shoes: FinishedRun) -> None:
    """Cases refer to order items; a product's page lists those of its items all the same, and the
    whole list has as many.
    """
    sql = """SELECT i.Product2Id, count(*) FROM "Case" c JOIN OrderItem i
    ON i.Id = c.OrderItemId__c GROUP BY 1 ORDER BY 2 DESC LIMIT 1"""
    (row,) = asyncio.run(site.get_database("org").execute(sql)).rows
    page = asyncio.run(site.client.get(f"/org/Product2/{row[0]}")).text
    section = page.split('id="Case-1"')[1].split("</section>")[0]
    assert f'<span class="count">{row[1]}</span>' in section
    whole = unescape(section.split('<a href="')[1].split('"')[0])
    listed = asyncio.run(site.client.get(whole)).text
    assert f'<h1>Cases <span class="count">{row[1]}</span>' in listed
