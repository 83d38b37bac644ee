"""Time of a scrubbed frame: what each part of it takes, at growing numbers of ranks.

Run under a display: ``xvfb-run -a python benchmarks/scene.py [RANKS ...]``. Prints
milliseconds, the best and the median of nine: the parts of a frame in motion with
their shares (the search of all states, colours to VTK, VTK's drawing of dots), and
what may come to it; the floor of the same run is a bare VTK frame of as many points
or cubes, without anything of topoview. Then the first build with its memory.
`scene_window.py` tells of frames in the real window. With ``GALLIUM_NOOP=true`` Mesa
draws nothing: what is left is the processor's part, the least on any graphics card.
"""

import resource
import sys
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from statistics import median
from time import perf_counter
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
from topoview.model import CommunicationMatrix, Floats, Match, Pose, Trace
from topoview.pipeline import first_look
from topoview.scene.actors import CodeArray, scene_light
from topoview.scene.camera import SceneCamera, pixels_per_unit
from topoview.scene.level_of_detail import FULL_DETAIL
from topoview.scene.palette import THEMES
from topoview.scene.shading import shade_by_state, shade_by_values
from topoview.scene.topology_scene import TopologyScene
from topoview.topology import lattice, lay_out

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests"))

from simulation import Program, simulate

SIDES = {1_000: (10, 10, 10), 10_000: (25, 20, 20), 100_000: (50, 50, 40)}
SIZE = (1200.0, 900.0)
PIXELS = [1200, 900]
DOTS = replace(FULL_DETAIL, smooth=False, glyphs=False)


@dataclass(frozen=True)
class Took:
    """Milliseconds of a call: the best and the median of several."""

    best: float
    median: float

    def line(self, name: str, frame: float = 0.0) -> str:
        """Write it beside a name, and its share of a frame if it is part of one."""
        share = f"{self.best / frame:8.0%}" if frame else ""
        return f"  {name:36} {self.best:9.2f} {self.median:9.2f}{share}"


def milliseconds(work: Callable[[int], object], rounds: int = 9) -> Took:
    """Time a call, each with another number; the first one is not counted."""
    work(0)
    found = []
    for number in range(1, rounds + 1):
        start = perf_counter()
        work(number)
        found.append(1e3 * (perf_counter() - start))
    return Took(min(found), median(found))


def less(whole: Took, part: Took) -> Took:
    """Take a part off."""
    return Took(whole.best - part.best, whole.median - part.median)


def floor(places: Floats, pose: Pose, pixels: float) -> tuple[Took, Took]:
    """Time bare VTK frames: points and cubes of so many pixels, seen from a pose."""
    unit = pixels / pixels_per_unit(pose, np.array([pose.focal]), SIZE[1])[0]
    found = []
    cloud = pyvista.PolyData(places.astype(np.float32))
    for cubes in (False, True):
        plotter = pyvista.Plotter(off_screen=True, window_size=PIXELS, lighting="none")
        window = plotter.render_window
        assert window is not None
        window.SetMultiSamples(0)
        codes = CodeArray(len(places))
        cloud.GetPointData().SetScalars(codes.array)
        mapper: Any = vtkGlyph3DMapper() if cubes else vtkPolyDataMapper()
        mapper.SetInputData(cloud)
        if cubes:
            mapper.SetSourceData(pyvista.Cube())
            mapper.SetScaleFactor(unit)
            mapper.ScalingOn()
            plotter.renderer.AddLight(scene_light())
        actor = vtkActor()
        actor.SetMapper(mapper)
        actor.GetProperty().SetPointSize(max(pixels, 1.0))
        plotter.renderer.AddActor(actor)
        plotter.camera_set = True
        SceneCamera(plotter.renderer, SIZE).place(pose, 0.1, 2 * pose.distance)

        def draw(number: int, codes: CodeArray = codes, window: Any = window) -> None:  # noqa: ANN401
            codes.set(np.full(len(codes.values), number, np.uint16))
            window.Render()
            window.WaitForCompletion()

        found.append(milliseconds(draw, 5))
        plotter.close()
    return found[0], found[1]


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
    known = replace(first_look(trace), matrix=matrix)
    layout = lay_out(match, matrix)
    plotter = pyvista.Plotter(off_screen=True, window_size=PIXELS, lighting="none")
    window = plotter.render_window
    assert window is not None
    window.SetMultiSamples(0)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    start = perf_counter()
    scene = TopologyScene(plotter, "light", SIZE)
    scene.show(match, layout, matrix)
    theme, length = THEMES["scene_light"], trace.clock.length
    times = np.linspace(0.3, 0.7, 11) * length
    shadings = [
        shade_by_state(theme, moment(trace, int(t)).state, frozenset()) for t in times
    ]
    scene.colour(shadings[0])
    window.Render()
    window.WaitForCompletion()
    build = perf_counter() - start
    grown = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before
    values = ColouringValues()

    def number(i: int) -> object:
        found = values.of("call", ColouringRequest(known, int(times[i]), (0, length)))
        assert found is not None
        return shade_by_values(theme, found)

    def draw(i: int) -> None:
        scene.colour(shadings[i])
        window.Render()
        window.WaitForCompletion()

    waits = waits_of(trace)
    assert waits is not None
    flying, cursor = message_flights(known), TimeCursor(trace)

    def second(i: int) -> None:
        sizes = np.full(trace.ranks, 0.5 + i / 30)
        codes = np.full(trace.ranks, 1 + i, np.uint16)
        colours = ("#3f6bdb",) * 16
        more = replace(shadings[i], sizes=sizes, rims=codes, rim_colours=colours)
        scene.colour(more)

    search = milliseconds(lambda i: moment(trace, int(times[i])))
    colours = milliseconds(lambda i: scene.colour(shadings[i]))
    scene.reduce(DOTS)
    dots = less(milliseconds(draw), colours)
    scene.reduce(FULL_DETAIL)
    frame = search.best + colours.best + dots.best
    points, cubes = floor(scene.places, scene.pose, 2 * scene.reach_pixels)
    capabilities = window.ReportCapabilities().splitlines()
    print(*(line for line in capabilities if "renderer string" in line))
    print(
        f"{trace.ranks} ranks: {1e3 / frame:.0f} frames a second in motion; "
        f"first build {build:.2f} s, {grown / 1024:.0f} MB"
    )
    print(search.line("states of all ranks", frame))
    print(colours.line("colours to VTK", frame))
    print(dots.line("VTK draws dots", frame))
    print(points.line("floor: bare VTK points"))
    print(less(milliseconds(draw, 5), colours).line("VTK draws shapes, at rest"))
    print(cubes.line("floor: bare VTK cubes"))
    parts: dict[str, Callable[[int], object]] = {
        "foremost states since a frame": lambda i: moment(
            trace, int(times[i]), int(times[i - 1])
        ),
        "numbers of a colouring": number,
        "who waits for whom": lambda i: wait_chains(cursor, waits, int(times[i])),
        "messages in flight": lambda i: flying.at(int(times[i])),
        "colours, rims and sizes to VTK": second,
        "picking": lambda i: scene.pick(SIZE[0] * (0.3 + i / 30), SIZE[1] / 2),
    }
    for name, work in parts.items():
        print(milliseconds(work).line(name))
    scene.close()
    plotter.close()


def main() -> None:
    """Measure each size."""
    print(f"{'milliseconds':38} {'best':>9} {'median':>9}   share")
    for ranks in map(int, sys.argv[1:] or SIDES):
        measure(ranks)


if __name__ == "__main__":
    main()
