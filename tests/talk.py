"""`make talk`: do the conversations of several companies read as people's, and are they their own?

Prints the figures of each org beside their bounds, and, where there are several orgs, what their
conversations have in common. Ends with exit code 1 where a figure is out of its bounds. Reads
finished orgs and makes none.
"""

import sys
from collections import Counter
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path

from pipeline.report import conversations_text
from pipeline.run_folder import RunFolder
from verifiers.conversation_figures import (
    SAMPLE,
    TOPIC,
    KnownTalk,
    customer_sentences,
    known_talk,
    measure_conversations,
    run_set,
)
from verifiers.conversations import sample_of
from verifiers.realism import MeasuredStatistic

Held = frozenset[object]
"""What a conversation or a sentence holds that another one may hold too."""

ACROSS = {
    "shared_runs": "share of the samples' conversations with seven masked words of another company",
    "repeated_sentences": "share of customers' longer sentences that stand in another company too",
}
"""What is measured across companies, within the bounds that hold within one."""


def main(arguments: Sequence[str]) -> int:
    """Measures the orgs in these folders; returns the exit code."""
    if not arguments:
        sys.stderr.write("name one or more folders of finished orgs\n")
        return 2
    inside = True
    known = []
    bands: dict[str, tuple[float, float]] = {}
    for folder in arguments:
        run = RunFolder(Path(folder))
        schema = run.read_schema()
        with closing(run.open_org()) as db:
            if run.latent_file.is_file():
                run.attach_latent(db, "latent")
            figures = tuple(measure_conversations(db, schema, run.read_bands()))
            known.append(known_talk(db, schema))
        bands |= {figure.name: figure.band for figure in schema.conversations}
        print(f"{folder}\n{conversations_text(figures)}\n")
        inside &= all(found.inside for found in figures)
    if len(known) > 1:
        figures = tuple(_across(known, bands))
        print(f"Across {len(known)} companies\n{conversations_text(figures)}")
        inside &= all(found.inside for found in figures)
    return 0 if inside else 1


def _across(
    known: Sequence[KnownTalk], bands: dict[str, tuple[float, float]]
) -> list[MeasuredStatistic]:
    figures = []
    measures = {"shared_runs": shared_runs_across, "repeated_sentences": repeated_across}
    for name, measure in measures.items():
        says, band = ACROSS[name], bands[name]
        figures.append(MeasuredStatistic(name, TOPIC, says, measure(known), band, "reading"))
    return figures


def shared_runs_across(known: Sequence[KnownTalk]) -> float:
    """Which share of all samples' conversations has a run that another company's sample has."""
    groups: list[list[Held]] = []
    for talk in known:
        groups.append([run_set(talk, case) for case in sample_of(talk.talks, SAMPLE)])
    return share_in_others(groups)


def repeated_across(known: Sequence[KnownTalk]) -> float:
    """Which share of all customers' longer sentences stands in another company's org."""
    groups: list[list[Held]] = []
    for talk in known:
        groups.append([frozenset([text]) for _, text in customer_sentences(talk)])
    return share_in_others(groups)


def share_in_others(groups: Sequence[Sequence[Held]]) -> float:
    """Which share of the sets in all groups holds something that a set of another group holds."""
    holders: Counter[object] = Counter()
    for group in groups:
        holders.update(frozenset().union(*group))
    common = {item for item, count in holders.items() if count > 1}
    sets = [items for group in groups for items in group]
    return sum(not common.isdisjoint(items) for items in sets) / max(len(sets), 1)


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
