"""How conversations go: of exactly so many mails, of three to forty chat lines, and nothing asked
that was told, nothing stated that nobody could know.
"""

import random
from dataclasses import replace
from typing import Any

import pytest

from latent.chat_dialogue import SHORTEST_CHAT, chat
from latent.chat_lines import AGENT_LINES, LONG, LONGEST_CHAT, in_lines
from latent.dialogue import AGENT, CUSTOMER, LONGEST_THREAD, Plot, Turn
from latent.mail_dialogue import thread
from latent.policy_terms import with_terms
from latent.telling import FOUND_BY, LIKELY
from tests.plot_toys import LOOSE_SOLE

SOLE = replace(LOOSE_SOLE, known_by="photo", evidence="photo", others=True)
ENDINGS = ("granted", "granted_other", "declined", "late_grant", "unlisted_grant", "open")
SEEDS = range(60)

ABOUT_ORDER = ("a.found", "issue.ask", "issue.cause", "a.offer", "a.grant")
"""How the acts begin by which an agent shows that they know whose order it is."""

DECIDES = ("issue.cause", "a.deny", "a.offer", "a.grant", "a.alternative")
"""How the acts begin by which an agent decides, or says what it was."""

FOUND_OUT_BY_ASKING = "a.asked_around"

ASIDES = (
    "issue.impact",
    "c.behalf",
    "c.loyal",
    "c.tried",
    "c.ps",
    "c.second",
    "c.answered",
    "c.reacts",
    "c.there",
    "c.noted",
    "c.hello.call",
)
"""How the acts begin by which a customer says what decides nothing."""

LATER = {"a.done", "a.details", "a.next"}
"""Acts that lead to what an agent tells in a mail of its own."""

LONE_STEPS = tuple((lead, "option.steps", "a.sign") for lead in sorted(LATER))
"""The acts of a mail that says what happens next and nothing else; nobody greets twice a day."""


def acts(turns: list[Turn], speaker: str = "") -> list[str]:
    """All acts of a conversation in order, of one side or of both."""
    return [beat for turn in turns if speaker in ("", turn.speaker) for beat in turn.beats]


def threads(plot: Plot, messages: int) -> list[list[Turn]]:
    """A thread from each of some seeds."""
    return [thread(random.Random(seed), plot, messages)[0] for seed in SEEDS]


def chats(plot: Plot) -> list[list[Turn]]:
    """A chat from each of some seeds."""
    return [chat(random.Random(seed), plot)[0] for seed in SEEDS]


@pytest.mark.parametrize("ending", ENDINGS)
@pytest.mark.parametrize("messages", range(1, LONGEST_THREAD + 1))
def test_a_thread_has_exactly_so_many_mails(ending: str, messages: int) -> None:
    """However long it shall be, the customer begins and every mail says something."""
    for turns in threads(replace(SOLE, ending=ending), messages):
        assert len(turns) == messages
        assert turns[0].speaker == CUSTOMER
        assert all(turn.beats for turn in turns)


@pytest.mark.parametrize("ending", ENDINGS[:-1])
def test_a_chat_has_three_to_forty_lines(ending: str) -> None:
    """Chats are of very different lengths, within the bounds."""
    lengths = [len(turns) for turns in chats(replace(SOLE, ending=ending, doubles=0.9))]
    assert min(lengths) >= SHORTEST_CHAT and max(lengths) <= LONGEST_CHAT
    assert max(lengths) > 2 * min(lengths)


def test_sides_do_not_always_take_turns() -> None:
    """Some mails follow one's own, and so do some lines."""
    for conversations in (threads(SOLE, 7), chats(SOLE)):
        doubled = 0
        for turns in conversations:
            sides = [turn.speaker for turn in turns]
            doubled += any(one == other for one, other in zip(sides, sides[1:], strict=False))
        assert doubled > 0


@pytest.mark.parametrize("ending", ENDINGS)
def test_what_was_told_is_not_asked(ending: str) -> None:
    """An agent asks for a sign only before the customer has told it."""
    plot = replace(SOLE, ending=ending)
    for turns in (*threads(plot, 8), *chats(plot)):
        told: set[str] = set()
        for beat in acts(turns):
            name, _, rest = beat.partition("issue.sign.")
            if rest and not name:
                told.add(rest.split(".")[0])
            if beat.startswith("issue.ask."):
                assert beat.removeprefix("issue.ask.") not in told


def test_one_of_two_signs_may_be_told_before_the_other_is_asked_for() -> None:
    """Only the one that decides is left to be asked for; where it is the first, both are."""
    told_first = []
    for tells in ("wear", "spot"):
        plot = replace(SOLE, tells=tells, evidence="")
        asked = [turns for turns in threads(plot, 7) if f"issue.ask.{tells}" in acts(turns)]
        assert asked
        unasked = [any("issue.sign" in beat for beat in turns[0].beats) for turns in asked]
        told_first.append(any(unasked))
    assert told_first == [True, False]


def test_a_cause_that_a_photo_tells_is_stated_only_after_the_photo() -> None:
    """Nobody knows from a desk what only a picture shows."""
    for turns in (*threads(SOLE, 7), *chats(SOLE)):
        said = acts(turns)
        if "issue.cause.bond" in said:
            sent = said.index("c.evidence.photo")
            assert sent < said.index("issue.cause.bond")


def test_a_cause_that_needs_inspection_is_never_stated() -> None:
    """What only the workshop can see, no agent says."""
    plot = replace(SOLE, known_by="inspection", evidence="")
    for turns in (*threads(plot, 7), *chats(plot)):
        assert "issue.cause.bond" not in acts(turns)


def test_an_answer_decides_where_it_was_asked_for() -> None:
    """A conversation is decided by an answer only where an agent asked the telling question."""
    plot = replace(SOLE, known_by="answer", evidence="")
    decided = 0
    for seed in SEEDS:
        turns, by = thread(random.Random(seed), plot, 6)
        asked = "issue.ask.spot" in acts(turns, AGENT)
        assert asked or by != "answer"
        decided += by == "answer"
    assert decided > len(SEEDS) / 2


def test_no_photo_is_spoken_of_without_a_file() -> None:
    """Who sends nothing speaks of no attachment, and no agent thanks for one."""
    plot = replace(SOLE, evidence="")
    for turns in (*threads(plot, 8), *chats(plot)):
        said = acts(turns)
        assert not any(beat.startswith(("c.evidence.", "a.seen.")) for beat in said)


def test_a_file_is_sent_once_at_most() -> None:
    """A customer who would send something does so in one turn."""
    for turns in (*threads(SOLE, 9), *chats(SOLE)):
        assert sum(beat == "c.evidence.photo" for beat in acts(turns)) <= 1


@pytest.mark.parametrize("ending", ["granted", "late_grant", "unlisted_grant"])
def test_every_grant_is_worded_by_the_same_act(ending: str) -> None:
    """No act tells a breach from a lawful grant."""
    for turns in (*threads(replace(SOLE, ending=ending), 6), *chats(replace(SOLE, ending=ending))):
        said = acts(turns, AGENT)
        assert {"a.offer", "a.grant"} & set(said) and "a.deny" not in said


def test_a_desk_that_identifies_does_so_before_it_speaks_of_the_order() -> None:
    """A bank finds no account before it knows who asks, by answers or by a sign-in."""
    plot = replace(SOLE, identifies=True)
    for turns in (*threads(plot, 8), *chats(plot)):
        said = acts(turns)
        first = min(place for place, beat in enumerate(said) if beat.startswith(ABOUT_ORDER))
        known = {"c.identify", "c.identify.rest", "a.signed_in", "a.known"}
        assert known & set(said[:first])


@pytest.mark.parametrize("wants", [True, False])
def test_each_fact_of_what_is_granted_is_told_once(wants: bool) -> None:
    """Who gets something hears how much it is and what to do, before their yes or after it."""
    plot = replace(SOLE, wants=wants, settles=("refund", "return"))
    for turns in (*threads(plot, 7), *chats(plot)):
        said = acts(turns)
        for kind in plot.settles:
            assert said.count(f"option.tell.{kind}") + said.count(f"option.would.{kind}") == 1


def test_nothing_is_arranged_before_the_yes() -> None:
    """What is told of an offer that nobody has taken yet stands in the conditional."""
    plot = replace(SOLE, wants=False, settles=("visit",))
    early = 0
    for turns in threads(plot, 9):
        said = acts(turns)
        yes = [place for place, act in enumerate(said) if act.startswith("c.accept")]
        if yes:
            early += "option.would.visit" in said[: yes[0]]
            assert "option.tell.visit" not in said[: yes[0]]
    assert early > 5


def test_who_gets_what_they_asked_for_is_not_asked_again() -> None:
    """An agent who grants just what was demanded grants it, and offers nothing."""
    plot = replace(SOLE, settles=("refund", "return"))
    for turns in (*threads(plot, 7), *chats(plot)):
        assert not {"a.offer", "a.offer.open"} & set(acts(turns))


def test_a_question_about_what_is_offered_is_answered_by_its_fact() -> None:
    """Who asks how much or when hears it in the next turn of the agent."""
    plot = replace(SOLE, wants=False, settles=("visit",))
    asked = 0
    for turns in (*threads(plot, 9), *threads(plot, 8), *threads(plot, 7), *chats(plot)):
        for place, turn in enumerate(turns):
            if any(beat.startswith("c.how.") for beat in turn.beats):
                asked += 1
                answers = [later for later in turns[place:] if later.speaker == AGENT]
                told = acts(answers)
                assert {"option.tell.visit", "option.would.visit"} & set(told)
    assert asked > 20


