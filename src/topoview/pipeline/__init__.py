"""The pipeline: from a trace to everything that is shown of it.

`analyse` makes the results one after the other and takes those that are kept in the
store from there. What would take too much memory is refused.
"""

from collections.abc import Iterable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Final

from topoview.analysis.simulation.program import Delay, Program, silent_program
from topoview.analysis.simulation.simulate import simulate
from topoview.memory import memory_budget
from topoview.model import (
    Analysis,
    Trace,
)
from topoview.progress import Report, reporting_compilation, silent
from topoview.text import size_text

_BYTES_A_CALL: Final = 260
_BYTES_A_MESSAGE: Final = 100
"""Bytes that making the logical trace takes, as measured: benchmarks/memory.py."""


def logical_refusal(trace: Trace) -> str:
    """Say why no logical trace is made, in a sentence; empty if one can be."""
    needed = _BYTES_A_CALL * len(trace.calls) + _BYTES_A_MESSAGE * len(trace.messages)
    if needed <= memory_budget():
        return ""
    return (
        f"The logical trace was not made: it would take about {size_text(needed)} of "
        f"memory, and {size_text(memory_budget())} may be taken. Read some ranks or a "
        "stretch of time only, or allow more (TOPOVIEW_MEMORY, --memory)."
    )


def first_look(trace: Trace, report: Report = silent) -> Analysis:
    """Find what has to be known before anything is shown of a trace."""
    from topoview.analysis.message_index import message_index
    from topoview.analysis.one_sided_traffic import transfers
    from topoview.analysis.overview import overview
    from topoview.pipeline.kept_results import kept_results

    known, kept = Analysis(trace), kept_results(trace)
    before = kept.with_first_look(known)
    if before is not None:
        return before
    known = replace(
        known,
        overview=overview(trace, report),
        message_index=message_index(trace.messages),
        transfers=transfers(trace),
    )
    kept.keep_first_look(known)
    return kept.with_first_look(known) or known  # mapped: it takes no memory


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
    with reporting_compilation(report):
        yield from _analysis_steps(trace, report, tuple(files))


def _analysis_steps(
    trace: Trace, report: Report, files: tuple[Path, ...]
) -> Iterator[Analysis]:
    from topoview.analysis.logical.lines import measure_lines
    from topoview.analysis.logical.positions import call_positions
    from topoview.analysis.wait_states import wait_states
    from topoview.logical import logicalise
    from topoview.pipeline.kept_results import kept_results
    from topoview.topology import alternatives, directions

    known = first_look(trace, report)
    kept = kept_results(trace, files)
    before = kept.with_topology(known)
    if before is None:
        yield known
        for found in _topology_steps(known, report, files):
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
    waits = wait_states(trace, report)
    measured = measure_lines(trace, logical, waits, report)
    placed = call_positions(trace, logical, report)
    known = replace(
        known,
        logical=logical,
        measured=measured,
        positions=placed,
        waits=waits,
    )
    yield known
    kept.keep_logical(known)


def _topology_steps(
    known: Analysis, report: Report, files: tuple[Path, ...]
) -> Iterator[Analysis]:
    """Find all that does not need the logical trace, step by step."""
    from topoview.analysis.one_sided_traffic import identified_traffic, one_sided_matrix
    from topoview.analysis.orientation import oriented
    from topoview.analysis.profile import profile
    from topoview.pipeline.identification import identify_run, with_parts
    from topoview.topology import communication_matrix

    trace = known.trace
    report("counting messages", 0.0)
    assert known.transfers is not None
    moved = one_sided_matrix(trace.ranks, known.transfers)
    matrix = identified_traffic(communication_matrix(trace, None, report), moved)
    found = oriented(trace, identify_run(matrix, report, files=files))
    known = replace(known, matrix=matrix, identification=found, one_sided=moved)
    yield known
    known = replace(known, profile=profile(trace, report))
    yield known
    found = with_parts(trace, matrix, found, report, files=files)
    yield replace(known, identification=found)


__all__ = [
    "Delay",
    "Program",
    "analyse",
    "first_look",
    "silent_program",
    "simulate",
]
