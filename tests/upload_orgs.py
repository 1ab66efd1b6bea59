"""What tests of the loader share: an empty CRM, the command, and whether what arrived is what was
sent.
"""

import json
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from simple_salesforce import Salesforce

from orgweave.cli import run
from orgweave.crm.facts import shipped
from orgweave.crm.field import CrmObject
from orgweave.crm.seam import Target
from orgweave.load.client import Client
from orgweave.load.idmap import opened
from orgweave.load.load import Load, LoadOptions, bodies_of, identity_of, infos_of
from orgweave.load.patience import Patience
from orgweave.load.sender import BULK_FROM, Sender
from orgweave.load.settings import login_of
from orgweave.load.source import UploadSource
from orgweave.load.tally import LoadTally
from orgweave.server.served import ServeOptions
from orgweave.testing.org_server import OrgServer
from pipeline.config import job_of
from schemas.field import Field
from schemas.model import Schema
from schemas.object_type import ObjectType
from schemas.sources import SequenceSource

EXTERNAL = "Synth_Id__c"
HASTY = Patience(0.0)
"""For a CRM that is never late."""
AUDIT = {"CreatedDate", "CreatedById", "LastModifiedDate", "LastModifiedById", "SystemModstamp"}
"""Who wrote a record and when: the CRM fills them by itself where our schema lets nobody."""
CRM_SETS = {
    "ArticleArchivedDate",
    "ArticleTotalViewCount",
    "CompletedDateTime",
    "FirstPublishedDate",
    "HasAttachment",
    "LastLoginDate",
    "LastPublishedDate",
    "ListPrice",
    "UserType",
    "VersionNumber",
}
"""Other fields beside running numbers that the CRM fills by itself, in its own way."""
RECKONED = {("ReturnOrder", "TotalAmount"), ("Contract", "EndDate")}
"""What the CRM reckons itself: a sum of prices that our lines don't have, and the end of a
contract's first term, whereas ours may have been renewed.
"""


def empty(folder: Path, external_id: str = EXTERNAL, without: tuple[str, ...] = ()) -> OrgServer:
    """A CRM with the org's schema and no records of it."""
    return OrgServer(
        folder, ServeOptions(writable=True, empty=True, external_id=external_id, without=without)
    )


def words(server: OrgServer, folder: Path, idmap: Path, *more: str) -> list[str]:
    """The command line of an upload."""
    return [
        "upload",
        str(folder),
        "--instance-url",
        server.url,
        "--session-id",
        server.token,
        "--idmap",
        str(idmap),
        *more,
    ]


def upload(server: OrgServer, folder: Path, idmap: Path, *more: str) -> int:
    """Loads by the command; its exit code."""
    return run(words(server, folder, idmap, *more))


def edited(folder: Path, name: str, row: int, **values: Any) -> str:
    """Changes a record of the upload; gives its key."""
    path = folder / "upload" / f"{name}.json"
    data = json.loads(path.read_text(encoding="utf-8"))
    data["records"][row].update(values)
    path.write_text(json.dumps(data), encoding="utf-8")
    return keys(folder, name)[row]


def keys(folder: Path, name: str) -> list[str]:
    """Our ids of an object type, in the order of the upload."""
    return [row["Id"] for row in rows(folder, name)]


def rows(folder: Path, name: str) -> list[dict[str, Any]]:
    """The org's records of an object type."""
    with closing(sqlite3.connect(folder / "org.sqlite")) as db:
        db.row_factory = sqlite3.Row
        return [dict(row) for row in db.execute(f'SELECT * FROM "{name}" ORDER BY rowid')]


