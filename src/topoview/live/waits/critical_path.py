"""The critical path within a window: on which rank it is, how long, where it jumps."""

from dataclasses import dataclass

import numpy as np

from topoview.grouping import begins_run
from topoview.live.picking.navigation import Window
from topoview.model import CriticalPath, Floats, Frozen, Indices, Ints


@dataclass(frozen=True, slots=True, eq=False)
class PathWithin(Frozen):
    """The stretches of the critical path that a window shows, in order of time."""

    rank: Indices
    """int32, shape (n,)"""
    begin: Ints
    end: Ints
    """`begin` and `end`: int64, shape (n,): in ticks, within the window; each begins
    where the one before it ends."""

    @property
    def jumps(self) -> Indices:
        """Pairs of ranks that it goes on between, each once: int32, shape (n, 2).

        The rank that waits is the first, as in chains of waiting.
        """
        pairs = np.stack([self.rank[1:], self.rank[:-1]], axis=1)
        pairs = pairs[pairs[:, 0] != pairs[:, 1]]
        return np.unique(pairs, axis=0).astype(np.int32)

    def ticks(self, ranks: int) -> Floats:
        """Compute how long it is on each rank: float64, shape (ranks,), in ticks."""
        return np.bincount(self.rank, self.end - self.begin, ranks).astype(np.float64)

    def thinned(self, least: float) -> "PathWithin":
        """Leave stretches out that begin less than some ticks after the one before."""
        keep = begins_run(np.floor(self.begin / max(least, 1.0)))
        rank, begin = self.rank[keep], self.begin[keep]
        return PathWithin(rank, begin, np.append(begin[1:], self.end[-1:]))


def path_within(path: CriticalPath, window: Window) -> PathWithin:
    """Cut the part of the critical path out that a window shows."""
    first = int(np.searchsorted(path.end, window[0], side="right"))
    last = int(np.searchsorted(path.begin, window[1], side="left"))
    some = slice(first, max(first, last))
    begin, end = (np.clip(t[some], *window) for t in (path.begin, path.end))
    return PathWithin(path.rank[some], begin, end)
