"""The command line as a person meets it: help, exit codes, and one clear line for every kind of bad
input.
"""

import json
import re
import shlex
import shutil
import sqlite3
import subprocess
import sys
from pathlib import Path

import pytest

from orgweave.cli import COMMANDS, command_module, parsed
from pipeline.plan import Plan
from pipeline.run import FinishedRun
from schemas.errors import BadInput
from tests.called import called

ROOT = Path(__file__).parent.parent


def orgweave(*words: str, cwd: Path = ROOT) -> subprocess.CompletedProcess[str]:
    """Runs the command line in a process of its own."""
    return subprocess.run(
        [sys.executable, "-m", "pipeline", *words],
        capture_output=True,
        text=True,
        cwd=cwd,
    )


def test_help_shows_examples() -> None:
    """`--help` shows commands that can be copied."""
    shown = orgweave("--help")
    assert shown.returncode == 0
    assert "orgweave generate --company shoes" in shown.stdout


@pytest.mark.parametrize("part", ["new", "draft", "check"])
def test_each_part_of_company_shows_its_own_examples(part: str) -> None:
    """Who asks how to begin a company sees three lines to copy, and none of the other parts'."""
    _, examples = called("company", part, "--help").stdout.split("\nexamples:\n")
    lines = examples.splitlines()
    assert len(lines) == 3
    for line in lines:
        program, *words = shlex.split(line)
        assert program == "orgweave"
        assert parsed(words).part == part


def test_a_draft_offers_only_what_it_heeds() -> None:
    """A draft has no judge, no substitute and no batches, and doesn't say that it had."""
    shown = called("company", "draft", "--help").stdout
    assert "--max-cost" in shown
    for option in ("--judge-model", "--fallback", "--batch", "--prompt-dir"):
        assert option not in shown
    refused = called("company", "draft", "a spa", "--model", "any", "--batch")
    assert refused.returncode == 2


def test_every_command_shows_its_own_examples() -> None:
    """A command's examples name that command alone, and each of them is understood."""
    for name in COMMANDS:
        examples = command_module(name).EXAMPLES.splitlines()
        assert len(examples) == 3
        for example in examples:
            program, *words = shlex.split(example)
            assert program == "orgweave"
            assert parsed(words).command == name


def test_every_command_is_listed() -> None:
    """Each module of the commands that can be run has its line in the help, and no other has."""
    files = (ROOT / "orgweave" / "commands").glob("*.py")
    runnable = {path.stem for path in files if "\ndef run(" in path.read_text(encoding="utf-8")}
    assert runnable == set(COMMANDS)


def test_help_loads_no_library() -> None:
    """Help imports none of the libraries that making or reading an org needs."""
    code = (
        "import sys\nfrom orgweave.cli import run\ntry:\n    run(['--help'])\nexcept SystemExit:\n"
        "    sys.exit(','.join(sorted(set(sys.modules) & {'numpy', 'pydantic', 'networkx',"
        " 'faker', 'yaml'})))"
    )
    ended = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, cwd=ROOT)
    assert ended.stderr.strip() == ""


def test_a_trace_is_read_without_numpy() -> None:
    """What went over the wire stands in the ledger: `trace` begins at once, without arrays."""
    code = "import sys, orgweave.commands.trace; sys.exit('numpy' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], cwd=ROOT, check=False).returncode == 0


@pytest.mark.parametrize(
    ("command", "spared"),
    [
        ("serve", {"numpy", "asyncio", "pipeline.making"}),
        ("query", {"numpy", "asyncio", "pipeline.making"}),
        ("upload", {"numpy", "asyncio", "pipeline.making"}),
        ("export", {"numpy", "asyncio", "pipeline.making"}),
        ("check", {"asyncio", "pipeline.making", "pipeline.model"}),
    ],
)
def test_who_only_reads_an_org_waits_for_nothing_that_makes_one(
    command: str, spared: set[str]
) -> None:
    """A command for finished orgs begins without the packages that only making one needs."""
    code = f"import sys, orgweave.commands.{command}; print(*sys.modules)"
    loaded = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, cwd=ROOT, check=True
    )
    assert not spared & set(loaded.stdout.split())


