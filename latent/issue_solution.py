"""IssueSolution: which article states the solution of which issue, and what the others are about.

It draws `articles` (kind, key, issue, category, topic, figures, the options it states) and
`by_issue` (issue, its article).
It is drawn from Solution (options and limits) and the product articles and policies of the world.
It drives the knowledge articles in whole.
It knows no cases.
"""

import json
import sqlite3
from collections.abc import Mapping

import numpy as np

from latent.assortment import stated_categories
from latent.variable import Effect
from pipeline.world.org import Org, RunContext
from pipeline.world.streams import Stream
from pipeline.world.tables import Array, Table, strings, table
from schemas.errors import BadInput

# Articles appear on weekdays in office hours (in UTC, for offices from coast to coast). What
# settles an issue is there in the period's first days, so that agents can have read it; policies
# follow in the first two months, and articles on products come steadily. Chosen by eye.
PUBLISHED_BETWEEN = (14, 22)
FIRST_DAYS = {"solution": 3, "policy": 60}

# An article is gone through about once a year and a half, which makes a new version, and read
# log-normally often for every day that it is there: what settles an issue is read most. Chosen by
# eye.
DAYS_A_VERSION = 550.0
VIEWS_A_DAY = {"solution": 0.9, "policy": 0.5, "product": 0.25}
VIEWS_SIGMA = 0.7

# Every third article on a category is taken down within so many days after a newer one on the same
# category has come, if it is old enough by then. Chosen by eye.
ON_CATEGORY = "product "
OLD_ENOUGH_DAYS = 180
REPLACED = 0.35
REPLACED_WITHIN = (1, 10)

TEXT_COLUMNS = (
    "kind",
    "lane",
    "key",
    "issue_key",
    "issue_name",
    "option_keys",
    "subject",
    "figures",
    "options",
    "terms",
    "must",
)

LIFE_COLUMNS = (
    "published",
    "revised",
    "version",
    "views",
    "status",
    "archived",
    "touched",
    "shown",
)

ONLINE = "Online"
ARCHIVED = "Archived"


class IssueSolution:
    """What each article must say."""

    name = "IssueSolution"
    reads: tuple[str, ...] = ("Solution",)
    tables: Mapping[str, tuple[str, ...]] = {
        "articles": ("Id", *TEXT_COLUMNS, *LIFE_COLUMNS),
        "by_issue": ("Id", "article"),
    }
    drives = ("Knowledge__kav",)
    references: Mapping[str, str] = {}

    def draw(self, org: Org) -> tuple[Table, ...]:
        """One article an issue, then product articles and policies up to the number asked for."""
        setting = org.setting
        issues = org.table("Solution.issues").size
        wanted = setting.count("Knowledge__kav")
        rows = _solutions(org, wanted) + _others(setting, wanted - issues)
        texts = {name: strings([row[name] for row in rows]) for name in TEXT_COLUMNS}
        moments = _lives(setting, texts)
        # In a CRM records have the order in which they were made.
        order = np.argsort(moments["published"], kind="stable")
        articles = table(
            "IssueSolution.articles",
            {"Id": "Knowledge__kav"},
            Id=np.arange(len(rows)),
            **{name: values[order] for name, values in (moments | texts).items()},
        )
        return articles, table(
            "IssueSolution.by_issue",
            {"Id": "Issue__c", "article": "Knowledge__kav"},
            Id=np.arange(issues),
            article=np.argsort(order)[:issues],
        )

    def effects(self, org: sqlite3.Connection) -> tuple[Effect, ...]:
        """None: the content verifier and the invariants hold articles to it."""
        return ()


def _solutions(org: Org, articles: int) -> list[dict[str, str]]:
    """The article of each issue, in the order of the issues."""
    issues = org.table("Solution.issues")
    listed = org.table("Solution.listed")
    options = org.table("Solution.options")
    if articles < issues.size:
        raise BadInput(
            f"Knowledge__kav={articles}, but each of the {issues.size}"
            " issues needs its article; ask for more articles or fewer issues"
        )
    names = dict(zip(options["key"], options["name"], strict=True))
    made = []
    for issue in range(issues.size):
        stated: list[dict[str, object]] = []
        for row in np.flatnonzero(listed["issue"] == issue):
            key = str(listed["option"][row])
            limit = int(listed["limit"][row])
            stated.append({"key": key, "name": names[key], "limit": limit})
        key = str(issues["key"][issue])
        subject = str(issues["name"][issue])
        made.append(_row("solution", key, subject, {}, stated))
    return made


def _others(setting: RunContext, wanted: int) -> list[dict[str, str]]:
    """Product articles, then policies; where room is short, policies are taken first.

    Articles on categories that the company doesn't have are left out. Raises BadInput where there
    are fewer than wanted.
    """
    rng = setting.stream("IssueSolution", "figures")
    world = setting.world
    names = {category.key: category.name for category in stated_categories(setting)}
    articles = [article for article in world.articles if article.category in ("", *names)]
    known = len(world.policies) + len(articles)
    if wanted > known:
        raise BadInput(
            f"Knowledge__kav asks for {wanted} policy and product articles, but the lexicon has"
            f" {known}; ask for fewer or add to its articles"
        )
    policies = world.policies[:wanted]
    products = articles[: wanted - len(policies)]
    facts = _facts(setting)
    rows = []
    for article in products:
        about = names.get(article.category)
        subject = f"{about}: {article.topic}" if about else article.topic
        rows.append(_row("product", article.key, subject, facts.get(article.key, {}), []))
    for policy in policies:
        figures = different_figures(rng, policy.figures)
        rows.append(_row("policy", policy.key, policy.title, figures, []))
    return rows


