"""Partners that no scheme makes alike are numbered: ranks go through lists of them."""

import numpy as np
import pytest
import traces
from parts import compared_by
from programs import Grid, Step, trace_of
from traces import logical_of

from topoview.logical.calls.partners import Neighbours
from topoview.logical.listing import listing, spelled_out


@pytest.mark.parametrize("numbering", [None, 3])
def test_an_unstructured_mesh_is_a_list_of_neighbours(numbering: int | None) -> None:
    trace = traces.simulated("random", (24,), numbering=numbering, iterations=20)
    _, logical = logical_of(trace)
    assert logical.ranks_verified == 24
    edges = np.unique(
        np.column_stack((trace.messages.sender, trace.messages.receiver)), axis=0
    )
    degrees = np.bincount(edges[:, 0])
    # ranks with equally many neighbours do the same
    assert logical.groups == len(np.unique(degrees))
    assert logical.statements <= 2 * degrees.max() + 4


def test_all_to_all_by_messages_is_a_loop_over_neighbours() -> None:
    _, logical = logical_of(traces.simulated("complete", (9,), iterations=20))
    assert logical.groups == 1
    assert logical.statements == 5
    assert "Isend to each of the 8 neighbours 8 KiB" in listing(logical)
    assert "for k in 0..7:" in listing(spelled_out(logical))


def test_numbers_follow_the_first_call_with_each() -> None:
    trace = traces.simulated("torus", (4, 3))
    met = compared_by(trace, Grid((12,)))[1].met
    named = Neighbours.of(met, 12)
    messages = trace.messages
    for rank in range(12):
        calls = {}
        for here, there, call in (
            (messages.sender, messages.receiver, messages.send_call),
            (messages.receiver, messages.sender, messages.receive_call),
        ):
            for k in np.flatnonzero(here == rank):
                partner = int(there[k])
                calls[partner] = min(int(call[k]), calls.get(partner, 10**9))
        wanted = sorted(calls, key=lambda partner: (calls[partner], partner))
        ranks = np.full(len(wanted), rank, np.int32)
        found, names = named.names(ranks, np.array(wanted, np.int32))
        assert [names[k] for k in found] == [
            f"NEIGHBOUR {k}" for k in range(len(found))
        ]
        assert [named.partner(rank, name) for name in names[: len(found)]] == wanted


def test_steps_from_rank_to_rank_are_told_as_such() -> None:
    """Each rank sends one, two and four ranks on, around the end."""
    ranks = 10
    steps = [
        [Step("Send", ((((rank + k) % ranks), 8),)) for k in (1, 2, 4)]
        + [Step("Recv", (), (((rank - k) % ranks),)) for k in (1, 2, 4)]
        + [Step("Send", ((rank, 8),)), Step("Recv", (), (rank,))]
        for rank in range(ranks)
    ]
    met = compared_by(trace_of(steps), Grid((ranks,)))[1].met
    named = Neighbours.of(met, ranks)
    assert sorted(named.labels) == [
        *("RANK +1", "RANK +2", "RANK +4", "RANK -1", "RANK -2", "RANK -4", "SELF"),
    ]
    for rank in range(ranks):
        assert named.partner(rank, "RANK -4") == (rank - 4) % ranks
        assert named.partner(rank, "SELF") == rank
