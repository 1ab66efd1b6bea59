"""How people type: each habit by itself, and what no habit changes."""

import random
import re

import pytest

from pipeline.write.haste import (
    APOSTROPHES,
    COMMAS,
    DAYS,
    FIRSTS,
    LAST_STOP,
    NAMES,
    PRONOUNS,
    STOPS,
    Haste,
)
from pipeline.write.typing import (
    EMOJI,
    Manner,
    manner_now,
    typed_by_agent,
    typed_line,
    typed_mail,
    with_capitals,
)
from verifiers.wording import plain, says_date, stands_in

ERRS = Haste(slips=0.03)
CORRECTS = Manner(errs=True, corrects=True, haste=ERRS)
SMALL = Haste({FIRSTS: 1.0, PRONOUNS: 1.0, NAMES: 1.0, DAYS: 1.0})
KEPT = (["Brindle Tent"], ["Brindle Tent", "leaking"])
FACTS = ("Brindle Tent", "May 5, 2023", "$1,024.50", "00000417", "two weeks", "IMG_0042.png")
HABITS = (
    "small letters",
    "no final stops",
    "abbreviations",
    "smileys",
    "typing errors",
    "mends them in a second line",
    "no apostrophes",
    "capitals and double marks when angry",
)
SAID = (
    "Hello, I've had the Brindle Tent since May 5, 2023, and it's leaking. I paid $1,024.50, so I"
    " don't think that's right. My order is 00000417. Nobody has answered for two weeks, please"
    " look at IMG_0042.png. Can you help me?"
)


def line(text: str, manner: Manner, seed: int = 1) -> str:
    """A chat line by somebody of this manner."""
    return typed_line(text, manner, KEPT, random.Random(seed))


def by_agent(text: str, person: str, seed: int = 1, in_mail: bool = False) -> str:
    """What a warm agent types."""
    return typed_by_agent(text, person, "warm", KEPT, random.Random(seed), in_mail)


def test_a_manner_is_read_from_its_words() -> None:
    """The fact names habits; one without any types as others do."""
    manner = manner_now("small letters, typing errors", "calm", "Rosa Lind")
    assert manner.errs
    assert FIRSTS in manner.haste.lost
    assert manner_now("", "calm") == Manner()


def test_small_letters_take_the_capitals_of_names_and_days() -> None:
    """Who types without capitals does so throughout, but for marks that are no names."""
    text = "My tent broke on Tuesday. Brindle Tent again, and I told Ann. The USB port, too."
    assert line(text, Manner(haste=SMALL)) == text.replace("USB", "usb").lower().replace(
        "usb", "USB"
    )
    assert line("My tent broke.", Manner()) == "My tent broke."
    assert line("Ok i see", Manner()) == "Ok I see"


def test_a_phone_brings_some_capitals_back() -> None:
    """The first letters are small, and the pronoun, names and days as a phone corrects them."""
    manner = Manner(haste=Haste({FIRSTS: 1.0}, mended=True))
    text = "My tent broke on Tuesday. Brindle Tent again, and I told Ann."
    assert line(text, manner) == "my" + text[2:]


def test_smileys_go_with_a_thanks() -> None:
    """They stand in some lines that greet or thank, and in no others."""
    manner = Manner(smiles=True)
    thanks = {line("Thanks, bye.", manner, seed) for seed in range(40)}
    drawn = {f"Thanks, bye{sign}" for sign in EMOJI}
    assert (
        {"Thanks, bye.", "Thanks, bye :)"} <= thanks <= {"Thanks, bye.", "Thanks, bye :)"} | drawn
    )
    assert {line("My tent broke.", manner, seed) for seed in range(20)} == {"My tent broke."}


def test_abbreviations_keep_their_capital() -> None:
    """Words that many people shorten are shortened mostly."""
    manner = Manner(haste=Haste(short={"please": "pls"}))
    assert {line("Please look.", manner, seed) for seed in range(20)} == {
        "Please look.",
        "Pls look.",
    }


