"""Options of the commands that several processes may work for: how many, and whose."""

import argparse
from typing import TYPE_CHECKING

from schemas.errors import BadInput

if TYPE_CHECKING:
    from pipeline.compute.jobs import Workers


def add_jobs(command: argparse.ArgumentParser) -> None:
    """How many processes do the work."""
    command.add_argument(
        "--jobs",
        type=int,
        metavar="N",
        help=(
            "use N processes; the files are the same whatever the number (default: one for each"
            " core where the org is large enough for that, else 1)"
        ),
    )
    command.add_argument(
        "--on",
        choices=("ray",),
        help=(
            "who computes: N workers of a Ray cluster that is started for the command, or those of"
            " the one at --ray-address (needs Ray)"
        ),
    )
    command.add_argument(
        "--ray-address",
        metavar="ADDRESS",
        default="",
        help="the cluster to use; all its machines see the org's folder under the same path",
    )


def workers_of(arguments: argparse.Namespace) -> "Workers":
    """Who computes; raises BadInput for the address of a cluster that is not asked for."""
    from pipeline.compute.jobs import Workers

    on_ray = arguments.on == "ray"
    if arguments.ray_address and not on_ray:
        raise BadInput("--ray-address: is the address of a Ray cluster; add --on ray")
    return Workers(arguments.jobs, on_ray, arguments.ray_address)
