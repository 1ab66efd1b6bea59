"""Actions: change the org as a sentence asks, or leave it alone where its condition doesn't hold.

Three kinds. `close`: close a case that has waited on the customer for more than 14 days.
`hand_over`: give a case that is still open to the agent whom the routing policy names. `mend`:
reopen a case whose agent broke an article, with a comment that cites it. The answer is the change
itself; an agent works on a copy of the org, and what counts is how the copy differs from it in the
end.
"""

from collections.abc import Mapping
from datetime import date, timedelta
from random import Random

from orgweave.benchmark.choice import mixed
from orgweave.benchmark.instance import (
    NOTHING,
    Answer,
    Candidate,
    Dropped,
    OrgTruth,
    Parameter,
    Parameters,
)
from orgweave.benchmark.org_facts import OrgFacts
from orgweave.benchmark.scripts.script import (
    NONE,
    CallTool,
    ScriptInput,
    first_said,
    said,
)
from orgweave.benchmark.soql_truth import SoqlAsker
from orgweave.benchmark.state import wanted_changes
from orgweave.benchmark.story import HiddenCase, NewCase
from orgweave.benchmark.task import (
    Draws,
    TaskDefinition,
    TaskSources,
    TaskTexts,
)
from orgweave.benchmark.tasks import case_routing, policy_violation_identification
from orgweave.benchmark.tasks.case_routing import soql_truth as routing_by_soql
from orgweave.benchmark.windows import before
from orgweave.crm.seam import Crm

WAITING = "Waiting on Customer"
PATIENT_DAYS = 14
"""So many days a case may wait on the customer."""
CLEARLY = 2
"""A case that has waited so many days more or less hangs on no way to count."""
TODAYS = 40
"""How many days after the org's last one it may be asked."""
NO_TWIN = Dropped("no case of the kind for which nothing is to be done")
EMPTY: dict[str, Parameter] = {
    "article": "",
    "issue": "",
    "product": "",
    "since": "",
    "today": "",
}


def draws(
    sources: TaskSources,
    rng: Random,
    nothing: bool,
) -> Draws:
    """Endless draws of twins: one to be changed, and one of the same kind to be left alone."""
    if not nothing:
        # Half of the instances end without a write, so every group has both.
        return
    drawn = {
        "close": _closing(sources, rng),
        "hand_over": _handing_over(sources, rng),
        "mend": _mending(sources, rng),
    }
    yield from mixed(rng, drawn)


def _closing(sources: TaskSources, rng: Random) -> Draws:
    """A case that has waited long enough, and one that has not, on the same day."""
    story = sources.story
    waiting = [case for case in story.cases if case.status == WAITING and case.touched]
    for case in rng.sample(waiting, len(waiting)):
        today = story.last + timedelta(days=rng.randint(1, TODAYS))
        days = _waited(case, today)
        patient = [other for other in waiting if _waited(other, today) <= PATIENT_DAYS - CLEARLY]
        open_ones = [other for other in story.cases if not other.closed and other.status != WAITING]
        if days < PATIENT_DAYS + CLEARLY or not (patient or open_ones):
            yield NO_TWIN
            continue
        twin = rng.choice(patient or open_ones)
        change = f"update Case {case.id} Status=Closed"
        yield _close(case, today, (change,)), _close(twin, today, NOTHING)


def _waited(case: HiddenCase, today: date) -> int:
    return (today - case.touched.date()).days if case.touched else 0


def _close(
    case: HiddenCase,
    today: date,
    answer: Answer,
) -> Candidate:
    return _candidate("close", case.id, answer, {"today": today.isoformat()})


def _handing_over(sources: TaskSources, rng: Random) -> Draws:
    """An open case that belongs to somebody else by the policy, and one that belongs to its owner
    or is closed.
    """
    story = sources.story
    so_far = case_routing.CasesSoFar(story)
    today = story.last + timedelta(days=1)
    wrong, right = [], []
    for case in rng.sample(story.complaints, len(story.complaints)):
        new = NewCase(0, case.issue, case.product, case.created.date())
        if case.closed:
            # One whose policy would name somebody else is the better bait.
            right.append((case, NOTHING))
            continue
        routing = so_far.fittest(new, today)
        # Open cases decide the last step, and this case is one of them.
        if routing.steps not in (1, 2) or not routing.answer:
            continue
        if routing.answer[0] == case.owner:
            right.insert(0, (case, NOTHING))
        else:
            change = f"update Case {case.id} OwnerId={routing.answer[0]}"
            wrong.append((case, (change,)))
    for (case, answer), (twin, nothing) in zip(wrong, right, strict=False):
        yield (
            _candidate("hand_over", case.id, answer, _policy(case, today)),
            _candidate("hand_over", twin.id, nothing, _policy(twin, today)),
        )


