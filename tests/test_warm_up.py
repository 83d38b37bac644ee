"""What other traces may need is compiled once, by one process, in the background."""

import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import numba
import pytest

from topoview import warm_up


@pytest.fixture(autouse=True)
def own_place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(numba.config, "CACHE_DIR", str(tmp_path / "kept"))


def steps() -> Iterator[float]:
    yield 0.5
    yield 1.0


def test_it_is_done_once_for_an_installation(monkeypatch: pytest.MonkeyPatch) -> None:
    assert list(warm_up.compile_once(steps)) == [0.5, 1.0]
    assert list(warm_up.compile_once(steps)) == []
    monkeypatch.setattr(sys, "version", "another Python")
    assert list(warm_up.compile_once(steps)) == [0.5, 1.0]


def test_what_was_not_finished_is_begun_again() -> None:
    unfinished = warm_up.compile_once(steps)
    next(unfinished)
    unfinished.close()
    assert list(warm_up.compile_once(steps)) == [0.5, 1.0]


def test_one_process_at_a_time_does_it() -> None:
    running = warm_up.compile_once(steps)
    next(running)
    assert list(warm_up.compile_once(steps)) == []
    assert list(running) == [1.0]


def test_it_ends_with_whom_it_was_started_by(tmp_path: Path) -> None:
    """It holds the other end of a pipe; the system closes it, however it ends."""
    with subprocess.Popen(
        [sys.executable, "-m", "topoview.warm_up"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        env={"NUMBA_CACHE_DIR": str(tmp_path), "PYTHONPATH": ":".join(sys.path)},
    ) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        assert process.stdout.readline() == b"0.000\n"
        began = time.monotonic()
        process.stdin.close()
        assert process.wait(timeout=30) == 0
        assert time.monotonic() - began < 10
