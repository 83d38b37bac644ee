"""The logical trace: one program that stands for all ranks, its statements and tables.

A program is a body of statements. Run for a rank it gives that rank's calls: a `When`
runs its body for some ranks only, a `Sometimes` in some iterations only, a `BlockCall`
runs a body that is written once and used in several places. Tables that vary from turn
to turn are read as the program runs: each time that their statement is reached it takes
the next entry, the first again after the last.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, fields
from typing import Any, Literal, NamedTuple

import numpy as np

from topoview.model.definitions import TimeState
from topoview.model.frozen.arrays import Bools, Frozen, Indices, Ints, freeze

ROOT_OF_LOOP = -2
"""Root of a collective in a loop over the roots: the number that the loop is at."""


@dataclass(frozen=True, slots=True)
class Call:
    """A statement: one MPI call with its partners as directions.

    Notes
    -----
    In a loop over numbers names hold the number as ``k``: ``EXCHANGE k``.
    """

    index: int
    """Number of the statement in the order of the listing: the body, then the
    blocks."""
    operation: str
    """``Isend``, ``Allreduce``, ..."""
    to: str | None
    source: str | None
    """`to` and `source`: direction of the partner sent to or received from (``EAST``),
    or None."""
    size: int | None
    source_size: int | None
    """`size` and `source_size`: bytes sent (or of the collective), and received; None
    if not known."""
    detail: str
    """Anything else worth showing: root or communicator of a collective, what a Wait
    completes."""
    state: TimeState
    """State of a rank that is in the call."""
    sizes: tuple[int, int] | None = None
    source_sizes: tuple[int, int] | None = None
    """`sizes` and `source_sizes`: least and most bytes where they vary by rank or from
    one repetition to the next; `size` or `source_size` is None then, and
    `LogicalTrace.sizes` tells each."""
    awaits_to: str | None = None
    awaits_source: str | None = None
    """`awaits_to` and `awaits_source`: for a Wait: direction of the message whose
    request it completes."""
    to_guard: int = -1
    source_guard: int = -1
    """`to_guard` and `source_guard`: ranks that have the partner, where not all that
    make the call have (the halves of a Sendrecv at an edge): index into
    `LogicalTrace.guards`, else -1."""
    communicator: str = ""
    """Of a collective: name of its communicator, as all ranks share it; empty for that
    of all ranks. Of one-sided calls and files: name of the window or file."""
    root: int = -1
    """Of a collective: rank of its root in the communicator, -1 if it has none,
    `ROOT_OF_LOOP` where it is the number of the loop around it."""
    polls: bool = False
    """Whether the call is repeated until something has happened."""
    path: tuple[str, ...] = ()
    """Functions or regions of the program around the call, the outermost first. Where
    they differ from call to call ``…`` stands for those that do."""
    kept: int = 0
    """How many of them, the outermost ones, were open since the call before, at most:
    those inside are entered anew each time."""
    calls: tuple[int, int] | None = None
    """None for one call. Otherwise the statement stands for several calls that follow
    no rule, and these are the least and most that a rank makes each time;
    `LogicalTrace.scripts` holds them one by one."""
    partners: tuple[int, int] | None = None


@dataclass(frozen=True, slots=True)
class Each:
    """Calls of one operation in a row, one or more for each partner: read as one."""

    body: tuple["Statement", ...]
    """Its calls, in the order in which ranks make them, under their conditions."""
    neighbours: bool = False
    """Whether every rank calls just once for each neighbour in the topology."""


@dataclass(frozen=True, slots=True)
class Loop:
    """Statements that are repeated."""

    count: int
    """How often the body runs; the most where that varies."""
    body: tuple["Statement", ...]
    """What is repeated."""
    over: tuple[int, ...] = ()
    """The numbers that it goes through, in a loop over numbers: one an iteration,
    written ``k`` in the names of the body's calls."""
    trips: int = -1
    """Index into `LogicalTrace.trips` where the count varies from turn to turn, else
    -1."""
    rank_trips: int = -1
    """Index into `LogicalTrace.rank_trips` where the count varies by rank, else -1."""
    growth: int = 0
    """1 if the turns differ in the sizes of messages, which grow; -1 if they shrink."""
    kept: int = -1
    """How many of the functions around its first call, the outermost first, stay open
    from turn to turn; -1 if `Call.kept` of that call tells it."""


