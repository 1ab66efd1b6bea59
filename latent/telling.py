"""Telling: what has been said so far in one conversation, and which act says the next thing.

It sees to it that nothing is asked that was told, and nothing stated that nobody can know yet.
Threads (`latent.mail_dialogue`) and chats (`latent.chat_dialogue`) decide when what is said. Knows
no words and no times.
"""

import random
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from latent.amends import ASKS_FOR_AMENDS, ASKS_FOR_MORE, TELLS_COST, reason_of
from latent.dialogue import (
    AGENT,
    ANSWER,
    BY_ANSWER,
    BY_EVIDENCE,
    BY_NOBODY,
    BY_RECORD,
    FILES,
    HINTED,
    KEPT,
    MEND,
    NO_FAULT,
    OPEN,
    OTHER,
    PAYS,
    QUESTION_OF,
    RECORD,
    SECOND_LEVEL,
    SIZED,
    TOLD,
    TOO_LATE,
    Plot,
    Turn,
)
from latent.naming import FULL, VAGUE

# Who writes for a member or a customer of theirs seldom says so: it decides nothing. By eye.
SAYS_FOR_WHOM = 0.12

# How often an agent who asked for the telling sign takes up the answer in words, before anything
# else. Who names the cause by that very answer takes it up by the cause, mostly; all others owe a
# word on what they asked for, but not always: who says each answer back reads from a script. By
# eye.
ECHOES = 0.05
ECHOES_ELSE = 0.25

# Who stays with a refusal says by which rule, as far as nobody has said it yet: a no is believed
# for its reason. And what the customer can do, in so many cases. By eye.
SHOWS_WAY = 0.85

# Who can't sign in wants to: few say so in a sentence of its own. By eye.
SAYS_THE_OBVIOUS = 0.1

# A few agents ask whether somebody wants what nobody would refuse. By eye.
ASKS_ANYWAY = 0.1

# A label without a number gets lost: most agents tell the return's. Chosen by eye.
TELLS_RETURN = 0.75

# How often an agent says that they have found the order by the number that they were told: most
# just go on. Who was told none says how they found it where the customer has more than one, and
# some do elsewhere, a few of them by its day: were it only who grants something late, the date
# would give that away. A date that the customer has told is not told again. Chosen by eye.
DATED = (".exact", ".rough")
"""How the acts end by which a customer names the product with the time of its purchase."""
SAYS_FOUND = 0.12
SAYS_DATE = 0.06
FINDS_BY_DAY = 0.08
SAYS_WHOSE = 0.75

# How often who is sure of a cause by words or by a picture alone says so with a reserve: the cause
# itself is worded as people word what they see from afar, and a sentence that takes it back each
# time sounds like a machine. By eye.
HEDGES = 0.05
HEDGED = frozenset({"answer", "photo", "video"})
"""What leaves doubts on a cause: what the customer tells and films. Records leave few."""

# In whose words a cause comes. Who has only the customer's words or picture to go by says mostly
# that this is what it looks like; so do some who read it off a record: a log shows what happened
# and not always why. Others have asked a colleague who knows such cases. By eye.
LOOKED = "a.looked"
LIKELY = "a.likely"
ASKED_AROUND = "a.asked_around"
LIKELY_BY_WORD = 0.15
FOUND_BY = {LOOKED: 0.78, LIKELY: 0.08, ASKED_AROUND: 0.14}
# What is said where the cause is not: what happened, or only that it should not have, each by where
# it was looked for.
SAYS_LESS = {HINTED: "a.traced", OPEN: "a.unsure"}
BY_RECORDS = "record"
BY_FILE = "file"
BY_OTHERS = "asked"
BY_WORD = "answer"
DOUBTS = ("a.unsure", "a.traced", "a.trust")
"""How the acts begin that say something of a problem whose cause nobody names."""
LEFT_OPEN = ("a.unsure", "a.traced")
"""How those begin that leave it open."""

LOOKED_AT_LATER = frozenset({"visit", "session", "ships", "ships.sized"})
"""Facts of what puts a problem right though the desk knows no cause: somebody looks at it, or all
is sent anew."""

# Who asked for a test takes up in a word that it has changed nothing, mostly. By eye.
TAKES_UP_TEST = 0.8

