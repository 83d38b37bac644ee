"""Time of a scrubbed frame: what each part of it takes, at growing numbers of ranks.

Run under a display: ``xvfb-run -a python benchmarks/scene.py [RANKS ...]``. Prints
medians in milliseconds and their shares: the search of all states at a time, that of
the foremost state since the last frame, the numbers of a colouring, who waits for
whom, the messages in flight, colours to VTK (and with rims and sizes), and VTK's
drawing (cubes at rest, dots in motion); then picking, and the first build with its
memory. The floor is the drawing alone: what remains if all else took no time.
"""

import resource
import sys
from collections.abc import Callable
from dataclasses import replace
from statistics import median
from time import perf_counter

import numpy as np
import pyvista
from scipy.sparse import csr_array

from topoview.analysis import Analysis
from topoview.analysis.colouring_table import Asked
from topoview.analysis.colouring_values import Values
from topoview.analysis.lateness import waits as waits_of
from topoview.analysis.moment import moment
from topoview.analysis.simulation import Program, simulate
from topoview.analysis.wait_chains import chains
from topoview.model import CommunicationMatrix, Match, Trace
from topoview.scene.detail import FULL
from topoview.scene.message_looks import flights
from topoview.scene.palette import THEMES
from topoview.scene.shading import by_state, by_values
from topoview.scene.topology_scene import TopologyScene
from topoview.topology import lattice, lay_out

SIDES = {1_000: (10, 10, 10), 10_000: (25, 20, 20), 100_000: (50, 50, 40)}
SIZE = (1200, 900)
DOTS = replace(FULL, smooth=False, glyphs=False)


def milliseconds(work: Callable[[int], object], rounds: int = 9) -> float:
    """Median time of a call, each with another number."""
    work(0)
    found = []
    for number in range(1, rounds + 1):
        start = perf_counter()
        work(number)
        found.append(perf_counter() - start)
    return 1e3 * median(found)


def silent_match(dims: tuple[int, ...]) -> tuple[Match, CommunicationMatrix]:
    """Place ranks on a grid, without edges: those are off at these sizes."""
    topology = lattice(dims, (False,) * len(dims))
    none = np.zeros((0, 2), np.int32)
    vertex = np.arange(topology.vertices, dtype=np.int32)
    match = Match(topology, vertex, len(topology.edges), none, none, 1.0, 1.0)
    empty = csr_array((topology.vertices, topology.vertices), dtype=np.int64)
    return match, CommunicationMatrix(empty, empty)


def run(dims: tuple[int, ...]) -> Trace:
    """Simulate a few iterations on a grid."""
    return simulate(Program(lattice(dims, (False,) * len(dims)), iterations=3))


def measure(ranks: int) -> None:
    """Print a line of times."""
    dims = SIDES.get(ranks) or (ranks, 1)
    trace = run(dims)
    match, matrix = silent_match(dims)
    known = Analysis(trace, matrix)
    layout = lay_out(match, matrix)
    plotter = pyvista.Plotter(off_screen=True, window_size=list(SIZE), lighting="none")
    window = plotter.render_window
    assert window is not None
    window.SetMultiSamples(0)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    start = perf_counter()
    scene = TopologyScene(plotter, "light", (float(SIZE[0]), float(SIZE[1])))
    scene.show(match, layout, matrix)
    theme, length = THEMES["light"], trace.clock.length
    times = np.linspace(0.3, 0.7, 11) * length
    shadings = [
        by_state(theme, moment(trace, int(t)).state, frozenset()) for t in times
    ]
    scene.colour(shadings[0])
    window.Render()
    build = perf_counter() - start
    grown = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before
    values = Values()

    def number(i: int) -> object:
        found = values.of("call", Asked(known, int(times[i]), (0, length)))
        assert found is not None
        return by_values(theme, found)

    def draw(i: int) -> None:
        scene.colour(shadings[i])
        window.Render()

    waits = waits_of(trace)
    assert waits is not None
    flying = flights(trace)

    def second(i: int) -> None:
        sizes = np.full(trace.ranks, 0.5 + i / 30)
        codes = np.full(trace.ranks, 1 + i, np.uint16)
        colours = ("#3f6bdb",) * 16
        more = replace(shadings[i], sizes=sizes, rims=codes, rim_colours=colours)
        scene.colour(more)

    search = milliseconds(lambda i: moment(trace, int(times[i])))
    since = milliseconds(lambda i: moment(trace, int(times[i]), int(times[i - 1])))
    chained = milliseconds(lambda i: chains(trace, waits, int(times[i])))
    flights_ = milliseconds(lambda i: flying.at(int(times[i])))
    numbers = milliseconds(number)
    rims = milliseconds(second)
    colours = milliseconds(lambda i: scene.colour(shadings[i]))
    still = milliseconds(draw, 5) - colours
    scene.reduce(DOTS)
    dots = milliseconds(draw, 5) - colours
    scene.reduce(FULL)
    pick = milliseconds(lambda i: scene.pick(SIZE[0] * (0.3 + i / 30), SIZE[1] / 2))
    frame = search + colours + dots
    print(
        f"{trace.ranks:>7} {search:8.2f} {since:8.2f} {numbers:8.2f} {chained:8.2f} "
        f"{flights_:8.2f} {colours:8.2f} {rims:8.2f} {still:8.1f} "
        f"{dots:8.1f} {frame:8.1f} {1000 / frame:6.1f} {dots / frame:6.0%} "
        f"{pick:7.2f} {build:7.2f} {grown / 1024:7.0f}"
    )
    scene.close()
    plotter.close()


def main() -> None:
    """Measure each size."""
    print(
        "  ranks   states    since  numbers   chains  flights  colours +2 more    "
        "cubes     dots    frame    fps  drawn    pick   build      MB"
    )
    for ranks in map(int, sys.argv[1:] or SIDES):
        measure(ranks)


if __name__ == "__main__":
    main()
