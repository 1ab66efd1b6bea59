"""What a mail system adds to a mail, and what is left when it is taken off."""

import pytest

from verifiers.mail_frame import has_frame, is_changed_subject, own_part

FRAMES = (
    "-- \nKim Lee\nCustomer Care",
    "Sent from my iPhone",
    "Get Outlook for Android",
    "On Tue, Mar 2, 2021 at 9:12 AM, Kim Lee <kim@x.example> wrote:\n> Hello.",
    "-----Original Message-----\nFrom: Kim Lee\nSent: Tuesday\n\nHello.",
    "ref:_00Dxx.5003x:ref",
    "[image: IMG_4821.jpg]",
    "<IMG_4821.jpg>",
    "[attachment: Scan0001.pdf]",
)


@pytest.mark.parametrize("frame", FRAMES)
def test_a_frame_is_seen_and_taken_off(frame: str) -> None:
    """Only what somebody wrote is left, whatever stands behind it."""
    written = "Thanks, that helps.\n\nRosa"
    assert own_part(f"{written}\n\n{frame}") == written
    assert has_frame(f"{written}\n\n{frame}")


@pytest.mark.parametrize(
    "text", ["Hello -- are you there?", "On Monday I wrote: nothing came.", "Sent from Boston."]
)
def test_what_people_write_is_no_frame(text: str) -> None:
    """A dash, a date and the word for sending stand in many mails."""
    assert own_part(text) == text
    assert not has_frame(text)


@pytest.mark.parametrize(
    ("subject", "changed"),
    [
        ("Sole coming off", False),
        ("Re: Sole coming off", False),
        ("RE: Sole coming off", True),
        ("Fwd: Sole coming off", True),
        ("Re: Sole coming off [ref:00001234]", True),
        ("[Case #00001234] Sole coming off", True),
        ("Sole coming off (order 00001234)", False),
    ],
)
def test_subjects_change_on_their_way(subject: str, changed: bool) -> None:
    """The plain `Re:` of every reply is no trace; other prefixes and tokens are."""
    assert is_changed_subject(subject) == changed
