"""AuditTrail: which users make the records that no agent makes.

It draws `users`: how likely each is the one who makes what comes from other systems (`systems`:
orders, messages, customers), what the company keeps up itself (`content`: products and prices),
what the CRM is set up with (`admins`: record types, queues, holidays), what the company knows
(`authors`: articles), and whatever is changed later: what is kept up (`editors`: half by systems,
half by those people), what customers have (`clerks`: half by systems, half by those who talk to
them), and what they send back (`receivers`: half by systems, half by those who take it in).
Whoever joins later or leaves has a weight all the same: whether they are there is asked of a
record's moment.
It is drawn from Workforce (who is a program, who works in which department).
It drives who created a record and who changed it last.
It has no effect of its own: nothing else follows from it.
"""

import sqlite3
from collections.abc import Mapping

import numpy as np

from latent.org_chart import ADMINISTRATOR
from latent.variable import Effect
from latent.workers import HEAD, INTEGRATION, MEMBER, SERVICE_KINDS, SYSTEM
from pipeline.world.org import Org
from pipeline.world.tables import Array, Table, table

FEW = 4

# Some change records all day and some once a month: gamma(1.2) of the mean. Articles are written by
# those who lead, by seniors more rarely, and by nobody new to the desk. Chosen by eye.
BUSY_SHAPE = 1.2
LEAST_BUSY = 0.05
WRITES = {2: 0.5, 3: 2.0, 4: 1.0}


class AuditTrail:
    """Who makes records."""

    name = "AuditTrail"
    reads: tuple[str, ...] = ("Workforce",)
    tables: Mapping[str, tuple[str, ...]] = {
        "users": ("Id", "systems", "content", "admins", "authors", "editors", "clerks", "receivers")
    }
    drives = (
        "Account.LastModifiedById",
        "BusinessHours.CreatedById",
        "Case.CreatedById",
        "CaseArticle.LastModifiedById",
        "CaseHistory.LastModifiedById",
        "CaseHistory__c.CreatedById",
        "Contact.CreatedById",
        "ContentDocument.CreatedById",
        "ContentVersion.LastModifiedById",
        "EmailMessage.CreatedById",
        "Group.CreatedById",
        "GroupMember.CreatedById",
        "Holiday.CreatedById",
        "Issue__c.CreatedById",
        "Knowledge__kav.CreatedById",
        "LiveChatTranscript.CreatedById",
        "Order.CreatedById",
        "OrderItem.CreatedById",
        "Pricebook2.CreatedById",
        "PricebookEntry.CreatedById",
        "Product2.CreatedById",
        "ProductCatalog.CreatedById",
        "ProductCategory.CreatedById",
        "ProductCategoryProduct.CreatedById",
        "QueueSobject.CreatedById",
        "RecordType.CreatedById",
        "ReturnOrder.CreatedById",
        "ReturnOrder.LastModifiedById",
        "ReturnOrderLineItem.CreatedById",
    )
    references: Mapping[str, str] = {}

    def draw(self, org: Org) -> tuple[Table, ...]:
        """One program for what comes by itself, the people of an office for what is kept up."""
        people = org.table("Workforce.people")
        everybody = np.ones(people.size)
        program = people["kind"] == SYSTEM
        imports = program & (people["given_first"].astype(str) == INTEGRATION[0])
        office = np.isin(people["kind"].astype(str), (HEAD, MEMBER))
        departments = org.setting.world.trade.staff.departments
        shops = [department.name for department in departments if department.in_shops]
        receiving = [department.name for department in departments if department.receives]
        # Products and prices are kept up at a desk, not at a counter and not in a warehouse.
        desk = office & ~np.isin(people["department"].astype(str), shops)
        takes = office & np.isin(people["department"].astype(str), receiving)
        from_the_start = people["joined"] <= org.setting.first_day
        for_good = from_the_start & np.isnat(people["left"])
        systems = _first_of(imports, program, everybody)
        keeping = [department.name for department in departments if department.keeps_range]
        keeps = desk & np.isin(people["department"].astype(str), keeping)
        content = _first_of(
            keeps & for_good, desk & ~takes & for_good, desk & from_the_start, office, systems
        )
        # A few people keep up products and prices, not a whole floor.
        content *= np.cumsum(content > 0) <= FEW
        running = [each.name for each in departments if each.profile == ADMINISTRATOR]
        runs = office & np.isin(people["department"].astype(str), running)
        admins = _first_of(runs & for_good, runs & from_the_start, systems)
        busy = _busy(org)
        kinds = people["kind"].astype(str)
        serving = np.isin(kinds, sorted(SERVICE_KINDS)) | (office & ~desk & (kinds == MEMBER))
        meets = _first_of(serving, systems) * busy
        takes_in = _first_of(takes & (kinds == MEMBER), takes, meets) * busy
        writes = np.array([WRITES.get(int(tier), 0.0) for tier in people["tier"]])
        authors = (writes if writes.any() else content) * busy
        return (
            table(
                "AuditTrail.users",
                {"Id": "User"},
                Id=np.arange(people.size),
                systems=systems,
                content=content,
                admins=admins,
                authors=authors,
                editors=systems / systems.sum() + content / content.sum(),
                clerks=systems / systems.sum() + meets / meets.sum(),
                receivers=systems / systems.sum() + takes_in / takes_in.sum(),
            ),
        )

    def effects(self, org: sqlite3.Connection) -> tuple[Effect, ...]:
        """None: nothing follows from who made a record."""
        return ()


def _busy(org: Org) -> Array:
    """How many records each user changes, beside others of the same work."""
    size = org.table("Workforce.people").size
    drawn = org.setting.stream("AuditTrail", "busy").gamma(BUSY_SHAPE, size=size)
    return np.maximum(drawn, LEAST_BUSY)


def _first_of(*choices: Array) -> Array:
    """The first of several choices that leaves anybody, as weights."""
    for choice in choices:
        if choice.any():
            return choice.astype(float)
    return choices[-1].astype(float)
