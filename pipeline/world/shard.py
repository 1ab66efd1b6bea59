"""A shard: one of the parts of fixed size in which a very large org is drawn.

A shard has a range of products, a staff and customers of its own, and draws them from streams of
its own. What the whole company has in common, such as its issues, articles and price books, every
shard draws from the company's streams, so that it is the same everywhere. Whatever has to be
unique in the org differs between shards by what stands here: each has its own range of Ids and of
running numbers, and a mark.

Knows no object type and draws nothing.
"""

import hashlib
import zlib
from collections.abc import Mapping
from dataclasses import dataclass

DIGITS = "0123456789abcdefghijklmnopqrstuvwxyz"
# Ids have seven digits in base 62; the upper three tell the shard.
IDS_EACH = 62**4
MOST_SHARDS = 62**3
# The company's own seed is a whole number of 63 bits, and so is that of a shard.
SEED_BYTES = 8


@dataclass(frozen=True, slots=True)
class Shard:
    """The shard `number` (from 0) of an org of `of` shards.

    `seed` is the company's. `common` names what all shards draw alike: nodes (`Solution`) and parts
    of nodes (`Workforce/sites`). `ranges` says how many running numbers of an object type each
    shard may use. The first shard is the head office's: it has no mark, and what is common is
    written there.
    """

    number: int
    of: int
    seed: int
    common: frozenset[str]
    ranges: Mapping[str, int]

    @property
    def first(self) -> bool:
        """Whether it is the one that writes what all have in common."""
        return self.number == 0

    @property
    def own_seed(self) -> int:
        """The seed of all that is its own; that of the first shard is the company's."""
        if self.first:
            return self.seed
        digest = hashlib.sha256(f"{self.seed}/{self.number}".encode()).digest()
        return int.from_bytes(digest[:SEED_BYTES], "big") >> 1

    def seed_of(self, node: str, part: str) -> int:
        """The seed of a node's part: the company's where all shards draw it alike."""
        alike = node in self.common or f"{node}/{part}" in self.common
        return self.seed if alike else self.own_seed

    def first_id(self, name: str) -> int:
        """The running number of the first Id of an object type."""
        return 1 if name in self.common else 1 + self.number * IDS_EACH

    def numbers_before(self, name: str) -> int:
        """How many running numbers of an object type earlier shards may use."""
        return 0 if name in self.common else self.number * self.ranges.get(name, 0)

    @property
    def label(self) -> str:
        """Its number as people count, which is part of the names of its products."""
        return str(self.number + 1)

    @property
    def mark(self) -> str:
        """The same in few signs, for codes; "" for the first shard."""
        if self.first:
            return ""
        number = self.number + 1
        text = ""
        while number:
            number, digit = divmod(number, len(DIGITS))
            text = DIGITS[digit] + text
        return text

    @property
    def ending(self) -> str:
        """What stands behind a value that has the mark; "" for the first shard."""
        return f"-{self.mark}" if self.mark else ""

    def owns(self, text: str) -> bool:
        """Whether a text may be this shard's: each text is exactly one shard's."""
        return zlib.crc32(text.encode()) % self.of == self.number

    def mailbox(self, address: str) -> str:
        """A mail address that no other shard has: `ann@example.com` -> `ann-2@example.com`."""
        name, at_sign, host = address.partition("@")
        return f"{name}{self.ending}{at_sign}{host}"

    def marked(self, text: str, limit: int | None) -> str:
        """A text that no other shard has, of at most `limit` characters: `amille` -> `amille-2`."""
        if "@" in text:
            return self.mailbox(text)
        if limit is not None:
            text = text[: limit - len(self.ending)]
        return f"{text}{self.ending}"
