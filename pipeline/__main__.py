"""`python -m pipeline`: the command line, which is the same as that of `orgweave`."""

import gc
import os
import sys


def main() -> int:
    """The exit code of the command line, or 2 where a foreign package would be imported."""
    # Nothing here multiplies matrices, for which numpy's library reserves memory for a thread a
    # core when it is loaded; where it gets none, it interrupts the process as Ctrl-C does.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    # What is imported lives to the end: to look for circles in it takes a tenth of the time.
    gc.disable()
    try:
        from orgweave.cli import run
    except ImportError as error:
        # `orgweave` refuses to be imported where a foreign package stands in for one of its own.
        if error.name != "orgweave":
            raise
        print(error, file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        return 130
    code = run(sys.argv[1:], _collect_seldom)
    # The process ends, and gives back all its memory at once: to look for circles in it on the way
    # out takes a tenth of a second.
    gc.freeze()
    return code


def _collect_seldom() -> None:
    """Looks for circles again, but not in what is imported.

    Nearly all that a run makes lives to its end; to look for circles in it after every 700 objects
    takes a tenth of its time. What a run imports and reads before its first text are 160,000
    objects, which live to the end as well.
    """
    gc.freeze()
    gc.set_threshold(200_000, 20, 20)
    gc.enable()


if __name__ == "__main__":
    sys.exit(main())
