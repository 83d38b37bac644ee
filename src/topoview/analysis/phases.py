"""Phases of a run: when the pattern of communication changes.

Each location's messages are cut where its partners change for good, and the
cuts of the locations are held against each other: the same sequence of
stretches in most of them, and a message in the same stretch at its sender and
at its receiver. Clocks are not needed for that. Where the trace has regions of
the user's own code, the region that calls MPI names the stretches instead.
"""

import numpy as np

from topoview.analysis.occurring import occurring
from topoview.analysis.partner_cuts import (
    drop_small,
    name_stretches,
    number_stretches,
    refine_cuts,
)
from topoview.analysis.partner_edges import move_edges
from topoview.analysis.phase_events import LOOKING, Events, cuts_of, events_of, symbols
from topoview.analysis.phase_kinds import Phases, told_apart
from topoview.model import Bools, Indices, Ints, Trace
from topoview.progress import Report, silent

SHORTEST = 3
"""Messages of the shortest stretch, twice: before and after a cut."""

MOST = 64
"""Phases that are told one by one; more of them are told by kind."""

LITTLE = 0.03
"""Share of a location's messages below which a kind of stretch is no phase."""

CALM = 0.35, 0.4
"""Most places of low overlap and least of high overlap at the right width."""

MAJORITY = 0.5
"""Share of the locations that must go through the same stretches."""

AGREEMENT = 0.95
"""Share of messages that must be in the same phase at both of their ends."""


def find_phases(trace: Trace, report: Report = silent) -> Phases | None:
    """Find the phases of a run; None if it has the same pattern throughout.

    By the user's regions if those tell patterns apart, else by the partners
    that follow each other. Linear in the messages but for sorting them.
    """
    report(LOOKING, 0.0)
    events = events_of(trace, report)
    if len(events.call) < 4 * SHORTEST:
        return None
    report(LOOKING, 0.3)
    found = _by_region(trace, events)
    told = None if found is None else told_apart(trace, found)
    if told is not None:
        return told
    report(LOOKING, 0.5)
    found = _by_partners(trace, events, report)
    return None if found is None else told_apart(trace, found)


def _by_region(trace: Trace, events: Events) -> Phases | None:
    regions = trace.paths.region[trace.calls.path[events.call]]
    if not len(regions) or regions.min() < 0:
        return None
    shown = occurring(regions, len(trace.regions.names))
    if len(shown) < 2:
        return None
    kind = np.searchsorted(shown, regions).astype(np.int32)
    names = tuple(trace.regions.names[region] for region in shown.tolist())
    return _phases(trace, events, kind, names, exact=True)


def _by_partners(trace: Trace, events: Events, report: Report) -> Phases | None:
    symbol, most = symbols(trace, events, report)
    longest = int(np.diff(events.begins).max())
    width, coarse = float(SHORTEST), None
    while 2 * width <= longest:
        report(LOOKING, 0.5 + 0.5 * width / longest)
        w = int(width)
        cuts, places, low, high = cuts_of(events, symbol, (most, w), report)
        if not places:
            break
        if len(cuts) and low <= CALM[0] * places and high >= CALM[1] * places:
            cuts = refine_cuts(events.begins, symbol, most, w, cuts)
            report(LOOKING, 0.5 + 0.5 * width / longest)
            kind = name_stretches(events.begins, symbol, most, cuts)
            report(LOOKING, 0.5 + 0.5 * width / longest)
            drop_small(events.begins, kind, LITTLE)
            move_edges(events.begins, symbol, kind)
            report(LOOKING, 0.5 + 0.5 * width / longest)
            found = _phases(trace, events, kind, (), exact=False)
            if found is not None and found.times.max() == 1:
                return found
            coarse = coarse or found
        width *= 1.4
    return coarse


