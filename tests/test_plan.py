"""The plan: its order, its numbers, its pictures, and that it costs nothing and leaves nothing."""

import re
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from latent.registry import LATENT, READ_WHERE_MADE
from pipeline.config import RunRequest, load_job
from pipeline.draw_plan import GREY, as_dot, as_mermaid, as_table, edges_of, write_png
from pipeline.graph import build_graph, drawing_graph, first_graph, in_order, needed_for
from pipeline.plan import Plan, PlanNode, make_plan
from pipeline.world.org import Org
from schemas.errors import SchemaError, StorageFailed
from schemas.graph import reads
from schemas.loader import load_schema
from schemas.model import Schema
from schemas.profile import companies_folder, known_companies, load_profile, schema_folder
from tests.golden_pages import kept_mini_batches, mini_batches
from tests.tiers import THOROUGH
from tests.toys import toy_job, write_object
from tests.trade_orgs import drawn_company, drawn_node


def schema_of(company: str) -> Schema:
    """The schema of a shipped company."""
    path = companies_folder() / f"{company}.yaml"
    return load_schema(schema_folder(load_profile(path), path))


def needs(schema: Schema, name: str) -> set[str]:
    """What a node's own file says that it is made from."""
    if not schema.has(name):
        made = build_graph(schema).keys() & set(READ_WHERE_MADE.get(name, ()))
        return made | {read for read in LATENT[name].reads if read in LATENT or schema.has(read)}
    item = schema.object(name)
    return (reads(schema, item) | {path.variable for path in item.latents}) - {name}


def node_of(plan: Plan, name: str) -> PlanNode:
    """The plan's node of that name."""
    return next(node for node in plan.nodes if node.name == name)


def write_toys(folder: Path) -> None:
    """A toy schema: boxes, toys that are written ten a mini-batch in lanes by color, notes on them,
    and hidden issues.
    """
    write_object(
        folder / "toy",
        "Box",
        "Color: {type: string, x-source: {sequence: 'color {}'}}",
        "{number: 2}",
    )
    toy = """
    BoxId: {type: string, x-source: {reference: Box, by: parent}}
    Color: {type: string, x-source: {copy: BoxId.Color}}
    Name: {type: string, x-source: {written: The toy's name in two words., rule: no.rule, words: 2}}
    Greeting: {type: string, x-source: {template: "I am {Name}"}}
    """
    write_object(
        folder / "toy",
        "Toy",
        toy,
        "{per: Box, number: 15}",
        "x-lane: Color\nx-key-fields: [Name]",
    )
    note = (
        "ToyId: {type: string, x-source: {reference: Toy, by: parent}}\nText: {type: string,"
        " x-source: {written: A short note on the toy., rule: nobody.knows.this.either}}"
    )
    write_object(folder / "toy", "Note", note, "{per: Toy}")
    write_object(
        folder / "toy",
        "Issue__c",
        "Name: {type: string, x-source: {latent: Solution.issues.name}}",
        "{number: 4}",
    )


OF_OTHER_TRADES = {"Holding", "Subscription"}
"""Variables that a shop's schema doesn't show."""


@pytest.fixture(scope="module")
def toys(tmp_path_factory: pytest.TempPathFactory) -> Plan:
    """The plan of the toy company."""
    folder = tmp_path_factory.mktemp("toys")
    write_toys(folder)
    return make_plan(toy_job(folder))


@pytest.mark.parametrize("company", known_companies())
def test_each_node_stands_behind_all_it_reads(company: str) -> None:
    """In the order of every shipped schema each node stands once,
    behind all that it is made from.
    """
    schema = schema_of(company)
    order = in_order(schema)
    place = {name: at for at, name in enumerate(order)}
    assert len(place) == len(order)
    assert {item.name for item in schema.objects} <= set(place)
    assert [
        (name, read) for name in order for read in needs(schema, name) if place[read] >= place[name]
    ] == []


