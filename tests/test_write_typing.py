"""How people type: each habit by itself, and what no habit changes."""

import random

import pytest

from pipeline.write.typing import EMOJI, Manner, manner_now, manner_of, typed_line, typed_mail

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


def test_most_errors_are_a_wrong_key_or_a_missed_one() -> None:
    """A letter beside the right one or none in its place is commoner than two in the wrong order,
    and no error leaves the word as it was.
    """
    kinds = {"swapped": 0, "shorter": 0, "longer": 0, "other": 0}
    for seed in range(3000):
        wrong = line("The lattice leaked.", Manner(errs=True), seed).split()[1]
        if wrong != "lattice":
            swapped = sorted(wrong) == sorted("lattice")
            size = (len(wrong) > 7) - (len(wrong) < 7)
            kind = "swapped" if swapped else ("shorter", "other", "longer")[size + 1]
            kinds[kind] += 1
    assert sum(kinds.values()) > 40
    assert kinds["swapped"] < kinds["shorter"]
    assert kinds["swapped"] < kinds["other"]


def test_errors_spare_the_words_of_facts() -> None:
    """One word at most is mistyped, none of a fact's, and who corrects sends the word again."""
    manner = Manner(errs=True, corrects=True)
    seen = set()
    for seed in range(400):
        first, _, mended = line("The tent with holes was leaking.", manner, seed).partition("\n")
        assert "leaking" in first
        if mended:
            seen.add(mended)
            assert mended.removeprefix("*") not in first
    assert seen == {"*with", "*holes"}


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
    assert manner_now(named, "angry", ()) == Manner(shouts=True)
    assert manner_now(named, "calm", ()) == Manner()


def test_what_tells_a_sign_keeps_its_apostrophes() -> None:
    """A verifier looks for those words."""
    assert manner_now("no apostrophes", "calm", ("issue.sign.spot.toe",)) == Manner()
    assert manner_now("no apostrophes", "calm", ("c.thanks",)) == Manner(no_apostrophes=True)
