"""The dataset card of a bundle: what is in it, how it is opened, what each table holds.

Markdown with YAML front matter, whose `configs` are what `datasets.load_dataset` reads.
"""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from orgweave.benchmark.formats import COLUMNS
from orgweave.bundle.layout import CARD, DATA, SUMS, TASKS, DataFormat
from orgweave.export.card import front_matter, introduction, table_section
from orgweave.export.source import ExportSource
from pipeline.atomic import write_text

SIZES = ((1_000, "n<1K"), (10_000, "1K<n<10K"), (100_000, "10K<n<100K"))
"""Bounds of the number of rows, and how data hubs call what lies below them."""
LARGEST_SIZE = "100K<n<1M"
OPENING = """
## How to open it

```python
from datasets import load_dataset
cases = load_dataset("<this folder>", "Case", split="train"){tasks}
```

`orgweave explore <this folder>` shows it in the browser, as a CRM does. All other commands take its
folder `run`: `orgweave query <this folder>/run "SELECT Name FROM Account LIMIT 3"`.

`sha256sum --check {sums}` proves that no file has changed, and so does
`orgweave bundle <this folder> --verify`. The org is the one of SHA-256 `{org}`.
"""
WITH_TASKS = '\ntasks = load_dataset("<this folder>", "tasks", split="test")'


def write_card(
    source: ExportSource,
    draft: Path,
    data: DataFormat,
    columns: Sequence[str],
    report: Mapping[str, Any],
) -> None:
    """README.md. `columns` are those of the tasks' table, none where there is none; `report` is the
    report beside the tasks.
    """
    names = [item.name for item in source.schema.objects]
    # Nothing opens a file of JSON lines that has none.
    open_to = [name for name in names if data != "jsonl" or source.number(name)]
    configs: list[dict[str, object]] = [_config(name, "train", data) for name in open_to]
    if columns:
        configs.insert(0, _config(TASKS, "test", data))
    configs[0]["default"] = True
    rows = sum(source.number(name) for name in names)
    head = {
        "license": "apache-2.0",
        "pretty_name": f"{source.profile.name}: a synthetic company",
        "language": ["en"],
        "size_categories": [_size(rows)],
        "task_categories": ["question-answering"] if columns else ["other"],
        "tags": ["synthetic", "crm", "tabular", "agents", "tool-use"],
        "configs": configs,
    }
    opening = OPENING.format(tasks=WITH_TASKS if columns else "", sums=SUMS, org=source.sha256)
    tasks = _tasks_section(columns, report) if columns else ""
    tables = [table_section(source, item) for item in source.schema.objects]
    parts = [front_matter(head), introduction(source), opening, tasks, *tables]
    write_text(draft / CARD, iter(parts))


def _config(name: str, split: str, data: DataFormat) -> dict[str, object]:
    file = {"split": split, "path": f"{DATA}/{name}.{data}"}
    return {"config_name": name, "data_files": [file]}


def _size(rows: int) -> str:
    for bound, name in SIZES:
        if rows < bound:
            return name
    return LARGEST_SIZE


def _tasks_section(columns: Sequence[str], report: Mapping[str, Any]) -> str:
    """The tasks with their numbers, and the columns of their table."""
    lines = ["\n## tasks\n", "| task | instances |", "|---|---|"]
    for task, numbers in dict(report.get("tasks", {})).items():
        lines.append(f"| {task} | {numbers['instances']} |")
    lines.append(f"\nWordings: {report.get('wordings', 'all')}.")
    if "answer" not in columns:
        lines.append("\nThe answers are held back.")
    lines += ["\n| column | what it holds |", "|---|---|"]
    for name in columns:
        lines.append(f"| {name} | {COLUMNS[name]} |")
    return "\n".join(lines) + "\n"
