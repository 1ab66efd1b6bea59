"""Random histories against plain models: the ledger, the id map, the writable server.

`python -m tests.torture --only histories` tries many more of them.
"""

import pytest
from hypothesis import HealthCheck, Phase, settings
from hypothesis.stateful import run_state_machine_as_test

from orgweave.testing.org_server import OrgServer
from tests.idmap_machine import IdMapMachine
from tests.ledger_machine import LedgerMachine
from tests.server_machine import ServerMachine
from tests.server_model import Happened, Operation, Records, linearized
from tests.tiers import THOROUGH

FEW = settings(
    max_examples=12,
    stateful_step_count=25,
    deadline=None,
    database=None,
    suppress_health_check=list(HealthCheck),
)
UNSHRUNK = settings(FEW, phases=[Phase.generate])
"""Where threads meet, what failed once may go well again, and there is nothing to be shrunk."""
CREATE = Operation("create", "Account", "", (("Name", "Hale"),))
DELETE = Operation("delete", "Account", "001a")
COUNT = Operation("count", "Account")


def test_the_ledger_is_a_dictionary_that_survives() -> None:
    """Whatever is written, killed or cut off by a loss of power, in any order, the ledger tells
    what a dictionary would.
    """
    run_state_machine_as_test(LedgerMachine, settings=FEW)


def test_the_id_map_is_a_dictionary_that_survives() -> None:
    """Whatever is written, fails on a full disk or is torn by a kill, in any order, the id map
    tells what dictionaries would.
    """
    run_state_machine_as_test(IdMapMachine, settings=FEW)


@THOROUGH
def test_the_server_is_a_dictionary_of_records(server: OrgServer) -> None:
    """Whatever several clients ask, one after the other or at once, each is answered as by a plain
    dictionary of records that does one thing at a time.
    """
    run_state_machine_as_test(lambda: ServerMachine(server), settings=UNSHRUNK)


@pytest.mark.parametrize(
    ("begun", "found", "explained"),
    [(3, 1, True), (3, 0, False), (0, 1, True), (0, 0, True), (0, 2, False)],
)
def test_an_answer_is_right_at_some_moment_of_its_call(
    begun: int,
    found: int,
    explained: bool,
) -> None:
    """A count that overlaps a creation may tell of it or not; one that began after it must."""
    made = Happened(CREATE, ("ok", "001a"), 1, 2)
    counted = Happened(COUNT, ("ok", found), begun, 4)
    assert (linearized(Records(), [[made], [counted]]) is not None) == explained


def test_no_answer_goes_back_in_time() -> None:
    """One client sees the record, and then another one doesn't, although nobody deleted it."""
    made = Happened(CREATE, ("ok", "001a"), 0, 9)
    seen = Happened(COUNT, ("ok", 1), 1, 2)
    unseen = Happened(COUNT, ("ok", 0), 3, 4)
    deleted = Happened(DELETE, ("ok",), 1, 8)
    assert linearized(Records(), [[made], [seen], [unseen]]) is None
    assert linearized(Records(), [[made], [seen], [unseen], [deleted]]) is not None
