"""What the user can be told.

::

    TopoviewError            one line: what happened, where, what to do
    ├── UsageError           what was asked for is nothing that there is
    ├── TraceError           the trace cannot be read
    │   └── PartError        it has no such part (a UsageError, too)
    ├── RefusedError         a result cannot be made
    ├── PatternError         a user's pattern cannot be read or saved
    ├── PlacementError       a placement file cannot be read
    ├── SessionError         a session cannot be read or saved, or is of another trace
    ├── ExportError          a picture or report cannot be written
    ├── DesktopError         the desktop entry cannot be installed or removed
    └── ExtraError           it needs packages that are installed on request

A message names the file or place, and ends with what the user can do about it.
"""

import errno
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

NO_ROOM: Final = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)
"""What the system calls a full disk."""


class TopoviewError(Exception):
    """An error whose text is meant for the user: one line, no traceback."""

    details = ""
    """Traceback of a fault of our own, to be reported; else empty."""


@contextmanager
def writing(path: str | Path) -> Iterator[None]:
    """Turn what goes wrong while a file is written into a sentence.

    Raises `TopoviewError`: it cannot be written.
    """
    try:
        yield
    except OSError as error:
        what = "make room on its disk, or write it elsewhere"
        if error.errno not in NO_ROOM:
            what = "check that the folder is there and may be written to"
        raise TopoviewError(
            f"{path} cannot be written ({error.strerror}): {what}"
        ) from None


def save_text(path: str | Path, text: str) -> None:
    """Write a text to a file, in UTF-8; of names in no encoding with ``?``.

    Raises `TopoviewError`: it cannot be written.
    """
    with writing(path):
        Path(path).write_text(text, "utf-8", "replace")


def begin_anew(path: Path) -> None:
    """Create an empty file in place of what an earlier try left there.

    Who may write to the folder knows the name of a file that is written beside
    another, and may have put a link there: none is followed.

    Raises `OSError` if that fails.
    """
    path.unlink(missing_ok=True)
    path.touch(exist_ok=False)


class RefusedError(TopoviewError):
    """A result is not made: what it takes is not there, such as room on the disk."""


class TraceError(TopoviewError):
    """A trace cannot be read."""


class UsageError(TopoviewError):
    """What was asked for is nothing that there is: commands exit with 2."""


class PartError(UsageError, TraceError):
    """A trace has no such ranks, or no such stretch of time."""


class PatternError(TopoviewError):
    """A user's pattern cannot be read or saved."""


class PlacementError(TopoviewError):
    """A placement file cannot be read."""


class SessionError(TopoviewError):
    """A session cannot be read or saved, or is of another trace."""


class ExportError(TopoviewError):
    """A picture or a report cannot be written."""


class DesktopError(TopoviewError):
    """The desktop entry cannot be installed or removed."""


class ExtraError(TopoviewError):
    """Something needs packages that topoview is installed with on request."""