@pytest.mark.parametrize("transfers", [1, 2, 3])
def test_transfers_hand_on_to_the_next_agent(transfers: int) -> None:
    """Agents come in order; who follows somebody that the customer has heard says who they are, and
    the first one takes over from nobody.
    """
    plot = replace(SOLE, transfers=transfers)
    for turns in (*threads(plot, 9), *chats(plot)):
        steps = [turn.step for turn in turns]
        assert steps == sorted(steps) and steps[-1] <= transfers
        first: dict[int, Turn] = {}
        for turn in turns:
            if turn.speaker == AGENT:
                first.setdefault(turn.step, turn)
        begins, *later = first.values()
        assert "a.intro" not in begins.beats
        assert all("a.intro" in turn.beats for turn in later)


def test_nobody_is_greeted_by_name_before_somebody_has_answered() -> None:
    """The mails before the first answer greet the company, if anybody."""
    twice = 0
    for turns in threads(SOLE, 9):
        first = [turn.speaker for turn in turns].index(AGENT)
        twice += first > 1
        assert "c.greet.reply" not in acts(turns[:first])
    assert twice


def test_whoever_asks_for_somebody_silent_does_so_in_a_line_of_its_own() -> None:
    """The question stands alone, so that time can pass before it and behind it."""
    talks = [chat(random.Random(seed), SOLE)[0] for seed in range(5 * len(SEEDS))]
    asked = [turn for turns in talks for turn in turns if "a.gone" in turn.beats]
    assert asked
    assert all(turn.beats == ("a.gone",) for turn in asked)


def test_what_happens_next_is_told_once() -> None:
    """It stands in the mail that grants something, or in one of its own behind that."""
    alone = 0
    for turns in threads(SOLE, 9):
        told = [turn for turn in turns if "option.steps" in turn.beats]
        assert len(told) == 1
        alone += told[0].beats in LONE_STEPS
    assert 0 < alone < len(SEEDS)


def test_a_term_is_told_to_who_asks_for_it() -> None:
    """The customer asks before the last agent answers, and nothing follows the farewell."""
    plot = replace(SOLE, transfers=1)
    for turns in (*threads(plot, 7), *threads(plot, 2), *chats(plot)):
        told = with_terms(turns, 2)
        said = acts(told)
        assert said.index("c.asks_1") < said.index("c.asks_2") < said.index("a.term_1")
        last = max(turn.step for turn in turns if turn.speaker == AGENT)
        assert {turn.step for turn in told if "a.term_1" in turn.beats} == {last}
        assert len(acts(turns)) + 4 == len(said)
        assert acts(with_terms(turns, 0)) == acts(turns)


def test_who_only_waits_asks_for_no_term() -> None:
    """A question of policies stands with what somebody says, not with "are you still there?"."""
    turns = [
        Turn(CUSTOMER, 0, ("c.hello", "issue.complaint")),
        Turn(AGENT, 0, ("a.hold",)),
        Turn(CUSTOMER, 0, ("c.there",)),
        Turn(AGENT, 0, ("a.hold.on",)),
        Turn(AGENT, 0, ("a.grant",)),
    ]
    told = with_terms(turns, 1)
    assert told[0].beats == ("c.hello", "issue.complaint", "c.asks_1")
    assert told[2].beats == ("c.there",)


def test_who_has_told_the_number_is_not_asked_for_it() -> None:
    """No wrong order is looked up once the right one is known."""
    for messages in range(4, LONGEST_THREAD + 1):
        for turns in threads(SOLE, messages):
            said = acts(turns)
            if "a.wrong" in said:
                assert not any(act.startswith("c.order") for act in said[: said.index("a.wrong")])


def test_only_a_vague_word_lets_the_desk_look_at_another_purchase() -> None:
    """Who has called a thing by its kind is asked about no other one."""
    for naming, looked_at in (("vague", True), ("short", False), ("full", False)):
        plot = replace(SOLE, naming=naming, others=True)
        said = [acts(turns) for size in range(4, 9) for turns in threads(plot, size)]
        assert any("a.wrong" in one for one in said) is looked_at


def test_nobody_gets_something_without_a_word_on_why() -> None:
    """Where the cause can't be known yet, the agent says so, or goes by what the customer told."""
    plot = replace(SOLE, evidence="", tells="")
    for turns in (*threads(plot, 4), *chats(plot)):
        said = acts(turns, AGENT)
        assert "issue.cause.bond" not in said
        assert {"a.unsure", "a.trust", "a.gone"} & set(said)


def test_a_proof_that_never_came_is_done_without_aloud() -> None:
    """Who asked for a file in vain says that they go by the customer's word, before any mend."""
    plot = replace(SOLE, evidence="", tells="", mended=True)
    trusted = 0
    for turns in (*threads(plot, 6), *chats(plot)):
        said = acts(turns)
        assert ("a.trust" in said) <= ("c.no_file" in said)
        if "c.no_file" in said and "issue.mend" in said:
            assert said.index("c.no_file") < said.index("a.trust") < said.index("issue.mend")
            trusted += 1
    assert trusted


def test_the_problem_is_put_right_besides_a_courtesy() -> None:
    """What is granted for the trouble comes behind what is done about the problem itself."""
    plot = replace(SOLE, mended=True)
    for turns in (*threads(plot, 6), *chats(plot)):
        said = acts(turns, AGENT)
        grants = {"a.offer.besides", "a.grant"} & set(said)
        mends = [place for place, act in enumerate(said) if act.startswith("issue.mend")]
        assert mends and grants
        assert mends[0] < min(said.index(grant) for grant in grants)
        assert "a.offer" not in said


def test_nobody_states_two_wishes() -> None:
    """Who is refused a courtesy has asked for just that, and names no second wish beside it."""
    plot = replace(SOLE, own_wish=True, ending="declined")
    for turns in (*threads(plot, 6), *chats(plot)):
        said = acts(turns, CUSTOMER)
        assert said.count("c.wish.also") == 1
        assert not {"c.wish", "c.wish.own"} & set(said)


def test_who_is_refused_mostly_says_something_before_something_else_comes_up() -> None:
    """Refusal and second best rarely stand in one mail, and what is said to it differs."""
    objections: set[str] = set()
    together = 0
    plot = replace(SOLE, ending="granted_other", refusal="unlisted", tone="annoyed")
    for turns in threads(plot, 7):
        for turn in turns:
            gives = {"a.alternative", "a.grant.instead"} & set(turn.beats)
            together += bool(gives and any(beat.startswith("a.deny") for beat in turn.beats))
        objections |= {"c.push", "c.why_not", "c.manager"} & set(acts(turns, CUSTOMER))
    assert together < len(SEEDS) / 2
    assert objections == {"c.push", "c.why_not", "c.manager"}


def test_who_has_heard_the_reason_does_not_ask_for_it() -> None:
    """Who is too late hears so with the refusal, and objects in another way."""
    for ending in ("declined", "granted_other"):
        plot = replace(SOLE, ending=ending)
        for turns in (*threads(plot, 7), *chats(plot)):
            assert "c.why_not" not in acts(turns, CUSTOMER)


def test_what_customers_tell_of_themselves_is_taken_up() -> None:
    """Nobody says how long they have been here without an agent who takes it up."""
    plot = replace(SOLE, ordered_before=True, verbosity="wordy")
    told = 0
    for seed in range(5 * len(SEEDS)):
        said = acts(thread(random.Random(seed), plot, 6)[0])
        told += "c.loyal" in said
        assert ("c.loyal" in said) == ("a.loyal" in said)
    assert told > 0
    for turns in threads(replace(plot, before=True), 6):
        assert "a.before" in acts(turns)


def test_nobody_is_greeted_in_full_twice() -> None:
    """The first mail of a desk greets; later ones do so by the first name, or not at all."""
    for turns in threads(SOLE, 9):
        answers = [turn.beats[0] for turn in turns if turn.speaker == AGENT]
        assert answers[0] == "a.greet"
        assert "a.greet" not in answers[1:]


def test_most_agents_find_an_order_by_its_number_in_silence() -> None:
    """Who was told the number says that they found it in a minority of conversations."""
    plot = replace(SOLE, knows_order=True)
    conversations = [*threads(plot, 7), *chats(plot)]
    told = 0
    for turns in conversations:
        told += any(beat.startswith("a.found") for beat in acts(turns, AGENT))
    assert 0 < told < len(conversations) / 2


@pytest.mark.parametrize("ending", ENDINGS[:-1])
@pytest.mark.parametrize("knows_order", [True, False])
def test_nothing_is_decided_before_it_is_known_whose_order_it_is(
    ending: str, knows_order: bool
) -> None:
    """The customer has told the number, if only in the form before a chat, or the agent has said
    how they found the order, before a cause is named or anything is granted or refused.
    """
    plot = replace(SOLE, ending=ending, knows_order=knows_order)
    for messages in (2, 4, 7):
        for turns in threads(plot, messages):
            assert _places_order(acts(turns))
    for turns in chats(plot):
        assert knows_order or _places_order(acts(turns))


def _places_order(said: list[str]) -> bool:
    """Whether some act before the first one that decides tells which order it is about."""
    decides = [place for place, act in enumerate(said) if act.startswith(DECIDES)]
    return any(act.startswith(("c.order", "a.found")) for act in said[: decides[0]])


