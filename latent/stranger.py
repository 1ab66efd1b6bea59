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
    name, firm, mail, pitch = ([""] * cases.size for _ in range(4))
    rng = org.setting.stream("CaseStory", "strangers")
    country = org.setting.country
    born = rng.integers(*BORN, size=len(rows))
    people = draw_people(rng, country, born)
    first = rng.integers(len(FIRST_WORDS), size=len(rows))
    second = rng.integers(len(SECOND_WORDS), size=len(rows))
    offer = rng.integers(len(PITCHES), size=len(rows))
    for place, case in enumerate(rows.tolist()):
        given, surname = str(people.given[place]), str(people.surname[place])
        firm[case] = FIRST_WORDS[first[place]] + SECOND_WORDS[second[place]]
        pitch[case] = PITCHES[offer[place]]
        name[case] = country.full_name.format(FirstName=given, LastName=surname)
        mail[case] = f"{letters(given, country)}@{firm[case].lower()}.example"
    return {
        "stranger": strings(name),
        "stranger_firm": strings(firm),
        "stranger_mail": strings(mail),
        "pitch": strings(pitch),
    }
