"""Phases of a run: when the pattern of communication changes.

Each location's messages are listed in order of its calls and cut where its partners
change for good, but only where none of its messages is under way: what is posted
before one Waitall belongs together. The cuts of the locations are compared: a phase
has the same sequence of stretches in most of them, and a message lies in the same
stretch at its sender and at its receiver. Clocks are not needed for that. Where the
trace has regions of the user's own code, the region that calls MPI names the stretches
instead. Phases in which the same pairs communicate are of one kind.
"""

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from topoview.analysis.parts.partner_cuts import (
    drop_small,
    find_cuts,
    move_edges,
    name_stretches,
    number_stretches,
    refine_cuts,
    whole_rounds,
)
from topoview.analysis.parts.phase_facts import (
    FINDING_PHASES,
    MIN_WINDOW,
    Blocks,
    MessageEvents,
    kind_widths,
    phase_facts,
)
from topoview.base.memory import memory_budget
from topoview.base.progress import Report, batches, silent
from topoview.base.scratch import scratch, scratch_full, scratch_of, unset
from topoview.grouping import begins_run
from topoview.model import (
    Bools,
    Frozen,
    Indices,
    Ints,
    PhaseFacts,
    Trace,
    distinct,
    whole_part,
)

MIN_KIND_SHARE = 0.01
"""Share of all messages below which a kind of phase is not told."""

MAX_KIND_NAMES = 3
"""Names of regions that one kind is called by."""


@dataclass(frozen=True, slots=True, eq=False)
class Phases(Frozen):
    """Phases of a run, in order of time."""

    kind: Indices
    """int32, shape (phases,): phases that look alike have the same kind, numbered by
    appearance."""
    names: tuple[str, ...]
    """Name of each kind: that of the user's region, empty if there is none."""
    times: Ints
    """int64, shape (phases,): how often each was gone through: 1, or more where each
    phase stands for all stretches of its kind."""
    begin: Ints
    end: Ints
    """`begin` and `end`: int64, shape (phases,): time windows in ticks, from the first
    message to the last; of a kind that is gone through many times the first time. They
    do not overlap: where one rank is ahead of another, one ends and the next begins
    when half of the ranks have gone on."""
    of_message: Indices
    """int32, shape (messages,): phase of each message, -1 if it is in none."""

    def kind_of(self, some: slice) -> Indices:
        """Return the kind of each of some messages: int32, -1 for none."""
        kinds: Indices = np.append(self.kind, np.int32(-1))[self.of_message[some]]
        return kinds


def distinct_phases(trace: Trace, phases: Phases) -> Phases | None:
    """Build phases in which the same pairs communicate one kind; None if one is left.

    Kinds that hold next to no messages, or only such of ranks to themselves, are
    left out.
    """
    kinds = len(phases.names)
    counts = np.zeros(kinds + 1, np.int64)
    for some in batches(len(phases.of_message)):
        counts += np.bincount(phases.kind_of(some) + 1, minlength=kinds + 1)
    kept = counts[1:] >= MIN_KIND_SHARE * len(phases.of_message)
    sets = _pair_sets(trace, phases)
    join: dict[bytes, int] = {}
    number = np.full(kinds + 1, -1, np.int32)
    names: list[list[str]] = []
    for kind in np.flatnonzero(kept & [len(pairs) > 0 for pairs in sets]).tolist():
        same = join.setdefault(sets[kind].tobytes(), len(join))
        if same == len(names):
            names.append([])
        number[kind] = same
        names[same].append(phases.names[kind])
    if len(names) < 2:
        return None
    return _joined(phases, number, tuple(map(_kind_name, names)))


def _kind_name(names: list[str]) -> str:
    more = len(names) - MAX_KIND_NAMES
    listed = ", ".join(name for name in names[:MAX_KIND_NAMES] if name)
    return f"{listed} and {more} more" if more > 0 and listed else listed


def _pair_sets(trace: Trace, phases: Phases) -> list[Ints]:
    """Pairs that communicate in each kind, smaller rank first, as sorted numbers."""
    n, messages, keys = trace.ranks, trace.messages, np.zeros(0, np.int64)
    for some in batches(len(messages)):
        one = messages.sender[some].astype(np.int64)
        other = messages.receiver[some].astype(np.int64)
        kind = phases.kind_of(some).astype(np.int64)
        own = (kind * n + np.minimum(one, other)) * n + np.maximum(one, other)
        keys = np.union1d(keys, distinct(own[(kind >= 0) & (one != other)]))
    kinds = len(phases.names)
    bounds = np.searchsorted(keys, np.arange(kinds + 1) * (n * n))
    return [keys[bounds[k] : bounds[k + 1]] - k * (n * n) for k in range(kinds)]


