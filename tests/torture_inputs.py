"""Torture by input: profiles, schemas, lexicons, options, tasks, id maps and ledgers that somebody
has written or edited. Each is taken, or told of in a line; what was sealed by a digest is refused.
"""

import argparse
import json
import random
import shutil
import sqlite3
from collections.abc import Callable, Sequence
from contextlib import closing
from pathlib import Path

from orgweave.cli import COMMANDS, command_parser
from schemas.profile import lexicons_folder
from tests.test_hostile_files import COMPANY, OWN, TOY
from tests.torture_crm import crm, loading
from tests.torture_orgs import EVALUATE, GENERATE, TASKS, copied, prepared
from tests.torture_trial import Budget, ChildEnd, command, judged

SHIPPED = lexicons_folder().parent
ODD_YAML = (
    *("null", "true", "-1", "1e999", ".nan", "2021-02-30", "[]", "{}", "[a, b]", "{a: b}", "''"),
    *("99999999999999999999", "'{latent}'", "'{0.__class__}'", "&a [*a]", "!!python/name:os", "~"),
    *("é" * 300, "a" * 70_000, "'[a|b'", "'{Name:\u00b2}'", "0x", "- - -", "? x", "'\\x00'"),
)
ODD_WORDS = (
    *("", " ", "\0", "-1", "0", "nan", "1e999", "999999999999999999999", "../..", "nowhere/x", "é"),
    *("a" * 10_000, "$(x)", "%00", "--", "Case=-1", "Case=5", "x=y", "2023-02-30", "2023-12-31"),
    *("csv", "text", "oracle", "SELECT", "SELECT COUNT() FROM Case", "FIND {a}", "0,0", "1,2,3"),
)
NOT_TRIED = ("serve", "explore", "mcp", "upload")
"""Commands that go on, or ask another machine: other parts try them."""
NO_MODEL = ("--model", "--base-url", "--batch", "--batch-dir", "--open")
"""Options by which somebody else is called."""
LEDGER_FAULTS = (
    "UPDATE answers SET entries = replace(entries, 'e', 'a')",
    "UPDATE answers SET entries = '{}'",
    "UPDATE answers SET entries = substr(entries, 3)",
    "UPDATE answers SET verdicts = '[]'",
    "UPDATE answers SET key = hex(randomblob(32))",
    "UPDATE answers SET cost = 'much'",
    "UPDATE answers SET entries = zeroblob(100)",
    "DELETE FROM answers WHERE rowid % 2",
    "DROP TABLE rulings",
    "ALTER TABLE answers DROP COLUMN verdicts",
    "UPDATE answers SET entries = NULL",
    "CREATE TRIGGER t AFTER INSERT ON answers BEGIN SELECT RAISE(ABORT, 'no'); END",
)


def inputs(budget: Budget) -> None:
    """Tries all kinds of input in turn."""
    whole = prepared(budget.scratch)
    idmap = uploaded(budget, whole)
    right = {tried.name: made(tried, whole, budget) for tried in (GENERATE, EVALUATE)}
    mapped = with_idmap(budget, whole, idmap)
    kinds: tuple[Callable[[int, random.Random], None], ...] = (
        lambda number, rng: yaml_files(budget, number, rng),
        lambda number, rng: yaml_files(budget, number, rng),
        lambda number, rng: shipped_files(budget, number, rng),
        lambda number, rng: options(budget, whole, number, rng),
        lambda number, rng: options(budget, whole, number, rng),
        lambda number, rng: ledgers(budget, whole, right, number, rng),
        lambda number, rng: idmaps(budget, whole, idmap, mapped, number, rng),
    )
    for number, rng in budget.trials():
        if number % 25 == 0:
            edited_tasks(budget, whole, right, number, rng)
        else:
            kinds[number % len(kinds)](number, rng)


def made(tried, whole: Path, budget: Budget) -> object:
    """What a command makes of the whole org."""
    folder = copied(whole, budget.scratch / "right")
    return tried.made(folder, tried.run(folder))


