"""Devices and threads in programs that break what one would take for granted."""

import json
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import otf2
import pytest
from hypothesis import given
from hypothesis import strategies as st
from otf2.enums import GroupFlag, GroupType, LocationType, Paradigm, RegionRole, Type
from traces import examples, read_real, unpacked

from topoview.__main__ import main
from topoview.analysis.account.account import class_ticks
from topoview.analysis.devices import (
    activity_between,
    device_efficiency,
    device_operations,
    device_waits,
)
from topoview.analysis.waits.deduced import deduced_ends
from topoview.analysis.waits.efficiency import efficiency_within
from topoview.analysis.waits.states import wait_states
from topoview.model import CLASS_NAMES, DeviceActivity, Trace, whole_part
from topoview.worker import open_trace

PARADIGMS = (
    ("cu", Paradigm.CUDA, RegionRole.WRAPPER),
    ("hip", Paradigm.HIP, RegionRole.WRAPPER),
    ("MPI_", Paradigm.MPI, RegionRole.FUNCTION),
    ("!$omp taskwait", Paradigm.OPENMP, RegionRole.TASK_WAIT),
    ("!$omp critical sblock", Paradigm.OPENMP, RegionRole.CRITICAL_SBLOCK),
    ("!$omp critical", Paradigm.OPENMP, RegionRole.CRITICAL),
    ("!$omp implicit barrier", Paradigm.OPENMP, RegionRole.IMPLICIT_BARRIER),
    ("!$omp", Paradigm.OPENMP, RegionRole.FUNCTION),
    ("", Paradigm.USER, RegionRole.FUNCTION),
)


@dataclass(frozen=True)
class Call:
    """A region of a thread; calls lie in each other where their times do."""

    begin: int
    end: int
    name: str
    stream: str = ""
    event: int = 0
    """What attributes tell of it: a stream's name, an event's number; empty or 0."""


@dataclass
class Process:
    """A rank: its threads, the first one the main one, and its streams."""

    threads: list[list[Call]]
    streams: dict[str, list[tuple[int, int | None, str]]] = field(default_factory=dict)
    """Kernels by stream: begin, end (None: still running), name."""


def written(processes: list[Process], path: Path) -> Trace:  # noqa: C901 - one file
    """Write processes as Score-P does, and read them; a tick is a microsecond."""
    with otf2.writer.open(str(path), timer_resolution=1_000_000) as archive:
        define = archive.definitions
        node = define.system_tree_node("n1", class_name="node")
        regions: dict[str, object] = {}
        kernels: dict[str, object] = {}
        stream_ref = define.attribute("CUDA_STREAM_REF", type=Type.LOCATION)
        event_ref = define.attribute("CUDA_EVENT_REF", type=Type.UINT64)

        def region(name: str) -> object:
            if name not in regions:
                paradigm, role = next(p[1:] for p in PARADIGMS if name.startswith(p[0]))
                regions[name] = define.region(name, region_role=role, paradigm=paradigm)
            return regions[name]

        groups = [
            define.location_group(f"MPI Rank {number}", system_tree_parent=node)
            for number in range(len(processes))
        ]
        mains = [define.location("Master thread", group=group) for group in groups]
        for kind in (GroupType.COMM_LOCATIONS, GroupType.COMM_GROUP):
            world = define.group("", kind, Paradigm.MPI, GroupFlag.NONE, mains)
        define.comm("all", group=world)
        for process, group, main_row in zip(processes, groups, mains, strict=True):
            others = [
                define.location(f"OMP thread {k}", group=group)
                for k in range(1, len(process.threads))
            ]
            rows = {
                name: define.location(name, type=LocationType.GPU, group=group)
                for name in process.streams
            }
            for row, calls in zip([main_row, *others], process.threads, strict=True):
                writer = archive.event_writer_from_location(row)
                open_calls: list[Call] = []
                for call in [*sorted(calls, key=lambda c: (c.begin, -c.end)), None]:
                    until = call.begin if call else 1 << 60
                    while open_calls and open_calls[-1].end <= until:
                        last = open_calls.pop()
                        told = {stream_ref: rows[last.stream]} if last.stream else {}
                        told |= {event_ref: last.event} if last.event else {}
                        writer.leave(last.end, region(last.name), attributes=told)
                    if call:
                        writer.enter(call.begin, region(call.name))
                        open_calls.append(call)
            for name, operations in process.streams.items():
                writer = archive.event_writer_from_location(rows[name])
                for begin, end, kernel in operations:
                    if kernel not in kernels:
                        kernels[kernel] = define.region(kernel, paradigm=Paradigm.CUDA)
                    writer.enter(begin, kernels[kernel])
                    if end is not None:
                        writer.leave(end, kernels[kernel])
    return open_trace(path)


