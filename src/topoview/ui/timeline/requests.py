"""What the timeline shows is made from: asked for in one thread, made in another."""

from collections.abc import Callable
from dataclasses import dataclass

from topoview.analysis.chosen import chosen_spans
from topoview.analysis.quiet import quiet_times
from topoview.analysis.wanted import Wanted
from topoview.model import Ints, LogicalTrace, Trace
from topoview.scene.palette import Theme
from topoview.scene.timeline.bands import Bands
from topoview.scene.timeline.first_picture import Shares, row_codes, run_shares
from topoview.scene.timeline.pixels import Pixels, row_pixels

QUIET_FINER = 16
"""Steps within a pixel of the strip at which it is looked for stretches: they are
seen in a magnified window too."""


@dataclass(frozen=True, slots=True)
class RowsRequest:
    """What the picture of the rows is made from; equal ones look equal.

    If a preview comes first, which `soon` allows, the same is asked for again without.
    """

    trace: Trace
    bands: Bands
    window: tuple[int, int]
    columns: int
    theme: Theme
    focus: frozenset[int]
    logical: LogicalTrace | None = None
    wanted: Wanted | None = None
    soon: bool = False

    def pixels(self, go_on: Callable[[], bool] = lambda: True) -> tuple[Pixels, bool]:
        """Make the picture; a long computation that releases the GIL.

        Returns
        -------
        pixels
            The picture.
        exact
            Whether it is more than a preview.
        """
        spans = None
        if self.wanted:
            spans = chosen_spans(self.trace, self.logical, self.wanted)
        codes, exact = row_codes(
            self.trace, self.bands, self.window, self.columns, go_on, soon=self.soon
        )
        bands, window = self.bands, self.window
        return row_pixels(codes, bands, window, self.theme, self.focus, spans), exact


@dataclass(frozen=True, slots=True)
class StripRequest:
    """What the shares over the whole run are made from; `soon` as for the rows."""

    trace: Trace
    bounds: tuple[int, int]
    columns: int
    soon: bool = False

    def shares(self, go_on: Callable[[], bool] = lambda: True) -> Shares:
        """Compute them; a long computation that releases the GIL."""
        del go_on
        return run_shares(self.trace, self.bounds, self.columns, soon=self.soon)


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
