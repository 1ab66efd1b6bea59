"""How a live chat about a complaint goes: three lines or forty, and not always in turns.

A chat is planned as turns of several acts, in the order in which people get such a thing done: what
is wrong, who they are, the questions whose answers matter, a look at what only the desk can see,
what was found, what is done about it, and whatever the customer says to that. `latent.chat_lines`
cuts the turns into the lines that people send. Some visitors are served in three lines, some leave,
some stay for half an hour. Knows no words and no times.
"""

import random
from collections.abc import Mapping
from dataclasses import replace

from latent.amends import ASKS_FOR_MORE, COSTS, TELLS_COST
from latent.chat_lines import KINDS, LONG, QUICK, USUAL, in_lines
from latent.checking import HOME, to_check
from latent.dialogue import (
    AGENT,
    ANSWER,
    ASKED_FORMS,
    CUSTOMER,
    FILES,
    MEND,
    OTHER,
    WELCOMES,
    Plot,
    Turn,
)
from latent.hand_over import HIGHER, TEAM, with_agents
from latent.telling import (
    ASSURES,
    CROSS,
    DOUBT,
    LEFT_OPEN,
    MISSED,
    NEEDED,
    STOCK,
    WORKS,
    Telling,
    placing_acts,
)
from latent.wondering import of_finding, of_remedy

SHORTEST_CHAT = 3

