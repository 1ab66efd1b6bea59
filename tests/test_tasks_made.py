"""Instances made from a whole run: how many, how spread, proved by whom; the same bytes again; what
is said where an org has too little.
"""

import json
import re
import shlex
import shutil
import sqlite3
import subprocess
import sys
from collections import Counter
from contextlib import closing
from pathlib import Path
from typing import Any

import pyarrow.parquet
import pytest

from orgweave.benchmark.registry import TASKS
from orgweave.benchmark.run import make_tasks
from orgweave.cli import run
from pipeline.compute.jobs import Workers
from pipeline.run import FinishedRun
from schemas.errors import BadInput, TasksMissing
from tests.golden_pages import shown_instance
from tests.tiers import THOROUGH, first_of

ID = re.compile(r"\b[0-9A-Za-z]{3}zz000[0-9A-Za-z]{10}\b")


PER_TASK = 130
"""So many instances has a task where the command is not told a number."""
FEW = 20
"""So many show the rules that hold for each instance."""


@pytest.fixture(scope="module", params=first_of([FEW, PER_TASK]))
def shoes(
    request: pytest.FixtureRequest,
    whole_shoes: FinishedRun,
    tmp_path_factory: pytest.TempPathFactory,
) -> Path:
    """The whole shoe company with so many instances of each task."""
    folder = tmp_path_factory.mktemp("tasks") / "shoes"
    shutil.copytree(whole_shoes.folder, folder)
    make_tasks(folder, request.param)
    return folder


in_full = pytest.mark.parametrize(
    "shoes", [pytest.param(PER_TASK, marks=THOROUGH)], indirect=True, scope="module"
)
"""Marks a test of what only a whole set of tasks shows."""


@pytest.fixture
def small(small_shoes: FinishedRun, tmp_path: Path) -> Path:
    """A copy of the small shoe company."""
    return Path(shutil.copytree(small_shoes.folder, tmp_path / "small"))


def instances(folder: Path) -> list[dict[str, Any]]:
    """The lines of tasks.jsonl."""
    return [
        json.loads(line)
        for line in (folder / "tasks" / "tasks.jsonl").read_text(encoding="utf-8").splitlines()
    ]


def by_task(folder: Path) -> dict[str, list[dict[str, Any]]]:
    """The same by task."""
    found: dict[str, list[dict[str, Any]]] = {name: [] for name in TASKS}
    for one in instances(folder):
        found[one["task"]].append(one)
    return found


def test_every_task_has_its_instances_and_its_share_that_nothing_answers(shoes: Path) -> None:
    """As many of each task as wanted; of six tasks three in ten without an answer, of actions half,
    none of the others.
    """
    report = json.loads((shoes / "tasks" / "report.json").read_text(encoding="utf-8"))
    for name, found in by_task(shoes).items():
        wanted = report["tasks"][name]["wanted"]
        assert len(found) == wanted in (FEW, PER_TASK)
        nothing = sum(one["answer"] == [None] for one in found)
        assert nothing == round(wanted * TASKS[name].unanswerable)
        assert all(one["answerable"] == (one["answer"] != [None]) for one in found)


@in_full
def test_the_guides_instance_is_a_real_one(shoes: Path) -> None:
    """The line that the guide shows stands in tasks.jsonl, with the same question and answer."""
    shown = shown_instance()
    real = next(one for one in instances(shoes) if one["id"] == shown["id"])
    assert shown == {name: real[name] for name in shown}, "renew with `make golden`"


@in_full
def test_no_answer_stands_too_often(shoes: Path) -> None:
    """No answer over 15 % of a task (months: 20 %), and three in five of the agents who were ever
    handed a case are among the answers of the three tasks about agents.
    """
    found = by_task(shoes)
    for name, of_task in found.items():
        most = Counter(str(one["answer"]) for one in of_task if one["answerable"]).most_common(1)[
            0
        ][1]
        assert most <= TASKS[name].largest_share * 130
    agents = {
        one["answer"][0]
        for name in ("case_routing", "handle_time", "transfer_count")
        for one in found[name]
        if one["answerable"]
    }
    with sqlite3.connect(shoes / "org.sqlite") as db:
        rows = db.execute("SELECT DISTINCT NewValue__c FROM CaseHistory__c").fetchall()
    assert len(agents) >= 0.6 * len(rows)


