"""The parts as they are in the trace, and the trace."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from topoview.io.clocks import ClockCorrection, count_violations, shift_events
from topoview.io.decoder.decoding import (
    MessageTally,
    RecordedEvents,
    faults_of,
    further_fields,
    record_name,
)
from topoview.io.decoder.library import ATTRIBUTED, LOCATION
from topoview.io.definitions.regions import find_source_lines
from topoview.io.otf2 import add_samples_to_timeline, assemble_trace, source_of
from topoview.io.parts.decoding import FACTS
from topoview.io.parts.matching import tallies
from topoview.io.parts.settling import Settled
from topoview.io.parts.work import Work, columns_of, once, place_rows, renumber, told_by
from topoview.io.record_types import ATTRIBUTES
from topoview.model import (
    CallPaths,
    Calls,
    Collectives,
    EventRecords,
    Ints,
    Messages,
    Subset,
    Timeline,
    Trace,
)
from topoview.progress import Report, silent
from topoview.store.arrays import Allocate, MemoryAllocator


def finish_part(
    work: Work, settled: Settled, correction: ClockCorrection | None, part: int
) -> None:
    """Shift the times of a part, number its calls as the trace does, show samples."""
    once(work.file("finished", part), lambda: _finish(work, settled, correction, part))


def _finish(
    work: Work, settled: Settled, correction: ClockCorrection | None, part: int
) -> dict[str, Any]:
    defined, own = work.defined, work.rows(part)
    told = told_by(work.file("decoded", part))
    of_rank = np.zeros(max(defined.ranks, 1), np.int64)
    if correction is not None:
        of_rank = correction.offset
    of_row = settled.later[own] + of_rank[defined.rank_of_row[own]]
    calls = {name: np.array(one) for name, one in told["calls"].items()}
    begins, everywhere = calls["offsets"], settled.calls[own]
    calls["completes"] = renumber(
        calls["completes"], begins, everywhere, np.diff(begins)
    )
    for row, begin, stop in zip(
        own.tolist(), calls["offsets"][:-1], calls["offsets"][1:], strict=True
    ):
        numbers = settled.path[settled.path_of[row]]
        calls["path"][begin:stop] = numbers[calls["path"][begin:stop]]
    parts = {name: np.array(one) for name, one in told["collectives"].items()}
    parts["call"] = renumber(parts["call"], begins, everywhere, np.diff(told["parts"]))
    messages = told_by(work.file("messages", part))["messages"]
    found = RecordedEvents(
        Timeline(**{name: np.array(one) for name, one in told["timeline"].items()}),
        Calls(**calls),
        Messages(**{name: np.array(one) for name, one in messages.items()}),
        Collectives(**parts),
        0,
        0,
        told["last"],
        aligned=True,
        further=tuple(_records(int(k), one) for k, one in told["further"].items()),
    )
    found = shift_events(found, of_row, of_rank, MemoryAllocator())
    sources = find_source_lines(defined.definitions, defined.meaning)
    timeline = add_samples_to_timeline(
        found.timeline, found.further, sources, defined.regions, MemoryAllocator()
    )
    return {
        "timeline": columns_of(timeline),
        "calls": columns_of(found.calls),
        "messages": columns_of(found.messages),
        "collectives": columns_of(found.collectives),
        "further": {
            kind: columns_of(records)
            for kind, records in zip(told["further"], found.further, strict=True)
        },
        "violations": count_violations(
            found.messages.send_time, found.messages.receive_time
        ),
    }


def _records(kind: int, columns: dict[str, NDArray[Any]]) -> EventRecords:
    title, names = further_fields(kind)
    return EventRecords(title, names, **{k: np.array(c) for k, c in columns.items()})


def join_parts(
    work: Work,
    settled: Settled,
    correction: ClockCorrection | None,
    allocate: Allocate,
    report: Report = silent,
) -> Trace:
    """Put the trace together of parts that are finished.

    Its columns are filled one after the other, from files that are mapped.
    """
    parts = range(len(work.parts))
    rows = work.all_rows()
    done = [told_by(work.file("finished", part)) for part in parts]
    told = [told_by(work.file("decoded", part)) for part in parts]
    report("joining parts", 0.0)
    join = _Joiner(rows, len(settled.later), allocate)
    timeline = join.table(
        "timeline", [one["timeline"] for one in done],
        [one["timeline"]["offsets"] for one in done],
    )  # fmt: skip
    report("joining parts", 0.3)
    calls = join.table(
        "calls", [one["calls"] for one in done],
        [one["calls"]["offsets"] for one in done],
    )  # fmt: skip
    report("joining parts", 0.6)
    collectives = join.table(
        "collectives", [one["collectives"] for one in done],
        [one["parts"] for one in told],
    )  # fmt: skip
    del collectives["offsets"]
    messages, tally = _join_messages(work, settled, correction, join, done, told)
    report("joining parts", 0.9)
    further = []
    for kind in _kinds(told):
        own = [one["further"].get(str(kind)) for one in done]
        further.append(join.records(kind, own))
    facts = np.zeros((len(FACTS), len(settled.later)), np.int64)
    for some, one in zip(rows, told, strict=True):
        facts[:, some] = one["facts"]
    locations = np.zeros(len(settled.later), LOCATION)
    locations["id"] = [place.id for place in work.defined.processes.locations]
    for name, values in zip(FACTS, facts, strict=True):
        locations[name] = values
    source = source_of(work.defined.files, Subset())
    faults, lost_in = faults_of(source, locations)
    counts = _records_of_types(told)
    astray = np.sum([one["astray"] for one in told], axis=0)
    last, alignment = settled.last, None
    if correction is not None:
        offset = correction.offset[work.defined.rank_of_row]
        last = np.where(last >= 0, last + offset, -1)
        before = tallies(work, settled).backwards
        alignment = correction.alignment(before, tally.backwards, tally.worst)
    found = RecordedEvents(
        timeline=Timeline(**timeline),
        calls=Calls(**calls),
        messages=messages,
        collectives=Collectives(**collectives),
        count=sum(counts.values()),
        counts=tuple((record_name(kind), n) for kind, n in counts.items()),
        origin=int(np.min(settled.beginning, initial=np.iinfo(np.int64).max)),
        last=last,
        aligned=settled.aligned or correction is not None,
        tally=tally,
        paths=_call_paths(settled),
        further=tuple(further),
        astray=int(astray[0]),
        spoilt=int(astray[1]),
        path_cut=int(astray[2]) + settled.path_cut,
        faults=faults,
        lost=sum(lost_in.values()),
        lost_in=lost_in,
        alignment=alignment,
    )
    return assemble_trace(work.defined, found)


class _Joiner:
    """Columns of the whole trace, filled from those of its parts."""

    def __init__(self, rows: Sequence[Ints], many: int, allocate: Allocate) -> None:
        self.rows, self._many, self._allocate = rows, many, allocate

    def offsets(self, own: Sequence[Ints]) -> Ints:
        """Where each row's elements begin: int64, shape (rows + 1,)."""
        sizes = np.zeros(self._many + 1, np.int64)
        for some, one in zip(self.rows, own, strict=True):
            sizes[some + 1] = np.diff(one)
        return np.cumsum(sizes)

    def room(self, name: str, size: int, dtype: np.dtype[Any]) -> NDArray[Any]:
        """Give an array of the trace."""
        return self._allocate(name, max(size, 1), dtype)[:size]

    def table(
        self,
        name: str,
        columns: Sequence[dict[str, NDArray[Any]]],
        own: Sequence[Ints],
    ) -> dict[str, NDArray[Any]]:
        """Join the columns of a table, and its offsets."""
        offsets = self.offsets(own)
        found: dict[str, NDArray[Any]] = {"offsets": offsets}
        for field, kind in {k: c.dtype for k, c in columns[0].items()}.items():
            if field == "offsets":
                continue
            whole = self.room(f"{name}.{field}", int(offsets[-1]), kind)
            for rows, begins, one in zip(self.rows, own, columns, strict=True):
                place_rows(whole, offsets, rows, begins, one[field])
            found[field] = whole
        return found

    def records(
        self, kind: int, parts: Sequence[dict[str, NDArray[Any]] | None]
    ) -> EventRecords:
        """Join the records of a type, of which some parts have none."""
        title, names = further_fields(kind)
        width = len(names)
        none = [np.zeros(len(rows) + 1, np.int64) for rows in self.rows]
        own = [
            nothing if one is None else one["offsets"]
            for one, nothing in zip(parts, none, strict=True)
        ]
        offsets = self.offsets(own)
        size = int(offsets[-1])
        time = self.room(f"further.{kind}.time", size, np.dtype(np.int64))
        values = self.room(f"further.{kind}.fields", size * width, np.dtype(np.int64))
        values = values.reshape(size, width)
        for rows, begins, one in zip(self.rows, own, parts, strict=True):
            if one is not None:
                place_rows(time, offsets, rows, begins, one["time"])
                place_rows(values, offsets, rows, begins, one["values"])
        return EventRecords(title, names, offsets, time, values)


