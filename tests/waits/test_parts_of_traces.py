"""Operations in a part of a trace, against those of the whole."""

import numpy as np
import pytest
from handmade import handmade
from windows import fence, halo_of_puts, on_window

from topoview.analysis.waits.operations.instances import (
    CollectiveInstances,
    collective_instances,
)
from topoview.analysis.waits.operations.windows import window_instances, window_needs
from topoview.analysis.waits.states import wait_states
from topoview.io.subset import cut_to_interval
from topoview.model import NO_WAIT, Trace
from topoview.store.arrays import MemoryAllocator

BCAST, BARRIER = 1, 0
Moment = tuple[int, int]
"""A rank, and when it enters a call: the call in whole and part."""


def cut(trace: Trace, begin: int) -> Trace:
    return cut_to_interval(trace, begin, trace.clock.length + 1, MemoryAllocator())


def moment(trace: Trace, call: int) -> Moment:
    rank = int(np.searchsorted(trace.calls.offsets, call, side="right")) - 1
    return rank, int(trace.calls.enter[call])


def operations(trace: Trace, found: CollectiveInstances) -> set[frozenset[Moment]]:
    return {
        frozenset(moment(trace, call) for call in found.call[begin:end].tolist())
        for begin, end in zip(found.starts[:-1], found.starts[1:], strict=True)
    }


def since(whole: set[frozenset[Moment]], begin: int) -> set[frozenset[Moment]]:
    return {one for one in whole if all(time >= begin for _, time in one)}


def needs(trace: Trace) -> set[tuple[int, frozenset[Moment]]]:
    return {
        (each.kind, frozenset((moment(trace, call), moment(trace, cause))))
        for each in window_needs(trace)
        for call, cause in zip(each.call.tolist(), each.cause.tolist(), strict=True)
    }


def test_a_root_that_is_ahead() -> None:
    """The cut runs between the root's third broadcast and the other's first."""
    ranks = [
        [("Bcast", 10 * k, 10 * k + 2) for k in range(1, 6)],
        [("Bcast", 100 + 10 * k, 102 + 10 * k) for k in range(5)],
    ]
    parts = [(BCAST, 0, [(rank, k) for rank in (0, 1)]) for k in range(5)]
    whole = handmade(ranks, collectives=parts)
    part = cut(whole, 35)
    assert operations(part, collective_instances(part)) == {
        frozenset({(0, 40), (1, 130)}),
        frozenset({(0, 50), (1, 140)}),
    }


def test_a_cut_of_a_cut() -> None:
    ranks = [
        [("Barrier", 10 * k + late, 10 * k + 9) for k in range(20)] for late in (0, 7)
    ]
    parts = [(BARRIER, -1, [(rank, k) for rank in (0, 1)]) for k in range(20)]
    whole = handmade(ranks, collectives=parts)
    part = cut(cut(whole, 25), 75)
    found = operations(part, collective_instances(part))
    assert found == since(operations(whole, collective_instances(whole)), 75)
    assert len(found) == 12


def test_fences() -> None:
    whole = on_window(
        [
            [("Win_fence", 20 * k + late, 20 * k + 19, fence()) for k in range(9)]
            for late in (1, 8, 12)
        ]
    )
    every = operations(whole, window_instances(whole)[0])
    for begin in range(0, 180, 3):
        part = cut(whole, begin)
        assert operations(part, window_instances(part)[0]) == since(every, begin)


@pytest.mark.parametrize("seed", range(3))
def test_epochs_and_locks(seed: int) -> None:
    """What is found in the part is so in the whole."""
    whole, _ = halo_of_puts(5, 6, seed)
    every, many, most = needs(whole), 0, 0
    for begin in np.random.default_rng(seed).integers(1, whole.clock.length, 25):
        found = needs(cut(whole, int(begin)))
        assert found <= every
        many += len(found)
        most += sum(all(time >= begin for _, time in pair) for _, pair in every)
    assert many > 0.8 * most  # but for epochs and locks that begin before


@pytest.mark.parametrize("seed", range(3))
def test_waits_are_those_of_the_whole(seed: int) -> None:
    whole, _ = halo_of_puts(4, 8, seed)
    states = wait_states(whole)
    waited = {
        moment(whole, call): (
            int(states.kind[call]), int(states.until[call]), int(states.whom[call])
        )
        for call in np.flatnonzero(states.kind < NO_WAIT).tolist()
    }  # fmt: skip
    part = cut(whole, whole.clock.length // 2)
    found = wait_states(part)
    calls = np.flatnonzero(found.kind < NO_WAIT).tolist()
    assert len(calls) > len(waited) / 4
    for call in calls:
        _, until, _ = known = waited[moment(part, call)]
        own = int(found.kind[call]), int(found.until[call]), int(found.whom[call])
        assert own == known or own[1] < until  # the last of a group was cut off
