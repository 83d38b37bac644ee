"""The worker process: reads a trace, and makes results of it.

Run as ``python -m topoview.worker.main CHANNEL SCRATCH``. CHANNEL is the descriptor of
a socket: a `Task` comes first, then answers; messages go, a JSON array a line each, as
`topoview.worker.task.Worker` lists them. SCRATCH is a folder for temporary files. The
process ends when its standard input does, which its parent holds.
"""

import errno
import json
import os
import select
import shutil
import signal
import sys
import threading
import time
import traceback
from dataclasses import asdict
from pathlib import Path
from typing import Any, Final

from topoview.base.memory import keep_freed_memory
from topoview.base.platform import peak_memory
from topoview.base.scratch import scratch_folder
from topoview.base.tasks import Threads
from topoview.base.text import json_text
from topoview.errors import NO_ROOM, TopoviewError, TraceError
from topoview.io.archive.finding import canonical_path, find_anchor, store_key
from topoview.io.readers import read_trace
from topoview.model import Subset, Trace, TraceExtent
from topoview.pipeline import Results, results_at_once
from topoview.store.integrity import make_private_folder
from topoview.store.results import ResultCache
from topoview.store.traces import NO_LIMIT, Store
from topoview.store.writer import TraceWriter, begin_writing
from topoview.worker.digest import enter_results
from topoview.worker.process import end_with_parent
from topoview.worker.task import Task, kind_of, parse_subset, parse_task

_REPORT_INTERVAL_SECONDS: Final = 0.02


class _ParentChannel:
    """Tells the parent, and who waits for the same trace, what happens."""

    def __init__(self, descriptor: int) -> None:
        self._descriptor = descriptor
        self._answers = os.fdopen(os.dup(descriptor), "r", encoding="utf-8")
        self._one_at_a_time = threading.Lock()
        self._stage, self._last_report = "", 0.0
        self.draft: TraceWriter | None = None
        self.store: Store | None = None

    def tell(self, *message: object) -> None:
        """Send a message; ends the process if nobody listens any more."""
        line = memoryview(json_text(message).encode() + b"\n")
        try:
            with self._one_at_a_time:
                while line:
                    line = line[os.write(self._descriptor, line) :]
        except OSError:
            self.leave(1)

    def answer(self) -> Any:  # noqa: ANN401 - JSON
        """Wait for the parent's next line."""
        line = self._answers.readline()
        if not line:
            self.leave(1)
        return json.loads(line)

    def report(self, stage: str, fraction: float) -> None:
        """Report progress, not too often."""
        now = time.monotonic()
        if stage != self._stage or now - self._last_report > _REPORT_INTERVAL_SECONDS:
            self._stage, self._last_report = stage, now
            self.tell("progress", stage, fraction)
            if self.draft is not None:
                self.draft.tell(stage, fraction)

    def abandon(self) -> None:
        """Remove what is not finished."""
        if self.draft is not None:
            self.draft.close()
            if self.store is not None:
                self.store.abandon(self.draft.key)
            self.draft = None

    def leave(self, status: int) -> None:
        """End the process, and remove what is not finished."""
        self.abandon()
        # Nothing is left to do: do not spend time on freeing memory.
        os._exit(status)


class _OtherSubset(Exception):  # noqa: N818 - it is no error
    """Another part is to be read."""

    def __init__(self, subset: Subset) -> None:
        super().__init__()
        self.subset = subset


