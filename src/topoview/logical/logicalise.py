"""Write one program for all ranks: the logical trace of a trace and its topology.

The ranks' calls become a call table, their partners get names, ranks that do the same
are grouped, the groups' sequences are merged into one, and loops, conditions and
functions are found in it. Where the names of partners tear the ranks apart, others
are tried. At last the result is expanded again and compared with the trace, and what
it leaves out is noted.
"""

import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from typing import Final

import numpy as np

from topoview.grouping import factorize
from topoview.logical.arrays import sums_by_owner
from topoview.logical.assembly import assemble
from topoview.logical.calls.call_table import CallTable, call_table
from topoview.logical.calls.operations import LOCKING, ONE_SIDED, is_one_of
from topoview.logical.calls.wildcards import (
    WILDCARD_RULES,
    WildcardRule,
    probed_receives,
)
from topoview.logical.conditions import Conditions, drop_unused_guards
from topoview.logical.functions.nesting import Nesting
from topoview.logical.functions.visits import UnevenVisits
from topoview.logical.merge.choosing import (
    MIN_LINES_TRIED_OTHERWISE,
    RULES,
    lines_if_torn,
    lines_of,
)
from topoview.logical.merge.groups import RankGroups, group_ranks
from topoview.logical.merge.maximal_process import compare_with_maximal, maximal_figures
from topoview.logical.merge.sequences import MAX_CALLS_MERGED_OTHERWISE, MergedSequence
from topoview.logical.partners import (
    MAX_NAMES_UNQUESTIONED,
    Exchanges,
    Neighbours,
    Shifts,
)
from topoview.logical.predicates import COORDINATE_NAMES, places_of
from topoview.logical.statements import WRITING, write
from topoview.logical.verification import verify
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
from topoview.progress import Report, batches, silent
from topoview.text import plural

# What a logical trace does not show, in words.

MAX_KINDS_LISTED = 8
"""Kinds of calls that are told one by one."""


def omission_notes(
    trace: Trace, rows: CallTable, statement: Ints, found: LogicalTrace
) -> tuple[str, ...]:
    """Tell what a logical trace leaves out.

    Parameters
    ----------
    statement : int64, shape (rows,)
        Statement of each row, -1 if it is left out.
    found
        The logical trace, but for its notes.
    """
    said = _left_out_notes(trace, rows, statement)
    if rows.elsewhere:
        said.append(f"left out: {plural(rows.elsewhere, 'call')} of further threads")
    if rows.null:
        lost = trace.health is not None and trace.health.dropped
        said.append(
            f"{plural(rows.null, 'call')} with MPI_PROC_NULL, or a partner that is "
            "not known, told without one"
            if lost
            else f"{plural(rows.null, 'call')} with MPI_PROC_NULL sent nothing"
        )
    if len(rows.polled):
        said.append(f"{plural(len(rows.polled), 'repeated poll')} not shown")
    if len(found.peers.values):
        kinds = len(np.unique(found.peers.statement))
        said.append(
            f"{plural(kinds, 'statement')} with partners in order of arrival, which "
            "is kept aside"
        )
    said += found.differs
    return tuple(said)


def uneven_visit_notes(
    trace: Trace, uneven: Sequence[UnevenVisits], found: LogicalTrace
) -> tuple[str, ...]:
    """Tell which functions some turns of a loop enter anew, others not, and how often.

    Parameters
    ----------
    uneven
        The functions.
    found
        The logical trace: where it tells no functions, nothing is said of them.
    """
    known = trace.regions.names
    told = sorted((e for e in uneven if e.region < len(known)), key=lambda e: -e.turns)
    if not told or not Nesting(found).tells:
        return ()
    said = []
    for each in told[:MAX_KINDS_LISTED]:
        least, most, mostly = each.lengths
        turns = plural(most, "turn") if least == most else f"{least}..{most} turns"
        mostly_told = "" if least == most else f", mostly {mostly}"
        low, high = each.visits
        visits = plural(high, "visit") if low == high else f"{low}..{high} visits"
        said.append(
            f"visits without a rule, not told by the lines: a loop of "
            f"{plural(each.turns, 'turn')} makes {visits} of {known[each.region]}, of "
            f"{turns}{mostly_told}"
        )
    rest = len(told) - MAX_KINDS_LISTED
    return (*said, *([f"so do {plural(rest, 'further loop')}"] if rest > 0 else []))


