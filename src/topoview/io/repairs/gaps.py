"""Stretches in which a rank was not recorded, and what belongs together around them.

Recording is switched off for a while, or begins late: of what happens meanwhile one end
is missing, and the k-th send is no longer that of the k-th receive. Between two gaps of
its rank the ends of a channel follow each other without one missing, so that each such
stretch has one unknown: how many came before it. The first one has none. Later ones are
placed, in order of time, so that nothing is received before it was sent, then that most
ends have partners, then that messages take the least time. What came before a gap of
both ranks is not received behind it.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, NamedTuple

import numpy as np

from topoview.io.decoder.decoding import RecordedEvents
from topoview.io.decoder.library import EMPTY_RECEIVE
from topoview.io.decoder.pairing import Received, Sent
from topoview.model import EventRecords, Indices, Ints, Regions, Timeline

NEVER: Final = np.iinfo(np.int64).max
"""End of a gap that lasts to the end."""

_BEFORE_ALL: Final = -1
"""Begin of the gap of a rank whose recording begins late."""

_OFF_REGION: Final = "MEASUREMENT OFF"
_SWITCHES: Final = "MeasurementOnOff"
_ON: Final = 1
_FIRST_CALLS: Final = frozenset({"Init", "Init_thread", "Session_init"})

_APART: Final = 1 << 40
"""More than a channel has messages: numbers behind a gap of both ranks differ by it."""


def find_gaps(events: RecordedEvents, regions: Regions, rank: Indices) -> Ints:
    """Find when ranks were not recorded though others were.

    Parameters
    ----------
    rank : int32, shape (rows,)
        Rank of each row.

    Returns
    -------
    int64, shape (n, 3)
        Rank, begin and end in ticks, by rank and time; they do not overlap. The begin
        is -1 where a rank's recording begins without MPI_Init, the end `NEVER` where it
        is not switched on again.
    """
    pieces = [np.zeros((0, 3), np.int64)]
    pieces += [
        _switched_off(one, rank) for one in events.further if one.name == _SWITCHES
    ]
    pieces += [
        _off_regions(events.timeline, regions, rank),
        _late(events, regions, rank),
    ]
    return _merged(np.concatenate(pieces))


def _switched_off(records: EventRecords, rank: Indices) -> Ints:
    """Pair each record that switches recording off with the next one that does not.

    Those of main threads count, the first rows of each rank: a further thread that is
    switched off leaves what its rank sends elsewhere recorded.
    """
    is_main = np.zeros(len(rank), np.bool_)
    is_main[np.unique(rank, return_index=True)[1]] = True
    row = np.repeat(np.arange(len(rank)), np.diff(records.offsets))
    off = records.column("mode") != _ON
    first = np.ones(len(off), np.bool_)
    first[1:] = (row[1:] != row[:-1]) | ~off[:-1]
    begins = np.flatnonzero(off & first & is_main[row])
    on = np.append(np.flatnonzero(~off), len(off))
    ends = on[np.searchsorted(on, begins)]
    there = ends < len(off)
    there[there] = row[ends[there]] == row[begins[there]]
    end = np.full(len(begins), NEVER)
    end[there] = records.time[ends[there]]
    return np.stack([rank[row[begins]].astype(np.int64), records.time[begins], end], 1)


def _off_regions(timeline: Timeline, regions: Regions, rank: Indices) -> Ints:
    """Find the intervals in the region that stands for no measurement."""
    codes = [n for n, name in enumerate(regions.names) if name == _OFF_REGION]
    if not codes:
        return np.zeros((0, 3), np.int64)
    is_off = timeline.region == codes[0]
    for code in codes[1:]:
        is_off |= timeline.region == code
    at = np.flatnonzero(is_off)
    row = np.searchsorted(timeline.offsets, at, side="right") - 1
    last = at + 1 == timeline.offsets[row + 1]
    following = np.minimum(at + 1, len(timeline.time) - 1)
    end = np.where(last, NEVER, timeline.time[following])
    return np.stack([rank[row].astype(np.int64), timeline.time[at], end], axis=1)


def _late(events: RecordedEvents, regions: Regions, rank: Indices) -> Ints:
    """Find the ranks whose first call is not MPI_Init."""
    calls = events.calls
    is_first = np.array([name in _FIRST_CALLS for name in regions.operations] + [False])
    rows = np.flatnonzero(np.diff(calls.offsets) > 0)
    begins = is_first[regions.operation[calls.region[calls.offsets[rows]]]]
    started = np.zeros(int(rank.max(initial=-1)) + 1, np.bool_)
    started[rank[rows[begins & (rank[rows] >= 0)]]] = True
    first = np.full(len(started), NEVER)
    valid = (events.first >= 0) & (rank >= 0)
    np.minimum.at(first, rank[valid], events.first[valid])
    late = np.flatnonzero(~started & (first < NEVER))
    return np.stack([late, np.full(len(late), _BEFORE_ALL), first[late]], axis=1)


def _merged(gaps: Ints) -> Ints:
    """Merge those of a rank that overlap: its threads have the same."""
    gaps = gaps[(gaps[:, 0] >= 0) & (gaps[:, 2] > gaps[:, 1])]
    gaps = gaps[np.lexsort((gaps[:, 1], gaps[:, 0]))]
    result: list[list[int]] = []
    for rank, begin, end in gaps.tolist():
        if result and result[-1][0] == rank and begin <= result[-1][2]:
            result[-1][2] = max(result[-1][2], end)
        else:
            result.append([rank, begin, end])
    return np.array(result, np.int64).reshape(-1, 3)


def shifted_gaps(gaps: Ints, of_rank: Ints) -> Ints:
    """Add ticks to the times of gaps, some for each rank."""
    result = gaps.copy()
    for column in result.T[1:]:
        timed = (column != _BEFORE_ALL) & (column != NEVER)
        column[timed] += of_rank[result[timed, 0]]
    return result


class GapPairs(NamedTuple):
    """What was paired in channels between ranks of which one has gaps."""

    others: Ints
    """int64, shape (n,): sends of other channels, in their order."""
    matched: int
    backwards: int
    worst: int
    """`matched`, `backwards` and `worst`: messages; those received before they were
    sent; by how many ticks at most."""


def pair_around_gaps(  # noqa: PLR0913
    sent: Sent,
    received: Received,
    slots: Ints,
    owner: Indices,
    posted: Ints | None,
    sends: Ints,
    gaps: Ints,
) -> GapPairs:
    """Pair sends and receives of channels with a gap, and leave the others.

    Parameters
    ----------
    slots, owner : integers, shape (n,)
        Receives in the order in which they were posted, and their ranks.
    posted : int64, shape (receives,)
        When they were posted; None: it is told by when they completed.
    sends : int64, shape (m,)
        Sends in their order.
    gaps : int64, shape (gaps, 3)
        From `find_gaps`.
    """
    gaps = _telling(gaps, sent, received, slots, owner)
    of_rank = _by_rank(gaps)
    ranks = np.array(list(of_rank), np.int32)
    own = np.isin(sent.sender[sends], ranks) | np.isin(sent.receiver[sends], ranks)
    there = received.rank[slots] >= 0
    there &= np.isin(received.rank[slots], ranks) | np.isin(owner, ranks)
    mine, theirs, whose = sends[own], slots[there], owner[there]
    channels = np.concatenate(
        [
            [
                column[mine]
                for column in (sent.receiver, sent.sender, sent.communicator, sent.tag)
            ],
            [
                whose,
                received.rank[theirs],
                received.communicator[theirs],
                received.tag[theirs].view(np.int32),
            ],
        ],
        axis=1,
    )
    order = np.lexsort(channels)
    new = np.ones(len(order), np.bool_)
    new[1:] = (channels[:, order[1:]] != channels[:, order[:-1]]).any(axis=0)
    begins = np.append(np.flatnonzero(new), len(order))
    for column in (sent.receive_call, sent.completion_call, sent.receive_time):
        column[mine] = -1
    matched = backwards = worst = 0
    for begin, end in zip(begins[:-1].tolist(), begins[1:].tolist(), strict=True):
        own_ends = order[begin:end]  # ascending: sends first, each in their order
        split = int(np.searchsorted(own_ends, len(mine)))
        if split in (0, len(own_ends)):
            continue
        send, slot = mine[own_ends[:split]], theirs[own_ends[split:] - len(mine)]
        ends = _ChannelEnds(
            sent.send_time[send],
            received.time[slot],
            received.time[slot] if posted is None else posted[slot],
        )
        receiver, sender = channels[:2, own_ends[0]].tolist()
        here, there_ = _places(ends, of_rank.get(sender, []), of_rank.get(receiver, []))
        _, of_send, of_receive = np.intersect1d(
            here, there_, assume_unique=True, return_indices=True
        )
        send, slot = send[of_send], slot[of_receive]
        sent.receive_call[send] = received.post[slot]
        sent.completion_call[send] = received.call[slot]
        sent.receive_time[send] = received.time[slot]
        early = sent.send_time[send] - received.time[slot]
        received.rank[slot] = EMPTY_RECEIVE
        matched += len(send)
        backwards += int(np.count_nonzero(early > 0))
        worst = max(worst, int(early.max(initial=0)))
    return GapPairs(sends[~own], matched, backwards, worst)


def _telling(
    gaps: Ints, sent: Sent, received: Received, slots: Ints, owner: Indices
) -> Ints:
    """Leave out late beginnings before which nobody reached, or heard of, the rank."""
    late = gaps[:, 1] == _BEFORE_ALL
    if not late.any():
        return gaps
    ranks = owner, sent.receiver, sent.sender, received.rank, gaps[:, 0]
    size = 1 + max(int(one.max(initial=0)) for one in ranks)
    first = np.zeros(size, np.int64)
    first[gaps[late, 0]] = gaps[late, 2]
    early = np.zeros(size, np.bool_)
    early[sent.receiver[sent.send_time < first[sent.receiver]]] = True
    sender, time = received.rank[slots], received.time[slots]
    there = np.flatnonzero((sender >= 0) & (sender < size))
    early[sender[there[time[there] < first[sender[there]]]]] = True
    result: Ints = gaps[~late | early[gaps[:, 0]]]
    return result


_Gap = tuple[int, int]


def _by_rank(gaps: Ints) -> dict[int, list[_Gap]]:
    result: dict[int, list[_Gap]] = {}
    for rank, begin, end in gaps.tolist():
        result.setdefault(rank, []).append((begin, end))
    return result


class _ChannelEnds(NamedTuple):
    """Sends and receives of a channel, each in their order: int64, in ticks."""

    sent: Ints
    received: Ints
    posted: Ints


@dataclass(slots=True)
class _Stretch:
    """Sends, or receives, between two gaps of their rank."""

    times: Ints
    is_sent: bool
    begins: int
    """`times` and `begins`: when they were sent or received; when the first one was
    posted."""
    number: int
    """Place of the first one in the channel: of the first stretch it is known."""
    until: int = NEVER
    """When the next gap begins."""


def _places(
    ends: _ChannelEnds, of_sender: Sequence[_Gap], of_receiver: Sequence[_Gap]
) -> tuple[Ints, Ints]:
    """Enumerate the sends and receives of a channel, partners alike."""
    of_sender, of_receiver = _effective(ends, of_sender, of_receiver)
    posted = np.minimum.accumulate(ends.posted[::-1])[::-1]
    sends = _stretches(ends.sent, ends.sent, of_sender, is_sent=True)
    receives = _stretches(ends.received, posted, of_receiver, is_sent=False)
    common = sorted(
        max(one[0], other[0])
        for one in of_sender
        for other in of_receiver
        if one[0] < other[1] and other[0] < one[1]
    )
    placed: list[_Stretch] = []
    last = {True: 0, False: 0}
    for stretch in sorted([*sends, *receives], key=lambda one: one.begins):
        epoch = sum(begin < stretch.begins for begin in common)
        least = max(last[stretch.is_sent], epoch * _APART)
        others = [
            one
            for one in placed
            if one.is_sent != stretch.is_sent and one.number >= epoch * _APART
        ]
        if stretch.number:
            tolerance = _worst(placed)
            stretch.number = _place(stretch, others, least, epoch, tolerance)
        last[stretch.is_sent] = stretch.number + len(stretch.times)
        placed.append(stretch)

    def numbers(stretches: Sequence[_Stretch]) -> Ints:
        parts = [one.number + np.arange(len(one.times)) for one in stretches]
        return np.concatenate([np.zeros(0, np.int64), *parts])

    return numbers(sends), numbers(receives)


def _effective(
    ends: _ChannelEnds, of_sender: Sequence[_Gap], of_receiver: Sequence[_Gap]
) -> tuple[list[_Gap], list[_Gap]]:
    """Leave out late beginnings of which the channel shows nothing.

    They matter where the ends are not equally many and one lies before the other's
    rank begins.
    """
    differ = len(ends.sent) != len(ends.received)

    def kept(gaps: Sequence[_Gap], other: int) -> list[_Gap]:
        return [
            gap for gap in gaps if gap[0] != _BEFORE_ALL or (differ and other < gap[1])
        ]

    return (
        kept(of_sender, int(ends.received.min())),
        kept(of_receiver, int(ends.sent.min())),
    )


def _stretches(
    times: Ints, posted: Ints, gaps: Sequence[_Gap], *, is_sent: bool
) -> list[_Stretch]:
    """Cut ends at the gaps of their rank; the number of later ones is not known."""
    begins = np.array([gap[0] for gap in gaps], np.int64)
    cuts = np.concatenate(([0], np.searchsorted(posted, begins), [len(posted)]))
    result = []
    for number, (low, high) in enumerate(
        zip(cuts[:-1].tolist(), cuts[1:].tolist(), strict=True)
    ):
        if low == high:
            continue
        until = int(begins[number]) if number < len(begins) else NEVER
        result.append(
            _Stretch(times[low:high], is_sent, int(posted[low]), number, until)
        )
    return result


def _worst(placed: Sequence[_Stretch]) -> int:
    """Compute by how much messages with certain partners are received too early."""
    by_side = {one.is_sent: one for one in placed if one.number == 0}
    if len(by_side) < 2:
        return 0
    size = min(len(one.times) for one in by_side.values())
    early = by_side[True].times[:size] - by_side[False].times[:size]
    return int(early.max(initial=0))


def _place(
    stretch: _Stretch,
    others: Sequence[_Stretch],
    least: int,
    epoch: int,
    tolerance: int,
) -> int:
    """Find the place of a stretch: see the head of this file."""
    if not others:
        # Half of the room is left for ends before whose partners are missing.
        return least + (_APART // 2 if least == epoch * _APART and epoch else 0)
    begin = max(min(one.number for one in others), least)
    end = max(one.number + len(one.times) for one in others)
    # Only what comes before the partner's next gap is certain to have a partner.
    until = min((one.until for one in others[-1:]), default=NEVER)
    count = int(np.searchsorted(stretch.times, until)) or len(stretch.times)
    times = stretch.times[:count]
    most = max(begin, end - count, least)
    fewest = max(min(begin, end - count), least)

    def fits(number: int) -> bool:
        return not _early(times, stretch.is_sent, number, others, tolerance)

    if stretch.is_sent:  # the later the place, the later is it received
        low, high = fewest, max(most, end)
        while low < high:
            middle = (low + high) // 2
            low, high = (low, middle) if fits(middle) else (middle + 1, high)
        return low
    low, high = least, most
    while low < high:
        middle = (low + high + 1) // 2
        low, high = (middle, high) if fits(middle) else (low, middle - 1)
    return low


def _early(
    times: Ints, is_sent: bool, number: int, others: Sequence[_Stretch], tolerance: int
) -> bool:
    """Return whether anything would be received before it was sent."""
    for other in others:
        low = max(number, other.number)
        high = min(number + len(times), other.number + len(other.times))
        if low >= high:
            continue
        mine = times[low - number : high - number]
        its = other.times[low - other.number : high - other.number]
        sent, received = (mine, its) if is_sent else (its, mine)
        if (received + tolerance < sent).any():
            return True
    return False
