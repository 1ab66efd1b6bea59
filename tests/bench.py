"""`make bench`: the project's figures, each printed beside its bound.

Runs the real command in fresh processes; never a timed test.

Times are of this machine and this moment; the growth figures compare runs of the same call.
"""

import json
import math
import os
import resource
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from pipeline.check import check_folder
from pipeline.config import RunRequest, load_job
from pipeline.graph import in_order
from pipeline.making import RunObserver
from pipeline.run import generate
from pipeline.sample.objects import draw_facts
from pipeline.world.org import Org
from tests.bench_model import model_figures
from verifiers.duplicates import near_pairs

STAGES = (
    "Product2",
    "Knowledge__kav",
    "CaseStory",
    "Case",
    "EmailMessage",
    "LiveChatTranscript",
    "org.sqlite",
    "upload",
    "check",
)


@dataclass(frozen=True, slots=True)
class Measured:
    """One whole run in a process of its own: wall seconds, peak memory in MB, seconds a node."""

    wall: float
    memory: float
    nodes: dict[str, float]


def main() -> None:
    """Prints every figure; exits 1 where one misses its bound."""
    with figures() as figure, _folder() as folder:
        _whole_org(folder, figure)
        _words(folder / "one", figure)
        _facts(figure)
        _duplicates(figure)
        model_figures(figure, folder)


@contextmanager
def figures() -> Iterator[Callable[..., None]]:
    """A function that prints a figure beside its bound; at the end the misses, and exit 1 where
    there are any.
    """
    misses: list[str] = []

    def figure(says: str, value: float, bound: float, most: bool = True, unit: str = "") -> None:
        right = value <= bound if most else value >= bound
        print(
            f"  {says:<74} {value:>12,.4g} {unit:<8} {'<=' if most else '>='} {bound:<10,.4g}"
            f" {'ok' if right else 'MISSED'}",
            flush=True,
        )
        if not right:
            misses.append(says)

    yield figure
    print("all figures reached" if not misses else f"missed: {', '.join(misses)}")
    sys.exit(1 if misses else 0)


def _whole_org(folder: Path, figure: Callable[..., None]) -> None:
    print("whole run, embedded writer, all verifiers and exports (2 cores)")
    one, ten = _measured(folder / "one", 1), _measured(folder / "ten", 10)
    figure("shoes at scale 1: wall", one.wall, 20, unit="s")
    figure("shoes at scale 1: peak memory", one.memory, 600, unit="MB")
    figure("scale 10 against scale 1: time", ten.wall / one.wall, 11, unit="fold")
    figure("scale 10 against scale 1: memory", ten.memory / one.memory, 6, unit="fold")
    print(
        f"  growth exponents (1 is linear): whole {math.log10(ten.wall / one.wall):.2f}; "
        + "; ".join(_exponents(one, ten))
    )


def _exponents(one: Measured, ten: Measured) -> Iterator[str]:
    for name in STAGES:
        if one.nodes.get(name, 0) > 0.02:
            yield f"{name} {math.log10(ten.nodes[name] / one.nodes[name]):.2f}"


def _measured(out: Path, scale: float) -> Measured:
    """Runs this module's `worker` in a process of its own."""
    code = f"from tests.bench import worker; worker({str(out)!r}, {scale})"
    started = time.monotonic()
    done = subprocess.run(
        [sys.executable, "-c", code],
        check=True,
        capture_output=True,
        text=True,
        cwd=Path(__file__).parent.parent,
    )
    data = json.loads(done.stdout.splitlines()[-1])
    return Measured(time.monotonic() - started, data["memory"], data["nodes"])


def worker(out: str, scale: float) -> None:
    """One run; prints its peak memory and the seconds of each node as JSON."""
    nodes: list[tuple[str, float]] = []
    generate(
        RunRequest("shoes", scale=scale),
        Path(out),
        RunObserver(node=lambda name: nodes.append((name, time.monotonic()))),
    )
    ends = [moment for _, moment in nodes[1:]] + [time.monotonic()]
    seconds = {name: end - start for (name, start), end in zip(nodes, ends, strict=True)}
    print(
        json.dumps(
            {"memory": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024, "nodes": seconds}
        )
    )