@in_full
def test_the_stand_alone_proof_agrees_with_all_nine_query_tasks(shoes: Path) -> None:
    """verify.py, run as a person would, recomputes 1,170 answers from org.sqlite."""
    done = subprocess.run(
        [sys.executable, "-I", str(shoes / "tasks" / "verify.py")],
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.stdout.strip(), done.returncode) == ("1170 of 1170 answers are right", 0)


def proof_of(
    rows: list[dict[str, Any]],
    shoes: Path,
    folder: Path,
) -> subprocess.CompletedProcess[str]:
    """What the stand-alone proof says of these instances, away from the package."""
    shutil.copy(shoes / "tasks" / "verify.py", folder)
    (folder / "tasks.jsonl").write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    return subprocess.run(
        [sys.executable, "-I", str(folder / "verify.py"), str(shoes / "org.sqlite")],
        capture_output=True,
        text=True,
        check=False,
    )


def test_the_stand_alone_proof_finds_a_wrong_answer(shoes: Path, tmp_path: Path) -> None:
    """One answer changed by hand is named, and the exit code is 1."""
    rows = instances(shoes)
    rows[0]["answer"] = ["005zz0000000000AAA"]
    done = proof_of(rows, shoes, tmp_path)
    assert done.returncode == 1 and rows[0]["id"] in done.stdout
    texts = sum(TASKS[row["task"]].verify_sql is None for row in rows)
    assert f"{texts} more are answered from texts" in done.stderr


def test_the_stand_alone_proof_refuses_another_org(shoes: Path, tmp_path: Path) -> None:
    """Tasks of an org that was made anew prove nothing, though a query may still find each answer:
    exit code 2 and one line, but for --trust.
    """
    for name in ("verify.py", "report.json", "tasks.jsonl"):
        shutil.copy(shoes / "tasks" / name, tmp_path)
    changed = Path(shutil.copy(shoes / "org.sqlite", tmp_path))
    with closing(sqlite3.connect(changed)) as db, db:
        db.execute("PRAGMA user_version = 7")
    refused, trusted, proved = (
        subprocess.run(
            [sys.executable, "-I", str(tmp_path / "verify.py"), *map(str, words)],
            capture_output=True,
            text=True,
            check=False,
        )
        for words in ([changed], [changed, "--trust"], [shoes / "org.sqlite"])
    )
    assert (refused.returncode, refused.stdout, refused.stderr.count("\n")) == (2, "", 1)
    assert "is another file than these tasks were made from" in refused.stderr
    assert (trusted.returncode, trusted.stdout) == (proved.returncode, proved.stdout)
    assert re.fullmatch(r"(\d+) of \1 answers are right", proved.stdout.strip())


@in_full
def test_the_stand_alone_proof_names_a_few_of_many_wrong_answers(
    shoes: Path, tmp_path: Path
) -> None:
    """Ten ids and a count of each task fit on a screen, however many answers are wrong."""
    rows = [{**row, "answer": ["005zz0000000000AAA"]} for row in instances(shoes)]
    done = proof_of(rows, shoes, tmp_path)
    assert re.search(r"and \d+ more \(\d+ of \w+", done.stdout) and len(done.stdout) < 1000


def test_questions_differ_and_keep_their_parameters(shoes: Path) -> None:
    """No two instances of a task ask the same, and what a seed query names stands in its paraphrase
    too.
    """
    for found in by_task(shoes).values():
        assert len({json.dumps(one["parameters"], sort_keys=True) for one in found}) == len(found)
    for one in instances(shoes):
        if one["task"] == "case_chain":
            # A chain names no record that is to be found on the way.
            assert one["parameters"]["case"] not in one["query"] or not one["parameters"]["case"]
            continue
        for name in ("vague_name", "case"):
            assert str(one["parameters"].get(name, "")) in one["query"]
        if "more_than" in one["parameters"]:
            assert f"more than {one['parameters']['more_than']} " in one["query"]