def account_of(trace: Trace) -> list[Counter[str]]:
    """Sum up the classes of each row; they are the whole run, to the tick."""
    part = whole_part(trace)
    span = np.array([[0, trace.clock.length]])
    deduced = deduced_ends(part)
    classes, ticks = class_ticks(part, wait_states(trace), deduced, span)
    assert (ticks[0].sum(axis=1) == trace.clock.length).all()
    return [
        Counter(
            {CLASS_NAMES[c]: int(t) for c, t in zip(classes, row, strict=True) if t}
        )
        for row in ticks[0]
    ]


def activity_of(trace: Trace) -> DeviceActivity:
    activity = activity_between(trace, (0, trace.clock.length))
    assert activity is not None
    length = trace.clock.length
    assert (activity.kernel + activity.copy <= length).all()
    hosts = activity.blamed.by_device == 0
    rows = account_of(trace)
    assert activity.blamed.ticks[hosts].sum() == sum(r["wait_for_gpu"] for r in rows)
    return activity


def blamed_of(trace: Trace, activity: DeviceActivity) -> Counter[tuple[str, str]]:
    """Sum up what hosts wait for, by call and operation."""
    blamed, names = activity.blamed, trace.regions.names
    found: Counter[tuple[str, str]] = Counter()
    for k in np.flatnonzero(blamed.by_device == 0).tolist():
        what = int(blamed.waited_for[k])
        operation = names[what] if what >= 0 else "nothing"
        found[names[int(blamed.call[k])], operation] += int(blamed.ticks[k])
    return found


MAIN = Call(0, 1000, "main")
SYNCHRONISE = "cuStreamSynchronize"


def test_a_device_is_waited_for_within_mpi(tmp_path: Path) -> None:
    """As MPI libraries do that know of devices: the innermost wait says what it is."""
    calls = [
        MAIN,
        Call(100, 300, "MPI_Send"),
        Call(120, 280, "cuMemcpyDtoH_v2"),
        Call(150, 250, SYNCHRONISE, "CUDA[0:7]"),
        Call(400, 500, "MPI_Barrier"),
        Call(400, 410, "cuEventQuery"),
    ]
    kernels = [(50, 200, "solve")]
    trace = written([Process([calls], {"CUDA[0:7]": kernels})] * 2, tmp_path / "run")
    for row in account_of(trace)[:2]:
        assert row["wait_for_gpu"] == 160
        assert row["gpu_call"] == 10
        assert row["send"] + row["barrier"] == 40 + 90
        assert row["compute"] == 700
    activity = activity_of(trace)
    assert blamed_of(trace, activity)[SYNCHRONISE, "solve"] == 2 * 80
    assert not activity.overlapped[0] - 20  # 100 to 120: then it waits for the device


def test_kernels_that_run_at_the_end(tmp_path: Path) -> None:
    """One ends after all calls; of one no end is recorded: nobody knows how long."""
    process = Process(
        [[MAIN, Call(100, 110, "cuLaunchKernel")]],
        {"CUDA[0:7]": [(900, 1200, "late")], "CUDA[0:8]": [(800, None, "endless")]},
    )
    trace = written([process], tmp_path / "run")
    assert trace.clock.length == 1200
    activity = activity_of(trace)
    assert activity.kernel.tolist() == [300]
    host, late, endless = account_of(trace)
    assert (host["compute"], host["not_recorded"]) == (990, 200)
    assert (late["kernel"], endless["kernel"]) == (300, 0)


