"""What the CRM has taken, a JSON line each, on the disk before the next batch is sent: the memory
of an upload.

    {"instance_url": "https://…", "org_id": "00D…", "upload": "3f2a…", "format": 1}         the CRM
    and the org, first
    {"sending": 4, "type": "Account", "step": "insert", "keys": ["001zz…", …], "at": …}     a batch
    is about to go out
    {"type": "Account", "id": "001zz…", "org_id": "0015e…"}                                 a record
    that the CRM has
    {"sent": 4, "done": []}                                                                 the
    batch's fate is known

Of a batch that was sent and is not told as sent, nobody knows what the CRM took: it is `pending`,
and looked up before it is sent again.
"""

import json
import os
import time
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import IO, Any

from filelock import FileLock, Timeout

from pipeline.atomic import CHECK_DISK
from pipeline.run_folder import IDMAP_FORMAT, check_format
from schemas.errors import BadInput, StorageFailed

INSERT = "insert"


@dataclass(frozen=True, slots=True)
class Identity:
    """Which CRM is loaded with which org; `upload` is the SHA-256 of the org's upload."""

    instance_url: str
    org_id: str
    upload: str


@dataclass(frozen=True, slots=True)
class SentBatch:
    """A batch on its way: its records by our keys, or the bulk job that has them; `known` are ids
    that the CRM had before.
    """

    number: int
    type: str
    step: str
    keys: tuple[str, ...] = ()
    known: frozenset[str] = frozenset()
    job: str = ""
    sent_at: float = 0.0


class IdMap:
    """The file's content, kept up with every line that is added. Opened by `opened`."""

    def __init__(self, out: IO[bytes], lines: Iterable[dict[str, Any]]) -> None:
        self._out = out
        self._ids: dict[str, str] = {}
        self._of: defaultdict[str, set[str]] = defaultdict(set)
        self._mapped: set[str] = set()
        self._pending: dict[int, SentBatch] = {}
        self._done: defaultdict[tuple[str, str], set[str]] = defaultdict(set)
        self._number = 0
        for line in lines:
            self._keep(line)

    def org_id(self, key: str) -> str | None:
        """The CRM's id of a record, None where it hasn't got it."""
        return self._ids.get(key)

    def ids_of(self, name: str) -> set[str]:
        """The CRM's ids of all records of an object type that it has from us."""
        return self._of[name]

    def mapped(self, key: str) -> bool:
        """Whether a record of ours stands for one that the CRM had before."""
        return key in self._mapped

    def done(self, name: str, step: str) -> set[str]:
        """The keys whose second pass is over."""
        return self._done[name, step]

    def pending(self, name: str, step: str = INSERT) -> list[SentBatch]:
        """The batches of unknown fate."""
        batches = self._pending.values()
        return [batch for batch in batches if (batch.type, batch.step) == (name, step)]

    def send(
        self,
        name: str,
        step: str = INSERT,
        keys: Sequence[str] = (),
        known: Iterable[str] = (),
        job: str = "",
    ) -> SentBatch:
        """Says that a batch is about to be sent."""
        line = {
            "sending": self._number + 1,
            "type": name,
            "step": step,
            "keys": list(keys),
            "known": sorted(known),
            "job": job,
            "at": round(time.time(), 3),
        }
        self._add([line])
        return self._pending[self._number]

    def take(self, name: str, ids: Iterable[tuple[str, str]], mapped: bool = False) -> None:
        """Records that the CRM has: pairs of our key and its id."""
        more = {"mapped": True} if mapped else {}
        self._add([{"type": name, "id": key, "org_id": org_id, **more} for key, org_id in ids])

    def sent(
        self, sending: SentBatch, ids: Iterable[tuple[str, str]] = (), done: Iterable[str] = ()
    ) -> None:
        """Says what became of a batch: the records that the CRM took, or the keys whose second pass
        is over.
        """
        taken = [{"type": sending.type, "id": key, "org_id": org_id} for key, org_id in ids]
        fate = {
            "sent": sending.number,
            "type": sending.type,
            "step": sending.step,
            "done": sorted(done),
        }
        self._add([*taken, fate])

    def _add(self, lines: Sequence[dict[str, Any]]) -> None:
        """Lines on the disk, then in memory."""
        if not lines:
            return
        try:
            for line in lines:
                text = json.dumps(line, separators=(",", ":"))
                self._out.write(text.encode() + b"\n")
            self._out.flush()
            os.fsync(self._out.fileno())
        except OSError as error:
            raise StorageFailed(
                f"{self._out.name}: can't be written ({error.strerror}); {CHECK_DISK}"
            ) from error
        for line in lines:
            self._keep(line)

    def _keep(self, line: dict[str, Any]) -> None:
        if "sending" in line:
            self._number = line["sending"]
            self._pending[self._number] = SentBatch(
                self._number,
                line["type"],
                line["step"],
                tuple(line["keys"]),
                frozenset(line["known"]),
                line["job"],
                line["at"],
            )
        elif "sent" in line:
            self._pending.pop(line["sent"], None)
            self._done[line["type"], line["step"]].update(line["done"])
        else:
            self._ids[line["id"]] = line["org_id"]
            self._of[line["type"]].add(line["org_id"])
            if line.get("mapped"):
                self._mapped.add(line["id"])


@contextmanager
def opened(path: Path, target: Identity) -> Iterator[IdMap]:
    """The id map in a file, made where there is none; raises BadInput where it is another CRM's,
    another org's, or in use.
    """
    with ExitStack() as stack:
        try:
            stack.enter_context(FileLock(path.with_name(path.name + ".lock"), timeout=0))
            out = stack.enter_context(path.open("ab+"))
            lines = _read(path, out)
        except Timeout as error:
            raise BadInput(
                f"{path}: another upload is under way with this file; wait for it, or give another"
                " --idmap for another CRM"
            ) from error
        except OSError as error:
            raise BadInput(
                f"{path}: can't be written ({error.strerror}); check its folder's rights, or give"
                " another --idmap"
            ) from error
        if lines:
            _check(path, lines[0], target)
        else:
            header = {**asdict(target), "format": IDMAP_FORMAT}
            out.write(json.dumps(header).encode() + b"\n")
        yield IdMap(out, lines[1:])


def _read(path: Path, out: IO[bytes]) -> list[dict[str, Any]]:
    """All whole lines; one that a kill cut off at the end is taken away again."""
    out.seek(0)
    content = out.read()
    whole = content[: content.rfind(b"\n") + 1]
    if whole != content:
        out.truncate(len(whole))
    try:
        return [json.loads(line) for line in whole.splitlines()]
    except ValueError as error:
        raise BadInput(
            f"{path}: is damaged ({error}); take the broken line out, or give another --idmap for"
            " an empty CRM"
        ) from error


def _check(path: Path, header: dict[str, Any], target: Identity) -> None:
    check_format(path, header.get("format", 0), IDMAP_FORMAT)
    where = str(header.get("org_id") or header.get("instance_url"))
    if where != (target.org_id or target.instance_url):
        raise BadInput(
            f"{path}: is of another CRM ({header.get('instance_url')}, org {header.get('org_id')}),"
            f" not of {target.instance_url} (org {target.org_id}); give --idmap ANOTHER_FILE for"
            " this one"
        )
    if header.get("upload") != target.upload:
        raise BadInput(
            f"{path}: the org was generated anew since it was loaded, so its records are not those"
            " that the CRM has; give --idmap ANOTHER_FILE to load it beside them"
        )
