"""Reading over HTTP: queries, pages, search, describe, records, the token, and what no request may
break.
"""

import hashlib
import json
import os
import signal
import socket
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
import requests
from simple_salesforce import Salesforce
from simple_salesforce.exceptions import SalesforceExpiredSession

from orgweave.testing.org_server import OrgServer
from pipeline.config import job_of
from pipeline.run import FinishedRun
from pipeline.world.ids import make_ids
from tests.called import CalledCommand, called
from tests.exports_org import copied
from tests.server_client import client, only, raw, refused

V = "/services/data/v59.0"


@pytest.fixture(scope="module")
def folder(small_shoes: FinishedRun) -> Path:
    """The small company's run."""
    return small_shoes.folder


@pytest.fixture(scope="module")
def server(folder: Path) -> Iterator[OrgServer]:
    """A read-only server."""
    with OrgServer(folder) as running:
        yield running


@pytest.fixture
def sf(server: OrgServer) -> Salesforce:
    """A client of its own."""
    return client(server)


def count(folder: Path, name: str) -> int:
    """Records of an object type, by the file itself."""
    with sqlite3.connect(f"file:{folder}/org.sqlite?mode=ro", uri=True) as db:
        return int(db.execute(f'SELECT count(*) FROM "{name}"').fetchone()[0])


def test_a_query_gives_records_with_type_and_url(sf: Salesforce, folder: Path) -> None:
    """A record carries its type, a URL of the asked API version, and its fields."""
    found = sf.query("SELECT Id, Account.Name FROM Case WHERE Status = 'Closed' LIMIT 1")
    record = found["records"][0]
    assert found["done"] and found["totalSize"] == 1
    assert record["attributes"] == {"type": "Case", "url": f"{V}/sobjects/Case/{record['Id']}"}
    assert record["Account"]["attributes"]["type"] == "Account"
    assert sf.query("SELECT COUNT() FROM Case")["totalSize"] == count(folder, "Case")


def test_an_answer_of_more_than_2000_records_comes_in_pages(sf: Salesforce, folder: Path) -> None:
    """The first page has 2,000 records and says where the next one is; together they are all
    records, each once.
    """
    first = sf.query("SELECT Id FROM PricebookEntry")
    assert len(first["records"]) == 2000 and not first["done"]
    assert first["nextRecordsUrl"].startswith(f"{V}/query/01g") and first[
        "nextRecordsUrl"
    ].endswith("-2000")
    ids = [record["Id"] for record in sf.query_all("SELECT Id FROM PricebookEntry")["records"]]
    assert len(ids) == len(set(ids)) == count(folder, "PricebookEntry") == first["totalSize"]


def test_a_smaller_page_may_be_asked_for(server: OrgServer) -> None:
    """Sforce-Query-Options sets the page's size, from 200 to 2,000."""
    for asked, size in ((500, 500), (10, 200), (9999, 2000)):
        answer = raw(
            server,
            "GET",
            f"{V}/query?q=SELECT+Id+FROM+PricebookEntry",
            **{"Sforce-Query-Options": f"batchSize={asked}"},
        ).json()
        assert len(answer["records"]) == size


def test_a_wrong_locator_is_refused(sf: Salesforce) -> None:
    """A locator that was never given, or an offset behind the end, is an INVALID_QUERY_LOCATOR."""
    url = sf.query("SELECT Id FROM PricebookEntry")["nextRecordsUrl"]
    for wrong in (
        f"{V}/query/01gxx-2000",
        url.replace("-2000", "-99999999"),
        url.replace("-2000", "-x"),
    ):
        refused(
            "INVALID_QUERY_LOCATOR",
            lambda wrong=wrong: sf.query_more(wrong, identifier_is_url=True),
        )


def test_query_all_is_answered_too(sf: Salesforce, folder: Path) -> None:
    """queryAll answers as query does."""
    assert sf.query("SELECT COUNT() FROM Case", include_deleted=True)["totalSize"] == count(
        folder, "Case"
    )


