"""The parts as they are in the trace, and the trace."""

import math
from collections.abc import Iterable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from topoview.base.progress import Report, silent
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
from topoview.io.otf2 import (
    add_samples_to_timeline,
    assemble_trace,
    source_of,
    trace_of,
)
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
        further=tuple(
            _records(int(kind), {name: np.array(one) for name, one in columns.items()})
            for kind, columns in told["further"].items()
        ),
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
    return EventRecords(title, names, **columns)


def join_parts(
    work: Work,
    settled: Settled,
    correction: ClockCorrection | None,
    allocate: Allocate,
    report: Report = silent,
) -> Trace:
    """Put the trace together of parts that are finished.

    Its columns are filled part by part, from files that are mapped.
    """
    report("joining parts", 0.0)
    alone = _alone_messages(work, correction, range(len(settled.groups)))
    join = _Joiner(work, settled, len(alone["sender"]), allocate)
    for part in range(len(work.parts)):
        join.fill(part)
        report("joining parts", (part + 1) / len(work.parts))
    collectives = join.columns["collectives"]
    messages, tally = _join_messages(work, settled, correction, join, alone)
    further = tuple(
        _records(kind, {"offsets": join.offsets[name], **join.columns[name]})
        for kind, name in join.further
    )
    facts = np.zeros((len(FACTS), len(settled.later)), np.int64)
    counts: dict[int, int] = {}
    astray = np.zeros(3, np.int64)
    for part, own in enumerate(work.all_rows()):
        told = told_by(work.file("decoded", part))
        facts[:, own] = told["facts"]
        astray += told["astray"]
        for kind, count in told["records"].items():
            counts[int(kind)] = counts.get(int(kind), 0) + count
    counts = dict(sorted(counts.items()))
    locations = np.zeros(len(settled.later), LOCATION)
    locations["id"] = [place.id for place in work.defined.processes.locations]
    for name, values in zip(FACTS, facts, strict=True):
        locations[name] = values
    source = source_of(work.defined.files, Subset())
    faults, lost_in = faults_of(source, locations)
    alignment = None
    if correction is not None:
        before = tallies(work, settled).backwards
        alignment = correction.alignment(before, tally.backwards, tally.worst)
    found = RecordedEvents(
        timeline=Timeline(join.offsets["timeline"], **join.columns["timeline"]),
        calls=Calls(join.offsets["calls"], **join.columns["calls"]),
        messages=messages,
        collectives=Collectives(**collectives),
        count=sum(counts.values()),
        counts=tuple((record_name(kind), n) for kind, n in counts.items()),
        origin=int(np.min(settled.beginning, initial=np.iinfo(np.int64).max)),
        last=_last_events(work, settled, correction),
        aligned=settled.aligned or correction is not None,
        tally=tally,
        paths=_call_paths(settled),
        further=further,
        astray=int(astray[0]),
        spoilt=int(astray[1]),
        path_cut=int(astray[2]) + settled.path_cut,
        faults=faults,
        lost=sum(lost_in.values()),
        lost_in=lost_in,
        alignment=alignment,
    )
    return assemble_trace(work.defined, found)


class Table(NamedTuple):
    """A table of a part that is finished.

    Attributes
    ----------
    begins : int64, shape (rows + 1,)
        Where the elements of each of the part's rows begin.
    columns
        By name.
    """

    begins: Ints
    columns: dict[str, NDArray[Any]]


def tables_of(work: Work, part: int) -> dict[str, Table]:
    """Map the tables of a part that is finished; those of records by their types."""
    done = told_by(work.file("finished", part), whole=True)
    told = told_by(work.file("decoded", part))
    tables = {
        "collectives": Table(told["parts"], done["collectives"]),
        "messages": Table(told["sends"], done["messages"]),
    }
    further = {_records_name(int(kind)): one for kind, one in done["further"].items()}
    with_offsets = {"timeline": done["timeline"], "calls": done["calls"], **further}
    for name, columns in with_offsets.items():
        begins = columns.pop("offsets")
        tables[name] = Table(begins, columns)
    return tables


def _records_name(kind: int) -> str:
    return f"further.{kind}"


def _kind_of(table: str) -> int:
    """Type of the further records of a table; -1 if it is another one."""
    _, is_of_records, kind = table.partition("further.")
    return int(kind) if is_of_records else -1


class _Joiner:
    """Columns of the whole trace, filled from those of its parts one by one.

    A part that is mapped takes a file each: so no more than one is at a time.

    Attributes
    ----------
    offsets, columns
        Of each table, by its name.
    further
        Types of further records and their tables, in the order of the trace's.
    """

    def __init__(
        self, work: Work, settled: Settled, alone: int, allocate: Allocate
    ) -> None:
        self._work, self._rows = work, work.all_rows()
        kinds: dict[str, dict[str, tuple[np.dtype[Any], tuple[int, ...]]]] = {}
        sizes: dict[str, Ints] = {}
        for part, rows in enumerate(self._rows):
            for name, table in tables_of(work, part).items():
                own = sizes.setdefault(name, np.zeros(len(settled.later) + 1, np.int64))
                own[rows + 1] = np.diff(table.begins)
                kinds[name] = {
                    field: (column.dtype, column.shape[1:])
                    for field, column in table.columns.items()
                }
        self.offsets = {name: np.cumsum(own) for name, own in sizes.items()}
        self.columns: dict[str, dict[str, NDArray[Any]]] = {}
        for name, fields in kinds.items():
            many = int(self.offsets[name][-1]) + (alone if name == "messages" else 0)
            self.columns[name] = {}
            for field, (dtype, each) in fields.items():
                size = many * math.prod(each)
                room = allocate(f"{name}.{field}", max(size, 1), dtype)[:size]
                self.columns[name][field] = room.reshape(many, *each)
        further = [(_kind_of(name), name) for name in kinds if _kind_of(name) >= 0]
        self.further = sorted(further, key=lambda one: _place_of_records(one[0]))

    def fill(self, part: int) -> None:
        """Copy the columns of a part to where they are."""
        rows = self._rows[part]
        for name, table in tables_of(self._work, part).items():
            for field, column in table.columns.items():
                whole = self.columns[name][field]
                place_rows(whole, self.offsets[name], rows, table.begins, column)


