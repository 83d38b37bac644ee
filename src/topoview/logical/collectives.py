"""Collective operations: the part that each call takes in one."""

from dataclasses import dataclass, replace

import numpy as np

from topoview.logical.communicators import families, local_ranks
from topoview.logical.one_sided import OneSided
from topoview.logical.operations import RECEIVED_SIZE, among, sizeless
from topoview.logical.stages import READING
from topoview.model import Ints, Match, Trace
from topoview.progress import Report, portions, silent


@dataclass(frozen=True, slots=True, eq=False)
class Roles:
    """The part of each call; -1 where it is no collective.

    Attributes
    ----------
    names
        Names of the communicators' families.
    family, root, size : int64, shape (calls,)
        Family of the communicator, root's rank in the communicator, bytes.
    """

    names: list[str]
    family: Ints
    root: Ints
    size: Ints

    def at(self, reached: OneSided) -> "Roles":
        """Add the windows and files that calls work on, as families of their own."""
        if not reached.names:
            return self
        family = self.family.copy()
        own = (reached.place >= 0) & (family < 0)
        family[own] = len(self.names) + reached.place[own]
        return replace(self, names=[*self.names, *reached.names], family=family)


def collective_roles(
    trace: Trace, calls: int, match: Match | None = None, report: Report = silent
) -> Roles:
    """Find the part that each of the first `calls` calls takes in a collective."""
    parts = trace.collectives
    chosen = np.flatnonzero((parts.call >= 0) & (parts.call < calls))
    call = parts.call[chosen]
    family_of, names = families(trace, match)
    family, root, size = (np.empty(calls, np.int64) for _ in range(3))
    for column in (family, root, size):
        for some in portions(calls, report, READING, (0.4, 0.45)):
            column[some] = -1
    communicator = parts.communicator[chosen].astype(np.int64)
    family[call] = np.append(family_of, 0)[communicator]
    rooted = np.flatnonzero((parts.root[chosen] >= 0) & (communicator >= 0))
    root[call[rooted]] = local_ranks(
        trace, communicator[rooted], parts.root[chosen[rooted]].astype(np.int64)
    )
    operation = trace.regions.operation[trace.calls.region[call]]
    size[call] = np.where(
        among(trace.regions, RECEIVED_SIZE)[operation],
        parts.received[chosen],
        parts.sent[chosen],
    )
    size[call[sizeless(trace.regions)[operation]]] = -1
    return Roles(names, family, root, size)
