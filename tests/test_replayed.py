"""A recorded run, played again: who waits for whom, and who shares a core with whom."""

import pytest

from pipeline.compute.executor import InProcess
from tests.compute_work import doubled
from tests.replayed import SENT, TAKEN, Handing, RecordedRun, RecordingExecutor, Replay

# The command hands out two pieces of three seconds after one second, and takes both after two.
HANDINGS = (
    Handing(1.0, SENT, 0),
    Handing(1.0, SENT, 1),
    Handing(2.0, TAKEN, 0),
    Handing(2.0, TAKEN, 1),
)
RUN = RecordedRun(HANDINGS, 2.5, (3.0, 3.0), to_start=0.0)


@pytest.mark.parametrize(
    ("workers", "cores", "wall"),
    [
        (2, 3, 1 + 3 + 0.5),  # all side by side
        (1, 2, 1 + 6 + 0.5),  # one piece behind the other
        (2, 2, 1 + 1.5 + 2 + 0.5),  # the command's second takes both cores half as long again
        (2, 1, 8.5),  # one after another
    ],
)
def test_workers_and_command_share_the_cores(workers: int, cores: int, wall: float) -> None:
    """Each piece begins when it is handed out and a worker is free; the command waits for it."""
    assert Replay(RUN, workers).over(cores) == pytest.approx(wall)


def test_a_worker_starts_before_it_works() -> None:
    """With the first piece that is handed out."""
    slow = RecordedRun(HANDINGS, 2.5, (3.0, 3.0), to_start=2.0)
    assert Replay(slow, 2).over(3) == pytest.approx(1 + 2 + 3 + 0.5)


def test_a_recording_tells_who_handed_what_to_whom() -> None:
    """Results and shared values are those of the other executor."""
    executor = RecordingExecutor(InProcess())
    sent = [executor.submit(doubled, executor.share([number])) for number in (1, 2)]
    assert [done.result()[0] for done in sent] == [[2], [4]]
    told = [(handing.what, handing.piece) for handing in executor.handings]
    assert told == [(SENT, 0), (SENT, 1), (TAKEN, 0), (TAKEN, 1)]
    assert len(executor.pieces) == 2
