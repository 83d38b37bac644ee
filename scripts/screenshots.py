#!/usr/bin/env python3
"""Draw the pictures of the documentation from the demo, or from another trace.

Needs a display; ``xvfb-run -a -s "-screen 0 1920x1200x24" scripts/screenshots.py``
where there is none. Look at the pictures before you commit them. Those that show
more than the demo has are drawn from real traces, where these are.
"""

import argparse
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from PySide6.QtCore import QEventLoop, QPointF, Qt
from PySide6.QtWidgets import QApplication, QDockWidget, QWidget

from topoview.base.resources import demo_trace
from topoview.live.picking.picked import changes_to_pick
from topoview.live.waits.delays import changes_at_first, shown_front
from topoview.model import Geometry, MachineChoice, TimeState
from topoview.session import Note, Picked
from topoview.ui.actions.general import open_manual
from topoview.ui.export.film_dialog import FilmDialog, ask_for_film
from topoview.ui.export.picture import save_image
from topoview.ui.export.picture_dialog import PictureDialog, ask_for_picture
from topoview.ui.panels.logical.comparison import CompareJob, ComparisonDialog
from topoview.ui.panels.logical.timelines import TimelinesPage
from topoview.ui.panels.network.panel import NetworkPanel
from topoview.ui.panels.options import (
    DelayOptions,
    FindOptions,
    IterationOptions,
    MatrixPart,
    NetworkOptions,
    StatisticsOptions,
    TopologyOptions,
)
from topoview.ui.panels.profile.statistics import StatisticsPanel
from topoview.ui.shell.screenshots import complete_window, settle
from topoview.ui.shell.window import MainWindow
from topoview.ui.widgets.manual import Manual

TREE = Path(__file__).resolve().parents[1]
IMAGES = TREE / "docs" / "images"
TRACES = TREE.parent / "shared" / "traces"

Step = Callable[[MainWindow], QWidget]


def whole(window: MainWindow) -> QWidget:
    """Show everything."""
    return window


def wave(window: MainWindow) -> QWidget:
    """Show everything, in the order in which a wave is one front."""
    window.session.select(ranks=(delayed(window),))
    window.session.order_rows("distance")
    return window


def scene(window: MainWindow) -> QWidget:
    """Show the scene alone."""
    assert window.workspace is not None
    return window.workspace.scene


def waits(window: MainWindow) -> QWidget:
    """Show the scene coloured by the length of the waits."""
    window.session.select()
    window.session.change("scene", colouring="wait")
    return fitted(window)


def delayed(window: MainWindow) -> int:
    """Find the rank that computes longest."""
    known = window.session.state.analysis
    assert known is not None
    line, ranks = known.trace.timeline, known.trace.ranks
    lengths = np.diff(line.time, append=0)[: line.offsets[ranks]]
    lengths[line.state[: len(lengths)] != TimeState.COMPUTE] = 0
    found = np.searchsorted(line.offsets, int(lengths.argmax()), side="right") - 1
    return int(found)


def palette(window: MainWindow) -> QWidget:
    """Show the command palette."""
    window.command_palette.open()
    window.command_palette.field.setText("zo")
    return window


def keys(window: MainWindow) -> QWidget:
    """Show the list of keys."""
    window.command_palette.close_palette()
    window.key_help.toggle()
    return window


def phase(window: MainWindow) -> QWidget:
    """Show the second phase, as a click on it in the list of topologies does."""
    assert window.workspace is not None
    docks = [
        window.workspace.findChild(QDockWidget, n) for n in ("topology", "logical")
    ]
    window.workspace.resizeDocks(docks, [400, 400], Qt.Orientation.Vertical)
    window.workspace.open_panel("topology", shown=True)
    panel: Any = window.workspace.panel("topology")
    parts = [k for k, row in enumerate(panel.rows) if row.part is not None]
    panel.view.chosen.emit(parts[1])
    return window


def phase_matrix(window: MainWindow) -> QWidget:
    """Show the matrix of that phase, with collective operations."""
    window.session.update(scope="window")
    window.session.change(MatrixPart, collectives=True)
    tab("matrix", window)
    return floating("matrix", window, (560, 600))


