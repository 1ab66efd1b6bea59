"""Pieces of a table's drawing: the same table, whoever does them."""

import os
from collections.abc import Iterator
from dataclasses import replace

import pytest

import latent.case_story
from latent.case_story import CaseStory
from pipeline.compute.executor import InProcess
from pipeline.compute.pieces import AHEAD, SpreadPieces, pieces_by
from pipeline.compute.processes import process_pool
from pipeline.world.pieces import InTurn
from schemas.errors import BadInput
from tests.compute_work import added, refused_piece
from tests.latent_orgs import drawn, part_of, same


def test_pieces_come_in_their_order_from_anybody() -> None:
    """More of them than are under way at a time, and none at all; each with what all share."""
    with process_pool(2) as pool:
        for pieces in (InTurn(), pieces_by(InProcess()), pieces_by(pool)):
            found = list(pieces.each(added, 100, range(3 * AHEAD)))
            assert [number for number, _ in found] == [100 + each for each in range(3 * AHEAD)]
            assert not list(pieces.each(added, 100, ()))
        ((_, process),) = pieces_by(pool).each(added, 100, [1])
        assert process != os.getpid()


def test_a_pieces_error_is_raised_where_its_result_is_asked_for() -> None:
    """As it is where the piece is done in this process."""
    with process_pool(2) as pool:
        for pieces in (InTurn(), pieces_by(pool)):
            with pytest.raises(BadInput, match="2: is no good piece"):
                list(pieces.each(refused_piece, 2, [1, 2, 3]))


def test_no_more_pieces_are_made_than_workers_have_before_them() -> None:
    """A large org's pieces are never all there at once."""
    made: list[int] = []

    def pieces() -> Iterator[int]:
        for piece in range(50):
            made.append(piece)
            yield piece

    with process_pool(1) as pool:
        found = SpreadPieces(pool).each(added, 0, pieces())
        next(found)
        assert len(made) == AHEAD + 1


def test_case_story_is_the_same_from_workers(monkeypatch: pytest.MonkeyPatch) -> None:
    """All of its tables, with many pieces and with one."""
    org = drawn(1)
    alone = CaseStory().draw(org)
    monkeypatch.setattr(latent.case_story, "CASES_A_PIECE", 30)
    with process_pool(2) as pool:
        spread = replace(part_of(org), pieces=pieces_by(pool))
        for mine, theirs in zip(alone, CaseStory().draw(spread), strict=True):
            assert same(mine, theirs)
