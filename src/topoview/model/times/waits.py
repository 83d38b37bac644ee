"""Waits: of each call, in total, the delays, and what they leave of the time."""

import math
from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Final

import numpy as np

from topoview.base.text import html_text, share_text
from topoview.model.frozen.arrays import Bools, Bytes, Floats, Frozen, Indices, Ints
from topoview.model.frozen.derived import kept_with_source

WAIT_KINDS: Final = (
    "late_sender",
    "late_receiver",
    "wait_at_barrier",
    "wait_at_nxn",
    "late_broadcast",
    "early_reduce",
    "early_scan",
    "wait_at_fence",
    "wait_at_create",
    "wait_at_free",
    "late_post",
    "early_wait",
    "lock_contention",
    "wait_at_io",
    "wait_at_setup",
)
"""Wait states, by the code of `WaitStates.kind`: Scalasca's, then those in collective
I/O and where communicators are made, which Scalasca does not tell apart."""

WAITS_FOR_ONE: Final = frozenset(
    {"late_sender", "late_receiver", "late_post", "early_wait", "lock_contention"}
)
"""Those in which a rank waits for what another one does for it alone."""

NO_WAIT: Final = len(WAIT_KINDS)
"""Code of a call that waits for nobody, or of which that is not known."""


WAIT_SUMS: Final = (
    "kind",
    "rank",
    "waited_for",
    "pair",
    "direction",
    "statement",
    "communicator",
    "axis",
    "phase",
    "iteration",
)
"""What waiting is summed up by."""


@dataclass(frozen=True, slots=True, eq=False)
class WaitStates(Frozen):
    """For whom each call of the ranks' threads waited, and until when."""

    until: Ints
    """int64, shape (calls,): when what the call needs last began (a partner's send, or
    the last call of a collective operation) or ended (another rank's lock), in ticks;
    -1 where unknown, or nothing is needed. Before the call's own begin where
    it did not wait."""
    whom: Indices
    """int32, shape (calls,): rank that began it; -1 where unknown."""
    cause: Ints
    """int64, shape (calls,): the call that it began, the send or the last rank's, or in
    which it gave the lock back; -1 where unknown."""
    kind: Bytes
    """uint8, shape (calls,): index into `WAIT_KINDS`, `NO_WAIT` where `until` is -1."""
    communicator: Indices
    """int32, shape (calls,): index into the trace's communicators; -1 where `until` is
    -1."""
    measured: Ints
    """int64, shape (3, n): calls in whose wait the tracer took time for itself, which
    is no waiting: ascending; when that began and ended, in ticks."""


@dataclass(frozen=True, slots=True, eq=False)
class CollectiveTimes(Frozen):
    """What the ranks of some parts of a trace tell others of collective operations."""

    operation: Ints
    """int64, shape (operations,): numbers of the operations, ascending: their groups
    and turns there."""
    parts: Ints
    """int64, shape (operations,): how many parts in each there are."""
    left: Ints
    """int64, shape (operations,): when the first rank left each, in ticks."""
    came: Ints
    """int64, shape (5, n): who came last to each operation: its number, the rank, its
    call, when that began and whether ranks wait for those before them there. If so, all
    ranks that came after all those before them. By operation, then rank."""
    roots: Ints
    """int64, shape (5, n): the same of the roots."""
    near: Ints
    """int64, shape (4, n): all parts in neighbourhood collectives: operation, rank,
    call, and when that began; by operation, then rank."""


@dataclass(frozen=True, slots=True, eq=False)
class DeducedEnds(Frozen):
    """Where receives end that a trace does not record, and how requests do.

    What Waits complete is deduced only where no Wait tells it, nor Startall begins
    more requests than can be told.
    """

    receive: Ints
    """int64, shape (2, n): messages without a recorded receive, ascending, and the
    calls that received them, or posted the receive."""
    recorded: bool
    starts: bool
    """`recorded` and `starts`: whether any Wait of the main threads says what it
    completes; if none does, whether they call Startall."""


@dataclass(frozen=True, slots=True, eq=False)
class WindowWaits(Frozen):
    """For whom calls wait in operations on windows."""

    met: Ints
    needs: Ints
    """`met` and `needs`: int64, shape (5, n): calls, those that they need, when
    these let them go on, their ranks, and index into `WAIT_KINDS`: in operations of
    all ranks of a window, in which their request completes, and in epochs and for
    locks. By call."""
    pending: Ints
    """int64, shape (2, n): calls that wait for transfers, and when the last one to
    their rank was through."""


