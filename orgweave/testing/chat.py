"""A chat completions endpoint on 127.0.0.1 that says what it is told to, over real sockets.

It plays an agent's turns, tool calls and failures, and knows no task. Example:
`with ChatServer(lambda messages, calls: "<respond>None</respond>") as server: ...` answers
every turn so at `server.url`.
"""

import json
import threading
from collections.abc import Callable, Mapping, Sequence
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType
from typing import Any

from pipeline.model.tokens import count_messages, count_tokens

ChatTurn = Mapping[str, Any]
ScriptedReply = str | Mapping[str, object] | int
ChatScript = Callable[[Sequence[ChatTurn], int], ScriptedReply]
"""Gives, from the conversation and the number of calls before this one, a text, a call `{"name":
..., "arguments": {...}}`, or a status to fail with."""


class ChatServer:
    """Answers with what the script says.

    `url` is its base URL, `requests` are the bodies it was sent, and `tokens` counts those of the
    prompts and of the answers.
    """

    def __init__(self, script: ChatScript) -> None:
        self.requests: list[dict[str, Any]] = []
        self.tokens = [0, 0]
        self._script = script
        self._lock = threading.Lock()
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), _handler(self))
        self._thread = threading.Thread(target=self._server.serve_forever, daemon=True)

    @property
    def url(self) -> str:
        """The base URL for a client."""
        return f"http://127.0.0.1:{self._server.server_port}/v1"

    def __enter__(self) -> "ChatServer":
        self._thread.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()

    def answer(self, body: dict[str, Any]) -> tuple[int, dict[str, object]]:
        """Returns status and body of the reply to a request."""
        with self._lock:
            calls = len(self.requests)
            self.requests.append(body)
        said = self._script(body["messages"], calls)
        if isinstance(said, int):
            error = {
                "message": "made to fail",
                "type": "server_error",
                "code": None,
            }
            return said, {"error": error}
        used = tokens_of(body, said)
        with self._lock:
            self.tokens[0] += used[0]
            self.tokens[1] += used[1]
        return 200, completion_of(body, said, calls)


def tokens_of(body: Mapping[str, Any], said: str | Mapping[str, object]) -> tuple[int, int]:
    """The tokens of a request's messages and of what is said to them."""
    turns = [
        {"role": turn["role"], "content": str(turn.get("content") or "")}
        for turn in body["messages"]
    ]
    return count_messages(turns), count_tokens(json.dumps(said))


def completion_of(
    body: Mapping[str, Any],
    said: str | Mapping[str, object],
    calls: int,
) -> dict[str, object]:
    """The reply to a request: a text, or a call of a tool with the number of `calls` before it."""
    return _completion(body["model"], _message(said, calls), tokens_of(body, said))


def _message(said: str | Mapping[str, object], calls: int) -> dict[str, object]:
    if isinstance(said, str):
        return {"role": "assistant", "content": said}
    function = {"name": said["name"], "arguments": json.dumps(said["arguments"])}
    return {
        "role": "assistant",
        "content": None,
        "tool_calls": [
            {
                "id": f"call_{calls}",
                "type": "function",
                "function": function,
            }
        ],
    }


def _completion(model: str, message: dict[str, object], used: tuple[int, int]) -> dict[str, object]:
    finish = "tool_calls" if "tool_calls" in message else "stop"
    usage = {
        "prompt_tokens": used[0],
        "completion_tokens": used[1],
        "total_tokens": sum(used),
    }
    return {
        "id": "chatcmpl-1",
        "object": "chat.completion",
        "created": 1,
        "model": model,
        "choices": [
            {
                "index": 0,
                "finish_reason": finish,
                "message": message,
            }
        ],
        "usage": usage,
    }


def _handler(server: ChatServer) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        """Answers POST /v1/chat/completions."""

        def do_POST(self) -> None:  # noqa: N802
            """One completion."""
            body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            status, reply = server.answer(body)
            data = json.dumps(reply).encode()
            self.send_response(status)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(data)))
            if status == 429:
                self.send_header("Retry-After", "0")
            self.end_headers()
            self.wfile.write(data)

        def log_message(self, format: str, *args: object) -> None:  # noqa: A002
            """Says nothing on the terminal."""

    return Handler
