"""Names of object types, fields and files: checked where they are read, since they become tables,
columns, files and words of scripts.
"""

import shlex
import subprocess
from pathlib import Path

import pytest

from orgweave.export.bulk_script import ScriptStep, write_script
from pipeline.graph import build_graph
from schemas.errors import BadInput, SchemaError
from schemas.loader import load_schema
from schemas.profile import find_profile, load_profile
from tests.toys import write_company, write_object


def fault(folder: Path) -> str:
    """What the loader says of the schema in a folder."""
    with pytest.raises(SchemaError) as caught:
        load_schema(folder)
    return str(caught.value)


@pytest.mark.parametrize(
    "name",
    ["$(touch PWN)", 'It"em', "It'em", "A b", "1st", "a-b", "Größe", "A.update", "x" * 64],
)
def test_an_object_type_is_named_by_letters_digits_and_underscores(
    tmp_path: Path, name: str
) -> None:
    """Any other name is refused, with the file that has it."""
    path = write_object(tmp_path / "toy", name)
    message = fault(tmp_path / "toy")
    assert message.startswith(f"{path}: title: {name!r:.80} is no name; use")


@pytest.mark.parametrize("name", ["plan", "Plan", "sqlite_x", "SQLite_Master"])
def test_an_object_type_has_no_name_of_the_program_s(tmp_path: Path, name: str) -> None:
    """The upload's plan.json and SQLite's own tables keep their names."""
    write_object(tmp_path / "toy", name)
    assert f"{name!r} is a name of the program's own; choose another" in fault(tmp_path / "toy")


def test_two_object_types_differ_in_more_than_capitals(tmp_path: Path) -> None:
    """SQLite takes `shop` and `Shop` as one table, and some file systems as one file."""
    write_object(tmp_path / "toy", "Shop")
    write_object(tmp_path / "toy", "shop")
    assert "Shop and shop differ only in capitals" in fault(tmp_path / "toy")


def test_two_object_types_have_two_key_prefixes(tmp_path: Path) -> None:
    """Records of two object types would have the same ids."""
    write_object(tmp_path / "toy", "Shop", prefix="0sh")
    write_object(tmp_path / "toy", "Ship", prefix="0sh")
    assert "x-key-prefix: '0sh' is that of Ship too" in fault(tmp_path / "toy")


def test_an_object_type_has_no_latent_variable_s_name(tmp_path: Path) -> None:
    """Both are nodes of one plan."""
    write_object(tmp_path / "toy", "Skill")
    with pytest.raises(SchemaError, match="Skill is the name of a latent variable"):
        build_graph(load_schema(tmp_path / "toy"))


@pytest.mark.parametrize("name", ['"a b"', '"a\\"b"', "1", "true", "null", "2021-01-01", '"N\\n"'])
def test_a_field_is_named_by_letters_digits_and_underscores(tmp_path: Path, name: str) -> None:
    """Any other key is refused, also one that YAML reads as a number, a truth or a date."""
    path = write_object(tmp_path / "toy", "Toy", f"{name}: {{x-source: {{constant: 1}}}}")
    message = fault(tmp_path / "toy")
    assert message.startswith(f"{path}: properties: ")
    assert "is no name; use" in message


@pytest.mark.parametrize("name", ["attributes", "latent", "period", "Company", "rowid"])
def test_a_field_has_no_name_of_the_program_s(tmp_path: Path, name: str) -> None:
    """Words of paths, of the upload and of SQLite keep their meaning."""
    write_object(tmp_path / "toy", "Toy", f"{name}: {{x-source: {{constant: 1}}}}")
    assert f"{name!r} is a name of the program's own; choose another" in fault(tmp_path / "toy")


def test_two_fields_differ_in_more_than_capitals(tmp_path: Path) -> None:
    """SQLite and a CRM take `Name` and `name` as one field."""
    fields = "Name: {x-source: {constant: 1}}\nname: {x-source: {constant: 1}}"
    path = write_object(tmp_path / "toy", "Toy", fields)
    assert fault(tmp_path / "toy").startswith(
        f"{path}: properties: Name and name differ only in capitals"
    )


@pytest.mark.parametrize("name", ["..yaml", "...yaml", "-rf.yaml", "a\nb.yaml"])
def test_a_profile_s_file_has_a_plain_name(tmp_path: Path, name: str) -> None:
    """What is made of it goes to a folder of the file's name, which must be a folder of its own."""
    path = write_company(tmp_path).rename(tmp_path / name)
    with pytest.raises(BadInput, match="can't be used; rename it"):
        find_profile(str(path))


def test_a_schema_s_folder_has_a_name_of_its_own(tmp_path: Path) -> None:
    """`schema: toy/..` would be copied over the run's own files."""
    write_object(tmp_path / "toy", "Toy")
    (tmp_path / "toy" / "within").mkdir()
    assert "the name '..' can't be used" in fault(tmp_path / "toy" / "within" / "..")


@pytest.mark.parametrize("domain", ["toys.example\n", "toys.example\nx.example", "toys.com"])
def test_a_domain_is_reserved_to_its_last_character(tmp_path: Path, domain: str) -> None:
    """A line break behind a reserved domain isn't part of one."""
    path = write_company(tmp_path, f'domain: "{domain}"'.replace("\n", "\\n"))
    with pytest.raises(SchemaError, match="is not reserved for examples"):
        load_profile(path)


def test_a_load_script_runs_no_name(tmp_path: Path) -> None:
    """Every word of load.sh that comes from the org is quoted, whatever it holds."""
    evil = "$(touch PWN)`touch PWN`'\"; touch PWN #"
    steps = [
        ScriptStep(evil, (f"{evil}.csv",), 1),
        ScriptStep(evil, (), 1, key=evil),
        ScriptStep(evil, (f"{evil}.csv",), 1, users=True, optional=True),
    ]
    write_script(tmp_path, steps, steps, resolving=True)
    tools = tmp_path / "tools"
    tools.mkdir()
    stub = tools / "sf"
    # It answers every query with a header and an id.
    stub.write_text("#!/bin/sh\nprintf 'Id\\n001\\n'\n", encoding="utf-8")
    stub.chmod(0o755)
    (tmp_path / f"{evil}.csv".replace("/", "")).write_text("x\n", encoding="utf-8")
    script = f"PATH={shlex.quote(str(tools))}:$PATH sh load.sh org"
    subprocess.run(["sh", "-c", script], cwd=tmp_path, capture_output=True, check=True)
    assert not list(tmp_path.rglob("PWN"))
