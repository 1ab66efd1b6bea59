"""Requests gathered into waves: all that the lanes ask for before any of them can go on without an
answer.

A wave is full when no new request has come for a moment. Which request falls into which wave has no
influence on the words.
"""

import asyncio
import json
from collections.abc import Awaitable, Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from pipeline.model.transport import ModelReply

QUIET = 0.15
ROOM_LINES, ROOM_BYTES = 50_000, 100_000_000


@dataclass(slots=True)
class Waves:
    """Collects requests; `send` is given a full wave's bodies by key, and answers each by `answer`
    or all by `fail`.
    """

    send: Callable[[Mapping[str, Mapping[str, object]]], Awaitable[None]]
    waiting: dict[str, tuple[Mapping[str, object], asyncio.Future[ModelReply]]] = field(
        default_factory=dict
    )
    sent: set[str] = field(default_factory=set)
    _heard: int = 0
    _task: asyncio.Task[None] | None = None

    async def ask(self, key: str, body: Mapping[str, object]) -> ModelReply:
        """Waits for the answer to that request, in whichever wave it goes out."""
        if key not in self.waiting:
            self.waiting[key] = (body, asyncio.get_running_loop().create_future())
            self._heard += 1
        if self._task is None or self._task.done():
            self._task = asyncio.create_task(self._run())
            self._task.add_done_callback(self._ended)
        return await asyncio.shield(self.waiting[key][1])

    def answer(self, key: str, reply: ModelReply) -> None:
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
        """Two moments in a row without a new request: the first may end just after the loop was
        busy with something long.
        """
        calm = 0
        while calm < 2:
            before = self._heard
            await asyncio.sleep(QUIET)
            calm = calm + 1 if self._heard == before else 0

    def _ended(self, task: asyncio.Task[None]) -> None:
        """What ended the waves ends everyone who waits for an answer."""
        if task.cancelled() or (error := task.exception()) is None:
            return
        for _, place in self.waiting.values():
            if not place.done():
                place.set_exception(error)
        self.waiting.clear()


def lines_of(wave: Mapping[str, Mapping[str, object]]) -> Iterable[str]:
    """A wave as OpenAI Batch input, a JSON object a line with custom_id, method, url, body."""
    for key, body in wave.items():
        yield json.dumps(
            {"custom_id": key, "method": "POST", "url": "/v1/chat/completions", "body": body},
            ensure_ascii=False,
        )


def files_of(wave: Mapping[str, Mapping[str, object]]) -> list[str]:
    """Texts of files within the bounds that endpoints set for one batch: so many lines and bytes,
    and one model only.
    """
    models = dict.fromkeys(body.get("model") for body in wave.values())
    return [
        text
        for model in models
        for text in _cut(
            lines_of({key: body for key, body in wave.items() if body.get("model") == model})
        )
    ]


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
    """The reply in one line of Batch output; None where that request was not answered (expired,
    cancelled).
    """
    response = line.get("response")
    if isinstance(response, dict) and isinstance(response.get("status_code"), int):
        return ModelReply(
            response["status_code"],
            response.get("body"),
            {},
            json.dumps(response.get("body"))[:2000],
        )
    error = line.get("error")
    code = str(error.get("code") or "") if isinstance(error, dict) else ""
    if code in ("", "batch_expired", "batch_cancelled"):
        return None
    return ModelReply(500, {"error": error}, {}, str(error)[:2000])