# By these a customer has said what the trouble cost them: nobody says it twice.
LOSSES = ("issue.loss", "issue.impact")

# So many agents apologize for nothing before they have looked, though the company is to blame: were
# they none, the first line would give the refusal away. By eye.
WAITS_TO_SEE = 0.35

# Who is asked about a fault that can be tried out has tried it by then in so many cases: they did
# so before they wrote, and say so with their answer. By eye.
TRIED_BEFORE = 0.33

# Agents who refuse what comes too late name the number of days in so many cases. By eye.
COUNTS_DAYS = 0.5

# Who wrote in fear is told that there is nothing to fear in so many cases. By eye.
CALMS = 0.85

# Who will be asked again says no at first without the reason, in so many cases: it comes with the
# second no, and nobody hears it twice in nearly the same words. By eye.
SAYS_NO_ONLY = 0.45
BARE_NO = "a.deny.bare"

# What customers say to a refusal, and what the agent says to that: mostly they ask again, or why;
# a manager is asked for by those in a temper. By eye.
OBJECTIONS = {
    "c.push": "a.no_exception",
    "c.why_not": "a.because",
    "c.manager": "a.asked",
}
ASKS_REASON = "c.why_not"
OBJECTS_BY = {
    "angry": (0.35, 0.2, 0.45),
    "annoyed": (0.35, 0.35, 0.3),
}
OBJECTS_ELSE = (0.4, 0.5, 0.1)

# Who is refused something for what was found contests that in so many cases, by something that the
# desk has to answer; the others want it all the same. By eye.
CONTESTS_REASON = 0.6
CONTESTS = "issue.contest."
UPHOLDS = "issue.upheld."

# Who tells when somebody calls says at which number in so many cases. By eye.
CALLS = "session"
NAMES_PHONE = 0.65

# What customers take up when they give thanks: the day on which something is sent, somebody comes
# or money is back, and what they are to send. How many do so, and who is too cross for it. By eye.
THANKED_FOR = {
    "ships": "ships",
    "ships.sized": "ships",
    "visit": "visit",
    "session": "session",
    "refund": "money",
    "return": "return",
}
TAKES_UP_FACT = 0.6
CROSS = ("angry", "annoyed")

# Who can try out at once what was done about their problem says in so many mails that it works.
SAYS_IT_WORKS = 0.6
WORKS = "c.works"
WORKS_BY_NOW = "works"

# By what an agent puts somebody off, and how many of those say so when they ask for news. By eye:
# a third of all who wait push back, and most others write twice as kindly as they feel.
PUTS_OFF = ("a.wait", "a.still", "a.step.")
PRESSES = 0.4

# Who hears what was found brings something up against it in so many cases, by their mood: that they
# are sure of their own side, what it has cost them, or that nobody knows why. By eye: most people
# who get what they wanted leave it at that.
DOUBTS_FINDING = {"angry": 0.2, "annoyed": 0.12, "worried": 0.1}
DOUBTS_CALMLY = 0.04
DOUBT = "issue.doubt."
ASSURES = "issue.assure."
SURE = "sure"
COSTS_THEM = "cost"
NOBODY_KNOWS = "open"

# By which a customer names the day by which they need it, and an agent takes it up; the day is held
# against that of such a fact.
NEEDED = "issue.needed"
TAKES_UP_NEED = "a.needed"
DATED_FACTS = frozenset(
    {"ships", "ships.sized", "visit", "session", "done", "credit", "refund", "plan"}
)

# The answer that a desk keeps for such a problem, by which the customer sees that nobody has read
# what they wrote, and the word by which the next one makes that good.
STOCK = "issue.stock"
MISSED = "issue.missed"
OWNS_UP = "a.missed"

DOUBT_WEIGHTS = {NOBODY_KNOWS: 3, SURE: 3, COSTS_THEM: 2}

# Who doesn't answer a question asks back why it matters in so many cases. Chosen by eye.
ASKS_WHY = 0.4