def test_the_version_is_told() -> None:
    """`--version` prints the name and the installed version."""
    shown = orgweave("--version")
    assert re.fullmatch(r"orgweave (\d+\.\d+\.\d+|checkout)\n", shown.stdout)


def test_a_word_that_is_no_command_is_refused() -> None:
    """An unknown command ends with exit code 2 and the names of those that there are."""
    refused = orgweave("generat")
    assert refused.returncode == 2
    assert "'generate'" in refused.stderr


BAD = {
    "unknown company": (["generate", "--company", "florist"], "no such profile; use one of"),
    "negative scale": (
        ["generate", "--company", "shoes", "--scale", "-1"],
        "--scale -1: must be above 0",
    ),
    "no number": (["generate", "--company", "shoes", "--scale", "nan"], "--scale nan"),
    "count of nothing": (
        ["generate", "--company", "shoes", "--set", "Cases=5"],
        "no object type Cases",
    ),
    "count without number": (
        ["generate", "--company", "shoes", "--set", "Case"],
        "write OBJECT=NUMBER",
    ),
    "negative count": (
        ["generate", "--company", "shoes", "--set", "Case=-5"],
        "must not be negative",
    ),
    "count of what follows": (
        ["generate", "--company", "shoes", "--set", "PricebookEntry=5"],
        "follows from other objects",
    ),
    "too many chats": (
        ["generate", "--company", "shoes", "--scale", "0.1", "--set", "LiveChatTranscript=5000"],
        "ask for fewer chats",
    ),
    "too many mails": (
        ["generate", "--company", "shoes", "--scale", "0.1", "--set", "EmailMessage=2000"],
        "can't fill",
    ),
    "too many items": (
        ["generate", "--company", "shoes", "--set", "OrderItem=3"],
        "can't fill Order",
    ),
    "too many issues": (
        ["generate", "--company", "shoes", "--scale", "0.1", "--set", "Issue__c=40"],
        "only 10 issues",
    ),
    "negative seed": (["generate", "--company", "shoes", "--seed", "-4"], "--seed -4"),
    "no limit": (["generate", "--company", "shoes", "--limit", "0"], "--limit 0"),
    "nothing to regenerate": (
        ["regenerate", "--company", "shoes", "--object", "Case"],
        "has no ledger.sqlite",
    ),
    "nothing to check": (["check", "nowhere"], "can't be read"),
    "no company": (["generate"], "are required: --company; `orgweave generate --help`"),
    "scale with a comma": (["plan", "--company", "shoes", "--scale", "1,5"], "'1,5'"),
    "unknown command": (["genrate"], "invalid choice: 'genrate'"),
    "home behind a sign": (["generate", "--company=~/toys.yaml"], "write $HOME in its place"),
    "an empty query": (["query", "outputs", ""], "outputs: is followed by nothing"),
}


@pytest.mark.parametrize("name", sorted(BAD))
def test_bad_input_is_one_clear_line(name: str, tmp_path: Path) -> None:
    """Bad input ends with exit code 2 and one line that says what to do, without a traceback."""
    words, says = BAD[name]
    out = ["--out", str(tmp_path / "run")] if words[0] != "check" else []
    ended = called(*words, *out)
    lines = [line for line in ended.stderr.splitlines() if not line.startswith("writing with")]
    assert ended.returncode == 2
    assert len(lines) == 1
    assert says in lines[0]


@pytest.mark.parametrize(
    ("words", "hinted"),
    [
        (["query", "outputs/shoes", "SELECT", "Id", "FROM", "Case"], True),
        (["company", "draft", "a", "hotel"], True),
        (["query", "outputs/shoes", "SELECT Id FROM Case", "--limit", "3"], False),
    ],
)
def test_words_that_lost_their_quotes_are_told(words: list[str], hinted: bool) -> None:
    """A query or a description in pieces is told to be quoted, an unknown option isn't."""
    with pytest.raises(BadInput, match="unrecognized arguments") as told:
        parsed(words)
    assert ("in double quotes" in str(told.value)) == hinted


