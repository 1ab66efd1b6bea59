"""How the bulk files are loaded: load.sh with the `sf` commands, order.txt, and README.txt with
what a person has to do.
"""

import shlex
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from orgweave.export.objects import EXTERNAL_ID, PROFILE
from orgweave.export.resolve_ids import FILE
from orgweave.export.template_files import template
from pipeline.atomic import write_text

MISSING = "|| missing"
"""The end of a command that may fail: an org without some licence lacks the object type."""
TELL_MISSING = (
    "missing() { echo \"an object type that this org doesn't have, or rows it refused: see"
    ' above; going on" >&2; }\n'
)


@dataclass(frozen=True, slots=True)
class ScriptStep:
    """Files of one object type; without files it is what the org has already and gets our `key`.

    With `users` the files wait for a profile's id; what is `optional` not every org can have. What
    takes no external id is known by a `unique` field of its own.
    """

    sobject: str
    files: tuple[str, ...]
    records: int
    key: str = ""
    users: bool = False
    optional: bool = False
    unique: str = ""


def write_script(
    folder: Path,
    steps: Sequence[ScriptStep],
    later: Sequence[ScriptStep],
    resolving: bool,
) -> None:
    """Writes load.sh, order.txt and README.txt.

    `later` are the steps that set final values; `resolving` says that there is Apex to run. Both
    stand before what an org may lack.
    """
    in_order = sorted(steps, key=lambda step: step.optional)
    sure: list[str] = []
    perhaps: list[str] = []
    for step in in_order:
        (perhaps if step.optional else sure).extend(_commands(step))
    lines = [*sure, *_endings(later, resolving), *perhaps]
    head = [template("load.sh"), *([TELL_MISSING] if perhaps else [])]
    write_text(folder / "load.sh", iter([*head, *(f"{line}\n" for line in lines)]))
    write_text(folder / "order.txt", _order(in_order))
    write_text(folder / "README.txt", iter([template("bulk.txt")]))


def _order(steps: Sequence[ScriptStep]) -> Iterator[str]:
    for step in steps:
        for file in step.files:
            yield f"{file}\t{step.sobject}\n"


def _endings(later: Sequence[ScriptStep], resolving: bool) -> Iterator[str]:
    for step in later:
        for file in step.files:
            yield f"upsert {shlex.quote(step.sobject)} {shlex.quote(file)}"
    if resolving:
        yield f'sf apex run --target-org "$org" --file {shlex.quote(FILE)}'


def _commands(step: ScriptStep) -> Iterator[str]:
    sobject = shlex.quote(step.sobject)
    if step.key:
        query = shlex.quote(f"SELECT Id FROM {step.sobject} WHERE IsStandard = true")
        values = shlex.quote(f"IsActive=true {EXTERNAL_ID}={step.key}")
        yield f"standard=$(found {query})"
        yield (
            f'sf data update record --target-org "$org" --sobject {sobject} --record-id'
            f' "$standard" --values {values}'
        )
    if step.users:
        yield "profile=$(found \"SELECT Id FROM Profile WHERE Name = '$profile'\")"
    for file in step.files:
        place = shlex.quote(file)
        if step.users:
            yield f'sed "s/{PROFILE}/$profile/" {place} > "$work"/{place}'
            place = f'"$work"/{place}'
        command = f"insert {sobject} {place}"
        if step.unique:
            command = f"insert_unique {sobject} {place} {shlex.quote(step.unique)}"
        yield f"{command} {MISSING}" if step.optional else command
