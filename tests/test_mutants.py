"""The mutants: what is changed, what is left alone, and that a seed draws the same ones."""

import ast
from pathlib import Path

import pytest

from tests.mutants import (
    ROOMS,
    USUAL,
    MutantVerdict,
    killers_of,
    mutants_of,
    near_and_far,
    room_tests,
    sample,
    stages_of,
)

ROOT = Path(__file__).parent.parent


def changes(source: str) -> set[str]:
    """Every change of a source, `before -> after`."""
    return {f"{mutant.before} -> {mutant.after}" for mutant in mutants_of("toy", "toy.py", source)}


@pytest.mark.parametrize(
    ("source", "change"),
    [
        ("a < b", "a < b -> a <= b"),
        ("a >= b", "a >= b -> a > b"),
        ("a < b <= c", "a < b <= c -> a < b < c"),
        ("a and b", "a and b -> a or b"),
        ("not a", "not a -> a"),
        ("a + b", "a + b -> a - b"),
        ("a - 1", "a - 1 -> a + 1"),
        ("a[1]", "1 -> 2"),
        ("a[1]", "1 -> 0"),
        ("a if b else c", "a if b else c -> c if b else a"),
        ("if a:\n    b\nelse:\n    c", "a -> not (a)"),
        ("min(a, b)", "min(a, b) -> max(a, b)"),
    ],
)
def test_logic_is_changed(source: str, change: str) -> None:
    """Edges, and/or, not, plus and minus, numbers, branches, min and max."""
    assert change in changes(source)


@pytest.mark.parametrize(
    "source",
    [
        "raise Bad(f'{a + 1} of {b}' if c < 2 else d)",
        "rng.integers(1, 4)",
        "rng.beta(2, 2, size=n + 1)",
        "rng.random(n) < share",
        "time.monotonic() > deadline",
        "self.rng.random() < share",
        "WAIT = (2, 5)\nrng.integers(*WAIT)",
        "MOST: int = 3\nrng.integers(MOST)\nrng.integers(rng.integers(MOST))",
        "def effects(a):\n    return a < 2",
        "a: dict[1, 2]",
        "a + 'text'",
        "f'{a + 1}'",
        "a == b",
        "a.sum(axis=1)",
        "0.5",
        "True",
    ],
)
def test_what_no_test_should_hold_is_left_alone(source: str) -> None:
    """Messages, effects, draws, annotations, texts and floats stay."""
    assert changes(source) == set()


def test_a_figure_that_a_file_states_is_doubled_or_halved() -> None:
    """One day more than 180 is no other rule; small ones, and those in functions, change by one."""
    assert changes("DAYS = 180") == {"180 -> 360", "180 -> 90"}
    assert changes("WORDS: Words = {'a': 15}") == {"15 -> 30", "15 -> 7"}
    assert changes("MOST = (9,)") == {"9 -> 10", "9 -> 8"}
    assert changes("def most():\n    days = 180") == {"180 -> 181", "180 -> 179"}


def test_a_constant_that_decides_is_changed_though_a_stream_is_asked_for_it() -> None:
    """What is read anywhere else in its file, or not in it at all, may be seen by a test."""
    assert changes("MOST = 3\nrng.integers(MOST)\nleft = MOST") == {"3 -> 4", "3 -> 2"}
    assert changes("MOST = 3") == {"3 -> 4", "3 -> 2"}


def test_a_mutant_differs_in_its_expression_only() -> None:
    """Comments, other lines and letters beyond ASCII before the change stay as they are."""
    source = "x = 'é'; y = a < b  # why\nz = 1.5\n"
    (mutant,) = mutants_of("toy", "toy.py", source)
    assert mutant.text == "x = 'é'; y = (a <= b)  # why\nz = 1.5\n"
    assert mutant.line == 1


def test_a_change_over_several_lines_is_still_a_program() -> None:
    """Every mutant of a real file can be parsed, and none equals the file."""
    source = (ROOT / "latent" / "colleagues.py").read_text(encoding="utf-8")
    whole = ast.dump(ast.parse(source))
    for mutant in mutants_of("latent", "latent/colleagues.py", source):
        assert ast.dump(ast.parse(mutant.text)) != whole, mutant.before


def test_a_seed_draws_the_same_mutants_in_files_of_their_own() -> None:
    """Five a room, no two of a room in one file; another seed draws others."""
    mutants = sample(USUAL, 25, 3)
    assert mutants == sample(USUAL, 25, 3) != sample(USUAL, 25, 4)
    assert len(mutants) == 25
    assert len({mutant.path for mutant in mutants}) == 25


@pytest.mark.parametrize("room", ROOMS)
def test_every_room_has_tests(room: str) -> None:
    """The patterns of each room name at least one test file."""
    assert room_tests(ROOMS[room][1], ROOT)


def test_tests_that_import_the_changed_module_run_first(tmp_path: Path) -> None:
    """They notice a change soonest; the others keep their order behind them."""
    (tmp_path / "a.py").write_text("from latent.season import Season\n", encoding="utf-8")
    (tmp_path / "b.py").write_text("from latent.routing import Routing\n", encoding="utf-8")
    (tmp_path / "c.py").write_text("from latent import routing\n", encoding="utf-8")
    near, far = near_and_far(["a.py", "b.py", "c.py"], "latent/routing.py", tmp_path)
    assert (near, far) == (["b.py", "c.py"], ["a.py"])


def test_a_test_of_another_room_is_run_where_it_imports_the_module() -> None:
    """What a file is called says nothing of what its tests hold: each is run, and run once."""
    (mutant, *_) = mutants_of("benchmark", "orgweave/benchmark/state.py", "a < b")
    stages = [tests for tests, _ in stages_of(mutant, ROOT)]
    before_wider = [test for tests in stages[:-1] for test in tests]
    every = [test for tests in stages for test in tests]
    assert "tests/test_state.py" in before_wider
    assert sorted(every) == sorted(set(every))
    assert stages[-1][-1] == "tests/test_golden_digests.py"


def test_killers_are_run_again_each_once_with_all_parameters() -> None:
    """A parameter may hold blanks and brackets; the clock and survivors name no test."""
    (mutant,) = mutants_of("toy", "toy.py", "a < b")
    killers = [
        "test_b.py::test_c[6,000 OR]",
        "test_b.py::test_c[a[1]]",
        "test_a.py",
        "",
        "out of time",
    ]
    verdicts = [MutantVerdict(mutant, killer, 1.0) for killer in killers]
    assert killers_of(verdicts) == ["tests/test_a.py", "tests/test_b.py::test_c"]
