"""How an e-mail thread about a complaint goes, in exactly so many mails.

What the thread must have is its opening (`latent.mail_opening`) and what its ending takes
(`latent.mail_verdict`). The mails that are left go to what may happen between: questions, files, a
wrong order, days of waiting, mails that follow one's own. They are chosen by weight as far as there
is room, and stand in the order in which such things happen. Knows no words and no times.
"""

import random
from dataclasses import replace

from latent.dialogue import AGENT, ASKED_FORMS, Plot, Turn
from latent.hand_over import TEAM, with_agents
from latent.mail_choice import REMINDER, chosen_for, core_size
from latent.mail_opening import MailOpening
from latent.mail_turns import MailTurns
from latent.mail_verdict import MailVerdict
from latent.telling import MISSED, STOCK, Telling, chase

BEFORE = (
    "again",
    "stock",
    "lookup",
    "wrong",
    "more",
    "half",
    "ask",
    "evidence",
    "no_file",
    "test",
    "transfer",
    "step",
)
AFTER = ("steps", "back", "thanks")

# How many working days a desk waits for an answer before it asks again, and how many of those who
# are asked again excuse themselves. By eye.
REMINDS_AFTER = (2, 5)
EXCUSES = 0.7
# Who writes again before an answer adds something in so many threads; the others ask for news.
ADDS = 0.2
# Who writes again at once and has not told a number adds that in so many threads. By eye.
ADDS_NUMBER = 0.7
# Who answers brings up another matter in so few threads. By eye.
PASSES_ON_SECOND = 0.04
# Who has answered what was asked adds a word to it in so few cases: whether it helps, or what else
# they can send. Nobody answers that. Chosen by eye.
ADDS_TO_ANSWER = {"terse": 0.0, "medium": 0.03, "wordy": 0.08}


