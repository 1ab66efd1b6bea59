"""Texts against one another: duplicates, likeness, and how varied a set of texts is."""

import gzip
import random
import sqlite3
from contextlib import closing
from dataclasses import replace
from typing import Literal

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rapidfuzz import fuzz

from schemas.field import Field
from schemas.sources import WrittenSource
from tests.likeness_toys import NOTE, UNITS
from verifiers.diversity import measure, measure_field
from verifiers.duplicates import (
    NEAR,
    KnownTexts,
    candidates_in,
    exact_repeats,
    few_candidates,
    folded,
    near_pairs,
    near_repeats,
)
from verifiers.likeness import KnownLots, RepeatedText, repeated_text, verify_unlike
from verifiers.signatures import BANDS, signatures_of

WORDS = [
    "river",
    "lamp",
    "window",
    "engine",
    "garden",
    "winter",
    "copper",
    "letter",
    "bridge",
    "orchard",
    "candle",
    "market",
    "harbor",
    "violet",
    "thunder",
    "pocket",
    "marble",
    "saddle",
    "kettle",
    "ribbon",
]


anything = st.text(st.characters(), max_size=60)


@settings(max_examples=100, deadline=None)
@given(texts=st.lists(anything, max_size=12))
def test_duplicates_and_diversity_never_raise(texts: list[str]) -> None:
    """Any texts, empty or odd, can be measured."""
    assert set(exact_repeats(texts)) <= set(near_repeats(texts))
    assert measure(texts).texts == len(texts)


@settings(max_examples=100, deadline=None)
@given(picks=st.lists(st.sampled_from(["A b", "a  B", "c d", "C D ", "e"]), max_size=12))
def test_exact_repeats_are_all_but_the_first_of_equal_texts(picks: list[str]) -> None:
    """A text repeats where an equal one stands before it, case and white space aside."""
    assert exact_repeats(picks) == [
        at for at, text in enumerate(picks) if folded(text) in map(folded, picks[:at])
    ]


def texts_with_plants(seed: int) -> list[str]:
    """A few unlike sentences and, among them, copies with one or two characters changed."""
    rng = random.Random(seed)
    texts = [" ".join(rng.choices(WORDS, k=rng.randint(10, 18))) for _ in range(rng.randint(1, 8))]
    for _ in range(rng.randint(0, 5)):
        signs = list(rng.choice(texts))
        for _ in range(rng.randint(0, 2)):
            signs[rng.randrange(len(signs))] = rng.choice("qxz")
        texts.insert(rng.randint(0, len(texts)), "".join(signs))
    return texts


@pytest.mark.slow
@settings(max_examples=150, deadline=None, derandomize=True)
@given(seed=st.integers(0, 2**32))
def test_near_repeats_agree_with_trying_every_pair(seed: int) -> None:
    """Near pairs and repeats are those that rapidfuzz's ratio of 95 finds when every pair is
    tried.
    """
    texts = [folded(text) for text in texts_with_plants(seed)]
    alike = [
        (one, other)
        for other in range(len(texts))
        for one in range(other)
        if fuzz.ratio(texts[one], texts[other]) >= 95
    ]
    firsts = {text: at for at, text in reversed(list(enumerate(texts)))}
    assert near_pairs(texts) == sorted(
        pair for pair in alike if all(firsts[texts[at]] == at for at in pair)
    )
    assert set(near_repeats(texts)) == {
        other for _, other in alike if other != firsts[texts[other]]
    } | {
        other for one, other in alike if firsts[texts[other]] == other and firsts[texts[one]] == one
    }
    assert all(
        before < at and fuzz.ratio(texts[before], texts[at]) >= 95
        for at, before in near_repeats(texts).items()
    )


def test_nearly_all_pairs_just_above_the_bound_are_found() -> None:
    """Of long texts whose ratio is between 95 and 97, changed in one place, at least 98 in 100 are
    found.
    """
    rng, pairs = random.Random(7), []
    for _ in range(600):
        words = rng.choices(WORDS, k=20)
        pair = (" ".join(words), " ".join([*words[:12], "zebra", *words[13:]]))
        pairs += [pair] if 95 <= fuzz.ratio(*pair) <= 97 else []
    assert len(pairs) > 100
    assert sum(near_pairs(list(pair)) == [(0, 1)] for pair in pairs) >= 0.98 * len(pairs)


