"""Second passes: what may be set only when all that belongs to a record is in.

Orders are activated, price books retired, articles published.

Each is told to the id map before and after; after a break the CRM is asked how the records stand,
and only the others are sent again.
"""

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from orgweave.load.cargo import UploadRecord
from orgweave.load.idmap import SentBatch
from orgweave.load.sender import Sender
from orgweave.load.tally import HELD_BACK
from orgweave.load.target import BATCH, RecordResult
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
            self._sent(
                sending, self._standing([there[key] for key in sending.keys if key in there])
            )
        todo = [
            record for key, record in there.items() if key not in idmap.done(self.name, self.step)
        ]
        tally.refuse(
            self.name,
            [
                (
                    one.key,
                    RecordResult(
                        code=HELD_BACK,
                        message=f"{self.step} waits for records of its own that the CRM hasn't got",
                    ),
                )
                for one in todo
                if one.key in waiting
            ],
        )
        ready = [one for one in todo if one.key not in waiting]
        for start in range(0, len(ready), BATCH):
            batch = ready[start : start + BATCH]
            self._batch(idmap.send(self.name, self.step, [one.key for one in batch]), batch)

    def _batch(self, sending: SentBatch, batch: list[UploadRecord]) -> None:
        over: set[str] = set()
        for pause in (*self.sender.pauses, None):
            try:
                results = self.send(batch) if batch else []
            except CrmUnreachable:
                if pause is None:
                    raise
                time.sleep(pause)
                over |= self._standing(batch)
                batch = [one for one in batch if one.key not in over]
                continue
            outcome = [(one.key, result) for one, result in zip(batch, results, strict=True)]
            self._sent(sending, over | {key for key, result in outcome if result.taken})
            self.sender.tally.refuse(
                self.name, [(key, result) for key, result in outcome if not result.taken]
            )
            return

    def _sent(self, sending: SentBatch, over: set[str]) -> None:
        self.sender.idmap.sent(sending, done=over)
        self.sender.tally.of(self.name).updated += len(over)

    def _standing(self, batch: Sequence[UploadRecord]) -> set[str]:
        """The keys of those that stand already as they shall."""
        if not batch:
            return set()
        info, names = (
            self.sender.bodies.infos[self.name],
            sorted({name for one in batch for name in one.values}),
        )
        ids = {str(self.sender.idmap.org_id(one.key)): one for one in batch}
        listed = ", ".join(map(literal, ids))
        rows = self.sender.target.query(
            f"SELECT Id, {', '.join(names)} FROM {self.name} WHERE Id IN ({listed})"
        )
        return {
            ids[str(row["Id"])].key
            for row in rows
            if all(
                alike(info.fields.get(name), row[name]) == alike(info.fields.get(name), value)
                for name, value in ids[str(row["Id"])].values.items()
            )
        }


def updating(sender: Sender, name: str, step: str = "update") -> Pass:
    """A pass that changes fields."""

    def send(batch: Sequence[UploadRecord]) -> list[RecordResult]:
        return sender.target.update(
            name, [{"Id": sender.idmap.org_id(one.key), **one.values} for one in batch]
        )

    return Pass(sender, name, step, send)


def publishing(sender: Sender, name: str) -> Pass:
    """The pass that puts articles online."""

    def send(batch: Sequence[UploadRecord]) -> list[RecordResult]:
        return sender.target.publish([str(sender.idmap.org_id(one.key)) for one in batch])

    return Pass(sender, name, "publish", send)
