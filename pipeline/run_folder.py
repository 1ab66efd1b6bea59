"""The folder of a run, such as `outputs/shoes`: the names of its files, and how each is opened.

    manifest.json    what was asked for and the SHA-256 of each file; written last, so a folder
                     with a manifest holds a whole org
    org.sqlite       the org, a table an object type
    tables/          the same as Parquet files, where `--store parquet` asked for them: org.sqlite
                     is then built of them when something asks for it
    latent.sqlite    the hidden causes
    ledger.sqlite    what the writer wrote, kept as soon as it was verified
    made_from/       copies of what the org was made from: profile.yaml, schema/<name>/*.yaml
                     (with all that it takes from schemas it extends), lexicon.json (name and
                     digests), trade.json (its figures as they were), and a lexicon that doesn't
                     ship with orgweave
    shards/          the ledgers of an org that was made in shards, a folder a shard
    upload/  tasks/  check.json  report.html  preview.json  idmap.jsonl  export/  evaluations/

A finished org is read through the copies in `made_from`. So it can be moved and given away, and it
outlives changes of the profile and of the schemas that ship with orgweave.

Knows nothing of how an org is drawn, written, queried or judged.
"""

import os
import shutil
import sqlite3
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from pydantic import ValidationError

from pipeline.atomic import CHECK_DISK, on_disk, sha256_of, write_json
from pipeline.manifest import (
    LATENT_FORMAT,
    LEXICON_PARTS,
    MANIFEST_FORMAT,
    ORG_FORMAT,
    SHARDS_FORMAT,
    LexiconStamp,
    Manifest,
    check_format,
    own_digest,
    stamp_of,
)
from schemas.errors import BadInput, StorageFailed
from schemas.files import explain
from schemas.inherit import SchemaFile, copy_schema, schema_files
from schemas.lexicon import BASE, Lexicon, own_folders
from schemas.localize import localized
from schemas.model import Schema
from schemas.profile import (
    Profile,
    find_profile,
    lexicon_folder,
    lexicons_folder,
    load_profile,
    schema_folder,
)
from schemas.regular import json_of, regular_bytes, regular_text
from schemas.trade import Trade

ORG_FILE = "org.sqlite"
LATENT_FILE = "latent.sqlite"
LEDGER_FILE = "ledger.sqlite"
GENERATE_AGAIN = "run generate again, the ledger keeps the words"
NOT_FINISHED = (
    "the run in this folder isn't finished, so there is no org yet; give its command again, it goes"
    " on where it stopped"
)
NAME_A_RUN = "name the folder of a finished run, such as outputs/shoes"
OrgStore = Literal["sqlite", "parquet"]
"""How an org lies in its folder."""


def sqlite_uri(path: Path, mode: Literal["ro", "rw", "rwc"]) -> str:
    """A file as SQLite's URI; its path may hold any character, `?` and `%41` too."""
    return f"{path.resolve().as_uri()}?mode={mode}"


@dataclass(frozen=True, slots=True)
class RunSources:
    """Where the three things lie that an org is made from.

    `profile` is a YAML file; `schema` and `lexicon` are folders of YAML files, each named as the
    schema or lexicon is.
    """

    profile: Path
    schema: Path
    lexicon: Path


def held_schema(sources: RunSources) -> Mapping[str, SchemaFile]:
    """The files of a schema as a run keeps them: whole, and in the company's locale."""
    return localized(schema_files(sources.schema), load_profile(sources.profile).locale)


def sources_of(company: str) -> RunSources:
    """What a company's name, or its profile's path, leads to now; raises BadInput for neither."""
    path = find_profile(company)
    profile = load_profile(path)
    return RunSources(path, schema_folder(profile, path), lexicon_folder(profile, path))