def links(window: MainWindow) -> QWidget:
    """Show the load of the machine's links, torn off."""
    panel: NetworkPanel = tab("network", window)  # type: ignore[assignment]
    panel.take_machine(MachineChoice(kind="torus", dims="8x8"))
    return floating("network", window, (1000, 680))


def tiled(window: MainWindow) -> QWidget:
    """Show the same of the best mapping."""
    window.session.change(NetworkOptions, listing="mappings")
    panel: NetworkPanel = tab("network", window)  # type: ignore[assignment]
    settle(window)
    panel.view.clicked.emit(panel.model.index(1, 0))  # the best
    return floating("network", window, (1000, 680))


def floating(
    name: str, window: MainWindow, size: tuple[int, int] = (1000, 560)
) -> QWidget:
    """Tear a panel off."""
    assert window.workspace is not None
    dock = window.workspace.findChild(QDockWidget, name)
    dock.setFloating(True)
    dock.resize(*size)
    shown: QWidget = dock
    return shown


def why(window: MainWindow) -> QWidget:
    """Show why the topology is the answer, alone."""
    window.session.change(TopologyOptions, page="why")
    tab("topology", window)
    return floating("topology", window, (520, 420))


def tab(name: str, window: MainWindow) -> QWidget:
    """Show a panel that is behind another."""
    assert window.workspace is not None
    window.workspace.open_panel(name, shown=True)
    panel: QWidget = window.workspace.panel(name)
    return panel


def linked(window: MainWindow) -> QWidget:
    """Show everything, with the longest statement that sends selected."""
    known = window.session.state.analysis
    assert known is not None
    assert known.measured is not None
    share = known.measured.statements.share()
    own = [line for line in known.measured.lines if "Isend" in line.text]
    best = max((line.first for line in own), key=lambda s: float(share[s]))
    window.session.choose(statement=best)
    tab("logical", window)
    return window


def find(window: MainWindow) -> QWidget:
    """Show calls that were found, the longest of them brushed and the first picked."""
    window.session.change(FindOptions, text="Waitall > 3 ms", brush=(0.02, 0.04))
    panel = tab("find", window)
    settle(window)
    panel.step(1)  # type: ignore[attr-defined]
    return window


def iterations(window: MainWindow) -> QWidget:
    """Show waits by iteration and rank, torn off, with the directions of a Waitall."""
    window.session.change(IterationOptions, amount="wait", listed="outliers")
    window.session.choose(operation="Waitall")
    tab("iterations", window)
    return floating("iterations", window)


def statistics(window: MainWindow) -> QWidget:
    """Show how the time in MPI depends on the planes, the slowest one selected."""
    window.session.change(StatisticsOptions, by="plane", of="mpi")
    panel: StatisticsPanel = tab("statistics", window)  # type: ignore[assignment]
    settle(window)
    rows = panel.result.coordinates if panel.result is not None else ()
    slowest = max(rows, key=lambda row: row["slowest_seconds"])
    panel.planes.linkActivated.emit(slowest["slowest"])
    return window


def communicators(window: MainWindow) -> QWidget:
    """Show the tree of communicators beside ranks in their colours."""
    window.session.change("scene", colouring="communicator")
    tab("communicators", window)
    return window


def events(window: MainWindow) -> QWidget:
    """Show the list of events alone, of a rank inside of the grid."""
    window.session.select(ranks=(14,))
    return tab("events", window)


def shape(window: MainWindow) -> QWidget:
    """Show the scene with the card about its shape, some ranks left out."""
    assert window.workspace is not None
    window.workspace.scene.shape.toggle()
    chosen = Geometry(spacing=1.3, ranges=((0, 0, 2), (1, 0, 3), (2, 1, 3)))
    window.session.change("scene", geometry=chosen, messages=False)
    return window.workspace.scene


def second(window: MainWindow) -> QWidget:
    """Show two views of the same ranks side by side."""
    assert window.workspace is not None
    window.session.change("second", layout="circle")
    window.session.change("scene", messages=False)
    window.workspace.open_panel("second", shown=True)
    dock = window.workspace.findChild(QDockWidget, "second")
    window.workspace.resizeDocks([dock], [500], Qt.Orientation.Horizontal)
    return window