def part_trace(
    work: Work, settled: Settled, correction: ClockCorrection | None, part: int
) -> Trace:
    """Give what the ranks of a finished part did: a trace in which others did nothing.

    Results that are sums over rows or messages are those of all parts together. Calls
    are numbered within the part; a message that came from or went to another part has
    no call there.
    """
    rows, tables = work.rows(part), tables_of(work, part)
    offsets: dict[str, Ints] = {}
    for name, table in tables.items():
        sizes = np.zeros(len(settled.later) + 1, np.int64)
        sizes[rows + 1] = np.diff(table.begins)
        offsets[name] = np.cumsum(sizes)
    calls, messages = tables["calls"].columns, tables["messages"].columns
    begins = settled.calls[rows], tables["calls"].begins
    calls["completes"] = _numbered_within(calls["completes"], *begins)
    if part < len(settled.groups):  # of parts that are matched together the first
        alone = _alone_messages(work, correction, [part])
        messages = {
            name: np.concatenate([column, alone[name]])
            for name, column in messages.items()
        }
    for name in ("send_call", "receive_call", "completion_call"):
        messages[name] = _numbered_within(messages[name], *begins)
    collectives = tables["collectives"].columns
    collectives["call"] = _numbered_within(collectives["call"], *begins)
    kinds = sorted(_kind_of(name) for name in tables if _kind_of(name) >= 0)
    found = RecordedEvents(
        timeline=Timeline(offsets["timeline"], **tables["timeline"].columns),
        calls=Calls(offsets["calls"], **calls),
        messages=Messages(**messages),
        collectives=Collectives(**collectives),
        count=0,
        origin=int(np.min(settled.beginning, initial=np.iinfo(np.int64).max)),
        last=_last_events(work, settled, correction),
        aligned=settled.aligned or correction is not None,
        paths=_call_paths(settled),
        further=tuple(
            _records(
                kind,
                {
                    "offsets": offsets[_records_name(kind)],
                    **tables[_records_name(kind)].columns,
                },
            )
            for kind in kinds
        ),
    )
    return trace_of(work.defined, found)


def _numbered_within(calls: Ints, everywhere: Ints, own: Ints) -> Ints:
    """Renumber calls of a part from 0; those of other parts are -1.

    Parameters
    ----------
    everywhere, own : int64
        Where the calls of each row of the part begin in the trace, and in the part.
    """
    if not len(everywhere):
        return np.full(len(calls), -1, np.int64)
    row = np.maximum(np.searchsorted(everywhere, calls, side="right") - 1, 0)
    found = calls - everywhere[row] + own[row]
    inside = (found >= own[row]) & (found < own[row + 1])
    return np.where(inside, found, -1)


def _last_events(
    work: Work, settled: Settled, correction: ClockCorrection | None
) -> Ints:
    """Ticks to the last event of each row, by the clocks as they are aligned."""
    if correction is None:
        return settled.last
    offset = correction.offset[work.defined.rank_of_row]
    return np.where(settled.last >= 0, settled.last + offset, -1)


def _place_of_records(kind: int) -> int:
    """Where the records of a type are among those of the trace."""
    return ATTRIBUTED if kind == ATTRIBUTES else kind


def _alone_messages(
    work: Work, correction: ClockCorrection | None, groups: Iterable[int]
) -> dict[str, NDArray[Any]]:
    """Gather the receives of some groups that have no send, in order of their rows."""
    found: list[dict[str, NDArray[Any]]] = []
    for group in groups:
        told = told_by(work.file("matched", group))
        columns = {"row": told["alone_row"], **told["alone"]}
        found.append({name: np.array(column) for name, column in columns.items()})
    order = np.argsort(np.concatenate([one["row"] for one in found]), kind="stable")
    alone = {
        name: np.concatenate([one[name] for one in found])[order]
        for name in found[0]
        if name != "row"
    }
    if correction is not None:
        arrived = alone["receive_time"]
        late = correction.offset[alone["receiver"]]
        arrived[arrived >= 0] += late[arrived >= 0]
    return alone


def _join_messages(
    work: Work,
    settled: Settled,
    correction: ClockCorrection | None,
    join: _Joiner,
    alone: dict[str, NDArray[Any]],
) -> tuple[Messages, MessageTally]:
    """Add to the messages of sends those receives that have none."""
    columns, sends = join.columns["messages"], int(settled.sends[-1])
    for name, column in columns.items():
        column[sends:] = alone[name]
    tally = tallies(work, settled)
    if correction is not None:
        found = [
            told_by(work.file("finished", part))["violations"]
            for part in range(len(work.parts))
        ]
        tally = tally._replace(
            backwards=sum(count for count, _ in found),
            worst=max((most for _, most in found), default=0),
        )
    return Messages(**columns), tally


def _call_paths(settled: Settled) -> CallPaths:
    return CallPaths(**{name: np.array(one) for name, one in settled.paths.items()})
