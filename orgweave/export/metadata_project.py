"""What makes the metadata an SFDX project: sfdx-project.json, the definition of a scratch org, and
the commands in order.
"""

from collections.abc import Collection, Sequence
from pathlib import Path

from orgweave.export.standard import BASE, permission_set
from pipeline.atomic import write_json, write_text

API = "60.0"
README = """# Metadata of a synthetic org

```sh
sf org create scratch --definition-file config/project-scratch-def.json --alias synth --set-default --duration-days 30
```

1. In Setup, User Interface: switch on "Enable 'Set Audit Fields upon Record Creation'". It has to be on before the next step, or
   CreateAuditFields is refused.
2. Deploy, and let yourself see the fields (a new one is invisible to the API until a permission set shows it):

```sh
sf project deploy start --source-dir force-app
sf org assign permset --name Synth_Load
```
{more}
Then load the records: `python -m pipeline export <run> --format bulk` and `sh load.sh synth`.

- The value sets (such as CaseStatus) replace the org's own as a whole. In an org that is in use, retrieve them first and merge.
- `Case.OrderItemId__c` is a lookup to OrderItem. Should an org refuse it, make it a Text(18) field; a custom lookup to PricebookEntry is
  always refused, so such a field is a text here.
- `Synth_Id__c` holds our id: references are resolved by it on loading, and answers are mapped back by it.
"""
OPTIONAL = {
    "commerce": (
        "ProductCatalog, ProductCategory, ProductCategoryProduct: only in orgs with a Commerce"
        " licence"
    ),
    "legacy-chat": (
        "LiveChatVisitor, LiveChatTranscript: only in orgs that still have Chat, which was retired"
        " in February 2026"
    ),
}


def write_project(folder: Path, packages: Sequence[str], objects: Collection[str]) -> None:
    """sfdx-project.json, config/project-scratch-def.json and README.md."""
    write_json(
        folder / "sfdx-project.json",
        {
            "packageDirectories": [{"path": name, "default": name == BASE} for name in packages],
            "sourceApiVersion": API,
        },
    )
    (folder / "config").mkdir()
    write_json(folder / "config" / "project-scratch-def.json", _scratch_org(objects))
    more = "".join(_optional_step(name) for name in packages if name != BASE)
    write_text(folder / "README.md", iter([README.format(more=more)]))


def _optional_step(name: str) -> str:
    return (
        f"\n{OPTIONAL[name]}:\n\n```sh\nsf project deploy start --source-dir {name}\nsf org assign"
        f" permset --name {permission_set(name)}\n```\n"
    )


def _scratch_org(objects: Collection[str]) -> dict[str, object]:
    settings: dict[str, object] = {"securitySettings": {"enableAuditFieldsInactiveOwner": True}}
    if "Order" in objects:
        settings["orderSettings"] = {"enableOrders": True}
    if "Knowledge__kav" in objects:
        settings["knowledgeSettings"] = {
            "enableKnowledge": True,
            "enableLightningKnowledge": True,
            "defaultLanguage": "en_US",
        }
    if "EmailMessage" in objects:
        settings["emailAdministrationSettings"] = {"enableEnhancedEmailEnabled": True}
    return {
        "orgName": "Synthetic org",
        "edition": "Enterprise",
        "hasSampleData": False,
        "language": "en_US",
        "features": ["Knowledge"] if "Knowledge__kav" in objects else [],
        "settings": settings,
    }
