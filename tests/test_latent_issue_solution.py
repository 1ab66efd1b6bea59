"""The figures that policy articles state, and the lives of articles."""

from dataclasses import replace

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from latent.issue_solution import ARCHIVED, IssueSolution, different_figures
from pipeline.world.streams import stream
from tests.latent_orgs import SEEDS, drawn, part_of


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


def test_an_article_on_the_whole_range_lies_in_the_lane_of_all_such() -> None:
    """Articles on products have a lane a category; one on no category lies beside the other such.

    A colon in the name of a policy makes no category.
    """
    org = drawn(0)
    world = org.setting.world
    bare = tuple(article.model_copy(update={"category": ""}) for article in world.articles)
    policy = world.policies[0]
    titled = policy.model_copy(update={"title": f"Terms: {policy.title}"})
    policies = (titled, *world.policies[1:])
    other = world.model_copy(update={"articles": bare, "policies": policies})
    articles = IssueSolution().draw(part_of(org, setting=replace(org.setting, world=other)))[0]
    lanes = {
        kind: set(articles["lane"][articles["kind"] == kind]) for kind in ("product", "policy")
    }
    assert lanes == {"product": {"product"}, "policy": {"policy"}}
    usual = drawn(0).table("IssueSolution.articles")
    assert len(set(usual["lane"][usual["kind"] == "product"])) > 1


def test_an_article_makes_room_for_a_newer_one_on_its_category() -> None:
    """Only articles on products are archived: after a newer one of their lane has come, and never
    read or revised since.
    """
    found = 0
    for seed in SEEDS:
        articles = drawn(seed).table("IssueSolution.articles")
        for row in np.flatnonzero(articles["status"] == ARCHIVED):
            alike = articles["lane"] == articles["lane"][row]
            newer = articles["published"][alike] > articles["published"][row]
            before = articles["published"][alike] < articles["archived"][row]
            assert (newer & before).any() and articles["kind"][row] == "product"
            assert articles["revised"][row] <= articles["archived"][row]
            found += 1
        online = articles["status"] != ARCHIVED
        assert np.isnat(articles["archived"][online]).all()
    assert found
