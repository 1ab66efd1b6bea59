"""Mails with what the mail system puts around them, and taken apart again."""

import pytest

from pipeline.write.mail import filled, framed_mails
from verifiers.mail_frame import own_part
from verifiers.material import Fact, Facts

ROSA: Facts = {
    "sender": "Rosa Lindgren",
    "address": "rosa@x.example",
    "to": "care@corvid.example",
    "subject": "Sole coming off",
    "first": "Rosa",
    "case_number": "00001042",
    "company": "Corvid",
    "team": "Care",
    "quoted": -1,
}
KIM: Facts = {
    "sender": "Kim Lee",
    "address": "kim@corvid.example",
    "to": "rosa@x.example",
    "subject": "Re: Sole coming off",
    "signature": "{company} {team}\n{phone}",
    "company": "Corvid",
    "team": "Care",
    "phone": "(410) 555-0154",
    "quoted": -1,
}
AGAIN: Facts = {**ROSA, "subject": "Re: Sole coming off", "quoted": 1}
NINE = "2021-03-03T09:12:00"


def last_mail(**facts: Fact) -> str:
    """The last mail of a short thread, Rosa's answer to Kim, framed by these facts."""
    again = {**AGAIN, "quoted_at": NINE, **facts}
    return framed_mails([ROSA, KIM, again], ["It broke.", "Oh no.\n\nKim", "Yes."])[-1]


def test_a_mail_without_a_frame_is_its_body() -> None:
    """Where the system adds nothing, nothing is added."""
    assert framed_mails([ROSA], ["It broke."]) == ["It broke."]
    assert framed_mails([{}], ["It broke."]) == ["It broke."]


def test_an_agents_block_stands_below_the_name() -> None:
    """The block has its slots filled and begins with the line that mail programs know."""
    framed = framed_mails([ROSA, KIM], ["It broke.", "Oh no.\n\nKim"])[1]
    assert framed == "Oh no.\n\nKim\n\n-- \nCorvid Care\n(410) 555-0154"


def test_a_notice_of_the_company_stands_below_the_block() -> None:
    """A disclaimer comes last."""
    framed = framed_mails([{**KIM, "disclaimer": "Ask {company}."}], ["Oh no."])[0]
    assert framed.endswith("(410) 555-0154\n\nAsk Corvid.")


@pytest.mark.parametrize(
    ("program", "head"),
    [
        ("apple", "On Mar 3, 2021, at 9:12 AM, Kim Lee <kim@corvid.example> wrote:\n> Oh no."),
        ("gmail", "On Wed, Mar 3, 2021 at 9:12 AM Kim Lee <kim@corvid.example> wrote:\n> Oh no."),
        (
            "outlook",
            "-----Original Message-----\nFrom: Kim Lee <kim@corvid.example>\nSent: Wednesday,"
            " March 3, 2021 9:12 AM\nTo: rosa@x.example\nSubject: Re: Sole coming off\n\nOh no.",
        ),
        (
            "desk",
            "--------------- Original Message ---------------\nFrom: Kim Lee [kim@corvid.example]"
            "\nSent: Mar 3, 2021, 9:12 AM\nTo: rosa@x.example",
        ),
    ],
)
def test_each_program_quotes_in_its_own_way(program: str, head: str) -> None:
    """The mail that is answered stands below the answer, block and all."""
    framed = last_mail(quotes=program)
    assert head in framed
    assert "(410) 555-0154" in framed


def test_a_long_quote_may_be_cut() -> None:
    """So many lines with something in them are left, and a mark of what is missing."""
    assert last_mail(quotes="apple", lines=2).endswith("> Oh no.\n>\n> Kim\n> [...]")
    assert "[...]" not in last_mail(quotes="apple", lines=60)


def test_who_quotes_nothing_has_nothing_below() -> None:
    """Neither without the habit nor without a mail to quote is anything quoted."""
    assert last_mail(quotes="") == "Yes."
    assert last_mail(quotes="apple", quoted=-1) == "Yes."


def test_a_notice_of_the_system_may_be_quoted() -> None:
    """What was closed before is answered below the closing notice."""
    framed = last_mail(quotes="apple", notice="Case {case_number} is closed.")
    assert "Corvid Care <care@corvid.example> wrote:\n> Case 00001042 is closed." in framed
    assert "Oh no." not in framed


def test_phones_and_files_leave_a_line() -> None:
    """A picture stands where the program puts it; other files and the phone have lines below."""
    facts = {"device_line": "Sent from my iPhone", "files": "IMG_1.jpg\nScan0001.pdf"}
    framed = last_mail(quotes="apple", **facts)
    assert framed.startswith(
        "Yes.\n\n<IMG_1.jpg>\n[attachment: Scan0001.pdf]\n\nSent from my iPhone\n\nOn Mar 3"
    )


@pytest.mark.parametrize("program", ["apple", "gmail", "outlook", "desk"])
def test_what_is_put_on_can_be_taken_off(program: str) -> None:
    """Verifiers get back exactly what somebody wrote."""
    facts = {"device_line": "Sent from my iPhone", "files": "IMG_1.jpg", "quotes": program}
    assert own_part(last_mail(**facts)) == "Yes."
    assert own_part(framed_mails([KIM], ["Oh no.\n\nKim"])[0]) == "Oh no.\n\nKim"


def test_unknown_slots_are_left_empty() -> None:
    """A fact that is not there leaves no brace behind."""
    assert filled("Case {case_number}{nothing}.", ROSA) == "Case 00001042."
