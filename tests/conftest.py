"""What tests share: finished orgs, the small ones made once a test process, the whole one once."""

import gc
import os
import pickle
import shutil
import sys
from collections.abc import Callable, Generator, Iterator
from dataclasses import replace
from pathlib import Path
from typing import TypeVar

import pytest
from filelock import FileLock
from simple_salesforce import Salesforce
from xdist.remote import Producer
from xdist.scheduler import LoadFileScheduling

from orgweave.testing.org_server import OrgServer
from pipeline.config import RunRequest, load_job
from pipeline.plan import Plan, make_plan
from pipeline.run import FinishedRun, generate
from tests.exports_org import awkward
from tests.server_client import client
from tests.server_orgs import EMPTY

Made = TypeVar("Made")

QUICK = (
    "test_cli",
    "test_export_",
    "test_hostile_files",
    "test_integrity",
    "test_latent",
    "test_plan",
    "test_profile",
    "test_prompts",
    "test_samplers",
    "test_schemas",
    "test_scoring",
    "test_soql",
    "test_sosl",
    "test_rule_sql",
    "test_streams",
    "test_tasks_selection",
    "test_tasks_soql_truth",
    "test_tasks_truth",
    "test_tasks_windows",
    "test_text_table",
    "test_tools_forms",
    "test_verifiers",
    "test_writing",
)
"""How the files begin whose tests `-m quick` runs: each takes seconds, not minutes. Those of their
tests that are marked as slow are left to the whole run.
"""


LONGEST = (
    "test_tasks_made.py",
    "test_latent",
    "test_model_runs.py",
    "test_docs.py",
    "test_locale.py",
    "test_recipes.py",
    "test_evaluate_agents.py",
    "test_company_draft.py",
    "test_upload_resume.py",
    "test_cli.py",
    "test_upload_nemesis.py",
    "test_readme.py",
    "test_compute.py",
    "test_explore_browser.py",
    "test_binding.py",
    "test_upload.py",
    "test_kill.py",
    "test_model_batch.py",
    "test_tools_mcp.py",
    "test_report_page.py",
    "test_store_parquet.py",
    "test_exports.py",
    "test_ledger_damage.py",
    "test_integrity.py",
    "test_claim.py",
    "test_server_reads.py",
    "test_upload_kill.py",
    "test_industry.py",
    "test_progress_bars.py",
    "test_exports_crm.py",
    "test_explore_wire.py",
    "test_upload_disk.py",
    "test_company.py",
    "test_plan.py",
    "test_state_machines.py",
    "test_explore.py",
    "test_unchanged.py",
    "test_upload_messaging.py",
    "test_exports_workers.py",
    "test_soql_refusals.py",
    "test_run_folder.py",
    "test_tasks_held_back.py",
    "test_model_money.py",
    "test_explore_door.py",
    "test_soql_norec.py",
    "test_bundle.py",
    "test_mutants.py",
    "test_evaluate.py",
    "test_explore_teacher.py",
)
"""How the files begin that take longest, the longest first: begun last, one would keep a core
idle.
"""

TOGETHER = "tests/test_latent"
"""How the files begin that go to a single process: they share the facts of ten seeds, which each
process draws for itself.
"""


