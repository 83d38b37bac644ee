"""Sends, receives and requests, held against a brute force."""

# ruff: noqa: ANN001, ANN002, ANN201 - plain numbers all

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from otf2_reader.messages import ends_of, make_messages
from replayed import IRECV, ISEND, RECV, SEND, WAIT, run

from topoview.io import record_types as kinds
from topoview.io.decoder.pairing import Ends, match_in_order
from topoview.io.definitions.communicators import Communicators
from topoview.model import Communicator

ends = st.lists(st.tuples(*(st.integers(low, 1) for low in (-1, 0, 0, 0))), max_size=40)


def columns_of(rows):
    table = np.array(rows, np.int32).reshape(-1, 4)
    return Ends(*(table[:, i].copy() for i in range(3)), table[:, 3].astype(np.uint32))


@given(ends, ends)
def test_the_kth_send_matches_the_kth_receive(sends, receives):
    expected, taken = [], set()
    for wanted in receives:
        for number, key in enumerate(sends):
            if key == wanted and key[0] >= 0 and number not in taken:
                taken.add(number)
                expected.append(number)
                break
        else:
            expected.append(-1)
    found = match_in_order(columns_of(sends), columns_of(receives))
    assert found.tolist() == expected


def call(region, time, *records):
    """Events of a call with records in it."""
    return [
        (kinds.ENTER, time, region),
        *((kind, time + 1, *rest) for kind, *rest in records),
        (kinds.LEAVE, time + 2, region),
    ]


def test_requests_lead_to_the_call_that_posted_them():
    row = run(
        call(IRECV, 0, (kinds.IRECV_REQUEST, 41))
        + call(IRECV, 10, (kinds.IRECV_REQUEST, 42))
        + call(ISEND, 20, (kinds.ISEND, 1, 0, 5, 8, 43))
        + call(WAIT, 30, (kinds.IRECV, 1, 0, 5, 8, 42))
        + call(WAIT, 40, (kinds.ISEND_COMPLETE, 43))
        + call(IRECV, 50, (kinds.IRECV_REQUEST, 42))
        + call(
            WAIT,
            60,
            (kinds.IRECV, 1, 0, 5, 8, 41),
            (kinds.IRECV, 1, 0, 5, 8, 42),
        )
    )
    # A Waitall completes several; an identifier is used again.
    assert row.completes == [-1, -1, -1, 1, 2, -1, -1]
    places = {id(record): place for place, record in enumerate(row.records)}
    posts = [places[id(record.post)] for record in row.records]
    assert posts == [0, 1, 2, 1, 2, 5, 0, 5]


def communicators(*members):
    """Make communicators; the first one, the world, has identifier 7."""
    items = tuple(
        Communicator(f"c{i}", np.array(ranks, np.int32))
        for i, ranks in enumerate(members)
    )
    return Communicators(items, {7 + i: i for i in range(len(items))}, {})


def messages_of(rows, known, *, loose=False, ranks=None):
    """Put together several rows, each a list of events; row r is rank r if not told."""
    found = ends_of([run(events) for events in rows], ranks or range(len(rows)), known)
    return make_messages(found, known, loose)


def send(time, peer, *, comm=7, tag=0, size=8):
    return call(SEND, time, (kinds.SEND, peer, comm, tag, size))


def receive(time, peer, *, comm=7, tag=0, size=8):
    return call(RECV, time, (kinds.RECV, peer, comm, tag, size))


def test_partners_are_ranks_of_their_communicator():
    known = communicators([0, 1, 2, 3], [3, 1])
    rows = [[], send(0, 0, comm=8, tag=9, size=77), [], receive(9, 1, comm=8, tag=9)]
    messages, tally = messages_of(rows, known)
    assert messages.sender.tolist() == [1]
    assert messages.receiver.tolist() == [3]
    assert messages.size.tolist() == [77]
    assert messages.tag.tolist() == [9]
    assert messages.communicator.tolist() == [1]
    assert (tally.no_send, tally.no_receive, tally.unknown_partners) == (0, 0, 0)


def test_a_receive_is_put_to_the_call_that_posted_it():
    rows = [
        send(0, 1),
        call(IRECV, 0, (kinds.IRECV_REQUEST, 1))
        + call(WAIT, 10, (kinds.IRECV, 0, 7, 0, 8, 1))
        + receive(20, 0),
    ]
    messages, _ = messages_of([*rows, [], []], communicators([0, 1, 2, 3]))
    # The blocking receive got nothing that is known.
    assert messages.send_call.tolist() == [0, -1]
    assert messages.receive_call.tolist() == [1, 3]
    assert messages.completion_call.tolist() == [2, 3]
    assert messages.send_time.tolist() == [1, -1]
    assert messages.receive_time.tolist() == [11, 21]