def thread(rng: random.Random, plot: Plot, messages: int) -> tuple[list[Turn], str]:
    """The turns of a thread of exactly `messages` mails, and who decided its outcome."""
    telling = Telling(rng, plot)
    core = core_size(rng, plot, messages - 1)
    chosen = chosen_for(rng, plot, messages - 1 - core)
    _Writer(MailTurns(telling, chosen, core)).write()
    _name_product(telling)
    return with_agents(rng, telling.turns, plot.transfers, plot.passed), telling.decided_by


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

    def __init__(self, mails: MailTurns) -> None:
        self.mails = mails
        self.telling = mails.telling
        self.plot = mails.plot
        self.chosen = mails.chosen
        self.verdict = MailVerdict(mails)
        self.reminds = REMINDER in mails.chosen

    def write(self) -> None:
        """All turns, by whoever makes them."""
        MailOpening(self.mails).write()
        for name in self._in_order():
            for _ in range(self.chosen.count(name)):
                getattr(self, f"_{name}")()
        if self.reminds:
            # Nobody was asked anything.
            self._progress()
        self._waiting()
        if self.mails.core:
            self.verdict.write()
        after = {
            "steps": self.verdict.sets_going,
            "back": self.verdict.comes_back,
            "thanks": self.verdict.thanks,
        }
        for name in AFTER:
            for _ in range(self.chosen.count(name)):
                after[name]()

    def _in_order(self) -> list[str]:
        """What may happen before the verdict: whose group does other cases passes it on at once."""
        order = list(BEFORE)
        if TEAM in self.plot.passed[:1]:
            order.remove("transfer")
            order.insert(order.index("more"), "transfer")
        return order

    def _again(self) -> None:
        """The customer writes again before an answer: what was forgotten, or a correction."""
        telling = self.telling
        plot = self.plot
        asks = {"ask", "half"} & set(self.chosen)
        spare = [sign for sign in telling.untold() if not asks or sign != plot.tells]
        first = plot.signs[0][0] if plot.signs else ""
        if first not in spare or (len(telling.untold()) == 1 and asks):
            spare = []
        lacks_order = not telling.order_told and not plot.identifies
        lacks_order = lacks_order and "lookup" not in self.chosen
        # A number is of use to the desk; what else comes to mind mostly decides nothing, unless
        # it is all that is ever told.
        shown = telling.sent or "evidence" in self.chosen
        enough = bool(asks or shown or telling.told)
        if enough and telling.rng.random() >= ADDS:
            self._chase()
            return
        adds_number = enough and telling.rng.random() < ADDS_NUMBER
        if lacks_order and (not spare or adds_number):
            telling.order_told = True
            self.mails.customer(["c.more.order", "c.order"], soon=True)
        elif spare:
            self.mails.customer(["c.more", telling.tell(first)], soon=True)
        else:
            self._chase()

    def _answers(self, beats: list[str]) -> None:
        """The customer answers, or does so once the desk has asked again after days of silence."""
        late: list[str] = []
        if self.reminds:
            self.reminds = False
            self.mails.agent(["a.remind"], days=self.telling.rng.randint(*REMINDS_AFTER))
            late = self.telling.maybe("c.reminded", EXCUSES)
        self.mails.customer([*late, *beats])

    def _stock(self) -> None:
        """The desk answers before it has read what was written, and the customer says so."""
        self.mails.agent([STOCK])
        self.mails.customer([MISSED])

    def _lookup(self) -> None:
        """The desk asks for what it needs to find or to identify somebody."""
        telling = self.telling
        plot = self.plot
        ask = ["a.identify"] if plot.identifies else []
        # Who knows who it is asks for a number only where there is more than one thing.
        asks_number = not telling.order_told and (plot.others or not plot.identifies)
        if asks_number:
            ask.append("a.ask_order")
        self.mails.agent([*self.mails.first_answer(), *(ask or ["a.identify"])])
        answer = []
        if plot.identifies:
            answer.append("c.identify")
            telling.identified = True
        if asks_number:
            answer.append("c.order.found")
            telling.order_told = True
        self._answers(answer)

    def _wrong(self) -> None:
        """The wrong order is looked up and put right."""
        self.mails.agent([*self.mails.first_answer(), "a.wrong"])
        self.telling.order_told = True
        self.mails.customer(["c.wrong", "c.order"])

    def _asked(self) -> list[str]:
        """The signs that the agent asks for; where none decides, it is waited for instead."""
        telling = self.telling
        signs = telling.decisive()
        if signs:
            heard = telling.hears()
            self.mails.agent([*self.mails.takes_up(), *heard, *map(telling.ask, signs)])
        else:
            self._progress()
            self._chase()
        return signs

    def _more(self) -> None:
        """A question whose answer does not decide it, before the one that does."""
        telling = self.telling
        others = [sign for sign in telling.untold() if sign != self.plot.tells]
        if not others or not telling.decisive():
            # There is as much room as for the question that decides.
            self._ask()
            return
        self.mails.agent([*self.mails.takes_up(), telling.ask(others[0])])
        self._answers([telling.tell(others[0])])

    def _ask(self) -> None:
        telling = self.telling
        signs = self._asked()
        if not signs:
            return
        second = telling.maybe("c.second", PASSES_ON_SECOND)
        adds = telling.maybe("c.answered", ADDS_TO_ANSWER[self.plot.verbosity])
        told = [telling.tell(sign) for sign in signs]
        self._answers([*told, *telling.has_tested(), *(second or adds)])

    def _half(self) -> None:
        """A question that is answered beside the point, and asked again."""
        telling = self.telling
        signs = self._asked()
        if not signs:
            # There is as much room as for two questions.
            self._asked()
            return
        beside, lead = telling.beside()
        self.mails.customer([beside])
        self.mails.agent([lead, *map(telling.ask, signs)])
        self.mails.customer([telling.tell(sign) for sign in signs])

    def _evidence(self) -> None:
        asks = f"a.evidence.{self.plot.evidence}"
        self.mails.agent([*self.mails.takes_up(), *self.telling.hears(), asks])
        self._answers([self.telling.send()])

    def _no_file(self) -> None:
        form = ASKED_FORMS[self.plot.known_by]
        asks = f"a.evidence.{form}"
        self.mails.agent([*self.mails.takes_up(), *self.telling.hears(), asks])
        self._answers(["c.no_file"])

    def _test(self) -> None:
        """The customer tries one thing, which changes nothing; where none is left, they wait."""
        test = self.telling.test()
        if not test:
            self._progress()
            self._chase()
            return
        before = [*self.mails.takes_up(), *self.telling.hears(), *self.telling.seen_file()]
        self.mails.agent([*before, f"a.test.{test}"])
        self.mails.customer([self.telling.tries(test)])

    def _transfer(self) -> None:
        # Who passes it on promises no look of their own.
        taken_up = ("a.ack", "a.ack.open")
        first = [act for act in self.mails.first_answer() if act not in taken_up]
        self.mails.agent([*first, *self.telling.hears(), "a.transfer"])

    def _step(self) -> None:
        before = [*self.mails.takes_up(), *self.telling.hears(), *self.telling.seen_file()]
        self.mails.agent([*before, f"a.step.{self.plot.step}"])
        self.telling.waiting = True

    def _progress(self) -> None:
        """The agent says that it takes time: whom they ask, where somebody has to be asked."""
        telling = self.telling
        wait = "a.still" if self._has_waited() else "a.wait"
        if wait == "a.wait" and self.plot.step:
            wait = f"a.step.{self.plot.step}"
            telling.waiting = True
        seen = telling.seen_file()
        # Nobody writes twice on one day that there is no news.
        last = telling.turns[-1]
        days = int(last.speaker == AGENT)
        heard = telling.hears()
        said = [*self.mails.takes_up(), *heard, *seen, *self.mails.seconded(), wait]
        self.mails.agent(said, days=days)

    def _has_waited(self) -> bool:
        """Whether the customer has been told already that it takes time."""
        said = any("a.wait" in turn.beats for turn in self.telling.turns)
        return said or self.telling.waiting

    def _chase(self) -> None:
        self.mails.customer([self._news()])

    def _news(self) -> str:
        """The act by which the customer asks for news by now."""
        return chase(self.telling.rng, self.telling.turns)

    def _waiting(self) -> None:
        """The customer asks for news and the agent says that it takes time, as often as chosen."""
        asks = self.chosen.count("chase")
        answers = self.chosen.count("progress")
        # Whom nobody helps in the end asks once more: a promise is seldom the last word.
        promised_first = not self.plot.resolved and asks == answers
        for place in range(max(asks, answers)):
            if promised_first and place < answers:
                self._progress()
            if place < asks:
                self._chase()
            if not promised_first and place < answers:
                self._progress()