def pytest_configure() -> None:
    """Lets Python keep what it compiles, whatever the environment says, and numpy work by itself.

    Tests start some hundred processes; each would compile the whole tree anew, and wake threads for
    matrices of a few numbers.
    """
    sys.dont_write_bytecode = False
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """Leaves out the files without quick tests where those are asked for: to import all takes each
    process as long as a tenth of them.
    """
    path = collection_path
    if config.getoption("markexpr") != "quick" or not path.name.startswith("test_"):
        return None
    quick = path.name.startswith(QUICK) or "mark.quick" in path.read_text(encoding="utf-8")
    return None if quick else True


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Generator[None, object, object]:
    """Keeps what collecting makes out of the garbage collector's sight.

    Modules and tests live to the end, so looking through them finds nothing; it took a twentieth of
    the tests' time. What tests make is looked through as seldom as the command does.
    """
    gc.disable()
    try:
        return (yield)
    finally:
        gc.freeze()
        gc.set_threshold(200_000, 20, 20)
        gc.enable()


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Marks the tests of the quick files, and puts the longest files first where several processes
    share them; a single one keeps the order that was asked for.
    """
    for item in items:
        if item.path.name.startswith(QUICK) and not item.get_closest_marker("slow"):
            item.add_marker(pytest.mark.quick)
    if "PYTEST_XDIST_WORKER" in os.environ:
        items.sort(key=lambda item: _place(item.path.name))


def _place(name: str) -> int:
    """Where a file stands among the longest; behind them where it is none of them."""
    for place, beginning in enumerate(LONGEST):
        if name.startswith(beginning):
            return place
    return len(LONGEST)


class FilesTogether(LoadFileScheduling):
    """Gives a single process the tests of a file, or of the files that share what they draw."""

    def _split_scope(self, nodeid: str) -> str:
        if nodeid.startswith(TOGETHER):
            return TOGETHER
        return super()._split_scope(nodeid)


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Producer) -> FilesTogether:
    """How tests are given to the processes."""
    return FilesTogether(config, log)


def made_once(name: str, factory: pytest.TempPathFactory, make: Callable[[Path], Made]) -> Made:
    """What all test processes share, made in a folder of that name: whichever process needs it
    first makes it, the others wait. No test may write in the folder.
    """
    shared = factory.getbasetemp()
    if "PYTEST_XDIST_WORKER" in os.environ:
        shared = shared.parent
    kept = shared / f"{name}.pickle"
    with FileLock(shared / f"{name}.lock"):
        if not kept.exists():
            kept.write_bytes(pickle.dumps(make(shared / name)))
    made: Made = pickle.loads(kept.read_bytes())
    return made


def copy_of(name: str, request: RunRequest, factory: pytest.TempPathFactory) -> FinishedRun:
    """A test process's own copy of a run that is made once: two don't wait for its lock."""
    made = made_once(name, factory, lambda folder: generate(request, folder / request.company))
    folder = factory.mktemp("runs") / made.folder.name
    shutil.copytree(made.folder, folder)
    return replace(made, folder=folder)


@pytest.fixture(scope="session")
def whole_shoes(tmp_path_factory: pytest.TempPathFactory) -> FinishedRun:
    """The whole shoe company, as `make generate` makes it; no test may write in its folder."""
    ask = RunRequest("shoes")
    return made_once("whole", tmp_path_factory, lambda folder: generate(ask, folder / "shoes"))


@pytest.fixture(scope="session")
def shoes_plan(tmp_path_factory: pytest.TempPathFactory) -> Plan:
    """The plan of the whole shoe company."""
    ask = RunRequest("shoes")
    return made_once("plan", tmp_path_factory, lambda folder: make_plan(load_job(ask)))


@pytest.fixture(scope="session")
def shipped(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str, float], FinishedRun]:
    """Makes a shipped company at a share of its size, once; no test may write in its folder."""

    def made(company: str, scale: float) -> FinishedRun:
        ask = RunRequest(company, scale=scale)
        name = f"{company}-{scale}"
        return made_once(name, tmp_path_factory, lambda folder: generate(ask, folder / company))

    return made


@pytest.fixture(scope="session")
def small_shoes(tmp_path_factory: pytest.TempPathFactory) -> FinishedRun:
    """The shoe company at a tenth of its size."""
    return copy_of("shoes-0.1", RunRequest("shoes", scale=0.1), tmp_path_factory)


@pytest.fixture(scope="session")
def tiny_shoes(tmp_path_factory: pytest.TempPathFactory) -> FinishedRun:
    """The shoe company at a fiftieth of its size, with few products and prices."""
    ask = RunRequest("shoes", scale=0.02, sets={"Product2": 12, "Pricebook2": 5})
    return copy_of("tiny", ask, tmp_path_factory)


@pytest.fixture(scope="session")
def few_shoes(tmp_path_factory: pytest.TempPathFactory) -> FinishedRun:
    """The tiny shoe company with seven agents."""
    sets = {"User": 7, "Product2": 12, "Pricebook2": 5}
    return copy_of("few", RunRequest("shoes", scale=0.02, sets=sets), tmp_path_factory)


@pytest.fixture(scope="session")
def tiny(tiny_shoes: FinishedRun) -> Path:
    """The folder of the shoe company at a fiftieth of its size."""
    return tiny_shoes.folder


@pytest.fixture
def my_tiny(tiny: Path, tmp_path: Path) -> Path:
    """A copy of the tiny company, which a test may change."""
    return Path(shutil.copytree(tiny, tmp_path / "shoes"))


@pytest.fixture(scope="session")
def odd(small_shoes: FinishedRun, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A small org with awkward values."""
    return awkward(small_shoes.folder, tmp_path_factory.mktemp("odd") / "run")


@pytest.fixture(scope="session")
def clinic(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An org of a schema that is no CRM's."""
    return copy_of("clinic-0.2", RunRequest("clinic", scale=0.2), tmp_path_factory).folder


@pytest.fixture
def mine(small_shoes: FinishedRun, tmp_path: Path) -> Path:
    """A copy of the small company, which a test may change."""
    shutil.copytree(small_shoes.folder, tmp_path / "shoes")
    return tmp_path / "shoes"


@pytest.fixture(scope="module")
def server(small_shoes: FinishedRun) -> Iterator[OrgServer]:
    """A writable server of the small company's schema with empty tables, shared by the tests of a
    file.
    """
    with OrgServer(small_shoes.folder, EMPTY) as running:
        yield running


@pytest.fixture
def sf(server: OrgServer) -> Salesforce:
    """A client of its own."""
    return client(server)
