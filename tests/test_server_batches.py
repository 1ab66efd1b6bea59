"""Many records a call: collections, trees, composite, graphs, Bulk 2.0 jobs, each through the
client that loaders use.
"""

import csv
import io
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from simple_salesforce import Salesforce

from orgweave.server.bulk.tables import read_rows, write_rows
from orgweave.server.served import ServeOptions
from orgweave.testing.org_server import OrgServer
from pipeline.run import FinishedRun
from tests.server_client import client, only, raw, refused
from tests.server_orgs import item, make, shop

V = "/services/data/v59.0"


def of(name: str, **values: Any) -> dict[str, Any]:
    """A record of a collection."""
    return {"attributes": {"type": name}, **values}


def total(sf: Salesforce, name: str) -> int:
    """Records of an object type."""
    return int(sf.query(f"SELECT COUNT() FROM {name}")["totalSize"])


def collection(
    sf: Salesforce,
    method: str,
    records: list[dict[str, Any]],
    all_or_none: bool = False,
    path: str = "composite/sobjects",
) -> Any:
    """The results of a collection call."""
    return sf.restful(path, method=method, json={"allOrNone": all_or_none, "records": records})


def test_a_collection_answers_in_the_order_of_the_request(sf: Salesforce) -> None:
    """Each result stands where its record stood; the wrong ones are told, the right ones kept,
    types may be mixed.
    """
    results = collection(
        sf,
        "POST",
        [of("Account", Name="a"), of("Contact"), of("Case", Subject="c"), of("Nope")],
    )
    assert [result["success"] for result in results] == [True, False, True, False]
    assert (results[0]["id"][:3], results[2]["id"][:3]) == ("001", "500")
    assert results[1]["errors"] == [
        {
            "statusCode": "REQUIRED_FIELD_MISSING",
            "message": "Required fields are missing: [LastName]",
            "fields": ["LastName"],
        }
    ]
    assert results[3]["errors"][0]["statusCode"] == "INVALID_TYPE"


def test_all_or_none_undoes_all(sf: Salesforce) -> None:
    """Where one record fails, none is kept, and the others say why."""
    before = total(sf, "Account")
    results = collection(sf, "POST", [of("Account", Name="a"), of("Account")], all_or_none=True)
    assert [result["errors"][0]["statusCode"] for result in results] == [
        "ALL_OR_NONE_OPERATION_ROLLED_BACK",
        "REQUIRED_FIELD_MISSING",
    ]
    assert total(sf, "Account") == before


def test_collections_change_upsert_read_and_delete(sf: Salesforce, server: OrgServer) -> None:
    """PATCH by id, PATCH by external id, GET and DELETE by ids,
    with unknown ids told one by one.
    """
    keys = [
        result["id"]
        for result in collection(
            sf,
            "POST",
            [of("Account", Name=name, Synth_Id__c=f"c{name}") for name in "ab"],
        )
    ]
    changed = collection(
        sf,
        "PATCH",
        [
            of("Account", Id=keys[0], Name="A"),
            of("Account", Id="001zz0000000001", Name="x"),
            of("Account", Name="x"),
        ],
    )
    assert [result["success"] for result in changed] == [True, False, False]
    assert [result["errors"][0]["statusCode"] for result in changed[1:]] == [
        "INVALID_CROSS_REFERENCE_KEY",
        "MISSING_ARGUMENT",
    ]
    upserted = collection(
        sf,
        "PATCH",
        [of("Account", Synth_Id__c="cb", Name="B"), of("Account", Synth_Id__c="cn", Name="N")],
        path="composite/sobjects/Account/Synth_Id__c",
    )
    assert [(result["success"], result["created"]) for result in upserted] == [
        (True, False),
        (True, True),
    ] and upserted[0]["id"] == keys[1]
    read = sf.restful(
        "composite/sobjects/Account",
        params={"ids": f"{keys[1]},001zz0000000001,{keys[0]}", "fields": "Name"},
    )
    assert [one and one["Name"] for one in read] == ["B", None, "A"]
    deleted = raw(
        server,
        "DELETE",
        f"{V}/composite/sobjects?ids={','.join(keys)},001zz0000000001&allOrNone=false",
    ).json()
    assert [result["success"] for result in deleted] == [True, True, False]


