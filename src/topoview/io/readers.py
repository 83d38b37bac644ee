"""The table of readers: what a trace is read by, by the suffix of its first file.

A path leads to an anchor file, a folder that holds one, or an archive of either
(`archive.py`). The anchor's suffix says by which function the trace is read: to add one
is to write a file with such a function, and a line here.
"""

import contextlib
import re
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from pkgutil import resolve_name
from typing import TYPE_CHECKING, Final, NamedTuple, TypeAlias

from topoview.base.progress import Report
from topoview.model import DIGEST_SUFFIX, Subset, TraceExtent

if TYPE_CHECKING:  # who only looks for what is kept needs no NumPy
    from topoview.model import Trace
    from topoview.store.arrays import Allocate


Before: TypeAlias = Callable[[TraceExtent], None]


class Anchor(NamedTuple):
    """The file that a trace begins with; others are named like it."""

    given: Path
    """What the user opened."""
    file: Path
    """The anchor file."""
    shown: Path
    """The anchor file as the user knows it."""
    name: str
    """Short name of the trace."""


ReadAnchor: TypeAlias = (
    "Callable[[Anchor, Report, Subset, Allocate | None, Before], Trace]"
)
"""Reads the trace that an anchor file belongs to; takes what `read_trace` takes."""


class Reader(NamedTuple):
    """How traces of a format are read."""

    format: str
    """Name of the format."""
    suffixes: frozenset[str]
    """Those of its files: others in an archive are not unpacked."""
    function: str
    """Module and name of a `ReadAnchor`: imported when a trace is read, as that takes
    long."""
    alone: bool = False
    """A file is all of a trace, and opened by its name only: it may lie beside the
    trace that it is of."""


READERS: Final = {
    ".otf2": Reader(
        "OTF2",
        frozenset({".otf2", ".def", ".evt"}),
        "topoview.io.reading.whole:read_anchor",
    ),
    DIGEST_SUFFIX: Reader(
        "digest",
        frozenset({DIGEST_SUFFIX}),
        "topoview.io.readers:read_digest_anchor",
        alone=True,
    ),
}
"""Readers by the suffix of the anchor file."""

FORMATS: Final = " or ".join(r.format for r in READERS.values() if not r.alone)
ANCHOR_SUFFIXES: Final = " or ".join(n for n, r in READERS.items() if not r.alone)
"""`FORMATS` and `ANCHOR_SUFFIXES`: what an archive holds, in words."""


_DIGEST_BEGINS: Final = re.compile(rb"PK\x03\x04.{4}\x5d\x00.{20}trace/", re.DOTALL)
"""A zip archive whose first member is packed by Zstandard (method 93), and the trace's:
`topoview.store.digest`."""


def suffix_of(path: Path) -> str:
    """Return the suffix by which a file is read: a digest has any name."""
    begins = b""
    if path.suffix not in READERS and path.is_file():
        with contextlib.suppress(OSError), path.open("rb") as file:
            begins = file.read(64)  # else whoever reads it says why it cannot
    return DIGEST_SUFFIX if _DIGEST_BEGINS.match(begins) else path.suffix


def read_trace(
    anchor: Anchor,
    report: Report,
    subset: Subset,
    allocate: "Allocate | None" = None,
    before: Before = lambda _: None,
) -> "Trace":
    """Read the trace that an anchor file belongs to, by its format's reader.

    Parameters
    ----------
    report
        Called after every few ten thousand events.
    subset
        What to read of it.
    allocate
        Gives the arrays for the trace's columns; None: from memory.
    before
        Called before the events are read if that takes long. May raise.

    Raises
    ------
    TraceError
        If it cannot be read at all, or has no such part.
    """
    read: ReadAnchor = resolve_name(READERS[suffix_of(anchor.file)].function)
    return read(anchor, report, subset, allocate, before)


def read_digest_anchor(
    anchor: Anchor,
    report: Report,
    subset: Subset,
    allocate: "Allocate | None" = None,
    *_more: object,
) -> "Trace":
    """Read the trace of a digest, which is one file.

    Raises `TraceError` if it is damaged, or a part is asked for.
    """
    from topoview.store.digest import read_digest

    report("reading the digest", 0.0)
    digest = read_digest(anchor.file, subset, allocate)
    return replace(digest, path=str(anchor.given), name=anchor.name)
