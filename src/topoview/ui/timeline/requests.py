"""What the timeline shows is made from: asked for in one thread, made in another."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from topoview.analysis.chosen import chosen_spans
from topoview.analysis.quiet import quiet_times
from topoview.analysis.wanted import Wanted
from topoview.model import Floats, Indices, Ints, LogicalTrace, Trace
from topoview.scene.palette import Theme
from topoview.scene.timeline.bands import Bands
from topoview.scene.timeline.pixels import Pixels, row_pixels
from topoview.scene.timeline.raster import shares

QUIET_FINER = 16
"""Steps within a pixel of the strip at which it is looked for stretches: they are
seen in a magnified window too."""


@dataclass(frozen=True, slots=True)
class RowsRequest:
    """What the picture of the rows is made from; equal ones look equal."""

    trace: Trace
    bands: Bands
    window: tuple[int, int]
    columns: int
    theme: Theme
    focus: frozenset[int]
    logical: LogicalTrace | None = None
    wanted: Wanted | None = None

    def pixels(self, go_on: Callable[[], bool] = lambda: True) -> Pixels:
        """Make the picture; a long computation that releases the GIL."""
        spans = None
        if self.wanted:
            spans = chosen_spans(self.trace, self.logical, self.wanted)
        return row_pixels(
            self.trace.timeline,
            self.bands,
            self.window,
            self.columns,
            self.theme,
            self.focus,
            spans,
            go_on,
        )


@dataclass(frozen=True, slots=True)
class StripRequest:
    """What the shares over the whole run are made from."""

    trace: Trace
    bounds: tuple[int, int]
    columns: int

    def shares(self, go_on: Callable[[], bool] = lambda: True) -> Floats:
        """Compute them; a long computation that releases the GIL."""
        del go_on
        rows: Indices = np.arange(self.trace.ranks, dtype=np.int32)
        return shares(self.trace.timeline, rows, *self.bounds, self.columns)


@dataclass(frozen=True, slots=True)
class QuietRequest:
    """What the stretches that playing leaves out are found from.

    Those of the whole run that a pixel can show, at least `least` ticks long; playing
    goes on `near` ticks before each ends.
    """

    trace: Trace
    window: tuple[int, int]
    columns: int
    least: float
    near: float

    def stretches(self, go_on: Callable[[], bool] = lambda: True) -> Ints:
        """Find them; a long computation that releases the GIL."""
        del go_on
        found = quiet_times(
            self.trace.timeline, self.window, QUIET_FINER * self.columns, self.least
        )
        found[:, 1] -= round(self.near)
        return found
