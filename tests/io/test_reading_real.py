"""Real traces, held against what their programs do."""

import json
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from traces import REAL_TRACES

from topoview.model import TimeState, Trace

TRUTH = REAL_TRACES.parent / "acceptance" / "truth.json"
Read = Callable[[str], Trace]


COUNTED = {
    "app-ember-lqcd-24": (24, 24, 9552, "EZTrace"),
    "app-futures-9": (9, 10, 1485, "EZTrace"),
    "app-pennant-12": (12, 12, 14520, "EZTrace"),
    "ez-cg-8": (8, 8, 39888, "EZTrace"),
    "ez-threads-halo": (12, 36, 2856, "EZTrace"),
    "public-casita-2_cuda_simple": (2, 6, 2816, "Score-P"),
    "public-casita-4_mpi_ls_barr": (4, 4, 110, "Score-P"),
    "sp-jacobi2d-8x4-periodic-idlewave": (32, 32, 66560, "Score-P"),
    "sp-masterworker-24": (24, 24, 7866, "Score-P"),
    "sp-rowcol-6x4": (24, 24, 10848, "Score-P"),
    "sp-twophase-6x6-user-metrics": (36, 36, 113220, "Score-P"),
}
"""Ranks, locations and events, as ``otf2-print`` lists them, and the producer."""

SENDS_ONLY = (
    *("app-ember-lqcd-24", "app-futures-9", "app-pennant-12"),
    *("ez-is-16", "ez-stencil4d-3x3x3x3"),
)
"""C programs that wait for what they receive: EZTrace does not record that."""


def truths() -> dict[str, tuple[int, int, int, str]]:
    """Tell what is known of each trace, of those in the other folder too."""
    told = json.loads(TRUTH.read_text()) if TRUTH.exists() else {}
    known = {}
    for name, entry in told.items():
        info = entry["info"]
        if "events" in info and "W-full" not in name:
            numbers = (info["ranks"], info["locations"], info["events"])
            known[name] = (*numbers, info.get("producer", ""))
    return known | COUNTED


@pytest.mark.parametrize(("name", "facts"), sorted(truths().items()))
def test_what_is_known_about_it(
    name: str, facts: tuple[int, int, int, str], real_trace: Read
) -> None:
    trace = real_trace(name)
    assert (trace.ranks, len(trace.locations), trace.events) == facts[:3]
    assert facts[3] in trace.producer
    messages = trace.messages
    assert (messages.send_call >= 0).all()
    if name not in SENDS_ONLY:
        assert (messages.receive_call >= 0).all()
    assert (messages.completion_call >= messages.receive_call).all()
    if trace.clock.aligned:
        known = messages.receive_time >= 0
        late = (messages.send_time - messages.receive_time)[known]
        assert trace.clock.seconds(int(late.max(initial=0))) < 1e-3


@pytest.mark.parametrize(
    ("name", "pairs"),
    [
        ("ez-jacobi2d-6x6-idlewave", 60),
        ("sp-jacobi2d-6x6-idlewave", 60),
        ("sp-jacobi2d-8x4-periodic-idlewave", 64),
        ("ez-halo3d7-3x4x4", 104),
        ("sp-halo3d7-3x4x4-permuted", 104),
        ("ez-lu-16", 24),
        ("sp-lu-32", 52),
        ("sp-bintree-32", 31),
        ("sp-masterworker-24", 23),
        ("ez-bt-16", 48),
        ("sp-bt-16", 48),
        ("ez-threads-halo", 11),
        ("sp-threads-halo", 11),
        ("ez-ft-16", 0),
        ("public-tracer-stencil4d-32", 80),
        ("app-ember-lqcd-24", 52),
        ("app-futures-9", 8),
        ("app-pennant-12", 23),
    ],
)
def test_pairs_that_communicate(name: str, pairs: int, real_trace: Read) -> None:
    messages = real_trace(name).messages
    seen = {
        (min(pair), max(pair))
        for pair in zip(
            messages.sender.tolist(), messages.receiver.tolist(), strict=True
        )
        if pair[0] != pair[1]
    }
    assert len(seen) == pairs


