"""uvicorn's HTTP protocol for requests with very long URLs (a query with thousands of ids), and
with errors in the CRM's form.

httptools takes a URL of at most 64 KB apart; only the part before the question mark need be, so the
rest is put by.
"""

import json

from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

LONGEST_PATH = 60_000


class LongUrlProtocol(HttpToolsProtocol):
    """As uvicorn's own, but for the length of the URL and the form of what it answers itself."""

    def on_headers_complete(self) -> None:
        """Hands the request on; the application sees the whole query string."""
        path, _, query = self.url.partition(b"?")
        self.url = path[:LONGEST_PATH]
        super().on_headers_complete()
        self.scope["query_string"] = query

    def send_400_response(self, msg: str) -> None:
        """What isn't HTTP gets an error body too."""
        body = json.dumps(
            [{"message": f"{msg} Send HTTP/1.1.", "errorCode": "MALFORMED_REQUEST"}]
        ).encode()
        head = (
            "HTTP/1.1 400 Bad Request\r\ncontent-type:"
            f" application/json;charset=UTF-8\r\ncontent-length: {len(body)}\r\nconnection:"
            " close\r\n\r\n"
        )
        self.transport.write(head.encode() + body)
        self.transport.close()
