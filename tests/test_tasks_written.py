"""Tasks by a model: paraphrases through the real client and the package's server, refused until
they keep every parameter; and a judge's reading.
"""

import asyncio
import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from orgweave.benchmark.instance import NOTHING, Candidate
from orgweave.benchmark.judging import misread
from orgweave.benchmark.run import make_tasks
from orgweave.benchmark.story import Conversation, Utterance
from orgweave.benchmark.task import TaskSources
from orgweave.testing.faults import Behaviour
from orgweave.testing.server import ModelServer
from orgweave.testing.words import Words
from pipeline.config import job_of
from pipeline.ledger import Ledger, Ruling
from pipeline.model.settings import choose
from pipeline.run import FinishedRun, writers_with
from pipeline.write.embedded import EmbeddedWriter
from pipeline.write.questions import JudgeBatch
from pipeline.write.service import WritingService
from tests.task_toys import case, story

TASKS = ("named_entity_disambiguation", "case_routing", "knowledge_qa")


@pytest.fixture
def small(small_shoes: FinishedRun, tmp_path: Path) -> Path:
    """A copy of the small shoe company."""
    return Path(shutil.copytree(small_shoes.folder, tmp_path / "small"))


def by_model(folder: Path, behaviour: Behaviour) -> list[dict[str, Any]]:
    """Tasks whose words come from a model of a server that behaves so."""
    with ModelServer(Words(job_of(folder)), behaviour) as server:
        settings = choose(
            {
                "model": "toy-model",
                "base_url": server.url,
                "price": "2.5,10",
                "judge_model": "none",
            },
            {"OPENAI_API_KEY": "sk-test-0123456789"},
        )
        make_tasks(folder, 6, TASKS, writers_of=writers_with(settings))
    return [
        json.loads(line)
        for line in (folder / "tasks" / "tasks.jsonl").read_text(encoding="utf-8").splitlines()
    ]


def test_a_model_words_the_queries_and_the_answers_stay(small: Path) -> None:
    """The instances have the answers and parameters that the embedded writer's have (but for a new
    case's words), and every parameter in the query.
    """
    make_tasks(small, 6, TASKS)
    embedded = [
        json.loads(line)
        for line in (small / "tasks" / "tasks.jsonl").read_text(encoding="utf-8").splitlines()
    ]
    modelled = by_model(small, Behaviour())
    assert [(one["id"], one["answer"]) for one in modelled] == [
        (one["id"], one["answer"]) for one in embedded
    ]
    assert all(
        one["parameters"]["vague_name"] in one["query"]
        for one in modelled
        if one["task"] == TASKS[0]
    )


def test_a_model_that_contradicts_its_facts_is_asked_again(small: Path) -> None:
    """Three answers in ten have another period, number or name than its facts: what is written in
    the end has the right ones.
    """
    modelled = by_model(small, Behaviour(faults={"contradicted": 0.3}))
    assert len(modelled) == 18
    assert all(
        one["parameters"]["vague_name"] in one["query"]
        for one in modelled
        if one["task"] == TASKS[0]
    )
    assert all(
        one["parameters"]["description"] in one["query"]
        for one in modelled
        if one["task"] == TASKS[1]
    )


class NoSayer:
    """A judge that never finds a breach: always the second candidate."""

    name, prompt, share = "no-sayer", "", 1.0

    async def judge(self, asked: JudgeBatch) -> Ruling:
        """Chooses it for every text."""
        return Ruling({read.unit: (1,) for read in asked.items}, 0, 0, 0.0)


def test_a_case_in_which_the_judge_reads_no_breach_is_no_instance(
    small: Path, tmp_path: Path
) -> None:
    """The judge sees article, dates and conversation, and says no to both: the one whose answer is
    None stays, the other goes.
    """
    toy = story([case(1, "u1", "2021-05-01")])
    talks = {"c1": Conversation((Utterance("m1", True, "A full refund, then."),))}
    evidence = {"article": "k1"}
    lawful = Candidate("case", {"case": "c1"}, {"case": "c1"}, (), NOTHING, evidence=evidence)
    broken = Candidate("case", {"case": "c1"}, {"case": "c1"}, (), ("k1",), evidence=evidence)
    job = job_of(small)
    with Ledger(tmp_path / "ledger.sqlite") as ledger:
        service = WritingService(
            job.setting,
            EmbeddedWriter(job.lexicon, {}),
            ledger,
            judge=NoSayer(),
        )
        wrong = asyncio.run(
            misread(
                service,
                TaskSources(toy, talks, seed=1),
                "policy_violation_identification",
                [lawful, broken],
            )
        )
    assert wrong == {1}
