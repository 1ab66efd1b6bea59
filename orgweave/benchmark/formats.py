"""The instances for other tools: one parquet file, or a folder as `datasets.load_dataset` reads it,
with a card.

`parameters` and `evidence` differ by task, so they are JSON texts in columns of their own.
"""

import json
from collections.abc import Callable, Mapping, Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from pipeline.atomic import write_text
from pipeline.run_folder import ORG_FILE
from schemas.errors import BadInput

CARD = """---
license: apache-2.0
language: [en]
pretty_name: {company} CRM tasks
size_categories: [{size}]
task_categories: [question-answering]
tags: [crm, agents, tool-use, synthetic]
configs:
- config_name: default
  data_files:
  - split: test
    path: data/*.parquet
---

# {company}: questions about a synthetic CRM org

{total:,} query instances on the org of {company} ({industry}), made by orgweave with seed \
{seed}, writer `{writer}`.
The org itself (`{org}`) lies in the run's folder; agents reach it through SOQL and SOSL.

| task | instances | unanswerable | distinct answers | metric |
|---|---|---|---|---|
{rows}

## Columns

{columns}

## How the truth was made

Each answer was computed twice by code that shares nothing: from the hidden variables that the \
org was simulated by, and by SOQL over the org
alone, with the window's end open and closed. Only instances on which every reading agrees, with \
one best answer, are kept. The answers of
policy violations and knowledge questions are facts that the writer was given and that the text \
was verified to state. `verify.py` recomputes
the answers of the other seven tasks with the standard library alone.
"""
COLUMNS = {
    "id": "the instance",
    "task": "which of the nine tasks",
    "persona": "who asks",
    "query": "what the agent is asked",
    "seed_query": "the seed query that it paraphrases",
    "answer": "a list; one null where nothing answers",
    "parameters": "what the query was filled in with, as JSON (not for the agent)",
    "metadata": "`required`: what every agent is told; `optional`: hints",
    "reward_metric": "exact_match, token_f1 or state_difference",
    "difficulty": "records read and queries asked by the reference solution",
    "answerable": "whether anything answers",
    "group": "the same for twins, which differ in one decisive fact: score them as a whole too",
    "fact": "the same for instances that rest on one fact of the org: their errors hang together",
    "evidence": (
        "for the two text tasks: the sentences that prove the answer, as JSON (not for the agent)"
    ),
}


def check_format(kind: str) -> None:
    """Raises BadInput where what a format needs is not installed: before any work."""
    if kind in NEEDS_PYARROW and find_spec("pyarrow") is None:
        raise BadInput(
            f"--format {kind}: needs pyarrow; install it with: python -m pip install"
            " 'orgweave[parquet]'"
        )


def write_format(kind: str, folder: Path) -> Path:
    """Writes the instances of a tasks folder in that format beside tasks.jsonl; returns where.

    Raises BadInput for an unknown format.
    """
    if kind not in FORMATS:
        raise BadInput(f"--format {kind}: unknown; use {', '.join(FORMATS)}")
    return FORMATS[kind](folder)


def _jsonl(folder: Path) -> Path:
    return folder / "tasks.jsonl"


def _parquet(folder: Path) -> Path:
    return write_task_table(task_rows(folder), folder / "tasks.parquet")


def _hugging_face(folder: Path) -> Path:
    write_task_table(task_rows(folder), folder / "hf" / "data" / "test-00000-of-00001.parquet")
    write_text(folder / "hf" / "README.md", iter([card_of(folder)]))
    return folder / "hf"


NEEDS_PYARROW = ("parquet", "hf")
FORMATS: dict[str, Callable[[Path], Path]] = {
    "jsonl": _jsonl,
    "parquet": _parquet,
    "hf": _hugging_face,
}


def task_rows(folder: Path) -> list[dict[str, Any]]:
    """The instances of a tasks folder as rows of a table whose columns are alike in all tasks."""
    return [_row(instance) for instance in _instances(folder)]


def write_task_table(
    rows: Sequence[Mapping[str, Any]],
    path: Path,
    columns: Sequence[str] = tuple(COLUMNS),
) -> Path:
    """Writes these columns of some rows as one typed parquet file; returns its path."""
    import pyarrow
    from pyarrow import parquet

    text, number = pyarrow.string(), pyarrow.int64()
    types = {
        "answer": pyarrow.list_(text),
        "metadata": pyarrow.struct([("required", text), ("optional", text)]),
        "difficulty": pyarrow.struct([("records", number), ("steps", number)]),
        "answerable": pyarrow.bool_(),
    }
    fields = []
    for name in columns:
        column_type = types.get(name, text)
        says = {"description": COLUMNS[name]}
        fields.append(pyarrow.field(name, column_type, metadata=says))
    table = pyarrow.Table.from_pylist(list(rows), schema=pyarrow.schema(fields))
    path.parent.mkdir(parents=True, exist_ok=True)
    draft = path.with_name(f"{path.name}.part")
    parquet.write_table(table, draft)
    draft.replace(path)
    return path


def _row(instance: Mapping[str, Any]) -> dict[str, Any]:
    return {
        **instance,
        "parameters": json.dumps(instance["parameters"]),
        "evidence": json.dumps(instance.get("evidence", {})),
    }


def _instances(folder: Path) -> list[dict[str, Any]]:
    # Only a line feed ends a line: splitlines would cut inside texts too, at U+2028 and its like.
    lines = (folder / "tasks.jsonl").read_text(encoding="utf-8").split("\n")
    return [json.loads(line) for line in lines if line]


def card_of(folder: Path) -> str:
    """The card of a tasks folder: what Hugging Face shows of it."""
    report = json.loads((folder / "report.json").read_text(encoding="utf-8"))
    metrics = {instance["task"]: instance["reward_metric"] for instance in _instances(folder)}
    rows = []
    total = 0
    for task, numbers in report["tasks"].items():
        cells = [
            task,
            numbers["instances"],
            numbers["unanswerable"],
            numbers["distinct_answers"],
            metrics.get(task, ""),
        ]
        rows.append("| " + " | ".join(str(cell) for cell in cells) + " |")
        total += numbers["instances"]
    columns = [f"- `{name}`: {says}" for name, says in COLUMNS.items()]
    return CARD.format(
        company=report["company"],
        industry=report["industry"],
        seed=report["seed"],
        writer=report["writer"],
        total=total,
        org=ORG_FILE,
        size=size_category(total),
        rows="\n".join(rows),
        columns="\n".join(columns),
    )


def size_category(total: int) -> str:
    """The number of rows as Hugging Face's cards name it."""
    if total < 1000:
        return "n<1K"
    return "1K<n<10K" if total < 10_000 else "10K<n<100K"
