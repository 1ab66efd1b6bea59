"""A check's report and a run's summary as a person reads them.

Text in, text out; the numbers come from `check` and `run`.
"""

from collections.abc import Sequence
from shlex import quote

from pipeline.check import Report
from pipeline.run import FinishedRun
from pipeline.run_folder import RunFolder


def report_text(report: Report) -> str:
    """Four tables: invariants, causal effects, diversity of written fields, fields that are not
    always filled.
    """
    return "\n\n".join([_invariants(report), _effects(report), _diversity(report), _filled(report)])


def _invariants(report: Report) -> str:
    tried, broken = (
        sum(one.tried for one in report.findings),
        sum(one.broken for one in report.findings),
    )
    rows = [("broken", "tried", "invariant")]
    rows += [
        (f"{one.broken:,}", f"{one.tried:,}", one.says)
        for one in report.findings
        if "." not in one.name or one.broken
    ]
    plain = [one for one in report.findings if "." in one.name and not one.broken]
    rows += [
        (
            "0",
            f"{sum(one.tried for one in plain):,}",
            (
                f"{len(plain)} invariants of form, uniqueness and reference, one a field or object"
                " type"
            ),
        )
    ]
    lines = [
        f"Invariants: {len(report.findings)}, tried on {tried:,} records, {broken:,} violations",
        *_aligned(rows, right=(0, 1)),
    ]
    return "\n".join(
        [
            *lines,
            *(f"  ! {one.name}: {example}" for one in report.broken for example in one.examples),
        ]
    )


def _effects(report: Report) -> str:
    rows = [("latent variable", "effect", "size", "p", "")]
    for one in report.effects:
        rows.append(
            (
                one.variable,
                f"{one.says} ({one.measure})",
                f"{one.size:+.3f}",
                f"{one.p:.1e}",
                "present" if one.present else "ABSENT",
            )
        )
    return "\n".join(["Causal effects", *_aligned(rows, right=(2, 3))])


def _diversity(report: Report) -> str:
    rows = [
        (
            "written field",
            "texts",
            "words",
            "distinct-1",
            "distinct-2",
            "gzip",
            "exact",
            "near-duplicates",
        )
    ]
    for name, one in report.diversity.items():
        numbers = (
            f"{one.texts:,}",
            f"{one.words:,}",
            f"{one.distinct_1:.3f}",
            f"{one.distinct_2:.3f}",
            f"{one.gzip_ratio:.1f}",
            str(one.exact_duplicates),
        )
        rows.append((name, *numbers, f"{one.near_duplicate_share:.2%}"))
    return "\n".join(["Diversity of the words", *_aligned(rows, right=tuple(range(1, 8)))])


def _filled(report: Report) -> str:
    partly = [
        (f"{name}.{field}", f"{share:.1%}")
        for name, fields in report.filled.items()
        for field, share in fields.items()
        if share < 1
    ]
    lines = [
        f"Fields filled: {report.cells_filled:.1%} on the mean over all declared fields; not always"
        " filled:"
    ]
    return "\n".join(lines + _aligned(partly, right=(1,)) if partly else lines)


def _aligned(rows: Sequence[tuple[str, ...]], right: tuple[int, ...]) -> list[str]:
    widths = [max(len(row[at]) for row in rows) for at in range(len(rows[0]))]
    return [
        "  "
        + "  ".join(
            cell.rjust(width) if at in right else cell.ljust(width)
            for at, (cell, width) in enumerate(zip(row, widths, strict=True))
        ).rstrip()
        for row in rows
    ]


def _paid(outcome: FinishedRun) -> list[str]:
    """What a model took, nothing for the embedded writer."""
    spent = outcome.spent.values()
    if not sum(one.tokens_in for one in spent):
        return []
    cost, refused, judging = (
        sum(getattr(one, name) for one in spent)
        for name in ("cost", "cost_of_refused", "judge_cost")
    )
    tokens_in, tokens_out, texts = (
        sum(getattr(one, name) for one in spent) for name in ("tokens_in", "tokens_out", "refused")
    )
    judged, wrong, unjudged = (
        sum(getattr(one, name) for one in spent) for name in ("judged", "judged_wrong", "unjudged")
    )
    lines = [
        f"  written by {outcome.writer}: {sum(one.requests for one in spent):,} mini-batches,"
        f" {tokens_in:,} prompt and {tokens_out:,} answer tokens, ${cost:.4f} (of it ${refused:.4f}"
        f" for {texts:,} refused texts); {judged:,} texts judged, {wrong:,} of them wrong at first,"
        f" ${judging:.4f}"
    ]
    return (
        [
            *lines,
            (
                f"  {unjudged:,} texts are unjudged, since the judge could not be reached; the same"
                " command asks again"
            ),
        ]
        if unjudged
        else lines
    )


def summary_text(outcome: FinishedRun) -> str:
    """Where everything is, whether it is right, and what to do next."""
    folder, report = outcome.folder, outcome.report
    run = RunFolder(folder)
    present = sum(effect.present for effect in report.effects)
    broken = sum(one.broken for one in report.findings)
    return "\n".join(
        [
            (
                f"{sum(outcome.counts.values()):,} records of {len(outcome.counts)} object types in"
                f" {folder}"
            ),
            "  " + ", ".join(f"{name} {count:,}" for name, count in outcome.counts.items()),
            (
                f"  {len(report.findings)} invariants, {broken} violations; {present} of"
                f" {len(report.effects)} causal effects present; {report.cells_filled:.0%} of"
                " fields filled"
            ),
            *_paid(outcome),
            f"  {run.org_file}      the org, a table an object type",
            f"  {run.upload_folder}/         the same as JSON with @refs and plan.json",
            f"  {run.latent_file}   the hidden causes (never uploaded)",
            f"  {run.check_file}      every verdict; {run.manifest_file} the hashes",
            (
                f"Next: python -m pipeline check {quote(str(folder))}   or   sqlite3"
                f" {quote(str(run.org_file))} .tables"
            ),
        ]
    )
