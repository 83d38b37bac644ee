"""From a trace to its logical trace, without what else the window wants."""

from collections.abc import Iterable
from pathlib import Path

from topoview.analysis.identification import identify_run
from topoview.analysis.limits import logical_refusal
from topoview.analysis.one_sided_traffic import identified_traffic, one_sided_matrix
from topoview.analysis.orientation import oriented
from topoview.errors import TopoviewError
from topoview.logical import logicalise
from topoview.model import LogicalTrace, Match, Trace
from topoview.progress import Report, silent, telling_of_compiling
from topoview.topology import alternatives, communication_matrix, directions


def logical_of(
    trace: Trace,
    report: Report = silent,
    rule: str = "all",
    files: Iterable[Path] = (),
) -> tuple[Match, LogicalTrace]:
    """Identify a trace's topology, and find its logical trace by it.

    Parameters
    ----------
    rule
        As for `topoview.logical.logicalise`.
    files
        Files of the user's patterns, beside those that are remembered.

    Raises
    ------
    PatternError
        If one of `files` cannot be understood.
    TopoviewError
        If the logical trace would not fit into memory.
    Cancelled
        From `report`.
    """
    refusal = logical_refusal(trace)
    if refusal:
        raise TopoviewError(refusal)
    with telling_of_compiling(report):
        messages = communication_matrix(trace, None, report)
        matrix = identified_traffic(messages, one_sided_matrix(trace))
        found = identify_run(matrix, report, files=files)
        best = oriented(trace, found).best
        made = logicalise(
            trace,
            directions(best),
            report,
            match=best,
            others=alternatives(best),
            rule=rule,
        )
        return best, made
