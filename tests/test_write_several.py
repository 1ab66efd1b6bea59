"""Several pictures told as several."""

import pytest

from pipeline.write.several import pictures_with, told_as_several


@pytest.mark.parametrize(
    ("one", "several"),
    [
        ("I've attached a photo.", "I've attached some photos."),
        ("Photo attached.", "Photos attached."),
        ("Here's a picture of it.", "Here are some pictures of it."),
        ("That's a clear photo, thanks.", "Those are clear photos, thanks."),
        ("The photo is enough.", "The photos are enough."),
        ("That photo helps.", "Those photos help."),
        ("Looking at your picture, I see it.", "Looking at your pictures, I see it."),
        ("The photos show it.", "The photos show it."),
        ("The cut in your photo is straight.", "The cut in your photos is straight."),
        ("A picture is attached.", "Some pictures are attached."),
        ("I see it.", "I see it."),
    ],
)
def test_several_pictures_are_told_as_several(one: str, several: str) -> None:
    """Nouns, what stands before them and the verbs behind them agree."""
    assert told_as_several(one) == several


def test_an_agent_speaks_of_what_came_last() -> None:
    """The number is that of the customer's mail before; a customer's own mail counts its own."""
    sent = {"speaker": "Customer", "several": "3"}
    parts = [sent, {"speaker": "Agent"}, {"speaker": "Customer"}, {"speaker": "Agent"}]
    assert [pictures_with(parts, place) for place in range(4)] == ["3", "3", "", "3"]
    assert not pictures_with([{"speaker": "Agent"}, sent], 0)
