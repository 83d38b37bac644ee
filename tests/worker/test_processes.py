"""Processes behind the wall: one does a task after another, a command forks its own."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from writer import write_trace

import topoview
from topoview.base import platform
from topoview.errors import TraceError
from topoview.model import Trace
from topoview.worker import main as worker_main
from topoview.worker import process, read_in_process, results

PATIENCE_SECONDS = 60.0


@pytest.fixture
def anchor(simulated: Callable[..., Trace], tmp_path: Path) -> Path:
    return write_trace(simulated("torus", (4, 3)), tmp_path / "run")


@pytest.fixture
def waiting(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let processes wait for tasks, as the program does."""
    monkeypatch.setattr(process, "TAKEN_SECONDS", PATIENCE_SECONDS)


@pytest.fixture
def forking(monkeypatch: pytest.MonkeyPatch) -> None:
    """Fork workers from this process, as a command does."""
    monkeypatch.setattr(process, "may_fork", lambda: True)


def number() -> int:
    """Return the number of the process that waits."""
    (idle,) = process._idle
    return idle.child.pid


@pytest.mark.usefixtures("waiting")
def test_a_process_does_one_task_after_another(
    anchor: Path, simulated: Callable[..., Trace], tmp_path: Path
) -> None:
    """Until it would be another one if it were started now."""
    trace = topoview.open(anchor)
    first, scratch = number(), process._idle[0].scratch.path
    assert topoview.identify(trace).best.topology.name == "2D torus 4x3"
    assert number() == first
    other = write_trace(simulated("grid", (4, 3)), tmp_path / "other")
    assert topoview.identify(other).best.topology.name == "2D grid 4x3"
    assert number() == first
    assert not list(scratch.iterdir())
    os.environ["TOPOVIEW_MEMORY"] = "1G"
    try:
        topoview.profile(trace)
    finally:
        del os.environ["TOPOVIEW_MEMORY"]
    assert number() != first
    process.end_idle()
    assert not process._idle
    assert not scratch.exists()


@pytest.mark.parametrize("seconds", [-1.0, PATIENCE_SECONDS])
def test_a_process_that_has_waited_long_is_given_no_task(
    anchor: Path, monkeypatch: pytest.MonkeyPatch, seconds: float
) -> None:
    """It is about to end; and waits for longer than that."""
    assert process.TAKEN_SECONDS < worker_main._WAITS_SECONDS
    monkeypatch.setattr(process, "TAKEN_SECONDS", seconds)
    trace = topoview.open(anchor)
    first = number()
    topoview.profile(trace)
    assert (number() == first) == (seconds > 0)


@pytest.mark.usefixtures("waiting", "forking")
@pytest.mark.parametrize("size", [0, 1 << 40])
def test_a_process_that_took_much_memory_does_not_wait(
    anchor: Path, monkeypatch: pytest.MonkeyPatch, size: int
) -> None:
    monkeypatch.setattr(worker_main, "_MOST_BYTES_WAITING", size)
    trace = topoview.open(anchor)
    first = number()
    assert topoview.identify(trace).best.topology.name == "2D torus 4x3"
    assert (number() == first) == (size > 0)


@pytest.mark.usefixtures("waiting")
def test_what_failed_does_not_wait(anchor: Path) -> None:
    trace = topoview.open(anchor)
    process.end_idle()
    anchor.with_suffix(".def").write_bytes(b"damaged")
    with pytest.raises(TraceError):
        topoview.open(anchor)
    assert not process._idle
    assert topoview.profile(trace).names


@pytest.mark.usefixtures("waiting")
def test_a_process_killed_while_it_waits_is_not_missed(anchor: Path) -> None:
    trace = topoview.open(anchor)
    first = number()
    os.kill(first, signal.SIGKILL)
    process._idle[0].child.wait()
    assert topoview.identify(trace).best.topology.name == "2D torus 4x3"
    assert number() != first


@pytest.mark.usefixtures("forking")
def test_a_crash_of_a_forked_worker_is_one_sentence(
    anchor: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(
        worker_main, "read_trace", lambda *_: os.kill(os.getpid(), signal.SIGSEGV)
    )
    with pytest.raises(TraceError, match=r"crashed \(SIGSEGV\)") as caught:
        read_in_process(anchor)
    assert "\n" not in str(caught.value)


def test_a_forked_process_has_only_what_it_is_given(tmp_path: Path) -> None:
    kept, other = (os.open(tmp_path, os.O_RDONLY) for _ in range(2))

    def work() -> None:
        there = [file for file in (kept, other) if _is_open(file)]
        group = os.getpgid(0) == os.getpid()
        asked = signal.getsignal(signal.SIGTERM) == signal.SIG_DFL
        where = Path("/proc/self/fd/1").readlink()
        os.write(2, f"{there} {group} {asked} {where}".encode())

    before = signal.signal(signal.SIGTERM, lambda *_: None)
    try:
        with (tmp_path / "complaints").open("wb") as complaints:
            child = platform.ForkedProcess(work, complaints.fileno(), [kept])
            assert child.wait() == 1
    finally:
        signal.signal(signal.SIGTERM, before)
        child.stdin.close()
    told = (tmp_path / "complaints").read_text()
    assert told == f"[{kept}] True True /dev/null"
    for file in (kept, other):
        os.close(file)


def _is_open(file: int) -> bool:
    try:
        os.fstat(file)
    except OSError:
        return False
    return True


def test_only_a_command_without_threads_of_others_forks(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(platform, "_program", [])
    monkeypatch.setattr(platform, "_THREADED", ())
    monkeypatch.setattr(platform.threading, "active_count", lambda: 1)
    assert not platform.may_fork()
    platform.be_program()
    assert platform.may_fork()
    monkeypatch.setattr(platform, "_THREADED", ("os",))
    assert not platform.may_fork()
    monkeypatch.setattr(platform, "_THREADED", ())
    monkeypatch.setattr(platform.threading, "active_count", lambda: 2)
    assert not platform.may_fork()


def test_a_worker_ends_with_the_command_that_forked_it(anchor: Path) -> None:
    """It is killed as soon as it has one; nothing is left but what was kept before."""
    command = [sys.executable, "-m", "topoview", "waits", str(anchor)]
    with subprocess.Popen(command, stdout=subprocess.DEVNULL) as run:
        children = Path(f"/proc/{run.pid}/task/{run.pid}/children")
        end = time.monotonic() + PATIENCE_SECONDS
        while not (found := children.read_text().split()):
            assert time.monotonic() < end
            assert run.poll() is None
        run.kill()
    while Path(f"/proc/{found[0]}").exists():
        assert time.monotonic() < end
        time.sleep(0.01)
    assert results.results_of(anchor, ["profile"])["profile"] is not None
