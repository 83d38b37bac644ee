"""The parts as they are in the trace, and the trace."""

from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from topoview.errors import TraceError
from topoview.io.clocks.correction import (
    ClockCorrection,
    correct_times,
    note_correction,
)
from topoview.io.decoder.blocks import COLUMNS, place_of_records
from topoview.io.decoder.decoding import (
    RecordedEvents,
    faults_of,
    further_fields,
    record_name,
)
from topoview.io.decoder.library import LOCATION
from topoview.io.otf2 import complete_trace, source_of
from topoview.io.reading.decoding import (
    FACTS,
    ODDITIES,
    by_receiver,
    events_of,
    parts_of_rows,
)
from topoview.io.reading.matching import MATCHED, receives_back, tallies
from topoview.io.reading.settling import Settled
from topoview.io.reading.work import (
    Work,
    columns_of,
    load_or_make,
    load_step,
    make_once,
    renumber,
    runs_of,
    write_whole,
)
from topoview.io.repairs.never_left import last_to_the_end
from topoview.io.subset import KeptElements, renumber_calls
from topoview.model import (
    MESSAGE_CALLS,
    CallPaths,
    Calls,
    Collectives,
    EventRecords,
    Ints,
    Messages,
    Part,
    Subset,
    Timeline,
    Trace,
    elements,
)
from topoview.store.arrays import (
    Allocate,
    MemoryAllocator,
    fill_array_file,
    lay_out_array_file,
)
from topoview.store.integrity import make_private_folder


class Laid(NamedTuple):
    """The columns of the trace, as they are laid out."""

    offsets: dict[str, Ints]
    """Where the elements of each location begin in each table, by its name: int64,
    shape (rows + 1,). Messages are those with a send."""
    alone: int
    """Messages without a send, which end the table."""

    @property
    def columns(self) -> list[str]:
        """Name the columns: table and field."""
        further = [name for name in self.offsets if _kind_of(name) >= 0]
        own = [f"{name}.{field}" for name in further for field in ("time", "values")]
        return [*COLUMNS, *own]

    def shape(self, column: str) -> tuple[int, ...]:
        """Return the shape of a column."""
        table, _, field = column.rpartition(".")
        many = int(self.offsets[table][-1]) + self.alone * (table == "messages")
        if field != "values":
            return (many,)
        return (many, len(further_fields(_kind_of(table))[1]))


def lay_out(work: Work, settled: Settled, correction: ClockCorrection | None) -> Laid:
    """Create the files of all columns, of their sizes: each part fills its places."""
    make_private_folder(work.columns)
    file = work.columns / _LAID
    return Laid(*load_or_make(file, lambda: tuple(_lay_out(work, settled, correction))))


def _lay_out(work: Work, settled: Settled, correction: ClockCorrection | None) -> Laid:
    later = settled.later
    if correction is not None:
        later = later + correction.offset[work.defined.rank_of_row]
    begins = settled.begins
    intervals = settled.timeline + ((later > 0) & (begins == 0))
    intervals -= (begins > 0) & (begins + later <= 0)
    last = _corrected(work, settled.last, correction)
    going_on = (settled.words >= 0) & (last < last.max(initial=0))
    intervals += np.where(going_on, settled.more, 0)
    offsets = {
        "timeline": np.append(0, np.cumsum(intervals)),
        "calls": settled.calls,
        "messages": settled.sends,
        "collectives": settled.parts,
        **{_records_name(int(kind)): one for kind, one in settled.further.items()},
    }
    alone = sum(
        len(load_step(work.file("matched", group))["alone_row"])
        for group in range(len(settled.groups))
    )
    laid = Laid(offsets, alone)
    for name in laid.columns:
        dtype = COLUMNS.get(name, np.dtype(np.int64))
        lay_out_array_file(work.column(name), laid.shape(name), dtype)
    return laid


def finish_part(
    work: Work,
    settled: Settled,
    correction: ClockCorrection | None,
    laid: Laid,
    part: int,
) -> None:
    """Write what a part did to where it is in the columns of the trace.

    Raises `TraceError` if its files have changed since they were read first.
    """
    file = work.finished(part)
    make_once(file, lambda: _finish(work, settled, correction, laid, part))


