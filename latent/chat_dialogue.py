"""How a live chat about a complaint goes: three lines or forty, and not always in turns.

A chat is planned as turns of several acts; then each side's turns are cut into the lines that
people send one after another. Some visitors are served in three lines, some leave, some stay for
half an hour. Knows no words and no times.
"""

import random

from latent.dialogue import (
    AGENT,
    ASKED_FORMS,
    CUSTOMER,
    FILES,
    OTHER,
    Plot,
    Telling,
    Turn,
    placing_acts,
)
from latent.hand_over import with_agents

SHORTEST_CHAT, LONGEST_CHAT = 3, 40

# Kinds of chats: served at once, usual, long. The share of the long ones makes one chat in twelve
# or so longer than twenty lines. Chosen by eye.
KINDS = {"quick": 0.14, "usual": 0.53, "long": 0.33}

# How many of the signs are asked for, at most.
QUESTIONS = {"quick": 0, "usual": 2, "long": 3}

# How often something happens that may happen. All chosen by eye; most visitors say at once what it
# is about.
CALLS_FIRST = 0.12
GREETS = 0.5
LEAVES = 0.07
LOOKS_UP = {"quick": 0.0, "usual": 0.3, "long": 0.55}
HOLDS = {"quick": 0.1, "usual": 0.25, "long": 0.6}
AGREES_TO_HOLD = 0.55
HOLDS_ON = 0.3
SAYS_BACK = 0.45
ASKS_WHETHER_THERE = 0.35
ANSWERS_BESIDE = 0.07
SECOND_PROBLEM = 0.15
TYPES_ORDER = 0.35
OBJECTS = 0.75
TURNS_DOWN = 0.2
SAYS_STEPS = 0.75
ASKS_FIRST = 0.65
ADVISES = 0.3
THANKS = 0.75
# Who got at once what they asked for has not answered yet: hardly anybody leaves it at that.
ANSWERS_GRANT = 0.92
SAYS_BYE = 0.8
WRONG_ORDER = 0.25
ACKNOWLEDGES = 0.6
# The chat itself names the page that it was opened on.
NAMES_THING = 0.1

# Whom an agent can ask while a visitor waits; warehouses, carriers and engineers answer in days.
AT_ONCE = frozenset({"back_office", "supervisor"})

# How often an agent sends a turn in two lines, where it has two acts or more.
AGENT_DOUBLES = 0.35
CORRECTS = 0.05


def chat(rng: random.Random, plot: Plot) -> tuple[list[Turn], str]:
    """The lines of a chat, and who decided its outcome."""
    (kind,) = rng.choices(list(KINDS), list(KINDS.values()))
    telling = Telling(rng, plot)
    _ChatWriter(telling, kind).write()
    turns = with_agents(rng, telling.turns, plot.transfers)
    return _in_lines(rng, plot, turns, kind), telling.decided_by


