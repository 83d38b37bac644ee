"""Small traces after faults that users of trace tools report, with the right values.

`tests/data/cases`: each was written from scratch, so that the right value is known from
how, not from another reader. What is read in parts is what one process reads.
"""

from collections import Counter
from dataclasses import fields
from functools import cache
from pathlib import Path
from tempfile import mkdtemp

import numpy as np
import pytest
import traces
from same import assert_same
from traces import BUNDLED

from topoview.analysis.waits.hung import hung_calls
from topoview.base.tasks import Here
from topoview.io.archive.finding import open_trace
from topoview.model import WAIT_KINDS, TimeState, Trace, class_name
from topoview.pipeline import RESULTS, Results
from topoview.report.waits.hung import cycle_texts, hung_table
from topoview.store.digest import read_results
from topoview.store.traces import Store
from topoview.worker.graph import Job, _store, make_on

CASES = BUNDLED / "cases"
NAMES = sorted(path.name.split(".")[0] for path in CASES.glob("*.tar.xz"))


COMPARED = ("matrix", "waits", "wait_sums", "hung", "profile")
"""Results of which parts are held against the whole."""

CONDENSED = ("pyramid", "samples", "slowest")
"""What a digest is condensed of."""


@cache
def folder_of(name: str) -> Path:
    folder = Path(mkdtemp())
    traces.unpack(CASES / f"{name}.tar.xz", folder)
    return folder / name


@cache
def read(name: str) -> Trace:
    return open_trace(folder_of(name))


def ends(trace: Trace) -> list[tuple[int, int, int, int]]:
    """Sender, receiver, when sent, when received, of each message."""
    messages = trace.messages
    columns = (
        messages.sender,
        messages.receiver,
        messages.send_time,
        messages.receive_time,
    )
    return list(zip(*(column.tolist() for column in columns), strict=True))


def waits(name: str) -> dict[str, list[float]]:
    """Microseconds that each rank waited, by kind."""
    sums = Results(read(name)).make("wait_sums")
    assert sums is not None
    micro = 1e6 / read(name).clock.resolution
    return {
        kind: (ticks * micro).tolist()
        for kind, ticks in zip(WAIT_KINDS, sums.suffered, strict=True)
        if ticks.any()
    }


def quality(name: str) -> dict[str, str]:
    health = read(name).health
    assert health is not None
    return {finding.subject: finding.text for finding in health.findings}