def _finish(
    work: Work,
    settled: Settled,
    correction: ClockCorrection | None,
    laid: Laid,
    part: int,
) -> tuple[int, int]:
    defined, own = work.defined, work.rows(part)
    shifted = events_of(work, part, settled.beginning[own])
    facts = shifted.facts
    assert facts is not None
    own_calls, everywhere = shifted.calls.offsets, settled.calls[own]
    of_calls = own_calls, everywhere
    at, sends = parts_of_rows(shifted), facts.sends
    # Call paths have a number in their part's table: they get that of the trace's.
    paths = np.empty_like(shifted.calls.path)
    for row, begin, stop in zip(
        own.tolist(), own_calls[:-1], own_calls[1:], strict=True
    ):
        numbers = settled.path[settled.path_of[row]]
        paths[begin:stop] = numbers[shifted.calls.path[begin:stop]]
    _offsets_of(work, laid, "messages", sends, own)
    # Receives were matched at their receivers' parts, in the order of their receivers.
    order, _ = by_receiver(work, shifted.messages.receiver)
    back = receives_back(work, settled, part)
    of_messages: dict[str, Any] = {
        name: np.empty(len(order), np.int64) for name in MATCHED.names or ()
    }
    for name, column in of_messages.items():
        column[order] = back[name]
    # Places in columns count from the part's begin: they move to the trace's.
    for name in ("send_call", "send_completion_call"):
        column = getattr(shifted.messages, name)
        of_messages[name] = renumber(column, *of_calls, np.diff(sends))
    shifted = replace(
        shifted,
        calls=replace(
            shifted.calls,
            completes=renumber(shifted.calls.completes, *of_calls, np.diff(own_calls)),
            path=paths,
        ),
        messages=replace(shifted.messages, **of_messages),
        collectives=replace(
            shifted.collectives,
            call=renumber(shifted.collectives.call, *of_calls, np.diff(at)),
            completion_call=renumber(
                shifted.collectives.completion_call, *of_calls, np.diff(at)
            ),
        ),
    )
    # Clocks are corrected before calls that are never left last to the corrected end.
    violations = (0, 0)
    if correction is not None:
        rank = defined.rank_of_row[own]
        shifted, violations = correct_times(
            shifted, correction, rank, MemoryAllocator()
        )
    length = int(_corrected(work, settled.last, correction).max(initial=0))
    shifted = last_to_the_end(shifted, settled.words[own], length, MemoryAllocator())
    tables = {
        "timeline": (shifted.timeline.offsets, shifted.timeline),
        "calls": (own_calls, shifted.calls),
        "messages": (sends, shifted.messages),
        "collectives": (at, shifted.collectives),
    }
    for kind, records in zip(facts.further, shifted.further, strict=True):
        tables[_records_name(kind)] = records.offsets, records
    # Rows of a part may lie apart in the trace: each run of adjacent rows is one write.
    for name, (begins, table) in tables.items():
        offsets = _offsets_of(work, laid, name, begins, own)
        for field, column in columns_of(table).items():
            if field != "offsets":
                file = work.column(f"{name}.{field}")
                for run in runs_of(own):
                    rows = column[begins[run.start] : begins[run.stop]]
                    fill_array_file(file, offsets[own[run.start]], rows)
    return violations


def _offsets_of(work: Work, laid: Laid, table: str, begins: Ints, rows: Ints) -> Ints:
    """Return where the rows of a table begin, if they have the sizes of before."""
    offsets = laid.offsets.get(table)
    if offsets is None or (np.diff(begins) != np.diff(offsets)[rows]).any():
        raise TraceError(
            f"{work.defined.anchor.given} has changed while it was read: give the "
            "command again when it is whole"
        )
    return offsets


_LAID: Final = "laid.kept"


def files_of(work: Work, laid: Laid) -> list[str]:
    """Name the files beside each other that steps wrote: columns, and what is done."""
    columns = [work.column(name).name for name in laid.columns]
    return [*columns, _LAID, *(work.finished(n).name for n in range(len(work.parts)))]


def _records(kind: int, columns: dict[str, NDArray[Any]]) -> EventRecords:
    title, names = further_fields(kind)
    return EventRecords(title, names, **columns)


