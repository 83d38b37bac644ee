"""What is known about a trace beside the trace itself: `Analysis`, and its parts.

What is measured by the logical trace is in `topoview.model.times.measured`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from topoview.model.frozen.arrays import Frozen

if TYPE_CHECKING:  # whoever shows one result does not pay for the classes of all
    from collections.abc import Mapping

    from topoview.model.frozen.arrays import Bytes, Floats, Indices, Ints
    from topoview.model.identification import Identification
    from topoview.model.logical import LogicalTrace
    from topoview.model.times.devices import DeviceActivity
    from topoview.model.times.measured import (
        CallPositions,
        IterationSums,
        MeasuredLines,
        Profile,
    )
    from topoview.model.times.waits import (
        CriticalPath,
        Delays,
        Efficiencies,
        HungCalls,
        WaitStates,
        WaitSums,
    )
    from topoview.model.topology import CommunicationMatrix
    from topoview.model.trace import Trace


@dataclass(frozen=True, slots=True, eq=False)
class StateSums(Frozen):
    """Sums of time by state in the rows of a timeline."""

    every: int
    """Intervals from one sum of level 0 to the next."""
    offsets: Ints
    """int64, shape (levels, rows + 1): where the sums of each level and row are. The
    last of a row is at the begin of its last interval, the others at every `every`-th,
    or ever fewer, from the first on. Rows with few intervals have none."""
    begin: Ints
    """int64, shape (sums,): begin of the interval in ticks."""
    ticks: Ints
    """int64, shape (sums, states): time from the row's begin to there in each state."""
    states: Bytes
    """uint8, shape (states,): `TimeState` of the columns."""


@dataclass(frozen=True, slots=True, eq=False)
class Overview(Frozen):
    """What is known of a whole timeline."""

    time: int
    window: tuple[int, int]
    """`time` and `window`: what is worth looking at first, in ticks: the time at which
    the states of the ranks differ most between the first message and the last, and some
    iterations around it."""
    communication: tuple[int, int] | None
    """Window from the first entry of a call that communicates to the last exit of one,
    of any of the ranks' threads, in ticks; None without any."""
    run: tuple[int, int]
    """From the first event of any location to the last one, in ticks."""
    exchange: tuple[int, int]
    """`communication`, without any the whole run, in ticks: the span that numbers are
    of by default."""
    states: tuple[int, ...]
    """Codes of the states that they are in, ascending."""
    sums: StateSums
    """Sums of time by state."""
    visits: Ints
    """int64, shape (regions, 2): begin of the first visit of main threads to each
    region and end of the last one, in ticks; -1 where none is. They visit a region
    while it is the innermost one."""
    regions_used: Mapping[str, Ints]
    """Regions that rows are ever in, ascending: of ``rank``, and of each kind of
    further locations; int64."""


@dataclass(frozen=True, slots=True, eq=False)
class TimelineFacts(Frozen):
    """What some ranks did, for an overview of all."""

    first_send: int
    """When the first message was sent to another rank that received it, in ticks; -1
    without any."""
    communication: tuple[int, int]
    """As in `Overview`; -1 without any."""
    states: tuple[int, ...]
    visits: Ints
    """int64, shape (regions, 2): as in `Overview`, also of those without length."""
    regions_used: Mapping[str, Ints]
    """`states` and `regions_used`: as in `Overview`."""


MESSAGES_PER_BLOCK = 512


@dataclass(frozen=True, slots=True, eq=False)
class MessageIndex(Frozen):
    """What is known about blocks of `MESSAGES_PER_BLOCK` messages.

    As messages are stored in order of their senders and calls, few blocks have to be
    looked into for those between two ranks, or of a moment.
    """

    begin: Ints
    end: Ints
    """`begin` and `end`: int64, shape (blocks,): when the first message that flies
    between two ranks was sent, and the last one received, in ticks; `begin` is after
    `end` where there is none."""
    ranks: Indices
    """int32, shape (blocks, 4): lowest and highest sender, lowest and highest
    receiver."""
    arrival: Ints
    """int64, shape (blocks, 2): when the first and the last of all of them were
    received, in ticks; where a receive was not recorded the last is after all times."""
    sizes: Ints
    """int64, shape (2,): least and most bytes of a message; zeros without any."""
    tags: Indices
    """int32, shape (n,): tags, ascending: of many those that come first."""


@dataclass(frozen=True, slots=True, eq=False)
class Transfers(Frozen):
    """What one-sided calls move, in order of rank and time."""

    sender: Ints
    receiver: Ints
    """`sender` and `receiver`: int64, shape (transfers,): ranks whose memory the bytes
    come from and go to."""
    size: Ints
    """int64, shape (transfers,): bytes."""
    time: Ints
    """int64, shape (transfers,): when the record was written, in ticks."""
    call: Ints
    """int64, shape (transfers,): call of the rank's main thread that it is of; -1 if it
    is of none."""

    def __len__(self) -> int:
        """Count the transfers."""
        return len(self.size)


@dataclass(frozen=True, slots=True, weakref_slot=True, eq=False)
class Analysis:
    """What is known about a trace; what is not known yet is None."""

    trace: Trace
    matrix: CommunicationMatrix | None = None
    """Traffic that the topology is identified on: messages, or without any the
    one-sided transfers."""
    identification: Identification | None = None
    logical: LogicalTrace | None = None
    profile: Profile | None = None
    profile_of_run: Profile | None = None
    profile_of_loop: Profile | None = None
    """`profile`, `profile_of_run` and `profile_of_loop`: of the exchange, the whole run
    and the iterations of the main loop; None if nothing repeats."""
    notes: tuple[str, ...] = ()
    """Sentences about what was not done, and why."""
    measured: MeasuredLines | None = None
    positions: CallPositions | None = None
    waits: WaitStates | None = None
    one_sided: CommunicationMatrix | None = None
    """One-sided transfers by pairs of ranks; None if there are none."""
    outline: Overview | None = None
    """As `overview`, without sums of time."""
    overview: Overview | None = None
    message_index: MessageIndex | None = None
    transfers: Transfers | None = None
    """`overview`, `message_index` and `transfers`: of the timeline, the messages and
    the one-sided calls: known before anything is shown."""
    hung: HungCalls | None = None
    """Calls that are never left, and whom they wait for."""
    symmetry: Indices | None = None
    """int32, shape (ranks,): classes of ranks that look alike by who communicates with
    whom; -1 for ranks that do not communicate."""
    delays: Delays | None = None
    """Delays of single ranks, and who waited for them; None if clocks are not aligned
    or nobody waited."""
    wait_sums: WaitSums | None = None
    critical_path: CriticalPath | None = None
    efficiencies: Efficiencies | None = None
    """`wait_sums`, `critical_path` and `efficiencies`: waiting in total, what the run's
    length is made of, and the efficiencies of POP; None if clocks are not aligned."""
    devices: DeviceActivity | None = None
    """What devices do, and what waits for them; None if there are none."""
    spectral: Floats | None = None
    """float64, shape (ranks, 3): places of the ranks in the spectral layout; NaN for
    silent ones. None as well if the topology has a shape of its own."""
    iterations: IterationSums | None = None
    """Of the main loop, of a digest only: of other traces they are found when they are
    asked for."""

    @property
    def sums(self) -> StateSums | None:
        """Sums of time by state, as far as they are known."""
        return None if self.overview is None else self.overview.sums
