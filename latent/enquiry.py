"""How a conversation goes that is no complaint, as dialogue acts: a request and its answer.

Such threads are short, and there is nothing to grant or to refuse. Complaints stand in
`latent.dialogue`, whose acts (the names of `schemas/service_cloud/_beats.yaml`) serve here too.
Knows no words and no times.
"""

import random

from latent.dialogue import AGENT, CUSTOMER, Plot, Turn
from latent.enquiry_ending import UNANSWERED, WITHDRAWN

LONGEST_ENQUIRY = 5
"""Mails of such a thread at most: a request, a wait, a reminder, the answer and thanks."""

SHORTEST_CHAT = 4

# How often a turn that may say something does say it; chosen by eye.
TELLS_BACKGROUND = 0.3
SAYS_FAREWELL = 0.6
LOOKS_UP = 0.45
THANKS_IN_CHAT = 0.8


def enquiry_thread(rng: random.Random, plot: Plot, messages: int) -> list[Turn]:
    """An e-mail thread of exactly `messages` turns, customer first, then taking turns.

    The agents' last mail answers, unless the case stays open; those before say that it takes time.
    What stays unanswered ends with an agent's question. What is withdrawn ends with the customer's
    word that it has settled itself, or with the agent's answer to that.
    """
    # The customer's last mail, as its number among the customer's answers.
    farewell = (messages - 1) // 2 - 1
    turns = [Turn(CUSTOMER, 0, _request(rng, plot))]
    answers = messages // 2
    for place in range(answers):
        last = place == answers - 1
        step = plot.transfers if last else 0
        told = _answer(rng, plot, place, messages) if last else ["a.wait"]
        hello = ["a.intro"] if step else []
        turns.append(Turn(AGENT, step, ("a.greet", *hello, *told, "a.sign")))
        if len(turns) < messages:
            said = "c.thanks" if last and plot.resolved else "c.followup"
            if plot.ending == WITHDRAWN:
                said = "c.withdraw" if place == farewell else "c.followup"
            turns.append(Turn(CUSTOMER, step, ("c.greet.reply", said, "c.sign.reply")))
    return turns


def _request(rng: random.Random, plot: Plot) -> tuple[str, ...]:
    wordy = plot.verbosity == "wordy" and rng.random() < TELLS_BACKGROUND
    more = ("c.background",) if wordy else ()
    return ("c.greet", "issue.request", *more, "c.sign")


def _answer(rng: random.Random, plot: Plot, place: int, messages: int) -> list[str]:
    """What the agents' last mail says."""
    # After an odd number of mails the withdrawal is the last word, and this mail comes before it.
    waits = plot.ending == WITHDRAWN and messages % 2
    if waits or not plot.resolved:
        return ["a.still" if place else "a.wait"]
    if plot.ending == WITHDRAWN:
        return ["a.withdrawn"]
    if plot.ending == UNANSWERED:
        return ["issue.clarify"]
    farewell = ["a.close"] if rng.random() < SAYS_FAREWELL else []
    return ["issue.resolve", *farewell]


def enquiry_chat(rng: random.Random, plot: Plot) -> list[Turn]:
    """A live chat of four to seven turns, a told transfer among them where there was one."""
    turns = [Turn(CUSTOMER, 0, ("c.hello", "issue.request"))]
    step = plot.transfers
    back: tuple[str, ...] = ()
    if step:
        turns.append(Turn(AGENT, step - 1, ("a.hello", "a.transfer")))
        turns.append(Turn(CUSTOMER, step - 1, ("c.transferred",)))
        back = ("a.intro",)
    elif rng.random() < LOOKS_UP:
        turns.append(Turn(AGENT, 0, ("a.hello", "a.hold")))
        turns.append(Turn(CUSTOMER, 0, ("c.hold",)))
        back = ("a.back",)
    else:
        back = ("a.hello",)
    turns.append(Turn(AGENT, step, (*back, "issue.resolve")))
    turns.append(Turn(CUSTOMER, step, ("c.thanks",)))
    if len(turns) < SHORTEST_CHAT or rng.random() < THANKS_IN_CHAT:
        turns.append(Turn(AGENT, step, ("a.bye",)))
    return turns
