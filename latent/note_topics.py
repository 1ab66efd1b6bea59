"""What an agent's internal note is about, by what the agent says to the customer beside it.

It knows the acts of a turn, in the order in which they are said, and no words.
"""

from collections.abc import Sequence

from pipeline.world.tables import Array

HANDOVER = "handover"
TRIAGE = "triage"
PROGRESS = "progress"
# How a case ended, by the customer's side of it: something was arranged, was refused, or a question
# was answered.
ARRANGED = "arranged"
TURNED_DOWN = "turned_down"
ANSWERED = "answered"

# Acts by how they begin, and what a note beside them is about; the first that a turn holds decides.
# A decision is worth more words than the question that comes with it.
TOPICS = {
    "a.deny": "refused",
    "a.offer": "offered",
    "a.grant": "offered",
    "a.step_back": "back",
    "a.step": "passed",
    "a.wait": "waiting",
    "a.progress": "waiting",
    "a.still": "waiting",
    "a.evidence": "asked",
    "a.ask_order": "asked",
    "a.remind": "asked",
    "issue.ask": "asked",
}


def topic_of(beats: str) -> str:
    """What a note beside a turn is about, by the turn's acts; progress where none tells.

    >>> topic_of("a.greet,issue.ask.spot,a.evidence.photo,a.sign")
    'asked'
    >>> topic_of("a.greet,a.close")
    'progress'
    """
    acts = beats.split(",")
    for beginning, topic in TOPICS.items():
        if any(act.startswith(beginning) for act in acts):
            return topic
    return PROGRESS


def ending_of(granted: bool, refused: bool) -> str:
    """What the last note of a closed case is about."""
    if granted:
        return ARRANGED
    return TURNED_DOWN if refused else ANSWERED


def topics_of(beats: Array, firsts: Array, endings: Sequence[str]) -> list[str]:
    """The topic of each turn's note.

    `firsts` marks the first turns of cases; an ending is empty where the turn ends nothing.
    """
    topics = []
    for acts, first, ending in zip(beats, firsts, endings, strict=True):
        topics.append(ending or (TRIAGE if first else topic_of(str(acts))))
    return topics
