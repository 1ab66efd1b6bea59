"""The CRM's own clients, unmodified, on our server: `sf`, jsforce and CumulusCI.

They run where ORGWEAVE_CLIENTS names a folder for them (`make clients`), and are skipped elsewhere.
"""

import csv
import json
import os
import re
import sqlite3
import subprocess
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

import pytest

from orgweave.testing.org_server import OrgServer
from pipeline.run import FinishedRun
from tests.called import called
from tests.clients_home import FOLDER, ClientsHome, installed
from tests.server_client import client, raw
from tests.server_orgs import EMPTY

pytestmark = pytest.mark.clients
V = "/services/data/v59.0"
SCRIPT = Path(__file__).parent / "clients_jsforce.cjs"
PROJECT = """\
minimum_cumulusci_version: '4.0.0'
project:
  name: load
  package:
    name: load
    api_version: '64.0'
"""


@pytest.fixture(scope="session")
def clients() -> ClientsHome:
    """The clients, installed on demand."""
    folder = os.environ.get(FOLDER)
    if not folder:
        pytest.skip(f"{FOLDER} names no folder for the clients; run: make clients")
    return installed(Path(folder).resolve())


@dataclass(frozen=True, slots=True)
class Sf:
    """The CRM's command line, logged in to one server."""

    clients: ClientsHome
    home: Path

    def __call__(self, *words: str, folder: Path | None = None) -> str:
        """What a command prints; it must end well."""
        done = self.clients.run(["sf", *words], self.home, folder)
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout

    def told(self, *words: str, folder: Path | None = None) -> object:
        """The result of a command in JSON."""
        return json.loads(self(*words, "--json", folder=folder))["result"]


def logged_in(clients: ClientsHome, server: OrgServer, home: Path) -> Sf:
    """The command line, logged in by the token as its documentation says."""
    home.mkdir(parents=True, exist_ok=True)
    words = ["sf", "org", "login", "access-token", "--instance-url", server.url]
    token = f"00D000000000001!{server.token}"
    done = clients.run([*words, "--no-prompt", "--set-default"], home, SF_ACCESS_TOKEN=token)
    assert done.returncode == 0, done.stdout + done.stderr
    return Sf(clients, home)


@pytest.fixture(scope="module")
def reading(
    clients: ClientsHome,
    small_shoes: FinishedRun,
    tmp_path_factory: pytest.TempPathFactory,
) -> Iterator[Sf]:
    """The command line on a finished org."""
    with OrgServer(small_shoes.folder) as server:
        yield logged_in(clients, server, tmp_path_factory.mktemp("reading"))


@pytest.fixture
def empty(tiny: Path) -> Iterator[OrgServer]:
    """An empty org of its own."""
    with OrgServer(tiny, EMPTY) as server:
        yield server


@pytest.fixture
def writing(clients: ClientsHome, empty: OrgServer, tmp_path: Path) -> Sf:
    """The command line on an empty org."""
    return logged_in(clients, empty, tmp_path / "home")


def count(server: OrgServer, name: str) -> int:
    """Records of an object type on a server."""
    answer = raw(server, "GET", f"{V}/limits/recordCount?sObjects={name}").json()
    return int(answer["sObjects"][0]["count"])


def rows_of(path: Path) -> int:
    """Records in a CSV file."""
    with path.open(encoding="utf-8", newline="") as file:
        return len(list(csv.DictReader(file)))


def test_sf_queries(reading: Sf, small_shoes: FinishedRun) -> None:
    """Tables and CSV have the columns that were asked for, of parents and of groups as well."""
    text = "SELECT CaseNumber, Account.Name FROM Case LIMIT 2"
    table = reading("data", "query", "--query", text)
    assert "CASENUMBER" in table and "ACCOUNT.NAME" in table
    text = "SELECT Status, COUNT(Id) n FROM Case GROUP BY Status"
    lines = reading("data", "query", "--query", text, "--result-format", "csv").splitlines()
    header, *rows = [line for line in lines if "," in line]
    assert header == "Status,n"
    assert sum(int(row.partition(",")[2]) for row in rows) == small_shoes.counts["Case"]


def test_sf_looks_around(reading: Sf, small_shoes: FinishedRun) -> None:
    """It lists and describes objects, searches, and tells limits."""
    listed = reading.told("sobject", "list", "--sobject", "all")
    assert set(small_shoes.counts) <= set(listed)
    described = reading.told("sobject", "describe", "--sobject", "Case")
    assert described["name"] == "Case" and len(described["fields"][0]) == 57
    assert reading.told("org", "list", "limits")
    found = reading.told("data", "search", "--query", "FIND {boot} RETURNING Product2(Id, Name)")
    assert found["searchRecords"]