class _ChatWriter:
    """Says what happens in one chat, turn by turn."""

    def __init__(self, telling: Telling, kind: str) -> None:
        self.telling = telling
        self.plot = telling.plot
        self.rng = telling.rng
        self.kind = kind

    def write(self) -> None:
        """All turns."""
        self._opening()
        if self.kind != "quick":
            self._identity()
        if self.kind != "quick":
            self._transfers()
            self._questions()
            self._evidence()
            self._hold()
        elif self.plot.transfers:
            self._transfers()
        self._verdict()

    def _chance(self, chance: float) -> bool:
        return self.rng.random() < chance

    def _customer(self, *beats: str) -> None:
        self.telling.say(CUSTOMER, beats)

    def _agent(self, *beats: str) -> None:
        """An agent's turn; the first one greets."""
        spoken = any(turn.speaker == AGENT for turn in self.telling.turns)
        hello = () if spoken else ("a.hello",)
        self.telling.say(AGENT, (*hello, *beats))

    def _opening(self) -> None:
        plot, telling = self.plot, self.telling
        if self.kind != "quick" and self._chance(CALLS_FIRST):
            self._customer("c.hello.call")
            self._agent("a.help")
        said = [] if "c.hello.call" in telling.said() else telling.maybe("c.hello", GREETS)
        said.append("issue.complaint")
        if self.kind == "quick" and plot.tells:
            # There will be no question: who is served at once says what matters.
            said.append(telling.tell(plot.tells))
        said += [*telling.stake(), *placing_acts(telling, NAMES_THING)]
        if plot.before:
            said.append("c.before")
        if plot.knows_order:
            # Others have typed it into the form that comes before the chat.
            said += telling.maybe("c.order", TYPES_ORDER)
            telling.order_told = True
        if plot.evidence and (self.kind == "quick" or not plot.cause):
            said.append(telling.send())
        said += telling.wishes()
        self._customer(*said)

    def _identity(self) -> None:
        """Who is writing, and about which order."""
        plot, telling = self.plot, self.telling
        if plot.identifies:
            self._agent("a.ack", "a.identify")
            self._customer("c.identify")
            telling.identified = True
            self._agent("a.identified")
        if not telling.order_told and self._chance(LOOKS_UP[self.kind]):
            pity = [] if plot.identifies else telling.maybe("a.ack", ACKNOWLEDGES)
            self._agent(*pity, "a.ask_order")
            if plot.others and self._chance(WRONG_ORDER):
                self._customer("c.order.none")
                self._agent("a.wrong")
                self._customer("c.wrong", "c.order.found")
            else:
                self._customer("c.order.found")
            telling.order_told = True

    def _found(self) -> list[str]:
        """The order, found once; who is served at once has signed in before."""
        telling = self.telling
        if telling.found:
            return []
        found = telling.find()
        if "c.before" in telling.said():
            found.append("a.before")
        if self.plot.identifies and not telling.identified:
            return ["a.signed_in", *found]
        return found

    def _transfers(self) -> None:
        for _ in range(min(self.plot.transfers, 2)):
            self._agent("a.transfer")
            if self._chance(0.5):
                self._customer("c.transferred")

    def _questions(self) -> None:
        telling = self.telling
        asked = 0
        while telling.untold() and asked < max(QUESTIONS[self.kind], 1):
            sign = telling.untold()[0]
            asked += 1
            self._agent(*self._found(), telling.ask(sign))
            if self._chance(ANSWERS_BESIDE):
                beside, lead = telling.beside()
                self._customer(beside)
                self._agent(lead, telling.ask(sign))
            self._customer(telling.tell(sign))
        if self.kind == "long" and self._chance(SECOND_PROBLEM):
            self._customer("c.second")
            self._agent("a.second")

    def _evidence(self) -> None:
        plot, telling = self.plot, self.telling
        if plot.evidence and plot.cause:
            self._agent(*self._found(), f"a.evidence.{plot.evidence}")
            self._customer(telling.send())
        elif plot.known_by in FILES and self.kind == "long":
            self._agent(*self._found(), f"a.evidence.{ASKED_FORMS[plot.known_by]}")
            self._customer("c.no_file")

    def _hold(self) -> None:
        telling, plot = self.telling, self.plot
        needs = plot.step in AT_ONCE
        if not needs and not self._chance(HOLDS[self.kind]):
            return
        before = [*self._found(), *telling.seen_file()]
        self._agent(*before, f"a.step.{plot.step}" if needs else "a.hold")
        if self._chance(AGREES_TO_HOLD):
            self._customer("c.hold")
        if self._chance(HOLDS_ON):
            if self._chance(ASKS_WHETHER_THERE):
                self._customer("c.there")
            self._agent("a.hold.on")
        telling.waiting = True

    def _verdict(self) -> None:
        plot, telling = self.plot, self.telling
        said = self._found()
        if telling.waiting:
            asked = plot.step in AT_ONCE
            if asked:
                said.append(f"a.step_back.{plot.step}")
            else:
                said += telling.maybe("a.back", SAYS_BACK)
            telling.stepped = asked
        said += [*telling.findings(), *telling.calms()]
        if self.kind != "quick" and self._chance(LEAVES):
            self._leaving(said)
            return
        if plot.ending == "declined":
            self._refusal(said)
            return
        if plot.ending == "granted_other":
            self._agent(*said, *telling.refuses())
            if self._chance(OBJECTS):
                objection, answer = telling.objection()
                self._customer(objection)
                self._agent(answer, "a.alternative")
            else:
                self._agent("a.alternative")
        elif plot.demanded and plot.settles:
            self._agent(*said, "a.grant", *telling.fact(plot.settles[0]))
            self._settled(granted=True)
            return
        else:
            self._agent(*said, *telling.offers())
        if plot.ending == OTHER and self.kind != "quick" and self._chance(TURNS_DOWN):
            self._customer("c.balk")
            self._agent("a.only")
        self._asks_first()
        self._customer(*telling.accepts())
        self._settled()

    def _asks_first(self) -> None:
        """Half of all visitors ask something about what they are offered."""
        kind = self.telling.question()
        if self.kind != "quick" and kind and self._chance(ASKS_FIRST):
            self._customer(self.telling.asks(kind))
            self._agent(*self.telling.fact(kind))

    def _leaving(self, said: list[str]) -> None:
        """The visitor leaves; the agent says what is done all the same."""
        if said:
            self._agent(*said)
        self._agent("a.gone")
        verdict = ["a.grant", *self.telling.facts()]
        if self.plot.refuses:
            verdict = self.telling.refuses()
        if self.plot.ending == "granted_other":
            verdict.append("a.alternative")
        self._agent("a.left", *verdict)

    def _refusal(self, said: list[str]) -> None:
        self._agent(*said, *self.telling.refuses())
        if self.kind != "quick" or self._chance(OBJECTS):
            objection, answer = self.telling.objection()
            self._customer(objection)
            # That the answer stays the same is said by the refusal itself.
            self._agent(*([answer] if objection == "c.why_not" else []), "a.deny.all")
        if self.kind == "long" and self._chance(OBJECTS):
            self._customer("c.threat")
            self._agent("a.firm")
        self._customer("c.give_up" if self._chance(0.5) else "c.refused")
        if self._chance(SAYS_BYE):
            self._agent("a.bye.refused")

    def _settled(self, granted: bool = False) -> None:
        """What is said once it is arranged; with `granted` that has been said already."""
        telling, plot = self.telling, self.plot
        if self.kind == "quick":
            if plot.settles or self._chance(0.5):
                self._agent_tells(granted, [])
            if granted:
                self._customer(*telling.thanks())
            return
        self._agent_tells(granted, telling.maybe("a.number", 0.4))
        if self.kind == "long" and not plot.settles and self._chance(0.6):
            self._customer("c.how_long")
            self._agent("a.how_long")
        told = telling.said()
        if plot.cause and f"issue.cause.{plot.cause}" in told and self._chance(ADVISES):
            self._agent(f"issue.advice.{plot.cause}")
        if self._chance(ANSWERS_GRANT if granted else THANKS):
            self._customer(*telling.thanks())
        if self._chance(SAYS_BYE):
            self._agent("a.bye")

    def _agent_tells(self, granted: bool, number: list[str]) -> None:
        """The agent's line on what is arranged; a question comes before it where some is left."""
        telling = self.telling
        confirmed = ["a.confirm"]
        if granted:
            kind = telling.question()
            confirmed = []
            if kind and self._chance(ASKS_FIRST):
                self._customer(telling.asks(kind))
        told = [*confirmed, *telling.amount(), *self._steps(), *number]
        if told:
            self._agent(*told)

    def _steps(self) -> list[str]:
        """Facts, where there are any, or mostly something of the next steps."""
        telling = self.telling
        if self.plot.settles:
            return telling.facts()
        if self.kind == "quick":
            return []
        return [*telling.maybe("option.steps", SAYS_STEPS), *telling.returned()]


