"""How the source is written, held against the tree itself."""

from pathlib import Path

import pytest

from tests.house import (
    SourceFile,
    bare_floats,
    code_lines,
    files_naming,
    layers,
    longest_function,
    names_used_twice,
    nodes_a_line,
    source_files,
    tangled_comprehensions,
)


@pytest.fixture(scope="module")
def files() -> list[SourceFile]:
    """Every source file, parsed."""
    return source_files()


def toy(tmp_path: Path, text: str) -> list[SourceFile]:
    """A tree of one package with one file."""
    (tmp_path / "toy").mkdir()
    (tmp_path / "toy" / "file.py").write_text(text, encoding="utf-8")
    return source_files(tmp_path, ("toy",))


def test_code_lines_leave_out_docstrings_comments_and_space(tmp_path: Path) -> None:
    """Of nine lines with a docstring, a comment and empty lines three are code."""
    text = '"""Head.\n\nMore.\n"""\n\nvalue = 1\n# why\ndef f() -> int:\n    return value\n'
    assert code_lines(toy(tmp_path, text)[0]) == 3


def test_a_tangled_comprehension_is_found(tmp_path: Path) -> None:
    """A comprehension with two clauses and one with an assignment are found, a plain one is not."""
    text = "a = [x for y in b for x in y]\nc = [z for x in b if (z := x)]\nd = [x for x in b]\n"
    assert tangled_comprehensions(toy(tmp_path, text)) == ["toy/file.py:1", "toy/file.py:2"]


def test_the_code_is_not_dense(files: list[SourceFile]) -> None:
    """A code line holds at most five nodes of the syntax tree on average."""
    assert nodes_a_line(files) <= 5


def test_no_function_is_long(files: list[SourceFile]) -> None:
    """No function has more than fifty lines, its docstring left out."""
    assert longest_function(files) <= 50


def test_comprehensions_have_one_clause(files: list[SourceFile]) -> None:
    """No comprehension has two `for` clauses or assigns a name."""
    assert tangled_comprehensions(files) == []


def test_no_type_name_is_used_twice(files: list[SourceFile]) -> None:
    """Every class and type alias has a name of its own in the whole tree."""
    assert names_used_twice(files) == {}


def test_a_number_without_a_name_is_found(tmp_path: Path) -> None:
    """A share inside a function is found; a constant with a name and a half are not."""
    text = "SHARE = 0.35\n\ndef f(x):\n    return x < 0.5 or x < SHARE or x < 0.7\n"
    assert bare_floats(toy(tmp_path, text)) == ["toy/file.py:4"]


def test_numbers_of_the_simulation_have_names() -> None:
    """Each figure of a hidden cause is a constant, so that it has a place for its reason."""
    assert bare_floats(source_files(packages=("latent",))) == []


def test_import_contracts_have_few_layers() -> None:
    """No contract of import-linter has more than ten layers."""
    assert layers() <= 10


def test_the_run_folder_alone_knows_its_files(files: list[SourceFile]) -> None:
    """Only one file of the packages names `org.sqlite`."""
    assert files_naming(files, "org.sqlite") == 1
