"""Decoding a part: its sends in the order of their receivers' parts, and counts."""

from typing import Any, Final

import numpy as np
from numpy.typing import DTypeLike, NDArray

from topoview.base.progress import Report, silent
from topoview.io.clocks.shift import begin_of_rows
from topoview.io.decoder.decoding import RecordedEvents, decode
from topoview.io.decoder.library import RECEIVED, UNKNOWN
from topoview.io.otf2 import source_of
from topoview.io.reading.work import (
    Work,
    columns_of,
    load_step,
    make_once,
    read_stretch,
    write_stretches,
    write_whole,
)
from topoview.io.record_types import MEASUREMENT
from topoview.io.repairs.collective_sizes import settle_sizes
from topoview.io.repairs.gaps import find_gaps
from topoview.io.repairs.intercommunicators import creates_intercommunicators
from topoview.io.repairs.never_left import hanging_words, more_intervals
from topoview.model import Indices, Ints, Subset

FACTS: Final = (
    "first",
    "last",
    "offsets",
    "fault",
    "fault_errno",
    "lost",
    "chunk_count",
    "definitions_fault",
    "definitions_errno",
    "changed",
    "changed_errno",
)
"""What the decoder tells of a location that is needed of all of them together."""

ODDITIES: Final = ("astray", "spoilt", "path_cut", "cancelled", "overlaps")
"""Fields of `RecordedEvents` that are added up."""

SENT: Final = np.dtype(
    [
        ("sender", np.int32),
        ("receiver", np.int32),
        ("size", np.int64),
        ("tag", np.int32),
        ("communicator", np.int32),
        ("send_call", np.int64),
        ("send_time", np.int64),
        ("row", np.int64),
        ("place", np.int64),
    ]
)
"""A send as the part of its receiver reads it: the columns of `Messages`, the row of
its location, and its place among the sends of that."""


def decode_part(work: Work, part: int, report: Report = silent) -> None:
    """Decode the events of a part's locations, for what other parts have to know.

    Most of what is decoded is not kept: `finish_part` of `joining` decodes again, which
    takes less than to write columns and to read them. What it sent and received
    (`load_received`) is needed until clocks are aligned.
    """
    make_once(work.file("decoded", part), lambda: _decode(work, part, report))


def load_received(work: Work, part: int) -> dict[str, Any]:
    """Map what a part received, and its collective operations where clocks need them.

    It is decoded again where that and its sends were removed.
    """
    file = work.file("events", part)
    if not file.exists():
        _decode(work, part, silent)
    payload: dict[str, Any] = load_step(file)
    return payload


def sends_of(work: Work, part: int, first: int, stop: int) -> NDArray[np.void]:
    """Read what a part sent to some parts: from the first to the one behind the last.

    It is decoded again where that was removed.
    """
    file = work.file("sent", part)
    if not file.exists():
        _decode(work, part, silent)
    return read_stretch(file, len(work.parts), first, stop, SENT)


def remove_events(work: Work) -> None:
    """Remove what parts sent and received, of which most takes the room of columns."""
    for part in range(len(work.parts)):
        for step in ("events", "sent"):
            work.file(step, part).unlink(missing_ok=True)


def events_of(
    work: Work, part: int, beginning: Ints | None = None, report: Report = silent
) -> RecordedEvents:
    """Decode the events of a part's locations; see `decode`."""
    defined, rows = work.defined, work.rows(part)
    places = tuple(defined.processes.locations[row] for row in rows.tolist())
    mains = int(np.count_nonzero(rows < defined.ranks))
    events = decode(
        source_of(defined.files, Subset()), places, mains, defined.meaning,
        defined.communicators, defined.is_eztrace, report, _from_heap,
        whole=False, beginning=beginning,
    )  # fmt: skip
    settle_sizes(
        events.collectives, events.calls, defined.rank_of_row[rows], defined.regions,
        defined.communicators, defined.producer,
    )  # fmt: skip
    return events


def _from_heap(
    name: str, length: int, dtype: DTypeLike, *, scratch: bool = False
) -> NDArray[Any]:
    """Return an array of memory that other tasks of this process have freed, if any."""
    del name, scratch
    return np.empty(length, dtype)


def _decode(work: Work, part: int, report: Report) -> dict[str, Any]:
    defined, rows = work.defined, work.rows(part)
    events = events_of(work, part, report=report)
    facts, unmatched, calls = events.facts, events.unmatched, events.calls
    assert facts is not None
    assert unmatched is not None
    counts = np.diff(facts.sends)
    order, begins = by_receiver(work, events.messages.receiver)
    # Sends go to the parts that match them: sorted by these, so that each reads one
    # stretch.
    sent = np.empty(unmatched.sends, SENT)
    for name in (SENT.names or ())[:-2]:
        sent[name] = getattr(events.messages, name)[order]
    sent["row"] = np.repeat(rows, counts)[order]
    sent["place"] = order - np.repeat(facts.sends[:-1], counts)[order]
    write_stretches(work.file("sent", part), begins, sent)
    # Receives stay here: their own part matches them.
    receives, line = unmatched.columns["receives"], events.timeline
    words = hanging_words(events, defined.regions)
    parts, at = events.collectives, parts_of_rows(events)
    payload: dict[str, Any] = {
        "received": {
            **{name: np.array(receives[name]) for name in RECEIVED.names or ()},
            "posted": unmatched.columns["receives.posted"],
        },
    }
    payload |= {  # clocks may have to be aligned
        "collectives": columns_of(parts),
        "entries": {
            name: getattr(calls, name)[parts.call]
            for name in ("region", "enter", "leave")
        },
    }
    if defined.is_eztrace:  # groups may have to be found
        payload["region"] = calls.region
    write_whole(work.file("events", part), payload)
    # Few numbers for each row, that all parts together settle.
    return {
        "facts": np.stack([facts.rows[name] for name in FACTS]),
        "beginning": facts.beginning,
        "last": events.last,
        "records": {str(kind): count for kind, count in facts.records.items()},
        "oddities": {name: getattr(events, name) for name in ODDITIES},
        "gaps": find_gaps(events, defined.regions, defined.rank_of_row[rows]),
        "words": words,
        "more": more_intervals(line, events.last, words),
        "unknown_partners": unmatched.unknown_partners,
        "makes_groups": creates_intercommunicators(calls.region, defined.regions),
        "unset": bool(
            (
                (receives["rank"] == UNKNOWN) & (receives["post"] != receives["call"])
            ).any()
        ),
        "switched": MEASUREMENT in facts.records,
        "paths": facts.paths,
        "paths_of": facts.paths_of,
        "timeline": line.offsets,
        "begins": begin_of_rows(line),
        "calls": calls.offsets,
        "parts": at,
        "sends": facts.sends,
        "receives": facts.receives,
        "further": {
            str(kind): records.offsets
            for kind, records in zip(facts.further, events.further, strict=True)
        },
    }


def by_receiver(work: Work, receiver: Indices) -> tuple[Ints, Ints]:
    """Order sends by the parts of their receivers: also where those of each begin."""
    stops = np.array([stop for _, stop in work.parts[:-1]])
    to = np.searchsorted(stops, receiver, side="right")
    order = np.argsort(to, kind="stable")
    return order, np.searchsorted(to[order], np.arange(len(work.parts) + 1))


def parts_of_rows(events: RecordedEvents) -> Ints:
    """Where each row's parts in collectives begin."""
    parts = events.collectives
    return np.append(np.searchsorted(parts.call, events.calls.offsets[:-1]), len(parts))
