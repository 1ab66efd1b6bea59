"""Bad schemas: each fault is found before anything is drawn, and named with its file, its path and
a mend.
"""

from pathlib import Path

import pytest
from pydantic import TypeAdapter

from pipeline.config import RunRequest, load_job
from pipeline.graph import build_graph
from schemas.capacity import capacity
from schemas.errors import SchemaError
from schemas.loader import load_schema
from schemas.model import Beat
from schemas.object_type import ObjectType
from schemas.profile import (
    Profile,
    companies_folder,
    known_companies,
    load_profile,
    schema_folder,
)
from schemas.proofs import Invariant
from schemas.sources import SequenceSource
from schemas.tour import Tour
from schemas.world import World
from tests.toys import toy_job, write_company, write_object

NUMBERED = "OrderNumber"


def fault(folder: Path) -> str:
    """What the loader says of the schema in a folder."""
    with pytest.raises(SchemaError) as caught:
        load_schema(folder)
    return str(caught.value)


def fault_of(folder: Path, fields: str, count: str = "{number: 3}", more: str = "") -> str:
    """What the loader says of a schema whose only object type, Toy, has these fields."""
    write_object(folder, "Toy", fields, count, more)
    return fault(folder)


def graph_fault(folder: Path, fields: str = "", count: str = "{number: 3}") -> str:
    """What the job's graph says of such a schema, where the loader finds no fault."""
    write_object(folder, "Toy", fields, count)
    schema = load_schema(folder)
    with pytest.raises(SchemaError) as caught:
        build_graph(schema)
    return str(caught.value)


def job_fault(folder: Path, **sets: int) -> str:
    """What is said of the toy company's job, before anything is drawn."""
    with pytest.raises(SchemaError) as caught:
        toy_job(folder, **sets)
    return str(caught.value)


@pytest.mark.parametrize("company", known_companies())
def test_a_shipped_schema_has_no_fault(company: str) -> None:
    """Every schema that a shipped profile names loads, and its graph can be built."""
    path = companies_folder() / f"{company}.yaml"
    schema = load_schema(schema_folder(load_profile(path), path))
    assert set(build_graph(schema)) >= {item.name for item in schema.objects}


@pytest.mark.parametrize(("company", "digits"), [("bank", 8), ("utility", 8), ("saas", 6)])
def test_a_firm_of_many_customers_has_long_numbers(company: str, digits: int) -> None:
    """People leave the zeros in front out, and no bank has an account number of three digits."""
    path = companies_folder() / f"{company}.yaml"
    schema = load_schema(schema_folder(load_profile(path), path))
    (source,) = [item.source for item in schema.object("Order").fields if item.name == NUMBERED]
    assert isinstance(source, SequenceSource)
    assert len(str(source.start)) == digits


def test_a_good_schema_is_read_as_it_is_written(tmp_path: Path) -> None:
    """A field's form, source, uniqueness and being required are those of the file."""
    write_object(
        tmp_path,
        "Toy",
        "Name: {type: string, maxLength: 9, x-unique: true, x-source: {sequence: 'T-{:03d}'}}",
        more="required: [Name]",
    )
    name = load_schema(tmp_path).object("Toy").field("Name")
    assert (name.type, name.json_schema["maxLength"], name.unique, name.required) == (
        "string",
        9,
        True,
        True,
    )


