"""Conversations written by hand to our prompts: right ones are taken, and wrong facts are found."""

from pathlib import Path

import pytest

from schemas.errors import BadInput
from tests.played import (
    LEAST_FOUND,
    MOST_PASSED,
    MOST_REFUSED,
    MOST_STALE,
    answered,
    kept,
    measure,
    other_remedies,
    stale_acts,
)


def test_what_people_write_is_taken_and_what_is_wrong_is_found() -> None:
    """Of all the conversations at most 3 % are refused, and hardly a wrong fact passes."""
    played = list(kept())
    refused, wrong, found = measure(played)
    assert len(played) == 172
    assert refused <= MOST_REFUSED * len(played)
    assert wrong > 200 and found >= LEAST_FOUND * wrong


def test_a_grant_passes_for_no_other_remedy() -> None:
    """Where an issue has more remedies, what people write of one of them shows which it is."""
    others, passed = other_remedies(list(kept()))
    assert others > 300
    assert passed <= MOST_PASSED * others


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
