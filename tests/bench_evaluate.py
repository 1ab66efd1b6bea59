"""`python -m tests.bench_evaluate`: the oracle on all 1,430 instances of the shoe company, and what
every shortcut scores; each beside its bound.

The oracle must find every answer through the tools; no other scripted agent may pass two in five on
any task.
"""

import json
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from tests.figures import Figures

SHORTCUTS = (
    "none",
    "noop",
    "first_record",
    "most_frequent",
    "text_only",
    "wrong_window",
    "swapped_extremum",
)


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
            scores = _scores(org, agent)
            task = max(scores, key=lambda name: scores[name])
            figure(f"{agent}, on {task}", scores[task], 0.4)
    figure.end()


def _oracle(org: Path, figure: Figures) -> None:
    print("the oracle", flush=True)
    started = time.perf_counter()
    scores = _scores(org, "oracle")
    figure("seconds for all instances", time.perf_counter() - started, 300)
    for task, mean in scores.items():
        figure(f"score on {task}", mean, 1.0, at_least=True)


def _scores(org: Path, agent: str) -> dict[str, float]:
    """An agent's mean score by task."""
    subprocess.run(
        [sys.executable, "-m", "pipeline", "evaluate", str(org), "--agent", agent],
        check=True,
        capture_output=True,
    )
    row = json.loads((org / "evaluations" / agent / "scores.json").read_text(encoding="utf-8"))[0]
    return {task: found["mean"] for task, found in row["every"].items() if task != "ALL"}


if __name__ == "__main__":
    main()
