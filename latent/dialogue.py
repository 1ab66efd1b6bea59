"""How a conversation goes, as dialogue acts: who speaks, as which agent, and what each turn says.

`thread` plans an e-mail thread of exactly so many messages, `chat` a live chat of 8 to 12 turns.
Acts ("beats") are the names of `schemas/service_cloud/_beats.yaml`. Knows no words and no times;
`case_story` gives the case and sets the clock.
"""

import random
from collections.abc import Sequence
from dataclasses import dataclass

CUSTOMER, AGENT = "Customer", "Agent"
LONGEST_THREAD = 11
MOST_QUESTIONS = 2
BREACHES = frozenset({"late_grant", "unlisted_grant"})

# A chat has 8 turns that every chat has, and 12 at most; its last answers take three of them.
SHORTEST_CHAT, LONGEST_CHAT = 8, 12
CHAT_ENDING = 3
MOST_CHAT_TRANSFERS = 2

# How often a turn that may say something does say it. All of them are chosen by eye, so that
# threads of one length and ending still differ, as people's do: the usual is likely, never
# certain.
#
# The first mail: what a wordy customer adds, and one who is neither wordy nor terse.
TELLS_IMPACT_WORDY, TELLS_IMPACT = 0.75, 0.4
TELLS_BACKGROUND = 0.6
ADDS_POSTSCRIPT = 0.2
# Agents' moves in a thread.
TELLS_TRANSFER = 0.75
MOVE_BEFORE_TRANSFER = 0.35
SETTLES_IN_TWO = 0.45  # with two messages left: one answer to everything, after a filler
REFUSES_FIRST = 0.5  # before giving in late
WAITS_RATHER = 0.45  # while there are still questions to ask
STILL_WAITS = 0.5  # an open case's second wait: still no news
# What agents' mails say.
TELLS_PROGRESS = 0.6
LEADS_TO_QUESTION = 0.6
ASKS_WHETHER_FINE = 0.7
ADVISES = 0.45
TELLS_CAUSE, LEADS_TO_CAUSE = 0.7, 0.3
SAYS_FAREWELL = 0.75
LEADS_TO_ANSWER = 0.5  # the customer's
# Chats: short of everything that a mail may say.
CHAT_NAMES_NO_WISH = 0.5
CHAT_LEADS_TO_ANSWER = 0.3
CHAT_WITHOUT_PAUSE = 0.3
CHAT_ASKS_AGAIN = 0.5
CHAT_TELLS_CAUSE = 0.5
CHAT_REFUSES_FIRST = 0.5
CHAT_ENDS_IN_TWO = 0.55
CHAT_ENDS_IN_ONE = 0.6

# The acts that state what is decided, by the case's ending.
VERDICTS = {
    "granted": ("a.offer",),
    "granted_other": ("a.deny", "a.alternative"),
    "declined": ("a.deny",),
    "late_grant": ("a.late",),
    "unlisted_grant": ("a.unlisted",),
}


