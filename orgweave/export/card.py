"""The dataset card of an export: what the tables are, how many records, which columns lead where.

Markdown with YAML front matter.
"""

from collections.abc import Mapping
from pathlib import Path

import yaml

from orgweave.export.source import ExportSource
from orgweave.export.words import described
from pipeline.atomic import write_text
from schemas.country import DEFAULT_LOCALE, load_country
from schemas.object_type import ObjectType


def write_card(source: ExportSource, path: Path) -> None:
    """README.md, as data hubs read it: a config an object type."""
    head = {
        "pretty_name": f"{source.profile.name}: a synthetic company",
        "language": languages_of(source),
        "tags": ["synthetic", "crm", "tabular"],
        "configs": [
            {"config_name": item.name, "data_files": f"{item.name}.parquet"}
            for item in source.schema.objects
        ],
    }
    tables = [table_section(source, item) for item in source.schema.objects]
    write_text(path, iter([front_matter(head), introduction(source), *tables]))


def languages_of(source: ExportSource) -> list[str]:
    """The languages in the org: that of its words, and that of its people and places."""
    country = load_country(source.profile.locale)
    keys = (source.language, country.language.key)
    return list(dict.fromkeys(key.split("_")[0] for key in keys))


def _told_of_language(source: ExportSource) -> str:
    """A sentence on language and currency, where the company isn't American."""
    if source.profile.locale == DEFAULT_LOCALE:
        return ""
    return f" {load_country(source.profile.locale).told(source.language)}"


def front_matter(head: Mapping[str, object]) -> str:
    """What stands at the top of a card for programs to read."""
    text = yaml.safe_dump(dict(head), sort_keys=False, allow_unicode=True)
    return f"---\n{text}---\n\n"


def introduction(source: ExportSource) -> str:
    """The company's name, what it does, and how its records are to be read."""
    period = source.profile.period
    return (
        f"# {source.profile.name}\n\n{source.profile.description.strip()}\n\nA synthetic company"
        f" from {period.start} to {period.end}: all names, texts and records are invented. Moments"
        " are in UTC; each table's `Id` is its key, and other ids lead to the tables named."
        f"{_told_of_language(source)}\n"
    )


def table_section(source: ExportSource, item: ObjectType) -> str:
    """What an object type is, how many records it has, and what each column holds."""
    head = f"{item.description} {source.number(item.name):,} records."
    lines = [f"\n## {item.name}\n", f"{head}\n", "| column | what it holds |", "|---|---|"]
    for field in item.fields:
        says = _cell(described(source.schema, item, field))
        lines.append(f"| {field.name} | {says} |")
    return "\n".join(lines) + "\n"


def _cell(text: str) -> str:
    return text.replace("|", "\\|").replace("\n", " ")
