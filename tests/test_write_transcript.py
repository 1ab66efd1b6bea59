"""Chats as one text: a line a turn, and what people send behind it."""

from datetime import datetime

import pytest

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


WINDOW = {
    "company": "Corvid",
    "customer": "Rosa Lindgren",
    "requested": "2022-03-01T09:30:50.000+0000",
    "ended": "2022-03-01T09:32:40.000+0000",
    "window": "form=Form: {customer}{order}\njoined={agent} joined.\ntransferred={agent} took over."
    "\nleft=Rosa left.\nsent=Sent {file}.\nsurvey=Rate us.",
    "form": True,
    "survey": True,
    "ending": "left",
    "order_number": "00000118",
    "files": "2022-03-01T09:31:12 IMG_1.jpg",
}


def window_lines(*times: str, **facts: object) -> list[str]:
    """The lines of a chat whose window speaks, without the day."""
    unit = chat(*times)
    texts = [f"Line {place}." for place in range(len(times))]
    body = transcript(unit, texts, {**WINDOW, **facts})
    return [line.partition("T")[2] for line in body.split("\n")]


def test_a_window_speaks_between_the_lines() -> None:
    """The form comes first, who joins is told before their first line, and the end is told."""
    assert window_lines("09:31:12", "09:32:00") == [
        "09:30:50] Corvid (System): Form: Rosa Lindgren, order 118",
        "09:31:09] Corvid (System): Sent IMG_1.jpg.",
        "09:31:12] Rosa Lindgren (Customer): Line 0.",
        "09:31:56] Corvid (System): Dana Whitlock joined.",
        "09:32:00] Dana Whitlock (Agent): Line 1.",
        "09:32:40] Corvid (System): Rosa left.",
        "09:32:40] Corvid (System): Rate us.",
    ]


def test_a_form_names_the_order_as_the_trade_calls_it() -> None:
    """A bank has references, not orders; the zeros in front stay away in either."""
    window = f"{WINDOW['window']}\nnumber=reference {{order_number}}"
    (form, *_) = window_lines("09:31:12", "09:32:00", window=window)
    assert form.endswith("Form: Rosa Lindgren, reference 118")


def seconds_to_greet(words: int) -> int:
    """How many seconds after joining an agent's greeting of so many words comes."""
    texts = ["Hello?", "word " * words]
    body = transcript(chat("09:31:12", "09:33:00"), texts, WINDOW)
    joined, greeting = body.split("\n")[3:5]
    moments = [datetime.fromisoformat(line[1:20]) for line in (joined, greeting)]
    return (moments[1] - moments[0]).seconds


def test_who_joins_greets_later_the_more_they_say() -> None:
    """A greeting takes four seconds at least, longer for more words, and 45 at most."""
    taken = [seconds_to_greet(words) for words in (1, 8, 20, 400)]
    assert taken == sorted(set(taken))
    assert taken[0] >= 4
    assert taken[-1] == 45


def test_a_window_ends_a_chat_at_its_end() -> None:
    """What the window says of the end stands at the chat's EndTime, after a while of silence."""
    lines = window_lines("09:31:12", "09:32:00", ended="2022-03-01T09:39:30.000+0000")
    assert lines[-2:] == [
        "09:39:30] Corvid (System): Rosa left.",
        "09:39:30] Corvid (System): Rate us.",
    ]


def test_a_window_says_only_what_it_has_texts_for() -> None:
    """Without a form, a survey or a text there is no line."""
    lines = window_lines("09:31:12", form=False, survey=False, files="", ending="idle")
    assert lines == ["09:31:12] Rosa Lindgren (Customer): Line 0."]


def test_nobody_joins_before_the_line_that_they_answer() -> None:
    """Where the answer comes at once, both stand at one moment."""
    assert (
        window_lines("09:31:12", "09:31:14")[3]
        == "09:31:12] Corvid (System): Dana Whitlock joined."
    )


def test_whoever_takes_a_chat_is_there_before_anything_is_typed() -> None:
    """The time in the queue ends with the agent's coming, and the visitor types after that."""
    lines = window_lines("09:31:12", "09:32:00", started="2022-03-01T09:31:05.000+0000", files="")
    assert lines[1:3] == [
        "09:31:05] Corvid (System): Dana Whitlock joined.",
        "09:31:12] Rosa Lindgren (Customer): Line 0.",
    ]


@pytest.mark.parametrize(
    ("text", "order"),
    [
        ("Sent you a photo.", ["Sent", "Line"]),
        ("One sec, uploading it.", ["Line", "Sent"]),
    ],
)
def test_a_file_is_there_when_somebody_says_so_and_not_yet_when_they_announce_it(
    text: str, order: list[str]
) -> None:
    """Nobody types and uploads in the same second."""
    body = transcript(chat("09:31:12", "09:32:00"), [text, "Oh."], WINDOW)
    told = [line for line in body.split("\n") if "IMG_1" in line or text in line]
    assert ["Sent" if "IMG_1" in line else "Line" for line in told] == order
    moments = [line[1:20] for line in told]
    assert moments == sorted(set(moments))
