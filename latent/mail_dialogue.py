"""How an e-mail thread about a complaint goes, in exactly so many mails.

What the thread must have is its opening and what its ending takes. The mails that are left go to
what may happen between: questions, files, a wrong order, days of waiting, mails that follow one's
own. They are chosen by weight as far as there is room, and stand in the order in which such things
happen. Knows no words and no times.
"""

import random
from dataclasses import replace

from latent.dialogue import (
    AGENT,
    ANSWER,
    ASKED_FORMS,
    CUSTOMER,
    OTHER,
    Plot,
    Telling,
    Turn,
    placing_acts,
)
from latent.hand_over import with_agents
from latent.mail_choice import chosen_for, core_size

BEFORE = (
    "again",
    "lookup",
    "wrong",
    "half",
    "ask",
    "evidence",
    "no_file",
    "transfer",
    "step",
)
AFTER = ("steps", "back", "thanks")

# Who is refused something objects before anything else comes up in so many threads that have room
# for three mails of it. By eye.
OBJECTS_IN_THREE = 0.7

# How often a turn that may say something does say it. Chosen by eye, so that threads of one length
# and ending still differ.
TELLS_UNASKED = {"terse": 0.25, "medium": 0.5, "wordy": 0.85}
TELLS_IMPACT = {"terse": 0.15, "medium": 0.45, "wordy": 0.8}
TELLS_BACKGROUND = {"terse": 0.0, "medium": 0.06, "wordy": 0.25}
TELLS_TRIED = {"terse": 0.0, "medium": 0.04, "wordy": 0.2}
# One in so many of those who write much leaves nothing out. Chosen by eye.
RAMBLES = 0.25
GREETS = {"terse": 0.35, "medium": 0.7, "wordy": 0.9}
SIGNS = {"terse": 0.45, "medium": 0.75, "wordy": 0.95}
SENDS_AT_ONCE = 0.3
ADDS_POSTSCRIPT = 0.05
ASKS_TWICE_AT_ONCE = 0.1
ANSWERS_ALL = 0.7
SAYS_FAREWELL = 0.55
ADVISES = 0.35
# Who takes what is offered asks in the same mail how much it is, or when, in so many cases. By eye.
ASKS_WITH_YES = 0.65
ACKNOWLEDGES = 0.55
THREATENS = {"angry": 0.6, "annoyed": 0.3}
PASSES_ON_SECOND = 0.04
THANKS_FOR_WAITING = 0.5
NAMES_NUMBER = 0.5
NAMES_THING = 0.35
EXPLAINS_WISH = {"terse": 0.0, "medium": 0.1, "wordy": 0.4}
ASKS_FOR_HELP = 0.35

# What customers come back with: whether there is something to do, how they will know that it is
# done, and that nothing is to be seen yet.
AFTERTHOUGHTS = ("todo", "news", "nothing")


def thread(rng: random.Random, plot: Plot, messages: int) -> tuple[list[Turn], str]:
    """The turns of a thread of exactly `messages` mails, and who decided its outcome."""
    telling = Telling(rng, plot)
    core = core_size(rng, plot, messages - 1)
    chosen = chosen_for(rng, plot, messages - 1 - core)
    _Writer(telling, chosen, core).write()
    _name_product(telling)
    return with_agents(rng, telling.turns, plot.transfers), telling.decided_by


def _name_product(telling: Telling) -> None:
    """Lets the first mail name the product in full where nobody answers it."""
    first = telling.turns[0]
    if any(turn.speaker == AGENT for turn in telling.turns):
        return
    beats: list[str] = []
    for beat in first.beats:
        named = beat.startswith("c.open") and not beat.startswith("c.open.full")
        beats.append(beat.replace("c.open", "c.open.full") if named else beat)
    if not any(beat.startswith("c.open") for beat in beats):
        beats.insert(beats.index("issue.complaint") + 1, "c.open.full")
    telling.turns[0] = replace(first, beats=tuple(beats))


