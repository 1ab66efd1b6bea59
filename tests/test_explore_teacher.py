"""`explore --teacher`: hidden truth beside the records, tasks with proofs; and nothing of it
without the flag.
"""

import asyncio
import re
import shutil
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import replace
from html import unescape
from pathlib import Path

import httpx
import pytest

from orgweave.benchmark.evaluate.attempts import read_attempts
from orgweave.benchmark.lessons import read_lessons
from orgweave.benchmark.run import make_tasks
from orgweave.explore.lessons import Lessons, ShownAttempt
from orgweave.explore.site import Site, opened
from pipeline.atomic import sha256_of
from pipeline.run import FinishedRun
from schemas.errors import BadInput
from tests.evaluate_toys import evaluated_org
from tests.evaluate_toys import run as evaluate
from tests.exports_org import changed, copied

Get = Callable[[str], httpx.Response]
TASKS = ("handle_time", "policy_violation_identification")
AGENT = "careful one"


@pytest.fixture(scope="module")
def run(small_shoes: FinishedRun, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A small company with a few instances of two tasks."""
    folder = tmp_path_factory.mktemp("taught") / "shoes"
    shutil.copytree(small_shoes.folder, folder)
    make_tasks(folder, 4, TASKS)
    return folder


@pytest.fixture(scope="module")
def lessons(run: Path) -> Lessons:
    """What its folder teaches, and an agent who said something to every instance."""
    read = read_lessons(run)
    attempts = {}
    for task in read.tasks:
        for instance in task.instances:
            attempts[instance.id] = (ShownAttempt(AGENT, 1.0, "[null]", "Read by rules."),)
    return replace(read, agents=(AGENT,), attempts=attempts)


@pytest.fixture(scope="module")
def get(run: Path, lessons: Lessons) -> Iterator[Get]:
    """Asks a teacher's site for a page."""
    with opened(run, lessons=lessons) as site:
        yield getter(site)


def getter(site: Site) -> Get:
    """Asks a site for a page."""
    return lambda path: asyncio.run(site.client.get(path))


def story(run: Path, sql: str) -> tuple[str, ...]:
    """The first row of a query on the hidden causes."""
    with closing(sqlite3.connect(run / "latent.sqlite")) as db:
        return tuple(str(value) for value in db.execute(sql).fetchone())


def test_a_case_shows_its_hidden_truth(get: Get, run: Path) -> None:
    """A record's page has what every latent table says of it, ids as links."""
    sql = 'SELECT Id, ending, "owner" FROM "CaseStory.cases" WHERE ending != "" LIMIT 1'
    case, ending, owner = story(run, sql)
    page = get(f"/org/Case/{case}").text
    shown = page.split('id="hidden-truth"')[1].split("</section>")[0]
    assert "CaseStory.cases" in shown and "the life of every case" in shown
    assert f"<dt>ending</dt><dd>{ending}</dd>" in shown
    assert f'<dt>owner</dt><dd><a href="/org/User/{owner}">' in shown


def test_hidden_tables_stand_beside_the_orgs_in_sql(get: Get) -> None:
    """A teacher joins both by Id, as the start page's link does."""
    link = re.search(r'href="(/org\?sql=[^"]+)"><b>Hidden causes', get("/").text)
    assert link
    page = get(unescape(link[1]))
    assert page.status_code == 200 and "decided_by" in page.text and "<td" in page.text


def test_tasks_are_shown_with_answers_proofs_and_agents(get: Get, lessons: Lessons) -> None:
    """From the tasks by links to an instance: its question, its answer, the query that decides it
    with what that finds, and what an agent said.
    """
    tasks = get("/-/tasks").text
    assert 'href="/-/tasks/handle_time"' in tasks and AGENT in tasks
    task = lessons.task("handle_time")
    assert task
    instance = next(instance for instance in task.instances if instance.answer)
    assert f'href="/-/instance/{instance.id}"' in get("/-/tasks/handle_time").text
    page = get(f"/-/instance/{instance.id}").text
    answer = f'<a href="/org/User/{instance.answer[0]}">'
    assert answer in page.split("<h2>Proof</h2>")[1].split("</tr>")[1]
    assert "Read by rules." in page and "SELECT" in page


def test_the_proof_finds_the_answer(lessons: Lessons) -> None:
    """The query's best is the answer; where the two best are equal or there is none, nothing is."""
    task = lessons.task("handle_time")
    assert task
    for instance in task.instances:
        proof = lessons.prove(instance)
        assert proof
        best = [row for row in proof.rows if row[1] == proof.rows[0][1]]
        assert instance.answer == (() if len(best) != 1 else (best[0][0],))


def test_evidence_stands_where_no_query_decides(get: Get, lessons: Lessons) -> None:
    """A breach has the sentences that prove it, and the case's page names the question."""
    task = lessons.task("policy_violation_identification")
    assert task
    instance = next(instance for instance in task.instances if instance.evidence)
    page = unescape(get(f"/-/instance/{instance.id}").text)
    assert str(instance.evidence["article_text"]) in page
    assert "<h2>Proof</h2>" not in page
    case = get(f"/org/Case/{instance.parameters['case']}").text
    assert f'href="/-/instance/{instance.id}"' in case


def test_stale_tasks_are_told_and_not_shown(run: Path, tmp_path: Path) -> None:
    """Tasks of another org would have wrong answers; the org itself can be looked at."""
    folder = Path(shutil.copytree(run, tmp_path / "shoes"))
    changed(folder, "UPDATE Account SET Description = 'another'")
    lessons = read_lessons(folder)
    assert lessons.tasks == ()
    with opened(folder, lessons=lessons) as site:
        assert "made before the org was made anew" in getter(site)("/-/tasks").text


def test_an_org_without_tasks_says_how_they_are_made(small_shoes: FinishedRun) -> None:
    """The teacher's page tells the command."""
    (note,) = read_lessons(small_shoes.folder).notes
    assert f"orgweave tasks {small_shoes.folder}" in note


def test_a_teacher_needs_the_hidden_causes(run: Path, tmp_path: Path) -> None:
    """A folder without them, as one that was given away, is told in a line."""
    alone = copied(run, tmp_path / "alone")
    with pytest.raises(BadInput, match="leave --teacher out"), opened(alone, lessons=Lessons()):
        pass


def test_without_the_flag_nothing_hidden_is_opened(run: Path, tmp_path: Path) -> None:
    """A site without lessons opens although its latent file is none, so it didn't look at it."""
    alone = copied(run, tmp_path / "alone")
    (alone / "latent.sqlite").write_bytes(b"no database at all")
    with opened(alone) as site:
        assert getter(site)("/").status_code == 200


def test_without_the_flag_no_page_tells_of_hidden_things(run: Path) -> None:
    """No page names a latent table, shows a value that stands in one alone, or has the addresses of
    the teacher's pages.
    """
    case, chance = story(run, 'SELECT Id, chance FROM "AttachmentHabit.cases" WHERE chance > 0.1')
    user, workload = story(run, 'SELECT Id, workload FROM "Skill.agents" WHERE workload > 0.001')
    account, yearly = story(run, 'SELECT Id, yearly FROM "ShoppingHabit.customers"')
    with opened(run) as site:
        get = getter(site)
        for path in ("/-/tasks", "/-/tasks/handle_time", "/-/instance/handle_time-0001"):
            assert get(path).status_code == 404
        assert get("/org?sql=select+*+from+%22CaseStory.cases%22").status_code == 400
        pages = ["/", "/org", "/org/Case?_all_columns=1", "/-/soql", "/-/search?q=sole"]
        pages += [f"/org/Case/{case}", f"/org/User/{user}", f"/org/Account/{account}"]
        for path in pages:
            text = get(path).text
            for hidden in ("CaseStory", "Skill.", "/-/tasks", "hidden-truth", "decided_by"):
                assert hidden not in text, (path, hidden)
        assert f">{chance}<" not in get(f"/org/Case/{case}").text
        assert f">{workload}<" not in get(f"/org/User/{user}").text
        assert f">{yearly}<" not in get(f"/org/Account/{account}").text


def test_what_agents_said_is_read_from_the_logs_of_these_tasks(tmp_path: Path) -> None:
    """Each instance has an agent's answer, its score and why; a log of other tasks is told and not
    shown.
    """
    org = evaluated_org(tmp_path / "toy")
    evaluate(org, "none", ("handle_time",))
    digest = sha256_of(org / "tasks" / "tasks.jsonl")
    found, notes = read_attempts(org / "logs", digest)
    (right,) = found["handle_time-003"]
    (wrong,) = found["handle_time-001"]
    assert (right.agent, right.value, wrong.value, notes) == ("none", 1.0, 0.0, [])
    assert "right is" in wrong.says
    found, notes = read_attempts(org / "logs", "another")
    assert found == {} and "is of other tasks than those that lie here" in notes[0]
