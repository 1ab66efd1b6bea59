"""In the end, the CRM's counts held against the id map: are there records that no answer told of?

Only object types that the CRM may take twice are counted: without a key that it keeps unique, a
request that a gateway hands on twice, or too late, makes records that nobody hears of. Where the
count is right, nothing more is asked; where it isn't, records that look like ours are searched for.
"""

from collections.abc import Iterator

from orgweave.crm.client import AGAIN
from orgweave.crm.seam import BATCH, Target
from orgweave.load.bodies import Blocked
from orgweave.load.lookup import VISITOR, Ready, ids_there
from orgweave.load.sender import Sender
from schemas.errors import CrmUnreachable


def count_of(target: Target, name: str) -> int:
    """How many records of an object type the CRM has."""
    for row in target.query(f"SELECT COUNT(Id) FROM {name}"):
        if isinstance(row.get("expr0"), int):
            return int(row["expr0"])
    raise CrmUnreachable(f"{name}: the CRM didn't say how many records it has; {AGAIN}")


def count_before(sender: Sender, name: str) -> None:
    """Writes down what the CRM has before the first record is sent."""
    idmap = sender.idmap
    if idmap.before(name) is None and not idmap.created(name) and not idmap.pending(name):
        idmap.count(name, count_of(sender.target, name))


def reconcile(sender: Sender, name: str) -> None:
    """Tells the tally which records of an object type are doubled; nothing where none is."""
    before, made = sender.idmap.before(name), len(sender.idmap.created(name))
    there = count_of(sender.target, name)
    if before is not None and there == before + made:
        return
    extra = sorted(_unknown(sender, name))
    if extra:
        sender.tally.double(name, extra)
    elif before is not None:
        sender.tally.notes.append(
            f"{name}: the CRM has {there:,} records where it had {before:,} and got {made:,}; those"
            " that make the difference aren't like ours, so somebody else made or deleted some"
        )


def _unknown(sender: Sender, name: str) -> set[str]:
    """The CRM's ids of records that look like ours, weren't there before, and that the id map
    hasn't got.
    """
    found: set[str] = set()
    for batch in _batches(sender, name):
        info, fields = sender.bodies.infos[name], sender.fields(name, batch)
        found |= ids_there(sender.target, info, batch, fields)
    return found - sender.idmap.ids_of(name) - sender.idmap.known(name)


def _batches(sender: Sender, name: str) -> Iterator[list[Ready]]:
    if name == VISITOR:
        yield [("", {})]  # All that is to be known of visitors: which have no transcript.
        return
    ready: list[Ready] = []
    for record in sender.bodies.source.records(name):
        body = sender.bodies.body(record)
        if not isinstance(body, Blocked):
            ready.append((record.key, body))
    for start in range(0, len(ready), BATCH):
        yield ready[start : start + BATCH]
