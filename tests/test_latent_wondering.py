"""What a customer asks next: once, of what was told, and answered in the next words."""

import random
from dataclasses import replace

import pytest

from latent.chat_dialogue import chat
from latent.dialogue import AGENT, CUSTOMER, Turn
from latent.enquiry import enquiry_chat, enquiry_thread
from latent.hand_over import HIGHER
from latent.mail_dialogue import thread
from latent.wondering import MOST, WONDERS, of_remedy
from tests.plot_toys import LOOSE_SOLE

pytestmark = pytest.mark.quick

SEEDS = range(120)
LOSSES = ("issue.loss", "issue.impact", "c.cost.")
SOLE = replace(
    LOOSE_SOLE,
    known_by="record",
    evidence="",
    settles=("ships",),
    wonders=("again", "lot"),
    wonders_later=("wear",),
    wonders_of_option=("box",),
)
ENQUIRY = replace(SOLE, cause="", ending="answered", wonders=("soap",))


def acts(turns: list[Turn]) -> list[str]:
    """All acts of a conversation in order."""
    return [beat for turn in turns for beat in turn.beats]


def chats(plot: object) -> list[list[Turn]]:
    """A chat from each of some seeds."""
    return [chat(random.Random(seed), plot)[0] for seed in SEEDS]  # type: ignore[arg-type]


def questions(turns: list[Turn]) -> list[str]:
    """The acts by which somebody asks so."""
    return [act for act in acts(turns) if act.startswith(WONDERS)]


def answered(turns: list[Turn], question: str) -> bool:
    """Whether the next turn of an agent answers just that."""
    place = next(place for place, turn in enumerate(turns) if question in turn.beats)
    reply = next((turn for turn in turns[place:] if turn.speaker == AGENT), None)
    return reply is not None and question.replace("wonders", "clears") in reply.beats


def test_what_is_asked_next_is_answered_next() -> None:
    """The agent's next words answer it, in a chat and in a thread, and each is asked once."""
    asked = 0
    talks = [*chats(SOLE), *(thread(random.Random(seed), SOLE, 7)[0] for seed in SEEDS)]
    for turns in talks:
        found = questions(turns)
        asked += bool(found)
        assert len(found) == len(set(found)) <= MOST
        assert all(answered(turns, question) for question in found)
    assert asked > len(SEEDS) / 2


def test_nobody_asks_about_a_cause_that_nobody_told() -> None:
    """Where the cause stays open, questions are about the remedy alone."""
    found = [act for turns in chats(replace(SOLE, finding="open")) for act in questions(turns)]
    assert set(found) == {"option.wonders.box"}


def test_a_question_about_the_cause_follows_it() -> None:
    """Whoever asks whether it happens again has heard what it was."""
    for turns in chats(SOLE):
        said = acts(turns)
        for act in ("issue.wonders.again", "issue.wonders.lot", "issue.wonders.wear"):
            assert act not in said or "issue.cause.bond" in said[: said.index(act)]


def test_nobody_asks_of_what_is_refused() -> None:
    """Who is told that it is their own fault argues, and asks nothing else."""
    refused = replace(SOLE, ending="declined", refusal="fault", blameless=True)
    assert not any(questions(turns) for turns in chats(refused))


def test_an_answer_leaves_a_question() -> None:
    """Many who get an answer ask what follows from it, and no thread grows by that."""
    talks = [enquiry_chat(random.Random(seed), ENQUIRY) for seed in SEEDS]
    mails = [enquiry_thread(random.Random(seed), ENQUIRY, 4) for seed in SEEDS]
    assert all(len(turns) == 4 for turns in mails)
    for kind in (talks, mails):
        asking = [turns for turns in kind if questions(turns)]
        assert len(SEEDS) / 4 < len(asking) < len(SEEDS)
        assert all(answered(turns, "issue.wonders.soap") for turns in asking)
    assert not any(questions(enquiry_thread(random.Random(0), ENQUIRY, 2)) for _ in SEEDS)


def test_what_was_tried_unasked_is_not_asked_for() -> None:
    """Who has said that they restarted it is not told to."""
    tried = 0
    for turns in chats(replace(SOLE, tells="spot", known_by="answer", tests=("restart",))):
        said = acts(turns)
        tried += "c.tested.restart" in said
        assert not {"c.tested.restart", "a.test.restart"} <= set(said)
    assert tried


def test_who_may_not_decide_it_says_so_once_it_is_known() -> None:
    """A case goes to a supervisor after what was found, and the supervisor offers at once."""
    passed = replace(SOLE, transfers=1, passed=(HIGHER,))
    for turns in chats(passed):
        said = acts(turns)
        place = said.index("a.transfer.level")
        assert not any(act.startswith("issue.ask.") for act in said[place:])
        found = [act for act in said if act.startswith("issue.cause.")]
        assert all(said.index(act) < place for act in found)


def test_a_loss_is_told_before_something_is_asked_for_it() -> None:
    """Nobody asks for money out of the blue: what it has cost them stands in the same turn."""
    plot = replace(SOLE, own_wish=True, wish="store_credit", wants=True, mended=True)
    plot = replace(plot, settles=("credit",), sum_named=True)
    asked = 0
    for turns in chats(plot):
        for turn in turns:
            if turn.speaker == CUSTOMER and "c.wish.also" in turn.beats:
                asked += 1
                known = acts(turns[: turns.index(turn) + 1])
                assert [act for act in known if act.startswith(LOSSES)]
    assert asked


def test_what_an_agent_has_made_sure_of_is_not_asked() -> None:
    """Whoever was asked whether somebody is home knows that somebody must be."""
    said = ["a.grant", "a.check.home", "c.checked.home"]
    plot = replace(SOLE, wonders_of_option=("home",))
    assert of_remedy(random.Random(0), plot, ["a.grant"])
    assert of_remedy(random.Random(0), plot, said) is None
