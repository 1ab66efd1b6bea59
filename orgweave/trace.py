"""What went over the wire: request, answer, verdicts and cost of a run's mini-batches, from the
ledger alone. Calls nothing.
"""

import json
from collections.abc import Iterator
from pathlib import Path

from pipeline.ledger import Ledger
from pipeline.write.object_writing import ROUND
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
    """The last mini-batches that fit (or, `judged`, what a judge was asked), oldest first; raises
    BadInput where the folder has no ledger or none fits.
    """
    if not (folder / "ledger.sqlite").is_file():
        raise BadInput(
            f"{folder}: has no ledger.sqlite; name a folder that generate wrote, such as"
            " outputs/shoes"
        )
    if last < 1:
        raise BadInput(f"--last {last}: must be at least 1")
    where, values = _where(name, failed, key)
    with Ledger(folder / "ledger.sqlite", look=True) as ledger:
        if judged:
            return _rulings(ledger, folder, *_where(name, False, key), last)
        rows = list(ledger.rows(COLUMNS, where, values))
        names = sorted({row[0] for row in ledger.rows("object", *_where(None, failed, None))})
    if not rows:
        raise BadInput(
            f"{folder}: no mini-batch fits; the ledger has {'refusals' if failed else 'those'} of"
            f" {', '.join(names) or 'nothing'}"
        )
    return (
        "\n\n".join("\n".join(_shown(row)) for row in rows[-last:])
        + f"\n\n{min(last, len(rows))} of {len(rows)} mini-batches that fit"
    )


def _rulings(
    ledger: Ledger, folder: Path, where: str, values: tuple[object, ...], last: int
) -> str:
    rows = list(ledger.rows(RULING_COLUMNS, where, values, "rulings"))
    if not rows:
        raise BadInput(f"{folder}: no ruling fits; nothing of it was judged")
    return (
        "\n\n".join("\n".join(_ruled(row)) for row in rows[-last:])
        + f"\n\n{min(last, len(rows))} of {len(rows)} rulings that fit"
    )


def _ruled(row: tuple[object, ...]) -> Iterator[str]:
    key, name, chosen, tokens_in, tokens_out, cost, judge, sent, text = (str(cell) for cell in row)
    yield f"=== {name} {key}"
    yield (
        f"judged by {judge}: {len(json.loads(chosen))} texts; {tokens_in} + {tokens_out} tokens,"
        f" ${float(cost):.6f}"
    )
    for message in json.loads(sent) if sent else ():
        yield f"--- {message['role']}"
        yield message["content"]
    yield "--- answer"
    yield text


def _where(name: str | None, failed: bool, key: str | None) -> tuple[str, tuple[object, ...]]:
    terms: list[tuple[str, tuple[object, ...]]] = [("1", ())]
    if name:
        terms.append(("object = ?", (name,)))
    if failed:
        terms.append(("(verdicts != '{}' OR trouble != '')", ()))
    if key:
        terms.append(("substr(key, 1, ?) = ?", (len(key), key)))
    return " AND ".join(term for term, _ in terms), tuple(
        value for _, values in terms for value in values
    )


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
    yield f"=== {name} {key}"
    counts = f"{len(asked['units'])} units, {len(accepted)} accepted, {len(refused)} refused"
    round_number, tries = divmod(asked["attempt"], ROUND)
    again = f", rewriting round {round_number}" if round_number else ""
    yield (
        f"{writer}, try {tries + 1}{again}: {counts}; {tokens_in} + {tokens_out} tokens,"
        f" ${float(cost):.6f}, {float(seconds):.2f} s"
    )
    for message in json.loads(sent) if sent else ():
        yield f"--- {message['role']}"
        yield message["content"]
    if not sent:
        yield "--- request (the embedded writer takes it as it is)"
        yield json.dumps(
            {part: asked[part] for part in ("fields", "earlier", "units")},
            indent=1,
            ensure_ascii=False,
        )
    yield "--- answer" + (f" ({trouble})" if trouble else "")
    yield text or json.dumps(list(accepted.values()), indent=1, ensure_ascii=False)
    yield "--- verdicts"
    yield from (f"unit {unit}: pass" for unit in accepted)
    yield from (f"unit {unit}: fail: {reason}" for unit, reason in refused.items())
