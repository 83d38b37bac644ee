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
from topoview.logical.naming import DirectionsByCall
from topoview.logical.neighbours import Neighbours
from topoview.logical.notes import notes, uneven_visits
from topoview.logical.operations import LOCKING, ONE_SIDED, among
from topoview.logical.partners import partners_of
from topoview.logical.records import Records, records
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
    text = write(trace, rows, frame, partners, report)
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


def _merged(
    trace: Trace,
    names: tuple[Directions | DirectionsByCall, Sequence[Directions]],
    match: Match | None,
    rule: str,
    report: Report,
) -> tuple[Records, Groups, Merged]:
    """Merge the ranks' calls, by other names of partners if the first tear them apart.

    Graphs have several names: that of CG on 8 ranks is a grid too. By its directions
    ranks would have little in common that exchange with one bit of their number after
    the other. Where ranks have no places they go through lists of neighbours.
    """
    directions, others = names

    def by(
        named: Directions | DirectionsByCall, arrives: Arrives | None = None
    ) -> tuple[Records, Groups, Merged]:
        report("reading the ranks' calls", 0.0)
        rows = records(trace, named, others, match, report, arrives)
        report("grouping ranks that do the same", 0.0)
        return rows, *RULES[rule](rows, group_ranks(rows, report), report)

    best, chosen = by(directions), directions
    if rule == "maximal":  # it holds not all calls, but one rank's
        return best
    placed = match is not None and match.topology.kind in PLACED
    least = length_if_torn(*best, TORN if placed else NEXT_TO_WHOLE)
    unplaced = [] if placed or not least else [Neighbours.of(trace)]
    for other in (*others, *unplaced) if least else ():
        found = by(other)
        length = length_of(*found)
        if 2 * len(found[1]) <= len(best[1]) and length < least:
            best, least, chosen = found, length, other
    return _by_arrival(best, partial(by, chosen))


Way = tuple[Records, Groups, Merged]


def _by_arrival(best: Way, by: Callable[[Arrives], Way]) -> Way:
    """Merge without telling the senders of receives that take what comes first.

    That is seen where ranks then do the same that have little in common otherwise.
    """
    ranks = len(best[0].offsets) - 1
    if len(best[1]) <= max(2, ranks // 2) or len(best[0].symbol) > SHORT:
        return best
    least = length_of(*best)
    for arrives in ARRIVALS if least > LONG else ():
        found = by(arrives)
        alike = arrives is probed or 2 * len(found[1]) <= len(best[1])
        if alike and 2 * length_of(*found) <= least:
            return found
    return best


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
