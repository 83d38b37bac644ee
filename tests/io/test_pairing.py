"""Sends and their receives, one receiver after the other, against a brute force."""

# ruff: noqa: ANN001, ANN201 - plain numbers all

from collections import defaultdict, deque

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from topoview.io.decoder.library import EMPTY_RECEIVE, RECEIVED
from topoview.io.decoder.pairing import Received, Sent, group_by_receiver, pair

RANKS = 3
UNSET = -7
rank = st.integers(0, RANKS - 1)
few = st.integers(0, 1)
sends = st.lists(st.tuples(rank, rank, few, few), max_size=30)
receives = st.lists(st.tuples(st.integers(-2, RANKS - 1), rank, few, few), max_size=30)


def columns(rows, times):
    """Columns of sender, receiver, communicator, tag, and three of calls and times."""
    table = np.array(rows, np.int32).reshape(-1, 4)
    ends = [table[:, k].copy() for k in range(4)]
    return *ends, *(np.full(len(table), UNSET, np.int64) for _ in range(times))


def paired(sent, received, number=np.uint32):
    """Match them: the columns of both; sends are numbered in so many bits."""
    received = sorted(received, key=lambda row: row[1])
    sender, receiver, space, tag, *ends = columns(sent, 3)
    when = np.arange(len(sent))
    messages = Sent(sender, receiver, space, tag, when, *ends)
    source, owner, space, tag = columns(received, 0)
    place = np.arange(len(received))
    records = np.zeros(len(received), RECEIVED)
    records["rank"], records["communicator"], records["tag"] = source, space, tag
    offsets = dict(zip(("call", "time", "post"), range(0, 300, 100), strict=True))
    for name, offset in offsets.items():
        records[name] = place + offset
    taken = Received(*(records[name] for name in Received._fields))
    grouped, nothing = np.empty(len(sent), number), np.zeros(0, np.int64)
    begins = group_by_receiver(receiver, RANKS, nothing, grouped)
    ranks = np.arange(RANKS)
    slots = np.stack(
        [np.searchsorted(owner, ranks), np.searchsorted(owner, ranks, "right")], axis=1
    )
    tally = pair((0, RANKS), begins, grouped, slots, nothing, messages, records)
    return messages, taken, received, tally


@given(sends, receives, st.sampled_from([np.uint32, np.int64]))
def test_the_kth_receive_of_a_channel_takes_its_kth_send(sent, received, number):
    messages, taken, received, tally = paired(sent, received, number)
    waiting = defaultdict(deque)
    for number, row in enumerate(sent):
        waiting[row].append(number)
    expected = [-1] * len(sent)
    for slot, row in enumerate(received):
        if waiting[row]:
            expected[waiting[row].popleft()] = slot
        else:
            assert taken.rank[slot] == row[0]
    matched = [slot for slot in expected if slot >= 0]
    assert messages.completion_call.tolist() == expected
    assert messages.receive_call.tolist() == [
        slot + 200 if slot >= 0 else -1 for slot in expected
    ]
    assert messages.receive_time.tolist() == [
        slot + 100 if slot >= 0 else -1 for slot in expected
    ]
    assert (taken.rank[matched] == EMPTY_RECEIVE).all()
    early = [n - slot - 100 for n, slot in enumerate(expected) if slot >= 0]
    backwards = [ticks for ticks in early if ticks > 0]
    assert tally == (len(matched), len(backwards), max(backwards, default=0))


@pytest.mark.parametrize("channels", [3, 3_000, 300_000])
def test_a_rank_can_receive_on_very_many_channels(channels):
    sent = [(0, 1, 0, number % channels) for number in range(2 * channels)]
    messages, *_, tally = paired(sent, [(0, 1, 0, 2), (0, 1, 0, 0), (0, 1, 0, 2)])
    assert tally[0] == 3
    received = np.flatnonzero(messages.completion_call >= 0)
    assert received.tolist() == [0, 2, channels + 2]
    assert (np.delete(messages.receive_time, received) == -1).all()