def test_a_pair_on_the_bound_is_near() -> None:
    """One of twenty letters more and one less leave two texts alike at 95, which is enough."""
    texts = ["abcdefghijklmnopqrst", "abcdefghijklmnopqrsX", "abcdefghijklmnopqXYZ"]
    assert fuzz.ratio(texts[0], texts[1]) == NEAR
    assert near_pairs(texts) == [(0, 1)]


def test_pairs_stand_in_order_and_the_earlier_text_first() -> None:
    """Pairs rise, each with the earlier text first,
    and of equal texts only the first one counts.
    """
    text = "the copper kettle stands on the orchard market bridge in winter thunder"
    texts = [
        text,
        "another matter altogether, said in other words than those",
        text.replace("kettle", "kettla"),
        text.upper(),
        text.replace("orchard", "orchart"),
    ]
    assert near_pairs(texts) == [(0, 2), (0, 4), (2, 4)]
    assert near_repeats(texts) == {2: 0, 3: 0, 4: 0}


def test_diversity_of_a_toy_set() -> None:
    """Distinct-1 and distinct-2 are different words and pairs over all,
    pairs never across texts.
    """
    found = measure(["a b a b", "A c"])
    assert (found.texts, found.words, found.distinct_1, found.distinct_2) == (2, 6, 0.5, 0.75)


def test_only_texts_of_five_words_count_as_duplicates() -> None:
    """Short texts may stand twice; of longer ones exact and near repeats are counted."""
    long = "the copper kettle stands on the orchard market bridge in winter thunder"
    found = measure(
        [
            "yes",
            "yes",
            long,
            long,
            long.replace("kettle", "kettla"),
            "candle ribbon saddle marble pocket violet harbor",
        ]
    )
    assert (found.exact_duplicates, found.near_duplicate_share) == (1, 0.5)


def test_five_words_are_enough_to_be_a_duplicate() -> None:
    """A repeat of five words counts, and one of four doesn't."""
    assert measure(["the red boots came late"] * 2).exact_duplicates == 1
    assert measure(["the boots came late"] * 2).exact_duplicates == 0


@pytest.mark.parametrize(("render", "words"), [("mail", 4), (None, 10)])
def test_only_in_mails_the_systems_lines_say_nothing_of_diversity(
    render: Literal["mail"] | None, words: int
) -> None:
    """The frame of a mail is left out; the same lines in a note were written by somebody."""
    source = WrittenSource(written="The note itself.", render=render)
    note = replace(NOTE, fields=(Field("Body", {}, source, True),))
    with closing(sqlite3.connect(":memory:")) as db:
        db.execute("CREATE TABLE Note (Body)")
        text = "Thanks for all that.\n\nSent from my iPhone\n-- \nKim"
        db.execute("INSERT INTO Note VALUES (?)", [text])
        assert measure_field(db, note, "Body").words == words


def test_repeated_texts_are_less_diverse() -> None:
    """The same sentences over and over compress better and have fewer distinct words than varied
    ones.
    """
    varied, same = (
        measure([" ".join(random.Random(at).sample(WORDS, 12)) for at in range(40)]),
        measure([" ".join(WORDS[:12])] * 40),
    )
    assert same.gzip_ratio > varied.gzip_ratio and same.distinct_2 < varied.distinct_2


def test_nothing_has_a_measure_too() -> None:
    """No texts at all measure zero."""
    found = measure([])
    assert (found.texts, found.words, found.distinct_1, found.near_duplicate_share) == (
        0,
        0,
        0.0,
        0.0,
    )


LONG = "My tent has a hole in its left side"


def test_the_later_of_two_like_texts_fails_and_is_told_both() -> None:
    """Of like texts the unit that comes later in canonical order fails, both texts quoted; short
    texts may be alike but in a unique field.
    """
    entries = {
        3: {"Title": "A hole", "Body": LONG},
        1: {"Title": "A HOLE", "Body": "Thank you!"},
        2: {"Title": "Another hole", "Body": f"{LONG}."},
    }
    found = verify_unlike(NOTE, UNITS, entries)
    assert {unit: [str(verdict) for verdict in verdicts] for unit, verdicts in found.items()} == {
        1: ["Title: 'A HOLE' is too like an earlier text: 'A hole'"],
        2: [f"Body: '{LONG}.' is too like an earlier text: '{LONG}'"],
    }


