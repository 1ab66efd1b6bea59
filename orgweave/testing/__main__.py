"""`python -m orgweave.testing --company shoes --port 8000`: the test server as a process.

It is there for trying things out and for `make bench`.
"""

import argparse
import asyncio
import sys

from orgweave.testing.faults import Behaviour, everything
from orgweave.testing.server import ModelServer
from orgweave.testing.words import Words
from pipeline.config import RunRequest, load_job
from schemas.errors import OrgweaveError


def main() -> int:
    """Serves until it is stopped; prints the base URL first."""
    arguments = _parser().parse_args()
    try:
        words = Words(load_job(RunRequest(arguments.company)), plain=arguments.plain)
    except OrgweaveError as error:
        print(f"orgweave: {error}", file=sys.stderr)
        return error.exit_code
    behaviour = Behaviour(
        latency=arguments.latency,
        most_at_once=arguments.most_at_once,
        batch_seconds=arguments.batch_seconds,
        faults=everything(arguments.faults) if arguments.faults else {},
    )
    try:
        asyncio.run(_serve(ModelServer(words, behaviour, arguments.port)))
    except KeyboardInterrupt:
        return 130
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m orgweave.testing",
        description=(
            "An OpenAI-compatible server on 127.0.0.1 that answers with the embedded writer's"
            " words."
        ),
    )
    parser.add_argument(
        "--company",
        default="shoes",
        metavar="NAME",
        help="the company whose prompts it answers (default: shoes)",
    )
    parser.add_argument("--port", type=int, default=0, help="default: a free one")
    parser.add_argument(
        "--latency",
        type=float,
        default=0.0,
        metavar="SECONDS",
        help="before each answer (default: 0)",
    )
    parser.add_argument(
        "--most-at-once",
        type=int,
        default=0,
        metavar="N",
        help="429 beyond so many calls at once (default: no limit)",
    )
    parser.add_argument(
        "--batch-seconds",
        type=float,
        default=0.0,
        metavar="SECONDS",
        help="how long a batch takes (default: 0)",
    )
    parser.add_argument(
        "--faults",
        type=float,
        default=0.0,
        metavar="SHARE",
        help="every fault it knows, each in so many of the calls, such as 0.05",
    )
    parser.add_argument(
        "--plain",
        action="store_true",
        help="stand-in words, which cost no time to make",
    )
    return parser


async def _serve(server: ModelServer) -> None:
    await server.start()
    print(server.url, flush=True)
    await asyncio.Event().wait()


if __name__ == "__main__":
    sys.exit(main())
