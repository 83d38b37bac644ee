"""One program for all ranks: the logical trace."""

import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial

import numpy as np

from topoview.logical.arrays import added
from topoview.logical.arrivals import ARRIVALS, Arrives, probed
from topoview.logical.assembly import assemble
from topoview.logical.atoms import PLACED, places_of
from topoview.logical.choosing import LONG, RULES, length_if_torn, length_of
from topoview.logical.conditions import Conditions
from topoview.logical.conditions_used import with_used
from topoview.logical.groups import Groups, group_ranks
from topoview.logical.maximal import figures, hold_against
from topoview.logical.merging import Merged
from topoview.logical.merging_ways import SHORT
from topoview.logical.naming import FEW, DirectionsByCall
from topoview.logical.neighbours import Neighbours
from topoview.logical.notes import notes, uneven_visits
from topoview.logical.operations import LOCKING, ONE_SIDED, among
from topoview.logical.partners import partners_of
from topoview.logical.records import Records, records
from topoview.logical.shifts import Exchanges, Shifts
from topoview.logical.verification import verify
from topoview.logical.writing import WRITING, write
from topoview.model import (
    Bools,
    Directions,
    Indices,
    Ints,
    LogicalTrace,
    Match,
    Partners,
    Trace,
)
from topoview.progress import Report, portions, silent

TORN, NEXT_TO_WHOLE = 2.0, 1.2
"""How many times longer than one group's program a merge is that tears ranks apart;
and where their places say nothing."""

ROUNDED = 50_000
"""Calls of all groups that are so few that partners are also named by rounds."""

IRREGULAR = (
    "the calls are so irregular that not all repetitions were looked at: "
    "the program may be longer than it need be"
)


def logicalise(  # noqa: PLR0913
    trace: Trace,
    directions: Directions | DirectionsByCall,
    report: Report = silent,
    *,
    match: Match | None = None,
    others: Sequence[Directions] = (),
    rule: str = "all",
) -> LogicalTrace:
    """Write one program that stands for all ranks.

    Parameters
    ----------
    directions
        Names of partners.
    match
        Where the ranks are: conditions are told in its coordinates. Without one
        they are told by the ranks' numbers.
    others
        Further names of partners, for messages that `directions` says little of.
    rule
        A key of `RULES`: whose calls the program holds.

    Raises
    ------
    Cancelled
        From `report`.
    """
    began = time.perf_counter()
    rows, groups, merged = _merged(trace, (directions, others), match, rule, report)
    partners = partners_of(rows, report)
    conditions = _conditions(partners, match, trace.ranks)
    frame = assemble(rows, groups, merged, conditions, report)
    text = write(trace, frame.rows, frame, partners, report)
    body, blocks, guards = with_used(text.body, text.blocks, conditions.guards)
    of_call = _statement_of_call(trace, rows, frame.place, report)
    placed = hold_against(rows, groups, report)
    ticks = _ticks(trace, of_call, text.statements, report)
    excluded = _bytes_excluded(trace, rows, frame.place, report)
    told = figures(trace, rows, groups, placed, report)
    logical = LogicalTrace(
        ranks=trace.ranks,
        maximal_rank=placed.rank,
        body=body,
        statements=text.statements,
        loops=text.loops,
        depth=text.depth,
        records=int(np.diff(trace.calls.offsets[: trace.ranks + 1]).max(initial=0)),
        calls_excluded=_calls_excluded(rows, of_call),
        bytes_excluded=excluded,
        ranks_verified=0,
        statement_of_call=of_call,
        ticks=ticks,
        partners=partners,
        sizes=text.sizes,
        peers=text.peers,
        guards=guards,
        blocks=blocks,
        patterns=frame.tree.patterns,
        trips=frame.tree.trips,
        rank_trips=frame.tree.rank_trips,
        groups=len(groups),
        group=groups.of.astype(np.int32),
        maximal=told,
    )
    verdict = verify(logical, rows, trace.regions, report)
    return replace(
        logical,
        ranks_verified=int(verdict.exact.sum()),
        differs=verdict.differs,
        notes=(
            *notes(trace, rows, frame.place, replace(logical, differs=verdict.differs)),
            *uneven_visits(trace, frame.uneven, logical),
            *([] if frame.tree.whole else [IRREGULAR]),
        ),
        seconds=time.perf_counter() - began,
    )


Way = tuple[Records, Groups, Merged]
"""Rows of all ranks, the groups of ranks, and their merge."""


