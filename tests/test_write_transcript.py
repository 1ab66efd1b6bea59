"""Chats as one text: a line a turn, and what people send behind it."""

from pipeline.write.transcript import transcript
from verifiers.material import Unit


def chat(*times: str) -> Unit:
    """A chat whose sides take turns at these times, the customer first."""
    parts = []
    for place, time in enumerate(times):
        role = "Agent" if place % 2 else "Customer"
        parts.append({"at": f"2022-03-01T{time}", "speaker": role, "agent": "Dana Whitlock"})
    return Unit(0, {"customer": "Rosa Lindgren"}, tuple(parts))


def test_a_chat_is_rendered_line_by_line() -> None:
    """A line a turn, with time, name and role, line breaks inside a turn folded."""
    assert transcript(chat("09:31:12", "09:32:00"), ["Hi,\nare you there?", "Yes."]) == (
        "[2022-03-01T09:31:12] Rosa Lindgren (Customer): Hi, are you there?\n"
        "[2022-03-01T09:32:00] Dana Whitlock (Agent): Yes."
    )


def test_a_correction_is_a_line_of_its_own() -> None:
    """Whoever mends an error does so some seconds later."""
    assert transcript(chat("09:31:12", "09:32:00"), ["The hele is loose.\n*heel", "Oh."]) == (
        "[2022-03-01T09:31:12] Rosa Lindgren (Customer): The hele is loose.\n"
        "[2022-03-01T09:31:15] Rosa Lindgren (Customer): *heel\n"
        "[2022-03-01T09:32:00] Dana Whitlock (Agent): Oh."
    )


def test_a_correction_without_time_for_it_is_left_out() -> None:
    """Neither after the answer has come nor behind the chat's last line is anything mended."""
    texts = ["The hele is loose.\n*heel", "Oh.", "Teh end.\n*The"]
    lines = transcript(chat("09:31:12", "09:31:14", "09:32:00"), texts).split("\n")
    assert [line.partition("): ")[2] for line in lines] == ["The hele is loose.", "Oh.", "Teh end."]
