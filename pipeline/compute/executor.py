"""The seam to whoever computes: this process, a pool of processes, or a cluster.

Work is a function of a module and its arguments. Its result depends on these alone, so that it does
not matter who computes it, in which order, or whether somebody does it again after a worker was
killed.
"""

from collections.abc import Callable
from concurrent.futures import Future
from typing import ParamSpec, Protocol, TypeVar, cast

P = ParamSpec("P")
T = TypeVar("T")


class Executor(Protocol):
    """Computes work, each piece of it once as far as anybody can tell."""

    @property
    def workers(self) -> int:
        """How many pieces are computed at the same time; 1 is this process."""

    def share(self, value: T) -> T:
        """What stands for a value among the arguments of work.

        A worker unpacks it once, however often it is used. It is typed as the value, which is what
        the work will get.
        """

    def submit(self, work: Callable[P, T], *arguments: P.args, **named: P.kwargs) -> Future[T]:
        """The result to come; an error of the work is raised by it."""


class InProcess:
    """Computes at once, in this process."""

    workers = 1

    def share(self, value: T) -> T:
        """The value itself."""
        return value

    def submit(self, work: Callable[P, T], *arguments: P.args, **named: P.kwargs) -> Future[T]:
        """The finished result."""
        done: Future[T] = Future()
        try:
            done.set_result(work(*arguments, **named))
        except Exception as error:  # noqa: BLE001 - the result raises it, as that of a worker does
            done.set_exception(error)
        return done


def as_shared(stands_for: object, value: T) -> T:
    """What stands for a value, typed as the value that the work will get."""
    return cast(T, stands_for)
