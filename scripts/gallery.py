#!/usr/bin/env python3
"""Draw the gallery of the documentation, geometries, colourings, and an idle wave.

    scripts/gallery.py [NAME ...]

The gallery's traces are simulated; colourings and the wave are of real ones. It needs
no display. Look at the pictures before you commit them.
"""

import argparse
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from gallery_colours import COLOUR_SHEETS, Shown
from PIL import Image, ImageDraw, ImageFont
from PySide6.QtGui import QImage
from scipy.sparse import csr_array
from scipy.sparse.csgraph import dijkstra

from topoview.base.text import plural
from topoview.model import Analysis, Geometry, TimeState, Topology, Trace
from topoview.pipeline import analyse
from topoview.session import SceneOptions, Selection
from topoview.topology import lattice
from topoview.topology.kinds.folded import folded_grid
from topoview.topology.kinds.groups import led_groups, linked_groups
from topoview.topology.kinds.sphere import cubed_sphere, sphere_of_triangles
from topoview.topology.lattices.lattice import plain
from topoview.topology.lattices.partial import partial_lattice
from topoview.ui.export.picture import render
from topoview.ui.export.render_spec import RenderSpec
from topoview.worker import open_trace
from topoview.worker.results import shown_of

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests"))

from simulation import Delay, Program, simulate

TREE = Path(__file__).resolve().parents[1]
IMAGES = TREE / "docs" / "images"
TRACES = TREE.parent / "shared" / "traces"
REPORTED = "sp-jacobi2d-6x6-idlewave"
"""Trace whose report the documentation shows, and how wide its pages are."""
REPORT_WIDTH = 860
REPORT = {"report-1", "report-2"}

SIZE = (640, 440)

WIDE = (780, 440)
"""The card of a selected rank has room beside the ranks."""

COMPUTE = 3e-3
"""Seconds of computation in each iteration of a simulated program."""

WAVE = "sp-jacobi2d-8x4-periodic-idlewave"

FONT = TREE / "resources" / "fonts" / "Inter-Medium.otf"


@dataclass(frozen=True)
class Piece:
    """A picture of the gallery.

    Attributes
    ----------
    late
        Where the ranks are that are delayed, as shares of a torus' dimensions: on
        the side that is seen. Empty: anywhere.
    theme, focus
        As in the session.
    """

    topology: Topology
    view: SceneOptions
    late: tuple[tuple[float, float], ...] = ()
    theme: str = "light"
    focus: frozenset[int] = frozenset()


def block(*dims: int, periodic: bool = False) -> Topology:
    """Grid or torus."""
    return lattice(dims, (periodic,) * len(dims))


def ocean(width: int, height: int) -> Topology:
    """Grid without two continents."""
    x, y = np.arange(width * height) % width, np.arange(width * height) // width
    west = (x - 0.2 * width) ** 2 + (y - 0.35 * height) ** 2 < (0.16 * height) ** 2 * 2
    east = (x - 0.7 * width) ** 2 / 3 + (y - 0.7 * height) ** 2 < (0.18 * height) ** 2
    return partial_lattice(
        (width, height), (False, False), plain(2), ~west & ~east & (x + 2 * y > 5)
    )


def corner_out(side: int) -> Topology:
    """Block without an octant."""
    half = np.indices((side,) * 3).reshape(3, -1) * 2 >= side
    held = ~(half[0] & ~half[1] & half[2])
    return partial_lattice((side,) * 3, (False,) * 3, plain(3), held)


PLAIN = SceneOptions(messages=False)
BLOCK = SceneOptions(messages=False, layout="grid")
WAITING = frozenset({int(TimeState.LATE_SENDER)})

SEEN = ((0.25, 0.42), (0.2, 0.15), (0.2, 0.72))