def test_sf_reads_in_bulk(reading: Sf, small_shoes: FinishedRun, tmp_path: Path) -> None:
    """A bulk export has every record."""
    out = tmp_path / "cases.csv"
    text = "SELECT Id, Subject FROM Case"
    words = ("--query", text, "--output-file", str(out), "--wait", "5")
    reading("data", "export", "bulk", *words)
    assert rows_of(out) == small_shoes.counts["Case"]


def test_sf_moves_records_as_a_tree(
    reading: Sf,
    writing: Sf,
    empty: OrgServer,
    tmp_path: Path,
) -> None:
    """What it exports from one org it imports into another, children with their parents."""
    text = "SELECT Name, (SELECT LastName FROM Contacts) FROM Account LIMIT 15"
    words = ("--query", text, "--output-dir", str(tmp_path), "--plan")
    reading("data", "export", "tree", *words)
    [plan] = tmp_path.glob("*-plan.json")
    writing("data", "import", "tree", "--plan", str(plan))
    assert count(empty, "Account") == 15
    query = "SELECT COUNT() FROM Contact WHERE AccountId != null"
    assert client(empty).query(query)["totalSize"] == 15


def test_sf_writes_in_bulk(writing: Sf, empty: OrgServer, tmp_path: Path) -> None:
    """Rows are imported, then changed and added by their external id."""
    first, second = tmp_path / "first.csv", tmp_path / "second.csv"
    first.write_text("Name,Synth_Id__c\nBoot,p1\nShoe,p2\n")
    second.write_text("Name,Synth_Id__c\nClog,p2\nSandal,p3\n")
    of_products = ("--sobject", "Product2", "--wait", "5")
    writing("data", "import", "bulk", *of_products, "--file", str(first))
    key = ("--external-id", "Synth_Id__c")
    writing("data", "upsert", "bulk", *of_products, "--file", str(second), *key)
    names = client(empty).query("SELECT Name FROM Product2 ORDER BY Name")["records"]
    assert [record["Name"] for record in names] == ["Boot", "Clog", "Sandal"]


def test_sf_changes_single_records(writing: Sf, empty: OrgServer) -> None:
    """It creates, reads, changes and deletes one."""
    of_contacts = ("--sobject", "Contact")
    made = writing.told("data", "create", "record", *of_contacts, "--values", "LastName=Hale")
    by_id = (*of_contacts, "--record-id", made["id"])
    writing("data", "update", "record", *by_id, "--values", "FirstName=Ann")
    assert writing.told("data", "get", "record", *by_id)["Name"] == "Ann Hale"
    writing("data", "delete", "record", *by_id)
    assert count(empty, "Contact") == 0


def exported(folder: Path, form: str, to: Path) -> Path:
    """An export of a finished org."""
    assert called("export", str(folder), "--format", form, "--to", str(to)).returncode == 0
    return to


def test_sf_loads_our_bulk_files(writing: Sf, empty: OrgServer, tiny: Path, tmp_path: Path) -> None:
    """load.sh, as it is but for its Apex, loads every row of every file."""
    folder = exported(tiny, "bulk", tmp_path / "bulk")
    script = folder / "load.sh"
    kept = [line for line in script.read_text().splitlines() if "sf apex run" not in line]
    script.write_text("\n".join([*kept, ""]))
    username = writing.told("org", "display")["username"]
    done = writing.clients.run(["sh", str(script), username], writing.home, folder)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "that this org doesn't have" not in done.stderr
    for path in folder.glob("*.csv"):
        if "." in path.stem or path.stem.startswith("PricebookEntry"):
            continue
        # The org has a user who loads and a standard price book of its own.
        own = 1 if path.stem in ("User", "Pricebook2") else 0
        assert count(empty, path.stem) == rows_of(path) + own, path.stem
    prices = rows_of(folder / "PricebookEntry.csv")
    prices += rows_of(folder / "PricebookEntry_standard.csv")
    assert count(empty, "PricebookEntry") == prices


def test_sf_loads_our_trees(writing: Sf, empty: OrgServer, tiny: Path, tmp_path: Path) -> None:
    """The steps of the export's README load every record of the plan, and activate the orders."""
    folder = exported(tiny, "tree", tmp_path / "tree")
    text = "SELECT Id FROM Pricebook2 WHERE IsStandard = true"
    standard = writing.told("data", "query", "--query", text)["records"][0]["Id"]
    for path in folder.glob("*.json"):
        path.write_text(path.read_text().replace("STANDARD_PRICEBOOK_ID", standard))
    of_book = ("--sobject", "Pricebook2", "--record-id", standard)
    writing("data", "update", "record", *of_book, "--values", "IsActive=true")
    writing("data", "import", "tree", "--plan", str(folder / "plan.json"))
    wanted: dict[str, int] = {}
    for step in json.loads((folder / "plan.json").read_text()):
        for name in step["files"]:
            records = json.loads((folder / name).read_text())["records"]
            wanted[step["sobject"]] = wanted.get(step["sobject"], 0) + len(records)
    # The standard price book is there already.
    there = {name: count(empty, name) - (name == "Pricebook2") for name in wanted}
    assert there == wanted
    text = "SELECT Id FROM Order WHERE Status = 'Draft'"
    drafts = writing.told("data", "query", "--query", text)["records"]
    rows = "".join(f"{record['Id']},Activated\n" for record in drafts)
    (tmp_path / "activate.csv").write_text(f"Id,Status\n{rows}")
    words = ("--sobject", "Order", "--file", str(tmp_path / "activate.csv"), "--wait", "5")
    writing("data", "update", "bulk", *words)
    activated = client(empty).query("SELECT COUNT() FROM Order WHERE Status = 'Activated'")
    assert activated["totalSize"] == len(drafts) > 0


