"""How a conversation goes, as dialogue acts: who speaks, as which of the case's agents, and what
each turn has to say.

`thread` plans an e-mail thread of exactly so many messages, `chat` a live chat of 8 to 12 turns.
Acts ("beats") are the names
of `schemas/service_cloud/_beats.yaml`. Knows no words and no times; `case_story` gives the case and
sets the clock.
"""

import random
from collections.abc import Sequence
from dataclasses import dataclass

CUSTOMER, AGENT = "Customer", "Agent"
LONGEST_THREAD = 11
MOST_QUESTIONS = 2
BREACHES = frozenset({"late_grant", "unlisted_grant"})


@dataclass(frozen=True, slots=True)
class Plot:
    """What decides a conversation's course: the ending, whether a wish was named, how talkative the
    customer is, how many transfers.
    """

    ending: str
    wish: str
    verbosity: str
    transfers: int
    topics: tuple[str, ...]

    @property
    def resolved(self) -> bool:
        """Whether the case was closed."""
        return self.ending != "open"


@dataclass(frozen=True, slots=True)
class Turn:
    """One message or chat line; `step` counts the case's agents from 0, `topic` is what an ask or
    answer is about.
    """

    speaker: str
    step: int
    beats: tuple[str, ...]
    topic: str = ""


def thread(rng: random.Random, plot: Plot, messages: int) -> list[Turn]:
    """An e-mail thread of exactly `messages` turns, customer first, then taking turns."""
    turns = [Turn(CUSTOMER, 0, opening(rng, plot))]
    moves = _moves(rng, plot, messages // 2)
    written, verified, before = -1, False, ""
    for at, (move, step) in enumerate(moves):
        topic = move.partition(":")[2]
        beats, verified = _agent_beats(
            rng, plot, move, before, new=step > 0 and step != written, verified=verified
        )
        turns.append(Turn(AGENT, step, ("a.greet", *beats, "a.sign"), topic))
        written, before = step, move
        if len(turns) < messages:
            last = at == len(moves) - 1
            turns.append(
                Turn(
                    CUSTOMER,
                    step,
                    _customer_beats(rng, plot, move, moves[at + 1][0] if not last else ""),
                    topic,
                )
            )
    return turns


def opening(rng: random.Random, plot: Plot) -> tuple[str, ...]:
    """The acts of the first mail; a wordy customer tells more."""
    beats = ["c.greet", "c.open", "issue.complaint"]
    if plot.verbosity != "terse" and rng.random() < (0.75 if plot.verbosity == "wordy" else 0.4):
        beats.append("issue.impact")
    if plot.verbosity == "wordy" and rng.random() < 0.6:
        beats.append("c.background")
    beats.append("c.wish" if plot.wish else "c.wish.open")
    if plot.verbosity == "wordy" and rng.random() < 0.2:
        beats.append("c.ps")
    return (*beats, "c.sign")


def _moves(rng: random.Random, plot: Plot, count: int) -> list[tuple[str, int]]:
    """(move, agent's step) of each agent message; transfers are told in a message where there is
    room, else they just happen.
    """
    if not count:
        return []
    core = _ending_moves(rng, plot, count)
    room = count - len(core)
    told = min(plot.transfers, room) if rng.random() < 0.75 else 0
    fillers = _fillers(rng, plot, room - told)
    lead = fillers[:1] if told and rng.random() < 0.35 else []
    moves = lead + ["transfer"] * told + fillers[len(lead) :] + core
    return _with_steps(rng, moves, plot.transfers, told)


def _with_steps(
    rng: random.Random, moves: list[str], transfers: int, told: int
) -> list[tuple[str, int]]:
    """Which agent makes each move: one more after each told transfer; untold ones happen before
    some later message.
    """
    last_told = max((at for at, move in enumerate(moves) if move == "transfer"), default=-1)
    silent = [
        rng.randint(last_told + 1, len(moves) - 1) if last_told + 1 < len(moves) else len(moves)
        for _ in range(transfers - told)
    ]
    steps, step = [], 0
    for at, move in enumerate(moves):
        step += silent.count(at)
        steps.append((move, step))
        step += move == "transfer"
    return steps


def _ending_moves(rng: random.Random, plot: Plot, count: int) -> list[str]:
    if not plot.resolved:
        return []
    if count == 1 or (count == 2 and rng.random() < 0.45):
        return ["settle"]
    if plot.ending in BREACHES:
        return (
            ["refuse", "give_in"]
            if plot.ending == "late_grant" and rng.random() < 0.5
            else ["settle"]
        )
    return ["resolve", "final"]


def _fillers(rng: random.Random, plot: Plot, count: int) -> list[str]:
    """Questions and waiting before the answer; never the same twice in a row."""
    topics = rng.sample(plot.topics, min(len(plot.topics), MOST_QUESTIONS))
    moves: list[str] = []
    while len(moves) < count:
        waiting = (
            bool(moves)
            and not moves[-1].startswith(("wait", "still"))
            and (not topics or rng.random() < 0.45)
        )
        if waiting or not topics:
            moves.append(
                "still" if not plot.resolved and len(moves) > 1 and rng.random() < 0.5 else "wait"
            )
        else:
            moves.append(f"ask:{topics.pop()}")
    return moves


def _agent_beats(
    rng: random.Random, plot: Plot, move: str, before: str, new: bool, verified: bool
) -> tuple[list[str], bool]:
    """`before` is the agent's last move: empty in the first mail."""
    kind = move.partition(":")[0]
    beats = ["a.intro"] if new else ["a.ack"] if not before and kind != "transfer" else []
    if (
        before in ("wait", "still")
        and kind in ("settle", "resolve", "refuse")
        and not new
        and rng.random() < 0.6
    ):
        beats.append("a.progress")
    verify = not verified and kind != "transfer"
    if verify:
        beats.append("a.verify")
    return beats + _said(rng, plot, kind), verified or verify


def _said(rng: random.Random, plot: Plot, kind: str) -> list[str]:
    match kind:
        case "ask":
            return [*(["a.ask.lead"] if rng.random() < 0.6 else []), "issue.ask"]
        case "wait":
            return ["a.wait"]
        case "still":
            return ["a.still"]
        case "transfer":
            return ["a.transfer"]
        case "refuse":
            return [*_cause(rng), "a.deny"]
        case "give_in":
            return ["a.late", "option.steps", *_farewell(rng)]
        case "settle":
            steps = [] if plot.ending == "declined" else ["option.steps"]
            return [*_cause(rng), *verdict(plot), *steps, *_farewell(rng)]
        case "resolve":
            asked = ["a.offer.open"] if plot.ending == "granted" and rng.random() < 0.7 else []
            return [*_cause(rng), *verdict(plot), *asked]
    if plot.ending == "declined":
        return ["a.deny.all", *_farewell(rng)]
    return [
        "a.confirm",
        "option.steps",
        *(["issue.advice"] if rng.random() < 0.45 else []),
        *_farewell(rng),
    ]


def verdict(plot: Plot) -> list[str]:
    """The acts that state what is decided."""
    return {
        "granted": ["a.offer"],
        "granted_other": ["a.deny", "a.alternative"],
        "declined": ["a.deny"],
        "late_grant": ["a.late"],
        "unlisted_grant": ["a.unlisted"],
    }[plot.ending]


def _cause(rng: random.Random) -> list[str]:
    return (
        [*(["a.cause.lead"] if rng.random() < 0.3 else []), "issue.cause"]
        if rng.random() < 0.7
        else []
    )


def _farewell(rng: random.Random) -> list[str]:
    return ["a.close"] if rng.random() < 0.75 else []


def _customer_beats(rng: random.Random, plot: Plot, move: str, following: str) -> tuple[str, ...]:
    kind = move.partition(":")[0]
    said = {
        "ask": [*(["c.answer.lead"] if rng.random() < 0.5 else []), "issue.answer"],
        "wait": ["c.followup"],
        "still": ["c.followup"],
        "transfer": ["c.transferred"],
        "refuse": ["c.push"],
        "resolve": (
            ["c.push" if following else "c.refused"] if plot.ending == "declined" else ["c.accept"]
        ),
    }.get(kind, ["c.refused"] if plot.ending == "declined" else ["c.thanks"])
    return ("c.greet.reply", *said, "c.sign.reply")


def chat(rng: random.Random, plot: Plot) -> list[Turn]:
    """A live chat of 8 to 12 turns; each told transfer takes two of them."""
    topics = rng.sample(plot.topics, len(plot.topics))
    told = min(plot.transfers, 2)
    turns = [
        Turn(CUSTOMER, 0, ("c.hello", "c.open")),
        Turn(AGENT, 0, ("a.hello", "a.ack")),
        Turn(CUSTOMER, 0, _complaint(rng, plot)),
    ]
    step = plot.transfers - told
    for _ in range(told):
        turns += [Turn(AGENT, step, ("a.transfer",)), Turn(CUSTOMER, step, ("c.transferred",))]
        step += 1
    hello = ("a.intro",) if step else ()
    turns += [
        Turn(AGENT, step, (*hello, "a.verify", "issue.ask"), topics[0]),
        Turn(CUSTOMER, step, _answer(rng), topics[0]),
    ]
    turns += _pauses(rng, step, topics[1:], room=12 - 8 - 2 * told)
    held = "c.hold" in turns[-1].beats
    return turns + _chat_ending(rng, plot, step, room=12 - len(turns) - 3, held=held)


def _complaint(rng: random.Random, plot: Plot) -> tuple[str, ...]:
    wish = ("c.wish",) if plot.wish else ("c.wish.open",) if rng.random() < 0.5 else ()
    return ("issue.complaint", *wish)


def _answer(rng: random.Random) -> tuple[str, ...]:
    return ("c.answer.lead", "issue.answer") if rng.random() < 0.3 else ("issue.answer",)


def _pauses(rng: random.Random, step: int, topics: Sequence[str], room: int) -> list[Turn]:
    """At most one pair more: a second question, or a pause to look things up."""
    if room < 2 or rng.random() < 0.3:
        return []
    if topics and rng.random() < 0.5:
        return [
            Turn(AGENT, step, ("a.ask.lead", "issue.ask"), topics[0]),
            Turn(CUSTOMER, step, ("issue.answer",), topics[0]),
        ]
    return [Turn(AGENT, step, ("a.hold",)), Turn(CUSTOMER, step, ("c.hold",))]


def _chat_ending(rng: random.Random, plot: Plot, step: int, room: int, held: bool) -> list[Turn]:
    back = ("a.back",) if held else ()
    cause = ("issue.cause",) if rng.random() < 0.5 else ()
    if plot.ending == "declined":
        turns = [
            Turn(AGENT, step, (*back, *cause, "a.deny")),
            Turn(CUSTOMER, step, ("c.push",)),
            Turn(AGENT, step, ("a.deny.all",)),
        ]
        closing = "c.refused"
    elif plot.ending == "late_grant" and rng.random() < 0.5:
        turns = [
            Turn(AGENT, step, (*back, "a.deny")),
            Turn(CUSTOMER, step, ("c.push",)),
            Turn(AGENT, step, ("a.late", "option.steps")),
        ]
        closing = "c.thanks"
    else:
        confirm = () if plot.ending in BREACHES else ("a.confirm",)
        turns = [
            Turn(AGENT, step, (*back, *cause, *verdict(plot))),
            Turn(CUSTOMER, step, ("c.accept",)),
            Turn(AGENT, step, (*confirm, "option.steps")),
        ]
        closing = "c.thanks"
    if room >= 2 and rng.random() < 0.55:
        return [*turns, Turn(CUSTOMER, step, (closing,)), Turn(AGENT, step, ("a.bye",))]
    if room >= 1 and rng.random() < 0.6:
        return [*turns, Turn(CUSTOMER, step, (closing,))]
    return [*turns[:-1], Turn(AGENT, step, (*turns[-1].beats, "a.bye"))]