FIELD_FAULTS = {
    "unknown keyword": (
        "Name: {type: string, x-sauce: red, x-source: {constant: a}}",
        [
            "properties.Name.x-sauce",
            "unknown keyword",
            "use a JSON Schema keyword or one of",
            "x-source",
        ],
    ),
    "unknown source": (
        "Name: {type: string, x-source: {oracle: yes}}",
        ["properties.Name.x-source", "unknown source 'oracle'", "use one of id, reference, choice"],
    ),
    "missing source": (
        "Name: {type: string}",
        ["properties.Name.x-source", "is missing", "say where the field comes from"],
    ),
    "empty source": (
        "Name: {type: string, x-source: {}}",
        ["properties.Name.x-source", "is missing", "say where the field comes from"],
    ),
    "two sources": (
        "Name: {type: string, x-source: {choice: [a], constant: b}}",
        ["properties.Name.x-source", "constant", "unknown key", "remove it"],
    ),
    "unknown key of a source": (
        "Name: {type: string, x-source: {pattern: '##', size: 4}}",
        ["properties.Name.x-source", "size", "unknown key", "remove it or mend its spelling"],
    ),
    "missing key of a source": (
        "Name: {type: string, x-source: {when: A, then: B}}",
        ["properties.Name.x-source", "else", "is missing", "add it"],
    ),
    "choice of nothing": (
        "Name: {type: string, x-source: {choice: []}}",
        ["properties.Name.x-source", "has no values", "list at least one"],
    ),
    "choice without weight": (
        "Name: {type: string, x-source: {choice: {a: 0}}}",
        ["properties.Name.x-source", "weights must not be negative", "one must be above 0"],
    ),
    "negative weight": (
        "Name: {type: string, x-source: {choice: {a: 2, b: -1}}}",
        ["properties.Name.x-source", "weights must not be negative"],
    ),
    "sequence without number": (
        "Name: {type: string, x-source: {sequence: '{name}'}}",
        ["properties.Name.x-source", "sequence", "no format for a number", "write one such as"],
    ),
    "bound that is no date": (
        "Day: {type: string, format: date, x-source: {range: [someday, period.end]}}",
        ["properties.Day.x-source.range", "'someday' is no date", "write", "period.start"],
    ),
    "day that does not exist": (
        "Day: {type: string, format: date, x-source: {range: ['2021-02-01', '2021-02-30']}}",
        ["properties.Day.x-source.range", "'2021-02-30' is no date"],
    ),
    "bound that is no number": (
        "Size: {type: integer, x-source: {range: [small, 9]}}",
        ["properties.Size.x-source.range", "'small' is no number", "write one"],
    ),
    "written without instruction": (
        "Name: {type: string, x-source: {written: ''}}",
        ["properties.Name.x-source.written", "no instruction", "say in a sentence"],
    ),
    "written with nothing": (
        "Name: {type: string, x-source: {written: }}",
        ["properties.Name.x-source.written", "no instruction", "say in a sentence"],
    ),
    "reference to nothing": (
        "OwnerId: {type: string, x-source: {reference: Owner}}",
        [
            "properties.OwnerId.x-source.reference",
            "no object type Owner",
            "add Owner.yaml or mend the name",
        ],
    ),
    "ids of nothing": (
        "Old: {type: string, x-holds-ids: Owner, x-source: {constant: a}}",
        ["properties.Old.x-holds-ids", "no object type Owner", "add Owner.yaml"],
    ),
    "path to no field": (
        "Name: {type: string, x-source: {copy: Nick}}",
        ["properties.Name.x-source", "Toy has no field Nick", "add it or mend the path"],
    ),
    "template to no field": (
        "Name: {type: string, x-source: {template: 'Dear {Nick:lower}'}}",
        ["properties.Name.x-source", "Toy has no field Nick", "mend the path"],
    ),
    "path behind no reference": (
        (
            "Nick: {type: string, x-source: {constant: a}}\nName: {type: string, x-source: {copy:"
            " Nick.Name}}"
        ),
        [
            "properties.Name.x-source",
            "Toy.Nick is no reference",
            "'Nick.Name' can't go on behind it",
            "end the path there",
        ],
    ),
    "word no profile has": (
        "Name: {type: string, x-source: {copy: company.size}}",
        ["properties.Name.x-source", "there is no company.size", "use one of company.name"],
    ),
    "profile without a word": (
        "Name: {type: string, x-source: {copy: period}}",
        ["properties.Name.x-source", "there is no period", "use one of period.start, period.end"],
    ),
    "latent path without a column": (
        "Name: {type: string, x-source: {latent: Skill}}",
        ["Skill", "no whole path", "write Variable.table.column"],
    ),
    "not JSON Schema": (
        "Name: {type: text, x-source: {constant: a}}",
        ["properties.Name.type", "not JSON Schema 2020-12", "'text'", "mend the keyword"],
    ),
    "bound that JSON Schema forbids": (
        "Name: {type: string, maxLength: -1, x-source: {constant: a}}",
        ["properties.Name.maxLength", "not JSON Schema 2020-12", "mend the keyword"],
    ),
    "empty though it may not be null": (
        "Name: {type: string, x-filled: {share: 0.5}, x-source: {constant: a}}",
        ["properties.Name.x-filled", "its type forbids", 'write type: [string, "null"]'],
    ),
    "empty though a writer writes it": (
        'Name: {type: [string, "null"], x-filled: {share: 0.5}, x-source: {written: "One polite'
        ' sentence."}}',
        ["properties.Name.x-filled", "every record has", "leave x-filled out"],
    ),
    "new among some though unique among all": (
        "Name: {type: string, x-unique: true, x-source: {written: One polite sentence.,"
        " new_among: 9}}",
        ["properties.Name.x-source.new_among", "leave out new_among or x-unique"],
    ),
    "filled in more than all": (
        'Name: {type: [string, "null"], x-filled: {share: 2}, x-source: {constant: a}}',
        ["properties.Name.x-filled.share", "less than or equal to 1"],
    ),
    "field without a form": (
        "Name: text",
        ["properties.Name", "should be a valid dictionary", "got 'text'"],
    ),
}