def test_a_collection_has_at_most_200_records(sf: Salesforce) -> None:
    """200 are taken, 201 refused, nothing of them kept."""
    before = total(sf, "Account")
    refused("EXCEEDED_ID_LIMIT", lambda: collection(sf, "POST", [of("Account", Name="x")] * 201))
    assert total(sf, "Account") == before
    assert all(
        result["success"] for result in collection(sf, "POST", [of("Account", Name="x")] * 200)
    )


def node(name: str, reference: str, **values: Any) -> dict[str, Any]:
    """A record of a tree."""
    return {"attributes": {"type": name, "referenceId": reference}, **values}


def test_a_tree_is_created_with_its_children(sf: Salesforce, server: OrgServer) -> None:
    """201 with an id for each reference id; children refer to their parents."""
    contacts = {
        "records": [node("Contact", "c1", LastName="Hale"), node("Contact", "c2", LastName="Hole")]
    }
    answer = raw(
        server,
        "POST",
        f"{V}/composite/tree/Account",
        {
            "records": [
                node("Account", "a1", Name="Hale", Contacts=contacts),
                node("Account", "a2", Name="b"),
            ]
        },
    )
    assert answer.status_code == 201 and not answer.json()["hasErrors"]
    ids = {result["referenceId"]: result["id"] for result in answer.json()["results"]}
    assert set(ids) == {"a1", "a2", "c1", "c2"}
    assert sf.Contact.get(ids["c2"])["AccountId"] == ids["a1"]


def test_a_tree_is_all_or_nothing(sf: Salesforce, server: OrgServer) -> None:
    """Where one record fails, 400 names it and nothing is kept."""
    before = total(sf, "Account")
    answer = raw(
        server,
        "POST",
        f"{V}/composite/tree/Account",
        {"records": [node("Account", "a1", Name="x"), node("Account", "a2")]},
    )
    assert answer.status_code == 400 and answer.json()["hasErrors"]
    assert [
        (one["referenceId"], one["errors"][0]["statusCode"]) for one in answer.json()["results"]
    ] == [("a2", "REQUIRED_FIELD_MISSING")]
    assert total(sf, "Account") == before


@pytest.mark.parametrize(
    "records",
    [
        [],
        [node("Account", f"a{number}", Name="x") for number in range(201)],
        [node("Account", "same", Name="x"), node("Account", "same", Name="x")],
        [of("Account", Name="x")],
        [node("Contact", "c", LastName="x")],
    ],
    ids=["none", "201", "same reference", "no reference", "other type"],
)
def test_a_wrong_tree_is_refused(sf: Salesforce, records: list[dict[str, Any]]) -> None:
    """No records, too many, a reference id twice or missing, another type than the URL's."""
    refused(
        "INVALID_INPUT",
        lambda: sf.restful("composite/tree/Account", method="POST", json={"records": records}),
    )


def part(name: str, method: str, path: str, body: Any = None) -> dict[str, Any]:
    """A request of a composite call."""
    return {
        "referenceId": name,
        "method": method,
        "url": f"{V}/{path}",
        **({"body": body} if body is not None else {}),
    }


def test_composite_requests_use_earlier_replies(sf: Salesforce) -> None:
    """A later request takes ids from earlier ones, in its URL, its body and out of a query's
    records.
    """
    requests = [
        part("account", "POST", "sobjects/Account", {"Name": "Hale"}),
        part(
            "contact",
            "POST",
            "sobjects/Contact",
            {"LastName": "Hale", "AccountId": "@{account.id}"},
        ),
        part("found", "GET", "query?q=SELECT+Id+FROM+Contact+WHERE+AccountId='@{account.id}'"),
        part("read", "GET", "sobjects/Contact/@{found.records[0].Id}?fields=LastName"),
    ]
    for all_or_none in (False, True):
        replies = sf.restful(
            "composite",
            method="POST",
            json={"allOrNone": all_or_none, "compositeRequest": requests},
        )["compositeResponse"]
        assert [reply["httpStatusCode"] for reply in replies] == [201, 201, 200, 200], replies
        assert [reply["referenceId"] for reply in replies] == [
            "account",
            "contact",
            "found",
            "read",
        ]
        assert replies[3]["body"]["LastName"] == "Hale"


