"""Work side by side: bounded, in order, and no error is lost; folders and forecasts of a run."""

import asyncio
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pipeline.durable import sync_tree
from pipeline.locks import locked
from pipeline.model.prices import Price
from pipeline.plan import Plan, PlanNode
from pipeline.progress import Forecast
from pipeline.write.pool import side_by_side, together
from schemas.errors import BadInput

pytestmark = pytest.mark.quick

FREE, KNOWN = Price(0.0, 0.0, known=False), Price(1.0, 2.0)
NODES = (
    PlanNode("Case", "object", (), 100, units=100, tokens_in=600, tokens_out=200),
    PlanNode("Order", "object", (), 50, units=10, tokens_in=100, tokens_out=100),
    PlanNode("Skill", "latent", (), 5),
)


class Desk:
    """Counts how many pieces are under way at once; the later a piece, the sooner it ends."""

    def __init__(self) -> None:
        self.under_way = 0
        self.most = 0
        self.ended: list[int] = []

    async def work(self, piece: int) -> int:
        """Ten times the piece; a negative one is refused."""
        self.under_way += 1
        self.most = max(self.most, self.under_way)
        for _ in range(max(10 - piece, 1)):
            await asyncio.sleep(0)
        self.under_way -= 1
        if piece < 0:
            raise BadInput(f"{piece}: is no piece")
        self.ended.append(piece)
        return 10 * piece


@given(pieces=st.lists(st.integers(0, 9), max_size=12), most=st.integers(1, 5))
def test_results_stand_in_the_order_of_what_was_given(pieces: list[int], most: int) -> None:
    """Whatever ends first, each piece is done once, and never more at once than allowed."""
    desk = Desk()
    assert asyncio.run(side_by_side(pieces, desk.work, most)) == [10 * piece for piece in pieces]
    assert sorted(desk.ended) == sorted(pieces)
    assert desk.most == min(most, len(pieces))


def test_what_has_begun_ends_before_an_error_is_raised() -> None:
    """A text that was paid for is not lost because another one failed."""
    desk = Desk()
    with pytest.raises(BadInput, match="-1: is no piece"):
        asyncio.run(side_by_side([-1, 5, 6], desk.work, 3))
    assert sorted(desk.ended) == [5, 6]
    assert desk.under_way == 0


def test_the_first_of_several_errors_is_raised() -> None:
    """In the order of the work, not of the clock."""
    desk = Desk()
    with pytest.raises(BadInput, match="-9: is no piece"):
        asyncio.run(together(desk.work(-9), desk.work(3), desk.work(-1)))
    assert desk.ended == [3]


def test_a_folder_is_one_runs_at_a_time(tmp_path: Path) -> None:
    """A second run is told whom it would meet, and may begin when the first has ended."""
    folder = tmp_path / "deep" / "run"
    told = "another run works in this folder"
    with locked(folder), pytest.raises(BadInput, match=told), locked(folder):
        pass
    with locked(folder):
        assert folder.is_dir()


def test_a_failed_run_leaves_its_folder_free(tmp_path: Path) -> None:
    """The lock goes with the run, however it ends."""
    with pytest.raises(ValueError, match="work"), locked(tmp_path):
        raise ValueError("work")
    with locked(tmp_path):
        pass


@pytest.mark.parametrize("below", ["", "run"])
def test_a_file_is_no_folder_of_a_run(below: str, tmp_path: Path) -> None:
    """Neither is what would lie in a file."""
    file = tmp_path / "notes.txt"
    file.write_text("mine")
    told = "is not a folder; choose another one"
    with pytest.raises(BadInput, match=told), locked(file / below):
        pass
    assert file.read_text() == "mine"


def test_all_of_a_tree_is_waited_for(tmp_path: Path) -> None:
    """Empty folders and files at any depth are no hindrance, and a missing tree is an error."""
    (tmp_path / "a" / "empty").mkdir(parents=True)
    (tmp_path / "a" / "file").write_text("x")
    sync_tree(tmp_path)
    with pytest.raises(FileNotFoundError):
        sync_tree(tmp_path / "none")


def forecast(price: Price = KNOWN) -> Forecast:
    """The forecast of a toy plan of a thousand tokens, before anything is done."""
    return Forecast(Plan("toy", NODES, price, FREE))


def test_progress_is_counted_in_planned_tokens() -> None:
    """A tenth of the cases is less of the run than all orders are."""
    seen = forecast()
    assert seen.share == 0
    seen.count("Case", 10)
    assert seen.share == pytest.approx(0.08)
    seen.count("Order", 10)
    assert seen.share == pytest.approx(0.28)
    seen.count("Skill", 5)
    assert seen.share == pytest.approx(0.28)


def test_nothing_is_more_than_done() -> None:
    """Texts that were written twice don't make the run shorter than it is."""
    seen = forecast()
    seen.count("Case", 500)
    assert seen.share == 1


def test_a_plan_of_nothing_is_no_division_by_nothing() -> None:
    """A company without texts has none to wait for."""
    assert Forecast(Plan("toy", (), FREE, FREE)).share == 0


def test_the_plans_own_figure_stands_until_enough_is_done() -> None:
    """The first texts say too little about all of them."""
    seen = forecast()
    seen.count("Case", 2)
    assert seen.of(0.5, 3.0) == 3.0
    seen.count("Case", 48)
    assert seen.of(0.5, 3.0) == pytest.approx(1.25)


def test_spending_is_told_in_dollars_where_there_is_a_price() -> None:
    """Without one the tokens are told."""
    seen = forecast()
    seen.count("Case", 50)
    assert seen.text(0.5, 400) == "$0.50 of about $1.25"
    unpriced = forecast(FREE)
    unpriced.count("Case", 50)
    assert unpriced.text(0.0, 120_000) == "120,000 of about 300,000 tokens"
