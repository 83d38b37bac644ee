"""Digests: made here or on a cluster, and taken into the store."""

from pathlib import Path
from typing import NamedTuple

from topoview.analysis.digest import KEPT, STEPS, condense
from topoview.errors import TopoviewError
from topoview.pipeline import RESULTS, RefusedError, Results
from topoview.progress import Report, silent
from topoview.store.digest import read_results, write_digest
from topoview.text import size_text
from topoview.worker.results import results_of


class DigestMade(NamedTuple):
    """A digest that was written.

    Attributes
    ----------
    path
        The file.
    size
        Its bytes.
    ranks, events
        Of the trace.
    notes
        What is not in it, and why, a sentence each.
    """

    path: str
    size: int
    ranks: int
    events: int
    notes: tuple[str, ...]

    @property
    def words(self) -> str:
        """Say it in a line."""
        told = f"{self.path}: {self.events} events of {self.ranks} ranks in "
        return told + size_text(self.size)


def make_digest(
    path: str | Path, output: str | Path, steps: int = STEPS, report: Report = silent
) -> DigestMade:
    """Have a worker of this machine read a trace, and write its digest.

    Parameters
    ----------
    path
        As for `topoview.worker.open_trace`.
    output
        The file to write.
    steps
        Steps of time in which sums of states are kept.

    Raises
    ------
    TopoviewError
        If the trace cannot be read, or the file not be written.
    Cancelled
        From `report`.
    """
    results = results_of(path, (), report=report)
    if results.trace.digest is not None:
        raise TopoviewError(f"{path} is a digest already: copy it")
    for name in KEPT:
        try:
            results = results_of(results.trace, (name,), report=report)
        except RefusedError:
            continue
    return write_results(results, Path(output), steps, report)


def write_results(
    results: Results, output: Path, steps: int = STEPS, report: Report = silent
) -> DigestMade:
    """Write the digest of a trace; results that are not kept are made."""
    found, notes = {}, dict[str, None]()
    for name in KEPT:
        try:
            found[name] = results.make(name, report)
        except RefusedError as refusal:
            notes[str(refusal)] = None
    told = results.trace
    trace, condensed = condense(told, found, steps, report)
    report("writing the digest", 0.0)
    packed = {name: RESULTS[name].pack(value) for name, value in condensed.items()}
    write_digest(output, trace, packed)
    report("writing the digest", 1.0)
    size = output.stat().st_size
    return DigestMade(str(output), size, told.ranks, told.events, tuple(notes))


def enter_results(results: Results, path: Path) -> None:
    """Take the results of a digest into the store where its trace is kept.

    Raises `TraceError` if the digest is damaged.
    """
    if all(results.is_kept(name) for name in KEPT if name in _ALWAYS):
        return
    for name, packed in read_results(path).items():
        if name in RESULTS:
            results.keep_packed(name, packed)


_ALWAYS = frozenset({"matrix", "identification", "profile", "overview"})
"""Results that every digest has."""
