"""The one order in which a CRM takes object types: each behind those it refers to.

As far as references leave a choice, users come first, for they own the rest, and what not every org
can have comes last; so says `load_rank` in the facts. `upload/plan.json`, which is written before
any CRM is known, goes by references and names alone.
"""

from orgweave.crm.facts import Catalog, shipped
from schemas import graph
from schemas.model import Schema


def load_order(schema: Schema, catalog: Catalog | None = None) -> tuple[str, ...]:
    """The object types of a schema in load order."""
    facts = catalog or shipped()
    ranks = {item.name: facts.object(item.name).load_rank for item in schema.objects}
    return tuple(graph.load_order(schema, ranks))
