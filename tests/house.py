"""`make house`: figures of the source tree, each beside its bound.

Ends with exit code 1 where a figure is out of its bound. Reads source files only; knows nothing of
what the code does.
"""

import ast
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from tests.figures import Figures

ROOT = Path(__file__).parent.parent
PACKAGES = ("orgweave", "pipeline", "latent", "verifiers", "schemas")
STAND_ALONE = Path("orgweave/benchmark/proof/verify.py")
"""The proof that goes with a set of tasks runs without the package, so it knows a run's files."""
PLAIN = (0.0, 0.5, 1.0, 2.0, 60.0)
"""Nothing, a half, all, twice, and the seconds of a minute: they need no name."""
NEXT_TO_NOTHING = 0.001
"""Smaller numbers keep a divisor from being 0."""
COMPREHENSIONS = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)
DOCUMENTED = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)


@dataclass(frozen=True, slots=True)
class SourceFile:
    """One Python file: its path from the root, its lines, its syntax tree and all nodes of that."""

    path: Path
    lines: tuple[str, ...]
    tree: ast.Module
    nodes: tuple[ast.AST, ...]


def source_files(root: Path = ROOT, packages: tuple[str, ...] = PACKAGES) -> list[SourceFile]:
    """Every Python file of the packages, parsed."""
    files = []
    for package in packages:
        for path in sorted((root / package).rglob("*.py")):
            text = path.read_text(encoding="utf-8")
            tree = ast.parse(text)
            nodes = tuple(ast.walk(tree))
            files.append(SourceFile(path.relative_to(root), tuple(text.splitlines()), tree, nodes))
    return files


def code_lines(file: SourceFile) -> int:
    """Lines that are neither empty nor comment nor docstring."""
    documentation: set[int] = set()
    for node in file.nodes:
        if isinstance(node, DOCUMENTED) and ast.get_docstring(node, clean=False) is not None:
            first = node.body[0]
            documentation.update(range(first.lineno, (first.end_lineno or first.lineno) + 1))
    count = 0
    for number, line in enumerate(file.lines, start=1):
        bare = line.strip()
        if bare and not bare.startswith("#") and number not in documentation:
            count += 1
    return count


def nodes_a_line(files: list[SourceFile]) -> float:
    """Statements, expressions and their clauses a code line: how dense the code is."""
    structure = (
        ast.expr_context,
        ast.operator,
        ast.cmpop,
        ast.boolop,
        ast.unaryop,
        ast.arg,
        ast.arguments,
        ast.alias,
        ast.keyword,
        ast.Module,
    )
    nodes = 0
    for file in files:
        nodes += sum(not isinstance(node, structure) for node in file.nodes)
    return nodes / sum(code_lines(file) for file in files)


def type_names(file: SourceFile) -> Iterator[str]:
    """Names of the classes and type aliases that a file defines at its top level."""
    for node in file.tree.body:
        if isinstance(node, ast.ClassDef):
            yield node.name
        elif isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
            name = node.targets[0].id
            if name[0].isupper() and not name.isupper():
                yield name


def names_used_twice(files: list[SourceFile]) -> dict[str, list[str]]:
    """Type names that more than one file defines, with those files."""
    places: dict[str, list[str]] = {}
    for file in files:
        for name in type_names(file):
            places.setdefault(name, []).append(str(file.path))
    return {name: where for name, where in places.items() if len(where) > 1}


def tangled_comprehensions(files: list[SourceFile]) -> list[str]:
    """Comprehensions with several `for` clauses or an assignment inside, as `file:line`."""
    found = []
    for file in files:
        for node in file.nodes:
            if isinstance(node, COMPREHENSIONS):
                assigns = any(isinstance(part, ast.NamedExpr) for part in ast.walk(node))
                if len(node.generators) > 1 or assigns:
                    found.append(f"{file.path}:{node.lineno}")
    return found


def longest_function(files: list[SourceFile]) -> int:
    """Lines of the longest function, its docstring left out."""
    longest = 0
    for file in files:
        for node in file.nodes:
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                start = node.lineno
                if ast.get_docstring(node, clean=False) is not None:
                    start += (node.body[0].end_lineno or 0) - node.body[0].lineno + 1
                longest = max(longest, (node.end_lineno or start) - start + 1)
    return longest


