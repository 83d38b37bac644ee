"""Identify the topology of a trace, and find its logical trace by it.

The steps are the same for the window, the command line and comparisons: count the
messages, identify the whole run, orient tori by what the program does, and identify
phases, communicators and components.
"""

import time
from collections.abc import Iterable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from topoview.analysis.declared import compare_declared
from topoview.analysis.one_sided_traffic import (
    ONLY_ONE_SIDED,
    identified_traffic,
    one_sided_matrix,
    transfers,
)
from topoview.analysis.orientation import oriented
from topoview.analysis.parts import find_parts
from topoview.errors import TopoviewError
from topoview.logical import logicalise
from topoview.model import (
    CommunicationMatrix,
    Identification,
    LogicalTrace,
    Match,
    Trace,
)
from topoview.pipeline import logical_refusal
from topoview.progress import Report, reporting_compilation, silent
from topoview.topology import (
    alternatives,
    communication_matrix,
    directions,
    identification_record,
    identify,
    load_pattern,
    saved_patterns,
)
from topoview.topology.description import identification_text, steps_record, steps_text
from topoview.topology.identification.explanation import LevelSteps, explain
from topoview.topology.patterns.patterns import Pattern


@dataclass(frozen=True, slots=True)
class IdentificationOptions:
    """What the user asks of an identification.

    Attributes
    ----------
    edges
        Whether to list the topology's edges as pairs of ranks.
    threshold
        As for `identify`.
    patterns
        Files of patterns, beside those that are remembered.
    why, spectrum
        Whether to tell the candidates and their fate, and to compare spectra.
    """

    edges: bool = False
    threshold: float | None = None
    patterns: tuple[Path, ...] = ()
    why: bool = False
    spectrum: bool = False


@dataclass(frozen=True, slots=True)
class IdentificationReport:
    """An identification, to be printed.

    Attributes
    ----------
    identification
        What was found.
    why
        The steps, if they were asked for.
    edges
        Whether to list edges.
    """

    identification: Identification
    why: tuple[LevelSteps, ...]
    edges: bool

    def record(self) -> dict[str, Any]:
        """Describe it as JSON-able values."""
        record = identification_record(self.identification, self.edges)
        return {**record, "why": steps_record(self.why)} if self.why else record

    def text(self) -> str:
        """Describe it in lines for a reader."""
        lines = identification_text(self.identification, self.edges)
        if not self.why:
            return lines
        return f"{lines}\n\n{steps_text(self.why, self.identification)}"


def identify_run(
    matrix: CommunicationMatrix,
    report: Report = silent,
    *,
    threshold: float | None = None,
    files: Iterable[Path] = (),
) -> Identification:
    """Identify the whole run, with the patterns that the user has remembered.

    Parameters
    ----------
    matrix, report, threshold
        As for `topoview.topology.identification.identify`.
    files
        Files of further patterns.

    Raises
    ------
    PatternError
        If one of `files` cannot be understood. Of remembered ones the warnings
        tell.
    """
    patterns, warnings = _user_patterns(files)
    found = identify(matrix, report, threshold=threshold, patterns=patterns)
    told = (ONLY_ONE_SIDED,) if matrix.one_sided else ()
    return replace(found, warnings=(*told, *found.warnings, *warnings))


def _user_patterns(files: Iterable[Path]) -> tuple[tuple[Pattern, ...], list[str]]:
    """Read the patterns of some files, and those remembered."""
    named = [load_pattern(path) for path in files]
    saved, warnings = saved_patterns()
    return (*named, *saved), warnings


def identify_trace(
    trace: Trace, asked: IdentificationOptions, report: Report = silent
) -> IdentificationReport:
    """Identify a trace as the user asks for it."""
    with reporting_compilation(report):
        return _identify_trace(trace, asked, report)


def _identify_trace(
    trace: Trace, asked: IdentificationOptions, report: Report
) -> IdentificationReport:
    messages = communication_matrix(trace, None, report)
    matrix = identified_traffic(
        messages, one_sided_matrix(trace.ranks, transfers(trace))
    )
    found = identify_run(
        matrix, report, threshold=asked.threshold, files=asked.patterns
    )
    found = oriented(trace, found)
    found = with_parts(trace, matrix, found, report, files=asked.patterns)
    why: tuple[LevelSteps, ...] = ()
    if asked.why:
        why = explain(
            matrix,
            found,
            report,
            threshold=asked.threshold,
            spectrum=asked.spectrum,
        )
    return IdentificationReport(found, why, asked.edges)


def with_parts(
    trace: Trace,
    matrix: CommunicationMatrix,
    identification: Identification,
    report: Report = silent,
    *,
    files: Iterable[Path] = (),
) -> Identification:
    """Add what is found in phases, communicators and components, and declared.

    Parameters
    ----------
    trace, matrix
        The trace and its point-to-point traffic.
    identification
        What is known about the whole run.
    report
        Told what is looked at; may raise `Cancelled`.
    files
        Files of patterns beside the remembered ones.
    """
    began = time.perf_counter()
    return replace(
        identification,
        parts=find_parts(trace, matrix, report, _user_patterns(files)[0]),
        declared=compare_declared(trace, identification, report),
        seconds=identification.seconds + time.perf_counter() - began,
    )


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
    with reporting_compilation(report):
        messages = communication_matrix(trace, None, report)
        matrix = identified_traffic(
            messages, one_sided_matrix(trace.ranks, transfers(trace))
        )
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