def test_search_finds_by_text(sf: Salesforce) -> None:
    """SOSL gives searchRecords, and parameterizedSearch the same from its parts, odd letters taken
    literally.
    """
    name = only(sf, "SELECT Name FROM Product2")["Name"]
    found = sf.search(f"FIND {{{name}}} IN NAME FIELDS RETURNING Product2(Id, Name)")[
        "searchRecords"
    ]
    assert name in [record["Name"] for record in found]
    asked = {
        "q": name,
        "in": "NAME",
        "sobjects": [{"name": "Product2", "fields": ["Id", "Name"], "limit": 5}],
    }
    by_parts = sf.restful("parameterizedSearch", method="POST", json=asked)["searchRecords"]
    assert name in [record["Name"] for record in by_parts]
    in_url = {
        "q": name,
        "in": "NAME",
        "sobject": "Product2",
        "Product2.fields": "Id,Name",
        "Product2.limit": "5",
    }
    assert sf.restful("parameterizedSearch", params=in_url)["searchRecords"] == by_parts
    assert (
        sf.restful("parameterizedSearch", method="POST", json={**asked, "q": "a} OR {b*\"'"})[
            "searchRecords"
        ]
        == []
    )


def test_a_finished_org_is_called_as_its_company(sf: Salesforce) -> None:
    """The Organization of an org that no table holds one of has the company's name."""
    assert only(sf, "SELECT Name FROM Organization")["Name"] == "Tarn & Alder"


def test_describe_tells_what_writing_and_querying_do(sf: Salesforce) -> None:
    """Types, lengths, references, unrestricted and restricted picklists stand in describe; a
    read-only org creates nothing.
    """
    case = {field["name"]: field for field in sf.Case.describe()["fields"]}
    assert case["Subject"]["length"] == 255 and case["Subject"]["nillable"]
    assert (
        case["AccountId"]["referenceTo"] == ["Account"]
        and case["AccountId"]["relationshipName"] == "Account"
    )
    assert (
        "Closed" in [value["value"] for value in case["Status"]["picklistValues"]]
        and not case["Status"]["restrictedPicklist"]
    )
    assert not case["Subject"]["createable"]
    names = {item["name"]: item for item in sf.describe()["sobjects"]}
    assert names["Case"]["keyPrefix"] == "500" and names["Issue__c"]["custom"]
    assert {child["relationshipName"] for child in sf.Case.describe()["childRelationships"]} >= {
        "EmailMessages",
        "Case_Histories__r",
    }


def test_a_record_is_read_whole_or_in_part(sf: Salesforce, server: OrgServer) -> None:
    """GET of an id of 15 or 18 characters gives all fields, or those asked for; a missing one is
    NOT_FOUND with 404.
    """
    key = only(sf, "SELECT Id FROM Case")["Id"]
    whole = sf.Case.get(key)
    assert whole["Id"] == key and set(whole) >= {
        "attributes",
        "Subject",
        "Description",
        "IsDeleted",
    }
    part = raw(server, "GET", f"{V}/sobjects/Case/{key[:15]}?fields=Subject,Owner.Name").json()
    assert part["Subject"] == whole["Subject"] and part["Owner"]["Name"]
    assert raw(server, "GET", f"{V}/sobjects/Case/500zz000009999").status_code == 404
    refused("NOT_FOUND", lambda: sf.Case.get(key.replace("500", "001")))
    refused("NOT_FOUND", lambda: sf.Nothing.get(key))
    assert (
        raw(server, "GET", f"{V}/sobjects/Case/{key}?fields=Nope").json()[0]["errorCode"]
        == "INVALID_FIELD"
    )


def test_a_record_is_read_by_an_external_id(sf: Salesforce) -> None:
    """An external id or idLookup field may stand for the id; another field may not."""
    product = only(sf, "SELECT Id, External_ID__c, Name FROM Product2")
    assert (
        sf.Product2.get_by_custom_id("External_ID__c", product["External_ID__c"])["Id"]
        == product["Id"]
    )
    refused("NOT_FOUND", lambda: sf.Product2.get_by_custom_id("Name", product["Name"]))


def test_any_api_version_is_answered(server: OrgServer) -> None:
    """The version in the path stands in the records' URLs."""
    for version in ("35.0", "64.0"):
        record = client(server, version).query("SELECT Id FROM Case LIMIT 1")["records"][0]
        assert record["attributes"]["url"].startswith(f"/services/data/v{version}/")


def test_versions_resources_and_limits(server: OrgServer, sf: Salesforce) -> None:
    """The root lists versions, a version its resources;
    every answer counts the calls in a header.
    """
    assert "59.0" in [one["version"] for one in raw(server, "GET", "/services/data/").json()]
    assert "sobjects" in raw(server, "GET", V).json()
    sf.limits()
    assert sf.api_usage["api-usage"].used > 0
    assert "Sforce-Limit-Info" in raw(server, "GET", f"{V}/nothing").headers


