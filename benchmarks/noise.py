"""Time the identification of noisy lattices, beside that of the whole ones.

Run: ``python benchmarks/noise.py [--large]``

Each lattice loses 2 % of its edges and gets 2 % others, and is numbered at random.
The floor is the exact identification of the same lattice in the same run. Printed are
CPU seconds, the ratio to the floor, microseconds an edge (near linear if that hardly
grows), and the edits that were found of those that were made.
"""

import argparse

import numpy as np
from identification import Case, best_of, made
from scipy.sparse import coo_array

from topoview.model import CommunicationMatrix, Topology
from topoview.topology import identify

SMALL: list[Case] = [
    ((32, 32), True, "plain"),
    ((64, 64), True, "plain"),
    ((128, 128), True, "plain"),
    ((32, 32, 16), True, "plain"),
    ((8, 8, 16, 16), True, "plain"),
    ((128, 128), True, "6-point"),
    ((32, 32, 16), False, "box"),
]

LARGE: list[Case] = [
    ((362, 362), False, "plain"),
    ((64, 64, 32), True, "plain"),
    ((64, 64, 32), False, "box"),
    ((1024, 1024), True, "plain"),
]


def damaged(topology: Topology, share: float) -> tuple[CommunicationMatrix, int]:
    """Exchange a share of the edges for others; the matrix, and all edits."""
    rng = np.random.default_rng(1)
    n, m = topology.vertices, len(topology.edges)
    count = round(share * m)
    kept = topology.edges[rng.permutation(m)[count:]]
    others = rng.integers(0, n, (count, 2))
    others = others[others[:, 0] != others[:, 1]]
    ends = rng.permutation(n)[np.concatenate([kept, others])]
    pairs = (np.concatenate([ends[:, 0], ends[:, 1]]), np.concatenate(ends.T[::-1]))
    ones = np.ones(len(pairs[0]), np.int64)
    calls = coo_array((ones, pairs), shape=(n, n)).tocsr()
    volume = calls.copy()
    volume.data[:] = 4096
    return CommunicationMatrix.of_sparse(calls, volume), count + len(others)


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--large", action="store_true")
    args = parser.parse_args()
    print(f"{'lattice':42} {'edges':>9} {'s':>7} {'ratio':>6} {'us/edge':>8}  edits")
    for case in SMALL + (LARGE if args.large else []):
        topology, whole = made(case)
        matrix, edits = damaged(topology, 0.02)
        times = 3 if topology.vertices < 50_000 else 1
        identify(matrix)
        floor = best_of(lambda whole=whole: identify(whole), times)
        spent = best_of(lambda matrix=matrix: identify(matrix), times)
        best = identify(matrix).best
        print(
            f"{best.topology.name:42} {len(topology.edges):9} {spent:7.3f} "
            f"{spent / floor:6.1f} {1e6 * spent / len(topology.edges):8.2f}  "
            f"{best.missing + best.extra} of {edits}",
            flush=True,
        )


if __name__ == "__main__":
    main()
