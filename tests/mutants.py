"""Do the tests notice changed logic? Changes a line, runs the tests, and tells which change lived.

    python -m tests.mutants [--sample 25] [--seed N] [--room latent] [--jobs 2]   (or: make mutants)

Draws mutants by syntax tree, as many a room, each in another file; runs each against the room's own
tests, then, if it survives, against those that import its module elsewhere and a wider set with the
golden digests; in copies of the tree, so that the tree itself is never touched. Prints a table and
ends with exit code 1 where fewer than nine in ten are killed. The same seed draws the same
mutants from the same tree.

Left out is what no test should hold: messages of errors, texts of effects, floats, annotations,
and what is asked of a random stream, also by a name (`WAIT = (2, 5)` for `rng.integers(*WAIT)`).
A surviving mutant may be equivalent: read it before writing a test. Kills are confirmed at the end:
the tests that killed must pass in the unchanged tree.
"""

import argparse
import ast
import os
import queue
import random
import re
import shutil
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from fnmatch import fnmatch
from pathlib import Path

ROOT = Path(__file__).parent.parent
WANTED_RATE = 0.9

# A room: its folders or files, and the patterns of its own tests.
Room = tuple[tuple[str, ...], tuple[str, ...]]
ROOMS: dict[str, Room] = {
    "soql": (("orgweave/soql",), ("test_soql_*.py", "test_sosl.py")),
    "sample": (
        ("pipeline/sample", "pipeline/world", "schemas/capacity.py"),
        ("test_samplers.py", "test_streams_ids.py", "test_world_*.py", "test_plan.py"),
    ),
    "latent": (("latent",), ("test_latent*.py",)),
    "verifiers": (
        ("verifiers",),
        (
            "test_verifiers*.py",
            "test_conversation_figures.py",
            "test_realism.py",
            "test_rule_sql.py",
            "test_words_compared.py",
            "test_integrity.py",
            "test_judging.py",
        ),
    ),
    "benchmark": (
        ("orgweave/benchmark/*.py",),
        ("test_ablation.py", "test_scoring.py", "test_tasks_*.py"),
    ),
    "write": (("pipeline/write",), ("test_writ*.py", "test_prompts.py", "test_judging.py")),
    "model": (("pipeline/model",), ("test_model_*.py",)),
    "server": (("orgweave/server",), ("test_server_*.py",)),
    "tools": (("orgweave/tools",), ("test_tools*.py",)),
    "export": (("orgweave/export",), ("test_export*.py",)),
    "load": (("orgweave/load",), ("test_upload*.py", "test_load*.py")),
}
# The rooms that answer for truth: drawn from where none is named.
USUAL = ("soql", "sample", "latent", "verifiers", "benchmark")

# What survives its room's tests is tried against these, the quickest to notice first. The digests
# come last: a mutant that they alone kill is one that no rule tells to be wrong.
WIDER = (
    "test_examples.py",
    "test_integrity.py",
    "test_prompts.py",
    "test_profile.py",
    "test_writ*.py",
    "test_tools.py",
    "test_tasks_made.py",
    "test_golden_digests.py",
)

# A mutant that never ends is killed by the clock; the slowest room's tests take a few minutes.
SECONDS_OWN, SECONDS_WIDER = 900, 1800
SKIPPED = (".git", ".venv", "outputs", "*.egg-info", ".*_cache", "__pycache__", ".hypothesis")

EDGES: dict[type[ast.cmpop], ast.cmpop] = {
    ast.Lt: ast.LtE(),
    ast.LtE: ast.Lt(),
    ast.Gt: ast.GtE(),
    ast.GtE: ast.Gt(),
}
LEAST_FIGURE = 10
EXTREMES = {"min": "max", "max": "min"}
TEXTS = (ast.JoinedStr, ast.List, ast.Tuple, ast.ListComp)
# Arguments by these names lay out or configure; they decide nothing.
UNHELD_KEYWORDS = frozenset({"axis", "indent", "maxsplit", "timeout", "width", "stacklevel"})


@dataclass(frozen=True, slots=True)
class Mutant:
    """One changed expression of one file, and the file's text with the change."""

    room: str
    path: str
    line: int
    kind: str
    before: str
    after: str
    text: str


