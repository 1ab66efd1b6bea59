"""The tests of orgweave, and what they share."""

import os

# As the command does before numpy is loaded: its library's threads, a thread a core, would wait for
# each other where every core has a test process of its own.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
