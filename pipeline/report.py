"""A check's report and a run's summary as a person reads them.

Text in, text out; the numbers come from `check` and `run`.
"""

from collections.abc import Iterable, Sequence
from shlex import quote
from typing import TYPE_CHECKING

from pipeline.check import Report
from pipeline.run_folder import RunFolder
from pipeline.text_table import aligned
from verifiers.realism import MeasuredStatistic
from verifiers.verdict import Finding

# `check` prints a report too, and needs nothing that makes an org.
if TYPE_CHECKING:
    from pipeline.run import FinishedRun

DIVERSITY_COLUMNS = (
    "written field",
    "texts",
    "words",
    "distinct-1",
    "distinct-2",
    "gzip",
    "exact",
    "near-duplicates",
)

CAUSES_NAMED = 3
"""A run's summary names so many of the causes that show no effect, and counts the others."""


def report_text(report: Report) -> str:
    """Six tables: invariants, causal effects, realism, conversations, diversity of written fields,
    fields that are not always filled. Files that were changed since they were made stand before
    them.
    """
    parts = [_invariants(report), _effects(report)]
    if report.realism:
        parts.append(_realism(report))
    if report.conversations:
        parts.append(conversations_text(report.conversations))
    parts += [_diversity(report), _filled(report)]
    if report.changed:
        number = len(report.changed)
        unlike = "1 isn't as" if number == 1 else f"{number} aren't as"
        lines = [
            f"Files: {unlike} manifest.json tells; put back what was there, or run generate again"
        ]
        lines += [f"  ! {name}" for name in report.changed]
        parts.insert(0, "\n".join(lines))
    return "\n\n".join(parts)


def _invariants(report: Report) -> str:
    rows = [("broken", "tried", "invariant")]
    plain = []
    for finding in report.findings:
        # The many invariants of one field or object type are one line, but for the broken ones.
        if "." in finding.name and not finding.broken:
            plain.append(finding)
        else:
            rows.append((f"{finding.broken:,}", f"{finding.tried:,}", finding.says))
    says = f"{len(plain)} invariants of form, uniqueness and reference, one a field or object type"
    rows.append(("0", f"{_tried(plain):,}", says))
    lines = [
        f"Invariants: {len(report.findings)}, tried on {_tried(report.findings):,} records,"
        f" {_violations(report)}",
        *_table(rows, right=(0, 1)),
    ]
    for finding in report.broken:
        lines += [f"  ! {finding.name}: {example}" for example in finding.examples]
    return "\n".join(lines)


def _tried(findings: Iterable[Finding]) -> int:
    return sum(finding.tried for finding in findings)


def _violations(report: Report) -> str:
    """`0 violations`, `1 violation`."""
    number = sum(finding.broken for finding in report.findings)
    return f"{number:,} violation" + "s" * (number != 1)


def _effects(report: Report) -> str:
    rows = [("latent variable", "effect", "size", "p", "")]
    for effect in report.effects:
        says = f"{effect.says} ({effect.measure})"
        present = "present" if effect.present else "ABSENT"
        rows.append(
            (
                effect.variable,
                says,
                f"{effect.size:+.3f}",
                f"{effect.p:.1e}",
                present,
            )
        )
    return "\n".join(["Causal effects", *_table(rows, right=(2, 3))])


def _realism(report: Report) -> str:
    rows = [("topic", "statistic", "measured", "real orgs", "")]
    topic = ""
    for found in report.realism:
        rows.append(("" if found.topic == topic else found.topic, *_beside_band(found)))
        topic = found.topic
    inside = sum(found.inside for found in report.realism)
    title = f"Realism: {inside} of {len(report.realism)} statistics as in real orgs"
    return "\n".join([f"{title} ({report.realistic:.0%})", *_table(rows, right=(2, 3))])


def conversations_text(figures: Sequence[MeasuredStatistic]) -> str:
    """The figures of an org's conversations beside their bounds, a line each."""
    rows = [("figure", "measured", "bounds", "")]
    rows += [_beside_band(found) for found in figures]
    inside = sum(found.inside for found in figures)
    title = f"Conversations: {inside} of {len(figures)} figures within their bounds"
    return "\n".join([title, *_table(rows, right=(1, 2))])


def _beside_band(found: MeasuredStatistic) -> tuple[str, str, str, str]:
    """What was measured, its value, its band, and whether it lies there."""
    low, high = found.band
    value = found.fault or "" if found.value is None else _figure(found.value)
    band = f"{_figure(low)} to {_figure(high)}"
    return found.says, value, band, "in" if found.inside else "OUT"


def _figure(value: float) -> str:
    """A number with the figures that count: `0.003`, `0.28`, `12.4`, `1,204`."""
    size = abs(value)
    if size == 0 or size >= 100:
        return f"{value:,.0f}"
    if size < 0.1:
        return f"{value:.3f}"
    return f"{value:.1f}" if abs(value) >= 10 else f"{value:.2f}"


