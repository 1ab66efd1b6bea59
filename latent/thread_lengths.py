"""How many e-mails each thread has: as many in all as were asked for, and where they belong.

A thread is as long as there is something to say in it: a case whose cause is plain from the records
takes a mail and an answer, one that hangs on a photo and goes to the supervisor takes many. Were
lengths drawn alone, the short ones would leave out what decides them, and the long ones would fill
up with people who ask for news. Knows no acts and no words.
"""

import numpy as np

from latent.contacts import COMPLAINT
from latent.dialogue import FILES, LONGEST_THREAD
from latent.draws import split
from latent.enquiry import LONGEST_ENQUIRY
from latent.enquiry_ending import by_stranger
from pipeline.world.org import Org
from pipeline.world.streams import Stream
from pipeline.world.tables import Array, Table
from schemas.errors import BadInput

# An open e-mail case that nobody has looked at yet has one message, the customer's; all others have
# two at least. It is one of the last days, the likelier by e for each three days that it is
# younger, and one of two hundred older ones is overlooked. Chosen by eye.
UNSEEN_DAYS = 3.0
OVERLOOKED = 0.005
SHORTEST_THREAD = 2

# Lengths of threads against what they have to say: gamma of shape 16, so that most are near it.
# Chosen by eye; the mean follows from the counts that are asked for.
LENGTH_SHAPE = 16.0

# What is no complaint is settled in a third of the mails. Chosen by eye.
ENQUIRY_LENGTH = 0.33

# By how much less than what is possible threads of complaints may have: no message less in one of
# eight, up to four less in one of four, where a tenth more than wanted still finds a place. Chosen
# so that lengths fade out instead of piling up at the largest.
SPARED = (0.12, 0.16, 0.22, 0.25, 0.25)
ROOM_FOR_LENGTHS = 1.1

# Whoever takes a case over says so and asks again: two mails more in a thread of six. By eye.
LENGTH_A_TRANSFER = 0.35

# What a thread of a complaint has to say: what happened and the verdict, and so many mails more
# for a question with its answer, for a file that is asked for, for a step inside the company, for
# what a desk asks before it looks anything up, and for a word against a refusal, which not
# everybody has. By eye, from how many mails each takes when it happens.
MAILS_AT_LEAST = 1.5
MAILS_A_QUESTION = 2.0
MAILS_A_FILE = 2.0
MAILS_A_STEP = 1.0
MAILS_TO_IDENTIFY = 0.5
MAILS_A_REFUSAL = 1.0


def thread_lengths(org: Org, cases: Table, closed: Array, transfers: Array) -> Array:
    """Messages a thread (0 for a chat), summing exactly to the EmailMessages asked for."""
    rng = org.setting.stream("CaseStory", "lengths")
    wanted = org.setting.count("EmailMessage")
    email = np.flatnonzero(cases["channel"] == "email")
    least = np.full(len(email), SHORTEST_THREAD)
    most = np.full(len(email), LONGEST_THREAD)
    most[cases["intent"][email] != COMPLAINT] = LONGEST_ENQUIRY
    most[_asks_nothing(org, cases["intent"][email])] = SHORTEST_THREAD
    alone = _unseen(org, cases, email, closed[email]) | by_stranger(org, cases)[email]
    least[alone] = 1
    most[alone] = 1
    if not least.sum() <= wanted <= most.sum():
        possible = f"{least.sum()} to {most.sum()}" if len(email) else "0"
        raise BadInput(
            f"EmailMessage={wanted} can't fill {len(email)} e-mail threads of 2 to {LONGEST_THREAD}"
            f" messages; ask for {possible} or other numbers of Case and LiveChatTranscript"
        )
    most = _own_limits(rng, least, most, wanted)
    lengths = np.zeros(cases.size, dtype=np.int64)
    if len(email):
        weights = rng.gamma(LENGTH_SHAPE, 1.0, size=len(email))
        weights *= np.where(most <= LONGEST_ENQUIRY, ENQUIRY_LENGTH, _to_say(org)[email])
        weights *= 1 + LENGTH_A_TRANSFER * transfers[email]
        lengths[email] = split(rng, weights, wanted, low=least, high=most)
    return lengths


def _to_say(org: Org) -> Array:
    """About how many mails each complaint has to say something in, against the mean of all."""
    incidents = org.table("Incident.cases")
    outcomes = org.table("PolicyViolation.outcomes")
    is_caused = incidents["cause"] != ""
    asks_file = np.isin(incidents["known_by"], list(FILES)) & (incidents["evidence"] != "")
    refuses = outcomes["granted"] != outcomes["wish"]
    identifies = org.setting.world.trade.contact.identifies
    mails = (
        MAILS_AT_LEAST
        + MAILS_A_QUESTION * (incidents["tells"] != "")
        + MAILS_A_FILE * asks_file
        + MAILS_A_STEP * (incidents["step"] != "")
        + MAILS_A_REFUSAL * refuses
        + MAILS_TO_IDENTIFY * identifies
    )
    usual = mails[is_caused].mean() if is_caused.any() else 1.0
    return np.where(is_caused, mails / usual, 1.0)


def _own_limits(
    rng: Stream,
    least: Array,
    most: Array,
    wanted: int,
) -> Array:
    """The most messages of each thread: somewhat fewer than are possible, where that is enough.

    Were they the same for all, as many threads would have exactly the largest number.
    """
    spared = rng.choice(len(SPARED), size=len(most), p=SPARED)
    limits = np.where(most == LONGEST_THREAD, np.maximum(most - spared, least), most)
    return limits if limits.sum() >= wanted * ROOM_FOR_LENGTHS else most


def _asks_nothing(org: Org, intents: Array) -> Array:
    """Which contacts wait for nothing, such as praise."""
    enquiries = org.setting.world.trade.contact.enquiries
    silent = [name for name, enquiry in enquiries.items() if not enquiry.asks]
    return np.isin(intents.astype(str), silent)


def _unseen(
    org: Org,
    cases: Table,
    email: Array,
    closed: Array,
) -> Array:
    """Which e-mail cases nobody has answered yet: most open ones of the last days, few others."""
    setting = org.setting
    rng = setting.stream("CaseStory", "unseen")
    age = (setting.last_day - cases["created"][email].astype("datetime64[D]")).astype(float)
    chance = np.maximum(np.exp(-age / UNSEEN_DAYS), OVERLOOKED)
    return np.asarray(~closed & (rng.random(len(email)) < chance))
