"""The commands, a file each: HELP, `add` (its options) and `run` (what it does, its exit code). `pipeline.cli` lists them."""
