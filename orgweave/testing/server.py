"""A small OpenAI-compatible server on 127.0.0.1: chat completions, files and batches.

It runs in a thread of its own or as a process (`python -m orgweave.testing`), and misbehaves as a
Behaviour asks. It counts what it was asked, so that a test can say what was lost, repeated or paid
for nothing. Knows no object type; `words` does.

Example: `with ModelServer(Words(job), Behaviour(latency=0.1)) as server:` answers at `server.url`,
and `server.counts["answers repeated"]` is 0 where nothing was asked twice.
"""

import asyncio
import hashlib
import json
import random
import threading
import time
from collections import Counter, OrderedDict
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import replace
from types import TracebackType
from typing import Any

from aiohttp import web

from orgweave.testing.agent import agent_turn
from orgweave.testing.asked import Prompt, prompt_of
from orgweave.testing.chat import completion_of
from orgweave.testing.faults import CONNECTION, Behaviour, FaultyEntry, Spoiled, spoiled
from orgweave.testing.replies import batch_line, endpoint_error
from orgweave.testing.words import Words
from pipeline.model.tokens import count_messages, count_tokens

LARGEST = 2**28
"""Bytes of a body: a whole batch."""
KEPT = 5000
"""Prompts whose right answer is kept: what is asked again after a fault needs no new words."""
UNKNOWN = (
    "This server answers the prompts of generate, tasks and evaluate for its company; this is none"
    " of them."
)
STRAY_AFTER = 20
"""Answers before a stray refusal: one at the very first calls would be taken for a wrong key."""
STRAY = (
    (401, "invalid_api_key"),
    (403, "forbidden"),
    (404, "not_found"),
    (400, "invalid_request_error"),
)
WebHandler = Callable[[web.Request], Awaitable[web.StreamResponse]]


