"""Files from anybody: whatever a profile, a schema or a lexicon holds, the command line ends with
an exit code and one clear line; it prints no traceback, never hangs, accepts nothing in silence.
"""

import os
import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import yaml
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from orgweave.cli import run
from pipeline.config import RunRequest, load_job, memory_size
from pipeline.write.grammar import expand, parse
from schemas.capacity import check_size
from schemas.errors import BadInput, SchemaError
from schemas.files import read_yaml
from tests.toys import toy_job, write_company, write_object

TEXT = "Name: {type: string, x-source: {constant: abc}}\n"
SENTENCE = "written: A sentence on the toy."

FIELDS = {
    "type: string, x-source: {template: '{Name:money}'}": "the filter 'money' can't take a value",
    "type: string, x-source: {template: '{Name:long_date}', after: x}": "after: unknown key",
    "type: string, x-source: {template: '{Name:²}'}": "unknown filter '²'",
    f"type: string, x-source: {{template: '{{Name:{'9' * 5000}}}'}}": "unknown filter '999",
    "type: string, x-source: {template: '{latent}'}": "is no whole path to a latent value",
    "type: string, x-source: {copy: latent}": "is no whole path to a latent value",
    "type: string, x-source: {copy: company}": "there is no company; use one of company.name",
    "type: number, x-source: {range: [.nan, 1]}": "range.0: must be a number from -2^53",
    "type: number, x-source: {range: [0, .inf]}": "range.1: must be a number from -2^53",
    "type: number, x-source: {range: [1.0e+308, 1.7e+308]}": "range.0: must be a number from",
    "type: integer, x-source: {range: [0, 99999999999999999999]}": "range.1: must be a number",
    "type: string, format: date, x-source: {range: [period.start, period.end], after: Name}": (
        "x-source.after: Name gives no date"
    ),
    "type: integer, x-source: {constant: 9223372036854775808}": "constant: must be a number",
    "type: number, x-source: {constant: .nan}": "constant: must be a number from",
    "type: integer, x-source: {choice: [1, 9223372036854775808]}": "choice.1: must be a number",
    "type: integer, x-source: {choice: {'9223372036854775808': 1}}": "which is no integer",
    "type: number, x-source: {map: Name, to: {a: 1}, default: -.inf}": "default: must be a number",
    "type: ['null'], x-source: {constant: null}": "type: is ['null'], which no field can have",
    "type: 'null', x-source: {constant: null}": "type: is 'null', which no field can have",
    "type: object, x-source: {constant: 1}": "type: is 'object', which no field can have",
    "type: string, maxLength: 3.0, x-source: {copy: Name}": "3.0 is no length",
    "type: string, maxLength: 0, x-source: {copy: Name}": "maxLength: leaves no room",
    "type: string, minLength: 9, maxLength: 5, x-source: {copy: Name}": "leaves no room",
    "type: string, minLength: 100000000, x-source: {copy: Name}": "100000000 is no length",
    "type: string, x-source: {sequence: '{:>999999999}'}": "is no format for a number",
    "type: string, x-source: {sequence: '{0.__class__.__mro__}'}": "is no format for a number",
    "type: string, x-source: {sequence: '{:0999d}'}": "is no format for a number",
    "type: string, x-source: {sequence: '{}-{}'}": "is no format for a number",
    "type: string, x-source: {sequence: no number}": "is no format for a number",
    "type: integer, x-source: {sequence: '{}', start: 9223372036854775807}": "start: Input should",
    "type: string, x-source: {faker: xml}": "Faker has no provider",
    "type: string, x-source: {faker: pystr, args: {max_chars: 100000000}}": "Faker has no provider",
    "type: string, x-source: {faker: seed_instance}": "Faker has no provider",
    "type: string, x-source: {faker: date_this_year}": "Faker has no provider",
    "type: string, x-source: {faker: text, args: {max_nb_chars: 100000000}}": "asks for too much",
    f"type: string, x-source: {{faker: lexify, args: {{text: '{'?' * 9999}'}}}}": "for too much",
    f"type: string, x-source: {{pattern: '{'#' * 1_000_000}'}}": "at most 255 characters",
    "type: number, x-source: {distribution: normal, args: [1, 2], low: 9, high: 3}": "low is above",
    "type: number, x-source: {distribution: normal, args: [.nan, 2]}": "args.0: must be a number",
    "type: integer, x-source: {distribution: geometric, args: [1.0e-300]}": "beyond 2^53",
    "type: string, x-createable: 'no', x-source: {copy: Name}": "should be a valid boolean",
    "type: string, x-unique: 'yes', x-source: {copy: Name}": "should be a valid boolean",
    f"type: string, x-source: {{{SENTENCE}, must: [nothing]}}": "'nothing' is none of the x-facts",
    f"type: string, x-source: {{{SENTENCE}, beats: nothing}}": "'nothing' is none of the x-facts",
    f"type: string, x-source: {{{SENTENCE}, words: 1000000000}}": "less than or equal to 10000",
    f"type: string, x-source: {{{SENTENCE}, words: -5}}": "greater than or equal to 1",
    "type: string, pattern: '(', x-source: {copy: Name}": "not JSON Schema 2020-12",
    "type: string, pattern: 'a{9999999999}', x-source: {copy: Name}": "a pattern is too large",
    f"type: string, pattern: '{'(' * 900}{')' * 900}', x-source: {{copy: Name}}": "is too large",
}
"""A field's keywords, and what is said of them."""