GALLERY = {
    "line-72": Piece(block(72), SceneOptions(layout="line")),
    "rows-72": Piece(block(72), SceneOptions()),
    "circle-72": Piece(block(72, periodic=True), SceneOptions()),
    "helix-72": Piece(block(72), SceneOptions(layout="helix")),
    "grid-24x24": Piece(block(24, 24), PLAIN),
    "grid-12x120": Piece(block(120, 12), PLAIN),
    "grid-100x100": Piece(block(100, 100), PLAIN),
    "torus-24x24": Piece(block(24, 24, periodic=True), PLAIN, SEEN),
    "torus-100x100": Piece(block(100, 100, periodic=True), PLAIN, SEEN, "dark"),
    "tube-24x24": Piece(lattice((24, 24), (True, False)), PLAIN),
    "sphere-720": Piece(sphere_of_triangles(6), PLAIN),
    "sphere-2880": Piece(sphere_of_triangles(12), PLAIN, theme="dark"),
    "sphere-8000": Piece(sphere_of_triangles(20), PLAIN),
    "block-5x5x5": Piece(block(5, 5, 5), PLAIN),
    "block-25x25x15": Piece(block(25, 25, 15), BLOCK, focus=WAITING),
    "folded-5x5x3x3": Piece(block(5, 5, 3, 3), PLAIN, theme="dark"),
}


def free(layout: str) -> Piece:
    """Draw the same program in a layout that any trace can have."""
    return Piece(
        block(16, 8, periodic=True), SceneOptions(layout=layout, messages=False)
    )


def arranged(
    topology: Topology,
    layout: str = "",
    **chosen: Any,  # noqa: ANN401 - fields of Geometry
) -> Piece:
    """Draw a program with something else than usual about its geometry."""
    geometry = Geometry(**chosen)
    return Piece(
        topology, SceneOptions(layout=layout, geometry=geometry, messages=False)
    )


SHEETS = {
    "domains": {
        made.name: Piece(made, PLAIN)
        for made in (
            ocean(24, 16),
            corner_out(6),
            cubed_sphere(8),
            folded_grid(32, 14),
            led_groups([6] * 8, lattice((8,), (True,))),
            linked_groups(4, 9),
        )
    },
    "layouts": {
        f"--layout {name}": free(name)
        for name in (
            *("line", "circle", "grid", "tube", "torus", "sphere", "cube", "helix"),
            *("ranks", "flat"),
        )
    },
    "arrangements": {
        "--spacing 1.8": arranged(block(6, 5, 4), spacing=1.8),
        "--slice z=1:2": arranged(block(6, 5, 4), ranges=((2, 1, 2),)),
        "--explode z=3": arranged(block(6, 5, 4), explode=2, apart=3.0),
        "--fold xyxy": arranged(block(4, 4, 3, 3), fold=(0, 1, 0, 1)),
        "--layout flat --wrap arcs": arranged(
            block(8, 6, periodic=True), "flat", wrap="arcs"
        ),
        "--layout flat --copies": arranged(
            block(8, 6, periodic=True), "flat", copies=True
        ),
    },
}
"""Pictures in one, by their topology or what is to be told to ``topoview render``."""