@pytest.mark.parametrize("name", traces.alternately(NAMES))
@pytest.mark.parametrize("parts", [pytest.param(2, marks=pytest.mark.slow), 3])
def test_parts_are_the_trace(
    name: str, parts: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Bit by bit; and the results of a digest that is made in parts are the same."""
    if not traces.slow_tests_run():  # else the others are made, too
        for module in ("topoview.worker.graph", "topoview.worker.digest"):
            monkeypatch.setattr(f"{module}.NEEDED", (*COMPARED, *CONDENSED))
        # nor are partners named in all ways: waits are by the lines of any program
        monkeypatch.setattr("topoview.logical.program.MAX_ROWS_NAMED_OTHERWISE", 0)
    anchor = next(folder_of(name).rglob("*.otf2"))
    file = tmp_path / "parts.topoview"
    job = Job(str(anchor), str(file), str(tmp_path / "w"), parts, 1, 1 << 32, 512)
    make_on(Here(), job)
    whole = read(name)
    found, wanted = read_results(file), Results(whole)
    for result in COMPARED:
        assert_same(found[result], RESULTS[result].pack(wanted.make(result)))
    store: Store = _store(job)
    (entry,) = store.entries()
    joined = store.find(entry.key)
    assert joined is not None
    for field in fields(Trace):
        if field.init and field.name not in ("path", "name"):
            assert_same(getattr(joined, field.name), getattr(whole, field.name))


def test_a_message_at_the_border_of_a_gap_has_only_its_send() -> None:
    trace = read("on-off-shift")
    messages = ends(trace)
    assert len(messages) == 61
    alone = [message for message in messages if message[3] < 0]
    assert alone == [(0, 1, 600_001, -1)]
    took = {received - sent for _, _, sent, received in messages if received >= 0}
    assert took == {100}
    assert "receiver was not recorded" in quality("on-off-shift")["receives"]
    assert quality("on-off-shift")["clocks"].startswith("No message was received")


def test_messages_while_the_receiver_is_off() -> None:
    messages = ends(read("on-off"))
    assert [sent for _, _, sent, received in messages if received < 0] == [
        100_000 * k + 1 for k in range(2, 8)
    ]
    assert {r - s for _, _, s, r in messages if r >= 0} == {100}
    assert "6 fell into times in which" in quality("on-off")["receives"]


def test_barriers_without_a_rank_that_is_off() -> None:
    assert waits("coll-off") == {"wait_at_barrier": pytest.approx([0.04, 0.015, 0])}
    text = quality("coll-off")["collectives"]
    assert text.startswith("5 collective operations without some of the members")
    assert "switched off" in text


@pytest.mark.parametrize(
    ("name", "end", "hanging", "cycle"),
    [
        ("deadlock", 950_000_000, {0: 3, 1: 0, 2: 1, 3: 2}, "0 -> 3 -> 2 -> 1 -> 0"),
        ("no-leave", 301_000, {0: 1, 1: 0}, "0 -> 1 -> 0"),
    ],
)
def test_calls_that_are_never_left(
    name: str, end: int, hanging: dict[int, int], cycle: str
) -> None:
    trace = read(name)
    calls, line = trace.calls, trace.timeline
    assert trace.clock.length == end
    assert len(trace.never_left) == len(hanging)
    row = np.searchsorted(calls.offsets, trace.never_left, side="right") - 1
    assert row.tolist() == list(hanging)
    assert calls.leave[trace.never_left].tolist() == [end] * len(hanging)
    for rank, call in zip(row.tolist(), trace.never_left.tolist(), strict=True):
        last = line.offsets[rank + 1] - 1
        assert (line.time[last], line.state[last]) == (end, TimeState.OUTSIDE)
        assert line.region[last - 1] == calls.region[call]
        assert line.time[last - 1] == calls.enter[call]
    hung = hung_calls(trace)
    found = dict(zip(hung.rank[hung.waiter].tolist(), hung.whom.tolist(), strict=False))
    assert found.keys() == hanging.keys()
    pairs = set(zip(hung.rank[hung.waiter].tolist(), hung.whom.tolist(), strict=True))
    assert set(hanging.items()) <= pairs
    assert cycle_texts(hung) == [f"Ranks {cycle} wait for each other."]
    assert len(hung_table(trace, hung)) == len(pairs)
    assert "never left" in quality(name)["calls"]


def test_a_flush_is_measurement() -> None:
    trace = read("flush")
    line = trace.timeline
    own = slice(line.offsets[0], line.offsets[1])
    states = line.state[own].tolist()
    assert states.count(TimeState.MEASUREMENT) == 1
    at = states.index(TimeState.MEASUREMENT)
    assert line.time[own][at : at + 2].tolist() == [510_000, 1_090_000]
    assert states[at - 1] == states[at + 1] == TimeState.COMPUTE
    assert waits("flush")["late_sender"] == pytest.approx([0, 499.998])


def test_cancelled_sends_are_no_messages() -> None:
    trace = read("cancelled")
    assert {(sender, receiver) for sender, receiver, *_ in ends(trace)} == {(0, 2)}
    assert len(trace.messages) == 4
    assert trace.unrecorded == ()
    assert Results(trace).make("identification").best.topology.name == "chain 2"
    assert "4 records of sends" in quality("cancelled")["partners"]


@pytest.mark.parametrize(
    ("name", "seconds", "words"),
    [
        ("far-event", 7.442496e9, "Rank 2's last event lies"),
        ("far-start", 1.7642e9, "Rank 1's first event lies"),
    ],
)
def test_stamps_far_from_all_others(name: str, seconds: float, words: str) -> None:
    trace = read(name)
    assert trace.clock.seconds(trace.clock.length) == pytest.approx(seconds, rel=1e-9)
    assert any(text.startswith(words) for text in trace.warnings)
    overview = Results(trace).make("overview")
    for begin, end in (overview.exchange, overview.run):
        assert end - begin < 10_000_000


def test_regions_that_overlap_have_their_own_durations() -> None:
    trace = read("overlap")
    line = trace.timeline
    task = trace.regions.names.index("taskB")
    at = np.flatnonzero(line.region == task)
    row = np.searchsorted(line.offsets, at, side="right") - 1
    spent = np.bincount(row, line.time[at + 1] - line.time[at])
    assert spent.tolist() == [150_000, 150_000]
    assert "not nested" in quality("overlap")["regions"]


def test_neighbours_are_those_of_the_declared_topology() -> None:
    trace = read("neighbour")
    results = Results(trace)
    assert trace.unrecorded == ()
    matrix = results.make("matrix")
    assert matrix.calls.sum() == 5 * 6 * 4
    assert matrix.volume.sum() == 5 * 6 * 4000
    parts = results.make("parts")
    assert parts.best.topology.name == "2D torus 3x2"
    assert parts.declared[0].verdict == "same"


@pytest.mark.parametrize(
    ("name", "kind", "expected"),
    [
        ("nbc", "wait_at_barrier", [79.2, 79.2, 0]),
        ("nbc-one", "wait_at_nxn", [79.6, 79.6, 0]),
        ("nbc-two-waits", "wait_at_nxn", [78.8, 78.8, 0]),
        ("io-collective", "wait_at_io", [300, 300, 0]),
        ("late-thread", "late_sender", [0, 149.994]),
        ("thread-parallel-waits", "late_sender", [0, 299.988]),
    ],
)
def test_waiting(name: str, kind: str, expected: list[float]) -> None:
    assert waits(name)[kind] == pytest.approx(expected)


def test_non_blocking_operations_are_waited_for_where_they_complete() -> None:
    trace = read("nbc")
    found = Results(trace).make("waits")
    waited = np.flatnonzero(found.until > trace.calls.enter)
    names = {trace.regions.title(r) for r in trace.calls.region[waited].tolist()}
    assert names == {"Waitall"}


def test_no_world_is_invented() -> None:
    assert [one.name for one in read("sessions").communicators] == ["app.comm"]


def test_names_of_other_bindings() -> None:
    regions = read("names").regions
    state = dict(zip(regions.names, regions.state.tolist(), strict=True))
    sends = ("MPI::Comm::Send", "MPI_Send_f08ts", "mpi_send_f08ts_", "MPI_Isend_f08ts")
    assert {state[name] for name in sends} == {TimeState.SEND}
    assert state["MPIX_Comm_shrink"] == TimeState.SETUP


def test_clocks_of_any_producer_are_aligned() -> None:
    trace = read("skew")
    assert trace.clock.alignment is not None
    assert trace.clock.length == 1_000_009
    assert all(received > sent for _, _, sent, received in ends(trace))
    assert any("aligned them by messages" in text for text in trace.warnings)
    assert trace.timeline.time[trace.timeline.offsets[:-1]].tolist() == [0, 0]
    assert trace.timeline.state[trace.timeline.offsets[:-1]].tolist() == [9, 9]


@pytest.mark.parametrize("name", ["mac", "windows"])
def test_archives_as_people_have_them(name: str) -> None:
    """With AppleDouble files beside the others; with backslashes between folders."""
    trace = open_trace(CASES / f"{name}.zip")
    assert trace.ranks > 1
    assert len(trace.messages) > 0


RING = {(0, 1): 5, (1, 2): 5, (2, 3): 5, (3, 0): 5}

MESSAGES: dict[str, dict[tuple[int, int], int]] = {
    "base": RING,
    "bcast": {},
    "cancelled-recv": {(0, 1): 4, (1, 2): 4},
    "cuda-windows": {(0, 1): 5},
    "dup-defs": {(0, 1): 3, (1, 2): 3},
    "epoch": {(0, 1): 3},
    "global-members": {**RING, (3, 2): 3},
    "group-paradigm": RING,
    "intercomm-spawn": {
        **dict.fromkeys([(0, 1), (0, 2), (0, 3), (0, 4)], 4),
        **dict.fromkeys([(2, 3), (3, 4), (4, 2)], 4),
    },
    "lo2s": {},
    "metrics": {(0, 1): 5},
    "no-comm-locations": RING,
    "permuted-locs": {(rank, rank + 1): 3 for rank in range(5)},
    "picos": {(0, 1): 50},
    "proc-null": {(rank, rank + 1): 4 for rank in range(4)},
    "selfbarrier": RING,
    "silent-rank": {(0, 1): 3, (1, 3): 3},
    "tera-length": {(0, 1): 5},
    "thread-multiple": {
        (rank, (rank + step) % 4): 5 for rank in range(4) for step in (1, 2)
    },
    "zero-events": {},
}
"""Messages by sender and receiver, as each case was written."""


@pytest.mark.parametrize("name", MESSAGES)
def test_who_sends_to_whom(name: str) -> None:
    trace = read(name)
    count = Counter((sender, receiver) for sender, receiver, *_ in ends(trace))
    assert count == MESSAGES[name]
    assert all(received > sent >= 0 for _, _, sent, received in ends(trace))
    assert trace.unrecorded == ()
    assert not trace.warnings


def test_each_case_is_tested() -> None:
    """No row of the list of cases is left out."""
    listed = set(MESSAGES) | {
        *("on-off-shift", "on-off", "coll-off", "deadlock", "no-leave"),
        *("nbc", "nbc-one", "nbc-two-waits", "flush", "late-thread"),
        *("thread-parallel-waits", "cancelled", "far-event", "far-start"),
        *("neighbour", "overlap", "names", "sessions", "io-collective", "skew"),
        "selfwin-sub",
    }
    assert listed == set(NAMES)


def test_nobody_waits_at_a_barrier_of_oneself() -> None:
    assert "wait_at_barrier" not in waits("selfbarrier")


def test_who_comes_late_to_a_broadcast_and_all_others() -> None:
    """Rank r comes r ns after the begin; the root is rank 2."""
    waited = waits("bcast")
    assert waited["late_broadcast"] == pytest.approx([0.01, 0.005, 0, 0])
    assert waited["wait_at_nxn"] == pytest.approx([0.015, 0.01, 0.005, 0])


def test_windows_of_devices_are_no_transfers_between_ranks() -> None:
    results = Results(read("cuda-windows"))
    assert results.make("one_sided") is None
    profile = results.make("profile_of_run")
    names = [class_name(code) for code in profile.classes.tolist()]
    kernels = profile.class_ticks[:, names.index("kernel")]
    assert kernels.tolist() == [0, 0, 20_000, 20_000]
    copied = profile.class_ticks[:, names.index("copy")]
    assert copied.tolist() == [0, 0, 5 * (3900 + 800), 5 * (3900 + 800)]


def test_a_window_of_some_ranks_numbers_them_by_its_communicator() -> None:
    """Rank 3 is number 0, rank 1 is number 1: it puts there, and that gets from it."""
    matrix = Results(read("selfwin-sub")).make("one_sided")
    calls, volume = matrix.calls.tocoo(), matrix.volume.tocoo()
    assert list(zip(calls.row, calls.col, calls.data, strict=True)) == [(3, 1, 6)]
    assert volume.data.tolist() == [3 * (4096 + 100)]


@pytest.mark.parametrize(
    ("name", "resolution", "seconds"),
    [
        ("epoch", 10**9, 0.001000077),
        ("picos", 10**12, 1.001e-6),
        ("lo2s", 10**9, 0.0003),
        ("zero-events", 10**9, 0.0),
    ],
)
def test_clocks(name: str, resolution: int, seconds: float) -> None:
    clock = read(name).clock
    assert clock.resolution == resolution
    assert clock.seconds(clock.length) == pytest.approx(seconds, rel=1e-12)


def test_sizes_beyond_32_bits_and_sums_beyond_43() -> None:
    trace = read("tera-length")
    assert set(trace.messages.size.tolist()) == {3 << 40}
    assert Results(trace).make("matrix").volume.sum() == 15 << 40


def test_counters_of_several_modes_and_types() -> None:
    counters = read("metrics").counters
    assert [(one.name, one.mode, one.scale) for one in counters] == [
        ("PAPI_TOT_CYC", "grows", 1.0),
        ("power", "value", 1e-3),
        ("delta", "change", 1.0),
    ]


def test_samples_without_mpi() -> None:
    trace = read("lo2s")
    counts = {one.name: len(one.time) for one in trace.further}
    assert counts["CallingContextSample"] == 40
    assert len(trace.locations) == 2


def test_the_shapes_of_what_is_told_rightly() -> None:
    for name, shape in (
        ("base", "ring 4"),
        ("permuted-locs", "chain 6"),
        ("proc-null", "chain 5"),
        ("group-paradigm", "ring 4"),
        ("no-comm-locations", "ring 4"),
        ("silent-rank", "chain 3"),
    ):
        best = Results(read(name)).make("identification").best
        assert best.topology.name == shape, name


def test_a_case_of_threads_counts_all_of_them() -> None:
    trace = read("thread-multiple")
    calls = np.diff(trace.calls.offsets)
    assert calls.sum() == 2 * 4 * 5 * 2 + 2 * 4
    assert (calls[4:] == 10).all()
