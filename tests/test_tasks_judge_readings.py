"""Questions that a judge is asked of a text: the right answer stands among some others."""

import pytest

from orgweave.benchmark.instance import Candidate
from orgweave.benchmark.judge_readings import shuffled_reading
from pipeline.write.questions import NOT_SAID, OTHER


@pytest.mark.parametrize(("others", "shown"), [(9, 5), (5, 5), (2, 2), (0, 0)])
def test_five_wrong_choices_at_most_stand_beside_the_right_one(others: int, shown: int) -> None:
    """Each once; what else it could be, and that nothing is said, come last."""
    wrong = [f"wrong {number}" for number in range(others)]
    candidate = Candidate("seed", {"number": 1}, {}, (), ("right",))
    reading = shuffled_reading(1, candidate, text="A.", asks="What?", right="right", others=wrong)
    *choices, other, nothing = reading.question.candidates
    assert (other, nothing) == (OTHER, NOT_SAID)
    assert choices[reading.right] == "right"
    assert len(choices) == len(set(choices)) == shown + 1
    assert set(choices) <= {"right", *wrong}
