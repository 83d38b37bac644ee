"""Chrome's trace event format: JSON, read by Perfetto's and Chrome's own viewers.

Ranks are processes, their threads and streams threads; MPI calls are complete events
and messages flows (Trace Event Format, Google, 2016). Times are microseconds.
"""

from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Final

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
            file.write(f"{',' if count else ''}{','.join(some)}\n")
            count += len(some)
        file.write("]}\n")
    return count


def events(trace: Trace) -> Iterator[str]:
    """Yield all events, each as JSON: names of rows, MPI calls, messages.

    Those of calls and messages are formatted, not encoded: of numbers and of names that
    were encoded once that takes a fourth of the time.
    """
    owner = trace.rank_of_location.tolist()
    places = [f'"pid":{rank},"tid":{row}' for row, rank in enumerate(owner)]
    for row, location in enumerate(trace.locations):
        name = f"rank {owner[row]}" if owner[row] >= 0 else "no rank"
        for kind, value in (("process_name", name), ("thread_name", location.name)):
            named = f'"name":"{kind}","args":{{"name":{json_text(value)}}}'
            yield f'{{"ph":"M",{places[row]},{named}}}'
    calls, micro = trace.calls, 1e6 / trace.clock.resolution
    names = [json_text(trace.regions.title(n)) for n in range(len(trace.regions.names))]
    for row in range(len(calls.offsets) - 1):
        own = slice(int(calls.offsets[row]), int(calls.offsets[row + 1]))
        for region, enter, leave in zip(
            calls.region[own].tolist(),
            calls.enter[own].tolist(),
            calls.leave[own].tolist(),
            strict=True,
        ):
            yield (
                f'{{"ph":"X","name":{names[region]},"cat":"mpi",{places[row]},'
                f'"ts":{enter * micro},"dur":{(leave - enter) * micro}}}'
            )
    messages = trace.messages
    matched = np.flatnonzero(
        (messages.send_call >= 0) & (messages.completion_call >= 0)
    )
    send, done = messages.send_call[matched], messages.completion_call[matched]
    sent, received = np.searchsorted(calls.offsets, [send, done], side="right") - 1
    for number, sender, receiver, enter, leave, size, tag in zip(
        matched.tolist(),
        sent.tolist(),
        received.tolist(),
        calls.enter[send].tolist(),
        calls.leave[done].tolist(),
        messages.size[matched].tolist(),
        messages.tag[matched].tolist(),
        strict=True,
    ):
        flow = f'"name":"message","cat":"message","id":{number}'
        yield (
            f'{{{flow},"ph":"s",{places[sender]},"ts":{enter * micro},'
            f'"args":{{"bytes":{size},"tag":{tag}}}}}'
        )
        yield f'{{{flow},"ph":"f","bp":"e",{places[receiver]},"ts":{leave * micro}}}'