@pytest.mark.parametrize("company", known_companies())
def test_the_order_never_varies(company: str) -> None:
    """The same schema is always ordered alike, and its graph has only object types and latent
    variables.
    """
    schema = schema_of(company)
    graph = build_graph(schema)
    assert in_order(schema) == in_order(schema_of(company))
    for name in graph:
        assert name not in needed_for(graph, name)
    assert all(schema.has(name) != (name in LATENT) for name in graph)


@settings(max_examples=40, deadline=None)
@given(
    st.permutations("ABCDEF"), st.sets(st.tuples(st.integers(0, 5), st.integers(0, 5)), max_size=12)
)
def test_any_references_without_a_circle_are_ordered(
    tmp_path_factory: pytest.TempPathFactory,
    names: list[str],
    pairs: set[tuple[int, int]],
) -> None:
    """Object types with any references that lead back to earlier ones come in an order in which
    each stands behind its own.
    """
    folder = tmp_path_factory.mktemp("any")
    for at, name in enumerate(names):
        write_object(
            folder,
            name,
            "\n".join(
                f"{names[to]}Id: {{type: string, x-source: {{reference: {names[to]}}}}}"
                for to, by in sorted(pairs)
                if to < by == at
            ),
        )
    order = in_order(load_schema(folder))
    assert sorted(order) == sorted(names)
    assert all(order.index(names[to]) < order.index(names[by]) for to, by in pairs if to < by)


@settings(max_examples=20, deadline=None)
@given(st.permutations("ABCDEF"), st.integers(2, 6))
def test_any_circle_is_found_and_named(
    tmp_path_factory: pytest.TempPathFactory,
    names: list[str],
    length: int,
) -> None:
    """However object types refer to one another in a circle, the error names each of them once and
    the first again.
    """
    folder, circle = tmp_path_factory.mktemp("circle"), names[:length]
    for name, to in zip(circle, circle[1:] + circle[:1], strict=True):
        write_object(folder, name, f"OtherId: {{type: string, x-source: {{reference: {to}}}}}")
    with pytest.raises(SchemaError) as caught:
        load_schema(folder)
    named = re.search(r"in a circle: ([\w> -]+);", str(caught.value))
    assert named is not None
    found = named[1].split(" -> ")
    assert (found[0], found[-1], sorted(found[:-1])) == (min(circle), min(circle), sorted(circle))


def test_a_latent_variable_stands_before_what_it_drives(shoes_plan: Plan) -> None:
    """The shoe company's plan draws each hidden cause before the object types that show it."""
    names = [node.name for node in shoes_plan.nodes]
    assert set(LATENT) - OF_OTHER_TRADES <= set(names)
    assert names.index("ShoppingHabit") < names.index("Order")
    assert (
        names.index("Skill")
        < names.index("Routing")
        < names.index("CaseStory")
        < names.index("Case")
        < names.index("EmailMessage")
    )


def test_the_shoe_companys_mini_batches(shoes_plan: Plan) -> None:
    """The shoe company is written in as many mini-batches as were kept, of at most ten units each,
    fewer where conversations are long.
    """
    assert mini_batches(shoes_plan) == kept_mini_batches()
    assert shoes_plan.mini_batches == sum(kept_mini_batches().values())
    assert all(
        node.units / 10 <= node.mini_batches <= node.units
        for node in shoes_plan.nodes
        if node.written
    )


def test_a_lane_is_cut_into_mini_batches_of_ten(toys: Plan) -> None:
    """Fifteen records in each of two lanes are two mini-batches a lane, thirty without lanes are
    three lanes of one.
    """
    toy, note = node_of(toys, "Toy"), node_of(toys, "Note")
    assert (toy.records, toy.units, toy.lanes, toy.mini_batches) == (30, 30, 2, 4)
    assert (note.records, note.units, note.lanes, note.mini_batches) == (30, 30, 3, 3)
    assert toys.mini_batches == 7


