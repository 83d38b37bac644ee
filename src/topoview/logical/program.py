"""Write one program for all ranks: the logical trace of a trace and its topology.

The ranks' calls become a call table, their partners get names, calls of all ranks get
positions that all share, and loops, conditions and functions are found in what stands
at these. Where the names of partners tear the ranks apart, others are tried. At last
the result is expanded again and compared with the trace, and what it leaves out is
noted.
"""

import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Final

import numpy as np

from topoview.base.progress import Report, batches, silent
from topoview.grouping import factorize
from topoview.logical.assembly import ContentTeller, PlaceTree, assemble
from topoview.logical.calls.call_table import CallReader, CallTable, join_symbols
from topoview.logical.calls.facts import CallFacts, PartCalls
from topoview.logical.calls.partners import (
    Exchanges,
    Naming,
    Neighbours,
    Shifts,
    neighbour_pairs,
)
from topoview.logical.calls.wildcards import WILDCARD_RULES, WildcardRule
from topoview.logical.conditions.conditions import Conditions
from topoview.logical.conditions.predicates import places_of
from topoview.logical.every_rank import (
    OfExamples,
    join_told,
    omission_notes,
    tell_ranks,
    uneven_visit_note,
)
from topoview.logical.functions.call_paths import MAX_PARAMETERS_TRIED
from topoview.logical.loops.compression import compress
from topoview.logical.merge.classes import RankClasses, RanksCompared, compare_ranks
from topoview.logical.merge.groups import group_ranks
from topoview.logical.merge.levels import LeveledProgram, LevelFinder, Loops, least_bits
from topoview.logical.merge.lists import Lists, RowKeys
from topoview.logical.merge.maximal_process import compare_with_maximal
from topoview.logical.merge.positions import PositionFinder, Positions
from topoview.logical.merge.segments import APART
from topoview.logical.renaming import OtherNames
from topoview.logical.stages import READING
from topoview.logical.statements import shifting, write
from topoview.logical.verification import VERIFYING
from topoview.model import (
    Bools,
    Directions,
    Ints,
    LogicalTrace,
    Match,
    MaximalProcess,
    Partners,
    RanksTold,
    Regions,
    SideTable,
    Trace,
)


