"""Each act has a number among all of its kind, so that writers can take turns with its words."""

from datetime import datetime

import numpy as np

from latent.act_ranks import ActRanks, ranks_of
from latent.case_course import CaseCourse
from latent.dialogue import AGENT, CUSTOMER, Turn
from pipeline.world.tables import Table, objects, table

NOON = datetime(2024, 5, 1, 12)
STYLES = objects(["warm", "brisk"])


def course(case: int, *turns: tuple[str, str], agent: int = 0) -> CaseCourse:
    """A case with these turns: who speaks, and the acts."""
    said = tuple(Turn(speaker, 0, tuple(acts.split(","))) for speaker, acts in turns)
    return CaseCourse(case, (agent,), said, (NOON,) * len(said), (NOON,), NOON, None)


def cases(*rows: str) -> Table:
    """Cases from texts such as `email angry`."""
    channels, tones = zip(*(row.split() for row in rows), strict=True)
    return table("ComplaintHabit.cases", {}, channel=objects(channels), tone=objects(tones))


def ranks(known: Table, keys: list[str], *courses: CaseCourse) -> ActRanks:
    """The numbers of all acts of some courses."""
    return ranks_of(known, objects(keys), courses, STYLES)


def test_acts_of_a_kind_are_numbered_from_nought() -> None:
    """Each turn has one number for each of its acts, in their order."""
    told = ranks(
        cases("email calm", "email calm"),
        ["sole", "sole"],
        course(0, (CUSTOMER, "c.greet,c.wish"), (AGENT, "a.greet")),
        course(1, (CUSTOMER, "c.wish")),
    )
    assert told == {0: ["0,0", "0"], 1: ["1"]}


def test_an_issue_counts_its_own_acts_alone() -> None:
    """What one issue says in its own words takes nothing from another one's."""
    turn = (CUSTOMER, "issue.complaint,c.wish")
    known = cases("email calm", "email calm")
    told = ranks(known, ["color", "sole"], course(0, turn), course(1, turn))
    assert told == {0: ["0,0"], 1: ["0,1"]}


def test_those_who_talk_alike_follow_each_other() -> None:
    """Words of a channel or of a tone come round among those who use them."""
    known = cases("email calm", "chat calm", "email angry", "email calm")
    turn = (CUSTOMER, "c.wish")
    told = ranks(known, ["sole"] * 4, *(course(case, turn) for case in range(4)))
    assert told == {0: ["2"], 1: ["0"], 2: ["1"], 3: ["3"]}


def test_an_agents_way_of_writing_counts_for_an_agent() -> None:
    """A brisk agent's acts stand together, whatever the customers' tones."""
    known = cases("email calm", "email angry", "email calm")
    turn = (AGENT, "a.grant")
    agents = [0, 1, 0]
    courses = [course(case, turn, agent=agents[case]) for case in range(3)]
    told = ranks(known, ["sole"] * 3, *courses)
    assert told == {0: ["1"], 1: ["0"], 2: ["2"]}


def test_no_cases_have_no_numbers() -> None:
    """A company without conversations numbers nothing."""
    none = table("ComplaintHabit.cases", {}, channel=np.array([]), tone=np.array([]))
    assert ranks(none, []) == {}
