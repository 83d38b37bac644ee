"""What phases are found from: messages and collectives of ranks, in blocks of time."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any, Final

import numpy as np

from topoview.analysis.parts.partner_cuts import (
    find_cuts,
    number_partners,
    round_starts,
)
from topoview.base.ordering import place_by_group
from topoview.base.progress import Report, batches, silent
from topoview.base.scratch import unset
from topoview.grouping import counting_sort
from topoview.logical.calls.operations import POSTING, is_one_of
from topoview.model import (
    Bools,
    Indices,
    Ints,
    Part,
    PhaseFacts,
    Regions,
    Rows,
    Trace,
    rows_at,
    rows_in_batches,
    whole_part,
)

FINDING_PHASES = "looking for phases"


@dataclass(frozen=True, slots=True, eq=False)
class MessageEvents:
    """Messages as each location sees them, location after location, in order.

    `message` counts those sent, then (from `sent` on) those received; `starts` tells
    before which of them none of the location's messages is under way.
    """

    begins: Ints
    symbol: Indices
    """int32, shape (events,): partner of each, numbered from 0 in each row."""
    most: int
    """Most partners of a row."""
    call: Ints
    message: Ints
    sends: Bools
    starts: Bools

    def __len__(self) -> int:
        """Count them."""
        return len(self.call)

    @property
    def row(self) -> Ints:
        """Location of each, int64."""
        rows = np.arange(len(self.begins) - 1)
        result: Ints = np.repeat(rows, np.diff(self.begins))
        return result


_COLUMNS: Final = {
    "symbol": np.int32,
    "call": np.int64,
    "message": np.int64,
    "sends": np.bool_,
    "starts": np.bool_,
}
"""What `MessageEvents` has of each message."""


def events_of(part: Part) -> MessageEvents:
    """List the messages that each location sends and receives, in order of calls."""
    begins, call, message, sends, partner = _events_of_part(part)
    completion = np.where(sends, -1, part.trace.messages.completion_call[message])
    ends = np.concatenate(
        [part.trace.calls.offsets[rows.start + 1 : rows.stop + 1] for rows in part.rows]
    )
    row_end = np.repeat(ends, np.diff(begins))
    done = np.where(completion >= 0, completion, _completions(part, call, row_end))
    starts = round_starts(begins, call, done)
    symbol, most = number_partners(begins, partner, part.trace.ranks)
    return MessageEvents(
        begins=begins,
        symbol=symbol,
        most=most,
        call=call,
        message=message,
        sends=sends,
        starts=starts,
    )


def _events_of_part(part: Part) -> tuple[Ints, Ints, Ints, Bools, Indices]:
    """List the messages of some ranks: as `MessageEvents`, calls of the whole trace.

    Returns
    -------
    Its `begins`, `call`, `message`, `sends` and `partner`.
    """
    messages, ranks = part.trace.messages, part.trace.ranks
    sender, receiver = messages.sender, messages.receiver

    def rows_with_call(rows: Rows, call: Ints) -> Ints:
        pieces = [np.zeros(0, np.int64)]
        for some in rows_in_batches(rows):
            one, other = sender[some], receiver[some]
            real = (one >= 0) & (one < ranks) & (other >= 0) & (other < ranks)
            positions = np.flatnonzero(real & (call[some] >= 0))
            pieces.append(rows_at(some, positions))
        return np.concatenate(pieces)

    sent = rows_with_call(part.sent, messages.send_call)
    got = rows_with_call(part.received, messages.receive_call)
    call = np.concatenate([messages.send_call[sent], messages.receive_call[got]])
    order, first = counting_sort(part.places(call), part.size)
    sizes = [np.diff(part.trace.calls.offsets[rows.start : rows.stop + 1])
             for rows in part.rows]  # fmt: skip
    return (
        first[np.append(0, np.cumsum(np.concatenate(sizes)))],
        call[order],
        np.concatenate([sent, got])[order],
        order < len(sent),
        np.concatenate([receiver[sent], sender[got]])[order],
    )


COMPLETING = frozenset(
    f"{name}{many}" for name in ("Wait", "Test") for many in ("", "all", "any", "some")
)
"""Calls that complete what was posted."""


def _completions(part: Part, call: Ints, row_end: Ints) -> Ints:
    """Find the call that completes what some calls post, where that is not recorded.

    The location's next one that completes anything; a call that posts nothing, or is
    followed by none, completes what it does itself.
    """
    regions, region = part.trace.regions, part.trace.calls.region
    completes = is_one_of(regions, COMPLETING)[regions.operation]
    completing = np.concatenate(
        [own.start + np.flatnonzero(completes[region[own]]) for own in part.calls]
    )
    posts = is_one_of(regions, POSTING)[regions.operation][region[call]]
    after = np.append(completing, len(region))[np.searchsorted(completing, call)]
    result: Ints = np.where(posts & (after < row_end), after, call)
    return result


class Blocks:
    """Locations of a trace, a few after the other, with their messages.

    So what is computed of each location needs no memory for all of them.

    Parameters
    ----------
    calls
        Calls of a block, or those of one location if it has more.
    """

    def __init__(self, trace: Trace, calls: int) -> None:
        offsets = trace.calls.offsets
        rows = [0]
        while rows[-1] < len(offsets) - 1:
            most = offsets[rows[-1]] + calls
            stop = int(np.searchsorted(offsets, most, side="right")) - 1
            rows.append(max(stop, rows[-1] + 1))
        self._trace, self._rows = trace, rows
        if len(self) == 1:
            self._events = [events_of(whole_part(trace))]
        else:
            self._events = list(self._in_files())

    def __len__(self) -> int:
        """Count them."""
        return len(self._rows) - 1

    def __iter__(self) -> Iterator[tuple[slice, MessageEvents]]:
        """Iterate over the locations of each, and what they send and receive."""
        stretches = (slice(*stretch) for stretch in pairwise(self._rows))
        return zip(stretches, self._events, strict=True)

    def in_column(self, values: Iterable[Indices]) -> list[Indices]:
        """Put what is computed of the events of each block, int32, in one column."""
        column, begin, result = unset(sum(map(len, self._events)), np.int32), 0, []
        for value in values:
            own = column[begin : begin + len(value)]
            own[:] = value
            result.append(own)
            begin += len(value)
        return result

    def _in_files(self) -> Iterator[MessageEvents]:
        """List the messages of each block, in columns of all blocks."""
        messages = self._trace.messages
        sides = [self._by_block(messages.send_call)]
        sides.append(self._by_block(messages.receive_call))
        total = sum(int(begins[-1] - begins[0]) for _, begins in sides)
        columns = {name: unset(total, kind) for name, kind in _COLUMNS.items()}
        begin = 0
        for number, stretch in enumerate(pairwise(self._rows)):
            sent, received = (
                order[begins[number] : begins[number + 1]] for order, begins in sides
            )
            made = events_of(
                Part(
                    trace=self._trace,
                    ranks=slice(0, 0),
                    rows=(slice(*stretch),),
                    sent=sent,
                    received=received,
                    collectives=(),
                )
            )
            own: dict[str, Any] = {}
            for name, column in columns.items():
                own[name] = column[begin : begin + len(made)]
                own[name][:] = getattr(made, name)
            begin += len(made)
            yield replace(made, **own)

    def _by_block(self, call: Ints) -> tuple[Ints, Ints]:
        """Put messages in order of the blocks in which they have calls."""
        firsts = self._trace.calls.offsets[self._rows]

        def of(some: slice) -> Ints:
            return np.searchsorted(firsts, call[some], side="right")

        begins = np.zeros(len(firsts) + 1, np.int64)
        for some in batches(len(call)):
            begins[1:] += np.bincount(of(some), minlength=len(firsts))
        np.cumsum(begins, out=begins)
        order, following = unset(len(call)), begins.copy()
        for some in batches(len(call)):
            numbers = np.arange(some.start, some.stop)
            place_by_group(numbers, of(some), following, order)
        return order, begins[1:]


MIN_WINDOW = 3
"""Messages of the shortest stretch, twice: before and after a cut."""


def phase_facts(part: Part, report: Report = silent) -> PhaseFacts:
    """Find what decides whether some ranks' messages have phases: see `find_phases`."""
    report(FINDING_PHASES, 0.0)
    trace = part.trace
    begins, call, _, _, partner = _events_of_part(part)
    regions = trace.paths.region[trace.calls.path[call]]
    seen = np.zeros(len(trace.regions.names) + 1, bool)
    seen[regions] = True
    symbol, most = number_partners(begins, partner, trace.ranks)
    rows = []
    longest = int(np.diff(begins).max(initial=0))
    for width in kind_widths(longest):
        report(FINDING_PHASES, width / longest)
        cuts, *places = find_cuts(begins, symbol, most, width)
        rows.append((len(cuts), *places))
    return PhaseFacts(
        len(call),
        bool((regions < 0).any()),
        seen[:-1],
        np.array(rows, np.int64).reshape(-1, 4),
    )


def joined_facts(parts: Sequence[PhaseFacts], _regions: Regions) -> PhaseFacts:
    """Join what parts of a trace tell."""
    cuts = np.zeros((max(len(one.cuts) for one in parts), 4), np.int64)
    for one in parts:
        cuts[: len(one.cuts)] += one.cuts
    return PhaseFacts(
        sum(one.events for one in parts),
        any(one.unnamed for one in parts),
        np.any([one.regions for one in parts], axis=0),
        cuts,
    )


def kind_widths(longest: int) -> Iterator[int]:
    """Iterate over the widths of windows that are tried."""
    width = float(MIN_WINDOW)
    while 2 * width <= longest:
        yield int(width)
        width *= 1.4
