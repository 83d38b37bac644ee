#!/usr/bin/env python3
"""Count how often each sentence is said of runs with and without what it says.

Prints the table of docs/methods/claims.md, of so many runs of each kind (1,000, which
take an hour; tests look at 40).
"""

import argparse
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests"))

from null_runs import NULLS, OTHER_NULLS, ROWS, count_sentences


def main() -> None:
    """Run them all."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=1000)
    runs = parser.parse_args().runs
    each = -(-runs // len(NULLS))
    without = {}
    for name, simulate_run in NULLS.items():
        without[name] = count_sentences(simulate_run, range(each))
        print(name, dict(without[name]), file=sys.stderr, flush=True)
    for name, simulate_run in OTHER_NULLS.items():
        without[name] = count_sentences(simulate_run, range(runs))
    planted = {}
    for name, simulate_run in {row[1]: row[2] for row in ROWS.values()}.items():
        planted[name] = count_sentences(simulate_run, range(runs))
        print(name, dict(planted[name]), file=sys.stderr, flush=True)
    print("| sentence | runs without | said of | planted | said of |")
    print("| -- | -- | -- | -- | -- |")
    for sentence, (kinds, plant, _) in ROWS.items():
        counted = sum(without[name][sentence] for name in kinds or NULLS)
        count = runs if kinds else each * len(NULLS)
        print(
            f"| {sentence} | {', '.join(kinds) or 'all'} | {counted} of {count} | "
            f"{plant} | {planted[plant][sentence]} of {runs} |"
        )


if __name__ == "__main__":
    main()