def _merged(
    trace: Trace,
    names: tuple[Directions | DirectionsByCall, Sequence[Directions]],
    match: Match | None,
    rule: str,
    report: Report,
) -> Way:
    """Merge the ranks' calls, by other names of partners if the first tear them apart.

    Graphs have several names: that of CG on 8 ranks is a grid too. By its directions
    ranks would have little in common that exchange with one bit of their number after
    the other. Where ranks have no places they go through lists of neighbours.
    """
    directions, others = names

    def by(
        named: Directions | DirectionsByCall,
        most: int = trace.ranks,
        arrives: Arrives | None = None,
    ) -> Way | None:
        report("reading the ranks' calls", 0.0)
        rows = records(trace, named, others, match, report, arrives)
        report("grouping ranks that do the same", 0.0)
        ways = group_ranks(rows, report)
        few = min(map(len, ways)) <= most
        return (rows, *RULES[rule](rows, ways, report)) if few else None

    best, chosen = by(directions), directions
    assert best is not None
    if rule == "maximal":  # it holds not all calls, but one rank's
        return best
    placed = match is not None and match.topology.kind in PLACED
    least = length_if_torn(*best, TORN if placed else NEXT_TO_WHOLE)
    unplaced = [] if placed or not least else [Neighbours.of(trace)]
    for other in (*others, *unplaced) if least else ():
        found = by(other, len(best[1]) // 2)
        if found is None:
            continue
        length = length_of(*found)
        if 2 * len(found[1]) <= len(best[1]) and length < least:
            best, least, chosen = found, length, other
    if not isinstance(directions, DirectionsByCall):
        best = _by_rounds(best, by, match, report)
    return _by_arrival(best, partial(by, chosen, trace.ranks))


def _by_rounds(
    best: Way,
    by: Callable[[Directions, int], Way | None],
    match: Match | None,
    report: Report,
) -> Way:
    """Name partners around all ranks, or by bits, where the program is shorter so.

    Where ranks talk to many others in turn a loop over the distance is the program.
    """
    ranks = len(best[0].offsets) - 1
    schemes = _rounds(match, ranks)
    calls = len(best[1].sequences(best[0])[0])
    if not schemes or len(best[0].names) <= FEW or calls > ROUNDED:
        return best
    numbered = any(name.startswith("NEIGHBOUR") for name in best[0].names)
    least = _lines(best, match, report) + numbered  # which says nothing of where
    for scheme in schemes:
        found = by(scheme, len(best[1]))
        if found is not None and len(found[1]) <= len(best[1]):
            lines = _lines(found, match, report)
            if lines < least:
                best, least = found, lines
    return best


def _by_arrival(best: Way, by: Callable[[Arrives], Way | None]) -> Way:
    """Merge without telling the senders of receives that take what comes first.

    That is seen where ranks then do the same that have little in common otherwise.
    """
    ranks = len(best[0].offsets) - 1
    if len(best[1]) <= max(2, ranks // 2) or len(best[0].symbol) > SHORT:
        return best
    least = length_of(*best)
    for arrives in ARRIVALS if least > LONG else ():
        found = by(arrives)
        if found is None:
            continue
        alike = arrives is probed or 2 * len(found[1]) <= len(best[1])
        if alike and 2 * length_of(*found) <= least:
            return found
    return best


def _rounds(match: Match | None, ranks: int) -> tuple[Directions, ...]:
    """Further names of partners where a topology has many neighbours of equal kind."""
    if match is None:
        return ()
    topology = match.topology
    if topology.kind == "complete":
        bits = (Exchanges(),) if ranks & (ranks - 1) == 0 else ()
        return (Shifts.around(np.arange(ranks)), *bits)
    is_ring = topology.kind == "lattice" and topology.periodic == (True,)
    if is_ring and topology.vertices == ranks and match.vertex.min() >= 0:
        return (Shifts.around(match.coordinates[:, 0], ("EAST", "WEST")),)
    return ()


def _lines(way: Way, match: Match | None, report: Report) -> int:
    rows, groups, merged = way
    conditions = _conditions(partners_of(rows, report), match, len(rows.offsets) - 1)
    return assemble(rows, groups, merged, conditions, report).tree.lines()


def _conditions(partners: Partners, match: Match | None, ranks: int) -> Conditions:
    has: list[tuple[str, Bools]] = []
    if len(partners.names) <= 64:
        rank = np.repeat(np.arange(ranks), np.diff(partners.offsets))
        for index, name in enumerate(partners.names):
            holds = np.zeros(ranks, bool)
            holds[rank[partners.direction == index]] = True
            if not holds.all():
                has.append((name, holds))
    return Conditions.at(places_of(match, ranks, tuple(has)))


def _statement_of_call(
    trace: Trace, rows: Records, place: Ints, report: Report
) -> Indices:
    """Statement of each call: of its first row that has one; polls of their run's."""
    found = np.full(len(trace.calls), -1, np.int32)
    for some in reversed(list(portions(len(place), report, WRITING))):
        report(WRITING, 1.0)
        held = some.start + np.flatnonzero(place[some] >= 0)[::-1]
        found[rows.call[held]] = place[held]
    found[rows.polled[:, 0]] = found[rows.polled[:, 1]]
    return found


def _ticks(trace: Trace, of_call: Indices, statements: int, report: Report) -> Ints:
    """Time in each statement's calls, int64, shape (statements,)."""
    total = np.zeros(statements, np.int64)
    for some in portions(len(of_call), report, WRITING):
        held = of_call[some] >= 0
        spent = (trace.calls.leave[some] - trace.calls.enter[some])[held]
        total += added(of_call[some][held].astype(np.int64), spent, statements)
    return total


def _calls_excluded(rows: Records, of_call: Indices) -> float:
    missing = rows.calls - int(np.sum(of_call >= 0))
    return missing / rows.calls if rows.calls else 0.0


def _bytes_excluded(trace: Trace, rows: Records, place: Ints, report: Report) -> float:
    total = kept = 0
    messages = trace.messages
    for some in portions(len(messages), report, WRITING):
        total += int(messages.size[some][messages.send_call[some] >= 0].sum())
    one_sided = among(trace.regions, ONE_SIDED | LOCKING)[rows.symbols.operation]
    for some in portions(len(place), report, WRITING):
        held = (rows.receiver[some] >= 0) & (place[some] >= 0)
        held &= (rows.size[some] >= 0) & ~one_sided[rows.symbol[some]]
        kept += int(rows.size[some][held].sum())
    return (total - kept) / total if total else 0.0