def different_figures(
    rng: Stream,
    choices: Mapping[str, tuple[int | float, ...]],
) -> dict[str, int | float]:
    """One value of each figure's choices, no two alike as far as there are others.

    Where two figures of one article are alike, a number in a conversation doesn't tell which of
    them it is.
    """
    figures: dict[str, int | float] = {}
    for name, values in choices.items():
        free = tuple(value for value in values if value not in figures.values())
        figures[name] = _any_of(rng, free or values)
    return figures


def _facts(setting: RunContext) -> dict[str, dict[str, int | float]]:
    """The figures of the product articles, by the article's key."""
    rng = setting.stream("IssueSolution", "facts")
    figures: dict[str, dict[str, int | float]] = {}
    for fact in setting.world.facts:
        figures.setdefault(fact.article, {})[fact.figure] = _any_of(rng, fact.values)
    return figures


def _row(
    kind: str,
    key: str,
    subject: str,
    figures: dict[str, int | float],
    options: list[dict[str, object]],
) -> dict[str, str]:
    """An article's columns.

    `must` lists what its text has to contain, each as a list of wordings of which one is enough.
    """
    must = [[str(value)] for value in figures.values()]
    must += [[str(option["name"])] for option in options]
    terms = []
    for option in options:
        limit = option["limit"]
        must.append([f"{limit} days", f"{limit}-day"])
        terms.append(f"{option['name']} within {limit} days")
    # Product articles are written side by side, category by category; solutions and policies each
    # in one lane, and so are articles on the whole range.
    on_category = kind == "product" and ": " in subject
    lane = f"{ON_CATEGORY}{subject.split(':')[0]}" if on_category else kind
    return {
        "kind": kind,
        "lane": lane,
        "key": key,
        "issue_key": key if kind == "solution" else "",
        "issue_name": subject if kind == "solution" else "",
        "option_keys": ",".join(str(option["key"]) for option in options),
        "subject": subject,
        "figures": json.dumps(figures),
        "options": json.dumps(options),
        "terms": "; ".join(terms),
        "must": json.dumps(must),
    }


def _lives(setting: RunContext, texts: dict[str, Array]) -> dict[str, Array]:
    """When each article appeared, was last revised and taken down, its version, how often it was
    read, and when it was touched last.
    """
    rng = setting.stream("IssueSolution", "published")
    kinds = texts["kind"]
    size = len(kinds)
    period = int((setting.last_day - setting.first_day).astype(int))
    latest = np.array([min(FIRST_DAYS.get(kind, period), period) for kind in kinds])
    published = _in_office(rng, setting, rng.random(size) * latest)
    archived = _archived(
        setting,
        texts["lane"],
        published,
    )
    gone = ~np.isnat(archived)
    until = np.where(gone, archived.astype("datetime64[D]"), setting.last_day)
    appeared = published.astype("datetime64[D]")
    days = (until - appeared).astype(float)
    there = np.maximum(days, 0)
    versions = 1 + rng.poisson(there / DAYS_A_VERSION)
    since = (appeared - setting.first_day).astype(float)
    later = rng.random(size) * there
    revised = _in_office(
        rng,
        setting,
        since + later,
    )
    revised = np.where(versions > 1, np.maximum(revised, published), published)
    revised = np.where(gone, np.minimum(revised, archived), revised)
    daily = np.array([VIEWS_A_DAY[kind] for kind in kinds])
    views = daily * there * rng.lognormal(0.0, VIEWS_SIGMA, size=size)
    return {
        "published": published,
        "revised": revised,
        "version": versions,
        "views": np.round(views).astype(np.int64),
        "status": strings([ARCHIVED if is_gone else ONLINE for is_gone in gone]),
        "archived": archived,
        "touched": np.where(gone, archived, revised),
        "shown": ~gone,
    }


def _archived(
    setting: RunContext,
    lanes: Array,
    published: Array,
) -> Array:
    """When each article was taken down, because a newer one on its category had come; NaT for most.

    What states a remedy or a policy stays online: agents work by it.
    """
    rng = setting.stream("IssueSolution", "archived")
    day = published.astype("datetime64[D]")
    archived = np.full(len(day), np.datetime64("NaT"), dtype="datetime64[s]")
    replaced = rng.random(len(day)) < REPLACED
    waits = rng.uniform(*REPLACED_WITHIN, size=len(day))
    on_category = np.char.startswith(lanes.astype(str), ON_CATEGORY)
    for row in np.flatnonzero(replaced & on_category):
        old_enough = day[row] + np.timedelta64(OLD_ENOUGH_DAYS, "D")
        newer = day[(lanes == lanes[row]) & (day >= old_enough)]
        since = (newer.min(initial=setting.last_day) - setting.first_day).astype(float)
        wished = np.array([since + waits[row]])
        found = _in_office(
            rng,
            setting,
            wished,
        )
        moment = found[0]
        if len(newer) and moment.astype("datetime64[D]") < setting.last_day:
            archived[row] = moment
    return archived


def _in_office(rng: Stream, setting: RunContext, days: Array) -> Array:
    """A moment of office hours on the weekday at or behind each day, counted from the first."""
    day = setting.first_day + np.floor(days).astype("timedelta64[D]")
    day = np.minimum(np.busday_offset(day, 0, roll="forward"), setting.last_day)
    first, last = PUBLISHED_BETWEEN
    seconds = np.floor(rng.uniform(first, last, size=len(day)) * 3600)
    return np.asarray(day.astype("datetime64[s]") + seconds.astype("timedelta64[s]"))


def _any_of(rng: Stream, values: tuple[int | float, ...]) -> int | float:
    return values[int(rng.integers(len(values)))]
