"""What threads wait for on devices, devices for threads, and efficiencies with both."""

import json
from collections import Counter
from pathlib import Path
from typing import Any

import gpu_program
import numpy as np
import pytest
from gpu_program import FROM_HOST, NOTHING, TO_HOST, WAITS, Rank
from hypothesis import given
from hypothesis import strategies as st
from traces import examples, read_real, real_path

from topoview.__main__ import main
from topoview.analysis.devices import (
    activity_between,
    cover,
    device_activity,
    device_efficiencies,
    device_efficiency,
    device_operations,
    device_waits,
)
from topoview.analysis.overview import overview
from topoview.analysis.waits.efficiency import efficiency_within
from topoview.analysis.waits.states import wait_states
from topoview.model import (
    BlamedTime,
    DeviceActivity,
    DeviceOperations,
    Location,
    TimeState,
    Trace,
    device_name,
)
from topoview.worker import open_trace

CODES = {-1: NOTHING, -2: TO_HOST, -3: FROM_HOST}


def name_of(trace: Trace, region: int) -> str:
    return CODES[region] if region < 0 else trace.regions.names[region]


def blamed_on(
    trace: Trace, blamed: BlamedTime, by_device: int
) -> Counter[tuple[str, str]]:
    found: Counter[tuple[str, str]] = Counter()
    for row in np.flatnonzero(blamed.by_device == by_device).tolist():
        who = int(blamed.around[row] if by_device else blamed.call[row])
        what = name_of(trace, int(blamed.waited_for[row]))
        found[name_of(trace, who), what] += int(blamed.ticks[row])
    return found


@given(st.integers(0, 2**32), st.integers(1, 3), st.integers(1, 3))
@examples(60)
def test_programs_tick_by_tick(
    tmp_path_factory: pytest.TempPathFactory, seed: int, count: int, streams: int
) -> None:
    rng = np.random.default_rng(seed)
    ranks = [gpu_program.run(rng, streams, 25) for _ in range(count)]
    folder = tmp_path_factory.mktemp("gpu") / "run"
    trace = open_trace(gpu_program.write(ranks, streams, folder))
    operations = device_operations(trace)
    waits = device_waits(trace, operations)
    for number, rank in enumerate(ranks):
        check_waits(trace, number, rank, operations)
        check_rows(trace, number, rank)
    # the planted waits, each
    planted = [
        (call.begin, call.end, k) for k, r in enumerate(ranks) for call in r.waits()
    ]
    found = zip(
        waits.begin.tolist(), waits.end.tolist(), waits.row.tolist(), strict=True
    )
    assert sorted(found) == sorted(planted)
    end = max(rank.end for rank in ranks)
    activity = activity_between(trace, (0, end))
    if activity is None:
        assert not any(rank.operations or list(rank.waits()) for rank in ranks)
        return
    check_sums(ranks, activity)
    assert blamed_on(trace, activity.blamed, 0) == sum(
        (rank.blamed_operations() for rank in ranks), Counter()
    )
    assert blamed_on(trace, activity.blamed, 1) == sum(
        (rank.blamed_hosts() for rank in ranks), Counter()
    )


def check_waits(
    trace: Trace, number: int, rank: Rank, operations: DeviceOperations
) -> None:
    """Compare what ends each wait: the last operation to end, if it ends within."""
    waits = device_waits(trace, operations)
    own = np.flatnonzero(waits.row == number)
    for place, call in zip(own.tolist(), rank.waits(), strict=True):
        ends = [
            one.end
            for one in rank.operations
            if one.end <= call.end and call.stream in (-1, one.stream)
        ]
        last = max(ends, default=-1)
        operation = int(waits.operation[place])
        if last > call.begin:
            assert operations.end[operation] == last
        else:
            assert operation == -1
        assert trace.regions.names[waits.call[place]] == call.name
        assert trace.regions.names[waits.around[place]] == "main"