def _in_lines(rng: random.Random, plot: Plot, turns: list[Turn], kind: str) -> list[Turn]:
    """The turns cut into lines, of which there are never more than LONGEST_CHAT.

    Who sends several lines in a row sends each act or two as a line of its own.
    """
    lines: list[Turn] = []
    for place, turn in enumerate(turns):
        doubles = plot.doubles if turn.speaker == CUSTOMER else AGENT_DOUBLES
        room = LONGEST_CHAT - len(lines) - (len(turns) - place)
        if kind == "quick":
            doubles *= 0.3
        pieces = _pieces(rng, turn.beats, doubles, room + 1)
        for number, beats in enumerate(pieces):
            lines.append(Turn(turn.speaker, turn.step, beats, soon=number > 0))
    return lines


# Acts that go with the one after them: nobody sends them as a line of their own.
CLINGS = frozenset(
    {
        "a.again",
        "a.why",
        "a.ask.also",
        "a.back",
        "c.hello",
        "c.more",
        "c.wrong",
        "a.left",
        "a.unsure",
        "a.looked",
    }
)


def _pieces(
    rng: random.Random,
    beats: tuple[str, ...],
    doubles: float,
    most: int,
) -> list[tuple[str, ...]]:
    """The acts of one turn as lines, `most` of them at most."""
    pieces: list[tuple[str, ...]] = []
    for beat in beats:
        joins = not pieces or len(pieces) >= most or rng.random() >= doubles
        if pieces and (joins or pieces[-1][-1] in CLINGS):
            pieces[-1] = (*pieces[-1], beat)
        else:
            pieces.append((beat,))
    return pieces
