"""What has to be known of the calls of all ranks to tell those of some.

Names of partners, families of communicators and call paths follow from all ranks
together. Parts of them are looked at one by one (`PartCalls`); what each adds is small
(`CallSums`), and joined it is enough to tell the facts (`CallFacts`).
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from topoview.base.progress import Report, silent
from topoview.grouping import factorize
from topoview.logical.calls.communicators import families, first_uses
from topoview.logical.calls.messages import (
    Channels,
    MessagesByCall,
    OwnMessages,
    completions_recorded,
    requests_started,
    waits_for_one_of_several,
)
from topoview.logical.calls.one_sided import one_sided, place_names
from topoview.logical.calls.operations import (
    LOCAL_OPERATIONS,
    SENDRECV,
    TESTALL,
    WAITALL,
    is_one_of,
)
from topoview.logical.calls.partners import (
    MAX_TAGS,
    Naming,
    keeps_directions,
    name_partners,
)
from topoview.logical.calls.wildcards import ANY_SOURCE, WildcardRule
from topoview.logical.functions.call_paths import KnownPaths
from topoview.logical.functions.parameters import ExtendedPaths, with_parameters
from topoview.logical.stages import READING
from topoview.model import Bools, Ints, Part, Regions, Trace, distinct, elements

MAX_CALLS_AT_ONCE = 1 << 19
"""Calls that are looked at, or written, at a time: that takes 130 MB on the way."""


@dataclass(frozen=True, slots=True, eq=False)
class CallSums:
    """What must be known of the calls of all ranks, of those of some."""

    channels: Channels
    """Distinct tags, senders and receivers of messages."""
    halves: Ints
    """int64, shape (n, 3): operation of each call that sends and receives, and the
    channels of its two messages: each combination once."""
    carries: Bools
    """bool, shape (operations + 1,): which operations send or receive something, in
    some call."""
    recorded: bool
    """Whether it is recorded of any Wait what it completes."""
    unclear: bool
    """Whether it cannot be told of all Waits what they complete: a call starts several
    requests, or several are open."""
    first_use: Ints
    """int64, shape (communicators,): as
    `topoview.logical.calls.communicators.first_uses`."""
    places: Ints
    """int64, shape (n, 2): as `topoview.logical.calls.one_sided.OneSided.keys`,
    ascending."""
    paths: ExtendedPaths | None
    """Call paths with parameters; None if the trace has none."""
    elsewhere: int
    """Calls of further threads."""
    tested: tuple[bool, bool]
    """Whether a Waitall comes next after any Testall, and whether another call does."""


def joined_sums(parts: Sequence[CallSums], regions: Regions) -> CallSums:
    """Join the sums of neighbouring parts, in their order."""
    channels, numbers = Channels.joined([one.channels for one in parts])
    halves = [
        np.column_stack((one.halves[:, 0], number[one.halves[:, 1:]]))
        for one, number in zip(parts, numbers, strict=True)
    ]
    paths = [one.paths for one in parts if one.paths is not None]
    tested = [one.tested for one in parts]
    return CallSums(
        channels=channels,
        halves=np.unique(np.concatenate(halves), axis=0),
        carries=np.any([one.carries for one in parts], axis=0),
        recorded=any(one.recorded for one in parts),
        unclear=any(one.unclear for one in parts),
        first_use=np.min([one.first_use for one in parts], axis=0),
        places=np.unique(np.concatenate([one.places for one in parts]), axis=0),
        paths=ExtendedPaths.joined(paths, len(regions.names))[0] if paths else None,
        elsewhere=sum(one.elsewhere for one in parts),
        tested=(any(a for a, _ in tested), any(b for _, b in tested)),
    )


class PartCalls:
    """The calls of some ranks' main threads, and their messages."""

    def __init__(self, part: Part, report: Report = silent) -> None:
        trace = part.trace
        report(READING, 0.0)
        self.part = part
        """The ranks."""
        self.operation = trace.regions.operation[trace.calls.region[part.main]]
        """int32, shape (calls,): operation of each call."""
        self.reached = one_sided(part, self.operation)
        """What one-sided calls and file operations reach."""
        report(READING, 0.05)
        own = OwnMessages.of(part, self.reached.moves)
        report(READING, 0.1)
        self._own, self.messages = own, MessagesByCall(part, own)
        """`messages`: what they send and receive."""
        self.paths = with_parameters(part)
        """As `topoview.logical.functions.parameters.with_parameters`."""

    def sums(self) -> CallSums:
        """Return the sums from which those of all ranks are made."""
        part, regions = self.part, self.part.trace.regions
        recorded = completions_recorded(part)
        return CallSums(
            channels=self.messages.channels,
            halves=self._find_halves(),
            carries=self._carrying(),
            recorded=recorded,
            unclear=not recorded
            and (requests_started(part) or waits_for_one_of_several(part)),
            first_use=first_uses(part),
            places=self.reached.keys,
            paths=None if self.paths is None else self.paths[0],
            elsewhere=_calls_elsewhere(part, is_one_of(regions, LOCAL_OPERATIONS)),
            tested=self._find_tested(),
        )

    def stretches(self) -> list[slice]:
        """Cut the ranks into stretches of few calls each."""
        offsets, ranks = self.part.trace.calls.offsets, self.part.ranks
        result, begin = list[slice](), ranks.start
        while begin < ranks.stop or not result:
            most = int(offsets[begin]) + MAX_CALLS_AT_ONCE
            ends = offsets[: ranks.stop + 1]
            end = int(np.searchsorted(ends, most, side="right")) - 1
            result.append(slice(begin, min(max(end, begin + 1), ranks.stop)))
            begin = result[-1].stop
        return result

    def _find_tested(self) -> tuple[bool, bool]:
        regions = self.part.trace.regions
        after = is_one_of(regions, TESTALL)[self.operation[:-1]]
        waits = is_one_of(regions, WAITALL)[self.operation[1:]][after]
        tests = is_one_of(regions, TESTALL)[self.operation[1:]][after]
        return bool(waits.any()), bool((~waits & ~tests).any())

    def _carrying(self) -> Bools:
        carries = np.zeros(len(self.part.trace.regions.operations) + 1, bool)
        for call in self.messages.calls():
            carries[self.operation[call]] = True
        return carries

    def _find_halves(self) -> Ints:
        chunks = [np.zeros((0, 3), np.int64)]
        both = is_one_of(self.part.trace.regions, SENDRECV)
        used = distinct(self.operation)
        channel = np.arange(len(self.messages.channels.tag))
        for ranks in self.stretches() if both[used].any() else ():
            ends = self.messages.ends(ranks, channel, channel)
            own = elements(ranks, self.part.trace.calls.offsets)
            first = self.part.main.start
            operation = self.operation[own.start - first : own.stop - first]
            call = np.flatnonzero(
                both[operation] & (ends.sent == 1) & (ends.received == 1)
            )
            to = ends.sent_to[ends.first_sent[call]]
            source = ends.received_from[ends.first_received[call]]
            chunks.append(
                np.unique(np.column_stack((operation[call], to, source)), axis=0)
            )
        return np.unique(np.concatenate(chunks), axis=0)


