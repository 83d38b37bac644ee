"""What there is to be seen of a timeline: the data that is painted."""

from dataclasses import dataclass

import numpy as np
from PySide6.QtGui import QImage

from topoview.live.critical_path import PathWithin
from topoview.live.timeline.collectives import WindowCollectives
from topoview.live.timeline.orders import RowOrder
from topoview.live.timeline.row_colours import RowLegend
from topoview.live.timeline.rows import RowBands
from topoview.live.timeline.selected_messages import SelectedMessages, WindowMessages
from topoview.live.timeline.tracks import Track, TrackData, TrackRequest
from topoview.model import Clock, Ints, Marker, Trace
from topoview.scene.palette import Theme
from topoview.scene.timeline_pixels import Pixels
from topoview.session import Note
from topoview.ui.panels.timeline.frame import TimelineFrame


@dataclass(frozen=True, slots=True, eq=False)
class FrontLines:
    """The front of a delay in rows that are grouped by their distance from it.

    Attributes
    ----------
    group : int64, shape (n,)
        Groups of rows that it reaches, ascending.
    begin, end : int64, shape (n,)
        Median over the group's ranks of begin and end of their first wait, in ticks.
    words
        How fast it is.
    """

    group: Ints
    begin: Ints
    end: Ints
    words: str


@dataclass(frozen=True, slots=True, eq=False)
class ShownTrack:
    """A track as it is painted: `data` is what `asked` was answered, None for nothing.

    `done` tells whether it was.
    """

    track: Track
    asked: TrackRequest
    data: TrackData
    done: bool


@dataclass(frozen=True, slots=True)
class Ruler:
    """The ruler: time and rank of both ends, and what lies between them in words."""

    ends: tuple[int, int, int, int]
    words: str


@dataclass(frozen=True, slots=True, eq=False)
class TimelinePicture:
    """All that is to be seen of a timeline.

    Attributes
    ----------
    frame
        Geometry, with the shown window.
    theme, clock, time
        Colours, clock of the trace, time cursor in ticks.
    order, bands
        Which rows there are, and where.
    rows, rows_window
        Image of the rows and the window in ticks that it shows. If that is not
        the frame's window (yet), it is shifted and stretched.
    strip
        Image of the shares of states over the whole run.
    selected
        Selected ranks.
    span
        Selected time window in ticks.
    messages
        Messages of the selected edge or call.
    names
        Names of the trace's locations; empty if there are none but ranks.
    call
        Row of the timeline, begin and end of the selected call.
    markers, notes
        Remarks on moments: the trace's, and the user's.
    played, repeated
        Begin and end of what is played in ticks, None: what is shown; and whether
        it begins again at its end.
    front
        Front of the shown delay, one line for each group of rows; None where there is
        none, or rows are not in the order of their distance from it.
    path
        Critical path within the window; None if it is not asked for.
    quiet : int64, shape (stretches, 2)
        Stretches that playing leaves out, in ticks; None: it leaves out none.
    trace
        What is shown, for names.
    tracks
        Tracks below the rows, top to bottom.
    remarks
        Times in ticks and words of bookmarks, notes and markers.
    lines
        All messages of the window; None: they are not drawn.
    ruler
        The ruler between two points, None: there is none.
    legend
        What the rows' colours mean; None for those of states.
    operations
        All collective operations of the window; None: they are not drawn.
    """

    frame: TimelineFrame
    theme: Theme
    clock: Clock
    time: int
    order: RowOrder
    bands: RowBands
    rows: QImage | None
    rows_window: tuple[int, int]
    strip: QImage | None
    selected: tuple[int, ...] = ()
    span: tuple[int, int] | None = None
    messages: SelectedMessages | None = None
    names: tuple[str, ...] = ()
    call: tuple[int, int, int] | None = None
    markers: tuple[Marker, ...] = ()
    played: tuple[int, int] | None = None
    repeated: bool = False
    quiet: Ints | None = None
    front: FrontLines | None = None
    notes: tuple[Note, ...] = ()
    trace: Trace | None = None
    tracks: tuple[ShownTrack, ...] = ()
    remarks: tuple[tuple[int, str], ...] = ()
    lines: WindowMessages | None = None
    ruler: Ruler | None = None
    path: PathWithin | None = None
    legend: RowLegend | None = None
    operations: WindowCollectives | None = None


def image_of_pixels(pixels: Pixels) -> QImage:
    """Make an image of pixels, which it owns."""
    height, width = pixels.shape
    data = np.ascontiguousarray(pixels)
    found = QImage(data.data, width, height, 4 * width, QImage.Format.Format_RGB32)
    return found.copy()