@dataclass(frozen=True, slots=True, eq=False)
class WaitSums(Frozen):
    """Waiting of the ranks' main threads in total, in ticks; causes are in `Delays`.

    What is suffered is the same in all of these sums; waits without a direction (in
    collective operations), statement or iteration are missing in those only.
    """

    suffered: Ints
    """int64, shape (kinds, ranks): by kind, as in `WAIT_KINDS`, and rank that
    waited."""
    held_up: Ints
    """int64, shape (kinds, ranks): by kind, and rank that was waited for."""
    pair_rank: Indices
    pair_whom: Indices
    """`pair_rank` and `pair_whom`: int32, shape (pairs,): ranks that waited, and for
    whom."""
    pair_ticks: Ints
    pair_calls: Ints
    """`pair_ticks` and `pair_calls`: int64, shape (pairs,): how long, and how often."""
    directions: tuple[str, ...]
    """Names of the directions in which messages came from, or went to."""
    by_direction: Ints
    """int64, shape (directions,)"""
    by_statement: Ints
    """int64, shape (statements,): by statement of the logical trace that waited."""
    by_communicator: Ints
    """int64, shape (communicators,)"""
    axes: tuple[str, ...]
    """Names of the axes of the plan, and of what several of them span."""
    by_axis: Ints
    """int64, shape (axes,): by the axes along which ranks differ that wait for each
    other: all members of the communicator, or the two that exchange a message."""
    by_iteration: Ints
    """int64, shape (iterations + 1,): iterations from 1; the first is what is outside
    of the loop."""
    phases: tuple[str, ...]
    """Names of the phases, in order of time."""
    by_phase: Ints
    """int64, shape (phases,)"""
    wrong_order: Ints
    """int64, shape (2, ranks): of the late senders, by the rank that waited: while
    messages that were received later had been sent earlier, by other ranks, or by the
    same one."""
    completion: Ints
    """int64, shape (2,): time in barriers, and in other operations of all with all,
    after the first rank had left them; no waiting for a rank."""
    early_fence: Ints
    late_complete: Ints
    """`early_fence` and `late_complete`: int64, shape (ranks,): of the waits at fences,
    by the rank that waited: while transfers to it were under way; of the early waits:
    when none were any more."""
    least: int
    most: int
    """`least` and `most`: between these all waiting lies, as far as the clocks are
    known."""
    between: Mapping[str, Ints]
    """The same of each of the sums above, by its name in `WAIT_SUMS`: int64, shape (2,
    n)."""

    @property
    @kept_with_source()
    def total(self) -> int:
        """All waiting, in ticks."""
        return int(self.suffered.sum())

    @property
    def error(self) -> int:
        """By how many ticks `total` may be wrong."""
        return max(self.total - self.least, self.most - self.total)


HUNG_EVIDENCE: Final = ("recorded", "as before", "missing")
"""How it is known whom a call waits for that is never left: its message is recorded; by
its earlier calls from the same place; the rank is not in the collective operation."""


@dataclass(frozen=True, slots=True, eq=False)
class HungCalls(Frozen):
    """Calls that are never left, and whom they wait for, as far as that is known."""

    call: Ints
    """int64, shape (n,): as `Trace.never_left`."""
    rank: Indices
    """int32, shape (n,): whose they are."""
    waiter: Ints
    """int64, shape (edges,): number of a call among these, ascending."""
    whom: Indices
    """int32, shape (edges,): a rank that it waits for."""
    evidence: Bytes
    """uint8, shape (edges,): how that is known, an index into `HUNG_EVIDENCE`."""
    cycles: tuple[tuple[int, ...], ...]
    """Ranks that wait for each other, each for the next one and the last for the
    first."""


