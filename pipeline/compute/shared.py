"""Values that travel to workers once: a digest, and the value's bytes.

The bytes go with each call, since nobody knows which worker takes it, but a worker unpacks them
once. They are a megabyte at most, which takes a pipe a millisecond.
"""

import hashlib
import pickle
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any, TypeVar

T = TypeVar("T")

# The writer, the schema, and the rules of every object type that is under way.
MOST_KEPT = 64


@dataclass(frozen=True, slots=True)
class Packed:
    """A value's bytes; two are equal where the digests of their bytes are."""

    digest: str
    data: bytes = field(compare=False, repr=False)


def packed(value: object) -> Packed:
    """The value, to be sent to workers."""
    data = pickle.dumps(value, protocol=pickle.HIGHEST_PROTOCOL)
    return Packed(hashlib.sha256(data).hexdigest(), data)


def computed(work: Callable[..., T], arguments: tuple[Any, ...], named: Mapping[str, Any]) -> T:
    """What a worker does: the work, with the values in place of what stands for them."""
    values = [_value(argument) for argument in arguments]
    return work(*values, **{name: _value(argument) for name, argument in named.items()})


def _value(argument: object) -> object:
    return _unpacked(argument) if isinstance(argument, Packed) else argument


@lru_cache(maxsize=MOST_KEPT)
def _unpacked(sent: Packed) -> object:
    # These bytes come from the process that started this one, over a pipe of their own.
    return pickle.loads(sent.data)
