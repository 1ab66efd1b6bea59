"""`explore`: opens the site of an org and listens until it is ended.

Datasette is an extra and is imported only here.
"""

import time
import webbrowser
from contextlib import AbstractContextManager, closing
from pathlib import Path
from typing import TYPE_CHECKING

from orgweave.server.listen import bound, heed_sigterm, until_ended, url_of
from schemas.errors import BadInput

if TYPE_CHECKING:
    import uvicorn

    from orgweave.explore.site import Site


def explore(folder: Path, host: str, port: int, browse: bool) -> None:
    """Shows an org until interrupted; raises BadInput where the folder holds none, the address
    can't be used or a library is missing.
    """
    began = time.monotonic()
    heed_sigterm()
    with site_of(folder) as site, closing(bound(host, port)) as listening:
        running = server(site)
        print(
            f"{url_of(listening)}/\nopened in {time.monotonic() - began:.1f} s; a private copy,"
            " read-only (Ctrl-C ends)",
            flush=True,
        )
        if browse:
            webbrowser.open(url_of(listening))
        until_ended(running, listening)


def site_of(folder: Path) -> "AbstractContextManager[Site]":
    """The site of a finished run; raises BadInput where Datasette isn't installed."""
    try:
        from orgweave.explore.site import opened
    except ImportError as error:
        raise BadInput(
            f"explore needs {error.name}, which isn't installed; run: pip install"
            " 'orgweave[explore]'"
        ) from error
    return opened(folder)


def server(site: "Site") -> "uvicorn.Server":
    """The HTTP server, ready to run on a socket."""
    import uvicorn

    return uvicorn.Server(
        uvicorn.Config(
            site.app(),
            log_level="warning",
            access_log=False,
            timeout_graceful_shutdown=3,
            server_header=False,
        )
    )
