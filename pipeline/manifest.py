"""What a finished run says of itself: the request, the counts, the hashes, and the formats.

Knows no folder: `pipeline.run_folder` reads and writes it.
"""

import hashlib
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ConfigDict, Field, field_validator

from schemas.country import DEFAULT_LOCALE
from schemas.errors import BadInput
from schemas.lexicon import Lexicon

# The newest format of each kind of file that this version reads, and the one that it writes.
# A file without a number is of format 0: it was made before formats had numbers.
MANIFEST_FORMAT = 1
ORG_FORMAT = 1
LATENT_FORMAT = 1
LEDGER_FORMAT = 2
PARTS_FORMAT = 1
SHARDS_FORMAT = 1
TASKS_FORMAT = 1
IDMAP_FORMAT = 2
LEXICON_PARTS = ("rules", "world")


def check_format(file: Path, found: object, newest: int) -> None:
    """Raises BadInput where a file is of a format that this version of orgweave doesn't know."""
    # Python's True is an int too, but no format.
    if type(found) is int and 0 <= found <= newest:
        return
    raise BadInput(
        f"{file}: is of format {found}, and this version of orgweave reads formats up to {newest};"
        " install a newer orgweave"
    )


class StoredParts(BaseModel):
    """That an org's tables lie in Parquet files of at most `rows` records.

    `sqlite` is the version of SQLite that wrote the digest's org's file, as SQLite counts them.
    """

    model_config = ConfigDict(frozen=True, defer_build=True)

    format: int
    rows: int
    sqlite: int


class StoredShards(BaseModel):
    """That an org was drawn in so many shards, each of this scale.

    `format` says what shards have in common and how their data differ; another one gives other
    data for the same request. `measured` are the rows of each table in which a check takes
    measures: those of the first shards of a very large org, none where it takes them in all.
    """

    model_config = ConfigDict(frozen=True)

    format: int
    size: float
    number: int
    measured: dict[str, int] = {}


class Manifest(BaseModel):
    """What `manifest.json` holds.

    `files` are SHA-256 digests by path within the folder; `sha256` is that of the manifest's own
    other keys, which older ones don't have. `language` is that of the words, which is not that of
    `locale` where the embedded writer wrote them. With `parts` the org lies in Parquet files, and
    the digest of the org's file is that of the file that is built of them. With `shards` the org
    was drawn in several, which it does not show otherwise.
    """

    model_config = ConfigDict(frozen=True, defer_build=True)

    format: int = 0
    company: str
    asked: dict[str, Any]
    seed: int
    profile_sha256: str = ""
    schema_: str = Field(default="", alias="schema")
    writer: str = ""
    locale: str = DEFAULT_LOCALE
    language: str = "en_US"
    versions: dict[str, str] = {}
    counts: dict[str, int] = {}
    written: dict[str, dict[str, Any]] = {}
    files: dict[str, str] = {}
    parts: StoredParts | None = None
    shards: StoredShards | None = None
    sha256: str = ""

    @field_validator("asked")
    @classmethod
    def _names_a_company(cls, asked: dict[str, Any]) -> dict[str, Any]:
        company = asked.get("company")
        if not isinstance(company, str):
            raise ValueError(f"company is {json.dumps(company)}, not a text")
        return asked


class LexiconStamp(BaseModel):
    """Which lexicon wrote an org, kept as `made_from/lexicon.json`.

    `rules` and `world` are SHA-256 digests: with other rules the words are others, with another
    world the facts are others too.
    """

    model_config = ConfigDict(frozen=True, defer_build=True)

    # The name becomes part of a path, and a folder may come from anybody.
    name: str = Field(pattern=r"^[^/\\]*$")
    rules: str
    world: str


def stamp_of(lexicon: Lexicon) -> LexiconStamp:
    """The lexicon's name and digests, of all layers merged."""
    return LexiconStamp(
        name=lexicon.name,
        rules=digest_of(dict(lexicon.rules)),
        world=digest_of(lexicon.world.model_dump(mode="json")),
    )


def own_digest(manifest: Mapping[str, Any]) -> str:
    """The SHA-256 of all of a manifest but its own digest."""
    return digest_of({name: value for name, value in manifest.items() if name != "sha256"})


def digest_of(data: dict[str, Any]) -> str:
    """The SHA-256 of data, whatever the order of its keys."""
    return hashlib.sha256(json.dumps(data, sort_keys=True).encode()).hexdigest()