def _left_out_notes(trace: Trace, rows: CallTable, statement: Ints) -> list[str]:
    out = statement < 0
    counts = np.bincount(rows.symbol[out], minlength=len(rows.symbols.operation))
    rank = rows.rank[out]
    order = np.argsort(-counts, kind="stable")[: int(np.sum(counts > 0))]
    said = []
    for symbol in order[:MAX_KINDS_LISTED].tolist():
        ranks = len(np.unique(rank[rows.symbol[out] == symbol]))
        said.append(
            f"left out: {_symbol_text(trace, rows, symbol)}, "
            f"{plural(int(counts[symbol]), 'call')} of {plural(ranks, 'rank')}"
        )
    if len(order) > MAX_KINDS_LISTED:
        rest = int(counts[order[MAX_KINDS_LISTED:]].sum())
        kinds = len(order) - MAX_KINDS_LISTED
        said.append(
            f"left out: {plural(rest, 'call')} of {plural(kinds, 'further kind')}"
        )
    return said


def _symbol_text(trace: Trace, rows: CallTable, symbol: int) -> str:
    symbols = rows.symbols
    words = [trace.regions.operations[int(symbols.operation[symbol])]]
    awaited = int(symbols.awaited[symbol])
    if awaited >= 0:
        words.append(f"for {trace.regions.operations[awaited]}")
    for word, half in (("to", symbols.to[symbol]), ("from", symbols.source[symbol])):
        if half >= 0:
            words.append(f"{word} {rows.names[int(half)]}")
    return " ".join(words)


# Where each rank's directions lead.

COLLECTING_PARTNERS: Final = "collecting the ranks' partners"


def partners_of(rows: CallTable, report: Report = silent) -> Partners:
    """Collect where each rank's directions lead."""
    names, ranks = len(rows.names), len(rows.offsets) - 1
    codes = [np.zeros(0, np.int64)]
    for direction, partner in (
        (rows.symbols.to, rows.receiver),
        (rows.symbols.source, rows.sender),
    ):
        for some in batches(len(partner), report, COLLECTING_PARTNERS):
            has = some.start + np.flatnonzero(partner[some] >= 0)
            own = direction[rows.symbol[has]]
            rank = np.searchsorted(rows.offsets[1:], has, side="right")
            codes.append(factorize((rank * names + own) * ranks + partner[has])[0])
    triples = factorize(np.concatenate(codes))[0]
    report(COLLECTING_PARTNERS, 1.0)
    cell, partner = triples // ranks, triples % ranks
    first = np.flatnonzero(np.diff(cell, prepend=-1))
    many = np.diff(np.append(first, len(cell)))
    offsets = np.searchsorted(cell[first] // max(names, 1), np.arange(ranks + 1))
    return Partners(
        tuple(rows.names),
        offsets.astype(np.int64),
        (cell[first] % max(names, 1)).astype(np.int32),
        np.where(many > 1, -1, partner[first]).astype(np.int32),
    )


TORN_RATIO_PLACED, TORN_RATIO_UNPLACED = 2.0, 1.2
"""How many times longer than one group's program a merge is that tears ranks apart;
and where their places say nothing."""

MAX_CALLS_TRIED_BY_ROUNDS = 50_000
"""Calls of all groups that are so few that partners are also named by rounds."""

IRREGULAR_NOTE = (
    "the calls are so irregular that not all repetitions were looked at: "
    "the program may be longer than it need be"
)


def logicalise(  # noqa: PLR0913
    trace: Trace,
    directions: Directions,
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
    rows, groups, merged = _merge_calls(
        trace, (directions, others), match, rule, report
    )
    partners = partners_of(rows, report)
    conditions = _conditions(partners, match, trace.ranks)
    frame = assemble(rows, groups, merged, conditions, report)
    text = write(trace, frame.rows, frame, partners, report)
    body, blocks, guards = drop_unused_guards(text.body, text.blocks, conditions.guards)
    of_call = _statement_of_call(trace, rows, frame.place, report)
    placed = compare_with_maximal(rows, groups, report)
    ticks = _ticks(trace, of_call, text.statements, report)
    excluded = _bytes_excluded(trace, rows, frame.place, report)
    told = maximal_figures(trace, rows, groups, placed, report)
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
            *omission_notes(
                trace, rows, frame.place, replace(logical, differs=verdict.differs)
            ),
            *uneven_visit_notes(trace, frame.uneven, logical),
            *([] if frame.tree.whole else [IRREGULAR_NOTE]),
        ),
        seconds=time.perf_counter() - began,
    )


MergedCalls = tuple[CallTable, RankGroups, MergedSequence]
"""Rows of all ranks, the groups of ranks, and their merge."""