def test_most_errors_are_of_quick_hands() -> None:
    """A wrong key and letters in the wrong order are commoner than a letter typed twice."""
    kinds = {"swapped": 0, "shorter": 0, "longer": 0, "other": 0}
    for seed in range(4000):
        wrong = line("My lattice leaked all day.", CORRECTS, seed).split()[1]
        if wrong != "lattice":
            swapped = sorted(wrong) == sorted("lattice")
            size = (len(wrong) > 7) - (len(wrong) < 7)
            kind = "swapped" if swapped else ("shorter", "other", "longer")[size + 1]
            kinds[kind] += 1
    assert sum(kinds.values()) > 40
    assert kinds["longer"] < kinds["swapped"]
    assert kinds["longer"] < kinds["other"]


def test_errors_spare_the_words_of_facts() -> None:
    """One word at most is mistyped, none of a fact's, and who corrects sends some words again."""
    seen = set()
    wrong = 0
    for seed in range(600):
        first, _, mended = line("My tent with holes was leaking.", CORRECTS, seed).partition("\n")
        assert "leaking" in first
        wrong += first != "My tent with holes was leaking."
        if mended:
            seen.add(mended)
            assert mended.removeprefix("*") not in first
    assert seen == {"*with", "*holes"}
    assert wrong > 30


def test_who_takes_care_makes_no_errors() -> None:
    """Nor does anybody in a line of a few words."""
    text = "I wrote about the zipper of these boots before, and nobody has answered."
    assert {line(text, Manner(), seed) for seed in range(200)} == {text}
    assert {line("Still no answer.", CORRECTS, seed) for seed in range(200)} == {"Still no answer."}


@pytest.mark.parametrize(("on_phone", "is_small"), [(True, True), (False, False)])
def test_mails_are_in_small_letters_on_a_phone_only(on_phone: bool, is_small: bool) -> None:
    """At a keyboard, the same person minds capitals in a mail."""
    manner = manner_now("small letters", "calm", "Rosa Lind", on_phone, in_mail=True)
    assert (FIRSTS in manner.haste.lost) == is_small
    mail = typed_mail("My day.", Manner(haste=SMALL), KEPT, random.Random(1))
    assert mail == "my day."


def test_some_leave_out_apostrophes() -> None:
    """Only where they are lost in haste; a name keeps its own."""
    manner = Manner(haste=Haste({APOSTROPHES: 1.0}))
    assert line("It's broken, I don't know why.", manner) == "Its broken, I dont know why."
    assert line("O'Brien's tent.", manner) == "O'Brien's tent."


def test_who_shouts_does_so_when_angry() -> None:
    """Then a word stands in capitals or marks are doubled, now and then."""
    loud = {line("Nobody came again.", Manner(shouts=True), seed) for seed in range(60)}
    assert {"Nobody came again.", "Nobody came AGAIN.", "Nobody came again!!"} <= loud
    asked = {line("Where is it?", Manner(shouts=True), seed) for seed in range(60)}
    assert {"Where is it?", "Where is it??"} <= asked
    named = "capitals and double marks when angry"
    assert manner_now(named, "angry") == Manner(shouts=True)
    assert manner_now(named, "calm") == Manner()


def test_who_errs_takes_no_care_at_all() -> None:
    """The same person loses the same signs in every text, and spells in a way of their own."""
    careless = manner_now("typing errors", "calm", "Rosa Lind")
    assert careless == manner_now("typing errors", "calm", "Rosa Lind")
    assert len(careless.haste.lost) > 1
    assert careless.haste.spelt
    assert not manner_now("small letters", "calm", "Rosa Lind").haste.spelt


def test_apostrophes_are_lost_in_a_whole_mail() -> None:
    """Not in one paragraph alone."""
    text = "Hi,\n\nIt's broken.\n\nI can't use it.\n\nRosa"
    manner = Manner(haste=Haste({APOSTROPHES: 1.0}))
    typed = typed_mail(text, manner, KEPT, random.Random(1))
    assert typed == "Hi,\n\nIts broken.\n\nI cant use it.\n\nRosa"


@pytest.mark.parametrize("on_phone", [True, False])
@pytest.mark.parametrize("habit", HABITS)
def test_no_habit_loses_a_fact(habit: str, on_phone: bool) -> None:
    """Names, days, sums, numbers and files are found in whatever somebody types."""
    for number in range(120):
        person = f"Rosa {number}"
        manner = manner_now(f"small letters, {habit}", "angry", person, on_phone)
        rng = random.Random(number)
        for typed in (
            typed_line(SAID, manner, (FACTS[:1], FACTS), rng),
            typed_mail(f"Hi,\n\n{SAID}\n\nRosa", manner, (FACTS[:1], FACTS), rng),
        ):
            text = plain(typed)
            assert says_date("May 5, 2023", text)
            assert all(stands_in(plain(fact), text) for fact in FACTS), typed


