"""The org's SQLite file, opened to be read."""

import sqlite3
from pathlib import Path


def opened(path: Path) -> sqlite3.Connection:
    """A connection that can't write; the path may hold any character."""
    return sqlite3.connect(f"{path.resolve().as_uri()}?mode=ro", uri=True)