def test_a_broken_profile_is_named_with_its_line(tmp_path: Path) -> None:
    """Broken YAML in a profile is told with file, line and column."""
    profile = tmp_path / "mine.yaml"
    profile.write_text("name: Mine\nindustry: [unclosed\n")
    ended = called("generate", "--company", str(profile))
    assert ended.returncode == 2
    assert "mine.yaml: broken YAML: line" in ended.stderr


def test_a_damaged_ledger_is_told_and_kept(tmp_path: Path) -> None:
    """A damaged ledger ends the run with a message that says to move it away,
    and stays as it was.
    """
    out = tmp_path / "run"
    out.mkdir()
    (out / "ledger.sqlite").write_bytes(b"no database at all, but longer than a header" * 50)
    ended = called("generate", "--company", "shoes", "--scale", "0.05", "--out", str(out))
    assert ended.returncode == 1
    assert "is damaged" in ended.stderr
    assert "Traceback" not in ended.stderr
    assert (out / "ledger.sqlite").read_bytes().startswith(b"no database at all")


@pytest.mark.skipif(sys.platform != "linux", reason="ulimit -v binds on Linux alone")
@pytest.mark.parametrize("megabytes", [60, 110, 170, 250])
@pytest.mark.parametrize(
    "words",
    [
        ["generate", "--company", "shoes", "--scale", "0.05", "--out"],
        ["check"],
        ["export", "--format", "csv"],
    ],
)
def test_too_little_memory_is_one_line(words: list[str], megabytes: int, tmp_path: Path) -> None:
    """However little memory there is, a command ends with one line and not with exit code 0."""
    command = shlex.join([sys.executable, "-m", "pipeline", *words, str(tmp_path / "run")])
    ended = subprocess.run(
        ["sh", "-c", f"ulimit -v {megabytes * 1024}; exec {command}"],
        capture_output=True,
        text=True,
        cwd=ROOT,
    )
    said = [line for line in ended.stderr.splitlines() if not line.startswith("writing with")]
    assert ended.returncode != 0
    assert len(said) == 1, ended.stderr


def test_an_out_that_is_a_file_is_refused(tmp_path: Path) -> None:
    """`--out` naming a file is refused and the file stays."""
    out = tmp_path / "file"
    out.write_text("mine")
    ended = called("generate", "--company", "shoes", "--out", str(out))
    assert ended.returncode == 2
    assert "Traceback" not in ended.stderr
    assert out.read_text() == "mine"


def test_a_full_disk_is_one_line(tmp_path: Path) -> None:
    """Where nothing can be written (here: a folder in /dev/full's place) the run ends with exit
    code 1 or 2 and one line.
    """
    ended = called("generate", "--company", "shoes", "--scale", "0.05", "--out", "/proc/nowhere")
    assert ended.returncode in (1, 2)
    assert "Traceback" not in ended.stderr
    assert "/proc/nowhere" in ended.stderr


@pytest.mark.slow
def test_check_prints_tables_and_passes(small_shoes: FinishedRun) -> None:
    """`check` on a finished org prints invariants,
    effects and diversity and ends with exit code 0.
    """
    ended = called("check", str(small_shoes.folder))
    assert ended.returncode == 0
    assert all(
        part in ended.stdout
        for part in ("Invariants:", "Causal effects", "distinct-2", "Fields filled")
    )


def test_check_ends_with_5_where_an_invariant_is_broken(
    small_shoes: FinishedRun, tmp_path: Path
) -> None:
    """An edited org with a case closed before its creation is judged broken, exit code 5, the
    record named.
    """
    copy = tmp_path / "shoes"
    shutil.copytree(small_shoes.folder, copy)
    with sqlite3.connect(copy / "org.sqlite") as db:
        db.execute(
            "UPDATE \"Case\" SET ClosedDate = '2019-01-01T00:00:00.000+0000' WHERE Id = (SELECT"
            ' min(Id) FROM "Case" WHERE ClosedDate IS NOT NULL)'
        )
    ended = called("check", str(copy))
    assert ended.returncode == 5
    assert "case_closes_after_creation" in ended.stdout