@dataclass(frozen=True, slots=True)
class When:
    """Statements of some ranks only: those of ``LogicalTrace.guards[guard]``."""

    guard: int
    body: tuple["Statement", ...]


@dataclass(frozen=True, slots=True)
class Sometimes:
    """Statements of some iterations only."""

    share: float
    """Fraction of the times it is reached that the body runs."""
    pattern: int
    """Index into `LogicalTrace.patterns`."""
    body: tuple["Statement", ...]
    """What runs then."""


@dataclass(frozen=True, slots=True)
class BlockCall:
    """The statements of ``LogicalTrace.blocks[block]``, here."""

    block: int


Statement = Call | Each | Loop | When | Sometimes | BlockCall


@dataclass(frozen=True, slots=True)
class Block:
    """Statements that are used in several places, and their name."""

    name: str
    body: tuple[Statement, ...]


@dataclass(frozen=True, slots=True, eq=False)
class Guard(Frozen):
    """A set of ranks."""

    text: str
    """The set in words of the topology: ``not at west edge``, ``x even``."""
    ranks: Indices
    """int32, shape (n,): its ranks, ascending."""
    closed: bool = True
    """Whether the text follows from the topology, and is no list of ranks."""


@dataclass(frozen=True, slots=True, eq=False)
class SideTable(Frozen):
    """Numbers of the statements of which they vary, by rank.

    A rank takes the numbers of its cell in turn, from the first again after the
    last: one number where a statement's number varies by rank only.
    """

    statement: Indices
    """int32, shape (columns,): `Call.index` of each column."""
    received: Bools
    """bool, shape (columns,): whether the column is of the side received, not of that
    sent."""
    offsets: Ints
    """int64, shape (columns * ranks + 1,): cell ``column * ranks + rank`` owns
    ``values[offsets[cell]:offsets[cell + 1]]``; empty where the rank does not take
    part."""
    values: Ints
    """int64, shape (numbers,): bytes, or partners' world ranks."""

    @staticmethod
    def none() -> "SideTable":
        """Hold no numbers."""
        short, long = np.zeros(0, np.int32), np.zeros(0, np.int64)
        return SideTable(short, np.zeros(0, bool), np.zeros(1, np.int64), long)


