"""`python -m orgweave`: the command line, which is the same as that of `python -m pipeline`."""

import sys

from pipeline.__main__ import main

if __name__ == "__main__":
    sys.exit(main())
