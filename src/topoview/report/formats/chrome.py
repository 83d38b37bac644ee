"""Chrome's trace event format: JSON, read by Perfetto's and Chrome's own viewers.

Ranks are processes, their threads and streams threads; MPI calls are complete events
and messages flows (Trace Event Format, Google, 2016). Times are microseconds.
"""

from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from topoview.base.text import json_text
from topoview.errors import writing
from topoview.model import Trace

if TYPE_CHECKING:
    from topoview.pipeline import Results


_EVENTS_A_LINE: Final = 1000


def write_chrome(results: "Results", path: Path, _: str) -> int:
    """Write a trace as JSON, some events at a time; returns how many."""
    count, every = 0, events(results.trace)
    with writing(path), path.open("w", encoding="utf-8") as file:
        file.write('{"displayTimeUnit":"ns","traceEvents":[\n')
        while some := list(islice(every, _EVENTS_A_LINE)):
            line = json_text(some, separators=(",", ":"))
            file.write(f"{',' if count else ''}{line[1:-1]}\n")
            count += len(some)
        file.write("]}\n")
    return count


def events(trace: Trace) -> Iterator[dict[str, Any]]:
    """Yield all events: names of rows, MPI calls, messages."""
    names = [trace.regions.title(n) for n in range(len(trace.regions.names))]
    owner = trace.rank_of_location.tolist()
    for row, location in enumerate(trace.locations):
        place = {"ph": "M", "pid": owner[row], "tid": row}
        name = f"rank {owner[row]}" if owner[row] >= 0 else "no rank"
        yield {**place, "name": "process_name", "args": {"name": name}}
        yield {**place, "name": "thread_name", "args": {"name": location.name}}
    calls, micro = trace.calls, 1e6 / trace.clock.resolution
    for row in range(len(calls.offsets) - 1):
        own = slice(int(calls.offsets[row]), int(calls.offsets[row + 1]))
        for region, enter, leave in zip(
            calls.region[own].tolist(),
            calls.enter[own].tolist(),
            calls.leave[own].tolist(),
            strict=True,
        ):
            yield {
                "ph": "X",
                "name": names[region],
                "cat": "mpi",
                "pid": owner[row],
                "tid": row,
                "ts": enter * micro,
                "dur": (leave - enter) * micro,
            }
    messages = trace.messages
    matched = np.flatnonzero(
        (messages.send_call >= 0) & (messages.completion_call >= 0)
    )
    rows = np.searchsorted(
        calls.offsets,
        np.stack([messages.send_call[matched], messages.completion_call[matched]]),
        side="right",
    )
    for number, sent, received in zip(
        matched.tolist(), (rows[0] - 1).tolist(), (rows[1] - 1).tolist(), strict=True
    ):
        flow = {"name": "message", "cat": "message", "id": number}
        size = int(messages.size[number])
        send, done = messages.send_call[number], messages.completion_call[number]
        yield {
            **flow,
            **{"ph": "s", "pid": owner[sent], "tid": sent},
            "ts": int(calls.enter[send]) * micro,
            "args": {"bytes": size, "tag": int(messages.tag[number])},
        }
        yield {
            **flow,
            **{"ph": "f", "bp": "e", "pid": owner[received], "tid": received},
            "ts": int(calls.leave[done]) * micro,
        }