@pytest.mark.parametrize(
    "path",
    [
        "/services/data/",
        V,
        f"{V}/query?q=SELECT+Id+FROM+Case",
        f"{V}/sobjects",
        f"{V}/nothing",
        "/",
    ],
)
def test_without_the_token_nothing_is_answered(server: OrgServer, path: str) -> None:
    """A missing or wrong token is 401 with INVALID_SESSION_ID in a list, on every path."""
    for headers in (
        {},
        {"Authorization": "Bearer wrong"},
        {"Authorization": server.token},
        {"Authorization": "Basic eDp5"},
    ):
        answer = requests.get(server.url + path, headers=headers, timeout=60)
        assert answer.status_code == 401
        assert answer.json() == [
            {"message": "Session expired or invalid", "errorCode": "INVALID_SESSION_ID"}
        ]


def test_the_client_sees_a_wrong_token_as_an_expired_session(server: OrgServer) -> None:
    """The client library understands the refusal."""
    sf = client(server)
    sf.headers["Authorization"] = "Bearer other"
    with pytest.raises(SalesforceExpiredSession):
        sf.query("SELECT Id FROM Case")


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("SELECT Nope FROM Case", "INVALID_FIELD"),
        ("SELECT Id FROM Nope", "INVALID_TYPE"),
        ("SELECT FROM", "MALFORMED_QUERY"),
        ("DROP TABLE Case", "MALFORMED_QUERY"),
        ("SELECT Id FROM Case; DELETE FROM Case", "MALFORMED_QUERY"),
        ("SELECT Id FROM sqlite_master", "INVALID_TYPE"),
        ("", "MALFORMED_QUERY"),
        ("SELECT Id FROM Case WHERE Subject = '\ud83d\ude00", "MALFORMED_QUERY"),
    ],
)
def test_a_bad_query_is_refused_in_the_crms_form(server: OrgServer, text: str, code: str) -> None:
    """400 with a list of message and errorCode."""
    answer = raw(
        server,
        "GET",
        f"{V}/query/?"
        + requests.models.RequestEncodingMixin._encode_params(
            {"q": text.encode("utf-16", "surrogatepass").decode("utf-16")}
        ),
    )
    assert answer.status_code == 400
    assert answer.json()[0]["errorCode"] == code and answer.json()[0]["message"]


def test_a_list_of_4000_ids_is_answered(sf: Salesforce) -> None:
    """A long IN list goes through the URL, as real clients send it."""
    ids = [
        record["Id"] for record in sf.query("SELECT Id FROM PricebookEntry LIMIT 1500")["records"]
    ]
    ids += [str(one) for one in make_ids("01u", 2500, 10**6)]
    text = (
        "SELECT COUNT() FROM PricebookEntry WHERE Id IN ("
        + ",".join(f"'{one}'" for one in ids)
        + ")"
    )
    assert sf.query(text)["totalSize"] == 1500


@pytest.mark.parametrize(("size", "status"), [(110_000, 400), (1_000_000, 414), (5_000_000, 414)])
def test_an_endless_query_is_refused_and_the_server_lives(
    server: OrgServer,
    sf: Salesforce,
    size: int,
    status: int,
) -> None:
    """A query of a megabyte gets an error body, and the next request an answer."""
    answer = raw(server, "GET", f"{V}/query/?q=SELECT+Id+FROM+Case+WHERE+Subject='{'x' * size}'")
    assert answer.status_code == status and answer.json()[0]["errorCode"]
    assert sf.query("SELECT COUNT() FROM Case")["totalSize"]


def test_a_slow_client_delays_nobody(server: OrgServer, sf: Salesforce) -> None:
    """Others are answered before a slow client has sent its request; one that hangs up harms
    nothing.
    """
    host, port = server.url.removeprefix("http://").split(":")
    with (
        socket.create_connection((host, int(port))) as slow,
        socket.create_connection((host, int(port))) as gone,
    ):
        gone.sendall(
            f"POST {V}/composite HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer"
            f" {server.token}\r\nContent-Length: 999\r\n\r\nabc".encode()
        )
        head = f"GET {V}/limits HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer {server.token}"
        request = f"{head}\r\n\r\n".encode()
        slow.sendall(request[:20])
        gone.close()
        assert sf.query("SELECT COUNT() FROM Case")["totalSize"]
        slow.sendall(request[20:])
        assert slow.recv(20).startswith(b"HTTP/1.1 200")


