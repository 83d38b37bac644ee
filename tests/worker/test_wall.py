"""The wall holds: whatever ends, and whenever, nothing is lost."""

import contextlib
import errno
import os
import random
import signal
import subprocess
import sys
import tarfile
import threading
import time
from collections.abc import Callable, Collection, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from traces import slow_tests_run
from writer import write_trace

import topoview
from topoview.__main__ import main
from topoview.analysis.comparing.lines import align_listings
from topoview.base.progress import Cancelled
from topoview.errors import TopoviewError, TraceError
from topoview.io.archive.finding import store_key
from topoview.model import Analysis, Subset, Trace
from topoview.pipeline import RESULTS, STEPS, Results
from topoview.store.results import ResultCache, result_caches_of
from topoview.store.traces import user_store
from topoview.worker import (
    analyse_in_process,
    process,
    read_in_process,
    results,
    results_of,
)
from topoview.worker import main as worker_main
from topoview.worker.results import shown_of

PATIENCE_SECONDS = 60.0
MOMENTS = 6 if slow_tests_run() else 3
"""How often something is ended, each time at another moment."""

SHOWN = tuple(name for step in STEPS for name in step)


@pytest.fixture
def anchor(simulated: Callable[..., Trace], tmp_path: Path) -> Path:
    return write_trace(simulated("torus", (4, 3)), tmp_path / "run")


@pytest.fixture
def started(monkeypatch: pytest.MonkeyPatch) -> list[process.ProcessWorker]:
    """List the workers that are started."""
    found: list[process.ProcessWorker] = []

    def start(task: results.Task) -> process.ProcessWorker:
        found.append(process.ProcessWorker(task))
        return found[-1]

    monkeypatch.setattr(results, "start", start)
    return found


def assert_whole(known: Analysis) -> None:
    """Check that all is found, and right."""
    assert known.identification is not None
    assert known.identification.best.topology.name == "2D torus 4x3"
    assert known.logical is not None
    assert known.logical.ranks_verified == 12
    assert None not in (known.profile, known.measured, known.positions, known.waits)


def assert_nothing_left() -> None:
    """Check that the store holds whole entries, and nothing else."""
    process.wait_for_cleanup()
    store = user_store()
    assert store is not None
    left = (
        [path.name for path in store.folder.iterdir()] if store.folder.exists() else []
    )
    assert len(left) == len(store.entries())
    assert not list(store.folder.glob("*/*.writing"))


def seconds_of(anchor: Path) -> float:
    """Measure how long all takes that is tried to be interrupted."""
    began = time.monotonic()
    assert_whole(list(analyse_in_process(anchor))[-1])
    store = user_store()
    assert store is not None
    store.clear()
    return time.monotonic() - began


def test_logical_traces_are_aligned_behind_the_wall(
    anchor: Path,
    simulated: Callable[..., Trace],
    started: list[process.ProcessWorker],
    tmp_path: Path,
) -> None:
    """The trace that is open is found in the store; the result is kept."""
    beside = write_trace(simulated("grid", (4, 3)), tmp_path / "beside")
    one = results_of(anchor, ["logical"])
    for _ in range(2):
        found, aligned = results.aligned_with(one.trace, beside)
        expected = align_listings(one["logical"], found["logical"])
        assert aligned is not None
        np.testing.assert_array_equal(aligned, expected)
        assert len(started) == 2  # one for each trace
    nowhere = simulated("torus", (4, 3))
    assert results.aligned_with(nowhere, beside)[1] is None


def test_what_a_killed_worker_was_keeping_is_removed(anchor: Path) -> None:
    """But not what others write."""
    cache, *_ = result_caches_of(results_of(anchor, ["profile"]).trace)
    folder = cache.store.folder / cache.key
    for writer in ("killed", "another"):
        (folder / f"{writer}0.writing").touch()
    ResultCache(cache.store, cache.key, "killed").abandon()
    assert [path.name for path in folder.glob("*.writing")] == ["another0.writing"]


