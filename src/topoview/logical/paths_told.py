"""Call paths of the places of a logical trace, of which each can have several."""

from itertools import pairwise, takewhile
from typing import Final, NamedTuple

import numpy as np

from topoview.logical.arrays import stretch
from topoview.logical.assembly import Frame
from topoview.logical.call_paths import CallPaths
from topoview.logical.nesting import OTHERS
from topoview.logical.numbering import number
from topoview.logical.records import Records
from topoview.model import Ints, Trace
from topoview.progress import Report, silent

UNKNOWN: Final = "unknown function"
_MANY: Final = 64
"""Paths of a place, of which more are not held against each other."""

Regions = tuple[int, ...]


class Around(NamedTuple):
    """Functions around the calls of a place, as `topoview.model.Call` has them."""

    path: tuple[str, ...]
    kept: int


def paths_of_places(
    trace: Trace, rows: Records, frame: Frame, places: int, report: Report = silent
) -> list[Around]:
    """Tell the call paths of each place.

    Where they differ it is what they begin with and what they end with: a function
    that is called from several others.

    Parameters
    ----------
    frame
        Place of each row, and the rows that begin a further turn of a loop.
    places
        Number of places.
    """
    place = frame.place
    held = place >= 0
    report("writing statements", 0.0)
    count = len(rows.paths.level)
    code = place[held] * count + rows.path[held]
    cells, cell = number(code, report, "writing statements")
    kept = np.zeros(len(cells), np.int64)
    report("writing statements", 0.0)
    open_before = np.where(frame.turns, 0, _kept_by_all(rows))[held]
    report("writing statements", 0.0)
    stretch(kept.copy(), kept, cell, open_before.astype(np.int64))
    path = cells % count
    level = rows.paths.level[path]
    kept = np.minimum(kept, level)
    names = (*trace.regions.names, *rows.paths.names, UNKNOWN)
    found = []
    bounds = np.searchsorted(cells, np.arange(places + 1) * count).tolist()
    for begin, end in pairwise(bounds):
        outer, inner = _shared(rows.paths, path[begin:end].tolist())
        told = [names[region] for region in outer]
        most = min(len(outer) + bool(inner), int(kept[begin:end].max(initial=0)))
        if inner:
            told += [OTHERS, *(names[region] for region in inner)]
            entered = int((level[begin:end] - kept[begin:end]).min())
            if entered <= len(inner):
                most = len(told) - entered
        found.append(Around(tuple(told), most))
    return found


def _kept_by_all(rows: Records) -> Ints:
    """Tell how many regions stayed open before each row.

    Those that each rank is in all the time are open before its first row, too: other
    ranks may have been there before.
    """
    kept = rows.kept.astype(np.int64)
    first = rows.offsets[:-1][np.diff(rows.offsets) > 0]
    if len(first):
        own = kept[first]
        kept[first] = len(rows.paths.level)
        low, high = int(rows.path.min()), int(rows.path.max())
        whole = int(rows.paths.level[rows.paths.common(low, high)])
        kept[first] = np.maximum(own, min(whole, int(kept.min())))
    return kept


def _shared(paths: CallPaths, some: list[int]) -> tuple[Regions, Regions]:
    """Find what different paths begin with, and with what they all end then."""
    if not some:
        return (), ()
    outer = paths.regions(paths.common(some[0], some[-1]))  # in order, like a tree
    if len(some) == 1 or len(some) > _MANY:
        return outer, ()
    rests = [reversed(paths.regions(path)[len(outer) :]) for path in some]
    ends = zip(*rests, strict=False)
    same = takewhile(lambda regions: len(set(regions)) == 1, ends)
    inner = tuple(regions[0] for regions in same)
    return outer, tuple(reversed(inner))
