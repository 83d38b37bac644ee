"""What belongs together around stretches that were not recorded, held against truth.

Programs are drawn of which all is known; then what lies in gaps is dropped.
"""

from dataclasses import replace

import numpy as np
from handmade import handmade
from hypothesis import given
from hypothesis import strategies as st

from topoview.analysis.waits.operations.instances import (
    numbered_parts,
    parts_in_collectives,
)
from topoview.io.decoder.library import EMPTY_RECEIVE, RECEIVED
from topoview.io.decoder.pairing import Received, Sent
from topoview.io.repairs.gaps import pair_around_gaps
from topoview.io.repairs.missed import find_missed_parts
from topoview.model import Ints, whole_part

RANKS = 3
PERIOD = 100
BARRIER, BCAST = 0, 1

gap = st.tuples(st.integers(1, 2000), st.integers(PERIOD, 8 * PERIOD))
"""When it begins, and how long it lasts: longer than a message takes."""
gaps_of_ranks = st.lists(st.lists(gap, max_size=3), min_size=RANKS, max_size=RANKS)

between = st.tuples(
    st.integers(0, 20).map(lambda turn: PERIOD * turn + 75),
    st.integers(1, 8).map(lambda turns: PERIOD * turns),
)
"""A gap that begins and ends between operations: one that cuts an operation in two for
some ranks only can be read in several ways."""


def table_of(gaps: list[list[tuple[int, int]]]) -> Ints:
    """Give gaps as `find_gaps` does: of a rank apart from each other."""
    rows: list[tuple[int, int, int]] = []
    for rank, own in enumerate(gaps):
        end = -1
        for begin, length in sorted(own):
            if begin > end + PERIOD:
                end = begin + length
                rows.append((rank, begin, end))
    return np.array(rows, np.int64).reshape(-1, 3)


def is_off(gaps: Ints, rank: int, time: int) -> bool:
    return bool(
        ((gaps[:, 0] == rank) & (gaps[:, 1] <= time) & (time < gaps[:, 2])).any()
    )


@given(
    st.lists(
        st.tuples(st.integers(0, 1), st.integers(1, PERIOD - 1)),
        min_size=4,
        max_size=24,
    ),
    gaps_of_ranks,
)
def test_messages_of_which_both_ends_are_recorded_are_paired(
    messages: list[tuple[int, int]], gaps: list[list[tuple[int, int]]]
) -> None:
    """Each takes less time than there is between two: then nothing is ambiguous."""
    off = table_of(gaps)
    sends, receives = [], []
    for number, (tag, latency) in enumerate(messages):
        sent = PERIOD * number
        if not is_off(off, 0, sent):
            sends.append((number, sent, tag))
        if not is_off(off, 1, sent + latency):
            receives.append((number, sent + latency, tag))
    out = np.array(sends, np.int64).reshape(-1, 3)
    arrived = np.array(receives, np.int64).reshape(-1, 3)
    count = len(out)
    columns = Sent(
        sender=np.zeros(count, np.int32),
        receiver=np.ones(count, np.int32),
        communicator=np.zeros(count, np.int32),
        tag=out[:, 2].astype(np.int32),
        send_time=out[:, 1].copy(),
        receive_call=np.full(count, -7),
        completion_call=np.full(count, -7),
        receive_time=np.full(count, -7),
    )
    records = np.zeros(len(arrived), RECEIVED)
    records["tag"], records["time"] = arrived[:, 2], arrived[:, 1]
    records["call"] = records["post"] = arrived[:, 0]
    received = Received(*(records[name] for name in Received._fields))
    paired = pair_around_gaps(
        columns,
        received,
        np.arange(len(arrived)),
        np.ones(len(arrived), np.int32),
        records["time"],
        np.arange(count),
        off,
    )
    if not np.isin(off[:, 0], (0, 1)).any():  # left to others
        assert paired.others.tolist() == list(range(count))
        return
    both = set(out[:, 0].tolist()) & set(arrived[:, 0].tolist())
    expected = [n if n in both else -1 for n in out[:, 0].tolist()]
    assert columns.completion_call.tolist() == expected
    assert (paired.matched, paired.backwards, paired.worst) == (len(both), 0, 0)
    left = [n for n in arrived[:, 0].tolist() if n not in both]
    assert records["call"][records["rank"] != EMPTY_RECEIVE].tolist() == left


@given(
    st.lists(st.lists(st.integers(0, 40), min_size=RANKS, max_size=RANKS), min_size=4),
    st.lists(st.lists(between, max_size=3), min_size=RANKS, max_size=RANKS),
)
def test_operations_keep_their_members(
    late: list[list[int]], gaps: list[list[tuple[int, int]]]
) -> None:
    """All ranks leave a barrier together, some time after the last one came."""
    off = table_of(gaps)
    ranks: list[list[tuple[str, int, int]]] = [[("Init", 0, 1)] for _ in range(RANKS)]
    parts: list[list[tuple[int, int]]] = [[] for _ in late]
    for turn, came in enumerate(late):
        begin = PERIOD * (turn + 1)
        for rank in range(RANKS):
            if is_off(off, rank, begin + came[rank]):
                continue
            parts[turn].append((rank, len(ranks[rank])))
            ranks[rank].append(("Barrier", begin + came[rank], begin + 50))
    trace = handmade(
        ranks, collectives=[(BARRIER, -1, places) for places in parts if places]
    )
    truth = {
        int(trace.calls.offsets[rank]) + place: turn
        for turn, places in enumerate(parts)
        for rank, place in places
    }
    missed = find_missed_parts(trace, off)
    trace = replace(trace, earlier=missed.missed)
    own, found = numbered_parts(parts_in_collectives(whole_part(trace)), RANKS)
    turns = dict(zip(own.call.tolist(), found.tolist(), strict=True))
    seen = sorted(set(truth.values()))
    # Operations that nobody recorded leave no trace: numbers are those of the others.
    assert {call: seen.index(turn) for call, turn in truth.items()} == turns
    alone = sum(0 < len(places) < RANKS for places in parts)
    assert missed.incomplete == alone
