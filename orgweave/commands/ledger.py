"""`ledger`: make a run's damaged ledger whole again."""

import argparse
from pathlib import Path

from pipeline.ledger_repair import LedgerRepair, repair

EXAMPLES = """\
  orgweave ledger repair outputs/shoes
  orgweave ledger repair outputs/bank
  orgweave ledger repair /data/orgs/shoes
"""


def add(command: argparse.ArgumentParser) -> None:
    """Its options."""
    command.add_argument(
        "what",
        choices=("repair",),
        help="repair: keep each row that is as it was written, drop the others",
    )
    command.add_argument("folder", type=Path, help="the folder of a run, such as outputs/shoes")


def run(arguments: argparse.Namespace) -> int:
    """Prints what was kept and what was dropped."""
    print(_told(repair(arguments.folder)))
    return 0


def _told(done: LedgerRepair) -> str:
    found = done.found
    if done.backup is None:
        return f"{done.ledger}: all {found.sound:,} rows are sound; nothing is changed"
    lines = [f"{done.ledger}: {found.sound:,} rows kept, {found.dropped.total():,} dropped"]
    if found.dropped:
        kinds = ", ".join(f"{kind} {count}" for kind, count in sorted(found.dropped.items()))
        lines.append(
            f"  dropped: {kinds}; ${found.paid:.4f} were paid for them, as far as they tell"
        )
    lines += [f"  {fault}" for fault in found.faults]
    lines.append(f"  the damaged ledger is kept as {done.backup}")
    lines.append("Next: generate again with the same options, which asks for what is missing")
    return "\n".join(lines)