class _Writer:
    """Says the chosen things in order."""

    def __init__(self, telling: Telling, chosen: list[str], core: int) -> None:
        self.telling = telling
        self.plot = telling.plot
        self.rng = telling.rng
        self.chosen = chosen
        self.core = core

    def write(self) -> None:
        """All turns, by whoever makes them."""
        self._opening()
        for name in BEFORE:
            for _ in range(self.chosen.count(name)):
                getattr(self, f"_{name}")()
        self._waiting()
        if self.core:
            self._verdict()
        for name in AFTER:
            for _ in range(self.chosen.count(name)):
                getattr(self, f"_{name}")()

    def _customer(self, beats: list[str], soon: bool = False, signed: float = 1.0) -> None:
        """A customer's later mail, with a greeting and a name as people of few words may omit."""
        verbosity = self.plot.verbosity
        # Nobody knows a name before somebody has answered.
        answered = any(turn.speaker == AGENT for turn in self.telling.turns)
        hello = "c.greet.reply" if answered else "c.greet"
        greeting = self.telling.maybe(hello, GREETS[verbosity] * (0.4 if soon else 1))
        closing = self.telling.maybe("c.sign.reply", SIGNS[verbosity] * signed)
        self.telling.say(CUSTOMER, [*greeting, *beats, *closing], soon=soon)

    def _agent(self, beats: list[str], days: int = 0, soon: bool = False) -> None:
        """An agent's mail, with a greeting and a name."""
        answered = any(turn.speaker == AGENT for turn in self.telling.turns)
        greeting = "a.greet.again" if answered else "a.greet"
        self.telling.say(AGENT, [greeting, *beats, "a.sign"], days=days, soon=soon)

    def _first_answer(self) -> list[str]:
        """What the first agent's mail begins with; it takes up what the customer told."""
        if any(turn.speaker == AGENT for turn in self.telling.turns):
            return []
        said = self.telling.said()
        before = ["a.before"] if "c.before" in said else []
        if self.plot.letters:
            return ["a.ack.letter", *before]
        return [*self.telling.maybe("a.ack", ACKNOWLEDGES), *before]

    def _seconded(self) -> list[str]:
        """The act that answers what the customer asked in passing, once."""
        said = self.telling.said()
        return ["a.second"] if "c.second" in said and "a.second" not in said else []

    def _finds(self) -> list[str]:
        """The order, found once."""
        telling = self.telling
        if telling.found:
            return []
        found = telling.find()
        if not self.plot.identifies:
            return found
        # Nobody tells a bank unasked who they are: who isn't asked has written while signed in.
        if not telling.identified:
            return ["a.signed_in", *found]
        just_now = "c.identify" in telling.turns[-1].beats
        return ["a.identified", *found] if just_now else found

    def _opening(self) -> None:
        plot, telling, rng = self.plot, self.telling, self.rng
        wordy = plot.verbosity == "wordy"
        rambles = wordy and rng.random() < RAMBLES
        beats = ["c.greet", "issue.complaint", *self._stakes_and_signs()]
        beats += placing_acts(telling, NAMES_THING)
        if plot.knows_order:
            beats.append("c.order")
            telling.order_told = True
        beats += self._background(rambles)
        beats += self._trouble(rambles)
        if plot.evidence and (not plot.cause or self._sends_at_once()):
            beats.append(telling.send())
        wishes = telling.wishes()
        beats += wishes or telling.maybe("c.wish.open", ASKS_FOR_HELP)
        if "c.wish" in wishes:
            beats += telling.maybe("c.wish.why", EXPLAINS_WISH[plot.verbosity])
        if plot.letters:
            beats.append("c.story.hope")
        if wordy and rng.random() < ADDS_POSTSCRIPT:
            beats.append("c.ps")
        telling.say(CUSTOMER, [*beats, "c.sign"])

    def _background(self, rambles: bool) -> list[str]:
        """What the customer says of themself: only what the agent will take up."""
        plot = self.plot
        told: list[str] = []
        if plot.ordered_before and plot.granted and self.core:
            chance = 1.0 if rambles else TELLS_BACKGROUND[plot.verbosity]
            told += self.telling.maybe("c.loyal", chance)
        return [*told, "c.before"] if plot.before else told

    def _trouble(self, rambles: bool) -> list[str]:
        """What it took and what it means to the customer; a whole story of those who write one."""
        verbosity = self.plot.verbosity
        if self.plot.letters:
            return ["c.story.day", "c.story.did", "issue.impact"]
        tried = self.telling.maybe("c.tried", TELLS_TRIED[verbosity])
        chance = 1.0 if rambles else TELLS_IMPACT[verbosity]
        return [*tried, *self.telling.maybe("issue.impact", chance)]

    def _stakes_and_signs(self) -> list[str]:
        """What is at stake, and the first sign; the sign alone where it must tell both."""
        sign = self.plot.stake_in
        if sign and sign == self._must_tell():
            return self._unasked()
        stake = self.telling.stake()
        return [*stake, *self._unasked()]

    def _must_tell(self) -> str:
        """The sign that decides and that nobody will ask for; "" for none."""
        asks = "ask" in self.chosen or "half" in self.chosen
        return self.plot.tells if self.plot.known_by == ANSWER and not asks else ""

    def _sends_at_once(self) -> bool:
        return "evidence" not in self.chosen

    def _unasked(self) -> list[str]:
        """The act that tells the first sign, or none; never the one that will be asked for."""
        plot = self.plot
        signs = [sign for sign, _ in plot.signs]
        asks = "ask" in self.chosen or "half" in self.chosen
        if self._must_tell():
            # Nobody will ask for what decides it: the customer says it by themself.
            return [self.telling.tell(plot.tells)]
        if asks and (len(signs) < 2 or plot.tells in ("", signs[0])):
            return []
        if self.rng.random() >= TELLS_UNASKED[plot.verbosity]:
            return []
        # What is at stake has been told as such.
        return [self.telling.tell(sign) for sign in signs[:1] if sign not in self.telling.told]

    def _again(self) -> None:
        """The customer writes again before an answer: what was forgotten, or a correction."""
        telling, plot = self.telling, self.plot
        asks = {"ask", "half"} & set(self.chosen)
        spare = [sign for sign in telling.untold() if not asks or sign != plot.tells]
        first = plot.signs[0][0] if plot.signs else ""
        if first not in spare or (len(telling.untold()) == 1 and asks):
            spare = []
        if spare:
            self._customer(["c.more", telling.tell(first)], soon=True)
        elif not telling.order_told and not plot.identifies and "lookup" not in self.chosen:
            telling.order_told = True
            self._customer(["c.more.order", "c.order"], soon=True)
        else:
            self._chase()

    def _lookup(self) -> None:
        """The desk asks for what it needs to find or to identify somebody."""
        telling, plot = self.telling, self.plot
        ask = ["a.identify"] if plot.identifies else []
        if not telling.order_told:
            ask.append("a.ask_order")
        self._agent(
            [
                *self._first_answer(),
                *(ask or ["a.identify"]),
            ]
        )
        answer = []
        if plot.identifies:
            answer.append("c.identify")
            telling.identified = True
        if not telling.order_told:
            answer.append("c.order.found")
            telling.order_told = True
        self._customer(answer)

    def _wrong(self) -> None:
        """The wrong order is looked up and put right."""
        telling = self.telling
        self._agent([*self._first_answer(), "a.wrong"])
        telling.order_told = True
        self._customer(["c.wrong", "c.order"])

    def _questions(self) -> list[str]:
        """The signs asked for in one mail: one or two, the telling one among them."""
        untold = self.telling.untold()
        if len(untold) > 1 and self.rng.random() < ASKS_TWICE_AT_ONCE:
            return untold[:2]
        return untold[:1]

    def _ask(self) -> None:
        telling = self.telling
        signs = self._questions()
        if not signs:
            self._progress()
            self._chase()
            return
        asked = [telling.ask(sign) for sign in signs]
        if len(asked) > 1:
            asked.insert(1, "a.ask.also")
        self._agent(
            [
                *self._first_answer(),
                *self._finds(),
                *asked,
            ]
        )
        second = self.telling.maybe("c.second", PASSES_ON_SECOND)
        self._customer([*[telling.tell(sign) for sign in signs], *second])

    def _half(self) -> None:
        """Two questions, of which one is answered; or one that is answered beside the point."""
        telling = self.telling
        signs = telling.untold()[:2]
        asked = [telling.ask(sign) for sign in signs]
        if len(asked) > 1:
            asked.insert(1, "a.ask.also")
        self._agent(
            [
                *self._first_answer(),
                *self._finds(),
                *(asked or ["a.wait"]),
            ]
        )
        left, others = signs[:1], signs[1:]
        beside, lead = telling.beside()
        if others:
            beside, lead = "", "a.again"
        self._customer([telling.tell(sign) for sign in others] or [beside])
        again = [telling.ask(sign) for sign in left]
        self._agent([lead, *again] if again else ["a.still"])
        self._customer([telling.tell(sign) for sign in left] or ["c.chase"])

    def _evidence(self) -> None:
        telling, plot = self.telling, self.plot
        self._agent(
            [
                *self._first_answer(),
                *self._finds(),
                f"a.evidence.{plot.evidence}",
            ]
        )
        self._customer([telling.send()])

    def _no_file(self) -> None:
        form = ASKED_FORMS[self.plot.known_by]
        self._agent(
            [
                *self._first_answer(),
                *self._finds(),
                f"a.evidence.{form}",
            ]
        )
        self._customer(["c.no_file"])

    def _transfer(self) -> None:
        self._agent([*self._first_answer(), "a.transfer"])

    def _step(self) -> None:
        before = [*self._first_answer(), *self._finds(), *self.telling.seen_file()]
        self._agent([*before, f"a.step.{self.plot.step}"])
        self.telling.waiting = True

    def _progress(self) -> None:
        again = any("a.wait" in turn.beats for turn in self.telling.turns)
        wait = "a.still" if again or self.telling.waiting else "a.wait"
        seen = self.telling.seen_file()
        # Nobody writes twice on one day that there is no news.
        last = self.telling.turns[-1]
        days = int(last.speaker == AGENT)
        said = [*self._first_answer(), *self._finds()]
        said += [*seen, *self._seconded(), wait]
        self._agent(said, days=days)

    def _chase(self) -> None:
        self._customer(["c.chase"])

    def _waiting(self) -> None:
        """The customer asks for news and the agent says that it takes time, as often as chosen."""
        asks, answers = self.chosen.count("chase"), self.chosen.count("progress")
        for place in range(max(asks, answers)):
            if place < asks:
                self._chase()
            if place < answers:
                self._progress()

    def _verdict(self) -> None:
        """The verdict and what is said to it."""
        other = self.plot.ending == OTHER
        # An objection stands between the refusal and what is given in its place.
        waits = other and (self.core == 5 or self.rng.random() < OBJECTS_IN_THREE)
        if self.plot.fixes and self.core < 5:
            waits = False
        self._resolve(asks=not self._decides_alone(), refuses_first=waits and self.core > 1)
        if self.core == 1:
            return
        if self.plot.ending == "declined":
            self._declines()
        elif waits:
            self._gives_instead()
        elif self._decides_alone():
            self._asked_after()
        else:
            self._taken()

    def _decides_alone(self) -> bool:
        """Whether the agent gives what was asked for without asking back."""
        return self.core == 1 or (self.plot.demanded and bool(self.plot.settles))

    def _asked_after(self) -> None:
        """The customer asks for a fact of what they get, and the agent tells it."""
        kind = self.telling.question()
        tells_later = "steps" in self.chosen and len(self.telling.untold_facts()) == 1
        if not kind or tells_later:
            self._back()
            return
        self._customer([self.telling.asks(kind)])
        farewell = self.telling.maybe("a.close", SAYS_FAREWELL)
        told = self.telling.fact(kind) if "steps" in self.chosen else self.telling.facts()
        self._agent(
            [
                *told,
                *self._advice(),
                *farewell,
            ]
        )

    def _taken(self) -> None:
        """The customer takes what is offered, some after a question, some with one."""
        telling = self.telling
        kind = telling.question()
        if self.core == 5:
            self._customer([telling.asks(kind)])
            self._agent(telling.fact(kind))
            kind = ""
        besides = self._asks_besides() if kind else []
        self._customer([*telling.accepts(), *besides])
        self._confirm()

    def _asks_besides(self) -> list[str]:
        """The act by which the customer asks something with their yes, or none."""
        kind = self.telling.question()
        if not kind or self.rng.random() >= ASKS_WITH_YES:
            return []
        self.telling.asked_fact = kind
        return [self.telling.asks(kind)]

    def _declines(self) -> None:
        """What is said to a refusal that stays one."""
        farewell = self.telling.maybe("a.close", SAYS_FAREWELL)
        said, answer = self._objection()
        self._customer([said])
        if self.core < 5:
            self._agent(
                [
                    *answer,
                    "a.deny.all",
                    *farewell,
                ]
            )
            return
        self._agent([*answer, "a.deny.all"])
        threatens = said != "c.threat" and self._threatens()
        self._customer(["c.threat" if threatens else "c.refused"])
        self._agent(["a.firm", *farewell])

    def _gives_instead(self) -> None:
        """What is given in another's place, once the customer has said something to the refusal."""
        said, answer = self.telling.objection()
        self._customer([said])
        if self.core < 5:
            closing = self.telling.maybe("a.close", SAYS_FAREWELL)
            arranged = [*self.telling.gives(), *self._arranged()]
            self._agent([answer, *arranged, *self._advice(), *closing])
            return
        self._agent([answer, *self.telling.alternative(), "a.offer.open"])
        self._customer([*self.telling.accepts(), *self._asks_besides()])
        self._confirm()

    def _objection(self) -> tuple[str, list[str]]:
        """What the customer says to a final refusal, and the reason that they hear, if any."""
        if self._threatens():
            return "c.threat", []
        said, answer = self.telling.objection()
        # That the answer stays the same is said by the refusal itself.
        return said, [answer] if said == "c.why_not" else []

    def _threatens(self) -> bool:
        return self.rng.random() < THREATENS.get(self.plot.tone, 0.05)

    def _resolve(self, asks: bool, refuses_first: bool) -> None:
        """The mail that decides; with `refuses_first` what is given instead comes later."""
        telling, plot = self.telling, self.plot
        before = [*self._first_answer(), *self._finds()]
        days = 0
        before += telling.seen_file()
        if telling.waiting:
            before.append(f"a.step_back.{plot.step}")
            telling.stepped = True
            days = plot.step_days
        elif any("a.wait" in turn.beats for turn in telling.turns):
            before += telling.maybe("a.progress", THANKS_FOR_WAITING)
            # Who has asked for a day takes it.
            days = int(telling.turns[-1].speaker == AGENT)
        found = telling.findings()
        if "a.progress" in before:
            # Who is back from checking has said that they checked.
            found = [beat for beat in found if beat != "a.looked"]
        said = [*before, *found, *telling.calms()]
        said += telling.refuses() if plot.refuses else []
        if "c.loyal" in telling.said():
            said.append("a.loyal")
        if plot.granted and not refuses_first:
            said += self._granted(asks)
        if not asks:
            said += self._advice()
        said += self._seconded()
        self._agent(
            [
                *said,
                *([] if asks else telling.maybe("a.close", SAYS_FAREWELL)),
            ],
            days,
        )

    def _granted(self, asks: bool) -> list[str]:
        """What is offered, and whether it is wanted; or what is given without asking."""
        other = self.plot.ending == OTHER
        if asks:
            offers = self.telling.alternative() if other else self.telling.offers()
            return [*offers, "a.offer.open"]
        granted = self.telling.gives()
        if self.core == 1 or other:
            return [*granted, *self._arranged()]
        # The customer has a question of their own to ask.
        left = 2 if "steps" in self.chosen else 1
        told: list[str] = []
        for kind in self.plot.settles[:-left]:
            told += self.telling.fact(kind)
        return [*granted, *told, *self._told_number()]

    def _arranged(self) -> list[str]:
        """What is said of something that is given: the sum, the next steps, the number."""
        return [*self.telling.amount(), *self._told_steps(), *self._told_number()]

    def _advice(self) -> list[str]:
        if self.plot.cause and any("issue.cause" in beat for beat in self.telling.said()):
            return self.telling.maybe(f"issue.advice.{self.plot.cause}", ADVISES)
        return []

    def _told_steps(self) -> list[str]:
        """What happens next; as much as must be told now, where a mail of its own says the rest."""
        telling = self.telling
        if "steps" not in self.chosen:
            return telling.steps()
        untold = telling.untold_facts()
        if telling.asked_fact in untold:
            return telling.fact(telling.asked_fact)
        return telling.fact(untold[0]) if len(untold) > 1 else []

    def _told_number(self) -> list[str]:
        return self.telling.maybe("a.number", NAMES_NUMBER)

    def _confirm(self) -> None:
        said = ["a.confirm", *self._arranged()]
        closing = self.telling.maybe("a.close", SAYS_FAREWELL)
        self._agent(
            [
                *said,
                *self._advice(),
                *closing,
            ]
        )

    def _steps(self) -> None:
        """The agent has set it going, and writes once more what happens next."""
        lead = "a.done" if self.core > 1 else "a.next"
        self.telling.say(AGENT, [lead, *(self.telling.steps() or ["option.steps"]), "a.sign"])

    def _back(self) -> None:
        about = self.rng.choice(AFTERTHOUGHTS)
        self._customer([f"c.back.{about}"])
        self._agent([f"a.back_again.{about}", *self.telling.maybe("a.close", SAYS_FAREWELL)])

    def _thanks(self) -> None:
        if self.plot.ending == "declined":
            left = "c.refused" in self.telling.said() or self.rng.random() < 0.5
            self._customer(["c.give_up" if left else "c.refused"], signed=0.7)
        else:
            self._customer(self.telling.thanks(), signed=0.7)
