"""Solution: what may be done about each issue, and until when.

It draws `issues` (key, name, kind, weight, and the options that other companies list for it),
`options` (key, name, noun phrase) and `listed` (issue, option, day limit).
It is drawn from the issues and options of the profile or its world.
It drives the issues, the articles that state the options (through IssueSolution) and the
conversations that obey them (through CaseStory).
A limit counts days from the order's EffectiveDate to the day the customer contacts the company.
"""

import math
import sqlite3
from collections.abc import Callable, Collection, Mapping, Sequence

import numpy as np

from latent.draws import exactly
from latent.statistics import shares
from latent.variable import Effect
from pipeline.world.org import Org, RunContext
from pipeline.world.streams import Stream
from pipeline.world.tables import Array, Table, strings, table
from schemas.errors import BadInput
from schemas.issues import Issue, Option

# Of an issue's usual and less usual options three or four are listed, a usual one three times as
# likely as another: so two companies of one trade differ, and no answer of one holds in the other.
LISTED = (3, 4)
USUAL_WEIGHT = 3.0

NO_OPTION = "-"
"""Stands in `mended_by` where no option undoes the problem."""

ANY_DAY = 36_500
"""Within so many days comes up what may do so at any time: within a century."""

# Every pair of a case with a grant and an option: is it listed for the issue, was it granted?
LISTED_AND_GRANTED = """
    SELECT l.option IS NOT NULL, s.granted = o.key
    FROM latent."CaseStory.cases" s
    JOIN latent."Solution.options" o
    LEFT JOIN latent."Solution.listed" l ON l.issue = s.issue AND l.option = o.key
    WHERE s.granted <> ''
"""


class Solution:
    """Options and day limits of each issue."""

    name = "Solution"
    reads: tuple[str, ...] = ()
    tables: Mapping[str, tuple[str, ...]] = {
        "issues": (
            "Id",
            "key",
            "name",
            "description",
            "kind",
            "reason",
            "weight",
            "topics",
            "fits",
            "shipped_only",
            "since",
            "never_came",
            "lasts",
            "within",
            "outage",
            "urgency",
            "lenient",
            "mended_by",
            "elsewhere",
        ),
        "options": (
            "key",
            "name",
            "phrase",
            "ways",
            "sent_back",
            "refunded",
            "share",
            "repays",
            "accrues",
            "prorated",
            "worth",
            "tells",
            "due_from",
            "due_until",
        ),
        "listed": ("issue", "option", "limit"),
    }
    drives = (
        "Issue__c",
        "Knowledge__kav",
        "Case.IssueId__c",
        "EmailMessage.TextBody",
        "LiveChatTranscript.Body",
    )
    references: Mapping[str, str] = {}

    def draw(self, org: Org) -> tuple[Table, ...]:
        """The options listed for each issue, each with a limit from the option's candidates."""
        setting = org.setting
        issues = stated_issues(setting)
        options = setting.profile.options or setting.world.options
        listed = _listed(setting, issues, options)
        return _issues(setting, issues, listed), _options(options), listed

    def effects(self, org: sqlite3.Connection) -> tuple[Effect, ...]:
        """What agents grant is what the issue's solution lists."""
        rows = org.execute(LISTED_AND_GRANTED).fetchall()
        return (shares(self.name, "granted options are among those listed for the issue", rows),)


def stated_issues(setting: RunContext) -> list[Issue]:
    """As many issues as asked for; raises BadInput where fewer are stated."""
    known = list(setting.profile.issues or setting.world.issues)
    wanted = setting.some("Issue__c")
    if len(known) < wanted:
        raise BadInput(
            f"Issue__c={wanted}, but only {len(known)} issues are stated; name more under `issues:`"
            " in the profile, or ask for fewer"
        )
    return known[:wanted]


def possible(org: Org, category_keys: Array, shipped: Array) -> Array:
    """Sales × issues: whether a sale of such a category, shipped or not, can have the issue.

    An issue fits all categories where it names none, or none that the org has.
    """
    issues = org.table("Solution.issues")
    known = set(map(str, org.table("Assortment.categories")["key"]))
    columns = []
    for fits, shipped_only in zip(issues["fits"], issues["shipped_only"], strict=True):
        named = set(fits.split(",")) & known
        can = np.isin(category_keys.astype(str), sorted(named)) if named else True
        columns.append(can & (shipped | (not shipped_only)))
    return np.column_stack([np.broadcast_to(column, shipped.shape) for column in columns])


def _issues(setting: RunContext, issues: Sequence[Issue], listed: Table) -> Table:
    usual = setting.world.trade.contact.urgency
    urgency = [usual[issue.kind] if issue.urgency is None else issue.urgency for issue in issues]
    return table(
        "Solution.issues",
        {"Id": "Issue__c"},
        Id=np.arange(len(issues)),
        key=strings([issue.key for issue in issues]),
        name=strings([issue.name for issue in issues]),
        description=strings([issue.description for issue in issues]),
        kind=strings([issue.kind for issue in issues]),
        reason=strings([issue.reason for issue in issues]),
        weight=np.array([issue.weight for issue in issues], dtype=float),
        topics=strings([",".join(issue.topics) for issue in issues]),
        fits=strings([",".join(issue.fits) for issue in issues]),
        shipped_only=np.array([issue.shipped_only for issue in issues], dtype=bool),
        since=np.array([issue.since for issue in issues], dtype=np.int64),
        never_came=np.array([issue.never_came for issue in issues], dtype=bool),
        lasts=np.array([issue.lasts for issue in issues], dtype=bool),
        within=np.array([issue.within or ANY_DAY for issue in issues], dtype=np.int64),
        outage=np.array([issue.outage for issue in issues], dtype=bool),
        urgency=np.array(urgency, dtype=float),
        lenient=strings([",".join(issue.lenient) for issue in issues]),
        mended_by=strings([_mended_by(issue) for issue in issues]),
        elsewhere=strings([_elsewhere(issue, row, listed) for row, issue in enumerate(issues)]),
    )


