"""Delays: stretches of a rank's own time that kept others waiting, and whom."""

from dataclasses import dataclass
from typing import Final

import numpy as np

from topoview.model.arrays import Bytes, Floats, Indices, Ints, freeze

MAX_DELAYS = 1000
"""Delays that are kept, the costliest; what others caused is in `unattributed`."""

MIN_EXPLAINED = 1 / 2
"""Share of the mean wait for a rank that its excess must be to be called its cause."""

FRONT_ENDS: Final = ("nobody waited", "boundary", "annihilated", "absorbed")
"""How a front ends, by the code of `Delays.ending`: it reaches nobody; all ranks; ranks
most of whose other neighbours wait for another delay; ranks whose neighbours do not."""


@dataclass(frozen=True, slots=True, eq=False)
class Delays:
    """Delays, costliest first: no verdict, but a ranking with its evidence.

    Attributes
    ----------
    rank : int32, shape (n,)
        Rank that was late.
    begin, end : int64, shape (n,)
        Its own time that took too long, in ticks: a computation, or a call less the
        time that it waited for others in it.
    excess : int64, shape (n,)
        Ticks longer than usual at that place of the program: than the median over
        all ranks and iterations; never 0.
    region : int32, shape (n,)
        Region of the call in which it was; -1 for a computation.
    doing : int32, shape (n,)
        Region that the rank was in for most of that time; -1 for none.
    iteration : int32, shape (n,)
        Iteration of the outermost loop of the logical trace, from 1; 0 outside.
    caused : int64, shape (n,)
        Ticks of all ranks' waiting that are attributed to it.
    reached : int32, shape (n,)
        Other ranks that waited for it, directly or through others, so that it is one
        of the two main causes of a wait.
    hops_per_iteration, hops_per_second, decay : float64, shape (n,)
        How fast the waiting travels along the topology, and by how many seconds
        what is due to it in the ranks' first waits gets less with each hop; NaN where
        it does not reach two distances.
    ending : uint8, shape (n,)
        How its front ends, an index into `FRONT_ENDS`.
    met : int32, shape (n,)
        The delay that annihilates it; -1 for none.
    offsets : int64, shape (n + 1,)
        The waits that it is one of the two main causes of: ``offsets[i]`` to
        ``offsets[i + 1]``, in order of their begin.
    wait_rank : int32, shape (waits,)
        Rank that waited.
    wait_whom : int32, shape (waits,)
        Rank that it waited for directly.
    wait_begin, wait_end : int64, shape (waits,)
        From when until when, in ticks.
    wait_due : int64, shape (waits,)
        Ticks of the wait that are due to the delay.
    wait_hops : int32, shape (waits,)
        Distance of that rank from the delay's in the identified topology; -1 if
        there is no way.
    wait_call : int64, shape (waits,)
        The call, an index into the trace's calls.
    of_rank : int64, shape (ranks,)
        Ticks of waiting that each rank's own time caused, in these delays and others.
    of_statement : int64, shape (statements,)
        The same by statement of the logical trace: in its calls, and computing before
        them.
    waiting
        Ticks of all waiting.
    left_out
        Further delays, each of which caused no more than the last one here.
    """

    rank: Indices
    begin: Ints
    end: Ints
    excess: Ints
    region: Indices
    doing: Indices
    iteration: Indices
    caused: Ints
    reached: Indices
    hops_per_iteration: Floats
    hops_per_second: Floats
    decay: Floats
    ending: Bytes
    met: Indices
    offsets: Ints
    wait_rank: Indices
    wait_whom: Indices
    wait_begin: Ints
    wait_end: Ints
    wait_due: Ints
    wait_hops: Indices
    wait_call: Ints
    of_rank: Ints
    of_statement: Ints
    waiting: int
    left_out: int

    def __post_init__(self) -> None:
        """Make the arrays read-only."""
        freeze(self)

    def __len__(self) -> int:
        """Count the delays."""
        return len(self.rank)

    @property
    def unattributed(self) -> int:
        """Ticks of waiting that none of these delays caused."""
        return self.waiting - int(self.caused.sum())

    def is_late(self, delay: int) -> bool:
        """Tell whether others waited because the rank took longer than usual.

        Else it is slow each time, or what it took too long for is a small part of the
        wait.
        """
        explained = int(self.excess[delay]) * int(self.reached[delay])
        return 0 < explained >= MIN_EXPLAINED * int(self.caused[delay])

    def arrivals(self, delay: int, ranks: int) -> Ints:
        """Tell when the front of a delay came to each rank.

        Returns
        -------
        int64, shape (ranks,)
            Begin of the rank's first wait for it, in ticks; -1 where it never came.
            At the time t the front has passed the ranks with ``0 <= arrival <= t``.
        """
        found = np.full(ranks, -1, np.int64)
        own = slice(self.offsets[delay], self.offsets[delay + 1])
        found[self.wait_rank[own][::-1]] = self.wait_begin[own][::-1]
        return found
