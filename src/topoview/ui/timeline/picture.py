"""All that is to be seen of a timeline, ready to be painted."""

from dataclasses import dataclass

from PySide6.QtGui import QImage

from topoview.model import Clock, Ints, Marker
from topoview.scene.palette import Theme
from topoview.scene.timeline.bands import Bands
from topoview.scene.timeline.messages import EdgeMessages
from topoview.scene.timeline.rows import RowOrder
from topoview.ui.timeline.frame import Frame


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
    markers
        Remarks on moments.
    played, repeated
        Begin and end of what is played in ticks, None: what is shown; and whether
        it begins again at its end.
    quiet : int64, shape (stretches, 2)
        Stretches that playing leaves out, in ticks; None: it leaves out none.
    """

    frame: Frame
    theme: Theme
    clock: Clock
    time: int
    order: RowOrder
    bands: Bands
    rows: QImage | None
    rows_window: tuple[int, int]
    strip: QImage | None
    selected: tuple[int, ...] = ()
    span: tuple[int, int] | None = None
    messages: EdgeMessages | None = None
    names: tuple[str, ...] = ()
    call: tuple[int, int, int] | None = None
    markers: tuple[Marker, ...] = ()
    played: tuple[int, int] | None = None
    repeated: bool = False
    quiet: Ints | None = None
