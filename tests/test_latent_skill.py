"""Who masters what since when, and who is a specialist."""

import numpy as np
import pytest

from tests.latent_orgs import drawn


@pytest.mark.parametrize("seed", range(3))
def test_a_specialist_masters_the_issue_from_the_first_day_as_one(seed: int) -> None:
    """Nobody unlearns: who mastered it before has mastered it since then."""
    org = drawn(seed)
    issues = org.table("Solution.issues").size
    skills, special = org.table("Skill.skills"), org.table("Skill.specialists")
    agent, issue = special["agent"], special["issue"]
    assert skills["mastered"].reshape(-1, issues)[agent, issue].all()
    since = skills["since"].reshape(-1, issues)[agent, issue]
    assert (since <= special["first"]).all()
    assert (since < special["first"]).any()


@pytest.mark.parametrize("seed", range(3))
def test_specialists_follow_one_another_without_a_gap(seed: int) -> None:
    """Each issue has two at any time, or as many as there are, one a half, over the whole period;
    the next ones begin on the day after.
    """
    org = drawn(seed)
    special, setting = org.table("Skill.specialists"), org.setting
    for issue in range(org.table("Solution.issues").size):
        first, last = (special[name][special["issue"] == issue] for name in ("first", "last"))
        begins, ends = np.unique(first), np.unique(last)
        assert begins[0] <= setting.first_day and ends[-1] >= setting.last_day
        assert (begins[1:] == ends[:-1] + 1).all()
        half = special["half"][special["issue"] == issue]
        assert all(sorted(half[first == day].tolist()) in ([0], [0, 1]) for day in begins)
