"""A logical trace line by line, with what each line took.

`measured_lines` gathers the figures of statements, loops and counters.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np

from topoview.analysis.call_sites import (
    joined_places,
    lines_of_statements,
    places_of_statements,
)
from topoview.analysis.logical.counters import (
    counter_sums,
    joined_counters,
    metric_figures,
)
from topoview.analysis.logical.exact_sums import joined_ticks
from topoview.analysis.logical.loops import loop_figures, loop_sums
from topoview.analysis.logical.statements import statement_figures, statement_sums
from topoview.base.progress import Report, silent
from topoview.logical.listing import lines
from topoview.model import (
    CallPositions,
    DeducedEnds,
    Floats,
    Ints,
    Line,
    LineSums,
    LogicalTrace,
    MeasuredLines,
    Part,
    Regions,
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


def line_sums(
    part: Part,
    logical: LogicalTrace,
    waits: WaitStates | None,
    deduced: DeducedEnds,
    report: Report = silent,
) -> LineSums:
    """Sum up what some ranks tell of a logical trace: see `measured_lines`."""
    return LineSums(
        **statement_sums(part, logical, waits, deduced, report)._asdict(),
        **loop_sums(part, logical, report)._asdict(),
        **counter_sums(part, logical, report)._asdict(),
        places=places_of_statements(part, logical),
    )


def joined_lines(parts: Sequence[LineSums], _regions: Regions) -> LineSums:
    """Join what parts of a trace tell, in order of their ranks."""
    late = [one.late for one in parts if one.late is not None]
    added: dict[str, Any] = {
        name: np.sum([getattr(one, name) for one in parts], axis=0)
        for name in ("ranks", "sent", "received", "uses")
    }
    return LineSums(
        spent=joined_ticks([one.spent for one in parts]),
        before=joined_ticks([one.before for one in parts]),
        late=joined_ticks(late) if late else None,
        iterations=joined_ticks([one.iterations for one in parts]),
        followed=sum(one.followed for one in parts),
        places=joined_places([one.places for one in parts]),
        **added,
        **joined_counters(parts)._asdict(),
    )


def measured_lines(
    trace: Trace,
    logical: LogicalTrace,
    positions: CallPositions,
    sums: LineSums,
    _report: Report = silent,
) -> MeasuredLines:
    """Compute the figures of a logical trace's lines from what was summed up."""
    all_lines = lines(logical)
    statements = statement_figures(trace, sums)
    loops = loop_figures(trace, positions, sums)
    heads = [number for number, line in enumerate(all_lines) if line.kind == "loop"]
    return MeasuredLines(
        trace=trace,
        logical=logical,
        lines=all_lines,
        statements=statements,
        loops=loops,
        loop_of={number: k for k, number in enumerate(heads)},
        shares=line_shares(all_lines, statements, loops.uses),
        metrics=metric_figures(trace, sums),
        places=lines_of_statements(trace, sums),
    )
