"""Which contents count as equal, and the loops over them: the program, by its cost.

A position's content is told exactly, or but for numbers, which are in a table beside
it (bytes, partners in order of arrival), or by a table of what each rank does in each
turn. The first says most, the last is shortest where nothing repeats; what is taken is
what makes the whole shortest: its lines, and what tables hold.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field
from hashlib import blake2b
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from topoview.base.progress import Report, silent
from topoview.grouping import counting_sort, factorize, kinds_by_owner, run_begins
from topoview.logical.calls.call_table import CallTable
from topoview.logical.calls.wildcards import ANY_SOURCE
from topoview.logical.kernels import mix_bits
from topoview.logical.loops.compression import LoopSequence, LoopTokens, compress
from topoview.logical.loops.cost import HIDDEN, LINE, TABLE_HEAD
from topoview.logical.loops.structure import name_blocks
from topoview.logical.loops.tree import Nodes
from topoview.logical.merge.content_cost import ContentRows, content_bits
from topoview.logical.merge.lists import Lists, RowKeys, joint, sums_of
from topoview.logical.merge.positions import PositionKind, Positions
from topoview.model import Floats, Ints

EXACT, NUMBERS, TABLE = range(3)
"""Levels: all is told; numbers are in a table; all is in a table."""

MAX_LINES_OF_ALL = 2_000
"""Lines of the longest program that tells all and is kept beside the shortest."""

MAX_TRIALS = 48
"""Programs that are written to choose levels."""

MAX_SYMBOLS_TRIED = 3_000_000
"""Symbols that these programs may have together."""

MAX_PART_SYMBOLS = 5_000
"""Symbols of the longest part of a program whose loops are sought again within it."""

PREFER_PARTS = 1.05
"""How much longer a program may be whose loops begin where exchanges do."""


MAX_SHARE_SAVED, MAX_LINES_SAVED = 0.5, 1_000
"""Share of a long program's lines that is saved at most when it is written down, and
lines of a short one: by loops that vary, or that go over numbers or sizes."""


def least_bits(bits: float, beside: float) -> float:
    """Compute what a program takes at least when it is written down.

    Parameters
    ----------
    bits, beside
        What it takes before, and what of that are no lines.
    """
    lines = bits - beside
    saved = max(MAX_SHARE_SAVED * lines, LINE * MAX_LINES_SAVED)
    return bits - min(saved, lines)


@dataclass(frozen=True, slots=True, eq=False)
class LeveledProgram:
    """A sequence of symbols, written as loops."""

    bits: float
    """What it takes to write all."""
    beside: float
    """What of that are no lines: contents, and tables of turns."""
    level: Ints
    """int64, shape (positions,): how each position is told."""
    sequence: Ints
    """int64, shape (positions,): symbol of each position, from 0 without gaps."""
    tokens: LoopTokens
    written: LoopSequence
    """`tokens` and `written`: its loops."""
    exact: Ints
    """int64, shape (positions,): number of each position's exact content."""
    named: Ints
    """int64, shape (positions,): number of each position's content by names, without
    bytes."""
    names_shorter: NDArray[np.bool_]
    """bool, shape (contents,): whether names tell an exact content in no more than a
    table would."""
    content_bits: Floats
    """float64, shape (contents,): what it takes to tell each exact content."""


Loops = tuple[LoopTokens, LoopSequence]
"""A sequence written as loops."""


class WeighedLoops(NamedTuple):
    """Loops, and what they take."""

    bits: float
    tokens: LoopTokens
    written: LoopSequence