def _joined(phases: Phases, number: Indices, names: tuple[str, ...]) -> Phases:
    """Renumber kinds, and join neighbouring phases that have become alike."""
    kind = number[phases.kind]
    kept = np.flatnonzero(kind >= 0)
    single = bool((phases.times == 1).all())
    if single:  # one after the other in time
        new = np.cumsum(np.diff(kind[kept], prepend=-1) != 0) - 1
    else:
        new = kind[kept].astype(np.int64)
    count = int(new.max()) + 1
    to = np.full(len(kind) + 1, -1, np.int32)
    to[kept] = new
    begin = np.full(count, np.iinfo(np.int64).max)
    end = np.zeros(count, np.int64)
    times = np.zeros(count, np.int64)
    kinds = np.zeros(count, np.int32)
    np.minimum.at(begin, new, phases.begin[kept])
    earliest = kept if single else kept[phases.begin[kept] == begin[new]]
    np.maximum.at(
        end, new if single else number[phases.kind[earliest]], phases.end[earliest]
    )
    np.add.at(times, new, phases.times[kept])
    kinds[new] = kind[kept]
    return replace(
        phases,
        kind=kinds,
        names=names,
        times=np.ones(count, np.int64) if single else times,
        begin=begin,
        end=end,
        of_message=scratch_of(
            (to[phases.of_message[some]] for some in batches(len(phases.of_message))),
            len(phases.of_message),
            np.int32,
        ),
    )


# The messages of each location in the order of its calls, to look for phases in.

MAX_PHASES = 16
"""Phases that are told one by one; more of them are told by kind."""

MIN_STRETCH_SHARE = 0.03
"""Share of a location's messages below which a kind of stretch is no phase."""

OVERLAP_LIMITS = 0.35, 0.4
"""Most places of low overlap and least of high overlap at the right width."""

MIN_LOCATION_SHARE = 0.5
"""Share of the locations that must go through the same stretches."""

MIN_AGREEMENT = 0.95
"""Share of messages that must be in the same phase at both of their ends."""


def can_have_phases(facts: PhaseFacts) -> bool:
    """Return whether a run can have phases, from the counts of all ranks."""
    enough = facts.events >= 4 * MIN_WINDOW
    return enough and (_named(facts) or bool(_cutting(facts).any()))


def _named(facts: PhaseFacts) -> bool:
    """Return whether the user's regions may name phases."""
    return not facts.unnamed and bool(np.count_nonzero(facts.regions) > 1)


def _cutting(facts: PhaseFacts) -> Bools:
    """Return which widths of windows cut the run well."""
    cuts, places, low, high = facts.cuts.T
    result: Bools = (cuts > 0) & (low <= OVERLAP_LIMITS[0] * places)
    result &= high >= OVERLAP_LIMITS[1] * places
    return result


