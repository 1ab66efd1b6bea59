"""Classifiers that guess answers from numbers or words alone, cross-validated.

They need scikit-learn, which is a tool of development and not of a run; where it is missing they
say so (None).
"""

from collections.abc import Sequence
from importlib.util import find_spec
from typing import Any
from warnings import catch_warnings, simplefilter

import numpy as np

FOLDS = 5
"""Four fifths teach a guesser and one tests it, as is usual for some hundred examples."""
SPLITS_OF_NUMBERS, SPLITS_OF_TEXTS = 4, 8
"""How often rows are split into folds, each time differently: by one split alone the share of 130
answers that is guessed right varies by eight in a hundred for words, and by five for numbers. Trees
cost more than words.
"""
LEAST = 2 * FOLDS
"""Fewer examples can't be split into folds."""
NOT_INSTALLED = "unknown (install orgweave[ablation])"
TOO_FEW = f"unknown (fewer than {LEAST}, or all alike)"


def guess_from_numbers(rows: Sequence[Sequence[float]], labels: Sequence[bool]) -> float | None:
    """The share of labels that boosted trees guess from numbers; None where that can't be said."""
    if not _possible(labels):
        return None
    from sklearn.ensemble import GradientBoostingClassifier

    model = GradientBoostingClassifier(n_estimators=40, max_depth=3, random_state=0)
    return _right(
        model,
        np.array(rows),
        [str(label) for label in labels],
        SPLITS_OF_NUMBERS,
    )


def guess_from_texts(texts: Sequence[str], labels: Sequence[str]) -> float | None:
    """The share of labels that naive Bayes guesses from words and pairs of words; None where that
    can't be said.
    """
    if not _possible(labels):
        return None
    from sklearn.feature_extraction.text import TfidfVectorizer
    from sklearn.naive_bayes import MultinomialNB

    # Words are counted once over all texts, which knows no labels; in each fold anew it took five
    # times as long.
    vectors = TfidfVectorizer(ngram_range=(1, 2), sublinear_tf=True, max_features=3000)
    inputs = vectors.fit_transform(list(texts))
    return _right(
        MultinomialNB(alpha=0.1),
        inputs,
        list(labels),
        SPLITS_OF_TEXTS,
    )


def why_unknown() -> str:
    """Why a guesser says nothing: it isn't installed, or there are too few examples."""
    return TOO_FEW if _is_installed() else NOT_INSTALLED


def _possible(labels: Sequence[object]) -> bool:
    enough = len(labels) >= LEAST and len(set(labels)) > 1
    return enough and _is_installed()


def _is_installed() -> bool:
    return find_spec("sklearn") is not None


def _right(
    model: Any,  # noqa: ANN401
    inputs: Any,  # noqa: ANN401
    labels: list[str],
    splits: int,
) -> float:
    """The mean over so many splits into folds."""
    from sklearn import config_context
    from sklearn.model_selection import KFold

    right = 0
    wanted = np.array(labels)
    # Each of thousands of trees would check parameters that never change. A fold may lack an answer
    # that stands once; that is no fault, so no warning is shown.
    with config_context(skip_parameter_validation=True, assume_finite=True), catch_warnings():
        simplefilter("ignore", UserWarning)
        for split in range(splits):
            folds = KFold(FOLDS, shuffle=True, random_state=split)
            # `cross_val_predict` does the same, and takes a third longer.
            for taught, tested in folds.split(labels):
                model.fit(inputs[taught], wanted[taught])
                guessed = model.predict(inputs[tested])
                right += int(np.count_nonzero(guessed == wanted[tested]))
    return float(right / len(labels) / splits)
