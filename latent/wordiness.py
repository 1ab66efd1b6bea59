"""How many words a dialogue act usually takes, by which the pauses of a chat are planned.

What is longer takes longer to read and to type. Knows acts by their names, and no words.
"""

from collections.abc import Iterable

# Usual numbers of words in a chat, counted in chats that the embedded writer wrote.
WORDS = {
    "c.hello": 2,
    "c.open": 8,
    "c.open.full": 10,
    "c.order": 4,
    "c.order.found": 5,
    "c.order.none": 7,
    "c.before": 8,
    "c.identify": 7,
    "c.wish": 7,
    "c.half": 8,
    "c.why": 5,
    "c.asks_1": 14,
    "c.asks_2": 13,
    "c.hold": 2,
    "c.there": 3,
    "c.accept": 3,
    "c.push": 9,
    "c.threat": 9,
    "c.give_up": 5,
    "c.refused": 5,
    "c.thanks": 3,
    "c.transferred": 4,
    "c.evidence": 4,
    "c.no_file": 8,
    "c.second": 12,
    "c.wrong": 6,
    "c.how_long": 5,
    "issue.complaint": 11,
    "issue.sign": 7,
    "issue.ask": 9,
    "issue.echo": 9,
    "issue.cause": 14,
    "issue.advice": 12,
    "issue.request": 16,
    "issue.resolve": 30,
    "a.hello": 7,
    "a.ack": 7,
    "a.identify": 14,
    "a.identified": 5,
    "a.ask_order": 10,
    "a.found": 11,
    "a.wrong": 13,
    "a.again": 5,
    "a.why": 8,
    "a.unsure": 14,
    "a.no_exception": 8,
    "a.amount": 5,
    "a.return": 7,
    "a.signed_in": 8,
    "a.term_1": 16,
    "a.term_2": 14,
    "a.evidence": 11,
    "a.seen": 7,
    "a.hold": 7,
    "a.hold.on": 6,
    "a.back": 5,
    "a.looked": 7,
    "a.step": 11,
    "a.step_back": 8,
    "a.transfer": 15,
    "a.intro": 10,
    "a.offer": 14,
    "a.deny": 18,
    "a.deny.all": 14,
    "a.alternative": 13,
    "a.firm": 12,
    "a.confirm": 8,
    "option.steps": 13,
    "a.number": 10,
    "a.second": 16,
    "a.how_long": 10,
    "a.gone": 7,
    "a.left": 9,
    "a.bye": 6,
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
