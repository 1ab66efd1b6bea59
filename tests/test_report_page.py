"""`report`: one page that tells what the run's files tell, and asks nothing of the network."""

import html
import json
import re
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import sync_playwright

from orgweave.report.charts import bands_chart, effects_chart, months_chart
from orgweave.report.facts import MonthCounts, read_facts
from pipeline.run import FinishedRun
from pipeline.run_folder import RunFolder
from tests.called import called

CHROMIUM = (
    shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
)


@pytest.fixture(scope="module")
def page(small_shoes: FinishedRun, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """The report of the small shoe company."""
    file = tmp_path_factory.mktemp("report") / "page.html"
    assert called("report", str(small_shoes.folder), "--to", str(file)).returncode == 0
    yield file


def test_the_page_tells_what_check_found(page: Path, small_shoes: FinishedRun) -> None:
    """Each statistic of check.json is a row with its value and its source."""
    text = html.unescape(page.read_text(encoding="utf-8"))
    check = json.loads((small_shoes.folder / "check.json").read_text(encoding="utf-8"))
    assert check["realism"]
    for row in check["realism"]:
        assert row["says"] in text
        if row["value"] is not None:
            assert f"{row['value']:.3g}" in text


def test_conversations_stand_beside_their_hidden_truth(
    page: Path, small_shoes: FinishedRun
) -> None:
    """A shown case has its words, and its ending as latent.sqlite has it."""
    facts = read_facts(RunFolder(small_shoes.folder))
    text = html.unescape(page.read_text(encoding="utf-8"))
    assert len(facts.talks) == 10
    for shown in facts.talks:
        assert shown.talk.said[0].text in text
        assert "Ending" in dict(shown.hidden)


def test_the_page_needs_no_network(page: Path) -> None:
    """No address stands in it where a browser would fetch one, and no script runs."""
    text = page.read_text(encoding="utf-8")
    assert not re.search(r'(?:src|href)="(?!#)', text)
    assert "<script" not in text
    assert "url(http" not in text


def test_the_same_org_gives_the_same_page(page: Path, small_shoes: FinishedRun) -> None:
    """Two reports of one org are equal byte for byte."""
    again = page.with_name("again.html")
    assert called("report", str(small_shoes.folder), "--to", str(again)).returncode == 0
    assert again.read_bytes() == page.read_bytes()


def test_somebodys_own_page_is_not_replaced(small_shoes: FinishedRun, tmp_path: Path) -> None:
    """A file that is no report of ours stays, and one line says so."""
    own = tmp_path / "mine.html"
    own.write_text("<p>my notes</p>", encoding="utf-8")
    end = called("report", str(small_shoes.folder), "--to", str(own))
    assert end.returncode == 2
    assert "is no report of this program" in end.stderr
    assert own.read_text(encoding="utf-8") == "<p>my notes</p>"


def test_a_schema_without_cases_has_a_page_too(clinic: Path, tmp_path: Path) -> None:
    """What a schema doesn't have is left out."""
    file = tmp_path / "clinic.html"
    assert called("report", str(clinic), "--to", str(file)).returncode == 0
    assert "Conversations, and the truth" not in file.read_text(encoding="utf-8")


def test_charts_of_nothing_are_empty() -> None:
    """Without rows there is no picture."""
    assert months_chart([MonthCounts("Orders", ())]) == ""
    assert effects_chart([]) == bands_chart([]) == ""


@pytest.mark.skipif(CHROMIUM is None, reason="no Chromium on the PATH")
@pytest.mark.parametrize("width", [400, 1400])
def test_the_page_fits_its_window(page: Path, width: int) -> None:
    """Neither a phone nor a wide screen has to be moved sideways."""
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        tab = browser.new_page(viewport={"width": width, "height": 900})
        tab.goto(page.as_uri())
        assert tab.evaluate("document.documentElement.scrollWidth") == width
        browser.close()