def test_composite_all_or_none(sf: Salesforce) -> None:
    """A failed request undoes the others or leaves them, as asked;
    what needs its reply is halted.
    """
    requests = [
        part("a", "POST", "sobjects/Account", {"Name": "x"}),
        part("b", "POST", "sobjects/Contact", {}),
        part("c", "GET", "sobjects/Contact/@{b.id}"),
    ]
    before = total(sf, "Account")
    kept = sf.restful("composite", method="POST", json={"compositeRequest": requests})[
        "compositeResponse"
    ]
    assert [reply["httpStatusCode"] for reply in kept] == [201, 400, 400] and total(
        sf, "Account"
    ) == before + 1
    assert [reply["body"][0]["errorCode"] for reply in kept[1:]] == [
        "REQUIRED_FIELD_MISSING",
        "PROCESSING_HALTED",
    ]
    undone = sf.restful(
        "composite",
        method="POST",
        json={"allOrNone": True, "compositeRequest": requests},
    )["compositeResponse"]
    assert [reply["body"][0]["errorCode"] for reply in undone] == [
        "PROCESSING_HALTED",
        "REQUIRED_FIELD_MISSING",
        "PROCESSING_HALTED",
    ]
    assert total(sf, "Account") == before + 1


def test_composite_takes_25_requests(sf: Salesforce) -> None:
    """26 requests, none, a reference id twice and a composite in a composite are refused."""
    one = part("a", "GET", "limits")
    many = [{**one, "referenceId": f"r{number}"} for number in range(26)]
    for requests in (many, [], [one, one]):
        refused(
            "INVALID_INPUT",
            lambda requests=requests: sf.restful(
                "composite",
                method="POST",
                json={"compositeRequest": requests},
            ),
        )
    inside = part("a", "POST", "composite", {"compositeRequest": [one]})
    assert (
        sf.restful("composite", method="POST", json={"compositeRequest": [inside]})[
            "compositeResponse"
        ][0]["httpStatusCode"]
        == 400
    )


def test_each_graph_is_kept_or_undone_for_itself(sf: Salesforce) -> None:
    """An order with its items goes in as one graph; a graph with a fault leaves nothing behind."""
    ids = shop(sf)
    order = {
        "AccountId": ids["account"],
        "EffectiveDate": "2022-03-01",
        "Status": "Draft",
        "Pricebook2Id": ids["book"],
    }
    lines = [
        part("order", "POST", "sobjects/Order", order),
        part("line", "POST", "sobjects/OrderItem", {**item(ids), "OrderId": "@{order.id}"}),
    ]
    whole = [
        *lines,
        part("activate", "PATCH", "sobjects/Order/@{order.id}", {"Status": "Activated"}),
    ]
    broken = [*lines, part("again", "POST", "sobjects/Order", {})]
    before = total(sf, "Order")
    graphs = [
        {"graphId": "1", "compositeRequest": whole},
        {"graphId": "2", "compositeRequest": broken},
    ]
    answer = sf.restful("composite/graph", method="POST", json={"graphs": graphs})["graphs"]
    assert [one["isSuccessful"] for one in answer] == [True, False]
    assert total(sf, "Order") == before + 1
    key = answer[0]["graphResponse"]["compositeResponse"][0]["body"]["id"]
    assert sf.Order.get(key)["Status"] == "Activated"
    query = [{"graphId": "1", "compositeRequest": [part("a", "GET", "query?q=x")]}]
    refused(
        "INVALID_INPUT",
        lambda: sf.restful("composite/graph", method="POST", json={"graphs": query}),
    )


