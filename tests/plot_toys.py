"""A plot that tests of conversations share: a sole that has come off, and what the desk knows."""

from latent.dialogue import Plot

LOOSE_SOLE = Plot(
    ending="granted",
    wish="refund",
    wants=True,
    cause="bond",
    signs=(("spot", "toe"), ("wear", "daily")),
    tells="spot",
)
