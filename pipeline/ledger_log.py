"""The log beside a ledger after a kill, and whether all of it is what was written.

SQLite believes a log up to its first frame whose checksum is wrong and drops the rest without a
word; with it go the mini-batches that were kept last. Here the rest is looked at: frames of the
same generation behind a wrong one tell that something was lost. A wrong frame at the very end tells
nothing, since a kill in the middle of a write leaves one.

The format is that of https://www.sqlite.org/fileformat2.html#walformat. Knows no table.
"""

import struct
from pathlib import Path

HEADER, FRAME_HEADER = 32, 24  # bytes
LITTLE, BIG = 0x377F0682, 0x377F0683  # how the checksums take their words
LEAST_PAGE, MOST_PAGE = 512, 65_536  # bytes
WORD = 2**32


def log_is_damaged(ledger: Path) -> bool:
    """Whether SQLite would drop a part of the log beside a ledger that was written to its end."""
    log = ledger.with_name(f"{ledger.name}-wal")
    content = log.read_bytes() if log.is_file() else b""
    if len(content) < HEADER + FRAME_HEADER + LEAST_PAGE:
        return False  # It holds no frame.
    magic, _, page_size = struct.unpack(">3I", content[:12])
    salts = content[16:24]
    order = ">" if magic == BIG else "<"
    checksum = _checksum(content[:24], (0, 0), order)
    told = struct.unpack(">2I", content[24:HEADER])
    if magic not in (LITTLE, BIG) or told != checksum or not LEAST_PAGE <= page_size <= MOST_PAGE:
        return True
    frame_size = FRAME_HEADER + page_size
    broken = False
    for start in range(HEADER, len(content) - frame_size + 1, frame_size):
        frame = content[start : start + frame_size]
        same_generation = frame[8:16] == salts
        if broken and same_generation:
            return True
        if not broken:
            # Each frame's checksum goes on with that of the one before.
            checksum = _checksum(frame[:8] + frame[FRAME_HEADER:], checksum, order)
            broken = not same_generation or struct.unpack(">2I", frame[16:FRAME_HEADER]) != checksum
    return False


def _checksum(content: bytes, start: tuple[int, int], order: str) -> tuple[int, int]:
    first, second = start
    words = struct.unpack(f"{order}{len(content) // 4}I", content)
    for even, odd in zip(words[::2], words[1::2], strict=True):
        first = (first + even + second) % WORD
        second = (second + odd + first) % WORD
    return first, second
