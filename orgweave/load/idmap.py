"""What the CRM has taken, a JSON line each, on the disk before the next batch is sent: the memory
of an upload.

    {"instance_url": "https://…", "org_id": "00D…", "upload": "3f2a…", "format": 2, …}      the CRM
    and the org, first
    {"type": "Account", "before": 12, …}                      what the CRM had before the upload
    {"sending": 4, "type": "Account", "step": "insert", "keys": ["001zz…", …], …}           a batch
    is about to go out
    {"type": "Account", "id": "001zz…", "org_id": "0015e…", …}                              a record
    that the CRM has
    {"sent": 4, "done": [], …}                                                              the
    batch's fate is known

Of a batch that was sent and is not told as sent, nobody knows what the CRM took: it is `pending`,
and looked up before it is sent again.

Every line ends with its `write` and a checksum: `"write": [7, 2], "sum": "9f3c2b1a"` stands in the
seventh write, of which two more lines follow. The last write may
be torn, by a kill, a full disk or a loss of power: from its first broken line on it is cut off when
the file is opened, and what it told is found out again. A broken line in an earlier write is
damage, which is refused.
"""

import json
import zlib
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import ExitStack, closing, contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from filelock import FileLock, Timeout

from orgweave.load.append_file import AppendFile
from pipeline.atomic import CHECK_DISK
from pipeline.manifest import IDMAP_FORMAT, check_format
from schemas.errors import BadInput, StorageFailed

INSERT = "insert"
SUM = b',"sum":"'
"""What stands before a line's checksum; eight hexadecimal digits and `"}` follow."""
FIRST_WITH_SUMS = 2
"""The format from which every line has a checksum."""
IdMapLine = dict[str, Any]


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


