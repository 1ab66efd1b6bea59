"""An org's REST server in a thread of its own, on a free port of 127.0.0.1, for real clients.

Knows no endpoint. Example: `with OrgServer(Path("outputs/shoes"), ServeOptions(writable=True)) as
server: requests.get(server.url + "/services/data/", ...)`.
"""

import threading
import time
from contextlib import ExitStack
from pathlib import Path
from types import TracebackType

from orgweave.server.certificate import own_certificate
from orgweave.server.listen import bound, server, url_of
from orgweave.server.served import Served, ServeOptions, served

TOKEN = "token-for-tests"


class OrgServer:
    """`url` is the instance URL, `token` the bearer token, `org` what is served.

    With `tls` it speaks https, and `certificate` is the file that clients trust it by.
    """

    def __init__(
        self,
        folder: Path,
        choice: ServeOptions | None = None,
        token: str = TOKEN,
        tls: bool = False,
    ) -> None:
        self.token = token
        self.certificate: Path | None = None
        self._tls = tls
        self.url = ""
        self.org: Served
        self._folder = folder
        self._choice = choice
        self._stack = ExitStack()

    def __enter__(self) -> "OrgServer":
        self.org = self._stack.enter_context(served(self._folder, self._choice))
        listening = self._stack.enter_context(bound("127.0.0.1", 0))
        own = self._stack.enter_context(own_certificate("127.0.0.1")) if self._tls else None
        self.certificate = own.certificate if own is not None else None
        running = server(self.org, self.token, own)
        thread = threading.Thread(
            target=running.run,
            args=([listening],),
            daemon=True,
        )
        self.url = url_of(listening, self._tls)
        thread.start()

        def stop() -> None:
            running.should_exit = True
            thread.join()

        self._stack.callback(stop)
        while not running.started and thread.is_alive():
            time.sleep(0.005)
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._stack.close()
