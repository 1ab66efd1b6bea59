"""How people type: each habit by itself, and what no habit changes."""

import random

import pytest

from pipeline.write.typing import EMOJI, Manner, manner_now, manner_of, typed_line, typed_mail

CORRECTS = Manner(errs=True, corrects=True)
KEPT = (["Brindle Tent"], ["Brindle Tent", "leaking"])


def line(text: str, manner: Manner, seed: int = 1) -> str:
    """A chat line by somebody of this manner."""
    return typed_line(text, manner, KEPT, random.Random(seed))


def test_a_manner_is_read_from_its_words() -> None:
    """The fact names habits; one without any types as others do."""
    assert manner_of("small letters, typing errors") == Manner(small_letters=True, errs=True)
    assert manner_of("") == Manner()


def test_small_letters_leave_names_alone() -> None:
    """Someone who types without capitals still writes products as they are."""
    manner = Manner(small_letters=True, no_final_stops=True)
    assert line("My tent broke. Brindle Tent again.", manner) == "my tent broke. Brindle Tent again"
    assert line("My tent broke.", Manner()) == "My tent broke."
    assert line("Ok i see", Manner()) == "Ok I see"


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
    short = {line("Please look.", Manner(abbreviates=True), seed) for seed in range(20)}
    assert short == {"Please look.", "Pls look."}


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
    """One word at most is mistyped, none of a fact's, and who corrects sends the word again."""
    seen = set()
    for seed in range(600):
        first, _, mended = line("My tent with holes was leaking.", CORRECTS, seed).partition("\n")
        assert "leaking" in first
        if mended:
            seen.add(mended)
            assert mended.removeprefix("*") not in first
    assert seen == {"*with", "*holes"}


def test_who_takes_care_makes_no_errors() -> None:
    """Nor does anybody in a line of a few words, or who does not mend the one error there is."""
    text = "I wrote about the zipper of these boots before, and nobody has answered."
    assert {line(text, Manner(), seed) for seed in range(200)} == {text}
    assert {line(text, Manner(errs=True), seed) for seed in range(200)} == {text}
    assert {line("Still no answer.", CORRECTS, seed) for seed in range(200)} == {"Still no answer."}


@pytest.mark.parametrize(("on_phone", "begins"), [(True, "my"), (False, "My")])
def test_mails_are_in_small_letters_on_a_phone_only(on_phone: bool, begins: str) -> None:
    """At a keyboard, the same person minds capitals in a mail."""
    manner = Manner(small_letters=True)
    assert typed_mail("My day.", manner, on_phone, KEPT, random.Random(1)).startswith(begins)


def test_some_leave_out_apostrophes() -> None:
    """Only where they are lost in haste; a name keeps its own."""
    manner = Manner(no_apostrophes=True)
    assert line("It's broken, I don't know why.", manner) == "Its broken, I dont know why."
    assert line("O'Brien's tent.", manner) == "O'Brien's tent."


def test_who_shouts_does_so_when_angry() -> None:
    """Then a word stands in capitals or marks are doubled, now and then."""
    loud = {line("Nobody came again.", Manner(shouts=True), seed) for seed in range(60)}
    assert {"Nobody came again.", "Nobody came AGAIN.", "Nobody came again!!"} <= loud
    named = "capitals and double marks when angry"
    assert manner_now(named, "angry") == Manner(shouts=True)
    assert manner_now(named, "calm") == Manner()


def test_who_errs_takes_no_care_at_all() -> None:
    """The same person loses the same signs in every text, and others lose none."""
    careless = manner_now("typing errors", "calm", "Rosa Lind")
    assert careless == manner_now("typing errors", "calm", "Rosa Lind")
    assert careless.haste.lost
    assert not manner_now("small letters", "calm", "Rosa Lind").haste.lost


def test_apostrophes_are_lost_in_a_whole_mail() -> None:
    """Not in one paragraph alone."""
    text = "Hi,\n\nIt's broken.\n\nI can't use it.\n\nRosa"
    typed = typed_mail(text, Manner(no_apostrophes=True), False, KEPT, random.Random(1))
    assert typed == "Hi,\n\nIts broken.\n\nI cant use it.\n\nRosa"


def test_a_single_wrong_key_stands_in_no_clean_mail() -> None:
    """Keys are missed only where something else is wrong, too."""
    text = "They came with the box, and they have been with the other ones since."
    manner = Manner(errs=True)
    assert {typed_mail(text, manner, False, KEPT, random.Random(n)) for n in range(60)} == {text}
