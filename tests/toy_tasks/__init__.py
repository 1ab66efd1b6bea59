"""A task to try the registry with: the file as it would stand in `orgweave/benchmark/tasks/`."""
