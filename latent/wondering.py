"""Which question a customer asks next, as anybody would, and the act that answers it.

A cause, an enquiry's answer and a remedy leave something open: whether somebody got in, whether
what was lost comes back, whether anybody must be home. The plot says which such questions there
are; here one is chosen that nobody has asked yet. A part of `latent.telling`: knows acts by their
names, and no words.
"""

import random
from collections.abc import Sequence
from dataclasses import dataclass

from latent.dialogue import Plot

OF_ISSUE = ("issue.wonders.", "issue.clears.")
TELLS_DAY = "option.tell."
SOONER = "sooner"
OF_OPTION = ("option.wonders.", "option.clears.")
WONDERS = (OF_ISSUE[0], OF_OPTION[0])
"""How the acts begin by which somebody asks so."""

# What an agent has made sure of is asked by nobody: whether somebody must be home.
CHECKS = "a.check."

# Nobody asks more than two such things of one matter. By eye.
MOST = 2


@dataclass(frozen=True, slots=True)
class NextQuestion:
    """The act by which a customer asks something, and the one that answers just that."""

    asked: str
    answered: str


def of_finding(rng: random.Random, plot: Plot, said: Sequence[str]) -> NextQuestion | None:
    """What is asked of a cause that is just being told; None where nothing is left to ask.

    Nobody has a question to a cause that nobody told, or that is held against them.
    """
    if f"issue.cause.{plot.cause}" not in said or plot.ending == "declined":
        return None
    return _one_of(rng, _untold(OF_ISSUE, plot.wonders, said), said)


def of_remedy(rng: random.Random, plot: Plot, said: Sequence[str]) -> NextQuestion | None:
    """What is asked of what was set up; of the cause, too, where nobody has asked of it yet."""
    told = f"issue.cause.{plot.cause}" in said
    names: Sequence[str] = ()
    if told:
        early = any(act.startswith(OF_ISSUE[0]) for act in said)
        names = plot.wonders_later if early else (*plot.wonders_later, *plot.wonders)
    questions = _untold(OF_ISSUE, names, said)
    if plot.granted:
        # Nobody asks for a sooner day who has not been told of any.
        dated = any(act.startswith(TELLS_DAY) for act in said)
        names = [name for name in plot.wonders_of_option if dated or name != SOONER]
        questions += _untold(OF_OPTION, names, said)
    return _one_of(rng, questions, said)


def of_answer(rng: random.Random, plot: Plot) -> NextQuestion | None:
    """What is asked of the answer to an enquiry."""
    return _one_of(rng, _untold(OF_ISSUE, plot.wonders, ()), ())


def _untold(
    acts: tuple[str, str],
    names: Sequence[str],
    said: Sequence[str],
) -> list[NextQuestion]:
    asks, answers = acts
    return [
        NextQuestion(f"{asks}{name}", f"{answers}{name}")
        for name in names
        if f"{asks}{name}" not in said and f"{CHECKS}{name}" not in said
    ]


def _one_of(
    rng: random.Random,
    questions: Sequence[NextQuestion],
    said: Sequence[str],
) -> NextQuestion | None:
    asked = [act for act in said if act.startswith(WONDERS)]
    if not questions or len(asked) >= MOST:
        return None
    return rng.choice(questions)