@dataclass(frozen=True, slots=True)
class MutantVerdict:
    """What became of a mutant: the test that killed it, or "" for a survivor."""

    mutant: Mutant
    killed_by: str
    seconds: float


@dataclass(frozen=True, slots=True)
class Change:
    """What may be put in an expression's place."""

    kind: str
    node: ast.expr
    after: str


def changes_of(node: ast.AST) -> Iterator[Change]:
    """Every change of a node and of what is inside it, but for what no test should hold."""
    yield from _own_changes(node)
    asked = _only_asked_of_streams(node) if isinstance(node, ast.Module) else frozenset()
    for child in _held(node):
        if _named(child) not in asked:
            changes = changes_of(child)
            states = isinstance(node, ast.Module) and _named(child)
            yield from map(_of_figure, changes) if states else changes


def _held(node: ast.AST) -> Iterable[ast.AST]:
    """The children of a node that tests should hold."""
    match node:
        case ast.Raise() | ast.JoinedStr():
            return []  # messages, or SQL, which has tests of what it finds
        case ast.Call() if _is_random(node):
            return []
        case ast.keyword() if node.arg in UNHELD_KEYWORDS:
            return []
        case ast.AnnAssign():
            return [node.value] if node.value else []
        case ast.FunctionDef() if node.name == "effects" or node.name.endswith("_effect"):
            return []
        case ast.FunctionDef() | ast.AsyncFunctionDef():
            defaults = [*node.args.defaults, *node.args.kw_defaults]
            return [*filter(None, defaults), *node.body]
    return ast.iter_child_nodes(node)


def _only_asked_of_streams(tree: ast.Module) -> frozenset[str]:
    """The constants of a file that are used in calls of a random stream, and nowhere else in it."""
    asked: dict[int, str] = {}
    for call in filter(_is_random, ast.walk(tree)):
        asked |= {id(name): name.id for name in _loaded(call)}
    often, used = Counter(asked.values()), Counter(name.id for name in _loaded(tree))
    constants = {_named(node) for node in tree.body}
    return frozenset(name for name in constants & used.keys() if often[name] == used[name])


def _of_figure(change: Change) -> Change:
    """The change of a constant: a figure of two digits or more becomes twice as much, or half.

    Most are measured or chosen by eye, as floats are: nothing should hold 181 days to be wrong.
    """
    match change.node:
        case ast.Constant(value=int(figure)) if figure >= LEAST_FIGURE:
            after = figure * 2 if int(change.after) > figure else figure // 2
            return Change(change.kind, change.node, str(after))
    return change


def _loaded(node: ast.AST) -> Iterator[ast.Name]:
    """The names that are read in a node."""
    for part in ast.walk(node):
        if isinstance(part, ast.Name) and isinstance(part.ctx, ast.Load):
            yield part


def _named(node: ast.AST) -> str:
    """The one name that a statement gives a value; "" for another statement."""
    match node:
        case ast.Assign(targets=[ast.Name(id=name)]) | ast.AnnAssign(target=ast.Name(id=name)):
            return name
    return ""


def _own_changes(node: ast.AST) -> Iterator[Change]:
    match node:
        case ast.Compare():
            yield from _edges(node)
        case ast.BoolOp():
            other = ast.Or() if isinstance(node.op, ast.And) else ast.And()
            yield Change("and, or", node, ast.unparse(ast.BoolOp(other, node.values)))
        case ast.UnaryOp(op=ast.Not()):
            yield Change("not dropped", node, ast.unparse(node.operand))
        case ast.BinOp(op=ast.Add() | ast.Sub()) if not (_text(node.left) or _text(node.right)):
            sign = ast.Sub() if isinstance(node.op, ast.Add) else ast.Add()
            changed = ast.BinOp(node.left, sign, node.right)
            yield Change("plus, minus", node, ast.unparse(changed))
        case ast.IfExp():
            swapped = ast.IfExp(node.test, node.orelse, node.body)
            yield Change("branches", node, ast.unparse(swapped))
        case ast.If() if node.orelse:
            yield Change("branches", node.test, f"not ({ast.unparse(node.test)})")
        case ast.Call(func=ast.Name(id="min" | "max" as name)):
            arguments = ast.unparse(node)[len(name) :]
            yield Change("min and max", node, EXTREMES[name] + arguments)
        case ast.Constant() if type(node.value) is int:
            yield Change("one more or less", node, str(node.value + 1))
            yield Change("one more or less", node, str(node.value - 1))


