"""Runs a user's Python pattern in a process of its own; imports nothing of ours.

Usage: ``python child.py FILE RANKS``; pairs go to stdout as int64.
"""

import os
import runpy
import sys


def main() -> None:
    """Write the pairs of ranks that the file's function ``edges`` gives."""
    path, ranks = sys.argv[1], int(sys.argv[2])
    out = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # what the file prints is no result
    import numpy as np

    made = runpy.run_path(path)
    pairs = made["edges"](ranks)
    ends = np.array([] if pairs is None else list(pairs))
    if ends.size:
        if ends.ndim != 2 or ends.shape[1] != 2 or ends.dtype.kind not in "iu":
            raise TypeError("edges(ranks) must give pairs of whole numbers")
        if ends.min() < 0 or ends.max() >= ranks:
            raise ValueError("edges(ranks) gives a rank outside 0 to ranks - 1")
    out.write(ends.astype(np.int64).tobytes())
    out.close()


if __name__ == "__main__":
    main()
