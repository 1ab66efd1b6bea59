"""Values that travel to workers once: a digest, and the value's bytes.

A worker unpacks the bytes once. Nobody knows which worker takes a call, so that a call may be sent
with the digests alone: a worker that lacks a value says so, and is sent the bytes.
"""

import hashlib
import pickle
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import Any, TypeVar

T = TypeVar("T")

# The writer, the schema, and the rules of every object type that is under way.
MOST_KEPT = 64


class UnknownValue(Exception):
    """A worker lacks a value that it was sent the digest of."""


@dataclass(frozen=True, slots=True)
class Packed:
    """A value's bytes, none where they are not sent; two are equal where their digests are."""

    digest: str
    data: bytes = field(compare=False, repr=False)


def packed(value: object) -> Packed:
    """The value, to be sent to workers."""
    data = pickle.dumps(value, protocol=pickle.HIGHEST_PROTOCOL)
    return Packed(hashlib.sha256(data).hexdigest(), data)


def computed(work: Callable[..., T], arguments: tuple[Any, ...], named: Mapping[str, Any]) -> T:
    """What a worker does: the work, with the values in place of what stands for them.

    Raises UnknownValue where it has a digest alone and nobody has sent it the bytes.
    """
    values = [_value(argument) for argument in arguments]
    return work(*values, **{name: _value(argument) for name, argument in named.items()})


def without_bytes(argument: object) -> object:
    """An argument as it is sent to workers that have its value already."""
    return replace(argument, data=b"") if isinstance(argument, Packed) else argument


def _value(argument: object) -> object:
    return _unpacked(argument) if isinstance(argument, Packed) else argument


@lru_cache(maxsize=MOST_KEPT)
def _unpacked(sent: Packed) -> object:
    if not sent.data:
        raise UnknownValue(sent.digest)
    # These bytes come from the process that started this one, over a pipe of their own.
    return pickle.loads(sent.data)
