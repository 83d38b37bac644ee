"""What the user can be told.

::

    TopoviewError            one line: what happened, where, what to do
    ├── TraceError           the trace cannot be read
    ├── PatternError         a user's pattern cannot be read or saved
    ├── PlacementError       a placement file cannot be read
    ├── ExportError          a picture or report cannot be written
    └── DesktopError         the desktop entry cannot be installed or removed

A message names the file or place, and ends with what the user can do about it.
"""


class TopoviewError(Exception):
    """An error whose text is meant for the user: one line, no traceback."""


class TraceError(TopoviewError):
    """A trace cannot be read."""


class PatternError(TopoviewError):
    """A user's pattern cannot be read or saved."""


class PlacementError(TopoviewError):
    """A placement file cannot be read."""


class ExportError(TopoviewError):
    """A picture or a report cannot be written."""


class DesktopError(TopoviewError):
    """The desktop entry cannot be installed or removed."""