@dataclass(frozen=True, slots=True, eq=False)
class Scripts(Frozen):
    """Calls that follow no rule, of statements that stand for several.

    Each visit of the program to the statement is a turn of the rank. Equal calls, equal
    turns and equal sequences of turns are held once, in the order in which the ranks
    come to them. A partner is a number among the rank's own, in the order in which it
    meets them here: ranks that do the same but for who their partners are have the same
    sequence.
    """

    statement: Indices
    """int32, shape (scripts,): `Call.index` of each."""
    visits: Ints
    """int64, shape (scripts,): how often the program comes to each."""
    sequence: Indices
    """int32, shape (scripts * ranks,): sequence of the turns of each cell ``script *
    ranks + rank``."""
    period: Ints
    """int64, shape (sequences,): visits after which each sequence begins again."""
    runs: Ints
    """int64, shape (sequences + 1,): A sequence owns the runs of equal turns
    ``runs[sequence]:runs[sequence + 1]``."""
    visit: Ints
    """int64, shape (runs,): visit that begins each run: from 0, ascending in a sequence
    and below its period."""
    turn: Indices
    """int32, shape (runs,): turn that each visit of a run is."""
    recorded: Ints
    """int64, shape (runs,): calls of the trace in each of these: also those that repeat
    a poll."""
    calls: Ints
    """int64, shape (turns + 1,): A turn makes the calls ``call[calls[turn]:calls[turn +
    1]]``: one of them none."""
    call: Indices
    """int32, shape (calls of all turns,): index into the columns of calls."""
    operation: Indices
    """int32, shape (calls,): index into `operations`."""
    communicator: Indices
    root: Indices
    """`communicator` and `root`: int32, shape (calls,): of collectives: index into
    `communicators`, and the root's rank; else -1."""
    to: Indices
    source: Indices
    """`to` and `source`: int32, shape (calls,): partner sent to and received from, a
    number among the rank's; -1 if there is none."""
    size: Ints
    source_size: Ints
    """`size` and `source_size`: int64, shape (calls,): bytes sent and received, -1 if
    there are none."""
    partners: Ints
    """int64, shape (ranks + 1,): A rank owns the partners
    ``partner[partners[rank]:partners[rank + 1]]``."""
    partner: Indices
    """int32, shape (partners of all ranks,): world ranks."""
    operations: tuple[str, ...]
    communicators: tuple[str, ...]
    """`operations` and `communicators`: their names."""

    @staticmethod
    def none() -> "Scripts":
        """Hold no calls."""
        short, long = np.zeros(0, np.int32), np.zeros(0, np.int64)
        begin = np.zeros(1, np.int64)
        offsets = ("runs", "calls", "partners")
        columns = ("visits", "period", "visit", "recorded", "size", "source_size")
        names: dict[str, Any] = {"operations": (), "communicators": ()}
        others = {field.name: short for field in fields(Scripts)}
        return Scripts(
            **others
            | dict.fromkeys(offsets, begin)
            | dict.fromkeys(columns, long)
            | names
        )

    @property
    def ranks(self) -> int:
        """Number of ranks; 0 without scripts."""
        return len(self.partners) - 1

    def runs_of(self, cell: Ints, visit: Ints) -> Ints:
        """Look up the runs that visits are in: int64, shape (n,).

        Parameters
        ----------
        cell, visit : int64, shape (n,)
            Cells, and numbers of visits in them.
        """
        width = int(self.period.max(initial=0)) + 1
        own = np.repeat(np.arange(len(self.period)), np.diff(self.runs))
        sequence = self.sequence[cell]
        wanted = sequence * np.int64(width) + visit % self.period[sequence]
        run: Ints = np.searchsorted(own * width + self.visit, wanted, "right") - 1
        return run

    def calls_of(self, cell: Ints, visit: Ints) -> tuple[Ints, Ints]:
        """Look up the first entry of `call` of each visit, and how many there are."""
        turn = self.turn[self.runs_of(cell, visit)]
        first = self.calls[turn]
        return first, self.calls[turn + 1] - first

    def made(self, rank: Ints, entry: Ints) -> "ScriptedCalls":
        """Look up the calls that ranks make.

        Parameters
        ----------
        rank, entry : int64, shape (n,)
            Ranks, and entries of `call`.
        """
        call = self.call[entry]

        def partners(number: Indices) -> Ints:
            result = np.full(len(number), -1, np.int64)
            has = np.flatnonzero(number >= 0)
            result[has] = self.partner[self.partners[rank[has]] + number[has]]
            return result

        return ScriptedCalls(
            self.operation[call],
            self.communicator[call],
            self.root[call],
            partners(self.to[call]),
            partners(self.source[call]),
            self.size[call],
            self.source_size[call],
        )


class ScriptedCalls(NamedTuple):
    """Calls that follow no rule, as the ranks make them: columns of one length.

    As of `Scripts`, but for the receivers and senders, which are world ranks.
    """

    operation: Indices
    communicator: Indices
    root: Indices
    receiver: Ints
    sender: Ints
    size: Ints
    source_size: Ints

    @property
    def bytes_told(self) -> Ints:
        """Bytes of each call: those sent, or received where nothing is sent."""
        receives = (self.receiver < 0) & (self.sender >= 0)
        return np.where(receives, self.source_size, self.size)