# How often something happens that may happen. All chosen by eye; most visitors say at once what it
# is about, and those who talk for long ask first whether anybody is there.
CALLS_FIRST = {QUICK: 0.0, USUAL: 0.08, LONG: 0.45}
GREETS = 0.5
LEAVES = 0.05
# Some agents greet whoever comes in before they have read a word, as desks tell them to, and the
# visitor goes straight to the matter, most of them without a greeting. By eye.
DESK_FIRST = {QUICK: 0.25, USUAL: 0.4, LONG: 0.3}
GREETS_BACK = 0.35
# And some answer by what they keep for such a problem before they have read all of it. By eye.
ANSWERS_BY_STOCK = {QUICK: 0.0, USUAL: 0.1, LONG: 0.22}
# Who has a message on their screen, or a torn seam in their hand, mostly says so with the
# complaint. By eye.
TELLS_WHAT_SHOWS = 0.55
LOOKS_UP = {QUICK: 0.0, USUAL: 0.65, LONG: 0.9}
# Whoever opens the chat from their own pages has signed in there, and is asked for nothing more.
SIGNED_IN = {QUICK: 1.0, USUAL: 0.35, LONG: 0.1}
# Who is asked for three things at once leaves out one of them in so many chats. By eye.
LEAVES_OUT = {QUICK: 0.0, USUAL: 0.15, LONG: 0.28}
# What the visitor has not told is looked up while they wait; what they have seldom takes a look.
HOLDS_TO_LOOK = {QUICK: 0.35, USUAL: 0.9, LONG: 0.95}
HOLDS = {QUICK: 0.0, USUAL: 0.12, LONG: 0.4}
# Who is asked for a moment mostly just waits: a desk's line stands there, and then nothing until
# somebody is back. A few grow impatient, or hear unasked that it takes longer. By eye.
AGREES_TO_HOLD = {QUICK: 0.25, USUAL: 0.25, LONG: 0.35}
ANSWERS_TRANSFER = 0.6
ASKS_WHETHER_THERE = {QUICK: 0.0, USUAL: 0.04, LONG: 0.1}
HOLDS_ON = 0.05
SAYS_BACK = 0.45
# Who talks for long is asked for what decides nothing, too, in so many chats for each such thing:
# agents ask all that they would need to see whose fault it is. By eye.
ASKS_BESIDES = {QUICK: 0.0, USUAL: 0.0, LONG: 0.9}
ASKS_MORE = {QUICK: 0.0, USUAL: 0.45, LONG: 0.95}
# Who needs a file asks for one that never comes, too, in so many chats.
ASKS_IN_VAIN = {QUICK: 0.0, USUAL: 0.6, LONG: 1.0}
# Who has a fault that can be tried out is asked to try one thing in so many chats. By eye: agents
# begin with what costs nobody anything.
HAS_IT_TESTED = {QUICK: 0.0, USUAL: 0.4, LONG: 0.85}
# Who hears that it is mended, and can try it out at once, says whether it works in so many chats.
TRIES_IT = {QUICK: 0.0, USUAL: 0.5, LONG: 0.7}
ANSWERS_BESIDE = {QUICK: 0.0, USUAL: 0.02, LONG: 0.07}
# Who has been told why something is asked doesn't ask again at the next question.
DODGES = frozenset({"c.why", "c.unclear"})
# Most of those who don't answer ask why it matters; the others have not understood: agents ask
# plainly.
ASKS_BACK = 0.75
# Who hears that their word is enough mostly says by themselves what they want now.
VOLUNTEERS = 0.5
# How many agents ask which it shall be, another pair or the money, before they offer either.
ASKS_CHOICE = {QUICK: 0.15, USUAL: 0.45, LONG: 0.45}
SECOND_PROBLEM = {QUICK: 0.0, USUAL: 0.01, LONG: 0.05}
TYPES_ORDER = 0.35
OBJECTS = 0.7
# Who talks for long asks for somebody above once the agent stays with it, in so many chats. By eye.
GOES_HIGHER = {QUICK: 0.0, USUAL: 0.0, LONG: 0.5}
THREATENS = {"angry": 0.35, "annoyed": 0.18}
THREATENS_CALMLY = 0.03
GIVES_UP = 0.45
TURNS_DOWN = 0.12
SAYS_STEPS = 0.75
# Who was not told with an offer how much it is, or when, asks for one of these before they say yes
# in so many chats; the rest comes with the answer. By eye.
ASKS_FIRST = {QUICK: 0.0, USUAL: 0.8, LONG: 0.9}
# And of what was given at once, without an offer; all others are told everything with it.
ASKS_OF_GRANT = {QUICK: 0.0, USUAL: 0.05, LONG: 0.15}
# Who hears what was found, or what is done about it, asks what anybody would in so many chats. By
# eye: whoever gets an explanation has a question to it as often as not.
WONDERS_AT_FINDING = {QUICK: 0.0, USUAL: 0.3, LONG: 0.5}
WONDERS_AT_REMEDY = {QUICK: 0.05, USUAL: 0.22, LONG: 0.4}
# Who talks for long and has no such question asks once it is set up what happens if that doesn't
# help, for something in writing, how they will know, or what is left to do; one of these. By eye.
ASKS_AFTERWARDS = {QUICK: 0.0, USUAL: 0.0, LONG: 0.12}
IF_NOT, WRITTEN = "c.if_not", "c.written"
NEWS, TO_DO = "c.back.news", "c.back.todo"
AFTERWARDS = {
    IF_NOT: "a.if_not",
    WRITTEN: "a.written",
    NEWS: "a.back_again.news",
    TO_DO: "a.back_again.todo",
}
# So few say a word to what went wrong before they hear what is done about it: an agent who knows
# what it was goes on to that at once. By eye.
REACTS = {QUICK: 0.0, USUAL: 0.04, LONG: 0.35}
# Some of those who are given something for the trouble say then what it has cost them. By eye.
NAMES_COST = {QUICK: 0.0, USUAL: 0.06, LONG: 0.2}
# Before something is sent, paid or arranged, a few agents make sure where, when and how. By eye:
# the desk has it on file.
MAKES_SURE = {QUICK: 0.0, USUAL: 0.06, LONG: 0.2}
# Who was told everything puts in a word of their own before the last question in so few chats.
NODS_LAST = 0.08
# Agents say with an offer how much it is, or when, in so many chats. By eye.
TELLS_WITH_OFFER = {QUICK: 0.95, USUAL: 0.95, LONG: 0.8}
ADVISES = 0.4
THANKS = 0.96
# Who got at once what they asked for has not answered yet: hardly anybody leaves it at that.
ANSWERS_GRANT = 0.88
QUICKLY_THANKS = 0.85
SAYS_BYE = {QUICK: 0.7, USUAL: 0.75, LONG: 0.8}
# How a chat ends in which something was arranged: some close the window without a word, and some of
# those who are asked whether there is anything else have gone by then. In half of those cases the
# agent closes the chat, in the others the window does. By eye.
JUST_LEAVES = 0.12
HAS_GONE = 0.12
AGENT_CLOSES = 0.8
ASKS_WHAT_ELSE = {QUICK: 0.0, USUAL: 0.75, LONG: 0.85}
# Nobody asks somebody in a temper so lightly what else they can do.
ASKS_THE_CROSS = 0.45
# A few of those ask in the same breath in which they tell what is set up: two things at once want
# two answers. By eye.
ASKS_WITH_IT = 0.15
NAMES_NUMBER = 0.5
ASKS_HOW_LONG = 0.75
LACKS_NUMBER = 0.2
ACKNOWLEDGES = 0.6
# Who knows from the start what they want mostly says so only once somebody has looked at it.
WISHES_AT_ONCE = 0.3
# Who is to hear that nothing went wrong has asked for something before that, mostly. By eye.
WISHES_IN_VAIN = 0.85
# The chat itself names the page that it was opened on.
NAMES_THING = 0.1

# In nearly all long chats all is gone into that can be: every question, what can be tried, whatever
# the customer wants to know, and a matter besides. By eye: such are the chats of half an hour.
IS_INVOLVED = 0.9
INVOLVED = 0.9