def test_each_turn_of_a_conversation_that_is_too_like_another_is_told_with_its_place() -> None:
    """All such turns are found at once, so that they are mended in one round; a transcript is
    compared as a whole.
    """
    other = "The box was wet when it came to our door"
    turns = [LONG, "Thanks!", other]
    entries = {0: {"Body": [other]}, 1: {"Body": ["Yes."]}, 2: {"Body": turns}, 3: {"Body": turns}}
    for render, paths in (("mail", ["Body.0", "Body.2"]), ("transcript", ["Body"])):
        source = WrittenSource(written="The mails themselves.", render=render)
        item = replace(NOTE, fields=(Field("Body", {}, source, True),))
        found = verify_unlike(item, range(4), entries)
        assert [verdict.path for verdict in found[3]] == paths


def test_people_may_write_alike_in_another_lot() -> None:
    """Where a field says among how many units its text is new, it is held against those alone."""
    body = Field("Body", {}, WrittenSource(written="The note itself.", new_among=2), True)
    item = replace(NOTE, fields=(body,))
    units = range(4)
    entries = {0: {"Body": LONG}, 1: {"Body": "None"}, 2: {"Body": LONG}, 3: {"Body": f"{LONG}!"}}
    assert list(verify_unlike(item, units, entries)) == [3]


def test_a_field_says_from_how_many_words_its_texts_are_new() -> None:
    """A line that many people use may stand twice where a field asks for more words than it has."""
    line = "Did you get my mail about the shoes?"  # eight words
    entries = {0: {"Body": line}, 1: {"Body": line}, 2: {"Body": LONG}, 3: {"Body": LONG}}
    for least, wrong in ((8, [1, 3]), (9, [3])):
        source = WrittenSource(written="The mails themselves.", new_from=least)
        item = replace(NOTE, fields=(Field("Body", {}, source, True),))
        assert list(verify_unlike(item, range(4), entries)) == wrong


def test_what_is_known_of_a_lot_changes_no_verdict() -> None:
    """A lot that stays as it is keeps its verdicts, one with another text gets new ones, also where
    a list has one text replaced in its place.
    """
    body = Field("Body", {}, WrittenSource(written="The mails themselves.", new_among=2), True)
    item = replace(NOTE, fields=(body,))
    mails = [LONG, "Thanks a lot for your help."]
    entries = {0: {"Body": LONG}, 1: {"Body": mails}, 2: {"Body": LONG}, 3: {"Body": f"{LONG}!"}}
    known: KnownLots = {}
    assert list(verify_unlike(item, range(4), entries, known)) == [1, 3]
    assert list(verify_unlike(item, range(4), entries, known)) == [1, 3]
    mails[0] = "Nothing is left of the other text here"
    entries[3] = {"Body": "None"}
    assert verify_unlike(item, range(4), entries, known) == {}


def test_what_was_written_again_gives_way_to_what_stood() -> None:
    """A later look is told the new texts alone: others may be made from one that stood."""
    other = "The box was wet when it came to our door"
    entries = {0: {"Body": LONG}, 1: {"Body": f"{LONG}!"}, 2: {"Body": other}}
    item = replace(NOTE, fields=tuple(field for field in NOTE.fields if field.name == "Body"))
    known: KnownLots = {}
    assert list(verify_unlike(item, range(3), entries, known)) == [1]
    entries[1] = {"Body": "All poles are gone, it fell"}
    entries[0] = {"Body": f"{other}."}
    assert list(verify_unlike(item, [0, 1], entries, known)) == [0]
    entries[0] = {"Body": "all poles are gone, it fell!"}
    assert list(verify_unlike(item, [0], entries, known)) == [0]


