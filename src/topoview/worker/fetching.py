"""A part of the trace that a digest is of, read where the trace is."""

import uuid
from pathlib import Path

from topoview.base.progress import Report, silent
from topoview.errors import TopoviewError, writing
from topoview.model import Subset, Trace
from topoview.store.digest import read_digest, write_digest
from topoview.worker.digest import DigestMade
from topoview.worker.results import results_of


def fetch_window(
    path: str | Path,
    output: str | Path,
    subset: Subset,
    scheduler: str = "",
    report: Report = silent,
) -> DigestMade:
    """Write the events of a part of a digest's trace to a file.

    The file has the format of a digest, holds all events of the part and no results,
    and opens as a trace: the same one as the part of the trace itself.

    Parameters
    ----------
    path
        The digest.
    output
        The file to write.
    subset
        What to read.
    scheduler
        Address of a Dask scheduler whose workers see the trace; empty: it is read by
        this machine.

    Raises
    ------
    TopoviewError
        If it is no digest, its trace cannot be read or is another one by now, or the
        file cannot be written.
    Cancelled
        From `report`.
    """
    whole = results_of(path, (), report=report).trace
    if whole.digest is None:
        raise TopoviewError(f"{path} is no digest: all its events are in it")
    source, file = whole.digest.trace, Path(output)
    beside = file.with_name(f".{file.name}.{uuid.uuid4().hex}")
    try:
        if scheduler:
            from topoview.worker.cluster import read_on_cluster

            sent = read_on_cluster(source, subset, scheduler, report)
            with writing(file):
                beside.write_bytes(sent)
            trace = read_digest(beside)
        else:
            trace = results_of(source, (), report=report, subset=subset).trace
        if _program(trace) != _program(whole):
            raise TopoviewError(
                f"{source} is another trace than {path} is of: make the digest again"
            )
        if scheduler:
            with writing(file):
                beside.replace(file)
        else:
            write_digest(file, trace, {})
    finally:
        beside.unlink(missing_ok=True)
    return DigestMade(str(file), file.stat().st_size, trace.ranks, trace.events, ())


def _program(trace: Trace) -> tuple[object, ...]:
    """Return what every part of a trace has as its digest has it."""
    regions = trace.regions
    return trace.producer, trace.clock.resolution, trace.locations, regions.names