def find_phases(
    trace: Trace,
    report: Report = silent,
    facts: PhaseFacts | None = None,
    *,
    by_regions: bool = True,
) -> Phases | None:
    """Find the phases of a run; None if it has the same pattern throughout.

    By the user's regions if those tell patterns apart, else by the partners
    that follow each other. Linear in the messages but for sorting them.

    Parameters
    ----------
    facts
        What `phase_facts` tells of all ranks; None: it is asked.
    by_regions
        Whether the user's regions may tell phases apart.
    """
    facts = facts or phase_facts(whole_part(trace), report)
    if not can_have_phases(facts):
        return None
    report(FINDING_PHASES, 0.5)
    blocks = Blocks(trace, memory_budget() // _BYTES_A_CALL)
    named = _by_region(trace, blocks, facts) if by_regions and _named(facts) else None
    phases = None if named is None else distinct_phases(trace, named)
    if phases is not None:
        return phases
    return _by_partners(trace, blocks, _cutting(facts), report)


_BYTES_A_CALL = 400
"""Bytes for each call of the locations that are looked at together."""


def _by_region(trace: Trace, blocks: Blocks, facts: PhaseFacts) -> Phases | None:
    shown = np.flatnonzero(facts.regions)

    def kinds_of(events: MessageEvents) -> Indices:
        regions = trace.paths.region[trace.calls.path[events.call]]
        rounds = np.flatnonzero(events.starts)
        lengths = np.diff(rounds, append=len(regions))
        kind = np.searchsorted(shown, regions[rounds])
        return np.repeat(kind, lengths).astype(np.int32)

    names = tuple(trace.regions.names[region] for region in shown.tolist())
    kinds = blocks.in_column(kinds_of(events) for _, events in blocks)
    return _phases(trace, blocks, kinds, names)


def _by_partners(
    trace: Trace, blocks: Blocks, cutting: Bools, report: Report
) -> Phases | None:
    """Cut by windows of widths that cut well; the finest counts, with most kinds."""
    longest = max(int(np.diff(events.begins).max()) for _, events in blocks)
    finest, seen = None, set()
    for w, cuts_well in zip(kind_widths(longest), cutting.tolist(), strict=True):
        if not cuts_well:
            continue
        report(FINDING_PHASES, 0.5 + w / longest)
        cuts = [_cuts_by_width(w, events) for _, events in blocks]
        # most widths find the same cuts, and so the same phases
        key = tuple(hashlib.sha256(own.tobytes()).digest() for own in cuts)
        if key in seen:
            continue
        seen.add(key)
        kinds = blocks.in_column(
            _kinds_by_cuts(own, events)
            for own, (_, events) in zip(cuts, blocks, strict=True)
        )
        phases = _phases(trace, blocks, kinds, ())
        distinct = None if phases is None else distinct_phases(trace, phases)
        if distinct and (finest is None or len(distinct.names) > len(finest.names)):
            finest = distinct
    return finest


def _cuts_by_width(width: int, events: MessageEvents) -> Ints:
    """Cut each location where windows of a width tell stretches apart."""
    begins, symbol, most = events.begins, events.symbol, events.most
    cuts, *_ = find_cuts(begins, symbol, most, width)
    cuts = whole_rounds(begins, events.starts, cuts)
    return refine_cuts(begins, symbol, events.starts, most, width, cuts)


def _kinds_by_cuts(cuts: Ints, events: MessageEvents) -> Indices:
    """Name the stretches of each location between cuts."""
    kind: Indices = name_stretches(events.begins, events.symbol, events.most, cuts)
    drop_small(events.begins, kind, MIN_STRETCH_SHARE)
    move_edges(events.begins, events.symbol, events.starts, kind)
    return kind


class _Sequences(NamedTuple):
    """The stretches of all locations, in their order."""

    counts: Ints
    sums: Ints
    """`counts` and `sums`: int64, shape (rows,): stretches of each, and a number of
    their sequence: see `number_stretches`."""
    kinds: Indices
    times: Ints
    """`kinds` and `times`: shape (n,): the kinds that there are, ascending, and how
    many stretches of it the location has that has most."""


def _sequences(blocks: Blocks, kinds: Sequence[Indices]) -> _Sequences:
    """Count the stretches of all locations."""
    counts, sums, most = [], [], np.zeros(0, np.int64)
    for (_, events), kind in zip(blocks, kinds, strict=True):
        _, *own = number_stretches(events.begins, kind)
        counts.append(own[0])
        sums.append(own[1])
        more = np.zeros(max(len(most), int(kind.max(initial=-1)) + 1), np.int64)
        more[: len(most)] = most
        row = events.row
        starts = begins_run(kind, row)
        for k in np.unique(kind[kind >= 0]).tolist():
            some = row[starts & (kind == k)]
            more[k] = max(more[k], np.bincount(some).max())
        most = more
    there = np.flatnonzero(most)
    return _Sequences(
        np.concatenate(counts),
        np.concatenate(sums),
        there.astype(np.int32),
        most[there],
    )


def _phases(
    trace: Trace, blocks: Blocks, kinds_in: Sequence[Indices], names: tuple[str, ...]
) -> Phases | None:
    """Build phases of each location's stretches if the locations agree on them.

    Parameters
    ----------
    kinds_in
        Kind of the stretch of each event of the blocks: a number from 0 on, or -1.
    names
        What the kinds are called; empty: they are cut by partners, not exactly.
    """
    counts, sums, kinds, times = _sequences(blocks, kinds_in)
    exact, present = bool(names), counts > 0
    values, first, rows = np.unique(
        sums[present], return_index=True, return_counts=True
    )
    common = int(rows.argmax())
    model = int(np.flatnonzero(present)[first[common]])
    agreed = present & (sums == values[common])
    if counts[model] < 2 and not exact:
        return None
    listed = (
        rows[common] >= MIN_LOCATION_SHARE * present.sum()
        and 2 <= counts[model] <= MAX_PHASES
    )
    if not listed and not exact and rows[common] < MIN_LOCATION_SHARE * present.sum():
        return None
    place = None
    if not listed:
        place = np.full(int(kinds.max(initial=0)) + 2, -1, np.int32)
        place[kinds] = np.arange(len(kinds))
    every = np.ones_like(agreed) if not listed and exact else agreed
    labels = _label_messages(trace, blocks, kinds_in, model, every, place)
    if listed:
        kinds, times = labels.of_model, np.ones(len(labels.of_model), np.int64)
    if not _join_ends(trace, labels.at_sender, labels.at_receiver):
        return None
    of_message = shown = labels.at_sender
    if not listed:
        shown = labels.at_receiver
        for rows_of in batches(len(shown)):
            first_times = labels.is_first[rows_of]
            shown[rows_of] = np.where(first_times, of_message[rows_of], -1)
    begin, end = _windows(trace, shown, len(kinds))
    _separate_windows(trace, shown, begin, end)
    used, numbers = _renumber(kinds)
    return Phases(
        kind=numbers,
        names=tuple(names[k] for k in used) if names else ("",) * len(used),
        times=times,
        begin=begin,
        end=end,
        of_message=of_message,
    )


class _Labels(NamedTuple):
    """The phase of each message as its two ends tell it; -1 where they do not."""

    at_sender: Indices
    at_receiver: Indices
    """`at_sender` and `at_receiver`: int32, shape (messages,)"""
    is_first: Bools
    """bool, shape (messages,): whether a message is in the first stretch of its kind;
    empty where phases are stretches."""
    of_model: Indices
    """int32, shape (stretches,): kinds of the stretches of the model."""


def _label_messages(  # noqa: PLR0913
    trace: Trace,
    blocks: Blocks,
    kinds: Sequence[Indices],
    model: int,
    agreed: Bools,
    place: Indices | None,
) -> _Labels:
    """Label messages by the stretches of the locations that agree.

    Parameters
    ----------
    kinds
        Of the events of each block.
    model
        The location whose stretches stand for those of the others.
    agreed : bool, shape (rows,)
        The locations that count.
    place : int32, shape (kinds + 1,)
        Phase of each kind, the last one is -1; None: the stretches are the phases.
    """
    messages, of_model = len(trace.messages), np.zeros(0, np.int32)
    at_sender, at_receiver = (scratch_full(messages, -1, np.int32) for _ in range(2))
    is_first = scratch(0 if place is None else messages, np.bool_)
    for (own, events), kind in zip(blocks, kinds, strict=True):
        stretch, *_ = number_stretches(events.begins, kind)
        if own.start <= model < own.stop:
            at = slice(*events.begins[model - own.start :][:2].tolist())
            of_model = kind[at][np.flatnonzero(np.diff(stretch[at], prepend=-1))]
        label = stretch if place is None else place[kind]
        sure = (kind >= 0) & agreed[own][events.row]
        for column, ends in ((at_sender, events.sends), (at_receiver, ~events.sends)):
            column[events.message[sure & ends]] = label[sure & ends]
        if place is not None:
            is_first[events.message[sure & _first_times(events, kind, stretch)]] = True
    return _Labels(at_sender, at_receiver, is_first, of_model)


def _renumber(kinds: Indices) -> tuple[list[int], Indices]:
    used = list(dict.fromkeys(kinds.tolist()))
    number = {kind: i for i, kind in enumerate(used)}
    return used, np.array([number[k] for k in kinds.tolist()], np.int32)


def _first_times(events: MessageEvents, kind: Indices, stretch: Indices) -> Bools:
    """Return which events are in the first stretch of their kind at their location."""
    row = events.row
    key = row * (int(kind.max(initial=0)) + 2) + kind + 1
    least = np.full(int(key.max(initial=0)) + 1, np.iinfo(np.int32).max, np.int32)
    np.minimum.at(least, key, stretch)
    result: Bools = stretch == least[key]
    return result


def _join_ends(trace: Trace, at_sender: Indices, at_receiver: Indices) -> bool:
    """Find for each message the phase at its sender, or else at its receiver; in place.

    False if the two ends of too many messages are in different phases.
    """
    both = same = unknown = 0
    for some in batches(len(at_sender)):
        one, other = at_sender[some], at_receiver[some]
        both += int(np.count_nonzero((one >= 0) & (other >= 0)))
        same += int(np.count_nonzero((one >= 0) & (one == other)))
        at_sender[some] = np.where(one >= 0, one, other)
        unknown += int(np.count_nonzero(at_sender[some] < 0))
    if both and same < MIN_AGREEMENT * both:
        return False
    if unknown > (1 - MIN_AGREEMENT) * len(at_sender) and not trace.clock.aligned:
        return False
    if 0 < unknown < len(at_sender):
        _place_by_time(trace, at_sender, unknown)
    return True


def _place_by_time(trace: Trace, places: Indices, unknown: int) -> None:
    """Place messages in the phase of the one sent last before; in place.

    Of several at once it is the last one. Those before all others are placed in the
    phase of the first.
    """
    times_of, rows, sorted_by_row = trace.messages.times_of, unset(unknown), []
    count = 0
    for some in batches(len(places)):
        own = some.start + np.flatnonzero(places[some] < 0)
        rows[count : count + len(own)] = own
        count += len(own)
    for few in batches(unknown, scale=_UNKNOWN_BATCHES):
        times = times_of(rows[few])
        order = np.argsort(times, kind="stable")
        times = times[order]
        # of each: the last time before it so far, and the phase then
        last = np.full(len(order), np.iinfo(np.int64).min)
        place = np.full(len(order), -1, np.int32)
        first, first_place = np.iinfo(np.int64).max, -1
        for some in batches(len(places)):
            sure = some.start + np.flatnonzero(places[some] >= 0)
            if not len(sure):
                continue
            sent = times_of(sure)
            by_time = np.argsort(sent, kind="stable")
            sent, sure = sent[by_time], sure[by_time]
            if sent[0] < first:
                first, first_place = int(sent[0]), int(places[sure[0]])
            at = np.searchsorted(sent, times, side="right") - 1
            later = (at >= 0) & (sent[at.clip(0)] >= last)
            last[later], place[later] = sent[at[later]], places[sure[at[later]]]
        place[place < 0] = first_place
        by_row = np.empty_like(place)
        by_row[order] = place
        sorted_by_row.append(by_row)
    places[rows] = np.concatenate(sorted_by_row)


_UNKNOWN_BATCHES = 32
"""Batches of messages of unknown phase that are placed together: others are gone
through for each."""


def _windows(trace: Trace, of_message: Indices, phases: int) -> tuple[Ints, Ints]:
    """Begin and end of each phase.

    From its first message to its last; where clocks are not aligned, the median over
    the senders.
    """
    if not trace.clock.aligned:
        begin, end = np.zeros((2, phases), np.int64)
        for number in range(phases):
            begin[number] = _middle(trace, of_message, number, np.minimum)
            latest = _middle(trace, of_message, number, np.maximum)
            end[number] = max(latest, begin[number])
        return begin, end
    begin = np.full(phases, np.iinfo(np.int64).max)
    end = np.full(phases, -1)
    for some in batches(len(of_message)):
        phase = of_message[some]
        inside = np.flatnonzero(phase >= 0)
        sent = trace.messages.times_of(some)
        done = np.maximum(sent, trace.messages.receive_time[some])
        np.minimum.at(begin, phase[inside], sent[inside])
        np.maximum.at(end, phase[inside], done[inside])
    begin[end < 0] = 0
    return begin, np.maximum(end, 0)


def _middle(trace: Trace, of_message: Indices, phase: int, extreme: np.ufunc) -> int:
    """Median over the senders of the first or last time of a phase's messages."""
    worst = np.iinfo(np.int64).max if extreme is np.minimum else -1
    times = np.full(trace.ranks, worst)
    for some in batches(len(of_message)):
        own = some.start + np.flatnonzero(of_message[some] == phase)
        sent = trace.messages.times_of(own)
        extreme.at(times, trace.messages.sender[own], sent)
    reached = times[times != worst]
    return int(np.median(reached)) if len(reached) else 0


def _separate_windows(
    trace: Trace, of_message: Indices, begin: Ints, end: Ints
) -> None:
    """Let no windows overlap; in place.

    One ends and the next begins when half of the ranks have gone on.
    """
    order = np.argsort(begin, kind="stable").tolist()
    for before, after in pairwise(order):
        if begin[after] < end[before]:
            middle = _middle(trace, of_message, after, np.minimum)
            border = max(middle, int(begin[before]))
            end[before] = begin[after] = border
            end[after] = max(int(end[after]), border)