class IdMap:
    """The file's content, kept up with every line that is added. Opened by `opened`."""

    def __init__(self, out: AppendFile, lines: Sequence[IdMapLine]) -> None:
        self._out = out
        self._write, _ = _place(lines[-1]) if lines else (0, 0)
        self._ids: dict[str, str] = {}
        self._of: defaultdict[str, set[str]] = defaultdict(set)
        self._mapped: set[str] = set()
        self._stood_in: set[str] = set()
        self._pending: dict[int, SentBatch] = {}
        self._done: defaultdict[tuple[str, str], set[str]] = defaultdict(set)
        self._known: defaultdict[str, set[str]] = defaultdict(set)
        self._before: dict[str, int] = {}
        self._number = 0
        for line in lines:
            self._keep(line)

    def org_id(self, key: str) -> str | None:
        """The CRM's id of a record, None where it hasn't got it."""
        return self._ids.get(key)

    def ids_of(self, name: str) -> set[str]:
        """The CRM's ids of all records of an object type that it has from us."""
        return self._of[name]

    def created(self, name: str) -> set[str]:
        """The CRM's ids of all records of an object type that the upload made."""
        return self._of[name] - self._stood_in

    def mapped(self, key: str) -> bool:
        """Whether a record of ours stands for one that the CRM had before."""
        return key in self._mapped

    def known(self, name: str) -> set[str]:
        """The CRM's ids of records that were there before, and look like some of ours."""
        return self._known[name]

    def before(self, name: str) -> int | None:
        """How many records of an object type the CRM had before the upload; None where nobody
        counted.
        """
        return self._before.get(name)

    def count(self, name: str, before: int) -> None:
        """Says how many records of an object type the CRM has before the first is sent."""
        self._add([{"type": name, "before": before}])

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
        }
        self._add([line])
        return self._pending[self._number]

    def take(self, name: str, ids: Iterable[tuple[str, str]], mapped: bool = False) -> None:
        """Records that the CRM has: pairs of our key and its id."""
        more = {"mapped": True} if mapped else {}
        self._add([{"type": name, "id": key, "org_id": org_id, **more} for key, org_id in ids])

    def sent(
        self,
        sending: SentBatch,
        ids: Iterable[tuple[str, str]] = (),
        done: Iterable[str] = (),
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

    def _add(self, lines: Sequence[IdMapLine]) -> None:
        """Lines on the disk, then in memory."""
        if not lines:
            return
        number = self._write + 1
        piece = b""
        for left, line in zip(reversed(range(len(lines))), lines, strict=True):
            piece += _sealed({**line, "write": [number, left]})
        try:
            self._out.append(piece)
        except OSError as error:
            raise StorageFailed(
                f"{self._out.path}: can't be written ({error.strerror}); {CHECK_DISK}"
            ) from error
        self._write = number
        for line in lines:
            self._keep(line)

    def _keep(self, line: IdMapLine) -> None:
        if "sending" in line:
            self._number = line["sending"]
            self._pending[self._number] = SentBatch(
                self._number,
                line["type"],
                line["step"],
                tuple(line["keys"]),
                frozenset(line["known"]),
                line["job"],
            )
            self._known[line["type"]].update(line["known"])
        elif "sent" in line:
            self._pending.pop(line["sent"], None)
            self._done[line["type"], line["step"]].update(line["done"])
        elif "before" in line:
            self._before[line["type"]] = line["before"]
        elif "id" in line:
            self._ids[line["id"]] = line["org_id"]
            self._of[line["type"]].add(line["org_id"])
            if line.get("mapped"):
                self._mapped.add(line["id"])
                self._stood_in.add(line["org_id"])


@contextmanager
def opened(
    path: Path,
    target: Identity,
    file_at: Callable[[Path], AppendFile] = AppendFile,
) -> Iterator[IdMap]:
    """The id map in a file, made where there is none; raises BadInput where it is another CRM's,
    another org's, or in use.
    """
    with ExitStack() as stack:
        try:
            stack.enter_context(FileLock(path.with_name(path.name + ".lock"), timeout=0))
            out = stack.enter_context(closing(file_at(path)))
            lines = _read(path, out)
            if not lines:
                out.append(_sealed({**asdict(target), "format": IDMAP_FORMAT, "write": [0, 0]}))
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
        try:
            idmap = IdMap(out, lines[1:])
        except (KeyError, TypeError, ValueError) as error:
            raise BadInput(
                f"{path}: holds a line that no upload wrote ({error!r}); name the idmap.jsonl of an"
                " upload with --idmap"
            ) from error
        yield idmap


def _sealed(line: IdMapLine) -> bytes:
    """A line with its checksum as its last member."""
    text = json.dumps(line, separators=(",", ":")).encode()
    return text[:-1] + SUM + b'%08x"}\n' % zlib.crc32(text[:-1])


def _unsealed(text: bytes) -> IdMapLine | None:
    """A line's members; None where it isn't whole, or isn't what was written."""
    said, _, seal = text.rpartition(SUM)
    if said and seal != b'%08x"}' % zlib.crc32(said):
        return None
    try:
        line = json.loads(text)
    except (ValueError, RecursionError):
        return None
    return line if isinstance(line, dict) else None


def _read(path: Path, out: AppendFile) -> list[IdMapLine]:
    """All lines up to a torn last write, which is cut off."""
    content = out.read()
    whole = content[: content.rfind(b"\n") + 1]
    lines: list[IdMapLine] = []
    size = 0
    for text in whole.splitlines(keepends=True):
        line = _unsealed(text.rstrip(b"\n"))
        if line is None or not _belongs(line, lines):
            _check_torn(path, lines, whole[size + len(text) :])
            break
        lines.append(line)
        size += len(text)
    if size < len(content):
        out.cut(size)
    return lines


def _belongs(line: IdMapLine, before: Sequence[IdMapLine]) -> bool:
    """Whether a line may stand behind those before it.

    Where the format has checksums, a line without one that follows a line with one is no line of an
    upload's.
    """
    if "sum" in line or not before:
        return True
    return before[0].get("format", 0) < FIRST_WITH_SUMS and "sum" not in before[-1]


def _check_torn(path: Path, lines: Sequence[IdMapLine], rest: bytes) -> None:
    """Raises BadInput where a later write follows a broken line: the broken one was whole once."""
    number, left = _place(lines[-1]) if lines else (-1, 0)
    broken = number if left else number + 1
    for text in rest.splitlines():
        later = _unsealed(text)
        if later is not None and ("sum" not in later or _place(later)[0] > broken):
            raise BadInput(
                f"{path}: line {len(lines) + 1} is damaged, and later ones are not; take the file"
                " back from a copy, or give another --idmap for an empty CRM"
            )


def _place(line: IdMapLine) -> tuple[int, int]:
    """The number of a line's write, and how many lines of it follow; files of older formats have
    none.
    """
    number, left = line.get("write", (0, 0))
    return number, left


def _check(path: Path, header: IdMapLine, target: Identity) -> None:
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