@dataclass(frozen=True, slots=True)
class Plot:
    """What decides a conversation's course.

    The ending, whether a wish was named, how talkative the customer is, and how many transfers.
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
    """One message or chat line.

    `step` counts the case's agents from 0, `topic` is what a question or an answer is about.
    """

    speaker: str
    step: int
    beats: tuple[str, ...]
    topic: str = ""


@dataclass(frozen=True, slots=True)
class Move:
    """What an agent does in one message, as the case's agent number `step` (from 0).

    `kind` is ask, wait, still, transfer, refuse, give_in, settle, resolve or final.
    """

    kind: str
    topic: str = ""
    step: int = 0


def thread(rng: random.Random, plot: Plot, messages: int) -> list[Turn]:
    """An e-mail thread of exactly `messages` turns, customer first, then taking turns."""
    turns = [Turn(CUSTOMER, 0, opening(rng, plot))]
    moves = _moves(rng, plot, messages // 2)
    for place, move in enumerate(moves):
        earlier = moves[:place]
        beats = _agent_beats(rng, plot, move, earlier)
        mail = ("a.greet", *beats, "a.sign")
        turns.append(Turn(AGENT, move.step, mail, move.topic))
        if len(turns) < messages:
            last = place == len(moves) - 1
            said = _customer_beats(rng, plot, move, last)
            turns.append(Turn(CUSTOMER, move.step, said, move.topic))
    return turns


def opening(rng: random.Random, plot: Plot) -> tuple[str, ...]:
    """The acts of the first mail; a wordy customer tells more."""
    wordy = plot.verbosity == "wordy"
    beats = ["c.greet", "c.open", "issue.complaint"]
    tells_impact = TELLS_IMPACT_WORDY if wordy else TELLS_IMPACT
    if plot.verbosity != "terse" and rng.random() < tells_impact:
        beats.append("issue.impact")
    if wordy and rng.random() < TELLS_BACKGROUND:
        beats.append("c.background")
    beats.append("c.wish" if plot.wish else "c.wish.open")
    if wordy and rng.random() < ADDS_POSTSCRIPT:
        beats.append("c.ps")
    return (*beats, "c.sign")


def _moves(rng: random.Random, plot: Plot, count: int) -> list[Move]:
    """The agents' messages of a thread: fillers and told transfers, then what the ending takes.

    Transfers are told in a message where there is room, else they just happen.
    """
    if not count:
        return []
    core = _ending_moves(rng, plot, count)
    room = count - len(core)
    told = min(plot.transfers, room) if rng.random() < TELLS_TRANSFER else 0
    fillers = _fillers(rng, plot, room - told)
    transfers = [Move("transfer")] * told
    before = 1 if told and rng.random() < MOVE_BEFORE_TRANSFER else 0
    moves = [*fillers[:before], *transfers, *fillers[before:], *core]
    return _with_steps(rng, moves, plot.transfers, told)


def _with_steps(
    rng: random.Random,
    moves: list[Move],
    transfers: int,
    told: int,
) -> list[Move]:
    """Which agent makes each move: one more after each told transfer.

    Those that are not told happen before some message after the last told one, or after all.
    """
    told_places = [place for place, move in enumerate(moves) if move.kind == "transfer"]
    earliest = max(told_places, default=-1) + 1
    last = len(moves) - 1
    silent = []
    for _ in range(transfers - told):
        if earliest <= last:
            silent.append(rng.randint(earliest, last))
        else:
            silent.append(len(moves))
    placed = []
    step = 0
    for place, move in enumerate(moves):
        step += silent.count(place)
        placed.append(Move(move.kind, move.topic, step))
        if move.kind == "transfer":
            step += 1
    return placed


def _ending_moves(rng: random.Random, plot: Plot, count: int) -> list[Move]:
    """What the ending takes, within `count` messages; nothing for a case that stays open."""
    if not plot.resolved:
        return []
    if count == 1 or (count == 2 and rng.random() < SETTLES_IN_TWO):
        return [Move("settle")]
    if plot.ending == "late_grant" and rng.random() < REFUSES_FIRST:
        return [Move("refuse"), Move("give_in")]
    if plot.ending in BREACHES:
        return [Move("settle")]
    return [Move("resolve"), Move("final")]


def _fillers(rng: random.Random, plot: Plot, count: int) -> list[Move]:
    """Questions and waiting before the answer; no wait follows another while questions are left."""
    topics = rng.sample(plot.topics, min(len(plot.topics), MOST_QUESTIONS))
    moves: list[Move] = []
    while len(moves) < count:
        waited = not moves or moves[-1].kind in ("wait", "still")
        waits = not topics or (not waited and rng.random() < WAITS_RATHER)
        if not waits:
            moves.append(Move("ask", topics.pop()))
        elif not plot.resolved and len(moves) > 1 and rng.random() < STILL_WAITS:
            moves.append(Move("still"))
        else:
            moves.append(Move("wait"))
    return moves


def _agent_beats(
    rng: random.Random,
    plot: Plot,
    move: Move,
    earlier: Sequence[Move],
) -> list[str]:
    """What an agent's mail says between greeting and signature, after the earlier moves."""
    before = earlier[-1] if earlier else None
    # An agent who has taken over introduces themselves; the first owner need not.
    written_by = before.step if before else -1
    new = move.step > 0 and move.step != written_by
    beats = []
    if new:
        beats.append("a.intro")
    elif before is None and move.kind != "transfer":
        beats.append("a.ack")
    waited = before is not None and before.kind in ("wait", "still")
    answers = move.kind in ("settle", "resolve", "refuse")
    if waited and answers and not new and rng.random() < TELLS_PROGRESS:
        beats.append("a.progress")
    # Whoever is first to deal with the case checks who is writing.
    if move.kind != "transfer" and all(made.kind == "transfer" for made in earlier):
        beats.append("a.verify")
    return beats + _said(rng, plot, move.kind)


