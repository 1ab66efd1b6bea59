"""Hidden causes: one file a latent variable, found through `latent.registry`."""
