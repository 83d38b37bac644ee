"""Figures of two dimensions on axes of matplotlib: timeline, matrix, times, iterations.

Colours are those of the window's light theme. Time is in seconds, ranks are numbers, so
that whatever is drawn into the same axes lies where it belongs.
"""

from collections.abc import Callable
from typing import TYPE_CHECKING, Final

import numpy as np

from topoview.errors import UsageError
from topoview.live.tables.iteration_grid import iteration_grid
from topoview.live.tables.scope import Scope
from topoview.live.timeline.raster import plan_render, raster_bands
from topoview.model import TimeState, class_name
from topoview.report.profile import CLASS_TEXTS, account_table
from topoview.scene.flat.matrix_pixels import (
    ABSENT,
    MatrixExtract,
    extract_cells,
    order_matrix,
)
from topoview.scene.palette import THEMES, map_colours

if TYPE_CHECKING:
    from matplotlib.axes import Axes

THEME: Final = THEMES["light"]

MAX_PIXELS: Final = (1600, 1000)
"""Columns and rows of a picture; where there are more ranks each row stands for some,
and shows the state that they are in for most of the time."""

TIME_BINS: Final = 200
"""Parts of the time that a stack of states is drawn of."""


def draw_timeline(axes: "Axes", scope: Scope) -> None:
    """Draw the state of each rank over time: ranks from above down."""
    trace, window = scope.analysis.trace, scope.span.window
    ranks = scope.rows
    plan = plan_render(
        trace.timeline, scope.analysis.sums, ranks, window, MAX_PIXELS[0]
    )
    lines = min(len(ranks), MAX_PIXELS[1])
    bounds = np.linspace(0, len(ranks), lines + 1).astype(np.int64)
    codes = raster_bands(plan, bounds)
    begin, end = (trace.clock.seconds(ticks) for ticks in window)
    axes.imshow(
        THEME.state_table[codes],
        aspect="auto",
        interpolation="nearest",
        extent=(begin, end, ranks[-1] + 0.5, ranks[0] - 0.5),
    )
    axes.set(xlabel="time in s", ylabel="rank")
    _add_key(axes, np.unique(codes).tolist())


def draw_time(axes: "Axes", scope: Scope) -> None:
    """Draw how many ranks are in each state over time, as a stack."""
    table = scope.states_over_time(TIME_BINS)
    begin, states = np.unique(table["begin"]), list(dict.fromkeys(table["state"]))
    width = begin[1] - begin[0]
    seconds = table["seconds"].reshape(len(begin), len(states))
    labels = {state.label: state for state in TimeState}
    axes.stackplot(
        begin + width / 2,
        seconds.T / width,
        labels=states,
        colors=[THEME.state_colour(labels[name]) for name in states],
        step="mid",
    )
    axes.set(xlabel="time in s", ylabel="ranks")
    axes.margins(0)
    _add_key(axes, [labels[name] for name in states])


def draw_matrix(axes: "Axes", scope: Scope) -> None:
    """Draw the bytes that ranks (rows) send to each other: colours are logarithmic."""
    from matplotlib.colors import ListedColormap, LogNorm

    matrix, trace = scope.matrix(), scope.analysis.trace
    cells = extract_cells(
        matrix.volume,
        order_matrix("rank", trace, None),
        MatrixExtract(0, 0, trace.ranks),
        MAX_PIXELS[1],
    )
    high = cells.high if cells.high > cells.low else cells.low * 2
    drawn = axes.imshow(
        np.ma.masked_less_equal(np.ma.masked_equal(cells.values, ABSENT), 0),
        cmap=ListedColormap(list(map_colours("cividis", THEME))),
        norm=LogNorm(cells.low, high),
        interpolation="nearest",
        extent=(-0.5, trace.ranks - 0.5, trace.ranks - 0.5, -0.5),
    )
    axes.set(xlabel="receiver", ylabel="sender")
    axes.figure.colorbar(drawn, ax=axes, label="bytes")


def draw_profile(axes: "Axes", scope: Scope) -> None:
    """Draw the time in each class of all ranks together, as bars."""
    table = account_table(scope.analysis.trace, scope.profile(), scope.some_ranks)
    states = {class_name(state): state for state in TimeState}
    names = table["class"].tolist()
    colours = [
        THEME.state_colour(states.get(name, TimeState.LATE_SENDER)) for name in names
    ]
    labels = [CLASS_TEXTS.get(name, name) for name in names]
    axes.barh(labels, table["seconds"], color=colours)
    axes.invert_yaxis()
    axes.set(xlabel="seconds of all ranks")


def draw_iterations(axes: "Axes", scope: Scope) -> None:
    """Draw the duration of each iteration (columns) on each rank.

    Raises `UsageError`: the program has no loop.
    """
    # as the table of iterations: all, unless a time is named
    window = None if scope.name == "exchange" else scope.window
    grid = iteration_grid(scope.analysis, window=window)
    if grid is None or not grid.values.size:
        raise UsageError(f"{scope.analysis.trace.name} has no loop with iterations")
    ranks = scope.rows
    values = grid.values[ranks]
    drawn = axes.imshow(
        values,
        aspect="auto",
        cmap="cividis",
        interpolation="nearest",
        extent=(
            grid.iteration[0] - 0.5,
            grid.iteration[-1] + 0.5,
            ranks[-1] + 0.5,
            ranks[0] - 0.5,
        ),
    )
    axes.set(xlabel="iteration", ylabel="rank")
    axes.figure.colorbar(drawn, ax=axes, label="seconds")


def _add_key(axes: "Axes", states: list[int]) -> None:
    from matplotlib.patches import Patch

    axes.legend(
        handles=[
            Patch(color=THEME.state_colour(code), label=TimeState(code).label)
            for code in states
        ],
        loc="upper left",
        bbox_to_anchor=(1, 1),
        fontsize="small",
        frameon=False,
    )


FIGURES: "Final[dict[str, tuple[str, Callable[[Axes, Scope], None]]]]" = {
    "timeline": ("account", draw_timeline),
    "time": ("account", draw_time),
    "matrix": ("matrix", draw_matrix),
    "profile": ("profile", draw_profile),
    "iterations": ("calls", draw_iterations),
}
"""Every figure: what it needs of a run (see `scope.needs`), and what draws it. To add
one is to write a function and a line here."""
