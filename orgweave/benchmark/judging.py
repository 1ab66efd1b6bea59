"""A second reader for the tasks that no query decides: a judge sees the org's text and candidates,
and must choose the instance's answer.

Without a judge nothing is asked: the rules of the content verifier stand alone.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from orgweave.benchmark.conversations import Conversation
from orgweave.benchmark.instance import Candidate
from orgweave.benchmark.seeds import Told
from orgweave.benchmark.story import Story
from pipeline.world.streams import text_stream
from pipeline.write.pool import side_by_side
from pipeline.write.questions import NOT_SAID, OTHER, JudgeBatch, JudgeItem, JudgeQuestion
from pipeline.write.service import WritingService

AT_ONCE, DISTRACTORS = 10, 5
MISREAD = "the judge reads another answer in the org's text"
GRANTS = (
    "Does the agent grant a remedy that the article does not list, or one after its limit in days?"
)
MEANS = "Which of these products does the customer mean by the words {vague_name!r}?"


@dataclass(frozen=True, slots=True)
class JudgeReading:
    """What a judge is shown of a candidate, and the place of the right one."""

    text: str
    choice: JudgeQuestion
    right: int


@dataclass(frozen=True, slots=True)
class JudgeMaterial:
    """All that readings are made from."""

    story: Story
    conversations: Mapping[str, Conversation]
    told: Told
    seed: int

    def reading(
        self, task: str, candidate: Candidate, peers: Sequence[Candidate]
    ) -> JudgeReading | None:
        """What is asked about a candidate of one of the three tasks; None where there is nothing to
        ask.
        """
        makers: dict[str, Callable[[], JudgeReading | None]] = {
            "policy_violation_identification": lambda: self._violation(candidate),
            "knowledge_qa": lambda: self._knowledge(candidate, peers),
            "named_entity_disambiguation": lambda: self._product(candidate),
        }
        return makers[task]() if task in makers else None

    def _violation(self, candidate: Candidate) -> JudgeReading:
        case = next(case for case in self.story.cases if case.id == candidate.parameters["case"])
        talk = "\n".join(
            f"{'Agent' if one.agent else 'Customer'}: {one.text}"
            for one in self.conversations[case.id].said
        )
        text = (
            f"Article:\n{self._article(candidate)}\n\nOrdered on {case.ordered}, case created on"
            f" {case.created.date()}.\n\n{talk}"
        )
        return JudgeReading(
            text, JudgeQuestion(GRANTS, ("yes", "no", NOT_SAID)), 0 if candidate.answer else 1
        )

    def _knowledge(self, candidate: Candidate, peers: Sequence[Candidate]) -> JudgeReading:
        right = candidate.answer[0]
        others = sorted({one.answer[0] for one in peers if one.seed == candidate.seed} - {right})
        return self._shuffled(
            candidate,
            self._article(candidate),
            self.told.seed_query("knowledge_qa", candidate),
            right,
            others,
        )

    def _product(self, candidate: Candidate) -> JudgeReading | None:
        if not candidate.answer:
            return None
        account = next(
            account
            for account, contact in self.story.contacts.items()
            if contact == candidate.parameters["contact"]
        )
        names = sorted(
            {
                self.story.products[one.product].name
                for one in self.story.bought
                if one.account == account
            }
        )
        right = self.story.products[candidate.answer[0]].name
        return self._shuffled(
            candidate,
            "Products bought:\n" + "\n".join(names),
            MEANS.format(**candidate.slots),
            right,
            [name for name in names if name != right],
        )

    def _shuffled(
        self, candidate: Candidate, text: str, asks: str, right: str, others: Sequence[str]
    ) -> JudgeReading:
        rng = text_stream(self.seed, "judge tasks", candidate.key)
        shown = [right, *rng.sample(list(others), min(DISTRACTORS, len(others)))]
        rng.shuffle(shown)
        return JudgeReading(
            text, JudgeQuestion(asks, (*shown, OTHER, NOT_SAID)), shown.index(right)
        )

    def _article(self, candidate: Candidate) -> str:
        return next(
            article.text
            for article in self.story.articles
            if article.id == candidate.evidence["article"]
        )


async def misread(
    service: WritingService, bench: JudgeMaterial, task: str, candidates: Sequence[Candidate]
) -> set[int]:
    """The places of candidates in which a judge reads something else; none where there is no judge,
    or it is out of reach.
    """
    judge = service.judge
    if judge is None:
        return set()
    readings = {
        at: made
        for at, one in enumerate(candidates)
        if (made := bench.reading(task, one, candidates)) is not None
    }
    reads = [JudgeItem(at, made.text, (made.choice,)) for at, made in readings.items()]
    asked = [
        JudgeBatch(f"TaskQuery {task}", tuple(reads[at : at + AT_ONCE]), judge.name, judge.prompt)
        for at in range(0, len(reads), AT_ONCE)
    ]
    rulings = await side_by_side(asked, service.ruling, service.writer.at_once)
    chosen = {
        unit: places
        for ruling in rulings
        if ruling is not None
        for unit, places in ruling.chosen.items()
    }
    return {
        at for at, made in readings.items() if at in chosen and list(chosen[at]) != [made.right]
    }
