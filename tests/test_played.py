"""Conversations written by hand to our prompts: right ones are taken, and wrong facts are found."""

from pathlib import Path

import pytest

from schemas.errors import BadInput
from tests.played import (
    LEAST_FOUND,
    MOST_REFUSED,
    MOST_STALE,
    answered,
    kept,
    measure,
    stale_acts,
)


def test_what_people_write_is_taken_and_what_is_wrong_is_found() -> None:
    """Of a hundred conversations at most three are refused, and hardly a wrong fact passes."""
    played = list(kept())
    refused, wrong, found = measure(played)
    assert len(played) == 100
    assert refused <= MOST_REFUSED * len(played)
    assert wrong > 200 and found >= LEAST_FOUND * wrong


def test_what_people_were_asked_for_is_still_asked_for() -> None:
    """The acts of the kept conversations are those of today's schemas, whose rules they try."""
    acts, stale = stale_acts(list(kept()))
    assert acts > 2000
    assert stale <= MOST_STALE * acts


@pytest.mark.quick
@pytest.mark.parametrize(
    ("unit", "answer", "told"),
    [
        ("{", "{}", r"00\.unit\.json: is no unit"),
        ("null", "{}", r"00\.unit\.json: is no unit"),
        ("{}", "", r"00\.answer\.json: is no answer"),
        ("{}", "[" * 100_000, r"00\.answer\.json: is no answer"),
        ("{}", '{"entries": []}', r"00\.answer\.json: is no answer"),
        ("{}", '{"entries": [5]}', r"00\.answer\.json: is no answer"),
        ("{}", '{"entries": [{"a": "b"}]}', r"00\.unit\.json: is no unit"),
    ],
)
def test_what_was_written_by_hand_is_read_or_told(
    tmp_path: Path, unit: str, answer: str, told: str
) -> None:
    """The file that can't be read is named, whichever it is."""
    (tmp_path / "00.unit.json").write_text(unit)
    (tmp_path / "00.answer.json").write_text(answer)
    with pytest.raises(BadInput, match=told):
        list(answered(tmp_path))
