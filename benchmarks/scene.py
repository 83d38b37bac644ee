"""Time of a frame of the scene, and of its parts, at growing numbers of ranks.

Run under a display: ``xvfb-run -a python benchmarks/scene.py [RANKS ...]``. Prints
milliseconds, wall and processor (of all threads, which tells more on a machine that
others use): the parts of frames in motion (the camera turns, time runs), and what may
come to them; the floor of the same run is a bare VTK frame of as many points or cubes,
without anything of topoview. Then identification, layout and the first picture with
their memory. `scene_window.py` tells of frames in the real window.
"""

import resource
import sys
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from time import perf_counter, process_time
from typing import Any

import numpy as np
import pyvista
from scipy.sparse import csr_array
from vtkmodules.vtkRenderingCore import vtkActor, vtkGlyph3DMapper, vtkPolyDataMapper

from topoview.analysis.waits.states import wait_states as waits_of
from topoview.live.colourings.scales import ColouringRequest
from topoview.live.colourings.table import ColouringValues
from topoview.live.moments.messages import message_flights
from topoview.live.moments.moment import TimeCursor, moment
from topoview.live.moments.wait_chains import wait_chains
from topoview.model import (
    Analysis,
    CommunicationMatrix,
    Floats,
    Layout,
    Match,
    Pose,
    Trace,
)
from topoview.pipeline import first_look
from topoview.scene.actors import CodeArray, scene_light
from topoview.scene.camera import SceneCamera, pixels_per_unit
from topoview.scene.palette import THEMES
from topoview.scene.shading import shade_by_state, shade_by_values
from topoview.scene.topology_scene import TopologyScene
from topoview.topology import identify, lattice, lay_out
from topoview.ui.panels.scene.plotter import make_view

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests"))

from simulation import SIDES, grid_program, simulate

SIZES = ((890, 420), (1400, 690))
"""Pixels of the scene in windows of 1280 x 800 and of 1920 x 1080."""

MAX_RANKS_AS_CUBES = 100_000
"""Ranks up to which the floor has cubes: of more it takes seconds."""


@dataclass(frozen=True)
class Took:
    """Milliseconds of a call, the best of several, and of the processor for it."""

    best: float
    spent: float

    def line(self, name: str) -> str:
        """Write it beside a name."""
        return f"  {name:44} {self.best:9.2f} {self.spent:9.2f}"


def milliseconds(work: Callable[[int], object], rounds: int = 7) -> Took:
    """Time a call, each with another number; the first one is not counted."""
    work(0)
    wall, spent = [], []
    for number in range(1, rounds + 1):
        start, used = perf_counter(), process_time()
        work(number)
        wall.append(1e3 * (perf_counter() - start))
        spent.append(1e3 * (process_time() - used))
    return Took(min(wall), min(spent))


def floor(places: Floats, pose: Pose, pixels: float, size: tuple[int, int]) -> None:
    """Time bare VTK frames: points and cubes of so many pixels, seen from a pose."""
    unit = pixels / pixels_per_unit(pose, np.array([pose.focal]), size[1])[0]
    cloud = pyvista.PolyData(places.astype(np.float32))
    for cubes in (False, True)[: 1 + (len(places) <= MAX_RANKS_AS_CUBES)]:
        view = make_view(size)
        window = view.window
        codes = CodeArray(len(places))
        cloud.GetPointData().SetScalars(codes.array)
        mapper: Any = vtkGlyph3DMapper() if cubes else vtkPolyDataMapper()
        mapper.SetInputData(cloud)
        if cubes:
            mapper.SetSourceData(pyvista.Cube())
            mapper.SetScaleFactor(unit)
            mapper.ScalingOn()
            view.renderer.AddLight(scene_light())
        actor = vtkActor()
        actor.SetMapper(mapper)
        actor.GetProperty().SetPointSize(max(pixels, 1.0))
        view.renderer.AddActor(actor)
        SceneCamera(view.renderer, size).place(pose, 0.1, 2 * pose.distance)

        def draw(number: int, codes: CodeArray = codes, window: Any = window) -> None:  # noqa: ANN401
            codes.set(np.full(len(codes.values), number, np.uint16))
            window.Render()
            window.WaitForCompletion()

        took = milliseconds(draw, 3)
        print(took.line(f"floor: bare VTK {'cubes' if cubes else 'points'}"))
        view.close()


