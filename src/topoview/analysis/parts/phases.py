"""Phases of a run: when the pattern of communication changes.

Each location's messages are listed in order of its calls and cut where its partners
change for good, but only where none of its messages is under way: what is posted
before one Waitall belongs together. The cuts of the locations are compared: a phase
has the same sequence of stretches in most of them, and a message lies in the same
stretch at its sender and at its receiver. Clocks are not needed for that. Where the
trace has regions of the user's own code, the region that calls MPI names the stretches
instead. Phases in which the same pairs communicate are of one kind.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

import numpy as np

from topoview.analysis.parts.partner_cuts import (
    drop_small,
    find_cuts,
    move_edges,
    name_stretches,
    number_partners,
    number_stretches,
    refine_cuts,
    round_starts,
    whole_rounds,
)
from topoview.base.progress import Report, silent
from topoview.grouping import counting_sort
from topoview.logical.calls.operations import POSTING, is_one_of
from topoview.model import (
    Bools,
    Frozen,
    Indices,
    Ints,
    Part,
    PhaseFacts,
    Regions,
    Rows,
    Trace,
    distinct,
    occurring,
    rows_at,
    rows_in_batches,
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


def distinct_phases(trace: Trace, phases: Phases) -> Phases | None:
    """Build phases in which the same pairs communicate one kind; None if one is left.

    Kinds that hold next to no messages, or only such of ranks to themselves, are
    left out.
    """
    kinds = len(phases.names)
    of_message = np.append(phases.kind, -1)[phases.of_message]
    counts = np.bincount(of_message[of_message >= 0], minlength=kinds)
    kept = counts >= MIN_KIND_SHARE * len(of_message)
    sets = _pair_sets(trace, of_message, kinds)
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


def _pair_sets(trace: Trace, of_message: Indices, kinds: int) -> list[Ints]:
    """Pairs that communicate in each kind, smaller rank first, as sorted numbers."""
    n = trace.ranks
    some = np.flatnonzero(of_message >= 0)
    one = trace.messages.sender[some].astype(np.int64)
    other = trace.messages.receiver[some].astype(np.int64)
    keys = np.minimum(one, other) * n + np.maximum(one, other)
    keys = distinct(keys[one != other] + of_message[some][one != other] * (n * n))
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
        of_message=to[phases.of_message],
    )


# The messages of each location in the order of its calls, to look for phases in.

FINDING_PHASES = "looking for phases"


@dataclass(frozen=True, slots=True, eq=False)
class MessageEvents:
    """Messages as each location sees them, location after location, in order.

    `message` counts those sent, then (from `sent` on) those received; `starts` tells
    before which of them none of the location's messages is under way.
    """

    begins: Ints
    partner: Indices
    call: Ints
    message: Ints
    sends: Bools
    starts: Bools

    @property
    def row(self) -> Ints:
        """Location of each, int64."""
        rows = np.arange(len(self.begins) - 1)
        result: Ints = np.repeat(rows, np.diff(self.begins))
        return result


def events_of(trace: Trace) -> MessageEvents:
    """List the messages that each location sends and receives, in order of calls."""
    begins, call, message, sends, partner = _events_of_part(whole_part(trace))
    completion = np.where(sends, -1, trace.messages.completion_call[message])
    row_end = np.repeat(trace.calls.offsets[1:], np.diff(begins))
    done = np.where(completion >= 0, completion, _completions(trace, call, row_end))
    starts = round_starts(begins, call, done)
    return MessageEvents(
        begins=begins,
        partner=partner,
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


def _completions(trace: Trace, call: Ints, row_end: Ints) -> Ints:
    """Find the call that completes what some calls post, where that is not recorded.

    The location's next one that completes anything; a call that posts nothing, or is
    followed by none, completes what it does itself.
    """
    regions, region = trace.regions, trace.calls.region
    completing = np.flatnonzero(
        is_one_of(regions, COMPLETING)[regions.operation][region]
    )
    posts = is_one_of(regions, POSTING)[regions.operation][region[call]]
    after = np.append(completing, len(region))[np.searchsorted(completing, call)]
    result: Ints = np.where(posts & (after < row_end), after, call)
    return result


MIN_WINDOW = 3
"""Messages of the shortest stretch, twice: before and after a cut."""

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
    for width in _widths(longest):
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


def _widths(longest: int) -> Iterator[int]:
    """Iterate over the widths of windows that are tried."""
    width = float(MIN_WINDOW)
    while 2 * width <= longest:
        yield int(width)
        width *= 1.4


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
    events = events_of(trace)
    named = _by_region(trace, events) if by_regions and _named(facts) else None
    phases = None if named is None else distinct_phases(trace, named)
    if phases is not None:
        return phases
    return _by_partners(trace, events, _cutting(facts), report)


def _by_region(trace: Trace, events: MessageEvents) -> Phases | None:
    regions = trace.paths.region[trace.calls.path[events.call]]
    shown = occurring(regions, len(trace.regions.names))
    rounds = np.flatnonzero(events.starts)
    lengths = np.diff(rounds, append=len(regions))
    kind = np.repeat(np.searchsorted(shown, regions[rounds]), lengths).astype(np.int32)
    names = tuple(trace.regions.names[region] for region in shown.tolist())
    return _phases(trace, events, kind, names, exact=True)


def _by_partners(
    trace: Trace, events: MessageEvents, cutting: Bools, report: Report
) -> Phases | None:
    """Cut by windows of widths that cut well; the finest counts, with most kinds."""
    begins, starts = events.begins, events.starts
    symbol, most = number_partners(begins, events.partner, trace.ranks)
    longest = int(np.diff(begins).max())
    finest = None
    for w, cuts_well in zip(_widths(longest), cutting.tolist(), strict=True):
        if not cuts_well:
            continue
        report(FINDING_PHASES, 0.5 + w / longest)
        cuts, *_ = find_cuts(begins, symbol, most, w)
        cuts = whole_rounds(begins, starts, cuts)
        cuts = refine_cuts(begins, symbol, starts, most, w, cuts)
        kind = name_stretches(begins, symbol, most, cuts)
        drop_small(begins, kind, MIN_STRETCH_SHARE)
        move_edges(begins, symbol, starts, kind)
        phases = _phases(trace, events, kind, (), exact=False)
        distinct = None if phases is None else distinct_phases(trace, phases)
        if distinct and (finest is None or len(distinct.names) > len(finest.names)):
            finest = distinct
    return finest


def _phases(
    trace: Trace,
    events: MessageEvents,
    kind: Indices,
    names: tuple[str, ...],
    *,
    exact: bool,
) -> Phases | None:
    """Build phases of each location's stretches if the locations agree on them."""
    stretch, counts, sums = number_stretches(events.begins, kind)
    present = counts > 0
    values, first, rows = np.unique(
        sums[present], return_index=True, return_counts=True
    )
    common = int(rows.argmax())
    model = int(np.flatnonzero(present)[first[common]])
    agreed = present & (sums == values[common])
    one = slice(int(events.begins[model]), int(events.begins[model + 1]))
    if counts[model] < 2 and not exact:
        return None
    listed = (
        rows[common] >= MIN_LOCATION_SHARE * present.sum()
        and 2 <= counts[model] <= MAX_PHASES
    )
    if not listed and not exact and rows[common] < MIN_LOCATION_SHARE * present.sum():
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
    shown = of_message
    if not listed:
        first = events.message[sure & _first_times(events, kind, stretch)]
        shown = np.full_like(of_message, -1)
        shown[first] = of_message[first]
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


