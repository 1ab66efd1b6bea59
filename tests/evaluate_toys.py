"""The toy org with tasks whose answers can be counted by hand, and evaluations of it run in this
process.
"""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from inspect_ai.log import EvalLog, EvalSample, read_eval_log

from orgweave.benchmark.evaluate.harness import Running, evaluate, model_of
from orgweave.inspect_tasks import crm
from tests.tools_toys import (
    ARTICLES,
    CASES,
    CONTACTS,
    ISSUES,
    MAILS,
    PRODUCTS,
    USERS,
    stored,
    toy_folder,
    toy_rows,
)

WINDOW = {
    "start": "2022-01-01T00:00:00Z",
    "end": "2022-04-01T00:00:00Z",
    "period": "the first quarter of 2022",
}
GRANT, LIMIT = "I have allowed a full refund.", "Full Refund is open for 14 days after the order."
EVIDENCE = {"grant": GRANT, "message": MAILS[0], "article_text": LIMIT}
DAY = {"contact": CONTACTS[0], "interval": "1 week", "today": "2022-03-08", "date": "2022-03-01"}


def instance(
    name: str,
    answer: list[str | None],
    parameters: Mapping[str, object],
    query: str = "What is it?",
    **more: object,
) -> dict[str, Any]:
    """A line of tasks.jsonl; `name` is the task's with a number."""
    task = name.rpartition("-")[0]
    metric = "token_f1" if task == "knowledge_qa" else "exact_match"
    told = {"required": "Today is 2022-04-01.", "optional": "Look at Case."}
    return {
        "id": name,
        "task": task,
        "persona": "service manager",
        "query": query,
        "answer": answer,
        "parameters": parameters,
        "metadata": told,
        "reward_metric": metric,
    } | more


INSTANCES = [
    instance(
        "case_routing-001",
        [USERS[0]],
        {
            "issue": ISSUES[0],
            "product": PRODUCTS[0],
            "since": "2022-01-01",
            "today": "2022-04-01",
        },
    ),
    instance("handle_time-001", [USERS[0]], {"extremum": "longest", "more_than": 2, **WINDOW}),
    instance(
        "handle_time-002",
        [USERS[0], USERS[2]],
        {"extremum": "longest", "more_than": 1, **WINDOW},
    ),
    instance(
        "handle_time-003",
        [None],
        {"extremum": "shortest", "more_than": 9, **WINDOW},
        answerable=False,
    ),
    instance("transfer_count-001", [USERS[2]], {"extremum": "most", "more_than": 1, **WINDOW}),
    instance(
        "named_entity_disambiguation-001",
        [PRODUCTS[0]],
        {**DAY, "vague_name": "trail boots"},
    ),
    instance(
        "named_entity_disambiguation-002",
        [None],
        {**DAY, "vague_name": "rain boots"},
        answerable=False,
    ),
    instance(
        "policy_violation_identification-001",
        [ARTICLES[0]],
        {"case": CASES[3]},
        evidence=EVIDENCE,
    ),
    instance(
        "knowledge_qa-001",
        ["14 days"],
        {"article": ARTICLES[0], "asks": "limit", "option": "Full Refund"},
        "How long is a full refund open?",
        evidence={"span": LIMIT},
    ),
    instance(
        "top_issue_identification-001",
        [ISSUES[0]],
        {
            "product": PRODUCTS[0],
            "start": WINDOW["start"],
            "end": "2022-02-01T00:00:00Z",
            "period": "January 2022",
        },
    ),
    instance(
        "top_issue_identification-002",
        [None],
        {"product": PRODUCTS[1], **WINDOW},
        answerable=False,
    ),
    instance(
        "monthly_trend_analysis-001",
        ["January"],
        {
            "product": PRODUCTS[0],
            "start": "2021-12-16T00:00:00Z",
            "end": "2022-02-16T00:00:00Z",
            "interval": "2 months",
            "today": "2022-02-16",
        },
    ),
    instance("best_region_identification-001", ["CA"], {**WINDOW, "least_cases": 1}),
]


def evaluated_org(folder: Path, instances: list[dict[str, Any]] | None = None) -> Path:
    """The toy org with these tasks; in case 3 a refund is granted 30 days after the order."""
    rows = toy_rows()
    rows["EmailMessage"].append(
        {
            "Id": "02szz000000000eAAA",
            "ParentId": CASES[3],
            "Subject": "Re",
            "TextBody": f"Hello.\n\n{GRANT}",
            "Incoming": 0,
            "MessageDate": stored("2022-04-01T01:00:00"),
        }
    )
    rows["Knowledge__kav"][0]["FAQ_Answer__c"] = f"Blisters come from a seam. {LIMIT}"
    folder.mkdir(exist_ok=True)
    toy_folder(folder, rows)
    (folder / "tasks").mkdir()
    (folder / "tasks" / "tasks.jsonl").write_text(
        "".join(json.dumps(one) + "\n" for one in instances or INSTANCES), encoding="utf-8"
    )
    return folder


def run(folder: Path, agent: str, tasks: tuple[str, ...] = (), **more: Any) -> EvalLog:
    """An evaluation's log."""
    return evaluate(
        crm(str(folder), agent, tasks),
        agent,
        Running(model_of(agent, None), folder / "logs", display="none", **more),
    )


def samples_of(log: EvalLog) -> dict[str, EvalSample]:
    """The samples of a log by their ids, as the file has them."""
    return {str(one.id): one for one in read_eval_log(log.location).samples or []}


def values_of(log: EvalLog) -> dict[str, float]:
    """The scores by instance."""
    return {
        name: float(str((one.scores or {})["answer_score"].value))
        for name, one in samples_of(log).items()
    }