@pytest.mark.parametrize("name", sorted(FIELD_FAULTS))
def test_a_faulty_field_is_named_with_file_path_and_mend(name: str, tmp_path: Path) -> None:
    """A fault of a field is told with its file, its path and what to do."""
    fields, says = FIELD_FAULTS[name]
    said = fault_of(tmp_path, fields)
    assert str(tmp_path / "Toy.yaml") in said
    assert [part for part in says if part not in said] == []


TOP_FAULTS = {
    "unknown key": (
        "{number: 3}",
        "x-colour: red",
        ["x-colour", "unknown key", "remove it or mend its spelling"],
    ),
    "unknown key of the count": (
        "{number: 3, most: 4}",
        "",
        ["x-count.most", "unknown key", "remove it"],
    ),
    "negative count": (
        "{number: -3}",
        "",
        ["x-count.number", "greater than or equal to 0", "got -3"],
    ),
    "count in no way": ("{}", "", ["x-count", "give exactly one of number, per, cross, latent"]),
    "count in two ways": (
        "{per: Toy, latent: Skill.agents}",
        "",
        ["x-count", "give exactly one of number, per, cross, latent"],
    ),
    "count by nothing": (
        "{per: Box}",
        "",
        ["x-count", "no object type Box", "add Box.yaml or mend the name"],
    ),
    "count by itself": ("{per: Toy}", "", ["x-count", "Toy -> Toy", "remove the reference"]),
    "following nothing": (
        "{number: 3}",
        "x-follows: Box",
        ["x-follows", "no object type Box", "add Box.yaml"],
    ),
    "following itself": (
        "{number: 3}",
        "x-follows: Toy",
        ["x-follows", "Toy -> Toy", "remove the reference"],
    ),
    "required field that is missing": (
        "{number: 3}",
        "required: [Id, Name]",
        ["required", "names field Name", "add it or mend the name"],
    ),
    "key field that is missing": (
        "{number: 3}",
        "x-key-fields: [Title]",
        ["x-key-fields", "names field Title", "add it or mend the name"],
    ),
    "group by a missing field": (
        "{number: 3}",
        "x-unit: {group: ParentId}",
        ["x-unit.group", "names field ParentId", "add it or mend the name"],
    ),
    "batch of none": (
        "{number: 3}",
        "x-unit: {batch: 0}",
        ["x-unit.batch", "greater than or equal to 1", "got 0"],
    ),
    "judge without questions": (
        "{number: 3}",
        "x-judge: {questions: []}",
        ["x-judge.questions", "at least 1 item"],
    ),
    "judge's answer that is no fact": (
        "{number: 3}",
        (
            "x-facts: {size: Size}\nx-judge: {questions: [{asks: 'Which color is it?', answer:"
            " color}]}"
        ),
        ["x-judge", "answer 'color' is none of its x-facts", "use one of size"],
    ),
    "judged always along a missing field": (
        "{number: 3}",
        (
            "x-facts: {size: Size}\nx-judge: {always: Weight, questions: [{asks: 'Which size is"
            " it?', answer: size}]}"
        ),
        ["x-judge.always", "Weight"],
    ),
    "lane along a missing field": (
        "{number: 3}",
        "x-lane: Family",
        ["x-lane", "Toy has no field Family", "mend the path"],
    ),
    "avoid along a missing field": (
        "{number: 3}",
        "x-avoid: Rumor",
        ["x-avoid", "Toy has no field Rumor", "mend the path"],
    ),
    "fact of a missing field": (
        "{number: 3}",
        "x-facts: {price: '{Cost:money}'}",
        ["x-facts.price", "Toy has no field Cost", "mend the path"],
    ),
}


