"""How many words a dialogue act usually takes, by which the pauses of a chat are planned.

What is longer takes longer to read and to type. Knows acts by their names, and no words.
"""

from collections.abc import Iterable

# Usual numbers of words in a chat, counted in chats that the embedded writer wrote.
WORDS = {
    "c.hello": 1,
    "c.hello.call": 5,
    "c.open": 9,
    "c.open.full": 10,
    "c.order": 4,
    "c.order.found": 3,
    "c.order.none": 8,
    "c.before": 8,
    "c.identify": 5,
    "c.wish": 8,
    "c.half": 4,
    "c.unclear": 5,
    "c.why": 4,
    "c.nothing": 5,
    "c.asks_1": 14,
    "c.asks_2": 13,
    "c.hold": 2,
    "c.there": 4,
    "c.accept": 3,
    "c.push": 6,
    "c.why_not": 4,
    "c.manager": 7,
    "c.accept.instead": 5,
    "c.thanks.instead": 4,
    "a.because": 13,
    "a.asked": 15,
    "c.balk": 5,
    "a.only": 15,
    "c.threat": 6,
    "c.give_up": 4,
    "c.refused": 4,
    "c.thanks": 3,
    "c.thanks.ships": 7,
    "c.thanks.visit": 5,
    "c.thanks.money": 7,
    "c.thanks.return": 8,
    "c.transferred": 2,
    "c.evidence": 5,
    "c.no_file": 8,
    "c.second": 8,
    "c.wrong": 6,
    "c.how_long": 4,
    "issue.complaint": 11,
    "issue.sign": 5,
    "issue.stake": 4,
    "issue.noted": 7,
    "issue.ask": 8,
    "issue.echo": 7,
    "issue.cause": 20,
    "issue.mend": 15,
    "issue.advice": 10,
    "issue.request": 20,
    "issue.resolve": 20,
    "a.hello": 5,
    "a.sorry_wait": 7,
    "a.ack": 8,
    "a.identify": 16,
    "a.identified": 5,
    "a.ask_order": 9,
    "a.help": 4,
    "a.hedge": 12,
    "a.found": 8,
    "a.wrong": 11,
    "a.again": 8,
    "a.rephrase": 7,
    "a.ask_wish": 9,
    "a.else": 7,
    "a.why": 11,
    "a.unsure": 13,
    "a.no_exception": 14,
    "a.amount": 4,
    "a.return": 10,
    "a.signed_in": 11,
    "a.term_1": 16,
    "a.term_2": 14,
    "a.evidence": 10,
    "a.seen": 10,
    "a.hold": 8,
    "a.hold.on": 8,
    "a.back": 4,
    "a.looked": 5,
    "a.step": 11,
    "a.step_back": 7,
    "a.transfer": 12,
    "a.intro": 15,
    "a.offer": 13,
    "a.deny": 18,
    "a.deny.all": 11,
    "a.alternative": 12,
    "a.firm": 11,
    "a.confirm": 8,
    "option.steps": 7,
    "option.tell": 13,
    "option.tell.visit": 13,
    "c.how": 6,
    "a.number": 8,
    "a.second": 7,
    "a.how_long": 12,
    "a.gone": 7,
    "a.left": 20,
    "a.bye": 5,
    "c.open.exact": 10,
    "c.wish.also": 10,
    "issue.calm": 11,
    "a.offer.besides": 16,
    "a.grant": 10,
    "option.tell.keep": 7,
    "a.bye.refused": 8,
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