def check_rows(trace: Trace, number: int, rank: Rank) -> None:
    """Compare the rows of streams in the timeline, tick by tick."""
    timeline = trace.timeline
    rows = trace.further_rows("accelerator")
    for row in rows[trace.rank_of_location[rows] == number].tolist():
        stream = int(trace.locations[row].name[:-1].partition(":")[2])
        own = slice(*timeline.offsets[[row, row + 1]].tolist())
        time, state, region = (
            column[own] for column in (timeline.time, timeline.state, timeline.region)
        )
        assert (np.diff(time) > 0).all()
        assert ((np.diff(state) != 0) | (np.diff(region) != 0)).all()
        for tick in range(rank.end):
            name = rank.running(tick, stream)
            place = np.searchsorted(time, tick, side="right") - 1
            what = {
                NOTHING: (TimeState.OUTSIDE, -1),
                TO_HOST: (TimeState.COPY, -1),
                FROM_HOST: (TimeState.COPY, -1),
            }
            kernel = (
                TimeState.KERNEL,
                list(trace.regions.names).index(name)
                if (name in gpu_program.KERNELS)
                else -1,
            )
            assert (state[place], region[place]) == what.get(name, kernel)


def check_sums(ranks: list[Rank], activity: DeviceActivity) -> None:
    """Compare all sums, to the tick."""
    length = activity.span[1]
    device = {rank: k for k, rank in enumerate(activity.rank.tolist())}
    for number, rank in enumerate(ranks):
        compute, calls, waits, threads, measurement = activity.host[number].tolist()
        barriers = rank.ticks_of(("MPI_Barrier",))
        assert waits == rank.ticks_of(WAITS)
        assert calls == rank.ticks_of(("cuLaunchKernel", "cuMemcpyHtoDAsync"))
        assert compute == rank.end - waits - calls - barriers
        assert (threads, measurement) == (0, 0)
        assert activity.communicating[number] == barriers
        if not rank.operations:
            assert number not in device
            continue
        kernels = {
            tick
            for one in rank.operations
            if one.name in gpu_program.KERNELS
            for tick in range(one.begin, one.end)
        }
        busy = {t for one in rank.operations for t in range(one.begin, one.end)}
        assert activity.kernel[device[number]] == len(kernels)
        assert activity.copy[device[number]] == len(busy - kernels)
        assert len(busy) <= length
        assert activity.overlapped[number] == sum(
            tick in kernels
            for call in rank.calls
            if call.name == "MPI_Barrier"
            for tick in range(call.begin, call.end)
        )


@given(
    st.lists(st.tuples(st.integers(0, 60), st.integers(1, 30)), max_size=12),
    st.integers(0, 60),
    st.integers(0, 60),
)
def test_covers(pieces: list[tuple[int, int]], one: int, other: int) -> None:
    begin = np.array(sorted(begin for begin, _ in pieces), np.int64)
    end = begin + np.array([ticks for _, ticks in pieces], np.int64)
    count = len(pieces)
    operations = DeviceOperations(
        row=np.zeros(count, np.int32),
        begin=begin,
        end=end,
        region=np.zeros(count, np.int32),
        kind=np.full(count, TimeState.KERNEL, np.uint8),
        size=np.zeros(count, np.int64),
    )
    runs = cover(operations, np.arange(count))
    for tick in range(95):
        active = [k for k in range(count) if begin[k] <= tick < end[k]]
        inside = np.flatnonzero((runs.begin <= tick) & (tick < runs.end))
        assert len(inside) == bool(active)
        if active:
            assert end[runs.operation[inside[0]]] == max(end[k] for k in active)
    low, high = sorted((one, other))
    ticks = runs.ticks_between(np.array([low]), np.array([high]))[0]
    assert ticks == sum(((begin <= t) & (t < end)).any() for t in range(low, high))


def of(*numbers: int) -> np.ndarray:
    return np.array(numbers, np.int64)


def test_efficiencies_by_hand() -> None:
    """Of 100 ticks two ranks wait 20 each; kernels run for 50 and 30."""
    found = device_efficiencies(
        gpu_waits=of(20, 20),
        time=of(100, 100),
        kernels=of(50, 30),
        communicating=of(30, 50),
        overlapped=of(15, 25),
    )
    assert found.device == pytest.approx(80 / 200)
    assert found.device_load_balance == pytest.approx(40 / 50)
    assert found.orchestration == pytest.approx(50 / 100)
    assert found.gpu_waiting == pytest.approx(40 / 200)
    assert found.overlapped == pytest.approx(1 / 2)


@given(st.lists(st.tuples(*[st.integers(0, 1000)] * 3), min_size=1, max_size=6))
def test_factors_multiply(rows: list[tuple[int, ...]]) -> None:
    waits, other, kernels = np.array(rows, np.int64).T + 1
    found = device_efficiencies(
        gpu_waits=waits,
        time=waits + other,
        kernels=kernels,
        communicating=other,
        overlapped=other // 2,
    )
    orchestrated = found.device_load_balance * found.orchestration
    assert found.device == pytest.approx(orchestrated)


