"""Signatures of texts: what they agree in tells how like the texts are, whatever stands beside."""

import random

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rapidfuzz import fuzz

from verifiers.duplicates import (
    LEAST_AGREEING,
    NEAR,
    exact_repeats,
    folded,
    near_pairs,
    near_repeats,
)
from verifiers.signatures import BANDS, CHUNK, PLACES, signatures_of

pytestmark = pytest.mark.quick

ANY_TEXTS = st.lists(st.text(max_size=80), min_size=1, max_size=8)
SENTENCES = (
    "the shoes arrived on monday and the left sole had already come off",
    "my invoice names a discount that was never taken from the total amount",
    "please tell me whether this jacket can be washed with the other clothes",
    "nobody answered when I called the desk twice during the last two weeks",
)
EDITS = st.lists(st.tuples(st.integers(0, 60), st.sampled_from("qxz ")), max_size=4)


@st.composite
def like_texts(draw: st.DrawFn) -> list[str]:
    """A few sentences, each with some of its letters changed."""
    texts = []
    for sentence in draw(st.lists(st.sampled_from(SENTENCES), min_size=2, max_size=8)):
        signs = list(sentence)
        for place, sign in draw(EDITS):
            signs[place] = sign
        texts.append("".join(signs))
    return texts


def pairs_of_all(texts: list[str]) -> list[tuple[int, int]]:
    """The near pairs that trying every pair finds; of equal texts the first one counts."""
    firsts: dict[str, int] = {}
    for place, text in enumerate(texts):
        firsts.setdefault(folded(text), place)
    found = []
    for left, first in firsts.items():
        for right, second in firsts.items():
            if first < second and fuzz.ratio(left, right) >= NEAR:
                found.append((first, second))
    return sorted(found)


@settings(max_examples=40, deadline=None)
@given(texts=like_texts())
def test_every_repeat_has_an_earlier_like_it(texts: list[str]) -> None:
    """A near repeat names an earlier text, and each exact repeat is among them."""
    repeats = near_repeats(texts)
    assert set(exact_repeats(texts)) <= set(repeats)
    for later, earlier in repeats.items():
        assert earlier < later
        assert fuzz.ratio(folded(texts[earlier]), folded(texts[later])) >= NEAR


@settings(max_examples=40, deadline=None)
@given(texts=ANY_TEXTS)
def test_a_signature_depends_on_its_own_text_alone(texts: list[str]) -> None:
    """The same text has the same signature alone and between others."""
    together = signatures_of(texts)
    for place, text in enumerate(texts):
        alone = signatures_of([text])
        assert np.array_equal(together.keys[place], alone.keys[0])
        assert np.array_equal(together.places[place], alone.places[0])


def test_texts_of_several_chunks_have_the_signatures_of_each() -> None:
    """Where the texts are too many to be hashed at once, none reaches into the next."""
    texts = [f"{number} {SENTENCES[number % 4]}" for number in range(CHUNK // 30)]
    together = signatures_of(texts)
    assert together.keys.shape == (len(texts), BANDS)
    assert together.places.shape == (len(texts), PLACES)
    last = signatures_of(texts[-1:])
    assert np.array_equal(together.keys[-1], last.keys[0])


def test_no_text_has_no_signature() -> None:
    """Nothing in gives nothing out, in the right shape."""
    nothing = signatures_of([])
    assert nothing.keys.shape == (0, BANDS)
    assert nothing.places.shape == (0, PLACES)


def test_like_texts_agree_in_most_places_and_unlike_ones_in_few() -> None:
    """The share of places is about the share of common 4-grams."""
    whole = SENTENCES[0]
    found = signatures_of([whole, whole.replace("monday", "sunday"), SENTENCES[1]]).places
    near = int((found[0] == found[1]).sum())
    far = int((found[0] == found[2]).sum())
    assert near > LEAST_AGREEING > far
    assert far < PLACES // 10


def test_order_matters_and_short_texts_have_one_gram() -> None:
    """Two texts of the same words in another order differ; `a` and `b` do too."""
    found = signatures_of(["copper lamp", "lamp copper", "a", "b", ""])
    rows = {tuple(row) for row in found.keys.tolist()}
    assert len(rows) == 5


def test_rows_are_taken_and_joined_in_their_order() -> None:
    """Those of some texts, behind those of others, are those of all of them in that order."""
    first, second = signatures_of(SENTENCES[:2]), signatures_of(SENTENCES[2:])
    joined = first.joined(second)
    assert np.array_equal(joined.keys, signatures_of(SENTENCES).keys)
    backwards = joined.taken(np.array([3, 0]))
    assert np.array_equal(backwards.places, signatures_of([SENTENCES[3], SENTENCES[0]]).places)


def test_many_texts_that_share_a_key_are_all_compared() -> None:
    """Fifty copies with a letter changed are near one another, each pair once."""
    rng = random.Random(3)
    texts = []
    for number in range(50):
        signs = list(SENTENCES[number % 2])
        signs[rng.randrange(len(signs))] = chr(ord("A") + number % 26)
        texts.append("".join(signs))
    found = near_pairs(texts)
    assert found == pairs_of_all(texts)
    assert len(set(found)) == len(found) > 500
