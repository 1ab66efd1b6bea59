"""`report`: one page that tells what the run's files tell, and asks nothing of the network."""

import html
import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Literal
from xml.etree import ElementTree

import pytest
from playwright.sync_api import sync_playwright

from orgweave.cli import run
from orgweave.report.beside import GENERATOR, OF_RUN, page_told, renew_page
from orgweave.report.facts import read_facts
from pipeline.atomic import sha256_of
from pipeline.run import FinishedRun
from pipeline.run_folder import RunFolder
from schemas.errors import OrgweaveError
from tests.called import called
from tests.golden_pictures import CAUSES_SHOWN, draw_report
from tests.tiers import THOROUGH, tried_on

CHROMIUM = (
    shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
)
GROUNDS: dict[Literal["light", "dark"], str] = {
    "light": "rgb(255, 255, 255)",
    "dark": "rgb(20, 24, 28)",
}
"""The colour below all by day and by night."""


@pytest.fixture(scope="module")
def page(small_shoes: FinishedRun, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """The report of the small shoe company."""
    file = tmp_path_factory.mktemp("report") / "page.html"
    assert called("report", str(small_shoes.folder), "--to", str(file)).returncode == 0
    yield file


def run_without(lacking: str, words: list[str], folder: Path) -> subprocess.CompletedProcess[str]:
    """The command in that folder where a module is not installed."""
    # A module that is None in sys.modules can't be imported, as if it weren't there.
    code = (
        f"import sys; sys.modules[{lacking!r}] = None; from orgweave.cli import run;"
        f" sys.exit(run({words!r}))"
    )
    return subprocess.run(
        [sys.executable, "-c", code],
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
    )


@THOROUGH
@pytest.mark.skipif(CHROMIUM is None, reason="no Chromium on the PATH")
def test_the_readmes_picture_holds_the_calendars_and_twelve_causes(
    page: Path, tmp_path: Path
) -> None:
    """It is cut out of the page where these stand, and nothing of what follows is on it."""
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        draw_report(browser, page, tmp_path / "report.png")
        browser.close()
    assert CAUSES_SHOWN == 12
    head = (tmp_path / "report.png").read_bytes()[16:24]
    width, height = int.from_bytes(head[:4], "big"), int.from_bytes(head[4:], "big")
    assert 1000 < width <= 1236 and 700 < height < 1200


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


def test_each_chart_can_be_had_as_a_file(small_shoes: FinishedRun, tmp_path: Path) -> None:
    """The files are whole SVG pictures in the page's order, named by what they show; a folder in
    use is refused.
    """
    folder = tmp_path / "slides"
    page = ["--to", str(tmp_path / "page.html")]
    asked = ["report", str(small_shoes.folder), *page, "--pictures", str(folder)]
    assert run(asked) == 0
    files = sorted(folder.iterdir())
    assert [file.name for file in files[:2]] == ["01-orders-by-day.svg", "02-cases-by-day.svg"]
    charts = (tmp_path / "page.html").read_text(encoding="utf-8").count("<svg role=")
    assert len(files) == charts > 20
    for file in files:
        assert ElementTree.parse(file).getroot().tag == "{http://www.w3.org/2000/svg}svg"
    assert run(asked) == 2


def test_the_same_org_gives_the_same_page(page: Path, small_shoes: FinishedRun) -> None:
    """Two reports of one org are equal byte for byte."""
    again = page.with_name("again.html")
    assert called("report", str(small_shoes.folder), "--to", str(again)).returncode == 0
    assert again.read_bytes() == page.read_bytes()


@tried_on("lacking", ["jinja2", "markupsafe", "matplotlib"])
def test_what_is_not_installed_is_told_with_its_extra(
    lacking: str,
    small_shoes: FinishedRun,
    tmp_path: Path,
) -> None:
    """Without the extra the command says in a line how to get it."""
    ended = run_without(lacking, ["report", str(small_shoes.folder), "--to", "page.html"], tmp_path)
    assert ended.returncode == 2
    assert "install orgweave[report]" in ended.stderr


def test_somebodys_own_page_is_not_replaced(small_shoes: FinishedRun, tmp_path: Path) -> None:
    """A file that is no report of ours stays, and one line says so."""
    own = tmp_path / "mine.html"
    own.write_text("<p>my notes</p>", encoding="utf-8")
    end = called("report", str(small_shoes.folder), "--to", str(own))
    assert end.returncode == 2
    assert "is no report of this program" in end.stderr
    assert own.read_text(encoding="utf-8") == "<p>my notes</p>"


def test_a_run_has_its_page(tmp_path: Path) -> None:
    """`generate` makes it and says where it is; the same command leaves the page of the same org
    as it is, and `--no-report` makes none.
    """
    ask = ("generate", "--company", "clinic", "--scale", "0.1", "--out")
    made = called(*ask, str(tmp_path / "clinic"))
    page = tmp_path / "clinic/report.html"
    assert f"{page}     how good it is" in made.stdout
    first = page.stat().st_mtime_ns
    assert f"{page}     how good it is" in called(*ask, str(tmp_path / "clinic")).stdout
    assert page.stat().st_mtime_ns == first
    plain = called(*ask, str(tmp_path / "plain"), "--no-report")
    assert plain.returncode == 0 and "report.html" not in plain.stdout
    assert not (tmp_path / "plain/report.html").exists()


def test_a_run_is_whole_without_the_extra_too(tmp_path: Path) -> None:
    """Where matplotlib is not installed a line says how to get the page, and the run is done."""
    words = ["generate", "--company", "clinic", "--scale", "0.1", "--out", "run"]
    ended = run_without("matplotlib", words, tmp_path)
    assert ended.returncode == 0
    assert "no report.html" in ended.stdout and "the extra report" in ended.stdout


def test_the_page_of_a_run_follows_its_org(clinic: Path, tmp_path: Path) -> None:
    """A page of ours is made anew when the org is another; a page of somebody's own stays."""
    run = RunFolder(Path(shutil.copytree(clinic, tmp_path / "clinic")))
    page = run.path / "report.html"
    assert renew_page(run) == "" and not page.exists()
    page.write_text("<p>my notes</p>")
    assert "is no report of this program" in page_told(run)
    assert renew_page(run) == "" and page.read_text() == "<p>my notes</p>"
    page.write_text(f"{GENERATOR} of an earlier org")
    assert "how good it is" in page_told(run)
    assert OF_RUN.format(run.read_manifest().sha256) in page.read_text(encoding="utf-8")
    page.write_text(f"{GENERATOR} without tasks")
    assert renew_page(run) == "" and "<h1>" in page.read_text(encoding="utf-8")


def test_a_pipe_in_the_place_of_the_page_is_not_waited_for(
    small_shoes: FinishedRun, tmp_path: Path
) -> None:
    """It is no file that could be replaced, nor is a device."""
    os.mkfifo(tmp_path / "pipe.html")
    for place in (tmp_path / "pipe.html", Path("/dev/zero")):
        end = called("report", str(small_shoes.folder), "--to", str(place))
        assert end.returncode == 2
        assert "can't be replaced (is a pipe or a device, and no file)" in end.stderr


@pytest.mark.parametrize("name", ["org.sqlite", "latent.sqlite", "check.json"])
@pytest.mark.parametrize("damage", ["noise", "brackets", "number", "folder", "pipe", "loop"])
def test_a_damaged_file_of_a_trusted_run_is_told_in_a_line(
    small_shoes: FinishedRun, tmp_path: Path, name: str, damage: str
) -> None:
    """With --trust nobody has looked at the files before the report reads them."""
    folder = Path(shutil.copytree(small_shoes.folder, tmp_path / "shoes"))
    damaged(folder / name, damage)
    with pytest.raises(OrgweaveError, match=name):
        read_facts(RunFolder(folder))


def damaged(file: Path, how: str) -> None:
    """Puts something else in the place of a file."""
    file.unlink()
    match how:
        case "folder":
            file.mkdir()
        case "pipe":
            os.mkfifo(file)
        case "loop":
            file.symlink_to(file.name)
        case _:
            contents = {"noise": b"\xff" * 1_000, "brackets": b"[" * 100_000, "number": b"5" * 600}
            file.write_bytes(contents[how])


def test_a_schema_without_cases_has_a_page_too(clinic: Path, tmp_path: Path) -> None:
    """What a schema doesn't have is left out."""
    file = tmp_path / "clinic.html"
    assert called("report", str(clinic), "--to", str(file)).returncode == 0
    assert "Conversations, and the truth" not in file.read_text(encoding="utf-8")


def test_every_effect_has_its_chart(page: Path, small_shoes: FinishedRun) -> None:
    """A cause stands against what is seen of it, for each effect that has a curve: in so small an
    org a few have too few records, but every variable of which anything is seen has one.
    """
    text = html.unescape(page.read_text(encoding="utf-8"))
    check = json.loads((small_shoes.folder / "check.json").read_text(encoding="utf-8"))
    curves = [row for row in check["effects"] if len(row["seen"]) >= 2]
    assert len(curves) >= 40
    seen = {row["variable"] for row in check["effects"] if row["present"]}
    assert {row["variable"] for row in curves} >= seen
    for row in curves:
        assert f'aria-label="{row["variable"]}: {row["says"]}"' in text


def test_orders_and_cases_stand_on_a_calendar(page: Path) -> None:
    """Each has its own, with what the shades mean."""
    text = page.read_text(encoding="utf-8")
    assert 'aria-label="Orders by day"' in text and 'aria-label="Cases by day"' in text
    assert text.count("Records a day:") == 2


def test_object_types_stand_in_a_graph(page: Path, small_shoes: FinishedRun) -> None:
    """A box each, and a line for each reference."""
    graph = page.read_text(encoding="utf-8").split('class="diagram"')[1].split("</svg>")[0]
    assert graph.count("<rect") == len(small_shoes.counts)
    assert "<path" in graph and "<a " not in graph


def test_who_wrote_for_nothing_is_told(page: Path) -> None:
    """The embedded writer calls no model; a table says how much it wrote."""
    text = page.read_text(encoding="utf-8")
    assert "It calls no model, so it costs nothing." in text
    assert "<th>dollars</th>" not in text


def test_a_models_cost_stands_by_object_type(small_shoes: FinishedRun, tmp_path: Path) -> None:
    """Dollars of writer and judge together, the dearest first."""
    folder = Path(shutil.copytree(small_shoes.folder, tmp_path / "shoes"))
    run = RunFolder(folder)
    manifest = run.read_manifest()
    cases = {**manifest.written["Case"], "cost": 1.5, "judge_cost": 0.25, "tokens_in": 9000}
    written = {**manifest.written, "Case": cases}
    run.write_manifest(manifest.model_copy(update={"written": written}))
    first = read_facts(run).writing[0]
    assert (first.name, first.cost, first.tokens) == ("Case", 1.75, 9000)
    assert called("report", str(folder)).returncode == 0
    text = (folder / "report.html").read_text(encoding="utf-8")
    assert 'aria-label="Dollars by object type"' in text
    assert '<td class="number">1.7500</td>' in text


def test_tasks_and_scores_stand_on_the_page(small_shoes: FinishedRun, tmp_path: Path) -> None:
    """How answers are spread, how far shortcuts get, and what agents scored."""
    folder = benchmarked(small_shoes.folder, tmp_path / "shoes")
    facts = read_facts(RunFolder(folder)).benchmark
    (task,) = facts.tasks
    assert (task.answers, task.unanswerable, task.passed) == ((2, 1), 1, 0.25)
    assert [score.agent for score in facts.scores] == ["oracle", "react gpt"]
    assert called("report", str(folder)).returncode == 0
    text = (folder / "report.html").read_text(encoding="utf-8")
    for words in ("How far shortcuts get", "rule: any day", "react gpt", "25 %", "<th>HTU</th>"):
        assert words in text


def test_what_is_of_another_org_is_left_out(small_shoes: FinishedRun, tmp_path: Path) -> None:
    """Stale tasks are told, and scores of another org aren't shown."""
    folder = benchmarked(small_shoes.folder, tmp_path / "shoes", org="another")
    facts = read_facts(RunFolder(folder)).benchmark
    assert facts.tasks == () and facts.scores == ()
    assert "made before the org was made anew" in facts.note


def test_a_damaged_score_is_told_in_a_line(small_shoes: FinishedRun, tmp_path: Path) -> None:
    """The file is named, and what writes it anew."""
    folder = benchmarked(small_shoes.folder, tmp_path / "shoes")
    (folder / "evaluations/react/scores.json").write_text('[{"agent": "react"}]')
    told = called("report", str(folder))
    assert told.returncode == 2
    assert "scores.json: can't be read" in told.stderr
    assert "`orgweave evaluate` writes it anew" in told.stderr


def benchmarked(run: Path, to: Path, org: str = "") -> Path:
    """A copy of a run with four instances of a task, and the scores of two agents."""
    shutil.copytree(run, to)
    digest = org or sha256_of(to / "org.sqlite")
    (to / "tasks").mkdir()
    ablation = {"passed": {"rule: any day": 0.25, "words": None}}
    task = {"instances": 4, "unanswerable": 1, "ablation": ablation}
    report = {"company": "x", "seed": 1, "org_sha256": digest, "tasks": {"handle_time": task}}
    (to / "tasks/report.json").write_text(json.dumps(report))
    lines = []
    for answer in (["a"], ["b"], ["a"], [None]):
        line = {"task": "handle_time", "answer": answer, "answerable": answer != [None]}
        lines.append(json.dumps(line) + "\n")
    (to / "tasks/tasks.jsonl").write_text("".join(lines))
    for agent, model, mean in (("react", "gpt", 0.5), ("oracle", "mockllm/model", 1.0)):
        figures = {"instances": 4, "mean": mean, "error": 0.1, "cost": 0.0}
        row = {"agent": agent, "model": model, "org_sha256": digest}
        row["every"] = {"HTU": figures, "ALL": figures}
        folder = to / "evaluations" / agent
        folder.mkdir(parents=True)
        (folder / "scores.json").write_text(json.dumps([row]))
    return to


@THOROUGH
@pytest.mark.skipif(CHROMIUM is None, reason="no Chromium on the PATH")
@pytest.mark.parametrize("width", [400, 1400])
def test_the_page_fits_its_window(page: Path, width: int) -> None:
    """Neither a phone nor a wide screen has to be moved sideways, by day and by night, and nothing
    fails on the console.
    """
    faults: list[str] = []
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        tab = browser.new_page(viewport={"width": width, "height": 900})
        tab.on("console", lambda message: faults.append(message.text))
        tab.goto(page.as_uri())
        for scheme, ground in GROUNDS.items():
            tab.emulate_media(color_scheme=scheme)
            assert tab.evaluate("document.documentElement.scrollWidth") == width
            assert tab.evaluate("getComputedStyle(document.body).backgroundColor") == ground
        browser.close()
    assert faults == []