def test_bulk_insert_tells_what_went_in_and_what_not(sf: Salesforce) -> None:
    """Rows are numbered by the job; each is found again among the successful or the failed ones,
    with its reason.
    """
    rows = [
        {
            "LastName": f"L{number}" if number % 3 else "",
            "Description": 'two\nlines, "quoted"',
            "Synth_Id__c": f"b{number}",
        }
        for number in range(10)
    ]
    result = sf.bulk2.Contact.insert(records=rows, wait=0.01)[0]
    assert (
        result["numberRecordsTotal"],
        result["numberRecordsProcessed"],
        result["numberRecordsFailed"],
    ) == (10, 10, 4)
    done = list(
        csv.DictReader(
            io.StringIO(sf.bulk2.Contact.get_successful_records(result["job_id"]), newline="")
        )
    )
    assert {row["sf__Created"] for row in done} == {"true"} and len(done) == 6
    assert sf.Contact.get(done[0]["sf__Id"])["Description"] == 'two\nlines, "quoted"'
    failed = list(
        csv.DictReader(
            io.StringIO(sf.bulk2.Contact.get_failed_records(result["job_id"]), newline="")
        )
    )
    assert {row["sf__Error"] for row in failed} == {
        "REQUIRED_FIELD_MISSING:Required fields are missing: [LastName]:LastName --"
    }
    assert {row["Synth_Id__c"] for row in failed} == {"b0", "b3", "b6", "b9"}


def test_bulk_update_upsert_and_delete(sf: Salesforce) -> None:
    """Jobs change by Id, upsert by an external id and delete by Id; `#N/A` empties a field, an
    empty cell leaves it.
    """
    key = make(sf, "Account", Name="x", Phone="1", Synth_Id__c="u1")
    sf.bulk2.Account.update(records=[{"Id": key, "Name": "", "Phone": "#N/A"}], wait=0.01)
    assert (sf.Account.get(key)["Name"], sf.Account.get(key)["Phone"]) == ("x", None)
    result = sf.bulk2.Account.upsert(
        records=[{"Synth_Id__c": "u1", "Name": "y"}, {"Synth_Id__c": "u2", "Name": "z"}],
        external_id_field="Synth_Id__c",
        wait=0.01,
    )[0]
    created = {
        row["Synth_Id__c"]: row["sf__Created"]
        for row in csv.DictReader(
            io.StringIO(sf.bulk2.Account.get_successful_records(result["job_id"]))
        )
    }
    assert created == {"u1": "false", "u2": "true"} and sf.Account.get(key)["Name"] == "y"
    assert sf.bulk2.Account.delete(records=[{"Id": key}], wait=0.01)[0]["numberRecordsFailed"] == 0
    refused("NOT_FOUND", lambda: sf.Account.get(key))


def test_bulk_names_parents_by_external_id(sf: Salesforce) -> None:
    """A column `Account.Synth_Id__c` stands for AccountId, `User:Owner.Username` for OwnerId."""
    account = make(sf, "Account", Name="x", Synth_Id__c="p1")
    user = only(sf, "SELECT Id, Username FROM User")
    result = sf.bulk2.Case.insert(
        records=[
            {
                "Subject": "x",
                "Account.Synth_Id__c": "p1",
                "User:Owner.Username": user["Username"],
                "Synth_Id__c": "k1",
            }
        ],
        wait=0.01,
    )[0]
    assert result["numberRecordsFailed"] == 0
    case = only(sf, "SELECT AccountId, OwnerId FROM Case WHERE Synth_Id__c = 'k1'")
    assert (case["AccountId"], case["OwnerId"]) == (account, user["Id"])


def job(sf: Salesforce, data: str | None, state: str = "UploadComplete", **more: str) -> str:
    """A job by hand, uploaded and set to a state; its id."""
    made = sf.restful(
        "jobs/ingest",
        method="POST",
        json={"operation": "insert", "object": "Account", "contentType": "CSV", **more},
    )
    assert made["state"] == "Open" and made["contentUrl"].endswith(
        f"jobs/ingest/{made['id']}/batches"
    )
    if data is not None:
        sf._call_salesforce(
            "PUT",
            sf.base_url + f"jobs/ingest/{made['id']}/batches",
            data=data.encode(),
            headers={"Content-Type": "text/csv"},
        )
    sf.restful(f"jobs/ingest/{made['id']}", method="PATCH", json={"state": state})
    return str(made["id"])