class ModelServer:
    """`url` is its base URL; `counts` tells calls, answers, repeated answers and each fault."""

    def __init__(
        self,
        words: Words,
        behaviour: Behaviour | None = None,
        port: int = 0,
    ) -> None:
        self.behaviour = behaviour or Behaviour()
        self.port = port
        self.counts: Counter[str] = Counter()
        self._words = words
        self._active = 0
        self._times: Counter[bytes] = Counter()
        self._answered: set[bytes] = set()
        self._made: OrderedDict[bytes, list[FaultyEntry]] = OrderedDict()
        self._minute: tuple[int, int] = (0, 0)
        self._files: dict[str, str] = {}
        self._batches: dict[str, dict[str, Any]] = {}
        self._loop = asyncio.new_event_loop()
        self._runner: web.AppRunner | None = None
        self._thread = threading.Thread(target=self._loop.run_forever, daemon=True)

    @property
    def url(self) -> str:
        """The base URL for a client."""
        return f"http://127.0.0.1:{self.port}/v1"

    def __enter__(self) -> "ModelServer":
        self._thread.start()
        asyncio.run_coroutine_threadsafe(self.start(), self._loop).result()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self._runner:
            asyncio.run_coroutine_threadsafe(self._runner.cleanup(), self._loop).result()
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.close()

    async def start(self) -> None:
        """Listens on 127.0.0.1; `port` is then the real one."""
        self._runner = web.AppRunner(
            self._app(),
            access_log=None,
            handle_signals=False,
            shutdown_timeout=0.1,
        )
        await self._runner.setup()
        site = web.TCPSite(self._runner, "127.0.0.1", self.port)
        await site.start()
        self.port = int(site.name.rsplit(":", 1)[1])

    def _app(self) -> web.Application:
        app = web.Application(client_max_size=LARGEST, middlewares=[self._told])
        app.router.add_post("/v1/chat/completions", self._completions)
        app.router.add_post("/v1/files", self._upload)
        app.router.add_get("/v1/files/{id}/content", self._content)
        app.router.add_post("/v1/batches", self._start_batch)
        app.router.add_get("/v1/batches/{id}", self._batch)
        app.router.add_get("/counts", self._counts)
        return app

    @web.middleware
    async def _told(self, request: web.Request, handler: WebHandler) -> web.StreamResponse:
        """The Batch API's own refusals: a wrong key, a file or batch that nobody knows."""
        if request.path.startswith(("/v1/files", "/v1/batches")):
            refusal = self._unauthorized(request)
            if refusal:
                return refusal
            name = request.match_info.get("id")
            if name and name not in self._files and name not in self._batches:
                return endpoint_error(
                    404,
                    "not_found",
                    f"No such file or batch: {name}.",
                )
        return await handler(request)

    async def _counts(self, request: web.Request) -> web.Response:
        return web.json_response(dict(self.counts))

    async def _completions(self, request: web.Request) -> web.StreamResponse:
        raw = await request.read()
        self._active += 1
        self.counts["most at once"] = max(self.counts["most at once"], self._active)
        try:
            return await self._completed(request, raw)
        finally:
            self._active -= 1

    async def _completed(self, request: web.Request, raw: bytes) -> web.StreamResponse:
        self.counts["calls"] += 1
        body = json.loads(raw)
        refusal = self._refused(request, body)
        if refusal:
            return refusal
        digest = _digest(raw)
        self._times[digest] += 1
        fault, rng = self.behaviour.drawn(digest, self._times[digest])
        if self.behaviour.most_at_once and self._active > self.behaviour.most_at_once:
            fault = "busy"
        pause = 0.0
        if fault != "busy":
            pause = self.behaviour.latency + rng.random() * self.behaviour.jitter
        await asyncio.sleep(pause)
        if fault == "stray" and self.counts["answers"] < STRAY_AFTER:
            fault = None
        self.counts[f"fault {fault}"] += fault is not None
        broken = _broken(request, fault, rng)
        if broken is not None:
            return broken
        failed = self._failed(fault)
        if failed is not None:
            return failed
        played = agent_turn(body)
        if played is not None:
            done = completion_of(body, played, self.counts["calls"])
            return web.json_response(done, headers=self._rate())
        prompt = prompt_of(body)
        if not self._words.knows(prompt):
            return endpoint_error(400, "invalid_request_error", UNKNOWN)
        poison = self._poison_in(body)
        if poison == "refusal":
            return endpoint_error(400, "content_filter", "The prompt was filtered.")
        if fault == "no_choices" or poison == "nothing":
            return web.json_response({"object": "chat.completion", "choices": []})
        if poison:
            fault = "filtered"
        done = self._answer(prompt, body, _digest(raw), fault, rng)
        return web.json_response(done, headers=self._rate())

    def _failed(self, fault: str | None) -> web.Response | None:
        """What an endpoint says that has too much to do, or fails."""
        if fault == "busy":
            wait = f"{self.behaviour.retry_after:g}"
            return endpoint_error(
                429,
                "rate_limit_exceeded",
                "Rate limit reached, slow down.",
                {"retry-after": wait},
            )
        if fault == "error_500":
            return endpoint_error(
                500,
                "server_error",
                "The server had an error while processing your request.",
            )
        return None

    def _answer(
        self,
        prompt: Prompt,
        body: Mapping[str, Any],
        key: bytes,
        fault: str | None,
        rng: random.Random,
    ) -> dict[str, object]:
        done = self._spoiled(prompt, key, fault, rng)
        self.counts["answers"] += 1
        self.counts["answers repeated"] += key in self._answered
        self._answered.add(key)
        usage = {
            "prompt_tokens": count_messages(body["messages"]),
            "completion_tokens": count_tokens(done.text),
        }
        self.counts["tokens"] += sum(usage.values())
        self.counts["prompt tokens"] += usage["prompt_tokens"]
        message = {
            "role": "assistant",
            "content": done.text,
            "refusal": done.refusal,
        }
        return {
            "id": f"chatcmpl-{key.hex()}",
            "object": "chat.completion",
            "created": int(time.time()),
            "model": body["model"],
            "choices": [
                {
                    "index": 0,
                    "finish_reason": done.finish,
                    "message": message,
                }
            ],
            "usage": {**usage, "total_tokens": sum(usage.values())},
        }

    def _spoiled(
        self,
        prompt: Prompt,
        key: bytes,
        fault: str | None,
        rng: random.Random,
    ) -> Spoiled:
        """The right entries, which the server makes once for each prompt, with the fault in
        them.
        """
        if key not in self._made:
            self._made[key] = self._words.entries(prompt)
            if len(self._made) > KEPT:
                self._made.popitem(last=False)
        entries = [dict(entry) for entry in self._made[key]]
        demanded: dict[int, list[str]] = {}
        if fault == "contradicted":
            demanded = {unit.id: self._words.demanded(prompt, unit) for unit in prompt.units}
        if fault == "duplicate":
            prompt = replace(prompt, earlier=self._words.taken(prompt))
        return spoiled(fault, entries, prompt, demanded, rng)

    def _refused(self, request: web.Request, body: Mapping[str, Any]) -> web.Response | None:
        """The endpoint's own rules: key, model, form of output, length, quota."""
        wanted = self.behaviour
        refusal = self._unauthorized(request)
        if refusal:
            return refusal
        if wanted.models and body.get("model") not in wanted.models:
            return endpoint_error(
                404,
                "model_not_found",
                f"The model `{body.get('model')}` does not exist or you do not have access to it.",
            )
        if body.get("model") in wanted.down:
            return endpoint_error(500, "server_error", "The engine is overloaded.")
        form = body.get("response_format", {}).get("type", "text")
        if form not in wanted.forms:
            return endpoint_error(
                400,
                "invalid_request_error",
                f"Invalid parameter: 'response_format' of type '{form}' is not supported with this"
                " model.",
            )
        if wanted.context and count_messages(body["messages"]) > wanted.context:
            return endpoint_error(
                400,
                "context_length_exceeded",
                f"This model's maximum context length is {wanted.context} tokens.",
            )
        if wanted.quota and self.counts["tokens"] > wanted.quota:
            return endpoint_error(
                429,
                "insufficient_quota",
                "You exceeded your current quota, please check your plan and billing details.",
            )
        return self._too_many() if wanted.per_minute else None

    def _unauthorized(self, request: web.Request) -> web.Response | None:
        sent = request.headers.get("Authorization", "")
        if self.behaviour.key and sent != f"Bearer {self.behaviour.key}":
            return endpoint_error(
                401,
                "invalid_api_key",
                f"Incorrect API key provided: {sent}.",
            )
        return None

    def _poison_in(self, body: Mapping[str, Any]) -> str:
        """What a prompt gets each time, since it holds a phrase; nothing for most prompts."""
        prompt = body["messages"][-1]["content"]
        for phrase, way in self.behaviour.poisoned.items():
            if phrase in prompt:
                self.counts["poisoned"] += 1
                return way
        return ""

    def _too_many(self) -> web.Response | None:
        """Requests counted by the second, so that a test need not wait a minute."""
        second, used = self._minute
        now = int(time.monotonic())
        used = used + 1 if second == now else 1
        self._minute = (now, used)
        if used <= self.behaviour.per_minute:
            return None
        self.counts["over the rate"] += 1
        headers = {"retry-after": "1"}
        return endpoint_error(
            429,
            "rate_limit_exceeded",
            "Requests per second exceeded.",
            headers,
        )

    def _rate(self) -> dict[str, str]:
        if not self.behaviour.per_minute:
            return {}
        """What a reply's headers say of the rate."""
        left = max(self.behaviour.per_minute - self._minute[1], 0)
        reset = 1 - time.monotonic() % 1
        return {
            "x-ratelimit-remaining-requests": str(left),
            "x-ratelimit-reset-requests": f"{reset * 1000:.0f}ms",
        }

    async def _upload(self, request: web.Request) -> web.Response:
        form = await request.post()
        file = form["file"]
        assert isinstance(file, web.FileField)
        return web.json_response(self._keep(file.file.read().decode(), str(form["purpose"])))

    def _keep(self, text: str, purpose: str) -> dict[str, object]:
        """Keeps a file; returns what the API says of it."""
        name = f"file-{len(self._files) + 1}"
        self._files[name] = text
        return {
            "id": name,
            "object": "file",
            "bytes": len(text),
            "created_at": int(time.time()),
            "filename": "requests.jsonl",
            "purpose": purpose,
            "status": "processed",
        }

    async def _content(self, request: web.Request) -> web.Response:
        return web.Response(text=self._files[request.match_info["id"]])

    async def _start_batch(self, request: web.Request) -> web.Response:
        asked = await request.json()
        text = self._files[asked["input_file_id"]].rstrip("\n")
        lines = [json.loads(line) for line in text.split("\n")]
        batch = {
            "id": f"batch_{len(self._batches) + 1}",
            "object": "batch",
            "endpoint": asked["endpoint"],
            "input_file_id": asked["input_file_id"],
            "completion_window": "24h",
            "status": "in_progress",
            "created_at": int(time.time()),
            "request_counts": {
                "total": len(lines),
                "completed": 0,
                "failed": 0,
            },
        }
        self._batches[str(batch["id"])] = batch
        self.counts["batches"] += 1
        asyncio.get_running_loop().call_later(
            self.behaviour.batch_seconds,
            self._finish,
            batch,
            lines,
        )
        return web.json_response(batch)

    def _finish(self, batch: dict[str, Any], lines: list[dict[str, Any]]) -> None:
        """Answers a batch; what a connection fault hits comes back as a failed line."""
        good: list[str] = []
        bad: list[str] = []
        for line in lines:
            raw = json.dumps(line["body"], sort_keys=True).encode()
            digest = _digest(raw)
            self.counts["calls"] += 1
            self._times[digest] += 1
            fault, rng = self.behaviour.drawn(digest, self._times[digest])
            self.counts[f"fault {fault}"] += fault is not None
            if fault in CONNECTION:
                body: dict[str, object] = {"error": {"message": "server error"}}
                bad.append(batch_line(line["custom_id"], 500, body))
            else:
                prompt = prompt_of(line["body"])
                body = self._answer(prompt, line["body"], digest, fault, rng)
                good.append(batch_line(line["custom_id"], 200, body))
        for name, rows in (("output_file_id", good), ("error_file_id", bad)):
            text = "\n".join(rows) + "\n"
            batch[name] = self._keep(text, "batch_output")["id"] if rows else None
        batch["status"] = "completed"

    async def _batch(self, request: web.Request) -> web.Response:
        return web.json_response(self._batches[request.match_info["id"]])


def _broken(
    request: web.Request, fault: str | None, rng: random.Random
) -> web.StreamResponse | None:
    """What a fault of the connection or of a gateway sends in place of an answer."""
    if request.transport is None:  # the client has gone
        return None
    if fault == "garbled":
        request.transport.write(b"\x00\xff what is this\r\n\r\n")
    if fault == "cut_short":
        head = b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 999\r\n\r\n"
        request.transport.write(head + b'{"choices": [')
    if fault in ("garbled", "cut_short"):
        request.transport.close()
        return web.Response()
    if fault == "dropped":
        request.transport.abort()
    if fault == "stray":
        status, code = rng.choice(STRAY)
        return endpoint_error(status, code, "Something in between refused this.")
    return None


def _digest(raw: bytes) -> bytes:
    return hashlib.blake2b(raw, digest_size=12).digest()