def test_twins_stand_in_groups_and_differ_in_their_answers(shoes: Path) -> None:
    """Nine in ten instances have a twin with another answer. A question without an answer has one
    or two that have one: of the same n, or of a smaller n and the same window.
    """
    groups: dict[str, list[dict[str, Any]]] = {}
    for one in instances(shoes):
        groups.setdefault(one["group"], []).append(one)
    alone = [group for group in groups.values() if len(group) == 1]
    assert len(alone) <= 0.1 * len(instances(shoes))
    for group in groups.values():
        assert len({str(one["answer"]) for one in group}) == len(group)
        twins = [one for one in group if one["answerable"]]
        without = [one for one in group if not one["answerable"]]
        assert len(without) <= 1 and (1 <= len(twins) <= 2 or not without)
        for nothing in without:
            asked = nothing["parameters"]
            for twin in twins:
                more_than = twin["parameters"].get("more_than", 0)
                same_window = twin["parameters"].get("start") == asked.get("start")
                assert more_than == asked.get("more_than", 0) or (
                    same_window and more_than < asked["more_than"]
                )


@in_full
def test_no_reduced_solver_passes_two_in_five_of_a_task(shoes: Path) -> None:
    """The report of every task keeps what solvers make of it that skip a part of the task: each
    finds less than two answers in five.
    """
    report = json.loads((shoes / "tasks" / "report.json").read_text(encoding="utf-8"))
    for name, row in report["tasks"].items():
        passed = {solver: share for solver, share in row["ablation"]["passed"].items() if share}
        assert passed and all(share < 0.4 for share in passed.values()), name


def test_a_query_does_not_tell_what_is_to_be_found_out(shoes: Path) -> None:
    """The answer's id stands neither in the query nor in what the agent is told."""
    for one in instances(shoes):
        told = one["query"] + json.dumps(one["metadata"])
        assert not [
            answer for answer in one["answer"] if answer and ID.fullmatch(answer) and answer in told
        ]


def test_every_named_record_exists(shoes: Path) -> None:
    """Ids in answers, parameters and evidence are those of records of the right kind."""
    db = sqlite3.connect(shoes / "org.sqlite")
    tables = {
        "005": "User",
        "01t": "Product2",
        "003": "Contact",
        "500": "Case",
        "ka0": "Knowledge__kav",
        "a01": "Issue__c",
        "02s": "EmailMessage",
        "570": "LiveChatTranscript",
    }
    for found in set(ID.findall((shoes / "tasks" / "tasks.jsonl").read_text(encoding="utf-8"))):
        assert db.execute(f'SELECT 1 FROM "{tables[found[:3]]}" WHERE Id = ?', (found,)).fetchone()


def test_a_new_case_is_in_no_record_of_the_org(shoes: Path) -> None:
    """What is to be routed can't be looked up: no case has its description."""
    db = sqlite3.connect(shoes / "org.sqlite")
    known = {row[0] for row in db.execute('SELECT Description FROM "Case"')}
    assert not known & {one["parameters"]["description"] for one in by_task(shoes)["case_routing"]}


def test_the_evidence_of_a_text_task_stands_in_the_orgs_texts(shoes: Path) -> None:
    """The grant stands in its message, the limit or the answer's sentence in its article."""
    db = sqlite3.connect(shoes / "org.sqlite")
    articles = dict(db.execute("SELECT Id, FAQ_Answer__c FROM Knowledge__kav"))
    said = dict(
        db.execute(
            "SELECT Id, TextBody FROM EmailMessage UNION ALL SELECT Id, Body FROM"
            " LiveChatTranscript"
        )
    )
    for one in by_task(shoes)["policy_violation_identification"]:
        proof = one["evidence"]
        assert (
            proof["grant"] in said[proof["message"]]
            and proof["article_text"] in articles[proof["article"]]
        )
    for one in by_task(shoes)["knowledge_qa"]:
        assert one["evidence"]["span"] in articles[one["evidence"]["article"]]