def test_the_plan_tells_what_is_sampled_and_what_is_written(toys: Plan) -> None:
    """Each node says which fields are drawn, which are written, and what it reads; tokens are
    counted for words alone.
    """
    toy, box, issue = (node_of(toys, name) for name in ("Toy", "Box", "Issue__c"))
    assert (toy.sampled, toy.written, toy.reads) == (
        ("Id", "BoxId", "Color", "Greeting"),
        ("Name",),
        ("Box",),
    )
    assert toy.tokens_in > toy.tokens_out > 0
    assert (box.written, box.mini_batches, box.tokens_in, box.tokens_out) == ((), 0, 0, 0)
    assert (issue.kind, issue.reads, node_of(toys, "Solution").kind) == (
        "object",
        ("Solution",),
        "latent",
    )


def test_a_larger_company_has_a_larger_plan(tmp_path: Path) -> None:
    """Twice the boxes are twice the toys, units, lanes and mini-batches."""
    write_toys(tmp_path)
    toy = node_of(make_plan(toy_job(tmp_path, Box=4)), "Toy")
    assert (toy.records, toy.units, toy.lanes, toy.mini_batches) == (60, 60, 4, 8)


def test_the_table_has_a_line_for_each_node(toys: Plan) -> None:
    """The table has a head, a line a node in the plan's order, and sums."""
    lines = as_table(toys).splitlines()
    assert lines[0].split()[:3] == ["node", "kind", "records"]
    assert [line.split()[:2] for line in lines[1:-2]] == [
        [node.name, node.kind] for node in toys.nodes
    ]
    assert lines[-2].startswith("Bramble Toys: 7 mini-batches of at most 10 units (60 units)")
    assert "with all earlier entries in every prompt it would be" in lines[-1]


def test_mermaid_has_every_node_and_edge(toys: Plan) -> None:
    """The Mermaid chart has each node, an arrow from each node to what reads it, and latent nodes
    in grey.
    """
    chart = as_mermaid(toys)
    assert chart.startswith("flowchart TD\n")
    assert (
        set(re.findall(r"^  (\w+) --> (\w+)$", chart, re.MULTILINE))
        == set(edges_of(toys))
        == {("Box", "Toy"), ("Toy", "Note"), ("Solution", "Issue__c")}
    )
    assert dict(re.findall(r"^  (\w+)\[.*\]:::(\w+)$", chart, re.MULTILINE)) == {
        node.name: node.kind for node in toys.nodes
    }
    assert f"classDef latent fill:{GREY}" in chart


def test_dot_draws_latent_nodes_grey(shoes_plan: Plan) -> None:
    """The Graphviz graph has each node and edge, and grey is the color of latent nodes and of no
    other.
    """
    text = as_dot(shoes_plan)
    assert text.startswith("digraph plan {")
    assert text.endswith("}")
    colors = dict(re.findall(r'^  "(\w+)" \[.*fillcolor="(#\w+)"\];$', text, re.MULTILINE))
    assert set(colors) == {node.name for node in shoes_plan.nodes}
    assert {name for name, color in colors.items() if color == GREY} == (
        set(LATENT) - OF_OTHER_TRADES
    )
    assert set(re.findall(r'^  "(\w+)" -> "(\w+)";$', text, re.MULTILINE)) == set(
        edges_of(shoes_plan)
    )


def test_png_is_a_picture_with_grey_in_it(toys: Plan, tmp_path: Path) -> None:
    """The PNG is a picture that can be opened, with the grey of the latent node in it."""
    from matplotlib import image

    path = tmp_path / "plan.png"
    write_png(toys, path)
    pixels = image.imread(path)[:, :, :3]
    grey = int(GREY[1:3], 16) / 255
    assert pixels.shape[0] > 300
    assert pixels.shape[1] > 300
    assert (abs(pixels - grey).max(axis=2) < 0.002).sum() > 500