def _policy(case: HiddenCase, today: date) -> dict[str, Parameter]:
    since = before(today, "month", case_routing.MONTHS)
    return {
        "issue": case.issue,
        "product": case.product,
        "since": since.isoformat(),
        "today": today.isoformat(),
    }


def _mending(sources: TaskSources, rng: Random) -> Draws:
    """A breach and a lawful grant of the policy violations."""
    for group in policy_violation_identification.draws(sources, rng, nothing=True):
        if isinstance(group, Dropped):
            yield group
            continue
        chained = []
        for piece in group:
            case = str(piece.parameters["case"])
            article = piece.answer[0] if piece.answer else ""
            answer = (mending(case, article),) if article else NOTHING
            more = {"article": article}
            chained.append(_candidate("mend", case, answer, more, piece.evidence))
        yield tuple(chained)


def mending(case: str, article: str) -> str:
    """The change by which a breach is mended."""
    return (
        f"update Case {case} Status=Working; create CaseComment ParentId={case}"
        f" CommentBody~{article}"
    )


def _candidate(
    kind: str,
    case: str,
    answer: Answer,
    more: Mapping[str, Parameter],
    evidence: Mapping[str, str] | None = None,
) -> Candidate:
    return Candidate(
        seed=kind,
        parameters={**EMPTY, "action": kind, "case": case, **more},
        slots={"case": case},
        must=((case,),),
        answer=answer,
        evidence=evidence or {},
        fact=case,
    )


def soql_truth(crm: Crm, wanted: Parameters) -> OrgTruth:
    """What is to be written, by SOQL; whether an article was broken is proved by the evidence."""
    asker = SoqlAsker(crm)
    ways = {"close": _close_by_soql, "hand_over": _hand_over_by_soql, "mend": _mend_by_soql}
    return asker.truth(ways[str(wanted["action"])](asker, wanted))


def _close_by_soql(asker: SoqlAsker, wanted: Parameters) -> Answer:
    rows = asker.ask(f"SELECT Status, LastModifiedDate FROM Case WHERE Id = '{wanted['case']}'")
    day = date.fromisoformat(str(rows[0]["LastModifiedDate"])[: len("2022-01-01")])
    waited = (date.fromisoformat(str(wanted["today"])) - day).days
    if rows[0]["Status"] != WAITING or waited <= PATIENT_DAYS:
        return NOTHING
    return (f"update Case {wanted['case']} Status=Closed",)


def _hand_over_by_soql(asker: SoqlAsker, wanted: Parameters) -> Answer:
    rows = asker.ask(f"SELECT OwnerId, ClosedDate FROM Case WHERE Id = '{wanted['case']}'")
    if rows[0]["ClosedDate"]:
        return NOTHING
    (agent,) = routing_by_soql(asker.crm, wanted).answers
    if not agent or agent[0] == rows[0]["OwnerId"]:
        return NOTHING
    return (f"update Case {wanted['case']} OwnerId={agent[0]}",)


def _mend_by_soql(asker: SoqlAsker, wanted: Parameters) -> Answer:
    rows = asker.ask(f"SELECT Id FROM Knowledge__kav WHERE Id = '{wanted['article']}'")
    if not rows:
        return NOTHING
    reopened = f"update Case {wanted['case']} Status=Working"
    cited = f"create CaseComment ParentId={wanted['case']} CommentBody~{rows[0]['Id']}"
    return (f"{reopened}; {cited}",)


async def oracle(given: ScriptInput, call: CallTool) -> str:
    """Looks the condition up, then writes what it asks for."""
    kind = given.parameters["action"]
    ways = {"close": _close_by_tools, "hand_over": _hand_over_by_tools, "mend": _mend_by_tools}
    return await written(await ways[kind](given, call), call)


async def written(change: str, call: CallTool) -> str:
    """Writes a change by the agents' tools; returns the changed records."""
    records = []
    for wish in wanted_changes([change]):
        values = {**wish.fields, **wish.holds}
        fields = [{"name": name, "value": value} for name, value in values.items()]
        if wish.kind == "create":
            records.append(await call("create_record", object_name=wish.table, fields=fields))
        else:
            record = await call(
                "update_record",
                object_name=wish.table,
                record_id=wish.key,
                fields=fields,
            )
            records.append(record)
    return said(records)


