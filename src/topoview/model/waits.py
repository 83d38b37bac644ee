"""Waits: of each call, in total, the delays, and what they leave of the time."""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

import numpy as np

from topoview.model.arrays import Bytes, Floats, Frozen, Indices, Ints
from topoview.model.derived import kept_with_source

WAIT_KINDS: Final = (
    *("late_sender", "late_receiver", "wait_at_barrier", "wait_at_nxn"),
    *("late_broadcast", "early_reduce", "early_scan"),
    *("wait_at_fence", "wait_at_create", "wait_at_free"),
    *("late_post", "early_wait", "lock_contention"),
)
"""Scalasca's wait states, by the code of `WaitStates.kind`."""

WAITS_FOR_ONE: Final = frozenset(
    {"late_sender", "late_receiver", "late_post", "early_wait", "lock_contention"}
)
"""Those in which a rank waits for what another one does for it alone."""

NO_WAIT: Final = len(WAIT_KINDS)
"""Code of a call that waits for nobody, or of which that is not known."""


WAIT_SUMS: Final = (
    *("kind", "rank", "cause", "pair", "direction"),
    *("statement", "communicator", "phase", "iteration"),
)
"""What waiting is summed up by."""


@dataclass(frozen=True, slots=True, eq=False)
class WaitStates(Frozen):
    """For whom each call of the ranks' threads waited, and until when.

    Attributes
    ----------
    until : int64, shape (calls,)
        When what the call needs last began (a partner's send, or the last call of
        a collective operation) or ended (another rank's lock), in ticks; -1 where that
        is not known, or nothing is needed. Before the call's own begin where it did
        not wait.
    whom : int32, shape (calls,)
        Rank that began it; -1 where that is not known.
    cause : int64, shape (calls,)
        The call that it began, the send or the last rank's, or in which it gave the
        lock back; -1 where that is not known.
    kind : uint8, shape (calls,)
        Index into `WAIT_KINDS`, `NO_WAIT` where `until` is -1.
    communicator : int32, shape (calls,)
        Index into the trace's communicators; -1 where `until` is -1.
    """

    until: Ints
    whom: Indices
    cause: Ints
    kind: Bytes
    communicator: Indices


@dataclass(frozen=True, slots=True, eq=False)
class CollectiveTimes(Frozen):
    """What the ranks of some parts of a trace tell others of collective operations.

    Attributes
    ----------
    operation : int64, shape (operations,)
        Numbers of the operations, ascending: their groups and turns there.
    parts : int64, shape (operations,)
        How many parts in each there are.
    left : int64, shape (operations,)
        When the first rank left each, in ticks.
    came : int64, shape (5, n)
        Who came last to each operation: its number, the rank, its call, when that began
        and whether ranks wait for those before them there. If so, all ranks that came
        after all those before them. By operation, then rank.
    roots : int64, shape (5, n)
        The same of the roots.
    """

    operation: Ints
    parts: Ints
    left: Ints
    came: Ints
    roots: Ints


@dataclass(frozen=True, slots=True, eq=False)
class DeducedEnds(Frozen):
    """Where receives end that a trace does not record, and how requests do.

    What Waits complete is deduced only where no Wait tells it, nor Startall begins
    more requests than can be told.

    Attributes
    ----------
    receive : int64, shape (2, n)
        Messages without a recorded receive, ascending, and the calls that received
        them, or posted the receive.
    recorded, starts
        Whether any Wait of the main threads says what it completes; if none does,
        whether they call Startall.
    """

    receive: Ints
    recorded: bool
    starts: bool


@dataclass(frozen=True, slots=True, eq=False)
class WindowWaits(Frozen):
    """For whom calls wait in operations on windows.

    Attributes
    ----------
    met, needs : int64, shape (5, n)
        Calls, those that they need, when these let them go on, their ranks, and index
        into `WAIT_KINDS`: in operations of all ranks of a window, in which their
        request completes, and in epochs and for locks. By call.
    pending : int64, shape (2, n)
        Calls that wait for transfers, and when the last one to their rank was through.
    """

    met: Ints
    needs: Ints
    pending: Ints


