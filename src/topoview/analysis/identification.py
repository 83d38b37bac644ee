"""The whole identification of a trace: the run, its parts, what was declared."""

import time
from dataclasses import replace

from topoview.analysis.declared import compare_declared
from topoview.analysis.parts import find_parts
from topoview.model import CommunicationMatrix, Identification, Trace
from topoview.progress import Report, silent


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
