"""IssueSolution: which knowledge article states the solution of which issue, and what every other
article is about.

Draws  `articles` (kind, key, issue, category, topic, figures, the options it states), `by_issue`
       (issue, its article).
From   Solution (options and limits), the product articles and policies of the world.
Drives Knowledge__kav in whole; PolicyViolation.outcomes.article.
"""

import json
import sqlite3
from collections.abc import Mapping

import numpy as np

from latent.variable import Effect
from pipeline.world.org import Org, RunContext
from pipeline.world.streams import Stream
from pipeline.world.tables import Array, Table, strings, table
from schemas.errors import BadInput


class IssueSolution:
    """What each article must say."""

    name = "IssueSolution"
    reads: tuple[str, ...] = ("Solution",)
    tables: Mapping[str, tuple[str, ...]] = {
        "articles": (
            "Id",
            "kind",
            "lane",
            "key",
            "issue_key",
            "option_keys",
            "subject",
            "figures",
            "options",
            "terms",
            "must",
            "published",
        ),
        "by_issue": ("Id", "article"),
    }
    drives = ("Knowledge__kav", "PolicyViolation")
    references: Mapping[str, str] = {}

    def draw(self, org: Org) -> tuple[Table, ...]:
        """One article an issue, then policies, then product articles up to the number asked for."""
        setting = org.setting
        rows = _solutions(org) + _others(
            setting, setting.count("Knowledge__kav") - org.table("Solution.issues").size
        )
        size = len(rows)
        articles = table(
            "IssueSolution.articles",
            {"Id": "Knowledge__kav"},
            Id=np.arange(size),
            published=_published(setting, size),
            **{
                key: strings([row[key] for row in rows])
                for key in (
                    "kind",
                    "lane",
                    "key",
                    "issue_key",
                    "option_keys",
                    "subject",
                    "figures",
                    "options",
                    "terms",
                    "must",
                )
            },
        )
        issues = org.table("Solution.issues").size
        return articles, table(
            "IssueSolution.by_issue",
            {"Id": "Issue__c", "article": "Knowledge__kav"},
            Id=np.arange(issues),
            article=np.arange(issues),
        )

    def effects(self, org: sqlite3.Connection) -> tuple[Effect, ...]:
        """None: the content verifier and the invariants hold articles to it."""
        return ()


def _solutions(org: Org) -> list[dict[str, str]]:
    issues, listed, options = (
        org.table("Solution.issues"),
        org.table("Solution.listed"),
        org.table("Solution.options"),
    )
    if org.setting.count("Knowledge__kav") < issues.size:
        raise BadInput(
            f"Knowledge__kav={org.setting.count('Knowledge__kav')}, but each of the {issues.size}"
            " issues needs its article; ask for more articles or fewer issues"
        )
    names = dict(zip(options["key"], options["name"], strict=True))
    made = []
    for issue in range(issues.size):
        rows = np.flatnonzero(listed["issue"] == issue)
        stated = [
            {
                "key": str(listed["option"][row]),
                "name": names[listed["option"][row]],
                "limit": int(listed["limit"][row]),
            }
            for row in rows
        ]
        made.append(
            _row("solution", str(issues["key"][issue]), str(issues["name"][issue]), {}, stated)
        )
    return made


def _others(setting: RunContext, wanted: int) -> list[dict[str, str]]:
    """Policies first (a seventh to a quarter of an org's articles), then product articles."""
    rng, world = setting.stream("IssueSolution", "figures"), setting.world
    known = len(world.policies) + len(world.articles)
    if wanted > known:
        raise BadInput(
            f"Knowledge__kav asks for {wanted} policy and product articles, but the lexicon has"
            f" {known}; ask for fewer or add to its articles"
        )
    policies = world.policies[: max(wanted - len(world.articles), min(len(world.policies), wanted))]
    products = world.articles[: wanted - len(policies)]
    figures = [
        {name: _one(rng, values) for name, values in policy.figures.items()} for policy in policies
    ]
    shorts = {category.key: category.name for category in world.categories}
    return [
        _row("product", item.key, f"{shorts[item.category]}: {item.topic}", {}, [])
        for item in products
    ] + [
        _row("policy", policy.key, policy.title, drawn, [])
        for policy, drawn in zip(policies, figures, strict=True)
    ]


def _row(
    kind: str,
    key: str,
    subject: str,
    figures: dict[str, int | float],
    options: list[dict[str, object]],
) -> dict[str, str]:
    must = (
        [[str(value)] for value in figures.values()]
        + [[str(o["name"])] for o in options]
        + [[f"{o['limit']} days", f"{o['limit']}-day"] for o in options]
    )
    return {
        "kind": kind,
        "lane": kind if kind != "product" else f"product {subject.split(':')[0]}",
        "key": key,
        "issue_key": key if kind == "solution" else "",
        "option_keys": ",".join(str(option["key"]) for option in options),
        "subject": subject,
        "figures": json.dumps(figures),
        "options": json.dumps(options),
        "terms": "; ".join(f"{option['name']} within {option['limit']} days" for option in options),
        "must": json.dumps(must),
    }


def _published(setting: RunContext, size: int) -> Array:
    rng = setting.stream("IssueSolution", "published")
    days = np.sort(rng.integers(0, 200, size=size))
    return (setting.first_day + rng.permutation(days).astype("timedelta64[D]")).astype(
        "datetime64[s]"
    ) + np.timedelta64(9 * 3600, "s")


def _one(rng: Stream, values: tuple[int | float, ...]) -> int | float:
    return values[int(rng.integers(len(values)))]
