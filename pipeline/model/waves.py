"""Requests gathered into waves.

A wave holds all that the lanes ask for before any of them can go on without an answer; it is full
when no new request has come for a moment. Which request falls into which wave has no influence on
the words.
"""

import asyncio
import json
from collections.abc import Awaitable, Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from pipeline.model.pauses import USUAL
from pipeline.model.transport import LONGEST_TEXT, ModelReply

# OpenAI's Batch API takes 50,000 requests and 200 MB in a file, other endpoints half of that.
ROOM_LINES = 50_000
ROOM_BYTES = 100_000_000


@dataclass(slots=True)
class Waves:
    """Collects requests.

    `send` is given a full wave's bodies by key and answers each by `answer`, or puts it into the
    next wave by `again`; what it raises ends everyone who waits. A moment has `quiet` seconds.
    """

    send: Callable[[Mapping[str, Mapping[str, object]]], Awaitable[None]]
    quiet: float = USUAL.quiet
    waiting: dict[str, tuple[Mapping[str, object], asyncio.Future[ModelReply]]] = field(
        default_factory=dict
    )
    sent: set[str] = field(default_factory=set)
    _heard: int = 0
    _task: asyncio.Task[None] | None = None

    async def ask(
        self,
        key: str,
        body: Mapping[str, object],
    ) -> ModelReply:
        """Waits for the answer to that request, in whichever wave it goes out."""
        if key not in self.waiting:
            self.waiting[key] = (body, asyncio.get_running_loop().create_future())
            self._heard += 1
        if self._task is None or self._task.done():
            self._task = asyncio.create_task(self._run())
            self._task.add_done_callback(self._ended)
        return await asyncio.shield(self.waiting[key][1])

    def answer(
        self,
        key: str,
        reply: ModelReply,
    ) -> None:
        """Hands over an answer; answers that nobody waits for are left."""
        _, place = self.waiting.pop(key, (None, None))
        self.sent.discard(key)
        if place is not None and not place.done():
            place.set_result(reply)

    def again(self, key: str) -> None:
        """Puts a request into the next wave."""
        self.sent.discard(key)

    async def _run(self) -> None:
        """One wave after the other while any request waits."""
        while self.waiting:
            await self._quiet()
            wave = {key: body for key, (body, _) in self.waiting.items() if key not in self.sent}
            self.sent |= set(wave)
            await self.send(wave)

    async def _quiet(self) -> None:
        """Waits for two moments in a row without a new request.

        The first may end just after the loop was busy with something long.
        """
        calm = 0
        while calm < 2:
            before = self._heard
            await asyncio.sleep(self.quiet)
            calm = calm + 1 if self._heard == before else 0

    def _ended(self, task: asyncio.Task[None]) -> None:
        """What ended the waves ends everyone who waits for an answer."""
        error = None if task.cancelled() else task.exception()
        if error is None:
            return
        for _, place in self.waiting.values():
            if not place.done():
                place.set_exception(error)
        self.waiting.clear()


def line_of(key: str, body: Mapping[str, object]) -> str:
    """A request as a line of OpenAI Batch input."""
    data = {"custom_id": key, "method": "POST", "url": "/v1/chat/completions", "body": body}
    return json.dumps(data, ensure_ascii=False)


def files_of(wave: Mapping[str, Mapping[str, object]]) -> list[str]:
    """The texts of files within the bounds that endpoints set for one batch.

    Each holds so many lines and bytes at most, and requests to one model only.
    """
    by_model: dict[object, list[str]] = {}
    for key, body in wave.items():
        by_model.setdefault(body.get("model"), []).append(line_of(key, body))
    texts: list[str] = []
    for lines in by_model.values():
        texts += _cut(lines)
    return texts


def _cut(lines: Iterable[str]) -> list[str]:
    files: list[list[str]] = []
    room = 0
    for line in lines:
        size = len(line.encode()) + 1
        if not files or len(files[-1]) == ROOM_LINES or room < size:
            files.append([])
            room = ROOM_BYTES
        files[-1].append(line)
        room -= size
    return ["\n".join(file) + "\n" for file in files]


def reply_in(line: Mapping[str, Any]) -> ModelReply | None:
    """The reply in one line of Batch output.

    It is None where that request was not answered (expired, cancelled).
    """
    response = line.get("response")
    if isinstance(response, dict) and isinstance(response.get("status_code"), int):
        body = response.get("body")
        return ModelReply(response["status_code"], body, {}, json.dumps(body)[:LONGEST_TEXT])
    error = line.get("error")
    code = str(error.get("code") or "") if isinstance(error, dict) else ""
    if code in ("", "batch_expired", "batch_cancelled"):
        return None
    return ModelReply(500, {"error": error}, {}, str(error)[:LONGEST_TEXT])
