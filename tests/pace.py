"""How slow this machine is just now, against the one whose seconds the bounds are in.

A bound in seconds means a machine. This does a fixed piece of work of the kind that a run does,
and tells how many times as long it takes here: seconds are then compared at the same pace. Knows
nothing of the program.

    python -m tests.pace
"""

import json
import random
import re
import time

# The processor seconds of the work on the server on which the bounds were set. Not timed there: one
# commit's `plan --scale 1000` and second `generate` took 1.66 and 0.80 s there, and 2.9 times as
# long, 4.8 and 2.35 s, on a machine that takes 0.173 s for this work.
SECONDS_THERE = 0.06
TRIES = 5
ROWS = 6_000
WORD = re.compile(r"[a-z]+")


def pace() -> float:
    """How many times as long the work takes here as there: the best of some tries."""
    return min(_spent() for _ in range(TRIES)) / SECONDS_THERE


def _spent() -> float:
    started = time.process_time()
    _work()
    return time.process_time() - started


def _work() -> int:
    """Draws rows, writes and reads them, counts their words and sorts them."""
    rng = random.Random(1)
    rows = []
    for number in range(ROWS):
        words = [f"{rng.choice('abcdef')}{rng.randrange(900)}word" for _ in range(8)]
        rows.append({"Id": number, "text": " ".join(words), "price": round(rng.random(), 4)})
    counts: dict[str, int] = {}
    for row in json.loads(json.dumps(rows)):
        for word in WORD.findall(row["text"]):
            counts[word] = counts.get(word, 0) + 1
    return len(sorted(rows, key=lambda row: str(row["text"]))) + len(counts)


if __name__ == "__main__":
    print(f"{pace():.2f}")