def test_64_clients_at_once_get_their_own_answers(server: OrgServer, sf: Salesforce) -> None:
    """Each of 64 clients gets what it asked for."""
    ids = [record["Id"] for record in sf.query("SELECT Id FROM Case LIMIT 64")["records"]]

    def asked(key: str) -> set[str]:
        one = client(server)
        return {
            one.query(f"SELECT Id FROM Case WHERE Id = '{key}'")["records"][0]["Id"]
            for _ in range(4)
        }

    with ThreadPoolExecutor(64) as pool:
        assert list(pool.map(asked, ids)) == [{key} for key in ids]


def test_nothing_latent_is_reachable(server: OrgServer, folder: Path) -> None:
    """No latent table or column can be asked for, none is described, and the files beside the org
    aren't served.
    """
    with sqlite3.connect(f"file:{folder}/latent.sqlite?mode=ro", uri=True) as db:
        tables = [
            row[0] for row in db.execute("SELECT name FROM sqlite_master WHERE type = 'table'")
        ]
    assert len(tables) > 5
    described = raw(server, "GET", f"{V}/sobjects").text
    for table in tables:
        assert table not in described
        for text in (
            f"SELECT Id FROM {table}",
            f"SELECT Id FROM latent.{table}",
            f'SELECT Id FROM "{table}"',
        ):
            assert raw(server, "GET", f"{V}/query?q={text}").status_code == 400
        assert raw(server, "GET", f"{V}/sobjects/{table}/describe").status_code == 404
    for path in (
        "/latent.sqlite",
        f"{V}/../../../latent.sqlite",
        f"{V}/sobjects/..%2f..%2flatent.sqlite",
        "/services/data/latent.sqlite",
    ):
        assert raw(server, "GET", path).status_code in (404, 400)


def test_latent_sqlite_need_not_be_there(folder: Path, tmp_path: Path) -> None:
    """An org is served from its tables, its manifest and what it was made from alone."""
    alone = copied(folder, tmp_path / "alone")
    with OrgServer(alone) as server:
        assert client(server).query("SELECT COUNT() FROM Case")["totalSize"]


def test_a_read_only_org_refuses_every_change(
    sf: Salesforce,
    server: OrgServer,
    folder: Path,
) -> None:
    """Create, change, delete and bulk jobs are refused with a reason,
    and the file stays as it was.
    """
    before = hashlib.sha256((folder / "org.sqlite").read_bytes()).hexdigest()
    key = only(sf, "SELECT Id FROM Case")["Id"]
    for work in (
        lambda: sf.Case.create({"Subject": "x"}),
        lambda: sf.Case.update(key, {"Subject": "x"}),
        lambda: sf.Case.delete(key),
        lambda: sf.Product2.upsert("External_ID__c/1", {"Name": "x"}),
        lambda: sf.restful("composite/sobjects", method="POST", json={"records": []}),
        lambda: sf.restful(
            "jobs/ingest",
            method="POST",
            json={"operation": "insert", "object": "Case"},
        ),
    ):
        assert "--writable" in refused("INSUFFICIENT_ACCESS_OR_READONLY", work)
    assert raw(server, "DELETE", f"{V}/sobjects/Case/{key}").status_code == 403
    assert hashlib.sha256((folder / "org.sqlite").read_bytes()).hexdigest() == before


@pytest.mark.parametrize(
    ("method", "path", "status"),
    [
        ("GET", "/nothing", 404),
        ("GET", f"{V}/nothing", 404),
        ("GET", "/services/data/vx", 404),
        ("PUT", f"{V}/query", 405),
        ("OPTIONS", f"{V}/query", 405),
        ("BREW", f"{V}/query", 400),
    ],
)
def test_an_unknown_address_or_method_has_an_error_body(
    server: OrgServer,
    method: str,
    path: str,
    status: int,
) -> None:
    """Even what no endpoint knows is answered as a list with an errorCode."""
    answer = raw(server, method, path)
    assert answer.status_code == status and answer.json()[0]["errorCode"] in (
        "NOT_FOUND",
        "METHOD_NOT_ALLOWED",
        "MALFORMED_REQUEST",
    )


