"""`explore`: opens the site of an org and listens until it is ended.

Datasette is an extra and is imported only here. Example of what it prints first:
`http://127.0.0.1:40123/?token=2bq...`.
"""

import secrets
import sqlite3
import time
import webbrowser
from contextlib import AbstractContextManager, closing
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from orgweave.explore.lessons import Lessons
from orgweave.explore.limits import limit_heap
from orgweave.server.listen import bound, heed_ends, heed_sigterm, until_ended, url_of
from pipeline.run_folder import LATENT_FILE, ORG_FILE, RunFolder
from schemas.errors import BadInput

if TYPE_CHECKING:
    import uvicorn

    from orgweave.explore.site import Site


@dataclass(frozen=True, slots=True)
class ExploreOptions:
    """How an org is shown.

    Args:
        host, port: where to listen; port 0 is a free one.
        browse: whether to open the page in the browser.
        sql: whether a person may ask by statements of their own.
        trust: whether the org may be an edited one.
        lessons: what a teacher sees; without it no hidden cause is opened.
    """

    host: str = "127.0.0.1"
    port: int = 0
    browse: bool = False
    sql: bool = True
    trust: bool = False
    lessons: Lessons | None = None


def explore(folder: Path, wanted: ExploreOptions) -> None:
    """Shows an org until interrupted; raises BadInput where the folder holds none, the address
    can't be used or a library is missing.
    """
    began = time.monotonic()
    heed_sigterm()
    token = secrets.token_urlsafe(24)
    site_opened = site_of(folder, wanted)
    names = (ORG_FILE,) if wanted.lessons is None else (ORG_FILE, LATENT_FILE)
    RunFolder(folder).verify(*names, trust=wanted.trust)
    with site_opened as site, closing(bound(wanted.host, wanted.port)) as listening:
        with closing(sqlite3.connect(":memory:")) as db:
            limit_heap(db)
        running = server(site, token, wanted.host, listening.getsockname()[1])
        heed_ends(running)
        url = f"{url_of(listening)}/?token={token}"
        print(
            f"{url}\nopened in {time.monotonic() - began:.1f} s; a private copy,"
            " read-only (Ctrl-C ends)",
            flush=True,
        )
        if wanted.browse:
            webbrowser.open(url)
        until_ended(running, listening)


def site_of(folder: Path, wanted: ExploreOptions) -> "AbstractContextManager[Site]":
    """The site of a finished run; raises BadInput where Datasette isn't installed."""
    try:
        from orgweave.explore.site import opened
    except ImportError as error:
        raise BadInput(
            f"explore needs {error.name}, which isn't installed; run: pip install"
            " 'orgweave[explore]'"
        ) from error
    return opened(folder, wanted.sql, wanted.lessons)


def server(site: "Site", token: str, host: str, port: int) -> "uvicorn.Server":
    """The HTTP server, ready to run on a socket; it answers whoever has the token."""
    import uvicorn

    from orgweave.explore.door import Door
    from orgweave.explore.wire import HeadProtocol

    return uvicorn.Server(
        uvicorn.Config(
            Door(site.app(), token, host, port),
            http=HeadProtocol,
            log_level="warning",
            access_log=False,
            timeout_graceful_shutdown=3,
            server_header=False,
        )
    )
