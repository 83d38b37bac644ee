"""MPI calls that are selected by statements or by operation, and their messages."""

from dataclasses import dataclass, replace

import numpy as np

from topoview.live import kernels
from topoview.model import (
    Analysis,
    Bools,
    Bytes,
    CommunicationMatrix,
    Frozen,
    Indices,
    Ints,
    LogicalTrace,
    Trace,
    Transfers,
    distinct,
)
from topoview.session import CallFilter


@dataclass(frozen=True, slots=True, eq=False)
class CallSpans(Frozen):
    """Calls that stand out, row after row."""

    offsets: Ints
    """int64, shape (rows + 1,)"""
    call: Ints
    """int64, shape (spans,): index into the trace's calls."""
    enter: Ints
    leave: Ints
    """`enter` and `leave`: int64, shape (spans,): in ticks, ascending within a row."""
    state: Bytes
    """uint8, shape (spans,): `TimeState` of each."""

    @property
    def ranks(self) -> Bools:
        """Which rows make any of the calls, bool, shape (rows,)."""
        return self.offsets[1:] > self.offsets[:-1]


class CallFinder:
    """Finds the calls that are meant, and keeps the last answer for who asks again."""

    def __init__(self) -> None:
        self._last: tuple[tuple[object, ...], CallSpans] | None = None

    def spans(
        self, trace: Trace, logical: LogicalTrace | None, wanted: CallFilter
    ) -> CallSpans:
        """Find the calls; as `selected_spans`."""
        last, key = self._last, (trace, logical, wanted)
        if last is None or last[0] != key:
            self._last = last = key, selected_spans(trace, logical, wanted)
        return last[1]


def selected_spans(
    trace: Trace, logical: LogicalTrace | None, wanted: CallFilter
) -> CallSpans:
    """Find the calls that are meant: one pass over the calls' statements.

    Parameters
    ----------
    logical
        Whose statements are meant; without it only operations can be found.
    wanted
        What is looked for.
    """
    key, mask = selected_calls(trace, logical, wanted)
    calls = trace.calls
    call = np.flatnonzero(mask[key])
    offsets = np.searchsorted(call, calls.offsets)
    region = calls.region[call]
    state = np.append(trace.regions.state, np.uint8(0))[region].astype(np.uint8)
    return CallSpans(offsets, call, calls.enter[call], calls.leave[call], state)


def selected_calls(
    trace: Trace, logical: LogicalTrace | None, wanted: CallFilter
) -> tuple[Indices, Bools]:
    """Enumerate calls, and mark the numbers that are meant.

    Returns
    -------
    int32, shape (calls,)
        -1 is none.
    bool, shape (numbers + 1,)
        The last of it, False, is for those of none.
    """
    if wanted.query and wanted.analysis is not None:
        from topoview.live.tables.search.find import calls_of_text

        numbers = calls_of_text(wanted.analysis, wanted.query)
        return numbers, np.array([True, False])
    if wanted.operation:
        named = np.array([o == wanted.operation for o in trace.regions.operations])
        operation = np.asarray(trace.regions.operation)
        mask = np.append(named, False)[operation]
        return trace.calls.region, np.append(mask, False)
    statements = logical.statements if logical else 0
    mask = np.zeros(statements + 1, bool)
    mask[[s for s in wanted.statements if s < statements]] = True
    if logical is None:
        return trace.calls.region, np.zeros(len(trace.regions.names) + 1, bool)
    return logical.statement_of_call, mask


