"""What a judge is asked and what follows: candidates, verdicts, which units are chosen; and
rewriting that comes to nothing.
"""

import asyncio
import json
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import cast

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pipeline.ledger import Ledger, Ruling
from pipeline.world.org import RunContext
from pipeline.write.judging import chosen_units
from pipeline.write.prompt import judge_messages, load_prompts
from pipeline.write.questions import (
    NOT_SAID,
    OTHER,
    JudgeBatch,
    JudgeItem,
    JudgeQuestion,
    Questions,
    questions_of,
)
from pipeline.write.service import WritingService
from pipeline.write.work import ObjectWork
from pipeline.write.writer import Writer
from schemas.field import Field, Judging, Question
from schemas.object_type import Count, ObjectType, UnitRule
from schemas.sources import WrittenSource
from verifiers.material import Unit, WrittenField

PRODUCTS = (
    "Brindle Tent",
    "Harrow Shelter",
    "Fell Stove",
    "Moor Kettle",
    "Tarn Flask",
    "Beck Lamp",
    "Ghyll Mat",
)
TEXT = WrittenField("Text", "A mail.", (), {"type": "string"})
ITEM = ObjectType(
    "Mail",
    "Mail.yaml",
    "A mail.",
    "0ma",
    Count(number=7),
    (Field("Text", {"type": "string"}, WrittenSource(written="A mail about a product."), True),),
    unit=UnitRule(batch=2),
    judging=Judging(
        (
            Question("Which product is meant?", "product"),
            Question("Which remedy is granted?", "option"),
        )
    ),
)


def work(always: frozenset[int] = frozenset()) -> ObjectWork:
    """Seven mails, each about its own product; only the first has a remedy."""
    units = tuple(
        Unit(
            at, {"product": name, "option": "a refund" if at == 0 else "", "secret": f"truth {at}"}
        )
        for at, name in enumerate(PRODUCTS)
    )
    return ObjectWork(
        item=ITEM,
        fields=(TEXT,),
        units=units,
        lanes=(tuple(range(7)),),
        rows=tuple((row,) for row in range(7)),
        always=always,
    )


def shown(todo: ObjectWork) -> list[JudgeItem]:
    """What a judge is shown of each unit that says "Hello."."""
    questions = questions_of(todo, 1)
    items = [questions.item(unit, {"unit": unit.id, "Text": "Hello."}) for unit in todo.units]
    return [item for item in items if item is not None]


def asked(unit: int, seed: int = 1) -> tuple[Questions, tuple[str, ...]]:
    """The questions, and the candidates for a unit's product."""
    questions = questions_of(work(), seed)
    entry = {"unit": unit, "Text": f"It is about the {PRODUCTS[unit]}."}
    item = questions.item(work().units[unit], entry)
    assert item is not None
    return questions, item.questions[0].candidates


@given(unit=st.integers(0, 6), seed=st.integers(0, 1000))
def test_the_right_answer_is_one_of_the_candidates(unit: int, seed: int) -> None:
    """Among six candidates from other units' facts stands the right one, once; the way out comes
    last.
    """
    _, candidates = asked(unit, seed)
    assert candidates.count(PRODUCTS[unit]) == 1 and set(candidates[:-2]) <= set(PRODUCTS)
    assert len(set(candidates)) == len(candidates) == 8 and candidates[-2:] == (OTHER, NOT_SAID)


def test_the_place_of_the_right_answer_tells_nothing() -> None:
    """Over many units and seeds the right candidate stands in each place."""
    places = {asked(unit, seed)[1].index(PRODUCTS[unit]) for unit in range(7) for seed in range(30)}
    assert places == set(range(6))


def test_the_judge_is_not_told_the_facts() -> None:
    """A judge's prompt holds text and candidates, no other fact, and doesn't mark the right one."""
    item = questions_of(work(), 1).item(work().units[2], {"unit": 2, "Text": "Mine is broken."})
    assert item is not None
    prompt = json.dumps(judge_messages(JudgeBatch("Mail", (item,), "toy"), load_prompts()))
    assert "Mine is broken." in prompt and "truth" not in prompt and prompt.count("Fell Stove") == 1


