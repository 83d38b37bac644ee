"""The whole identification of a trace: the run, its parts, what was declared."""

import time
from dataclasses import dataclass, replace
from typing import Any

from topoview.analysis.declared import compare_declared
from topoview.analysis.parts import find_parts
from topoview.model import CommunicationMatrix, Identification, Trace
from topoview.progress import Report, silent
from topoview.topology import (
    communication_matrix,
    identification_record,
    identify,
)
from topoview.topology.steps import LevelSteps, explain
from topoview.topology.steps_text import steps_record, steps_text
from topoview.topology.text import identification_text


@dataclass(frozen=True, slots=True)
class Asked:
    """What the user asks of an identification.

    Attributes
    ----------
    edges
        Whether to list the topology's edges as pairs of ranks.
    threshold
        As for `identify`.
    why, spectrum
        Whether to tell the candidates and their fate, and to compare spectra.
    """

    edges: bool = False
    threshold: float | None = None
    why: bool = False
    spectrum: bool = False


@dataclass(frozen=True, slots=True)
class Told:
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
        return f"{lines}\n\n{steps_text(self.why)}" if self.why else lines


def tell(trace: Trace, asked: Asked, report: Report = silent) -> Told:
    """Identify a trace as the user asks for it."""
    matrix = communication_matrix(trace)
    found = identify(matrix, report, threshold=asked.threshold)
    found = with_parts(trace, matrix, found, report)
    why: tuple[LevelSteps, ...] = ()
    if asked.why:
        why = explain(
            matrix,
            found,
            report,
            threshold=asked.threshold,
            spectrum=asked.spectrum,
        )
    return Told(found, why, asked.edges)


def with_parts(
    trace: Trace,
    matrix: CommunicationMatrix,
    identification: Identification,
    report: Report = silent,
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
    """
    began = time.perf_counter()
    return replace(
        identification,
        parts=find_parts(trace, matrix, report),
        declared=compare_declared(trace, identification, report),
        seconds=identification.seconds + time.perf_counter() - began,
    )
