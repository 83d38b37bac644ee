"""Read a trace in a worker process, or take it from the store.

A crash in the C library does not take the window along, and to cancel costs nothing:
the process is killed, and its files are removed in the background. What was read once
comes from the store.
"""

import json
import mmap
import os
import selectors
import signal
import subprocess
import sys
import tempfile
import threading
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import IO, Any, Final

import topoview
from topoview.errors import PartError, TraceError
from topoview.io.archive import is_unpacked, locate_anchor, store_key, trace_name
from topoview.model import Subset, Trace, TraceExtent
from topoview.progress import Report, silent
from topoview.store.results import attach_result_cache
from topoview.store.temporary import ScratchFolder
from topoview.store.traces import Store, read_manifest, user_store
from topoview.worker.cleanup import clean_up, run_in_background, run_now

_REPORT_INTERVAL_SECONDS: Final = 0.04
_READ_BYTES: Final = 1 << 16
_MAX_ATTEMPTS: Final = 3

_cleaned_up: list[bool] = []


Decide = Callable[[TraceExtent], Subset]
"""Decides what is read of a long trace. May take its time, and raise `Cancelled`."""


def read_in_process(
    path: str | Path,
    report: Report = silent,
    subset: Subset | None = None,
    decide: Decide | None = None,
) -> Trace:
    """Read a trace in a child process, or find it in the store.

    Parameters
    ----------
    path
        As for `open_trace`.
    report
        Called every 40 ms at least, in the calling thread. When it raises anything the
        child is killed at once; `topoview.worker.cleanup` sees to what it leaves.
    subset
        What to read of it; None: all.
    decide
        Asked before all of a trace is read whose reading takes long.

    Raises
    ------
    TraceError
        Also if the child crashes or is killed.
    Cancelled
        From `report`.
    """
    report("starting", 0.0)
    part, store = subset or Subset(), user_store()
    _clean_up_once(store)
    for _ in range(_MAX_ATTEMPTS):
        trace = _find_in_store(store, Path(path), part) if store else None
        ask = decide if part.is_all else None
        trace = trace or _WorkerProcess(Path(path), part, store, ask).run(report)
        if trace is not None:
            return trace
    raise TraceError(
        f"{path} could not be read: what was kept of it in {store and store.folder} "
        "vanished; try again, or set TOPOVIEW_CACHE=off"
    )


def _clean_up_once(store: Store | None) -> None:
    """Remove what others left; once is enough, and nobody waits for it."""
    if not _cleaned_up:
        _cleaned_up.append(True)
        threading.Thread(
            target=clean_up, args=(store,), name="tidying", daemon=True
        ).start()


def _find_in_store(store: Store, path: Path, subset: Subset) -> Trace | None:
    try:
        key = store_key(path, subset)
    except OSError as error:
        raise TraceError(
            f"{path} cannot be read ({error.strerror}): check its rights"
        ) from error
    return _take_from_store(store, key, path)


def _take_from_store(store: Store, key: str, path: Path) -> Trace | None:
    """Take a trace from the store; it is made safe against a crash behind us."""
    found = store.find(key)
    if found is None:
        return None
    trace = _renamed(found, path)
    attach_result_cache(trace, store, key)
    job = threading.Thread(
        target=store.secure, args=(key,), name="securing", daemon=True
    )
    job.start()
    return trace


def _renamed(trace: Trace, path: Path) -> Trace:
    """Call a trace as what the user opened."""
    name = trace_name(path, locate_anchor(path)) if is_unpacked(path) else trace.name
    return replace(trace, path=str(path), name=name)


