"""What is identified in the parts of a run: phases, communicators, components."""

import numpy as np

from topoview.analysis.communicator_parts import Patterns, communicator_parts
from topoview.analysis.phases import find_phases
from topoview.model import CommunicationMatrix, Indices, Ints, Match, Part, Trace
from topoview.progress import Report, silent
from topoview.topology import communication_matrix, identify
from topoview.topology.graph import graph_of
from topoview.topology.matrix import matrix_of
from topoview.topology.traffic import pair_traffic

MOST_COMPONENTS = 24
"""Components that are told one by one; more of them are told by size."""

MOST_SIZES = 32
"""Sizes of components that are told."""


def find_parts(
    trace: Trace,
    matrix: CommunicationMatrix,
    report: Report = silent,
    patterns: Patterns = (),
) -> tuple[Part, ...]:
    """Identify the topology in each phase, communicator and component.

    Parameters
    ----------
    trace
        The trace.
    matrix
        Its point-to-point traffic.
    report
        Told what is looked at; may raise `Cancelled`.
    patterns
        The user's own patterns; they go before the library.

    Returns
    -------
    tuple of Part
        Phases only if patterns differ, components only if there are several.
    """
    return (
        *phase_parts(trace, report, patterns),
        *communicator_parts(trace, report, patterns),
        *component_parts(trace, matrix, report, patterns),
    )


def phase_parts(
    trace: Trace, report: Report = silent, patterns: Patterns = ()
) -> tuple[Part, ...]:
    """Identify the topology in each phase; none if all have the same."""
    phases = find_phases(trace, report)
    if phases is None:
        return ()
    of_message = np.append(phases.kind, -1)[phases.of_message]
    matches: list[tuple[Match, ...]] = []
    ranks: list[Indices] = []
    for kind in range(len(phases.names)):
        report("identifying phases", kind / len(phases.names))
        chosen = of_message == kind
        traffic = communication_matrix(trace, chosen)
        matches.append(identify(traffic, patterns=patterns).matches[:1])
        ends = [trace.messages.sender[chosen], trace.messages.receiver[chosen]]
        ranks.append(_in_world(np.concatenate(ends), trace.ranks))
    single = phases.times.max() == 1
    if not single and any(best.topology.kind == "unknown" for best, *_ in matches):
        return ()  # stretches that alternate all the time, cut anywhere
    parts = []
    for i, kind in enumerate(phases.kind.tolist()):
        name = phases.names[kind]
        times = f"{phases.times[i]} times"
        parts.append(
            Part(
                by="phase",
                name=f"{i + 1}" if single else name or chr(65 + kind),
                begin=int(phases.begin[i]),
                end=int(phases.end[i]),
                ranks=ranks[kind],
                matches=matches[kind],
                remark=name if single else times,
            )
        )
    return tuple(parts)


def _in_world(ranks: Indices, count: int) -> Indices:
    seen = np.zeros(count, bool)
    seen[ranks[(ranks >= 0) & (ranks < count)]] = True
    return np.flatnonzero(seen).astype(np.int32)


def component_parts(
    trace: Trace,
    matrix: CommunicationMatrix,
    report: Report = silent,
    patterns: Patterns = (),
) -> tuple[Part, ...]:
    """Identify each connected component; none if there is but one.

    Beyond `MOST_COMPONENTS` those of one size are told together.
    """
    # as SciPy's, which holds Python's lock
    report("looking at components", 0.0)
    pairs = pair_traffic(matrix).pairs
    report("looking at components", 0.0)
    label = graph_of(matrix.ranks, pairs).component_of
    report("looking at components", 0.0)
    sizes = np.bincount(label, minlength=1)
    several = np.flatnonzero(sizes > 1)
    if len(several) < 2:
        return ()
    if len(several) <= MOST_COMPONENTS:
        group = np.full(len(sizes), -1)
        group[several] = np.arange(len(several))
        names = [f"{i + 1}" for i in range(len(several))]
    else:
        values, group = np.unique(sizes, return_inverse=True)
        names = [f"{np.sum(sizes == v)} of {v} ranks" for v in values.tolist()]
    of_rank = group[label]
    of_rank[sizes[label] < 2] = -1
    length = trace.clock.length
    parts = []
    shown = np.unique(of_rank[of_rank >= 0])[-MOST_SIZES:]
    for i, number in enumerate(shown.tolist()):
        report("looking at components", i / len(shown))
        inside = _of_group(matrix, of_rank, number)
        found = identify(inside, patterns=patterns).matches[:1]
        ranks = np.flatnonzero(of_rank == number).astype(np.int32)
        parts.append(Part("component", names[number], 0, length, ranks, found))
    return tuple(parts)


def _of_group(
    matrix: CommunicationMatrix, of_rank: Ints, number: int
) -> CommunicationMatrix:
    """Keep the traffic of some ranks, which have none with others."""
    calls = matrix.calls.tocoo()
    sender, receiver = calls.coords
    kept = of_rank[sender] == number
    return matrix_of(
        matrix.ranks,
        sender[kept],
        receiver[kept],
        calls.data[kept],
        matrix.volume.data[kept],
    )