def _mended_by(issue: Issue) -> str:
    """The options that undo the problem itself; NO_OPTION for none, empty where any settles it."""
    if issue.mended_by is None:
        return ""
    return ",".join(issue.mended_by) or NO_OPTION


def _elsewhere(issue: Issue, row: int, listed: Table) -> str:
    """The options that other companies list for an issue, and this one does not."""
    here = set(map(str, listed["option"][listed["issue"] == row]))
    return ",".join(key for key in (*issue.options, *issue.sometimes) if key not in here)


def _options(options: Sequence[Option]) -> Table:
    return table(
        "Solution.options",
        key=strings([option.key for option in options]),
        name=strings([option.name for option in options]),
        phrase=strings([option.phrase for option in options]),
        ways=strings(["|".join(option.ways) for option in options]),
        sent_back=np.array([option.sent_back for option in options], dtype=bool),
        refunded=np.array([option.refunded for option in options], dtype=bool),
        share=np.array([option.share or float(option.refunded) for option in options]),
        repays=np.array([option.repays for option in options], dtype=bool),
        accrues=np.array([option.accrues for option in options], dtype=bool),
        prorated=np.array([option.prorated for option in options], dtype=bool),
        worth=strings([option.worth for option in options]),
        tells=strings([",".join(option.tells) for option in options]),
        due_from=np.array([min(option.due) for option in options], dtype=np.int64),
        due_until=np.array([max(option.due) for option in options], dtype=np.int64),
    )


def _listed(setting: RunContext, issues: Sequence[Issue], options: Sequence[Option]) -> Table:
    rng = setting.stream("Solution", "limits")
    chooser = setting.stream("Solution", "remedies")
    days = {option.key: option.days for option in options}
    usually = {key: float(np.mean(stated)) for key, stated in days.items()}
    _check_stated(issues, set(days))
    listed_for: list[int] = []
    listed: list[str] = []
    limits: list[int] = []
    usual: dict[tuple[str, str], int] = {}
    for row, issue in enumerate(issues):
        taken: dict[str, int] = {}
        for key in _remedies(chooser, issue):
            fits = _fitting(key, taken, usually)
            # A company has one limit for an option with all problems of a kind, as far as it can.
            limit = usual.get((key, issue.kind), 0)
            if not limit or not fits(limit):
                limit = _limit(rng, days[key], fits, taken.values())
            usual.setdefault((key, issue.kind), limit)
            taken[key] = limit
            listed_for.append(row)
            listed.append(key)
            limits.append(limit)
    return table(
        "Solution.listed",
        {"issue": "Issue__c"},
        issue=np.array(listed_for, dtype=np.int64),
        option=strings(listed),
        limit=np.array(limits, dtype=np.int64),
    )


def _remedies(rng: Stream, issue: Issue) -> list[str]:
    """The options listed for an issue: what is stated, or a few of that and what some list."""
    if not issue.sometimes:
        return list(issue.options)
    known = [*issue.options, *issue.sometimes]
    weights = np.array([USUAL_WEIGHT] * len(issue.options) + [1.0] * len(issue.sometimes))
    fewest, most = LISTED
    wanted = min(int(rng.integers(fewest, most + 1)), len(known))
    return [known[place] for place in exactly(rng, weights, wanted)]


def _fitting(
    key: str,
    taken: Mapping[str, int],
    usually: Mapping[str, float],
) -> Callable[[int], bool]:
    """Whether a limit fits an option beside those of the issue's other options.

    What is usually granted longer is granted longer here, too: who is too late for another size is
    not offered all the money instead.
    """
    shorter = [limit for other, limit in taken.items() if usually[other] < usually[key]]
    longer = [limit for other, limit in taken.items() if usually[other] > usually[key]]
    lowest = max(shorter, default=0)
    highest = min(longer, default=math.inf)
    return lambda limit: lowest < limit < highest and limit not in taken.values()


def _limit(
    rng: Stream,
    candidates: Sequence[int],
    fits: Callable[[int], bool],
    taken: Collection[int],
) -> int:
    """A limit in days that fits, else one unlike the others, as far as there is such a one."""
    free = [days for days in candidates if fits(days)]
    free = free or [days for days in candidates if days not in taken] or list(candidates)
    return int(free[rng.integers(len(free))])


def _check_stated(issues: Sequence[Issue], known: set[str]) -> None:
    for issue in issues:
        missing = {*issue.options, *issue.sometimes, *issue.lenient} - known
        if missing:
            raise BadInput(
                f"issue {issue.key} lists options {sorted(missing)}, which are not stated; name"
                " them under `options:` or mend the issue"
            )
