"""Records of one object type on their way: collections of 200 or bulk jobs, each told to the id map
before and after.

After a break, what was on its way is looked up before anything is sent again; so nothing is lost
and nothing doubled.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain

from orgweave.crm.seam import BATCH, RecordResult, Target
from orgweave.load import bulk
from orgweave.load.bodies import Blocked, Bodies
from orgweave.load.idmap import INSERT, IdMap, SentBatch
from orgweave.load.lookup import (
    Ready,
    found,
    ids_there,
    key_fields,
    sent_by_all,
    surely_ours,
    telling,
)
from orgweave.load.patience import Patience
from orgweave.load.source import UploadRecord
from orgweave.load.tally import HELD_BACK, LoadTally
from orgweave.load.values import fits_a_cell
from schemas.errors import CrmUnreachable, UploadFailed

LoadObserver = Callable[[str, int], None]
"""Is told the object type and how many records more the CRM has."""
BULK_FROM = 2000
"""Records from which a bulk job is quicker than collections of 200."""
PAUSES = (1.0, 3.0, 9.0)
"""Seconds before each further try; the CRM is asked in between what it has."""


@dataclass(frozen=True, slots=True)
class Sender:
    """Sends for one upload; `bulk_from` is the number of records from which bulk jobs are used."""

    target: Target
    idmap: IdMap
    bodies: Bodies
    tally: LoadTally
    watch: LoadObserver
    bulk_from: int = BULK_FROM
    pauses: Sequence[float] = field(default=PAUSES)
    patience: Patience = Patience()

    def insert(self, name: str, *phases: Sequence[UploadRecord]) -> None:
        """Creates all records that the CRM hasn't got yet, one phase after the other; what it
        refuses is tallied.
        """
        every = list(chain.from_iterable(phases))
        self.tally.of(name).before += len(every) - len(self._missing(every))
        for sending in self.idmap.pending(name):
            self._settle(sending, self._ready(name, every, tell=False))
        in_bulk = len(self._missing(every)) >= self.bulk_from
        for phase in phases:
            by_csv: list[Ready] = []
            others: list[Ready] = []
            for key, body in self._ready(name, self._missing(phase)):
                goes = in_bulk and body and all(map(fits_a_cell, body.values()))
                (by_csv if goes else others).append((key, body))
            self._in_bulk(name, by_csv)
            self._in_batches(name, others)

    def _missing(self, records: Iterable[UploadRecord]) -> list[UploadRecord]:
        return [record for record in records if self.idmap.org_id(record.key) is None]

    def _ready(self, name: str, records: Iterable[UploadRecord], tell: bool = True) -> list[Ready]:
        """What can be sent; what has to wait for another record is tallied as held back, if it is
        to be told.
        """
        ready: list[Ready] = []
        blocked: list[tuple[str, RecordResult]] = []
        for record in self._missing(records):
            body = self.bodies.body(record)
            if isinstance(body, Blocked):
                blocked.append((record.key, _held(body)))
            else:
                ready.append((record.key, body))
        if tell:
            self.tally.refuse(name, blocked)
        return ready

    def _in_batches(self, name: str, ready: list[Ready]) -> None:
        for start in range(0, len(ready), BATCH):
            batch = ready[start : start + BATCH]
            fields = self.fields(name, batch)
            info = self.bodies.infos[name]
            known: frozenset[str] = frozenset()
            if not surely_ours(info, fields):
                known = ids_there(self.target, info, batch, fields)
            sending = self.idmap.send(name, INSERT, [key for key, _ in batch], known)
            self._batch(sending, batch)

    def _batch(self, sending: SentBatch, batch: list[Ready]) -> None:
        """Sends until the answer is known; before each further try the CRM is asked what it has."""
        for pause in (*self.pauses, None):
            try:
                results: list[RecordResult] = []
                if batch:
                    results = self.target.create(sending.type, [body for _, body in batch])
                keys = [key for key, _ in batch]
                self._record(sending, list(zip(keys, results, strict=True)), batch)
                return
            except CrmUnreachable:
                if pause is None:
                    raise
                self.patience.clock.sleep(pause)
                ids = self._looked_up(sending, batch)
                self.idmap.take(sending.type, ids.items())
                self._count(sending.type, len(ids))
                batch = [(key, body) for key, body in batch if key not in ids]

    def _in_bulk(self, name: str, ready: list[Ready]) -> None:
        for rows in bulk.parts(self.bodies.infos[name], ready):
            left = rows
            for _ in range(len(self.pauses) + 1):
                if left:
                    sending = self.idmap.send(name, job=self.target.open_job(name))
                    bulk.start(self.target, sending, left)
                    left = self._collect(sending, left)
            if left:
                raise UploadFailed(
                    f"{name}: the CRM didn't work off {len(left):,} records of its bulk jobs; the"
                    " same command sends them again"
                )

    def _collect(self, sending: SentBatch, rows: list[Ready]) -> list[Ready]:
        """Waits for a job and records what came of it; gives the rows that it didn't come to."""
        info = self.bodies.infos[sending.type]
        fields = self.fields(sending.type, rows)
        recorded, clock = self.idmap.ids_of(sending.type), self.patience.clock
        done = bulk.collected(self.target, sending, info, rows, fields, clock, recorded)
        self._record(sending, done.results, rows)
        if done.fault:
            raise UploadFailed(
                f"{sending.type}: the CRM ended the bulk job {sending.job} as Failed"
                f" ({done.fault}); mend that and run the same command again"
            )
        told = {key for key, _ in done.results}
        return [row for row in rows if row[0] not in told]

    def _settle(self, sending: SentBatch, ready: list[Ready]) -> None:
        """Finds out what the CRM took of a batch whose fate nobody knows."""
        if sending.job and self.target.job(sending.job) is not None:
            self._collect(sending, ready)
            return
        if sending.job:  # The CRM forgets a job days after its end, so nothing comes any more.
            ids: Mapping[str, str] = self._found(sending, ready)
        else:
            batch = [(key, body) for key, body in ready if key in sending.keys]
            ids = self._looked_up(sending, batch)
        self.idmap.sent(sending, ids.items())
        self._count(sending.type, len(ids))

    def _looked_up(self, sending: SentBatch, batch: list[Ready]) -> Mapping[str, str]:
        """What the CRM has of a batch whose answer was lost, by our keys.

        Where it lets no two records share a key, one look is enough: of what comes late and was
        sent again, it refuses one. Else it may still be at work, so nothing is sent again before
        nothing has changed for a while.
        """
        name, ids = sending.type, self._found(sending, batch)
        if len(ids) == len(batch) or self._sole_keys(name, batch):
            return ids
        self.patience.say(
            f"{name}: no answer came for {len(batch):,} records, and the CRM has {len(ids):,} of"
            f" them; waiting until that hasn't changed for {self.patience.seconds:,.0f} seconds,"
            " lest records are doubled (--patience; an external id field saves it)"
        )
        return self.patience.until_quiet(lambda: self._found(sending, batch), ids, len(batch))

    def _sole_keys(self, name: str, batch: list[Ready]) -> list[tuple[str, ...]]:
        """The keys that no two records of the CRM share and that each record of the batch has."""
        return self.bodies.sole_keys(name, sent_by_all([body for _, body in batch]))

    def _found(self, sending: SentBatch, batch: list[Ready]) -> dict[str, str]:
        return self._found_by(sending, batch, self.fields(sending.type, batch))

    def _found_by(
        self,
        sending: SentBatch,
        batch: list[Ready],
        fields: tuple[str, ...],
    ) -> dict[str, str]:
        if not batch:
            return {}
        known = sending.known | self.idmap.ids_of(sending.type)
        info, external = self.bodies.infos[sending.type], self.bodies.external_of(sending.type)
        compared = telling(info, fields, external, [body for _, body in batch])
        return found(self.target, info, batch, compared, known)

    def fields(self, name: str, batch: list[Ready]) -> tuple[str, ...]:
        """What tells the batch's records apart."""
        schema = self.bodies.source.schema
        unique: list[str] = []
        if schema.has(name):
            unique = [field.name for field in schema.object(name).fields if field.unique]
        bodies = [body for _, body in batch]
        external = self.bodies.external_of(name)
        return key_fields(self.bodies.infos[name], bodies, external, unique)

    def _record(
        self,
        sending: SentBatch,
        outcome: list[tuple[str, RecordResult]],
        batch: list[Ready],
    ) -> None:
        """Accepted records into the id map, refused ones into the tally; one refused as a duplicate
        of itself is there already.
        """
        taken = {key: result.org_id for key, result in outcome if result.taken}
        doubted = {key for key, result in outcome if result.code.startswith("DUPLICATE")}
        again = [(key, body) for key, body in batch if key in doubted]
        for fields in self._sole_keys(sending.type, again):
            taken |= self._found_by(sending, again, fields)
            again = [(key, body) for key, body in again if key not in taken]
        self.idmap.sent(sending, taken.items())
        self._count(sending.type, len(taken))
        refused = [(key, result) for key, result in outcome if key not in taken]
        self.tally.refuse(sending.type, refused)

    def _count(self, name: str, taken: int) -> None:
        self.tally.of(name).created += taken
        self.watch(name, taken)


def _held(held: Blocked) -> RecordResult:
    return RecordResult(
        code=HELD_BACK,
        message=f"waits for {held.key}, which the CRM hasn't got",
        fields=(held.field,),
    )
