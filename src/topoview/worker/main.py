"""The worker process that reads a trace for another process.

Run as ``python -m topoview.worker.main PATH SCRATCH CHANNEL RESULT SUBSET ASK``:
CHANNEL and RESULT are descriptors, for messages (one JSON array a line) and for what
could not be kept in the store. Standard input brings the answer to a question (ASK is
``ask`` if one may come), and ends when the parent has the trace.
"""

import json
import os
import shutil
import sys
import time
from dataclasses import asdict
from pathlib import Path
from typing import Final

from topoview.errors import PartError, TopoviewError
from topoview.io.archive import canonical_path, find_anchor, store_key
from topoview.model import Subset, TraceExtent
from topoview.progress import reporting_compilation
from topoview.store.traces import Store, user_store
from topoview.store.writer import TraceWriter, begin_writing

_REPORT_INTERVAL_SECONDS: Final = 0.02


class _ParentChannel:
    """Tells the parent, and who waits for the same trace, what happens."""

    def __init__(self, descriptor: int) -> None:
        self._descriptor = descriptor
        self._stage, self._told = "", 0.0
        self.draft: TraceWriter | None = None
        self.store: Store | None = None

    def tell(self, *message: object) -> None:
        """Send a message; ends the process if nobody listens any more."""
        try:
            os.write(self._descriptor, json.dumps(message).encode() + b"\n")
        except BrokenPipeError:
            shutil.rmtree(sys.argv[2], ignore_errors=True)  # nobody else will
            self.leave(1)

    def report(self, stage: str, fraction: float) -> None:
        """Report progress, not too often."""
        now = time.monotonic()
        if stage != self._stage or now - self._told > _REPORT_INTERVAL_SECONDS:
            self._stage, self._told = stage, now
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


def _read_trace(
    channel: _ParentChannel, path: Path, scratch: Path, subset: Subset, ask: bool
) -> None:
    channel.store = store = user_store()

    def before(extent: TraceExtent) -> None:
        if ask:
            channel.tell("ask", asdict(extent))
            answer = _parse_subset(sys.stdin.readline())
            if answer != subset:
                raise _OtherSubset(answer)

    key = ""
    if store is not None:
        key = store_key(path, subset)
        channel.tell("key", key)
    channel.draft = draft = begin_writing(store, key, channel.report)
    if draft is None:
        channel.tell("kept", key, "")
        return
    anchor = find_anchor(path, scratch, channel.report)
    # numba would look for SciPy's linear algebra, which takes a third of a second
    # and which no kernel of reading uses.
    sys.modules["scipy"] = None  # type: ignore[assignment]
    # Takes a second: not spent on a path that leads nowhere.
    from topoview.io.reader import read_anchor

    with reporting_compilation(channel.report):
        trace = read_anchor(anchor, channel.report, subset, draft.allocate, before)
    channel.report("keeping", 0.0)
    if key and store_key(path, subset) != key:
        draft.discard("its files changed while they were read")
    left = draft.keep(trace, subset, canonical_path(path))
    if left is None:
        channel.tell("kept", key, draft.fault)
    else:
        sizes = [_write_all(int(sys.argv[4]), block) for block in left]
        channel.tell("done", *sizes, str(draft.folder or ""), draft.fault)


def _write_all(file: int, block: bytes | memoryview) -> int:
    view = memoryview(block)
    while view:
        view = view[os.write(file, view) :]
    return len(block)


def _parse_subset(text: str) -> Subset:
    begin, end, ranks = json.loads(text)
    return Subset(begin, end, tuple((a, b) for a, b in ranks))


def main() -> None:
    """Read the trace that the command line names."""
    path, scratch, channel_number, _, subset, ask = sys.argv[1:]
    channel = _ParentChannel(int(channel_number))
    folder = Path(scratch)
    try:
        try:
            _read_trace(
                channel, Path(path), folder, _parse_subset(subset), ask == "ask"
            )
        except _OtherSubset as other:
            channel.abandon()
            (folder / "part").mkdir()  # for an archive, which is unpacked again
            _read_trace(channel, Path(path), folder / "part", other.subset, ask=False)
        sys.stdin.buffer.read()  # until the parent has it open, or is gone
        channel.leave(0)
    except PartError as error:
        channel.tell("no part", str(error))
    except TopoviewError as error:
        channel.tell("error", str(error))
    except MemoryError:
        channel.tell("error", f"{path} does not fit into memory: read it elsewhere")
    channel.leave(0)


if __name__ == "__main__":
    main()