def _said(rng: random.Random, plot: Plot, kind: str) -> list[str]:
    match kind:
        case "ask":
            return [*_maybe(rng, "a.ask.lead", LEADS_TO_QUESTION), "issue.ask"]
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
            return [*_cause(rng), *VERDICTS[plot.ending], *steps, *_farewell(rng)]
        case "resolve":
            granted = plot.ending == "granted"
            asks = _maybe(rng, "a.offer.open", ASKS_WHETHER_FINE) if granted else []
            return [*_cause(rng), *VERDICTS[plot.ending], *asks]
    if plot.ending == "declined":
        return ["a.deny.all", *_farewell(rng)]
    advice = _maybe(rng, "issue.advice", ADVISES)
    return ["a.confirm", "option.steps", *advice, *_farewell(rng)]


def _maybe(rng: random.Random, beat: str, chance: float) -> list[str]:
    return [beat] if rng.random() < chance else []


def _cause(rng: random.Random) -> list[str]:
    # The lead is drawn only where the cause is told: the stream of draws depends on it.
    if rng.random() < TELLS_CAUSE:
        return [*_maybe(rng, "a.cause.lead", LEADS_TO_CAUSE), "issue.cause"]
    return []


def _farewell(rng: random.Random) -> list[str]:
    return _maybe(rng, "a.close", SAYS_FAREWELL)


def _customer_beats(
    rng: random.Random,
    plot: Plot,
    move: Move,
    last: bool,
) -> tuple[str, ...]:
    """What the customer answers to a move; `last` where no mail of an agent follows."""
    return ("c.greet.reply", *_answered(rng, plot, move.kind, last), "c.sign.reply")


def _answered(
    rng: random.Random,
    plot: Plot,
    kind: str,
    last: bool,
) -> list[str]:
    # Drawn for every mail, used for answers: the stream of draws depends on it.
    lead = _maybe(rng, "c.answer.lead", LEADS_TO_ANSWER)
    match kind:
        case "ask":
            return [*lead, "issue.answer"]
        case "wait" | "still":
            return ["c.followup"]
        case "transfer":
            return ["c.transferred"]
        case "refuse":
            return ["c.push"]
        case "resolve" if plot.ending != "declined":
            return ["c.accept"]
        case "resolve" if not last:
            return ["c.push"]
    return ["c.refused"] if plot.ending == "declined" else ["c.thanks"]


