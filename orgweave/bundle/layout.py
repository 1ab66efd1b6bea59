"""Where things lie in a bundle. Knows no run and no archive.

README.md      the dataset card; its configs are what `datasets.load_dataset` opens
LICENSE        what others may do with it
SHA256SUMS     for `sha256sum --check`
export.json    what it was made of, and the SHA-256 of all other files
data/          a table an object type, and the tasks' instances
run/           the run's folder that `explore` and all other commands open
"""

from collections.abc import Mapping
from typing import Literal

DataFormat = Literal["parquet", "csv", "jsonl"]
DATA_FORMATS: tuple[DataFormat, ...] = ("parquet", "csv", "jsonl")
BUNDLE = "bundle"
"""The format that `export.json` names."""
CARD = "README.md"
LICENCE = "LICENSE"
SUMS = "SHA256SUMS"
DATA = "data"
RUN = "run"
TASKS = "tasks"

OPEN_COLUMNS = ("id", "task", "persona", "query", "metadata", "reward_metric")
"""What is told of an instance whose answer is held back.

All else gives the answer away, or a part of it: whether there is one, and which instances are twins
of which one has none.
"""


def is_bundle(account: object) -> bool:
    """Whether the content of an `export.json` is a bundle's."""
    return isinstance(account, Mapping) and account.get("format") == BUNDLE
