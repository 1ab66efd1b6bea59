"""Checking: what an agent makes sure of before something is sent, paid or arranged.

The answer is always yes, for nothing else is known, and it decides where the thing goes. A part of
chats: knows acts by their names, and no words.
"""

from latent.dialogue import SIZED, Plot

HOME = "home"
CHECKED_BY = {
    "ships": "address",
    SIZED: "address",
    "visit": HOME,
    "session": "number",
    "return": "label",
    "refund": "way",
}
"""What is made sure of, by the fact that depends on it: the address of the order, that somebody is
home, the number on file, where the label goes, the way the money goes back."""

ADDRESS = "address"


def to_check(plot: Plot) -> str:
    """What an agent makes sure of; "" for nothing.

    Nobody asks for an address of which the customer has told already, right or wrong.
    """
    known = {sign for sign, _ in plot.signs}
    for fact in plot.settles:
        checked = CHECKED_BY.get(fact, "")
        if checked and not (checked == ADDRESS and ADDRESS in known):
            return checked
    return ""
