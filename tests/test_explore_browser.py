"""`explore` in a real browser: from the start page by clicks alone to a customer, the orders, an
item, a case and its messages.

Skipped where no Chromium is on the PATH; everything that is clicked here stands in
`test_explore.py`, too. Screenshots go to a temp folder.
"""

import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Literal

import pytest
from playwright.sync_api import Browser, Page, expect, sync_playwright

from pipeline.run import FinishedRun
from tests.tiers import THOROUGH

CHROMIUM = (
    shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
)
pytestmark = [
    pytest.mark.skipif(CHROMIUM is None, reason="no Chromium on the PATH"),
    THOROUGH,
]
WIDER_LISTS = """[...document.querySelectorAll(".fit")]
    .filter(list => list.scrollWidth > list.clientWidth).map(list => list.innerText)"""
WIDTHS = (1400, 400)
DESKTOPS = (1280, 1440, 1920, 2560)
CUT_FIGURES = """[...document.querySelectorAll("td.moment, td.date, td.number, td.integer")]
    .filter(cell => cell.clientWidth && cell.scrollWidth > cell.clientWidth + 1)
    .map(cell => cell.innerText)"""
CUT_DIAGRAMS = """[...document.querySelectorAll(".scroll:has(.diagram)")]
    .filter(frame => frame.scrollWidth > frame.clientWidth).length"""
GROUNDS: dict[Literal["light", "dark"], str] = {
    "light": "rgb(245, 246, 249)",
    "dark": "rgb(16, 18, 26)",
}
"""The colour below all by day and by night."""


@contextmanager
def explored(folder: Path, *options: str) -> Iterator[str]:
    """The address of an org that the command explores in a process of its own."""
    with subprocess.Popen(
        [sys.executable, "-m", "pipeline", "explore", str(folder), *options],
        stdout=subprocess.PIPE,
        text=True,
    ) as running:
        assert running.stdout
        yield running.stdout.readline().strip()
        running.terminate()


@pytest.fixture(scope="module")
def url(small_shoes: FinishedRun) -> Iterator[str]:
    """The shoe company, as anybody sees it."""
    with explored(small_shoes.folder) as address:
        yield address