@dataclass(frozen=True, slots=True, eq=False)
class WaitSums(Frozen):
    """Waiting of the ranks' main threads in total, in ticks; causes are in `Delays`.

    What is suffered is the same in all of these sums; waits without a direction (in
    collective operations), statement or iteration are missing in those only.

    Attributes
    ----------
    suffered : int64, shape (kinds, ranks)
        By kind, as in `WAIT_KINDS`, and rank that waited.
    held_up : int64, shape (kinds, ranks)
        By kind, and rank that was waited for.
    pair_rank, pair_whom : int32, shape (pairs,)
        Ranks that waited, and for whom.
    pair_ticks, pair_calls : int64, shape (pairs,)
        How long, and how often.
    directions
        Names of the directions in which messages came from, or went to.
    by_direction : int64, shape (directions,)
    by_statement : int64, shape (statements,)
        By statement of the logical trace that waited.
    by_communicator : int64, shape (communicators,)
    by_iteration : int64, shape (iterations + 1,)
        Iterations from 1; the first is what is outside of the loop.
    phases
        Names of the phases, in order of time.
    by_phase : int64, shape (phases,)
    wrong_order : int64, shape (2, ranks)
        Of the late senders, by the rank that waited: while messages that were received
        later had been sent earlier, by other ranks, or by the same one.
    completion : int64, shape (2,)
        Time in barriers, and in other operations of all with all, after the first
        rank had left them; no waiting for a rank.
    early_fence, late_complete : int64, shape (ranks,)
        Of the waits at fences, by the rank that waited: while transfers to it were
        under way; of the early waits: when none were any more.
    least, most
        Between these all waiting lies, as far as the clocks are known.
    between
        The same of each of the sums above, by its name in `WAIT_SUMS`: int64,
        shape (2, n).
    """

    suffered: Ints
    held_up: Ints
    pair_rank: Indices
    pair_whom: Indices
    pair_ticks: Ints
    pair_calls: Ints
    directions: tuple[str, ...]
    by_direction: Ints
    by_statement: Ints
    by_communicator: Ints
    by_iteration: Ints
    phases: tuple[str, ...]
    by_phase: Ints
    wrong_order: Ints
    completion: Ints
    early_fence: Ints
    late_complete: Ints
    least: int
    most: int
    between: Mapping[str, Ints]

    @property
    @kept_with_source()
    def total(self) -> int:
        """All waiting, in ticks."""
        return int(self.suffered.sum())

    @property
    def error(self) -> int:
        """By how many ticks `total` may be wrong."""
        return max(self.total - self.least, self.most - self.total)


@dataclass(frozen=True, slots=True, eq=False)
class CriticalPath(Frozen):
    """What the length of the run is made of: one thing after the other.

    Attributes
    ----------
    rank : int32, shape (n,)
        Rank that the path is on, stretch after stretch in order of time.
    begin, end : int64, shape (n,)
        From when until when, in ticks; a stretch begins when the one before it ends.
    of_rank : int64, shape (ranks,)
        Ticks of the path on each rank.
    of_region : int64, shape (regions + 1,)
        Ticks of the path in each region; the last entry is outside of all.
    in_statement, before_statement : int64, shape (statements,)
        Ticks of the path in calls of each statement of the logical trace, and in what
        is computed before them.
    imbalance : int64, shape (statements,)
        By how much the computation before calls of a statement is longer on the path
        than on average of all ranks: the run would be that much shorter were it
        balanced.
    """

    rank: Indices
    begin: Ints
    end: Ints
    of_rank: Ints
    of_region: Ints
    in_statement: Ints
    before_statement: Ints
    imbalance: Ints

    def __len__(self) -> int:
        """Count the stretches."""
        return len(self.rank)


@dataclass(frozen=True, slots=True)
class Efficiency:
    """Efficiencies of POP, fractions in [0, 1]; NaN where nothing was computed.

    Attributes
    ----------
    load_balance
        Mean computation by the longest of a rank.
    serialisation
        Longest computation by the longest run of a rank if transfers took no time.
    transfer
        That run by the run as it was.
    communication
        Serialisation times transfer: longest computation by the run.
    parallel
        Load balance times communication: mean computation by the run.
    """

    load_balance: float
    serialisation: float
    transfer: float
    communication: float
    parallel: float


@dataclass(frozen=True, slots=True)
class UsefulWork:
    """What counters count while ranks compute, outside of MPI.

    Attributes
    ----------
    instructions, cycles
        Of all ranks together, in the computation of which both are told; NaN where
        they are not counted.
    seconds
        How long that computation takes.
    counted
        By how much each counter grows in all computation, by its name.
    """

    instructions: float
    cycles: float
    seconds: float
    counted: Mapping[str, float]

    @property
    def ipc(self) -> float:
        """Instructions a cycle; NaN where they are not counted."""
        return self.instructions / self.cycles if self.cycles else math.nan

    @property
    def frequency(self) -> float:
        """Cycles a second of computation; NaN where they are not counted."""
        return self.cycles / self.seconds if self.seconds else math.nan