def test_nobody_is_refused_in_a_chat_after_a_single_turn() -> None:
    """Who is refused something has written twice at least, and been answered, before they hear."""
    for ending in ("declined", "granted_other"):
        for turns in chats(replace(SOLE, ending=ending, known_by="record", evidence="")):
            refused = next(
                place
                for place, turn in enumerate(turns)
                if any(act.startswith("a.deny") for act in turn.beats)
            )
            assert AGENT in {turn.speaker for turn in turns[:refused]}
            speakers = [turn.speaker for turn in turns[:refused]]
            assert CUSTOMER in speakers[speakers.index(AGENT) :]


@pytest.mark.parametrize("verbosity", ["terse", "medium", "wordy"])
def test_most_conversations_hold_nothing_that_decides_nothing(verbosity: str) -> None:
    """A remark on oneself, a side matter or a word between two lines is rare, and hardly two of
    them stand in one conversation.
    """
    plot = replace(SOLE, verbosity=verbosity, ordered_before=True, for_theirs=True)
    conversations = [*threads(plot, 6), *chats(plot)]
    asides = []
    for turns in conversations:
        said = acts(turns, CUSTOMER)
        asides.append(sum(any(act.startswith(aside) for act in said) for aside in ASIDES))
    assert sum(count > 0 for count in asides) < len(conversations) / 2
    assert sum(count > 1 for count in asides) < len(conversations) / 10


@pytest.mark.parametrize("answer", ["c.push", "c.manager"])
def test_who_asks_again_hears_the_reason(answer: str) -> None:
    """Whoever stays with a refusal says why, unless they did when they refused it: just once."""
    for refusal in ("late", "unlisted", "fault"):
        plot = replace(SOLE, ending="declined", refusal=refusal, tone="annoyed")
        bare = set()
        for turns in (*threads(plot, 5), *threads(plot, 8), *chats(plot)):
            said = acts(turns)
            if answer in said:
                reasons = [act for act in said if act.startswith("a.because.")]
                reasons += [act for act in said if act == f"a.deny.{refusal}"]
                assert reasons in ([f"a.because.{refusal}"], [f"a.deny.{refusal}"])
                bare.add("a.deny.bare" in said)
        assert bare == ({False} if refusal == "late" else {True, False})


def test_nobody_is_refused_without_a_reason() -> None:
    """A no in few words is followed by what the customer says to it, and then by the reason."""
    plot = replace(SOLE, ending="declined", refusal="fault", blameless=True, known_by="record")
    for turns in (*threads(plot, 2), *threads(plot, 5), *chats(plot)):
        said = acts(turns)
        if "a.deny.bare" in said:
            assert "a.because.fault" in said[said.index("a.deny.bare") :]


def test_an_offer_that_pays_nothing_is_no_gift_for_the_trouble() -> None:
    """What mends is offered as such; what pays is offered beside what is mended."""
    for settles, named, act in (
        (("done",), False, "a.offer"),
        (("credit",), False, "a.offer.besides"),
        (("done",), True, "a.offer.besides"),
    ):
        plot = replace(SOLE, wants=False, mended=True, settles=settles, sum_named=named)
        plot = replace(plot, owes=False)
        offers = set()
        for turns in (*threads(plot, 7), *chats(plot)):
            offers |= {"a.offer", "a.offer.besides"} & set(acts(turns))
        assert offers == {act}


def test_who_wrote_in_fear_is_calmed_in_mails_and_in_chats() -> None:
    """Mostly somebody says that there is nothing to fear, and to nobody else."""
    worried = replace(SOLE, tone="worried")
    for calm_talks, talks in (
        (threads(SOLE, 6), threads(worried, 6)),
        (chats(SOLE), chats(worried)),
    ):
        assert not any("issue.calm" in acts(turns) for turns in calm_talks)
        calmed = sum("issue.calm" in acts(turns) for turns in talks)
        assert calmed > len(talks) / 2


def test_nobody_is_calmed_by_who_cannot_say_what_it_was() -> None:
    """Who hears in a mail or a chat that there is nothing to fear has been told the cause."""
    unsure = 0
    for known_by in ("nobody", "inspection", "log"):
        for mended in (False, True):
            plot = replace(SOLE, tone="worried", known_by=known_by, mended=mended)
            for talk in (*threads(plot, 6), *chats(plot)):
                said = acts(talk)
                told = any(act.startswith("issue.cause") for act in said)
                assert told or "issue.calm" not in said
                unsure += any(act in ("a.unsure", "issue.mend") for act in said)
    assert unsure


def test_who_has_left_is_not_asked() -> None:
    """What was offered to a visitor who is gone is set up, and no yes is spoken of."""
    plot = replace(SOLE, wants=False, settles=("ships",))
    left = 0
    for seed in range(5 * len(SEEDS)):
        turns, _ = chat(random.Random(seed), plot)
        said = acts(turns)
        if "a.left" in said:
            left += 1
            assert "option.tell.ships" in said[said.index("a.left") :]
            assert not {"a.offer", "a.confirm"} & set(said[said.index("a.left") :])
    assert left


def test_nobody_sets_up_again_what_was_given_to_who_has_left() -> None:
    """What needs no yes is given with all that follows; whoever is gone by then finds it there."""
    plot = replace(SOLE, wants=False, settles=("credit",))
    gone = 0
    for seed in range(5 * len(SEEDS)):
        turns, _ = chat(random.Random(seed), plot)
        said = acts(turns)
        assert "a.left" not in said
        if "a.gone" in said:
            gone += 1
            assert said[said.index("a.gone") - 1] == "option.tell.credit"
            assert said[said.index("a.gone") + 1 :] == ["a.closing"]
    assert gone


def test_nobody_is_called_for_who_waits_for_the_desk() -> None:
    """An agent asks whether a visitor is still there only behind an offer that was not answered."""
    for plot in (SOLE, replace(SOLE, wants=False), replace(SOLE, ending="declined")):
        for seed in range(5 * len(SEEDS)):
            said = acts(chat(random.Random(seed), plot)[0])
            if "a.gone" in said:
                assert said[said.index("a.gone") - 1].startswith("a.offer")


@pytest.mark.parametrize("known_by", ["answer", "photo", "record", "inspection"])
def test_each_question_in_a_chat_is_answered(known_by: str) -> None:
    """What an agent asks is what the customer's next line tells, or asks back about."""
    asked = 0
    for turns in chats(replace(SOLE, known_by=known_by, identifies=True, transfers=1)):
        for place, turn in enumerate(turns):
            for beat in turn.beats:
                if beat.startswith("issue.ask."):
                    asked += 1
                    sign = beat.removeprefix("issue.ask.")
                    answer = turns[place + 1]
                    told = {act.rpartition(".")[0] for act in answer.beats}
                    assert answer.speaker == CUSTOMER
                    assert f"issue.sign.{sign}" in told or {"c.why", "c.unclear"} & set(
                        answer.beats
                    )
    assert asked


def test_an_answer_that_decides_ends_the_questions() -> None:
    """Who has heard what tells the cause asks the customer for nothing else."""
    for turns in chats(replace(SOLE, known_by="answer", evidence="")):
        said = acts(turns)
        told = said.index("issue.sign.spot.toe")
        assert not any(act.startswith("issue.ask.") for act in said[told:])


def test_nobody_asks_for_a_courtesy_before_somebody_has_looked() -> None:
    """Who wants something for the trouble says so once the desk has said what it found."""
    for ending in ("declined", "granted_other"):
        plot = replace(SOLE, own_wish=True, ending=ending, known_by="record", evidence="")
        for turns in chats(plot):
            said = acts(turns)
            assert said.index("issue.cause.bond") < said.index("c.wish.also")


def test_something_on_top_comes_with_what_it_is_for() -> None:
    """Money for the trouble comes once it was found what was wrong, with its reason right before
    it: what the customer said that it cost, or whose mistake it was.
    """
    plot = replace(SOLE, own_wish=True, mended=True, wish="credit", settles=("credit",))
    reasons: set[str] = set()
    asked = []
    more = [chat(random.Random(seed), plot)[0] for seed in range(5 * len(SEEDS))]
    for turns in (*threads(plot, 6), *more):
        said = acts(turns)
        given = min(said.index(act) for act in ("a.offer.besides", "a.grant") if act in said)
        asked.append("c.wish.also" in said)
        if "c.loyal" in said or not any(act.startswith("issue.cause") for act in said):
            continue
        reason = said[given - 1].removeprefix("a.amends.")
        reasons.add(reason)
        assert reason in ("asked", "trouble", "tried", "fault") or f"c.cost.{reason}" in said
    assert {"hour", "calls", "plans", "trouble", "fault"} <= reasons
    assert 0.4 < sum(asked) / len(asked) < 0.7


def test_who_asked_for_something_on_top_is_not_asked_whether_they_want_it() -> None:
    """In a chat it is asked for once somebody has looked, and then given."""
    plot = replace(SOLE, own_wish=True, mended=True, wish="credit", settles=("credit",))
    for turns in chats(plot):
        said = acts(turns)
        if "c.wish.also" in said:
            assert said.index("issue.mend.bond") < said.index("c.wish.also") < said.index("a.grant")
            assert "a.offer.besides" not in said


def test_who_was_identified_is_asked_for_a_number_only_where_there_is_a_choice() -> None:
    """A desk that knows who it is has found the one account that there is."""
    plot = replace(SOLE, identifies=True, others=False, knows_order=False)
    for turns in (*threads(plot, 7), *chats(plot)):
        assert "a.ask_order" not in acts(turns)
    asked = ["a.ask_order" in acts(turns) for turns in chats(replace(plot, others=True))]
    assert any(asked)


