"""`mcp`: offer the agent's tools over a finished org by the Model Context Protocol."""

import argparse
from contextlib import closing, suppress
from pathlib import Path

from orgweave.commands.common import CLOCK, FOLDER, add_trust, verify
from orgweave.server.listen import bound, url_of
from orgweave.server.served import clock_of
from orgweave.tools.crm import local_crm
from orgweave.tools.schema_text import schema_text
from pipeline.run_folder import ORG_FILE
from schemas.errors import BadInput

EXAMPLES = """\
  orgweave mcp outputs/shoes
  orgweave mcp outputs/shoes --http 8700
  orgweave mcp outputs/shoes --clock 2023-12-31
"""


def add(command: argparse.ArgumentParser) -> None:
    """Its options."""
    command.add_argument("folder", type=Path, help=FOLDER)
    command.add_argument(
        "--http",
        type=int,
        metavar="PORT",
        help=(
            "serve streamable HTTP on this port of 127.0.0.1; 0 takes a free one (default: stdin"
            " and stdout, which a client uses that starts the server itself)"
        ),
    )
    command.add_argument("--clock", metavar="DATE", help=CLOCK)
    add_trust(command)


def run(arguments: argparse.Namespace) -> int:
    """Serves until it is interrupted or stdin ends."""
    try:
        from orgweave.tools import mcp_server
    except ImportError as error:
        raise BadInput(
            f"mcp needs {error.name}, which isn't installed; run: pip install 'orgweave[mcp]'"
        ) from error
    verify(arguments, ORG_FILE)
    with suppress(KeyboardInterrupt), local_crm(arguments.folder, clock_of(arguments.clock)) as crm:
        server = mcp_server.server_of(crm, schema_text(crm.engine.entities.values()))
        if arguments.http is None:
            mcp_server.serve_stdio(server)
            return 0
        with closing(bound("127.0.0.1", arguments.http)) as listening:
            print(f"{url_of(listening)}{mcp_server.PATH}", flush=True)
            mcp_server.serve_http(server, listening)
    return 0
