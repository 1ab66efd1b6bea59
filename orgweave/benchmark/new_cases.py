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

import numpy as np

from latent.naming import FULL
from latent.registry import LATENT
from orgweave.benchmark.story import NewCase
from pipeline.config import PreparedRun
from pipeline.graph import build_graph, in_order, needed_for
from pipeline.run_folder import RunFolder
from pipeline.sample.objects import draw_facts, finish
from pipeline.world.org import Org, RunContext
from pipeline.world.tables import NONE, Table, strings
from pipeline.write.object_writing import ObjectWriting
from pipeline.write.service import WritingService
from pipeline.write.work import build_work
from schemas.object_type import ObjectType

ANOTHER = 1_000_003
"""Added to a latent variable's salt, so that it draws from a stream that no regenerating reaches: a
prime far above any number of times that somebody draws a variable anew.
"""
REDRAWN = ("ComplaintHabit", "CaseStory", "Case")
VOICES = "CustomerVoice.cases"
AS_MANY = 3
"""So many times the org's cases are drawn: enough are left when those about a taken item go."""
ITEMS_A_CASE = 2
"""At most one item in so many gets a new case, so that small orgs have items left."""
MAILS_A_CASE = 4
"""E-mails a new case at most; all of them come by e-mail, none is written."""


@dataclass(frozen=True, slots=True)
class UnfiledCases:
    """The further cases: the org up to them, their facts, and those that name the product and are
    about an item that no case of the org is about.
    """

    org: Org
    facts: Table
    cases: tuple[NewCase, ...]


def further_cases(job: PreparedRun, folder: Path) -> UnfiledCases:
    """Facts of some three times as many cases as the org has, all by e-mail, less those about an
    item that it has a case on, and those whose text doesn't name the product.
    """
    org = _org_until_case(job, folder)
    drawn = org.table("ComplaintHabit.cases")
    product_of_item = org.table("ShoppingHabit.items")["product"]
    items = org.table("OrderItem")["Id"]
    issues = org.table("Issue__c")["Id"]
    products = org.table("Product2")["Id"]
    with closing(RunFolder(folder).open_org()) as db:
        taken = {item for (item,) in db.execute('SELECT OrderItemId__c FROM "Case"')}
    named = org.table("CaseStory.cases")["named"]
    cases = []
    for row in range(drawn.size):
        item = drawn["item"][row]
        complains = drawn["intent"][row] == "complaint" and named[row] != NONE
        if complains and items[item] not in taken:
            issue = str(issues[drawn["issue"][row]])
            arrived = drawn["created"][row].astype("datetime64[D]").item()
            product = str(products[product_of_item[item]])
            cases.append(NewCase(row, issue, product, arrived))
    facts = draw_facts(org, org.setting.schema.object("Case"))
    return UnfiledCases(org, facts, tuple(cases))


async def write_cases(
    service: WritingService,
    further: UnfiledCases,
    rows: Sequence[int],
) -> Mapping[int, tuple[str, str]]:
    """Subject and description of the chosen rows; where there is a judge, it reads each."""
    setting = further.org.setting
    item = setting.schema.object("Case")
    item = replace(item, judging=replace(item.judging, always=True))
    work = build_work(further.org, item, further.facts).part(set(rows))
    entries = await ObjectWriting(replace(service, setting=setting), work).write()
    words = {}
    for row in rows:
        entry = entries[row]
        words[row] = (str(entry["Subject"]), str(entry["Description"]))
    return words


def _org_until_case(job: PreparedRun, folder: Path) -> Org:
    """All that a case's facts are made from: drawn anew, with the words that the org has."""
    org = Org(_other_setting(job.setting))
    schema = org.setting.schema
    needed = needed_for(build_graph(schema), "Case")
    with closing(RunFolder(folder).open_org()) as db:
        for name in in_order(schema):
            if name not in needed:
                continue
            if name in LATENT:
                org.add(*map(_named_in_full, LATENT[name].draw(org)))
            else:
                item = schema.object(name)
                org.add(finish(org, item, draw_facts(org, item), _words(db, item)))
    return org


def _named_in_full(drawn: Table) -> Table:
    """The table, with every customer calling the product by its full name: only a case whose text
    names its product can be routed, and of an org with few orders there would be too few.
    """
    if drawn.name != VOICES:
        return drawn
    naming = strings([FULL] * drawn.size)
    return replace(drawn, columns={**drawn.columns, "naming": naming})


def _other_setting(setting: RunContext) -> RunContext:
    """The run's setting with other streams for its cases, and with more of them."""
    salts = dict(setting.salts)
    for name in REDRAWN:
        salts[name] = salts.get(name, 0) + ANOTHER
    cases = min(AS_MANY * setting.count("Case"), setting.count("OrderItem") // ITEMS_A_CASE)
    counts = {
        **setting.counts,
        "Case": cases,
        "LiveChatTranscript": 0,
        "EmailMessage": MAILS_A_CASE * cases,
    }
    return replace(setting, salts=salts, counts=counts)


def _words(
    db: sqlite3.Connection, item: ObjectType
) -> dict[str, "np.ndarray[tuple[int], np.dtype[np.object_]]"]:
    words = {}
    for field in item.written:
        rows = db.execute(f'SELECT "{field.name}" FROM "{item.name}" ORDER BY rowid')
        words[field.name] = strings([text for (text,) in rows])
    return words
