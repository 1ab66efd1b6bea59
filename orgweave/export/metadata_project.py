"""What makes the metadata an SFDX project: sfdx-project.json, the definition of a scratch org, and
README.md with the commands in order.
"""

from collections.abc import Collection, Mapping, Sequence
from pathlib import Path

from orgweave.export.objects import BASE
from orgweave.export.template_files import template
from pipeline.atomic import write_json, write_text
from schemas.country import DEFAULT_LOCALE, load_country

API = "60.0"
"""The API version of the metadata's form, the oldest that the newest elements need."""

MERGE = "merge_value_sets.py"


def permission_set(package: str) -> str:
    """What a package's permission set is called."""
    return "Synth_Load" if package == BASE else f"Synth_Load_{package.title().replace('-', '_')}"


def write_project(
    folder: Path,
    packages: Sequence[str],
    optional: Mapping[str, str],
    objects: Collection[str],
    value_sets: Sequence[str],
    locale: str = DEFAULT_LOCALE,
) -> None:
    """Writes sfdx-project.json, config/project-scratch-def.json, README.md and the script that
    merges value sets.

    `optional` says of each package that not every org can have which orgs can. `locale` is the
    company's, `value_sets` are those of the CRM that the metadata replaces.
    """
    directories = [{"path": name, "default": name == BASE} for name in packages]
    project = {"packageDirectories": directories, "sourceApiVersion": API}
    write_json(folder / "sfdx-project.json", project)
    (folder / "config").mkdir()
    write_json(folder / "config" / "project-scratch-def.json", _scratch_org(objects, locale))
    more = [_optional_step(name, optional[name]) for name in packages if name != BASE]
    merging = ""
    if value_sets:
        sets = " ".join(f"StandardValueSet:{name}" for name in value_sets)
        merging = template("value_sets.md").format(sets=sets)
        write_text(folder / MERGE, iter([template(MERGE)]))
    deploy = 3 if merging else 2
    readme = template("metadata.md").format(more="".join(more), merging=merging, deploy=deploy)
    write_text(folder / "README.md", iter([readme]))


def _optional_step(name: str, which: str) -> str:
    return (
        f"\n{which}:\n\n```sh\nsf project deploy start --source-dir {name}\nsf org assign"
        f" permset --name {permission_set(name)}\n```\n"
    )


def _scratch_org(objects: Collection[str], locale: str) -> dict[str, object]:
    """What a new scratch org has switched on, as far as the objects need it, and its language."""
    country = load_country(locale)
    settings: dict[str, object] = {"securitySettings": {"enableAuditFieldsInactiveOwner": True}}
    if "Order" in objects:
        settings["orderSettings"] = {"enableOrders": True}
    if "Knowledge__kav" in objects:
        settings["knowledgeSettings"] = {
            "enableKnowledge": True,
            "enableLightningKnowledge": True,
            "defaultLanguage": country.language.key,
        }
    if "EmailMessage" in objects:
        settings["emailAdministrationSettings"] = {"enableEnhancedEmailEnabled": True}
    return {
        "orgName": "Synthetic org",
        "edition": "Enterprise",
        "hasSampleData": False,
        "language": country.language.key,
        **({} if locale == DEFAULT_LOCALE else {"country": country.code}),
        "features": ["Knowledge"] if "Knowledge__kav" in objects else [],
        "settings": settings,
    }
