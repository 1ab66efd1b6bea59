"""Bulk API 1.0 over HTTP: simple-salesforce's own handler, and XML and CSV by hand."""

import csv
import io
import json
import time
from collections.abc import Callable
from typing import Any
from xml.etree import ElementTree

import pytest
import requests
from simple_salesforce import Salesforce

from orgweave.server.bulk.async_api import MOST_ROWS
from orgweave.testing.org_server import OrgServer
from pipeline.run import FinishedRun
from tests.server_client import client, only
from tests.server_orgs import make

BASE = "/services/async/59.0"
SPACE = "{http://www.force.com/2009/06/asyncapi/dataload}"
Sent = Callable[..., requests.Response]


def bulk(sf: Salesforce, name: str) -> Any:
    """The client's handler of an object type, which looks at once whether a batch is done."""
    return getattr(sf.bulk, name)


@pytest.fixture
def send(server: OrgServer) -> Sent:
    """Requests with the token in the header that this API has for it."""

    def sent(method: str, path: str, body: bytes | None = None, kind: str = "application/xml"):
        headers = {"X-SFDC-Session": server.token, "Content-Type": f"{kind}; charset=UTF-8"}
        url = f"{server.url}{BASE}{path}"
        return requests.request(method, url, data=body, headers=headers, timeout=60)

    return sent


def job_xml(operation: str, name: str, **more: str) -> bytes:
    """The settings of a new job."""
    given = {"operation": operation, "object": name, "contentType": "CSV", **more}
    inside = "".join(f"<{key}>{value}</{key}>" for key, value in given.items())
    space = SPACE.strip("{}")
    return f'<?xml version="1.0"?><jobInfo xmlns="{space}">{inside}</jobInfo>'.encode()


def told(answer: requests.Response) -> dict[str, str]:
    """The properties in an answer of XML."""
    assert answer.headers["content-type"] == "application/xml"
    root = ElementTree.fromstring(answer.content)
    return {element.tag.removeprefix(SPACE): element.text or "" for element in root}


def finished(send: Sent, job: str, batch: str) -> dict[str, str]:
    """A batch, once it is done."""
    while True:
        state = told(send("GET", f"/job/{job}/batch/{batch}"))
        if state["state"] not in ("Queued", "InProgress"):
            return state
        time.sleep(0.01)


def loaded(send: Sent, settings: bytes, body: bytes) -> tuple[str, str, dict[str, str]]:
    """A job with one batch that is done: their ids, and how the batch stands."""
    job = told(send("POST", "/job", settings))["id"]
    batch = told(send("POST", f"/job/{job}/batch", body, "text/csv"))["id"]
    return job, batch, finished(send, job, batch)


def test_the_clients_own_handler_inserts(sf: Salesforce) -> None:
    """It works with JSON, and gets a result for each record in order."""
    given = [{"LastName": "Async"}, {"FirstName": "Nobody"}, {"LastName": "Bulk"}]
    results = sf.bulk.Contact.insert(given)
    assert [result["success"] for result in results] == [True, False, True]
    assert results[1]["errors"][0]["statusCode"] == "REQUIRED_FIELD_MISSING"
    query = f"SELECT LastName FROM Contact WHERE Id = '{results[2]['id']}'"
    assert only(sf, query)["LastName"] == "Bulk"


def by_json(send: Sent, settings: dict[str, str], records: list[dict[str, Any]]) -> Any:
    """What became of records that go as JSON."""
    body = json.dumps({"contentType": "JSON", **settings}).encode()
    job = send("POST", "/job", body, "application/json").json()["id"]
    path = f"/job/{job}/batch"
    batch = send("POST", path, json.dumps(records).encode(), "application/json").json()["id"]
    while send("GET", f"{path}/{batch}").json()["state"] in ("Queued", "InProgress"):
        time.sleep(0.01)
    return send("GET", f"{path}/{batch}/result").json()


