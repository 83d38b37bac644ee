"""One-sided transfers are counted apart from messages, and identified without any."""

from collections.abc import Callable

import numpy as np
import pytest
from one_sided import with_puts

from topoview.analysis.partners.one_sided import one_sided_matrix, transfers
from topoview.live.call_facts import pairs_of_call
from topoview.live.moments.window_sums import edge_bytes, transfer_bytes
from topoview.live.picking.selection import (
    selected_edges,
    selected_matrix,
    selected_messages,
)
from topoview.model import Trace
from topoview.pipeline import Results, analyse, first_look
from topoview.report.identification.answer import identification_record
from topoview.session import CallFilter
from topoview.topology import communication_matrix

Simulated = Callable[..., Trace]


@pytest.fixture
def sent(simulated: Simulated) -> Trace:
    return simulated("torus", (5, 4), numbering=3)


def test_puts_are_counted_as_the_messages_were(sent: Trace) -> None:
    trace = with_puts(sent)
    moved = transfers(trace)
    found = one_sided_matrix(trace.ranks, moved)
    assert found is not None
    assert found.one_sided
    expected = communication_matrix(sent)
    assert (found.calls != expected.calls).nnz == 0
    assert (found.volume != expected.volume).nnz == 0
    assert sorted(moved.call.tolist()) == sorted(sent.messages.send_call.tolist())
    assert one_sided_matrix(sent.ranks, transfers(sent)) is None
    assert not len(transfers(sent))


def test_what_is_chosen_is_what_was_of_messages(sent: Trace) -> None:
    trace, both = with_puts(sent), with_puts(sent, messages=True)
    known, half = first_look(trace), (0, sent.clock.length // 2)
    isends = CallFilter(operation="Isend")
    cases = (
        {"window": half},
        {"ranks": (3, 7)},
        {"wanted": isends},
        {"wanted": CallFilter(operation="Irecv")},
        {"wanted": isends, "window": half, "ranks": (1,)},
    )
    for case in cases:
        found = selected_matrix(known, one_sided=True, **case)  # type: ignore[arg-type]
        assert found.one_sided
        messages = selected_messages(sent, None, **case)  # type: ignore[arg-type]
        if case == {"wanted": CallFilter(operation="Irecv")}:
            assert found.calls.nnz == 0
            continue
        expected = communication_matrix(sent, messages)
        assert (found.volume != expected.volume).nnz == 0
    edges = selected_edges(first_look(sent), isends)
    assert len(edges)
    assert selected_edges(known, isends).tolist() == edges.tolist()
    assert selected_edges(first_look(both), isends).tolist() == edges.tolist()
    volume = edge_bytes(first_look(sent), half, edges)
    assert transfer_bytes(known, half, edges).tolist() == volume.tolist()
    call = int(sent.messages.send_call[17])
    pair = [int(sent.messages.sender[17]), int(sent.messages.receiver[17])]
    assert pairs_of_call(known, call).tolist() == [pair]
    assert not len(pairs_of_call(known, -1))


def test_without_messages_the_transfers_are_identified(sent: Trace) -> None:
    trace = with_puts(sent)
    *_, known = analyse(trace)
    *_, before = analyse(sent)
    assert known.identification is not None
    assert before.identification is not None
    best = known.identification.best
    assert best.topology.name == before.identification.best.topology.name
    assert (best.matched, best.extra) == (len(best.topology.edges), 0)
    assert known.matrix is known.one_sided
    assert any("one-sided" in text for text in known.identification.warnings)
    verdicts = [declared.verdict for declared in known.identification.declared]
    assert verdicts == [d.verdict for d in before.identification.declared]
    told = identification_record(Results(trace).make("parts"))
    assert told["matches"][0]["name"] == best.topology.name
    assert any("one-sided" in text for text in told["warnings"])


def test_messages_come_first(sent: Trace) -> None:
    *_, known = analyse(with_puts(sent, messages=True))
    assert known.matrix is not None
    assert not known.matrix.one_sided
    assert known.one_sided is not None
    assert known.identification is not None
    assert not any("one-sided" in text for text in known.identification.warnings)
    assert known.one_sided.volume.sum() == known.matrix.volume.sum()
    assert np.array_equal(known.one_sided.calls.indices, known.matrix.calls.indices)