def ended(sf: Salesforce, key: str) -> dict[str, Any]:
    """The job once it is over."""
    while (told := sf.restful(f"jobs/ingest/{key}"))["state"] in ("UploadComplete", "InProgress"):
        pass
    return dict(told)


@pytest.mark.parametrize(
    ("data", "says"),
    [
        ("Name\r\nx\r\n", "LineEnding"),
        ("Nope\nx\n", "Nope"),
        ("Name,Phone\nx\n", "cells"),
        ("", "empty"),
        ('Name\n"x\n', "can't be read"),
        ("Name,name\nx,y\n", "twice"),
        ("Name\n" + "x" * 32_001, "32,000"),
    ],
)
def test_a_wrong_csv_fails_the_whole_job(sf: Salesforce, data: str, says: str) -> None:
    """A wrong line ending, an unknown column, ragged rows, an empty file, an open quote and an
    endless cell end as Failed with a reason.
    """
    told = ended(sf, job(sf, data))
    assert told["state"] == "Failed" and says in told["errorMessage"]


def test_a_job_is_listed_aborted_and_deleted(sf: Salesforce, server: OrgServer) -> None:
    """An aborted job processed nothing; a job without data can't be started;
    a deleted one is gone.
    """
    before = total(sf, "Account")
    key = job(sf, "Name\nx\n", state="Aborted")
    assert ended(sf, key)["state"] == "Aborted" and total(sf, "Account") == before
    assert key in [one["id"] for one in sf.restful("jobs/ingest")["records"]]
    refused("INVALIDJOBSTATE", lambda: job(sf, None))
    assert raw(server, "DELETE", f"{V}/jobs/ingest/{key}").status_code == 204
    refused("NOT_FOUND", lambda: sf.restful(f"jobs/ingest/{key}"))
    refused(
        "INVALIDJOB",
        lambda: sf.restful(
            "jobs/ingest",
            method="POST",
            json={"operation": "merge", "object": "Account"},
        ),
    )


def test_other_delimiters_and_line_endings_are_read(sf: Salesforce) -> None:
    """A job's columnDelimiter and lineEnding hold for its upload and its results."""
    key = job(sf, "Name|Phone\r\na,b|1\r\n", columnDelimiter="PIPE", lineEnding="CRLF")
    assert ended(sf, key)["numberRecordsFailed"] == 0
    assert (
        sf.bulk2.Account.get_successful_records(key).split("\r\n")[0]
        == '"sf__Id"|"sf__Created"|"Name"|"Phone"'
    )
    assert only(sf, "SELECT Phone FROM Account WHERE Name = 'a,b'")["Phone"] == "1"


def test_bulk_queries_come_as_csv_in_parts(small_shoes: FinishedRun) -> None:
    """A query job's results are all records, parents in dotted columns, so many at a time."""
    with OrgServer(small_shoes.folder) as server:
        sf = client(server)
        parts = list(
            sf.bulk2.Case.query(
                "SELECT Id, Account.Name, IsClosed FROM Case ORDER BY Id",
                max_records=40,
                wait=0.01,
            )
        )
        rows = [row for part in parts for row in csv.DictReader(io.StringIO(part))]
        wanted = sf.query_all("SELECT Id, Account.Name, IsClosed FROM Case ORDER BY Id")["records"]
        assert len(parts) > 1
        assert [(row["Id"], row["Account.Name"], row["IsClosed"]) for row in rows] == [
            (one["Id"], one["Account"]["Name"], str(one["IsClosed"]).lower()) for one in wanted
        ]
        refused(
            "INVALID_FIELD",
            lambda: sf.restful(
                "jobs/query",
                method="POST",
                json={"operation": "query", "query": "SELECT Nope FROM Case"},
            ),
        )


