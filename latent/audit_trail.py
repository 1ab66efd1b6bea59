"""AuditTrail: which users make the records that no agent makes.

It draws `users`: how likely each is the one who makes what comes from other systems (`systems`:
orders, messages, customers), what the company keeps up itself (`content`: products, prices,
articles), and whatever is changed later: what is kept up (`editors`: half by systems, half by those
people), what customers have (`clerks`: half by systems, half by those who talk to them), and what
they send back (`receivers`: half by systems, half by those who take it in).
It is drawn from Workforce (who is a program, who works in which department).
It drives who created a record and who changed it last.
It has no effect of its own: nothing else follows from it.
"""

import sqlite3
from collections.abc import Mapping

import numpy as np

from latent.variable import Effect
from latent.workers import HEAD, INTEGRATION, MEMBER, SERVICE_KINDS, SYSTEM
from pipeline.world.org import Org
from pipeline.world.tables import Array, Table, table

FEW = 4


class AuditTrail:
    """Who makes records."""

    name = "AuditTrail"
    reads: tuple[str, ...] = ("Workforce",)
    tables: Mapping[str, tuple[str, ...]] = {
        "users": ("Id", "systems", "content", "editors", "clerks", "receivers")
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
        # Products and prices are kept up at a desk, not at a counter.
        desk = office & ~np.isin(people["department"].astype(str), shops)
        from_the_start = people["joined"] <= org.setting.first_day
        stays = np.isnat(people["left"])
        systems = _first_of(imports, program, everybody)
        content = _first_of(desk & from_the_start & stays, desk & from_the_start, office, systems)
        # A few people keep up products and prices, not a whole floor.
        content *= np.cumsum(content > 0) <= FEW
        kinds = people["kind"].astype(str)
        served = np.isin(kinds, sorted(SERVICE_KINDS))
        served |= office & ~desk
        served &= from_the_start
        meets = _first_of(served & stays, served, systems)
        receiving = [department.name for department in departments if department.receives]
        receives = office & np.isin(people["department"].astype(str), receiving) & from_the_start
        takes_in = _first_of(receives & stays, receives, meets)
        return (
            table(
                "AuditTrail.users",
                {"Id": "User"},
                Id=np.arange(people.size),
                systems=systems,
                content=content,
                editors=systems / systems.sum() + content / content.sum(),
                clerks=systems / systems.sum() + meets / meets.sum(),
                receivers=systems / systems.sum() + takes_in / takes_in.sum(),
            ),
        )

    def effects(self, org: sqlite3.Connection) -> tuple[Effect, ...]:
        """None: nothing follows from who made a record."""
        return ()


def _first_of(*choices: Array) -> Array:
    """The first of several choices that leaves anybody, as weights."""
    for choice in choices:
        if choice.any():
            return choice.astype(float)
    return choices[-1].astype(float)
