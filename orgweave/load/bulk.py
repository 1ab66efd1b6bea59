"""Bulk 2.0: rows into a job, and the job's results matched with the rows again.

Results stand in any order, so each row is known by its key.
"""

from collections import defaultdict
from collections.abc import Collection, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass

from orgweave.crm.client import AGAIN
from orgweave.crm.field import CrmObject
from orgweave.crm.seam import CrmJson, RecordResult, Target
from orgweave.load.idmap import SentBatch
from orgweave.load.lookup import Ready, match
from orgweave.load.patience import Clock
from orgweave.load.values import alike, cell_of
from schemas.errors import CrmUnreachable, Refused, UploadFailed

MOST_BYTES = 90_000_000
"""Of one job's CSV; the CRM takes 100 MB."""
OVER = frozenset({"JobComplete", "Failed", "Aborted"})
"""The states of a job that nothing changes any more."""
FIRST_WAIT, LONGEST_WAIT = 0.1, 5.0
"""Seconds between two looks at a job, half as much again each time."""
SUCCESS, FAULT = "sf__Id", "sf__Error"
"""The columns that a job's results must have."""
SEPARATORS = 3
"""Bytes that a cell takes beside its value: two quotes and a comma."""


@dataclass(frozen=True, slots=True)
class Collected:
    """What a job came to: results by our key (none for rows that it didn't come to), and why it
    failed as a whole, if it did.
    """

    results: list[tuple[str, RecordResult]]
    fault: str


def parts(info: CrmObject, ready: list[Ready]) -> Iterator[list[Ready]]:
    """Rows in jobs of bounded size, children of one parent together: rows of one parent in two
    chunks would wait for one another's lock.
    """
    names = sorted(columns_of(ready))
    parents = [name for name in names if info.field(name).type == "reference"]
    if parents:
        ready = sorted(ready, key=lambda row: str(row[1].get(parents[0], "")))
    part: list[Ready] = []
    size = 0
    for key, body in ready:
        length = sum(len(cell_of(value).encode()) + SEPARATORS for value in body.values())
        if part and size + length > MOST_BYTES:
            yield part
            part, size = [], 0
        part.append((key, body))
        size += length
    if part:
        yield part


def columns_of(rows: list[Ready]) -> list[str]:
    """All fields that a row has, in order of their first appearance."""
    names: dict[str, None] = {}
    for _, body in rows:
        names |= dict.fromkeys(body)
    return list(names)


def start(target: Target, sending: SentBatch, rows: list[Ready]) -> None:
    """Fills and starts a job; where the answer is lost on the way, `collected` finds out how the
    job stands.
    """
    columns, bodies = columns_of(rows), [body for _, body in rows]
    with suppress(CrmUnreachable):
        with _done_already():
            target.fill_job(sending.job, sending.type, columns, bodies)
        with _done_already():
            target.end_job(sending.job, "UploadComplete")


@contextmanager
def _done_already() -> Iterator[None]:
    """Takes a change that the job's state allows no more for one that was made.

    Where a gateway sends a request twice, the CRM refuses the second one, and its answer is all
    that we get. Whatever was done, `collected` goes by the job's state.
    """
    try:
        yield
    except Refused as error:
        if error.code != "INVALIDJOBSTATE":
            raise


def collected(
    target: Target,
    sending: SentBatch,
    info: CrmObject,
    rows: list[Ready],
    fields: tuple[str, ...],
    clock: Clock,
    known: Collection[str],
) -> Collected:
    """What became of the rows of a job, once it is over; one that was never started is aborted.

    The ids in `known` were recorded before a break, so their results tell nothing new. What the job
    refused and isn't among the rows any more was mended since, and is sent as it is now.
    """
    told = _waited(target, sending, clock)
    successes = _results(info, target.rows(sending.job, "successfulResults"), SUCCESS)
    new = [result for result in successes if result["sf__Id"] not in known]
    taken = _matched(new, info, rows, fields)
    if len(taken) < len(new):
        raise UploadFailed(
            f"{info.name}: {len(new) - len(taken)} rows of the bulk job's results are none"
            " that were sent; look at the job in the CRM's setup pages"
        )
    faults = _results(info, target.rows(sending.job, "failedResults"), FAULT)
    refused = _matched(faults, info, rows, fields)
    results = [(key, RecordResult(row["sf__Id"])) for key, row in taken]
    results += [(key, _refusal(row["sf__Error"])) for key, row in refused]
    fault = ""
    if told["state"] == "Failed" and not results:
        fault = str(told.get("errorMessage") or "no reason given")
    return Collected(results, fault)


def _waited(target: Target, sending: SentBatch, clock: Clock) -> CrmJson:
    """How the job ended.

    One that is still open was never started, or not heard of; aborting it leaves no doubt.
    """
    wait = FIRST_WAIT
    while True:
        told = target.job(sending.job)
        if told is None:
            raise UploadFailed(
                f"{sending.type}: the CRM no longer knows the bulk job {sending.job}; run the same"
                " command again, it looks up what the job did"
            )
        if told["state"] in OVER:
            return told
        if told["state"] == "Open":
            with suppress(CrmUnreachable), _done_already():
                target.end_job(sending.job, "Aborted")
        clock.sleep(wait)
        wait = min(wait * 1.5, LONGEST_WAIT)


def _results(info: CrmObject, lines: list[list[str]], needed: str) -> list[dict[str, str]]:
    """The rows of a job's results, by column."""
    if not lines:
        return []
    header, *rows = lines
    if needed not in header or any(len(row) != len(header) for row in rows):
        raise CrmUnreachable(
            f"{info.name}: the bulk job's results aren't whole, or aren't a CRM's; {AGAIN}"
        )
    return [dict(zip(header, row, strict=True)) for row in rows]


def _matched(
    results: list[dict[str, str]],
    info: CrmObject,
    rows: list[Ready],
    fields: tuple[str, ...],
) -> list[tuple[str, dict[str, str]]]:
    """Each result beside the key of the row that it tells of."""
    by_key: defaultdict[tuple[object, ...], list[str]] = defaultdict(list)
    for number, result in enumerate(results):
        key = tuple(alike(info.find(name), result.get(name)) for name in fields)
        by_key[key].append(str(number))
    numbers = match(info, rows, fields, by_key)
    return [(key, results[int(number)]) for key, number in numbers.items()]


def _refusal(text: str) -> RecordResult:
    """`REQUIRED_FIELD_MISSING:Required fields are missing: [Name]:Name --` taken apart."""
    code, _, rest = text.partition(":")
    message, _, fields = rest.rpartition(":")
    names = tuple(name for name in fields.removesuffix("--").strip().split(",") if name)
    return RecordResult(code=code or "UNKNOWN_EXCEPTION", message=message or rest, fields=names)
