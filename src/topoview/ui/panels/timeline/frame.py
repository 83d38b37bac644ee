"""Where the timeline's parts are, and which time is where."""

from dataclasses import dataclass
from functools import cached_property

from PySide6.QtCore import QRectF

from topoview.model import Clock, kept_with_source
from topoview.scene.flat.timeline_pixels import TimeAxis, time_axis
from topoview.ui.widgets.formats import relative_time_text

GUTTER_WIDTH = 76
WIDE_GUTTER = 124
"""Where groups have names beside the numbers of their rows."""
AXIS_HEIGHT = 30
STRIP_HEIGHT = 30
"""Of the overview: shares of states, and of ranks that wait."""
BOTTOM_HEIGHT = 20
LEGEND_HEIGHT = 18
_MARGIN = 14
_STRIP_GAP = 10
OVERVIEW_ROOM = _STRIP_GAP + STRIP_HEIGHT + BOTTOM_HEIGHT
"""Pixels below rows and tracks for the overview."""
TRACK_GAP = 7
"""Pixels above each track."""


@dataclass(frozen=True)
class TimelineFrame:
    """Geometry of a timeline of a given size; logical pixels unless said.

    While it stays the same its places are found once: each frame asks again and again.
    """

    width: int
    height: int
    """`width` and `height`: size of the whole."""
    scale: float
    """Device pixels in a logical one."""
    window: tuple[int, int]
    """Shown window in ticks."""
    bounds: tuple[int, int]
    """The run in ticks, or a stretch of it, as the strip below shows it."""
    unit: str = ""
    """Unit in which times are written; empty: what suits the window."""
    time_zero: int | None = None
    """Time in ticks that times are counted from; None: the begin."""
    gutter: int = GUTTER_WIDTH
    """Width of what is left of the rows."""
    tracks: tuple[int, ...] = ()
    """Heights of the tracks below the rows."""
    has_legend: bool = False
    """Whether there is a legend of the rows' colours."""

    @kept_with_source()
    def axis(self, clock: Clock) -> TimeAxis:
        """Ticks of the window."""
        wide = self.rows.width()
        return time_axis(
            clock, *self.window, wide, unit=self.unit, time_zero=self.time_zero
        )

    def label(self, clock: Clock, ticks: float) -> str:
        """Write a time in the run's unit, as precisely as it is shown."""
        span = self.window[1] - self.window[0]
        return relative_time_text(round(ticks), self.time_zero, clock, span, self.unit)

    @cached_property
    def columns(self) -> int:
        """Width of rows and strip in device pixels."""
        return max(1, int((self.width - self.gutter - _MARGIN) * self.scale))

    @cached_property
    def lines(self) -> int:
        """Height of the rows in device pixels."""
        below = sum(self.tracks) + TRACK_GAP * len(self.tracks)
        return max(1, int((self.room - below) * self.scale))

    @property
    def room(self) -> int:
        """Height of rows and tracks together."""
        return (
            self.height
            - AXIS_HEIGHT
            - OVERVIEW_ROOM
            - (LEGEND_HEIGHT if self.has_legend else 0)
        )

    @property
    def legend_box(self) -> QRectF:
        """Where the legend of the rows' colours is, above the strip."""
        bottom = self.strip.top() - _STRIP_GAP / 2
        rows = self.rows
        return QRectF(rows.left(), bottom - LEGEND_HEIGHT, rows.width(), LEGEND_HEIGHT)

    def track_box(self, number: int) -> QRectF:
        """Where a track is, by its number from the top."""
        above = sum(self.tracks[:number]) + TRACK_GAP * (number + 1)
        lines = int(self.tracks[number] * self.scale)
        return self._aligned(self.gutter, self.rows.bottom() + above, lines)

    def track_at(self, y: float) -> int | None:
        """Return the number of the track at a height; None for none."""
        for number in range(len(self.tracks)):
            box = self.track_box(number)
            if box.top() - TRACK_GAP / 2 <= y < box.bottom() + TRACK_GAP / 2:
                return number
        return None

    @cached_property
    def bottom(self) -> float:
        """Where rows and tracks end."""
        return (
            self.track_box(len(self.tracks) - 1).bottom()
            if self.tracks
            else (self.rows.bottom())
        )

    @property
    def strip_lines(self) -> int:
        """Height of the strip in device pixels."""
        return int(STRIP_HEIGHT * self.scale)

    @cached_property
    def rows(self) -> QRectF:
        """Where the rows are, on whole device pixels."""
        return self._aligned(self.gutter, AXIS_HEIGHT, self.lines)

    @cached_property
    def strip(self) -> QRectF:
        """Where the strip is, on whole device pixels."""
        return self._aligned(
            self.gutter, self.height - STRIP_HEIGHT - BOTTOM_HEIGHT, self.strip_lines
        )

    def x(self, ticks: float) -> float:
        """Where a time is, in rows and axis."""
        begin, end = self.window
        return self.rows.left() + (ticks - begin) / (end - begin) * self.rows.width()

    def ticks(self, x: float) -> float:
        """Time at a place of rows and axis."""
        begin, end = self.window
        return begin + (x - self.rows.left()) / self.rows.width() * (end - begin)

    def strip_x(self, ticks: float) -> float:
        """Where a time is in the strip."""
        begin, end = self.bounds
        return self.strip.left() + (ticks - begin) / (end - begin) * self.strip.width()

    def strip_ticks(self, x: float) -> float:
        """Time at a place of the strip."""
        begin, end = self.bounds
        return begin + (x - self.strip.left()) / self.strip.width() * (end - begin)

    def line(self, y: float) -> float:
        """Device pixels from the top of the rows."""
        return (y - self.rows.top()) * self.scale

    def y(self, line: float) -> float:
        """Place of a line of device pixels of the rows."""
        return self.rows.top() + line / self.scale

    def _aligned(self, left: float, top: float, lines: int) -> QRectF:
        return QRectF(
            round(left * self.scale) / self.scale,
            round(top * self.scale) / self.scale,
            self.columns / self.scale,
            lines / self.scale,
        )