PROFILES = {
    "seed: true": "seed: Input should be a valid integer",
    "seed: '1'": "seed: Input should be a valid integer",
    "counts: {Toy: true}": "counts.Toy: Input should be a valid integer",
    "counts: {Toy: 1000000000}": "would make 1,000,000,000 records (most of them Toy",
    "counts: {Toy: 1.5}": "counts.Toy: Input should be a valid integer",
    'domain: "toys.example\\nx"': "is not reserved for examples",
    "rates: {closed: .nan}": "rates.closed: Input should be",
    "period: {start: 2021-01-01, end: 99999-12-31}": "period",
    "categories: [[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]": "30 deep",
    "team: &a [*a]": "its aliases make more than",
    "team: *nobody": "broken YAML",
    'team: "a\\0b"': "holds a control character",
}
"""A profile's lines, and what is said of them."""

LEXICON = {
    "rules: [a]": "rules: must hold names",
    "rules: {1: [a]}": "rules.1: is no name",
    "rules: {a: []}": "rules.a: must be a list of texts",
    "rules: {a: [1]}": "rules.a: must be a list of texts",
    f"rules: {{a: ['{'word ' * 100_000}']}}": "rules.a: a line has more than 5,000 characters",
    "1: [a]": "unknown key 1; use rules",
}
"""A lexicon's file, and what is said of it."""


def said(capsys: pytest.CaptureFixture[str], *words: str) -> str:
    """The one line that the command line says of bad input, behind the exit code 2."""
    code = run(words)
    printed = capsys.readouterr().err.splitlines()
    assert code == 2, printed
    assert len(printed) == 1
    return printed[0]


@pytest.mark.parametrize(("keywords", "reason"), FIELDS.items(), ids=range(len(FIELDS)))
def test_a_hostile_field_is_told_in_one_line(
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    keywords: str,
    reason: str,
) -> None:
    """The line names the file and the field, and the run ends with exit code 2."""
    path = write_object(tmp_path / "toy", "Toy", f"{TEXT}It: {{{keywords}}}")
    line = said(capsys, "plan", "--company", str(write_company(tmp_path)))
    assert line.startswith(f"orgweave: {path}: properties.It")
    assert reason in line
    assert len(line) < 1_500 + len(str(path))


@pytest.mark.parametrize(("more", "reason"), PROFILES.items(), ids=range(len(PROFILES)))
def test_a_hostile_profile_is_told_in_one_line(
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    more: str,
    reason: str,
) -> None:
    """The line says what is wrong, and the run ends with exit code 2."""
    write_object(tmp_path / "toy", "Toy")
    company = write_company(tmp_path, more)
    if more.startswith("period"):
        company.write_text(
            company.read_text().replace("period: {start: 2021-01-01, end: 2021", "#")
        )
    assert reason in said(capsys, "plan", "--company", str(company))