@dataclass(frozen=True, slots=True, eq=False)
class Partners(Frozen):
    """Where each rank's directions lead."""

    names: tuple[str, ...]
    """Names of the directions."""
    offsets: Ints
    """int64, shape (ranks + 1,): rank ``r`` owns the entries ``offsets[r]`` to
    ``offsets[r + 1]``."""
    direction: Indices
    """int32, shape (entries,): index into `names`; ascending for each rank."""
    partner: Indices
    """int32, shape (entries,): world rank that the direction leads to; -1 where it
    leads to several in turn, which `LogicalTrace.peers` tells."""


@dataclass(frozen=True, slots=True)
class MaximalProcess:
    """What the rule of the maximal process alone would hold.

    One rank's calls stand for all; another rank's calls are held if they are
    among them in order, its missing neighbours left out.
    """

    rank: int
    """The rank that stands for all."""
    calls_excluded: float
    bytes_excluded: float
    """`calls_excluded` and `bytes_excluded`: fractions of all ranks' calls, and of the
    bytes sent point-to-point, which it leaves out."""
    ranks_exact: int
    """Ranks whose calls it gives exactly."""


@dataclass(frozen=True, slots=True, eq=False)
class LogicalTrace:
    """The logical trace of a run."""

    ranks: int
    """Number of ranks."""
    maximal_rank: int
    """The rank with most directions, then most calls."""
    body: tuple[Statement, ...]
    """Statements; `Call.index` counts the calls in order, the blocks' after them."""
    statements: int
    loops: int
    depth: int
    """`statements`, `loops` and `depth`: number of calls in body and blocks, each of
    an `Each`, too; number of loops, deepest nesting of loops."""
    records: int
    """MPI calls of the rank that has most."""
    calls_excluded: float
    bytes_excluded: float
    """`calls_excluded` and `bytes_excluded`: fractions of all ranks' MPI calls, and of
    the bytes that they sent point-to-point, which the logical trace does not hold."""
    ranks_verified: int
    """Ranks whose sequence it expands to exactly, bytes included."""
    statement_of_call: Indices
    """int32, shape (calls,): statement that each call of the trace belongs to, -1 if it
    is left out."""
    ticks: Ints
    """int64, shape (statements,): time that all ranks spent in each statement."""
    partners: Partners
    """Where each rank's directions lead."""
    sizes: SideTable
    """Sizes that vary."""
    peers: SideTable
    """Partners that vary from turn to turn: those of a master that serves its workers
    in order of arrival."""
    scripts: Scripts = field(default_factory=Scripts.none)
    """Calls that follow no rule."""
    guards: tuple[Guard, ...] = ()
    blocks: tuple[Block, ...] = ()
    patterns: tuple[Bools, ...] = ()
    trips: tuple[Ints, ...] = ()
    """`guards`, `blocks`, `patterns` and `trips`: what `When`, `BlockCall`, `Sometimes`
    and `Loop` refer to. A pattern is bool, shape (entries,): whether the body runs;
    trips int64, shape (entries,): how often the loop runs."""
    rank_trips: tuple[Ints, ...] = ()
    """int64, shape (ranks,): how often each rank runs a loop whose count varies by
    rank; 0 for ranks that do not come there."""
    groups: int = 1
    """Number of groups of ranks that do the same."""
    group: Indices = field(default_factory=lambda: np.zeros(0, np.int32))
    """int32, shape (ranks,): group of each rank."""
    maximal: MaximalProcess | None = None
    """Figures of the rule of the maximal process; None if not asked for."""
    differs: tuple[str, ...] = ()
    """For ranks that are not exact, the first few of them: what differs first."""
    notes: tuple[str, ...] = ()
    """What the logical trace does not show, a sentence each."""
    seconds: float = 0.0
    """Wall time that it took to find."""

    @property
    def listed(self) -> int:
        """Number of statements as they are listed: an `Each` is one."""
        bodies, count = [self.body, *(block.body for block in self.blocks)], 0
        while bodies:
            for statement in bodies.pop():
                if isinstance(statement, Call | Each):
                    count += 1
                elif not isinstance(statement, BlockCall):
                    bodies.append(statement.body)
        return count

    def __post_init__(self) -> None:
        """Set the arrays read-only."""
        freeze(self)
        for values in (*self.patterns, *self.trips, *self.rank_trips):
            values.flags.writeable = False