def test_nothing_is_arranged_that_needs_a_yes_for_who_has_left() -> None:
    """Nobody is called, visited or asked to send something back who fell silent at the offer."""
    for settles in (("session",), ("visit",), ("ships", "return")):
        for turns in chats(replace(SOLE, wants=False, settles=settles)):
            assert "a.left" not in acts(turns)
    paid = chats(replace(SOLE, wants=False, settles=("ships",)))
    assert any("a.left" in acts(turns) for turns in paid)


def test_nobody_thinks_over_whether_they_want_something_on_top() -> None:
    """Who is given money for the trouble says yes, and asks nobody first."""
    plot = replace(SOLE, own_wish=True, mended=True, wish="credit", settles=("credit",))
    for turns in threads(plot, 9):
        assert "c.think" not in acts(turns)


def test_what_is_made_sure_of_is_answered_and_of_use() -> None:
    """Nobody asks for an address where nothing is sent, or where the customer has told of it."""
    checked = 0
    sent = replace(SOLE, settles=("ships", "return"))
    for plot in (sent, replace(sent, signs=(*SOLE.signs, ("address", "right")))):
        for turns in chats(plot):
            said = acts(turns)
            for place, act in enumerate(said):
                if act.startswith("a.check."):
                    checked += 1
                    assert said[place + 1] == act.replace("a.check", "c.checked")
                    told = len(plot.signs) > len(SOLE.signs)
                    assert act == ("a.check.label" if told else "a.check.address")
    assert checked
    for turns in chats(replace(SOLE, settles=("credit",))):
        assert not any(act.startswith("a.check.") for act in acts(turns))


def test_a_wish_that_was_not_said_is_asked_for_or_follows_a_finding() -> None:
    """An agent's verdict comes after the wish that it grants or refuses."""
    for ending in ("granted", "declined", "granted_other"):
        for turns in chats(replace(SOLE, ending=ending, settles=("refund",))):
            said = acts(turns)
            verdict = {"a.grant", "a.deny", "a.deny.past", "a.deny.unlisted", "a.deny.fault"}
            decided = min(place for place, act in enumerate(said) if act in verdict)
            assert said.count("c.wish") == 1
            assert said.index("c.wish") < decided


def test_who_asks_for_a_manager_is_told_what_the_manager_says() -> None:
    """Somebody goes to ask, and then says what they heard, behind the reason at most."""
    asked = 0
    for ending in ("declined", "granted_other"):
        for turns in chats(replace(SOLE, ending=ending, tone="angry")):
            said = acts(turns)
            if "c.manager" in said:
                asked += 1
                goes, *after = said[said.index("c.manager") + 1 :]
                assert goes == "a.step.supervisor"
                answer = next(act for act in after if not act.startswith("a.because."))
                assert answer == "a.asked"
    assert asked


def test_whose_group_does_other_cases_passes_it_on_before_asking_anything() -> None:
    """Nobody asks where it broke and says then that another group does such cases."""
    plot = replace(SOLE, transfers=1, passed=("team",))
    passed = 0
    for turns in (*threads(plot, 9), *chats(plot)):
        said = acts(turns)
        asked = [place for place, act in enumerate(said) if act.startswith("issue.ask.")]
        if "a.transfer.team" in said and asked:
            passed += 1
            assert said.index("a.transfer.team") < asked[0]
    assert passed > 20


def test_what_goes_without_saying_is_seldom_said() -> None:
    """Few who can't sign in say that they want to, and nobody in a chat once it is found why."""
    plot = replace(SOLE, own_wish=True, mended=True, wants=True, settles=("mend",))
    said = [acts(turns) for turns in threads(plot, 6)]
    assert 0.0 < sum("c.wish.own" in talk for talk in said) / len(said) < 0.4
    for turns in chats(plot):
        talk = acts(turns)
        told = talk.index("issue.mend.bond") if "issue.mend.bond" in talk else len(talk)
        assert "c.wish.own" not in talk[told:]


def test_thanks_fit_what_was_given() -> None:
    """Who gets the second best takes it less gladly."""
    for turns in (*threads(replace(SOLE, ending="granted_other"), 6), *chats(SOLE)):
        said = set(acts(turns, CUSTOMER))
        second_best = {"a.alternative", "a.grant.instead"} & set(acts(turns, AGENT))
        assert not (second_best and {"c.accept", "c.thanks"} & said)
        assert second_best or not {"c.accept.instead", "c.thanks.instead"} & said


@pytest.mark.parametrize("refusal", ["unlisted", "fault"])
def test_a_refusal_has_its_own_reason(refusal: str) -> None:
    """No date is named where the date is not the reason."""
    plot = replace(SOLE, ending="declined", refusal=refusal)
    for turns in (*threads(plot, 6), *chats(plot)):
        said = acts(turns, AGENT)
        reasons = [act for act in said if act in (f"a.deny.{refusal}", f"a.because.{refusal}")]
        assert reasons and ("a.deny.bare" in said or f"a.deny.{refusal}" in said)
        assert not {"a.deny", "a.deny.past"} & set(said)


def test_who_comes_too_late_does_not_always_hear_a_number_of_days() -> None:
    """Some agents name the limit, others only say that it is too late."""
    said: set[str] = set()
    for turns in threads(replace(SOLE, ending="declined"), 4):
        said |= {act for act in acts(turns, AGENT) if act.startswith("a.deny")}
    assert {"a.deny", "a.deny.past"} <= said


def test_who_made_no_mistake_names_no_date() -> None:
    """Where the cause is told and is the customer's, it is the reason of the refusal."""
    plot = replace(SOLE, ending="declined", blameless=True, known_by="record")
    for turns in (*threads(plot, 4), *chats(plot)):
        assert {"a.deny.fault", "a.because.fault"} & set(acts(turns, AGENT))
        assert not {"a.deny", "a.deny.past"} & set(acts(turns, AGENT))
        assert "a.hedge" not in acts(turns, AGENT)


def test_what_is_told_by_words_or_pictures_may_be_told_with_a_reserve() -> None:
    """An agent adds a reserve to a few causes that no record tells, and to none that one does."""
    by_photo, by_record = 0, 0
    for turns in threads(SOLE, 7):
        by_photo += "a.hedge" in acts(turns)
    for turns in threads(replace(SOLE, known_by="record"), 7):
        by_record += "a.hedge" in acts(turns)
    assert 0 < by_photo < len(SEEDS) / 3
    assert by_record == 0


def test_nobody_waits_in_a_chat_for_a_warehouse() -> None:
    """What takes days is not answered within minutes."""
    plot = replace(SOLE, step="warehouse", known_by="second_level", evidence="")
    for turns in chats(plot):
        said = acts(turns)
        assert not any(act.startswith("a.step") for act in said)
        assert "issue.cause.bond" not in said


def test_a_question_back_is_answered() -> None:
    """Who asks why something matters is told so before it is asked again."""
    answered = 0
    talks = [chat(random.Random(seed), SOLE)[0] for seed in range(500)]
    for turns in (*threads(replace(SOLE, signs=SOLE.signs[:1]), 9), *talks):
        said = acts(turns)
        for place, act in enumerate(said):
            if act == "c.why":
                answered += 1
                assert "a.why" in said[place + 1 : place + 5]
    assert answered


def test_most_visitors_say_at_once_what_it_is_about() -> None:
    """Hardly a chat begins with a line that says hello and nothing else."""
    firsts = [turns[0].beats for turns in chats(SOLE)]
    empty = [beats for beats in firsts if beats in (("c.hello",), ("c.hello.call",))]
    assert len(empty) < len(firsts) / 5


def test_nobody_tells_a_bank_unasked_who_they_are() -> None:
    """Who identifies themself in a mail was asked for it in the one before, or reminded of it."""
    for turns in threads(replace(SOLE, identifies=True), 5):
        asked = [turn for turn in turns if "a.remind" not in turn.beats]
        for before, turn in zip(asked, asked[1:], strict=False):
            assert "c.identify" not in turn.beats or "a.identify" in before.beats
        assert "c.identify" not in turns[0].beats


def test_who_is_reminded_was_asked_something_and_answers_it() -> None:
    """A desk asks again once, behind its own question, and the next mail is the answer."""
    asks = ("issue.ask.", "a.evidence.", "a.identify", "a.ask_order")
    reminded = 0
    for turns in threads(replace(SOLE, identifies=True), 8):
        places = [place for place, turn in enumerate(turns) if "a.remind" in turn.beats]
        assert len(places) <= 1
        for place in places:
            reminded += 1
            before, after = turns[place - 1], turns[place + 1]
            assert before.speaker == AGENT
            assert after.speaker == CUSTOMER
            assert any(act.startswith(asks) for act in before.beats)
            assert not any(act.startswith("c.chase") for act in after.beats)
    assert reminded > 10


def test_who_has_put_it_right_does_not_plead_ignorance() -> None:
    """A desk that says what it has mended does not say that it can't tell the cause."""
    plot = replace(SOLE, mended=True, known_by="inspection", evidence="")
    for turns in (*threads(plot, 6), *chats(plot)):
        assert "issue.mend" in acts(turns, AGENT)
        assert "a.unsure" not in acts(turns, AGENT)


def test_why_something_is_refused_is_the_reason_that_was_given() -> None:
    """Who asks why hears of no date where the refusal named none."""
    plot = replace(SOLE, ending="declined", refusal="unlisted")
    heard = set()
    for turns in (*threads(plot, 7), *chats(plot)):
        heard |= {beat for beat in acts(turns, AGENT) if beat.startswith("a.because")}
    assert heard == {"a.because.unlisted"}


