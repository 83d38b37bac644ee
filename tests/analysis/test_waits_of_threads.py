"""Collective calls of further threads: they are made by the rank of the thread."""

from dataclasses import fields, replace

import numpy as np
from traces import Program, lattice, simulate

from topoview.analysis.waits.states import wait_states
from topoview.model import Collectives, Communicator, Location, Messages, Trace

THREADS = 3
"""Threads of each of two ranks."""


def in_threads() -> Trace:
    """Two ranks of which each thread takes part in its own communicator's Bcast."""
    trace = simulate(Program(lattice((2 * THREADS,), (False,)), iterations=1))
    first = trace.calls.offsets[:-1]
    number = np.arange(2 * THREADS) // 2
    columns = fields(Messages)
    parts = Collectives(
        call=first,
        communicator=number.astype(np.int32),
        operation=np.ones(len(first), np.uint8),
        root=np.zeros(len(first), np.int32),
        sent=np.zeros(len(first), np.int64),
        received=np.zeros(len(first), np.int64),
        completion_call=first,
    )
    return replace(
        trace,
        ranks=2,
        locations=tuple(
            Location(row, row % 2, f"thread {row // 2}") for row in range(2 * THREADS)
        ),
        communicators=tuple(
            Communicator(f"of thread {k}", np.arange(2, dtype=np.int32))
            for k in range(THREADS)
        ),
        messages=Messages(*(getattr(trace.messages, f.name)[:0] for f in columns)),
        collectives=parts,
    )


def test_threads_wait_for_the_rank_of_the_root() -> None:
    trace = in_threads()
    found = wait_states(trace)
    assert found is not None
    first = trace.calls.offsets[:-1]
    assert found.whom[first].tolist() == [0] * len(first)
    begun = trace.calls.enter[first]
    assert found.until[first].tolist() == np.repeat(begun[::2], 2).tolist()
