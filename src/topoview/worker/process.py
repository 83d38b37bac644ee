"""A worker that is a process on this machine.

A crash in it does not take the window along, and to cancel costs nothing: the process
is killed, and its files are removed in the background. One that has done its task waits
for another one a while: to start Python and import all takes longer than most tasks.
"""

import atexit
import contextlib
import json
import os
import select
import selectors
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, Any, Final, Protocol

from topoview.base.platform import (
    CRASHES,
    KILLED,
    LOST_FILE,
    ForkedProcess,
    apart,
    child_environment,
    end_when_closed,
    may_fork,
)
from topoview.base.text import json_text
from topoview.errors import TopoviewError, TraceError
from topoview.store.results import ResultCache, abandon_results
from topoview.store.temporary import ScratchFolder, remove_abandoned_folders
from topoview.store.traces import Store
from topoview.worker.task import Task

_REPORT_INTERVAL_SECONDS: Final = 0.04
_READ_BYTES: Final = 1 << 16


def signal_name(number: int) -> str:
    """Name a signal; those for real time have numbers only."""
    with contextlib.suppress(ValueError):
        return signal.Signals(number).name
    return f"signal {number}"


def _surroundings() -> tuple[int, str, dict[str, str]]:
    """Return what a process has of the one that starts it."""
    return os.getpid(), os.getcwd(), dict(os.environ)  # noqa: PTH109 - links and all


@dataclass(slots=True, eq=False)
class _Process:
    """A process: how it is spoken to, and what it leaves. It does task after task."""

    socket: socket.socket
    lines: Iterator[bytes | None]
    """What it writes and nobody has read yet."""
    scratch: ScratchFolder = field(default_factory=ScratchFolder)
    complaints: IO[bytes] = field(default_factory=tempfile.TemporaryFile)
    surroundings: tuple[int, str, dict[str, str]] = field(default_factory=_surroundings)
    child: "subprocess.Popen[bytes] | ForkedProcess | None" = None
    """None as long as it is not started."""
    since: float = 0.0
    """When its last task was done, or about to be, as `time.monotonic` counts."""

    def has_done(self) -> bool:
        """Wait until it has done its task; returns whether it waits for another."""
        begin = time.monotonic()
        if begin - self.since > TAKEN_SECONDS:
            return False
        for line in self.lines:
            if line is not None and json.loads(line) == ["waits"]:
                has_ended, _, _ = select.select([self.socket], [], [], 0)
                return not has_ended
            if time.monotonic() - begin > _PATIENCE_SECONDS:
                return False
        return False

    def end(self) -> None:
        """End it, unless this process is a copy of the one whose it is."""
        if self.surroundings[0] == os.getpid():
            self.stop()
            self.bury()

    def stop(self) -> None:
        """Kill it, and hang up."""
        if self.child is not None:
            self.child.kill()
        self.socket.close()

    def bury(self) -> None:
        """Remove what it leaves, which was killed, or never began."""
        if self.child is not None:
            self.child.wait()
            if self.child.stdin:
                self.child.stdin.close()
        self.complaints.close()
        self.scratch.remove()


TAKEN_SECONDS: Final = 20.0
"""Seconds for which a process that waits is given a task; it waits for longer."""

_PATIENCE_SECONDS: Final = 1.0
_idle: Final[list[_Process]] = []


def _take_idle() -> _Process | None:
    """Return the process that waits, if it is like one that would be started now."""
    with contextlib.suppress(IndexError):
        idle = _idle.pop()
        if idle.surroundings == _surroundings() and idle.has_done():
            return idle
        idle.end()
    return None


@atexit.register
def end_idle() -> None:
    """End the process that waits for a task."""
    with contextlib.suppress(IndexError):
        _idle.pop().end()