@pytest.mark.parametrize("name", sorted(TOP_FAULTS))
def test_a_faulty_object_type_is_named_with_file_path_and_mend(name: str, tmp_path: Path) -> None:
    """A fault at an object type's top level is told with its file, its path and what to do."""
    count, more, says = TOP_FAULTS[name]
    said = fault_of(tmp_path, "Size: {type: integer, x-source: {constant: 1}}", count, more)
    assert str(tmp_path / "Toy.yaml") in said
    assert [part for part in says if part not in said] == []


def test_broken_yaml_is_told_by_line_and_column(tmp_path: Path) -> None:
    """A file that is no YAML is named with the line and the column of the fault."""
    path = write_object(tmp_path, "Toy", "Name: {type: string, x-source: {constant: a}}")
    path.write_text(path.read_text() + "  Nick: [a, b\n")
    line = len(path.read_text().splitlines()) + 1
    assert f"{path}: broken YAML: line {line}, column 1" in fault(tmp_path)


def test_a_key_that_stands_twice_is_told(tmp_path: Path) -> None:
    """A repeated key is an error with its line: YAML itself would silently keep the last one."""
    path = write_object(
        tmp_path,
        "Toy",
        "Name: {type: string, x-source: {constant: a}}\nName: {type: string, x-source:"
        " {constant: b}}",
    )
    assert f"{path}: broken YAML: line 10, column 3: key 'Name' stands twice" in fault(tmp_path)


def test_a_date_that_does_not_exist_is_broken_yaml(tmp_path: Path) -> None:
    """An unquoted date that is in no calendar is an error that names the file."""
    assert f"{tmp_path / 'Toy.yaml'}: broken YAML" in fault_of(
        tmp_path, "Day: {type: string, format: date, x-source: {constant: 2021-02-30}}"
    )


def test_a_file_must_hold_a_mapping(tmp_path: Path) -> None:
    """A file that holds a list says that a mapping is wanted."""
    (tmp_path / "Toy.yaml").write_text("- title: Toy\n")
    assert f"{tmp_path / 'Toy.yaml'}: must hold a mapping (key: value lines), not list" in fault(
        tmp_path
    )


def test_a_file_must_be_utf_8(tmp_path: Path) -> None:
    """A file in another encoding says which one to save it in."""
    (tmp_path / "Toy.yaml").write_bytes("title: Spielzeugk\xe4stchen\n".encode("latin-1"))
    assert f"{tmp_path / 'Toy.yaml'}: is not UTF-8 text; save it as UTF-8" in fault(tmp_path)


def test_the_title_must_be_the_files_name(tmp_path: Path) -> None:
    """A title unlike the file's name says which one it must be."""
    write_object(tmp_path, "Toy").rename(tmp_path / "Puzzle.yaml")
    assert (
        f"{tmp_path / 'Puzzle.yaml'}: title: is 'Toy'; make it the file's name, 'Puzzle'"
        in fault(tmp_path)
    )


def test_an_object_type_must_have_an_id(tmp_path: Path) -> None:
    """An object type without an Id says how to add one."""
    path = write_object(tmp_path, "Toy", "Name: {type: string, x-source: {constant: a}}")
    path.write_text("\n".join(line for line in path.read_text().splitlines() if "Id:" not in line))
    assert f"{path}: properties: has no Id; add `Id:" in fault(tmp_path)


def test_a_schema_must_lie_in_a_folder_with_object_types(tmp_path: Path) -> None:
    """A folder that is missing or empty is told with what it should hold."""
    (tmp_path / "empty").mkdir()
    assert "no such schema folder 'nowhere'; name one that holds" in fault(tmp_path / "nowhere")
    assert "holds no object types; add a <ObjectType>.yaml file" in fault(tmp_path / "empty")


def test_inherited_facts_need_a_reference(tmp_path: Path) -> None:
    """Facts can be inherited through a reference only."""
    said = fault_of(
        tmp_path,
        "Name: {type: string, x-source: {constant: a}}",
        more="x-facts: {inherit: Name}",
    )
    assert f"{tmp_path / 'Toy.yaml'}: x-facts.inherit: Name is no reference" in said


