"""The id map against plain dictionaries, by random histories of writing, failing and crashing.

A crash is a copy of the file as it lies on the disk, cut off anywhere within its last write; the
id map must then be what the whole lines of that write make of what it was before.
"""

from collections.abc import Callable
from contextlib import ExitStack
from copy import deepcopy
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory

from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from orgweave.load.append_file import AppendFile
from orgweave.load.idmap import INSERT, Identity, SentBatch, opened
from schemas.errors import StorageFailed

TARGET = Identity("https://a.example", "00Dzz0000000001", "3f2a")
TYPES = ["Account", "Case"]
STEPS = [INSERT, "second"]
KEYS = st.lists(st.sampled_from([f"001zz{number}" for number in range(8)]), unique=True, max_size=4)
NAMES = st.sampled_from(TYPES)
IDS = st.lists(
    st.tuples(st.sampled_from([f"001zz{n}" for n in range(8)]), st.sampled_from("abcdefgh")),
    max_size=4,
)


@dataclass(slots=True)
class PlainIdMap:
    """What an id map holds, as dictionaries and sets."""

    ids: dict[str, str] = field(default_factory=dict)
    taken: set[tuple[str, str]] = field(default_factory=set)
    mapped: set[str] = field(default_factory=set)
    stood_in: set[str] = field(default_factory=set)
    pending: dict[int, SentBatch] = field(default_factory=dict)
    done: set[tuple[str, str, str]] = field(default_factory=set)
    known: set[tuple[str, str]] = field(default_factory=set)
    before: dict[str, int] = field(default_factory=dict)
    batches: int = 0


Effect = Callable[[PlainIdMap], None]
"""What one line of the file makes of the dictionaries."""


def counted(name: str, before: int) -> Effect:
    """So many records were there before."""

    def effect(plain: PlainIdMap) -> None:
        plain.before[name] = before

    return effect


def taken(name: str, key: str, org_id: str, mapped: bool) -> Effect:
    """The CRM has a record."""

    def effect(plain: PlainIdMap) -> None:
        plain.ids[key] = org_id
        plain.taken.add((name, org_id))
        if mapped:
            plain.mapped.add(key)
            plain.stood_in.add(org_id)

    return effect


def begun(batch: SentBatch) -> Effect:
    """A batch is about to go out."""

    def effect(plain: PlainIdMap) -> None:
        plain.batches = batch.number
        plain.pending[batch.number] = batch
        plain.known.update((batch.type, org_id) for org_id in batch.known)

    return effect


def ended(batch: SentBatch, done: list[str]) -> Effect:
    """Its fate is known."""

    def effect(plain: PlainIdMap) -> None:
        del plain.pending[batch.number]
        plain.done.update((batch.type, batch.step, key) for key in done)

    return effect


class FaultyFile(AppendFile):
    """A file whose disk fills up after so many bytes of a piece; `room` None for never."""

    room: int | None = None

    def write(self, piece: memoryview) -> int:
        """Writes what there is room for, then raises OSError."""
        if self.room is None:
            return super().write(piece)
        if self.room <= 0:
            raise OSError(28, "No space left on device")
        written = super().write(piece[: self.room])
        self.room -= written
        return written


