"""How the bulk files are loaded: load.sh with the `sf` commands, order.txt, and what a person has
to do, in README.txt.
"""

import shlex
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from orgweave.export.resolve_ids import FILE
from orgweave.export.standard import EXTERNAL_ID, PACKAGES, PROFILE, package
from pipeline.atomic import write_text

HEAD = """#!/bin/sh
# Loads this folder into an org that has the metadata of `export --metadata`. Usage: sh load.sh ORG [PROFILE]
set -eu
cd "$(dirname "$0")"
org=${1:?name the org, as in: sh load.sh my-scratch-org}
profile=${2:-Standard User}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
found() {
    answer=$(sf data query --target-org "$org" --result-format csv --query "$1" | sed -n 2p)
    [ -n "$answer" ] || { echo "load.sh: the org has nothing for: $1" >&2; exit 1; }
    echo "$answer"
}
insert() { sf data import bulk --target-org "$org" --line-ending LF --wait 60 --sobject "$1" --file "$2"; }
upsert() { sf data upsert bulk --target-org "$org" --line-ending LF --wait 60 --sobject "$1" --file "$2" --external-id Synth_Id__c; }
"""
README = """Bulk API 2.0 files: one object type a file, parents before children, references by Synth_Id__c.

1. Make and deploy the metadata first: python -m pipeline export <run> --metadata, then the commands of its README.
2. sh load.sh ORG [PROFILE] runs every step; order.txt lists the files in load order, to run single ones by hand.
   It stops at the first job that fails; remove the steps that are done from a copy before you go on: an insert is not repeatable.

By hand:
- Users: each needs a licence, and a Username is unique over all orgs: give yours a suffix in User.csv. Or leave User.csv out and set
  Synth_Id__c of existing users to the ids in its last column.
- The standard price book exists in every org: load.sh activates it and sets its Synth_Id__c.
- Orders are inserted as Draft; Order.update.csv holds their final status, for after their items.
- Articles are inserted as drafts: select and publish them in the Knowledge tab.
- too_long.jsonl, where it is there: values of more than 32,000 characters, to be set by REST. An e-mail can't be changed once it is in:
  load such a one by REST as a whole.
- resolve_ids.apex, where it is there, turns our ids in text fields into the org's; load.sh runs it once; run it until it says 0.
- No file for: EmailMessage.ToIds, a list of ids.
- ProductCatalog, ProductCategory and ProductCategoryProduct need a Commerce licence; LiveChatVisitor and LiveChatTranscript need Chat,
  which was retired in February 2026. Nothing else refers to them: they come last, and load.sh goes on where an org lacks them.
"""


@dataclass(frozen=True, slots=True)
class ScriptStep:
    """Files of one object type; without files it is what the org has already and gets our `key`."""

    sobject: str
    files: tuple[str, ...]
    records: int
    key: str = ""
    users: bool = False


def write_script(
    folder: Path, steps: Sequence[ScriptStep], later: Sequence[ScriptStep], resolving: bool
) -> None:
    """load.sh, order.txt and README.txt."""
    commands = [line for step in sorted(steps, key=_optional) for line in _commands(step)]
    at = next(
        (place for place, line in enumerate(commands) if line.endswith("|| missing")), len(commands)
    )
    ends = [
        f"upsert {step.sobject} {shlex.quote(file)}" for step in later for file in step.files
    ] + ([f'sf apex run --target-org "$org" --file {FILE}'] if resolving else [])
    write_text(
        folder / "load.sh",
        iter(
            [
                HEAD,
                *_told_missing(commands),
                *(f"{line}\n" for line in [*commands[:at], *ends, *commands[at:]]),
            ]
        ),
    )
    write_text(
        folder / "order.txt",
        iter(
            f"{file}\t{step.sobject}\n"
            for step in sorted(steps, key=_optional)
            for file in step.files
        ),
    )
    write_text(folder / "README.txt", iter([README]))


def _optional(step: ScriptStep) -> bool:
    return package(step.sobject) in PACKAGES


def _told_missing(commands: Sequence[str]) -> Iterator[str]:
    if any(line.endswith("|| missing") for line in commands):
        yield (
            "missing() { echo \"an object type that this org doesn't have, or rows it refused: see"
            ' above; going on" >&2; }\n'
        )


def _commands(step: ScriptStep) -> Iterator[str]:
    if step.key:
        yield f'standard=$(found "SELECT Id FROM {step.sobject} WHERE IsStandard = true")'
        yield (
            f'sf data update record --target-org "$org" --sobject {step.sobject} --record-id'
            f' "$standard" --values "IsActive=true {EXTERNAL_ID}={step.key}"'
        )
    if step.users:
        yield "profile=$(found \"SELECT Id FROM Profile WHERE Name = '$profile'\")"
    for file in step.files:
        if step.users:
            yield f'sed "s/{PROFILE}/$profile/" {shlex.quote(file)} > "$work"/{shlex.quote(file)}'
        place = f'"$work"/{shlex.quote(file)}' if step.users else shlex.quote(file)
        yield f"insert {step.sobject} {place}" + (" || missing" if _optional(step) else "")