def _calls_elsewhere(part: Part, local: Bools) -> int:
    """Count calls of further threads that are not local."""
    result = 0
    for own in part.calls:
        further = slice(max(own.start, part.main.stop), own.stop)
        operation = part.trace.regions.operation[part.trace.calls.region[further]]
        result += int(np.sum((operation >= 0) & ~local[operation]))
    return result


@dataclass(frozen=True, slots=True, eq=False)
class CallFacts:
    """What is known of the calls of all ranks."""

    sums: CallSums
    """Those of all ranks."""
    names: tuple[str, ...]
    """Names of the directions."""
    to: Ints
    source: Ints
    """`to` and `source`: int64, shape (channels + 1,): direction to the receiver at the
    sender, and to the sender at the receiver; the last `source` is that of receives
    that `arrives` tells, -1 without, and of `to` it is -1."""
    halves: tuple[Ints, ...]
    """three of int64, shape (n,): operation, direction sent to and received from, of
    calls that do both: each combination once."""
    families: tuple[str, ...]
    """Names of the communicators' families, then of windows and files."""
    family_of: Ints
    """int64, shape (communicators,): family of each."""
    paths: KnownPaths
    """The call paths."""
    arrives: WildcardRule | None
    """Which receives do not tell their senders apart."""

    @property
    def own_families(self) -> int:
        """Number of the families of communicators."""
        return len(self.families) - len(self.sums.places)

    @property
    def waits_by_luck(self) -> bool:
        """Whether a Waitall comes after a Testall only if that was too early."""
        return all(self.sums.tested)

    @property
    def follows(self) -> bool:
        """Whether it is to be found what Waits complete: no record says so.

        For all of them or for none: by different names calls of a loop would differ.
        """
        return not (self.sums.unclear or self.sums.recorded)


def find_facts(
    trace: Trace,
    sums: CallSums,
    naming: Naming,
    report: Report = silent,
    arrives: WildcardRule | None = None,
) -> CallFacts:
    """Find the facts of the calls of all ranks.

    Parameters
    ----------
    sums
        Of all of them.
    arrives
        Which receives do not tell their senders apart.
    """
    directions, match, others, plan, _ = naming
    report(READING, 0.25)
    tags, kind = factorize(sums.channels.tag)
    if not keeps_directions(directions, match) and len(tags) > MAX_TAGS:
        kind = np.zeros_like(kind)
    columns = kind, sums.channels.sender, sums.channels.receiver
    channels, which = Channels.of(columns)
    table = name_partners(
        channels.tag,
        (channels.sender, channels.receiver),
        directions,
        others,
        match,
        report,
    )
    names, to, source = table.names, table.to[which], table.source[which]
    operation, *halves = sums.halves.T
    rows = np.column_stack((operation, to[halves[0]], source[halves[1]]))
    if arrives is not None:
        names = [*names, ANY_SOURCE]
    own_families, names_of_families = families(trace, match, sums.first_use, plan)
    report(READING, 0.3)
    return CallFacts(
        sums=sums,
        names=tuple(names),
        to=np.append(to, -1),
        source=np.append(source, len(names) - 1 if arrives else -1),
        halves=tuple(np.unique(rows, axis=0).T),
        families=(*names_of_families, *place_names(trace, sums.places)),
        family_of=own_families,
        paths=KnownPaths.of(trace, sums.paths),
        arrives=arrives,
    )


class PartDirections:
    """Directions and families, by numbers of channels and places in a part."""

    def __init__(self, calls: PartCalls, facts: CallFacts) -> None:
        channels = facts.sums.channels
        number = np.append(channels.places(calls.messages.channels), len(channels.tag))
        self.to, self.source = facts.to[number], facts.source[number]
        """`to` and `source`: int64, shape (channels + 1,): as of `CallFacts`."""
        place = {tuple(key): n for n, key in enumerate(facts.sums.places.tolist())}
        places = [place[tuple(key)] for key in calls.reached.keys.tolist()]
        self.family = facts.own_families + np.array(places, np.int64)
        """int64, shape (windows and files,): family of each."""