def test_receives_match_in_the_order_in_which_they_were_posted():
    rows = [
        send(0, 1, size=100) + send(5, 1, size=200),
        call(IRECV, 0, (kinds.IRECV_REQUEST, 1))
        + call(IRECV, 5, (kinds.IRECV_REQUEST, 2))
        + call(WAIT, 10, (kinds.IRECV, 0, 7, 0, 200, 2))
        + call(WAIT, 20, (kinds.IRECV, 0, 7, 0, 100, 1)),
    ]
    messages, _ = messages_of([*rows, [], []], communicators([0, 1, 2, 3]))
    assert messages.size.tolist() == [100, 200]
    assert messages.completion_call.tolist() == [5, 4]


def test_null_and_unknown_partners_are_left_out():
    known = communicators([0, 1, 2, 3])
    rows = [send(0, 0xFFFFFFFE) + send(5, 17) + send(9, 0), [], [], []]
    messages, tally = messages_of(rows, known)
    assert messages.receiver.tolist() == [0]
    assert tally.unknown_partners == 1


def test_what_eztrace_makes_of_communicators_and_persistent_sends():
    known = communicators([0, 1, 2, 3], [2, 3])
    rows = [
        call(ISEND, 0, (kinds.ISEND, 1, 7, 4, 8, 5))
        + call(WAIT, 9, (kinds.IRECV, 0, 7, 4, 8, 5)),
        receive(20, 0, tag=4) + receive(30, 1, tag=99),
        send(0, 1, comm=8, tag=6),
        # Rank 0 of the small communicator, but the record says the world.
        receive(9, 0, comm=7, tag=6),
    ]
    messages, tally = messages_of(rows, known, loose=True)
    assert messages.sender.tolist() == [0, 2]
    assert messages.receiver.tolist() == [1, 3]
    assert messages.communicator.tolist() == [0, 1]
    assert (messages.receive_call >= 0).all()
    assert (tally.no_send, tally.no_receive) == (0, 0)


def test_in_mpi_comm_self_everyone_is_alone():
    known = communicators([0, 1, 2, 3], [])
    rows = [[], send(0, 0, comm=8) + receive(9, 0, comm=8), [], []]
    messages, tally = messages_of(rows, known)
    assert messages.sender.tolist() == messages.receiver.tolist() == [1]
    assert tally.no_receive == 0


def test_between_two_groups_a_partner_is_of_the_other_one():
    one, other = np.array([0, 1], np.int32), np.array([2, 3], np.int32)
    known = communicators([0, 1, 2, 3], [0, 1, 2, 3])._replace(remote={1: (one, other)})
    rows = [[], send(0, 0, comm=8), receive(9, 1, comm=8), []]
    messages, tally = messages_of(rows, known)
    assert (messages.sender.tolist(), messages.receiver.tolist()) == ([1], [2])
    assert tally.no_receive == 0


def test_messages_of_threads_belong_to_their_rank_in_order_of_time():
    rows = [
        send(0, 1, size=1) + send(20, 1, size=3),
        receive(30, 0) + receive(40, 0) + receive(50, 0),
        send(10, 1, size=2),
    ]
    messages, tally = messages_of(rows, communicators([0, 1, 2, 3]), ranks=[0, 1, 0])
    # Listed in order of the calls; the thread's is the second of its rank.
    assert messages.size.tolist() == [1, 3, 2]
    assert messages.sender.tolist() == [0, 0, 0]
    assert messages.receive_time.tolist() == [31, 51, 41]
    assert (tally.no_send, tally.no_receive) == (0, 0)


def test_local_ranks_are_zero_where_a_rank_is_no_member():
    known = communicators([0, 1, 2, 3], [3, 1])
    world = np.array([1, 3, 0, 2, 2], np.int32)
    numbers = np.array([1, 1, 1, 1, 0], np.int32)
    assert known.local_ranks(world, numbers).tolist() == [1, 0, 0, 0, 2]


def posted(time, request):
    """Post a receive."""
    return call(IRECV, time, (kinds.IRECV_REQUEST, request))


def completed(time, partner, size, request):
    """Complete a receive in a Wait."""
    record = (kinds.IRECV, partner, 7, 0, size, request)
    return call(WAIT, time, record)


def test_what_eztrace_reads_from_a_status_that_was_never_set():
    """MPI_Waitany of a program in C that ignores the status: no record is to be had."""
    known = communicators([0, 1, 2, 3])
    never_set = (0x9B00000, 2**64 - 32766)
    rows = [
        send(0, 1) + send(10, 1),
        posted(0, 1)
        + posted(5, 2)
        + completed(10, *never_set, 1)
        + completed(20, 0, 8, 2)  # looks like a message, by chance
        + completed(30, 0, 8, 3),  # nothing posted it
        send(0, 3),
        receive(9, 2),
    ]
    messages, tally = messages_of(rows, known, loose=True)
    assert messages.sender.tolist() == [0, 0, 2]
    assert (messages.receive_time >= 0).tolist() == [False, False, True]
    assert (tally.unset, tally.no_receive, tally.no_send) == (3, 2, 0)


def test_no_message_has_exbibytes():
    known = communicators([0, 1])
    rows = [send(0, 1, size=2**64 - 32766) + send(5, 1), receive(9, 0)]
    messages, tally = messages_of(rows, known)
    assert len(messages) == 1
    assert (tally.unknown_partners, tally.no_receive) == (1, 0)
