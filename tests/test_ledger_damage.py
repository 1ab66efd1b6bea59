"""A damaged ledger, or a locked org, is told in one line and kept as it is."""

import random
import shutil
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path

import pytest

from orgweave.cli import run
from pipeline.ledger import Ledger, LedgerEntry
from pipeline.ledger_repair import repair
from schemas.errors import OrgweaveError, StorageFailed
from tests.explore_orgs import toy_run

SMALL = ("--company", "shoes", "--scale", "0.1", "--no-report")
"""What the fixtures' small company was made with."""
BROKEN_ROWS = {
    "other words": "UPDATE answers SET entries = replace(entries, 'e', 'a')",
    "another price": "UPDATE answers SET cost = 0.5",
    "another request": "UPDATE answers SET key = key || 'x'",
    "another note": "UPDATE meta SET value = value || ' '",
    "no digest": "UPDATE answers SET digest = ''",
    "no JSON": "UPDATE answers SET entries = substr(entries, 2)",
    "no object": "UPDATE answers SET entries = '[1]'",
    "no unit": """UPDATE answers SET entries = '{"x": {}}'""",
    "no entry": """UPDATE answers SET entries = '{"0": 5}'""",
    "no reason": """UPDATE answers SET verdicts = '{"0": null}'""",
    "nested too deeply": "UPDATE answers SET entries = replace(hex(zeroblob(100000)), '0', '[')",
    "no UTF-8": "UPDATE answers SET entries = CAST(x'7bff7d' AS TEXT)",
    "a lost column": "ALTER TABLE answers DROP COLUMN verdicts",
}