@pytest.mark.parametrize("seed", range(8))
def test_rounds_that_look_at_the_new_texts_alone_find_what_a_look_at_all_finds(seed: int) -> None:
    """Whatever is wrong is written again, and so is a text or two that a reader misunderstood."""
    rng = random.Random(seed)
    texts = texts_with_plants(seed) * 2
    body = Field("Body", {}, WrittenSource(written="The note itself.", new_among=20), True)
    item = replace(NOTE, fields=(body,))
    entries = {unit: {"Body": text} for unit, text in enumerate(texts)}
    order = list(entries)
    new = list(order)
    known: KnownLots = {}
    for _ in range(4):
        found = verify_unlike(item, new, entries, known)
        assert found == verify_unlike(item, order, entries)
        new = sorted(found.keys() | set(rng.sample(order, 2)))
        order = [*(unit for unit in order if unit not in new), *new]
        entries |= {unit: {"Body": rng.choice(texts)} for unit in new}


def test_a_text_that_stands_twice_in_a_unique_field_is_found() -> None:
    """The first unique field with equal texts is told with the text and how often it repeats."""
    entries = {unit: {"Title": f"Hole {unit}", "Body": LONG} for unit in UNITS}
    assert repeated_text(NOTE, UNITS, entries) is None
    entries[1] = {"Title": "hole  3", "Body": LONG}
    assert repeated_text(NOTE, UNITS, entries) == RepeatedText("Title", "hole  3", 1)


def test_of_several_texts_that_stand_twice_the_first_is_told() -> None:
    """It is that of the first unit whose text stood before, in the units' order."""
    titles = ("Hole", "Lace", "Lace", "Hole")
    entries = {unit: {"Title": title, "Body": LONG} for unit, title in enumerate(titles)}
    assert repeated_text(NOTE, range(4), entries) == RepeatedText("Title", "Lace", 2)


def test_the_gzip_ratio_has_two_digits() -> None:
    """The ratio is plain bytes over compressed ones, rounded to hundredths."""
    texts = [" ".join(WORDS)] * 7
    plain = "\n".join(texts).encode()
    exact = len(plain) / len(gzip.compress(plain, mtime=0))
    found = measure(texts).gzip_ratio
    assert found == round(exact, 2) != round(exact, 3)


def test_known_texts_change_nothing() -> None:
    """What is known of the texts of the last call gives the same pairs, whatever changed since."""
    texts = texts_with_plants(5)
    known = KnownTexts()
    assert near_pairs(texts, known) == near_pairs(texts, known) == near_pairs(texts)
    assert set(known.rows) == {folded(text) for text in texts}


@pytest.mark.parametrize("seed", range(12))
def test_a_few_fresh_texts_are_compared_at_once_with_what_bands_would_find(seed: int) -> None:
    """The pairs are the same, each once, however few of the texts are fresh."""
    rng = random.Random(seed)
    texts = [folded(text) for each in range(9) for text in texts_with_plants(seed + 99 * each)]
    texts = list(dict.fromkeys(texts))
    lengths = np.array([len(text) for text in texts])
    fresh = np.array(sorted(rng.sample(range(len(texts)), rng.randint(0, len(texts)))), dtype=int)
    signatures = signatures_of(texts)
    by_bands = candidates_in(range(BANDS), signatures, lengths, fresh)
    found = sorted(pair for pairs in by_bands for pair in map(tuple, pairs.tolist()))
    at_once = few_candidates(signatures, lengths, fresh)
    assert sorted(map(tuple, at_once.tolist())) == found


@pytest.mark.slow
@settings(max_examples=100, deadline=None, derandomize=True)
@given(seed=st.integers(0, 2**32))
def test_rounds_of_rewriting_find_what_a_first_look_finds(seed: int) -> None:
    """Texts that go, come, move and come back are compared as if all were looked at anew."""
    rng = random.Random(seed)
    every = texts_with_plants(seed) * 2
    known = KnownTexts()
    for _ in range(4):
        texts = rng.sample(every, rng.randint(0, len(every)))
        assert near_pairs(texts, known) == near_pairs(texts)


def test_a_title_of_one_word_is_somebodys_own_in_a_unique_field() -> None:
    """Short texts may stand twice elsewhere only."""
    titles = ("Waterproofing", "Lacing", "Waterproofings")
    entries = {unit: {"Title": title, "Body": ""} for unit, title in enumerate(titles)}
    found = verify_unlike(NOTE, range(3), entries, {})
    assert [verdict.path for verdict in found.get(2, ())] == ["Title"]
    assert 1 not in found