def selected_messages(  # noqa: PLR0913 - what a part of a run is
    trace: Trace,
    logical: LogicalTrace | None,
    *,
    wanted: CallFilter | None = None,
    window: tuple[int, int] | None = None,
    ranks: tuple[int, ...] = (),
    communicator: int | None = None,
) -> Bools:
    """Return which messages are meant: one pass.

    Parameters
    ----------
    logical
        As for `selected_spans`.
    wanted
        Only those that a call of these sends, receives or completes.
    window
        Only those sent from its begin on, before its end, in ticks; where the send
        was not recorded the receive counts.
    ranks
        Only those that one of these sends or receives; empty: of all.
    communicator
        Only those on this one, by its number.

    Returns
    -------
    bool, shape (messages,)
    """
    messages = trace.messages
    key, mask = trace.calls.region, np.zeros(0, bool)
    if wanted:
        key, mask = selected_calls(trace, logical, wanted)
    begin, end = window or (np.iinfo(np.int64).min, np.iinfo(np.int64).max)
    own = np.zeros(trace.ranks if ranks else 0, bool)
    own[list(ranks)] = True
    result = kernels.mark_messages(
        messages.send_call,
        messages.receive_call,
        messages.completion_call,
        messages.sender,
        messages.receiver,
        messages.send_time,
        messages.receive_time,
        key,
        mask,
        (begin, end),
        own,
    )
    if communicator is not None:
        result &= messages.communicator == communicator
    return result


def selected_matrix(  # noqa: PLR0913 - as `selected_messages`
    analysis: Analysis,
    *,
    wanted: CallFilter | None = None,
    window: tuple[int, int] | None = None,
    ranks: tuple[int, ...] = (),
    communicator: int | None = None,
    one_sided: bool = False,
) -> CommunicationMatrix:
    """Count the messages that are meant, or the transfers, by pairs of ranks.

    Transfers are on no communicator.
    """
    from topoview.topology import communication_matrix
    from topoview.topology.matrix import matrix_of

    trace, logical, moved = analysis.trace, analysis.logical, analysis.transfers
    if not one_sided:
        mask = selected_messages(
            trace,
            logical,
            wanted=wanted,
            window=window,
            ranks=ranks,
            communicator=communicator,
        )
        return communication_matrix(trace, mask)
    assert moved is not None
    mask = selected_transfers(
        trace, logical, moved, wanted=wanted, window=window, ranks=ranks
    )
    sender, receiver, size = (
        column[mask] for column in (moved.sender, moved.receiver, moved.size)
    )
    counts = np.ones(len(size), np.int64)
    matrix = matrix_of(trace.ranks, sender, receiver, counts, size)
    return replace(matrix, one_sided=True)


def selected_edges(analysis: Analysis, wanted: CallFilter) -> Indices:
    """Pairs of ranks between which the calls that are meant send or move bytes.

    Returns
    -------
    int32, shape (edges, 2)
        Different ranks, smaller first, ascending.
    """
    trace, moved = analysis.trace, analysis.transfers
    matrix = selected_matrix(analysis, wanted=wanted)
    one, other = matrix.sender, matrix.receiver
    if moved is not None and len(moved):
        mask = selected_transfers(trace, analysis.logical, moved, wanted=wanted)
        one = np.concatenate([one, moved.sender[mask]])
        other = np.concatenate([other, moved.receiver[mask]])
    return joined_pairs(one, other, trace.ranks)


def joined_pairs(one: Ints | Indices, other: Ints | Indices, ranks: int) -> Indices:
    """Return each pair of different ranks once: smaller first, ascending."""
    low, high = np.minimum(one, other), np.maximum(one, other)
    some = low != high
    key = distinct(low[some].astype(np.int64) * ranks + high[some])
    pairs = np.stack(np.divmod(key, max(ranks, 1)), axis=1)
    return pairs.astype(np.int32)


def selected_transfers(  # noqa: PLR0913 - as `selected_messages`
    trace: Trace,
    logical: LogicalTrace | None,
    moved: Transfers,
    *,
    wanted: CallFilter | None = None,
    window: tuple[int, int] | None = None,
    ranks: tuple[int, ...] = (),
) -> Bools:
    """Return which one-sided transfers are meant, as `selected_messages`.

    Returns
    -------
    bool, shape (transfers,)
    """
    mask = np.ones(len(moved), bool)
    if window is not None:
        mask &= (moved.time >= window[0]) & (moved.time < window[1])
    if ranks:
        own = np.zeros(trace.ranks, bool)
        own[list(ranks)] = True
        mask &= own[moved.sender] | own[moved.receiver]
    if wanted:
        key, meant = selected_calls(trace, logical, wanted)
        inside = moved.call >= 0
        mask &= inside
        mask[inside] &= meant[key[moved.call[inside]]]
    return mask