def _diversity(report: Report) -> str:
    rows: list[tuple[str, ...]] = [DIVERSITY_COLUMNS]
    for name, measured in report.diversity.items():
        rows.append(
            (
                name,
                f"{measured.texts:,}",
                f"{measured.words:,}",
                f"{measured.distinct_1:.3f}",
                f"{measured.distinct_2:.3f}",
                f"{measured.gzip_ratio:.1f}",
                str(measured.exact_duplicates),
                f"{measured.near_duplicate_share:.2%}",
            )
        )
    return "\n".join(["Diversity of the words", *_table(rows, right=range(1, 8))])


def _filled(report: Report) -> str:
    rows = []
    for name, fields in report.filled.items():
        for field, share in fields.items():
            if share < 1:
                rows.append((f"{name}.{field}", f"{share:.1%}"))
    says = (
        f"Fields filled: {report.cells_filled:.1%} on the mean over all declared fields; not always"
        " filled:"
    )
    return "\n".join([says, *_table(rows, right=(1,))])


def _table(rows: Sequence[tuple[str, ...]], right: Iterable[int]) -> list[str]:
    return [f"  {line}" for line in aligned(rows, tuple(right))]


def _paid(outcome: "FinishedRun") -> list[str]:
    """What a model took; nothing for the embedded writer."""
    from pipeline.write.service import Usage

    total = {name: _total(outcome, name) for name in Usage.__slots__}
    if not total["tokens_in"]:
        return []
    lines = [
        f"  written by {outcome.writer}: {total['requests']:,} mini-batches,"
        f" {total['tokens_in']:,} prompt and {total['tokens_out']:,} answer tokens,"
        f" ${total['cost']:.4f} (of it ${total['cost_of_refused']:.4f} for"
        f" {total['refused']:,} refused texts); {total['judged']:,} texts judged,"
        f" {total['judged_wrong']:,} of them wrong at first, ${total['judge_cost']:.4f}"
    ]
    if total["unjudged"]:
        lines.append(
            f"  {total['unjudged']:,} texts are unjudged, since the judge could not be reached;"
            " the same command asks again"
        )
    return lines


def _realistic(report: Report) -> list[str]:
    if not report.realism:
        return []
    inside = sum(found.inside for found in report.realism)
    return [f"  {inside} of {len(report.realism)} statistics as in real orgs"]


def _total(outcome: "FinishedRun", name: str) -> float:
    """A number of the account, over all object types."""
    total: float = sum(getattr(usage, name) for usage in outcome.spent.values())
    return total


def _absent(report: Report, folder: str) -> list[str]:
    """Some of the causes that show no effect: mostly there are too few records. `check` tells all.

    A very small org shows hardly any, and a line of all their names helps nobody.
    """
    absent = [effect.variable for effect in report.effects if not effect.present]
    causes = list(dict.fromkeys(absent))
    if not causes:
        return []
    names = ", ".join(causes[:CAUSES_NAMED])
    others = causes[CAUSES_NAMED:]
    if len(others) == 1:
        names += f" and {others[0]}"
    elif others:
        names += f" and {len(others)} other causes"
    return [
        f"  too few records to see all effects of {names}: a larger --scale shows more, and"
        f" `orgweave check {folder}` lists them"
    ]


def summary_text(outcome: "FinishedRun", page: str = "") -> str:
    """Where everything is, whether it is right, and what to do next.

    `page` is a line on the run's page, which others make.
    """
    report, run = outcome.report, RunFolder(outcome.folder)
    counts = ", ".join(f"{name} {count:,}" for name, count in outcome.counts.items())
    folder = quote(str(run.path))
    present = sum(effect.present for effect in report.effects)
    org = run.org_file if run.org_file.is_file() else run.parts_folder
    lines = [
        f"{sum(outcome.counts.values()):,} records of {len(outcome.counts)} object types in"
        f" {run.path}",
        f"  {counts}",
        f"  {len(report.findings)} invariants, {_violations(report)};"
        f" {present} of {len(report.effects)} causal effects present;"
        f" {report.cells_filled:.0%} of fields filled",
        *_absent(report, folder),
        *_realistic(report),
        *_paid(outcome),
        f"  {org}      the org, a table an object type",
        f"  {run.upload_folder}/         the same as JSON with @refs and plan.json",
        f"  {run.latent_file}   the hidden causes (never uploaded)",
        f"  {run.check_file}      every verdict; {run.manifest_file} the hashes",
        *([f"  {page}"] if page else []),
        f"Next: orgweave check {folder}   or, with the extra explore,   orgweave explore {folder}"
        " --open",
    ]
    return "\n".join(lines)
