"""A logical trace line by line, with what each line took.

`measure_lines` gathers the figures of statements, loops and counters.
"""

from collections.abc import Sequence

import numpy as np

from topoview.analysis.call_sites import places_of_statements
from topoview.analysis.logical.counters import metric_figures
from topoview.analysis.logical.loops import loop_figures
from topoview.analysis.logical.statements import statement_figures
from topoview.base.progress import Report, silent
from topoview.logical.listing import lines
from topoview.model import (
    CallPositions,
    Floats,
    Ints,
    Line,
    LogicalTrace,
    MeasuredLines,
    StatementFigures,
    Trace,
    WaitStates,
)


def line_shares(lines: Sequence[Line], figures: StatementFigures, uses: Ints) -> Floats:
    """Share of the run that the calls below each line take.

    A block's time is shared out to the lines that use it; its own lines tell all
    of it.

    Parameters
    ----------
    uses : int64, shape (uses,)
        `LoopFigures.uses`.

    Returns
    -------
    float64, shape (lines,)
    """
    shares = np.zeros(len(lines))
    own = figures.share()
    use = 0
    for number, line in enumerate(lines):
        if line.kind == "call":
            shares[number] = own[line.first]
        elif line.kind == "use":
            shares[number] = uses[use] / max(figures.run, 1)
            use += 1
    for number in range(len(lines) - 1, -1, -1):
        if lines[number].parent >= 0:
            shares[lines[number].parent] += shares[number]
    return shares


def measure_lines(
    trace: Trace,
    logical: LogicalTrace,
    waits: WaitStates | None,
    positions: CallPositions,
    report: Report = silent,
) -> MeasuredLines:
    """Measure a logical trace.

    Raises
    ------
    Cancelled
        From `report`.
    """
    found = lines(logical)
    statements = statement_figures(trace, logical, waits, report)
    loops = loop_figures(trace, logical, positions, report)
    heads = [number for number, line in enumerate(found) if line.kind == "loop"]
    return MeasuredLines(
        trace,
        logical,
        found,
        statements,
        loops,
        {number: k for k, number in enumerate(heads)},
        line_shares(found, statements, loops.uses),
        metric_figures(trace, logical, report),
        places_of_statements(trace, logical),
    )