def _edges(node: ast.Compare) -> Iterator[Change]:
    # A drawn float hits an edge once in 2**53 times, and so does a clock: the change is none.
    if any(_is_random(part) or _is_clock(part) for part in ast.walk(node)):
        return
    for place, operator in enumerate(node.ops):
        if type(operator) in EDGES:
            operators = list(node.ops)
            operators[place] = EDGES[type(operator)]
            changed = ast.Compare(node.left, operators, node.comparators)
            yield Change("comparison edge", node, ast.unparse(changed))


def _is_random(node: ast.AST) -> bool:
    """Whether a call draws from a random stream: `rng.integers(...)`, `self.rng.random()`."""
    if not isinstance(node, ast.Call):
        return False
    called = node.func
    while isinstance(called, ast.Attribute):
        called = called.value
        if isinstance(called, ast.Attribute) and called.attr == "rng":
            return True
    return isinstance(called, ast.Name) and called.id in ("rng", "random", "dice")


def _is_clock(node: ast.AST) -> bool:
    """Whether a call reads a clock: `time.monotonic()`."""
    match node:
        case ast.Call(func=ast.Attribute(value=ast.Name(id="time"))):
            return True
    return False


def _text(node: ast.expr) -> bool:
    """Whether an operand of + is plainly no number."""
    if isinstance(node, ast.Constant):
        return not isinstance(node.value, int | float)
    return isinstance(node, TEXTS)


def mutants_of(room: str, path: str, source: str) -> list[Mutant]:
    """Every mutant of a file."""
    lines = source.splitlines(keepends=True)
    return [_mutant(room, path, lines, change) for change in changes_of(ast.parse(source))]


def _mutant(room: str, path: str, lines: Sequence[str], change: Change) -> Mutant:
    """The file with one change."""
    number = isinstance(change.node, ast.Constant)
    put = change.after if number else f"({change.after})"
    text = _spliced(lines, change.node, put)
    before = ast.unparse(change.node)
    return Mutant(room, path, change.node.lineno, change.kind, before, change.after, text)


def _spliced(lines: Sequence[str], node: ast.expr, after: str) -> str:
    """The source with a node's text replaced; a syntax tree counts columns in bytes."""
    if node.end_lineno is None or node.end_col_offset is None:
        raise ValueError("a node without an end")
    first, last = lines[node.lineno - 1].encode(), lines[node.end_lineno - 1].encode()
    head, tail = first[: node.col_offset].decode(), last[node.end_col_offset :].decode()
    before, behind = lines[: node.lineno - 1], lines[node.end_lineno :]
    return "".join([*before, head, after, tail, *behind])


def files_of(room: str, root: Path) -> list[str]:
    """The room's Python files, from the root."""
    files = []
    for folder in ROOMS[room][0]:
        found = root.glob(folder) if folder.endswith(".py") else (root / folder).rglob("*.py")
        files += [path.relative_to(root).as_posix() for path in found]
    if not files:
        raise SystemExit(f"room {room} has no files; mend ROOMS in tests/mutants.py")
    return sorted(files)


def sample(rooms: Sequence[str], number: int, seed: int, root: Path = ROOT) -> list[Mutant]:
    """`number` mutants spread over the rooms, each of a room in another file while files last."""
    drawn = []
    for place, room in enumerate(rooms):
        share = number // len(rooms) + (place < number % len(rooms))
        drawn += _sample_of(room, share, random.Random(f"{seed}|{room}"), root)
    return drawn