def test_nobody_finds_in_records_how_a_shoe_fits() -> None:
    """What stands in no record is told by the customer, and never found by the desk."""
    plot = replace(SOLE, stake=True, stake_in="wear", on_file=False)
    for turns in (*threads(plot, 7), *chats(plot)):
        assert "issue.noted" not in acts(turns)


def test_nobody_is_calmed_before_a_refusal() -> None:
    """Who is about to hear that they can't have what they asked for is not told to relax."""
    worried = replace(SOLE, tone="worried", ending="granted_other", wish="replacement")
    for turns in (*threads(worried, 5), *chats(worried)):
        assert "issue.calm" not in acts(turns)
    assert any("issue.calm" in acts(turns) for turns in chats(replace(SOLE, tone="worried")))


def test_who_asks_for_another_size_says_which() -> None:
    """A size is sent to nobody who has not asked for it, or said yes to it."""
    sized = replace(SOLE, settles=("ships.sized", "return"), sent_back=True, size_named=True)
    for turns in (*threads(sized, 5), *chats(sized)):
        asked = acts(turns, CUSTOMER)
        assert "c.wish.sized" in asked and "c.wish" not in asked
    for turns in threads(replace(sized, ending="declined", settles=()), 5):
        assert "c.wish.sized" not in acts(turns)


def test_a_yes_to_another_size_is_a_yes_to_one_that_was_named() -> None:
    """Who offers another size says which."""
    offered = replace(SOLE, wish="", wants=False, settles=("ships.sized",), size_named=True)
    for turns in (*threads(offered, 5), *chats(offered)):
        said = acts(turns)
        if "c.accept" in said:
            assert said.index("option.would.ships.sized") < said.index("c.accept")


def test_nobody_asks_in_a_chat_for_what_was_just_ruled_out() -> None:
    """What is refused was asked for before anybody has said what went wrong."""
    plot = replace(SOLE, ending="declined", evidence="", known_by="answer", blameless=True)
    refused = 0
    for turns in chats(plot):
        said = acts(turns)
        if "issue.cause.bond" in said and "c.wish" in said:
            assert said.index("c.wish") < said.index("issue.cause.bond")
            refused += 1
    assert refused


def test_nobody_is_told_how_to_care_for_what_they_send_back() -> None:
    """Advice is for who still has the thing."""
    back = replace(SOLE, sent_back=True)
    for turns in (*threads(back, 5), *chats(back)):
        assert "issue.advice.bond" not in acts(turns)
    assert any("issue.advice.bond" in acts(turns) for turns in chats(SOLE))


def test_the_sum_is_told_first_and_found_again() -> None:
    """Who writes about money says how much in the first turn, and the desk names that sum."""
    plot = replace(SOLE, stake=True, stake_in="wear")
    for turns in (*threads(plot, 7), *chats(plot)):
        said = acts(turns)
        told = [beat for beat in ("issue.stake", "issue.sign.wear.daily") if beat in said]
        assert told and "issue.noted" in acts(turns, AGENT)
        assert said.index(told[0]) < said.index("issue.noted")
        assert "issue.ask.wear" not in said
    for turns in threads(plot, 7):
        assert {"issue.stake", "issue.sign.wear.daily"} & set(turns[0].beats)
    for turns in (*threads(replace(plot, stake_in=""), 7), *chats(replace(plot, stake_in=""))):
        assert acts(turns).count("issue.stake") == 1


def test_who_writes_letters_tells_all_at_once() -> None:
    """A few people begin with a letter: what happened, what they tried and what it means to them.

    Only what the desk will ask for is left out, and the length is excused once.
    """
    for turns in threads(replace(SOLE, letters=True), 5):
        told = [beat for beat in turns[0].beats if beat in ("c.tried", "issue.impact", "c.letter")]
        assert told == ["c.tried", "issue.impact", "c.letter"]
        assert "c.letter" not in acts(turns[1:])
        asked = any(beat.startswith("issue.ask") for beat in acts(turns))
        signs = [beat for beat in turns[0].beats if beat.startswith("issue.sign.")]
        assert asked or len(signs) == len(SOLE.signs)
    assert "c.letter" not in acts(threads(SOLE, 5)[0])


@pytest.mark.parametrize("evidence", ["photo", ""])
@pytest.mark.parametrize("messages", range(2, 7))
def test_nothing_is_settled_of_which_nothing_is_known(evidence: str, messages: int) -> None:
    """Where no agent asks and nothing is shown, the customer tells by themself what it is about."""
    for turns in threads(replace(SOLE, evidence=evidence, verbosity="terse"), messages):
        customers = acts(turns, CUSTOMER)
        assert any(beat.startswith(("issue.sign.", "c.evidence.")) for beat in customers)


def test_fears_are_set_at_rest() -> None:
    """Who writes in fear mostly hears a word about it, unless it was no mistake of the company."""
    worried = replace(SOLE, tone="worried")
    told = [turns for turns in threads(worried, 5) if "issue.calm" in acts(turns, AGENT)]
    assert len(told) > len(SEEDS) / 2
    for plot in (SOLE, replace(worried, blameless=True), replace(worried, ending="declined")):
        assert not any("issue.calm" in acts(turns) for turns in threads(plot, 5))


def test_nobody_takes_it_as_thanks_that_something_was_refused() -> None:
    """The farewell to who was refused is another one than to who was helped."""
    for turns in chats(replace(SOLE, ending="declined")):
        assert "a.bye" not in acts(turns)
    assert any("a.bye.refused" in acts(turns) for turns in chats(replace(SOLE, ending="declined")))
    assert not any("a.bye.refused" in acts(turns) for turns in chats(SOLE))


def test_some_turn_the_second_best_down_at_first() -> None:
    """Who gets something else than they wished for does not always say yes at once."""
    told = [acts(turns) for turns in chats(replace(SOLE, ending="granted_other"))]
    balked = [said for said in told if "c.balk" in said]
    assert 0 < len(balked) < len(told) / 2
    assert all(said.index("c.balk") < said.index("a.only") for said in balked)


def test_who_asks_for_a_day_takes_it() -> None:
    """An agent's own next mail after a promise to look into it comes a working day later."""
    plot = replace(SOLE, tells="", known_by="record", evidence="", signs=(), others=False)
    promised = 0
    for messages in (5, 7, 9):
        for turns in threads(plot, messages):
            for before, turn in zip(turns, turns[1:], strict=False):
                if "a.wait" in before.beats and turn.speaker == AGENT:
                    promised += 1
                    assert turn.days >= 1
    assert promised


def test_nobody_says_their_last_word_twice() -> None:
    """A threat, a refusal taken and a surrender each stand once in a thread at most."""
    for tone in ("angry", "calm"):
        for turns in threads(replace(SOLE, ending="declined", tone=tone), 9):
            said = acts(turns, CUSTOMER)
            assert max(said.count(act) for act in ("c.threat", "c.refused", "c.give_up")) <= 1


@pytest.mark.parametrize("naming", ["full", "short", "kind", "vague"])
def test_customers_begin_with_what_happened(naming: str) -> None:
    """Which product it is comes after the complaint, and a vague word for it never."""
    plot = replace(SOLE, naming=naming)
    for turns in threads(plot, 3) + chats(plot):
        said = acts(turns, CUSTOMER)
        complains = said.index("issue.complaint")
        named = [place for place, beat in enumerate(said) if beat.startswith("c.open")]
        assert all(place > complains for place in named)
        assert naming != "vague" or not named


def test_what_mends_the_problem_is_no_second_best() -> None:
    """Who is refused a courtesy gets the repair that is due, and hears of no "instead"."""
    plot = replace(SOLE, ending="granted_other", fixes=True)
    given = {"a.alternative.fix", "a.grant.fix"}
    for turns in (*threads(plot, 6), *chats(plot)):
        said = set(acts(turns, AGENT))
        assert said & given
        assert not said & {"a.alternative", "a.grant.instead"}


def test_what_a_file_shows_is_not_asked() -> None:
    """Who has sent a picture of the spot is not asked where it is."""
    plot = replace(SOLE, pictured=("spot",))
    for turns in (*threads(plot, 8), *chats(plot)):
        sent = False
        for turn in turns:
            assert not (sent and "issue.ask.spot" in turn.beats)
            sent = sent or any(beat.startswith("c.evidence.") for beat in turn.beats)


def test_who_has_no_number_gives_none() -> None:
    """A number that is lost is not found in the next line; the desk finds the order by the name."""
    for turns in chats(replace(SOLE, knows_order=False)):
        said = acts(turns)
        if "c.order.none" in said:
            assert said[said.index("c.order.none") + 1].startswith("a.found")
            assert "c.order.found" not in said


def test_a_refused_customer_hears_the_answer_to_just_what_they_said() -> None:
    """Who asks for a manager hears of the manager, who asks again hears of exceptions, once."""
    answers = {"c.push": "a.no_exception", "c.manager": "a.asked", "c.threat": "a.firm"}
    heard = set()
    for turns in threads(replace(SOLE, ending="declined", tone="annoyed"), 5):
        for before, turn in zip(turns, turns[1:], strict=False):
            said = answers.keys() & set(before.beats)
            for act in said:
                heard.add(act)
                assert {answers[act], "a.deny.all"} & set(turn.beats)
                assert not {answers[act], "a.deny.all"} <= set(turn.beats)
    assert heard == set(answers)