def chat(rng: random.Random, plot: Plot) -> list[Turn]:
    """A live chat of 8 to 12 turns; each told transfer takes two of them."""
    topics = rng.sample(plot.topics, len(plot.topics))
    told = min(plot.transfers, MOST_CHAT_TRANSFERS)
    turns = [
        Turn(CUSTOMER, 0, ("c.hello", "c.open")),
        Turn(AGENT, 0, ("a.hello", "a.ack")),
        Turn(CUSTOMER, 0, _complaint(rng, plot)),
    ]
    # Transfers that find no room have happened before the first told one.
    step = plot.transfers - told
    for _ in range(told):
        turns.append(Turn(AGENT, step, ("a.transfer",)))
        turns.append(Turn(CUSTOMER, step, ("c.transferred",)))
        step += 1
    hello = ("a.intro",) if step else ()
    turns.append(Turn(AGENT, step, (*hello, "a.verify", "issue.ask"), topics[0]))
    turns.append(Turn(CUSTOMER, step, _answer(rng), topics[0]))
    room = LONGEST_CHAT - SHORTEST_CHAT - 2 * told
    turns += _pauses(rng, step, topics[1:], room)
    held = "c.hold" in turns[-1].beats
    room = LONGEST_CHAT - len(turns) - CHAT_ENDING
    return turns + _chat_ending(rng, plot, step, room, held)


def _complaint(rng: random.Random, plot: Plot) -> tuple[str, ...]:
    if plot.wish:
        return ("issue.complaint", "c.wish")
    return ("issue.complaint", *_maybe(rng, "c.wish.open", CHAT_NAMES_NO_WISH))


def _answer(rng: random.Random) -> tuple[str, ...]:
    return (*_maybe(rng, "c.answer.lead", CHAT_LEADS_TO_ANSWER), "issue.answer")


def _pauses(
    rng: random.Random,
    step: int,
    topics: Sequence[str],
    room: int,
) -> list[Turn]:
    """At most one pair more: a second question, or a pause to look things up."""
    if room < 2 or rng.random() < CHAT_WITHOUT_PAUSE:
        return []
    if topics and rng.random() < CHAT_ASKS_AGAIN:
        return [
            Turn(AGENT, step, ("a.ask.lead", "issue.ask"), topics[0]),
            Turn(CUSTOMER, step, ("issue.answer",), topics[0]),
        ]
    return [Turn(AGENT, step, ("a.hold",)), Turn(CUSTOMER, step, ("c.hold",))]


def _chat_ending(
    rng: random.Random,
    plot: Plot,
    step: int,
    room: int,
    held: bool,
) -> list[Turn]:
    """The last answers, and a farewell of two turns, one, or none, as there is room."""
    turns = _chat_answers(rng, plot, step, held)
    closing = "c.refused" if plot.ending == "declined" else "c.thanks"
    thanks = Turn(CUSTOMER, step, (closing,))
    bye = Turn(AGENT, step, ("a.bye",))
    if room >= 2 and rng.random() < CHAT_ENDS_IN_TWO:
        return [*turns, thanks, bye]
    if room >= 1 and rng.random() < CHAT_ENDS_IN_ONE:
        return [*turns, thanks]
    last_beats = (*turns[-1].beats, "a.bye")
    return [*turns[:-1], Turn(AGENT, step, last_beats)]


def _chat_answers(
    rng: random.Random,
    plot: Plot,
    step: int,
    held: bool,
) -> list[Turn]:
    """The agent's verdict, what the customer says to it, and the agent's last word."""
    back = ["a.back"] if held else []
    cause = _maybe(rng, "issue.cause", CHAT_TELLS_CAUSE)
    reply = "c.push"
    if plot.ending == "declined":
        verdict = [*cause, "a.deny"]
        last = ["a.deny.all"]
    elif plot.ending == "late_grant" and rng.random() < CHAT_REFUSES_FIRST:
        verdict = ["a.deny"]
        last = ["a.late", "option.steps"]
    else:
        verdict = [*cause, *VERDICTS[plot.ending]]
        # What an agent had no right to grant is not confirmed once more.
        confirm = [] if plot.ending in BREACHES else ["a.confirm"]
        last = [*confirm, "option.steps"]
        reply = "c.accept"
    return [
        Turn(AGENT, step, (*back, *verdict)),
        Turn(CUSTOMER, step, (reply,)),
        Turn(AGENT, step, tuple(last)),
    ]