def test_two_devices_of_a_rank(tmp_path: Path) -> None:
    calls = [
        MAIN,
        Call(100, 400, SYNCHRONISE, "CUDA[0:7]"),
        Call(500, 800, SYNCHRONISE, "CUDA[1:7]"),
    ]
    streams = {
        "CUDA[0:7]": [(50, 400, "first"), (450, 900, "first")],
        "CUDA[1:7]": [(200, 800, "second")],
        "CUDA[1:8]": [(700, 900, "beside")],
    }
    trace = written([Process([calls], streams)], tmp_path / "run")
    activity = activity_of(trace)
    assert activity.devices == ("CUDA[0]", "CUDA[1]")
    assert activity.rank.tolist() == [0, 0]
    assert activity.kernel.tolist() == [800, 700]
    assert blamed_of(trace, activity) == {
        (SYNCHRONISE, "first"): 300,
        (SYNCHRONISE, "second"): 300,
    }
    found = device_efficiency(activity)
    assert found.device == pytest.approx(1500 / 2000)
    assert found.device_load_balance == pytest.approx(750 / 800)
    assert found.orchestration == pytest.approx(0.8)


def test_a_stream_that_threads_share(tmp_path: Path) -> None:
    threads = [
        [MAIN, Call(100, 400, SYNCHRONISE, "CUDA[0:7]")],
        [Call(0, 900, "work"), Call(200, 400, SYNCHRONISE, "CUDA[0:7]")],
        [Call(0, 900, "work"), Call(500, 600, SYNCHRONISE, "CUDA[0:7]")],
    ]
    kernels = {"CUDA[0:7]": [(50, 400, "solve"), (550, 600, "solve")]}
    trace = written([Process(threads, kernels)], tmp_path / "run")
    rows = account_of(trace)
    assert [row["wait_for_gpu"] for row in rows[:3]] == [300, 200, 100]
    assert blamed_of(trace, activity_of(trace)) == {
        (SYNCHRONISE, "solve"): 300 + 200 + 50,
        (SYNCHRONISE, "nothing"): 50,
    }


def test_an_event_of_another_stream(tmp_path: Path) -> None:
    """A host waits for a stream that waits for an event, or for the event itself."""
    calls = [
        MAIN,
        Call(10, 20, "cuEventRecord", "CUDA[0:7]", event=5),
        Call(30, 40, "cuStreamWaitEvent", "CUDA[0:8]", event=5),
        Call(100, 500, SYNCHRONISE, "CUDA[0:8]"),
        Call(510, 520, "cuEventRecord", "CUDA[0:9]", event=5),
        Call(600, 800, "cuEventSynchronize", event=5),
    ]
    streams = {
        "CUDA[0:7]": [(50, 400, "producer"), (550, 900, "unrelated")],
        "CUDA[0:8]": [(400, 500, "consumer")],
        "CUDA[0:9]": [(590, 800, "other")],
        "CUDA[0:10]": [(90, 950, "noise")],
    }
    trace = written([Process([calls], streams)], tmp_path / "run")
    assert blamed_of(trace, activity_of(trace)) == {
        (SYNCHRONISE, "producer"): 300,
        (SYNCHRONISE, "consumer"): 100,
        ("cuEventSynchronize", "other"): 200,
    }
    operations = device_operations(trace)
    waits = device_waits(trace, operations)
    names = [trace.regions.names[operations.region[k]] for k in waits.operation]
    assert names == ["consumer", "other"]


def test_tasks_of_openmp(tmp_path: Path) -> None:
    """A thread that runs a task while it waits for tasks computes."""
    threads = [
        [
            MAIN,
            Call(100, 500, "!$omp parallel"),
            Call(110, 300, "!$omp taskwait"),
            Call(150, 250, "!$omp task"),
            Call(310, 350, "!$omp critical"),
            Call(330, 345, "!$omp critical sblock"),
            Call(400, 500, "!$omp implicit barrier"),
        ],
        [
            Call(105, 500, "!$omp parallel"),
            Call(200, 500, "!$omp implicit barrier"),
            Call(220, 420, "!$omp task"),
        ],
    ]
    rows = account_of(written([Process(threads)], tmp_path / "run"))
    assert rows[0]["wait_for_threads"] == (190 - 100) + (40 - 15) + 100
    assert rows[1]["wait_for_threads"] == 300 - 200
    assert rows[0]["compute"] == 1000 - rows[0]["wait_for_threads"]