@pytest.mark.parametrize("tone", ["angry", "calm"])
def test_who_takes_a_refusal_is_not_refused_again(tone: str) -> None:
    """The customer's word that they take it ends a thread; each objection has its own answer."""
    for messages in range(5, LONGEST_THREAD + 1):
        for turns in threads(replace(SOLE, ending="declined", tone=tone), messages):
            for turn in turns[:-1]:
                assert not {"c.refused", "c.give_up"} & set(turn.beats)
            said = acts(turns, CUSTOMER)
            objections = [act for act in said if act in ("c.push", "c.manager", "c.why_not")]
            assert len(set(objections)) == len(objections)


def test_who_is_refused_twice_hears_an_answer_to_both_objections() -> None:
    """A threat comes last and gets the firm answer; a second objection is a new one.

    Nobody asks for an exception after the supervisor's no.
    """
    answers = {"c.push": "a.no_exception", "c.manager": "a.asked", "c.threat": "a.firm"}
    plot = replace(SOLE, ending="declined", tone="annoyed")
    twice = set()
    for turns in threads(plot, 9):
        said = [act for act in acts(turns) if act in answers]
        if len(said) == 2:
            twice.add(said[1])
            assert said[0] != said[1] and said[0] != "c.threat"
            assert said[0] != "c.manager"
            assert answers[said[1]] in turns[_place(turns, said[1]) + 1].beats
    assert twice == {"c.manager", "c.threat"}


def _place(turns: list[Turn], act: str) -> int:
    """The place of the first turn that says an act."""
    return next(place for place, turn in enumerate(turns) if act in turn.beats)


def test_who_asks_for_news_knows_whether_anybody_has_answered() -> None:
    """Who misses every answer has had none; who was put off by the last mail may say so."""
    heard = set()
    for turns in threads(replace(SOLE, ending="open", step="warehouse"), 6):
        for place, turn in enumerate(turns):
            answers = [before for before in turns[:place] if before.speaker == AGENT]
            news = [act for act in turn.beats if act.startswith("c.chase")]
            heard |= set(news)
            assert not news or (news == ["c.chase"]) == (not answers)
            if "c.chase.put_off" in news:
                last = answers[-1].beats
                assert any(act.startswith(("a.wait", "a.still", "a.step.")) for act in last)
    assert heard == {"c.chase", "c.chase.again", "c.chase.put_off"}


def test_most_numbers_stand_below_the_name() -> None:
    """Who has the order's number writes it below their name, or in a sentence; never twice."""
    below = 0
    for turns in threads(replace(SOLE, knows_order=True), 5):
        first = turns[0].beats
        told = [act for act in first if act.startswith("c.order")]
        assert told in (["c.order"], ["c.order.below"])
        below += first[-2:] == ("c.sign", "c.order.below")
    assert len(SEEDS) / 3 < below < len(SEEDS)


def test_nobody_is_passed_on_before_anybody_has_asked_or_looked() -> None:
    """Before a chat goes to a colleague, somebody has asked a question or looked it up."""
    asks = ("issue.ask.", "a.ask_order", "a.identify", "a.hold")
    for plot in (SOLE, replace(SOLE, signs=(), tells=""), replace(SOLE, identifies=True)):
        for turns in chats(replace(plot, transfers=1)):
            said = acts(turns)
            passed = said.index("a.transfer")
            assert any(act.startswith(asks) for act in said[:passed])


def test_agents_look_things_up_in_different_ways() -> None:
    """Some ask for a moment, and some say what they found; nobody asks what decides nothing."""
    ways = set()
    for turns in chats(replace(SOLE, known_by="record", tells="", evidence="")):
        said = acts(turns)
        assert not any(act.startswith("issue.ask.") for act in said)
        ways.add("waits" if "a.hold" in said else "says nothing")
    assert ways == {"says nothing", "waits"}


def test_who_threatens_in_a_chat_does_not_take_it_meekly() -> None:
    """After a threat the customer gives up, and says no kind word."""
    threatened = 0
    for turns in chats(replace(SOLE, ending="declined", tone="angry")):
        said = acts(turns)
        if "c.threat" in said:
            threatened += 1
            assert "c.give_up" in said and "c.refused" not in said
    assert threatened


def test_nobody_dates_a_purchase_roughly_in_a_chat() -> None:
    """A rough date is for letters; an exact one stays where a customer tells it."""
    for dating, told in (("rough", False), ("exact", True)):
        for turns in chats(replace(SOLE, dating=dating)):
            assert any(act == f"c.open.{dating}" for act in acts(turns)) == told


def test_what_is_mended_is_told_by_its_cause_where_that_was_told() -> None:
    """A desk that has named the cause names what is done about just that."""
    plot = replace(SOLE, mended=True, known_by="record")
    for turns in (*threads(plot, 6), *chats(plot)):
        assert "issue.mend.bond" in acts(turns, AGENT)
    unknown = replace(plot, known_by="inspection", evidence="")
    assert "issue.mend" in acts(threads(unknown, 6)[0], AGENT)


def test_greetings_and_names_wear_off() -> None:
    """Later answers of a customer have fewer of them than the first, on a phone fewer names yet."""
    greeted, named = [0, 0, 0], {True: 0, False: 0}
    for on_phone in named:
        plot = replace(SOLE, on_phone=on_phone)
        for turns in (*threads(plot, 8), *threads(plot, 9), *threads(plot, 10)):
            answered = [turn.speaker for turn in turns].index(AGENT)
            replies = [turn.beats for turn in turns[answered:] if turn.speaker == CUSTOMER]
            for place, beats in enumerate(replies[:3]):
                greeted[place] += "c.greet.reply" in beats
                named[on_phone] += "c.sign.reply" in beats
    assert greeted[0] > greeted[1] > greeted[2]
    assert named[True] < named[False]


def test_thanks_take_up_what_was_told_last() -> None:
    """Who hears a day for a visit says that it suits them, unless they are cross."""
    plot = replace(SOLE, settles=("visit",), wants=False)
    said = {act for turns in threads(plot, 6) for act in acts(turns, CUSTOMER)}
    cross = {act for turns in threads(replace(plot, tone="angry"), 6) for act in acts(turns)}
    assert {"c.thanks.visit", "c.thanks"} <= said
    assert "c.thanks.visit" not in cross


def test_who_has_to_ask_somebody_says_whom() -> None:
    """Where somebody else knows it, the mail that asks for time names them."""
    plot = replace(SOLE, step="warehouse", known_by="second_level", evidence="", step_days=2)
    for messages in (5, 7, 9):
        for turns in threads(plot, messages):
            assert "a.wait" not in acts(turns, AGENT)


def test_chats_end_in_different_ways() -> None:
    """Some customers give thanks last, some agents say goodbye, and some customers just leave."""
    plot = replace(SOLE, wants=False, settles=("refund",))
    last = {}
    for seed in range(5 * len(SEEDS)):
        turns, _ = chat(random.Random(seed), plot)
        act = turns[-1].beats[-1]
        last[act] = last.get(act, 0) + 1
        said = acts(turns)
        if "a.closing" in said:
            assert said[said.index("a.closing") - 1] in ("a.else", "a.gone")
            assert said[-1] == "a.closing"
    assert {"a.bye", "a.closing", "a.else", "c.nothing", "option.tell.refund"} <= last.keys()
    assert max(last.values()) < 0.7 * sum(last.values())


def test_a_complaint_and_its_thing_stand_in_one_line() -> None:
    """However many lines somebody sends, what it is about follows in the line of the complaint."""
    for turns in chats(replace(SOLE, naming="full", doubles=1.0)):
        for before, turn in zip(turns, turns[1:], strict=False):
            if before.beats[-1] == "issue.complaint" and turn.soon:
                assert not turn.beats[0].startswith("c.open")


def test_who_has_nothing_to_ask_is_told_all_with_the_grant() -> None:
    """Where the sum is in the name of what is given, no fact waits for a question about it."""
    plot = replace(SOLE, settles=("credit",), sum_named=True)
    for turns in threads(plot, 7):
        for place, turn in enumerate(turns):
            if "a.grant" in turn.beats:
                said = acts([turn, *turns[place + 1 :]], AGENT)
                assert "option.tell.credit" in said
                later = acts(turns[place + 1 :], AGENT)
                assert "option.tell.credit" in turn.beats or LATER & set(later)


def test_a_sum_in_the_name_is_not_offered_twice() -> None:
    """In a chat, no line tells the sum of what was offered by a name that holds it."""
    plot = replace(SOLE, wants=False, settles=("credit",), owes=False)
    assert any("option.would.credit" in acts(turns) for turns in chats(plot))
    named = replace(plot, sum_named=True)
    assert not any("option.would.credit" in acts(turns) for turns in chats(named))


def test_nobody_misses_what_they_know_the_day_of() -> None:
    """Who was told by when it is there doesn't ask why nothing is to be seen."""
    dated = replace(SOLE, settles=("credit",), sum_named=True)
    assert not any("c.back.nothing" in acts(turns) for turns in threads(dated, 8))
    assert any("c.back.nothing" in acts(turns) for turns in threads(SOLE, 11))


def test_an_answer_is_taken_up_by_who_asked_for_it() -> None:
    """What was asked for and answered comes back in what the desk says next in some cases: who says
    everything back reads from a script.
    """
    taken_up = []
    for known_by in ("photo", "record"):
        for turns in chats(replace(SOLE, known_by=known_by)):
            said = acts(turns)
            if "issue.ask.spot" in said:
                taken_up.append("issue.echo.spot.toe" in said)
    assert 0.15 < sum(taken_up) / len(taken_up) < 0.5


