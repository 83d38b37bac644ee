"""From a trace to everything that is shown of it."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from topoview.model import (
    CommunicationMatrix,
    Identification,
    LogicalTrace,
    Profile,
    Trace,
)
from topoview.progress import Report, silent

if TYPE_CHECKING:
    from topoview.analysis.logical_times import Measured


@dataclass(frozen=True, slots=True, eq=False)
class Analysis:
    """What is known about a trace; what is not known yet is None."""

    trace: Trace
    matrix: CommunicationMatrix | None = None
    identification: Identification | None = None
    logical: LogicalTrace | None = None
    profile: Profile | None = None
    measured: "Measured | None" = None


def analyse(trace: Trace, report: Report = silent) -> Iterator[Analysis]:
    """Analyse a trace step by step.

    Yields
    ------
    Analysis
        After each step, the first one at once: so that a view can show what
        there is.

    Raises
    ------
    Cancelled
        From `report`.
    """
    from topoview.analysis.logical_times import measure
    from topoview.analysis.profile import profile
    from topoview.logical import logicalise
    from topoview.topology import (
        alternatives,
        communication_matrix,
        directions,
        identify,
    )

    known = Analysis(trace)
    yield known
    report("counting messages", 0.0)
    matrix = communication_matrix(trace)
    found = identify(matrix, report)
    known = replace(known, matrix=matrix, identification=found)
    yield known
    known = replace(known, profile=profile(trace, report))
    yield known
    best = found.best
    named, others = directions(best), alternatives(best)
    logical = logicalise(trace, named, report, match=best, others=others)
    measured = measure(trace, logical, report)
    yield replace(known, logical=logical, measured=measured)
