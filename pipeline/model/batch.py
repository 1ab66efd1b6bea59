"""`--batch`: the same requests through the endpoint's Batch API, in waves.

A batch costs half and is answered within a day. The ids of batches under way are kept in the ledger
before anything is waited for: a killed run waits for the same batches again and pays none twice.
"""

import asyncio
import json
from collections.abc import Mapping

from pipeline.ledger import Ledger
from pipeline.model.caller import BodyOf, KeyOf
from pipeline.model.pauses import USUAL, Pauses
from pipeline.model.replies import ReplyKind, meaning_of
from pipeline.model.transport import BatchTransport, ModelReply
from pipeline.model.waves import Waves, files_of, reply_in
from schemas.errors import CallFailed, PromptRefused

LONGEST_POLL, POLL_GROWTH = 60.0, 1.5  # seconds between two looks at a batch, and how they grow
OVER = ("completed", "failed", "expired", "cancelled", "unknown")
TRIES = 5  # batches that may leave one request unanswered


class BatchCaller:
    """A Caller that sends waves as batches and waits for them."""

    def __init__(
        self,
        transport: BatchTransport,
        ledger: Ledger,
        address: str,
        pauses: Pauses = USUAL,
    ) -> None:
        self._transport = transport
        self._ledger = ledger
        self._address = address
        self._note = f"batches {address}"
        self._first_poll = pauses.poll
        self._waves = Waves(self._send, pauses.quiet)
        self._answers: dict[str, ModelReply] = {}
        self._tries: dict[str, int] = {}
        self._resumed: asyncio.Task[None] | None = None

    async def call(
        self,
        body_of: BodyOf,
        tokens: int,
        key_of: KeyOf,
    ) -> ModelReply:
        """The answer to the request, from a batch of an earlier run if one holds it."""
        key = key_of()
        if self._resumed is None:
            self._resumed = asyncio.create_task(self._resume())
        await asyncio.shield(self._resumed)
        reply = self._answers.pop(key, None) or await self._waves.ask(key, body_of())
        meaning = meaning_of(reply)
        if meaning.kind is ReplyKind.REFUSED:
            raise PromptRefused(meaning.says)
        if meaning.kind in (ReplyKind.USELESS, ReplyKind.OVER):
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
            batch = await self._transport.start_batch(text)
            batches.append(batch)
            self._keep_open([*self._open(), batch])
        replies: dict[str, ModelReply] = {}
        for batch in batches:
            replies |= await self._finished(batch)
        for key in wave:
            self._settle(key, replies.get(key))

    def _settle(
        self,
        key: str,
        reply: ModelReply | None,
    ) -> None:
        """Hands an answer over; what the batch left open goes into the next wave, TRIES times."""
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
        pause = self._first_poll
        state = await self._transport.batch_state(batch)
        while state.status not in OVER:
            await asyncio.sleep(pause)
            pause = min(pause * POLL_GROWTH, LONGEST_POLL)
            state = await self._transport.batch_state(batch)
        if state.status in ("failed", "unknown"):
            self._keep_open([other for other in self._open() if other != batch])
        if state.status == "failed":
            raise CallFailed(
                f"{self._address}: batch {batch} failed ({state.says}); what was written is kept,"
                " run the same command again"
            )
        found: dict[str, ModelReply | None] = {}
        for file in state.files:
            text = await self._transport.file_text(file)
            for line in text.split("\n"):
                if line.strip():
                    data = json.loads(line)
                    found[str(data.get("custom_id"))] = reply_in(data)
        return {key: reply for key, reply in found.items() if reply is not None}

    def forget(self) -> None:
        """Forgets all batches: their answers are in the ledger, no later run need look at them."""
        self._keep_open([])

    def _open(self) -> list[str]:
        return list(json.loads(self._ledger.note(self._note) or "[]"))

    def _keep_open(self, batches: list[str]) -> None:
        self._ledger.set_note(self._note, json.dumps(batches))