def _phases(
    trace: Trace,
    events: Events,
    kind: Indices,
    names: tuple[str, ...],
    *,
    exact: bool,
) -> Phases | None:
    """Make phases of each location's stretches if the locations agree on them."""
    stretch, counts, sums = number_stretches(events.begins, kind)
    known = counts > 0
    values, first, rows = np.unique(sums[known], return_index=True, return_counts=True)
    common = int(rows.argmax())
    model = int(np.flatnonzero(known)[first[common]])
    agreed = known & (sums == values[common])
    one = slice(int(events.begins[model]), int(events.begins[model + 1]))
    if counts[model] < 2 and not exact:
        return None
    listed = rows[common] >= MAJORITY * known.sum() and 2 <= counts[model] <= MOST
    if not listed and not exact and rows[common] < MAJORITY * known.sum():
        return None
    label = stretch if listed else kind
    sure = agreed[events.row] & (kind >= 0) if listed or not exact else kind >= 0
    starts = np.flatnonzero(np.diff(stretch[one], prepend=-1))
    if listed:
        kinds, times = kind[one][starts], np.ones(len(starts), np.int64)
    else:
        kinds = occurring(kind, int(kind.max(initial=-1)) + 1).astype(np.int32)
        times = _repetitions(events, kind, stretch, kinds)
    of_message = _agreed(trace, events, label, sure)
    if of_message is None:
        return None
    begin, end = _windows(trace, of_message, len(kinds))
    used, numbers = _renumber(kinds)
    return Phases(
        kind=numbers,
        names=tuple(names[k] for k in used) if names else ("",) * len(used),
        times=times,
        begin=begin,
        end=end,
        of_message=of_message,
    )


def _renumber(kinds: Indices) -> tuple[list[int], Indices]:
    used = list(dict.fromkeys(kinds.tolist()))
    number = {kind: i for i, kind in enumerate(used)}
    return used, np.array([number[k] for k in kinds.tolist()], np.int32)


def _repetitions(
    events: Events, kind: Indices, stretch: Indices, kinds: Indices
) -> Ints:
    """Count the stretches of each kind at the location that has most of them."""
    row = events.row
    starts = np.ones(len(stretch), bool)
    starts[1:] = (stretch[1:] != stretch[:-1]) | (row[1:] != row[:-1])
    found = np.zeros(len(kinds), np.int64)
    for i, k in enumerate(kinds.tolist()):
        some = row[starts & (kind == k)]
        found[i] = np.bincount(some).max() if len(some) else 0
    return found


def _agreed(
    trace: Trace, events: Events, label: Indices, sure: Bools
) -> Indices | None:
    """Phase of each message by its sender's or else its receiver's stretch.

    None if the two ends of too many messages are in different phases.
    """
    at_sender = np.full(len(trace.messages), -1, np.int32)
    at_receiver = at_sender.copy()
    sent, got = sure & events.sends, sure & ~events.sends
    at_sender[events.message[sent]] = label[sent]
    at_receiver[events.message[got]] = label[got]
    both = (at_sender >= 0) & (at_receiver >= 0)
    if both.any() and np.mean(at_sender[both] == at_receiver[both]) < AGREEMENT:
        return None
    found = np.where(at_sender >= 0, at_sender, at_receiver)
    unknown = np.flatnonzero(found < 0)
    if len(unknown) > (1 - AGREEMENT) * len(found) and not trace.clock.aligned:
        return None
    known = np.flatnonzero(found >= 0)
    if len(unknown) and len(known):
        _place_by_time(trace, found, unknown, known)
    return found


def _place_by_time(trace: Trace, found: Indices, unknown: Ints, known: Ints) -> None:
    """Give messages the phase of the one that was sent last before; in place."""
    times = _times(trace)
    order = known[np.argsort(times[known], kind="stable")]
    at = np.searchsorted(times[order], times[unknown], side="right") - 1
    found[unknown] = found[order[at.clip(0)]]


def _times(trace: Trace) -> Ints:
    messages = trace.messages
    return np.where(messages.send_time >= 0, messages.send_time, messages.receive_time)


def _windows(trace: Trace, of_message: Indices, phases: int) -> tuple[Ints, Ints]:
    """Begin and end of each phase.

    From its first message to its last; where clocks are not aligned that of the
    location in the middle.
    """
    messages = trace.messages
    sent = _times(trace)
    done = np.maximum(sent, messages.receive_time)
    begin = np.zeros(phases, np.int64)
    end = np.zeros(phases, np.int64)
    keep = np.flatnonzero(of_message >= 0)
    keep = keep[np.argsort(of_message[keep], kind="stable")]
    numbers, first = np.unique(of_message[keep], return_index=True)
    for number, some in zip(numbers.tolist(), np.split(keep, first[1:]), strict=True):
        if trace.clock.aligned:
            begin[number], end[number] = sent[some].min(), done[some].max()
            continue
        owner = messages.sender[some]
        low = np.full(trace.ranks, np.iinfo(np.int64).max)
        high = np.full(trace.ranks, -1)
        np.minimum.at(low, owner, sent[some])
        np.maximum.at(high, owner, sent[some])
        begin[number] = int(np.median(low[high >= 0]))
        end[number] = max(int(np.median(high[high >= 0])), int(begin[number]))
    return begin, end