def test_nested_teams_of_openmp(tmp_path: Path) -> None:
    """Threads of an inner team wait at its barrier, then all at that of the outer one.

    Rank 0's team of 2 opens teams of 2 each; in one, each works for 60 and 20 ticks.
    """
    parallel, loop = "!$omp parallel @a.c:1", "!$omp for @a.c:3"
    inner, outer = "!$omp implicit barrier @a.c:5", "!$omp implicit barrier @a.c:9"
    threads = [
        [
            MAIN,
            Call(100, 400, parallel),
            Call(110, 180, "!$omp parallel @a.c:2"),
            Call(112, 132, loop),
            Call(132, 178, inner),
            Call(200, 390, outer),
        ],
        [
            Call(105, 395, parallel),
            Call(120, 350, "!$omp parallel @a.c:2"),
            Call(125, 340, loop),
            Call(340, 345, inner),
            Call(360, 390, outer),
        ],
        [Call(112, 178, parallel), Call(115, 175, loop), Call(175, 178, inner)],
        [Call(125, 345, parallel), Call(130, 140, loop), Call(140, 345, inner)],
    ]
    rows = account_of(written([Process(threads)], tmp_path / "run"))
    found = [row["wait_for_threads"] for row in rows]
    assert found == [46 + 190, 5 + 30, 3, 205]
    assert rows[0]["compute"] == 1000 - found[0]
    for row, lasts in zip(rows[1:], (290, 66, 220), strict=True):
        assert row["compute"] + row["wait_for_threads"] == lasts


@pytest.mark.traces
def test_nested_teams_of_a_real_program(tmp_path: Path) -> None:
    """Each thread waits while a barrier is its innermost region, by its raw events."""
    trace = read_real("public-casita-1_ompt_nested")
    spent: dict[str, int] = {}
    with otf2.reader.open(str(unpacked(trace.name, tmp_path))) as raw:
        stacks: dict[str, list[str]] = {}
        last: dict[str, int] = {}
        for location, event in raw.events:
            open_regions = stacks.setdefault(location.name, [])
            if open_regions and "barrier" in open_regions[-1]:
                spent[location.name] = spent.get(location.name, 0) + (
                    event.time - last[location.name]
                )
            last[location.name] = event.time
            if isinstance(event, otf2.events.Enter):
                open_regions.append(event.region.name)
            elif isinstance(event, otf2.events.Leave):
                open_regions.pop()
    names = [location.name for location in trace.locations]
    found = {
        name: row["wait_for_threads"]
        for name, row in zip(names, account_of(trace), strict=True)
        if row["wait_for_threads"]
    }
    assert len(found) == 10
    assert found == spent