@dataclass(frozen=True, slots=True, eq=False)
class CriticalPath(Frozen):
    """What the length of the run is made of: one thing after the other."""

    rank: Indices
    """int32, shape (n,): rank that the path is on, stretch after stretch in order of
    time."""
    begin: Ints
    end: Ints
    """`begin` and `end`: int64, shape (n,): from when until when, in ticks; a stretch
    begins when the one before it ends."""
    of_rank: Ints
    """int64, shape (ranks,): ticks of the path on each rank."""
    of_region: Ints
    """int64, shape (regions + 1,): ticks of the path in each region; the last entry is
    outside of all."""
    in_statement: Ints
    before_statement: Ints
    """`in_statement` and `before_statement`: int64, shape (statements,): ticks of the
    path in calls of each statement of the logical trace, and in what is computed before
    them."""
    imbalance: Ints
    """int64, shape (statements,): by how much the computation before calls of a
    statement is longer on the path than on average of all ranks: the run would be that
    much shorter were it balanced."""
    longest_excess: float
    longest_noise: float
    """`longest_excess` and `longest_noise`: by how many ticks the rank that computes
    longest does so longer than the mean rank; and by how many it may where ranks differ
    by chance alone."""

    def __len__(self) -> int:
        """Count the stretches."""
        return len(self.rank)


@dataclass(frozen=True, slots=True, repr=False)
class Efficiency:
    """Efficiencies of POP, fractions in [0, 1]; NaN where nothing was computed."""

    load_balance: float
    """Mean time outside of MPI by the longest of a rank."""
    serialisation: float
    """That longest time by the longest of a rank if transfers took no time."""
    transfer: float
    """The latter by the time that there was."""
    communication: float
    """Serialisation times transfer."""
    mpi: float
    """Load balance times communication: mean time outside of MPI by the time."""
    threads: float
    """Computation, calls of GPUs' interfaces and waits for them, by all time outside of
    MPI: waits for threads and I/O take the rest."""
    offload: float
    """Computation by that and what GPUs take of the host's time."""
    parallel: float
    """MPI times threads times offload: mean computation by the time."""

    def __repr__(self) -> str:
        """Return all of them in a line."""
        return f"<Efficiency: {', '.join(map(' '.join, self._rows()))}>"

    def _repr_html_(self) -> str:
        """Show them in a notebook."""
        return html_text(("factor", "share"), self._rows(), (True, False))

    def _rows(self) -> list[tuple[str, str]]:
        names = [one.name for one in fields(self)]
        return [(name, share_text(getattr(self, name))) for name in names]


@dataclass(frozen=True, slots=True)
class UsefulWork:
    """What counters count while ranks compute, outside of MPI."""

    instructions: float
    cycles: float
    """`instructions` and `cycles`: of all ranks together, in the computation of which
    both are told; NaN where they are not counted."""
    seconds: float
    """How long that computation takes."""
    counted: Mapping[str, float]
    """By how much each counter grows in all computation, by its name."""

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
    """Efficiencies of several parts of a run."""

    useful: Floats
    """float64, shape (n,): ticks that the ranks computed on average."""
    hosting: Floats
    """float64, shape (n,): that, and ticks in which GPUs kept them."""
    mean: Floats
    longest: Floats
    """`mean` and `longest`: float64, shape (n,): ticks that the ranks spent outside of
    MPI on average, and the one that spent most."""
    ideal: Floats
    """float64, shape (n,): ticks that the slowest rank would take if transfers took no
    time."""
    run: Floats
    """float64, shape (n,): ticks that the part took, without those of the tracer."""

    def __len__(self) -> int:
        """Count the parts."""
        return len(self.run)

    def __getitem__(self, part: int) -> Efficiency:
        """Return the efficiencies of a part."""
        return Efficiency(*(float(column[part]) for column in self.columns().values()))

    def columns(self) -> dict[str, Floats]:
        """Return the fields of `Efficiency`, each float64, shape (n,)."""
        some = (self.longest > 0) & (self.run > 0)

        def of(part: Floats, whole: Floats) -> Floats:
            missing = np.full(len(whole), np.nan)
            result: Floats = np.divide(part, whole, out=missing, where=some)
            return result

        return {
            "load_balance": of(self.mean, self.longest),
            "serialisation": of(self.longest, self.ideal),
            "transfer": of(self.ideal, self.run),
            "communication": of(self.longest, self.run),
            "mpi": of(self.mean, self.run),
            "threads": of(self.hosting, self.mean),
            "offload": of(self.useful, self.hosting),
            "parallel": of(self.useful, self.run),
        }