def refused(idmap: Path) -> list[dict[str, Any]]:
    """The list of refused and held-back records beside an id map."""
    path = idmap.with_name(idmap.stem.removesuffix("idmap") + "refused.jsonl")
    return (
        [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
        if path.exists()
        else []
    )


def ids(idmap: Path) -> dict[str, str]:
    """Our id -> the CRM's."""
    lines = [json.loads(line) for line in idmap.read_text(encoding="utf-8").splitlines()]
    return {line["id"]: line["org_id"] for line in lines if "id" in line}


def differences(sf: Salesforce, folder: Path, idmap: Path) -> list[str]:
    """Every way in which the CRM's records, ids mapped back, are not the org's; what the CRM sets
    itself is not compared.
    """
    found: list[str] = []
    back = {theirs: ours for ours, theirs in ids(idmap).items()}
    schema = job_of(folder).setting.schema
    for item in schema.objects:
        if not shipped().object(item.name).createable:
            continue
        names = [field.name for field in item.fields if _is_kept(schema, item, field)]
        there = {
            back.get(one["Id"], one["Id"]): one
            for one in sf.query_all(f"SELECT {', '.join(names)} FROM {item.name}")["records"]
        }
        ours = {row["Id"]: _as_loaded(row) for row in rows(folder, item.name)}
        found += [
            f"{item.name} {key}: too much"
            for key in there.keys() - ours.keys()
            if item.name != "User" or there[key]["LastName"] != "Loader"
        ]
        for key, row in ours.items():
            found += (
                [f"{item.name} {key}: lost"]
                if key not in there
                else _unlike(item.name, row, there[key], names, back)
            )
    return found


def _as_loaded(row: dict[str, Any]) -> dict[str, Any]:
    """A record as it lies in the CRM: an archived article is one that was never put online."""
    return {**row, "PublishStatus": "Draft"} if row.get("PublishStatus") == "Archived" else row


def _is_kept(schema: Schema, item: ObjectType, field: Field) -> bool:
    """Whether the CRM has our value of a field once the org is loaded."""
    if field.name in CRM_SETS or (item.name, field.name) in RECKONED:
        return False
    if shipped().field(item.name, field.name).not_loaded:
        return False
    if not field.createable and (field.name in AUDIT or isinstance(field.source, SequenceSource)):
        return False
    return shipped().object(schema.target(item, field) or "").createable


def _unlike(
    name: str,
    ours: dict[str, Any],
    theirs: dict[str, Any],
    fields: list[str],
    back: dict[str, str],
) -> list[str]:
    if ours.get("IsStandard"):
        fields = ["Id", "Name", "IsActive"]
    return [
        f"{name}.{field} {ours['Id']}: {ours[field]!r} became {theirs[field]!r}"
        for field in fields
        if _back(theirs[field], back) != ours[field]
    ]


def _back(value: Any, back: dict[str, str]) -> Any:
    """A value of the CRM as our org keeps it."""
    if isinstance(value, list):
        return json.dumps([back.get(one, one) for one in value])
    return back.get(value, value) if isinstance(value, str) else value


@dataclass(frozen=True, slots=True)
class UploadReading:
    """What every start of the same upload reads alike: the org, and what the CRM says of itself."""

    source: UploadSource
    infos: dict[str, CrmObject]


def reading(target: Target, folder: Path) -> UploadReading:
    """Reads them once, for tests that start an upload dozens of times."""
    source = UploadSource(folder)
    return UploadReading(source, infos_of(target, source))


@contextmanager
def loading(
    target: Target,
    folder: Path,
    idmap: Path,
    bulk_from: int = BULK_FROM,
    patience: Patience = HASTY,
    read: UploadReading | None = None,
) -> Iterator[tuple[Load, dict[str, str]]]:
    """An upload by hand, without waiting between tries, for targets of a test's own."""
    known = read or reading(target, folder)
    source = known.source
    with opened(idmap, identity_of(target, source)) as kept:
        bodies, out = bodies_of(source, kept, known.infos, LoadOptions())
        yield (
            Load(
                source,
                Sender(
                    target,
                    kept,
                    bodies,
                    LoadTally(idmap.with_name("refused.jsonl")),
                    lambda name, count: None,
                    bulk_from,
                    (0.0, 0.0, 0.0),
                    patience,
                ),
                LoadOptions(),
            ),
            out,
        )


def connected(server: OrgServer) -> Client:
    """The loader's own client."""
    return Client(login_of(server.url, server.token, {}), pauses=(0.0, 0.0))