def wave_in(piece: Piece) -> tuple[Trace, int]:
    """Simulate a program with three delays, and a time when waves have spread."""
    topology = piece.topology
    n = topology.vertices
    places = (n // 3 + n // 7, n // 2 + n // 5, n // 9)
    if piece.late:
        wide, high = topology.dims
        places = tuple(int(x * wide) + int(y * high) * wide for x, y in piece.late)
    hops = max(3, int(distances(topology.edges, n, places[0]).max()) // 5)
    delays = tuple(Delay(rank, 2, COMPUTE * (hops + 3)) for rank in places)
    program = Program(topology, iterations=hops + 4, delays=delays, noise=0.0)
    trace = simulate(program)
    return trace, trace.clock.ticks(COMPUTE * (hops + 2.4))


def distances(edges: np.ndarray, n: int, start: int) -> np.ndarray:
    """Hops from one vertex to each."""
    graph = csr_array((np.ones(len(edges)), tuple(edges.T)), shape=(n, n))
    found = dijkstra(graph, directed=False, unweighted=True, indices=start)
    return found.astype(np.int64)


def draw(shown: Shown, size: tuple[int, int] = SIZE) -> QImage:
    """Draw the scene without a line below it."""
    of = (shown.time, shown.window, size, False, shown.view, shown.selection)
    spec = RenderSpec(*of, None, scale=2, theme=shown.theme, focus=shown.focus)
    return render(shown.analysis, spec)


def simulated(piece: Piece, told: str = "") -> Shown:
    """Simulate a program, and show waves in it."""
    trace, time = wave_in(piece)
    *_, known = analyse(trace)
    window = (0, trace.clock.length)
    return Shown(
        *(told, known, time, window, piece.view),
        theme=piece.theme,
        focus=piece.focus,
    )


def save(image: Image.Image, name: str) -> None:
    """Write a picture."""
    image.save(IMAGES / f"{name}.png", optimize=True)


def pillow(image: QImage) -> Image.Image:
    """Take a picture over from Qt."""
    image = image.convertToFormat(QImage.Format.Format_RGB888)
    size = (image.width(), image.height())
    data = bytes(image.constBits())
    return Image.frombuffer("RGB", size, data, "raw", "RGB", image.bytesPerLine(), 1)


def arrivals(known: Analysis) -> tuple[int, np.ndarray, np.ndarray]:
    """Follow the wave of the longest computation.

    Returns
    -------
    delayed : int
        Rank that computes longest at a stretch.
    hops : int64, shape (ranks,)
        Distance of each rank from it in the topology.
    arrival : int64, shape (ranks,)
        When each rank begins the first wait of at least half of that computation
        that goes on when half of it is over, in ticks; its beginning for the rank
        itself, -1 for none.
    """
    trace, ranks = known.trace, known.trace.ranks
    assert known.identification is not None
    line, offsets = trace.timeline, trace.timeline.offsets[: ranks + 1]
    length = np.diff(line.time, append=0)[: offsets[ranks]]
    length[offsets[1:] - 1] = 0
    state = line.state[: offsets[ranks]]
    longest = int(np.where(state == TimeState.COMPUTE, length, 0).argmax())
    delayed = int(np.searchsorted(offsets, longest, "right") - 1)
    begin, most = int(line.time[longest]), int(length[longest])
    hops = distances(known.identification.best.rank_edges, ranks, delayed)
    arrival = np.full(ranks, -1, np.int64)
    waits = (state != TimeState.COMPUTE) & (length > most / 2)
    waits &= line.time[: offsets[ranks]] + length > begin + most // 2
    for rank in range(ranks):
        own = np.flatnonzero(waits[offsets[rank] : offsets[rank + 1]])
        if len(own):
            arrival[rank] = line.time[offsets[rank] + own[0]]
    arrival[delayed] = begin
    return delayed, hops, arrival


def frames(known: Analysis) -> Iterator[Shown]:
    """Show the wave between its coming to one distance and to the next."""
    delayed, hops, arrival = arrivals(known)
    view, chosen = (
        SceneOptions(layout="flat", messages=False),
        Selection(ranks=(delayed,)),
    )
    window = (0, known.trace.clock.length)
    for hop in range(int(hops.max())):
        time = int(arrival[hops == hop].max() + arrival[hops == hop + 1].min()) // 2
        passed = known.trace.clock.seconds(time - int(arrival[delayed])) * 1e3
        waiting = int(((arrival <= time) & (arrival >= 0)).sum()) - 1
        told = f"after {passed:.1f} ms: {plural(waiting, 'rank')} wait, up to "
        told += f"{plural(hop, 'hop')} from rank {delayed}"
        if not waiting:
            told = f"after {passed:.1f} ms: rank {delayed} is late, nobody waits yet"
        yield Shown(told, known, time, window, view, chosen)


def wave() -> None:
    """Draw the wave of the real trace, frame beside frame."""
    *_, known = analyse(open_trace(TRACES / f"{WAVE}.tar.xz"))
    sheet("idle-wave", list(frames(known)), WIDE, 600)


def sheet(
    name: str, pieces: list[Shown], size: tuple[int, int] = SIZE, width: int = 445
) -> None:
    """Draw pictures side by side, two in a row, each with a line that tells of it.

    Parameters
    ----------
    name
        Of the file.
    pieces
        What they show.
    size
        Of each as it is drawn.
    width
        Of each in the sheet.
    """
    height, line = width * size[1] // size[0], 26
    rows = (len(pieces) + 1) // 2
    made = Image.new("RGB", (2 * width, rows * (height + line)), "white")
    pen, font = ImageDraw.Draw(made), ImageFont.truetype(FONT, 14)
    for number, piece in enumerate(pieces):
        x, y = number % 2 * width, number // 2 * (height + line)
        picture = pillow(draw(piece, size))
        small = picture.resize((width, height), Image.Resampling.LANCZOS)
        made.paste(small, (x, y + line))
        pen.line([(x, y), (x + width, y)], fill="#e3e6ea")
        pen.text((x + 12, y + 7), piece.told, "#1c2733", font)
    save(made, name)


def report() -> None:
    """Draw the first two pages of a report."""
    from topoview.ui.export.report.pdf import page_image
    from topoview.ui.export.report.save import make_document

    known = shown_of(TRACES / f"{REPORTED}.tar.xz")
    made = make_document(known)
    for number in range(2):
        image = page_image(made, number, REPORT_WIDTH)
        save(pillow(image), f"report-{number + 1}")


def comparison() -> None:
    """Draw how runs scale."""
    from topoview.analysis.comparing.scaling import scaling
    from topoview.report.run_comparison import RUN_RESULTS, run_of_results
    from topoview.report.scaling import scaling_lines
    from topoview.scene.flat.charts import scaling_chart
    from topoview.worker import results_of

    names = [f"ez-mg-{ranks}" for ranks in (8, 16, 128)]
    found = [results_of(TRACES / f"{name}.tar.xz", RUN_RESULTS) for name in names]
    _, points = scaling([run_of_results(one) for one in found], names)
    chart = scaling_chart(scaling_lines(points))
    (IMAGES / "scaling.svg").write_text(chart, "utf-8")


def main() -> None:
    """Draw what is asked for."""
    parser = argparse.ArgumentParser(description=__doc__)
    made = drawing()
    parser.add_argument("names", nargs="*", help=", ".join(made))
    names = parser.parse_args().names
    for name, draw_it in made.items():
        if not names or name in names or (name == "report" and REPORT & set(names)):
            draw_it()
            print(name)


def drawing() -> dict[str, Callable[[], None]]:
    """Give what draws each picture, by the name of its file."""
    made: dict[str, Callable[[], None]] = {
        "idle-wave": wave,
        "report": report,
        "scaling": comparison,
    }
    for name, pieces in SHEETS.items():
        made[name] = partial(simulated_sheet, name, pieces)
    for name, shown in COLOUR_SHEETS.items():
        made[name] = partial(colour_sheet, name, shown)
    for name, piece in GALLERY.items():
        made[f"gallery-{name}"] = partial(single, name, piece)
    return made


def simulated_sheet(name: str, pieces: dict[str, Piece]) -> None:
    """Draw pictures of simulated programs side by side."""
    sheet(name, [simulated(piece, told) for told, piece in pieces.items()])


def colour_sheet(name: str, shown: Callable[[], Iterator[Shown]]) -> None:
    """Draw colourings side by side."""
    sheet(name, list(shown()))


def single(name: str, piece: Piece) -> None:
    """Draw a picture of the gallery."""
    picture = pillow(draw(simulated(piece)))
    save(picture.resize(SIZE, Image.Resampling.LANCZOS), f"gallery-{name}")


if __name__ == "__main__":
    main()