def _partners(names: Sequence[str], leads: Ints, ranks: int) -> Partners:
    """Find where each rank's directions lead."""
    cell, partner = leads // max(ranks, 1), leads % max(ranks, 1)
    first = np.flatnonzero(np.diff(cell, prepend=-1))
    many = np.diff(np.append(first, len(cell)))
    width = max(len(names), 1)
    offsets = np.searchsorted(cell[first] // width, np.arange(ranks + 1))
    return Partners(
        tuple(names),
        offsets.astype(np.int64),
        (cell[first] % width).astype(np.int32),
        np.where(many > 1, -1, partner[first]).astype(np.int32),
    )


IRREGULAR_NOTE = (
    "the calls are so irregular that not all repetitions were looked at: "
    "the program may be longer than it need be"
)


@dataclass(frozen=True, slots=True, eq=False)
class Program:
    """A program for all ranks, and what it takes to tell it of each of them."""

    facts: CallFacts
    """What is known of all calls."""
    found: OfExamples
    """What was found for a rank of each class."""
    logical: LogicalTrace
    """The program; of it nothing is known yet that is told of every rank."""
    exactly: int
    """Ranks whose calls the maximal process makes exactly."""
    whole: bool
    """Whether all repetitions were looked at."""
    seconds: float
    """What seeking it took."""


def compare_part(
    calls: PartCalls, facts: CallFacts, match: Match | None, report: Report = silent
) -> RanksCompared:
    """Compare what some ranks do."""
    ranks = calls.part.trace.ranks

    def tables() -> Iterator[CallTable]:
        for table in CallReader(calls, facts):
            report(READING, 0.4 + 0.6 * table.first / max(ranks, 1))
            yield table

    return compare_ranks(tables(), ranks, neighbour_pairs(match, ranks))


def write_program(
    trace: Trace,
    naming: Naming,
    inputs: tuple[CallFacts, RanksCompared],
    report: Report = silent,
    *,
    longer: bool = False,
) -> Program:
    """Write a program for what a rank of each class does.

    Parameters
    ----------
    inputs
        Of all ranks.
    longer
        Whether equal calls of different call paths are told apart also where that is
        longer.
    """
    began, ranks = time.perf_counter(), trace.ranks
    program = _shortest_program(trace, naming, inputs, report)
    program = _with_functions(program, trace, report, longer=longer)
    frame, own = program.frame, program.calls
    classes, examples = own.classes, own.examples
    text = write(trace, frame, own.conditions.guards, classes, report)
    groups = group_ranks(examples)
    placed = compare_with_maximal(examples, groups, program.segment, report)
    of_examples = OfExamples(
        classes,
        frame,
        groups.spread(examples, placed.fits),
        text.scripted,
        shifting(examples, frame.place, text, own.partners),
    )
    logical = LogicalTrace(
        ranks=ranks,
        maximal_rank=int(classes.first[placed.rank]),
        body=text.body,
        statements=text.statements,
        loops=text.loops,
        depth=text.depth,
        records=int(np.diff(trace.calls.offsets[: ranks + 1]).max(initial=0)),
        calls_excluded=0.0,
        bytes_excluded=0.0,
        ranks_verified=0,
        statement_of_call=np.zeros(0, np.int32),
        ticks=np.zeros(0, np.int64),
        partners=own.partners,
        sizes=text.sizes,
        peers=SideTable.none(),
        guards=text.guards,
        blocks=text.blocks,
        patterns=frame.tree.patterns,
        trips=frame.tree.trips,
        rank_trips=text.rank_trips,
        groups=len(groups),
        group=groups.of[classes.of].astype(np.int32),
    )
    return Program(
        facts=own.facts,
        found=of_examples,
        logical=logical,
        exactly=int(classes.members[placed.exact[groups.of]].sum()),
        whole=frame.tree.whole,
        seconds=time.perf_counter() - began,
    )


def tell_part(calls: PartCalls, program: Program, report: Report = silent) -> RanksTold:
    """Expand a program for the ranks of a part."""
    trace, parts = calls.part.trace, list[RanksTold]()
    symbols = program.found.frame.rows.symbols
    for table in CallReader(calls, program.facts):
        reached = partial(_go_on, report, table.first / max(trace.ranks, 1))
        number = join_symbols([symbols, table.symbols])[1][1]
        rows = table.numbered(number, symbols)
        parts.append(tell_ranks(trace, rows, program.found, program.logical, reached))
    joined = join_told(parts)
    of_call = np.full(calls.part.size, -1, np.int32)
    of_call[: len(joined.of_call)] = joined.of_call
    return replace(joined, of_call=of_call)


def _go_on(report: Report, share: float, *_: object) -> None:
    report(VERIFYING, share)


def finish_program(
    trace: Trace, program: Program, ranks_told: RanksTold
) -> LogicalTrace:
    """Enter in a program what is told of all ranks."""
    logical, frame, messages = program.logical, program.found.frame, trace.messages
    elsewhere = program.facts.sums.elsewhere
    all_calls, sent = ranks_told.calls + elsewhere, 0
    for some in batches(len(messages)):
        sent += int(messages.size[some][messages.send_call[some] >= 0].sum())
    logical = replace(
        logical,
        calls_excluded=_missing(ranks_told.held, all_calls),
        bytes_excluded=_missing(ranks_told.held_bytes, sent),
        ranks_verified=ranks_told.verified,
        statement_of_call=ranks_told.of_call,
        ticks=ranks_told.ticks,
        peers=ranks_told.peers,
        scripts=ranks_told.scripts,
        maximal=MaximalProcess(
            logical.maximal_rank,
            _missing(ranks_told.maximal_calls, all_calls),
            _missing(ranks_told.maximal_bytes, ranks_told.bytes_sent),
            program.exactly,
        ),
        differs=ranks_told.differs,
        seconds=program.seconds,
    )
    return replace(
        logical,
        notes=(
            *omission_notes(trace, ranks_told, frame.rows, elsewhere, logical),
            *uneven_visit_note(trace, frame.uneven, logical),
            *([] if program.whole else [IRREGULAR_NOTE]),
        ),
    )


def _missing(held: int, all_: int) -> float:
    return (all_ - held) / all_ if all_ else 0.0


TORN_RATIO = 2.0
"""How many times longer than one rank's program one is that tears the ranks apart."""


@dataclass(frozen=True, slots=True, eq=False)
class _Calls:
    """The calls of a rank of each class, by some names of partners."""

    facts: CallFacts
    classes: RankClasses
    examples: CallTable
    partners: Partners
    conditions: Conditions
    neighbours: Ints
    told: dict[bytes, bool] = field(default_factory=dict)

    @staticmethod
    def of(
        facts: CallFacts, compared: RanksCompared, naming: Naming, ranks: int
    ) -> "_Calls":
        partners = _partners(facts.names, compared.leads, ranks)
        return _Calls(
            facts=facts,
            classes=compared.classes(),
            examples=compared.examples,
            partners=partners,
            conditions=_conditions(partners, naming.places or naming.match, ranks),
            neighbours=neighbour_pairs(naming.match, ranks),
        )

    def may_tell(self, classes: Ints) -> bool:
        """Whether a simple condition may tell some classes from the others."""
        key = classes.tobytes()
        if key not in self.told:
            self.told[key] = self.conditions.may_tell(self.classes.ranks(classes))
        return self.told[key]

    def is_as(self, other: "_Calls") -> bool:
        """Whether all rows say the same."""
        ours, theirs = self.examples.symbol, other.examples.symbol
        return np.array_equal(ours, theirs) and np.array_equal(
            self.classes.of, other.classes.of
        )


@dataclass(frozen=True, slots=True, eq=False)
class _Program:
    """The shortest program found for calls."""

    calls: _Calls
    keys: RowKeys
    segment: Ints
    frame: PlaceTree

    @staticmethod
    def of(
        calls: _Calls, regions: Regions, report: Report, function: Ints | None = None
    ) -> "_Program":
        """Write the calls in all ways that are worth it, and take the shortest.

        Parameters
        ----------
        function
            Number of where each row of the examples is called: calls of different ones
            are told apart.
        """
        rows, classes = calls.examples, calls.classes
        keys = RowKeys.of(rows, regions, function)
        lists = Lists.of(rows, keys, classes.members, calls.may_tell)
        finder = PositionFinder(rows, lists, keys, report)
        whole: list[_Candidate] = []
        exact: list[_Candidate] = []
        shortest = np.inf
        seen: list[Ints] = []
        compressed: dict[bytes, Loops] = {}
        for way in (None, *WHOLE_WAYS):
            if way is not None and not finder.differs(way):
                continue
            positions = finder.positions(way)
            few = MAX_TIMES_APART * (int(seen[0].max(initial=0)) + 1) if seen else 0
            if way == APART and len(positions) > max(few, MIN_POSITIONS_APART):
                continue
            if any(np.array_equal(positions.of, other) for other in seen):
                continue
            seen.append(positions.of)
            finder_of_levels = LevelFinder(
                rows=rows,
                lists=lists,
                keys=keys,
                positions=positions,
                report=report,
                compressed=compressed,
                shortest=shortest,
            )
            levels = finder_of_levels.programs()
            for kind, program in zip((whole, exact), levels, strict=False):
                kind.append((program.bits, len(seen), positions, program))
            shortest = min(shortest, whole[-1][0])
        best = None
        for kind in (whole, exact):
            for bits, _, positions, program in sorted(kind)[:MAX_WRITTEN]:
                if best is None or least_bits(bits, program.beside) < best.bits:
                    inputs = (rows, lists, keys, positions, program)
                    teller = ContentTeller(*inputs, classes, calls.neighbours)
                    frame = assemble(teller, calls.conditions, report)
                    best = min(best or frame, frame, key=lambda frame: frame.bits)
        assert best is not None
        return _Program(calls, keys, lists.segment, best)

    def is_better_than(self, other: "_Program", ratio: float = 1.0) -> bool:
        """Whether it is shorter, and leaves no more calls without a rule.

        Or fewer, on no more lines. Where the other names say more, it must be shorter
        by a `ratio`, and in no more statements.
        """
        ours, theirs = self.frame, other.frame
        scripts = int(ours.script.sum()) - int(theirs.script.sum())
        if scripts < 0:
            return ours.tree.lines() <= theirs.tree.lines() or ours.bits < theirs.bits
        few = ratio == 1.0 or ours.tree.leaves <= theirs.tree.leaves
        return scripts == 0 and few and ours.bits < ratio * theirs.bits

    def unruled_calls(self) -> float:
        """Share of the calls that follow no rule, of a rank of each class."""
        frame = self.frame
        scripted = np.zeros(frame.tree.leaves + 1, bool)
        leaf, symbol = frame.tree.expand().T
        scripted[leaf] = frame.script[symbol]
        return float(scripted[frame.place].mean()) if len(frame.place) else 0.0

    def is_torn(self) -> bool:
        """Whether it is far longer than what the rank with most calls does."""
        offsets = self.calls.examples.offsets
        rank = int(np.argmax(np.diff(offsets)))
        own = self.keys.sized[offsets[rank] : offsets[rank + 1]]
        tokens, written = compress(factorize(own.view(np.int64))[1])
        return self.frame.tree.leaves >= TORN_RATIO * tokens.leaves(written)


_Candidate = tuple[float, int, Positions, LeveledProgram]
"""What a program takes, about, a number, and what it is."""

WHOLE_WAYS: Final = ("lists", APART, "script")
"""Ways to merge segments that are also tried for all of them."""

MAX_TIMES_APART, MIN_POSITIONS_APART = 4, 2_000
"""How many times more positions there may be where no calls are lists, if many."""

MAX_WRITTEN = 2
"""Programs that are written down to see what they take, of each kind."""


MAX_RATIO_RENAMED = 0.8
"""What a program takes at most by names other than a lattice's directions."""

MAX_RATIO_ARRIVED = 0.9
"""What a program takes at most that does not tell from whom messages come."""

MIN_SHARE_UNRULED = 0.25
"""Share of a program that calls without a rule take at least where it is tried whether
they become fewer if messages come from anybody."""

MIN_CALLS_UNRULED = 0.25
"""Share of calls that follow no rule by a lattice's directions at least where partners
are numbered instead."""

MAX_ROWS_NAMED_OTHERWISE, MIN_ROWS_A_STATEMENT = 30_000, 1_000
"""Rows of a rank of each class that are so few that partners are also named otherwise,
and rows for each statement of a program so regular that more rows take little time. So
many calls may a trace have whose lattice is also named as another graph."""


def _shortest_program(
    trace: Trace,
    naming: Naming,
    inputs: tuple[CallFacts, RanksCompared],
    report: Report,
) -> _Program:
    """Find the shortest program, by other names of partners where those are shorter.

    Graphs have several names: that of CG on 8 ranks is a grid too. By its directions
    ranks would have little in common that exchange with one bit of their number after
    the other. Neighbours in a lattice keep its directions, unless many calls follow no
    rule by them, and none if partners are numbered. Where ranks have no places they go
    through lists of neighbours, or around all ranks. Receives of what comes first do
    not tell from whom.
    """
    directions, match, others = naming.directions, naming.match, naming.others
    first = _Calls.of(*inputs, naming, trace.ranks)
    best, chosen = _Program.of(first, trace.regions, report), directions
    rows, statements = len(first.examples.symbol), best.frame.tree.leaves
    few = rows <= MAX_ROWS_NAMED_OTHERWISE or rows >= MIN_ROWS_A_STATEMENT * statements
    if not few or trace.ranks < 2:
        return best
    reader = OtherNames(trace, *inputs, first.neighbours)

    def program(names: Directions, arrives: WildcardRule | None = None) -> _Program:
        own_naming = naming._replace(directions=names)
        renamed = reader.read(own_naming, report, arrives)
        if renamed is None:
            return best
        own = _Calls.of(*renamed, naming, trace.ranks)
        if arrives and own.is_as(best.calls):
            return best  # nothing arrives so
        return _Program.of(own, trace.regions, report)

    placed = match is not None and match.topology.is_lattice
    for other in _further_names(trace, others, match, best, inputs[1].met):
        result = program(other)
        if _replaces(result, best, other, placed=placed):
            best, chosen = result, other
    frame = best.frame
    if frame.script_bits > MIN_SHARE_UNRULED * frame.bits or best.is_torn():
        for arrives in WILDCARD_RULES:
            result = program(chosen, arrives)
            if result.is_better_than(best, MAX_RATIO_ARRIVED):
                return result
    return best


def _replaces(
    result: _Program, best: _Program, names: Directions, *, placed: bool
) -> bool:
    """Whether a program by other names is to be taken, of ranks that may have places.

    Numbers of partners say nothing of these: they must leave no call without a rule.
    """
    if placed and isinstance(names, Neighbours) and result.frame.script.any():
        return False
    ratio = MAX_RATIO_RENAMED if placed and not isinstance(names, Shifts) else 1.0
    return result.is_better_than(best, ratio)


def _further_names(
    trace: Trace,
    others: Sequence[Directions],
    match: Match | None,
    best: _Program,
    met: Ints,
) -> Iterator[Directions]:
    """Yield the names that may be better than a topology's directions."""
    yield from _round_schemes(match, trace.ranks)
    placed = match is not None and match.topology.is_lattice
    whole = match is not None and match.level == 0 and not match.extra
    # names of the same graph
    short = len(trace.calls) <= MAX_ROWS_NAMED_OTHERWISE
    if not placed or (short and whole and len(group_ranks(best.calls.examples)) > 1):
        yield from others
    if placed:
        numbered = best.unruled_calls() > MIN_CALLS_UNRULED
    else:
        numbered = bool(best.frame.script.any()) or best.is_torn()
    if numbered:
        yield Neighbours.of(met, trace.ranks)


OUTERMOST_LEVELS = 3
"""Outermost functions by which calls are told apart where all of them tell too much."""


def function_numbers(rows: CallTable) -> Iterator[Ints]:
    """Yield numbers of where each row is called from, ever more coarsely."""
    if not len(rows.path):
        return
    used = factorize(rows.path)[0]
    paths = rows.paths
    yield rows.path
    if paths.parameters is not None:
        for left_out in range(
            1, min(len(paths.parameters.names), MAX_PARAMETERS_TRIED)
        ):
            yield paths.without(left_out)[rows.path]
    plain = paths.without(MAX_PARAMETERS_TRIED)
    if paths.parameters is not None:
        yield plain[rows.path]
    yield paths.functions()[rows.path] + 1
    for levels in range(
        min(int(paths.level[used].max()), OUTERMOST_LEVELS + 1) - 1, 0, -1
    ):
        yield plain[paths.cut(rows.path, levels)]


def _with_functions(
    best: _Program, trace: Trace, report: Report, *, longer: bool
) -> _Program:
    """Separate calls of different functions, if that takes no more statements.

    Where it does, they are told apart by fewer of the functions around them.
    """
    plain = best
    counts: set[int] = {1}
    for function in function_numbers(plain.calls.examples):
        count = len(factorize(function)[0])
        if count in counts:
            continue
        counts.add(count)
        result = _Program.of(plain.calls, trace.regions, report, function)
        if longer or result.frame.tree.leaves <= plain.frame.tree.leaves:
            return result
    return best


def _round_schemes(match: Match | None, ranks: int) -> tuple[Directions, ...]:
    """Further names of partners where a topology has many neighbours of equal kind."""
    if match is None:
        return ()
    topology = match.topology
    if topology.kind == "complete":
        bits = (Exchanges(),) if ranks & (ranks - 1) == 0 else ()
        return (Shifts.around(np.arange(ranks)), *bits)
    is_ring = topology.is_lattice and topology.periodic == (True,)
    steps = len(topology.edges) > ranks
    if is_ring and steps and topology.vertices == ranks and match.vertex.min() >= 0:
        return (Shifts.around(match.coordinates[:, 0], ("EAST", "WEST")),)
    return ()


def _conditions(partners: Partners, match: Match | None, ranks: int) -> Conditions:
    has: list[tuple[str, Bools]] = []
    if len(partners.names) <= 64:
        rank = np.repeat(np.arange(ranks), np.diff(partners.offsets))
        for index, name in enumerate(partners.names):
            holds = np.zeros(ranks, bool)
            holds[rank[partners.direction == index]] = True
            if not holds.all() and not name.startswith("rank "):
                has.append((name, holds))
    return Conditions.at(places_of(match, ranks, tuple(has)))