@pytest.mark.parametrize(
    "body",
    [b"", b"{", b"[1, 2", b"\xff\xfe", b'{"a": NaN}', b'"\\ud800"', b"[" * 100_000, b"null", b"3"],
)
def test_a_body_that_is_no_json_object_is_refused(server: OrgServer, body: bytes) -> None:
    """Broken JSON, NaN, half a surrogate pair and endless nesting are JSON_PARSER_ERROR."""
    for path in (
        "composite",
        "composite/tree/Account",
        "sobjects/Case",
        "jobs/ingest",
        "composite/graph",
    ):
        answer = raw(server, "POST", f"{V}/{path}", body)
        assert answer.json()[0]["errorCode"] in (
            "JSON_PARSER_ERROR",
            "INSUFFICIENT_ACCESS_OR_READONLY",
        ), (path, answer.text)


def test_the_serve_command_prints_url_and_token(folder: Path) -> None:
    """`serve` listens on 127.0.0.1, prints URL and a random token, and ends in good order when told
    to.
    """
    command = [sys.executable, "-m", "pipeline", "serve", str(folder), "--clock", "2023-12-31"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        url = process.stdout.readline().split()[-1]
        token = process.stdout.readline().split()[-1]
        try:
            assert url.startswith("http://127.0.0.1:") and len(token) > 20
            answer = requests.get(
                f"{url}{V}/query?q=SELECT+COUNT()+FROM+Case+WHERE+CreatedDate+<=+TODAY",
                headers={"Authorization": f"Bearer {token}"},
                timeout=60,
            )
            assert answer.json()["totalSize"] == count(folder, "Case")
        finally:
            process.terminate()
        assert process.wait(60) == 0


@pytest.mark.parametrize(
    "words",
    [
        ["--port", "99999"],
        ["--empty"],
        ["--clock", "soon"],
        ["--external-id", "X__c"],
        ["--external-id", "no name", "--empty", "--writable"],
    ],
)
def test_wrong_options_of_serve_are_bad_input(folder: Path, words: list[str]) -> None:
    """An option that can't be used ends with code 2 and says what to write."""
    done = called("serve", str(folder), *words)
    assert (
        done.returncode == 2
        and words[0].removeprefix("--") in done.stderr
        and "Traceback" not in done.stderr
    )


def test_the_token_may_stand_in_the_environment_or_in_a_file(folder: Path, tmp_path: Path) -> None:
    """`serve` takes ORGWEAVE_TOKEN, which no list of processes shows; the environment comes before
    a `.env` file in the current folder, and the option before both.
    """
    (tmp_path / ".env").write_text("ORGWEAVE_TOKEN=from_file\n")
    tries = {
        "from_file": ({}, []),
        "from_environment": ({"ORGWEAVE_TOKEN": "from_environment"}, []),
        "from_option": ({"ORGWEAVE_TOKEN": "from_environment"}, ["--token", "from_option"]),
    }
    for token, (variables, words) in tries.items():
        with subprocess.Popen(
            [sys.executable, "-m", "pipeline", "serve", str(folder), *words],
            stdout=subprocess.PIPE,
            text=True,
            cwd=tmp_path,
            env={**os.environ, **variables},
        ) as process:
            assert process.stdout is not None
            lines = [process.stdout.readline() for _ in range(2)]
            process.terminate()
        assert lines[1].split() == ["bearer", "token", token]


def test_an_interrupt_right_after_the_address_ends_serve_in_good_order(folder: Path) -> None:
    """However early it comes: exit code 0, no traceback, no warning."""
    for number in (signal.SIGINT, signal.SIGTERM):
        with subprocess.Popen(
            [sys.executable, "-m", "pipeline", "serve", str(folder)],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        ) as process:
            assert process.stdout is not None and process.stderr is not None
            process.stdout.readline()
            process.send_signal(number)
            said = process.stderr.read()
        assert (process.returncode, said) == (0, "")


def test_the_query_command_prints_json(folder: Path) -> None:
    """`query` answers SOQL and SOSL as JSON; a refusal is code 2 with the CRM's error code."""

    def asked(text: str) -> CalledCommand:
        return called("query", str(folder), text)

    assert json.loads(asked("SELECT COUNT() FROM Case").stdout)["totalSize"] == count(
        folder, "Case"
    )
    assert json.loads(asked("FIND {refund} RETURNING Knowledge__kav(Title)").stdout)[
        "searchRecords"
    ]
    wrong = asked("SELECT Nope FROM Case")
    assert wrong.returncode == 2 and "INVALID_FIELD" in wrong.stderr


def test_a_folder_without_a_run_is_bad_input(tmp_path: Path, folder: Path) -> None:
    """A folder that holds no finished run is named with what to do."""
    assert job_of(folder).ask.company == "shoes"
    done = called("serve", str(tmp_path))
    assert done.returncode == 2 and str(tmp_path) in done.stderr