def test_records_are_changed_upserted_and_deleted(sf: Salesforce, send: Sent) -> None:
    """Each result says whether its record is new; a null clears a field."""
    key = make(sf, "Account", Name="Old", Phone="1", Synth_Id__c="async1")
    update = {"operation": "update", "object": "Account"}
    changed = by_json(send, update, [{"Id": key, "Phone": None}])
    assert changed == [{"success": True, "created": False, "id": key, "errors": []}]
    assert only(sf, f"SELECT Phone FROM Account WHERE Id = '{key}'")["Phone"] is None
    given = [{"Synth_Id__c": f"async{number}", "Name": f"N{number}"} for number in (1, 2)]
    upsert = {
        "operation": "upsert",
        "object": "Account",
        "externalIdFieldName": "Synth_Id__c",
    }
    results = by_json(send, upsert, given)
    assert [result["created"] for result in results] == [False, True]
    delete = {"operation": "delete", "object": "Account"}
    gone = by_json(send, delete, [{"Id": result["id"]} for result in results])
    assert all(result["success"] for result in gone)
    assert sf.query("SELECT COUNT() FROM Account WHERE Synth_Id__c LIKE 'async%'")["totalSize"] == 0


def test_a_query_gives_its_records(sf: Salesforce) -> None:
    """As JSON with their types, parents nested."""
    account = make(sf, "Account", Name="Async Hale")
    make(sf, "Contact", LastName="Asked", AccountId=account)
    text = "SELECT LastName, Account.Name FROM Contact WHERE LastName = 'Asked'"
    [record] = bulk(sf, "Contact").query(text, wait=0.01)
    assert record["Account"]["Name"] == "Async Hale"
    assert record["attributes"]["type"] == "Contact"


def test_csv_is_loaded_and_told_row_by_row(send: Sent) -> None:
    """Results stand in the order of the rows, whichever line ending the rows have."""
    for ending in ("\n", "\r\n"):
        rows = ["FirstName,LastName", "Ann,Csv", "Ann,", '"a, b","c ""d"""']
        body = ending.join([*rows, ""]).encode()
        job, batch, state = loaded(send, job_xml("insert", "Contact"), body)
        assert state["state"] == "Completed"
        assert (state["numberRecordsProcessed"], state["numberRecordsFailed"]) == ("3", "1")
        answer = send("GET", f"/job/{job}/batch/{batch}/result")
        assert answer.headers["content-type"] == "text/csv"
        header, *results = csv.reader(io.StringIO(answer.text))
        assert header == ["Id", "Success", "Created", "Error"]
        assert [row[1] for row in results] == ["true", "false", "true"]
        assert results[1][3].startswith("REQUIRED_FIELD_MISSING:")
        assert send("GET", f"/job/{job}/batch/{batch}/request").text == body.decode()


def test_a_query_by_csv_names_its_results(send: Sent) -> None:
    """The batch's results are a list of ids, behind each of which stands a CSV."""
    text = b"SELECT IsStandard FROM Pricebook2 WHERE IsStandard = true"
    job, batch, state = loaded(send, job_xml("query", "Pricebook2"), text)
    assert state["state"] == "Completed" and state["numberRecordsProcessed"] == "1"
    listed = ElementTree.fromstring(send("GET", f"/job/{job}/batch/{batch}/result").content)
    key = listed.findtext(f"{SPACE}result")
    answer = send("GET", f"/job/{job}/batch/{batch}/result/{key}")
    assert answer.text.splitlines() == ['"IsStandard"', '"true"']
    assert told(send("GET", f"/job/{job}/batch/{batch}/result/wrong"))["exceptionCode"]


def test_a_query_that_finds_nothing_says_so(send: Sent) -> None:
    """Its CSV has no header but the CRM's own sentence."""
    text = b"SELECT Id FROM Contact WHERE LastName = 'no such name'"
    job, batch, _ = loaded(send, job_xml("query", "Contact"), text)
    listed = ElementTree.fromstring(send("GET", f"/job/{job}/batch/{batch}/result").content)
    key = listed.findtext(f"{SPACE}result")
    answer = send("GET", f"/job/{job}/batch/{batch}/result/{key}")
    assert answer.text == "Records not found for this query"


