"""From a trace to everything that is shown of it."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from topoview.analysis.limits import logical_refusal
from topoview.model import (
    CommunicationMatrix,
    Identification,
    LogicalTrace,
    Profile,
    Trace,
)
from topoview.progress import Report, silent, telling_of_compiling

if TYPE_CHECKING:
    from topoview.analysis.lateness import Waits
    from topoview.analysis.logical.position import Positions
    from topoview.analysis.logical.times import Measured


@dataclass(frozen=True, slots=True, eq=False, weakref_slot=True)
class Analysis:
    """What is known about a trace; what is not known yet is None.

    Attributes
    ----------
    matrix
        Traffic that the topology is identified on: messages, or without any the
        one-sided transfers.
    one_sided
        One-sided transfers; None if there are none.
    notes
        Sentences about what was not done, and why.
    """

    trace: Trace
    matrix: CommunicationMatrix | None = None
    identification: Identification | None = None
    logical: LogicalTrace | None = None
    profile: Profile | None = None
    notes: tuple[str, ...] = ()
    measured: "Measured | None" = None
    positions: "Positions | None" = None
    waits: "Waits | None" = None
    one_sided: CommunicationMatrix | None = None


def analyse(
    trace: Trace, report: Report = silent, files: Iterable[Path] = ()
) -> Iterator[Analysis]:
    """Analyse a trace step by step.

    Parameters
    ----------
    files
        Files of the user's patterns, beside those that are remembered.

    Yields
    ------
    Analysis
        After each step, the first one at once: so that a view can show what
        there is.

    Raises
    ------
    PatternError
        If one of `files` cannot be understood.
    Cancelled
        From `report`.
    """
    with telling_of_compiling(report):
        yield from _analysed(trace, report, tuple(files))


def _analysed(
    trace: Trace, report: Report, files: tuple[Path, ...]
) -> Iterator[Analysis]:
    from topoview.analysis.kept import kept_results
    from topoview.analysis.lateness import waits
    from topoview.analysis.logical.position import positions
    from topoview.analysis.logical.times import measure
    from topoview.logical import logicalise
    from topoview.topology import alternatives, directions

    known = Analysis(trace)
    kept = kept_results(trace, files)
    before = kept.with_topology(known)
    if before is None:
        yield known
        for found in _identified(known, report, files):
            known = found
            yield known
        kept.keep_topology(known)
    fresh = before is None
    known = before or known
    refusal = logical_refusal(trace)
    if refusal:
        yield replace(known, notes=(refusal,))
        return
    before = kept.with_logical(known)
    if before is not None or not fresh:
        yield before or known
    if before is not None:
        return
    assert known.identification is not None
    best = known.identification.best
    named, others = directions(best), alternatives(best)
    logical = logicalise(trace, named, report, match=best, others=others)
    measured = measure(trace, logical, report)
    placed = positions(trace, logical, report)
    known = replace(
        known,
        logical=logical,
        measured=measured,
        positions=placed,
        waits=waits(trace, report),
    )
    yield known
    kept.keep_logical(known)


def _identified(
    known: Analysis, report: Report, files: tuple[Path, ...]
) -> Iterator[Analysis]:
    """Find all that does not need the logical trace, step by step."""
    from topoview.analysis.identification import identify_run, with_parts
    from topoview.analysis.one_sided_traffic import identified_traffic, one_sided_matrix
    from topoview.analysis.orientation import oriented
    from topoview.analysis.profile import profile
    from topoview.topology import communication_matrix

    trace = known.trace
    report("counting messages", 0.0)
    moved = one_sided_matrix(trace)
    matrix = identified_traffic(communication_matrix(trace, None, report), moved)
    found = oriented(trace, identify_run(matrix, report, files=files))
    known = replace(known, matrix=matrix, identification=found, one_sided=moved)
    yield known
    known = replace(known, profile=profile(trace, report))
    yield known
    found = with_parts(trace, matrix, found, report, files=files)
    yield replace(known, identification=found)