def test_streams_that_are_not_recorded(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    calls = [
        MAIN,
        Call(100, 110, "hipLaunchKernel"),
        Call(120, 620, "hipDeviceSynchronize"),
        Call(700, 800, "MPI_Barrier"),
    ]
    trace = written([Process([calls])] * 2, tmp_path / "run")
    assert [row["wait_for_gpu"] for row in account_of(trace)] == [500, 500]
    activity = activity_of(trace)
    assert activity.devices == ()
    assert blamed_of(trace, activity) == {("hipDeviceSynchronize", "nothing"): 1000}
    anchor = str(tmp_path / "run")
    assert main(["efficiency", anchor, "--json", "--span", "run"]) == 0
    answer = json.loads(capsys.readouterr().out)
    assert answer["gpu_waiting"] == pytest.approx(0.5)
    assert answer["device"] is None
    assert answer["offload"] == pytest.approx(390 / 900)


def test_kernels_that_begin_before_their_launch(tmp_path: Path) -> None:
    """The device's clock is 80 ticks behind: nothing negative, nothing lost."""
    calls = [
        MAIN,
        *(Call(at, at + 10, "cuLaunchKernel", "CUDA[0:7]") for at in (100, 300)),
        *(Call(at, at + 90, SYNCHRONISE, "CUDA[0:7]") for at in (110, 310)),
    ]
    kernels = [(20, 120, "solve"), (220, 320, "solve")]
    trace = written([Process([calls], {"CUDA[0:7]": kernels})], tmp_path / "run")
    activity = activity_of(trace)
    assert activity.kernel.tolist() == [200]
    assert blamed_of(trace, activity) == {
        (SYNCHRONISE, "solve"): 20,
        (SYNCHRONISE, "nothing"): 160,
    }
    waits = device_waits(trace, device_operations(trace))
    assert waits.operation.tolist() == [0, 1]


def test_efficiencies_by_hand(tmp_path: Path) -> None:
    """Two hosts with a device each, of a run of 1000 ticks.

    Rank 0 computes 500, launches 50, waits 250 for its device and 200 in MPI; rank 1
    computes 300, launches 50, waits 450 and 200. Their devices run 400 and 600.
    POP: parallel 400 / 1000; MPI 800 / 1000; offload 400 / 800; devices 500 / 1000,
    of which balance is 500 / 600, and orchestration 600 / 1000.
    """
    processes = [
        Process(
            [
                [
                    MAIN,
                    Call(100, 150, "cuLaunchKernel"),
                    Call(150, 150 + wait, SYNCHRONISE, "CUDA[0:7]"),
                    Call(700, 900, "MPI_Barrier"),
                ]
            ],
            {"CUDA[0:7]": [(120, 120 + kernel, "solve")]},
        )
        for wait, kernel in ((250, 400), (450, 600))
    ]
    trace = written(processes, tmp_path / "run")
    waits = wait_states(trace)
    assert waits is not None
    hosts = efficiency_within(trace, waits, (0, 1000))
    assert hosts.parallel == pytest.approx(0.4)
    assert hosts.mpi == pytest.approx(0.8)
    assert hosts.load_balance * hosts.communication == pytest.approx(0.8)
    assert hosts.offload == pytest.approx(0.5)
    devices = device_efficiency(activity_of(trace))
    assert devices.device == pytest.approx(0.5)
    assert devices.device_load_balance == pytest.approx(500 / 600)
    assert devices.orchestration == pytest.approx(0.6)
    assert devices.gpu_waiting == pytest.approx(0.35)
    assert devices.overlapped == pytest.approx(20 / 400)  # the second's last kernel


# Drawn programs: every wait that is planted is found, and nothing else.


@given(st.integers(0, 2**32), st.integers(1, 3), st.integers(1, 4))
@examples(40)
def test_planted_waits_of_threads_and_devices(
    tmp_path_factory: pytest.TempPathFactory, seed: int, ranks: int, threads: int
) -> None:
    rng = np.random.default_rng(seed)
    processes, planted = [], []
    for _ in range(ranks):
        rows, kernels = [], []
        for thread in range(threads):
            waits, calls = Counter[str](), [Call(0, 10_000, "work")]
            now = int(rng.integers(1, 50))
            while now < 9_000:
                length = int(rng.integers(1, 400))
                kinds = {
                    "!$omp implicit barrier": "wait_for_threads",
                    "!$omp taskwait": "wait_for_threads",
                    SYNCHRONISE: "wait_for_gpu",
                    "cuMemcpyDtoH_v2": "wait_for_gpu",
                    "cuLaunchKernel": "gpu_call",
                    "MPI_Comm_rank": "mpi_setup",
                    "solve": "compute",
                }
                name = str(rng.choice(list(kinds)))
                around = "MPI_Send" if not thread and rng.integers(4) == 0 else "solve"
                calls.append(Call(now, now + length + 2, around))
                calls.append(Call(now + 1, now + 1 + length, name))
                waits[kinds[name]] += length
                if name == SYNCHRONISE and not thread:
                    kernels.append((now, now + 1 + length, "kernel"))
                now += length + int(rng.integers(3, 200))
            rows.append(calls)
            planted.append(waits)
        processes.append(Process(rows, {"CUDA[0:1]": kernels}))
    trace = written(processes, tmp_path_factory.mktemp("planted") / "run")
    order = [*range(0, ranks * threads, threads)]
    order += [r * threads + t for r in range(ranks) for t in range(1, threads)]
    for row, place in zip(account_of(trace)[: len(order)], order, strict=True):
        for kind in ("wait_for_threads", "wait_for_gpu"):
            assert row[kind] == planted[place][kind]
    if any("wait_for_gpu" in waits for waits in planted):
        activity_of(trace)