def told_or_taken(budget: Budget, end: ChildEnd, what: str) -> None:
    """Exit code 0, or a code of the project's own and a line; never both a code and no word."""
    if judged(budget.tally, end, what) and end.code not in (0, 1, 2, 3, 4, 5):
        budget.tally.fail("traceback", f"{what}: exit code {end.code}: {end.said[:200]}")


def yaml_files(budget: Budget, number: int, rng: random.Random) -> None:
    """A small company of one's own, of whose files one is mangled."""
    folder = budget.scratch / "own"
    shutil.rmtree(folder, ignore_errors=True)
    texts = {"toys.yaml": COMPANY, "toy/Toy.yaml": TOY, "own/rules.yaml": OWN}
    name = rng.choice(sorted(texts))
    texts[name] = mangled(rng, texts[name])
    for place, text in texts.items():
        path = folder / place
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8", errors="surrogateescape")
    making = ["generate", "--company", "toys.yaml", "--out", "made"]
    words = rng.choice([["plan", "--company", "toys.yaml"], making, [*making, "--limit", "2"]])
    told_or_taken(budget, command(words, folder).end(), f"{number}: {name} mangled, {words[0]}")


def shipped_files(budget: Budget, number: int, rng: random.Random) -> None:
    """A copy of what ships, of which one file is mangled."""
    folder = budget.scratch / "shipped"
    shutil.rmtree(folder, ignore_errors=True)
    shutil.copytree(SHIPPED / "service_cloud", folder / "service_cloud")
    shutil.copytree(SHIPPED / "lexicons" / "goods", folder / "own")
    profile = (SHIPPED / "companies" / "saas.yaml").read_text(encoding="utf-8")
    lines = [line for line in profile.splitlines() if not line.startswith(("lexicon:", "schema:"))]
    text = "\n".join([*lines, "schema: service_cloud", "lexicon: own", ""])
    (folder / "firm.yaml").write_text(text, encoding="utf-8")
    path = rng.choice(sorted(folder.rglob("*.yaml")))
    path.write_text(mangled(rng, path.read_text(encoding="utf-8")), encoding="utf-8")
    words = ["plan", "--company", "firm.yaml", "--scale", "0.02"]
    if number % 5 == 0:
        words = ["generate", *words[1:], "--out", "made"]
    what = f"{number}: {path.relative_to(folder)} mangled, {words[0]}"
    told_or_taken(budget, command(words, folder).end(), what)


def mangled(rng: random.Random, text: str) -> str:
    """A text with a value replaced, a line lost, doubled or moved, or letters changed."""
    lines = text.split("\n")
    for _ in range(rng.choice([1, 1, 1, 2, 4])):
        place = rng.randrange(len(lines))
        line = lines[place]
        match rng.randrange(6):
            case 0 | 1 if ":" in line:
                lines[place] = f"{line.partition(':')[0]}: {rng.choice(ODD_YAML)}"
            case 2:
                del lines[place]
                lines = lines or [""]
            case 3:
                lines.insert(place, line)
            case 4:
                lines[place] = " " * rng.randrange(6) + line.strip()
            case _:
                spot = rng.randrange(len(line) + 1)
                sign = rng.choice(":{}[]|,&*!?'\"%@`\t#-é0")
                lines[place] = line[:spot] + sign + line[spot + rng.randrange(2) :]
    return "\n".join(lines)


def options(budget: Budget, whole: Path, number: int, rng: random.Random) -> None:
    """A command with options that nobody should give."""
    name = rng.choice([name for name in COMMANDS if name not in NOT_TRIED])
    folder = copied(whole, budget.scratch / "optioned")
    words = [name]
    for action in command_parser(name)._actions:
        if not action.option_strings:
            words.append(rng.choice([str(folder), str(folder), str(folder), rng.choice(ODD_WORDS)]))
        elif action.option_strings[-1] not in NO_MODEL:
            words += option(rng, action)
    if "--company" in words and "--scale" not in words:
        words += ["--scale", "0.02"]
    told_or_taken(budget, command(words, folder.parent).end(), f"{number}: {words!r:.300}")


