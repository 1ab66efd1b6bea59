"""The ledger against a plain dictionary, by random histories of writing, reading and crashing.

A crash is a copy of the files as they lie on the disk, without a goodbye, opened anew; a loss of
power may cut the end of the log off, and then the ledger must be one of those that there were.
"""

import shutil
from contextlib import ExitStack
from copy import deepcopy
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory

from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule

from pipeline.ledger import Ledger, LedgerEntry, Ruling

KEYS = st.sampled_from(["a", "b", "c", "d"])
NAMES = st.sampled_from(["Case", "Product2"])
UNITS = st.integers(0, 3)
TEXTS = st.text(max_size=12)
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | TEXTS,
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(TEXTS, inner, max_size=2),
    max_leaves=4,
)
ENTRIES = st.builds(
    LedgerEntry,
    entries=st.dictionaries(UNITS, st.dictionaries(TEXTS, JSON, max_size=2), max_size=3),
    refused=st.dictionaries(UNITS, TEXTS, max_size=2),
    tokens_in=st.integers(0, 10**9),
    tokens_out=st.integers(0, 10**9),
    cost=st.sampled_from([0.0, 0.25, 1.5]),
    seconds=st.floats(0, 1e6),
    sent=TEXTS,
    text=TEXTS,
    trouble=TEXTS,
    cut=st.booleans(),
)
RULINGS = st.builds(
    Ruling,
    chosen=st.dictionaries(UNITS, st.lists(st.integers(-1, 5), max_size=3).map(tuple), max_size=3),
    tokens_in=st.integers(0, 10**9),
    tokens_out=st.integers(0, 10**9),
    cost=st.sampled_from([0.0, 0.5]),
)


@dataclass(slots=True)
class PlainLedger:
    """What a ledger holds, as dictionaries."""

    answers: dict[str, LedgerEntry] = field(default_factory=dict)
    rulings: dict[str, Ruling] = field(default_factory=dict)
    notes: dict[str, str] = field(default_factory=dict)


class LedgerMachine(RuleBasedStateMachine):
    """One ledger, and all the dictionaries that it has been since it was last opened."""

    def __init__(self) -> None:
        super().__init__()
        self.stack = ExitStack()
        self.folder = Path(self.stack.enter_context(TemporaryDirectory()))
        self.number = 0
        self.plain = PlainLedger()
        self.past: list[PlainLedger] = []
        """What it has been since it was closed, when the log was folded into the file."""

    @initialize()
    def make(self) -> None:
        """A new file."""
        self.path = self.folder / "0" / "ledger.sqlite"
        self.path.parent.mkdir()
        self.ledger = Ledger(self.path)
        self.past = [deepcopy(self.plain)]

    @rule(key=KEYS, name=NAMES, entry=ENTRIES)
    def put(self, key: str, name: str, entry: LedgerEntry) -> None:
        """A mini-batch is kept, or takes the place of an earlier one."""
        self.ledger.put(key, name, "a request", entry, "a writer")
        self.plain.answers[key] = entry
        self.past.append(deepcopy(self.plain))

    @rule(key=KEYS, name=NAMES, ruling=RULINGS)
    def put_ruling(self, key: str, name: str, ruling: Ruling) -> None:
        """The same of a ruling."""
        self.ledger.put_ruling(key, name, "a question", ruling, "a judge")
        self.plain.rulings[key] = ruling
        self.past.append(deepcopy(self.plain))

    @rule(key=KEYS, value=TEXTS)
    def set_note(self, key: str, value: str) -> None:
        """The same of a note."""
        self.ledger.set_note(key, value)
        self.plain.notes[key] = value
        self.past.append(deepcopy(self.plain))

    @rule()
    def close_and_open(self) -> None:
        """An orderly end."""
        self.ledger.close()
        self.ledger = Ledger(self.path)
        self.past = [deepcopy(self.plain)]

    @rule()
    def look(self) -> None:
        """Somebody looks at it meanwhile, and sees what is there."""
        with Ledger(self.path, look=True) as seen:
            self.compare(seen, self.plain)

    @rule()
    def crash(self) -> None:
        """The process is killed: nothing is lost."""
        self.reopened_elsewhere()
        self.compare(self.ledger, self.plain)

    @rule(share=st.floats(0, 1))
    def lose_power(self, share: float) -> None:
        """The end of the log is lost too: what is left is what there was at some moment."""
        self.reopened_elsewhere(share)
        while self.past and self.differs(self.ledger, self.past[-1]):
            self.past.pop()
        assert self.past, "the ledger is none of those that there were since it was last closed"
        self.plain = deepcopy(self.past[-1])

    def reopened_elsewhere(self, share: float = 1.0) -> None:
        """A copy of the files as they are, that share of the log, opened."""
        self.number += 1
        copy = self.folder / str(self.number)
        shutil.copytree(self.path.parent, copy)
        log = copy / "ledger.sqlite-wal"
        if log.exists():
            content = log.read_bytes()
            log.write_bytes(content[: int(share * len(content))])
            # What processes share about the log doesn't outlive a machine.
            (copy / "ledger.sqlite-shm").unlink(missing_ok=True)
        self.ledger.close()
        shutil.rmtree(self.path.parent)
        self.path = copy / "ledger.sqlite"
        self.ledger = Ledger(self.path)

    @invariant()
    def says_what_the_dictionary_says(self) -> None:
        """Every read, at every step."""
        if self.past:
            self.compare(self.ledger, self.plain)

    def compare(self, ledger: Ledger, plain: PlainLedger) -> None:
        """Asks for everything."""
        assert self.differs(ledger, plain) == ""

    @staticmethod
    def differs(ledger: Ledger, plain: PlainLedger) -> str:
        """What a ledger says otherwise than a dictionary; "" for nothing."""
        for key in ["a", "b", "c", "d", "none"]:
            if seen(ledger.get(key)) != seen(plain.answers.get(key)):
                return f"answer {key}"
            if seen_ruling(ledger.ruling(key)) != seen_ruling(plain.rulings.get(key)):
                return f"ruling {key}"
            if ledger.note(key) != plain.notes.get(key):
                return f"note {key}"
        if ledger.size() != len(plain.answers):
            return "size"
        kept = [*plain.answers.values(), *plain.rulings.values()]
        paid = (
            sum(each.cost for each in kept),
            sum(each.tokens_in + each.tokens_out for each in kept),
        )
        if ledger.paid() != paid:
            return "paid"
        rows = {key for (key,) in ledger.rows("key", "1", ())}
        return "" if rows == set(plain.answers) else "rows"

    def teardown(self) -> None:
        """Takes the files away."""
        if self.past:
            self.ledger.close()
        self.stack.close()


def seen(entry: LedgerEntry | None) -> object:
    """What `get` tells of an entry: all but the account of how it came to be."""
    if entry is None:
        return None
    numbers = (entry.tokens_in, entry.tokens_out, entry.cost, entry.seconds, entry.cut)
    return (entry.entries, entry.refused, *numbers)


def seen_ruling(ruling: Ruling | None) -> object:
    """What `ruling` tells of a ruling."""
    return (
        None
        if ruling is None
        else (ruling.chosen, ruling.tokens_in, ruling.tokens_out, ruling.cost)
    )
