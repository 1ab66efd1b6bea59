"""Notes on records: one of each of the alternatives, on as many records as asked for."""

import numpy as np

from latent.notes import noted, worded
from pipeline.world.streams import stream


def test_a_note_has_one_of_each_of_its_alternatives() -> None:
    """Alternatives stand in brackets; brackets without any stay; `#` is a digit."""
    rng = stream(1, "notes", "toy")
    made = {worded("Paid (cash|by card), (PO 1) of #.", rng) for _ in range(200)}
    beginnings = {text.partition(",")[0] for text in made}
    assert beginnings == {"Paid cash", "Paid by card"}
    assert len(made) == 20 and all("(PO 1) of " in text for text in made)


def test_a_share_of_the_records_has_a_note() -> None:
    """The others have none, and where nothing is listed all have none."""
    rng = stream(1, "notes", "toy")
    found = noted(rng, ("Called.", "Wrote."), 4_000, 0.3)
    written = np.array([note is not None for note in found])
    assert 0.27 < written.mean() < 0.33
    assert set(found[written]) == {"Called.", "Wrote."}
    assert not any(noted(rng, (), 10, 1.0))