@pytest.mark.parametrize(("text", "reason"), LEXICON.items(), ids=range(len(LEXICON)))
def test_a_hostile_lexicon_is_told_in_one_line(
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    text: str,
    reason: str,
) -> None:
    """The line names the lexicon's file, and the run ends with exit code 2."""
    write_object(tmp_path / "toy", "Toy")
    path = tmp_path / "own" / "rules.yaml"
    path.parent.mkdir()
    path.write_text(text, encoding="utf-8")
    line = said(capsys, "plan", "--company", str(write_company(tmp_path, "lexicon: own")))
    assert line.startswith(f"orgweave: {path}: ")
    assert reason in line


def alias_bomb(levels: int) -> str:
    """Few lines that stand for ten to the power of `levels` texts."""
    lines = ["a0: &a0 word"]
    for level in range(1, levels + 1):
        lines.append(f"a{level}: &a{level} [{', '.join([f'*a{level - 1}'] * 10)}]")
    return "\n".join(lines)


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        (alias_bomb(9), "its aliases make more than"),
        (f"name: &a {'x' * 100_000}\nall: [{', '.join(['*a'] * 50)}]", "its aliases make more"),
        ("- " * 100_000 + "a", "more than 30 deep"),
        ("[" * 100_000, "more than 30 deep"),
        ("{a: " * 100_000, "more than 30 deep"),
        ("a" * 2_000_001, "is larger than 2,000,000 bytes"),
        ("? [a]\n: b", "broken YAML"),
        ("a: 2021-99-99", "broken YAML"),
        ("a: !!python/object/apply:os.system [echo]", "broken YAML"),
        ("", "must hold a mapping"),
    ],
    ids=[
        "bomb",
        "long bomb",
        "deep",
        "deep list",
        "deep map",
        "large",
        "key",
        "day",
        "tag",
        "none",
    ],
)
def test_yaml_stays_within_bounds(tmp_path: Path, text: str, reason: str) -> None:
    """Aliases of aliases, depth and size are refused before their content is in memory."""
    path = tmp_path / "a.yaml"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(SchemaError) as caught:
        read_yaml(path)
    assert str(caught.value).startswith(f"{path}: ")
    assert reason in str(caught.value)
    assert len(str(caught.value)) < 300 + len(str(path))


def test_yaml_may_use_aliases(tmp_path: Path) -> None:
    """An anchor, an alias and a merge are read as YAML means them."""
    path = tmp_path / "a.yaml"
    path.write_text("a: &a {x: 1}\nb: *a\nc: {<<: *a, y: 2}\n", encoding="utf-8")
    assert read_yaml(path) == {"a": {"x": 1}, "b": {"x": 1}, "c": {"x": 1, "y": 2}}


@pytest.mark.parametrize(
    "text",
    [
        "1: a\n1.5: b\ntrue: c\n~: d",
        "day: 2021-01-01\n2021-01-02: 3",
        "a: [x, 0x1F, .inf, yes, '1', \"2\", 1_000]",
        "a: !!set {x, y}",
        "a: !!omap [x: 1, y: 2]",
        "a: !!str 12\nb: !!binary aGk=",
        "b: 2\n<<: [{b: 1, c: 3}, {c: 4}]",
        "a: &a {x: [1, 2]}\nb: [*a, *a]",
        "a: |\n  lines\n  of text\nb: >\n  one\n  line\n",
    ],
)
def test_yaml_is_read_as_its_own_loader_reads_it(tmp_path: Path, text: str) -> None:
    """Whatever stands in a file is read as PyYAML's safe loader would read it."""
    path = tmp_path / "a.yaml"
    path.write_text(text, encoding="utf-8")
    assert read_yaml(path) == yaml.safe_load(text)


