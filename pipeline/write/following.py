"""Which words an act takes from what was said before it: `So I've set up a refund for you.`

Acts that are worded by themselves stand beside each other like remarks. Where a lexicon has a rule
for what follows a cause (`a.grant.so`), a doubt (`a.grant.but`), a mending (`a.grant.besides`) or
what something is given for (`a.grant.amends`), an agent's mail says by its first words how the one
leads to the other. A sum that has just been named (`option.tell.credit.named`) is "it". Knows acts
and the names of rules, no words.
"""

from collections.abc import Callable, Sequence

SO = "so"
STILL = "still"
BUT = "but"
BESIDES = "besides"
AMENDS = "amends"
NAMED = "named"

# The act before, by the beginning of its name, and the act after it.
FOLLOWS = {
    ("issue.cause", "a.grant"): SO,
    ("a.hedge", "a.grant"): SO,
    ("issue.calm", "a.grant"): SO,
    ("issue.cause", "a.offer"): SO,
    ("a.hedge", "a.offer"): SO,
    ("issue.calm", "a.offer"): SO,
    ("a.trust", "a.grant"): SO,
    ("a.trust", "a.offer"): SO,
    ("a.unsure", "a.grant"): BUT,
    ("a.unsure", "a.offer"): BUT,
    ("a.traced", "a.grant"): SO,
    ("a.traced", "a.offer"): SO,
    ("issue.mend", "a.grant"): BESIDES,
    ("a.amends", "a.grant"): AMENDS,
    ("a.amends", "a.offer.besides"): AMENDS,
    ("a.grant", "option.tell.credit"): NAMED,
    ("a.confirm", "option.tell.credit"): NAMED,
}

# Acts that are worded by the issue's own rule, where there is one: `I'm sorry that they rub.`
BY_ISSUE = {
    "a.ack": "issue.ack",
    "a.unsure": "issue.unsure",
    "a.unsure.record": "issue.unsure.record",
    "a.unsure.file": "issue.unsure.file",
    "a.unsure.asked": "issue.unsure.asked",
    "a.unsure.answer": "issue.unsure.answer",
    "a.traced.record": "issue.traced.record",
    "a.traced.file": "issue.traced.file",
    "a.traced.asked": "issue.traced.asked",
    "a.traced.answer": "issue.traced.answer",
    "a.wait": "issue.wait",
    "a.step.warehouse": "issue.step.warehouse",
    "a.because.fault": "issue.because.fault",
    "c.behalf": "issue.behalf",
    "c.chase": "issue.chase",
    "c.thanks": "issue.thanks",
    "c.tried": "issue.tried",
    "a.evidence.document": "issue.evidence.document",
    "a.seen.document": "issue.seen.document",
    "c.evidence.document": "issue.sends.document",
}

NOTED = "issue.noted"
ALONE = "alone"
# Acts that say why it is as an agent has noted it, or that nobody knows.
FINDINGS = ("issue.cause", "a.unsure", "a.traced")


def alone(beats: Sequence[str], has: Callable[[str], bool]) -> list[str]:
    """The acts of an agent's mail; what was noted says that it is so where nothing says why.

    >>> alone(["issue.noted", "a.grant"], lambda rule: True)
    ['issue.noted.alone', 'a.grant']
    """
    told = f"{NOTED}.{ALONE}"
    if not has(told) or any(beat.startswith(FINDINGS) for beat in beats):
        return list(beats)
    return [told if beat == NOTED else beat for beat in beats]


def following(before: str, beat: str, owes: bool, has: Callable[[str], bool]) -> str:
    """The rule that words an act behind another one; "" where nothing leads from one to the other.

    `owes` says whether the cause leads to a remedy, and to nothing else.

    >>> following("issue.cause.bond", "a.grant", True, lambda rule: True)
    'a.grant.so'
    """
    for (first, after), usual in FOLLOWS.items():
        link = STILL if usual == SO and not owes else usual
        rule = f"{after}.{link}"
        if beat == after and before.startswith(first) and has(rule):
            return rule
    return ""


def worded_as(beat: str, act: str, own: Callable[[str], bool], has: Callable[[str], bool]) -> str:
    """The rule that words an act: the issue's own, its own, or that of the act without arguments.

    `issue.mend.bond` is worded by `issue.mend` where no rule tells how just that is mended.
    `own` says whether an issue's rule is one for this channel: what fits a mail is too much for a
    line of a chat.

    >>> worded_as("issue.mend.bond", "issue.mend", any, lambda rule: rule == "issue.mend")
    'issue.mend'
    """
    if beat in BY_ISSUE and own(BY_ISSUE[beat]):
        return BY_ISSUE[beat]
    if beat != act and not has(beat) and has(act):
        return act
    return beat