# Whom an agent can ask while a visitor waits; warehouses, carriers and engineers answer in days.
AT_ONCE = frozenset({"back_office", "supervisor"})

# By this a customer wants the problem put right.
OWN_WISH = ["c.wish.own"]

# Facts of what nobody arranges for somebody who has left.
NEEDS_YES = frozenset({"return", "visit", "session"})

# By these a visitor asks for somebody who can decide otherwise, and an agent tells what they said,
# once they have gone to ask.
ASKS_HIGHER = "c.manager"
HAS_ASKED = "a.asked"
GOES_TO_ASK = "a.step.supervisor"
REASON = "a.because."

# How the acts begin by which an agent asks who or what it is about.
ASKS = ("issue.ask.", "a.ask_order", "a.identify", "a.evidence.", "a.test.")

# Nobody who types into a window says roughly when they bought it before anybody has asked.
UNASKED = ("rough",)

# How the acts begin that say what was found out: whoever hears one may answer with a wish.
CAUSES = ("issue.cause.", "issue.mend")
LOOKED_INTO = ("issue.cause.", "issue.mend", *LEFT_OPEN)
FINDINGS = ("issue.cause.", "issue.mend", "issue.noted", "a.unsure", "a.traced", "a.trust")


def chat(rng: random.Random, plot: Plot) -> tuple[list[Turn], str]:
    """The lines of a chat, and who decided its outcome."""
    (kind,) = rng.choices(list(KINDS), list(KINDS.values()))
    if plot.refuses and kind == QUICK:
        # Nobody is refused something after a single line.
        kind = USUAL
    telling = Telling(rng, plot)
    _ChatWriter(telling, kind).write()
    turns = with_agents(rng, telling.turns, plot.transfers, plot.passed)
    return in_lines(rng, plot.doubles, turns, kind), telling.decided_by