def test_a_text_is_typed_the_same_again() -> None:
    """All that chance decides comes from the stream that is given."""
    for number in range(40):
        manner = manner_now(", ".join(HABITS), "angry", f"Rosa {number}", on_phone=True)
        once, again = (line(SAID, manner, number) for _ in range(2))
        assert once == again


def test_some_agents_leave_out_the_stop_of_a_short_line() -> None:
    """It is a habit of theirs: others never do, and nobody does so in a long text."""
    short, long = "Let me check that for you.", f"{SAID} I will look at all of it now."
    people = [f"Ann {number}" for number in range(60)]
    stops = [sum(by_agent(short, each, n).endswith(".") for n in range(40)) for each in people]
    assert stops.count(40) > 15
    assert sum(count < 30 for count in stops) > 15
    for each in people:
        assert by_agent(long, each).endswith(".")
        assert by_agent(short, each, in_mail=True).endswith(".")


def test_agents_hardly_err_in_mails() -> None:
    """A few of their chat lines have a slip, and far fewer of their mails."""
    text = "Thanks for waiting, everything that you sent came through, and nothing else is needed."
    people = [f"Ann {number}" for number in range(200)]

    def wrong(in_mail: bool) -> int:
        made = [by_agent(text, each, seed, in_mail) for seed, each in enumerate(people * 5)]
        return sum(plain(each).rstrip(".") != plain(text).rstrip(".") for each in made)

    assert 10 < wrong(in_mail=False) < 100
    assert wrong(in_mail=True) < 10


def test_a_kept_text_has_no_slips() -> None:
    """An agent's macro was typed once, and looked at."""
    text = "Give me a moment, please, I am going to look at everything that you sent."
    for number in range(100):
        rng = random.Random(number)
        typed = typed_by_agent(text, f"Ann {number}", "warm", KEPT, rng, False, by_hand=False)
        assert re.fullmatch(re.escape(text[1:-1]) + r"\.?", typed[1:])


def test_a_formal_agent_minds_stops_and_capitals() -> None:
    """In short lines, too."""
    for number in range(100):
        rng = random.Random(number)
        typed = typed_by_agent("I see.", f"Ann {number}", "formal", KEPT, rng, in_mail=False)
        assert typed == "I see."


def test_commas_and_stops_are_lost_together() -> None:
    """A careless line reads as one: no comma, no stop between, none at the end."""
    haste = Haste({**SMALL.lost, COMMAS: 1.0, STOPS: 1.0, LAST_STOP: 1.0}, " ")
    text = "I called on Monday, and nobody came. It still leaks."
    assert line(text, Manner(haste=haste)) == "i called on monday and nobody came it still leaks"


def test_nobody_errs_in_a_span() -> None:
    """A day may be told by the business days until then, which no fact holds."""
    text = "You should have it within three business days, or tomorrow."
    manner = Manner(errs=True, haste=Haste(slips=0.05))
    typed = {line(text, manner, seed) for seed in range(200)}
    assert len(typed) > 2
    assert all("within three business days" in each and "tomorrow" in each for each in typed)


def test_a_single_wrong_key_stands_in_no_clean_mail() -> None:
    """Keys are missed only where something else is wrong, too."""
    text = "They came with the box, and they have been with the other ones since."
    manner = Manner(errs=True, haste=Haste(slips=0.05))
    assert {typed_mail(text, manner, KEPT, random.Random(n)) for n in range(60)} == {text}


def test_a_mail_keeps_the_capitals_of_whole_names() -> None:
    """A mail program puts the name below, and a catalog's name is copied from its page."""
    typed = "the brindle tent leaks, says rosa.\n\nrosa lind"
    assert with_capitals(typed, ["Brindle Tent", "Rosa Lind"]) == (
        "the Brindle Tent leaks, says rosa.\n\nRosa Lind"
    )