def grown() -> float:
    """Most memory so far, in GB."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20


def identified(dims: tuple[int, ...]) -> tuple[Match, CommunicationMatrix, Layout]:
    """Identify a grid whose ranks are numbered at random, and lay it out."""
    topology = lattice(dims, (False,) * len(dims))
    order = np.random.default_rng(1).permutation(topology.vertices)
    ends = order[topology.edges]
    both = tuple(np.concatenate((ends, ends[:, ::-1])).T)
    calls = csr_array((np.ones(len(both[0]), np.int64), both), (len(order),) * 2)
    matrix = CommunicationMatrix.of_sparse(calls, 4096 * calls)
    start, used = perf_counter(), process_time()
    match = identify(matrix).best
    middle, spent = perf_counter(), process_time()
    layout = lay_out(match, matrix)
    print(
        f"{len(order)} ranks: identified as {match.topology.name} in "
        f"{middle - start:.1f} s ({spent - used:.1f} s of processor), laid out in "
        f"{perf_counter() - middle:.1f} s ({process_time() - spent:.1f} s); "
        f"{grown():.1f} GB at most so far"
    )
    return match, matrix, layout


def measure(ranks: int) -> None:
    """Print times of one number of ranks."""
    dims = SIDES.get(ranks) or (ranks, 1)
    match, matrix, layout = identified(dims)
    trace = simulate(grid_program(ranks))
    for size in SIZES:
        frames(trace, match, matrix, layout, size)
    searches(replace(first_look(trace), matrix=matrix))


def times_of(trace: Trace) -> Floats:
    """Choose times to show."""
    found: Floats = np.linspace(0.3, 0.7, 9) * trace.clock.length
    return found


def frames(
    trace: Trace,
    match: Match,
    matrix: CommunicationMatrix,
    layout: Layout,
    size: tuple[int, int],
) -> None:
    """Print times of frames of so many pixels."""
    times = times_of(trace)
    view = make_view(size)
    window: Any = view.window
    start, used = perf_counter(), process_time()
    scene = TopologyScene(view.renderer, "light", size, rays=True)
    scene.show(match, layout, matrix)

    def colour(i: int) -> None:
        state = moment(trace, int(times[i])).state
        scene.colour(shade_by_state(THEMES["light"], state, frozenset()))

    def draw(_: object = None) -> None:
        window.Render()
        window.WaitForCompletion()

    def rest(_: int) -> None:
        asked = scene.ask_fine()
        if asked is not None:
            asked.answer()

    colour(0)
    draw()
    print(
        f" {size[0]} x {size[1]} pixels: first picture in "
        f"{perf_counter() - start:.2f} s ({process_time() - used:.2f} s of "
        f"processor); {grown():.1f} GB at most so far"
    )
    home = scene.pose
    parts: dict[str, Callable[[int], object]] = {
        "the camera turns: a frame": lambda i: draw(
            scene.look_with(replace(home, azimuth=home.azimuth + 2 * i))
        ),
        "time runs: a frame": lambda i: draw(colour(i)),
        "  of it states and colours": colour,
        "finer picture at rest, in a thread": rest,
        "picking": lambda i: scene.pick(size[0] * (0.3 + i / 30), size[1] / 2),
        "selecting 100 ranks, and a frame": lambda i: draw(
            scene.mark(tuple(range(i, i + 100)))
        ),
    }
    for name, work in parts.items():
        print(milliseconds(work).line(name))
    floor(scene.places, home, 2 * scene.reach_pixels, size)
    scene.close()
    view.close()


def searches(known: Analysis) -> None:
    """Print times of what is looked up for a frame."""
    trace, length = known.trace, known.trace.clock.length
    times, waits = times_of(trace), waits_of(trace)
    assert waits is not None
    flying, cursor, values = (
        message_flights(known),
        TimeCursor(trace),
        ColouringValues(),
    )

    def number(i: int) -> object:
        found = values.of("call", ColouringRequest(known, int(times[i]), (0, length)))
        assert found is not None
        return shade_by_values(THEMES["light"], found)

    parts: dict[str, Callable[[int], object]] = {
        "states of all ranks": lambda i: moment(trace, int(times[i])),
        "foremost states since a frame": lambda i: moment(
            trace, int(times[i]), int(times[i - 1])
        ),
        "numbers of a colouring": number,
        "who waits for whom": lambda i: wait_chains(cursor, waits, int(times[i])),
        "messages in flight": lambda i: flying.at(int(times[i])),
    }
    for name, work in parts.items():
        print(milliseconds(work).line(name))


def main() -> None:
    """Measure each size."""
    print(f"{'milliseconds':46} {'best':>9} {'processor':>9}")
    for ranks in map(int, sys.argv[1:] or SIDES):
        measure(ranks)


if __name__ == "__main__":
    main()