def join_parts(  # noqa: PLR0913 - what the steps before gave
    work: Work,
    settled: Settled,
    correction: ClockCorrection | None,
    laid: Laid,
    mapped: Callable[[str], NDArray[Any]],
    allocate: Allocate,
) -> Trace:
    """Put the trace together when all parts are finished.

    Parameters
    ----------
    mapped
        Maps a column.
    allocate
        Gives the arrays of a timeline that shows samples.
    """
    alone = _alone_messages(work, correction, range(len(settled.groups)))
    for name, column in alone.items():
        fill_array_file(work.column(f"messages.{name}"), int(settled.sends[-1]), column)
    # Columns were filled in place by the parts: mapping them is all that joining costs.
    tables: dict[str, dict[str, NDArray[Any]]] = {}
    for name in laid.columns:
        table, _, field = name.rpartition(".")
        tables.setdefault(table, {})[field] = mapped(name)
    kinds = sorted(
        (kind for kind in map(_kind_of, tables) if kind >= 0), key=place_of_records
    )
    further = tuple(
        _records(kind, {"offsets": laid.offsets[name], **tables[name]})
        for kind, name in zip(kinds, map(_records_name, kinds), strict=True)
    )
    defined = work.defined
    # What is counted is added up; what is told of a location is put at its row.
    facts = np.zeros((len(FACTS), len(settled.later)), np.int64)
    counts: dict[int, int] = {}
    oddities = dict.fromkeys(ODDITIES, 0)
    for part, own in enumerate(work.all_rows()):
        payload = load_step(work.file("decoded", part))
        facts[:, own] = payload["facts"]
        for name, count in payload["oddities"].items():
            oddities[name] += count
        for kind, count in payload["records"].items():
            counts[int(kind)] = counts.get(int(kind), 0) + count
    counts = dict(sorted(counts.items()))
    # Faults are told in the order of the locations, as a reader of one process does.
    locations = np.zeros(len(settled.later), LOCATION)
    locations["id"] = [place.id for place in defined.processes.locations]
    for name, values in zip(FACTS, facts, strict=True):
        locations[name] = values
    faults, lost_in = faults_of(source_of(defined.files, Subset()), locations)
    events = RecordedEvents(
        timeline=Timeline(laid.offsets["timeline"], **tables["timeline"]),
        calls=Calls(laid.offsets["calls"], **tables["calls"]),
        messages=Messages(**tables["messages"]),
        collectives=Collectives(**tables["collectives"]),
        count=sum(counts.values()),
        counts=tuple((record_name(kind), n) for kind, n in counts.items()),
        origin=int(np.min(settled.beginning, initial=np.iinfo(np.int64).max)),
        last=_corrected(work, settled.last, correction),
        first=_corrected(work, settled.first, correction),
        aligned=settled.aligned,
        tally=tallies(work, settled),
        paths=_call_paths(settled),
        further=further,
        gaps=settled.gaps,
        never_left=laid.offsets["calls"][1:][settled.words >= 0] - 1,
        astray=oddities["astray"],
        spoilt=oddities["spoilt"],
        cancelled=oddities["cancelled"],
        overlaps=oddities["overlaps"],
        path_cut=oddities["path_cut"] + settled.path_cut,
        faults=faults,
        lost=sum(lost_in.values()),
        lost_in=lost_in,
    )
    # Violations are known only when all parts have moved their times.
    if correction is not None:
        parts = range(len(work.parts))
        violations = [load_step(work.finished(part)) for part in parts]
        events = note_correction(events, correction, violations)

    def beside(prefix: str) -> Allocate:
        return lambda name, *of, **kind: allocate(f"{prefix}.{name}", *of, **kind)

    return complete_trace(defined, events, beside("shown"), beside("streams"))


def _records_name(kind: int) -> str:
    return f"further.{kind}"


def _kind_of(table: str) -> int:
    """Type of the further records of a table; -1 if it is another one."""
    _, is_of_records, kind = table.partition("further.")
    return int(kind) if is_of_records else -1


def part_of(work: Work, settled: Settled, trace: Trace, part: int) -> Part:
    """Find the rows of the whole trace that tell what the ranks of a part did."""
    rows, (first, stop) = work.rows(part), work.parts[part]

    runs = [rows[run] for run in runs_of(rows)]
    stretches = tuple(slice(int(run[0]), int(run[-1]) + 1) for run in runs)
    return Part(
        trace=trace,
        ranks=slice(first, stop),
        rows=stretches,
        sent=tuple(elements(run, settled.sends) for run in stretches),
        received=_received_by(work, settled, trace, part),
        collectives=tuple(elements(run, settled.parts) for run in stretches),
    )


def _received_by(work: Work, settled: Settled, trace: Trace, part: int) -> Ints:
    """Find the messages that were sent to the ranks of a part: int64, ascending."""
    first, stop = work.parts[part]
    ((group, alone),) = (
        (number, high - low == 1)
        for number, (low, high) in enumerate(settled.groups)
        if low <= part < high
    )

    def own(messages: Ints) -> Ints:
        receiver = trace.messages.receiver[messages]
        return messages[(receiver >= first) & (receiver < stop)]

    sent: Ints = load_step(work.file("matched", group))["sent"]
    if not alone:  # many results of the part need it
        file = work.file("received", part)
        if not file.exists():
            write_whole(file, own(sent))
        sent = load_step(file)
    without_send = own(np.arange(settled.sends[-1], len(trace.messages)))
    return np.append(sent, without_send) if len(without_send) else sent


