"""The pictures that the pages show, as the shoe company looks today.

`python -m tests.golden_pictures` (a part of `make golden`) makes the company and draws
`docs/report.png`, the calendars and the first hidden causes of its report, and `docs/explore.png`,
a loyal customer's page. Without a Chromium both stay as they are, and a line says so. Nothing
compares them: their bytes differ from one browser to the next.
"""

import tempfile
from pathlib import Path

from playwright.sync_api import Browser, sync_playwright

from orgweave.report.beside import write_page
from pipeline.config import RunRequest
from pipeline.run import generate
from pipeline.run_folder import RunFolder
from tests.doc_pages import ROOT
from tests.test_explore_browser import CHROMIUM, explored

REPORT = ROOT / "docs" / "report.png"
EXPLORE = ROOT / "docs" / "explore.png"

CAUSES_SHOWN = 12
"""Two rows of six, as the README's words for the picture say."""

MARGIN = 10
SHOWN = """(causes => {
    const box = element => element.getBoundingClientRect();
    const above = box(document.querySelector("#days"));
    const main = box(document.querySelector("main"));
    const below = [...document.querySelectorAll(".card")].slice(0, causes).map(box);
    return [main.left, above.top, main.width, Math.max(...below.map(b => b.bottom)) - above.top];
})"""
"""Where the calendars and so many causes stand on the page."""


def draw_report(browser: Browser, report: Path, to: Path) -> None:
    """Keeps the calendars and the first causes of a `report.html` as a picture."""
    page = browser.new_page(viewport={"width": 1236, "height": 1000})
    page.goto(report.resolve().as_uri())
    left, top, width, height = page.evaluate(f"{SHOWN}({CAUSES_SHOWN})")
    clip = {"x": left, "y": top - MARGIN, "width": width, "height": height + 2 * MARGIN}
    page.screenshot(path=to, clip=clip, full_page=True)
    page.close()


def draw_explore(browser: Browser, run: Path, to: Path) -> None:
    """Keeps the page of the first customer that the start page offers as a picture."""
    with explored(run) as address:
        page = browser.new_page(viewport={"width": 1400, "height": 1080})
        page.goto(address)
        page.locator(".card").first.click()
        page.screenshot(path=to)
        page.close()


def main() -> None:
    """Draws both anew, where there is a browser."""
    if CHROMIUM is None:
        print("no Chromium on the PATH: docs/report.png and docs/explore.png stay as they are")
        return
    with tempfile.TemporaryDirectory() as scratch:
        run = generate(RunRequest("shoes"), Path(scratch) / "shoes").folder
        report = Path(scratch) / "report.html"
        write_page(RunFolder(run), report)
        # A run has an event loop of its own, so the browser's comes after it.
        with sync_playwright() as playwright:
            browser = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
            draw_report(browser, report, REPORT)
            draw_explore(browser, run, EXPLORE)
            browser.close()


if __name__ == "__main__":
    main()
