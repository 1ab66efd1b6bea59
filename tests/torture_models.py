"""Torture by models: long random histories of the ledger, the id map and the writable server, and
thousands of conditions of SOQL. The tests of the suite do the same with a few.
"""

import random
import time

from hypothesis import HealthCheck, Phase, seed, settings
from hypothesis.stateful import run_state_machine_as_test

from orgweave.testing.org_server import OrgServer
from tests.idmap_machine import IdMapMachine
from tests.ledger_machine import LedgerMachine
from tests.server_machine import ServerMachine
from tests.server_orgs import EMPTY
from tests.soql_norec import difference, draw_condition, many_scripts
from tests.soql_toys import toy_engine
from tests.torture_orgs import prepared
from tests.torture_trial import Budget, forked

MANY = settings(
    max_examples=10,
    stateful_step_count=50,
    deadline=None,
    database=None,
    suppress_health_check=list(HealthCheck),
    phases=[Phase.generate],
    print_blob=False,
)
CONDITIONS = 200


def histories(budget: Budget) -> None:
    """Ten histories of each of the three machines a trial."""
    whole = prepared(budget.scratch)
    for number, _ in budget.trials():

        def tried(number: int = number) -> int:
            with OrgServer(whole, EMPTY) as server:
                for machine in (LedgerMachine, IdMapMachine, lambda: ServerMachine(server)):
                    run_state_machine_as_test(
                        seed(budget.seed * 1000 + number)(machine), settings=MANY
                    )
            return 0

        child = forked(tried, budget.scratch)
        while not child.poll():
            time.sleep(0.05)  # A history takes as long as it takes.
        end = child.end()
        if end.code:
            budget.tally.fail("lost", f"{number}: {end.err[-1500:]}")


def soql(budget: Budget) -> None:
    """So many conditions a trial, over records of its own."""
    for number, rng in budget.trials():
        rows = many_scripts(rng.randrange(10**6))
        folder = budget.scratch / str(number)
        folder.mkdir()
        engine = toy_engine(folder, rows)
        try:
            drawing = random.Random(rng.random())
            for _ in range(CONDITIONS):
                text = difference(engine, draw_condition(drawing, rows))
                if text:
                    budget.tally.fail("silent", f"{number}: {text[:300]}")
        finally:
            engine.close()
