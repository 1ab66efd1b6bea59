"""`--batch`: the same requests through the endpoint's Batch API, at half the price and within a
day, lane by lane in waves.

The ids of batches under way are kept in the ledger before anything is waited for: a killed run
waits for the same batches again and pays none twice.
"""

import asyncio
import json
from collections.abc import Mapping

from pipeline.ledger import Ledger
from pipeline.model.caller import BodyOf, KeyOf
from pipeline.model.replies import ReplyKind, meaning_of
from pipeline.model.transport import BatchTransport, ModelReply
from pipeline.model.waves import Waves, files_of, reply_in
from schemas.errors import CallFailed

FIRST_POLL, LONGEST_POLL = 0.2, 60.0
OVER = ("completed", "failed", "expired", "cancelled", "unknown")
TRIES = 5


class BatchCaller:
    """A Caller that sends waves as batches and waits for them."""

    def __init__(self, transport: BatchTransport, ledger: Ledger, address: str) -> None:
        self._transport, self._ledger, self._address = transport, ledger, address
        self._note = f"batches {address}"
        self._waves = Waves(self._send)
        self._answers: dict[str, ModelReply] = {}
        self._tries: dict[str, int] = {}
        self._resumed: asyncio.Task[None] | None = None

    async def call(self, body_of: BodyOf, tokens: int, key_of: KeyOf) -> ModelReply:
        """The answer to the request, from a batch of an earlier run if one holds it."""
        key = key_of()
        if self._resumed is None:
            self._resumed = asyncio.create_task(self._resume())
        await asyncio.shield(self._resumed)
        reply = self._answers.pop(key, None) or await self._waves.ask(key, body_of())
        if (meaning := meaning_of(reply)).kind is ReplyKind.USELESS:
            raise CallFailed(f"{self._address}: {meaning.says}")
        return reply

    async def _resume(self) -> None:
        for batch in self._open():
            for key, reply in (await self._finished(batch)).items():
                if meaning_of(reply).kind in (ReplyKind.ANSWER, ReplyKind.FORM):
                    self._answers[key] = reply

    async def _send(self, wave: Mapping[str, Mapping[str, object]]) -> None:
        batches = []
        for text in files_of(wave):
            batches.append(await self._transport.start_batch(text))
            self._ledger.set_note(self._note, json.dumps([*self._open(), batches[-1]]))
        replies: dict[str, ModelReply] = {}
        for batch in batches:
            replies |= await self._finished(batch)
        for key in wave:
            self._settle(key, replies.get(key))

    def _settle(self, key: str, reply: ModelReply | None) -> None:
        """An answer is handed over; what the batch left open goes into the next wave,
        a few times.
        """
        if reply is not None and meaning_of(reply).kind not in (ReplyKind.AGAIN, ReplyKind.BUSY):
            self._waves.answer(key, reply)
            return
        self._tries[key] = self._tries.get(key, 0) + 1
        if self._tries[key] >= TRIES:
            raise CallFailed(
                f"{self._address}: a request was left unanswered by {TRIES} batches"
                f" ({reply.text if reply else 'expired'}); what was written is kept, run the same"
                " command again"
            )
        self._waves.again(key)

    async def _finished(self, batch: str) -> dict[str, ModelReply]:
        """Waits for a batch; its replies by key.

        Raises CallFailed where the endpoint refused it as a whole.
        """
        pause = FIRST_POLL
        while (state := await self._transport.batch_state(batch)).status not in OVER:
            await asyncio.sleep(pause)
            pause = min(pause * 1.5, LONGEST_POLL)
        if state.status in ("failed", "unknown"):
            self._ledger.set_note(
                self._note, json.dumps([one for one in self._open() if one != batch])
            )
        if state.status == "failed":
            raise CallFailed(
                f"{self._address}: batch {batch} failed ({state.says}); what was written is kept,"
                " run the same command again"
            )
        lines = [
            json.loads(line)
            for file in state.files
            for line in (await self._transport.file_text(file)).split("\n")
            if line.strip()
        ]
        found = {str(line.get("custom_id")): reply_in(line) for line in lines}
        return {key: reply for key, reply in found.items() if reply is not None}

    def forget(self) -> None:
        """All answers are in the ledger: a later run need not look at these batches any more."""
        self._ledger.set_note(self._note, "[]")

    def _open(self) -> list[str]:
        return list(json.loads(self._ledger.note(self._note) or "[]"))
