"""The messages of each location in the order of its calls, to look for phases in."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from topoview.analysis.partner_cuts import find_cuts, number_partners, rows_between
from topoview.grouping import grouped
from topoview.model import Bools, Indices, Ints, Trace
from topoview.progress import PORTION, Report, portions

LOOKING = "looking for phases"


@dataclass(frozen=True, slots=True, eq=False)
class Events:
    """Messages as each location sees them, location after location, in order.

    `message` counts those sent, then (from `sent` on) those received.
    """

    begins: Ints
    partner: Indices
    call: Ints
    message: Ints
    sends: Bools

    @property
    def row(self) -> Ints:
        """Location of each, int64."""
        found: Ints = rows_between(self.begins)
        return found


def events_of(trace: Trace, report: Report) -> Events:
    """List the messages that each location sends and receives, in order of calls."""
    messages, ranks = trace.messages, trace.ranks
    sends: list[Ints] = [np.zeros(0, np.int64)]
    receives: list[Ints] = [np.zeros(0, np.int64)]
    for some in portions(len(messages), report, LOOKING, (0.0, 0.05)):
        sender, receiver = messages.sender[some], messages.receiver[some]
        real = (sender >= 0) & (sender < ranks) & (receiver >= 0) & (receiver < ranks)
        sends.append(
            some.start + np.flatnonzero(real & (messages.send_call[some] >= 0))
        )
        real &= messages.receive_call[some] >= 0
        receives.append(some.start + np.flatnonzero(real))
    sent = np.concatenate(sends)
    message = np.concatenate([sent, *receives])
    report(LOOKING, 0.05)
    call = np.empty(len(message), np.int64)
    for some in portions(len(message), report, LOOKING, (0.05, 0.1)):
        sends_here = np.arange(some.start, some.stop) < len(sent)
        own = message[some]
        call[some] = np.where(
            sends_here, messages.send_call[own], messages.receive_call[own]
        )
    order, _ = grouped(call, len(trace.calls), report, LOOKING, (0.1, 0.2))
    partner = np.empty(len(order), np.int32)
    for some in portions(len(order), report, LOOKING, (0.2, 0.3)):
        own = message[order[some]]
        partner[some] = np.where(
            order[some] < len(sent), messages.receiver[own], messages.sender[own]
        )
    report(LOOKING, 0.3)
    call = call[order]
    report(LOOKING, 0.3)
    message = message[order]
    report(LOOKING, 0.3)
    return Events(
        begins=np.searchsorted(call, trace.calls.offsets),
        partner=partner,
        call=call,
        message=message,
        sends=order < len(sent),
    )


def _row_portions(begins: Ints, report: Report) -> Iterator[slice]:
    """Go through rows, so many together as have few events, with a report before."""
    first, rows = 0, len(begins) - 1
    while first < rows:
        report(LOOKING, 0.5)
        last = int(np.searchsorted(begins, begins[first] + PORTION, side="right")) - 1
        last = min(max(last, first + 1), rows)
        yield slice(first, last + 1)
        first = last


def symbols(trace: Trace, events: Events, report: Report) -> tuple[Indices, int]:
    """As `number_partners`, row after row."""
    symbol, most = np.empty(len(events.partner), np.int32), 1
    for some in _row_portions(events.begins, report):
        begins = events.begins[some]
        own = slice(int(begins[0]), int(begins[-1]))
        symbol[own], partners = number_partners(
            begins - begins[0], events.partner[own], trace.ranks
        )
        most = max(most, partners)
    return symbol, most


def cuts_of(
    events: Events, symbol: Indices, limits: tuple[int, int], report: Report
) -> tuple[Ints, int, int, int]:
    """As `find_cuts`, row after row."""
    cuts, sums = [np.zeros(0, np.int64)], np.zeros(3, np.int64)
    for some in _row_portions(events.begins, report):
        found, *counts = find_cuts(events.begins[some], symbol, *limits)
        cuts.append(found)
        sums += counts
    return np.concatenate(cuts), int(sums[0]), int(sums[1]), int(sums[2])
