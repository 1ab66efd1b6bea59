"""How a conversation goes that is no complaint, as dialogue acts: a request and its answer.

Such threads are short, and there is nothing to grant or to refuse. Complaints stand in
`latent.mail_dialogue` and `latent.chat_dialogue`, whose acts (the names of
`schemas/service_cloud/_beats.yaml`) serve here too. Knows no words and no times.
"""

import random

from latent.dialogue import AGENT, ANSWERS, CUSTOMER, Plot, Turn
from latent.enquiry_ending import UNANSWERED, WITHDRAWN
from latent.naming import KIND, SHORT
from latent.telling import chase
from latent.wondering import NextQuestion, of_answer

LONGEST_ENQUIRY = 5
"""Mails of such a thread at most: a request, a wait, a reminder, the answer and thanks."""

# How often a turn that may say something does say it; chosen by eye.
TELLS_BACKGROUND = 0.08
SAYS_FAREWELL = 0.6
LOOKS_UP = 0.2
# An agent who knows the answer gives it with the greeting in so many chats. By eye.
ANSWERS_AT_ONCE = 0.5
# Who is asked for a moment mostly just waits. By eye.
AGREES_TO_HOLD = 0.25
THANKS_IN_CHAT = 0.9
# Who gets an answer asks what anybody would next in so many chats, and in so many of the threads
# that have room for it. By eye.
WONDERS_IN_CHAT = 0.42
WONDERS_IN_MAILS = 0.65
ASKS_NEXT_IN = 4
GREETS_AGAIN = 0.4
SAYS_BYE = 0.6
SHORTEST_CHAT = 3
WRITES_AGAIN = 0.65
SIGNS = {"terse": 0.5, "medium": 0.75, "wordy": 0.95}
CALLS_FIRST = 0.14

ASKS_BY = {KIND: "issue.request.kind", SHORT: "issue.request.made"}
"""The acts by which somebody asks who calls a thing otherwise than by its full name."""


def enquiry_thread(rng: random.Random, plot: Plot, messages: int) -> list[Turn]:
    """An e-mail thread of exactly `messages` turns, the customer's first.

    The agents' last mail answers, unless the case stays open; those before say that it takes time.
    What stays unanswered ends with an agent's question. What is withdrawn ends with the customer's
    word that it has settled itself, or with the agent's answer to that.
    """
    question = of_answer(rng, plot) if _asks_next(plot, messages) else None
    if question and rng.random() < WONDERS_IN_MAILS:
        return _with_question(rng, plot, messages, question)
    sides = _sides(rng, plot, messages)
    turns = [Turn(CUSTOMER, 0, _request(rng, plot))]
    last_agent = max((place for place, side in enumerate(sides) if side == AGENT), default=0)
    last_customer = max(place for place, side in enumerate(sides) if side == CUSTOMER)
    for place, side in enumerate(sides[1:], 1):
        if side == AGENT:
            soon = sides[place - 1] == AGENT
            last = place == last_agent
            step = plot.transfers if last else 0
            waited = any("a.wait" in turn.beats for turn in turns)
            final = place > last_customer
            told = _answer(rng, plot, waited, final) if last else [_wait(waited)]
            # Nobody takes over from somebody whom the customer never heard of.
            known = any(turn.speaker == AGENT for turn in turns)
            hello = ["a.intro"] if step and known else []
            turns.append(
                Turn(
                    AGENT,
                    step,
                    ("a.greet", *hello, *told, "a.sign"),
                    soon=soon,
                )
            )
            continue
        said = _said(
            plot,
            place,
            last_customer,
            last_agent,
        ) or chase(rng, turns)
        step = plot.transfers if place > last_agent else 0
        closing = _closing(rng, plot)
        greeting = () if sides[place - 1] == CUSTOMER else ("c.greet.reply",)
        turns.append(Turn(CUSTOMER, step, (*greeting, said, *closing)))
    return turns


def _asks_next(plot: Plot, messages: int) -> bool:
    """Whether a thread has room for a question to the answer: who got one, in two mails more."""
    lapses = plot.ending in (UNANSWERED, WITHDRAWN)
    return messages >= ASKS_NEXT_IN and plot.resolved and not lapses and plot.answer == ANSWERS


def _with_question(
    rng: random.Random,
    plot: Plot,
    messages: int,
    question: NextQuestion,
) -> list[Turn]:
    """A thread in which the customer asks something of the answer, and thanks where there is room.

    Whoever answers first is the one that the case stays with.
    """
    step = plot.transfers
    again = ("c.greet.reply",) if rng.random() < GREETS_AGAIN else ()
    farewell = ("a.close",) if rng.random() < SAYS_FAREWELL else ()
    turns = [
        Turn(CUSTOMER, 0, _request(rng, plot)),
        Turn(AGENT, step, ("a.greet", plot.answer, "a.sign")),
        Turn(CUSTOMER, step, (*again, question.asked, *_closing(rng, plot))),
        Turn(AGENT, step, ("a.greet.again", question.answered, *farewell, "a.sign")),
    ]
    if messages > len(turns):
        turns.append(Turn(CUSTOMER, step, ("c.thanks", *_closing(rng, plot))))
    return turns


