"""The number of each act among all acts of its kind, by which writers take turns with its words.

Numbered by its case, an act that every fifth case holds would meet the same words by chance; by its
own number it meets them once all others were used. Knows the plans of conversations, and no words.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence

from latent.case_course import CaseCourse
from latent.dialogue import AGENT
from pipeline.world.tables import Array, Table

# Acts that an issue words by itself.
OF_ISSUES = "issue."

ActRanks = Mapping[int, Sequence[str]]
"""By case, one text a turn with a number for each of its acts: `4,17,0`."""

ActPlace = tuple[tuple[str, str, str], int, int, int]
"""Where and how somebody talks of what, and the course, the turn and the act in it."""


def ranks_of(
    cases: Table,
    issue_keys: Array,
    courses: Iterable[CaseCourse],
    styles: Array,
) -> ActRanks:
    """Numbers the acts of all conversations, each among those of its kind, from 0.

    `cases` is `ComplaintHabit.cases`, `issue_keys` what each is about, `styles` one a user. Acts of
    an issue are told apart by the issue. Those of one channel who talk alike, and of one matter,
    follow each other: some words are theirs alone.
    """
    known = list(courses)
    places: defaultdict[tuple[str, ...], list[ActPlace]] = defaultdict(list)
    for number, course in enumerate(known):
        about = str(issue_keys[course.case])
        channel = str(cases["channel"][course.case])
        tone = str(cases["tone"][course.case])
        for step, turn in enumerate(course.turns):
            is_agent = turn.speaker == AGENT
            manner = str(styles[course.agents[turn.step]]) if is_agent else tone
            for spot, beat in enumerate(turn.beats):
                kind = (beat, about if beat.startswith(OF_ISSUES) else "")
                places[kind].append(((channel, manner, about), number, step, spot))
    ranks = [[[0] * len(turn.beats) for turn in course.turns] for course in known]
    for alike in places.values():
        for rank, (_, number, step, spot) in enumerate(sorted(alike)):
            ranks[number][step][spot] = rank
    told = {}
    for course, turns in zip(known, ranks, strict=True):
        told[course.case] = [",".join(map(str, numbers)) for numbers in turns]
    return told
