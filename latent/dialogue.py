"""What a conversation is made of: the plot behind it, and turns that say dialogue acts.

Acts ("beats") are the names of `schemas/service_cloud/_beats.yaml`; what stands behind such a name
are the act's arguments: `issue.sign.spot.toe` tells that the spot is the toe. What has been said
so far is kept in `latent.telling`. Threads are planned in `latent.mail_dialogue`, chats in
`latent.chat_dialogue`. Knows no words and no times.
"""

from dataclasses import dataclass

from latent.file_names import DOCUMENT, PHOTO, SCREENSHOT

CUSTOMER = "Customer"
AGENT = "Agent"
LONGEST_THREAD = 11

FILES = frozenset({"photo", "video", "screenshot", "receipt", "statement", "log"})
"""What knows a cause and comes as a file."""
ASKED_FORMS = {
    "photo": PHOTO,
    "video": PHOTO,
    "screenshot": SCREENSHOT,
    "receipt": DOCUMENT,
    "statement": DOCUMENT,
    "log": SCREENSHOT,
}

# What an agent looks up alone, and what only the second level finds out after days.
RECORD = "record"
SECOND_LEVEL = "second_level"
# How an agent greets who has come in and not written yet.
WELCOMES = "a.welcome"
ANSWER = "answer"
# What becomes of the cause: it is stated; only what happened is told; or it stays open.
TOLD = "told"
HINTED = "hinted"
OPEN = "open"

# Who decided the outcome, as far as the conversation shows.
BY_ANSWER = "answer"
BY_EVIDENCE = "evidence"
BY_RECORD = "record"
BY_NOBODY = "none"


# What can be asked of a remedy, by the fact that answers it.
QUESTION_OF = {
    "refund": "sum",
    "credit": "sum",
    "discount": "sum",
    "ships": "when",
    "ships.sized": "when",
    "visit": "when",
    "session": "when",
    "plan": "when",
    "done": "when",
    "return": "back",
    "keep": "back",
}
ASKS_SUM = "sum"
ASKS_DAY = "when"
PAYS = frozenset({"refund", "credit", "discount"})
"""Facts of what is worth money to the customer."""
THINGS = frozenset({"ships", "ships.sized", "return", "keep"})
"""Facts of what is done about a thing: another one, the same in another size, its money."""
CHOSEN = THINGS | {"visit", "session", "plan"}
"""Facts of what a customer may want otherwise: a thing or its money, a day, a size, a plan."""
MEND = "mend"
"""The fact that the agent has done at once what the problem's cause wants; nobody asks when."""
KEPT = "keep"
"""The fact that nothing has to be sent back."""
SIZED = "ships.sized"
"""The fact that something is sent in a size of the customer's."""

# The ending in which something else is granted than what was wished for.
OTHER = "granted_other"

# Why something is refused: too late; never given for such a problem; no fault of the company.
TOO_LATE = "late"
UNLISTED = "unlisted"
NO_FAULT = "fault"


# What answers an enquiry, and what does so with the day on which the thing arrives.
ANSWERS = "issue.resolve"
ARRIVES = "issue.arrives"


