"""Which lines of two logical traces belong together.

Lines are aligned as in a diff, level by level: first those that stand outermost, then
what lies between them. A line whose words are alike but for a size, a count or a
condition is one line that changed.
"""

from collections.abc import Sequence
from itertools import pairwise

import numpy as np

from topoview.logical.listing import lines
from topoview.logical.loops.alignment import align, limit_for
from topoview.model import Call, Each, Ints, Line, LogicalTrace


def align_listings(a: LogicalTrace, b: LogicalTrace) -> Ints:
    """Find the line of one logical trace for each line of another.

    Lines are aligned three times (`align`): first those that are the same; what lies
    between then by its words at any depth, so that a loop around lines does not make
    others of them; and what lies between those by operation and partner only, so that
    a call of another size is told as changed.

    Returns
    -------
    int64, shape (lines of a,)
        Number of the line of `b`, -1 where there is none; ascending where it is not.
    """
    ours, theirs = lines(a), lines(b)
    levels = [
        [[text(line) for line in some] for some in (ours, theirs)]
        for text in (_indented, _words, _key)
    ]
    result = np.full(len(ours), -1, np.int64)
    for here, there in _fill_gaps(levels, (0, len(ours)), (0, len(theirs))):
        result[here] = there
    return result


def _indented(line: Line) -> tuple[int, str]:
    return line.depth, line.text


def _words(line: Line) -> str:
    return line.text


def _key(line: Line) -> str:
    statement = line.statement
    if isinstance(statement, Each):
        return f"each {line.tokens[0][0]}"
    if not isinstance(statement, Call):
        return line.kind
    partners = (statement.to, statement.source, statement.awaits_to)
    return f"{statement.operation} {partners} {statement.awaits_source}"


def _fill_gaps(
    levels: Sequence[Sequence[Sequence[object]]],
    here: tuple[int, int],
    there: tuple[int, int],
) -> list[tuple[int, int]]:
    """Align by the first level, and what lies between by the further ones."""
    if not levels or here[0] >= here[1] or there[0] >= there[1]:
        return []
    one, other = levels[0]
    aligned = aligned_pairs(one[slice(*here)], other[slice(*there)])
    fixed = [(here[0] + i, there[0] + j) for i, j in aligned]
    pairs: list[tuple[int, int]] = []
    ends = [(here[0] - 1, there[0] - 1), *fixed, (here[1], there[1])]
    for (i, j), (next_i, next_j) in pairwise(ends):
        if i >= here[0]:
            pairs.append((i, j))
        pairs += _fill_gaps(levels[1:], (i + 1, next_i), (j + 1, next_j))
    return pairs


def aligned_pairs(a: Sequence[object], b: Sequence[object]) -> list[tuple[int, int]]:
    """Find pairs of places that are aligned, ascending."""
    numbers: dict[object, int] = {}
    sides: list[Ints] = [
        np.array([numbers.setdefault(t, len(numbers)) for t in some], np.int64)
        for some in (a, b)
    ]
    partner = align(sides[0], sides[1], limit_for(len(a)))
    return [(i, j) for i, j in enumerate(partner.tolist()) if j >= 0]
