"""Traces cut into parts of neighbouring ranks, as a cluster has them."""

from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np

from topoview.analysis.logical.lines import line_sums, measured_lines
from topoview.analysis.waits.deduced import deduced_ends
from topoview.base.progress import Report, silent
from topoview.logical.calls.call_table import CallReader
from topoview.logical.calls.facts import CallFacts, PartCalls, find_facts, joined_sums
from topoview.logical.calls.partners import Naming
from topoview.logical.calls.wildcards import WildcardRule
from topoview.logical.every_rank import join_told
from topoview.logical.merge.classes import RanksCompared, joined_ranks
from topoview.logical.program import (
    compare_part,
    finish_program,
    tell_part,
    write_program,
)
from topoview.model import (
    CallPositions,
    Directions,
    LogicalTrace,
    Match,
    MeasuredLines,
    Part,
    Trace,
    WaitStates,
    whole_part,
)


def parts_of(trace: Trace, count: int) -> Iterator[Part]:
    """Cut a trace whose locations are in order of their ranks, but for threads."""
    messages, calls = trace.messages, trace.calls
    row = np.searchsorted(calls.offsets[1:], trace.collectives.call, side="right")
    ranks = np.append(trace.rank_of_location, -1)
    for some in np.array_split(np.arange(trace.ranks), count):
        low, high = int(some[0]), int(some[-1]) + 1
        threads = [
            n
            for n in range(trace.ranks, len(calls.offsets) - 1)
            if low <= ranks[n] < high
        ]
        yield Part(
            trace,
            slice(low, high),
            (slice(low, high), *(slice(n, n + 1) for n in threads)),
            np.flatnonzero((messages.sender >= low) & (messages.sender < high)),
            np.flatnonzero((messages.receiver >= low) & (messages.receiver < high)),
            np.flatnonzero((ranks[row] >= low) & (ranks[row] < high)),
        )


def logicalise(
    trace: Trace,
    directions: Directions,
    report: Report = silent,
    *,
    match: Match | None = None,
    others: Sequence[Directions] = (),
    functions: bool = False,
) -> LogicalTrace:
    """Write the logical trace of all ranks, by names of partners of one's own."""
    naming, part = Naming(directions, match, others), whole_part(trace)
    facts = find_facts(trace, PartCalls(part, report).sums(), naming, report)
    compared = compare_part(PartCalls(part), facts, match, report)
    found = facts, compared
    program = write_program(trace, naming, found, report, longer=functions)
    told = tell_part(PartCalls(part), program, report)
    return finish_program(trace, program, told)


def compared_by(
    trace: Trace,
    names: Directions,
    match: Match | None = None,
    arrives: WildcardRule | None = None,
) -> tuple[CallFacts, RanksCompared]:
    """Compare all ranks by some names: all of them are read."""
    calls = PartCalls(whole_part(trace))
    facts = find_facts(trace, calls.sums(), Naming(names, match), arrives=arrives)
    return facts, compare_part(calls, facts, match)


def logical_in_parts(trace: Trace, count: int, naming: Naming) -> LogicalTrace:
    """Write a logical trace as a cluster does; of three parts two are joined first."""
    regions, parts = trace.regions, list(parts_of(trace, min(count, trace.ranks)))
    calls = [PartCalls(part) for part in parts]
    sums = [own.sums() for own in calls]
    joined = joined_sums([joined_sums(sums[:2], regions), *sums[2:]], regions)
    facts = find_facts(trace, joined, naming)
    compared = [compare_part(own, facts, naming.match) for own in calls]
    both = joined_ranks([joined_ranks(compared[:2]), *compared[2:]])
    program = write_program(trace, naming, (facts, both))
    told = [tell_part(own, program) for own in calls]
    of_call = np.full(len(trace.calls), -1, np.int32)
    for part, one in zip(parts, told, strict=True):
        begin = 0
        for own in part.calls:
            of_call[own] = one.of_call[begin : begin + own.stop - own.start]
            begin += own.stop - own.start
    whole = replace(join_told([join_told(told[:2]), *told[2:]]), of_call=of_call)
    return finish_program(trace, program, whole)


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
    part = whole_part(trace)
    sums = line_sums(part, logical, waits, deduced_ends(part), report)
    return measured_lines(trace, logical, positions, sums)


def read_calls(
    trace: Trace,
    naming: Naming,
    report: Report = silent,
    arrives: WildcardRule | None = None,
) -> CallReader:
    """Prepare to write the calls of all ranks; see `find_facts`."""
    calls = PartCalls(whole_part(trace), report)
    return CallReader(calls, find_facts(trace, calls.sums(), naming, report, arrives))