def _join_messages(  # noqa: PLR0913
    work: Work,
    settled: Settled,
    correction: ClockCorrection | None,
    join: _Joiner,
    done: Sequence[dict[str, Any]],
    told: Sequence[dict[str, Any]],
) -> tuple[Messages, MessageTally]:
    """Join the messages: those of sends, then the receives that have none."""
    groups = [
        told_by(work.file("matched", group)) for group in range(len(settled.groups))
    ]
    order = np.argsort(
        np.concatenate([found["alone_row"] for found in groups]), kind="stable"
    )
    sends = int(settled.sends[-1])
    columns = {}
    for name, kind in ((n, c.dtype) for n, c in done[0]["messages"].items()):
        whole = join.room(f"messages.{name}", sends + len(order), kind)
        for rows, one, own in zip(join.rows, done, told, strict=True):
            place_rows(whole, settled.sends, rows, own["sends"], one["messages"][name])
        whole[sends:] = np.concatenate([g["alone"][name] for g in groups])[order]
        columns[name] = whole
    if correction is not None:
        arrived = columns["receive_time"][sends:]
        arrived[arrived >= 0] += correction.offset[columns["receiver"][sends:]][
            arrived >= 0
        ]
    tally = tallies(work, settled)
    if correction is not None:
        found = [one["violations"] for one in done]
        tally = tally._replace(
            backwards=sum(count for count, _ in found),
            worst=max((most for _, most in found), default=0),
        )
    return Messages(**columns), tally


def _kinds(told: Sequence[dict[str, Any]]) -> list[int]:
    """Types of further records that some part has, in the order of the trace's."""
    kinds = {int(kind) for one in told for kind in one["further"]}
    return sorted(kinds, key=lambda kind: ATTRIBUTED if kind == ATTRIBUTES else kind)


def _records_of_types(told: Sequence[dict[str, Any]]) -> dict[int, int]:
    """Sum up the events of each type."""
    found: dict[int, int] = {}
    for one in told:
        for kind, count in one["records"].items():
            found[int(kind)] = found.get(int(kind), 0) + count
    return dict(sorted(found.items()))


def _call_paths(settled: Settled) -> CallPaths:
    return CallPaths(**{name: np.array(one) for name, one in settled.paths.items()})