class ProcessWorker:
    """A process that does a task; see `topoview.worker.task.Worker`.

    Raises
    ------
    TraceError
        If no process can be started.
    """

    def __init__(self, task: Task) -> None:
        self._task = task
        self._key = ""
        self._has_trace = bool(task.key)
        self._unsettled = set(task.wanted)
        former = _take_idle()
        if former is not None:
            self._process = former
            self.answer(json.loads(task.to_json()))
            return
        ours, theirs = socket.socketpair()
        self._process = _Process(ours, lines_of(ours))
        try:
            with theirs:
                self._process.child = self._start(theirs.fileno())
            self.answer(json.loads(task.to_json()))
        except BaseException:
            self.end()
            raise

    def _start(self, channel: int) -> "subprocess.Popen[bytes] | ForkedProcess":
        """Start the child: not a copy of this process, without its main module.

        But of a command, which has imported only what the child needs, too.
        """
        scratch, complaints = self._process.scratch, self._process.complaints
        passed = (channel, scratch.descriptor)
        # -P: no module is taken from the current folder
        module = [sys.executable, "-P", "-m", "topoview.worker.main"]
        try:
            if may_fork():
                from topoview.worker.main import serve

                return ForkedProcess(
                    lambda: serve(channel, scratch.path),
                    complaints.fileno(),
                    passed,
                )
            return subprocess.Popen(
                [*module, str(channel), str(scratch.path)],
                stdin=subprocess.PIPE,  # closed when this process ends, however it does
                stdout=subprocess.DEVNULL,
                stderr=complaints,
                pass_fds=passed,
                env=child_environment(),
                **apart(),  # Ctrl+C reaches this one only, which kills the child
            )
        except OSError as error:
            raise TraceError(
                f"{self._task.path} could not be read: no process can be started for "
                f"it ({error.strerror}); close other programs"
            ) from error

    def messages(self) -> Iterator[list[Any] | None]:
        """Yield messages as they come, None while there are none."""
        for line in self._process.lines:
            message = None if line is None else json.loads(line)
            match message:
                case ["key", key]:
                    self._key = str(key)
                case ["trace", *_]:
                    self._has_trace = True
                case ["kept" | "refused", str(name), *_]:
                    self._unsettled.discard(name)
                case ["done"]:
                    return
            yield message
        assert self._process.child is not None
        raise self._end_of(self._process.child.wait())

    def answer(self, value: object) -> None:
        """Answer what the last message asks."""
        try:
            self._process.socket.sendall(json_text(value, default=str).encode() + b"\n")
        except OSError:  # it has ended, which its messages tell
            return

    def end(self, found: Collection[str] = ()) -> None:
        """Keep the process for another task if it has done its own; else kill it.

        Then also remove what it leaves.
        """
        self._unsettled.difference_update(found)
        if self._process.child and self._has_trace and not self._unsettled:
            self._sweep()
            end_idle()
            self._process.since = time.monotonic()
            _idle.append(self._process)
            return
        self._process.stop()
        run_in_background(self._clean)

    def _clean(self) -> None:
        if self._process.child is not None:
            self._process.child.wait()
        self._sweep()
        self._process.bury()
        if self._key:
            Store(Path(self._task.store)).abandon(self._key)

    def _sweep(self) -> None:
        """Remove what it began to keep and did not finish."""
        key = self._key or self._task.key
        for folder in filter(None, (self._task.store, self._task.beside)):
            if key:
                writer = self._process.scratch.path.name
                ResultCache(Store(Path(folder)), key, writer).abandon()

    def _end_of(self, status: int) -> TopoviewError:
        """Describe how the child ended."""
        path = self._task.path
        did = "analysed" if self._has_trace else "read"
        begin = f"{path} could not be {did}: "
        if status == -KILLED:
            text = (
                "the process that did it was killed, most likely because memory ran out"
            )
        elif status == -LOST_FILE:
            text = (
                "a file was cut while it was read, or the disk of the cache failed; "
                "try again with TOPOVIEW_CACHE=off"
            )
        elif -status in CRASHES:
            name = signal.Signals(-status).name
            text = f"the process that did it crashed ({name}); "
            text += "the trace is probably damaged"
        elif status < 0:
            text = (
                "the process that did it was ended from outside "
                f"({signal_name(-status)}); try again"
            )
        else:
            self._process.complaints.seek(0)
            complaint = self._process.complaints.read().decode(errors="replace").strip()
            lines = complaint.splitlines()
            text = lines[-1] if lines else f"exit status {status}"
        return TraceError(begin + text)


def end_with_parent(lifeline: int, scratch: Path | None = None) -> None:
    """End this process when the other end of a pipe is closed.

    However the parent ends, the system closes it, and sends a signal that ends this
    process, and those forked from it, even while compiled code runs. Where it sends
    none, a thread waits.

    Parameters
    ----------
    scratch
        A folder to remove then: nobody else may be left.
    """

    def wait() -> None:
        while os.read(lifeline, 1):
            pass
        if scratch is not None:
            shutil.rmtree(scratch, ignore_errors=True)
        os._exit(1)

    end_when_closed(lifeline)
    if select.select([lifeline], [], [], 0)[0]:  # it was closed before
        os._exit(1)
    threading.Thread(target=wait, name="lifeline", daemon=True).start()


class HasDescriptor(Protocol):
    """A pipe or a socket."""

    def fileno(self) -> int:
        """Return its descriptor."""
        ...


def lines_of(source: HasDescriptor) -> Iterator[bytes | None]:
    """Yield the lines that a process writes as they come, None while there are none."""
    pending = b""
    with selectors.DefaultSelector() as selector:
        selector.register(source.fileno(), selectors.EVENT_READ)
        while True:
            if not selector.select(_REPORT_INTERVAL_SECONDS):
                yield None
                continue
            try:
                block = os.read(source.fileno(), _READ_BYTES)
            except ConnectionResetError:
                return
            if not block:
                return
            *lines, pending = (pending + block).split(b"\n")
            yield from lines


# Clean up after a worker process, in the background.
#
# To end a process that has gigabytes mapped, and to remove its files, takes longer than
# somebody who cancels should wait. If this process is killed before that is done, the
# next one that reads a trace removes what is left.

_jobs: Final[list[threading.Thread]] = []


def run_in_background(work: Callable[[], None]) -> None:
    """Run some work in a thread that this process does not end before."""
    _jobs[:] = [job for job in _jobs if job.is_alive()]
    job = threading.Thread(target=work, name="sweeping", daemon=False)
    try:
        job.start()
    except RuntimeError:  # the interpreter is about to end, or has no thread left
        work()
    else:
        _jobs.append(job)


def wait_for_cleanup(seconds: float | None = None) -> None:
    """Wait until nothing is left to do, or for some seconds."""
    for job in list(_jobs):
        job.join(seconds)


def clean_up(store: Store | None) -> None:
    """Remove what processes left that were killed."""
    if store is not None:
        store.sweep()
    for writer in remove_abandoned_folders():
        if store is not None:
            abandon_results(store, writer)
