"""`python -m tests.bench_evaluate`: the oracle on all 1,430 instances of the shoe company, and what
every shortcut scores; each beside its bound.

The oracle must find every answer through the tools; no other scripted agent may pass two in five of
the answerable instances of any task, as no reduced solver may. Who looks into a window without
cases is right about it, so the others tell nothing here.
"""

import json
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from tests.figures import Figures

Row = dict[str, Any]
"""What scores.json holds of one agent."""

SHORTCUTS = (
    "none",
    "noop",
    "first_record",
    "most_frequent",
    "text_only",
    "wrong_window",
    "swapped_extremum",
)

IDLE = ("none", "noop")
"""Agents that never write: of the actions they get exactly the half that asks for no write."""


def main() -> None:
    """Prints every figure; exits 1 where one misses its bound."""
    figure = Figures()
    with tempfile.TemporaryDirectory(prefix="orgweave-evaluate-") as folder:
        org = Path(folder) / "shoes"
        for words in (["generate", "--company", "shoes", "--out", str(org)], ["tasks", str(org)]):
            subprocess.run(
                [sys.executable, "-m", "pipeline", *words],
                check=True,
                capture_output=True,
            )
        _oracle(org, figure)
        print("shortcuts, the best task of each", flush=True)
        for agent in SHORTCUTS:
            row = _evaluated(org, agent)
            scores = _means(row, "answerable")
            task = max(scores, key=lambda name: scores[name])
            figure(f"{agent}, on {task}", scores[task], 0.4)
            if agent in IDLE:
                idle = _means(row, "every")["ACT"]
                figure(f"{agent}, on all of ACT: no more than theory says", idle, 0.5)
                figure(f"{agent}, on all of ACT: no less", idle, 0.5, at_least=True)
    figure.end()


def _oracle(org: Path, figure: Figures) -> None:
    print("the oracle", flush=True)
    started = time.perf_counter()
    scores = _means(_evaluated(org, "oracle"), "every")
    figure("seconds for all instances", time.perf_counter() - started, 300)
    for task, mean in scores.items():
        figure(f"score on {task}", mean, 1.0, at_least=True)


def _evaluated(org: Path, agent: str) -> Row:
    """An agent's row of scores.json."""
    subprocess.run(
        [sys.executable, "-m", "pipeline", "evaluate", str(org), "--agent", agent],
        check=True,
        capture_output=True,
    )
    path = org / "evaluations" / agent / "scores.json"
    row: Row = json.loads(path.read_text(encoding="utf-8"))[0]
    return row


def _means(row: Row, of: str) -> dict[str, float]:
    """The mean score by task, of `every` instance or of the `answerable` ones alone."""
    return {task: found["mean"] for task, found in row[of].items() if task != "ALL"}


if __name__ == "__main__":
    main()
