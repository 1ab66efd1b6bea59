"""What went over the wire: request, answer, verdicts and cost of a run's mini-batches.

Reads the ledger alone; calls nothing and writes nothing.
"""

import json
from collections.abc import Iterator
from pathlib import Path

from pipeline.ledger import Ledger
from pipeline.run_folder import RunFolder
from pipeline.write.request import ROUND
from schemas.errors import BadInput

COLUMNS = (
    "key, object, request, entries, verdicts, tokens_in, tokens_out, cost, seconds, writer, sent,"
    " text, trouble"
)
RULING_COLUMNS = "key, object, chosen, tokens_in, tokens_out, cost, judge, sent, text"


def trace_text(
    folder: Path,
    name: str | None = None,
    failed: bool = False,
    key: str | None = None,
    last: int = 5,
    judged: bool = False,
) -> str:
    """The last mini-batches that fit, oldest first; with `judged` what a judge was asked.

    Args:
        folder: a run's folder.
        name: only this object type's.
        failed: only those of which something was refused.
        key: only those whose key begins so.
        last: at most so many.
        judged: the judge's rulings in place of the writer's mini-batches.
    Raises BadInput where the folder has no ledger, or nothing in it fits.
    """
    run = RunFolder(folder)
    if not run.ledger_file.is_file():
        raise BadInput(
            f"{folder}: has no {run.ledger_file.name}; name a folder that generate wrote, such as"
            " outputs/shoes"
        )
    run.require_whole()
    if last < 1:
        raise BadInput(f"--last {last}: must be at least 1")
    where, values = _where(name, failed, key)
    with Ledger(run.ledger_file, look=True) as ledger:
        if judged:
            return _rulings(ledger, folder, *_where(name, False, key), last)
        rows = list(ledger.rows(COLUMNS, where, values))
        names = sorted({row[0] for row in ledger.rows("object", *_where(None, failed, None))})
    if failed and not names:
        return "no text was refused: each one was accepted as it came"
    if not rows:
        kind = "refusals" if failed else "those"
        raise BadInput(
            f"{folder}: no mini-batch fits; the ledger has {kind} of"
            f" {', '.join(names) or 'nothing'}"
        )
    shown = ["\n".join(_shown(row)) for row in rows[-last:]]
    shown.append(f"{min(last, len(rows))} of {len(rows)} mini-batches that fit")
    return "\n\n".join(shown)


def _rulings(
    ledger: Ledger, folder: Path, where: str, values: tuple[object, ...], last: int
) -> str:
    rows = list(ledger.rows(RULING_COLUMNS, where, values, "rulings"))
    if not rows:
        raise BadInput(f"{folder}: no ruling fits; nothing of it was judged")
    shown = ["\n".join(_ruled(row)) for row in rows[-last:]]
    shown.append(f"{min(last, len(rows))} of {len(rows)} rulings that fit")
    return "\n\n".join(shown)


def _ruled(row: tuple[object, ...]) -> Iterator[str]:
    key, name, chosen, tokens_in, tokens_out, cost, judge, sent, text = (str(cell) for cell in row)
    yield f"=== {name} {key}"
    yield (
        f"judged by {judge}: {len(json.loads(chosen))} texts; {tokens_in} + {tokens_out} tokens,"
        f" ${float(cost):.6f}"
    )
    yield from _messages(sent)
    yield "--- answer"
    yield text


def _messages(sent: str) -> Iterator[str]:
    """The prompt that went out; the embedded writer is sent none."""
    for message in json.loads(sent) if sent else ():
        yield f"--- {message['role']}"
        yield message["content"]


def _where(name: str | None, failed: bool, key: str | None) -> tuple[str, tuple[object, ...]]:
    """The condition of a query for the mini-batches that are wanted, and its values."""
    terms: list[str] = ["1"]
    values: list[object] = []
    if name:
        terms.append("object = ?")
        values.append(name)
    if failed:
        terms.append("(verdicts != '{}' OR trouble != '')")
    if key:
        # Not LIKE: a key that somebody types may hold % or _.
        terms.append("substr(key, 1, ?) = ?")
        values += [len(key), key]
    return " AND ".join(terms), tuple(values)


def _shown(row: tuple[object, ...]) -> Iterator[str]:
    (
        key,
        name,
        request,
        entries,
        verdicts,
        tokens_in,
        tokens_out,
        cost,
        seconds,
        writer,
        sent,
        text,
        trouble,
    ) = (str(cell) for cell in row)
    asked = json.loads(request)
    accepted, refused = json.loads(entries), json.loads(verdicts)
    units = len(asked["units"])
    yield f"=== {name} {key}"
    counts = f"{units} units, {len(accepted)} accepted, {len(refused)} refused"
    round_number, tries = divmod(asked["attempt"], ROUND)
    again = f", rewriting round {round_number}" if round_number else ""
    yield (
        f"{writer}, try {tries + 1}{again}: {counts}; {tokens_in} + {tokens_out} tokens,"
        f" ${float(cost):.6f}, {float(seconds):.2f} s"
    )
    yield from _messages(sent)
    if not sent:
        parts = {part: asked[part] for part in ("fields", "earlier", "units")}
        yield "--- request (the embedded writer takes it as it is)"
        yield json.dumps(parts, indent=1, ensure_ascii=False)
    yield "--- answer" + (f" ({trouble})" if trouble else "")
    yield text or json.dumps(list(accepted.values()), indent=1, ensure_ascii=False)
    yield "--- verdicts"
    yield from (f"unit {unit}: pass" for unit in accepted)
    yield from (f"unit {unit}: fail: {reason}" for unit, reason in refused.items())