def _renumber(kinds: Indices) -> tuple[list[int], Indices]:
    used = list(dict.fromkeys(kinds.tolist()))
    number = {kind: i for i, kind in enumerate(used)}
    return used, np.array([number[k] for k in kinds.tolist()], np.int32)


def _repetitions(
    events: MessageEvents, kind: Indices, stretch: Indices, kinds: Indices
) -> Ints:
    """Count the stretches of each kind at the location that has most of them."""
    row = events.row
    starts = np.ones(len(stretch), bool)
    starts[1:] = (stretch[1:] != stretch[:-1]) | (row[1:] != row[:-1])
    result = np.zeros(len(kinds), np.int64)
    for i, k in enumerate(kinds.tolist()):
        some = row[starts & (kind == k)]
        result[i] = np.bincount(some).max() if len(some) else 0
    return result


def _first_times(events: MessageEvents, kind: Indices, stretch: Indices) -> Bools:
    """Return which events are in the first stretch of their kind at their location."""
    row = events.row
    key = row * (int(kind.max(initial=0)) + 2) + kind + 1
    least = np.full(int(key.max(initial=0)) + 1, np.iinfo(np.int32).max, np.int32)
    np.minimum.at(least, key, stretch)
    result: Bools = stretch == least[key]
    return result


def _agreed(
    trace: Trace, events: MessageEvents, label: Indices, sure: Bools
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
    if both.any() and np.mean(at_sender[both] == at_receiver[both]) < MIN_AGREEMENT:
        return None
    result = np.where(at_sender >= 0, at_sender, at_receiver)
    unknown = np.flatnonzero(result < 0)
    if len(unknown) > (1 - MIN_AGREEMENT) * len(result) and not trace.clock.aligned:
        return None
    placed = np.flatnonzero(result >= 0)
    if len(unknown) and len(placed):
        _place_by_time(trace, result, unknown, placed)
    return result


def _place_by_time(trace: Trace, places: Indices, unknown: Ints, placed: Ints) -> None:
    """Place messages in the phase of the one sent last before; in place."""
    times = trace.messages.times
    order = placed[np.argsort(times[placed], kind="stable")]
    at = np.searchsorted(times[order], times[unknown], side="right") - 1
    places[unknown] = places[order[at.clip(0)]]


def _windows(trace: Trace, of_message: Indices, phases: int) -> tuple[Ints, Ints]:
    """Begin and end of each phase.

    From its first message to its last; where clocks are not aligned, the median over
    the senders.
    """
    messages = trace.messages
    sent = trace.messages.times
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
        begin[number] = _middle(trace, some, sent, np.minimum)
        end[number] = max(_middle(trace, some, sent, np.maximum), int(begin[number]))
    return begin, end


def _middle(trace: Trace, some: Ints, time: Ints, extreme: np.ufunc) -> int:
    """Median over the senders of the first or last time of their messages."""
    worst = np.iinfo(np.int64).max if extreme is np.minimum else -1
    times = np.full(trace.ranks, worst)
    extreme.at(times, trace.messages.sender[some], time[some])
    return int(np.median(times[times != worst]))


def _separate_windows(
    trace: Trace, of_message: Indices, begin: Ints, end: Ints
) -> None:
    """Let no windows overlap; in place.

    One ends and the next begins when half of the ranks have gone on.
    """
    time = trace.messages.times
    order = np.argsort(begin, kind="stable").tolist()
    for before, after in pairwise(order):
        if begin[after] < end[before]:
            some = np.flatnonzero(of_message == after)
            border = max(_middle(trace, some, time, np.minimum), int(begin[before]))
            end[before] = begin[after] = border
            end[after] = max(int(end[after]), border)