def _merge_calls(
    trace: Trace,
    names: tuple[Directions, Sequence[Directions]],
    match: Match | None,
    rule: str,
    report: Report,
) -> MergedCalls:
    """Merge the ranks' calls, by other names of partners if the first tear them apart.

    Graphs have several names: that of CG on 8 ranks is a grid too. By its directions
    ranks would have little in common that exchange with one bit of their number after
    the other. Where ranks have no places they go through lists of neighbours.
    """
    directions, others = names

    def by(
        named: Directions,
        most: int = trace.ranks,
        arrives: WildcardRule | None = None,
    ) -> MergedCalls | None:
        report("reading the ranks' calls", 0.0)
        rows = call_table(trace, named, others, match, report, arrives)
        report("grouping ranks that do the same", 0.0)
        ways = group_ranks(rows, report)
        few = min(map(len, ways)) <= most
        return (rows, *RULES[rule](rows, ways, report)) if few else None

    best, chosen = by(directions), directions
    assert best is not None
    if rule == "maximal":  # it holds not all calls, but one rank's
        return best
    placed = match is not None and match.topology.kind in COORDINATE_NAMES
    least = lines_if_torn(*best, TORN_RATIO_PLACED if placed else TORN_RATIO_UNPLACED)
    unplaced = [] if placed or not least else [Neighbours.of(trace)]
    for other in (*others, *unplaced) if least else ():
        found = by(other, len(best[1]) // 2)
        if found is None:
            continue
        length = lines_of(*found)
        if 2 * len(found[1]) <= len(best[1]) and length < least:
            best, least, chosen = found, length, other
    best = _by_rounds(best, by, match, report)
    return _by_arrival(best, partial(by, chosen, trace.ranks))


def _by_rounds(
    best: MergedCalls,
    by: Callable[[Directions, int], MergedCalls | None],
    match: Match | None,
    report: Report,
) -> MergedCalls:
    """Name partners around all ranks, or by bits, where the program is shorter so.

    Where ranks talk to many others in turn a loop over the distance is the program.
    """
    ranks = len(best[0].offsets) - 1
    schemes = _round_schemes(match, ranks)
    calls = len(best[1].sequences(best[0])[0])
    if (
        not schemes
        or len(best[0].names) <= MAX_NAMES_UNQUESTIONED
        or calls > MAX_CALLS_TRIED_BY_ROUNDS
    ):
        return best
    numbered = any(name.startswith("NEIGHBOUR") for name in best[0].names)
    least = (
        _program_lines(best, match, report) + numbered
    )  # which says nothing of where
    for scheme in schemes:
        found = by(scheme, len(best[1]))
        if found is not None and len(found[1]) <= len(best[1]):
            lines = _program_lines(found, match, report)
            if lines < least:
                best, least = found, lines
    return best


def _by_arrival(
    best: MergedCalls, by: Callable[[WildcardRule], MergedCalls | None]
) -> MergedCalls:
    """Merge without telling the senders of receives that take what comes first.

    That is seen where ranks then do the same that have little in common otherwise.
    """
    ranks = len(best[0].offsets) - 1
    if (
        len(best[1]) <= max(2, ranks // 2)
        or len(best[0].symbol) > MAX_CALLS_MERGED_OTHERWISE
    ):
        return best
    least = lines_of(*best)
    for arrives in WILDCARD_RULES if least > MIN_LINES_TRIED_OTHERWISE else ():
        found = by(arrives)
        if found is None:
            continue
        alike = arrives is probed_receives or 2 * len(found[1]) <= len(best[1])
        if alike and 2 * lines_of(*found) <= least:
            return found
    return best


def _round_schemes(match: Match | None, ranks: int) -> tuple[Directions, ...]:
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


def _program_lines(way: MergedCalls, match: Match | None, report: Report) -> int:
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
    trace: Trace, rows: CallTable, place: Ints, report: Report
) -> Indices:
    """Statement of each call: of its first row that has one; polls of their run's."""
    report(WRITING, 1.0)
    found = np.full(len(trace.calls), -1, np.int32)
    held = np.flatnonzero(place >= 0)[::-1]
    found[rows.call[held]] = place[held]
    found[rows.polled[:, 0]] = found[rows.polled[:, 1]]
    return found


def _ticks(trace: Trace, of_call: Indices, statements: int, report: Report) -> Ints:
    """Time in each statement's calls, int64, shape (statements,)."""
    report(WRITING, 1.0)
    held = of_call >= 0
    spent = (trace.calls.leave - trace.calls.enter)[held]
    return sums_by_owner(of_call[held].astype(np.int64), spent, statements)


def _calls_excluded(rows: CallTable, of_call: Indices) -> float:
    missing = rows.calls - int(np.sum(of_call >= 0))
    return missing / rows.calls if rows.calls else 0.0


def _bytes_excluded(
    trace: Trace, rows: CallTable, place: Ints, report: Report
) -> float:
    report(WRITING, 1.0)
    messages = trace.messages
    total = int(messages.size[messages.send_call >= 0].sum())
    one_sided = is_one_of(trace.regions, ONE_SIDED | LOCKING)[rows.symbols.operation]
    held = (rows.receiver >= 0) & (place >= 0)
    held &= (rows.size >= 0) & ~one_sided[rows.symbol]
    kept = int(rows.size[held].sum())
    return (total - kept) / total if total else 0.0