def test_the_verdict_is_that_of_every_question() -> None:
    """All right is a pass, one wrong a fail that says what was read, a question left out or
    answered by no candidate unjudged.
    """
    questions, candidates = asked(3)
    unit, right = work().units[3], candidates.index(PRODUCTS[3])
    assert questions.verdict(unit, (right,)).outcome == "pass"
    wrong = questions.verdict(unit, ((right + 1) % 6,))
    assert (
        wrong.outcome == "fail"
        and candidates[(right + 1) % 6] in wrong.reason
        and PRODUCTS[3] in wrong.reason
    )
    assert questions.verdict(unit, (candidates.index(NOT_SAID),)).outcome == "fail"
    assert [
        questions.verdict(unit, chosen).outcome for chosen in ((), (-1,), (99,), (right, 0))
    ] == ["unjudged"] * 4


def test_what_has_no_answer_is_not_asked() -> None:
    """A question whose fact is empty for a unit is left out."""
    assert [len(item.questions) for item in shown(work())] == [2, 1, 1, 1, 1, 1, 1]


@pytest.mark.parametrize(
    ("share", "always", "chosen"),
    [(None, {3}, ()), (0.0, set(), ()), (0.0, {3, 5}, (3, 5)), (1.0, set(), tuple(range(7)))],
)
def test_what_tasks_depend_on_is_always_chosen(
    share: float | None,
    always: set[int],
    chosen: tuple[int, ...],
) -> None:
    """Without a judge nobody is chosen; else those that are always judged, and the share of the
    mini-batches.
    """
    assert chosen_units(work(frozenset(always)), 1, share) == chosen


def test_a_share_is_drawn_by_mini_batches() -> None:
    """Whole mini-batches are drawn, about as many as asked for, the same for the same seed."""
    units = tuple(Unit(at, {"product": PRODUCTS[at % 7]}) for at in range(2000))
    many = ObjectWork(
        item=replace(ITEM, unit=UnitRule(batch=10)),
        fields=(TEXT,),
        units=units,
        lanes=tuple(tuple(range(start, start + 10)) for start in range(0, 2000, 10)),
        rows=tuple((row,) for row in range(2000)),
    )
    chosen = chosen_units(many, 1, 0.2)
    assert chosen == chosen_units(many, 1, 0.2) != chosen_units(many, 2, 0.2)
    assert len(chosen) % 10 == 0 and 250 < len(chosen) < 550


@dataclass
class ForgetfulJudge:
    """A judge that passes over the second half of what it is first asked."""

    name: str = "toy"
    share: float = 1.0
    prompt: str = ""
    asked: list[tuple[int, ...]] = field(default_factory=list)

    async def judge(self, batch: JudgeBatch) -> Ruling:
        """The first candidate of every question it looks at."""
        self.asked.append(tuple(item.unit for item in batch.items))
        looked = batch.items if len(self.asked) > 1 else batch.items[: len(batch.items) // 2]
        chosen = {item.unit: (0,) * len(item.questions) for item in looked}
        return Ruling(chosen, 10, 1, 0.5)


def test_texts_that_a_ruling_passed_over_are_asked_again(tmp_path: Path) -> None:
    """The same question put to the service once more asks for the passed-over texts only, and then
    for nothing.
    """
    judge = ForgetfulJudge()
    batch = JudgeBatch("Mail", tuple(shown(work())[:4]), "toy")
    with Ledger(tmp_path / "ledger.sqlite") as ledger:
        service = WritingService(cast(RunContext, None), cast(Writer, None), ledger, judge=judge)
        rulings = [asyncio.run(service.ruling(batch)) for _ in range(3)]
    assert judge.asked == [(0, 1, 2, 3), (2, 3)]
    assert [sorted(ruling.chosen) for ruling in rulings if ruling] == [
        [0, 1],
        [0, 1, 2, 3],
        [0, 1, 2, 3],
    ]
    assert [ruling.cost for ruling in rulings if ruling] == [0.5, 1.0, 1.0]


def test_the_key_of_a_judges_batch_never_changes() -> None:
    """A judge's rulings of an older version are found again: the key of a batch is pinned."""
    question = JudgeQuestion("Which product?", ("Brindle Tent", OTHER, NOT_SAID))
    batch = JudgeBatch("Mail", (JudgeItem(7, "My tent é broke.", (question,)),), "toy", "abc")
    assert batch.canonical() == (
        '{"judge":"toy","object":"Mail","prompt":"abc","reads":[{"choices":[{"asks":"Which'
        ' product?","candidates":["Brindle Tent","something else","not said"]}],"text":"My tent é'
        ' broke.","unit":7}]}'
    )
