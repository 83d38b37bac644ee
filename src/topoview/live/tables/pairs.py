"""Who sends how much to whom in any part of a run, and who waits for whom."""

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from topoview.analysis.network.traffic import collective_matrix
from topoview.analysis.waits.states import lateness
from topoview.live.picking.selection import selected_calls, selected_matrix
from topoview.live.tables.scope import with_length
from topoview.model import (
    WAIT_KINDS,
    WAITS_FOR_ONE,
    Analysis,
    Bools,
    CommunicationMatrix,
)
from topoview.report.formats.matrix import cut_words
from topoview.session import NO_CALLS, CallFilter
from topoview.topology.identification.traffic import cut_matrix
from topoview.topology.matrix import matrix_of

if TYPE_CHECKING:
    from scipy.sparse import csr_array

_FOR_ONE = np.array([kind in WAITS_FOR_ONE for kind in WAIT_KINDS])


def counted_matrix(  # noqa: PLR0913 - what a part of a run is
    analysis: Analysis,
    *,
    wanted: CallFilter = NO_CALLS,
    window: tuple[int, int] | None = None,
    ranks: tuple[int, ...] = (),
    communicator: int | None = None,
    collectives: bool = False,
    waits: bool = False,
) -> CommunicationMatrix:
    """Count messages of a part of a run by pairs of ranks.

    Parameters
    ----------
    wanted
        Only messages of these calls.
    window
        Only messages sent from its begin on, before its end, in ticks; of waits what
        lies in between.
    ranks
        Only pairs of which one is among these; empty: all.
    communicator
        Only messages on this one, by its number.
    collectives
        Whether collective operations count, too: those that begin in the window, as
        `collective_matrix` models them.
    waits
        Whether waits are added up, too: of collective operations if they count.
    """
    part = (wanted, window, ranks, communicator)
    if analysis.matrix is not None and part == (NO_CALLS, None, (), None):
        result = analysis.matrix
    else:
        result = selected_matrix(
            analysis,
            wanted=wanted or None,
            window=window,
            ranks=ranks,
            communicator=communicator,
        )
    result = with_length(analysis, result, window)
    if not collectives and not waits:
        return result
    chosen = None
    if wanted:
        key, meant = selected_calls(analysis.trace, analysis.logical, wanted)
        chosen = meant[key]
    if collectives:
        result = with_collectives(analysis, result, window, ranks, communicator, chosen)
    if waits:
        seconds = wait_matrix(
            analysis, window, ranks, communicator, chosen, collectives=collectives
        )
        result = replace(result, waits=seconds)
    return result


def with_collectives(  # noqa: PLR0913 - what a part of a run is
    analysis: Analysis,
    matrix: CommunicationMatrix,
    window: tuple[int, int] | None = None,
    ranks: tuple[int, ...] = (),
    communicator: int | None = None,
    chosen: Bools | None = None,
) -> CommunicationMatrix:
    """Add the messages that collective operations are taken to be made of.

    Parameters
    ----------
    window, ranks, communicator
        As for `counted_matrix`.
    chosen : bool, shape (calls,)
        Calls that count; all if None.
    """
    trace = analysis.trace
    if communicator is not None:
        own = trace.collectives.call[trace.collectives.communicator == communicator]
        there = np.zeros(len(trace.calls), bool)
        there[own] = True
        chosen = there if chosen is None else there & chosen
    modelled, operations = collective_matrix(trace, window, chosen)
    if not operations:
        return matrix
    parts = [matrix, modelled]
    sender = np.concatenate([each.sender for each in parts])
    receiver = np.concatenate([each.receiver for each in parts])
    counts = np.concatenate([each.counts for each in parts])
    sizes = np.concatenate([each.sizes for each in parts])
    keep = _touched(trace.ranks, ranks, sender, receiver)
    combined = matrix_of(
        matrix.ranks, sender[keep], receiver[keep], counts[keep], sizes[keep]
    )
    return replace(matrix.with_pairs_of(combined), modelled=operations)


def wait_matrix(  # noqa: PLR0913 - what a part of a run is
    analysis: Analysis,
    window: tuple[int, int] | None = None,
    ranks: tuple[int, ...] = (),
    communicator: int | None = None,
    chosen: Bools | None = None,
    *,
    collectives: bool = False,
) -> "csr_array":
    """Add up how long ranks waited for each other.

    Of the ranks' main threads, as all sums of waits.

    Parameters
    ----------
    window, ranks, communicator, chosen
        As for `with_collectives`; of a window what lies within it.
    collectives
        Whether waits in collective and one-sided operations count, or those for
        messages alone.

    Returns
    -------
    scipy.sparse.csr_array, float64, shape (ranks, ranks)
        Seconds that the column's rank waited for the row's; nothing where clocks are
        not aligned.
    """
    from scipy.sparse import csr_array  # takes long to import

    trace, waits, shape = analysis.trace, analysis.waits, (analysis.trace.ranks,) * 2
    if waits is None:
        return csr_array(shape, dtype=np.float64)
    calls, last = trace.calls, int(trace.calls.offsets[trace.ranks])
    late = lateness(trace, waits, slice(0, last), window)
    whom = waits.whom[:last]
    keep = (late > 0) & (whom >= 0)
    if not collectives:
        keep &= np.append(_FOR_ONE, False)[waits.kind[:last]]
    if communicator is not None:
        keep &= waits.communicator[:last] == communicator
    if chosen is not None:
        keep &= chosen[:last]
    call = np.flatnonzero(keep)
    rank = np.searchsorted(calls.offsets, call, side="right") - 1
    cause = whom[call]
    keep = _touched(trace.ranks, ranks, cause, rank)
    seconds = late[call[keep]] / trace.clock.resolution
    return csr_array((seconds, (cause[keep], rank[keep])), shape=shape)


def binary_pairs(matrix: CommunicationMatrix, level: int) -> "tuple[csr_array, str]":
    """Return the pairs of a level of volume as ones, and the cut in words."""
    reduced, cut = cut_matrix(matrix, level)
    return reduced.calls.sign(), cut_words(matrix, cut)


def _touched(
    count: int, ranks: tuple[int, ...], one: np.ndarray, other: np.ndarray
) -> Bools:
    """Return which pairs have one of some ranks; all if there are none."""
    own = np.full(count, not ranks)
    own[list(ranks)] = True
    result: Bools = own[one] | own[other]
    return result