@pytest.mark.usefixtures("started_workers")
def test_a_worker_killed_at_any_moment(
    anchor: Path, started: list[process.ProcessWorker]
) -> None:
    """One sentence is told, what was kept before is there, and the rest is made."""
    whole, chance = seconds_of(anchor), random.Random(1)
    told: list[str] = []
    for _ in range(MOMENTS):
        before, moment = len(started), chance.random() * whole
        began = time.monotonic()

        def report(stage: str, fraction: float) -> None:
            del stage, fraction
            if len(started) > before and time.monotonic() - began > moment:  # noqa: B023
                child = started[-1]._process.child
                assert child is not None
                child.kill()

        try:
            known = list(analyse_in_process(anchor, report))[-1]
        except TraceError as error:
            told.append(str(error))
        else:
            assert_whole(known)
        assert_nothing_left()
    assert_whole(list(analyse_in_process(anchor))[-1])
    assert all("killed" in line and "\n" not in line for line in told)


def test_cancelled_at_any_moment(
    anchor: Path, started: list[process.ProcessWorker]
) -> None:
    """The worker is gone, and what it had kept is used by the next one."""
    whole, chance = seconds_of(anchor), random.Random(2)
    for _ in range(MOMENTS):
        moment, began = chance.random() * whole, time.monotonic()

        def report(stage: str, fraction: float) -> None:
            del stage, fraction
            if time.monotonic() - began > moment:  # noqa: B023
                raise Cancelled

        with contextlib.suppress(Cancelled):
            assert_whole(list(analyse_in_process(anchor, report))[-1])
        process.wait_for_cleanup()
        process.end_idle()  # one that had done all waits for another task
        assert [
            one._process.child.poll() for one in started if one._process.child
        ].count(None) == 0
        assert_nothing_left()
    assert_whole(list(analyse_in_process(anchor))[-1])


def test_nothing_is_made_where_nothing_is_wanted(anchor: Path) -> None:
    found = shown_of(anchor, wanted=())
    assert found.trace.ranks
    assert found.matrix is None
    assert shown_of(anchor, wanted=("matrix",)).logical is None


def test_what_is_kept_is_not_made_again_by_the_next_worker(anchor: Path) -> None:
    """Who cancels loses only the result that was being made."""
    for known in analyse_in_process(anchor):
        if known.identification is not None:
            break
    process.wait_for_cleanup()
    found = Results(read_in_process(anchor))
    assert found.is_kept("identification")
    first = found["identification"]
    assert list(analyse_in_process(anchor))[-1].matrix is not None
    assert Results(read_in_process(anchor))["identification"].seconds == first.seconds


WAITING = """
import sys, topoview
from topoview.worker import analyse_in_process
def report(stage, fraction):
    print(stage, flush=True)
list(analyse_in_process(sys.argv[1], report))
"""


def worker_of(parent: int) -> Iterator[int]:
    """List the processes whose parent this is."""
    listing = Path(f"/proc/{parent}/task/{parent}/children")
    yield from map(int, listing.read_text().split())


def is_running(number: int) -> bool:
    try:
        state = Path(f"/proc/{number}/stat").read_text().rpartition(")")[2].split()[0]
    except OSError:
        return False
    return state not in "ZX"


@pytest.mark.parametrize(
    ("stage", "number"),
    [
        ("reading", signal.SIGTERM),
        ("unpacking", signal.SIGKILL),
        ("matching lattices", signal.SIGKILL),
        *(
            pytest.param(stage, number, marks=pytest.mark.slow)
            for stage, number in (
                ("reading", signal.SIGKILL),
                ("unpacking", signal.SIGTERM),
                ("matching lattices", signal.SIGTERM),
            )
        ),
    ],
)
def test_the_worker_ends_with_its_parent(
    anchor: Path, tmp_path: Path, number: int, stage: str
) -> None:
    """Also while it unpacks, or compiled code runs."""
    path = anchor
    if stage == "unpacking":
        path = tmp_path / "many.tar"
        with tarfile.open(path, "w") as archive:
            for count in range(20_000):
                archive.addfile(tarfile.TarInfo(f"run/traces/{count}.evt"))
            archive.add(anchor, "run/traces.otf2")
    command = [sys.executable, "-c", WAITING, path]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as parent:
        assert parent.stdout is not None
        told = next(line for line in parent.stdout if line != "starting\n")
        assert told
        children = list(worker_of(parent.pid))
        assert children
        if stage == "matching lattices":  # it may come to its end meanwhile
            time.sleep(random.Random(number).random())
        parent.send_signal(number)
        parent.wait()
        deadline = time.monotonic() + 1.0
        while any(map(is_running, children)) and time.monotonic() < deadline:
            time.sleep(0.02)
        assert not any(map(is_running, children))


