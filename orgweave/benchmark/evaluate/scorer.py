"""The score of an instance: its value and how it came about.

Exact match or token F1, as the instance says; the rules read the answer.
"""

import json

from inspect_ai.model import get_model
from inspect_ai.scorer import Metric, Score, Scorer, Target, grouped, mean, stderr
from inspect_ai.solver import TaskState

from orgweave.benchmark.evaluate.answers import Extracted, extract
from orgweave.benchmark.evaluate.endpoint import model_options
from orgweave.benchmark.evaluate.outcome import (
    actions_of,
    changes_in,
    reason_in,
    submitted_in,
)
from orgweave.benchmark.evaluate.prompting import filled
from orgweave.benchmark.evaluate.toolkit import STATE_DIFFERENCE
from orgweave.benchmark.metrics import graded
from orgweave.benchmark.registry import TASKS
from orgweave.benchmark.state import judged, wanted_changes
from orgweave.benchmark.task import AnswerKind
from schemas.country import DEFAULT_LOCALE

NOBODY = "None"
"""What stands in a sample's target, which has no null, where nothing answers."""
METRICS: list[Metric] = [grouped(mean(), "short", all_label="ALL"), stderr()]
WANTED: dict[AnswerKind, tuple[str, str]] = {
    "id": ("record ids", '["005000000000001AAA"]'),
    "month": ("months", '["March"]'),
    "state": ("two-letter states", '["CA"]'),
    "text": ("answer", '["30 days"]'),
}
"""What the extracting model is asked for, and an example of it."""


def answer_scorer(extractor: str | None = None) -> Scorer:
    """Scores what was submitted.

    `extractor` names a model that is asked for the answer where the rules find none.
    """

    async def score(state: TaskState, target: Target) -> Score:
        submitted = submitted_in(state)
        if state.metadata["reward_metric"] == STATE_DIFFERENCE:
            return _by_state(state, gold_of(list(target)))
        noted = {"actions": actions_of(state), "answered": submitted is not None}
        if submitted is None:
            reason = f"Nothing submitted: {reason_in(state)}."
            return Score(
                value=0.0,
                answer=None,
                explanation=reason,
                metadata=noted,
            )
        kind = TASKS[state.metadata["task"]].answers
        metric = state.metadata["reward_metric"]
        gold = gold_of(list(target))
        locale = state.metadata.get("locale", DEFAULT_LOCALE)
        said, reader = extract(submitted, kind, locale), "rules"
        if said is None and extractor and submitted.strip():
            said = await _extracted(extractor, state.input_text, submitted, kind, locale)
            reader = extractor
        answer = said or [submitted]
        value = graded(answer, gold, metric)
        explanation = (
            f"Read by {reader} as {json.dumps(answer)}; right is {json.dumps(gold)}:"
            f" {metric} {value:g}."
        )
        return Score(
            value=value,
            answer=submitted,
            explanation=explanation,
            metadata=noted,
        )

    return score


def _by_state(state: TaskState, gold: Extracted) -> Score:
    """Whether the copy of the org was changed as it should have been, whatever was submitted."""
    changes = changes_in(state)
    submitted = submitted_in(state)
    noted = {"actions": actions_of(state), "answered": submitted is not None}
    if changes is None:
        reason = f"No copy of the org was changed (a server has none): {reason_in(state)}."
        return Score(value=0.0, answer=submitted, explanation=reason, metadata=noted)
    verdict = judged(changes, wanted_changes(gold))
    return Score(
        value=float(verdict.right),
        answer=submitted,
        explanation=f"{verdict}; right is {json.dumps(gold)}.",
        metadata=noted,
    )


def gold_of(target: list[str]) -> Extracted:
    """The gold answer of a sample's target."""
    return [None if value == NOBODY else value for value in target]


async def _extracted(
    model: str,
    query: str,
    submitted: str,
    kind: AnswerKind,
    locale: str,
) -> Extracted | None:
    """What another model reads in the answer; its reply is read by the same rules where it isn't
    the JSON that was asked for.
    """
    wanted, example = WANTED[kind]
    prompt = filled(
        "extract",
        query=query,
        answer=submitted,
        wanted=wanted,
        example=example,
    )
    output = await get_model(model, **model_options(model)).generate(prompt)
    reply = output.completion.strip()
    return None if reply in ("[]", "") else extract(reply, kind, locale)