@dataclass(slots=True)
class Telling:
    """What has been said so far in one conversation, and the turns that said it."""

    rng: random.Random
    plot: Plot
    turns: list[Turn] = field(default_factory=list)
    told: set[str] = field(default_factory=set)
    asked: set[str] = field(default_factory=set)
    unheard: str = ""
    order_told: bool = False
    identified: bool = False
    found: bool = False
    sent: bool = False
    seen: bool = False
    waiting: bool = False
    stepped: bool = False
    decided_by: str = BY_NOBODY
    reason: str = TOO_LATE
    found_out: list[str] = field(default_factory=list)
    settled: set[str] = field(default_factory=set)
    asked_fact: str = ""
    labeled: bool = True
    last_told: str = ""
    amends_asked: bool | None = None
    asks_anyway: bool | None = None
    says_obvious: bool | None = None
    chosen: bool = False
    tested: str = ""
    left: str = ""
    compared: bool = False

    def say(
        self,
        speaker: str,
        beats: Iterable[str],
        days: int = 0,
        soon: bool = False,
    ) -> None:
        """Adds a turn; which of the agents it is, is decided in `latent.hand_over`."""
        self.turns.append(Turn(speaker, 0, tuple(beats), days, soon))

    def said(self) -> list[str]:
        """All acts so far, in order."""
        acts: list[str] = []
        for turn in self.turns:
            acts += turn.beats
        return acts

    def owns_up(self) -> list[str]:
        """The acts by which an agent makes good that a first answer missed the point, or none."""
        said = self.said()
        if MISSED not in said or OWNS_UP in said:
            return []
        return [OWNS_UP, *self.need()]

    def maybe(self, beat: str, chance: float) -> list[str]:
        """The act, or none."""
        return [beat] if self.rng.random() < chance else []

    def untold(self) -> list[str]:
        """The signs that nobody has told or shown yet, the telling one first."""
        known = self.told.union(self.plot.pictured if self.sent else ())
        names = [sign for sign, _ in self.plot.signs if sign not in known]
        return sorted(names, key=lambda sign: sign != self.plot.tells)

    def decisive(self) -> list[str]:
        """The sign whose answer decides something, unless it is known: nobody asks for another."""
        return [sign for sign in self.untold() if sign == self.plot.tells]

    def tell(self, sign: str) -> str:
        """The act by which the customer tells a sign."""
        self.told.add(sign)
        value = dict(self.plot.signs)[sign]
        if sign in self.asked:
            self.unheard = sign
            if sign == self.plot.tells:
                self.decided_by = BY_ANSWER
        return f"issue.sign.{sign}.{value}"

    def stake(self) -> list[str]:
        """The act by which the customer tells what is at stake, unless a sign has told it.

        Nobody asks again for the sign that tells it, where nothing else hangs on that.
        """
        sign = self.plot.stake_in
        if not self.plot.stake or sign in self.told:
            return []
        if sign != self.plot.tells:
            self.told.add(sign)
        return ["issue.stake"]

    def for_whom(self) -> list[str]:
        """The act by which somebody says that they write for another person, or none."""
        return self.maybe("c.behalf", SAYS_FOR_WHOM) if self.plot.for_theirs else []

    def ask(self, sign: str) -> str:
        """The act by which an agent asks about a sign."""
        self.asked.add(sign)
        return f"issue.ask.{sign}"

    def hears(self, chance: float = ECHOES_ELSE) -> list[str]:
        """The act by which an agent takes up what they were just answered, or none; once."""
        if self.tested:
            test, self.tested = self.tested, ""
            return self.maybe(f"a.tested.{test}", TAKES_UP_TEST)
        sign = self.unheard
        if not sign:
            return []
        self.unheard = ""
        return self.maybe(f"issue.echo.{sign}.{dict(self.plot.signs)[sign]}", chance)

    def test(self) -> str:
        """What the customer is asked to try; "" for nothing, or where a sign has told it."""
        open_tests = [test for test in self.plot.tests if test not in self.told]
        return self.rng.choice(open_tests) if open_tests else ""

    def has_tested(self) -> list[str]:
        """The act by which the customer says unasked that they have tried something, or none."""
        test = self.test()
        if not test or self.rng.random() >= TRIED_BEFORE:
            return []
        self.told.add(test)
        return [f"c.tested.{test}"]

    def tries(self, test: str) -> str:
        """The act by which the customer has tried it, and nothing has changed."""
        self.tested = test
        return f"c.test.{test}"

    def beside(self) -> tuple[str, str]:
        """How the customer does not answer a question, and what leads to asking it again."""
        return ("c.why", "a.why") if self.rng.random() < ASKS_WHY else ("c.half", "a.again")

    def send(self) -> str:
        """The act by which the customer sends a file."""
        self.sent = True
        if self.plot.known_by in FILES:
            self.decided_by = BY_EVIDENCE
        return f"c.evidence.{self.plot.evidence}"

    def seen_file(self) -> list[str]:
        """The act by which an agent has looked at what was sent; once."""
        if not self.sent or self.seen:
            return []
        self.seen = True
        return [f"a.seen.{self.plot.evidence}"]

    def find(self) -> list[str]:
        """The act by which an agent says that they have found the order, or none; once."""
        if self.found:
            return []
        self.found = True
        dates = not self._is_dated()
        says_date = self.rng.random() < SAYS_DATE and dates
        if says_date or self.plot.dated:
            return ["a.found.line"]
        if self.order_told:
            return self.maybe("a.found", SAYS_FOUND)
        # A bank has just said whom it speaks to, and who names the sum that is there has found the
        # order it belongs to. All others show which order they are about to decide on, and some of
        # them do where there is only one.
        if self.plot.identifies or (self.plot.stake_found and self.plot.granted):
            return []
        if not self.plot.others and self.rng.random() >= SAYS_WHOSE:
            return []
        by_day = self.rng.random() < FINDS_BY_DAY and dates
        return ["a.found.line" if by_day else "a.found.mail"]

    def _is_dated(self) -> bool:
        """Whether the customer has told when they bought it, to the day or roughly."""
        return any(act.startswith("c.open") and act.endswith(DATED) for act in self.said())

    def find_by_name(self) -> list[str]:
        """The act by which an agent has found the order of somebody who has no number for it."""
        self.found = True
        return ["a.found.line" if self.plot.dated else "a.found.mail"]

    def chooses(self) -> str:
        """The act by which a customer who was asked says what they want."""
        self.chosen = True
        return self._wish()

    def _wish(self) -> str:
        """The act that names what is granted: with the size, or nobody could send it."""
        return "c.wish.sized" if self.plot.size_named else "c.wish"

    def wishes(self) -> list[str]:
        """The acts by which the customer says what they want."""
        plot = self.plot
        if not plot.own_wish:
            wish = self._wish() if plot.demanded else "c.wish"
            return [wish] if plot.says_wish else []
        if plot.refuses or self._asks_for_amends():
            # What is refused must have been asked for; nobody hangs it on another wish, and all
            # have a reason to ask.
            return [*self.loss(), ASKS_FOR_MORE]
        return ["c.wish.own"] if plot.wants and self._says_the_obvious() else []

    def loss(self) -> list[str]:
        """The act by which the customer says what it has cost them, unless they have."""
        told = [act for act in self.said() if act.startswith((*LOSSES, TELLS_COST))]
        return [] if told or not self.plot.cause else ["issue.loss"]

    def acknowledges(self) -> str:
        """The act by which an agent takes up the complaint before anybody has looked at it.

        Who will refuse something has called it nobody's mistake; some others, too, have not yet.
        """
        clean = self.plot.refuses or self.plot.blameless
        return "a.ack.open" if clean or self.rng.random() < WAITS_TO_SEE else "a.ack"

    def _says_the_obvious(self) -> bool:
        """Whether the customer says that they want the problem put right; decided once."""
        if self.says_obvious is None:
            self.says_obvious = self.rng.random() < SAYS_THE_OBVIOUS
        return self.says_obvious

    def _asks_for_amends(self) -> bool:
        """Whether the customer asks for something on top; decided once."""
        plot = self.plot
        if self.amends_asked is None:
            # Nobody asks for $25 over a fee of $9.95.
            modest = plot.besides and bool(plot.wish) and not plot.outweighs
            asks = modest and self.rng.random() < ASKS_FOR_AMENDS
            self.amends_asked = asks
        return self.amends_asked

    @property
    def asked_for(self) -> bool:
        """Whether just what is granted was asked for, or nobody would refuse it: it is given."""
        plot = self.plot
        asked = plot.besides and ASKS_FOR_MORE in self.said()
        return plot.demanded or asked or self.chosen or self.given

    @property
    def given(self) -> bool:
        """Whether nobody would refuse what is granted, and its agent doesn't ask all the same.

        Nobody asks leave to take back a mistake of the company's own.
        """
        if not self.plot.unrefusable:
            return False
        if self.asks_anyway is None:
            self.asks_anyway = not self.plot.owes and self.rng.random() < ASKS_ANYWAY
        return not self.asks_anyway

    def amends(self) -> list[str]:
        """The act that says what something on top is for, or none."""
        told = bool(self.found_out) or self.left == HINTED
        return reason_of(self.plot, self.said(), told, self.left == OPEN)

    def refuses(self, pushed: bool = False) -> list[str]:
        """The act by which an agent refuses what was wished for, with the reason or before it.

        Who has heard that the company made no mistake is told of no date. `pushed` says whether the
        customer will object, so that the reason may wait until then.
        """
        plot = self.plot
        self.reason = plot.refusal
        heard = f"issue.cause.{plot.cause}" in self.found_out
        if heard and plot.blameless and plot.ending == "declined" and plot.refusal == TOO_LATE:
            self.reason = NO_FAULT
        if self.reason != TOO_LATE:
            bare = pushed and self.rng.random() < SAYS_NO_ONLY
            return [BARE_NO if bare else f"a.deny.{self.reason}"]
        if self.rng.random() < COUNTS_DAYS:
            return ["a.deny"]
        return ["a.deny.past"]

    def objection(self) -> tuple[str, str]:
        """The act by which the customer objects to a refusal, and the one that answers it."""
        weights = dict(zip(OBJECTIONS, OBJECTS_BY.get(self.plot.tone, OBJECTS_ELSE), strict=True))
        contest = f"{CONTESTS}{self.plot.cause}"
        heard = f"issue.cause.{self.plot.cause}" in self.found_out and self.reason == NO_FAULT
        if heard and contest not in self.said() and self.rng.random() < CONTESTS_REASON:
            return contest, f"{UPHOLDS}{self.plot.cause}"
        if BARE_NO not in self.said():
            # Who has heard the reason doesn't ask for it.
            del weights[ASKS_REASON]
        (said,) = self.rng.choices(list(weights), list(weights.values()))
        answer = OBJECTIONS[said]
        return said, f"{answer}.{self.reason}" if answer == "a.because" else answer

    def stays_with(self, answer: str) -> list[str]:
        """The acts by which an agent stays with a refusal: the rule, and what can be done."""
        return [answer, *self.rule(answer), *self.shows_way()]

    def rule(self, answer: str) -> list[str]:
        """The act that says by which rule something is refused, unless somebody has said it."""
        because = f"a.because.{self.reason}"
        said = (answer, *self.said())
        known = self.reason != TOO_LATE and f"a.deny.{self.reason}" in said
        return [] if known or because in said else [because]

    def shows_way(self) -> list[str]:
        """The act that tells who is refused what they can do themselves, by what was found."""
        cause = self.plot.cause
        way = f"issue.advice.{cause}"
        known = f"issue.cause.{cause}"
        if known not in self.found_out:
            return []
        if way in self.said():
            return []
        return self.maybe(way, SHOWS_WAY)

    def accepts(self) -> list[str]:
        """The act by which the customer takes what is offered; less gladly in another's place."""
        return ["c.accept.instead" if self.plot.ending == OTHER else "c.accept"]

    def thanks(self) -> list[str]:
        """The act of thanks, which fit what was given; some take up the last fact they heard."""
        if self.plot.ending == OTHER:
            return ["c.thanks.instead"]
        if self.can_try and WORKS not in self.said() and self.rng.random() < SAYS_IT_WORKS:
            return [f"c.thanks.{WORKS_BY_NOW}"]
        taken_up = THANKED_FOR.get(self.last_told, "") if self._just_told() else ""
        if taken_up and self.plot.tone not in CROSS and self.rng.random() < TAKES_UP_FACT:
            return [f"c.thanks.{taken_up}"]
        return ["c.thanks"]

    def _just_told(self) -> bool:
        """Whether the last agent's turn told the last fact: later thanks are for what came then."""
        agents = [turn for turn in self.turns if turn.speaker == AGENT]
        return bool(agents) and f"option.tell.{self.last_told}" in agents[-1].beats

    @property
    def can_try(self) -> bool:
        """Whether something was done about the problem that the customer can try out at once."""
        mended = any(act.startswith("issue.mend") for act in self.said())
        helped = mended or (self.plot.fixes and not self.plot.settles)
        return self.plot.at_once and self.plot.granted and helped

    def findings(self) -> list[str]:
        """What an agent says of the cause before a verdict: only what somebody can know by now."""
        plot = self.plot
        said = self.seen_file()
        looked = self._knows_cause()
        knows = looked and self._states_cause()
        trusts = ["a.trust"] if plot.cause and "c.no_file" in self.said() else []
        goes_by = self._goes_by(looked) if plot.cause and plot.granted and not knows else []
        by_answer = knows and plot.known_by == ANSWER
        said += self.hears(ECHOES if by_answer else ECHOES_ELSE)
        # That a word is enough answers what the customer said last.
        said += trusts
        if plot.stake_found and (plot.granted or knows):
            said.append("issue.noted")
        said += [] if trusts else goes_by
        if plot.cause and knows:
            self.found_out = self._cause()
            said += self.found_out
        return [*said, self._mends()] if plot.mended else said

    def _states_cause(self) -> bool:
        """Whether the desk states what it could know: what is refused always has its ground."""
        plot = self.plot
        return plot.finding == TOLD or plot.blameless or not plot.granted

    def _goes_by(self, looked: bool) -> list[str]:
        """What an agent who doesn't name the cause says that they go by, or nothing.

        Who has `looked` says by what, and what can be said of it. Nobody gets something without a
        word on why; who puts it right without having looked knows what it was. Who has asked for a
        proof that never came takes the customer's word for it instead.
        """
        if looked:
            by = self._looked_by()
            self.left = self.plot.finding
            if self.plot.finding == HINTED and by == BY_RECORDS and self.decided_by == BY_NOBODY:
                self.decided_by = BY_RECORD
            return [f"{SAYS_LESS[self.plot.finding]}.{by}"]
        if self.sent:
            # It shows what it is all the same, and not why.
            self.left = OPEN
            return [f"{SAYS_LESS[OPEN]}.{BY_FILE}"]
        if self.plot.size_named:
            # Who is sent another size has said by that what is wrong.
            return []
        looks_later = self.plot.fixes and bool(LOOKED_AT_LATER.intersection(self.plot.settles))
        mends = self.plot.mended or (self.plot.fixes and not looks_later)
        return [] if mends else ["a.unsure"]

    def _looked_by(self) -> str:
        """Where the agent has looked for a cause: whom they asked, a file, records, an answer."""
        plot = self.plot
        if self.stepped:
            return BY_OTHERS
        if plot.known_by in FILES and self.sent:
            return BY_FILE
        return BY_RECORDS if plot.known_by == RECORD or plot.in_records else BY_WORD

    def _mends(self) -> str:
        """The act by which an agent says what is done about the problem, by its cause if told."""
        cause = self.plot.cause
        return f"issue.mend.{cause}" if f"issue.cause.{cause}" in self.found_out else "issue.mend"

    def calms(self, found: list[str]) -> list[str]:
        """What is said to somebody who wrote in fear, where nobody but the company is to blame.

        `found` is what was said of the finding. Who can't say what it was has nothing to set
        anybody's mind at rest with, and nobody does so who is about to refuse something.
        """
        plot = self.plot
        if plot.tone != "worried" or plot.blameless or not plot.granted or plot.refuses:
            return []
        if any(act.startswith(DOUBTS) for act in found):
            return []
        calm = self.maybe("issue.calm", CALMS)
        return calm if f"issue.cause.{plot.cause}" in found else []

    def doubts(self, found: Sequence[str] = (), chance: float | None = None) -> str:
        """What somebody brings up against what was found though they get something; "" for nothing.

        `found` is what they are just being told. Nobody does so twice, or argues with who has just
        found that they were no part of it. Who gets something for the trouble has said what it was,
        if anything.
        """
        plot = self.plot
        said = [*self.said(), *found]
        less = [act for act in said if act.startswith(LEFT_OPEN)]
        hears = [act for act in said if act.startswith(DOUBTS)] or self.found_out
        argues = plot.granted and not plot.refuses and not plot.blameless
        if not hears or not argues or any(act.startswith(DOUBT) for act in said):
            return ""
        usual = DOUBTS_FINDING.get(plot.tone, DOUBTS_CALMLY)
        if self.rng.random() >= (usual if chance is None else chance):
            return ""
        weights = dict(DOUBT_WEIGHTS)
        if not less:
            del weights[NOBODY_KNOWS]
        if plot.besides or any(act.startswith(TELLS_COST) for act in said):
            del weights[COSTS_THEM]
        (kind,) = self.rng.choices(list(weights), list(weights.values()))
        return kind

    def offers(self) -> list[str]:
        """The act by which an agent offers something: for the problem, or for the trouble alone.

        What pays nothing makes good for no trouble: it is a part of what is done about it. Nobody
        gives something on top without a word on what it is for.
        """
        plot = self.plot
        offer = "a.offer.besides" if plot.mended and plot.pays else "a.offer"
        return [*self.amends(), offer]

    def alternative(self) -> list[str]:
        """The act by which an agent offers what can be given where the wish is refused.

        What puts the problem right is nothing in the place of a courtesy: it is due anyway.
        """
        return ["a.alternative.fix" if self.plot.fixes else "a.alternative"]

    def gives(self) -> list[str]:
        """The act by which an agent gives something without asking."""
        if self.plot.ending != OTHER:
            return [*self.amends(), "a.grant"]
        return ["a.grant.fix" if self.plot.fixes else "a.grant.instead"]

    def _cause(self) -> list[str]:
        """The acts that state the cause, with a reserve where only words or pictures tell it."""
        plot = self.plot
        stated = f"issue.cause.{plot.cause}"
        if plot.known_by == RECORD or plot.in_records:
            if self.decided_by == BY_NOBODY:
                self.decided_by = BY_RECORD
            lead = self._found_by()
            # Who names the sum that is there has looked it up.
            return [stated] if plot.stake_found and lead == LOOKED else [lead, stated]
        if plot.known_by in HEDGED and not plot.blameless:
            # Nobody is refused something on a guess.
            if not plot.refuses and self.rng.random() < LIKELY_BY_WORD:
                return [LIKELY, stated]
            return [stated, *self.maybe("a.hedge", HEDGES)]
        return [stated]

    def _found_by(self) -> str:
        """The act that leads to a cause from the records: how it was found, and how surely.

        Nobody is refused something on a guess, or guesses what somebody else has found out; and who
        was just passed on asks no third one.
        """
        if self.plot.refuses or self.plot.blameless or self.stepped:
            return LOOKED
        weights = dict(FOUND_BY)
        if self.plot.transfers:
            del weights[ASKED_AROUND]
        (lead,) = self.rng.choices(list(weights), list(weights.values()))
        return lead

    def amount(self) -> list[str]:
        """The act by which an agent tells what goes back, where no facts tell it."""
        return ["a.amount"] if self.plot.refunded and not self.plot.settles else []

    def untold_facts(self) -> list[str]:
        """The facts of what is granted that nobody has told yet."""
        return [kind for kind in self.plot.settles if kind not in self.settled]

    def facts(self) -> list[str]:
        """The acts that tell the facts of what is granted, as far as nobody has told them."""
        told: list[str] = []
        for kind in self.untold_facts():
            told += self.fact(kind)
        if not self.labeled:
            self.labeled = True
            told += self.returned()
        return told

    def at_once(self) -> list[str]:
        """The act that tells what was done at once about the problem, as long as nobody has."""
        return self.fact(MEND) if MEND in self.untold_facts() else []

    def fact(self, kind: str) -> list[str]:
        """The acts that tell one such fact; what goes back has a number."""
        self.settled.add(kind)
        self.last_told = kind
        if kind == MEND:
            return [self._mends()]
        number = self.returned() if kind == "return" else []
        if kind == CALLS and "a.check.number" not in self.said():
            # Who is to be called wants to know where.
            number = self.maybe("a.calls", NAMES_PHONE)
        return [f"option.tell.{kind}", *number, *self._by_then([kind])]

    def would(self, kinds: Sequence[str]) -> list[str]:
        """The acts that tell such facts of what nobody has said yes to yet: `It would be $25`."""
        # Nobody has a sign-in unlocked, or a charge disputed, on a condition.
        kinds = [kind for kind in kinds if kind != MEND]
        self.settled.update(kinds)
        # A return gets its number with the yes.
        self.labeled = "return" not in kinds
        told: list[str] = []
        for kind in kinds:
            # A day that is in time is so of what was just told, and of nothing behind it.
            told += [f"option.would.{kind}", *self._by_then([kind])]
        return told

    def _by_then(self, kinds: Sequence[str]) -> list[str]:
        """The act that holds a day just told against the one that the customer named; once."""
        plot = self.plot
        # Money helps nobody by a day but who is short of it, and what comes on top is not waited
        # for.
        money = plot.stake and plot.on_file
        dated = [kind for kind in kinds if kind in DATED_FACTS and (money or kind not in PAYS)]
        if plot.mended or not dated or NEEDED not in self.said() or self.compared:
            return []
        self.compared = True
        return [f"{TAKES_UP_NEED}.{dated[0]}"]

    def need(self) -> list[str]:
        """The act that takes up by which day the customer needs it, as long as nobody has."""
        said = self.said()
        taken_up = any(act.startswith(TAKES_UP_NEED) for act in said)
        return [TAKES_UP_NEED] if NEEDED in said and not taken_up else []

    def sizes(self) -> list[str]:
        """The fact that tells in which size something comes, as long as nobody has told it."""
        return [kind for kind in self.untold_facts() if kind == SIZED]

    def keeps(self) -> list[str]:
        """The fact that nothing has to be sent back, as long as nobody has told it.

        Who is offered money for a faulty thing wants to know first what becomes of the thing.
        """
        return [kind for kind in self.untold_facts() if kind == KEPT]

    def question(self) -> str:
        """Which fact of what is granted the customer may ask for; "" where all are known."""
        asked = [kind for kind in self.plot.askable if kind not in self.settled]
        return self.rng.choice(asked) if asked else ""

    def asks(self, kind: str) -> str:
        """The act by which the customer asks for it."""
        return f"c.how.{QUESTION_OF[kind]}"

    def steps(self) -> list[str]:
        """What is told of the next steps: the facts, where there are any."""
        if not self.plot.settles:
            return ["option.steps", *self.returned()]
        return self.facts()

    def returned(self) -> list[str]:
        """The act by which an agent tells the number of the return; mostly, where there is one."""
        return self.maybe("a.return", TELLS_RETURN) if self.plot.sent_back else []

    def _by_word(self) -> bool:
        """Whether a cause that a file would show is plain from what the customer has answered.

        Who refuses something because nobody made a mistake has to say what it was.
        """
        by_fault = self.plot.refusal == NO_FAULT and self.plot.ending == "declined"
        return by_fault and self.plot.tells in self.told

    def _knows_cause(self) -> bool:
        known_by = self.plot.known_by
        if known_by == ANSWER:
            return not self.plot.tells or self.plot.tells in self.told
        if known_by in FILES:
            return self.sent or self._by_word()
        if known_by == SECOND_LEVEL:
            return self.stepped
        return known_by == RECORD


def chase(rng: random.Random, turns: Sequence[Turn]) -> str:
    """The act by which a customer asks for news: of a first answer, or of a further one.

    Who was told that it takes time may say so: a line that misses every answer would be a lie.
    """
    agents = [turn for turn in turns if turn.speaker == AGENT]
    if not agents:
        return "c.chase"
    put_off = any(beat.startswith(PUTS_OFF) for beat in agents[-1].beats)
    presses = put_off and rng.random() < PRESSES
    return "c.chase.put_off" if presses else "c.chase.again"


def placing_acts(telling: Telling, chance: float, unasked: Sequence[str] = ()) -> list[str]:
    """The acts that say after the complaint which product it is, and when it was bought.

    People begin with what happened. Who has only a vague word for the thing, and no date, adds
    nothing by it. Others who tell no date name the product with that chance. `unasked` are the ways
    to tell a date that nobody uses there.
    """
    plot = telling.plot
    full = plot.naming == FULL
    named = "c.open.full" if full else "c.open"
    if plot.dating != "none" and plot.dating not in unasked:
        return [f"{named}.{plot.dating}"]
    if full:
        return [named]
    if plot.naming == VAGUE:
        return []
    return telling.maybe(named, chance)