class _WorkerProcess:
    """One child process, and what it leaves."""

    def __init__(
        self, path: Path, subset: Subset, store: Store | None, decide: Decide | None
    ) -> None:
        self._path, self._subset, self._store = path, subset, store
        self._decide = decide
        self._key = ""
        self._too_large = False

    def run(self, report: Report) -> Trace | None:
        """Read; None if what the child kept has been removed meanwhile."""
        result = _make_nameless_file()
        listening, telling = os.pipe()
        scratch = ScratchFolder()
        complaints = tempfile.TemporaryFile()  # noqa: SIM115 - closed in the end
        child = None
        leave = run_in_background
        try:
            child = self._start(scratch, telling, result, complaints)
            os.close(telling)
            telling = -1
            end = self._listen(child, listening, report)
            if end is None:
                raise TraceError(_explain_end(self._path, child.wait(), complaints))
            trace = self._take(end, result)
            leave = run_now
            return trace
        finally:
            if child is not None:
                child.kill()
            for descriptor in (result, listening, telling):
                if descriptor >= 0:
                    os.close(descriptor)
            complaints.close()
            leave(partial(self._clean, child, scratch))

    def _start(
        self, scratch: ScratchFolder, telling: int, result: int, complaints: IO[bytes]
    ) -> subprocess.Popen[bytes]:
        """Start the child: not a copy of this process, without its main module."""
        environment = dict(os.environ)
        package = str(Path(topoview.__file__).parents[1])
        known = environment.get("PYTHONPATH")
        environment["PYTHONPATH"] = os.pathsep.join(filter(None, (package, known)))
        # -P: no module is taken from the current folder
        module = [sys.executable, "-P", "-m", "topoview.worker.main"]
        told = [os.fspath(self._path), str(scratch.path), str(telling), str(result)]
        try:
            return subprocess.Popen(
                [
                    *module,
                    *told,
                    _subset_json(self._subset),
                    "ask" * bool(self._decide),
                ],
                stdin=subprocess.PIPE,
                stdout=subprocess.DEVNULL,
                stderr=complaints,
                pass_fds=(telling, result, scratch.descriptor),
                env=environment,
                process_group=0,  # Ctrl+C reaches this one only, which kills the child
            )
        except OSError as error:
            raise TraceError(
                f"{self._path} could not be read: no process can be started for it "
                f"({error.strerror}); close other programs"
            ) from error

    def _listen(
        self, child: subprocess.Popen[bytes], listening: int, report: Report
    ) -> list[Any] | None:
        """Report what the child tells; its last message, None if it has ended."""
        stage, fraction = "starting", 0.0
        for message in _messages(listening):
            match message:
                case ["progress", stage, fraction]:
                    pass
                case ["key", key]:
                    self._key = str(key)
                case ["ask", told] if self._decide and child.stdin:
                    self._subset = self._decide(TraceExtent(**told))
                    child.stdin.write(_subset_json(self._subset).encode() + b"\n")
                    child.stdin.flush()
                case ["done" | "kept", *_]:
                    return message
                case ["no part", text]:
                    raise PartError(text)
                case ["error", text]:
                    raise TraceError(text)
            report(stage, fraction)
        return None

    def _take(self, end: list[Any], result: int) -> Trace | None:
        """Map the trace, as long as the child still holds it."""
        if end[0] == "kept":
            _, key, fault = end
            self._too_large = bool(fault)
            store = self._store
            trace = _take_from_store(store, key, self._path) if store else None
        else:
            _, told, packed, folder, fault = end
            memory = memoryview(
                mmap.mmap(result, told + packed, access=mmap.ACCESS_READ)
            )
            manifest = json.loads(bytes(memory[:told]))
            trace = read_manifest(manifest, Path(folder), memory[told:])
        if trace is None or not fault:
            return trace
        where = f", {self._store.folder}" if self._store else ""
        note = (
            f"The trace was not kept in the cache{where}: {fault}. It has to be read "
            "again when it is opened again."
        )
        return replace(trace, warnings=(*trace.warnings, note))

    def _clean(
        self, child: subprocess.Popen[bytes] | None, scratch: ScratchFolder
    ) -> None:
        """Remove what the child did not finish, or what is too large to keep."""
        if child is not None:
            child.wait()
            if child.stdin:
                child.stdin.close()
        scratch.remove()
        if self._store is not None and self._key:
            self._store.abandon(self._key)
            if self._too_large:
                self._store.discard(self._key)


def _subset_json(subset: Subset) -> str:
    return json.dumps([subset.begin, subset.end, subset.ranks])


def _make_nameless_file() -> int:
    """Make a file without a name; in memory where the system can.

    Nothing is left behind, however the processes end.
    """
    if hasattr(os, "memfd_create"):
        return os.memfd_create("topoview")
    with tempfile.TemporaryFile() as file:
        return os.dup(file.fileno())


def _messages(listening: int) -> Iterator[list[Any] | None]:
    """Messages of the child as they come, None while there are none."""
    pending = b""
    with selectors.DefaultSelector() as selector:
        selector.register(listening, selectors.EVENT_READ)
        while True:
            if not selector.select(_REPORT_INTERVAL_SECONDS):
                yield None
                continue
            block = os.read(listening, _READ_BYTES)
            if not block:
                return
            *lines, pending = (pending + block).split(b"\n")
            yield from (json.loads(line) for line in lines)


def _explain_end(path: Path, status: int, complaints: IO[bytes]) -> str:
    """Say how the child ended."""
    if status == -signal.SIGKILL:
        return (
            f"{path} could not be read: the process that read it was killed, most "
            "likely because memory ran out"
        )
    if status == -signal.SIGBUS:
        return (
            f"{path} could not be read: a file was cut while it was read, or the disk "
            "of the cache failed; try again with TOPOVIEW_CACHE=off"
        )
    if status < 0:
        name = signal.Signals(-status).name
        return (
            f"{path} could not be read: the OTF2 library crashed ({name}); the trace "
            "is probably damaged"
        )
    complaints.seek(0)
    lines = complaints.read().decode(errors="replace").strip().splitlines()
    return (
        f"{path} could not be read: {lines[-1] if lines else f'exit status {status}'}"
    )