def vague_names(files: list[SourceFile]) -> int:
    """Uses of `one` and `at` as names: words that say nothing of what they stand for."""
    count = 0
    for file in files:
        for node in file.nodes:
            if isinstance(node, ast.Name) and node.id in ("one", "at"):
                count += 1
            if isinstance(node, ast.arg) and node.arg in ("one", "at"):
                count += 1
    return count


def bare_floats(files: list[SourceFile]) -> list[str]:
    """Numbers of a simulation that stand in its functions without a name, as `file:line`."""
    found = set()
    for file in files:
        for node in file.nodes:
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                found |= {f"{file.path}:{line}" for line in _unnamed(node)}
    return sorted(found)


def _unnamed(function: ast.FunctionDef | ast.AsyncFunctionDef) -> Iterator[int]:
    """The lines of a function's numbers with a fraction that say nothing by themselves."""
    for node in ast.walk(function):
        if not isinstance(node, ast.Constant) or type(node.value) is not float:
            continue
        if node.value not in PLAIN and node.value >= NEXT_TO_NOTHING:
            yield node.lineno


def layers() -> int:
    """Layers of the deepest import contract."""
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    contracts = settings["tool"]["importlinter"]["contracts"]
    return max(len(contract.get("layers", [])) for contract in contracts)


def files_naming(files: list[SourceFile], words: str) -> int:
    """Files in whose code (not docstrings) a text holds the words; STAND_ALONE is left out."""
    count = 0
    for file in files:
        if file.path == STAND_ALONE:
            continue
        texts = set()
        for node in file.nodes:
            if isinstance(node, ast.Constant) and isinstance(node.value, str):
                texts.add(node.value)
        documentation = set()
        for node in file.nodes:
            if isinstance(node, DOCUMENTED):
                documentation.add(ast.get_docstring(node, clean=False))
        count += any(words in text for text in texts - documentation)
    return count


def help_seconds() -> float:
    """Processor seconds of `orgweave --help`, the least of five."""
    code = (
        "import resource, subprocess, sys\n"
        "subprocess.run([sys.executable, '-m', 'pipeline', '--help'], stdout=subprocess.DEVNULL)\n"
        "used = resource.getrusage(resource.RUSAGE_CHILDREN)\n"
        "print(used.ru_utime + used.ru_stime)"
    )
    seconds = []
    for _ in range(5):
        ended = subprocess.run(
            [sys.executable, "-c", code],
            check=True,
            capture_output=True,
            text=True,
            cwd=ROOT,
        )
        seconds.append(float(ended.stdout))
    return min(seconds)


def report(figures: Figures) -> None:
    """Prints all figures of the tree as it is."""
    files = source_files()
    tests = source_files(packages=("tests",))
    widest = max(len(line) for file in files for line in file.lines)
    shares = sum(map(code_lines, tests)) / sum(map(code_lines, files))
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    figures("AST nodes a code line", nodes_a_line(files), 5)
    figures("characters of the longest line", widest, 100)
    figures("lines of the longest function", longest_function(files), 50)
    figures("comprehensions with two clauses or a walrus", len(tangled_comprehensions(files)), 0)
    figures("type names used twice", len(names_used_twice(files)), 0)
    figures("names `one` and `at`", vague_names(files), 0)
    latent = [file for file in files if file.path.parts[0] == "latent"]
    figures("numbers of the simulation without a name", len(bare_floats(latent)), 0)
    figures("layers of the deepest import contract", layers(), 10)
    figures("files that name org.sqlite", files_naming(files, "org.sqlite"), 1)
    figures("files of orgweave/soql", files_in("orgweave/soql"), 20)
    figures("files of orgweave/server", files_in("orgweave/server"), 17)
    figures("test lines a code line", shares, 0.6, at_least=True)
    figures("lines of the README", len(readme.splitlines()), 150)
    figures("processor seconds of --help", help_seconds(), 0.3, "s")


def files_in(room: str) -> int:
    """Python files that lie in a folder."""
    return len(list((ROOT / room).glob("*.py")))


if __name__ == "__main__":
    table = Figures()
    report(table)
    table.end()
