"""Which lines of a logical trace are shown: by words, share of time, and ranks."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from topoview.base.text import tr
from topoview.errors import TopoviewError
from topoview.model import Bools, Call, Floats, Ints, Line, LogicalTrace, Trace

_SHARE_PATTERN = re.compile(r">\s*(\d+(?:[.,]\d+)?)\s*%?")
_RANKS_PATTERN = re.compile(
    r"\branks?\s+(\d+(?:\s*-\s*\d+)?(?:\s*,\s*\d+(?:\s*-\s*\d+)?)*)"
)


@dataclass(frozen=True, slots=True)
class LineFilter:
    """What is to be shown; what is empty lets everything pass."""

    words: tuple[str, ...] = ()
    """Lower case; each must occur in a line, or in a line that it belongs to."""
    share: float = 0.0
    """Least share of the run that a statement takes, in [0, 1]."""
    loops: float = 0.0
    """Least share of the run that a loop takes; shorter ones are left out whole."""
    ranks: tuple[int, ...] = ()
    """Only statements that some of these ranks run."""

    def __bool__(self) -> bool:
        """Return whether anything is asked for."""
        return self != LineFilter()


def parse_line_filter(text: str) -> LineFilter:
    """Read what a user typed: ``isend east``, ``> 5 %``, ``rank 7``, ``"x even"``.

    Words within double quotes belong together.
    """
    line_filter = LineFilter()
    if match := _SHARE_PATTERN.search(text):
        line_filter = replace(
            line_filter, share=float(match[1].replace(",", ".")) / 100
        )
        text = text[: match.start()] + text[match.end() :]
    if match := _RANKS_PATTERN.search(text):
        line_filter = replace(line_filter, ranks=parse_ranks(match[1]))
        text = text[: match.start()] + text[match.end() :]
    words = re.findall(r'"([^"]*)"|(\S+)', text.lower())
    return replace(line_filter, words=tuple(a or b for a, b in words if a or b))


def parse_ranks(text: str) -> tuple[int, ...]:
    """Read ranks: ``3``, ``0-7,12``.

    Raises
    ------
    TopoviewError
        They are none.
    """
    ranks: set[int] = set()
    for part in text.split(","):
        low, _, high = part.partition("-")
        try:
            ranks.update(range(int(low), int(high or low) + 1))
        except ValueError:
            raise TopoviewError(
                tr("{text!r} names no ranks: write them as 0-7,12", text=text)
            ) from None
    return tuple(sorted(ranks))


def shown_lines(
    lines: Sequence[Line],
    wanted: LineFilter,
    trace: Trace,
    logical: LogicalTrace,
    share: Floats,
) -> Bools:
    """Return which lines pass a filter, with those that they belong to.

    Parameters
    ----------
    share : float64, shape (lines,)
        Share of the run that each takes (`line_shares`).

    Returns
    -------
    bool, shape (lines,)
    """
    call = np.array([line.kind == "call" for line in lines], bool)
    first = np.array([line.first for line in lines], np.int64)
    last = np.array([line.last for line in lines], np.int64)
    passes: Bools = np.ones(len(lines), bool)
    if wanted.words:
        passes &= _worded(lines, wanted.words)
    if wanted.share:
        passes &= share >= wanted.share
    if wanted.ranks:
        runs = _run_by(trace, logical, wanted.ranks)
        before = np.concatenate([[0], np.cumsum(runs)])
        passes &= before[last] > before[first]
    leaf = call | np.array([line.kind == "use" for line in lines], bool)
    kept: Bools = passes & leaf
    if wanted.loops:
        for number, line in enumerate(lines):
            if line.kind == "loop" and share[number] < wanted.loops:
                kept[number : line.end] = False
    for number in range(len(lines) - 1, -1, -1):
        line = lines[number]
        if kept[number] and line.parent >= 0:
            kept[line.parent] = True
    return kept


def _worded(lines: Sequence[Line], words: tuple[str, ...]) -> Bools:
    kept = np.ones(len(lines), bool)
    for word in words:
        mask = np.zeros(len(lines), bool)
        for number, line in enumerate(lines):
            text = line.text.lower()
            if isinstance(line.statement, Call) and line.statement.communicator:
                text += f" {line.statement.communicator.lower()}"
            above = bool(line.parent >= 0 and mask[line.parent])
            mask[number] = above or word in text
        kept &= mask
    return kept


def _run_by(trace: Trace, logical: LogicalTrace, ranks: tuple[int, ...]) -> Ints:
    runs = np.zeros(logical.statements, np.int64)
    for rank in ranks:
        if rank < trace.ranks:
            begin, end = trace.calls.offsets[rank : rank + 2]
            own = logical.statement_of_call[begin:end]
            runs[own[own >= 0]] = 1
    return runs
