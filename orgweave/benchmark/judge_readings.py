"""How a task lays its question before a judge: parts that the readings of several tasks share.

Asks no judge.
"""

from collections.abc import Sequence

from orgweave.benchmark.instance import Candidate
from orgweave.benchmark.task import JudgeReading, TaskSources
from pipeline.world.streams import text_stream
from pipeline.write.questions import NOT_SAID, OTHER, JudgeQuestion

DISTRACTORS = 5
"""How many wrong choices stand beside the right one, at most."""


def shuffled_reading(
    seed: int,
    candidate: Candidate,
    *,
    text: str,
    asks: str,
    right: str,
    others: Sequence[str],
) -> JudgeReading:
    """A text and a question with the right answer among some others, in random order."""
    rng = text_stream(seed, "judge tasks", candidate.key)
    number = min(DISTRACTORS, len(others))
    shown = [right, *rng.sample(list(others), number)]
    rng.shuffle(shown)
    question = JudgeQuestion(asks, (*shown, OTHER, NOT_SAID))
    return JudgeReading(text, question, shown.index(right))


def article_text(sources: TaskSources, candidate: Candidate) -> str:
    """The text of the article that a candidate's evidence names."""
    texts = {article.id: article.text for article in sources.story.articles}
    return texts[candidate.evidence["article"]]
