"""What happens in an e-mail thread of so many mails: the verdict's part, and what goes before it.

What the plot holds should happen, what just may happen is rarer. Knows the names of such things,
the mails that each takes, and no acts.
"""

import random

from latent.dialogue import FILES, MEND, Plot
from latent.naming import VAGUE

# How many mails each thing that may happen takes.
SIZES = {
    "again": 1,
    "stock": 2,
    "lookup": 2,
    "wrong": 2,
    "more": 2,
    "ask": 2,
    "half": 4,
    "evidence": 2,
    "no_file": 2,
    "test": 2,
    "transfer": 1,
    "step": 1,
    "progress": 1,
    "reminder": 1,
    "chase": 1,
    "steps": 1,
    "back": 2,
    "thanks": 1,
}
FILLS = ("chase", "progress")
REMINDER = "reminder"
ASKS = frozenset({"lookup", "more", "ask", "evidence", "no_file"})
"""What the customer has to answer before anything goes on."""

# How likely each is taken while there is room. All chosen by eye: what the plot holds should
# happen, what just may happen is rarer.
NEEDED = 16.0
LIKELY = 4.0
POSSIBLE = 1.0
RARE = 0.5
# Some agents answer by what they keep for such a problem, before they have read what was written.
STOCK_ANSWER = 2.5
# Who is asked something forgets to answer now and then, and the desk asks again after some days;
# nobody does who is upset, or has a day by which they need it.
REMINDS = 11.0
FORGETFUL = ("calm", "friendly")
# Who writes again before any answer mostly asks for one, and an agent's second mail in a row mostly
# reports that it is done: a mail with what the first left out is rare on both sides.
WRITES_AGAIN = 2.0
ASKS_MORE = 2.0
REPORTS_STEPS = 2.2
# Who was given something writes once more about as often as not where there is room: most of them
# doubt what was found.
COMES_BACK = 4.5
# Most last words are thanks; with fewer, more mails would ask for news.
GIVES_THANKS = 7.0
# Who waits for an answer asks for it now and then, who gets none in the end sooner.
WAITING_ASKS = 0.9
UNANSWERED_ASKS = 2.5

# The verdict takes three mails rather than one where there is room; who is refused something has
# mostly a word to say to it, in three mails or five. By eye.
IN_THREE = 0.6
REFUSED_IN_FIVE = 0.5
REFUSED_IN_THREE = 0.85
# Who is given at once what they wanted has seldom anything to say to it but thanks.
GIVEN_IN_THREE = 0.2
# Who is offered something asks about it before they say yes in so many threads with room for that:
# most were told all of it with the offer.
ASKS_FIRST = 0.2


def core_size(rng: random.Random, plot: Plot, room: int) -> int:
    """How many mails the verdict takes, with what is said to it; none in an open case."""
    if not plot.resolved or not room:
        return 0
    if room >= 5 and plot.refuses and rng.random() < REFUSED_IN_FIVE:
        return 5
    if room >= 5 and plot.askable and _is_offered(plot) and rng.random() < ASKS_FIRST:
        return 5
    if room >= 3 and rng.random() < _in_three(plot):
        return 3
    return 1


def _in_three(plot: Plot) -> float:
    """How likely a verdict takes three mails where there is room for them."""
    if plot.refuses:
        return REFUSED_IN_THREE
    given = plot.granted and not _is_offered(plot)
    return GIVEN_IN_THREE if given else IN_THREE


def _is_offered(plot: Plot) -> bool:
    """Whether something is offered that the customer may turn down, and nothing is refused."""
    return plot.granted and not plot.refuses and not plot.demanded and not plot.unrefusable


def chosen_for(rng: random.Random, plot: Plot, room: int) -> list[str]:
    """What happens besides the verdict, so many mails of it."""
    weights = _weights(plot)
    chosen: list[str] = []
    while room > 0:
        asked = bool(ASKS.intersection(chosen))
        # Nobody is reminded of what they were never asked.
        open_now = [name for name in weights if asked or name != REMINDER]
        fits = [name for name in open_now if SIZES[name] <= room]
        if fits:
            (name,) = rng.choices(fits, [weights[fit] for fit in fits])
            del weights[name]
            for other in EXCLUDES.get(name, ()):
                weights.pop(other, None)
        else:
            # Nobody says twice in a row that there is no news, or asks twice for some.
            name = min(FILLS, key=chosen.count)
        chosen.append(name)
        room -= SIZES[name]
    if "more" in chosen and not {"ask", "half"}.intersection(chosen):
        # Who asks one thing alone asks for what decides it.
        chosen[chosen.index("more")] = "ask"
    return chosen


EXCLUDES = {
    "ask": ("half",),
    "evidence": ("no_file",),
    # One answer that misses the point is enough.
    "stock": ("half", "wrong", "test"),
    "half": ("ask", "stock"),
    "test": ("stock",),
    # Who has the order's number looks up no wrong order.
    "lookup": ("wrong",),
    "wrong": ("lookup", "again", "stock"),
    "again": ("wrong",),
}
"""What no longer happens once something else does."""


def _weights(plot: Plot) -> dict[str, float]:
    """How likely each thing happens, of those that can in this plot."""
    asks = WAITING_ASKS if plot.resolved else UNANSWERED_ASKS
    weights = {"again": WRITES_AGAIN, "chase": asks, "progress": RARE}
    if plot.identifies:
        weights["lookup"] = NEEDED
    elif not plot.knows_order:
        weights["lookup"] = POSSIBLE
    if plot.others and not plot.knows_order and plot.naming == VAGUE:
        # Who has called it a mortgage is asked about no other thing.
        weights["wrong"] = RARE
    if plot.tells and len(plot.signs) > 1:
        # Some ask for all that they would need to see whose fault it is.
        weights["more"] = ASKS_MORE
    if plot.tells:
        weights["ask"] = NEEDED
        weights["half"] = RARE
    if plot.asks_file:
        weights["evidence"] = NEEDED
    elif plot.known_by in FILES:
        weights["no_file"] = POSSIBLE
    if plot.tone in FORGETFUL and not plot.needed:
        weights[REMINDER] = REMINDS
    if plot.stock:
        weights["stock"] = STOCK_ANSWER
    if plot.tests:
        weights["test"] = LIKELY
    if plot.transfers:
        weights["transfer"] = LIKELY
    if plot.step:
        weights["step"] = LIKELY
    if plot.granted:
        # What was done at once has nothing left to be reported of it.
        steps = 0.0 if plot.settles == (MEND,) else REPORTS_STEPS
        weights |= {"steps": steps, "back": COMES_BACK}
    if plot.resolved:
        weights["thanks"] = GIVES_THANKS
    return {name: weight for name, weight in weights.items() if weight}
