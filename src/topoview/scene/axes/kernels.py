"""Kernels of planes of many ranks: what the ranks of a pixel, or of a plane, do."""

import cython

if not cython.compiled:
    from topoview.base.kinds import (
        Bools,
        Bytes,
        Int,
        Ints,
        OutInts,
        OutWords,
        Shorts,
        Triple,
        Words,
    )


@cython.cdivision(True)
def merge_codes(  # noqa: PLR0913
    ranks: Ints,
    codes: Shorts,
    extents: Triple,
    side: Int,
    counts: OutInts,
    colours: Words,
    merged: OutWords,
) -> None:
    """Find the colour of the code that most ranks of each pixel have.

    Of equals it is the highest.

    Parameters
    ----------
    ranks : int64, shape (planes * rows * columns,)
        -1 where there is none.
    codes : uint16, shape (ranks,)
        Of all of them.
    extents
        Rows of all planes together, rows of a plane, and columns.
    side
        Ranks across and down that share a pixel.
    counts : int64, shape (codes,)
        0 for each code; so it is left.
    colours : uint32, shape (codes + 1,)
        Of each code; last where there is no rank.
    merged : uint32, shape (planes * rows / side * columns / side,), both rounded up
        Gets the colours.
    """
    lines: Int = extents[0]
    rows: Int = extents[1]
    columns: Int = extents[2]
    pixel: Int = 0
    top: Int = 0
    left: Int = 0
    row: Int
    place: Int
    code: Int
    nobody: Int = len(colours) - 1
    with cython.nogil:
        while top < lines:
            # pixels do not reach into the next plane
            stop = min(top + side, top - top % rows + rows)
            left = 0
            while left < columns:
                end = min(left + side, columns)
                best: Int = -1
                most: Int = 0
                for row in range(top, stop):
                    for place in range(row * columns + left, row * columns + end):
                        if ranks[place] < 0:
                            continue
                        code = codes[ranks[place]]
                        counts[code] += 1
                        # Counts grow by one: of those that reach the most, the highest.
                        if counts[code] > most or (
                            counts[code] == most and code > best
                        ):
                            best, most = code, counts[code]
                merged[pixel] = colours[best if best >= 0 else nobody]
                pixel += 1
                for row in range(top, stop):
                    for place in range(row * columns + left, row * columns + end):
                        if ranks[place] >= 0:
                            counts[codes[ranks[place]]] = 0
                left = end
            top = stop


def count_states(plane: Ints, state: Bytes, wanted: Bools, counts: OutInts) -> None:
    """Count the ranks of each plane that are in some states.

    Parameters
    ----------
    plane : int64, shape (ranks,)
        Of each rank; -1 for none.
    state : uint8, shape (ranks,)
    wanted : bool, shape (states,)
    counts : int64, shape (planes + 1,)
        What is added to: first for no plane.
    """
    rank: Int
    own: Int = -1
    some: Int = 0
    with cython.nogil:
        for rank in range(len(plane)):
            # neighbours are often of one plane: its sum does not wait for memory
            if plane[rank] != own:
                counts[own + 1] += some
                own, some = plane[rank], 0
            some += wanted[state[rank]]
        counts[own + 1] += some
