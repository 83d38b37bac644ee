"""Where each row of each rank stands in the program."""

from dataclasses import dataclass

import numpy as np

from topoview.logical.alignment import align, limit_for
from topoview.logical.arrays import mixed
from topoview.logical.projection import Classes, Program
from topoview.logical.records import Records
from topoview.model import Bools, Ints
from topoview.progress import Report


@dataclass(frozen=True, slots=True, eq=False)
class Group:
    """Ranks of one class that do the same.

    Attributes
    ----------
    ranks : int64, shape (n,)
    class_
        Their class.
    """

    ranks: Ints
    class_: int


def place(
    rows: Records, main: Program, known: Classes, report: Report
) -> tuple[Ints, Bools]:
    """Find the position in the program that each row stands at.

    Ranks that do the same are placed together: as their projection says if it
    is just what they do, else by aligning the two.

    Returns
    -------
    position : int64, shape (rows,)
        -1 for rows that do not fit.
    fits : bool, shape (ranks,)
        Whether a rank's symbols are just its projection.
    """
    symbols = rows.symbols
    own = symbols.code(
        rows.symbol, symbols.to[rows.symbol], symbols.source[rows.symbol]
    )
    position = np.full(len(own), -1, np.int64)
    fits = np.zeros(len(known.of), bool)
    unfit: list[tuple[Group, Ints, Ints]] = []
    projected: tuple[int, Ints, Ints] = (-1, own[:0], own[:0])
    for group in _groups(rows, own, known):
        if projected[0] != group.class_:
            kept, to, source = main.project(known.halves[group.class_])
            code = symbols.code(main.symbol[kept], to, source)
            projected = (group.class_, kept, code)
        _, kept, code = projected
        begin, end = rows.offsets[group.ranks[0] : group.ranks[0] + 2]
        if np.array_equal(own[begin:end], code):
            _spread(position, rows, group.ranks, kept)
            fits[group.ranks] = True
        else:
            unfit.append((group, kept, code))
    total = sum(
        rows.offsets[g.ranks[0] + 1] - rows.offsets[g.ranks[0]] for g, _, _ in unfit
    )
    limit = limit_for(int(total))
    for done, (group, kept, code) in enumerate(unfit):
        report("aligning ranks", done / len(unfit))
        begin, end = rows.offsets[group.ranks[0] : group.ranks[0] + 2]
        partner = align(own[begin:end], code, limit)
        found = np.append(kept, -1)[partner]
        _spread(position, rows, group.ranks, found)
    return position, fits


def _groups(rows: Records, own: Ints, known: Classes) -> list[Group]:
    """Group ranks of equal class and equal sequences, class by class.

    Sequences are compared by a sum of scrambled (symbol, place) pairs; what
    follows from equality is verified in the end (`verified`).
    """
    counts = np.diff(rows.offsets)
    place = np.arange(len(own)) - np.repeat(rows.offsets[:-1], counts)
    terms = mixed(mixed(own.astype(np.uint64)) + place.astype(np.uint64))
    sums = np.concatenate((np.zeros(1, np.uint64), np.cumsum(terms, dtype=np.uint64)))
    key = sums[rows.offsets[1:]] - sums[rows.offsets[:-1]]
    order = np.lexsort((key, counts, known.of))
    differs = np.zeros(len(order), bool)
    for column in (key, counts, known.of):
        differs[1:] |= column[order][1:] != column[order][:-1]
    parts = np.split(order, np.flatnonzero(differs))
    return [Group(np.sort(part), int(known.of[part[0]])) for part in parts]


def _spread(position: Ints, rows: Records, ranks: Ints, found: Ints) -> None:
    for begin in rows.offsets[ranks].tolist():
        position[begin : begin + len(found)] = found
