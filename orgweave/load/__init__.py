"""Loads a finished org into a CRM by its REST API.

Begin at `load`; `client` is the seam to the network, `idmap` the memory.
"""