WINDOWS_MADE: Final = "RmaWinCreate"
"""Records of the ranks that made each window (OTF2_EventReader_Callbacks.h)."""


def part_trace(work: Work, settled: Settled, trace: Trace, part: int) -> Trace:
    """Return what the ranks of a part did: a trace in which others did nothing.

    Results that are sums over rows or messages are those of all parts together. Who
    made which window is told of all ranks: numbers in it mean these. Calls
    are numbered within the part; a message that came from or went to another part has
    no call there.

    Parameters
    ----------
    trace
        The whole one.
    """
    rows, ranks = work.rows(part), work.parts[part]
    calls, messages, sends = trace.calls, trace.messages, int(settled.sends[-1])
    chosen = np.zeros(len(settled.later), np.bool_)
    chosen[rows] = True
    low, high = calls.offsets[:-1], calls.offsets[1:]
    kept = KeptElements(low, np.where(chosen, high, low), low)

    def cut(table: Any, offsets: Ints) -> dict[str, NDArray[Any]]:  # noqa: ANN401 - of the model
        result: dict[str, NDArray[Any]] = {}
        for name, column in columns_of(table).items():
            pieces = [
                column[offsets[rows[run.start]] : offsets[rows[run.stop - 1] + 1]]
                for run in runs_of(rows)
            ]
            result[name] = pieces[0] if len(pieces) == 1 else np.concatenate(pieces)
        return result

    def with_offsets(table: Any) -> Any:  # noqa: ANN401 - of the model
        sizes = np.where(chosen, np.diff(table.offsets), 0)
        columns = cut(table, table.offsets)
        return replace(table, **columns | {"offsets": np.append(0, np.cumsum(sizes))})

    receiver = messages.receiver[sends:]
    alone = np.flatnonzero((receiver >= ranks[0]) & (receiver < ranks[1])) + sends
    of_messages = {
        name: np.concatenate([column, getattr(messages, name)[alone]])
        for name, column in cut(messages, settled.sends).items()
    }
    own, parts = with_offsets(calls), cut(trace.collectives, settled.parts)
    completes = np.array(own.completes)
    of_parts = {name: np.array(parts[name]) for name in ("call", "completion_call")}
    never_left = np.array(trace.never_left)
    for column in (
        completes, never_left, *of_parts.values(),
        *(of_messages[name] for name in MESSAGE_CALLS),
    ):  # fmt: skip
        renumber_calls(column, kept)
    return replace(
        trace,
        timeline=with_offsets(trace.timeline),
        calls=replace(own, completes=completes),
        messages=Messages(**of_messages),
        collectives=Collectives(**parts | of_parts),
        never_left=never_left[never_left >= 0],
        further=tuple(
            records if records.name == WINDOWS_MADE else with_offsets(records)
            for records in trace.further
        ),
    )


def _corrected(work: Work, ticks: Ints, correction: ClockCorrection | None) -> Ints:
    """Correct a time of each row, such as that of its last event; -1 stays."""
    if correction is None:
        return ticks
    offset = correction.offset[work.defined.rank_of_row]
    return np.where(ticks >= 0, ticks + offset, -1)


def _alone_messages(
    work: Work, correction: ClockCorrection | None, groups: Iterable[int]
) -> dict[str, NDArray[Any]]:
    """Gather the receives of some groups that have no send, in order of their rows."""
    tables: list[dict[str, NDArray[Any]]] = []
    for group in groups:
        payload = load_step(work.file("matched", group))
        columns = {"row": payload["alone_row"], **payload["alone"]}
        tables.append({name: np.array(column) for name, column in columns.items()})
    order = np.argsort(np.concatenate([one["row"] for one in tables]), kind="stable")
    alone = {
        name: np.concatenate([one[name] for one in tables])[order]
        for name in tables[0]
        if name != "row"
    }
    if correction is not None:
        arrived = alone["receive_time"]
        late = correction.offset[alone["receiver"]]
        arrived[arrived >= 0] += late[arrived >= 0]
    return alone


def _call_paths(settled: Settled) -> CallPaths:
    return CallPaths(**{name: np.array(one) for name, one in settled.paths.items()})
