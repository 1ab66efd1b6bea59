"""The dataset card of an export: what the tables are, how many records, which columns lead where.

Markdown with YAML front matter.
"""

from pathlib import Path

import yaml

from orgweave.export.source import ExportSource
from orgweave.export.words import described
from pipeline.atomic import write_text
from schemas.model import ObjectType


def write_card(source: ExportSource, path: Path) -> None:
    """README.md, as data hubs read it: a config an object type."""
    head = {
        "pretty_name": f"{source.profile.name}: a synthetic company",
        "language": ["en"],
        "tags": ["synthetic", "crm", "tabular"],
        "configs": [
            {"config_name": item.name, "data_files": f"{item.name}.parquet"}
            for item in source.schema.objects
        ],
    }
    front_matter = yaml.safe_dump(head, sort_keys=False, allow_unicode=True)
    tables = [_table(source, item) for item in source.schema.objects]
    write_text(path, iter(["---\n", front_matter, "---\n\n", _introduction(source), *tables]))


def _introduction(source: ExportSource) -> str:
    period = source.profile.period
    return (
        f"# {source.profile.name}\n\n{source.profile.description.strip()}\n\nA synthetic company"
        f" from {period.start} to {period.end}: all names, texts and records are invented. Moments"
        " are in UTC; each table's `Id` is its key, and other ids lead to the tables named.\n"
    )


def _table(source: ExportSource, item: ObjectType) -> str:
    head = f"{item.description} {source.number(item.name):,} records."
    lines = [f"\n## {item.name}\n", f"{head}\n", "| column | what it holds |", "|---|---|"]
    for field in item.fields:
        says = _cell(described(source.schema, item, field))
        lines.append(f"| {field.name} | {says} |")
    return "\n".join(lines) + "\n"


def _cell(text: str) -> str:
    return text.replace("|", "\\|").replace("\n", " ")
