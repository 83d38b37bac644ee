"""Reading in a process of its own.

A crash in the C library does not take the window along, and giving up costs
nothing: the process is killed.
"""

import json
import os
import selectors
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import IO, Any, Final

import topoview
from topoview.errors import TraceError
from topoview.io.handover import make_store, take_over
from topoview.model import Trace
from topoview.progress import Report, silent

_PATIENCE_SECONDS: Final = 0.04
_BLOCK: Final = 1 << 16
_SMALL_PAGES: Final = ("NUMPY_MADVISE_HUGEPAGE", "0")
"""Columns are filled once: clearing huge pages for them took a third of the time."""


def read_in_process(path: str | Path, report: Report = silent) -> Trace:
    """Read a trace in a child process; else like `open_trace`.

    Parameters
    ----------
    path
        As for `open_trace`.
    report
        Called every 40 ms at least, in the calling thread. The child is killed
        at once, and its files are removed, when it raises anything.

    Raises
    ------
    TraceError
        Also if the child crashes or is killed.
    Cancelled
        From `report`.
    """
    store = make_store()
    listening, telling = os.pipe()
    try:
        with (
            tempfile.TemporaryDirectory(
                prefix="topoview-", ignore_cleanup_errors=True
            ) as scratch,
            tempfile.TemporaryFile() as complaints,
        ):
            child = _start(path, scratch, telling, store, complaints)
            try:
                os.close(telling)
                telling = -1
                layout = _listen(listening, report)
                if layout is None:
                    raise TraceError(_obituary(path, child.wait(), complaints))
                trace: Trace = take_over(store, layout)
                return trace
            finally:
                child.kill()
                child.wait()
    finally:
        for descriptor in (store, listening, telling):
            if descriptor >= 0:
                os.close(descriptor)


def _start(
    path: str | Path, scratch: str, telling: int, store: int, complaints: IO[bytes]
) -> subprocess.Popen[bytes]:
    """Start the child: not a copy of this process, and without its main module."""
    environment = dict(os.environ)
    environment.setdefault(*_SMALL_PAGES)
    package = str(Path(topoview.__file__).parents[1])
    known = environment.get("PYTHONPATH")
    environment["PYTHONPATH"] = os.pathsep.join(filter(None, (package, known)))
    # -P: no module is taken from the current folder
    module = [sys.executable, "-P", "-m", "topoview.io.child"]
    try:
        return subprocess.Popen(
            [*module, os.fspath(path), scratch, str(telling), str(store)],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=complaints,
            pass_fds=(telling, store),
            env=environment,
            process_group=0,  # Ctrl+C reaches this one only, which kills the child
        )
    except OSError as error:
        raise TraceError(
            f"{path} could not be read: no process can be started for it "
            f"({error.strerror}); close other programs"
        ) from error


def _listen(listening: int, report: Report) -> list[tuple[int, int]] | None:
    """Report what the child tells; layout of its result, None if it has ended."""
    stage, fraction = "starting", 0.0
    for message in _messages(listening):
        match message:
            case ["progress", stage, fraction]:
                pass
            case ["done", layout]:
                return [(offset, size) for offset, size in layout]
            case ["error", text]:
                raise TraceError(text)
        report(stage, fraction)
    return None


def _messages(listening: int) -> Iterator[list[Any] | None]:
    """Messages of the child as they come, None while there are none."""
    pending = b""
    with selectors.DefaultSelector() as selector:
        selector.register(listening, selectors.EVENT_READ)
        while True:
            if not selector.select(_PATIENCE_SECONDS):
                yield None
                continue
            block = os.read(listening, _BLOCK)
            if not block:
                return
            *lines, pending = (pending + block).split(b"\n")
            yield from (json.loads(line) for line in lines)


def _obituary(path: str | Path, status: int, complaints: IO[bytes]) -> str:
    """Say how the child ended."""
    if status == -signal.SIGKILL:
        return (
            f"{path} could not be read: the process that read it was killed, most "
            "likely because memory ran out"
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
