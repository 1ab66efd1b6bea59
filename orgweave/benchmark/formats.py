"""The instances for other tools: one parquet file, or a folder as `datasets.load_dataset` reads it,
with a card.

`parameters` and `evidence` differ by task, so they are JSON texts in columns of their own.
"""

import json
from collections.abc import Callable, Mapping
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

{total:,} query instances on the org of {company} ({industry}), made by orgweave with seed {seed}, writer `{writer}`.
The org itself (`{org}`) lies in the run's folder; agents reach it through SOQL and SOSL.

| task | instances | unanswerable | distinct answers | metric |
|---|---|---|---|---|
{rows}

## Columns

{columns}

## How the truth was made

Each answer was computed twice by code that shares nothing: from the hidden variables that the org was simulated by, and by SOQL over the org
alone, with the window's end open and closed. Only instances on which every reading agrees, with one best answer, are kept. The answers of
policy violations and knowledge questions are facts that the writer was given and that the text was verified to state. `verify.py` recomputes
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
    "reward_metric": "exact_match or token_f1",
    "difficulty": "records read and queries asked by the reference solution",
    "answerable": "whether anything answers",
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
    return _table(folder, folder / "tasks.parquet")


def _hugging_face(folder: Path) -> Path:
    _table(folder, folder / "hf" / "data" / "test-00000-of-00001.parquet")
    write_text(folder / "hf" / "README.md", iter([_card(folder)]))
    return folder / "hf"


NEEDS_PYARROW = ("parquet", "hf")
FORMATS: dict[str, Callable[[Path], Path]] = {
    "jsonl": _jsonl,
    "parquet": _parquet,
    "hf": _hugging_face,
}


def _table(folder: Path, path: Path) -> Path:
    import pyarrow
    from pyarrow import parquet

    text, number = pyarrow.string(), pyarrow.int64()
    kinds = {
        "answer": pyarrow.list_(text),
        "metadata": pyarrow.struct([("required", text), ("optional", text)]),
        "difficulty": pyarrow.struct([("records", number), ("steps", number)]),
        "answerable": pyarrow.bool_(),
    }
    schema = pyarrow.schema(
        [
            pyarrow.field(name, kinds.get(name, text), metadata={"description": says})
            for name, says in COLUMNS.items()
        ]
    )
    path.parent.mkdir(parents=True, exist_ok=True)
    draft = path.with_name(f"{path.name}.part")
    parquet.write_table(
        pyarrow.Table.from_pylist([_row(one) for one in _instances(folder)], schema=schema), draft
    )
    draft.replace(path)
    return path


def _row(one: Mapping[str, Any]) -> dict[str, Any]:
    return {
        **one,
        "parameters": json.dumps(one["parameters"]),
        "evidence": json.dumps(one.get("evidence", {})),
    }


def _instances(folder: Path) -> list[dict[str, Any]]:
    return [
        json.loads(line)
        for line in (folder / "tasks.jsonl").read_text(encoding="utf-8").split("\n")
        if line
    ]


def _card(folder: Path) -> str:
    report = json.loads((folder / "report.json").read_text(encoding="utf-8"))
    tasks = report["tasks"]
    metrics = {one["task"]: one["reward_metric"] for one in _instances(folder)}
    rows = [
        f"| {task} | {row['instances']} | {row['unanswerable']} | {row['distinct_answers']} |"
        f" {metrics.get(task, '')} |"
        for task, row in tasks.items()
    ]
    total = sum(row["instances"] for row in tasks.values())
    return CARD.format(
        **{name: report[name] for name in ("company", "industry", "seed", "writer")},
        total=total,
        org=ORG_FILE,
        size="n<1K" if total < 1000 else "1K<n<10K" if total < 10_000 else "10K<n<100K",
        rows="\n".join(rows),
        columns="\n".join(f"- `{name}`: {says}" for name, says in COLUMNS.items()),
    )