@dataclass(frozen=True, slots=True)
class RunFolder:
    """A run's folder, whether it is finished, half made or not there yet.

    Example: `RunFolder(Path("outputs/shoes")).read_schema().object("Case").fields`.
    """

    path: Path

    @property
    def manifest_file(self) -> Path:
        """What was asked for, and the digests of the other files."""
        return self.path / "manifest.json"

    @property
    def org_file(self) -> Path:
        """The org."""
        return self.path / ORG_FILE

    @property
    def parts_folder(self) -> Path:
        """The org as Parquet files, a folder an object type."""
        return self.path / "tables"

    @property
    def shards_folder(self) -> Path:
        """The shards of a very large org, a folder each: their ledgers."""
        return self.path / "shards"

    @property
    def latent_file(self) -> Path:
        """The hidden causes."""
        return self.path / LATENT_FILE

    @property
    def ledger_file(self) -> Path:
        """The writer's answers."""
        return self.path / LEDGER_FILE

    @property
    def check_file(self) -> Path:
        """Every verdict of `check`."""
        return self.path / "check.json"

    @property
    def preview_file(self) -> Path:
        """The first records of each object type."""
        return self.path / "preview.json"

    @property
    def made_from(self) -> Path:
        """The copies of what the org was made from."""
        return self.path / "made_from"

    @property
    def upload_folder(self) -> Path:
        """The org as JSON that a CRM takes."""
        return self.path / "upload"

    @property
    def idmap_file(self) -> Path:
        """What a CRM has taken of the upload."""
        return self.path / "idmap.jsonl"

    @property
    def tasks_folder(self) -> Path:
        """The benchmark made of the org."""
        return self.path / "tasks"

    @property
    def exports_folder(self) -> Path:
        """The org in other formats, a folder a format."""
        return self.path / "export"

    @property
    def evaluations_folder(self) -> Path:
        """What agents did with the tasks, a folder an agent."""
        return self.path / "evaluations"

    def read_manifest(self) -> Manifest:
        """The manifest; raises BadInput where there is none, or none that can be read."""
        try:
            text = regular_text(self.manifest_file)
        except OSError as error:
            if not self.manifest_file.exists() and self.ledger_file.is_file():
                raise BadInput(f"{self.path}: {NOT_FINISHED}") from error
            raise BadInput(
                f"{self.manifest_file}: can't be read ({error.strerror}); {NAME_A_RUN}"
            ) from error
        except ValueError as error:
            raise self.damaged(self.manifest_file, error) from error
        try:
            data = json_of(text)
            found = data.get("format", 0)
        except (ValueError, AttributeError) as error:
            raise self.damaged(self.manifest_file, error) from error
        # The format comes before all else: a newer manifest may be built in another way.
        check_format(self.manifest_file, found, MANIFEST_FORMAT)
        if data.get("shards"):
            check_format(self.manifest_file, data["shards"].get("format"), SHARDS_FORMAT)
        if data.get("sha256", "") not in ("", own_digest(data)):
            raise self.damaged(self.manifest_file, "its sha256 isn't that of its content")
        try:
            return Manifest.model_validate(data)
        except ValidationError as error:
            raise self.damaged(self.manifest_file, explain(error)) from error

    def changed_files(self, *names: str) -> list[Path]:
        """Which of these files (default: of all that make the org) aren't the manifest's any more.

        A file that isn't there is none of them, and neither is `check.json`, which `check` writes
        anew. Raises BadInput without a manifest.
        """
        listed = self.read_manifest().files
        changed = []
        for name in names or listed:
            path = self.path / name
            kept = listed.get(name)
            if kept and path != self.check_file and path.is_file() and sha256_of(path) != kept:
                changed.append(path)
        return changed

    def require_unchanged(self, *names: str) -> None:
        """Raises BadInput where one of these files is another than the manifest tells of."""
        for path in self.changed_files(*names):
            raise BadInput(
                f"{path}: is not the one that this org was made with (its SHA-256 is another than"
                f" the manifest's); put it back, or {GENERATE_AGAIN}"
            )

    def verify(self, *names: str, trust: bool = False) -> None:
        """Raises BadInput where one of the files that make the org isn't what was made.

        A file that the manifest doesn't tell of, or that is missing, is refused too. With `trust`
        nothing is read, for an org that somebody edited on purpose.
        """
        if ORG_FILE in names:
            self._build_org()
        if trust:
            return
        manifest = self.read_manifest()
        # What was made before formats had numbers may not be listed.
        listed = manifest.files or manifest.format
        for name in names if listed else ():
            if not (self.path / name).is_file():
                raise BadInput(f"{self.path}: holds no {name}; {NAME_A_RUN}")
            if name not in manifest.files:
                raise self.damaged(self.manifest_file, f"it doesn't tell of {name}")
        try:
            self.require_unchanged(*names)
        except BadInput as error:
            raise BadInput(f"{error}; to use it as it is, add --trust") from error

    @contextmanager
    def steady(self) -> Iterator[None]:
        """What is opened within the block is one org's.

        Raises BadInput where the folder's org was made anew meanwhile. A run takes the manifest
        away before it changes anything, and writes it last.
        """
        before = self._manifest_text()
        yield
        if self._manifest_text() != before:
            raise BadInput(
                f"{self.path}: is being made anew; wait for that run, then run the same command"
                " again"
            )

    def listed_uploads(self) -> list[Path]:
        """The upload files of the finished org in the folder, as its manifest lists them."""
        try:
            listed = self.read_manifest().files
        except BadInput:
            return []
        paths = [self.path / name for name in listed]
        # A manifest may come from anybody: nothing outside the folder `upload` is meant.
        return [path for path in paths if path.parent == self.upload_folder]

    def write_manifest(self, manifest: Manifest, sync: Callable[[int], None] = os.fsync) -> None:
        """Writes the manifest, which says that the org is whole.

        All files that it lists are on the disk before it takes its name, so this holds after a
        loss of power too. `sync` writes an open file out.
        """
        listed = [self.path / name for name in manifest.files]
        files = [path for path in listed if path.is_file()]
        folders: set[Path] = set()
        for path in files:
            folders.update(path.parents)
        inside = {folder for folder in folders if folder.is_relative_to(self.path)}
        on_disk([*files, *sorted(inside)], sync)
        draft = self.manifest_file.with_name("manifest.json.new")
        # A run without parts or shards says nothing of them.
        unsaid = {name for name in ("parts", "shards") if getattr(manifest, name) is None}
        data = manifest.model_dump(by_alias=True, exclude=unsaid)
        write_json(draft, {**data, "sha256": own_digest(data)})
        on_disk([draft], sync)
        try:
            draft.replace(self.manifest_file)
        except OSError as error:
            raise StorageFailed(
                f"{self.manifest_file}: can't be written ({error.strerror}); {CHECK_DISK}"
            ) from error
        on_disk([self.path], sync)

    def digests(self, files: list[Path]) -> dict[str, str]:
        """The SHA-256 of files of this folder, by their path within it."""
        return {path.relative_to(self.path).as_posix(): sha256_of(path) for path in files}

    def require_whole(self) -> None:
        """Raises BadInput where the org was made in shards, each of which has the ledger of its
        own words.
        """
        first = self.shards_folder / "00000"
        divided = (first / LEDGER_FILE).is_file()
        if divided and self.manifest_file.is_file():
            divided = self.read_manifest().shards is not None
        if divided:
            raise BadInput(
                f"{self.path}: was made in shards, and each keeps its own ledger; name one of them,"
                f" such as {first}"
            )

    def read_profile(self) -> Profile:
        """The profile that the org was made from; raises BadInput or SchemaError."""
        return load_profile(self.sources().profile)

    def read_schema(self) -> Schema:
        """The schema that the org was made from; raises BadInput or SchemaError."""
        # The loader brings pydantic and jsonschema; who only names a file shall not pay for them.
        from schemas.loader import load_schema

        sources = self.sources()
        return load_schema(sources.schema, load_profile(sources.profile).locale)

    def sources(self) -> RunSources:
        """What the finished org in the folder was made from.

        These are the copies that lie in it. An org of format 0 has none, and is read through what
        its company's name or path leads to now. Raises BadInput where there is no finished org.
        """
        manifest = self.read_manifest()
        if manifest.format == 0:
            return sources_of(manifest.asked["company"])
        if not self.made_from.is_dir():
            raise BadInput(
                f"{self.made_from}: is missing, and the org can't be read without it; copy the"
                " run's folder whole"
            )
        # The stamp of the lexicon is compared with the lexicon itself, by those who read one.
        copies = [path for path in self.source_files() if path.suffix == ".yaml"]
        self.require_unchanged(*(path.relative_to(self.path).as_posix() for path in copies))
        return self.kept_sources()

    def kept_sources(self) -> RunSources:
        """The copies of what the org was, or is being, made from; raises BadInput without them."""
        schemas = [path for path in self.made_from.glob("schema/*") if path.is_dir()]
        if len(schemas) != 1:
            raise self.damaged(self.made_from, f"it holds {len(schemas)} schemas, not one")
        name = self.read_stamp().name
        own = self._own_lexicon / name
        lexicon = own if own.is_dir() else lexicons_folder() / name
        return RunSources(self._profile_copy, schemas[0], lexicon)

    def read_stamp(self) -> LexiconStamp:
        """Which lexicon the org was made with; raises BadInput where that can't be read."""
        try:
            return LexiconStamp.model_validate_json(regular_bytes(self._stamp_file))
        except OSError as error:
            raise self.damaged(self._stamp_file, error.strerror) from error
        except ValidationError as error:
            raise self.damaged(self._stamp_file, explain(error)) from error

    def lexicon_changes(self, lexicon: Lexicon) -> tuple[str, ...]:
        """What of a lexicon isn't as it was when the org was made, of `rules` and `world`.

        An org of format 0 doesn't tell, and is taken to be of this lexicon.
        """
        if not self.made_from.is_dir():
            return ()
        before, now = self.read_stamp(), stamp_of(lexicon)
        return tuple(part for part in LEXICON_PARTS if getattr(before, part) != getattr(now, part))

    def source_files(self) -> list[Path]:
        """The files of `made_from`."""
        return sorted(path for path in self.made_from.rglob("*") if path.is_file())

    def keep_sources(self, sources: RunSources, lexicon: Lexicon, trade: Trade) -> None:
        """Copies what an org is made from into the folder.

        Where the sources are the folder's own copies, they stay. Raises StorageFailed where
        nothing can be written.
        """
        if sources.profile == self._profile_copy:
            return
        # A schema folder given as "." has no name of its own before it is resolved.
        schema = self.made_from / "schema" / sources.schema.resolve().name
        try:
            if self.made_from.exists():
                shutil.rmtree(self.made_from)
            copy_schema(held_schema(sources), schema)
            for folder in own_folders(sources.lexicon, lexicons_folder() / BASE):
                _copy_yaml(folder, self._own_lexicon / folder.name)
            shutil.copyfile(sources.profile, self._profile_copy)
        except OSError as error:
            raise StorageFailed(
                f"{self.made_from}: can't be written ({error.strerror}); {CHECK_DISK}"
            ) from error
        write_json(self._stamp_file, stamp_of(lexicon).model_dump())
        write_json(self._trade_copy, trade.model_dump(mode="json"))

    def holds_trade(self, trade: Trade) -> bool:
        """Whether the org was made with exactly these figures of its kind of business."""
        try:
            return Trade.model_validate_json(self._trade_copy.read_bytes()) == trade
        except (OSError, ValidationError):
            return False

    def read_bands(self) -> dict[str, tuple[float, float] | None]:
        """The bands of statistics that the org's trade states; none for an org without a trade."""
        if not self._trade_copy.is_file():
            return {}
        try:
            return Trade.model_validate_json(self._trade_copy.read_bytes()).bands
        except (OSError, ValidationError) as error:
            raise self.damaged(self._trade_copy, error) from error

    def require_org(self) -> Path:
        """The org's file, built of its parts where it lies in these; raises BadInput for none."""
        self._build_org()
        if not self.org_file.is_file():
            raise BadInput(f"{self.path}: holds no {ORG_FILE}; {NAME_A_RUN}")
        return self.org_file

    def open_org(self) -> sqlite3.Connection:
        """The org, to be read only; raises BadInput where it isn't there or of a newer format.

        A damaged file raises sqlite3.Error, here or when it is read.
        """
        db = sqlite3.connect(sqlite_uri(self.require_org(), "ro"), uri=True)
        try:
            check_format(self.org_file, user_version(db), ORG_FORMAT)
        except (BadInput, sqlite3.Error):
            db.close()
            raise
        return db

    def attach_latent(self, db: sqlite3.Connection, name: str) -> None:
        """Puts the hidden causes beside an opened org, as the schema `name`, to be read only.

        Raises BadInput where they aren't there or of a newer format, StorageFailed where they are
        damaged; some damage SQLite notices only when they are read.
        """
        if not self.latent_file.is_file():
            # SQLite would wait for a pipe.
            raise BadInput(f"{self.latent_file}: isn't there, or is no file; {GENERATE_AGAIN}")
        try:
            db.execute(f"ATTACH ? AS {name}", (sqlite_uri(self.latent_file, "ro"),))
            check_format(self.latent_file, user_version(db, name), LATENT_FORMAT)
        except sqlite3.Error as error:
            raise unreadable(self.latent_file, error) from error

    def drop_org(self) -> None:
        """Removes the org's file where it can be built again of the parts."""
        if self.manifest_file.is_file() and self.read_manifest().parts:
            self.org_file.unlink(missing_ok=True)

    def _build_org(self) -> None:
        """Builds the org's file where it is missing and there are parts to build it of."""
        if self.org_file.is_file() or not self.manifest_file.is_file():
            return
        manifest = self.read_manifest()
        if manifest.parts:
            # It knows how tables are written, which needs much that few who name a file need.
            from pipeline.parts import build_org

            build_org(self, manifest)

    def damaged(self, file: Path, fault: object) -> BadInput:
        """The error to raise where a file of a finished org is damaged."""
        return BadInput(f"{file}: is damaged ({fault}); {GENERATE_AGAIN}")

    def _manifest_text(self) -> bytes:
        try:
            return self.manifest_file.read_bytes()
        except OSError:
            return b""

    @property
    def _profile_copy(self) -> Path:
        return self.made_from / "profile.yaml"

    @property
    def _trade_copy(self) -> Path:
        return self.made_from / "trade.json"

    @property
    def _own_lexicon(self) -> Path:
        return self.made_from / "lexicon"

    @property
    def _stamp_file(self) -> Path:
        return self.made_from / "lexicon.json"


def unreadable(file: Path, error: sqlite3.Error) -> StorageFailed:
    """The error to raise where SQLite can't read a finished file: it is locked, or damaged."""
    if "locked" in str(error):
        return StorageFailed(
            f"{file}: another program holds it ({error}); close that, then run the same command"
            " again"
        )
    return StorageFailed(f"{file}: is damaged ({error}); {GENERATE_AGAIN}")


def user_version(db: sqlite3.Connection, schema: str = "main") -> int:
    """The number in a SQLite file's header that tells its format; 0 where none was set."""
    return int(db.execute(f"PRAGMA {schema}.user_version").fetchone()[0])


def _copy_yaml(source: Path, target: Path) -> None:
    target.mkdir(parents=True)
    for path in sorted(source.glob("*.yaml")):
        shutil.copyfile(path, target / path.name)