def test_two_processes_at_once(anchor: Path) -> None:
    """Both tell the same, and one entry is kept."""
    command = [sys.executable, "-m", "topoview", "identify", str(anchor)]
    both = [
        subprocess.Popen(command, stdout=subprocess.PIPE, text=True) for _ in range(2)
    ]
    told = [one.communicate(timeout=PATIENCE_SECONDS * 3)[0] for one in both]
    assert "2D torus 4x3" in told[0]
    assert told[0] == told[1]
    assert_nothing_left()
    store = user_store()
    assert store is not None
    assert len(store.entries()) == 1


def test_a_fault_of_ours_is_one_sentence_with_details(
    anchor: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Nothing of the worker reaches the terminal but what can be reported."""
    wrong = tmp_path / "wrong.toml"
    wrong.write_text("partners = 7")
    assert main(["identify", str(anchor), "--pattern", str(wrong)]) == 1
    assert capsys.readouterr().err.count("\n") == 1
    read_in_process(anchor)
    with pytest.raises(TopoviewError, match="a fault in topoview") as fault:
        results_of(anchor, ["logical"], results.Options(threshold={}))  # type: ignore[arg-type]
    assert "\n" not in str(fault.value)
    assert "TypeError" in fault.value.details


def test_too_little_memory_is_one_sentence(
    anchor: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def fail(*_: object, **__: object) -> None:
        raise MemoryError

    monkeypatch.setattr("topoview.worker.results_of", fail)
    assert main(["logical", str(anchor)]) == 1
    told = capsys.readouterr().err
    assert "not enough memory" in told
    assert told.count("\n") == 1


def test_no_cache_folder_is_told_once(
    anchor: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """All is made as ever; so it is in a store that is smaller than a result."""
    occupied = tmp_path / "cache"
    occupied.write_text("no folder")
    monkeypatch.setenv("TOPOVIEW_CACHE", str(occupied))
    known = list(analyse_in_process(anchor))[-1]
    assert_whole(known)
    assert sum("not kept in the cache" in note for note in known.trace.warnings) == 1
    monkeypatch.setenv("TOPOVIEW_CACHE", str(tmp_path / "small"))
    monkeypatch.setenv("TOPOVIEW_CACHE_LIMIT", "1K")
    known = list(analyse_in_process(anchor))[-1]
    assert_whole(known)
    assert sum("not kept in the cache" in note for note in known.trace.warnings) == 1


def test_a_home_that_cannot_be_written(
    anchor: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """All is told as ever, and in one sentence that it is not kept."""
    assert main(["logical", str(anchor)]) == 0
    right = capsys.readouterr().out
    for name in ("CACHE", "CONFIG", "DATA", "STATE"):
        monkeypatch.delenv(f"XDG_{name}_HOME", raising=False)
    monkeypatch.setenv("HOME", "/proc")  # where root makes no folder either
    assert main(["logical", str(anchor)]) == 0
    told = capsys.readouterr()
    assert told.out == right
    assert told.err.count("was not kept in the cache") == 1


@pytest.mark.parametrize(
    ("blocks", "said"),
    [(0, "no temporary folder can be made"), (16, "there is no room for the trace")],
)
def test_full_disks_are_one_sentence(
    anchor: Path, tmp_path: Path, blocks: int, said: str
) -> None:
    """No file may be larger, of the cache or elsewhere."""
    shell = f'ulimit -f {blocks} && exec "$@"'
    command = [sys.executable, "-m", "topoview", "info", str(anchor)]
    # else Python would keep the part of a compiled module that it could write
    alone = {"TMPDIR": str(tmp_path), "PYTHONDONTWRITEBYTECODE": "1"}
    run = subprocess.run(
        ["sh", "-c", shell, "sh", *command],
        env=os.environ | alone,
        capture_output=True,
        text=True,
        check=False,
    )
    assert run.returncode == 1
    assert run.stderr.startswith("topoview: ")
    assert said in run.stderr
    assert run.stderr.count("\n") == 1
    assert_nothing_left()


@pytest.mark.parametrize(
    ("error", "said"),
    [
        (OSError(errno.ENOSPC, "No space left"), "a disk is full"),
        (OSError(errno.ENOMEM, "Cannot allocate"), "does not fit into memory"),
        (MemoryError(), "does not fit into memory"),
        (RuntimeError("can't start new thread"), "gives no more threads"),
        (ImportError("x.so: failed to map segment from shared"), "no memory to load"),
        (OSError(errno.EIO, "Input/output error"), "a fault in topoview"),
        (RuntimeError("of our own making"), "a fault in topoview"),
    ],
)
def test_a_lack_on_the_way_is_no_fault_of_ours(error: Exception, said: str) -> None:
    _, text, details = worker_main._words_of(error, "run/traces.otf2")
    assert said in text
    assert bool(details) == ("fault" in said)


def test_a_trace_that_was_changed_is_not_taken_for_the_one_that_is_open(
    anchor: Path,
) -> None:
    trace = topoview.open(anchor)
    store = user_store()
    assert store is not None
    while store.entries():  # it is held while it is made safe on the disk
        store.clear()
    os.utime(anchor, (1, 1))
    with pytest.raises(TraceError, match="has changed, or is no longer kept"):
        results_of(trace, ["profile"])


def test_a_trace_made_here_is_analysed_here(
    simulated: Callable[..., Trace], started: list[process.ProcessWorker]
) -> None:
    found = results_of(simulated("torus", (4, 3)), SHOWN)
    assert_whole(found.analysis())
    assert not started


def test_results_come_behind_what_they_are_made_of() -> None:
    names = ["trace", "part", "other", *RESULTS]
    for name, result in RESULTS.items():
        assert all(names.index(part) < names.index(name) for part in result.of)
    in_order = [name for name in RESULTS if name in SHOWN]
    assert sorted(in_order) == sorted(SHOWN)
    first = STEPS[0]  # nothing is shown before these are there
    assert in_order[: len(first)] == list(first)


def test_from_several_threads(anchor: Path) -> None:
    """Each has its own worker; nobody waits for another's for ever."""
    found: list[Results] = []
    threads = [
        threading.Thread(target=lambda: found.append(results_of(anchor, ["profile"])))
        for _ in range(3)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(PATIENCE_SECONDS * 3)
    assert [one["profile"].calls.sum() for one in found] == [
        found[0]["profile"].calls.sum()
    ] * 3


def test_no_limit_holds_for_what_goes_with_the_process(
    anchor: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TOPOVIEW_CACHE", "off")
    monkeypatch.setenv("TOPOVIEW_CACHE_LIMIT", "1K")
    trace = read_in_process(anchor)
    key = store_key(anchor, Subset())
    for name in ("profile", "matrix", "waits"):
        results_of(trace, [name])
        assert results.private_store().size(key) > 1 << 10, name


class WorkerHere:
    """A worker that does its task in this process."""

    def __init__(self, task: results.Task) -> None:
        self.told: list[list[object]] = []
        job = worker_main._Job(self, task, Path())  # type: ignore[arg-type]
        job.run()

    def tell(self, *message: object) -> None:
        self.told.append(list(message))

    def report(self, stage: str, fraction: float) -> None:
        self.tell("progress", stage, fraction)

    def answer(self, *_: object) -> str:
        return str(results.private_store().folder)

    def messages(self) -> Iterator[list[object]]:
        yield from (message for message in self.told if message != ["place"])

    def end(self, found: Collection[str] = ()) -> None:
        pass


def test_what_had_no_room_in_the_store_is_not_made_again(
    anchor: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The next worker finds it in the place of this process, beside the store."""
    trace = read_in_process(anchor)
    store = user_store()
    assert store is not None
    keep = ResultCache.keep

    def keep_beside(cache: ResultCache, *given: Any, **more: int) -> bool:  # noqa: ANN401
        return cache.store.folder != store.folder and keep(cache, *given, **more)

    monkeypatch.setattr(ResultCache, "keep", keep_beside)
    monkeypatch.setattr(results, "start", WorkerHere)
    results_of(trace, ["identification"])
    cache, beside = result_caches_of(trace)
    assert not Results(trace, caches=[cache]).is_kept("identification")
    unmade = replace(RESULTS["identification"], make=None)
    monkeypatch.setitem(RESULTS, "identification", unmade)  # type: ignore[arg-type]
    results_of(trace, ["parts"])
    assert Results(trace, caches=[beside]).is_kept("parts")


def test_what_a_kept_result_is_made_of_may_be_damaged(anchor: Path) -> None:
    trace = list(analyse_in_process(anchor))[-1].trace
    cache = result_caches_of(trace)[0]
    (damaged,) = (cache.store.folder / cache.key).glob("logical-*.kept")
    damaged.write_bytes(b"damaged")
    found = results_of(trace, ["measured"])
    assert len(found["measured"].lines) > 1
