"""`python -m tests.bench_tasks`: full sets of query instances on three companies: how many, how
spread, how long; each figure beside its bound.

A disagreement is a draw on which the hidden story and the org alone gave different answers; such a
draw is dropped, and there should be none.
"""

import json
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from orgweave.benchmark.prove import DISAGREES
from orgweave.benchmark.registry import TASKS
from tests.figures import Figures

COMPANIES = {"shoes": 60, "bank": 45, "saas": 45}
"""Each with the least number of agents among the answers of the three tasks about agents; shoes has
95 agents at work, the others 80 or so.
"""
AGENTS = ("case_routing", "handle_time", "transfer_count")


def main() -> None:
    """Prints every figure; exits 1 where one misses its bound."""
    figure = Figures()
    with tempfile.TemporaryDirectory(prefix="orgweave-tasks-") as folder:
        for company in COMPANIES:
            print(company, flush=True)
            _company(Path(folder) / company, company, figure)
    figure.end()


def _company(org: Path, company: str, figure: Figures) -> None:
    subprocess.run(
        [sys.executable, "-m", "pipeline", "generate", "--company", company, "--out", str(org)],
        check=True,
        capture_output=True,
    )
    started = time.perf_counter()
    subprocess.run(
        [sys.executable, "-m", "pipeline", "tasks", str(org)], check=False, capture_output=True
    )
    seconds = time.perf_counter() - started
    report = json.loads((org / "tasks" / "report.json").read_text(encoding="utf-8"))["tasks"]
    lines = [
        json.loads(line)
        for line in (org / "tasks" / "tasks.jsonl").read_text(encoding="utf-8").splitlines()
    ]
    figure("instances", len(lines), 1170, at_least=True)
    figure(
        "disagreements between the two computations",
        sum(row["dropped"].get(DISAGREES.reason, 0) for row in report.values()),
        0,
    )
    figure(
        "largest share of one answer, months apart",
        max(
            row["largest_share"] for name, row in report.items() if TASKS[name].largest_share < 0.2
        ),
        0.15,
    )
    figure("largest share of one month", report["monthly_trend_analysis"]["largest_share"], 0.2)
    agents = {one["answer"][0] for one in lines if one["task"] in AGENTS and one["answerable"]}
    figure(
        "agents that answer one of the three tasks about agents",
        len(agents),
        COMPANIES[company],
        at_least=True,
    )
    figure("seconds for all tasks", seconds, 60)
    proof = subprocess.run(
        [sys.executable, "-I", str(org / "tasks" / "verify.py")],
        check=False,
        capture_output=True,
        text=True,
    )
    figure(
        "answers that verify.py finds wrong (0: all 910 right)",
        proof.returncode + (not proof.stdout.startswith("910 of 910")),
        0,
    )


if __name__ == "__main__":
    main()