@pytest.mark.traces
def test_both_producers_tell_of_the_same_messages(real_trace: Read) -> None:
    one, other = real_trace("ez-bt-16").messages, real_trace("sp-bt-16").messages
    for columns in (("sender", "receiver", "size"), ("receiver", "sender", "size")):
        ours, theirs = (
            np.sort(np.stack([getattr(m, c).astype(np.int64) for c in columns]), axis=1)
            for m in (one, other)
        )
        np.testing.assert_array_equal(ours, theirs)


@pytest.mark.parametrize(
    ("name", "microseconds"),
    [
        ("ez-bt-9", 100),
        ("ez-jacobi2d-6x6-idlewave", 600),
        ("ez-threads-halo", 600),
        ("ez-ft-16", 25_000),
    ],
)
def test_unaligned_clocks_are_aligned(
    name: str, microseconds: int, real_trace: Read
) -> None:
    trace = real_trace(name)
    done = trace.clock.alignment
    assert trace.clock.aligned
    assert done is not None
    assert (done.slack, done.after, done.unbounded) == (0, 0, 0)
    assert done.half_width.min() >= 0
    assert trace.clock.seconds(done.widest) < microseconds * 1e-6
    assert any("topoview aligned them" in line for line in trace.warnings)
    first = trace.timeline.state[trace.timeline.offsets[: trace.ranks]]
    np.testing.assert_array_equal(first == TimeState.OUTSIDE, done.offset > 0)
    assert (trace.timeline.time[trace.timeline.offsets[:-1]] == 0).all()


@pytest.mark.traces
def test_clocks_of_different_nodes_are_corrected(real_trace: Read) -> None:
    trace = real_trace("public-sstmacro-10")
    assert trace.clock.aligned
    assert trace.clock.seconds(trace.clock.length) < 10
    assert {location.node for location in trace.locations} >= {"kn1.eth", "kn5.eth"}


def test_threads_and_streams_follow_the_ranks(real_trace: Read) -> None:
    trace = real_trace("public-casita-2_cuda_simple")
    assert [(p.rank, p.kind) for p in trace.locations] == [
        (0, "thread"),
        (1, "thread"),
        (0, "thread"),
        (1, "thread"),
        (0, "accelerator"),
        (1, "accelerator"),
    ]
    assert trace.timeline.rows == 6


def test_declared_topologies(real_trace: Read) -> None:
    (found,) = real_trace("sp-jacobi2d-8x4-periodic-idlewave").topologies
    assert found.dims == (8, 4)
    assert found.periodic.tolist() == [True, True]
    assert len(found.ranks) == 32
    assert found.coordinates[found.ranks.tolist().index(5)].tolist() == [1, 1]


def test_communicators_in_world_ranks(real_trace: Read) -> None:
    found = real_trace("sp-rowcol-6x4").communicators
    assert found[0].name == "MPI_COMM_WORLD"
    members = {tuple(c.ranks.tolist()) for c in found}
    assert {(0, 1, 2, 3, 4, 5), (0, 6, 12, 18), tuple(range(24)), ()} <= members


def test_collectives_are_no_handles(real_trace: Read) -> None:
    trace = real_trace("sp-rowcol-6x4")
    operations = trace.regions.operation[trace.calls.region[trace.collectives.call]]
    assert {trace.regions.operations[o] for o in np.unique(operations)} == {"Alltoall"}


def test_names(real_path: Callable[[str], Path], real_trace: Read) -> None:
    trace = real_trace("sp-rowcol-6x4")
    assert trace.name == "sp-rowcol-6x4"
    assert trace.path == str(real_path("sp-rowcol-6x4"))
    assert trace.producer == "Score-P 8.4"