def test_a_faulty_dialogue_act_is_named(tmp_path: Path) -> None:
    """An unknown key in `_beats.yaml` is told with the act it stands in."""
    write_object(tmp_path, "Toy")
    (tmp_path / "_beats.yaml").write_text("greet: {says: says hello, loud: true}\n")
    said = fault(tmp_path)
    assert f"{tmp_path / '_beats.yaml'}: greet: loud: unknown key; remove it" in said


ACTING = """
Name: {type: string, x-source: {sequence: "T{}"}}
Line: {type: string, maxLength: 200, x-source: {written: Says what was done., beats: acts}}
"""


@pytest.mark.parametrize(
    ("act", "said"),
    [
        ("{says: hello, must: [nobody]}", "greet.must.0: 'nobody' is none of the x-facts"),
        ("{says: hello, uses: {limit: nobody}}", "greet.uses.limit: 'nobody' is none of"),
        ("{says: hello, must: [limit], uses: {limit: Name}}", ""),
        ("{says: hello, must: [acts, Name]}", ""),
    ],
)
def test_an_act_must_name_facts_of_who_says_it(act: str, said: str, tmp_path: Path) -> None:
    """What an act must name, and what it calls by another name, is a fact or a field."""
    write_object(tmp_path, "Toy", ACTING, more="x-facts: {acts: Name}")
    (tmp_path / "_beats.yaml").write_text(f"greet: {act}\n")
    if said:
        assert f"{tmp_path / '_beats.yaml'}: {said}" in fault(tmp_path)
    else:
        assert load_schema(tmp_path).beats["greet"].must


def test_a_faulty_invariant_is_named(tmp_path: Path) -> None:
    """An invariant without its query is told with its place in `_invariants.yaml`."""
    write_object(tmp_path, "Toy")
    (tmp_path / "_invariants.yaml").write_text(
        "invariants:\n- {name: once, says: Only once., tried: SELECT 1}\n"
    )
    assert f"{tmp_path / '_invariants.yaml'}: invariants.0: broken: is missing; add it" in fault(
        tmp_path
    )


def test_a_circle_of_object_types_is_named_exactly(tmp_path: Path) -> None:
    """Two object types that need one another are named as a circle from the alphabet's first on,
    with both files.
    """
    write_object(tmp_path, "EmailMessage", "ParentId: {type: string, x-source: {reference: Case}}")
    write_object(
        tmp_path,
        "Case",
        "FirstMailId: {type: string, x-source: {reference: EmailMessage}}",
    )
    said = fault(tmp_path)
    assert (
        said == f"{tmp_path / 'Case.yaml'}, {tmp_path / 'EmailMessage.yaml'}: object types need one"
        " another in a circle: Case -> EmailMessage -> Case; remove one of its references"
    )


def test_a_circle_by_way_of_a_count_is_found(tmp_path: Path) -> None:
    """A count by another object type closes a circle as a reference does."""
    write_object(tmp_path, "Box", count="{per: Lid}")
    write_object(tmp_path, "Lid", "BoxId: {type: string, x-source: {reference: Box}}")
    assert "Box -> Lid -> Box" in fault(tmp_path)


def test_a_self_reference_is_a_circle(tmp_path: Path) -> None:
    """An object type that draws its own kind, or reads it, can't be drawn and says so."""
    said = fault_of(tmp_path, "ParentId: {type: string, x-source: {reference: Toy}}")
    assert f"{tmp_path / 'Toy.yaml'}: properties.ParentId" in said
    assert "Toy -> Toy" in said
    assert "remove the reference" in said
    by_row = "{type: string, x-source: {reference: Toy, latent: Skill.agents.Id}}"
    said = fault_of(
        tmp_path,
        f"ParentId: {by_row}\nName: {{type: string, x-source: {{copy: ParentId.Id}}}}",
    )
    assert "properties.Name.x-source" in said
    assert "'ParentId.Id' leads from Toy to Toy" in said


def test_rows_of_its_own_kind_may_be_given_by_a_latent_column(tmp_path: Path) -> None:
    """A boss is a user too: row numbers need no record to be there."""
    by_row = "{type: string, x-source: {reference: Toy, latent: Skill.agents.Id}}"
    write_object(tmp_path, "Toy", f"ParentId: {by_row}")
    assert load_schema(tmp_path).object("Toy").field("ParentId").reference == "Toy"