@pytest.mark.slow
def test_limit_shows_the_first_few_of_each(tmp_path: Path) -> None:
    """`--limit 2` prints two whole records of each object type, or the only one, saves them, and
    leaves no org behind.
    """
    ended = called(
        "generate",
        "--company",
        "shoes",
        "--scale",
        "0.2",
        "--limit",
        "2",
        "--out",
        str(tmp_path / "look"),
    )
    shown = json.loads(ended.stdout)
    assert ended.returncode == 0
    shorter = {name for name, records in shown.items() if len(records) != 2}
    assert shorter == {"BusinessHours", "ProductCatalog"}
    assert all(len(shown[name]) == 1 for name in shorter)
    assert shown["Product2"][0]["Name"] in shown["Product2"][0]["Description"]
    assert json.loads((tmp_path / "look" / "preview.json").read_text()) == shown
    assert not (tmp_path / "look" / "org.sqlite").exists()


@pytest.mark.slow
def test_the_shoe_company_has_table_8s_counts(shoes_plan: Plan) -> None:
    """The plan of the shoe company has the paper's table 8 to the record."""
    counts = {node.name: node.records for node in shoes_plan.nodes if node.kind == "object"}
    table_8 = {
        "User": 100,
        "Contact": 196,
        "ProductCategory": 12,
        "Product2": 500,
        "OrderItem": 7100,
        "Pricebook2": 44,
        "PricebookEntry": 22000,
    }
    rest = {
        "Case": 977,
        "Order": 2071,
        "EmailMessage": 3234,
        "LiveChatTranscript": 387,
        "Knowledge__kav": 45,
        "Account": 196,
        "Issue__c": 10,
    }
    assert {name: counts[name] for name in table_8 | rest} == table_8 | rest
    assert abs(counts["ProductCategoryProduct"] - 762) <= 76
    assert abs(counts["CaseHistory__c"] - 2983) <= 30


def test_a_shadowed_package_is_told_in_one_line(tmp_path: Path) -> None:
    """Where another distribution's `verifiers` would be imported, the command says so in one line
    and ends with exit code 2.
    """
    (tmp_path / "verifiers").mkdir()
    (tmp_path / "verifiers" / "__init__.py").write_text(
        "raise RuntimeError('the other one was imported')\n"
    )
    code = (
        f"import sys; sys.path[:0] = [{str(tmp_path)!r}, {str(ROOT)!r}]; sys.argv = ['x',"
        " '--help']; import pipeline.__main__ as m; sys.exit(m.main())"
    )
    ended = subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        text=True,
        cwd=tmp_path,
    )
    assert ended.returncode == 2
    assert len(ended.stderr.splitlines()) == 1
    assert f"{tmp_path / 'verifiers'}, which is not orgweave's" in ended.stderr


def test_a_library_user_is_told_of_a_shadowed_package(tmp_path: Path) -> None:
    """A program with a `schemas.py` of its own gets one clear error from `import orgweave`."""
    (tmp_path / "schemas.py").write_text("TABLES = ['mine']\n", encoding="utf-8")
    (tmp_path / "program.py").write_text("import orgweave.cli\n", encoding="utf-8")
    ended = subprocess.run(
        [sys.executable, "program.py"],
        capture_output=True,
        text=True,
        cwd=tmp_path,
    )
    assert ended.returncode == 1
    assert ended.stderr.splitlines()[-1].startswith("ImportError: orgweave: package 'schemas'")


@pytest.mark.slow
def test_a_folders_name_may_hold_any_sign(tmp_path: Path) -> None:
    """A folder with `?`, `#` and `%` in its name is made and checked like any other, and nothing is
    written beside it.
    """
    out = tmp_path / "a?b#c%41"
    assert (
        called("generate", "--company", "shoes", "--scale", "0.05", "--out", str(out)).returncode
        == 0
    )
    assert [path.name for path in tmp_path.iterdir()] == [out.name]


