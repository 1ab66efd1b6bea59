"""A Ray cluster: one that is started here and ends with this process, or one that is there.

What is started here listens on 127.0.0.1 alone and takes no call without a token, which is made up
for it. Ray sends a killed worker's work to another one. Everybody who computes sees the same
folder: a cluster over several machines needs one that all of them mount.
"""

import importlib
import os
import secrets
import sys
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import Future
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, ParamSpec, TypeVar

from pipeline.compute.executor import as_shared
from pipeline.compute.shared import computed, packed
from schemas.errors import BadInput, RunFailed

P = ParamSpec("P")
T = TypeVar("T")

# Ray replaces 127.0.0.1 by the machine's outer address, and listens on all of them, unless it is
# told that this is no cluster of several machines.
LOOPBACK = "127.0.0.1"
ALONE = {
    "RAY_ENABLE_WINDOWS_OR_OSX_CLUSTER": "0",
    "RAY_AUTH_MODE": "token",
    "RAY_USAGE_STATS_ENABLED": "0",
}
# A worker that is killed may have been unlucky; where it happens again and again, memory is short.
MOST_RETRIES = 3


@contextmanager
def ray_cluster(workers: int, address: str = "") -> Iterator["RayCluster"]:
    """A cluster of so many workers on this machine, or those of the cluster at an address.

    Raises BadInput where Ray isn't installed, RunFailed where the cluster can't be had.
    """
    if not address:
        _close_in()
    ray = _ray()
    _begin(ray, workers, address)
    try:
        yield RayCluster(ray, workers if not address else _cores_of(ray))
    finally:
        ray.shutdown()


def _close_in() -> None:
    """Sees to it that Ray listens on this machine alone, and to nobody without the token.

    Ray reads all this from the environment once, when it is imported, so it stays there. Who has
    imported it before has Ray's own token, which lies in the home folder.
    """
    os.environ.update(ALONE)
    if "ray" not in sys.modules:
        os.environ.setdefault("RAY_AUTH_TOKEN", secrets.token_hex(32))


@dataclass(slots=True)
class RayCluster:
    """An Executor over the workers of a cluster; `ray` is Ray's module."""

    ray: Any
    workers: int
    _computed: Any = field(init=False)

    def __post_init__(self) -> None:
        self._computed = self.ray.remote(num_cpus=1, max_retries=MOST_RETRIES)(_computed)

    def share(self, value: T) -> T:
        """A reference to the packed value, which Ray brings to each machine once."""
        return as_shared(self.ray.put(packed(value)), value)

    def submit(self, work: Callable[P, T], *arguments: P.args, **named: P.kwargs) -> Future[T]:
        """Has Ray send the work to a worker."""
        come: Future[T] = self._computed.remote(work, named, *arguments).future()
        told: Future[T] = Future()
        come.add_done_callback(lambda done: _take(self.ray, done, told))
        return told


def _computed(work: Callable[..., T], named: Mapping[str, Any], *arguments: object) -> T:
    """What a worker does; Ray has put the packed values in the place of their references."""
    return computed(work, arguments, named)


def _take(ray: Any, done: Future[T], told: Future[T]) -> None:  # noqa: ANN401
    """Hands on a result, or an error as the work raised it."""
    error = done.exception()
    if error is None:
        told.set_result(done.result())
    elif isinstance(error, ray.exceptions.RayTaskError):
        told.set_exception(error.cause)
    else:
        told.set_exception(
            RunFailed(
                f"a worker of Ray was lost {MOST_RETRIES + 1} times ({error!s:.200}); what was"
                " written is kept, run the same command again"
            )
        )


def _ray() -> Any:  # noqa: ANN401 - it has no types where it is not installed
    try:
        return importlib.import_module("ray")
    except ImportError as error:
        raise BadInput(
            "--on ray: Ray is not installed; install it: pip install 'ray>=2.49'"
        ) from error


def _begin(ray: Any, workers: int, address: str) -> None:  # noqa: ANN401
    usual: dict[str, Any] = {"log_to_driver": False, "logging_level": "ERROR"}
    try:
        if address:
            ray.init(address=address, **usual)
            return
        ray.init(
            address="local",
            num_cpus=workers,
            include_dashboard=False,
            _node_ip_address=LOOPBACK,
            **usual,
        )
    except (ConnectionError, OSError, RuntimeError, ValueError) as error:
        place = address or "this machine"
        raise RunFailed(
            f"--on ray: no cluster at {place} ({error!s:.200}); mend that, or leave out --on"
        ) from error


def _cores_of(ray: Any) -> int:  # noqa: ANN401
    return max(int(ray.cluster_resources().get("CPU", 1)), 1)