def option(rng: random.Random, action: argparse.Action) -> Sequence[str]:
    """An option with an odd value, or none."""
    name = action.option_strings[-1]
    if name in ("--help", "--version") or (not action.required and rng.random() < 0.7):
        return ()
    if action.nargs == 0:
        return (name,)
    if name == "--company" and rng.random() < 0.8:
        return (name, "shoes")
    if name == "--scale":
        return (name, rng.choice(["0.02", "0.01", "-1", "nan", "1e9", "x"]))
    if name == "--per-task":
        return (name, rng.choice(["1", "0", "-1", "x"]))
    return (name, rng.choice(ODD_WORDS))


def ledgers(
    budget: Budget,
    whole: Path,
    right: dict[str, object],
    number: int,
    rng: random.Random,
) -> None:
    """A ledger that somebody has edited: the run is refused, or makes the same org."""
    folder = copied(whole, budget.scratch / "ledger")
    fault = rng.choice(LEDGER_FAULTS)
    with closing(sqlite3.connect(folder / "ledger.sqlite")) as db, db:
        try:
            db.execute(fault)
        except sqlite3.IntegrityError:
            return  # The table itself refuses such a row.
    end = GENERATE.run(folder)
    what = f"{number}: ledger, {fault}"
    told_or_taken(budget, end, what)
    if end.code == 0 and GENERATE.made(folder, end) != right[GENERATE.name]:
        budget.tally.fail("silent", what)


def edited_tasks(
    budget: Budget,
    whole: Path,
    right: dict[str, object],
    number: int,
    rng: random.Random,
) -> None:
    """Tasks or their report that somebody has edited: they are refused, or score the same."""
    folder = copied(whole, budget.scratch / "tasks")
    path = folder / "tasks" / rng.choice(["tasks.jsonl", "report.json"])
    content = bytearray(path.read_bytes())
    for _ in range(rng.randrange(1, 4)):
        content[rng.randrange(len(content))] = rng.randrange(256)
    path.write_bytes(content)
    end = EVALUATE.run(folder)
    what = f"{number}: {path.name} edited"
    told_or_taken(budget, end, what)
    if end.code == 0 and EVALUATE.made(folder, end) != right[EVALUATE.name]:
        budget.tally.fail("silent", what)


def uploaded(budget: Budget, whole: Path) -> bytes:
    """The id map of a whole upload."""
    path = budget.scratch / "whole.jsonl"
    with crm(whole, "Synth_Id__c") as url:
        end = command(loading(url, whole, path), budget.scratch).end()
    assert end.code == 0, end.err
    return path.read_bytes()


def with_idmap(budget: Budget, whole: Path, idmap: bytes) -> object:
    """The tasks that are made with an id map; None where it is refused."""
    folder = copied(whole, budget.scratch / "mapped")
    path = budget.scratch / "some.jsonl"
    path.write_bytes(idmap)
    words = [*TASKS.words(folder), "--idmap", str(path)]
    end = command(words, folder.parent).end()
    told_or_taken(budget, end, "an edited id map")
    return None if end.code else TASKS.made(folder, end)


def idmaps(
    budget: Budget,
    whole: Path,
    idmap: bytes,
    mapped: object,
    number: int,
    rng: random.Random,
) -> None:
    """An id map that somebody has edited: it is refused, or gives the same tasks."""
    lines = idmap.split(b"\n")
    place = rng.randrange(len(lines) - 1)
    edits = {
        "a bit": lambda line: bytes([line[0] ^ 8]) + line[1:],
        "an id": lambda line: line.replace(b'"id":"0', b'"id":"1').replace(b"org_id", b"orgid"),
        "another id": lambda line: line.replace(b"sb000", b"sb001"),
        "a number": lambda line: json.dumps(5).encode(),
        "brackets": lambda line: b"[" * 50_000,
        "no UTF-8": lambda line: b"\xff" + line,
        "an object": lambda line: b'{"id": 5, "org_id": []}',
    }
    name = rng.choice(sorted(edits))
    lines[place] = edits[name](lines[place])
    found = with_idmap(budget, whole, b"\n".join(lines))
    if found is not None and found != mapped:
        budget.tally.fail("silent", f"{number}: id map, line {place + 1}: {name}")