class _ChatWriter:
    """Says what happens in one chat, turn by turn."""

    def __init__(self, telling: Telling, kind: str) -> None:
        self.telling = telling
        self.plot = telling.plot
        self.rng = telling.rng
        self.kind = kind
        self.checked_who: list[str] = []
        self.involved = kind == LONG and self._chance(IS_INVOLVED)
        self.goes_higher = self.plot.transfers == 1 and self.plot.passed[-1:] == (HIGHER,)

    def write(self) -> None:
        """All turns."""
        self._opening()
        self._stock()
        if self.kind != QUICK:
            self._identity()
        # Whose group does other cases says so before they ask anything; who may not decide what
        # was found says so once that is known.
        at_once = TEAM in self.plot.passed[:1]
        if at_once:
            self._transfers()
        if self.kind != QUICK:
            self._questions()
        if not at_once and not self.goes_higher:
            self._transfers()
        if self.kind != QUICK:
            self._evidence()
            self._test()
        self._hold()
        self._verdict()
        if len(self.telling.turns) < SHORTEST_CHAT:
            # A question and its answer are no chat yet.
            self._customer(*self.telling.thanks())

    def _chance(self, chance: float) -> bool:
        return self.rng.random() < chance

    def _happens(self, chances: Mapping[str, float]) -> bool:
        """Whether something happens in a chat of this kind; mostly, where all is gone into."""
        chance = chances[self.kind]
        return self._chance(max(chance, INVOLVED) if self.involved else chance)

    def _customer(self, *beats: str) -> None:
        self.telling.say(CUSTOMER, beats)

    def _agent(self, *beats: str) -> None:
        """An agent's turn; the first one greets, and mostly says a word on what happened."""
        spoken = [turn.beats for turn in self.telling.turns if turn.speaker == AGENT]
        answered = any(said != (WELCOMES,) for said in spoken)
        hello = [] if spoken else ["a.hello"]
        complained = "issue.complaint" in self.telling.said()
        if complained and not answered and self.kind != QUICK and beats != (STOCK,):
            hello += self.telling.need() or self._acknowledges()
        # What came unasked is looked at before anything else is said.
        hello += self.telling.seen_file() if not answered and beats != (STOCK,) else []
        # Where the next thing said is the cause, what was found takes up the answer.
        found = any(act.startswith(FINDINGS) for act in beats)
        heard = [] if found else self.telling.hears()
        checked, self.checked_who = self.checked_who, []
        owned = self.telling.owns_up()
        self.telling.say(AGENT, (*hello, *owned, *checked, *heard, *beats))

    def _acknowledges(self) -> list[str]:
        return self.telling.maybe(self.telling.acknowledges(), ACKNOWLEDGES)

    def _opening(self) -> None:
        plot = self.plot
        telling = self.telling
        said: list[str] = []
        if self._chance(CALLS_FIRST[self.kind]):
            self._customer("c.hello.call")
            self._agent("a.help")
        elif self._chance(DESK_FIRST[self.kind]):
            telling.say(AGENT, (WELCOMES,))
            said = telling.maybe("c.hello", GREETS_BACK)
        else:
            said = telling.maybe("c.hello", GREETS)
        said.append("issue.complaint")
        if self.kind == QUICK and plot.tells:
            # There will be no question: who is served at once says what matters.
            said.append(telling.tell(plot.tells))
        aside = ["c.before"] if plot.before else []
        if plot.needed:
            aside = [NEEDED]
        elif self.kind != QUICK and not plot.before:
            aside = telling.for_whom()
        # The complaint and which thing it is go together: in a later line that would be news.
        place = said.index("issue.complaint") + 1
        said[place:place] = placing_acts(telling, NAMES_THING, UNASKED)
        said += [*telling.stake(), *self._seen(), *aside]
        if plot.knows_order:
            # Others have typed it into the form that comes before the chat.
            said += telling.maybe("c.order", TYPES_ORDER)
            telling.order_told = True
        if plot.evidence and (self.kind == QUICK or not plot.asks_file):
            said.append(telling.send())
        if not plot.own_wish or not plot.refuses:
            # Nobody asks for a courtesy before somebody has looked at the problem.
            said += self._wishes_at_once()
        elif plot.blameless and self._chance(WISHES_IN_VAIN):
            # Who hears that nothing went wrong asks for no courtesy after that.
            said += telling.wishes()
        self._customer(*said)

    def _stock(self) -> None:
        """The agent answers before they have read it all, and the visitor says so."""
        if self.plot.stock and self._chance(ANSWERS_BY_STOCK[self.kind]):
            self._agent(STOCK)
            self._customer(MISSED)

    def _seen(self) -> list[str]:
        """What a picture would show, told with the complaint: a message, the place, the number."""
        if self.kind == QUICK:
            return []
        telling = self.telling
        shown = [sign for sign in telling.untold() if sign in self.plot.pictured]
        shown = [sign for sign in shown if self._chance(TELLS_WHAT_SHOWS)][:1]
        return [telling.tell(sign) for sign in shown if sign != self.plot.tells]

    def _wishes_at_once(self) -> list[str]:
        # Nobody asks for what they have just been told that they can't have.
        at_once = self.plot.own_wish or self.plot.refuses or self.kind == QUICK
        at_once = at_once or self._chance(WISHES_AT_ONCE)
        wishes = self.telling.wishes() if at_once else []
        # What is to make good for the trouble is asked for once that was looked at.
        return [] if ASKS_FOR_MORE in wishes else wishes

    def _identity(self) -> None:
        """Who is writing, and about which order."""
        plot = self.plot
        telling = self.telling
        if plot.identifies and not self._chance(SIGNED_IN[self.kind]):
            self._agent("a.identify")
            self._identifies()
            telling.identified = True
            self.checked_who = ["a.identified"]
        # Who knows who it is asks for a number only where there is more than one thing.
        needed = not telling.order_told and (plot.others or not plot.identifies)
        if needed and self._chance(LOOKS_UP[self.kind]):
            self._agent("a.ask_order")
            if self._chance(LACKS_NUMBER):
                # The page that the chat was opened on tells the desk which order it is.
                self._customer("c.order.none")
                signed_in = plot.identifies and not telling.identified
                known = ["a.signed_in"] if signed_in else []
                self._agent(*known, *telling.find_by_name())
            else:
                self._customer("c.order.found")
                telling.order_told = True

    def _identifies(self) -> None:
        """The visitor says who they are; some leave out a part, and are asked for that."""
        if not self._chance(LEAVES_OUT[self.kind]):
            self._customer("c.identify")
            return
        self._customer("c.identify.part")
        self._agent("a.identify.rest")
        self._customer("c.identify.rest")

    def _found(self) -> list[str]:
        """The order, found once; who is served at once has signed in before."""
        telling = self.telling
        if telling.found:
            return []
        found = telling.find()
        if not {"c.order", "c.order.found"}.intersection(telling.said()):
            # Nobody is thanked for a number that stood in a form.
            found = [act for act in found if act != "a.found"]
        if "c.before" in telling.said():
            found.append("a.before")
        if self.plot.identifies and not telling.identified:
            return ["a.signed_in", *found]
        return found

    def _transfers(self) -> None:
        """The visitor is passed on: by somebody who has asked them something, or has looked."""
        if self.plot.transfers and not self._has_asked():
            self._agent(*self._found(), "a.hold")
        # Who takes over does something first: nobody passes on what they were just handed.
        if self.plot.transfers:
            self._agent("a.transfer")
            if self._chance(ANSWERS_TRANSFER):
                self._customer("c.transferred")

    def _has_asked(self) -> bool:
        """Whether an agent has asked for anything yet."""
        return any(beat.startswith(ASKS) for beat in self.telling.said())

    def _questions(self) -> None:
        """The questions whose answers matter; the one that decides comes last, and ends them."""
        for sign in self._asked_signs():
            self._asks(sign)

    def _asked_signs(self) -> list[str]:
        """The signs that are asked for: the one that decides, unless a file shows it anyway.

        Who is thorough asks for it before they have the file, too, and for others before that.
        """
        plot = self.plot
        others = [sign for sign in self.telling.untold() if plot.tells not in ("", sign)]
        besides = [sign for sign in others if self._happens(ASKS_BESIDES)]
        if plot.known_by in FILES and plot.evidence and not self._happens(ASKS_MORE):
            return besides
        return [*besides, *self.telling.decisive()]

    def _asks(self, sign: str) -> None:
        telling = self.telling
        self._agent(*self._found(), telling.ask(sign))
        if not DODGES.intersection(telling.said()) and self._chance(ANSWERS_BESIDE[self.kind]):
            asks_back = self._chance(ASKS_BACK)
            self._customer("c.why" if asks_back else "c.unclear")
            self._agent("a.why" if asks_back else "a.rephrase", telling.ask(sign))
        self._customer(telling.tell(sign), *telling.has_tested())

    def _evidence(self) -> None:
        plot = self.plot
        telling = self.telling
        if plot.asks_file:
            self._agent(*self._found(), f"a.evidence.{plot.evidence}")
            self._customer(telling.send())
        elif plot.known_by in FILES and self._happens(ASKS_IN_VAIN):
            self._agent(*self._found(), f"a.evidence.{ASKED_FORMS[plot.known_by]}")
            self._customer("c.no_file")

    def _test(self) -> None:
        """The visitor tries one thing, which changes nothing."""
        test = self.telling.test()
        if test and self._happens(HAS_IT_TESTED):
            seen = self.telling.seen_file()
            self._agent(*self._found(), *seen, f"a.test.{test}")
            self._customer(self.telling.tries(test))

    def _hold(self) -> None:
        """The visitor waits while the agent looks it up, or asks somebody who decides."""
        telling = self.telling
        plot = self.plot
        needs = self._asks_around()
        if "c.no_file" in telling.said() and not needs:
            # There is nothing to look at.
            return
        holds = HOLDS if self._knows_already() else HOLDS_TO_LOOK
        if not needs and not self._happens(holds):
            return
        # Who asks for a moment has not looked yet; who asks somebody else has.
        seen = telling.seen_file() if needs else []
        self._agent(*self._found(), *seen, f"a.step.{plot.step}" if needs else "a.hold")
        if self._chance(AGREES_TO_HOLD[self.kind]):
            self._customer("c.hold")
        self._still_looks()
        telling.waiting = True

    def _still_looks(self) -> None:
        """What is said while it takes longer, if anything."""
        if self._chance(ASKS_WHETHER_THERE[self.kind]):
            self._customer("c.there")
            self._agent("a.hold.on")
        elif self.kind == LONG and self._chance(HOLDS_ON):
            self._agent("a.hold.on")

    def _asks_around(self) -> bool:
        """Whether somebody has to be asked who answers while the visitor waits."""
        return self.plot.step in AT_ONCE and self.kind != QUICK

    def _knows_already(self) -> bool:
        """Whether the customer's answer or file has told all that there is to find."""
        by_answer = self.plot.known_by == ANSWER and not self.plot.in_records
        return by_answer or (self.telling.sent and self.plot.known_by in FILES)

    def _verdict(self) -> None:
        plot = self.plot
        telling = self.telling
        said = self._found()
        if telling.waiting:
            telling.stepped = self._asks_around()
            asked = [f"a.step_back.{plot.step}"]
            said += asked if telling.stepped else telling.maybe("a.back", SAYS_BACK)
        said += self._findings()
        said += telling.calms(said)
        said = self._tries_it(said)
        said = self._hears_of_it(self._hears_wish(said))
        if self.goes_higher:
            said = self._passes_up(said)
        if plot.ending == "declined":
            self._refusal(said)
        elif plot.ending == OTHER:
            self._second_best(said)
        elif telling.asked_for and (plot.settles or plot.fixes):
            self._grant(said)
        else:
            self._offer(said)

    def _passes_up(self, said: list[str]) -> list[str]:
        """Hands the case to somebody who may decide it, after what was found; nothing is left."""
        self._agent(*said, "a.transfer")
        if self._chance(ANSWERS_TRANSFER):
            self._customer("c.transferred")
        return []

    def _tries_it(self, said: list[str]) -> list[str]:
        """Lets the customer try out what was done about it; the rest of the verdict."""
        mended = any(act.startswith("issue.mend") for act in said)
        if not mended or not self.plot.at_once or not self._chance(TRIES_IT[self.kind]):
            return said
        self._agent(*said)
        self._customer(WORKS)
        return []

    def _grant(self, said: list[str]) -> None:
        """What was asked for is given at once, with what follows from it, or the first of that."""
        telling = self.telling
        if telling.given and self._leaves():
            # What was given needs no yes: it is told, and the chat is closed.
            self._agent(*said, *telling.gives(), *self._follows())
            self._agent("a.gone")
            self._agent("a.closing")
            return
        checked = self._to_check()
        # Who hears when somebody comes is told by that to be at home.
        checked = "" if checked == HOME else checked
        checks = [f"a.check.{checked}"] if checked else []
        # What nobody will ask for is told with what is given.
        tells_all = not checked and not self._chance(ASKS_OF_GRANT[self.kind])
        told = self._follows() if tells_all else self._first_fact()
        self._agent(*said, *telling.gives(), *told, *checks)
        if checked:
            self._customer(f"c.checked.{checked}")
        self._settled(granted=True)

    def _follows(self) -> list[str]:
        """All that follows from a grant: its facts, or what happens next where it has none."""
        return self.telling.facts() if self.plot.settles else self.telling.steps()

    def _first_fact(self) -> list[str]:
        """What is told with a grant where the customer will ask for the rest: all but one fact."""
        plot = self.plot
        if not plot.settles:
            return self.telling.steps()
        asked = len(plot.settles) == 1 and bool(plot.askable)
        return [] if asked else self.telling.fact(plot.settles[0])

    def _findings(self) -> list[str]:
        """What was found: not how sure anybody is of it, nor the answer that tells it anyway."""
        found = self.telling.findings()
        if not self.telling.found_out:
            return found
        by_answer = self.plot.known_by == ANSWER
        left_out = ("a.hedge", "issue.echo.") if by_answer else ("a.hedge",)
        return [act for act in found if not act.startswith(left_out)]

    def _hears_wish(self, said: list[str]) -> list[str]:
        """Lets the customer say what they want, should they not have yet; the rest of the verdict.

        They say it to what was found out, or are asked for it where nothing is to be said of that.
        """
        telling = self.telling
        wishes = telling.wishes()
        if self.plot.choosable and self._happens(ASKS_CHOICE):
            self._agent(*said, "a.ask_wish")
            self._customer(telling.chooses())
            return []
        if not wishes or wishes == OWN_WISH or set(wishes) & set(telling.said()):
            # Nobody says that it should be put right to somebody who is just telling how.
            return said
        if not said:
            # Who has tried out what was mended goes on by themself.
            self._customer(*self._cost(), *wishes)
            return []
        found = any(act.startswith(FINDINGS) for act in said)
        # Who has heard what it was says what they want; nobody is asked for that.
        told = any(act.startswith(CAUSES) for act in said)
        volunteers = told or (found and self._chance(VOLUNTEERS))
        self._agent(*said, *([] if volunteers else ["a.ask_wish"]))
        self._customer(*self._cost(), *wishes)
        return []

    def _hears_of_it(self, said: list[str]) -> list[str]:
        """Lets the customer say a word to what went wrong; the rest of the verdict."""
        if self.kind == QUICK or not any(act.startswith(LOOKED_INTO) for act in said):
            return said
        question = of_finding(self.rng, self.plot, [*self.telling.said(), *said])
        if question and self._happens(WONDERS_AT_FINDING):
            self._agent(*said)
            self._customer(question.asked)
            return [question.answered]
        cost = self._cost()
        doubt = "" if cost else self.telling.doubts(said)
        # What has been put right already leaves nothing to react to but what it has cost.
        mended = any(act.startswith("issue.mend") for act in said)
        reacts = 0.0 if mended or self.telling.left else REACTS[self.kind]
        words = [f"{DOUBT}{doubt}"] if doubt else cost or self.telling.maybe("c.reacts", reacts)
        if not words:
            return said
        self._agent(*said)
        self._customer(*words)
        return [f"{ASSURES}{doubt}"] if doubt else []

    def _cost(self) -> list[str]:
        """What it has cost somebody who is given something for the trouble, or nothing."""
        if not self.plot.besides or not self._chance(NAMES_COST[self.kind]):
            return []
        return [f"{TELLS_COST}{self.rng.choice(COSTS)}"]

    def _offer(self, said: list[str]) -> None:
        """An offer, and what the customer says to it; some have left by then."""
        # Nobody is sent another size, asked to send theirs back or called who has not said yes.
        needs_yes = self.plot.size_named or bool(NEEDS_YES.intersection(self.plot.settles))
        leaves = not needs_yes and self._leaves()
        # Who leaves is told afterwards what was set up.
        facts = [] if leaves else self._told_with_offer()
        self._agent(*said, *self.telling.offers(), *facts)
        if leaves:
            self._tells_who_left()
            return
        self._takes()

    def _told_with_offer(self) -> list[str]:
        """The acts that tell with an offer all that is known of it, or what must be told."""
        # A yes to another size is a yes to one that was named.
        told = self.telling.sizes() if self.plot.size_named else []
        if self._chance(TELLS_WITH_OFFER[self.kind]):
            # A sum that is in the remedy's name was told with it.
            told = list(self.plot.askable)
        else:
            told += self.telling.keeps()
        return self.telling.would(told) if told else []

    def _leaves(self) -> bool:
        """Whether the visitor is gone by the time that something is offered or given."""
        return self.kind != QUICK and self._chance(LEAVES)

    def _tells_who_left(self) -> None:
        """What is set up for somebody who doesn't answer any more."""
        self._agent("a.gone")
        # Nobody has said yes: there is nothing to be glad of, or to give thanks for.
        self._agent("a.left", *self.telling.facts())

    def _takes(self) -> None:
        """The customer asks one thing of what is offered, if it was not told, and takes it.

        Who is asked for a sum tells the day and what goes back in the same breath.
        """
        telling = self.telling
        kind = telling.question()
        if kind and self._happens(ASKS_FIRST):
            self._customer(telling.asks(kind))
            others = [fact for fact in telling.untold_facts() if fact in self.plot.askable]
            self._agent(*telling.would([kind, *[fact for fact in others if fact != kind]]))
        self._customer(*telling.accepts())
        self._makes_sure()
        self._settled()

    def _makes_sure(self) -> None:
        """The agent makes sure where it goes, or that somebody is there, before it is arranged."""
        checked = self._to_check()
        if checked:
            self._agent(f"a.check.{checked}")
            self._customer(f"c.checked.{checked}")

    def _to_check(self) -> str:
        """What the agent makes sure of, in so many chats."""
        return to_check(self.plot) if self._chance(MAKES_SURE[self.kind]) else ""

    def _second_best(self, said: list[str]) -> None:
        """A refusal, what the customer says to it, and what can be given in its place."""
        telling = self.telling
        if self.plot.fixes:
            # Nobody is left with the problem because something on top of it is refused.
            self._agent(*said, *telling.refuses(), *self._instead())
        elif self._chance(OBJECTS):
            self._agent(*said, *telling.refuses(pushed=True))
            objection, answer = self._objection()
            self._customer(objection)
            self._goes_to_ask(answer)
            self._agent(answer, *self._instead())
        else:
            self._agent(*said, *telling.refuses(), *self._instead())
        if self.kind != QUICK and self._chance(TURNS_DOWN):
            self._customer("c.balk")
            self._agent("a.only")
        self._takes()

    def _instead(self) -> list[str]:
        """What is offered in another's place, with what is known of it."""
        return [*self.telling.alternative(), *self._told_with_offer()]

    def _refusal(self, said: list[str]) -> None:
        objects = self._chance(OBJECTS)
        refuses = self.telling.refuses(pushed=objects)
        self._agent(*said, *refuses, *([] if objects else self.telling.shows_way()))
        if objects:
            objection, answer = self._objection()
            self._customer(objection)
            stays = self.telling.stays_with(answer)
            if answer == HAS_ASKED:
                # The reason comes before what somebody above said to it.
                reasons = [act for act in stays if act.startswith(REASON)]
                stays = [*reasons, *(act for act in stays if act not in reasons)]
            self._goes_to_ask(answer)
            self._agent(*stays)
            goes_on = objection != ASKS_HIGHER and not self.goes_higher
            if goes_on and self._happens(GOES_HIGHER):
                self._customer(ASKS_HIGHER)
                self._goes_to_ask(HAS_ASKED)
                self._agent(HAS_ASKED)
        if self._chance(THREATENS.get(self.plot.tone, THREATENS_CALMLY)):
            self._customer("c.threat")
            self._agent("a.firm")
        # Who has threatened to leave doesn't take it meekly.
        gives_up = "c.threat" in self.telling.said() or self._chance(GIVES_UP)
        self._customer("c.give_up" if gives_up else "c.refused")
        if self._chance(SAYS_BYE[self.kind]):
            self._agent("a.bye.refused")

    def _objection(self) -> tuple[str, str]:
        """What the customer says to a refusal, and how the agent answers."""
        objection, answer = self.telling.objection()
        if self.goes_higher and answer == HAS_ASKED:
            # A supervisor who has taken the chat over asks no other one.
            return "c.push", "a.no_exception"
        return objection, answer

    def _goes_to_ask(self, answer: str) -> None:
        """Lets the visitor wait for what somebody above says: nobody has that at hand."""
        if answer == HAS_ASKED:
            self._agent(GOES_TO_ASK)

    def _settled(self, granted: bool = False) -> None:
        """What is said once it is arranged; with `granted` that has been said already."""
        telling = self.telling
        plot = self.plot
        if self.kind == QUICK:
            if plot.settles or self._chance(0.5):
                self._agent_tells(granted, [])
            if self._chance(ANSWERS_GRANT if granted else QUICKLY_THANKS):
                self._customer(*telling.thanks())
            return
        self._agent_tells(granted, telling.maybe("a.number", NAMES_NUMBER))
        if self.kind == LONG and {MEND}.issuperset(plot.settles):
            self._waits_for_it()
        if telling.turns[-1].speaker == AGENT:
            self._asks_afterwards()
        advises = telling.found_out and plot.advisable and self._chance(ADVISES)
        self._closes(granted, [f"issue.advice.{plot.cause}"] if advises else [])

    def _asks_afterwards(self) -> None:
        """The customer asks something once it is set up, as anybody would, or of any remedy."""
        question = of_remedy(self.rng, self.plot, self.telling.said())
        if question and self._happens(WONDERS_AT_REMEDY):
            self._customer(question.asked)
            self._agent(question.answered)
        elif self._happens(ASKS_AFTERWARDS):
            asked = self.rng.choice(self._asked_afterwards())
            self._customer(asked)
            self._agent(AFTERWARDS[asked])

    def _asked_afterwards(self) -> list[str]:
        """What may still be asked: nobody asks whether money helps, or when it works that works."""
        if self.plot.pays:
            return [WRITTEN, NEWS]
        done = {MEND}.issuperset(self.plot.settles)
        return [IF_NOT, WRITTEN] if done else list(AFTERWARDS)

    def _waits_for_it(self) -> None:
        """What is said of a thing without a day: how long it takes, or that it works by now."""
        if self.plot.at_once:
            if WORKS not in self.telling.said() and self._chance(TRIES_IT[self.kind]):
                self._customer(WORKS)
        elif self._chance(ASKS_HOW_LONG):
            self._customer("c.how_long")
            self._agent("a.how_long")

    def _closes(self, granted: bool, advice: list[str]) -> None:
        """How a chat ends in which something was arranged: with thanks, mostly."""
        telling = self.telling
        asks = self._happens(ASKS_WHAT_ELSE)
        asks = asks and (self.plot.tone not in CROSS or self._chance(ASKS_THE_CROSS))
        last = [*advice, "a.else"] if asks else advice
        told = telling.turns[-1].speaker == AGENT and "c.noted" not in telling.said()
        with_it = told and asks and not advice and self._chance(ASKS_WITH_IT)
        if with_it:
            turn = telling.turns[-1]
            telling.turns[-1] = replace(turn, beats=(*turn.beats, *last))
        elif last and told and self._chance(NODS_LAST):
            self._customer("c.noted")
        if last and not with_it:
            self._agent(*last)
        if asks:
            if not self._answers_what_else():
                return
        elif self._chance(JUST_LEAVES):
            return
        elif self._chance(ANSWERS_GRANT if granted else THANKS):
            self._customer(*telling.thanks())
        else:
            # Nobody says goodbye to somebody who has not said a word.
            return
        if self._chance(SAYS_BYE[self.kind]):
            self._agent("a.bye")

    def _answers_what_else(self) -> bool:
        """What is said to whether there is anything else; whether anybody is there to answer."""
        if self._chance(HAS_GONE):
            if self._chance(AGENT_CLOSES):
                self._agent("a.closing")
            return False
        if self._chance(SECOND_PROBLEM[self.kind]):
            self._customer("c.second")
            self._agent("a.second")
            self._customer(*self.telling.thanks())
        else:
            self._customer("c.nothing")
        return True

    def _agent_tells(self, granted: bool, number: list[str]) -> None:
        """The agent's line on what is arranged; a question comes before it where some is left."""
        telling = self.telling
        confirmed = ["a.confirm"]
        if granted:
            kind = telling.question()
            confirmed = []
            if not telling.untold_facts():
                return
            if kind and telling.turns[-1].speaker == AGENT:
                self._customer(telling.asks(kind))
        self._agent(*confirmed, *telling.amount(), *self._steps(), *number)

    def _steps(self) -> list[str]:
        """Facts, where there are any, or mostly something of the next steps."""
        telling = self.telling
        if self.plot.settles:
            return telling.facts()
        if self.kind == QUICK:
            return []
        return [*telling.maybe("option.steps", SAYS_STEPS), *telling.returned()]