@dataclass(frozen=True, slots=True)
class Plot:
    """What decides a conversation's course.

    Attributes:
        ending: how the case ends; `open` for one that has not yet.
        wish: the key of the option that the customer wants, and whether they say so.
        verbosity, tone: how much and in which mood the customer writes.
        transfers: from how many agents to the next the case goes.
        passed: why, one reason for each of them: `team`, `level`, `left` or `shift`.
        cause, signs, tells, known_by, finding, step, step_days, evidence: the incident, see
            `latent.incident`; `signs` are pairs of a sign and its value.
        needed: whether the customer has a day by which they need it.
        identifies: whether the desk identifies who writes before anything else.
        knows_order: whether the customer has the order number at hand.
        naming, dating: how the customer names the product and dates the purchase.
        before: whether the customer mentions an earlier case.
        ordered_before: whether they ordered something before this.
        others: whether there is another order that could be mistaken for this one.
        letters: whether the customer tells a desk the whole story, as in a letter.
        on_phone: whether the customer writes from a phone.
        for_theirs: whether somebody writes for a member or a customer of theirs.
        looked_up: whether there is anything to look up before it is answered.
        doubles: how often the customer sends one turn of a chat in several lines.
        refunded: whether what is granted pays back a sum that is known.
        stake: whether it is about an amount or a rate that the customer can tell.
        stake_in: the sign that tells it as well; "" for none.
        on_file: whether the desk has what is at stake in its records, as a sum and no shoe's fit.
        sent_back: whether what is granted wants the thing back, under a return of its own.
        dated: whether some turn has to date the purchase.
        mended: whether the problem itself is put right besides what is granted.
        fixes: whether what is granted puts the problem itself right.
        pictured: the signs that a file shows.
        own_wish: whether the customer wants the problem put right in the first place, and what
            they might get for it only beside that.
        refusal: why something is refused, where it is.
        blameless: whether the cause is no mistake of the company's.
        owes: whether the cause is the company's mistake, and nobody else's.
        in_records: whether a cause that an answer tells is looked up besides.
        settles: the facts that agents tell of what is granted, in order; see `latent.settlement`.
        sum_named: whether what is granted names its sum or share by itself.
        outweighs: whether what is granted is more than the sum that the case is about.
        answer: the act that answers what is no complaint.
        size_named: whether what is granted comes in the size that its customer asks for.
        tests: what the desk may have the customer try first, of which none helps.
        at_once: whether the customer can try at once whether what was done about it helps.
        called: by what who asks for something calls it: by its kind, `my car loan`, by its maker
            and kind, or by its name.
        wonders, wonders_later: what anybody would ask next who hears the cause, or an enquiry's
            answer, and who hears what is done about it.
        wonders_of_option: what anybody would ask of what is granted.
        on_top: whether what is granted is worth something by itself, though it names no sum.
        stock: whether the desk has a stock answer to such a problem.
    """

    ending: str
    wish: str = ""
    wants: bool = False
    verbosity: str = "medium"
    tone: str = "calm"
    transfers: int = 0
    passed: tuple[str, ...] = ()
    cause: str = ""
    signs: tuple[tuple[str, str], ...] = ()
    tells: str = ""
    known_by: str = ""
    finding: str = "told"
    needed: bool = False
    step: str = ""
    step_days: int = 0
    evidence: str = ""
    identifies: bool = False
    knows_order: bool = False
    naming: str = "short"
    dating: str = "none"
    before: bool = False
    ordered_before: bool = False
    others: bool = False
    letters: bool = False
    on_phone: bool = False
    for_theirs: bool = False
    looked_up: bool = True
    doubles: float = 0.4
    refunded: bool = False
    stake: bool = False
    stake_in: str = ""
    on_file: bool = True
    sent_back: bool = False
    dated: bool = False
    mended: bool = False
    fixes: bool = False
    pictured: tuple[str, ...] = ()
    own_wish: bool = False
    refusal: str = TOO_LATE
    blameless: bool = False
    owes: bool = True
    in_records: bool = False
    settles: tuple[str, ...] = ()
    sum_named: bool = False
    size_named: bool = False
    outweighs: bool = False
    answer: str = ANSWERS
    tests: tuple[str, ...] = ()
    at_once: bool = False
    on_top: bool = False
    stock: bool = False
    called: str = "full"
    wonders: tuple[str, ...] = ()
    wonders_later: tuple[str, ...] = ()
    wonders_of_option: tuple[str, ...] = ()

    @property
    def demanded(self) -> bool:
        """Whether the customer has asked for just what is granted: nobody asks them again."""
        return self.says_wish and self.granted and not self.refuses and not self.own_wish

    @property
    def unrefusable(self) -> bool:
        """Whether nobody would say no to what is granted: a fee taken back, a sign-in unlocked."""
        chooses = self.size_named or bool(CHOSEN.intersection(self.settles))
        known = bool(self.settles) or self.fixes
        return self.granted and not self.refuses and known and not chooses

    @property
    def pays(self) -> bool:
        """Whether what is granted is worth money: what has a sum in its name is, be it a card."""
        worth = self.sum_named or self.on_top
        return not self.settles or worth or bool(PAYS.intersection(self.settles))

    @property
    def besides(self) -> bool:
        """Whether money is given for the trouble, on top of what is done about the problem."""
        return self.mended and self.pays and self.granted and not self.refuses

    @property
    def asks_file(self) -> bool:
        """Whether the agent asks for what the customer would send: only where it tells the cause;
        any other file comes unasked.
        """
        return bool(self.evidence and self.cause) and self.known_by in FILES

    @property
    def stake_found(self) -> bool:
        """Whether there is something at stake that an agent finds by looking it up.

        Nobody grants that it is too much who says in the next breath that it is right.
        """
        return self.stake and self.on_file and not self.blameless

    @property
    def advisable(self) -> bool:
        """Whether the customer still has the thing, so that advice on it is of use to them."""
        return bool(self.cause) and not self.sent_back

    @property
    def askable(self) -> tuple[str, ...]:
        """The facts of what is granted that a customer may ask for: no sum that is in its name."""
        later = [kind for kind in self.settles if kind != MEND]
        named = [kind for kind in later if QUESTION_OF[kind] == ASKS_SUM and self.sum_named]
        return tuple(kind for kind in later if kind not in named)

    @property
    def says_wish(self) -> bool:
        """Whether the customer says what they want; always where just that is refused."""
        return bool(self.wish) and (self.wants or self.refuses)

    @property
    def choosable(self) -> bool:
        """Whether people want this or that done about a thing, and this one hasn't said what."""
        open_wish = bool(self.wish) and not self.own_wish and not self.says_wish
        granted = self.granted and not self.refuses
        return open_wish and granted and not THINGS.isdisjoint(self.settles)

    @property
    def resolved(self) -> bool:
        """Whether the case was closed."""
        return self.ending != "open"

    @property
    def granted(self) -> bool:
        """Whether something was granted in the end."""
        return self.ending not in ("open", "declined")

    @property
    def refuses(self) -> bool:
        """Whether what was wished for is refused."""
        return self.ending in ("declined", "granted_other")


@dataclass(frozen=True, slots=True)
class Turn:
    """One message or chat line.

    `step` counts the case's agents from 0. `days` are those that somebody else took for a step
    before it. `soon` is a turn that follows its speaker's own one within minutes or hours.
    """

    speaker: str
    step: int
    beats: tuple[str, ...]
    days: int = 0
    soon: bool = False