def test_jsforce_does_what_it_does(clients: ClientsHome, empty: OrgServer, tmp_path: Path) -> None:
    """It logs in three ways, changes records one by one and in bulk by both APIs, looks around,
    and sees what changed.
    """
    done = clients.run(["node", str(SCRIPT), empty.url, empty.token], tmp_path)
    assert done.returncode == 0, done.stderr
    seen = json.loads(done.stdout)
    assert seen["users"] == 1 and seen["urls"] == [empty.url]
    assert seen["name"] == "Ann Jsforce" and seen["found"] == seen["searched"] == 1
    assert seen["updated"] and seen["deleted"]
    assert seen["fieldKeys"] == 57 and seen["layouts"] == seen["compact"] == seen["plan"] == 1
    nothing = ("listviews", "recent", "tabs", "theme", "actions")
    assert {name: seen[name] for name in nothing} == dict.fromkeys(nothing, 0)
    assert seen["bulk1"] == seen["bulk2"] == 2500
    assert seen["paged"] == seen["queried1"] == seen["queried2"] == 5000


def cumulusci(clients: ClientsHome, server: OrgServer, home: Path, folder: Path) -> str:
    """What CumulusCI logs while it loads a dataset; it must end well."""
    project = home / "project"
    project.mkdir(parents=True)
    (project / "cumulusci.yml").write_text(PROJECT)
    # It asks PyPI for a newer version once an hour, and looked just now.
    (home / ".cumulusci").mkdir()
    (home / ".cumulusci" / "cumulus_timestamp").write_text("99999999999")
    # It takes only a folder under version control for a project.
    subprocess.run(["git", "init", "--quiet", str(project)], check=True)
    who = raw(server, "GET", "/services/oauth2/userinfo").json()
    org = {
        "access_token": server.token,
        "instance_url": server.url,
        "id": f"{server.url}/id/{who['organization_id']}/{who['user_id']}",
    }
    files = ["--mapping", str(folder / "mapping.yml"), "--sql_path", str(folder / "dataset.sql")]
    done = clients.run(
        ["cci", "task", "run", "load_dataset", *files, "--org", "dev", "--no-prompt"],
        home,
        project,
        CUMULUSCI_ORG_dev=json.dumps(org),
        CUMULUSCI_DISABLE_REFRESH="1",
        CUMULUSCI_KEY="0123456789abcdef",
        REQUESTS_CA_BUNDLE=str(server.certificate),
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout + done.stderr


def test_cumulusci_loads_our_dataset(
    clients: ClientsHome,
    small_shoes: FinishedRun,
    tmp_path: Path,
) -> None:
    """Every row of every step is there, those of small steps by REST, those of large ones by Bulk
    API 1.0.
    """
    folder = exported(small_shoes.folder, "cumulusci", tmp_path / "dataset")
    with OrgServer(small_shoes.folder, EMPTY, tls=True) as server:
        log = cumulusci(clients, server, tmp_path / "home", folder)
        assert "finished with result: Success" in log and "ow failure" not in log
        connection = client(server)
        told = connection.restful("limits/recordCount")["sObjects"]
        activated = connection.query("SELECT COUNT() FROM Order WHERE Status = 'Activated'")
    there = {entry["name"]: entry["count"] for entry in told}
    for name, number in dataset_rows(folder / "dataset.sql").items():
        assert there[name] == number, name
    with closing(sqlite3.connect(small_shoes.folder / "org.sqlite")) as db:
        query = 'SELECT count(*) FROM "Order" WHERE "Status" = \'Activated\''
        assert activated["totalSize"] == db.execute(query).fetchone()[0]


def dataset_rows(path: Path) -> dict[str, int]:
    """Records of a dataset by object type; the rows of later steps are no new ones."""
    found: dict[str, int] = {}
    with closing(sqlite3.connect(":memory:")) as db:
        db.executescript(path.read_text(encoding="utf-8"))
        tables = [row[0] for row in db.execute("SELECT name FROM sqlite_master WHERE type='table'")]
        for table in tables:
            if not table.endswith("_update"):
                name = re.sub("_standard$", "", table)
                number = db.execute(f'SELECT count(*) FROM "{table}"').fetchone()[0]
                found[name] = found.get(name, 0) + int(number)
    return found
