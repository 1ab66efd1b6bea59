"""Contentment: what customers answer when they are asked how their case was handled.

It draws `agents` (charm) and `cases` (the score from 1 to 5 that each closed case would get, and
the one that was given: none where nobody answered).
It is drawn from CaseStory (ending, tone, hours, transfers).
It drives the satisfaction that stands on a case.
"""

import sqlite3
from collections.abc import Mapping

import numpy as np

from latent.draws import exactly
from latent.enquiry_ending import DROPPED, UNANSWERED
from latent.statistics import correlation, difference
from latent.variable import Effect
from pipeline.world.org import Org
from pipeline.world.tables import Array, Table, objects, table

# What moves the score, in stars: the ending, the tone that the customer came with, every transfer,
# each tenfold of the hours beyond a day, the agent's charm and chance. Chosen by eye, so that the
# mean is about 4 of 5 and one in eight is dissatisfied, as desks report.
USUAL = 4.5
ENDINGS = {"declined": -1.5, "granted_other": -0.35, "answered": 0.1}
TONES = {"angry": -0.6, "annoyed": -0.3, "friendly": 0.2}
TRANSFER, TENFOLD = -0.3, -1.1
CHARM = 0.35
CHANCE = 0.75
LOWEST = 1
HIGHEST = 5

# Who is very content or not at all answers more often: twice as often for every star from three.
EXTREMES = 2.0

ENDINGS_AND_SCORES = """
    SELECT s.ending = 'declined', c.CustomerSatisfaction__c
    FROM "Case" c
    JOIN latent."CaseStory.cases" s ON s.Id = c.Id
    WHERE c.CustomerSatisfaction__c IS NOT NULL
"""
HOURS_AND_SCORES = """
    SELECT
        julianday(substr(c.ClosedDate, 1, 19)) - julianday(substr(c.CreatedDate, 1, 19)),
        c.CustomerSatisfaction__c
    FROM "Case" c
    JOIN latent."CaseStory.cases" s ON s.Id = c.Id
    WHERE c.CustomerSatisfaction__c IS NOT NULL
"""


class Contentment:
    """Answers to surveys."""

    name = "Contentment"
    reads: tuple[str, ...] = ("CaseStory", "Routing")
    tables: Mapping[str, tuple[str, ...]] = {
        "agents": ("Id", "charm"),
        "cases": ("Id", "feeling", "score"),
    }
    drives = ("Case.CustomerSatisfaction__c",)
    references: Mapping[str, str] = {}

    def draw(self, org: Org) -> tuple[Table, ...]:
        """A score for the trade's share of the closed cases."""
        rng = org.setting.stream("Contentment", "cases")
        cases = org.table("CaseStory.cases")
        charm = rng.normal(0, CHARM, size=org.setting.count("User"))
        feeling = _feelings(org, charm) + rng.normal(0, CHANCE, size=cases.size)
        stars = np.clip(np.round(feeling), LOWEST, HIGHEST).astype(int)
        closed = cases["is_closed"]
        wanted = round(int(closed.sum()) * org.setting.world.trade.contact.surveyed)
        middle = (LOWEST + HIGHEST) / 2
        # Who left the desk's question unanswered answers no survey either, and nobody asks spam.
        asked = closed & ~np.isin(cases["ending"].astype(str), (UNANSWERED, DROPPED))
        answered = np.zeros(cases.size, dtype=bool)
        answered[exactly(rng, asked * EXTREMES ** np.abs(stars - middle), wanted)] = True
        given = []
        for score, is_given in zip(stars.tolist(), answered & closed, strict=True):
            given.append(score if is_given else None)
        return (
            table(
                "Contentment.agents",
                {"Id": "User"},
                Id=np.arange(len(charm)),
                charm=np.round(charm, 3),
            ),
            table(
                "Contentment.cases",
                {"Id": "Case"},
                Id=np.arange(cases.size),
                feeling=np.round(feeling, 3),
                score=objects(given),
            ),
        )

    def effects(self, org: sqlite3.Connection) -> tuple[Effect, ...]:
        """Refusals and waiting against the score."""
        endings = org.execute(ENDINGS_AND_SCORES).fetchall()
        hours = org.execute(HOURS_AND_SCORES).fetchall()
        return (
            difference(self.name, "who is refused gives fewer stars", "stars", endings, -1),
            correlation(self.name, "who waits longer gives fewer stars", hours, -1),
        )


def _feelings(org: Org, charm: Array) -> Array:
    """How content each customer is without the chance of the day, in stars."""
    cases = org.table("CaseStory.cases")
    endings = np.array([ENDINGS.get(str(ending), 0.0) for ending in cases["ending"]])
    tones = np.array([TONES.get(str(tone), 0.0) for tone in cases["tone"]])
    owners = np.bincount(org.table("Routing.assignments")["case"], minlength=cases.size)
    closed = np.where(cases["is_closed"], cases["closed"], cases["created"])
    hours = (closed - cases["created"]).astype("timedelta64[s]").astype(float) / 3600
    waited = np.log10(np.maximum(hours, 24) / 24)
    person = charm[cases["owner"]] + TRANSFER * np.maximum(owners - 1, 0)
    return np.asarray(USUAL + endings + tones + person + TENFOLD * waited)