@dataclass(frozen=True, slots=True, eq=False)
class TimeSpent(Frozen):
    """What efficiencies are made of, of some ranks."""

    windows: Ints
    """int64, shape (6, windows): what all ranks compute in windows of time, compute or
    are kept by GPUs, and spend outside of MPI; the most that a rank spends there, is
    there or waits for others, and has taken by the tracer, in ticks."""
    exchange: Ints
    """int64, shape (5, ranks): what each rank computes in `Overview.exchange`, computes
    or is kept by GPUs, spends outside of MPI, there or waiting, and has taken."""
    iterations: Ints
    """int64, shape (8, n): of the program's iterations: when the first rank begins each
    and the last one ends it; of all, computation, that and what GPUs take, and all
    outside of MPI; the most that a rank spends outside of MPI, there or waiting, and in
    all. An iteration without any begins at the end of all times."""


@dataclass(frozen=True, slots=True, eq=False)
class Efficiencies(Frozen):
    """Efficiencies of a run and of its parts."""

    run: EfficiencySeries
    """The whole run: one part."""
    exchange_window: tuple[int, int]
    exchange: EfficiencySeries
    """`exchange_window` and `exchange`: begin and end in ticks (`Overview.exchange`),
    and that as one part: without set-up and end."""
    stretches: Ints
    """int64, shape (n + 1,): ticks between which the parts of `over_time` lie."""
    over_time: EfficiencySeries
    """Equally long parts of the run, in order of time."""
    phases: tuple[str, ...]
    by_phase: EfficiencySeries
    """`phases` and `by_phase`: names of the phases, and their efficiencies."""
    planes: tuple[str, ...]
    by_plane: EfficiencySeries
    """`planes` and `by_plane`: names of the planes of a lattice (``x = 0``), of two
    dimensions its lines; and the efficiencies of their ranks."""
    iterations: Ints
    """int64, shape (n, 2): when the first rank begins each iteration of the program and
    the last one ends it, in ticks."""
    by_iteration: EfficiencySeries
    """Of those iterations; each rank's own times of it."""


# Delays: stretches of a rank's own time that kept others waiting, and whom.

MAX_DELAYS = 1000
"""Delays that are kept, the costliest; what others caused is in `left_out_caused`."""

MIN_SHARE_LISTED: Final = 1e-3
"""Share of what the costliest delay caused that another one must cause to be kept."""

MIN_SHARE_OF_NOISE: Final = 0.01
"""Share of all waiting that a delay must cause to be kept if it is as long as others at
its place."""

MIN_CORRELATION: Final = 0.8
"""Rank correlation of when waits begin with how far away they are, above which a front
is told to travel."""

MIN_EXPLAINED = 1 / 2
"""Share of the mean wait for a rank that its excess must be to be called its cause."""

FRONT_ENDS: Final = ("nobody waited", "boundary", "annihilated", "absorbed")
"""How a front ends, by the code of `Delays.ending`: it reaches nobody; all ranks; ranks
most of whose other neighbours wait for another delay; ranks whose neighbours do not."""


