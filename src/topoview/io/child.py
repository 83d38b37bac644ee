"""The process that reads a trace for another one.

Run as ``python -m topoview.io.child PATH SCRATCH CHANNEL STORE``, the last two
being descriptors: messages, one JSON array a line, and the result.
"""

import json
import os
import sys
import time
from pathlib import Path
from typing import Final

from topoview.errors import TraceError
from topoview.io.archive import find_anchor
from topoview.io.handover import hand_over

_INTERVAL_SECONDS: Final = 0.02


class _Channel:
    """Tells the parent what happens."""

    def __init__(self, descriptor: int) -> None:
        self._descriptor = descriptor
        self._stage, self._told = "", 0.0

    def tell(self, *message: object) -> None:
        """Send a message; ends the process if nobody listens any more."""
        try:
            os.write(self._descriptor, json.dumps(message).encode() + b"\n")
        except BrokenPipeError:
            os._exit(1)

    def report(self, stage: str, fraction: float) -> None:
        """Report progress, not too often."""
        now = time.monotonic()
        if stage != self._stage or now - self._told > _INTERVAL_SECONDS:
            self._stage, self._told = stage, now
            self.tell("progress", stage, fraction)


def main() -> None:
    """Read the trace that the command line names."""
    path, scratch, channel_number, store = sys.argv[1:]
    channel = _Channel(int(channel_number))
    try:
        anchor = find_anchor(Path(path), Path(scratch), channel.report)
        # Takes a second: not spent on a path that leads nowhere.
        from topoview.io.reader import read_anchor

        trace = read_anchor(anchor, channel.report)
        channel.report("handing over", 0.0)
        channel.tell("done", hand_over(trace, int(store)))
    except TraceError as error:
        channel.tell("error", str(error))
    except MemoryError:
        channel.tell("error", f"{path} does not fit into memory: read it elsewhere")
    # Nothing is left to do: do not spend time on freeing memory.
    os._exit(0)


if __name__ == "__main__":
    main()
