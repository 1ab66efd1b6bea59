"""A file that only grows, by pieces that are on the disk before the next one is written.

Knows nothing of what the pieces mean. Example: `AppendFile(path).append(b"a line\\n")`.
"""

import os
from contextlib import suppress
from pathlib import Path

from pipeline.durable import sync_folder


class AppendFile:
    """The file under a path, made where there is none; its methods raise OSError.

    `write`, `sync` and `cut` are the calls that may fail at any moment; tests let them fail.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        made = not path.exists()
        # Without a buffer, for a buffer would try again to write what failed, when it is closed.
        self._file = path.open("ab+", buffering=0)
        if made:
            sync_folder(path.parent)

    def close(self) -> None:
        """Closes it."""
        self._file.close()

    def read(self) -> bytes:
        """All that it holds."""
        self._file.seek(0)
        return self._file.read()

    def append(self, piece: bytes) -> None:
        """Writes a piece at the end and waits until it is on the disk.

        Where that fails, what was written of the piece is taken away again.
        """
        size = self._file.seek(0, os.SEEK_END)
        try:
            left = memoryview(piece)
            while left:
                left = left[self.write(left) :]
            self.sync()
        except OSError:
            with suppress(OSError):  # What stays is known by its checksum, and cut off later.
                self.cut(size)
            raise

    def write(self, piece: memoryview) -> int:
        """Writes the beginning of a piece; returns how many bytes of it."""
        return self._file.write(piece)

    def sync(self) -> None:
        """Waits until the disk has it."""
        os.fsync(self._file.fileno())

    def cut(self, size: int) -> None:
        """Takes away all that lies behind the first `size` bytes."""
        self._file.truncate(size)