class IdMapMachine(RuleBasedStateMachine):
    """One id map, its dictionaries, and what both were before the last write."""

    def __init__(self) -> None:
        super().__init__()
        self.stack = ExitStack()
        self.folder = Path(self.stack.enter_context(TemporaryDirectory()))
        self.number = 0
        self.plain = PlainIdMap()
        self.earlier, self.size = deepcopy(self.plain), 0
        self.effects: list[Effect] = []

    @initialize()
    def make(self) -> None:
        """A new file."""
        self.path = self.folder / "0.jsonl"
        self.open()
        self.size = self.path.stat().st_size

    def open(self) -> None:
        """Opens the file under `path`."""
        self.file = FaultyFile(self.path)

        def same_file(path: Path) -> AppendFile:
            return self.file

        self.opened = ExitStack()
        self.idmap = self.opened.enter_context(opened(self.path, TARGET, same_file))

    def write(self, work: Callable[[], object], effects: list[Effect]) -> None:
        """A write that goes well, and what each of its lines makes of the dictionaries."""
        earlier, size = deepcopy(self.plain), self.path.stat().st_size
        work()
        self.earlier, self.size, self.effects = earlier, size, effects
        for effect in effects:
            effect(self.plain)

    @rule(name=NAMES, before=st.integers(0, 99))
    def count(self, name: str, before: int) -> None:
        """The CRM's records are counted."""
        self.write(lambda: self.idmap.count(name, before), [counted(name, before)])

    @rule(name=NAMES, ids=IDS.filter(bool), mapped=st.booleans())
    def take(self, name: str, ids: list[tuple[str, str]], mapped: bool) -> None:
        """The CRM has some records."""
        effects = [taken(name, key, org_id, mapped) for key, org_id in ids]
        self.write(lambda: self.idmap.take(name, ids, mapped), effects)

    @rule(name=NAMES, step=st.sampled_from(STEPS), keys=KEYS, known=KEYS, job=st.sampled_from("j "))
    def send(self, name: str, step: str, keys: list[str], known: list[str], job: str) -> None:
        """A batch is about to go out."""
        number = self.plain.batches + 1
        batch = SentBatch(number, name, step, tuple(keys), frozenset(known), job)
        self.write(lambda: self.idmap.send(name, step, keys, known, job), [begun(batch)])

    @precondition(lambda self: self.plain.pending)
    @rule(data=st.data(), ids=IDS, done=KEYS)
    def sent(self, data: st.DataObject, ids: list[tuple[str, str]], done: list[str]) -> None:
        """A batch's fate is known."""
        batch = data.draw(st.sampled_from(list(self.plain.pending.values())))
        effects = [taken(batch.type, key, org_id, False) for key, org_id in ids]
        effects.append(ended(batch, done))
        self.write(lambda: self.idmap.sent(batch, ids, done), effects)

    @rule(name=NAMES, ids=IDS.filter(bool), room=st.integers(0, 400))
    def full_disk(self, name: str, ids: list[tuple[str, str]], room: int) -> None:
        """A write that fails is told, and changes nothing."""
        before = self.path.read_bytes()
        self.file.room = room
        try:
            self.take(name, ids, False)
        except StorageFailed:
            assert self.path.read_bytes() == before
        self.file.room = None

    @rule()
    def close_and_open(self) -> None:
        """An orderly end."""
        self.opened.close()
        self.open()

    @rule(share=st.floats(0, 1))
    def crash(self, share: float) -> None:
        """The process is killed within its last write, of which that share is on the disk."""
        content = self.path.read_bytes()
        kept = self.size + round(share * (len(content) - self.size))
        self.opened.close()
        self.number += 1
        self.path = self.folder / f"{self.number}.jsonl"
        self.path.write_bytes(content[:kept])
        self.open()
        self.plain = self.earlier
        whole = content[self.size : kept].count(b"\n")
        for effect in self.effects[:whole]:
            effect(self.plain)
        self.earlier, self.size = deepcopy(self.plain), self.path.stat().st_size
        self.effects = []
        self.compare()

    @invariant()
    def says_what_the_dictionaries_say(self) -> None:
        """Every read, at every step."""
        if self.size:
            self.compare()

    def compare(self) -> None:
        """Asks for everything."""
        idmap, plain = self.idmap, self.plain
        for number in range(8):
            key = f"001zz{number}"
            assert idmap.org_id(key) == plain.ids.get(key)
            assert idmap.mapped(key) == (key in plain.mapped)
        for name in TYPES:
            taken = {org_id for kind, org_id in plain.taken if kind == name}
            assert idmap.ids_of(name) == taken
            assert idmap.created(name) == taken - plain.stood_in
            assert idmap.known(name) == {key for kind, key in plain.known if kind == name}
            assert idmap.before(name) == plain.before.get(name)
            for step in STEPS:
                batches = [b for b in plain.pending.values() if (b.type, b.step) == (name, step)]
                assert idmap.pending(name, step) == batches
                done = {key for kind, at, key in plain.done if (kind, at) == (name, step)}
                assert idmap.done(name, step) == done

    def teardown(self) -> None:
        """Takes the files away."""
        if self.size:
            self.opened.close()
        self.stack.close()
