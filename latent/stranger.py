"""Who writes to the company without being its customer: senders of advertising.

A part of CaseStory: the names, firms and addresses behind the cases that have no account. Knows no
words of what they write.
"""

import numpy as np

from latent.enquiry_ending import by_stranger
from latent.people import draw_people, letters
from pipeline.world.org import Org
from pipeline.world.tables import Array, Table, strings

# A firm's name is one word of each; `.example` is reserved, so that no real firm is named.
FIRST_WORDS = ("Bright", "Lead", "Rank", "Click", "Prime", "North", "Swift", "Grow", "Blue", "Apex")
SECOND_WORDS = ("path", "pilot", "reach", "works", "boost", "media", "sphere", "forge", "lane")

# What they have to offer, each a wording of its own (`issue.enquiry_spam_search.request`).
PITCHES = ("search", "lists", "meeting", "directory", "goods")

# Nobody's age shows in such a mail; names are drawn for people in working age.
BORN = (1960, 2000)


def strangers(org: Org, cases: Table) -> dict[str, Array]:
    """The columns `stranger`, `stranger_firm`, `stranger_mail` and `pitch`, one row a case.

    They are empty for the cases of customers.
    """
    rows = np.flatnonzero(by_stranger(org, cases))
    size = len(rows)
    name = [""] * cases.size
    firm = [""] * cases.size
    mail = [""] * cases.size
    pitch = [""] * cases.size
    rng = org.setting.stream("CaseStory", "strangers")
    country = org.setting.country
    born = rng.integers(*BORN, size=size)
    people = draw_people(rng, country, born)
    first = rng.integers(len(FIRST_WORDS), size=size)
    second = rng.integers(len(SECOND_WORDS), size=size)
    offer = rng.integers(len(PITCHES), size=size)
    for place, case in enumerate(rows.tolist()):
        given = str(people.given[place])
        surname = str(people.surname[place])
        first_word = FIRST_WORDS[first[place]]
        second_word = SECOND_WORDS[second[place]]
        called = first_word + second_word
        mailbox = letters(given, country)
        name[case] = country.full_name.format(FirstName=given, LastName=surname)
        firm[case] = called
        domain = f"{called.lower()}.example"
        mail[case] = f"{mailbox}@{domain}"
        pitch[case] = PITCHES[offer[place]]
    return {
        "stranger": strings(name),
        "stranger_firm": strings(firm),
        "stranger_mail": strings(mail),
        "pitch": strings(pitch),
    }