def _sample_of(room: str, number: int, dice: random.Random, root: Path) -> list[Mutant]:
    files = files_of(room, root)
    dice.shuffle(files)
    by_file: list[tuple[str, str, list[Change]]] = []
    # No more files are taken apart than are drawn from.
    while files and len(by_file) < number:
        path = files.pop()
        source = (root / path).read_text(encoding="utf-8")
        changes = list(changes_of(ast.parse(source)))
        if changes:
            by_file.append((path, source, changes))
    # Kinds are drawn first: constants are many, conditions few.
    drawn = []
    for turn in range(number):
        path, source, changes = by_file[turn % len(by_file)]
        kind = dice.choice(sorted({change.kind for change in changes}))
        change = dice.choice([change for change in changes if change.kind == kind])
        drawn.append(_mutant(room, path, source.splitlines(keepends=True), change))
    return drawn


def room_tests(patterns: Sequence[str], root: Path) -> list[str]:
    """The test files that the patterns name, in the patterns' order; raises where none is left."""
    names = sorted(path.name for path in (root / "tests").glob("test_*.py"))
    found: list[str] = []
    for pattern in patterns:
        found += [name for name in names if fnmatch(name, pattern) and name not in found]
    if not found:
        raise SystemExit(f"no test matches {', '.join(patterns)}; mend tests/mutants.py")
    return [f"tests/{name}" for name in found]


def near_and_far(tests: Sequence[str], path: str, tree: Path) -> tuple[list[str], list[str]]:
    """The test files that import the module of a file, which notice a change soonest; the others.

    Most mutants are killed by the near ones: a process of their own need not collect the rest.
    """
    room, _, name = path.removesuffix(".py").replace("/", ".").rpartition(".")
    imported = re.compile(rf"from {re.escape(room)}(\.{name}\b| import .*\b{name}\b)")

    near = [test for test in tests if imported.search((tree / test).read_text(encoding="utf-8"))]
    return near, [test for test in tests if test not in near]


def stages_of(mutant: Mutant, tree: Path) -> list[tuple[list[str], int]]:
    """The test files that are run against a mutant, stage by stage, and the seconds of each stage.

    The room's own tests come first. A test that imports the module holds it wherever its file's
    name puts it; it is run before the wider set, whose digests tell no rule.
    """
    own = room_tests(ROOMS[mutant.room][1], tree)
    near, far = near_and_far(own, mutant.path, tree)
    wider = [test for test in room_tests(WIDER, tree) if test not in own]
    others = [test for test in room_tests(("test_*.py",), tree) if test not in {*own, *wider}]
    elsewhere, _ = near_and_far(others, mutant.path, tree)
    stages = ((near, SECONDS_OWN), (far, SECONDS_OWN), (elsewhere, SECONDS_OWN))
    return [(tests, limit) for tests, limit in (*stages, (wider, SECONDS_WIDER)) if tests]


def first_failure(tree: Path, tests: Sequence[str], seconds: int) -> str:
    """The first test that fails in a copy of the tree (or "out of time"); "" where all pass."""
    command = [sys.executable, "-m", "pytest", "-x", "-q", "-n", "0", "--hypothesis-seed=0"]
    try:
        result = subprocess.run(
            [*command, "-rfE", "-p", "no:cacheprovider", *tests],
            cwd=tree,
            env={**os.environ, "PYTHONPATH": str(tree)},
            capture_output=True,
            text=True,
            timeout=seconds,
            check=False,
        )
    except subprocess.TimeoutExpired:
        return "out of time"
    if result.returncode == 0:
        return ""
    told = re.search(r"^(?:FAILED|ERROR) (?:tests/)?([^ \n]+)", result.stdout, re.MULTILINE)
    return told[1] if told else f"pytest ended with {result.returncode}"


def judge(mutant: Mutant, tree: Path, stamp: int) -> MutantVerdict:
    """Runs the tests against one mutant in a copy of the tree, which is as before afterwards."""
    path, started = tree / mutant.path, time.monotonic()
    original = path.read_text(encoding="utf-8")
    killed_by = ""
    try:
        _write(path, mutant.text, stamp)
        for tests, limit in stages_of(mutant, tree):
            killed_by = killed_by or first_failure(tree, tests, limit)
    finally:
        _write(path, original, stamp + 1)
    return MutantVerdict(mutant, killed_by, time.monotonic() - started)


def _write(path: Path, text: str, stamp: int) -> None:
    """Each writing gets a second of its own: compiled files are told fresh by size and second."""
    path.write_text(text, encoding="utf-8")
    os.utime(path, (stamp, stamp))


