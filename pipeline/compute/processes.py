"""A pool of processes on this machine.

A killed worker's work is done again by others. Workers end with this process, however it ends: each
of them waits for the other end of a pipe to be closed, which the system does even where this
process is killed. Ctrl-C is this process's alone; it closes the pipe.
"""

import os
import signal
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from multiprocessing import get_context
from multiprocessing.connection import Connection, wait
from typing import Generic, ParamSpec, TypeVar

from pipeline.compute.executor import as_shared
from pipeline.compute.shared import UnknownValue, computed, packed, without_bytes
from schemas.errors import RunFailed

P = ParamSpec("P")
T = TypeVar("T")

# A worker that is killed may have been unlucky; where it happens again and again, memory is short.
MOST_POOLS = 4


@contextmanager
def process_pool(workers: int) -> Iterator["ProcessPool"]:
    """A pool of so many processes, started with the first work and gone at the end."""
    pool = ProcessPool(workers)
    try:
        yield pool
    finally:
        pool.close()


@dataclass(slots=True)
class _Pool:
    """Processes that have the same life: they end when `lifeline`, the way to `end`, is closed."""

    processes: ProcessPoolExecutor
    lifeline: Connection
    end: Connection

    def submit(self, call: Callable[[], T]) -> Future[T]:
        """Sends a call; the first ones start the processes."""
        # Ctrl-C goes to all processes of a terminal, also to one that has not yet begun.
        with _without_interrupts():
            return self.processes.submit(call)

    def close(self) -> None:
        """Ends all processes, in the middle of what they compute."""
        self.lifeline.close()
        self.processes.shutdown(wait=True, cancel_futures=True)
        self.end.close()


@dataclass(frozen=True, slots=True)
class _Call(Generic[T]):
    """A piece of work as it is sent first, and whole, with the bytes of all shared values."""

    first: Callable[[], T]
    whole: Callable[[], T]


@dataclass(slots=True)
class ProcessPool:
    """An Executor over `workers` processes."""

    workers: int
    _pool: _Pool | None = None
    _started: int = 0
    _closed: bool = False
    # Results come in a thread of the pool, which starts another one after a worker was killed.
    _lock: threading.RLock = field(default_factory=threading.RLock)

    def share(self, value: T) -> T:
        """The value packed, in its place."""
        return as_shared(packed(value), value)

    def submit(self, work: Callable[P, T], *arguments: P.args, **named: P.kwargs) -> Future[T]:
        """Sends the work to a worker, and again to another one where that worker is killed.

        It goes without the bytes of shared values: a megabyte for each mini-batch otherwise, which
        both ends of the pipe have to copy.
        """
        result: Future[T] = Future()
        some = tuple(without_bytes(argument) for argument in arguments)
        others = {name: without_bytes(argument) for name, argument in named.items()}
        whole = partial(computed, work, arguments, named)
        self._send(_Call(partial(computed, work, some, others), whole), result)
        return result

    def close(self) -> None:
        """Ends all workers; what is not done yet is given up."""
        with self._lock:
            self._closed = True
            pool, self._pool = self._pool, None
        if pool is not None:
            pool.close()

    def _send(self, call: "_Call[T]", result: Future[T]) -> None:
        pool = None
        try:
            pool = self._running()
            sent = pool.submit(call.first)
        except BrokenProcessPool:
            self._send_again(call, result, pool)
        except (OSError, RunFailed) as error:
            if result.set_running_or_notify_cancel():
                result.set_exception(error)
        else:
            sent.add_done_callback(partial(self._take, call, result, pool))

    def _take(self, call: "_Call[T]", result: Future[T], pool: _Pool, sent: Future[T]) -> None:
        """Hands on what came of a piece of work; sends it again where its worker was killed, or
        lacked a shared value.
        """
        if sent.cancelled():
            result.cancel()
            return
        error = sent.exception()
        if isinstance(error, BrokenProcessPool):
            self._send_again(call, result, pool)
        elif isinstance(error, UnknownValue):
            self._send(_Call(call.whole, call.whole), result)
        elif not result.set_running_or_notify_cancel():
            # Nobody waits for it any more, as after Ctrl-C.
            return
        elif error is not None:
            result.set_exception(error)
        else:
            result.set_result(sent.result())

    def _send_again(self, call: "_Call[T]", result: Future[T], broken: _Pool | None) -> None:
        with self._lock:
            if self._closed:
                result.cancel()
                return
            if self._pool is broken:
                self._pool = None
        self._send(call, result)

    def _running(self) -> _Pool:
        with self._lock:
            if self._closed:
                raise RunFailed("the workers have ended; start the run again")
            if self._pool is None:
                if self._started == MOST_POOLS:
                    raise RunFailed(
                        f"workers were killed {MOST_POOLS} times, perhaps for want of memory; what"
                        " was written is kept, run the same command again with fewer --jobs"
                    )
                self._started += 1
                self._pool = _new_pool(self.workers)
            return self._pool


def _new_pool(workers: int) -> _Pool:
    # A new interpreter each: a copy of this process would hold its locks and its connections.
    context = get_context("spawn")
    end, lifeline = context.Pipe(duplex=False)
    processes = ProcessPoolExecutor(
        workers,
        mp_context=context,
        initializer=_begin,
        initargs=(end,),
    )
    return _Pool(processes, lifeline, end)


@contextmanager
def _without_interrupts() -> Iterator[None]:
    """Holds Ctrl-C back, in this thread and in processes that it starts meanwhile."""
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _begin(end: Connection) -> None:
    """Begins a worker: Ctrl-C is not its business, and it ends with the process that started it."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=_end_with, args=(end,), daemon=True).start()


def _end_with(end: Connection) -> None:
    wait([end])
    os._exit(0)