def dialog(window: MainWindow) -> QWidget:
    """Show what is asked when a picture is saved."""
    ask_for_picture(window.context)
    asked: QWidget = window.findChild(PictureDialog)
    return asked


def manual(window: MainWindow) -> QWidget:
    """Show the documentation in the window."""
    open_manual(window.context, "tutorials/idle-wave.md")
    shown: Manual = window.findChild(Manual)
    return shown


def film(window: MainWindow) -> QWidget:
    """Show what is asked when a film is saved."""
    ask_for_film(window.context)
    asked: FilmDialog = window.findChild(FilmDialog)
    asked.skip.setChecked(True)
    return asked


def compared(window: MainWindow) -> QWidget:
    """Show the timelines of two runs."""
    other = TRACES / "sp-jacobi2d-8x4-periodic-idlewave.tar.xz"
    job, ended = CompareJob(window.context, str(other)), QEventLoop()
    job.finished.connect(ended.quit)
    job.start()
    ended.exec()
    shown: ComparisonDialog = window.findChild(ComparisonDialog)
    page: TimelinesPage = shown.findChild(TimelinesPage)
    shown.tabs.setCurrentWidget(page)
    shown.resize(1200, 720)
    while not all(view.settled for view in page.views):
        QApplication.processEvents()
    return shown


def channels(window: MainWindow) -> QWidget:
    """Show rims and sizes that tell something else than the fill."""
    window.session.select()
    window.session.change("scene", outline="progress", size="wait", messages=False)
    return fitted(window)


def chains(window: MainWindow) -> QWidget:
    """Show who waits for whom, in colours that tell how long."""
    window.session.change("scene", colouring="held", chains=True, messages=False)
    return fitted(window)


def trails(window: MainWindow) -> QWidget:
    """Show messages with tails over edges as wide as their traffic."""
    window.session.change("scene", trails=True, message_colour="late", traffic=True)
    return fitted(window)


def fitted(window: MainWindow) -> QWidget:
    """Show the scene alone, a little farther off, with room for its keys."""
    assert window.workspace is not None
    shown = window.workspace.scene
    settle(window)
    shown.camera.wheel(-0.8, QPointF(shown.width() / 2, 60))
    return shown


def progress(window: MainWindow) -> QWidget:
    """Show the scene coloured by progress in the program."""
    window.session.select()
    window.session.change("scene", colouring="progress")
    return fitted(window)


