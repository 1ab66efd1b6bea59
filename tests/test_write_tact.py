"""What agents leave out of a mail because of what else stands in it, or of who reads it."""

import pytest

from pipeline.write.tact import is_announcement, is_tactless, is_told_sum, pointed_once, unannounced

FOUND = ["a.greet", "a.ack", "issue.cause.seam"]


@pytest.mark.parametrize(
    ("said", "left"),
    [
        ("I'm sorry they hurt. Let me see why.", "I'm sorry they hurt."),
        ("That's annoying, so let me check.", "That's annoying."),
        ("I want to know what happened there.", ""),
        ("I'm sorry it came late.", "I'm sorry it came late."),
    ],
)
def test_no_search_is_announced_beside_what_it_found(said: str, left: str) -> None:
    """The finding stands in the same mail."""
    assert unannounced("a.ack", said, FOUND) == left
    assert is_announcement("a.ack", said, FOUND) == (not left)


def test_a_search_whose_end_is_open_is_announced() -> None:
    """Who asks for a number first says what it is for; other acts are left as they are."""
    said = "Let me check."
    assert unannounced("a.ack", said, ["a.greet", "a.ack", "a.ask.order"]) == said
    assert unannounced("a.wait", said, FOUND) == said


def test_a_picture_is_pointed_to_once() -> None:
    """The thanks for it go where the finding says what it shows."""
    thanks = ("a.seen.photo", "Thanks for the photo.")
    shows = ("issue.cause.seam", "Your photo shows the seam.")
    plain = ("issue.cause.seam", "The seam was sewn too wide.")
    assert pointed_once([thanks, shows]) == [shows]
    assert pointed_once([thanks, plain]) == [thanks, plain]


@pytest.mark.parametrize(
    ("beat", "text", "tone", "tactless"),
    [
        ("a.close", "Thank you for your patience.", "angry", True),
        ("a.close", "Thanks for bearing with us.", "annoyed", True),
        ("a.close", "Thank you for your patience.", "calm", False),
        ("a.late.pressed", "Thanks for waiting.", "calm", True),
        ("a.close", "I'm sorry again.", "angry", False),
    ],
)
def test_nobody_without_patience_is_thanked_for_it(
    beat: str, text: str, tone: str, tactless: bool
) -> None:
    """Neither who is angry nor who has said that they were put off."""
    assert is_tactless(beat, text, {"speaker": "Agent", "tone": tone}) == tactless
    assert not is_tactless(beat, text, {"speaker": "Customer", "tone": tone})


@pytest.mark.parametrize(
    ("beat", "offered", "told"),
    [
        ("option.would.credit", "Would a $25 goodwill credit be fair?", True),
        ("option.would.credit", "Would a $25.00 credit be fair?", True),
        ("option.would.credit", "Would a $25.50 credit be fair?", False),
        ("option.would.credit", "Would a $250 credit be fair?", False),
        ("option.would.credit", "Would a goodwill credit be fair?", False),
        ("option.tell.credit", "Would a $25 goodwill credit be fair?", False),
    ],
)
def test_a_sum_is_told_once(beat: str, offered: str, told: bool) -> None:
    """An offer that names it needs no sentence on what it would come to."""
    said = [("a.offer.besides", offered)]
    assert is_told_sum(beat, {"back": "$25.00"}, said) == told
    assert is_told_sum(beat, {"back": "$25"}, said) == told
    assert not is_told_sum(beat, {}, said)