def _closing(rng: random.Random, plot: Plot) -> tuple[str, ...]:
    return ("c.sign.reply",) if rng.random() < SIGNS[plot.verbosity] else ()


def _sides(rng: random.Random, plot: Plot, messages: int) -> list[str]:
    """Who writes each mail; a long thread may have a customer who writes again at once."""
    sides = [CUSTOMER if place % 2 == 0 else AGENT for place in range(messages)]
    lapses = plot.ending in (UNANSWERED, WITHDRAWN)
    if messages >= 3 and not lapses and rng.random() < WRITES_AGAIN:
        again = [CUSTOMER, CUSTOMER]
        return [*again, *(AGENT if place % 2 == 0 else CUSTOMER for place in range(messages - 2))]
    return sides


def _wait(waited: bool) -> str:
    return "a.still" if waited else "a.wait"


def _said(plot: Plot, place: int, last_customer: int, last_agent: int) -> str:
    """What a later mail of the customer says; "" where they ask for news."""
    if plot.ending == WITHDRAWN:
        return "c.withdraw" if place == last_customer else ""
    return "c.thanks" if place > last_agent and plot.resolved else ""


def _request(rng: random.Random, plot: Plot) -> tuple[str, ...]:
    wordy = plot.verbosity == "wordy" and rng.random() < TELLS_BACKGROUND
    more = ["c.background"] if wordy else []
    if plot.evidence:
        more.append(f"c.evidence.{plot.evidence}")
    return ("c.greet", _asks(plot), *more, "c.sign")


def _asks(plot: Plot) -> str:
    """The act by which the customer asks for it: by the thing's kind, its maker, or its name."""
    return ASKS_BY.get(plot.called, "issue.request")


def _answer(rng: random.Random, plot: Plot, waited: bool, final: bool) -> list[str]:
    """What the agents' last mail says; `final` where no mail of the customer follows."""
    # After an odd number of mails the withdrawal is the last word, and this mail comes before it.
    if not plot.resolved or (plot.ending == WITHDRAWN and not final):
        return [_wait(waited)]
    if plot.ending == WITHDRAWN:
        return ["a.withdrawn"]
    if plot.ending == UNANSWERED:
        return ["issue.clarify"]
    farewell = ["a.close"] if rng.random() < SAYS_FAREWELL else []
    return [plot.answer, *farewell]


def enquiry_chat(rng: random.Random, plot: Plot) -> list[Turn]:
    """A live chat of three to nine lines, a told transfer among them where there was one."""
    file = [f"c.evidence.{plot.evidence}"] if plot.evidence else []
    if rng.random() < CALLS_FIRST:
        turns = [
            Turn(CUSTOMER, 0, ("c.hello.call",)),
            Turn(CUSTOMER, 0, (_asks(plot), *file), soon=True),
        ]
    else:
        turns = [Turn(CUSTOMER, 0, ("c.hello", _asks(plot), *file))]
    step = plot.transfers
    back: tuple[str, ...] = ()
    if step and plot.looked_up:
        # Who passes somebody on has looked at what they want.
        turns.append(Turn(AGENT, step - 1, ("a.hello", "a.hold")))
        turns.append(Turn(AGENT, step - 1, ("a.transfer",), soon=True))
        turns.append(Turn(CUSTOMER, step - 1, ("c.transferred",)))
        back = ("a.intro",)
    elif plot.looked_up and rng.random() < LOOKS_UP:
        turns.append(Turn(AGENT, 0, ("a.hello", "a.hold")))
        if rng.random() < AGREES_TO_HOLD:
            turns.append(Turn(CUSTOMER, 0, ("c.hold",)))
        back = ("a.back",)
    else:
        if rng.random() < ANSWERS_AT_ONCE:
            back = ("a.hello",)
        else:
            # Nice words are for nobody in particular: nobody is passed on for them.
            turns.append(Turn(AGENT, step, ("a.hello",)))
    turns.append(Turn(AGENT, step, (*back, plot.answer), soon=not back))
    question = of_answer(rng, plot) if plot.answer == ANSWERS else None
    if question and rng.random() < WONDERS_IN_CHAT:
        turns.append(Turn(CUSTOMER, step, (question.asked,)))
        turns.append(Turn(AGENT, step, (question.answered,)))
    # A question and its answer are no chat yet.
    if len(turns) < SHORTEST_CHAT or rng.random() < THANKS_IN_CHAT:
        turns.append(Turn(CUSTOMER, step, ("c.thanks",)))
        if rng.random() < SAYS_BYE:
            turns.append(Turn(AGENT, step, ("a.bye",)))
    return turns