@pytest.mark.slow
def test_png_without_matplotlib_names_the_extra() -> None:
    """Where matplotlib is not installed the command ends with exit code 2 and names the extra."""
    code = (
        "import sys; sys.modules['matplotlib'] = None; from orgweave.cli import run;"
        " sys.exit(run(['plan', '--company', 'clinic', '--format', 'png']))"
    )
    ended = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert ended.returncode == 2
    assert "pip install 'orgweave[plots]'" in ended.stderr


def test_png_into_a_missing_folder_is_an_error(toys: Plan, tmp_path: Path) -> None:
    """A picture that can't be written says to choose another place."""
    with pytest.raises(StorageFailed, match="can't be written .*; choose another --to"):
        write_png(toys, tmp_path / "nowhere" / "plan.png")


def test_the_plan_calls_no_writer(toys: Plan) -> None:
    """Fields that no writer could write, for want of their rule, are planned like all others."""
    assert [(node.name, node.written) for node in toys.nodes if node.written] == [
        ("Toy", ("Name",)),
        ("Note", ("Text",)),
    ]


def test_the_plan_leaves_no_files(tmp_path: Path) -> None:
    """The command prints the plan and leaves its folder as it was."""
    plan = make_plan(load_job(RunRequest("clinic", seed=1)))
    ended = subprocess.run(
        [sys.executable, "-m", "pipeline", "plan", "--company", "clinic", "--seed", "1"],
        capture_output=True,
        text=True,
        cwd=tmp_path,
    )
    assert (ended.returncode, ended.stdout.strip(), ended.stderr) == (0, as_table(plan), "")
    assert list(tmp_path.iterdir()) == []


def test_a_bad_source_stops_the_plan(tmp_path: Path) -> None:
    """What a run couldn't draw the plan can't either, with the same error."""
    write_object(tmp_path / "toy", "Toy", "Name: {type: string, x-source: {faker: frist_name}}")
    with pytest.raises(SchemaError, match="Faker has no provider 'frist_name'"):
        make_plan(toy_job(tmp_path))


@pytest.mark.parametrize("company", known_companies())
def test_the_first_texts_need_no_other_texts(company: str) -> None:
    """The nodes that a run begins with are closed: whatever one has to be drawn behind is among
    them, and no text that needs another one is. They are those of the whole graph.
    """
    schema = schema_of(company)
    written = {item.name for item in schema.objects if item.written}
    first, whole = first_graph(schema), drawing_graph(schema)
    assert first.keys() & written
    assert first.items() <= whole.items()
    for name in first:
        assert needed_for(whole, name) <= first.keys() - written
    for name in written - first.keys():
        assert needed_for(whole, name) & written


@pytest.mark.parametrize("company", known_companies())
def test_a_node_is_drawn_from_those_before_it_alone(company: str) -> None:
    """Whatever is drawn reads no table but those of the nodes that the graph names before it."""
    whole = drawn_company(company, scale=0.05)
    graph = drawing_graph(whole.setting.schema)
    for name in graph:
        needed = needed_for(graph, name)
        tables = {
            place: made for place, made in whole.tables.items() if place.split(".")[0] in needed
        }
        made = drawn_node(Org(whole.setting, tables), name)
        places = [table.name for table in made]
        assert places == [place for place in whole.tables if place.split(".")[0] == name]


@pytest.mark.slow
@THOROUGH
def test_a_large_plan_is_told_from_small_ones() -> None:
    """Its counts and tokens are about those of a plan whose facts are all drawn, its records the
    same where they are asked for.
    """
    setting = load_job(RunRequest("bank", scale=0.6))
    drawn = make_plan(setting)
    told = make_plan(setting, whole=0)
    assert told.mini_batches == pytest.approx(drawn.mini_batches, rel=0.1)
    assert told.tokens == pytest.approx(drawn.tokens, rel=0.1)
    records = {node.name: node.records for node in drawn.nodes}
    for node in told.nodes:
        if node.name in ("Account", "Case", "EmailMessage", "Order"):
            assert node.records == records[node.name]