def test_who_is_refused_hears_what_they_can_do() -> None:
    """A refusal whose cause is known comes with advice on it, mostly, in chats and in mails."""
    plot = replace(SOLE, ending="declined", known_by="record", blameless=True)
    for told in (chats(plot), threads(plot, 3)):
        shown = ["issue.advice.bond" in acts(turns) for turns in told]
        assert sum(shown) / len(shown) > 0.6


def test_a_refusal_closes_without_cheer() -> None:
    """Nobody who is refused reads the farewell of those who got what they wanted."""
    for turns in threads(replace(SOLE, ending="declined"), 5):
        assert "a.close" not in acts(turns)


def test_who_gets_at_once_what_they_asked_for_answers() -> None:
    """Where a chat would be a request and its grant alone, the customer says thanks."""
    plot = replace(SOLE, known_by="record", evidence="", knows_order=True, settles=("ships",))
    for seed in range(600):
        turns, _ = chat(random.Random(seed), plot)
        assert len(turns) >= SHORTEST_CHAT


def test_no_turn_of_an_agent_is_cut_into_many_lines() -> None:
    """An agent's turn of a chat stands in two lines at most: nobody talks to themself."""
    turn = Turn(AGENT, 0, ("a.confirm", "option.tell.ships", "option.tell.return", "a.return"))
    for seed in SEEDS:
        assert len(in_lines(random.Random(seed), 0.5, [turn], LONG)) <= AGENT_LINES


def test_money_for_a_thing_comes_with_what_becomes_of_the_thing() -> None:
    """Who is offered money and may keep the thing is told so with the offer or before the yes."""
    for turns in chats(replace(SOLE, wants=False, settles=("refund", "keep"))):
        said = acts(turns)
        if "a.offer" in said and "c.accept" in said:
            assert "option.would.keep" in said[: said.index("c.accept")]


def test_what_stands_in_the_records_is_looked_up_before_it_is_said() -> None:
    """An answer tells where to look; the desk says that it looked, and takes a moment in chats."""
    plot = replace(SOLE, known_by="answer", evidence="", in_records=True)
    held = 0
    for turns in (*threads(plot, 5), *chats(plot)):
        said = acts(turns)
        if "issue.cause.bond" in said:
            assert said[said.index("issue.cause.bond") - 1] in (*FOUND_BY, "a.progress")
        held += "a.hold" in said
    assert held > len(SEEDS) / 2
    for turns in threads(replace(plot, in_records=False), 5):
        assert "a.looked" not in acts(turns)


def test_some_causes_are_told_as_likely_only() -> None:
    """Some who have only words to go by, or a log, say so; nobody is refused on a guess."""
    for known_by, least, most in (("answer", 0.05, 0.4), ("record", 0.02, 0.3)):
        plot = replace(SOLE, known_by=known_by, evidence="", wants=False)
        told = [acts(turns) for turns in (*threads(plot, 5), *chats(plot))]
        guessed = [LIKELY in said for said in told if "issue.cause.bond" in said]
        assert least < sum(guessed) / len(guessed) < most
        for ending in ("declined", "granted_other"):
            refused = replace(plot, ending=ending)
            for turns in (*threads(refused, 5), *chats(refused)):
                assert LIKELY not in acts(turns)


def test_some_causes_are_found_by_asking_around() -> None:
    """A colleague knows now and then what a record shows; nobody asks one who was passed on."""
    plot = replace(SOLE, known_by="record", evidence="")
    asked = [FOUND_OUT_BY_ASKING in acts(turns) for turns in (*threads(plot, 5), *chats(plot))]
    assert 0.03 < sum(asked) / len(asked) < 0.3
    for turns in (*threads(replace(plot, transfers=1), 7), *chats(replace(plot, transfers=1))):
        assert FOUND_OUT_BY_ASKING not in acts(turns)


def test_nobody_guesses_what_somebody_else_has_found_out() -> None:
    """What the back office answers is no guess of the agent's."""
    plot = replace(SOLE, known_by="record", evidence="", step="back_office", step_days=1)
    for turns in (*threads(plot, 7), *chats(plot)):
        said = acts(turns)
        if "a.step_back.back_office" in said:
            assert not {LIKELY, FOUND_OUT_BY_ASKING} & set(said)


@pytest.mark.parametrize(
    ("known", "by"),
    [
        ({"known_by": "record", "evidence": ""}, "record"),
        ({"known_by": "answer", "evidence": ""}, "answer"),
        ({"known_by": "answer", "evidence": "", "in_records": True}, "record"),
    ],
)
@pytest.mark.parametrize(("finding", "act"), [("hinted", "a.traced"), ("open", "a.unsure")])
def test_a_cause_that_is_left_open_stays_open(
    known: dict[str, Any],
    by: str,
    finding: str,
    act: str,
) -> None:
    """Who doesn't name the cause says by what they looked, and nothing later rests on the cause."""
    for more in ({}, {"mended": True}, {"fixes": True}, {"tone": "worried"}):
        plot = replace(SOLE, finding=finding, **known, **more)
        for turns in (*threads(plot, 7), *chats(plot)):
            said = acts(turns)
            assert not [beat for beat in said if beat.startswith(("issue.cause", "issue.advice"))]
            assert not {"issue.calm", "a.likely", "a.looked", "issue.mend.bond"} & set(said)
            says_less = [beat for beat in said if beat.startswith(("a.traced", "a.unsure"))]
            assert len(says_less) == 1 and says_less[0] in (f"{act}.{by}", "a.unsure")


def test_a_picture_shows_what_happened_before_anybody_leaves_open_why() -> None:
    """Whose picture came hears that it was looked at; a refusal names its ground all the same."""
    seen = 0
    for turns in (
        *threads(replace(SOLE, finding="open"), 7),
        *chats(replace(SOLE, finding="open")),
    ):
        said = acts(turns)
        if "a.unsure.file" in said:
            seen += 1
            assert said.index("c.evidence.photo") < said.index("a.unsure.file")
    assert seen
    refused = replace(SOLE, finding="open", ending="declined", refusal="fault", blameless=True)
    for turns in chats(refused):
        assert "issue.cause.bond" in acts(turns)


def test_who_leaves_out_a_part_is_asked_for_it() -> None:
    """A few give their name and no phone number at first; nothing is decided before the rest."""
    plot = replace(SOLE, identifies=True)
    left_out = 0
    for turns in chats(plot):
        said = acts(turns)
        if "c.identify.part" in said:
            left_out += 1
            place = said.index("c.identify.part")
            assert said[place + 1 : place + 3] == ["a.identify.rest", "c.identify.rest"]
            assert "c.identify" not in said
    assert 0 < left_out < len(SEEDS) / 2


def test_what_can_be_tested_is_tested_before_the_remedy() -> None:
    """The customer tries what they were asked to, and only then is anything found or given."""
    plot = replace(SOLE, known_by="record", evidence="", tests=("restart",))
    tested = 0
    for turns in (*threads(plot, 8), *chats(plot)):
        said = acts(turns)
        assert ("a.test.restart" in said) == ("c.test.restart" in said)
        if "a.test.restart" in said:
            tested += 1
            place = said.index("a.test.restart")
            assert not any(act.startswith(DECIDES) for act in said[:place])
            answer = next(turn for turn in turns if "c.test.restart" in turn.beats)
            asked = turns[turns.index(answer) - 1]
            assert "a.test.restart" in asked.beats
    assert tested > len(SEEDS) / 2
    assert not any("a.test.restart" in acts(turns) for turns in chats(replace(plot, tests=())))


def test_nobody_is_asked_to_try_what_they_have_told() -> None:
    """A test that is a sign as well is left out where the customer has told that sign."""
    plot = replace(SOLE, known_by="record", evidence="", tells="restart", tests=("restart",))
    plot = replace(plot, signs=(("restart", "same"),))
    for turns in (*threads(plot, 8), *chats(plot)):
        said = acts(turns)
        if "a.test.restart" in said:
            assert "issue.sign.restart.same" not in said[: said.index("a.test.restart")]


def test_what_puts_it_right_is_given_though_nothing_is_told_of_it() -> None:
    """Nobody is asked whether they want to be let in again; what happens next is said."""
    plot = replace(SOLE, known_by="record", evidence="", fixes=True, wants=False)
    for turns in (*threads(plot, 3), *chats(plot)):
        assert "a.offer" not in acts(turns)
    assert any("option.steps" in acts(turns) for turns in chats(plot))


def test_who_can_try_it_at_once_says_whether_it_works() -> None:
    """A lock that is lifted is tried out, before anything else is decided, or in the thanks."""
    plot = replace(SOLE, known_by="record", evidence="", mended=True, at_once=True)
    plot = replace(plot, wants=False, settles=("credit",))
    tried = 0
    for turns in chats(plot):
        said = acts(turns)
        if "c.works" in said:
            tried += 1
            place = said.index("c.works")
            assert said[place - 1].startswith("issue.mend")
            assert not any(act.startswith(("a.offer", "a.grant")) for act in said[:place])
            assert "a.ask_wish" not in said[place:]
    assert tried > len(SEEDS) / 4
    assert any("c.thanks.works" in acts(turns) for turns in threads(plot, 6))
    later = replace(plot, at_once=False)
    for turns in (*chats(later), *threads(later, 6)):
        assert not {"c.works", "c.thanks.works"} & set(acts(turns))


