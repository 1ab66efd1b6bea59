"""The Apex that turns our ids in text fields into the org's.

A CRM resolves references, but not ids that stand in a text.
"""

from collections.abc import Iterator, Sequence
from pathlib import Path

from orgweave.crm.build import api_name
from orgweave.crm.field import CrmObject
from orgweave.export.objects import EXTERNAL_ID, loaded
from orgweave.export.template_files import template
from pipeline.atomic import write_text
from pipeline.world.ids import MARKER
from schemas.model import Schema

MOST_RECORDS = 9000
"""Records in one run; the CRM changes at most 10,000 in one transaction."""
FILE = "resolve_ids.apex"
HEAD = (
    "// Turns our ids in text fields into this org's ids. Run it as often as it finds records.\n"
    "Map<String, String> ids = new Map<String, String>();\n"
)


def write_apex(schema: Schema, objects: Sequence[CrmObject], folder: Path) -> bool:
    """Writes resolve_ids.apex where there are such fields; whether there are."""
    blocks = [_block(schema, crm_object) for crm_object in objects if _held(crm_object)]
    if not blocks:
        return False
    targets: set[str] = set()
    for crm_object in objects:
        targets |= {target for _, target in _held(crm_object)}
    write_text(folder / FILE, iter([HEAD, *_known(schema, targets), *blocks]))
    return True


def _held(crm_object: CrmObject) -> list[tuple[str, str]]:
    """The fields that hold ids as text, and the object type of ours that they belong to."""
    fields = loaded(crm_object)
    return [(field.name, field.holds_ids) for field in fields if field.holds_ids]


def _known(schema: Schema, targets: set[str]) -> Iterator[str]:
    """The Apex that reads which of the org's ids belong to ours."""
    for target in sorted(targets):
        name = api_name(schema.object(target))
        yield (
            f"for ({name} one : [SELECT Id, {EXTERNAL_ID} FROM {name} WHERE {EXTERNAL_ID} != null])"
            f" {{\n    ids.put(one.{EXTERNAL_ID}, one.Id);\n}}\n"
        )


def _block(schema: Schema, crm_object: CrmObject) -> str:
    """The Apex that changes one object type."""
    held = _held(crm_object)
    ours = []
    changes = []
    for field, target in held:
        ours.append(f"{field} LIKE '{schema.object(target).key_prefix}{MARKER}%'")
        found = f"ids.containsKey(one.{field}) ? ids.get(one.{field}) : one.{field}"
        changes.append(f"    one.{field} = {found};")
    return template("resolve_ids.apex").format(
        name=crm_object.name,
        rows=f"rowsOf{crm_object.name.replace('__c', '').replace('_', '')}",
        columns=", ".join(field for field, _ in held),
        ours=" OR ".join(ours),
        at_once=MOST_RECORDS,
        changes="\n".join(changes),
    )