@pytest.mark.parametrize("text", ["a: !!str [1]", "a: !!map x", "? [a]\n: b", "a: !mine [1]"])
def test_yaml_that_stands_for_nothing_is_told(tmp_path: Path, text: str) -> None:
    """A tag that doesn't fit or that nobody knows, and a list as a key, get one line."""
    path = tmp_path / "a.yaml"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(SchemaError, match="broken YAML: line 1"):
        read_yaml(path)


@pytest.mark.parametrize("make", [os.mkfifo, lambda path: path.symlink_to("/dev/zero")])
def test_a_pipe_or_a_device_is_no_file(tmp_path: Path, make: Callable[[Path], None]) -> None:
    """A pipe would be waited for without an end, and a device read without one."""
    path = tmp_path / "a.yaml"
    make(path)
    with pytest.raises(SchemaError, match="is a pipe or a device"):
        read_yaml(path)


def test_a_run_is_measured_before_it_is_made(tmp_path: Path) -> None:
    """The product of two parents counts too; the message says how many records and of what."""
    write_object(tmp_path / "toy", "A", count="{number: 100000}")
    write_object(tmp_path / "toy", "B", count="{number: 100000}")
    write_object(tmp_path / "toy", "Pair", count="{cross: [A, B]}")
    with pytest.raises(BadInput, match=r"10,000,200,000 records \(most of them Pair, 10,000,000,"):
        load_job(RunRequest(str(write_company(tmp_path))))


def test_a_run_that_memory_can_t_hold_is_refused(tmp_path: Path) -> None:
    """The estimate and what there is stand in the message."""
    write_object(tmp_path / "toy", "Toy", TEXT)
    setting = toy_job(tmp_path).setting
    counts = {"Toy": 25_000_000}
    check_size(setting.schema, counts, memory=2_000_000_000)
    with pytest.raises(BadInput, match=r"take about 2.0 GB of memory, and there are 1.5; lower"):
        check_size(setting.schema, counts, memory=1_500_000_000)


@pytest.mark.slow
def test_a_plan_is_made_for_any_machine(capsys: pytest.CaptureFixture[str]) -> None:
    """What this machine can't hold may be planned here; a line tells that it can't be made here."""
    assert run(["plan", "--company", "shoes", "--scale", "1000"]) == 0
    told = capsys.readouterr()
    assert "22,000,000" in told.out
    too_small = memory_size() < 21_000_000_000
    assert ("`generate` would refuse this here" in told.err) is too_small


def test_a_rule_that_doubles_is_stopped() -> None:
    """Rules that use others ten times, eleven deep, end with one line."""
    lines = {f"rule{depth}": [parse(f"{{rule{depth + 1}}}" * 10)] for depth in range(11)}
    lines["rule11"] = [parse("word")]
    with pytest.raises(SchemaError, match="a text grows beyond 131,072 characters"):
        expand(parse("{rule0}"), {}, lines.__getitem__, random.Random(1))


def test_brackets_of_a_rule_nest_within_bounds() -> None:
    """Brackets in brackets are taken a few deep, and refused before Python's stack ends."""
    assert parse("[" * 9 + "a" + "]" * 9)
    with pytest.raises(SchemaError, match="brackets stand more than 20 deep"):
        parse("[" * 3000 + "]" * 3000)


@pytest.mark.parametrize(
    "words",
    [
        ["plan", "--company", ""],
        ["plan", "--company", "shoes", "--to", ""],
        ["plan", "--company", "shoes", "--to="],
        ["generate", "--company", "shoes", "--out", ""],
        ["check", ""],
        ["check", "a\0b"],
        ["generate", "--company", "shoes", "--out", "a\0b"],
        ["plan", "--company", "shoes", "--set", "Case=999999999999999"],
        ["plan", "--company", "shoes", "--scale", "nan"],
        ["plan", "--company", "shoes", "--seed", str(2**64)],
    ],
)
def test_a_hostile_option_is_told_in_one_line(
    capsys: pytest.CaptureFixture[str], words: list[str]
) -> None:
    """An empty word, a NUL or a number beyond measure ends with exit code 2."""
    assert said(capsys, *words).startswith("orgweave: ")


