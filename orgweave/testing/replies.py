"""What the test server sends beside answers: errors as OpenAI words them, and lines of a batch."""

import json
from collections.abc import Mapping

from aiohttp import web


def batch_line(name: str, status: int, body: dict[str, object]) -> str:
    """A line of a batch's output or error file."""
    response = {"status_code": status, "body": body}
    return json.dumps(
        {
            "custom_id": name,
            "response": response,
            "error": None,
        }
    )


def endpoint_error(
    status: int,
    code: str,
    message: str,
    headers: Mapping[str, str] | None = None,
) -> web.Response:
    """An error as OpenAI words it."""
    error = {
        "message": message,
        "type": code,
        "param": None,
        "code": code,
    }
    return web.json_response(
        {"error": error},
        status=status,
        headers=headers,
    )