def selection(window: MainWindow) -> QWidget:
    """Show all about a call that waited long for another rank that waits, and notes."""
    known = window.session.state.analysis
    assert known is not None
    assert known.waits is not None
    calls, waits = known.trace.calls, known.waits
    late = np.clip(waits.until - calls.enter, 0, calls.leave - calls.enter)
    call = int(np.argsort(-late)[3])
    middle = int(calls.enter[call] + calls.leave[call]) // 2
    around = 2 * int(late[call])
    picked = changes_to_pick(window.session.state, Picked("call", call))
    window.session.update(**picked)
    rank = window.session.state.selection.ranks[0]
    window.session.update(
        time=middle,
        window=(middle - around, middle + around),
        notes=(
            Note(rank, middle, "held up by the delay of rank 5"),
            Note(2, middle + around // 2, "the wave is over"),
        ),
    )
    return window


def front(share: float, window: MainWindow) -> QWidget:
    """Show the front of the first delay when it has reached a share of its ranks."""
    state = window.session.state
    shown = shown_front(state)
    assert shown is not None
    arrivals = shown.arrival[shown.arrival >= 0]
    time = int(np.quantile(arrivals, share, method="lower"))
    window.session.update(time=time)
    return scene(window)


def cause(window: MainWindow) -> QWidget:
    """Show the list of delays, and the waits that are due to the first."""
    show_the_wave(window)
    window.session.change(DelayOptions, page="states")
    return tab("delays", window)


Pictures = tuple[tuple[str, tuple[int, int], dict[str, Step]], ...]

PICTURES: Pictures = (
    (
        "light",
        (1280, 800),
        {"window": wave, "scene": scene, "timeline": partial(tab, "timeline")},
    ),
    ("dark", (1920, 1080), {"window-dark": whole}),
    ("light", (1280, 800), {"palette": palette, "keys": keys, "manual": manual}),
    ("light", (1280, 800), {"colour-wait": waits}),
    (
        "light",
        (1280, 800),
        {
            "front-1": partial(front, 0.05),
            "front-2": partial(front, 0.4),
            "front-3": partial(front, 0.95),
            "cause": cause,
        },
    ),
)
"""Theme, size of the window, and what is drawn in it."""

DEMO_PICTURES: dict[str, Pictures] = {
    "transpose": (
        (
            "light",
            (1280, 900),
            {"transpose-phase": phase, "transpose-matrix": phase_matrix},
        ),
    ),
    "mapping": (
        ("light", (1400, 900), {"mapping-run": links, "mapping-tiled": tiled}),
    ),
}
"""The same of the other demos, for the tutorials."""

FURTHER: dict[str, Pictures] = {
    "sp-twophase-6x6-user-metrics": (
        ("light", (1280, 1000), {"parts": phase}),
        ("light", (1280, 800), {"find": find}),
    ),
    "sp-jacobi2d-6x6-idlewave": (
        ("light", (1280, 800), {"linked": linked, "progress": progress}),
        ("light", (1280, 800), {"comparing-timelines": compared}),
    ),
    "sp-cg-32": (
        (
            "light",
            (1280, 900),
            {"matrix": partial(tab, "matrix"), "profile": partial(tab, "profile")},
        ),
    ),
    "sp-jacobi2d-8x4-periodic-idlewave": (
        ("light", (1600, 1000), {"events": events, "channels": channels}),
        ("light", (1280, 800), {"selection": selection}),
        ("light", (1280, 800), {"iterations": iterations}),
        ("light", (1400, 1000), {"chains": chains}),
        ("light", (1600, 1000), {"trails": trails}),
    ),
    "sp-halo3d7-3x4x4-permuted": (
        ("light", (1400, 1000), {"shape": shape}),
        ("light", (1280, 800), {"statistics": statistics}),
        ("light", (1600, 1000), {"second": second, "dialog": dialog}),
        ("light", (1600, 1000), {"film": film}),
    ),
    "sp-rowcol-6x4": (
        ("light", (1280, 800), {"why": why}),
        ("light", (1280, 800), {"communicators": communicators}),
    ),
    "sp-lu-32": (("light", (1600, 1000), {"conditions": partial(tab, "logical")}),),
}
"""The same of real traces, by name."""


def draw(anchor: Path, folder: Path, pictures: Pictures, names: list[str]) -> None:
    """Draw pictures of a trace into a folder: those that are named, else all."""
    folder.mkdir(parents=True, exist_ok=True)
    for theme, size, steps in pictures:
        if names and not steps.keys() & set(names):
            continue
        with complete_window(anchor, size, theme) as window:
            if pictures is PICTURES:
                show_the_wave(window)
            for name, step in steps.items():
                widget = step(window)
                settle(window)
                if names and name not in names:
                    continue  # done for those that come after it
                save_image(widget.grab().toImage(), folder / f"{name}.png")
                print(folder / f"{name}.png")


def show_the_wave(window: MainWindow) -> None:
    """Go to what is shown first, whatever was shown since."""
    window.session.update(**changes_at_first(window.session.state))


def main() -> None:
    """Draw what the arguments ask for."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("names", nargs="*", help="pictures, such as window; all")
    parser.add_argument("--trace", type=Path, help="instead of the demo")
    parser.add_argument("--output", type=Path, default=IMAGES, metavar="FOLDER")
    parser.add_argument("--traces", type=Path, default=TRACES, metavar="FOLDER")
    args = parser.parse_args()
    draw(args.trace or demo_trace(), args.output, PICTURES, args.names)
    if args.trace is not None:
        return
    for demo, pictures in DEMO_PICTURES.items():
        draw(demo_trace(demo), args.output, pictures, args.names)
    for name, pictures in FURTHER.items():
        anchor = args.traces / f"{name}.tar.xz"
        if anchor.exists():
            draw(anchor, args.output, pictures, args.names)


if __name__ == "__main__":
    main()
