"""What a selection and a matrix cost, at growing numbers of ranks and calls.

``python benchmarks/linked.py [RANKS ...]``. Prints the best of three in
milliseconds, and how often the floor that is: one pass over the calls' regions and
times, which any answer must read. All of it runs behind the window.
"""

import sys
from collections.abc import Callable
from pathlib import Path
from time import perf_counter

from topoview.analysis.logical.positions import call_positions
from topoview.live.moments.moment import TimeCursor
from topoview.live.moments.window_sums import profile_within
from topoview.live.picking.occurrences import positions_at
from topoview.live.picking.selection import selected_messages, selected_spans
from topoview.model import Analysis, Trace, whole_part
from topoview.pipeline import Results, analyse
from topoview.scene.flat.matrix_pixels import (
    MatrixExtract,
    cell_pixels,
    extract_cells,
    order_matrix,
)
from topoview.scene.palette import THEMES
from topoview.session import CallFilter
from topoview.topology import communication_matrix, lattice

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests"))

from simulation import Program, simulate

SHAPES = {1_000: ((10, 10, 10), 100), 10_000: ((25, 20, 20), 40)}
LARGEST = ((50, 50, 40), 8)
PIXELS = 800
POSITIONED = 10_000
"""Most ranks of which the logical trace is made here."""


def best(work: Callable[[], object]) -> float:
    """Give the shortest time of three, in milliseconds."""
    work()
    found = []
    for _ in range(3):
        start = perf_counter()
        work()
        found.append(perf_counter() - start)
    return 1e3 * min(found)


def tell(ranks: int) -> None:
    """Measure a torus of so many ranks."""
    dims, iterations = SHAPES.get(ranks, LARGEST)
    trace = simulate(Program(lattice(dims, (True,) * 3), iterations=iterations))
    floor = best(lambda: (trace.calls.region.sum(), trace.calls.enter.sum()))
    matrix = communication_matrix(trace).calls
    order = order_matrix("rank", trace, None)
    results = Results(trace)
    results.make("profile")  # and the waits that it is made of
    sends, half = CallFilter(operation="Isend"), (0, trace.clock.length // 2)

    def spans() -> None:
        selected_spans(trace, None, sends)

    def picture(count: int) -> None:
        shown = extract_cells(matrix, order, MatrixExtract(0, 0, count), PIXELS)
        cell_pixels(shown, THEMES["light"])

    parts = {
        "calls of an operation": best(spans),
        "its messages": best(lambda: selected_messages(trace, None, wanted=sends)),
        "matrix of half of the run": best(
            lambda: communication_matrix(
                trace, selected_messages(trace, None, window=half)
            )
        ),
        "profile": best(lambda: results.make_part("profile")),
        "profile of half of the run": best(
            lambda: profile_within(Analysis(trace), half)
        ),
        "picture of the matrix": best(lambda: picture(trace.ranks)),
        "picture of 200 ranks of it": best(lambda: picture(200)),
    }
    if trace.ranks <= POSITIONED:
        parts |= _positions(trace)
    print(
        f"{trace.ranks:,} ranks, {len(trace.calls):,} calls, "
        f"{matrix.nnz:,} pairs; floor {floor:.1f} ms"
    )
    for name, spent in parts.items():
        print(f"  {name:28} {spent:9.1f} ms {spent / floor:8.1f} floors")


def _positions(trace: Trace) -> dict[str, float]:
    *_, known = analyse(trace)
    logical, placed = known.logical, known.positions
    assert logical is not None
    assert placed is not None
    middle = trace.clock.length // 2
    return {
        "positions of all calls": best(
            lambda: call_positions(whole_part(trace), logical)
        ),
        "positions at a time": best(
            lambda: positions_at(TimeCursor(trace), placed, middle)
        ),
    }


if __name__ == "__main__":
    for wanted in map(int, sys.argv[1:] or ("1000", "10000", "100000")):
        tell(wanted)
