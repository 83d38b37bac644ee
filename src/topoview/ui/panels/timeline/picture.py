"""What there is to be seen of a timeline: the data that is painted."""

from dataclasses import dataclass

import numpy as np
from PySide6.QtGui import QImage

from topoview.live.timeline.collectives import WindowCollectives
from topoview.live.timeline.device_waits import WindowDeviceWaits
from topoview.live.timeline.orders import RowOrder
from topoview.live.timeline.row_colours import RowLegend
from topoview.live.timeline.rows import RowBands
from topoview.live.timeline.selected_messages import SelectedMessages, WindowMessages
from topoview.live.timeline.tracks import Track, TrackData, TrackRequest
from topoview.live.waits.critical_path import PathWithin
from topoview.model import Clock, Ints, Marker, Trace
from topoview.scene.flat.timeline_pixels import Pixels
from topoview.scene.palette import Theme
from topoview.session import Note
from topoview.ui.panels.timeline.frame import TimelineFrame


@dataclass(frozen=True, slots=True, eq=False)
class FrontLines:
    """The front of a delay in rows that are grouped by their distance from it."""

    group: Ints
    """int64, shape (n,): groups of rows that it reaches, ascending."""
    begin: Ints
    end: Ints
    """`begin` and `end`: int64, shape (n,): median over the group's ranks of begin and
    end of their first wait, in ticks."""
    words: str
    """How fast it is."""


@dataclass(frozen=True, slots=True, eq=False)
class ShownTrack:
    """A track as it is painted: `data` is what `asked` was answered, None for nothing.

    `done` tells whether it was.
    """

    track: Track
    request: TrackRequest
    data: TrackData
    done: bool


@dataclass(frozen=True, slots=True)
class Ruler:
    """The ruler: time and rank of both ends, and what lies between them in words."""

    ends: tuple[int, int, int, int]
    words: str


@dataclass(frozen=True, slots=True, eq=False)
class TimelinePicture:
    """All that is to be seen of a timeline."""

    frame: TimelineFrame
    """Geometry, with the shown window."""
    theme: Theme
    clock: Clock
    time: int
    """`theme`, `clock` and `time`: colours, clock of the trace, time cursor in
    ticks."""
    order: RowOrder
    bands: RowBands
    """`order` and `bands`: which rows there are, and where."""
    rows: QImage | None
    rows_window: tuple[int, int]
    """`rows` and `rows_window`: image of the rows and the window in ticks that it
    shows. If that is not the frame's window (yet), it is shifted and stretched."""
    strip: QImage | None
    """Image of the shares of states over the stretch that the overview shows."""
    waiting: float = 0.0
    """Greatest share of the ranks that wait there: the height of its lower track."""
    selected: tuple[int, ...] = ()
    """Selected ranks."""
    span: tuple[int, int] | None = None
    """Selected time window in ticks."""
    messages: SelectedMessages | None = None
    """Messages of the selected edge or call."""
    names: tuple[str, ...] = ()
    """Names of the trace's locations; empty if there are none but ranks."""
    call: tuple[int, int, int] | None = None
    """Row of the timeline, begin and end of the selected call."""
    markers: tuple[Marker, ...] = ()
    played: tuple[int, int] | None = None
    repeated: bool = False
    """`played` and `repeated`: begin and end of what is played in ticks, None: what is
    shown; and whether it begins again at its end."""
    quiet: Ints | None = None
    """int64, shape (stretches, 2): stretches that playing leaves out, in ticks; None:
    it leaves out none."""
    front: FrontLines | None = None
    """Front of the shown delay, one line for each group of rows; None where there is
    none, or rows are not in the order of their distance from it."""
    notes: tuple[Note, ...] = ()
    """`markers` and `notes`: remarks on moments: the trace's, and the user's."""
    trace: Trace | None = None
    """What is shown, for names."""
    tracks: tuple[ShownTrack, ...] = ()
    """Tracks below the rows, top to bottom."""
    remarks: tuple[tuple[int, str], ...] = ()
    """Times in ticks and words of bookmarks, notes and markers."""
    lines: WindowMessages | None = None
    """All messages of the window; None: they are not drawn."""
    ruler: Ruler | None = None
    """The ruler between two points, None: there is none."""
    path: PathWithin | None = None
    """Critical path within the window; None if it is not asked for."""
    legend: RowLegend | None = None
    """What the rows' colours mean; None for those of states."""
    operations: WindowCollectives | None = None
    """All collective operations of the window; None: they are not drawn."""
    device_waits: WindowDeviceWaits | None = None
    """Waits for devices of the window; None: they are not drawn, or not found yet."""
    controls: bool = True
    """Whether what is there for the mouse is painted: the overview, marks that fold."""


def image_of_pixels(pixels: Pixels) -> QImage:
    """Return an image of pixels, which it owns."""
    height, width = pixels.shape
    data = np.ascontiguousarray(pixels)
    image = QImage(data.data, width, height, 4 * width, QImage.Format.Format_RGB32)
    return image.copy()