@pytest.mark.parametrize("name", BROKEN_ROWS)
def test_a_damaged_row_is_one_line(
    name: str,
    mine: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """Whatever is wrong with the rows, `generate` names the ledger and what to do, exit code 1;
    after that was done the org is made again."""
    words = ["generate", *SMALL, "--out", str(mine)]
    with closing(sqlite3.connect(mine / "ledger.sqlite")) as db, db:
        db.execute(BROKEN_ROWS[name])
    assert run(words) == 1
    said = capsys.readouterr().err.strip().splitlines()
    assert len([line for line in said if not line.startswith("writing with")]) == 1
    assert "ledger.sqlite: is damaged" in said[-1]
    assert "move it away" in said[-1]


def test_what_was_told_to_be_done_helps(mine: Path) -> None:
    """With the damaged ledger moved away the same command makes the same org."""
    words = ["generate", *SMALL, "--out", str(mine)]
    before = (mine / "org.sqlite").read_bytes()
    with closing(sqlite3.connect(mine / "ledger.sqlite")) as db, db:
        db.execute(BROKEN_ROWS["no JSON"])
    assert run(words) == 1
    shutil.move(mine / "ledger.sqlite", mine / "damaged.sqlite")
    assert run(words) == 0
    assert (mine / "org.sqlite").read_bytes() == before


def test_a_locked_org_is_called_locked(mine: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """`check` says that another program holds the org, and not that it is damaged."""
    with closing(sqlite3.connect(mine / "org.sqlite", isolation_level=None)) as db:
        db.execute("BEGIN EXCLUSIVE")
        assert run(["check", str(mine)]) == 1
    said = capsys.readouterr().err
    assert "another program holds org.sqlite" in said
    assert "damaged" not in said


def test_tasks_of_a_locked_org_call_it_locked(
    mine: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """To make the company again, as is told of a damaged one, wouldn't help."""
    with closing(sqlite3.connect(mine / "latent.sqlite", isolation_level=None)) as db:
        db.execute("BEGIN EXCLUSIVE")
        assert run(["tasks", str(mine)]) == 1
    said = capsys.readouterr().err
    assert "another program holds it" in said
    assert "generate the company again" not in said


def changed(file: Path, sql: str) -> None:
    """Runs a statement on a SQLite file, as another program might."""
    with closing(sqlite3.connect(file)) as db, db:
        db.execute(sql)


def test_a_repaired_ledger_asks_only_for_what_was_dropped(
    mine: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """`ledger repair` keeps each sound row and says how many it dropped; the damaged file stays
    beside the new one, and the same command makes the same org."""
    file, org = mine / "ledger.sqlite", (mine / "org.sqlite").read_bytes()
    before = answers_of(file)
    changed(file, "UPDATE answers SET entries = '{}' WHERE object = 'Product2'")
    damaged = file.read_bytes()
    assert run(["ledger", "repair", str(mine)]) == 0
    dropped = len(before) - len(answers_of(file))
    assert answers_of(file).items() <= before.items()
    told = capsys.readouterr().out
    assert f"{dropped} dropped" in told
    assert f"dropped: Product2 {dropped}; $0.0000 were paid" in told
    assert (mine / "ledger.damaged-1.sqlite").read_bytes() == damaged
    # Over a finished org the command would make nothing, and ask for nothing.
    (mine / "manifest.json").unlink()
    assert run(["generate", *SMALL, "--out", str(mine)]) == 0
    assert (mine / "org.sqlite").read_bytes() == org
    assert answers_of(file) == before


def test_a_sound_ledger_is_not_repaired(mine: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Nothing is written where nothing is damaged."""
    before = (mine / "ledger.sqlite").read_bytes()
    assert run(["ledger", "repair", str(mine)]) == 0
    assert "rows are sound; nothing is changed" in capsys.readouterr().out
    assert (mine / "ledger.sqlite").read_bytes() == before
    assert not list(mine.glob("*damaged*"))


def test_a_second_backup_replaces_no_first(mine: Path) -> None:
    """Each repair keeps its damaged ledger under a name of its own."""
    for number in (1, 2):
        changed(mine / "ledger.sqlite", f"UPDATE answers SET cost = 1 WHERE rowid = {number}")
        assert repair(mine).backup == mine / f"ledger.damaged-{number}.sqlite"
    assert len(list(mine.glob("ledger.damaged-*"))) == 2


def test_a_ledger_of_format_1_is_sealed_unless_it_is_damaged(mine: Path) -> None:
    """Rows without digests get one where they have the right form; a ledger with another row is
    refused and stays as it is."""
    file = mine / "ledger.sqlite"
    before = answers_of(file)
    for table in ("answers", "rulings", "meta"):
        changed(file, f"ALTER TABLE {table} DROP COLUMN digest")
    changed(file, "PRAGMA user_version = 1")
    broken = Path(shutil.copy(file, mine / "broken.sqlite"))
    Ledger(file).close()
    assert answers_of(file) == before
    changed(file, "UPDATE answers SET cost = 1 WHERE rowid = 1")
    with pytest.raises(StorageFailed, match="1 of"):
        Ledger(file)
    changed(broken, "UPDATE answers SET entries = '[]' WHERE rowid = 1")
    content = broken.read_bytes()
    with pytest.raises(StorageFailed, match="1 of"):
        Ledger(broken)
    assert broken.read_bytes() == content


def test_a_locked_ledger_is_called_locked(mine: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A ledger that another program holds is not called damaged, by a run nor by its repair."""
    with closing(sqlite3.connect(mine / "ledger.sqlite", isolation_level=None)) as db:
        db.execute("PRAGMA locking_mode = EXCLUSIVE")
        db.execute("BEGIN EXCLUSIVE")
        db.execute("UPDATE answers SET cost = cost")
        words = ["generate", *SMALL, "--out", str(mine)]
        assert run(words) == 1
        said = capsys.readouterr().err
        assert "it is locked" in said
        assert "damaged" not in said
        assert run(["ledger", "repair", str(mine)]) == 1
        said = capsys.readouterr().err
        assert "another program holds it" in said
        assert "damaged" not in said


def answers_of(file: Path) -> dict[str, str]:
    """Key and accepted entries of every mini-batch."""
    with closing(sqlite3.connect(file)) as db:
        return dict(db.execute("SELECT key, entries FROM answers"))


def damages(content: bytes) -> Iterator[bytes]:
    """What faults of a disk may leave of a file: cut, zeroed and flipped at sampled places."""
    chance = random.Random(11)
    yield b""
    for _ in range(20):
        yield content[: chance.randrange(1, len(content))]
    for _ in range(20):
        start = chance.randrange(0, len(content), 512)
        yield content[:start] + bytes(512) + content[start + 512 :]
    for _ in range(60):
        flipped = bytearray(content)
        # The header and the first pages are small, and hit as often as all the rest.
        place = chance.choice([chance.randrange(4096), chance.randrange(len(content))])
        flipped[place] ^= 1 << chance.randrange(8)
        yield bytes(flipped)


def test_no_damage_of_a_ledger_puts_other_words_into_an_org(mine: Path) -> None:
    """However the file is damaged, it is refused in one line or gives exactly what was kept; and
    what a repair keeps is exactly what was kept."""
    file = mine / "ledger.sqlite"
    content, before = file.read_bytes(), answers_of(file)
    refused = repaired = 0
    for damaged in damages(content):
        file.write_bytes(damaged)
        try:
            with Ledger(file) as ledger:
                told = {key: ledger.get(key) for key in before}
            assert answers_of(file) == before
            assert None not in told.values()
        except OrgweaveError as error:
            refused += 1
            assert len(str(error).splitlines()) == 1
            try:
                repaired += repair(mine).backup is not None
                assert answers_of(file).items() <= before.items()
                Ledger(file).close()
            except OrgweaveError as again:
                assert "is of format" in str(again) or "is no ledger" in str(again)
    assert refused > 50
    assert repaired > 40


def emptied(file: Path) -> None:
    """Nothing is left of it."""
    file.write_bytes(b"")


def halved(file: Path) -> None:
    """The second half is gone."""
    content = file.read_bytes()
    file.write_bytes(content[: len(content) // 2])


def zeroed(file: Path) -> None:
    """A piece in the middle is zeros."""
    content = bytearray(file.read_bytes())
    content[len(content) // 2 : len(content) // 2 + 512] = bytes(512)
    file.write_bytes(content)


def flipped(file: Path) -> None:
    """One bit is another one."""
    content = bytearray(file.read_bytes())
    content[content.rindex(b"a")] ^= 1
    file.write_bytes(content)


def foldered(file: Path) -> None:
    """A folder lies in its place."""
    file.unlink()
    file.mkdir()


DAMAGES: list[Callable[[Path], None]] = [emptied, halved, zeroed, flipped, foldered]
FILES = ("manifest.json", "org.sqlite", "latent.sqlite", "ledger.sqlite")
COMMANDS = (
    ["check"],
    ["query", "SELECT Id, Mood FROM Visit"],
    ["export", "--format", "csv"],
    ["trace"],
    ["ledger", "repair"],
)


@pytest.fixture(scope="module")
def toys(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A finished toy run."""
    return toy_run(tmp_path_factory.mktemp("damage") / "made")


@pytest.mark.parametrize("damage", DAMAGES)
@pytest.mark.parametrize("name", FILES)
def test_no_damage_of_a_run_is_a_traceback(
    name: str,
    damage: Callable[[Path], None],
    toys: Path,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """Whatever file of a run is damaged and however, each command ends with its exit code: 0 where
    it reads nothing of that file, else one line."""
    for number, (command, *more) in enumerate(COMMANDS):
        folder = Path(shutil.copytree(toys, tmp_path / str(number)))
        damage(folder / name)
        words = [command, str(folder), *more]
        if command == "ledger":
            words = [command, *more, str(folder)]
        capsys.readouterr()
        code = run(words)
        said = capsys.readouterr()
        lines = said.err.splitlines()
        assert code in (0, 1, 2, 5)
        assert len(lines) == (code in (1, 2)), said.err
        if name == "org.sqlite" and command in ("check", "query", "export"):
            assert code != 0


def test_a_folder_in_the_place_of_the_hidden_story_is_told(
    mine: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """An org without its latent variables is checked without them; a folder with their file's name
    is damage.
    """
    (mine / "latent.sqlite").unlink()
    assert run(["check", str(mine)]) == 0
    (mine / "latent.sqlite").mkdir()
    assert run(["check", str(mine)]) == 1
    assert "latent.sqlite: is no file" in capsys.readouterr().err


def killed_ledger(folder: Path, number: int) -> Path:
    """A ledger as a killed run leaves it: so many mini-batches, the last ones in its log alone."""
    folder.mkdir()
    with Ledger(folder / "open.sqlite") as ledger:
        for place in range(number):
            kept = LedgerEntry({place: {"unit": place, "Name": "a boot"}}, {}, 500, 100, 0.01)
            ledger.put(f"key {place}", "Product2", "{}", kept, "toy")
        for side in ("", "-wal"):
            shutil.copy(folder / f"open.sqlite{side}", folder / f"ledger.sqlite{side}")
    return folder / "ledger.sqlite"


def flip(path: Path, place: int) -> None:
    """Changes a bit of a file."""
    content = bytearray(path.read_bytes())
    content[place] ^= 4
    path.write_bytes(content)


def test_a_log_that_is_whole_is_folded_in(tmp_path: Path) -> None:
    """After a kill every mini-batch that was kept is there."""
    with Ledger(killed_ledger(tmp_path / "run", 20)) as ledger:
        assert ledger.size() == 20


@pytest.mark.parametrize("place", [0, 9, 17, 25, 40, 2_000, 9_000, 30_000])
def test_a_damaged_log_is_told_and_repaired(place: int, tmp_path: Path) -> None:
    """A bit of the log's header, of a frame's or of a page: nothing is dropped in silence, and the
    repair keeps what can be believed.
    """
    path = killed_ledger(tmp_path / "run", 20)
    flip(path.with_name("ledger.sqlite-wal"), place)
    with pytest.raises(StorageFailed, match="is damaged .its log, which holds the last"):
        Ledger(path)
    done = repair(path.parent)
    assert done.backup is not None
    assert any("its log" in fault for fault in done.found.faults)
    with Ledger(path) as ledger:
        assert ledger.size() < 20


def test_a_write_that_a_kill_cut_off_is_no_damage(tmp_path: Path) -> None:
    """The last frame of a log may be half written: what came before it is kept."""
    path = killed_ledger(tmp_path / "run", 20)
    log = path.with_name("ledger.sqlite-wal")
    flip(log, log.stat().st_size - 100)
    with Ledger(path) as ledger:
        assert ledger.size() == 19


def test_what_dropped_rows_have_cost_stays_paid(tmp_path: Path) -> None:
    """A repair notes the cost of the rows that it drops, so that a cost limit still counts it."""
    path = killed_ledger(tmp_path / "run", 5)
    with closing(sqlite3.connect(path)) as db, db:
        db.execute("UPDATE answers SET entries = '{}' WHERE key IN ('key 1', 'key 3')")
    repair(path.parent)
    with Ledger(path) as ledger:
        assert ledger.size() == 3
        dollars, tokens = ledger.paid()
    assert (round(dollars, 6), tokens) == (0.05, 3000)