@dataclass(frozen=True, slots=True, eq=False)
class Delays(Frozen):
    """Delays, costliest first: no verdict, but a ranking with its evidence."""

    rank: Indices
    """int32, shape (n,): rank that was late."""
    begin: Ints
    end: Ints
    """`begin` and `end`: int64, shape (n,): its own time that took too long, in ticks:
    a computation, or a call less the time that it waited for others in it."""
    excess: Ints
    """int64, shape (n,): ticks longer than usual at that place of the program: than the
    median over all ranks and iterations; never 0."""
    noise: Floats
    """float64, shape (n,): excess up to which a stretch is like others at its place;
    infinite where there are too few (`topoview.model.claims`)."""
    region: Indices
    """int32, shape (n,): region of the call in which it was; -1 for a computation."""
    doing: Indices
    """int32, shape (n,): region that the rank was in for most of that time; -1 for
    none."""
    measuring: Ints
    """int64, shape (n,): ticks of that time that the tracer took."""
    beside: Indices
    """int32, shape (n,): of those inside of calls, other ranks with one here that was
    inside of a call for half of that time."""
    iteration: Indices
    """int32, shape (n,): iteration of the outermost loop of the logical trace, from 1;
    0 outside."""
    caused: Ints
    """int64, shape (n,): ticks of all ranks' waiting that are attributed to it."""
    saved: Ints
    """int64, shape (n,): by how many ticks the exchange would be shorter without its
    excess,
    all else as it was; -1 of those of which that is not computed."""
    reached: Indices
    """int32, shape (n,): other ranks that waited for it, directly or through others, so
    that it is one of the two main causes of a wait, of some per cent of it."""
    correlation: Floats
    """float64, shape (n,): rank correlation of the median begin of the ranks' first
    waits at each distance in the topology with that distance; NaN where it does not
    travel: it does not explain what others waited, most did so in operations of all,
    waits begin no later far away, or it comes to fewer than three distances."""
    hops_per_iteration: Floats
    hops_per_second: Floats
    decay: Floats
    """`hops_per_iteration`, `hops_per_second` and `decay`: float64, shape (n,): how
    fast the waiting travels along the topology, and by how many seconds what is due to
    it in the ranks' first waits gets less with each hop, before it meets another one;
    NaN where it does not travel, or a line does not fit."""
    errors: Floats
    """float64, shape (3, n): two standard errors of these."""
    predicted: Floats
    """float64, shape (2, 2): how many hops an iteration and a second a front travels by
    what calls need and how long ranks compute; and two standard errors of these. NaN
    where there is no lattice, or no front in it."""
    noise_per_hop: float
    """What a rank waits in an iteration by noise, that is for what was not late, in
    seconds, by these hops: by about as much waves get shorter with each hop."""
    ending: Bytes
    """uint8, shape (n,): how its front ends, an index into `FRONT_ENDS`."""
    met: Indices
    """int32, shape (n,): the delay that annihilates it; -1 for none."""
    offsets: Ints
    """int64, shape (n + 1,): the waits that it is one of the two main causes of:
    ``offsets[i]`` to ``offsets[i + 1]``, in order of their begin."""
    wait_rank: Indices
    """int32, shape (waits,): rank that waited."""
    wait_whom: Indices
    """int32, shape (waits,): rank that it waited for directly."""
    wait_begin: Ints
    wait_end: Ints
    """`wait_begin` and `wait_end`: int64, shape (waits,): from when until when, in
    ticks."""
    wait_due: Ints
    """int64, shape (waits,): ticks of the wait that are due to the delay: no echoes,
    which are less than some per cent of it."""
    wait_hops: Indices
    """int32, shape (waits,): distance of that rank from the delay's in the identified
    topology; -1 if there is no way."""
    wait_call: Ints
    """int64, shape (waits,): the call, an index into the trace's calls."""
    of_rank: Ints
    """int64, shape (ranks,): ticks of waiting that each rank's own time caused, in
    these delays and others."""
    of_statement: Ints
    """int64, shape (statements,): the same by statement of the logical trace: in its
    calls, and computing before them."""
    between: Mapping[str, Ints]
    """Between what `caused` (``delay``), `of_rank` (``rank``) and `of_statement`
    (``statement``) lie, as far as the clocks are known: int64, shape (2, n) each; empty
    where that is as well as the trace tells."""
    waiting: int
    """Ticks of all waiting."""
    left_out: int
    left_out_caused: int
    """`left_out` and `left_out_caused`: further delays, which are no longer than the
    clocks' error, explain less than half of what they caused, are noise of which none
    caused a hundredth of all waiting, caused less than a thousandth of the first one,
    or less than the last one here; and the ticks of waiting that are attributed to them
    together."""

    def __len__(self) -> int:
        """Count the delays."""
        return len(self.rank)

    @property
    def unattributed(self) -> int:
        """Ticks of waiting that none of these delays caused."""
        return self.waiting - int(self.caused.sum())

    @property
    def is_measurement(self) -> Bools:
        """Whether the tracer took half of what each is too long or more.

        bool, shape (n,)
        """
        result: Bools = 2 * self.measuring >= self.excess
        return result

    def is_late(self, delay: int) -> bool:
        """Return whether others waited because the rank took longer than usual.

        Else it is slow each time, or what it took too long for is a small part of the
        wait.
        """
        explained = int(self.excess[delay]) * int(self.reached[delay])
        return 0 < explained >= MIN_EXPLAINED * int(self.caused[delay])

    def arrivals(self, delay: int, ranks: int) -> Ints:
        """Return when the front of a delay came to each rank.

        Returns
        -------
        int64, shape (ranks,)
            Begin of the rank's first wait for it, in ticks; -1 where it never came.
            At the time t the front has passed the ranks with ``0 <= arrival <= t``.
        """
        result = np.full(ranks, -1, np.int64)
        own = slice(self.offsets[delay], self.offsets[delay + 1])
        result[self.wait_rank[own][::-1]] = self.wait_begin[own][::-1]
        return result
