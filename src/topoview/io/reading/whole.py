"""A trace that one process reads: one part, held in memory from step to step."""

from collections.abc import Callable
from dataclasses import replace
from typing import Final

from topoview.base.progress import Report
from topoview.base.tasks import Graph, Here
from topoview.io.archive.chunks import survey_trace
from topoview.io.clocks.correction import (
    ClockCorrection,
    ClockEvidence,
    allowed_violation,
    correct_times,
    find_correction,
    must_align,
    note_correction,
)
from topoview.io.decoder.decoding import RecordedEvents, decode
from topoview.io.otf2 import (
    DefinedTrace,
    complete_trace,
    read_definitions_of,
    source_of,
)
from topoview.io.readers import Anchor
from topoview.io.reading.graph import Steps, read_on
from topoview.io.reading.messages import match_messages
from topoview.io.repairs.collective_sizes import settle_sizes
from topoview.io.repairs.gaps import find_gaps
from topoview.io.repairs.never_left import hanging_words, last_to_the_end
from topoview.io.subset import check_ranks, restrict_to_subset
from topoview.model import Subset, Trace, TraceExtent
from topoview.store.arrays import Allocate, MemoryAllocator


def read_anchor(
    anchor: Anchor,
    report: Report,
    subset: Subset,
    allocate: Allocate | None = None,
    before: Callable[[TraceExtent], None] = lambda _: None,
) -> Trace:
    """Read the trace that an anchor file belongs to; see `read_trace` of `readers`."""
    report("reading definitions", 0.0)
    defined = read_definitions_of(anchor)
    check_ranks(subset, defined.ranks, anchor.name)
    extent = survey_trace(
        anchor.name,
        defined.files,
        [place.id for place in defined.processes.locations],
        defined.ranks,
    )
    if extent is not None:
        before(extent)
    whole = WholeTrace(defined, subset, allocate or MemoryAllocator(), report)
    trace: Trace = read_on(Graph(Here(report)), WHOLE, whole).trace
    return restrict_to_subset(trace, subset)


class WholeTrace:
    """A trace, or a partition of one, that is read as one part.

    Nothing has to be settled with other parts: events are decoded straight to the
    columns of the trace, and each step goes on with what the one before left.

    Parameters
    ----------
    subset
        What to read. Some of what is outside of it is read, too.
    allocate
        Gives the arrays for the columns.
    """

    def __init__(
        self, defined: DefinedTrace, subset: Subset, allocate: Allocate, report: Report
    ) -> None:
        self._defined, self._subset = defined, subset
        self._allocate, self._report = allocate, report
        self._events: RecordedEvents | None = None

    @property
    def events(self) -> RecordedEvents:
        """What has been read so far."""
        assert self._events is not None
        return self._events

    def parts(self) -> int:
        """Count the parts."""
        return 1

    def decode(self, _part: int) -> None:
        """Decode the events of all locations."""
        self._events = None  # what was read before its communicators were joined
        self._events = decode_whole(
            self._defined, self._report, self._allocate, self._subset
        )

    def settle(self) -> int:
        """Count the groups of parts: there are no others to be settled with."""
        return 1

    def match(self, _settled: object, _group: int) -> None:
        """Match the messages."""
        self._events = match_whole(self._defined, self.events, self._allocate)

    def between(self, _settled: object) -> tuple[tuple[int, int], ...]:
        """Name communicators that are one between two groups of ranks."""
        return self.events.tally.between

    def joined(self, between: tuple[tuple[int, int], ...]) -> "WholeTrace":
        """Begin to read once more, into the same columns."""
        self._events, self._defined = None, self._defined.joined(between)
        return self

    def complete(self, _settled: object, _part: int) -> None:
        """Leave clocks to `correct`, which sees all messages."""

    def correct(self, _settled: object) -> ClockCorrection | None:
        """Find how to align the clocks."""
        defined, events = self._defined, self.events
        resolution = defined.files.resolution
        if not must_align(events.aligned, events.tally.worst, resolution):
            return None
        evidence = ClockEvidence(
            length=events.length,
            last=events.last,
            messages=events.messages,
            calls=events.calls,
            collectives=events.collectives,
            first=events.first,
            tolerance=allowed_violation(events.aligned, resolution),
        )
        return find_correction(
            evidence, defined.rank_of_row, defined.ranks, defined.regions,
            defined.communicators.items,
        )  # fmt: skip

    def lay_out(self, _settled: object, _correction: object) -> None:
        """Leave columns as they are: events were decoded to them."""

    def finish(
        self,
        _settled: object,
        correction: ClockCorrection | None,
        _laid: object,
        _part: int,
    ) -> None:
        """Correct the times, and let calls that are never left last to the end."""
        events, defined = self.events, self._defined
        words = hanging_words(events, defined.regions)
        if correction is not None:
            rank = defined.rank_of_row
            events, violations = correct_times(events, correction, rank, self._allocate)
            events = note_correction(events, correction, [violations])
        self._events = last_to_the_end(events, words, events.length, self._allocate)

    def join(self, *_placed: object) -> Trace:
        """Return the trace."""
        allocate = self._allocate
        return complete_trace(self._defined, self.events, allocate, allocate)


def decode_whole(
    defined: DefinedTrace, report: Report, allocate: Allocate, subset: Subset
) -> RecordedEvents:
    """Decode the events of all locations.

    What EZTrace wrote is read otherwise: calls are never nested, clocks not aligned,
    and receives can name a wrong communicator.
    """
    events = decode(
        source_of(defined.files, subset), defined.processes.locations, defined.ranks,
        defined.meaning, defined.communicators, defined.is_eztrace, report, allocate,
    )  # fmt: skip
    settle_sizes(
        events.collectives, events.calls, defined.rank_of_row, defined.regions,
        defined.communicators, defined.producer,
    )  # fmt: skip
    if not events.aligned:
        return events
    gaps = find_gaps(events, defined.regions, defined.rank_of_row)
    return replace(events, gaps=gaps)


def match_whole(
    defined: DefinedTrace, events: RecordedEvents, allocate: Allocate
) -> RecordedEvents:
    """Match the messages of all locations."""
    assert events.unmatched is not None
    messages, tally, _ = match_messages(
        events.unmatched, events.calls, defined.rank_of_row, defined.ranks,
        defined.communicators, defined.is_eztrace, allocate, defined.regions,
        events.gaps,
    )  # fmt: skip
    return replace(events, messages=messages, tally=tally, unmatched=None)


WHOLE: Final = Steps(
    parts=WholeTrace.parts,
    decode=WholeTrace.decode,
    settle=WholeTrace.settle,
    groups=int,  # `settle` counts them
    match=WholeTrace.match,
    between=WholeTrace.between,
    joined=WholeTrace.joined,
    complete=WholeTrace.complete,
    correct=WholeTrace.correct,
    lay_out=WholeTrace.lay_out,
    finish=WholeTrace.finish,
    join=WholeTrace.join,
)
"""The steps of a trace that is held in memory."""