def test_fields_in_a_circle_are_named(tmp_path: Path) -> None:
    """Fields of one record that are made from one another are named as a circle."""
    said = fault_of(
        tmp_path,
        "A: {type: string, x-source: {copy: B}}\nB: {type: string, x-source: {template: '{A}!'}}",
    )
    assert (
        f"{tmp_path / 'Toy.yaml'}: properties.A: fields are made from one another in a circle: A ->"
        " B -> A; give one of them another source" in said
    )


def test_a_field_made_from_itself_is_a_circle(tmp_path: Path) -> None:
    """A field that copies itself is told as the shortest circle."""
    assert "circle: A -> A" in fault_of(tmp_path, "A: {type: string, x-source: {copy: A}}")


def test_an_unknown_latent_variable_is_told_with_those_that_exist(tmp_path: Path) -> None:
    """A latent variable that nobody wrote is told with the file, the path and the known ones."""
    said = graph_fault(tmp_path, "Mood: {type: string, x-source: {latent: Mood.toys.mood}}")
    assert (
        f"{tmp_path / 'Toy.yaml'}: Mood.toys.mood: there is no latent variable Mood; use one of"
        " Assortment, " in said
    )


def test_an_unknown_latent_table_is_told_with_those_that_exist(tmp_path: Path) -> None:
    """A table that a latent variable doesn't draw is told with the ones it draws."""
    said = graph_fault(tmp_path, count="{latent: Solution.answers}")
    assert (
        f"{tmp_path / 'Toy.yaml'}: Solution.answers: Solution has no table answers; it has issues,"
        " options, listed" in said
    )


def test_an_unknown_latent_column_is_told_with_those_that_exist(tmp_path: Path) -> None:
    """A column that a latent table doesn't hold is told with the ones it holds."""
    said = graph_fault(
        tmp_path,
        "Name: {type: string, x-source: {latent: Solution.issues.title}}",
        "{latent: Solution.issues}",
    )
    assert (
        f"{tmp_path / 'Toy.yaml'}: Solution.issues.title: Solution.issues has no column title; it"
        " has Id, key, name" in said
    )


TOO_FEW = {
    "choice": ("Name: {type: string, x-unique: true, x-source: {choice: [a, b, c]}}", 3),
    "choice by weight": (
        "Name: {type: string, x-unique: true, x-source: {choice: {a: 1, b: 2, c: 0, d: 1}}}",
        3,
    ),
    "constant": ("Name: {type: string, x-unique: true, x-source: {constant: a}}", 1),
    "whole numbers": ("Name: {type: integer, x-unique: true, x-source: {range: [2, 8]}}", 7),
    "numbers": ("Name: {type: number, x-unique: true, x-source: {range: [0.5, 0.53]}}", 4),
    "days": (
        (
            "Name: {type: string, format: date, x-unique: true, x-source: {range: ['2021-02-26',"
            " '2021-03-02']}}"
        ),
        5,
    ),
    "seconds": (
        (
            "Name: {type: string, format: date-time, x-unique: true, x-source: {range:"
            " ['2021-02-28T23:59:57', '2021-03-01']}}"
        ),
        4,
    ),
    "pattern of a digit": ("Name: {type: string, x-unique: true, x-source: {pattern: 'T-#'}}", 10),
    "pattern of two signs": (
        "Name: {type: string, x-unique: true, x-source: {pattern: '?*'}}",
        936,
    ),
    "pattern without a sign": (
        "Name: {type: string, x-unique: true, x-source: {pattern: 'T-1'}}",
        1,
    ),
}


@pytest.mark.parametrize("name", sorted(TOO_FEW))
def test_a_unique_field_with_too_few_values_is_an_error_before_anything_is_drawn(
    name: str, tmp_path: Path
) -> None:
    """A unique field takes as many records as its source has values, and one more is an error with
    file, path and mend.
    """
    fields, values = TOO_FEW[name]
    path = write_object(tmp_path / "toy", "Toy", fields)
    assert toy_job(tmp_path, Toy=values).setting.counts["Toy"] == values
    said = job_fault(tmp_path, Toy=values + 1)
    assert f"{path}: properties.Name.x-source: can give only {values} different values" in said
    assert f"there are {values + 1} Toy records; widen it, drop x-unique, or ask for fewer" in said


def test_too_few_values_are_found_at_the_schemas_own_count(tmp_path: Path) -> None:
    """The number in x-count is held against a unique field as one set by hand is."""
    write_object(
        tmp_path / "toy",
        "Toy",
        "Name: {type: string, x-unique: true, x-source: {choice: [a, b, c]}}",
        "{number: 10}",
    )
    assert "only 3 different values, but Name is unique and there are 10 Toy records" in job_fault(
        tmp_path
    )