class _Job:
    """A task, and where its results go."""

    def __init__(self, channel: _ParentChannel, task: Task, scratch: Path) -> None:
        self._channel, self._task, self._scratch = channel, task, scratch
        self._store = Store(Path(task.store), NO_LIMIT if task.private else None)
        self._private = Store(Path(task.beside), NO_LIMIT) if task.beside else None
        self._key = task.key

    def run(self) -> None:
        """Run the task."""
        task = self._task
        trace = self._store.find(task.key) if task.key else None
        if trace is None:
            trace = self._read_asking()
        if task.wanted:
            self._make_results(trace)

    def _read_asking(self) -> Trace:
        task = self._task
        try:
            return self._read(task.subset, self._scratch, task.asks)
        except _OtherSubset as other:
            self._channel.abandon()
            again = self._scratch / "part"  # for an archive, which is unpacked again
            again.mkdir()
            return self._read(other.subset, again, asks=False)

    def _read(self, subset: Subset, scratch: Path, asks: bool) -> Trace:
        """Read the trace, and enter it in a store."""
        channel, path = self._channel, Path(self._task.path)
        channel.store = self._store
        self._key = key = store_key(path, subset)
        if self._task.key not in ("", key):
            raise TraceError(
                f"{path} has changed, or is no longer kept, since it was opened: "
                "open it again"
            )
        channel.tell("key", key)
        channel.draft = draft = begin_writing(self._store, key, channel.report)
        if draft is None:
            return self._entered(self._store, "")
        trace = self._read_anchor(path, subset, scratch, asks, draft)
        known_as = canonical_path(path)
        channel.report("saving to the cache", 0.0)
        if store_key(path, subset) != key:
            draft.discard("its files changed while they were read")
        if draft.keep(trace, subset, known_as):
            draft.close()
            channel.draft = None
            return self._entered(self._store, draft.fault)
        other, fault = self._private_store(), draft.fault
        again = begin_writing(other, key, channel.report)
        if again is not None and not again.keep(trace, subset, known_as):
            raise TraceError(
                f"there is no room for the trace: {self._store.folder}: {fault}; "
                f"{other.folder}: {again.fault}; make room, or read some ranks "
                "(--ranks) or seconds (--from, --to) only"
            )
        channel.abandon()
        return self._entered(other, fault)

    def _read_anchor(
        self, path: Path, subset: Subset, scratch: Path, asks: bool, draft: TraceWriter
    ) -> Trace:
        channel = self._channel

        def before(extent: TraceExtent) -> None:
            if asks:
                channel.tell("ask", asdict(extent))
                answer = parse_subset(channel.answer())
                if answer != subset:
                    raise _OtherSubset(answer)

        anchor = find_anchor(path, scratch, channel.report)
        return read_trace(anchor, channel.report, subset, draft.allocate, before)

    def _entered(self, store: Store, fault: str) -> Trace:
        """Report that the trace is in a store, and load it from there."""
        self._store = store
        self._channel.tell("trace", str(store.folder), self._key, fault)
        trace = store.find(self._key)
        if trace is None:
            raise TraceError(f"what was read of {self._task.path} vanished: try again")
        return trace

    def _private_store(self) -> Store:
        if self._private is None:
            self._channel.tell("place")
            self._private = Store(Path(self._channel.answer()), NO_LIMIT)
        return self._private

    def _make_results(self, trace: Trace) -> None:
        task, channel = self._task, self._channel
        stores = [self._store]
        if self._private is not None and self._private.folder != self._store.folder:
            stores.append(self._private)
        writer = self._scratch.name
        caches = [ResultCache(store, self._key, writer) for store in stores]
        results = Results(trace, task.options, caches)
        if trace.digest is not None:
            enter_results(results, Path(task.path))

        def settle(name: str, refusal: str) -> None:
            if refusal:
                channel.tell("refused", name, refusal)
                return
            if not results.is_kept(name):  # the store has no room
                store = self._private_store()
                make_private_folder(store.folder / self._key)
                if len(caches) == 1:
                    caches.append(ResultCache(store, self._key, writer))
                if not results.keep(name):
                    raise TopoviewError(
                        f"there is no room for what was found in {task.path}: "
                        f"make some in {self._store.folder} or {store.folder}"
                    )
            channel.tell("kept", name)

        with (
            scratch_folder(self._store.folder),
            Threads(results_at_once(trace), channel.report) as threads,
        ):
            results.make_all(task.wanted, threads, threads.report, settle)


_STDIN: Final = 0
_WAITS_SECONDS: Final = 30.0
_MOST_BYTES_WAITING: Final = 1 << 28
"""Bytes of memory that a process may have had which waits for another task."""


def main() -> None:
    """Run tasks that the parent sends."""
    serve(int(sys.argv[1]), Path(sys.argv[2]))


def serve(descriptor: int, scratch: Path) -> None:
    """Run the tasks that come by a channel; ends the process."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)  # it ends the process, as others do
    keep_freed_memory()
    end_with_parent(_STDIN, scratch)
    channel = _ParentChannel(descriptor)
    _run_next_task(channel, scratch)
    while peak_memory() <= _MOST_BYTES_WAITING:
        for entry in scratch.iterdir():
            shutil.rmtree(entry, ignore_errors=True)
        channel.tell("waits")
        if not select.select([descriptor], [], [], _WAITS_SECONDS)[0]:
            break
        channel = _ParentChannel(descriptor)
        _run_next_task(channel, scratch)
    channel.leave(0)


def _run_next_task(channel: _ParentChannel, scratch: Path) -> None:
    """Run a task; ends the process if it cannot be done."""
    task = parse_task(json_text(channel.answer()))
    try:
        _Job(channel, task, scratch).run()
    except Exception as error:  # noqa: BLE001 - told in a line, with details
        channel.tell("error", *_words_of(error, task.path))
        channel.leave(0)
    channel.tell("done")


_UNMAPPED: Final = "failed to map segment"
"""What the loader of shared libraries says where memory ends."""


def _words_of(error: Exception, path: str) -> tuple[str, str, str]:
    """Kind of an error, what is said of it, and what can be reported."""
    match error:
        case TopoviewError():
            return kind_of(error), str(error), ""
        case MemoryError() | OSError(errno=errno.ENOMEM):
            text = (
                f"{path} does not fit into memory: read some ranks (--ranks) or "
                "seconds (--from, --to) only, or read it elsewhere"
            )
            return "trace", text, ""
        case ImportError() if _UNMAPPED in str(error):
            text = (
                f"{path} could not be analysed: there is no memory to load a library; "
                "close other programs, or raise the limit (ulimit -v)"
            )
            return "trace", text, ""
        case RuntimeError() if "start new thread" in str(error):
            text = (
                f"{path} could not be analysed: the system gives no more threads; "
                "close other programs, or raise the limits (ulimit -u, -v)"
            )
            return "trace", text, ""
        case OSError(errno=number) if number in NO_ROOM:
            text = (
                f"{path} could not be analysed: a disk is full ({error.strerror}); "
                "make room, by topoview cache --clear for instance"
            )
            return "trace", text, ""
    text = (
        f"{path} could not be analysed because of a fault in topoview "
        f"({type(error).__name__}): please report it"
    )
    return "", text, traceback.format_exc()


if __name__ == "__main__":
    main()
