"""Schemas that extend another one: what is laid over, what is left out, what is copied."""

from pathlib import Path

import pytest

from schemas.errors import SchemaError
from schemas.inherit import copy_schema, schema_files
from schemas.loader import load_schema
from schemas.model import Schema

HEAD = "$schema: https://json-schema.org/draft/2020-12/schema\ntype: object\n"
PLANT = (
    HEAD
    + """
title: Plant
description: A plant.
x-key-prefix: a01
x-count: {number: 3}
required: [Id, Name]
properties:
  Id: {type: string, x-source: {id: true}}
  Name: {type: string, x-source: {constant: Fern}}
  Height: {type: integer, x-source: {range: [1, 9]}}
"""
)
POT = (
    HEAD
    + """
title: Pot
description: A pot.
x-key-prefix: a02
x-count: {per: Plant}
properties:
  Id: {type: string, x-source: {id: true}}
  PlantId: {type: string, x-source: {reference: Plant}}
"""
)
RULES = """
invariants:
- {name: tall, says: Plants are tall., tried: SELECT 1, broken: "SELECT Id FROM Plant"}
- {name: potted, says: Pots hold plants., tried: SELECT 1, broken: "SELECT Id FROM Pot"}
"""
BEATS = "c.greets: {says: greets}\n"


def garden(folder: Path) -> Path:
    """A small schema to extend."""
    base = folder / "garden"
    base.mkdir()
    files = {"Plant": PLANT, "Pot": POT, "_invariants": RULES, "_beats": BEATS}
    for name, text in files.items():
        (base / f"{name}.yaml").write_text(text)
    return base


def extended(folder: Path, **files: str) -> Path:
    """A schema beside it that extends it, with these files."""
    garden(folder)
    own = folder / "nursery"
    own.mkdir()
    given = {"_schema": "{extends: garden}", **files}
    for name, text in given.items():
        (own / f"{name}.yaml").write_text(text)
    return own


def fields(schema: Schema, name: str) -> list[str]:
    """The names of an object type's fields."""
    return [field.name for field in schema.object(name).fields]


def test_a_schema_has_all_of_the_one_that_it_extends(tmp_path: Path) -> None:
    """With no files of its own it is the other schema under its own name."""
    schema = load_schema(extended(tmp_path))
    assert schema.name == "nursery"
    assert [item.name for item in schema.objects] == ["Plant", "Pot"]
    assert [rule.name for rule in schema.invariants] == ["tall", "potted"]
    assert list(schema.beats) == ["c.greets"]


def test_fields_are_laid_over_one_by_one(tmp_path: Path) -> None:
    """A stated field takes the place of the other schema's, a null one leaves it out."""
    plant = "properties:\n  Name: null\n  Height: {type: integer, x-source: {constant: 5}}\n"
    schema = load_schema(
        extended(tmp_path, Plant=plant + "  Colour: {type: string, x-source: {constant: green}}")
    )
    assert fields(schema, "Plant") == ["Id", "Height", "Colour"]
    assert not any(
        field.name == "Name" for field in schema.object("Plant").fields if field.required
    )
    assert schema.object("Plant").description == "A plant."


def test_object_types_and_invariants_can_stay_out(tmp_path: Path) -> None:
    """`without` names them; what remains holds together by itself."""
    schema = load_schema(extended(tmp_path, _schema="{extends: garden, without: [Pot, potted]}"))
    assert [item.name for item in schema.objects] == ["Plant"]
    assert [rule.name for rule in schema.invariants] == ["tall"]


def test_invariants_and_acts_are_laid_over_by_name(tmp_path: Path) -> None:
    """One of the same name takes the other's place; a new one is added."""
    rules = (
        "invariants:\n"
        '- {name: tall, says: Not so tall., tried: SELECT 1, broken: "SELECT Id FROM Plant"}\n'
        '- {name: new, says: New., tried: SELECT 1, broken: "SELECT Id FROM Plant"}\n'
    )
    schema = load_schema(extended(tmp_path, _invariants=rules, _beats="c.thanks: {says: thanks}"))
    assert [rule.name for rule in schema.invariants] == ["tall", "potted", "new"]
    assert schema.invariants[0].says == "Not so tall."
    assert list(schema.beats) == ["c.greets", "c.thanks"]


def test_a_copy_needs_no_other_schema(tmp_path: Path) -> None:
    """Copied schemas read the same; files that stand in one folder alone keep their bytes."""
    own = extended(tmp_path, Plant="properties: {Height: null}")
    copied = tmp_path / "far" / "away" / "nursery"
    copy_schema(schema_files(own), copied)
    assert "extends" not in (copied / "_schema.yaml").read_text()
    assert (copied / "Pot.yaml").read_bytes() == (tmp_path / "garden" / "Pot.yaml").read_bytes()
    assert fields(load_schema(copied), "Plant") == fields(load_schema(own), "Plant")
    assert load_schema(copied).invariants == load_schema(own).invariants


@pytest.mark.parametrize(
    ("head", "told"),
    [
        ("{extends: meadow}", "there is no schema 'meadow'"),
        ("{extends: ../garden}", "extends"),
        ("{extends: nursery}", "extends: nursery leads back here"),
        ("{extends: garden, without: [Tree]}", "statistic 'Tree'"),
        ("{without: [Pot]}", "there is nothing to leave out"),
        ("{extends: garden, but: [Pot]}", "but: unknown key"),
    ],
)
def test_a_wrong_head_is_told_in_one_line(tmp_path: Path, head: str, told: str) -> None:
    """What can't be extended or left out is refused with its place."""
    with pytest.raises(SchemaError, match=told):
        schema_files(extended(tmp_path, _schema=head))


def test_a_fault_names_the_file_that_holds_it(tmp_path: Path) -> None:
    """A wrong field of the extending schema is told at its own file."""
    own = extended(tmp_path, Plant="properties: {Height: {type: integer, x-source: {dice: 6}}}")
    with pytest.raises(SchemaError, match=r"nursery.Plant\.yaml: properties\.Height"):
        load_schema(own)


def test_a_copy_of_a_schema_two_steps_away_leaves_out_the_same(tmp_path: Path) -> None:
    """What the schema in between left out is not in the copy's common fields either."""
    middle = extended(tmp_path, _schema="{extends: garden, without: [Pot, potted]}")
    common = "own: {Pot: {Note: {type: string, x-source: {constant: b}}}}\n"
    properties = "properties: {Note: {type: string, x-source: {constant: a}}}\n"
    (tmp_path / "garden" / "_common.yaml").write_text(properties + common)
    last = tmp_path / "shop"
    last.mkdir()
    (last / "_schema.yaml").write_text(f"extends: {middle.name}")
    copied = tmp_path / "far" / "shop"
    copy_schema(schema_files(last), copied)
    assert fields(load_schema(copied), "Plant") == ["Id", "Name", "Height", "Note"]