# The logical trace as it is read, line by line.

Token = tuple[str, str]
"""A word of a listing, and what it is: an operation, a direction, a size, ..."""


def joined_text(words: Iterable[Token]) -> str:
    """Write tokens as text."""
    return " ".join(word for word, _ in words)


def with_colon(words: tuple[Token, ...]) -> tuple[Token, ...]:
    """Put a colon behind the words of what has a body."""
    word, kind = words[-1]
    return (*words[:-1], (f"{word}:", kind))


@dataclass(frozen=True, slots=True, eq=False)
class RanksTold:
    """What a program says of neighbouring ranks."""

    first: int
    ranks: int
    """`first` and `ranks`: the first of them, and how many there are."""
    of_call: Indices
    """int32, shape (calls,): statement of each of their calls, -1 if it is left out."""
    ticks: Ints
    """int64, shape (statements,): time in each statement's calls."""
    peers: SideTable
    scripts: Scripts
    """`peers` and `scripts`: partners in turn, and calls without a rule: cells of these
    ranks."""
    verified: int
    """How many the program expands to exactly."""
    differs: tuple[str, ...]
    """Where the first ranks that it does not expand to differ, in sentences."""
    calls: int
    held: int
    null: int
    polled: int
    """`calls`, `held`, `null` and `polled`: calls that the program should hold, that it
    holds, that sent nothing, that polled again."""
    held_bytes: int
    maximal_calls: int
    maximal_bytes: int
    bytes_sent: int
    """`held_bytes`, `maximal_calls`, `maximal_bytes` and `bytes_sent`: bytes of the
    calls that are held, calls and bytes that the maximal process makes, too, and bytes
    that all calls sent."""
    left_out: Ints
    left_out_ranks: Ints
    """`left_out` and `left_out_ranks`: int64, shape (symbols,): calls that are left
    out, and how many ranks make them."""


LineKind = Literal[
    "call", "each", "loop", "when", "sometimes", "use", "block", "function"
]


@dataclass(frozen=True, slots=True)
class Line:
    """A line of the logical trace."""

    depth: int
    """How deep it stands."""
    parent: int
    """Number of the line that it belongs to, -1 at the top."""
    kind: LineKind
    """A ``use`` is one of a block, a ``block`` its head, a ``function`` a visit of
    it."""
    tokens: tuple[Token, ...]
    """Its words, without a colon."""
    first: int
    last: int
    """`first` and `last`: statements below it, the last one excluded; of a use: those
    of the block."""
    end: int
    """The line after those that belong to it."""
    statement: Statement | None
    """What it shows; None for the head of a block, and for a function."""
    names: tuple[str, ...] = ()
    """Of a function: those that are entered, the outermost first."""

    @property
    def words(self) -> tuple[Token, ...]:
        """Its words, with a colon where others belong to it."""
        plain = self.kind in ("call", "each", "use")
        return self.tokens if plain else with_colon(self.tokens)

    @property
    def text(self) -> str:
        """The line in words, without indentation: as the listing has it."""
        return joined_text(self.words)


def statements_of_lines(lines: Sequence[Line], begin: int, end: int) -> tuple[int, ...]:
    """List the statements of some lines, those of blocks that they use included.

    Parameters
    ----------
    lines
        All lines of a logical trace.
    begin, end
        The first of them, and the one after the last.

    Returns
    -------
    tuple of int
        Ascending; a block that is used elsewhere as well is all of it.
    """
    heads = {line.first: number for number, line in enumerate(lines) if _heads(line)}
    statements: set[int] = set()
    seen: set[int] = set()
    open_ = [(begin, min(end, len(lines)))]
    while open_:
        low, high = open_.pop()
        for line in lines[low:high]:
            if line.kind == "call":
                statements.add(line.first)
            elif line.kind == "use" and line.first not in seen:
                seen.add(line.first)
                head = heads.get(line.first)
                if head is not None:
                    open_.append((head, lines[head].end))
    return tuple(sorted(statements))


def _heads(line: Line) -> bool:
    return line.kind == "block"
