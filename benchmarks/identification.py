"""Time the identification of randomly renumbered lattices.

Run: ``python benchmarks/identification.py [--large]``

First the published worst case, a 6-point stencil of 23 x 23 ranks (4000 s with
VF2), beside networkx's VF2++ in the same run; VF2++ is given the right template
and only decides, topoview finds dims, periods, stencil and mapping among all.
Then a table over sizes; ``--large`` goes on to 131,072 ranks. Times are CPU seconds of
this process, the best of several runs.
"""

import argparse
import time
from collections.abc import Callable

import networkx as nx
import numpy as np
from scipy.sparse import coo_array

from topoview.model import CommunicationMatrix, Topology
from topoview.topology import identify, lattice
from topoview.topology.lattices.lattice import STENCILS

Case = tuple[tuple[int, ...], bool, str]

SMALL: list[Case] = [
    ((32, 32), False, "plain"),
    ((32, 32), True, "plain"),
    ((16, 8, 8), True, "plain"),
    ((2,) * 10, False, "plain"),
    ((32, 32), True, "6-point"),
    ((32, 32), False, "box"),
    ((16, 8, 8), False, "box"),
    ((16, 8, 8), True, "19-point"),
    ((128, 128), False, "plain"),
    ((32, 32, 16), True, "plain"),
    ((128, 128), True, "6-point"),
    ((32, 32, 16), False, "box"),
]

LARGE: list[Case] = [
    ((512, 256), False, "plain"),
    ((64, 64, 32), True, "plain"),
    ((2,) * 17, False, "plain"),
    ((360, 360), True, "6-point"),
    ((360, 360), False, "box"),
    ((64, 64, 32), False, "box"),
    ((64, 64, 32), True, "19-point"),
]


def made(case: Case, seed: int = 1) -> tuple[Topology, CommunicationMatrix]:
    """Make a lattice and the matrix of a program that uses it, renumbered."""
    dims, periodic, stencil = case
    offsets = STENCILS[stencil](len(dims))
    topology = lattice(dims, (periodic,) * len(dims), offsets)
    n = topology.vertices
    ends = np.random.default_rng(seed).permutation(n)[topology.edges]
    pairs = (np.concatenate([ends[:, 0], ends[:, 1]]), np.concatenate(ends.T[::-1]))
    ones = np.ones(len(pairs[0]), np.int64)
    calls = coo_array((ones, pairs), shape=(n, n)).tocsr()
    volume = coo_array((4096 * ones, pairs), shape=(n, n)).tocsr()
    return topology, CommunicationMatrix.of_sparse(calls, volume)


def best_of(function: Callable[[], object], times: int) -> float:
    """CPU seconds of the fastest of several runs."""
    spent = []
    for _ in range(times):
        began = time.process_time()
        function()
        spent.append(time.process_time() - began)
    return min(spent)


def published_case() -> None:
    """Compare with VF2++ on the 6-point stencil of 23 x 23 ranks."""
    topology, matrix = made(((23, 23), True, "6-point"))
    seen = nx.from_scipy_sparse_array(matrix.calls + matrix.calls.T)
    template = nx.Graph(topology.edges.tolist())
    ours = best_of(lambda: identify(matrix), 20)
    theirs = best_of(lambda: nx.vf2pp_is_isomorphic(seen, template), 3)
    found = identify(matrix).best
    print(f"{topology.name}, randomly renumbered")
    print(f"  topoview finds {found.topology.name}: {1e3 * ours:9.2f} ms")
    print(f"  networkx VF2++, template given: {1e3 * theirs:9.2f} ms")
    print(f"  ratio {theirs / ours:.0f}\n")


def table(cases: list[Case]) -> None:
    """Time a list of cases."""
    print(f"{'ranks':>8} {'edges':>9} {'seconds':>9} {'us/edge':>8}  topology")
    for case in cases:
        topology, matrix = made(case)
        seconds = best_of(
            lambda m=matrix: identify(m), 3 if len(topology.edges) < 1e5 else 1
        )
        best = identify(matrix).best
        exact = "" if not best.missing and not best.extra else "  NOT EXACT"
        each = 1e6 * seconds / len(topology.edges)
        print(
            f"{topology.vertices:>8} {len(topology.edges):>9} {seconds:>9.4f} "
            f"{each:>8.2f}  {topology.name}: {best.topology.name}{exact}",
            flush=True,
        )


def main() -> None:
    """Run all."""
    parser = argparse.ArgumentParser(description="Time the identification.")
    parser.add_argument("--large", action="store_true", help="up to 131,072 ranks")
    args = parser.parse_args()
    for case in SMALL[:8]:  # compile
        identify(made(case)[1])
    published_case()
    table(SMALL + (LARGE if args.large else []))


if __name__ == "__main__":
    main()