def test_a_job_counts_its_batches_and_is_closed(send: Sent) -> None:
    """A closed job takes no more; its batches stay to be asked for."""
    job, batch, _ = loaded(send, job_xml("insert", "Contact"), b"LastName\nx\n")
    state = told(send("GET", f"/job/{job}"))
    assert (state["numberBatchesTotal"], state["numberBatchesCompleted"]) == ("1", "1")
    assert told(send("POST", f"/job/{job}", b"<jobInfo><state>Closed</state></jobInfo>"))[
        "state"
    ] == ("Closed")
    refused = told(send("POST", f"/job/{job}/batch", b"LastName\nx\n", "text/csv"))
    assert refused["exceptionCode"] == "InvalidJobState"
    listed = ElementTree.fromstring(send("GET", f"/job/{job}/batch").content)
    assert [entry.findtext(f"{SPACE}id") for entry in listed] == [batch]


@pytest.mark.parametrize(
    ("body", "message"),
    [
        (b"Nope\nx\n", "Field name not found"),
        (b"", "empty"),
        (b'LastName\n"x\n', "can't be read"),
        (b"LastName\n" + b"x\n" * (MOST_ROWS + 1), "exceed"),
    ],
)
def test_a_batch_that_cant_be_read_has_failed(send: Sent, body: bytes, message: str) -> None:
    """Its state says why; nothing of it is loaded."""
    _, _, state = loaded(send, job_xml("insert", "Contact"), body)
    assert state["state"] == "Failed" and message in state["stateMessage"]
    assert state["numberRecordsProcessed"] == "0"


@pytest.mark.parametrize(
    ("settings", "code"),
    [
        (job_xml("insert", "Nothing"), "InvalidEntity"),
        (job_xml("explode", "Contact"), "InvalidJob"),
        (job_xml("insert", "Contact", contentType="XML"), "InvalidJob"),
        (job_xml("upsert", "Contact"), "InvalidJob"),
        (b"no XML", "InvalidJob"),
        (b'<!DOCTYPE a [<!ENTITY b "c">]><jobInfo>&b;</jobInfo>', "InvalidJob"),
    ],
)
def test_a_job_that_cant_be_is_refused(send: Sent, settings: bytes, code: str) -> None:
    """The error has this API's code, in XML as the request."""
    answer = send("POST", "/job", settings)
    assert answer.status_code == 400 and told(answer)["exceptionCode"] == code


def test_nobody_is_let_in_without_the_token(server: OrgServer) -> None:
    """The token of either header counts; a wrong one is answered in this API's form."""
    url = f"{server.url}{BASE}/job/750000000000000"
    wrong = requests.get(url, headers={"X-SFDC-Session": "wrong"}, timeout=60)
    assert wrong.status_code == 401 and "InvalidSessionId" in wrong.text
    right = requests.get(url, headers={"Authorization": f"Bearer {server.token}"}, timeout=60)
    assert right.status_code == 400 and "InvalidJob" in right.text
    data = f"{server.url}/services/data/v59.0/limits"
    assert requests.get(data, headers={"X-SFDC-Session": server.token}, timeout=60).status_code == (
        401
    )


def test_a_read_only_server_takes_queries_alone(small_shoes: FinishedRun) -> None:
    """A job that would change something is refused when it is made."""
    with OrgServer(small_shoes.folder) as server:
        headers = {"X-SFDC-Session": server.token}
        answer = requests.post(
            f"{server.url}{BASE}/job",
            data=job_xml("insert", "Contact"),
            headers=headers,
            timeout=60,
        )
        assert "--writable" in told(answer)["exceptionMessage"]
        found = bulk(client(server), "Issue__c").query("SELECT Id FROM Issue__c", wait=0.01)
        assert len(found) == small_shoes.counts["Issue__c"]