def test_records_per_parent_are_counted_through_their_parents(tmp_path: Path) -> None:
    """For a count per parent, the parents' numbers multiply."""
    write_object(tmp_path / "toy", "Box", count="{number: 3}")
    write_object(tmp_path / "toy", "Layer", count="{per: Box, number: 2}")
    write_object(
        tmp_path / "toy",
        "Toy",
        "Name: {type: string, x-unique: true, x-source: {pattern: '#'}}",
        "{per: Layer, number: 2}",
    )
    assert "there are 12 Toy records" in job_fault(tmp_path)
    assert toy_job(tmp_path, Box=2).setting.counts == {"Box": 2}


def test_records_of_a_cross_product_are_counted_through_both_parents(tmp_path: Path) -> None:
    """For a cross product, both parents' numbers multiply."""
    write_object(tmp_path / "toy", "Box", count="{number: 3}")
    write_object(tmp_path / "toy", "Color", count="{number: 4}")
    write_object(
        tmp_path / "toy",
        "Toy",
        "Name: {type: string, x-unique: true, x-source: {pattern: '#'}}",
        "{cross: [Box, Color]}",
    )
    assert "there are 12 Toy records" in job_fault(tmp_path)
    assert toy_job(tmp_path, Box=2).setting.counts == {"Box": 2, "Color": 4}


def test_a_field_that_is_not_unique_may_repeat_itself(tmp_path: Path) -> None:
    """A field that isn't unique needs but one value for any number of records."""
    write_object(tmp_path / "toy", "Toy", "Name: {type: string, x-source: {constant: a}}")
    assert toy_job(tmp_path, Toy=5000).setting.counts == {"Toy": 5000}


def test_a_range_over_the_period_is_as_long_as_the_period(tmp_path: Path) -> None:
    """The words period.start and period.end stand for the profile's own days."""
    write_object(
        tmp_path / "toy",
        "Toy",
        "Day: {type: string, format: date, x-unique: true, x-source: {range: [period.start,"
        " period.end]}}",
    )
    job = toy_job(tmp_path, Toy=365)
    assert (
        capacity(job.setting.schema.object("Toy").field("Day"), job.setting.profile.period) == 365
    )
    assert "only 365 different values" in job_fault(tmp_path, Toy=366)


@pytest.mark.parametrize(
    "source",
    [
        "type: integer, x-source: {range: [9, 2]}",
        "type: number, x-source: {range: [1.5, 1.2]}",
        "type: string, format: date, x-source: {range: [period.end, period.start]}",
    ],
)
def test_a_range_that_ends_before_it_begins_is_an_error(source: str, tmp_path: Path) -> None:
    """A range with its bounds the wrong way round says to swap them."""
    path = write_object(tmp_path / "toy", "Toy", f"Size: {{{source}}}")
    assert (
        f"{path}: properties.Size.x-source: the range ends before it begins; swap its bounds"
        in job_fault(tmp_path)
    )


def test_a_source_without_bounds_is_never_too_small(tmp_path: Path) -> None:
    """A running number, a template or a name has as many values as are asked for."""
    fields = """
    Code: {type: string, x-unique: true, x-source: {sequence: "{:03d}"}}
    Mail: {type: string, x-unique: true, x-source: {template: "toy@example.com"}}
    """
    write_object(tmp_path / "toy", "Toy", fields)
    assert load_job(
        RunRequest(str(write_company(tmp_path)), sets={"Toy": 100000})
    ).setting.counts == {"Toy": 100000}


DOCUMENTED = (Profile, World, Tour, ObjectType, Beat, Invariant)


@pytest.mark.parametrize("kind", DOCUMENTED, ids=lambda kind: kind.__name__)
def test_every_key_that_people_write_is_described(kind: type) -> None:
    """Each key of a profile, a world, a tour and a schema says in a sentence what it is for: the
    reference is made of these.
    """
    form = TypeAdapter(kind).json_schema()
    models = [form, *form.get("$defs", {}).values()]
    missing = [
        f"{model['title']}.{key}"
        for model in models
        for key, described in model.get("properties", {}).items()
        if len(described.get("description", "")) < 10
    ]
    assert missing == []