def copy_tree(source: Path, target: Path) -> Path:
    """A copy of the tree without what is not part of it."""
    shutil.copytree(source, target, ignore=shutil.ignore_patterns(*SKIPPED))
    return target


def run(tree: Path, mutants: Sequence[Mutant], jobs: int) -> Iterator[MutantVerdict]:
    """Verdicts in the order of the mutants; `jobs` copies of `tree` work side by side."""
    with tempfile.TemporaryDirectory() as scratch, ThreadPoolExecutor(jobs) as workers:
        trees: queue.SimpleQueue[Path] = queue.SimpleQueue()
        for number in range(jobs):
            trees.put(copy_tree(tree, Path(scratch) / f"tree_{number}"))

        def in_some_tree(place: int) -> MutantVerdict:
            free = trees.get()
            try:
                return judge(mutants[place], free, 1_000_000_000 + 2 * place)
            finally:
                trees.put(free)

        yield from workers.map(in_some_tree, range(len(mutants)))


def check_killers(tree: Path, verdicts: Iterable[MutantVerdict]) -> None:
    """Refuses kills by tests that fail anyway: each test that killed passes in the unchanged tree.

    Only those tests are run, and all at once: the whole rooms would take longer than most mutants.
    """
    killers = killers_of(verdicts)
    failed = first_failure(tree, killers, SECONDS_WIDER) if killers else ""
    if failed:
        raise SystemExit(f"{failed} fails without any mutant; mend that first")


def killers_of(verdicts: Iterable[MutantVerdict]) -> list[str]:
    """The tests that killed, each once and with all its parameters, as pytest takes them."""
    named = [each.killed_by for each in verdicts if each.killed_by.startswith("test_")]
    return sorted({f"tests/{name.partition('[')[0]}" for name in named})


def line_of(verdict: MutantVerdict) -> str:
    """A verdict as a line of the table: fate, place, time, change, the test that noticed it."""
    mutant = verdict.mutant
    fate = "killed  " if verdict.killed_by else "SURVIVED"
    place = f"{mutant.path}:{mutant.line}"
    change = f"{_short(mutant.before)} -> {_short(mutant.after)}"
    told = f"\n{'':9}by {verdict.killed_by}" if verdict.killed_by else ""
    return f"{fate} {mutant.room:10} {place:40} {verdict.seconds:5.0f} s  {change}{told}"


def _short(text: str) -> str:
    return text if len(text) <= 70 else f"{text[:67]}..."


def main(arguments: Sequence[str] | None = None) -> int:
    """Draws, runs, prints; 0 where enough are killed."""
    parser = argparse.ArgumentParser(description="Do the tests notice changed logic?")
    parser.add_argument("--sample", type=int, default=25, help="how many mutants, over all rooms")
    parser.add_argument("--seed", type=int, default=1, help="which mutants")
    parser.add_argument("--room", action="append", choices=ROOMS, help="may be given again")
    parser.add_argument("--jobs", type=int, default=2, help="how many run side by side")
    parser.add_argument("--list", action="store_true", help="print the mutants, run nothing")
    given = parser.parse_args(arguments)
    rooms = given.room or USUAL
    with tempfile.TemporaryDirectory() as scratch:
        # One copy for drawing, for the runs and for the check: the tree may be worked on meanwhile.
        tree = copy_tree(ROOT, Path(scratch) / "tree")
        mutants = sample(rooms, given.sample, given.seed, tree)
        if given.list:
            for mutant in mutants:
                print(f"{mutant.path}:{mutant.line} {mutant.before} -> {mutant.after}")
            return 0
        verdicts = []
        for verdict in run(tree, mutants, given.jobs):
            verdicts.append(verdict)
            print(line_of(verdict), flush=True)
        check_killers(tree, verdicts)
    killed = sum(bool(verdict.killed_by) for verdict in verdicts)
    rate = killed / len(mutants)
    print(f"{killed} of {len(mutants)} killed ({rate:.0%}), wanted {WANTED_RATE:.0%}")
    return 0 if rate >= WANTED_RATE else 1


if __name__ == "__main__":
    sys.exit(main())
