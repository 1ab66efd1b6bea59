"""Amends: money for the trouble, on top of what is done about the problem itself.

It comes where something went wrong on the company's side, to customers who ask for it or who have
told what it cost them, and the agent who gives it says what it is for. A part of `latent.telling`:
knows acts by their names, and no words.
"""

from collections.abc import Sequence

from latent.dialogue import Plot

# About half of those who get something for the trouble have asked for it: desks seldom think of
# that by themselves. By eye.
ASKS_FOR_AMENDS = 0.55

COSTS = ("hour", "calls", "plans")
"""What it has cost a customer, who says so in a chat: their time, several calls, what they had
planned."""
TELLS_COST = "c.cost."

ASKED_AGAIN = "asked"
HELD_UP = "trouble"
TRIED = "tried"
OWN_MISTAKE = "fault"
NO_REASON = "unknown"
REASONS = {
    "c.chase": ASKED_AGAIN,
    "issue.impact": HELD_UP,
    "issue.loss": HELD_UP,
    "c.tried": TRIED,
}
"""What something on top is for, by the act that told it; the first counts. Where nothing was told,
it is for a mistake of the company's own."""

ASKS_FOR_MORE = "c.wish.also"


def reason_of(
    plot: Plot,
    said: Sequence[str],
    cause_told: bool,
    cause_open: bool = False,
) -> list[str]:
    """The act that says what something on top is for, or none where nobody knows it.

    How long somebody has been here is a reason by itself, and so is that the company has looked for
    the cause of its own mistake and can't tell it.
    """
    if not plot.besides or "c.loyal" in said:
        return []
    for act in said:
        if act.startswith(TELLS_COST):
            return [f"a.amends.{act.removeprefix(TELLS_COST)}"]
    for told, reason in REASONS.items():
        if any(act.startswith(told) for act in said):
            return [f"a.amends.{reason}"]
    if not plot.owes:
        return []
    if cause_told:
        return [f"a.amends.{OWN_MISTAKE}"]
    return [f"a.amends.{NO_REASON}"] if cause_open else []
