"""Random histories against plain models: the ledger, the id map, the writable server.

`python -m tests.torture --only histories` tries many more of them.
"""

from hypothesis import HealthCheck, settings
from hypothesis.stateful import run_state_machine_as_test

from orgweave.testing.org_server import OrgServer
from tests.idmap_machine import IdMapMachine
from tests.ledger_machine import LedgerMachine
from tests.server_machine import ServerMachine

FEW = settings(
    max_examples=12,
    stateful_step_count=25,
    deadline=None,
    database=None,
    suppress_health_check=list(HealthCheck),
)


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


def test_the_server_is_a_dictionary_of_records(server: OrgServer) -> None:
    """Whatever several clients ask, one after the other or at once, each is answered as by a plain
    dictionary of records that does one thing at a time.
    """
    run_state_machine_as_test(lambda: ServerMachine(server), settings=FEW)