@dataclass(frozen=True, slots=True, eq=False)
class EfficiencySeries(Frozen):
    """Efficiencies of several parts of a run.

    Attributes
    ----------
    mean, longest : float64, shape (n,)
        Ticks that the ranks computed on average, and the one that computed most.
    ideal : float64, shape (n,)
        Ticks that the slowest rank would take if transfers took no time.
    run : float64, shape (n,)
        Ticks that the part took.
    """

    mean: Floats
    longest: Floats
    ideal: Floats
    run: Floats

    def __len__(self) -> int:
        """Count the parts."""
        return len(self.run)

    def __getitem__(self, part: int) -> Efficiency:
        """Give the efficiencies of a part."""
        return Efficiency(*(float(column[part]) for column in self.columns().values()))

    def columns(self) -> dict[str, Floats]:
        """Give the fields of `Efficiency`, each float64, shape (n,)."""
        some = (self.longest > 0) & (self.run > 0)

        def of(part: Floats, whole: Floats) -> Floats:
            missing = np.full(len(whole), np.nan)
            found: Floats = np.divide(part, whole, out=missing, where=some)
            return found

        return {
            "load_balance": of(self.mean, self.longest),
            "serialisation": of(self.longest, self.ideal),
            "transfer": of(self.ideal, self.run),
            "communication": of(self.longest, self.run),
            "parallel": of(self.mean, self.run),
        }


@dataclass(frozen=True, slots=True, eq=False)
class TimeSpent(Frozen):
    """What efficiencies are made of, of some ranks.

    Attributes
    ----------
    computed, ideal : int64, shape (ranks, windows)
        What each rank computes, and computes or waits, in windows of time, in ticks.
    iterations : int64, shape (6, n)
        Of the program's iterations: when the first rank begins each and the last one
        ends it, what all compute in it, and the most that a rank computes, computes or
        waits, and computes or spends in calls. An iteration without any begins at the
        end of all times.
    """

    computed: Ints
    ideal: Ints
    iterations: Ints


@dataclass(frozen=True, slots=True, eq=False)
class Efficiencies(Frozen):
    """Efficiencies of a run and of its parts.

    Attributes
    ----------
    run
        The whole run: one part.
    exchange_window, exchange
        Begin and end in ticks of what lies between the first message and the last
        (`Overview.exchange`), and that as one part: without set-up and end.
    stretches : int64, shape (n + 1,)
        Ticks between which the parts of `over_time` lie.
    over_time
        Equally long parts of the run, in order of time.
    phases, by_phase
        Names of the phases, and their efficiencies.
    planes, by_plane
        Names of the planes of a lattice (``x = 0``), of two dimensions its lines; and
        the efficiencies of their ranks.
    iterations : int64, shape (n, 2)
        When the first rank begins each iteration of the program and the last one ends
        it, in ticks.
    by_iteration
        Of those iterations; each rank's own times of it.
    """

    run: EfficiencySeries
    exchange_window: tuple[int, int]
    exchange: EfficiencySeries
    stretches: Ints
    over_time: EfficiencySeries
    phases: tuple[str, ...]
    by_phase: EfficiencySeries
    planes: tuple[str, ...]
    by_plane: EfficiencySeries
    iterations: Ints
    by_iteration: EfficiencySeries


# Delays: stretches of a rank's own time that kept others waiting, and whom.

MAX_DELAYS = 1000
"""Delays that are kept, the costliest; what others caused is in `unattributed`."""

MIN_EXPLAINED = 1 / 2
"""Share of the mean wait for a rank that its excess must be to be called its cause."""

FRONT_ENDS: Final = ("nobody waited", "boundary", "annihilated", "absorbed")
"""How a front ends, by the code of `Delays.ending`: it reaches nobody; all ranks; ranks
most of whose other neighbours wait for another delay; ranks whose neighbours do not."""


@dataclass(frozen=True, slots=True, eq=False)
class Delays(Frozen):
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
    between
        Between what `caused` (``delay``), `of_rank` (``rank``) and `of_statement`
        (``statement``) lie, as far as the clocks are known: int64, shape (2, n) each;
        empty where that is as well as the trace tells.
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
    between: Mapping[str, Ints]
    waiting: int
    left_out: int

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
