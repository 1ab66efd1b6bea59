"""How many words a dialogue act usually takes, by which the pauses of a chat are planned.

What is longer takes longer to read and to type. Knows acts by their names, and no words.
"""

from collections.abc import Iterable

# Usual numbers of words in a chat, counted in chats that the embedded writer wrote.
WORDS = {
    "c.hello": 1,
    "c.hello.call": 4,
    "c.open": 9,
    "c.open.full": 10,
    "c.order": 3,
    "c.order.found": 3,
    "c.order.none": 7,
    "c.before": 8,
    "c.identify": 6,
    "c.wish": 7,
    "c.half": 4,
    "c.unclear": 5,
    "c.why": 4,
    "c.nothing": 5,
    "c.asks_1": 14,
    "c.asks_2": 13,
    "c.hold": 2,
    "c.there": 2,
    "c.accept": 3,
    "c.push": 6,
    "c.why_not": 4,
    "c.manager": 4,
    "c.accept.instead": 3,
    "c.thanks.instead": 3,
    "a.because": 10,
    "a.asked": 9,
    "c.balk": 5,
    "a.only": 10,
    "c.threat": 6,
    "c.give_up": 4,
    "c.refused": 4,
    "c.thanks": 3,
    "c.transferred": 2,
    "c.evidence": 4,
    "c.no_file": 6,
    "c.second": 6,
    "c.wrong": 6,
    "c.how_long": 4,
    "issue.complaint": 7,
    "issue.sign": 5,
    "issue.stake": 3,
    "issue.noted": 5,
    "issue.ask": 9,
    "issue.echo": 7,
    "issue.cause": 17,
    "issue.mend": 12,
    "issue.advice": 12,
    "issue.request": 16,
    "issue.resolve": 30,
    "a.hello": 5,
    "a.sorry_wait": 6,
    "a.ack": 4,
    "a.identify": 16,
    "a.identified": 4,
    "a.ask_order": 6,
    "a.help": 4,
    "a.hedge": 4,
    "a.found": 4,
    "a.wrong": 9,
    "a.again": 5,
    "a.rephrase": 5,
    "a.ask_wish": 8,
    "a.else": 7,
    "a.why": 8,
    "a.unsure": 7,
    "a.no_exception": 7,
    "a.amount": 4,
    "a.return": 4,
    "a.signed_in": 11,
    "a.term_1": 16,
    "a.term_2": 14,
    "a.evidence": 7,
    "a.seen": 5,
    "a.hold": 5,
    "a.hold.on": 5,
    "a.back": 4,
    "a.looked": 5,
    "a.step": 8,
    "a.step_back": 7,
    "a.transfer": 8,
    "a.intro": 9,
    "a.offer": 9,
    "a.deny": 13,
    "a.deny.all": 9,
    "a.alternative": 9,
    "a.firm": 9,
    "a.confirm": 5,
    "option.steps": 7,
    "option.tell": 8,
    "option.tell.visit": 11,
    "c.how": 5,
    "a.number": 5,
    "a.second": 6,
    "a.how_long": 8,
    "a.gone": 4,
    "a.left": 9,
    "a.bye": 4,
}
USUAL = 8


def usual_words(beats: Iterable[str]) -> int:
    """About how many words a chat line of these acts has."""
    return sum(_words(beat) for beat in beats)


def _words(beat: str) -> int:
    """The words of an act; what stands behind its name are its arguments."""
    name = beat
    while name:
        if name in WORDS:
            return WORDS[name]
        name = name.rpartition(".")[0]
    return USUAL
