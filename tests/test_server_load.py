"""The whole upload of a run goes into an empty org by way of collections, as a loader sends it, and
comes out the same.
"""

import json
from pathlib import Path
from typing import Any

from simple_salesforce import Salesforce

from orgweave.crm.facts import shipped
from orgweave.testing.org_server import OrgServer
from pipeline.run import FinishedRun
from tests.server_client import client, only
from tests.server_orgs import EMPTY, standard_book

SIZE = 200


def records_of(upload: Path, name: str) -> list[dict[str, Any]]:
    """The records of one file of the upload."""
    return list(json.loads((upload / name).read_text(encoding="utf-8"))["records"])


def with_ids(value: Any, ids: dict[str, str | None]) -> Any:
    """A value whose `@refs` are ids."""
    if isinstance(value, list):
        return [with_ids(one, ids) for one in value]
    return ids[value[1:]] if isinstance(value, str) and value.startswith("@") else value


def taken(name: str, record: dict[str, Any]) -> dict[str, Any]:
    """The fields that a loader sends: a person's account has a name made of its parts, and nobody
    else may set it.
    """
    made = "Name" if name == "Account" and "LastName" in record else None
    return {field: value for field, value in record.items() if field not in ("attributes", made)}


def send(sf: Salesforce, method: str, records: list[dict[str, Any]]) -> list[str]:
    """The ids of the records, none of which may be refused."""
    keys: list[str] = []
    for start in range(0, len(records), SIZE):
        results = sf.restful(
            "composite/sobjects",
            method=method,
            json={"allOrNone": False, "records": records[start : start + SIZE]},
        )
        assert all(result["success"] for result in results), [
            result for result in results if not result["success"]
        ][:2]
        keys += [result["id"] for result in results]
    return keys


def load(sf: Salesforce, upload: Path) -> dict[str, str | None]:
    """Sends everything in the plan's order, the standard price book's entries first; reference ids
    to the org's ids, None for what only an administrator sets up.
    """
    ids: dict[str, str | None] = {}
    more = {"User": {"ProfileId": only(sf, "SELECT Id FROM Profile")["Id"]}}
    for step in json.loads((upload / "plan.json").read_text(encoding="utf-8")):
        name = step["sobject"]
        records = records_of(upload, step["files"][0])
        if not shipped().object(name).createable:
            ids |= {record["attributes"]["referenceId"]: None for record in records}
            continue
        if name == "Pricebook2":
            ids[records[0]["attributes"]["referenceId"]] = standard_book(sf)
            records = records[1:]
        if name == "LiveChatTranscript":
            visitors = send(
                sf,
                "POST",
                [{"attributes": {"type": "LiveChatVisitor"}} for _ in records],
            )
            records = [
                {**record, "LiveChatVisitorId": visitor}
                for record, visitor in zip(records, visitors, strict=True)
            ]
        bodies = [
            {
                "attributes": {"type": name},
                **{field: with_ids(value, ids) for field, value in taken(name, record).items()},
                **more.get(name, {}),
            }
            for record in records
        ]
        ids |= dict(
            zip(
                [record["attributes"]["referenceId"] for record in records],
                send(sf, "POST", bodies),
                strict=True,
            )
        )
    return ids


def test_a_runs_upload_fills_an_empty_org(small_shoes: FinishedRun) -> None:
    """Every record that anybody may create is taken, orders are activated and articles published in
    a second pass, and all counts and totals are the run's.
    """
    upload = small_shoes.folder / "upload"
    with OrgServer(small_shoes.folder, EMPTY) as server:
        sf = client(server)
        ids = load(sf, upload)
        orders = records_of(upload, "Order.update.json")
        send(
            sf,
            "PATCH",
            [
                {
                    "attributes": {"type": "Order"},
                    "Id": ids[order["attributes"]["referenceId"]],
                    "Status": order["Status"],
                }
                for order in orders
            ],
        )
        articles = [record["Id"] for record in sf.query("SELECT Id FROM Knowledge__kav")["records"]]
        body = {"inputs": [{"articleVersionIdList": articles, "pubAction": "PUBLISH_ARTICLE"}]}
        assert sf.restful("actions/standard/publishKnowledgeArticles", method="POST", json=body)[0][
            "isSuccess"
        ]
        loaded = {
            name: sf.query(f"SELECT COUNT() FROM {name}")["totalSize"]
            for name in small_shoes.counts
            if shipped().object(name).createable
        }
        sold = only(
            sf,
            "SELECT COUNT(Id) orders, SUM(TotalAmount) total FROM Order WHERE Status = 'Activated'",
        )
        late = sf.query("SELECT COUNT() FROM Case WHERE ClosedDate < 2024-01-01T00:00:00Z")[
            "totalSize"
        ]
    with OrgServer(small_shoes.folder) as server:
        sf = client(server)
        assert {name: count - (name == "User") for name, count in loaded.items()} == {
            name: small_shoes.counts[name] for name in loaded
        }
        wanted = only(
            sf,
            "SELECT COUNT(Id) orders, SUM(TotalAmount) total FROM Order WHERE Status = 'Activated'",
        )
        assert (sold["orders"], round(sold["total"], 2)) == (
            wanted["orders"],
            round(wanted["total"], 2),
        )
        assert (
            late
            == sf.query("SELECT COUNT() FROM Case WHERE ClosedDate < 2024-01-01T00:00:00Z")[
                "totalSize"
            ]
        )
