"""What each colouring looks like on real traces: pictures of the gallery's sheets."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

import numpy as np

from topoview.live.colourings.table import COLOURINGS, STATE, offered
from topoview.live.waits.delays import first_view
from topoview.model import Analysis, TimeState
from topoview.pipeline import analyse
from topoview.report.logical.lines import logical_lines
from topoview.session import SceneOptions, Selection
from topoview.ui.panels.scene.moment import TRAIL_SHARE
from topoview.worker import open_trace

TRACES = Path(__file__).resolve().parents[2] / "shared" / "traces"

USUAL = (
    "sp-jacobi2d-8x4-periodic-idlewave",
    "sp-twophase-6x6-user-metrics",
    "sp-threads-halo",
    "public-casita-2_cuda_simple",
)
"""A colouring is shown on the first of these traces that has numbers for it."""

BETTER = {
    "region": "sp-lu-32",
    "node": "public-tracer-stencil4d-32",
    "sent": "sp-halo3d27-3x3x4",
    "received": "sp-bintree-32",
    "in-barrier": "sp-halo3d7-3x4x4-permuted",
    "in-setup": "sp-twophase-6x6-user-metrics",
    "calls": "sp-lu-32",
    "symmetry": "sp-halo3d7-3x4x4-permuted",
    "in-send": "sp-lu-32",
    "in-receive": "sp-lu-32",
    "in-collective": "sp-rowcol-6x4",
    "done": "sp-lu-32",
}
"""Traces that show more of a colouring than the usual ones."""

DARK = ("progress", "late", "change", "neighbours", "communicator", "symmetry")
"""Colourings that are shown on dark ground."""


BRIEF = {
    "threads": "thread",
    "thread-region": "thread",
    "gpu": "accelerator",
    "gpu-region": "accelerator",
}
"""Colourings that are shown when most of a kind of locations are at work."""

MOMENTS = 500
"""Times of a window that are looked at for that."""


@dataclass(frozen=True)
class Shown:
    """A picture: of what, how, and what is to be told to ``topoview render``."""

    told: str
    analysis: Analysis
    time: int
    window: tuple[int, int]
    view: SceneOptions
    selection: Selection = field(default_factory=Selection)
    theme: str = "light"
    focus: frozenset[int] = frozenset()


@cache
def known_of(name: str) -> Analysis:
    """Read a trace, and find out all about it."""
    *_, known = analyse(open_trace(TRACES / f"{name}.tar.xz"))
    return known


def moment_of(known: Analysis) -> tuple[int, tuple[int, int]]:
    """Tell the time that is shown first, and the window about it."""
    view = first_view(known)
    return view.time, view.window


def busy_moment(known: Analysis, window: tuple[int, int], kind: str) -> int:
    """Find a time of a window at which most locations of a kind are in a region."""
    line, rows = known.trace.timeline, known.trace.further_rows(kind)
    times = np.linspace(*window, MOMENTS).astype(np.int64).tolist()
    return max(times, key=lambda t: int((line.region[line.at(t)[rows]] >= 0).sum()))


def lively_moment(known: Analysis, window: tuple[int, int]) -> int:
    """Find a time of a window just before which most ranks left a state of MPI."""
    line, ranks = known.trace.timeline, known.trace.ranks
    trail = TRAIL_SHARE * (window[1] - window[0])
    times = np.linspace(*window, MOMENTS).astype(np.int64).tolist()

    def fresh(t: int) -> float:
        at = line.at(t)[:ranks]
        age = (t - line.time[at]) / trail
        told = ~np.isin(line.state[at - 1], (TimeState.OUTSIDE, TimeState.COMPUTE))
        return float(np.maximum(1 - age, 0)[told].sum())

    return max(times[1:-1], key=fresh)


def shown(name: str, trace: str, told: str = "", **view: object) -> Shown:
    """Show a colouring of a trace about its longest wait."""
    known = known_of(trace)
    time, window = moment_of(known)
    if name in BRIEF:
        time = busy_moment(known, window, BRIEF[name])
    if view.get("outline") == "trail":
        time = lively_moment(known, window)
    chosen = Selection()
    if name == "chosen":
        chosen = Selection(operation="Waitall")
    if name == "iteration":
        lines = logical_lines(known)
        loops = [k for k, line in enumerate(lines) if line.kind == "loop"]
        inner = max(loops, key=lambda k: lines[k].depth)
        chosen = Selection(lines=(inner, inner + 1))
    how = SceneOptions(
        colouring=name,
        messages=False,
        **view,  # type: ignore[arg-type]
    )
    theme = "dark" if name in DARK else "light"
    said = told or f"--colour {name}"
    return Shown(said, known, time, window, how, chosen, theme)


def table(over: str) -> Iterator[Shown]:
    """Show the colourings of the table that follow the time, the window, or none."""
    if over == "time":
        yield shown(STATE, USUAL[0])
    for name, row in COLOURINGS.items():
        if name == "difference":
            continue  # nothing to see without a second window
        traces = (BETTER[name],) if name in BETTER else USUAL
        having = [each for each in traces if name in offered(known_of(each))]
        if row.over == over and having:
            yield shown(name, having[0])
        elif row.over == over:
            print(f"no trace has numbers for {name}")


def more() -> Iterator[Shown]:
    """Show counters, ranges, rims and sizes."""
    wave, metrics = USUAL[:2]
    for name in [c for c in offered(known_of(metrics)) if c.startswith("counter")]:
        yield shown(name, metrics)
    yield shown("wait", wave, "--colour wait --stretch", span="data")
    yield shown(
        "wait",
        wave,
        '--colour wait --range "20 - 40 ms"',
        span="fixed",
        low=0.02,
        high=0.04,
    )
    yield shown("in-wait", wave, "--colour in-wait --log", steps="log")
    yield shown(STATE, wave, "--outline call", outline="call")
    yield shown(STATE, metrics, "--outline communicator", outline="communicator")
    yield shown(STATE, "sp-lu-32", "--outline trail", outline="trail")
    yield shown(STATE, wave, "--size-by wait", size="wait")
    yield shown(
        STATE, "sp-halo3d7-3x4x4-permuted", "--fade-computing", translucent=True
    )


COLOUR_SHEETS: dict[str, Callable[[], Iterator[Shown]]] = {
    "colours-now": lambda: table("time"),
    "colours-window": lambda: table("window"),
    "colours-run": lambda: table("run"),
    "colours-further": more,
}
"""Sheets by name."""