def test_nothing_of_devices() -> None:
    trace = read_real("sp-rowcol-6x4")
    assert device_activity(trace, overview(trace)) is None


def test_streams_of_one_device_are_one() -> None:
    for name, device in (
        ("CUDA[0:13]", "CUDA[0]"),
        ("HIP[1:0]", "HIP[1]"),
        ("Intel(R) Core(TM) i5-5200U CPU", "Intel(R) Core(TM) i5-5200U CPU"),
    ):
        assert device_name(Location(0, 0, name, "accelerator")) == device


# Real programs.


def activity_of(name: str, begin: float = 0.0, end: float = 1e9) -> DeviceActivity:
    trace = read_real(name)
    span = trace.clock.ticks(begin), min(trace.clock.ticks(end), trace.clock.length)
    activity = activity_between(trace, span)
    assert activity is not None
    return activity


@pytest.mark.traces
def test_cloverleaf_between_init_and_finalize() -> None:
    """By sums over raw events: `mpi` and devices as the look's picture has them.

    Of the hosts the picture counts OpenACC's own regions as computation.
    """
    activity = activity_of("public-casita-2_cloverleaf_cuda", 0.35553, 6.6704)
    trace = read_real("public-casita-2_cloverleaf_cuda")
    waits = wait_states(trace)
    assert waits is not None
    hosts = efficiency_within(trace, waits, activity.span)
    assert hosts.mpi == pytest.approx(0.994, abs=6e-4)
    assert hosts.load_balance == pytest.approx(0.998, abs=6e-4)
    assert hosts.communication == pytest.approx(0.995, abs=6e-4)
    found = device_efficiency(activity)
    assert found.device == pytest.approx(0.706, abs=6e-4)
    assert found.device_load_balance == pytest.approx(0.998, abs=6e-4)
    assert found.orchestration == pytest.approx(0.707, abs=6e-4)
    # the picture's 74.3 % and OpenACC's waits, 69 ms of 12.6 s
    assert found.gpu_waiting == pytest.approx(0.743 + 0.0055, abs=6e-4)


@pytest.mark.traces
def test_cloverleaf_waits_for_kernels() -> None:
    trace = read_real("public-casita-2_cloverleaf_cuda")
    blamed = activity_of(trace.name).blamed
    hosts = blamed.by_device == 0
    kernels = hosts & (blamed.waited_for >= 0)
    kinds = trace.regions.state[blamed.waited_for[kernels]]
    assert (kinds == TimeState.KERNEL).all()
    assert blamed.ticks[kernels].sum() > 0.9 * blamed.ticks[hosts].sum()
    # all but 4 % of the kernels' time hosts stand in synchronisation
    assert blamed.ticks[kernels].sum() > 0.96 * activity_of(trace.name).kernel.sum()


def blame_on(name: str, region: str) -> float:
    """Tell the share of the devices' gaps in which hosts are in some regions."""
    trace = read_real(name)
    blamed = activity_of(trace.name).blamed
    gaps = blamed.by_device == 1
    named = np.array([title.startswith(region) for title in trace.regions.names])
    there = gaps & (blamed.waited_for >= 0) & named[blamed.waited_for]
    return float(blamed.ticks[there].sum() / blamed.ticks[gaps].sum())


@pytest.mark.traces
def test_blame_on_the_processors() -> None:
    """GPUs wait for loops of OpenMP: the processors have half of the work."""
    name = "public-casita-2_jacobi_blame_cpu_050"
    assert blame_on(name, "!$omp for") > 0.8
    assert blame_on(name, "MPI_") < 0.05


@pytest.mark.traces
def test_blame_on_gpus_that_are_never_waited_for() -> None:
    """The name says GPUs, the records do not: MPI keeps both waiting.

    Each kernel of 0.2 ms ended long before its host asks for its data, as the host was
    at a barrier of its threads meanwhile: no wait overlaps a kernel, so no host's time
    is a kernel's to be blamed for. Two thirds of the run are MPI's.
    """
    name = "public-casita-2_jacobi_blame_gpu_005"
    trace = read_real(name)
    operations = device_operations(trace)
    waits = device_waits(trace, operations)
    kernels = np.flatnonzero(operations.kind == TimeState.KERNEL)
    for rank in range(2):
        of_rank = trace.rank_of_location[operations.row[kernels]] == rank
        runs = cover(operations, kernels[of_rank])
        own = trace.rank_of_location[waits.row] == rank
        assert not runs.ticks_between(waits.begin[own], waits.end[own]).any()
        ended = np.searchsorted(runs.end, waits.begin[own], side="right") - 1
        since = (waits.begin[own] - runs.end[ended])[ended >= 0]
        assert np.median(since) > 500_000  # ns
    assert blame_on(name, "!$omp for") < 0.02
    assert blame_on(name, "MPI_") > 0.6