async def _close_by_tools(given: ScriptInput, call: CallTool) -> str:
    wanted = given.parameters
    query = f"SELECT Status, LastModifiedDate FROM Case WHERE Id = '{wanted['case']}'"
    (case,) = await call("issue_soql_query", query=query)
    day = date.fromisoformat(case["LastModifiedDate"][: len("2022-01-01")])
    waited = (date.fromisoformat(wanted["today"]) - day).days
    long = case["Status"] == WAITING and waited > PATIENT_DAYS
    return f"update Case {wanted['case']} Status=Closed" if long else ""


async def _hand_over_by_tools(given: ScriptInput, call: CallTool) -> str:
    (case,) = await call("get_cases", case_ids=[given.parameters["case"]])
    if case["Status"] == "Closed":
        return ""
    agent = first_said(await case_routing.TASK.oracle(given, call))
    return f"update Case {case['Id']} OwnerId={agent}" if agent != case["OwnerId"] else ""


async def _mend_by_tools(given: ScriptInput, call: CallTool) -> str:
    article = first_said(await policy_violation_identification.TASK.oracle(given, call))
    return mending(given.parameters["case"], article) if article else ""


async def first_record(given: ScriptInput, call: CallTool) -> str:
    """Answers and writes nothing."""
    return NONE


def _always(facts: OrgFacts, wanted: Parameters) -> Answer:
    """The change without a look at its condition."""
    case = facts.case(str(wanted["case"]))
    if wanted["action"] == "close":
        return (f"update Case {case.id} Status=Closed",)
    if wanted["action"] == "mend":
        article = facts.article_of_issue.get(case.issue)
        return (mending(case.id, article.id),) if article else NOTHING
    closed = [other.owner for other in facts.every_case if other.issue == case.issue]
    usual = max(sorted(set(closed)), key=closed.count, default="")
    return (f"update Case {case.id} OwnerId={usual}",)


TASK = TaskDefinition(
    short="ACT",
    persona="service manager",
    answers="id",
    reward_metric="state_difference",
    unanswerable=0.5,
    texts=TaskTexts(
        seeds={
            "close": ("Close case {case} if it has waited on the customer for more than 14 days."),
            "hand_over": (
                "If case {case} is not closed yet, make sure that it belongs to the agent whom the"
                " routing policy names."
            ),
            "mend": (
                "If the agent of case {case} broke a knowledge article, reopen the case and add a"
                " comment that cites the article."
            ),
        },
        required=(
            "You change the org itself: with the tools create_record and update_record or, where"
            ' you only write queries, with UPDATE Case 500… {"Status": "Closed"} and CREATE'
            ' CaseComment {"ParentId": "500…", "CommentBody": "…"} in place of a query.'
            " Change nothing else; where the condition does not hold, change nothing at all. Submit"
            " the Ids of what you changed, or None. To close a case set its Status to Closed; to"
            " reopen it set it to Working. A case has waited on the customer, while its Status is"
            " Waiting on Customer, since its LastModifiedDate. A comment is a CaseComment on the"
            " case whose CommentBody holds the Id of the article. "
        )
        + case_routing.POLICY
        + " "
        + policy_violation_identification.BREAKS,
        optional="CaseComment has ParentId and CommentBody; a case's owner is OwnerId.",
    ),
    draws=draws,
    soql_truth=soql_truth,
    verify_sql=f"""
SELECT 'update Case ' || c.Id || ' Status=Closed', 1
FROM "Case" c
WHERE :action = 'close' AND c.Id = :case AND c.Status = '{WAITING}'
AND julianday(:today) - julianday(substr(c.LastModifiedDate, 1, 10)) > {PATIENT_DAYS}
UNION ALL
SELECT 'update Case ' || :case || ' Status=Working; create CaseComment ParentId=' || :case
    || ' CommentBody~' || k.Id, 1
FROM Knowledge__kav k
WHERE :action = 'mend' AND k.Id = :article
UNION ALL
SELECT CASE WHEN agent = owner THEN NULL ELSE 'update Case ' || :case || ' OwnerId=' || agent END,
    merit
FROM (SELECT own.OwnerId AS owner, policy.* FROM "Case" own
    JOIN ({case_routing.MERITS}) policy
    WHERE :action = 'hand_over' AND own.Id = :case AND own.ClosedDate IS NULL)
""",
    oracle=oracle,
    reduced={"condition: always": _always},
    first_record=first_record,
)