ODD_VALUES: st.SearchStrategy[Any] = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(),
    st.floats(),
    st.text(max_size=20),
    st.sampled_from(
        ["{latent}", "{Id:²}", "latent", "company", "-1", "1e308", "\0", "a\nb", "{0}"]
    ),
    st.sampled_from([[], {}, [[]], {"": ""}, {"a": None}, [None], 2**63, -(2**70), 10**30]),
)


def places_in(value: object) -> list[tuple[Any, Any]]:
    """Every container within a value, with each of its keys."""
    found: list[tuple[Any, Any]] = []
    if isinstance(value, dict | list):
        keys = list(value) if isinstance(value, dict) else range(len(value))
        for key in keys:
            found.append((value, key))
            found += places_in(value[key])
    return found


TOY = """
title: Toy
"$schema": https://json-schema.org/draft/2020-12/schema
description: A toy that is sold.
type: object
required: [Name]
x-key-prefix: 0to
x-count: {number: 3}
x-key-fields: [Name]
x-facts: {color: Color, when: Made}
x-judge: {questions: [{asks: What is the color of it, answer: color}]}
properties:
  Id: {type: string, x-source: {id: true}}
  Color: {type: string, enum: [red, blue], x-source: {choice: {red: 1, blue: 2}}}
  Made: {type: string, format: date, x-source: {range: [period.start, period.end]}}
  Size: {type: integer, minimum: 1, x-source: {range: [1, 9]}}
  Weight: {type: number, x-source: {distribution: normal, args: [5, 1], low: 1, high: 9}}
  Maker: {type: string, x-source: {faker: last_name}}
  Code: {type: string, x-unique: true, x-source: {sequence: "T-{:03d}", start: 5}}
  Batch: {type: string, x-source: {pattern: "##?"}}
  Label: {type: string, maxLength: 80, x-source: {template: "{Code} {Size:2}"}}
  Kind: {type: string, x-source: {map: Color, to: {red: warm}, default: cold}}
  Name: {type: string, x-source: {written: A name for the toy., must: [color], words: 3}}
"""
COMPANY = """
name: Bramble Toys
industry: toys
description: Sells wooden toys by mail.
schema: toy
lexicon: own
period: {start: 2021-01-01, end: 2021-12-31}
domain: toys.example
seed: 3
counts: {Toy: 4}
categories: [Tops]
"""
OWN = """
rules:
  Toy.Name: ["The {color} [small|large] one {end}", "A {color} toy {end}"]
  end: ["of {when}", "by {company}"]
categories:
- {key: tops, name: Tops, price: [1, 9], short: [top], peak: [12], weight: 2}
options:
- {key: refund, name: Refund, phrase: a refund, days: [30]}
issues:
- {key: broken, name: Broken, description: It broke., kind: product, options: [refund], topics: [a]}
"""


@settings(
    max_examples=60,
    deadline=None,
    derandomize=True,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
@given(data=st.data())
def test_a_mutated_file_is_taken_or_told(
    tmp_path_factory: pytest.TempPathFactory,
    capsys: pytest.CaptureFixture[str],
    data: st.DataObject,
) -> None:
    """Any value of a right profile, schema or lexicon changed: exit code 0, or 2 and one line."""
    folder = tmp_path_factory.mktemp("mutated")
    files = {
        "toys.yaml": yaml.safe_load(COMPANY),
        "toy/Toy.yaml": yaml.safe_load(TOY),
        "own/rules.yaml": yaml.safe_load(OWN),
    }
    container, key = data.draw(st.sampled_from(places_in(files)[3:]))
    how = data.draw(st.sampled_from(["value", "remove", "key"]))
    if how == "value":
        container[key] = data.draw(ODD_VALUES)
    elif how == "remove" or isinstance(container, list):
        del container[key]
    else:
        container[data.draw(st.text(max_size=5))] = container.pop(key)
    for name, content in files.items():
        path = folder / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(yaml.safe_dump(content, sort_keys=False), encoding="utf-8")
    code = run(["plan", "--company", str(folder / "toys.yaml")])
    printed = capsys.readouterr().err.splitlines()
    assert (code, len(printed)) in ((0, 0), (2, 1)), printed
