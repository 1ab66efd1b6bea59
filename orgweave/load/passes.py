"""Second passes: what may be set only when all that belongs to a record is in.

Orders are activated, price books retired, articles published.

Each is told to the id map before and after; after a break the CRM is asked how the records stand,
and only the others are sent again.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from orgweave.crm.seam import BATCH, CrmJson, RecordResult
from orgweave.load.idmap import SentBatch
from orgweave.load.sender import Sender
from orgweave.load.source import UploadRecord
from orgweave.load.tally import HELD_BACK
from orgweave.load.values import alike, literal
from schemas.errors import CrmUnreachable

SendRecords = Callable[[Sequence[UploadRecord]], list[RecordResult]]


@dataclass(frozen=True, slots=True)
class Pass:
    """One second pass over an object type; `values` of its records are what the CRM shall have in
    the end.
    """

    sender: Sender
    name: str
    step: str
    send: SendRecords

    def run(self, records: Sequence[UploadRecord], waiting: set[str]) -> None:
        """Changes all records that the CRM has and that aren't done; those in `waiting` are held
        back.
        """
        idmap, tally = self.sender.idmap, self.sender.tally
        there = {record.key: record for record in records if idmap.org_id(record.key)}
        for sending in idmap.pending(self.name, self.step):
            known = [there[key] for key in sending.keys if key in there]
            self._sent(sending, self._standing(known))
        done = idmap.done(self.name, self.step)
        todo = [record for key, record in there.items() if key not in done]
        why = f"{self.step} waits for records of its own that the CRM hasn't got"
        held = RecordResult(code=HELD_BACK, message=why)
        waits = [(record.key, held) for record in todo if record.key in waiting]
        tally.refuse(self.name, waits)
        ready = [record for record in todo if record.key not in waiting]
        for start in range(0, len(ready), BATCH):
            batch = ready[start : start + BATCH]
            keys = [record.key for record in batch]
            self._batch(idmap.send(self.name, self.step, keys), batch)

    def _batch(self, sending: SentBatch, batch: list[UploadRecord]) -> None:
        over: set[str] = set()
        for pause in (*self.sender.pauses, None):
            try:
                results = self.send(batch) if batch else []
            except CrmUnreachable:
                if pause is None:
                    raise
                self.sender.patience.clock.sleep(pause)
                over |= self._standing(batch)
                batch = [record for record in batch if record.key not in over]
                continue
            outcome = list(zip(batch, results, strict=True))
            over |= {record.key for record, result in outcome if result.taken}
            # A change that arrived twice may be refused the second time, though it stands.
            over |= self._standing([record for record, result in outcome if not result.taken])
            self._sent(sending, over)
            refused = [(record.key, told) for record, told in outcome if record.key not in over]
            self.sender.tally.refuse(self.name, refused)
            return

    def _sent(self, sending: SentBatch, over: set[str]) -> None:
        self.sender.idmap.sent(sending, done=over)
        self.sender.tally.of(self.name).updated += len(over)

    def _standing(self, batch: Sequence[UploadRecord]) -> set[str]:
        """The keys of those that stand already as they shall."""
        if not batch:
            return set()
        names: set[str] = set()
        ids: dict[str, UploadRecord] = {}
        for record in batch:
            names.update(record.values)
            ids[str(self.sender.idmap.org_id(record.key))] = record
        listed = ", ".join(map(literal, ids))
        rows = self.sender.target.query(
            f"SELECT Id, {', '.join(sorted(names))} FROM {self.name} WHERE Id IN ({listed})"
        )
        pairs = [(ids[str(row["Id"])], row) for row in rows]
        return {record.key for record, row in pairs if self._stands(record, row)}

    def _stands(self, record: UploadRecord, row: CrmJson) -> bool:
        """Whether the CRM's values are those that the record shall have."""
        info = self.sender.bodies.infos[self.name]
        for name, value in record.values.items():
            field = info.find(name)
            if alike(field, row[name]) != alike(field, value):
                return False
        return True


def updating(sender: Sender, name: str, step: str = "update") -> Pass:
    """A pass that changes fields."""

    def send(batch: Sequence[UploadRecord]) -> list[RecordResult]:
        bodies = [{"Id": sender.idmap.org_id(record.key), **record.values} for record in batch]
        return sender.target.update(name, bodies)

    return Pass(sender, name, step, send)


def publishing(sender: Sender, name: str) -> Pass:
    """The pass that puts articles online."""

    def send(batch: Sequence[UploadRecord]) -> list[RecordResult]:
        return sender.target.publish([str(sender.idmap.org_id(record.key)) for record in batch])

    return Pass(sender, name, "publish", send)
