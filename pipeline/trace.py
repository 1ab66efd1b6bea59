"""What went over the wire: request, answer, verdicts and cost of a run's mini-batches, from the ledger alone. Calls nothing."""

import json
from collections.abc import Iterator
from pathlib import Path

from pipeline.ledger import Ledger
from schemas.errors import BadInput

COLUMNS = "key, object, request, entries, verdicts, tokens_in, tokens_out, cost, seconds, writer, sent, text, trouble"


def trace_text(folder: Path, name: str | None = None, failed: bool = False, key: str | None = None, last: int = 5) -> str:
    """The last mini-batches that fit, oldest first; raises BadInput where the folder has no ledger or none fits."""
    if not (folder / "ledger.sqlite").is_file():
        raise BadInput(f"{folder}: has no ledger.sqlite; name a folder that generate wrote, such as outputs/shoes")
    if last < 1:
        raise BadInput(f"--last {last}: must be at least 1")
    where, values = _where(name, failed, key)
    with Ledger(folder / "ledger.sqlite") as ledger:
        rows = list(ledger.rows(COLUMNS, where, values))
        names = sorted({row[0] for row in ledger.rows("object", "1", ())})
    if not rows:
        raise BadInput(f"{folder}: no mini-batch fits; the ledger has those of {', '.join(names) or 'nothing'}" + (", none of them with a refusal" if failed else ""))
    return "\n\n".join("\n".join(_shown(row)) for row in rows[-last:]) + f"\n\n{min(last, len(rows))} of {len(rows)} mini-batches that fit"


def _where(name: str | None, failed: bool, key: str | None) -> tuple[str, tuple[object, ...]]:
    terms: list[tuple[str, tuple[object, ...]]] = [("1", ())]
    if name:
        terms.append(("object = ?", (name,)))
    if failed:
        terms.append(("(verdicts != '{}' OR trouble != '')", ()))
    if key:
        terms.append(("substr(key, 1, ?) = ?", (len(key), key)))
    return " AND ".join(term for term, _ in terms), tuple(value for _, values in terms for value in values)


def _shown(row: tuple[object, ...]) -> Iterator[str]:
    key, name, request, entries, verdicts, tokens_in, tokens_out, cost, seconds, writer, sent, text, trouble = (str(cell) for cell in row)
    asked = json.loads(request)
    accepted, refused = json.loads(entries), json.loads(verdicts)
    yield f"=== {name} {key}"
    counts = f"{len(asked['units'])} units, {len(accepted)} accepted, {len(refused)} refused"
    yield f"{writer}, try {asked['attempt'] + 1}: {counts}; {tokens_in} + {tokens_out} tokens, ${float(cost):.6f}, {float(seconds):.2f} s"
    for message in json.loads(sent) if sent else ():
        yield f"--- {message['role']}"
        yield message["content"]
    if not sent:
        yield "--- request (the embedded writer takes it as it is)"
        yield json.dumps({part: asked[part] for part in ("fields", "earlier", "units")}, indent=1, ensure_ascii=False)
    yield "--- answer" + (f" ({trouble})" if trouble else "")
    yield text or json.dumps(list(accepted.values()), indent=1, ensure_ascii=False)
    yield "--- verdicts"
    yield from (f"unit {unit}: pass" for unit in accepted)
    yield from (f"unit {unit}: fail: {reason}" for unit, reason in refused.items())
