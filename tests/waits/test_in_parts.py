"""Waits that parts of the ranks find are those of the whole trace."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import traces
from handmade import handmade
from parts import parts_of
from same import assert_same
from windows import halo_of_puts
from writer import write_trace

from topoview.analysis.overview import joined_facts, timeline_facts
from topoview.analysis.waits.deduced import deduced_ends, joined_ends
from topoview.analysis.waits.operations.collective_times import (
    collective_times,
    joined_times,
)
from topoview.analysis.waits.operations.windows import window_waits
from topoview.analysis.waits.states import joined_waits, wait_states, waits_of_part
from topoview.analysis.waits.sums import completion_times
from topoview.base.tasks import Here
from topoview.io.archive.finding import open_trace
from topoview.model import WAIT_KINDS, Trace, whole_part
from topoview.pipeline import IN_PARTS, Results
from topoview.store.digest import read_results
from topoview.worker.digest import write_results
from topoview.worker.graph import Job, make_on

COLUMNS = IN_PARTS["waits"].columns

BCAST, REDUCE, SCAN = 1, 12, 14
"""OTF2_CollectiveOp."""


def assert_same_in_parts(trace: Trace, count: int) -> None:
    parts = list(parts_of(trace, count))
    shares = [collective_times(part) for part in parts]
    tree = [joined_times(shares[:2]), *shares[2:]]
    times = joined_times(tree)
    assert_same(times, collective_times(whole_part(trace)))
    wanted = wait_states(trace)
    assert wanted is not None
    found = [deduced_ends(part) for part in parts]
    ends = joined_ends(
        [joined_ends(found[:2], trace.regions), *found[2:]], trace.regions
    )
    assert_same(ends, deduced_ends(whole_part(trace)))
    known = times, ends, window_waits(trace)
    of_parts = [waits_of_part(part, *known) for part in parts]
    for part, waits in zip(parts, of_parts, strict=True):
        for name in COLUMNS:
            own = part.column(getattr(wanted, name))
            np.testing.assert_array_equal(getattr(waits, name), own)
    joined = joined_waits(of_parts)
    assert joined is not None
    np.testing.assert_array_equal(joined.measured, wanted.measured)
    window = trace.clock.length // 3, trace.clock.length
    spent = np.sum([completion_times(one, times, window, ()) for one in parts], axis=0)
    whole = completion_times(whole_part(trace), times, window, ())
    assert spent.tolist() == whole.tolist()
    facts = joined_facts([timeline_facts(part) for part in parts], trace.regions)
    of_all = timeline_facts(whole_part(trace))
    assert_same(replace(facts, regions_used={}), replace(of_all, regions_used={}))
    assert list(facts.regions_used) == list(of_all.regions_used)
    for kind, regions in of_all.regions_used.items():
        np.testing.assert_array_equal(facts.regions_used[kind], regions)


@pytest.mark.parametrize(
    "name",
    ["sp-rowcol-6x4", "ez-cg-8", "sp-threads-halo", "ez-threads-halo", "ez-is-16"],
)
@pytest.mark.parametrize("count", [2, 3, 7])
def test_real_traces(name: str, count: int) -> None:
    trace = traces.read_real(name)
    assert_same_in_parts(trace, min(count, trace.ranks))


@pytest.mark.parametrize("count", [2, 3, 6])
def test_epochs_and_locks(count: int) -> None:
    trace, waited = halo_of_puts(6, 8, 1)
    assert all(ticks.any() for ticks in waited.values())
    assert_same_in_parts(trace, count)


def test_roots_and_those_before_lie_in_other_parts() -> None:
    """Ranks come one after the other, the root last but one; each operation once."""
    came = [[10, 130, 250], [40, 100, 260], [20, 160, 270], [30, 140, 240]]
    names = ["Bcast", "Scan", "Reduce"]
    ranks = [
        [(name, begin, 90 + 120 * turn) for turn, (name, begin) in enumerate(of)]
        for of in (zip(names, times, strict=True) for times in came)
    ]
    collectives = [
        (code, root, [(rank, turn) for rank in range(4)])
        for turn, (code, root) in enumerate([(BCAST, 3), (SCAN, -1), (REDUCE, 1)])
    ]
    trace = handmade(ranks, collectives=collectives)
    assert_same_in_parts(trace, 2)
    assert_same_in_parts(trace, 4)
    waits = wait_states(trace)
    assert waits is not None
    late = np.maximum(waits.until - trace.calls.enter, 0).reshape(4, 3)
    assert late.tolist() == [[20, 0, 0], [0, 30, 10], [10, 0, 0], [0, 20, 0]]
    assert WAIT_KINDS[waits.kind[4]] == "early_scan"


@pytest.mark.parametrize("count", [pytest.param(2, marks=pytest.mark.slow), 3])
def test_the_digest_of_a_program_that_puts(count: int, tmp_path: Path) -> None:
    anchor = write_trace(halo_of_puts(6, 8, 1)[0], tmp_path / "trace")
    one, other = tmp_path / "one.topoview", tmp_path / "other.topoview"
    write_results(Results(open_trace(anchor)), one)
    folder = str(tmp_path / "work")
    make_on(Here(), Job(str(anchor), str(other), folder, count, 1, 1 << 32, 512))
    found, wanted = read_results(other), read_results(one)
    assert wanted["one_sided"] is not None
    assert wanted["wait_sums"].total > 0
    for name in ("one_sided", "matrix", "waits", "wait_sums", "efficiencies"):
        assert_same(found[name], wanted[name])