@pytest.fixture(scope="module")
def teachers_url(
    small_shoes: FinishedRun, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[str]:
    """The shoe company with a task, as a teacher sees it."""
    folder = tmp_path_factory.mktemp("taught") / "shoes"
    shutil.copytree(small_shoes.folder, folder)
    # The browser's event loop runs in this process, and `tasks` needs one of its own.
    words = ["tasks", str(folder), "--tasks", "handle_time", "--per-task", "4"]
    subprocess.run([sys.executable, "-m", "pipeline", *words], check=True, capture_output=True)
    with explored(folder, "--teacher") as address:
        yield address


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """A headless Chromium."""
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        yield browser
        browser.close()


def click(page: Page, selector: str, heading: str) -> None:
    """Clicks the first such element and waits for the page of that heading."""
    page.locator(selector).first.click()
    expect(page.locator("h1").first).to_contain_text(heading)


def test_a_person_clicks_through_the_org(browser: Browser, url: str, tmp_path: Path) -> None:
    """Start, a loyal customer, the orders, an order, an item, back to the customer, the cases, a
    case, its messages: all by links.
    """
    page = browser.new_page()
    page.goto(url)
    customer = page.locator(".card .record").first.inner_text()
    click(page, ".card", customer)
    account = page.url
    page.screenshot(path=tmp_path / "account.png", full_page=True)
    click(page, ".chips a:has-text('Order')", "Orders")
    expect(page.locator(".chosen")).to_contain_text(customer)
    click(page, "td.self a", "0000")
    expect(page.locator(".related h2").first).to_contain_text("Order Items")
    click(page, ".related td.self a", "×")
    page.goto(account)
    click(page, ".related h2 a:has-text('Case')", "Cases")
    click(page, "td.self a", "·")
    expect(page.locator(".thread > li").first).to_be_visible()
    page.screenshot(path=tmp_path / "case.png", full_page=True)
    click(page, ".thread .by a", "")
    expect(page.locator(".prose, .chat").first).to_be_visible()
    assert {path.name for path in tmp_path.iterdir()} == {"account.png", "case.png"}


def test_a_person_searches_and_narrows(browser: Browser, url: str) -> None:
    """The field on the start page finds records; in a list a facet narrows and its cross takes the
    filter away.
    """
    page = browser.new_page()
    page.goto(url)
    page.locator(".big-find input").fill("sole")
    page.locator(".big-find input").press("Enter")
    expect(page.locator("mark").first).to_be_visible()
    page.locator(".menu summary").click()
    click(page, ".menu nav a:has-text('Cases')", "Cases")
    whole = page.locator("h1 .count").inner_text()
    page.locator(".facets li a:has-text('Chat')").first.click()
    expect(page.locator(".chosen")).to_contain_text("Origin is Chat")
    assert int(page.locator("h1 .count").inner_text()) < int(whole)
    page.locator(".chosen a").click()
    expect(page.locator("h1 .count")).to_have_text(whole)


@pytest.mark.parametrize("width", WIDTHS)
def test_pages_fit_every_screen(browser: Browser, url: str, width: int) -> None:
    """On a wide and a narrow screen, light and dark, no page is wider than the window, nothing
    fails on the console or is asked of another host.
    """
    paths = ["", "org/Case", "org/cases_by_issue", "-/search?q=sole", "org", "-/soql"]
    with looked_at(browser, url, width) as page:
        card = page.locator(".card").nth(1).get_attribute("href") or ""
        product = page.locator(".card").nth(3).get_attribute("href") or ""
        assert_they_fit(page, url, [*paths, card[1:], product[1:]])


@pytest.mark.parametrize("width", WIDTHS)
def test_a_teachers_pages_fit_every_screen(browser: Browser, teachers_url: str, width: int) -> None:
    """So do the pages of tasks, of an instance, and of a record with its hidden truth."""
    paths = ["", "-/tasks", "-/tasks/handle_time", "-/instance/handle_time-0001"]
    with looked_at(browser, teachers_url, width) as page:
        card = page.locator(".card").nth(1).get_attribute("href") or ""
        assert_they_fit(page, teachers_url, [*paths, card[1:]])
        expect(page.locator("#hidden-truth")).to_be_visible()


@pytest.mark.parametrize("width", DESKTOPS)
def test_a_desktop_is_used_and_nothing_is_cut(browser: Browser, url: str, width: int) -> None:
    """On every desktop a list takes most of the window, the start page's diagram is whole, and no
    date or number is cut off.
    """
    with looked_at(browser, url, width) as page:
        assert page.evaluate(CUT_DIAGRAMS) == 0
        case = page.locator(".card").nth(1).get_attribute("href") or ""
        for path in ("org/Case", "org/EmailMessage", case[1:]):
            page.goto(url.partition("?")[0] + path)
            assert page.evaluate(CUT_FIGURES) == [], path
        page.goto(url.partition("?")[0] + "org/Case")
        assert page.evaluate("document.querySelector('.fit').clientWidth") >= 0.75 * width


@contextmanager
def looked_at(browser: Browser, url: str, width: int) -> Iterator[Page]:
    """The start page in a window; afterwards nothing has failed, nor come from another host."""
    page = browser.new_page(viewport={"width": width, "height": 900})
    faults: list[str] = []
    asked: list[str] = []
    page.on(
        "console", lambda message: faults.append(message.text) if message.type == "error" else None
    )
    page.on("request", lambda request: asked.append(request.url))
    page.goto(url)
    yield page
    start = url.partition("?")[0]
    assert faults == []
    assert [address for address in asked if not address.startswith((start, "data:"))] == []


def assert_they_fit(page: Page, url: str, paths: list[str]) -> None:
    """By day and by night no page is wider than the window, and no list wider than its frame."""
    start = url.partition("?")[0]
    width = page.viewport_size["width"] if page.viewport_size else 0
    for path in paths:
        page.goto(start + path)
        for scheme, ground in GROUNDS.items():
            page.emulate_media(color_scheme=scheme)
            assert page.evaluate("document.documentElement.scrollWidth") <= width, path
            assert page.evaluate(WIDER_LISTS) == [], path
            assert page.evaluate("getComputedStyle(document.body).backgroundColor") == ground, path
