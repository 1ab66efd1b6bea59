"""How a thread begins: what the customer tells unasked, and what they leave to be asked for.

A part of `latent.mail_dialogue`. Knows no words and no times.
"""

from latent.dialogue import ANSWER, CUSTOMER
from latent.mail_turns import MailTurns
from latent.telling import NEEDED, placing_acts

# How often a turn that may say something does say it. Chosen by eye, so that threads of one length
# and ending still differ.
TELLS_UNASKED = {"terse": 0.42, "medium": 0.66, "wordy": 0.92}
# What decides nothing is left out by nearly all who want something of a desk: of thirty mails one
# tells why it matters, who they are or what they tried, and none tells two of it. By eye.
TELLS_IMPACT = {"terse": 0.0, "medium": 0.03, "wordy": 0.08}
# Who gets something for the trouble tells sooner what that was: it is what the desk makes good.
TELLS_WHAT_IT_COST = 0.2
TELLS_BACKGROUND = {"terse": 0.0, "medium": 0.03, "wordy": 0.08}
TELLS_TRIED = {"terse": 0.0, "medium": 0.02, "wordy": 0.06}
ADDS_POSTSCRIPT = 0.02
NAMES_THING = 0.35
# Who has the order's number at hand puts it below their name in so many mails.
BELOW_NAME = 0.6
EXPLAINS_WISH = {"terse": 0.0, "medium": 0.04, "wordy": 0.12}
ASKS_FOR_HELP = 0.35


class MailOpening:
    """The first mail of a thread."""

    def __init__(self, mails: MailTurns) -> None:
        self.mails = mails
        self.telling = mails.telling
        self.plot = mails.plot
        self.rng = mails.rng
        self.asks = "ask" in mails.chosen or "half" in mails.chosen

    def write(self) -> None:
        """All that the customer writes before anybody has answered."""
        plot, telling, rng = self.plot, self.telling, self.rng
        beats = ["c.greet", "issue.complaint", *self._stakes_and_signs()]
        asides = self._asides()
        beats += placing_acts(telling, NAMES_THING)
        below: list[str] = []
        if plot.knows_order:
            is_below = rng.random() < BELOW_NAME
            (below if is_below else beats).append("c.order.below" if is_below else "c.order")
            telling.order_told = True
        beats += asides
        if plot.evidence and "evidence" not in self.mails.chosen:
            beats.append(telling.send())
        wishes = telling.wishes()
        beats += wishes or telling.maybe("c.wish.open", ASKS_FOR_HELP)
        if {"c.wish", "c.wish.sized"}.intersection(wishes) and not asides:
            beats += telling.maybe("c.wish.why", EXPLAINS_WISH[plot.verbosity])
        if plot.letters:
            beats.append("c.letter")
        elif plot.verbosity == "wordy" and not asides:
            beats += telling.maybe("c.ps", ADDS_POSTSCRIPT)
        telling.say(CUSTOMER, [*beats, "c.sign", *below])

    def _asides(self) -> list[str]:
        """What the customer tells besides the matter: one thing at most, but in a letter.

        For whom they write, how long they have been here, an earlier matter, what they tried or
        what it means to them.
        """
        plot = self.plot
        if plot.letters:
            before = ["c.before"] if plot.before else []
            matters = NEEDED if plot.needed else "issue.impact"
            return [*self.telling.for_whom(), *before, "c.tried", matters]
        if plot.needed:
            return [NEEDED]
        if plot.before:
            return ["c.before"]
        return (
            self.telling.for_whom() or self._background() or self._tried() or self._what_it_means()
        )

    def _background(self) -> list[str]:
        """How long the customer has been here: only where the agent will take it up."""
        plot = self.plot
        if not (plot.ordered_before and plot.granted and self.mails.core):
            return []
        return self.telling.maybe("c.loyal", TELLS_BACKGROUND[plot.verbosity])

    def _tried(self) -> list[str]:
        return self.telling.maybe("c.tried", TELLS_TRIED[self.plot.verbosity])

    def _what_it_means(self) -> list[str]:
        """Why it matters, or what it has cost somebody who is given something for that."""
        chance = TELLS_IMPACT[self.plot.verbosity]
        if self.plot.besides:
            chance = max(chance, TELLS_WHAT_IT_COST)
        return self.telling.maybe("issue.impact", chance)

    def _stakes_and_signs(self) -> list[str]:
        """What is at stake, and the first sign; the sign alone where it must tell both."""
        sign = self.plot.stake_in
        if sign and sign == self._must_tell():
            return self._unasked()
        stake = self.telling.stake()
        return [*stake, *self._unasked()]

    def _must_tell(self) -> str:
        """The sign that decides and that nobody will ask for; "" for none."""
        return self.plot.tells if self.plot.known_by == ANSWER and not self.asks else ""

    def _is_only_word(self) -> bool:
        """Whether nobody will say more of the problem: no question and no picture."""
        shown = self.plot.evidence and "evidence" not in self.mails.chosen
        return not (self.asks or shown)

    def _unasked(self) -> list[str]:
        """The acts that tell signs, or none; never the one that will be asked for.

        A letter leaves none to be told that nobody asks for.
        """
        plot = self.plot
        telling = self.telling
        signs = [sign for sign, _ in plot.signs]
        if self._must_tell():
            # Nobody will ask for what decides it: the customer says it by themself.
            return [telling.tell(plot.tells)]
        if self.asks and (len(signs) < 2 or plot.tells in ("", signs[0])):
            return []
        if "more" in self.mails.chosen and self.asks:
            return []
        if plot.letters and not self.asks:
            return [telling.tell(sign) for sign in signs if sign not in telling.told]
        if self.rng.random() >= (1.0 if self._is_only_word() else TELLS_UNASKED[plot.verbosity]):
            return []
        # What is at stake has been told as such.
        return [telling.tell(sign) for sign in signs[:1] if sign not in telling.told]