def test_nobody_asks_how_long_something_takes_that_helps_at_once() -> None:
    """Who gets a new login says that they are in, and doesn't ask for a day."""
    plot = replace(SOLE, known_by="record", evidence="", fixes=True, at_once=True)
    told = [acts(turns) for turns in (*chats(plot), *threads(plot, 6))]
    assert not any("c.how_long" in said for said in told)
    assert any("c.works" in said for said in told)
    assert any("c.thanks.works" in said for said in told)


def test_nobody_sets_up_twice_what_is_set_up() -> None:
    """A mail that it is done follows one that it will be, and no other."""
    for plot in (SOLE, replace(SOLE, wants=False), replace(SOLE, settles=("refund", "return"))):
        for size in range(4, 9):
            for turns in threads(plot, size):
                said = acts(turns, AGENT)
                assert ("a.done" in said) == ("a.confirm.later" in said)
                assert not {"a.confirm", "a.confirm.later"} <= set(said)


def test_nobody_asks_for_a_courtesy_once_nothing_was_wrong() -> None:
    """Most of those who are to hear that all is right have asked for something before that."""
    plot = replace(SOLE, ending="declined", refusal="fault", blameless=True, known_by="record")
    plot = replace(plot, own_wish=True, evidence="")
    before = []
    for turns in chats(plot):
        said = acts(turns)
        if "issue.cause.bond" in said and "c.wish.also" in said:
            before.append(said.index("c.wish.also") < said.index("issue.cause.bond"))
    assert sum(before) / len(before) > 0.7


def test_what_is_worth_something_by_itself_is_on_top_of_the_mending() -> None:
    """Extra seats are no cure of a lockout: they come for the trouble, with what that was."""
    plot = replace(SOLE, known_by="record", evidence="", mended=True, settles=("done",))
    assert not plot.besides
    assert replace(plot, on_top=True).besides


def test_a_file_that_came_unasked_is_looked_at_first() -> None:
    """The agent's first line in a chat takes up what the visitor sent with the complaint."""
    plot = replace(SOLE, known_by="record", others=False)
    for turns in chats(plot):
        first = next(turn for turn in turns if turn.speaker == AGENT)
        if "c.evidence.photo" in turns[0].beats and first.beats != ("a.hello", "a.help"):
            lines = turns[turns.index(first) : turns.index(first) + 2]
            assert "a.seen.photo" in acts(lines)


def test_who_passes_a_thread_on_promises_no_look() -> None:
    """Nobody writes that they will look, and then that a colleague does."""
    passed = 0
    for turns in threads(replace(SOLE, transfers=1), 8):
        for turn in turns:
            if "a.transfer" in turn.beats:
                passed += 1
                assert "a.ack" not in turn.beats
    assert passed


def test_nobody_is_asked_to_be_home_twice_in_a_turn() -> None:
    """The day of a visit is told with the request to be there; no question goes with it."""
    plot = replace(SOLE, settles=("visit",))
    for turns in chats(plot):
        for turn in turns:
            assert not {"option.tell.visit", "a.check.home"} <= set(turn.beats)


def test_nobody_grants_a_sum_that_they_then_call_right() -> None:
    """A desk that has made no mistake says that it looked, and names no sum that is too much."""
    plot = replace(SOLE, stake=True, known_by="record", blameless=True, ending="declined")
    for turns in (*threads(plot, 5), *chats(plot)):
        said = acts(turns)
        assert "issue.noted" not in said
        assert said[said.index("issue.cause.bond") - 1] in ("a.looked", "a.progress")


def test_what_nobody_would_refuse_is_given() -> None:
    """A fee taken back is mostly given, and always where it makes good for one's own mistake.

    What is to be sent back is asked: it is offered, or the customer has been asked what they want.
    """
    for settles in (("refund",), ("done",), ("credit",)):
        plot = replace(SOLE, wants=False, settles=settles, owes=False)
        told = [*chats(plot), *threads(plot, 3)]
        asked = ["a.offer" in acts(turns) for turns in told]
        assert 0 < sum(asked) / len(asked) < 0.3
        plot = replace(plot, owes=True)
        assert not any("a.offer" in acts(turns) for turns in (*chats(plot), *threads(plot, 3)))
    for turns in chats(replace(SOLE, wants=False, settles=("visit",))):
        assert "a.grant" not in acts(turns)
    for settles in (("refund", "return"), ("ships",)):
        said = [acts(turns) for turns in chats(replace(SOLE, wants=False, settles=settles))]
        given = [told for told in said if "a.grant" in told]
        assert 0 < len(given) < len(said)
        for told in given:
            assert told.index("a.ask_wish") < told.index("c.wish") < told.index("a.grant")


def test_hardly_anybody_writes_what_they_left_out() -> None:
    """A second mail before an answer asks for one; few add something, customers or agents."""
    for act in ("c.more", "c.more.order", "a.next"):
        told = [act in acts(turns) for size in range(3, 9) for turns in threads(SOLE, size)]
        assert sum(told) / len(told) < 0.04


def test_a_date_that_was_told_is_not_told_back() -> None:
    """Who has told when they bought it hears no date of it, unless the verdict hangs on it."""
    for turns in (*threads(replace(SOLE, dating="exact"), 5), *threads(SOLE, 5)):
        dated = "c.open.exact" in acts(turns) or "c.open.full.exact" in acts(turns)
        assert not (dated and "a.found.line" in acts(turns))


def test_what_is_done_at_once_is_told_with_the_remedy() -> None:
    """A lock is lifted, a charge disputed: told once, before any day or sum, and never on trial."""
    for settles in (("mend",), ("mend", "credit"), ("mend", "visit")):
        plot = replace(SOLE, settles=settles, fixes=True, known_by="record", evidence="")
        for wants in (True, False):
            talks = [*chats(replace(plot, wants=wants))]
            for messages in (2, 4, 6, 8):
                talks += threads(replace(plot, wants=wants), messages)
            for turns in talks:
                said = acts(turns)
                told = [place for place, act in enumerate(said) if act.startswith("issue.mend")]
                facts = [place for place, act in enumerate(said) if act.startswith("option.tell")]
                assert len(told) == 1 and all(place > told[0] for place in facts)


def test_who_has_been_let_in_again_says_whether_it_works() -> None:
    """Nobody asks when that would be, or how they will know; some tell that it does."""
    plot = replace(SOLE, settles=("mend",), fixes=True, known_by="record", evidence="")
    plot = replace(plot, at_once=True)
    said = {act for turns in (*threads(plot, 4), *chats(plot)) for act in acts(turns)}
    assert "c.thanks.works" in said
    assert not any(act.startswith(("c.how", "c.back.n", "option.would")) for act in said)
    later = replace(plot, at_once=False)
    assert all("c.thanks.works" not in acts(turns) for turns in threads(later, 4))


def test_who_is_refused_what_would_undo_it_asks_before_anything_was_found() -> None:
    """Nobody who has just heard that all is right asks for money for what has happened."""
    plot = replace(SOLE, ending="declined", blameless=True, known_by="record", evidence="")
    for turns in (*threads(plot, 7), *chats(plot)):
        said = acts(turns)
        assert said.index("c.wish") < said.index("issue.cause.bond")
        assert "c.wish.also" not in said


def test_nobody_asks_for_more_than_the_matter_is_about() -> None:
    """A credit of $25 over a fee of $9.95 comes unasked, if at all."""
    plot = replace(SOLE, own_wish=True, mended=True, wish="credit", settles=("credit",))
    asked = {True: 0, False: 0}
    for more in asked:
        told = replace(plot, outweighs=more)
        for turns in (*threads(told, 6), *chats(told)):
            asked[more] += "c.wish.also" in acts(turns)
    assert asked[False] and not asked[True]


def test_who_contests_the_reason_for_a_refusal_is_answered_by_it() -> None:
    """The finding is upheld against just what was brought up, and never contested twice."""
    refused = replace(
        SOLE,
        ending="declined",
        refusal="fault",
        blameless=True,
        known_by="record",
        evidence="",
    )
    contested = 0
    for turns in (*threads(refused, 9), *chats(refused)):
        said = acts(turns)
        if "issue.contest.bond" not in said:
            assert "issue.upheld.bond" not in said
            continue
        contested += 1
        place = said.index("issue.contest.bond")
        assert said.count("issue.contest.bond") == 1
        assert said.index("issue.cause.bond") < place < said.index("issue.upheld.bond")
    assert contested


def test_who_doubts_what_was_found_is_answered_by_the_same_kind() -> None:
    """Whoever gets something doubts at most once, after the finding; nobody refused does so."""
    doubted = 0
    plot = replace(SOLE, known_by="record", evidence="", wants=False, tone="angry")
    for turns in (*threads(plot, 7), *chats(plot)):
        said = acts(turns)
        kinds = [beat.rpartition(".")[2] for beat in said if beat.startswith("issue.doubt")]
        if not kinds:
            continue
        doubted += 1
        assert len(kinds) == 1
        assert said.index(f"issue.doubt.{kinds[0]}") < said.index(f"issue.assure.{kinds[0]}")
    assert doubted
    for turns in chats(replace(plot, ending="declined", refusal="fault", blameless=True)):
        assert not [beat for beat in acts(turns) if beat.startswith("issue.doubt")]


def test_a_supervisor_who_has_taken_a_chat_over_asks_no_other_one() -> None:
    """Who wants somebody higher has them already; what was refused stays refused."""
    plot = replace(SOLE, ending="declined", tone="angry", transfers=1, passed=("level",))
    for turns in chats(plot):
        said = acts(turns)
        assert "a.asked" not in said[said.index("a.transfer.level") :]
