"""The commands, a file each: HELP, `add` (its options) and `run` (what it does, its exit code).

`orgweave.cli` lists them.
"""
