"""What a judge is asked and what follows: candidates, verdicts, which units are chosen; and
rewriting that comes to nothing.
"""

import asyncio
import json
from dataclasses import dataclass, field
from pathlib import Path
from typing import cast

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pipeline.ledger import Ledger, Ruling
from pipeline.world.org import RunContext
from pipeline.write.desk import WritingService
from pipeline.write.judging import chosen_units
from pipeline.write.lanes import ROUNDS, _no_use
from pipeline.write.likeness import nearest, too_like
from pipeline.write.prompt import judge_messages, load_prompts
from pipeline.write.questions import NOT_SAID, OTHER, JudgeBatch, Questions, questions_of
from pipeline.write.request import Unit, WrittenField
from pipeline.write.units import ObjectWork
from pipeline.write.writer import Writer
from schemas.model import Count, Field, Judging, ObjectType, Question
from schemas.sources import WrittenSource

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
        (TEXT,), units, (tuple(range(7)),), tuple((at,) for at in range(7)), batch=2, always=always
    )


def asked(unit: int, seed: int = 1) -> tuple[Questions, tuple[str, ...]]:
    """The questions, and the candidates for a unit's product."""
    questions = questions_of(ITEM, work(), seed)
    read = questions.read(
        work().units[unit], {"unit": unit, "Text": f"It is about the {PRODUCTS[unit]}."}
    )
    assert read is not None
    return questions, read.choices[0].candidates


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
    questions = questions_of(ITEM, work(), 1)
    read = questions.read(work().units[2], {"unit": 2, "Text": "Mine is broken."})
    assert read is not None
    prompt = json.dumps(judge_messages(JudgeBatch("Mail", (read,), "toy"), load_prompts()))
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
    questions = questions_of(ITEM, work(), 1)
    counts = [
        len(read.choices)
        for unit in work().units
        if (read := questions.read(unit, {"unit": unit.id, "Text": "Hello."}))
    ]
    assert counts == [2, 1, 1, 1, 1, 1, 1]


@pytest.mark.parametrize(
    ("share", "always", "chosen"),
    [(None, {3}, ()), (0.0, set(), ()), (0.0, {3, 5}, (3, 5)), (1.0, set(), tuple(range(7)))],
)
def test_what_tasks_depend_on_is_always_chosen(
    share: float | None, always: set[int], chosen: tuple[int, ...]
) -> None:
    """Without a judge nobody is chosen; else those that are always judged, and the share of the
    mini-batches.
    """
    assert chosen_units(ITEM, work(frozenset(always)), 1, share) == chosen


def test_a_share_is_drawn_by_mini_batches() -> None:
    """Whole mini-batches are drawn, about as many as asked for, the same for the same seed."""
    units = tuple(Unit(at, {"product": PRODUCTS[at % 7]}) for at in range(2000))
    many = ObjectWork(
        (TEXT,),
        units,
        tuple(tuple(range(start, start + 10)) for start in range(0, 2000, 10)),
        tuple((at,) for at in range(2000)),
    )
    chosen = chosen_units(ITEM, many, 1, 0.2)
    assert chosen == chosen_units(ITEM, many, 1, 0.2) != chosen_units(ITEM, many, 2, 0.2)
    assert len(chosen) % 10 == 0 and 250 < len(chosen) < 550


def test_a_like_text_is_told_with_what_it_is_like() -> None:
    """The later of two like texts is named with both texts; what is near it is shown, more of it
    with each round.
    """
    texts = [
        "My tent has a hole in its left side",
        "My tent has a hole in its left side.",
        *(f"Kettle number {at} is not warm" for at in range(400)),
    ]
    units = tuple(Unit(at, {}) for at in range(len(texts)))
    todo = ObjectWork((TEXT,), units, (), tuple((at,) for at in range(len(texts))))
    entries = {at: {"unit": at, "Text": text} for at, text in enumerate(texts)}
    reasons = too_like(
        ITEM,
        todo,
        {unit: entry for unit, entry in entries.items() if unit < 2}
        | {at: {"Text": ""} for at in range(2, 402)},
        {},
    )
    assert reasons == {1: f"Text: {texts[1]!r} is too like an earlier text: {texts[0]!r}"}
    few, more = (nearest(ITEM, entries, [1], number)[1] for number in (1, 2))
    assert texts[0] in few and len(few) < len(more) < len(texts)


@given(st.lists(st.integers(0, 500), max_size=ROUNDS))
def test_rewriting_ends_where_it_mends_nothing(counts: list[int]) -> None:
    """Three rounds that mend less than a tenth of many texts are the last; few texts, or progress,
    go on.
    """
    ended = _no_use(counts)
    assert not ended or (len(counts) > 3 and counts[-1] > 10)
    assert not _no_use([200, 100, 50, 25, 12, 11]) and _no_use([200, 199, 199, 198])


@dataclass
class ForgetfulJudge:
    """A judge that passes over the second half of what it is first asked."""

    name: str = "toy"
    share: float = 1.0
    prompt: str = ""
    asked: list[tuple[int, ...]] = field(default_factory=list)

    async def judge(self, asked: JudgeBatch) -> Ruling:
        """The first candidate of every question it looks at."""
        self.asked.append(tuple(read.unit for read in asked.reads))
        looked = asked.reads if len(self.asked) > 1 else asked.reads[: len(asked.reads) // 2]
        return Ruling({read.unit: (0,) * len(read.choices) for read in looked}, 10, 1, 0.5)


def test_texts_that_a_ruling_passed_over_are_asked_again(tmp_path: Path) -> None:
    """The same question put to the desk once more asks for the passed-over texts only, and then for
    nothing.
    """
    questions, judge = questions_of(ITEM, work(), 1), ForgetfulJudge()
    reads = tuple(
        read
        for unit in work().units[:4]
        if (read := questions.read(unit, {"unit": unit.id, "Text": "Hello."}))
    )
    asked = JudgeBatch("Mail", reads, "toy")
    with Ledger(tmp_path / "ledger.sqlite") as ledger:
        desk = WritingService(cast(RunContext, None), cast(Writer, None), ledger, judge=judge)
        rulings = [asyncio.run(desk.ruling(asked)) for _ in range(3)]
    assert judge.asked == [(0, 1, 2, 3), (2, 3)]
    assert [sorted(ruling.chosen) for ruling in rulings if ruling] == [
        [0, 1],
        [0, 1, 2, 3],
        [0, 1, 2, 3],
    ]
    assert [ruling.cost for ruling in rulings if ruling] == [0.5, 1.0, 1.0]
