"""What other systems lack has its branch; those of Linux run in all other tests."""

import os
import signal
import subprocess
import sys
import threading
from pathlib import Path
from types import SimpleNamespace

import pytest

from topoview.base import platform
from topoview.worker import pool as pools


@pytest.mark.parametrize("windows", [False, True])
def test_a_lock_is_held_by_one_descriptor_of_a_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, *, windows: bool
) -> None:
    if windows:
        held: list[tuple[int, int]] = []

        def locking(file: int, mode: int, length: int) -> None:
            """As msvcrt's: another descriptor of the file is refused."""
            assert (mode, length) == (2, 1)
            state = os.fstat(file)
            if (state.st_dev, state.st_ino) in held:
                raise PermissionError(13, "Permission denied")
            held.append((state.st_dev, state.st_ino))

        monkeypatch.setattr(platform, "_fcntl", None)
        fake = SimpleNamespace(locking=locking, LK_NBLCK=2)
        monkeypatch.setattr(platform, "_msvcrt", fake)
    first, second = (
        os.open(tmp_path / "lock", os.O_RDWR | os.O_CREAT) for _ in range(2)
    )
    try:
        assert platform.try_lock(first)
        assert not platform.try_lock(second)
    finally:
        os.close(first)
        os.close(second)


def test_a_file_system_that_cannot_lock_says_so(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def flock(_file: int, _how: int) -> None:
        raise OSError(37, "No locks available")

    fake = SimpleNamespace(flock=flock, LOCK_EX=2, LOCK_NB=4)
    monkeypatch.setattr(platform, "_fcntl", fake)
    with pytest.raises(OSError, match="No locks"):
        platform.try_lock(0)


def test_without_users_all_files_are_ones_own(monkeypatch: pytest.MonkeyPatch) -> None:
    assert platform.user_id() == os.getuid()
    monkeypatch.delattr(os, "getuid")
    assert platform.user_id() == 0  # as st_uid is there


@pytest.mark.parametrize("size", [0, 5, (1 << 20) + 3])
def test_room_is_taken_by_writing_where_it_cannot_be_asked_for(
    size: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delattr(os, "posix_fallocate")
    path = tmp_path / "column"
    file = os.open(path, os.O_RDWR | os.O_CREAT)
    platform.reserve_room(file, size)
    os.close(file)
    assert path.read_bytes() == bytes(size)
    if size:
        with (
            Path("/dev/full").open("wb", buffering=0) as full,
            pytest.raises(OSError, match="No space"),
        ):
            platform.reserve_room(full.fileno(), size)


def test_what_a_system_does_not_say(monkeypatch: pytest.MonkeyPatch) -> None:
    assert platform.boot_id()
    monkeypatch.setattr(platform, "Path", lambda _: Path("/nowhere"))
    assert platform.boot_id() == ""
    memory = platform.machine_memory()
    assert memory > 1 << 28
    monkeypatch.delattr(os, "sysconf")
    assert platform.machine_memory() == 8 << 30
    assert 1 <= platform.cores() == len(os.sched_getaffinity(0))
    monkeypatch.delattr(os, "sched_getaffinity")
    assert platform.cores() == os.cpu_count()
    monkeypatch.setattr(os, "cpu_count", lambda: None)
    assert platform.cores() == 1


def test_signals_that_are_there(monkeypatch: pytest.MonkeyPatch) -> None:
    assert platform.end_signals() == (signal.SIGTERM, signal.SIGHUP)
    monkeypatch.delattr(signal, "SIGHUP")
    assert platform.end_signals() == (signal.SIGTERM,)


@pytest.mark.parametrize("groups", [True, False])
def test_a_process_apart_is_ended(
    monkeypatch: pytest.MonkeyPatch, *, groups: bool
) -> None:
    if not groups:
        monkeypatch.delattr(os, "killpg")
    arguments = platform.apart()
    assert arguments == ({"process_group": 0} if groups else {"creationflags": 0})
    command = [sys.executable, "-c", "import time; time.sleep(600)"]
    child = subprocess.Popen(command, **arguments)
    platform.kill_group(child)
    assert child.wait() == -signal.SIGKILL
    platform.kill_group(child)  # it has gone


def test_where_no_signal_is_sent_nothing_is_asked(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(platform, "_fcntl", None)
    platform.end_when_closed(-1)


@pytest.mark.usefixtures("started_workers")
def test_a_pool_starts_each_process_where_none_can_be_forked(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(platform, "CAN_FORK", False)
    started: list[list[str]] = []

    def start(command: list[str], **how: object) -> "subprocess.Popen[bytes]":
        started.append(command)
        return popen(command, **how)  # type: ignore[call-overload, no-any-return]

    popen = subprocess.Popen
    monkeypatch.setattr(subprocess, "Popen", start)
    with pools.Pool(2, {}, lambda *_: None) as pool:
        tasks = [pool.submit("adding", sum, (1, 2)), pool.submit("adding", sum, (3,))]
        assert [pool.value(task) for task in tasks] == [3, 3]
    assert len(started) == 2


def test_limits_of_memory_in_two_threads_leave_none() -> None:
    resource = pytest.importorskip("resource")
    before = resource.getrlimit(resource.RLIMIT_AS)
    begun = threading.Event()

    def ask() -> None:
        begun.set()
        with platform.limited_memory(1 << 40):
            pass

    other = threading.Thread(target=ask)
    with platform.limited_memory(1 << 40):
        other.start()
        begun.wait()
        other.join(0.2)
    other.join()
    assert resource.getrlimit(resource.RLIMIT_AS) == before