def test_check_tells_a_damaged_org_in_one_line(small_shoes: FinishedRun, tmp_path: Path) -> None:
    """A truncated org.sqlite is told as damaged, exit code 1, without a traceback."""
    copy = tmp_path / "shoes"
    shutil.copytree(small_shoes.folder, copy)
    (copy / "org.sqlite").write_bytes((copy / "org.sqlite").read_bytes()[:50_000])
    ended = called("check", str(copy))
    assert ended.returncode in (1, 5)
    assert "Traceback" not in ended.stderr


def test_regenerate_refuses_another_ask(small_shoes: FinishedRun, tmp_path: Path) -> None:
    """Options that differ from those the org was made with are refused, not ignored."""
    copy = tmp_path / "shoes"
    shutil.copytree(small_shoes.folder, copy)
    ended = called(
        "regenerate",
        "--company",
        "shoes",
        "--object",
        "Knowledge__kav",
        "--seed",
        "5",
        "--out",
        str(copy),
    )
    assert ended.returncode == 2
    assert "was made without --seed; leave --seed out here" in ended.stderr


@pytest.mark.slow
def test_regenerate_says_what_changed_and_what_is_stale(tiny: Path, tmp_path: Path) -> None:
    """Object types that were made anew are named, the others counted, and so is what tells of the
    earlier org: tasks, scores, exports, a bundle and the ids of an upload, each with the command
    that makes it again.
    """
    copy = Path(shutil.copytree(tiny, tmp_path / "tiny"))
    for folder in ("tasks", "evaluations", "export/csv", "export/metadata"):
        (copy / folder).mkdir(parents=True)
    for name in ("idmap.jsonl", "export/bundle.zip"):
        (copy / name).write_text("")
    size = ("--scale", "0.02", "--set", "Product2=12", "--set", "Pricebook2=5")
    words = ("--object", "Knowledge__kav", "--no-report", "--out", str(copy))
    ended = called("regenerate", "--company", "shoes", *size, *words)
    assert ended.returncode == 0, ended.stderr
    changed, stale = ended.stdout.splitlines()[-2:]
    assert re.match(r"made anew: .*Knowledge__kav.*; the other \d+ object types are byte", changed)
    assert not re.search(r"\b(User|Product2|Order)\b", changed)
    assert re.findall(r"(\S+) \((?:[^();]*: )?orgweave ([a-z]+) [^\s)]+ ?([^)]*)\)", stale) == [
        ("tasks/", "tasks", ""),
        ("evaluations/", "evaluate", ""),
        ("export/bundle.zip", "bundle", "--format zip"),
        ("export/csv", "export", "--format csv"),
        ("export/metadata", "export", "--metadata"),
        ("idmap.jsonl", "upload", ""),
    ]


def test_regenerate_names_object_types_and_hidden_causes(
    clinic: Path, small_shoes: FinishedRun, tmp_path: Path
) -> None:
    """Who names neither is told both, as far as the schema has them: a clinic has no cause."""
    for company, run, ends in (
        ("shoes", small_shoes.folder, "Wearer, Workforce"),
        ("clinic", clinic, "Patient, Practitioner, VisitNote"),
    ):
        copy = shutil.copytree(run, tmp_path / company)
        words = ("regenerate", "--company", company, "--object", "Skil", "--out", str(copy))
        ended = called(*words)
        assert ended.returncode == 2
        assert "has no such object type or hidden cause; it has " in ended.stderr
        assert ended.stderr.strip().endswith(ends)
    assert called(*words[:4], "Skill", *words[5:]).returncode == 2


def test_regenerate_refuses_what_draws_nothing(small_shoes: FinishedRun, tmp_path: Path) -> None:
    """An object type that only follows from others can't be made anew by itself, and the message
    says so.
    """
    copy = tmp_path / "shoes"
    shutil.copytree(small_shoes.folder, copy)
    ended = called("regenerate", "--company", "shoes", "--object", "OrderItem", "--out", str(copy))
    assert ended.returncode == 2
    assert "nothing of it is drawn" in ended.stderr
