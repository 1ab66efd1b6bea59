"""The figures that policy articles state."""

from hypothesis import given
from hypothesis import strategies as st

from latent.issue_solution import different_figures
from pipeline.world.streams import stream


@given(seed=st.integers(0, 2**32))
def test_no_two_figures_of_an_article_are_alike(seed: int) -> None:
    """Each figure is one of its choices, and differs from the others as long as there are others.

    Where `grace_days` and `closing_days` were both 6, nobody could tell which one "6" meant.
    """
    choices = {"grace": (5, 6), "closing": (6, 5, 8), "alone": (5,)}
    figures = different_figures(stream(seed, "figures"), choices)
    assert all(figures[name] in values for name, values in choices.items())
    assert figures["grace"] != figures["closing"]
    assert figures["alone"] == 5
