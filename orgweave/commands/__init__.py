"""The commands, a file each: EXAMPLES, `add` (its options) and `run` (what it does, its exit code).

`orgweave.cli` lists them.
"""
