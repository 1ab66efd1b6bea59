"""Cases that nobody has yet, for routing: drawn by the org's own latent variables from another
stream, written by its own writer.

The facts are those of complaints about items that no case of the org is about. The words pass the
verifiers that the org's cases passed.
"""

import sqlite3
from collections.abc import Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from pathlib import Path

import networkx as nx
import numpy as np

from latent.registry import LATENT
from orgweave.benchmark.routing import NewCase
from pipeline.config import PreparedRun
from pipeline.graph import build_graph, in_order
from pipeline.run_folder import RunFolder
from pipeline.sample.objects import draw_facts, finish
from pipeline.world.org import Org, RunContext
from pipeline.world.tables import Table, strings
from pipeline.write.object_writing import ObjectWriting
from pipeline.write.service import WritingService
from pipeline.write.work import build_work
from schemas.model import ObjectType

ANOTHER = 1_000_003
REDRAWN = ("ComplaintHabit", "CaseStory", "Case")
AS_MANY, ITEMS_A_CASE, MAILS_A_CASE = 3, 2, 4


@dataclass(frozen=True, slots=True)
class UnfiledCases:
    """The further cases: the org up to them, and which rows no case of the org is about."""

    org: Org
    facts: Table
    cases: tuple[NewCase, ...]


def further_cases(job: PreparedRun, folder: Path) -> UnfiledCases:
    """Facts of some three times as many cases as the org has, all by e-mail, less those about an
    item that it has a case on.
    """
    org = _org_until_case(job, folder)
    drawn = org.table("ComplaintHabit.cases")
    items, issues, products = (
        org.table(name)["Id"] for name in ("OrderItem", "Issue__c", "Product2")
    )
    product = org.table("ShoppingHabit.items")["product"][drawn["item"]]
    with closing(RunFolder(folder).open_org()) as db:
        taken = {row[0] for row in db.execute('SELECT OrderItemId__c FROM "Case"')}
    rows = [row for row in range(drawn.size) if items[drawn["item"][row]] not in taken]
    cases = tuple(
        NewCase(row, str(issues[drawn["issue"][row]]), str(products[product[row]])) for row in rows
    )
    return UnfiledCases(org, draw_facts(org, org.setting.schema.object("Case")), cases)


async def write_cases(
    service: WritingService, further: UnfiledCases, rows: Sequence[int]
) -> Mapping[int, tuple[str, str]]:
    """Subject and description of the chosen rows; where there is a judge, it reads each."""
    schema = further.org.setting.schema
    item = schema.object("Case")
    item = replace(item, judging=replace(item.judging, always="true"))
    work = build_work(further.org, item, further.facts).part(set(rows))
    entries = await ObjectWriting(replace(service, setting=further.org.setting), work).write()
    return {row: (str(entries[row]["Subject"]), str(entries[row]["Description"])) for row in rows}


def _org_until_case(job: PreparedRun, folder: Path) -> Org:
    """All that a case's facts are made from: drawn anew, with the words that the org has."""
    salts = {name: job.setting.salts.get(name, 0) + ANOTHER for name in REDRAWN}
    cases = min(AS_MANY * job.setting.count("Case"), job.setting.count("OrderItem") // ITEMS_A_CASE)
    counts = {
        **job.setting.counts,
        "Case": cases,
        "LiveChatTranscript": 0,
        "EmailMessage": MAILS_A_CASE * cases,
    }
    setting: RunContext = replace(job.setting, salts={**job.setting.salts, **salts}, counts=counts)
    org, needed = Org(setting), nx.ancestors(build_graph(setting.schema), "Case")
    with closing(RunFolder(folder).open_org()) as db:
        for name in in_order(setting.schema):
            if name not in needed:
                continue
            if name in LATENT:
                org.add(*LATENT[name].draw(org))
            else:
                item = setting.schema.object(name)
                org.add(finish(org, item, draw_facts(org, item), _words(db, item)))
    return org


def _words(
    db: sqlite3.Connection, item: ObjectType
) -> dict[str, "np.ndarray[tuple[int], np.dtype[np.object_]]"]:
    return {
        field.name: strings(
            [
                row[0]
                for row in db.execute(f'SELECT "{field.name}" FROM "{item.name}" ORDER BY rowid')
            ]
        )
        for field in item.written
    }
