#!/usr/bin/env python3
"""Count how often each sentence is said of runs with and without what it says.

Prints the table of docs/methods/claims.md, of so many runs of each kind: 1,000 take
about 15 minutes of processor time; tests look at 40. Seeds are 0, 1, 2, ...
"""

import argparse
import sys
from collections import Counter
from concurrent.futures import ProcessPoolExecutor
from itertools import product
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests"))

from null_runs import KINDS, NULLS, ROWS, count_sentences


def main() -> None:
    """Run them all."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=1000)
    parser.add_argument("--processes", type=int, default=2)
    args = parser.parse_args()
    together = -(-args.runs // len(NULLS))  # kinds that make up one thousand
    runs = {kind: together if kind in NULLS else args.runs for kind in KINDS}
    parts = list(product(runs, range(args.processes)))
    said: dict[str, Counter[str]] = {kind: Counter() for kind in runs}
    with ProcessPoolExecutor(args.processes) as processes:
        seeds = [range(k, runs[kind], args.processes) for kind, k in parts]
        parts_said = processes.map(count_sentences, (kind for kind, _ in parts), seeds)
        for (kind, _), counted in zip(parts, parts_said, strict=True):
            said[kind] += counted
            print(kind, dict(counted), file=sys.stderr, flush=True)
    print("| sentence | runs without | said of | planted | said of |")
    print("| -- | -- | -- | -- | -- |")
    for sentence, (kinds, plant) in ROWS.items():
        groups: dict[str, list[str]] = {}
        for kind in kinds:
            groups.setdefault("nothing" if kind in NULLS else kind, []).append(kind)
        counts = [
            f"{sum(said[kind][sentence] for kind in some)} of "
            f"{sum(runs[kind] for kind in some):,}"
            for some in groups.values()
        ]
        print(
            f"| {sentence} | {', '.join(groups)} | {', '.join(counts)} | "
            f"{plant} | {said[plant][sentence]:,} of {runs[plant]:,} |"
        )


if __name__ == "__main__":
    main()
