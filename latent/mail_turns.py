"""Mails of a thread as they are added to it: with the greeting and the name that people put there.

A part of threads: `latent.mail_opening`, `latent.mail_verdict` and `latent.mail_dialogue` say what
stands between. Knows no words and no times.
"""

import random

from latent.dialogue import AGENT, CUSTOMER, Plot
from latent.telling import Telling

# How often a customer's later mail begins with a greeting and ends with a name, the first time that
# they answer. Each such habit wears off: who has answered once goes on as one talks. On a phone
# nobody types a name below two words. All chosen by eye.
GREETS = {"terse": 0.15, "medium": 0.45, "wordy": 0.8}
SIGNS = {"terse": 0.2, "medium": 0.6, "wordy": 0.9}
WEARS_OFF = 0.55
ON_PHONE = 0.4
GREETS_AGAIN_AT_ONCE = 0.3

# Most first answers begin with a word on what was told. By eye.
ACKNOWLEDGES = 0.65


class MailTurns:
    """The mails of one thread so far, and how the next one is framed."""

    def __init__(self, telling: Telling, chosen: list[str], core: int) -> None:
        self.telling = telling
        self.chosen = chosen
        self.core = core

    @property
    def plot(self) -> Plot:
        """What decides the thread's course."""
        return self.telling.plot

    @property
    def rng(self) -> random.Random:
        """The thread's own stream."""
        return self.telling.rng

    def answered(self) -> bool:
        """Whether an agent has written yet."""
        return any(turn.speaker == AGENT for turn in self.telling.turns)

    def customer(self, beats: list[str], soon: bool = False, signed: float = 1.0) -> None:
        """A customer's later mail, with a greeting and a name as people may omit them."""
        verbosity = self.plot.verbosity
        # Nobody knows a name before somebody has answered.
        hello = "c.greet.reply" if self.answered() else "c.greet"
        worn = WEARS_OFF ** self._replies()
        phone = ON_PHONE if self.plot.on_phone else 1.0
        at_once = GREETS_AGAIN_AT_ONCE if soon or not self.answered() else 1.0
        greeting = self.telling.maybe(hello, GREETS[verbosity] * worn * at_once)
        closing = self.telling.maybe("c.sign.reply", SIGNS[verbosity] * worn * phone * signed)
        self.telling.say(CUSTOMER, [*greeting, *beats, *closing], soon=soon)

    def _replies(self) -> int:
        """How many mails the customer has written since somebody first answered."""
        speakers = [turn.speaker for turn in self.telling.turns]
        return speakers[speakers.index(AGENT) :].count(CUSTOMER) if AGENT in speakers else 0

    def agent(self, beats: list[str], days: int = 0, soon: bool = False) -> None:
        """An agent's mail, with a greeting and a name."""
        greeting = "a.greet.again" if self.answered() else "a.greet"
        before = self.telling.owns_up()
        self.telling.say(AGENT, [greeting, *before, *beats, "a.sign"], days=days, soon=soon)

    def first_answer(self) -> list[str]:
        """What the first agent's mail begins with; it takes up what the customer told."""
        if self.answered():
            return []
        before = ["a.before"] if "c.before" in self.telling.said() else []
        if self.plot.letters:
            return ["a.ack.letter", *before]
        need = self.telling.need()
        if need:
            return [*need, *before]
        # Who has told what it means to them is owed a word on it.
        chance = 1.0 if "issue.impact" in self.telling.said() else ACKNOWLEDGES
        return [*self.telling.maybe(self.telling.acknowledges(), chance), *before]

    def seconded(self) -> list[str]:
        """The act that answers what the customer asked in passing, once."""
        said = self.telling.said()
        return ["a.second"] if "c.second" in said and "a.second" not in said else []

    def finds(self) -> list[str]:
        """The order, found once."""
        telling = self.telling
        if telling.found:
            return []
        found = telling.find()
        if not self.plot.identifies:
            return found
        # Nobody tells a bank unasked who they are: who isn't asked writes from the address on file.
        if not telling.identified:
            return ["a.known", *found]
        just_now = "c.identify" in telling.turns[-1].beats
        return ["a.identified", *found] if just_now else found

    def takes_up(self) -> list[str]:
        """How an agent's mail begins: a word on what was told, and the order that it is about."""
        return [*self.first_answer(), *self.finds()]
