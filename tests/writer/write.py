"""Write a trace as an OTF2 archive."""

import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import _otf2
import numpy as np

from topoview.base.progress import Report, silent
from topoview.errors import ExportError
from topoview.model import Trace
from writer.definitions import write_definitions
from writer.encode import write_row
from writer.messages import collective_blocks, message_blocks, window_blocks
from writer.order import call_blocks, call_order, measurement_blocks
from writer.records import (
    KIND_OF_TEAM_RECORD,
    Block,
    Kind,
    Records,
    Turn,
    block,
    in_order,
)
from writer.regions import region_blocks

NAME = "traces"
"""Name of the archive, as Score-P has it: the anchor is ``traces.otf2``."""

EVENT_CHUNK = 1 << 18
"""Bytes; libotf2 takes none that are smaller."""
DEFINITION_CHUNK = 1 << 22


def write_trace(trace: Trace, folder: Path | str, report: Report = silent) -> Path:
    """Write a trace as an OTF2 archive.

    The archive holds what the model holds: regions that are no MPI calls are those
    of the call paths and, between calls, the innermost ones; a receive's request is
    recorded on leaving the call that posts it, and which call completes a send
    is taken from `Calls.completes`, else it is the next Waitall.

    Parameters
    ----------
    trace
        Any trace.
    folder
        Where to write; made if it is not there.

    Returns
    -------
    Path
        The anchor file.

    Raises
    ------
    ExportError
        If the folder cannot be written, or holds an archive already.
    Cancelled
        From `report`; nothing is left behind.
    """
    folder = Path(folder)
    try:
        folder.mkdir(parents=True, exist_ok=True)
        present = next(iter(sorted(folder.glob("*.otf2"))), folder / NAME)
        if present.exists():
            raise ExportError(
                f"{folder} holds a trace already ({present.name}): "
                "choose another folder, or remove it"
            )
        # whoever looks meanwhile sees no half of an archive
        with tempfile.TemporaryDirectory(prefix=".writing-", dir=folder) as draft:
            _write(trace, Path(draft), report)
            for part in (f"{NAME}.def", NAME, f"{NAME}.otf2"):
                shutil.move(Path(draft) / part, folder / part)
    except OSError as error:
        raise ExportError(
            f"Cannot write a trace to {folder} ({error.strerror}): "
            "choose another folder"
        ) from error
    except _otf2.Error as error:
        raise ExportError(
            f"Cannot write a trace to {folder} ({error.description}): "
            "is there room on the disk?"
        ) from error
    return folder / f"{NAME}.otf2"


def _write(trace: Trace, folder: Path, report: Report) -> None:
    report("sorting events", 0.0)
    records = records_of(trace)
    with open_archive(folder) as archive:
        _otf2.Archive_SetCreator(archive, trace.producer)
        _otf2.Archive_OpenEvtFiles(archive)
        _otf2.Archive_OpenDefFiles(archive)
        _write_events(archive, trace, records, report)
        _otf2.Archive_CloseEvtFiles(archive)
        _otf2.Archive_CloseDefFiles(archive)
        definitions = _otf2.Archive_GetGlobalDefWriter(archive)
        write_definitions(definitions, trace, records.numbers)
        _otf2.Archive_CloseGlobalDefWriter(archive, definitions)


def _write_events(
    archive: Any,  # noqa: ANN401 - a pointer of ctypes
    trace: Trace,
    records: Records,
    report: Report,
) -> None:
    for row, location in enumerate(trace.locations):
        report("writing events", row / len(trace.locations))
        events = _otf2.Archive_GetEvtWriter(archive, location.id)
        # readers want a file of local definitions for each location
        local = _otf2.Archive_GetDefWriter(archive, location.id)
        if row < trace.timeline.rows:
            write_row(events, records, row, trace.clock.origin)
        _otf2.Archive_CloseDefWriter(archive, local)
        _otf2.Archive_CloseEvtWriter(archive, events)


@contextmanager
def open_archive(folder: Path) -> Iterator[Any]:
    archive = _otf2.Archive_Open(
        str(folder),
        NAME,
        _otf2.FileMode.WRITE,
        EVENT_CHUNK,
        DEFINITION_CHUNK,
        _otf2.FileSubstrate.POSIX,
        _otf2.Compression.NONE,
    )
    # the library keeps pointers to these: they must live as long as the archive
    flush = _otf2.FlushCallbacks(pre_flush=_flush, post_flush=None)
    try:
        _otf2.Archive_SetFlushCallbacks(archive, flush, None)
        _otf2.Archive_SetSerialCollectiveCallbacks(archive)
        yield archive
    finally:
        _otf2.Archive_Close(archive)
    del flush


def _flush(*ignored: Any) -> Any:  # noqa: ANN401 - the library's signature
    del ignored
    return _otf2.FlushType.FLUSH


def records_of(trace: Trace) -> Records:
    """Derive the records of all locations, in the order in which they are written."""
    order = call_order(trace.calls)
    blocks = [
        *region_blocks(trace),
        *measurement_blocks(trace.timeline),
        *call_blocks(trace.calls, order),
        *message_blocks(trace, order),
        *collective_blocks(trace, order),
        *window_blocks(trace, order),
        *_metric_blocks(trace),
        *_team_blocks(trace),
    ]
    blocks += _program_blocks(blocks, trace.clock.length)
    return in_order(blocks, trace.timeline.rows)


def _metric_blocks(trace: Trace) -> Iterator[Block]:
    """List the values of counters, one a record, whose type and value lie as they are.

    The writer takes pointers to both.
    """
    for records in trace.further:
        if records.name == "Metric":
            row = np.repeat(
                np.arange(len(records.offsets) - 1), np.diff(records.offsets)
            )
            values = records.values
            at = values.ctypes.data + values.strides[0] * np.arange(len(values))
            step = values.strides[1]
            pointers = (
                at + step * records.fields.index("type"),
                at + step * records.fields.index("value"),
            )
            details = (records.column("metric"), 1, *pointers)
            at_time = (row.astype(np.int64), records.time)
            yield block(Kind.METRIC, Turn.METRIC, at_time, None, details)


def _team_blocks(trace: Trace) -> Iterator[Block]:
    """List the records of teams of threads, as they are."""
    for records in trace.further:
        if kind := KIND_OF_TEAM_RECORD.get(records.name):
            counts = np.diff(records.offsets)
            row = np.repeat(np.arange(len(counts), dtype=np.int64), counts)
            details = tuple(map(records.column, records.fields))
            yield block(kind, Turn.TEAM, (row, records.time), None, details)


def _program_blocks(blocks: list[Block], length: int) -> list[Block]:
    """List the records of the program's begin and end.

    They hold the trace's beginning and end where nothing else is recorded then.
    Their name is string 0 of the definitions.
    """
    times = np.concatenate([b.time for b in blocks])
    row = np.zeros(1, np.int64)
    found = []
    if length and times.min(initial=length) > 0:
        found.append(block(Kind.PROGRAM_BEGIN, Turn.PROGRAM_BEGIN, (row, row)))
    if times.max(initial=0) < length:
        at = (row, np.full(1, length, np.int64))
        found.append(block(Kind.PROGRAM_END, Turn.PROGRAM_END, at))
    return found