def test_writers_and_readers_work_at_once(small_shoes: FinishedRun) -> None:
    """While records are created by several clients, queries see whole states only, and no record is
    lost.
    """
    with OrgServer(small_shoes.folder, ServeOptions(writable=True)) as server:
        before = total(client(server), "Account")

        def load(number: int) -> None:
            results = collection(
                client(server),
                "POST",
                [
                    of("Account", LastName=f"n{number}", PersonEmail="x@example.com")
                    for _ in range(50)
                ],
                all_or_none=True,
            )
            assert all(result["success"] for result in results)

        def look(number: int) -> int:
            return total(client(server), "Account")

        with ThreadPoolExecutor(16) as pool:
            loads = [pool.submit(load, number) for number in range(8)]
            seen = list(pool.map(look, range(40)))
            for one in loads:
                one.result()
        assert {(count - before) % 50 for count in seen} == {0}
        assert total(client(server), "Account") == before + 400


@given(
    st.lists(
        st.tuples(
            st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\x00")),
            st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\x00")),
        ),
        min_size=1,
    ),
    st.sampled_from(["COMMA", "TAB", "PIPE"]),
    st.sampled_from(["LF", "CRLF"]),
)
def test_rows_survive_csv(rows: list[tuple[str, str]], delimiter: str, ending: str) -> None:
    """Whatever the cells hold, what was written is read again."""
    assert read_rows(write_rows(rows, delimiter, ending), delimiter, ending) == rows


@pytest.mark.parametrize(
    "path",
    [
        "composite",
        "Composite",
        "COMPOSITE/",
        "composite/Graph",
        "jobs/ingest",
        "Jobs/query",
        "JOBS",
    ],
)
def test_a_composite_call_holds_no_other_in_any_spelling(server: OrgServer, path: str) -> None:
    """Neither composite calls nor jobs are part of one, for each could hold 25 more."""
    inner = {"method": "POST", "url": f"{V}/{path}", "referenceId": "a", "body": {}}
    reply = raw(server, "POST", f"{V}/composite", {"compositeRequest": [inner]}).json()
    assert reply["compositeResponse"][0]["body"][0]["errorCode"] == "INVALID_INPUT"


def test_references_put_a_bounded_text_into_a_call(sf: Salesforce, server: OrgServer) -> None:
    """A long value that is named a thousand times is refused; named a few times it is taken."""
    key = make(sf, "Account", Name="Hale", Description="x" * 30_000)
    read = {"method": "GET", "url": f"{V}/sobjects/Account/{key}", "referenceId": "a"}
    for times, status in ((5_000, 400), (1, 201)):
        body = {"Name": "Hale", "Phone": "", "Description": "-" + "@{a.Description}" * times}
        create = {"method": "POST", "url": f"{V}/sobjects/Account", "referenceId": "b"}
        asked = {"compositeRequest": [read, {**create, "body": body}]}
        reply = raw(server, "POST", f"{V}/composite", asked).json()["compositeResponse"][1]
        assert reply["httpStatusCode"] == status, reply["body"]


@pytest.mark.parametrize("place", ["9" * 5_000, "9" * 9])
def test_a_reference_to_no_place_of_a_list_is_refused(server: OrgServer, place: str) -> None:
    """However long the number is."""
    read = {"method": "GET", "url": f"{V}/sobjects", "referenceId": "a"}
    then = {"method": "GET", "url": f"{V}/@{{a.sobjects[{place}].name}}", "referenceId": "b"}
    reply = raw(server, "POST", f"{V}/composite", {"compositeRequest": [read, then]}).json()
    assert reply["compositeResponse"][1]["httpStatusCode"] in (400, 404)


@pytest.mark.parametrize("depth", [101, 900, 100_000])
def test_deep_json_is_refused(server: OrgServer, depth: int) -> None:
    """As no JSON that the API knows."""
    body = b'{"Name": ' + b"[" * depth + b"]" * depth + b"}"
    answer = raw(server, "POST", f"{V}/sobjects/Account", body)
    assert (answer.status_code, answer.json()[0]["errorCode"]) == (400, "JSON_PARSER_ERROR")