@pytest.mark.traces
def test_mi300_waits_for_its_kernels() -> None:
    trace = read_real("public-mi300")
    blamed = activity_of(trace.name).blamed
    names = [name_of(trace, int(k)) for k in blamed.waited_for[:2]]
    assert names == [
        "heavy_kernel(float*, float const*)",
        "light_kernel(float*, float const*)",
    ]
    assert [name_of(trace, int(k)) for k in blamed.call[:2]] == [
        "hipEventSynchronize"
    ] * 2
    waiting = device_efficiency(activity_of(trace.name)).gpu_waiting
    assert waiting == pytest.approx(0.883, abs=1e-3)


@pytest.mark.traces
def test_a_wait_goes_on_behind_a_flush() -> None:
    """In clFinish of main: what the tracer wrote meanwhile is no function around it."""
    trace = read_real("public-casita-1_ocl_deps")
    waits = device_waits(trace, device_operations(trace))
    assert {name_of(trace, int(k)) for k in waits.around} == {"main"}


# What the command tells.


def told(capsys: pytest.CaptureFixture[str], *options: str) -> dict[str, Any]:
    trace = str(real_path("public-casita-2_cuda_simple"))
    assert main(["efficiency", trace, "--json", *options]) == 0
    answer: dict[str, Any] = json.loads(capsys.readouterr().out)
    return answer


@pytest.mark.usefixtures("one_store")
def test_command(capsys: pytest.CaptureFixture[str]) -> None:
    answer = told(capsys)
    trace = read_real("public-casita-2_cuda_simple")
    span = answer["span"]
    activity = activity_of(trace.name, span["begin"], span["end"])
    efficiency = device_efficiency(activity)
    for name in ("device", "gpu_waiting"):
        assert answer[name] == pytest.approx(getattr(efficiency, name), abs=1e-4)
    assert answer["mpi"] * answer["threads"] * answer["offload"] == pytest.approx(
        answer["parallel"]
    )
    for device in answer["devices"]:
        ticks = device["kernel_seconds"] + device["copy_seconds"]
        whole = ticks + device["idle_seconds"]
        assert whole == pytest.approx(span["end"] - span["begin"])
    hosts = sum(w["seconds"] for w in answer["gpu_waits"] if w["waiting"] == "host")
    length = span["end"] - span["begin"]
    assert hosts == pytest.approx(answer["gpu_waiting"] * 2 * length, rel=1e-3)
    listed = told(capsys, "--by", "gpu-wait")["efficiency"]
    assert listed[: len(answer["gpu_waits"])] == answer["gpu_waits"]
    assert len(told(capsys, "--by", "device")["efficiency"]) == 2


@pytest.mark.usefixtures("one_store")
def test_text(capsys: pytest.CaptureFixture[str]) -> None:
    trace = str(real_path("public-casita-2_cuda_simple"))
    assert main(["efficiency", trace]) == 0
    text = capsys.readouterr().out
    assert "orchestration" in text
    assert "cuMemcpyDtoH_v2" in text
    assert "copy to the host" in text


@pytest.mark.usefixtures("one_store")
def test_trace_without_devices(capsys: pytest.CaptureFixture[str]) -> None:
    trace = str(real_path("sp-rowcol-6x4"))
    assert main(["efficiency", trace, "--by", "device"]) == 1
    assert "records no devices" in capsys.readouterr().err


@pytest.mark.usefixtures("one_store")
def test_digest(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    """A digest has states of all codes, and tells the same of devices."""
    trace = str(real_path("public-casita-2_cuda_simple"))
    digest = str(tmp_path / "run.topoview")
    assert main(["digest", trace, "-o", digest]) == 0
    capsys.readouterr()
    whole = told(capsys)
    assert main(["efficiency", digest, "--json"]) == 0
    kept = json.loads(capsys.readouterr().out)
    for name in ("parallel", "mpi", "device", "devices", "gpu_waits", "span"):
        assert kept[name] == whole[name], name