@THOROUGH
def test_the_same_run_gives_the_same_bytes(small: Path, tmp_path: Path) -> None:
    """By one process and by two workers: tasks.jsonl and the report are the same."""
    for name, workers in {"one": Workers(1), "two": Workers(2)}.items():
        make_tasks(
            small,
            4,
            (
                "best_region_identification",
                "knowledge_qa",
                "case_routing",
                "named_entity_disambiguation",
            ),
            out=tmp_path / name,
            workers=workers,
        )
    for file in ("tasks.jsonl", "report.json"):
        assert (tmp_path / "one" / file).read_bytes() == (tmp_path / "two" / file).read_bytes()


def test_an_org_with_too_little_says_what_and_why_and_keeps_the_rest(
    my_tiny: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A fiftieth of the company can't yield 130 questions on routing: exit code 3, a line for the
    task with the reasons that there were, and tasks.jsonl with what there is.
    """
    assert run(["tasks", str(my_tiny), "--tasks", "case_routing"]) == TasksMissing.exit_code
    *_, reasons, ending = capsys.readouterr().err.splitlines()
    assert re.fullmatch(r"case_routing: \d+ of 130 instances; .*\(\d+\)", reasons)
    assert "(0)" not in reasons
    assert ending.startswith("orgweave: 1 of 1 tasks have fewer instances than asked for")
    assert 0 < len(instances(my_tiny)) < 130


def test_a_folder_for_datasets_holds_what_there_is_and_goes_with_the_next_set(
    my_tiny: Path,
) -> None:
    """Where instances are missing the folder is written all the same; tasks made without it leave
    none of another set.
    """
    words = ["--tasks", "knowledge_qa", "--per-task", "500", "--format", "hf"]
    assert run(["tasks", str(my_tiny), *words]) == TasksMissing.exit_code
    assert (my_tiny / "tasks" / "hf" / "README.md").is_file()
    make_tasks(my_tiny, 1, ("knowledge_qa",))
    assert not (my_tiny / "tasks" / "hf").exists()


def test_ids_become_those_of_an_uploaded_org(small: Path, tmp_path: Path) -> None:
    """With an idmap every id is the CRM's; a record that was not uploaded is told, and nothing is
    written over.
    """
    db = sqlite3.connect(small / "org.sqlite")
    ids = [
        row[0]
        for name in (
            "User",
            "Case",
            "Issue__c",
            "Product2",
            "Contact",
            "Knowledge__kav",
            "EmailMessage",
            "LiveChatTranscript",
        )
        for row in db.execute(f'SELECT Id FROM "{name}"')
    ]
    lines = [
        json.dumps({"type": "X", "id": one, "org_id": one[:3] + "Xx" + one[5:]}) for one in ids
    ]
    (tmp_path / "idmap.jsonl").write_text("\n".join(lines), encoding="utf-8")
    make_tasks(
        small,
        5,
        ("policy_violation_identification", "knowledge_qa"),
        idmap=tmp_path / "idmap.jsonl",
    )
    text = (small / "tasks" / "tasks.jsonl").read_text(encoding="utf-8")
    assert "zz000" not in text and "Xx000" in text
    (tmp_path / "idmap.jsonl").write_text(lines[0], encoding="utf-8")
    with pytest.raises(BadInput, match="was not uploaded"):
        make_tasks(small, 5, ("policy_violation_identification",), idmap=tmp_path / "idmap.jsonl")
    assert (small / "tasks" / "tasks.jsonl").read_text(encoding="utf-8") == text


@THOROUGH
def test_parquet_and_a_folder_for_datasets_hold_the_same(small: Path) -> None:
    """Both have a row an instance, with the answers as lists; the card tells schema, counts, seed
    and how the truth was made.
    """
    for kind, place in (
        ("parquet", "tasks.parquet"),
        ("hf", "hf/data/test-00000-of-00001.parquet"),
    ):
        assert (
            run(
                [
                    "tasks",
                    str(small),
                    "--tasks",
                    "knowledge_qa",
                    "--per-task",
                    "8",
                    "--format",
                    kind,
                ]
            )
            == 0
        )
        rows = pyarrow.parquet.read_table(small / "tasks" / place).to_pylist()
        assert [(row["id"], row["answer"], json.loads(row["parameters"])) for row in rows] == [
            (one["id"], one["answer"], one["parameters"]) for one in instances(small)
        ]
    card = (small / "tasks" / "hf" / "README.md").read_text(encoding="utf-8")
    assert (
        "| knowledge_qa | 8 |" in card and "with seed " in card and "How the truth was made" in card
    )


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (["--per-task", "0"], "--per-task 0"),
        (["--per-task", "100001"], "--per-task 100001: must be from 1 to 100000"),
        (["--per-task", "1", "--tasks", ","], "--tasks: names no task"),
        (["--per-task", "100000", "--tasks", ","], "--tasks: names no task"),
        (["--tasks", "nonsense"], "--tasks nonsense: no such task; use case_routing"),
        (["--tasks", ","], "--tasks: names no task; use case_routing"),
        (["--idmap", "nowhere.jsonl"], "--idmap nowhere.jsonl: can't be read"),
        (["--idmap", str(Path(__file__))], "line 1 is none of an upload's"),
        (["--to", str(Path(__file__))], "can't be a folder"),
        (["--to", str(Path(__file__).parent)], "holds other files"),
    ],
)
def test_bad_input_is_told_in_one_line(
    small: Path,
    words: list[str],
    says: str,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """What can't be meant ends with exit code 2 before anything is made."""
    assert run(["tasks", str(small), *words]) == 2
    told = capsys.readouterr().err
    assert says in told and told.count("\n") == 1
    assert not (small / "tasks").exists()


def test_the_hidden_truth_of_another_org_is_refused(
    small: Path,
    tiny: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """Another run's latent.sqlite beside the org: told in a line."""
    shutil.copy(tiny / "latent.sqlite", small)
    assert run(["tasks", str(small)]) == 2
    assert "is not the one that this org was made with" in capsys.readouterr().err


def test_a_path_may_hold_any_character(small: Path, tmp_path: Path) -> None:
    """Signs that mean something in an URI are only signs in a folder's name, for the command and
    for the proof beside the tasks.
    """
    odd = tmp_path / "o r#g? 50%é"
    odd.mkdir()
    place = Path(shutil.move(small, odd / "s?h#o%20e"))
    make_tasks(place, 2, ("best_region_identification",))
    assert [path.name for path in odd.iterdir()] == ["s?h#o%20e"]
    done = subprocess.run(
        [sys.executable, "-I", str(place / "tasks" / "verify.py")],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.stdout.strip() == "2 of 2 answers are right"


def test_the_advice_on_how_to_prove_works_as_printed(
    small: Path,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """Tasks that lie elsewhere are proved with the org named; without it the proof says in a line
    what it needs.
    """
    assert (
        run(
            [
                "tasks",
                str(small),
                "--tasks",
                "best_region_identification",
                "--per-task",
                "2",
                "--to",
                str(tmp_path / "more"),
            ]
        )
        == 0
    )
    advice = capsys.readouterr().out.strip().split("prove the answers with: python ")[1]
    done = subprocess.run(
        [sys.executable, "-I", *shlex.split(advice)],
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.stdout.strip(), done.returncode) == ("2 of 2 answers are right", 0)
    lost = subprocess.run(
        [sys.executable, "-I", str(tmp_path / "more" / "verify.py")],
        capture_output=True,
        text=True,
        check=False,
    )
    assert (
        lost.returncode == 2
        and lost.stderr.startswith("can't be read")
        and lost.stderr.count("\n") == 1
    )


def test_an_org_without_simulated_cases_has_no_tasks(
    clinic: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The clinic's schema knows no cases: told, not a traceback."""
    assert run(["tasks", str(clinic)]) == 2
    assert "service_cloud" in capsys.readouterr().err
