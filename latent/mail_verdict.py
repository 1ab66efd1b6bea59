"""How a thread is decided: the mail with the verdict, what is said to it, and what follows it.

A part of `latent.mail_dialogue`. Knows no words and no times.
"""

from collections.abc import Sequence

from latent.delays import PRESSED, PRESSES
from latent.dialogue import AGENT, ASKS_DAY, ASKS_SUM, MEND, OTHER, QUESTION_OF
from latent.mail_turns import MailTurns
from latent.telling import ASSURES, DOUBT
from latent.wondering import NextQuestion, of_remedy

# Who is refused something objects before anything else comes up in so many threads that have room
# for three mails of it. By eye.
OBJECTS_IN_THREE = 0.7

# An agent's last mail has a farewell of more than a greeting, and some advice, in so many cases. By
# eye.
SAYS_FAREWELL = 0.35
ADVISES = 0.35
# Who takes what is offered asks in the same mail how much it is, or when, in so few cases. By eye.
ASKS_WITH_YES = 0.2
# Agents say with an offer how much it is, or when, in so many cases: the yes is then a yes and
# nothing else. By eye.
TELLS_WITH_OFFER = 0.92
# Who has room to ask something before their yes asks somebody else in so many cases: a partner, a
# boss. By eye.
THINKS_IT_OVER = 0.25
# Who says yes asks in the same mail what anybody would in so many cases, and most who come back
# after the verdict do so for that. By eye.
ASKS_NEXT_WITH_YES = 0.3
ASKS_NEXT_AFTERWARD = 0.75
# Who comes back after the verdict doubts what was found in so many cases at most, and asks what is
# left to do in the others. By eye.
DOUBTS_AFTERWARD = 0.18
# An agent who went to a manager has the answer on the next working day.
MANAGER_DAYS = 1
# How many of those who are refused threaten to leave: many of the angry, hardly any of the calm.
THREATENS = {"angry": 0.6, "annoyed": 0.3}
THREATENS_CALMLY = 0.05
# A last word is signed by fewer than a first letter. By eye.
SIGNS_LAST = 0.7
THANKS_FOR_WAITING = 0.5
NAMES_NUMBER = 0.35

# What was left to say of the next steps comes a day later, once the day or the sum is known, in so
# many cases; else the agent had forgotten it. By eye.
REPORTS = 0.95
FOLLOWS = "a.follows."
"""How the acts begin by which an agent says that a day, a sum, a label or the rest comes in a mail
of its own."""
THE_REST = "rest"

# What customers say when a refusal stays one, and what answers that.
SAID_AGAIN = {"c.push": "a.no_exception", "c.manager": "a.asked"}

ASKS_HIGHER = ("c.manager",)
ASKED_MANAGER = "a.asked"
"""The act by which an agent has asked the supervisor."""

# What says by itself that it was looked up.
COMES_BACK = ("a.progress", "a.step_back")

# What customers come back with: whether there is something to do, how they will know that it is
# done, and, where nobody tells them a day, that nothing is to be seen yet.
ASKS_FOR_STEPS = "todo"
AFTERTHOUGHTS = (ASKS_FOR_STEPS, "news")
UNDATED_AFTERTHOUGHTS = (*AFTERTHOUGHTS, "nothing")


