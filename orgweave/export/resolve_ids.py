"""The Apex that turns our ids in text fields into the org's: a CRM resolves references, but not ids
that stand in a text.
"""

from collections.abc import Iterator, Sequence
from pathlib import Path

from orgweave.export.crm import CrmObject, api_name
from orgweave.export.standard import EXTERNAL_ID
from pipeline.atomic import write_text
from pipeline.world.ids import MARKER
from schemas.model import Schema

AT_ONCE = 9000
"""Records in one run; the CRM changes at most 10,000 in one transaction."""
FILE = "resolve_ids.apex"
APEX = """List<{name}> {rows} = [SELECT Id, {columns} FROM {name} WHERE {ours} LIMIT {at_once}];
for ({name} one : {rows}) {{
{changes}
}}
update {rows};
System.debug({rows}.size() + ' records of {name} looked at; run this again until it says 0');
"""


def write_apex(schema: Schema, objects: Sequence[CrmObject], folder: Path) -> bool:
    """resolve_ids.apex, where there are such fields; whether there are."""
    blocks = [_block(schema, one) for one in objects if _held(one)]
    if blocks:
        targets = {name for one in objects for _, name in _held(one)}
        write_text(
            folder / FILE,
            iter(
                [
                    (
                        "// Turns our ids in text fields into this org's ids. Run it as often as it"
                        " finds records.\n"
                    ),
                    "Map<String, String> ids = new Map<String, String>();\n",
                    *_known(schema, targets),
                    *blocks,
                ]
            ),
        )
    return bool(blocks)


def _held(one: CrmObject) -> list[tuple[str, str]]:
    return [(column.name, column.holds_ids) for column in one.loaded if column.holds_ids]


def _known(schema: Schema, targets: set[str]) -> Iterator[str]:
    for target in sorted(targets):
        name = api_name(schema.object(target))
        yield (
            f"for ({name} one : [SELECT Id, {EXTERNAL_ID} FROM {name} WHERE {EXTERNAL_ID} != null])"
            f" {{\n    ids.put(one.{EXTERNAL_ID}, one.Id);\n}}\n"
        )


def _block(schema: Schema, one: CrmObject) -> str:
    held = _held(one)
    return APEX.format(
        name=one.name,
        rows=f"rowsOf{one.name.replace('__c', '').replace('_', '')}",
        columns=", ".join(column for column, _ in held),
        ours=" OR ".join(
            f"{column} LIKE '{schema.object(target).key_prefix}{MARKER}%'"
            for column, target in held
        ),
        at_once=AT_ONCE,
        changes="\n".join(
            f"    one.{column} = ids.containsKey(one.{column}) ? ids.get(one.{column}) :"
            f" one.{column};"
            for column, _ in held
        ),
    )