def _words(folder: Path, figure: Callable[..., None]) -> None:
    report = check_folder(folder)
    print("the finished org")
    figure("violated invariants", sum(one.broken for one in report.findings), 0)
    figure("declared fields filled", report.cells_filled, 0.95, most=False)
    figure("causal effects absent", sum(not effect.present for effect in report.effects), 0)
    figure(
        "exact duplicates in any written field",
        max(one.exact_duplicates for one in report.diversity.values()),
        0,
    )
    figure(
        "near-duplicates in any written field",
        max(one.near_duplicate_share for one in report.diversity.values()),
        0.01,
    )
    mails = report.diversity["EmailMessage.TextBody"]
    figure("e-mail bodies: distinct-2", mails.distinct_2, 0.10, most=False)
    figure("e-mail bodies: gzip ratio", mails.gzip_ratio, 7)


def _facts(figure: Callable[..., None]) -> None:
    print("facts without words")
    job = load_job(RunRequest("shoes", scale=10))
    item = job.setting.schema.object("PricebookEntry")
    org = _facts_before(Org(job.setting), item.name)
    best = min(_seconds(lambda: draw_facts(org, item)) for _ in range(3))
    figure(
        "PricebookEntry, rows a second and core",
        draw_facts(org, item).size / best,
        200_000,
        most=False,
    )


def _facts_before(org: Org, name: str) -> Org:
    """An org with all that `name` needs, words left out."""
    from latent.registry import LATENT
    from pipeline.world.tables import strings

    for node in in_order(org.setting.schema):
        if node == name:
            return org
        if node in LATENT:
            org.add(*LATENT[node].draw(org))
        else:
            from pipeline.sample.objects import finish

            item = org.setting.schema.object(node)
            facts = draw_facts(org, item)
            org.add(
                finish(
                    org,
                    item,
                    facts,
                    {
                        field.name: strings([f"{node} {row}" for row in range(facts.size)])
                        for field in item.written
                    },
                )
            )
    return org


def _duplicates(figure: Callable[..., None]) -> None:
    print("near-duplicate search")
    texts = _texts(100_000)
    few = _seconds(lambda: near_pairs(texts[:25_000]))
    started = time.monotonic()
    found = near_pairs(texts)
    many = time.monotonic() - started
    figure("100,000 texts of 60 characters", many, 30, unit="s")
    figure(
        "planted near-duplicates found",
        len({second for _, second in found}) / 1000,
        0.99,
        most=False,
    )
    print(f"  growth exponent from 25,000 to 100,000 texts: {math.log(many / few, 4):.2f}")


def _texts(count: int) -> list[str]:
    """Made-up texts of 60 characters, the last thousand being earlier ones with two letters
    changed.
    """
    rng = np.random.Generator(np.random.Philox(key=60))
    letters = np.array(list("abcdefghijklmnopqrstuvwxyz"))
    words = ["".join(rng.choice(letters, size=rng.integers(3, 10))) for _ in range(4000)]
    texts = [
        " ".join(words[at] for at in rng.integers(0, len(words), size=14))[:60]
        for _ in range(count - 1000)
    ]
    for text in texts[:1000]:
        places = rng.choice(60, size=2, replace=False)
        texts.append("".join("#" if at in places else sign for at, sign in enumerate(text)))
    return texts


def _seconds(work: Callable[[], object]) -> float:
    started = time.monotonic()
    work()
    return time.monotonic() - started


@contextmanager
def _folder() -> Iterator[Path]:
    folder = Path(tempfile.mkdtemp(prefix="orgweave-bench-"))
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)


if __name__ == "__main__":
    os.environ.setdefault("PYTHONHASHSEED", "0")
    main()
