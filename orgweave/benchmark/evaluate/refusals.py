"""Whether a text says that nothing answers: `None`, `There is no such agent.`, `I'm unable to find
a matching order.`, and what else people and models write. Pure.

A refusal counts as one only where it is the whole answer; where an id, a month or a state is named,
another reader has found it before. Knows English alone.
"""

import calendar
import re

from orgweave.benchmark.metrics import is_id

ID_LIKE = re.compile(r"(?<![A-Za-z0-9])[A-Za-z0-9]{15}(?:[A-Za-z0-9]{3})?(?![A-Za-z0-9])")
BARE = frozenset(
    (
        "none",
        "null",
        "nil",
        "nan",
        "n/a",
        "na",
        "no",
        "nothing",
        "nobody",
        "no one",
        "empty",
        "unanswerable",
        "not found",
        "not available",
        "not applicable",
    )
)
NOTHING_FIRST = re.compile(
    r"(?:none|nothing|nobody|no one)\s*(?:[,;:.(\u2013\u2014-]|because\b|since\b|as\b)"
    r"|(?:the |this )?(?:contact|customer) (?:did not|didn't|never|has not|hasn't)"
    r" (?:order|buy|purchase)"
)
"""A refusal that goes on to say why: whatever comes behind it, an id aside, is the reason."""
SORRY = (
    r"(?:(?:i'm |i am )?(?:sorry|afraid)[,;]? (?:but )?|unfortunately[,]? |it (?:seems|appears) )?"
)
THERE_IS_NO = r"there (?:is|are|was|were|seems?) (?:no|none|nothing|not any|to be no)"
NOT_FOUND = (
    r"(?:i|we) (?:could not|couldn't|can not|cannot|can't|was unable to|were unable to|am unable to"
    r"|did not|didn't) (?:find|locate|identify|see|determine)"
    r"|(?:it (?:was|is) )?(?:not possible|unable|impossible) to (?:find|locate|identify|determine)"
    r"|(?:could not|couldn't) find"
)
NOT_DONE = (
    r"(?:the )?(?:contact|customer|account|product|agents?) (?:did not|didn't|has not|hasn't|has no"
    r"|have no|had no|never|does not have|doesn't have|did nothing)"
)
KEPT_TO = (
    r"(?:the )?(?:agents?|answer|reply|response)(?:'s (?:answer|reply|response))?"
    r" (?:followed|complied|kept|adhered|stayed within"
    r"|acted (?:in line|within|according|correctly|properly))"
    r"|(?:everything|all) (?:that )?the agents? (?:did|said|granted)"
)
OPENING = re.compile(
    rf"{SORRY}(?:{THERE_IS_NO}|no|none|nothing|nobody|{NOT_FOUND}|{NOT_DONE}|{KEPT_TO})\b"
)
ABOUT_TEXT = """
agent agents user users article articles knowledge issue issues product products record records
case cases state states month months region regions result results violation violations policy
policies rule rules data item items order orders answer answers match matches matched matching
matter was were is are be been being has have had can could did not qualify qualifies qualified
meet meets met exist exists found find fit fits available applicable broken broke break violate
violated violates breach breached returned identified handled managed handling managing closed
assigned transferred ordered purchased bought reported there no none nothing nobody any such that
which who with of for in to from during the this these those them a an and or than more over at
least on by it criteria criterion condition conditions requirement requirements description period
window query question date time given specified requested required quarter year week weeks day
days didn't hasn't because since as i we i'm am sorry afraid unfortunately but it seems appears
could couldn't cannot can't unable possible impossible locate identify determine see your search
searched system crm database org information based so however therefore thus never does doesn't do
don't had nothing nobody neither nor other one only purchase purchases item purchasing buy buying
follow followed complied comply kept keep to adhered adhere acted act line within according stayed
all relevant given granted grant response reply remedy remedies limit limits
customer's agent's seem also enough correctly properly everything said did
recorded logged made make makes involving about
january february march april may june july august september october november december
december spring summer autumn fall winter first second third fourth customer contact conversation
"""
ABOUT = frozenset(re.findall(r"[a-z']+", ABOUT_TEXT))
"""Words that every question uses: a refusal in a sentence holds no others."""
DENIES = re.compile(
    r"\b(?:no|none|nothing|nobody|not|never|neither|cannot|unable|impossible|empty|zero|without"
    r"|insufficient|absent|missing)\b|n't\b|^0\b"
)
NAMED = re.compile(rf"(?<=[a-z,;] )(?!(?:{'|'.join(calendar.month_name[1:])})\b)[A-Z][a-z]+")
"""A word with a capital inside a sentence: somebody's or something's name."""
COMPARES = re.compile(r"\b(?:than|except|besides|but|only|rather|instead)\b")
"""What makes of a denial an answer: no agent was better than the one who is named."""


def refuses(text: str) -> bool:
    """Whether the whole text says that nothing answers: `None` and `There is no such agent.` do,
    `No, it is 005...` doesn't.

    A sentence must begin so and hold only words that every question uses: `No agent did better than
    Ann Lee` names one. After `None,` any reason may follow that names no id.
    """
    plain = _plain(text)
    if plain in BARE:
        return True
    if NOTHING_FIRST.match(plain) and not any(map(is_id, ID_LIKE.findall(text))):
        return True
    words = re.findall(r"[a-z']+", plain)
    return bool(words and OPENING.match(plain) and ABOUT.issuperset(words))


def says_nothing_answers(text: str) -> bool:
    """The same where an id, a month or a state is asked for and none was found in the text.

    There a denial is a refusal wherever it stands (`Based on the data, nobody qualifies.`), unless
    somebody is named: that is one only where the text begins so and compares nothing (`No cases of
    the Alder Trail Boot`, but not `No agent did better than Ann Lee`).
    """
    if any(map(is_id, ID_LIKE.findall(text))):
        return False
    plain = _plain(text)
    if refuses(text):
        return True
    if NAMED.search(text):
        return bool(OPENING.match(plain)) and not COMPARES.search(plain)
    return bool(DENIES.search(plain))


def _plain(text: str) -> str:
    """The text in small letters, without what stands around it."""
    return text.replace("\u2019", "'").strip(" \t\n\"'.!()[]{}<>").casefold()