class MailVerdict:
    """The verdict of one thread and whatever is said to it."""

    def __init__(self, mails: MailTurns) -> None:
        self.mails = mails
        self.telling = mails.telling
        self.plot = mails.plot
        self.rng = mails.rng
        self.core = mails.core
        self.reports = False

    def write(self) -> None:
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
        # Where there is room for five mails, the customer is asked and thinks about it.
        asked_for = self.core < 5 and self.telling.asked_for
        known = bool(self.plot.settles) or self.plot.fixes
        return self.core == 1 or (asked_for and known)

    def _tells_later(self) -> bool:
        """Whether a mail of its own says what happens next."""
        return "steps" in self.mails.chosen

    def _asked_after(self) -> None:
        """The customer asks for a fact of what they get, and the agent tells it."""
        kind = self.telling.question()
        if kind and self._tells_later() and len(self.telling.untold_facts()) == 1:
            # Nobody asks how they will know of a day that they have not been told yet.
            self.mails.chosen.remove("steps")
            self.sets_going()
            kind = ""
        if not kind:
            self.comes_back()
            return
        self.mails.customer([self.telling.asks(kind)])
        told = self.telling.fact(kind) if self._tells_later() else self.telling.facts()
        self.mails.agent([*told, *self._advice(), *self._farewell()])

    def _taken(self) -> None:
        """The customer takes what is offered, some after a question, some with one."""
        telling = self.telling
        kind = telling.question()
        # Nobody has to ask at home whether they may have something on top.
        thinks = 0.0 if self.plot.besides else THINKS_IT_OVER
        doubt = telling.doubts() if self.core == 5 else ""
        if doubt:
            self.mails.customer([f"{DOUBT}{doubt}"])
            self.mails.agent([f"{ASSURES}{doubt}", "a.offer.open"])
        elif self.core == 5 and (not kind or self.rng.random() < thinks):
            self._thinks_it_over()
            return
        elif self.core == 5:
            self.mails.customer([telling.asks(kind)])
            self.mails.agent(telling.would([kind]))
            kind = ""
        besides = self._asks_besides() if kind else []
        question = None if besides else self._next_question(ASKS_NEXT_WITH_YES)
        asked = [question.asked] if question else besides
        self.mails.customer([*telling.accepts(), *asked])
        self._confirm([question.answered] if question else [])

    def _next_question(self, chance: float) -> NextQuestion | None:
        """What anybody would ask of what they just read, in so many mails."""
        question = of_remedy(self.rng, self.plot, self.telling.said())
        return question if question and self.rng.random() < chance else None

    def _thinks_it_over(self) -> None:
        """The customer has to ask somebody first, and writes again with their yes."""
        self.mails.customer(["c.think"])
        # Whom an agent gives time has read that at once, or it would be time already.
        self.mails.agent(["a.take_time"], soon=True)
        self.mails.customer(["c.accept.later"])
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
        farewell = self._farewell()
        said, answer = self._objection()
        while self.core == 5 and said in ASKS_HIGHER:
            # After the supervisor's no nobody asks for an exception: who has room asks them last.
            said, answer = self._objection()
        self.mails.customer([said])
        if self.core < 5:
            self.mails.agent([*answer, *farewell], self._days_for(answer))
            return
        self.mails.agent(answer, self._days_for(answer))
        again, answer = self._second_objection(said)
        self.mails.customer([again])
        self.mails.agent([*answer, *farewell], self._days_for(answer))

    def _gives_instead(self) -> None:
        """What is given in another's place, once the customer has said something to the refusal."""
        said, answer = self.telling.objection()
        self.mails.customer([said])
        if self.core < 5:
            gives = [*self._loyal(), *self.telling.gives()]
            arranged = [*gives, *self._arranged(), *self._promises()]
            rule = self.telling.rule(answer)
            said_all = [answer, *rule, *arranged, *self._advice(), *self._farewell()]
            self.mails.agent(said_all, self._days_for([answer]))
            return
        offers = [*self._loyal(), *self.telling.alternative(), "a.offer.open"]
        rule = self.telling.rule(answer)
        self.mails.agent([answer, *rule, *offers], self._days_for([answer]))
        self.mails.customer([*self.telling.accepts(), *self._asks_besides()])
        self._confirm()

    def _objection(self) -> tuple[str, list[str]]:
        """What the customer says to a final refusal, and the words that answer just that."""
        # Who has room to write again threatens last.
        if self.core < 5 and self._threatens():
            firm = ["a.firm", *self.telling.rule("a.firm")]
            return "c.threat", [*firm, *self.telling.shows_way()]
        said, answer = self.telling.objection()
        stays, *more = self.telling.stays_with(answer)
        # Who hears the reason is told as well that the answer stays; all others hear it by the
        # answer itself.
        return said, [stays, "a.deny.all", *more] if said == "c.why_not" else [stays, *more]

    def _second_objection(self, first: str) -> tuple[str, list[str]]:
        """What the customer says to a refusal that was said again, and the words that answer it.

        Nobody who takes it is refused once more: that is the thread's last word, if any.
        """
        if self._threatens():
            return "c.threat", ["a.firm"]
        said = self.rng.choice([act for act in SAID_AGAIN if act != first])
        answer = SAID_AGAIN[said]
        return said, [answer, *self.telling.rule(answer)]

    def _days_for(self, answer: list[str]) -> int:
        """The working days before such an answer: a manager is no farther than tomorrow."""
        return MANAGER_DAYS if ASKED_MANAGER in answer else 0

    def _threatens(self) -> bool:
        return self.rng.random() < THREATENS.get(self.plot.tone, THREATENS_CALMLY)

    def _resolve(self, asks: bool, refuses_first: bool) -> None:
        """The mail that decides; with `refuses_first` what is given instead comes later."""
        telling = self.telling
        plot = self.plot
        before, days = self._back_from_looking()
        found = telling.findings()
        if any(beat.startswith(COMES_BACK) for beat in before):
            # Who is back from checking has said that they checked.
            found = [beat for beat in found if beat != "a.looked"]
        said = [*before, *found, *telling.calms(found)]
        pushed = self.core > 1 and (refuses_first or plot.ending == "declined")
        said += telling.refuses(pushed) if plot.refuses else []
        if plot.granted and not refuses_first:
            said += [*self._loyal(), *self._granted(asks)]
        if plot.ending == "declined" and self.core == 1:
            said += telling.shows_way()
        elif not asks and plot.granted:
            said += self._advice()
        said += self.mails.seconded()
        self.mails.agent([*said, *([] if asks else self._farewell())], days)

    def _back_from_looking(self) -> tuple[list[str], int]:
        """How the mail that decides begins, and the working days that somebody took before it."""
        telling = self.telling
        plot = self.plot
        before = [*self.mails.takes_up(), *telling.seen_file()]
        if telling.waiting:
            telling.stepped = True
            return [*before, f"a.step_back.{plot.step}"], plot.step_days
        if not any("a.wait" in turn.beats for turn in telling.turns):
            return before, 0
        pressed = PRESSED if PRESSES in telling.turns[-1].beats else ""
        before += telling.maybe(f"a.progress{pressed}", THANKS_FOR_WAITING)
        # Who has asked for a day takes it.
        return before, int(telling.turns[-1].speaker == AGENT)

    def _granted(self, asks: bool) -> list[str]:
        """What is offered, and whether it is wanted; or what is given without asking."""
        other = self.plot.ending == OTHER
        if asks:
            offers = self.telling.alternative() if other else self.telling.offers()
            return [*offers, *self._told_with_offer(), "a.offer.open"]
        granted = self.telling.gives()
        if self.core == 1 or other:
            return [*granted, *self._arranged(), *self._promises()]
        told = [] if self.plot.settles or self._tells_later() else self.telling.steps()
        for kind in self.plot.settles[: len(self.plot.settles) - self._left_unsaid()]:
            told += self.telling.fact(kind)
        return [*granted, *told, *self._told_number(), *self._promises()]

    def _left_unsaid(self) -> int:
        """How many facts of what is given stay untold: one to be asked for, and one for later."""
        later = len([kind for kind in self.plot.settles if kind != MEND])
        return min(bool(self.plot.askable) + self._tells_later(), later)

    def _told_with_offer(self) -> list[str]:
        """The acts that tell with an offer all that is known of it, or none."""
        if self.plot.size_named:
            # A yes is a yes to a size.
            return self.telling.would(self.telling.sizes())
        # Where there is room for a question, something is left to ask.
        if self.core == 5 or self._tells_later() or self.rng.random() >= TELLS_WITH_OFFER:
            return self.telling.would(self.telling.keeps())
        return self.telling.would(self.telling.untold_facts())

    def _arranged(self) -> list[str]:
        """What is said of something that is given: the sum, the next steps, the number."""
        return [*self.telling.amount(), *self._told_steps(), *self._told_number()]

    def _promises(self) -> list[str]:
        """The act that says that what is not told yet will be, where a mail of its own tells it."""
        if not self._tells_later():
            return []
        untold = self.telling.untold_facts()
        if len(untold) == 1 and untold[0] in QUESTION_OF:
            asked = QUESTION_OF[untold[0]]
            # Of a sum that is in the remedy's name the day alone is left to tell.
            day_left = asked == ASKS_SUM and self.plot.sum_named
            return [f"{FOLLOWS}{ASKS_DAY if day_left else asked}"]
        return [f"{FOLLOWS}{THE_REST}"]

    def _loyal(self) -> list[str]:
        """The act that takes up how long the customer has been here, if they have said so."""
        return ["a.loyal"] if "c.loyal" in self.telling.said() else []

    def _advice(self) -> list[str]:
        if self.plot.advisable and any("issue.cause" in beat for beat in self.telling.said()):
            return self.telling.maybe(f"issue.advice.{self.plot.cause}", ADVISES)
        return []

    def _told_steps(self) -> list[str]:
        """What happens next; as much as must be told now, where a mail of its own says the rest."""
        telling = self.telling
        if not self._tells_later():
            return telling.steps()
        done = telling.at_once()
        untold = telling.untold_facts()
        if telling.asked_fact in untold:
            return [*done, *telling.fact(telling.asked_fact)]
        return [*done, *(telling.fact(untold[0]) if len(untold) > 1 else [])]

    def _told_number(self) -> list[str]:
        return self.telling.maybe("a.number", NAMES_NUMBER)

    def _farewell(self) -> list[str]:
        refused = self.plot.ending == "declined"
        return self.telling.maybe("a.close.refused" if refused else "a.close", SAYS_FAREWELL)

    def _confirm(self, answers: Sequence[str] = ()) -> None:
        """What was said yes to is arranged, or will be, where a mail of its own reports that.

        `answers` are the acts that answer what was asked with the yes.
        """
        waits = self._tells_later() and self.telling.asked_fact not in self.telling.untold_facts()
        self.reports = waits
        said = ["a.confirm.later"] if waits else ["a.confirm", *self._arranged()]
        said += [] if waits else self._promises()
        closing = self._farewell()
        self.mails.agent([*said, *answers, *self._advice(), *closing])

    def sets_going(self) -> None:
        """The agent reports that it is done, where they were to do it, or tells what was left open.

        Who has said that it is set up does not set it up again.
        """
        steps = self.telling.steps() or ["option.steps"]
        reports = self.reports or self.rng.random() < REPORTS
        details = "a.details" if reports else "a.next"
        lead = "a.done" if self.reports else details
        self.telling.say(
            AGENT,
            [lead, *steps, "a.sign"],
            days=int(reports),
            soon=not reports,
        )

    def comes_back(self) -> None:
        """The customer asks something afterwards, or doubts what was found; the agent answers."""
        question = self._next_question(ASKS_NEXT_AFTERWARD)
        if question:
            self.mails.customer([question.asked])
            self.mails.agent([question.answered, *self._farewell()])
            return
        doubt = self.telling.doubts(chance=DOUBTS_AFTERWARD)
        if doubt:
            self.mails.customer([f"{DOUBT}{doubt}"])
            self.mails.agent([f"{ASSURES}{doubt}", *self._farewell()])
            return
        dated = bool(self.plot.settles)
        asked = AFTERTHOUGHTS if dated else UNDATED_AFTERTHOUGHTS
        # Who has been let in again knows that it is done.
        about = ASKS_FOR_STEPS if self.plot.settles == (MEND,) else self.rng.choice(asked)
        self.mails.customer([f"c.back.{about}"])
        self.mails.agent([f"a.back_again.{about}", *self._farewell()])

    def thanks(self) -> None:
        """The customer's last word."""
        if self.plot.ending == "declined":
            # Who has threatened to leave doesn't take it meekly.
            left = "c.threat" in self.telling.said() or self.rng.random() < 0.5
            self.mails.customer(["c.give_up" if left else "c.refused"], signed=SIGNS_LAST)
        else:
            self.mails.customer(self.telling.thanks(), signed=SIGNS_LAST)