@dataclass(slots=True)
class LevelFinder:
    """Chooses the levels of a program's positions."""

    rows: CallTable
    lists: Lists
    keys: RowKeys
    positions: Positions
    report: Report = silent
    compressed: dict[bytes, Loops] = field(default_factory=dict)
    """The loops of short sequences that were looked at: rows of loops, and the turns of
    tables, come again in most programs that are tried."""
    shortest: float = np.inf
    """What the shortest program by other positions takes: single kinds of calls are not
    looked at where this one cannot become shorter."""
    contents: list[Ints] = field(init=False)
    weight: NDArray[np.float64] = field(init=False)
    content_bits: Floats = field(init=False)
    trials: int = field(init=False, default=MAX_TRIALS)
    symbols: int = field(init=False, default=MAX_SYMBOLS_TRIED)
    names_shorter: NDArray[np.bool_] = field(init=False)
    _part_first: Ints = field(init=False)
    _known: dict[bytes, WeighedLoops] = field(default_factory=dict)

    def __post_init__(self) -> None:
        """Enumerate the contents of positions by each level, equal ones alike."""
        of, rank, keys = self.positions.of, self.lists.rank, self.keys
        count = len(self.positions)
        first = run_begins(of, rank)
        place, whose = of[first], rank[first]
        self.contents = [
            factorize(joint(place, whose, sums_of(first, key), count).view(np.int64))[1]
            for key in (keys.exact, keys.named)
        ]
        word = np.zeros(count, np.uint64)
        listed = keys.listed[first] | self.lists.serving[first]
        word[place] = np.where(listed, self.lists.word[first], keys.kind[first])
        kind = self.positions.kind
        word[kind == PositionKind.SCRIPT] = 3
        self.contents.append(
            factorize(mix_bits(word ^ kind.astype(np.uint64)).view(np.int64))[1]
        )
        self._weigh_contents()
        self._find_parts(first, place)

    def _weigh_contents(self) -> None:
        """Weigh what each content takes, and how dear it is to hide in a table."""
        exact, count = self.contents[EXACT], len(self.positions)
        example = np.full(int(exact.max(initial=-1)) + 1, count)
        np.minimum.at(example, exact, np.arange(count))
        chosen = np.zeros(count, bool)
        chosen[example] = True
        row = np.flatnonzero(chosen[self.positions.of])
        script = np.isin(
            self.positions.kind, (PositionKind.SERVING, PositionKind.SCRIPT)
        )
        content_rows = ContentRows(
            row,
            self.positions.of[row],
            self.lists.members[self.lists.rank[row]],
            count,
            script,
        )
        content = content_bits(self.rows, self.lists, self.keys, content_rows)
        self.content_bits = content.bits[example]
        self.names_shorter = content.names_shorter[example]
        # from anybody as many bytes come as are sent: the senders' tables tell
        number = {name: number for number, name in enumerate(self.rows.names)}
        anybody = self.rows.symbols.source == number.get(ANY_SOURCE, len(number))
        bits = np.bincount(
            self.positions.of[row], ~anybody[self.rows.symbol[row]], count
        )
        hides_bytes = np.where(content.bytes_tell[example], HIDDEN, 1.0)
        hides_bytes[bits[example] == 0] = 0.0
        hides_names = np.where(content.names_tell[example], HIDDEN, 1.0)
        self.weight = np.stack((hides_bytes, hides_bytes, hides_names))

    def _find_parts(self, first: Ints, place: Ints) -> None:
        """Find where exchanges begin: after completed requests, and at collectives."""
        kind, count = self.positions.kind, len(self.positions)
        completes, alone = np.zeros(count, bool), kind == PositionKind.ANCHOR
        completes[place] = self.keys.completing[first]
        completes &= (kind != PositionKind.SERVING) & (kind != PositionKind.SCRIPT)
        together = self.rows.symbols.family[self.rows.symbol[first]] >= 0
        alone[place[together]] = True
        begins = np.ones(count, bool)
        begins[1:] = (completes[:-1] & ~completes[1:]) | alone[1:] | alone[:-1]
        begins[1:] |= self.positions.segment[1:] != self.positions.segment[:-1]
        self._part_first = np.flatnonzero(begins)

    def sequence(self, level: Ints) -> Ints:
        """Symbol of each position, told by its own level."""
        code = np.choose(level, self.contents)
        return factorize(code * 3 + level)[1]

    def programs(self) -> Iterator[LeveledProgram]:
        """Write programs: that of the levels that are shortest, and one that tells all.

        Where that has many lines it is left out.
        """
        level = np.zeros(len(self.positions), np.int64)
        exact = self.written(level)
        yield (shortest := self._best(level, exact))
        few = exact.tokens.leaves(exact.written) <= MAX_LINES_OF_ALL
        if shortest.level.any() and few:
            yield self._program(level, exact)

    def _best(self, level: Ints, best: WeighedLoops) -> LeveledProgram:
        """Choose the levels whose program is the shortest."""
        for tried in self._trials(level):
            program = self._program(level, best)
            if least_bits(program.bits, program.beside) >= self.shortest:
                return program
            for at, to in tried:
                if self.trials < 0 or self.symbols < 0:
                    break
                if (level[at] >= to).all():
                    continue
                other = level.copy()
                other[at] = np.maximum(other[at], to)
                self.report("finding loops", 0.5)
                sequence = self.sequence(other)
                least = LINE * (int(sequence.max()) + 1)  # each needs a line
                if least + self._tables(other, sequence) >= best.bits:
                    self.symbols -= len(sequence)
                    continue
                candidate = self.written(other)
                if candidate.bits < best.bits:
                    best, level = candidate, other
        return self._program(level, best)

    def _program(self, level: Ints, loops: WeighedLoops) -> LeveledProgram:
        sequence, content_bits = self.sequence(level), float(self.content_bits.sum())
        return LeveledProgram(
            bits=loops.bits + content_bits,
            beside=content_bits + self._tables(level, sequence),
            level=level,
            sequence=sequence,
            tokens=loops.tokens,
            written=loops.written,
            exact=self.contents[EXACT],
            named=self.contents[NUMBERS],
            names_shorter=self.names_shorter,
            content_bits=self.content_bits,
        )

    def _trials(self, level: Ints) -> Iterator[Iterator[tuple[Ints, int]]]:
        """Positions to raise together, and to which level: the boldest first."""
        exact, named, kind = self.contents
        every = np.arange(len(level))
        free = [np.flatnonzero(self.weight[to][exact] < HIDDEN) for to in (1, 2)]
        yield iter(
            ((free[0], NUMBERS), (free[1], TABLE), (every, NUMBERS), (every, TABLE))
        )
        segment = self.positions.segment
        parts = joint(
            self.lists.segment[self.lists.cell[:-1]],
            self.lists.rank[self.lists.cell[:-1]],
            sums_of(self.lists.cell[:-1], self.keys.kind),
            self.lists.segments,
        )
        within = factorize(parts.view(np.int64))[1][segment]
        uniform = self.positions.uniform[segment]
        finer = kind * (int(within.max(initial=0)) + 2) + np.where(
            uniform, within + 1, 0
        )
        for classes, levels in (
            (named, (NUMBERS,)),
            (kind, (NUMBERS, TABLE)),
            (finer, (NUMBERS, TABLE)),
        ):
            yield self._by_class(classes, levels)

    def _by_class(
        self, classes: Ints, levels: tuple[int, ...]
    ) -> Iterator[tuple[Ints, int]]:
        """Positions of each class, that with most different contents first."""
        many = kinds_by_owner(classes, self.contents[EXACT], 0)
        order, begins = counting_sort(classes, len(many))
        for one in np.argsort(-many, kind="stable").tolist():
            if many[one] < 2:
                return
            for to in levels:
                yield order[begins[one] : begins[one + 1]], to

    def written(self, level: Ints) -> WeighedLoops:
        """Write the loops of a choice of levels, and weigh lines and tables."""
        sequence = self.sequence(level)
        key = blake2b(sequence.astype(np.int32).data, digest_size=16).digest()
        if key not in self._known:
            self._known[key] = self._loops(sequence)
            self.trials -= 1
            self.symbols -= len(sequence)
        bits, tokens, written = self._known[key]
        return WeighedLoops(bits + self._tables(level, sequence), tokens, written)

    def _loops(self, sequence: Ints) -> WeighedLoops:
        """Write a sequence as loops: of whole exchanges, unless others are shorter."""
        written = self._loops_of_parts(sequence)
        best = WeighedLoops(LINE * _lines(*written), *written)
        shorter = self._compress(sequence)
        if shorter[0].loops != written[0].loops or shorter[1] != written[1]:
            bits = PREFER_PARTS * LINE * _lines(*shorter)
            if bits < best.bits:
                best = WeighedLoops(bits, *shorter)
        return best

    def _loops_of_parts(self, sequence: Ints) -> tuple[LoopTokens, LoopSequence]:
        """Write a sequence as loops over whole exchanges, and loops within each."""
        key = mix_bits(sequence.astype(np.uint64))
        of_part = factorize(sums_of(self._part_first, key).view(np.int64))[1]
        tokens, written = self._compress(of_part)
        example = np.zeros(int(of_part.max(initial=-1)) + 1, np.int64)
        example[of_part[::-1]] = np.arange(len(of_part))[::-1]
        ends = np.append(self._part_first[1:], len(sequence))
        parts = [
            tuple(sequence[self._part_first[p] : ends[p]].tolist())
            for p in example.tolist()
        ]
        out = LoopTokens(int(sequence.max(initial=-1)) + 1, whole=tokens.whole)
        made: dict[int, int] = {}

        def row(items: LoopSequence) -> LoopSequence:
            sequence = tuple(
                t
                for i in items
                for t in (parts[i] if i < tokens.symbols else (loop(i),))
            )
            return (
                sequence
                if len(sequence) > MAX_PART_SYMBOLS
                else self._rolled(out, sequence)
            )

        def loop(token: int) -> int:
            if token not in made:
                count, body = tokens.loops[token - tokens.symbols]
                made[token] = out.loop(count, row(body))
            return made[token]

        return out, row(written)

    def _tables(self, level: Ints, sequence: Ints) -> float:
        """Weigh the tables that tell which content each turn has."""
        raised = level > EXACT
        if not raised.any():
            return 0.0
        exact = self.contents[EXACT]
        own, content = sequence[raised], exact[raised]
        width = int(exact.max(initial=0)) + 1
        pairs = factorize(own * width + content)[0]
        symbols = int(sequence.max()) + 1
        kinds = np.bincount(pairs // width, minlength=symbols)
        turns = np.bincount(own, minlength=symbols)
        of_symbol = np.zeros(symbols, np.int64)
        of_symbol[sequence] = level
        dear = np.bincount(
            pairs // width,
            weights=self.weight[of_symbol[pairs // width], pairs % width],
            minlength=symbols,
        ) / np.maximum(kinds, 1)
        turns = turns.astype(np.float64)
        cheap = np.flatnonzero((kinds > 1) & (dear <= 1))
        order, begins = counting_sort(own, symbols)
        for symbol in cheap.tolist():  # their loops are written as loops
            turn = order[begins[symbol] : begins[symbol + 1]]
            tokens, written = self._compress(factorize(content[turn])[1])
            turns[symbol] = tokens.leaves(written)
        heads = TABLE_HEAD * ((kinds > 1) & (dear > 0))
        bits = turns * np.log2(np.maximum(kinds, 1)) * dear + heads
        return float(bits.sum())

    def _compress(self, sequence: Ints) -> Loops:
        """Write a sequence as loops, a short one once."""
        if len(sequence) > MAX_PART_SYMBOLS:
            return compress(sequence)
        key = sequence.astype(np.int32).tobytes()
        if key not in self.compressed:
            self.compressed[key] = compress(sequence)
        return self.compressed[key]

    def _rolled(self, out: LoopTokens, row: LoopSequence) -> LoopSequence:
        """Find loops in a row of tokens."""
        number: dict[int, int] = {}
        which = [number.setdefault(token, len(number)) for token in row]
        kinds = list(number)
        inner, text = self._compress(np.array(which, np.int64))
        memo: dict[int, int] = {}

        def back(token: int) -> int:
            if token < inner.symbols:
                return kinds[token]
            if token not in memo:
                count, body = inner.loops[token - inner.symbols]
                memo[token] = out.loop(count, tuple(back(t) for t in body))
            return memo[token]

        return tuple(back(token) for token in text)


def _lines(tokens: LoopTokens, written: LoopSequence) -> int:
    """Count the lines of loops and blocks."""
    nodes = Nodes()
    main, blocks = name_blocks(nodes, nodes.written(tokens, written), silent)
    return len(blocks) + sum(map(nodes.lines_of, (main, *blocks)))
