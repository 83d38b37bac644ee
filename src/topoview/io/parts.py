"""Reading a trace in parts of its ranks, each by itself: the steps of a cluster.

A part is read as a trace is (`topoview.io.otf2`), and what needs other parts is settled
between the steps:

1. `decode_part` decodes the events of its locations. Times count from the part's first
   event, calls and call paths are numbered within the part.
2. `settle` lays the parts side by side: where each location's calls and sends are in
   the whole trace, what time is 0, which call paths are equal.
3. `match_part` matches the receives of its ranks with the sends to them, which every
   part has sorted by the part that receives them (a shuffle as in MapReduce: Dean and
   Ghemawat 2004); `complete_part` takes back what was found of its own sends.
4. `correct_clocks` aligns the clocks, where they are not: from the shortest transfers
   of each part and the entries and exits of collective operations.
5. `finish_part` shifts times and shows samples; `join_parts` puts the columns together.

Each step writes one file, whole or not at all, into a folder that all processes reach,
and does nothing if it is there: a step may be repeated anywhere at any time. What comes
out is the trace that one process reads, bit by bit.
"""

import contextlib
import os
import uuid
from collections.abc import Callable, Sequence
from dataclasses import fields
from itertools import pairwise
from pathlib import Path
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from topoview.io.clocks import (
    ClockCorrection,
    ClockEvidence,
    count_violations,
    find_correction,
    shift_events,
    shortest_transfers,
)
from topoview.io.decoder.blocks import Receives
from topoview.io.decoder.decoding import (
    MessageTally,
    RecordedEvents,
    UnmatchedMessages,
    decode,
    faults_of,
    further_fields,
    join_path_tables,
    record_name,
)
from topoview.io.decoder.library import ATTRIBUTED, LOCATION, RECEIVED, UNKNOWN
from topoview.io.decoder.window import origins
from topoview.io.definitions.regions import find_source_lines
from topoview.io.intercommunicators import creates_intercommunicators
from topoview.io.messages import match_messages
from topoview.io.otf2 import (
    DefinedTrace,
    add_samples_to_timeline,
    assemble_trace,
    source_of,
)
from topoview.io.record_types import ATTRIBUTES
from topoview.model import (
    CallPaths,
    Calls,
    Collectives,
    EventRecords,
    Indices,
    Ints,
    Messages,
    Subset,
    Timeline,
    Trace,
)
from topoview.progress import Report, silent
from topoview.store.arrays import Allocate, MemoryAllocator
from topoview.store.results import read_kept, write_kept

Range = tuple[int, int]
"""The first rank, and the one behind the last."""

_FACTS: Final = (
    *("first", "last", "offsets", "fault", "fault_errno", "lost", "chunk_count"),
    *("definitions_fault", "definitions_errno", "changed", "changed_errno"),
)
"""What the decoder tells of a location that is needed of all of them together."""

_SENDS: Final = ("sender", "receiver", "size", "tag", "communicator", "send_call",
                 "send_time")  # fmt: skip
_MATCHED: Final = ("receive_call", "completion_call", "receive_time")


def cut_ranks(defined: DefinedTrace, parts: int) -> list[Range]:
    """Cut the ranks of a trace into so many stretches of about as many bytes each."""
    if not defined.ranks:
        return [(0, 0)]
    sizes = np.zeros(defined.ranks + 1, np.int64)
    for place in defined.processes.locations:
        with contextlib.suppress(OSError):
            file = f"{defined.files.folder}/{place.id}.evt"
            sizes[max(place.rank, 0) + 1] += os.stat(file).st_size  # noqa: PTH116 - many
    ends = np.cumsum(sizes + np.append(0, np.ones(defined.ranks, np.int64)))
    wanted = np.arange(1, parts) * (ends[-1] // max(parts, 1))
    cuts = sorted({0, *np.searchsorted(ends, wanted).tolist(), defined.ranks})
    return list(pairwise(cuts))


def size_of_events(defined: DefinedTrace) -> int:
    """Bytes of the files of all locations."""
    found = 0
    for place in defined.processes.locations:
        with contextlib.suppress(OSError):
            found += os.stat(f"{defined.files.folder}/{place.id}.evt").st_size  # noqa: PTH116 - many
    return found


def once(file: Path, make: Callable[[], object]) -> Any:  # noqa: ANN401 - as it was made
    """Read what a file holds; it is made, and written as a whole, if it is not there.

    Raises `OSError` if there is no room for it.
    """
    with contextlib.suppress(OSError, ValueError, TypeError, KeyError, IndexError):
        return read_kept(file)
    beside = file.with_name(f"{uuid.uuid4().hex}.writing")
    try:
        write_kept(beside, make())
        beside.rename(file)
    finally:
        beside.unlink(missing_ok=True)
    return read_kept(file)


def told_by(file: Path) -> Any:  # noqa: ANN401 - as it was made
    """Map what a step that is done has written.

    Nothing is compared with checksums: many read a little of each file.
    """
    return read_kept(file, check=False)


class Work(NamedTuple):
    """A trace that is read in parts, and where.

    Attributes
    ----------
    folder
        Folder for the files of all steps.
    defined
        Its definitions.
    parts
        Ranks of each part.
    """

    folder: Path
    defined: DefinedTrace
    parts: tuple[Range, ...]

    def file(self, step: str, part: int) -> Path:
        """Name the file of a step and a part."""
        return self.folder / f"{step}-{part}.kept"

    def rows(self, part: int) -> Ints:
        """Rows of the locations of a part's ranks: int64, ascending."""
        return self.all_rows()[part]

    def all_rows(self) -> list[Ints]:
        """Rows of the locations of each part."""
        stops = np.array([stop for _, stop in self.parts])
        rank = np.maximum(self.defined.rank_of_row, 0)
        part = np.searchsorted(stops, rank, side="right")
        order = np.argsort(part, kind="stable")
        cuts = np.searchsorted(part[order], np.arange(1, len(stops)))
        return np.split(order, cuts)


# Decoding.


def decode_part(work: Work, part: int, report: Report = silent) -> None:
    """Decode the events of a part's locations.

    What other parts look at is a file by itself: each of them opens each of these.
    """
    once(work.file("decoded", part), lambda: _decode(work, part, report))


def _decode(work: Work, part: int, report: Report) -> dict[str, Any]:
    defined, rows = work.defined, work.rows(part)
    places = tuple(defined.processes.locations[row] for row in rows.tolist())
    mains = int(np.count_nonzero(rows < defined.ranks))
    found = decode(
        source_of(defined.files, Subset()), places, mains, defined.meaning,
        defined.communicators, defined.is_eztrace, report, MemoryAllocator(),
        whole=False,
    )  # fmt: skip
    facts, unmatched = found.facts, found.unmatched
    assert facts is not None
    assert unmatched is not None
    sent = {name: unmatched.columns[f"messages.{name}"][: unmatched.sends]
            for name in _SENDS}  # fmt: skip
    stops = np.array([stop for _, stop in work.parts])
    to = np.searchsorted(stops, sent["receiver"], side="right")
    order = np.argsort(to, kind="stable")
    receives = unmatched.columns["receives"]
    parts = found.collectives

    def of_sends() -> dict[str, Any]:
        return {
            "sent": {name: column[order] for name, column in sent.items()},
            "order": order,
            "to": np.searchsorted(to[order], np.arange(len(stops) + 1)),
            "sends": facts.sends,
            "calls": found.calls.offsets,
        }

    once(work.file("sent", part), of_sends)
    return {
        "facts": np.stack([facts.rows[name] for name in _FACTS]),
        "beginning": facts.beginning,
        "last": found.last,
        "records": {str(kind): count for kind, count in facts.records.items()},
        "astray": (found.astray, found.spoilt, found.path_cut),
        "unknown_partners": unmatched.unknown_partners,
        "makes_groups": creates_intercommunicators(found.calls.region, defined.regions),
        "unset": bool(
            (
                (receives["rank"] == UNKNOWN) & (receives["post"] != receives["call"])
            ).any()
        ),
        "paths": facts.paths,
        "paths_of": facts.paths_of,
        "timeline": _columns(found.timeline),
        "calls": _columns(found.calls),
        "collectives": _columns(parts),
        "parts": np.append(
            np.searchsorted(parts.call, found.calls.offsets[:-1]), len(parts)
        ),
        "sends": facts.sends,
        "receives": facts.receives,
        "received": {
            **{name: np.array(receives[name]) for name in RECEIVED.names or ()},
            "posted": unmatched.columns["receives.posted"],
        },
        "further": {
            str(kind): _columns(records)
            for kind, records in zip(facts.further, found.further, strict=True)
        },
    }


def _columns(table: object) -> dict[str, NDArray[Any]]:
    """Give the arrays of a table by name."""
    named = {field.name: getattr(table, field.name) for field in fields(table)}  # type: ignore[arg-type]
    return {name: one for name, one in named.items() if isinstance(one, np.ndarray)}


# What all parts have to know of each other.


class Settled(NamedTuple):
    """The parts of a trace side by side.

    Attributes
    ----------
    beginning : int64, shape (rows,)
        Time stamp that is time 0, of each location.
    later : int64, shape (rows,)
        Ticks to add to the times that its part has: those from `beginning` to the
        part's own.
    last : int64, shape (rows,)
        Ticks to the last event, -1 without events.
    aligned
        Whether clocks of different ranks can be compared.
    calls, sends, parts : int64, shape (rows + 1,)
        Where each location's calls, sends and parts in collectives begin.
    path : tuple of int32
        Numbers of the call paths of each table of call paths.
    path_of : int64, shape (rows,)
        Which of them each location has.
    paths, path_cut
        All call paths; how many times one was not kept.
    groups : tuple
        Parts whose receives are matched together: the first, and the one behind.
    several
        Whether several locations of a rank sent or received messages.
    """

    beginning: Ints
    later: Ints
    last: Ints
    aligned: bool
    calls: Ints
    sends: Ints
    parts: Ints
    path: tuple[Indices, ...]
    path_of: Ints
    paths: dict[str, Indices]
    path_cut: int
    groups: tuple[Range, ...]
    several: bool


def settle(work: Work) -> Settled:
    """Lay parts that were decoded side by side."""
    made = once(work.folder / "settled.kept", lambda: _settle(work)._asdict())
    return Settled(**made)


def _settle(work: Work) -> Settled:
    defined = work.defined
    many, rank = len(defined.processes.locations), defined.rank_of_row
    told = [told_by(work.file("decoded", part)) for part in range(len(work.parts))]
    rows = work.all_rows()
    facts = np.zeros((len(_FACTS), many), np.int64)
    beginning, last = np.zeros(many, np.int64), np.full(many, -1, np.int64)
    counts = {
        name: np.zeros(many + 1, np.int64) for name in ("calls", "sends", "parts")
    }
    busy = np.zeros(many, np.bool_)
    for own, one in zip(rows, told, strict=True):
        facts[:, own], beginning[own], last[own] = (
            one["facts"], one["beginning"], one["last"]
        )  # fmt: skip
        counts["calls"][own + 1] = np.diff(one["calls"]["offsets"])
        counts["sends"][own + 1] = np.diff(one["sends"])
        counts["parts"][own + 1] = np.diff(one["parts"])
        busy[own] = (np.diff(one["sends"]) > 0) | (np.diff(one["receives"]) > 0)
    several = len(np.unique(rank[busy])) < int(np.count_nonzero(busy))
    first = facts[_FACTS.index("first")]
    aligned = not defined.is_eztrace or bool(facts[_FACTS.index("offsets")].any())
    everywhere = origins(first.copy(), rank, aligned)
    later = np.where(first >= 0, beginning - everywhere, 0)
    tables, of_row = _tables_of_paths(rows, told, many)
    paths, numbers, cut = join_path_tables(tables)
    # What EZTrace writes has to be judged by the receives of all ranks, at times.
    together = defined.is_eztrace and any(
        one["makes_groups"] or one["unset"] for one in told
    )
    groups = [(0, len(told))] if together else [(p, p + 1) for p in range(len(told))]
    begins = {name: np.cumsum(sizes) for name, sizes in counts.items()}
    return Settled(
        beginning=everywhere,
        later=later,
        last=np.where(last >= 0, last + later, -1),
        aligned=aligned,
        calls=begins["calls"],
        sends=begins["sends"],
        parts=begins["parts"],
        path=tuple(numbers),
        path_of=of_row,
        paths=_columns(paths),
        path_cut=cut,
        groups=tuple(groups),
        several=several,
    )


def _tables_of_paths(
    rows: Sequence[Ints], told: Sequence[dict[str, Any]], many: int
) -> tuple[list[Indices], Ints]:
    """Put different tables of call paths in order of their first locations."""
    part_of, place = np.zeros(many, np.int64), np.zeros(many, np.int64)
    for part, (own, one) in enumerate(zip(rows, told, strict=True)):
        part_of[own], place[own] = part, one["paths_of"]
    size = int(place.max(initial=0)) + 1
    key = part_of * size + place
    _, first, inverse = np.unique(key, return_index=True, return_inverse=True)
    known: dict[bytes, int] = {}
    number = np.zeros(len(first), np.int64)
    tables: list[Indices] = []
    for group in np.argsort(first).tolist():
        row = first[group]
        table = told[part_of[row]]["paths"][place[row]]
        number[group] = known.setdefault(table.tobytes(), len(known))
        if len(known) > len(tables):
            tables.append(table)
    return tables, number[inverse]


def _renumber(calls: Ints, own: Ints, everywhere: Ints, sizes: Ints) -> Ints:
    """Renumber calls of a part as in the whole trace.

    Parameters
    ----------
    calls : int64
        Of records, location after location: -1 is none; what is below is a call, too,
        as -2 less its number (``c/messages.c``).
    own, everywhere : int64
        Where the calls of each location of the part begin there, and in the trace.
    sizes : int64
        How many records each location has.
    """
    moved = np.repeat(everywhere - own[:-1], sizes)
    return np.where(calls >= 0, calls + moved, calls - (calls < -1) * moved)


# Matching: sends come to the part of their receiver, and go back.


class _WholeReceives(Receives):
    """Receives without gaps."""

    def __init__(self, offsets: Ints) -> None:
        self._offsets = offsets
        self.parts = np.stack([offsets[:-1], offsets[1:]], axis=1)

    def squeeze(self) -> Ints:
        return self._offsets


def match_part(work: Work, settled: Settled, group: int) -> None:
    """Match the receives of a group of parts with the sends to them."""
    once(work.file("matched", group), lambda: _match(work, settled, group))


def _match(work: Work, settled: Settled, group: int) -> dict[str, Any]:
    first, stop = settled.groups[group]
    defined = work.defined
    sent, source = _sends_to(work, settled, first, stop)
    rows, offsets, receives, posted = _receives_of(work, settled, first, stop)
    sends, more = len(source), len(receives)
    columns: dict[str, NDArray[Any]] = {
        f"messages.{name}": np.concatenate([column, np.zeros(more, column.dtype)])
        for name, column in sent.items()
    }
    for name in _MATCHED:
        columns[f"messages.{name}"] = np.full(sends + more, -1, np.int64)
    columns["receives"] = receives
    columns |= {f"receives.{name}": receives[name] for name in RECEIVED.names or ()}
    if settled.several:
        columns["receives.posted"] = posted
    rank = defined.rank_of_row[rows]
    messages, tally, left = match_messages(
        UnmatchedMessages(columns, sends, _WholeReceives(offsets), 0),
        _calls_for_groups(work, settled, first, stop), rank, defined.ranks,
        defined.communicators, defined.is_eztrace, MemoryAllocator(),
        defined.regions,
    )  # fmt: skip
    back = np.argsort(source, kind="stable")

    def of_sends() -> dict[str, Any]:
        return {
            "to": np.searchsorted(source[back], np.arange(len(work.parts) + 1)),
            "matched": {n: getattr(messages, n)[:sends][back] for n in _MATCHED},
        }

    once(work.file("back", group), of_sends)
    return {
        "tally": tuple(tally),
        "alone": {n: one[sends:] for n, one in _columns(messages).items()},
        "alone_row": rows[np.searchsorted(offsets, left, side="right") - 1],
    }


def _sends_to(
    work: Work, settled: Settled, first: int, stop: int
) -> tuple[dict[str, NDArray[Any]], Ints]:
    """Gather the sends to some parts in the order of the trace, and their parts."""
    blocks: list[dict[str, NDArray[Any]]] = []
    for part, own in enumerate(work.all_rows()):
        told = told_by(work.file("sent", part))
        some = slice(int(told["to"][first]), int(told["to"][stop]))
        place = told["order"][some]
        row = np.searchsorted(told["sends"], place, side="right") - 1
        block = {name: column[some] for name, column in told["sent"].items()}
        block["send_time"] = block["send_time"] + settled.later[own[row]]
        moved = settled.calls[own] - told["calls"][:-1]
        call = block["send_call"]
        block["send_call"] = np.where(call >= 0, call + moved[row], call)
        block["at"] = settled.sends[own[row]] + place - told["sends"][row]
        block["part"] = np.full(len(place), part, np.int64)
        blocks.append(block)
    found = {name: np.concatenate([b[name] for b in blocks]) for name in blocks[0]}
    order = np.argsort(found.pop("at"), kind="stable")
    found = {name: column[order] for name, column in found.items()}
    return found, found.pop("part")


def _receives_of(
    work: Work, settled: Settled, first: int, stop: int
) -> tuple[Ints, Ints, NDArray[np.void], Ints]:
    """Gather the receives of some parts: rows, where those of each begin, and they."""
    told = [told_by(work.file("decoded", part)) for part in range(first, stop)]
    own = work.all_rows()[first:stop]
    rows = np.sort(np.concatenate(own))
    joint = np.zeros(len(rows) + 1, np.int64)
    for some, one in zip(own, told, strict=True):
        joint[np.searchsorted(rows, some) + 1] = np.diff(one["receives"])
    joint = np.cumsum(joint)
    receives = np.zeros(max(int(joint[-1]), 1), RECEIVED)[: joint[-1]]
    posted = np.zeros(int(joint[-1]), np.int64)
    for some, one in zip(own, told, strict=True):
        columns = dict(one["received"])
        later = np.repeat(settled.later[some], np.diff(one["receives"]))
        columns["time"] = columns["time"] + later
        columns["posted"] = columns["posted"] + later
        for name in ("call", "post"):
            columns[name] = _renumber(
                columns[name],
                one["calls"]["offsets"],
                settled.calls[some],
                np.diff(one["receives"]),
            )
        at = np.searchsorted(rows, some)
        for name, column in columns.items():
            target = posted if name == "posted" else receives[name]
            _place(target, joint, at, one["receives"], column)
    return rows, joint, receives, posted


def _calls_for_groups(work: Work, settled: Settled, first: int, stop: int) -> Calls:
    """Give the calls that tell who makes communicators between two groups.

    They matter only where all parts are matched together.
    """
    nothing, rows = np.zeros(0, np.int64), len(settled.later)
    offsets, region = np.zeros(rows + 1, np.int64), np.zeros(0, np.int32)
    if stop - first == len(work.parts):
        offsets, region = settled.calls, np.zeros(int(settled.calls[-1]), np.int32)
        for part in range(first, stop):
            told = told_by(work.file("decoded", part))["calls"]
            _place(region, offsets, work.rows(part), told["offsets"], told["region"])
    empty = np.zeros(0, np.int32)
    return Calls(
        offsets, region, nothing, nothing, nothing, empty, empty.astype(np.uint8)
    )


def complete_part(work: Work, settled: Settled, part: int) -> None:
    """Take back which receives the sends of a part have; and tell of its clocks."""
    once(work.file("messages", part), lambda: _complete(work, settled, part))


def _complete(work: Work, settled: Settled, part: int) -> dict[str, Any]:
    told, own = told_by(work.file("decoded", part)), work.rows(part)
    sent = told_by(work.file("sent", part))
    count = len(sent["order"])
    columns = {name: np.empty_like(one) for name, one in sent["sent"].items()}
    order = np.array(sent["order"])
    for name, column in sent["sent"].items():
        columns[name][order] = column
    row = np.repeat(own, np.diff(told["sends"]))
    columns["send_time"] += settled.later[row]
    columns["send_call"] = _renumber(
        columns["send_call"],
        told["calls"]["offsets"],
        settled.calls[own],
        np.diff(told["sends"]),
    )
    for name in _MATCHED:
        columns[name] = np.full(count, -1, np.int64)
    for group, (first, stop) in enumerate(settled.groups):
        found = told_by(work.file("back", group))
        there = slice(int(found["to"][part]), int(found["to"][part + 1]))
        # The sends to a group come back in the order of the trace.
        some = np.sort(order[int(sent["to"][first]) : int(sent["to"][stop])])
        for name in _MATCHED:
            columns[name][some] = found["matched"][name][there]
    found = {"messages": columns}
    if settled.aligned:
        return found
    transfers = shortest_transfers(
        work.defined.ranks, columns["sender"], columns["receiver"],
        columns["send_time"], columns["receive_time"],
    )  # fmt: skip
    later = np.repeat(settled.later[own], np.diff(told["parts"]))
    call = told["collectives"]["call"]
    return found | {
        "transfers": transfers,
        "entries": {
            "region": told["calls"]["region"][call],
            "enter": told["calls"]["enter"][call] + later,
            "leave": told["calls"]["leave"][call] + later,
        },
    }


# Clocks.


def correct_clocks(work: Work, settled: Settled) -> ClockCorrection | None:
    """Find how to align the clocks of a trace of which all parts are complete."""
    if settled.aligned:
        return None
    found = once(work.folder / "clocks.kept", lambda: _correct(work, settled))
    return None if found is None else ClockCorrection(*found)


def _correct(work: Work, settled: Settled) -> tuple[object, ...] | None:
    defined, transfers = work.defined, np.zeros((3, 0), np.int64)
    size = int(settled.parts[-1])
    region = np.zeros(size, np.int32)
    enter, leave = np.zeros((2, size), np.int64)
    collectives: dict[str, NDArray[Any]] = {}
    for part, own in enumerate(work.all_rows()):
        told = told_by(work.file("decoded", part))
        found = told_by(work.file("messages", part))
        transfers = _tighter(defined.ranks, transfers, np.stack(found["transfers"]))
        at = told["parts"]
        for target, column in (
            (region, found["entries"]["region"]),
            (enter, found["entries"]["enter"]),
            (leave, found["entries"]["leave"]),
        ):
            _place(target, settled.parts, own, at, column)
        for name, column in told["collectives"].items():
            whole = collectives.setdefault(name, np.zeros(size, column.dtype))
            _place(whole, settled.parts, own, at, column)
    collectives["call"] = np.arange(size)
    nothing = np.zeros(size, np.int64)
    calls = Calls(
        settled.parts, region, enter, leave, nothing, nothing.astype(np.int32),
        nothing.astype(np.uint8),
    )  # fmt: skip
    evidence = ClockEvidence(
        int(settled.last.max(initial=0)), settled.last, _as_messages(transfers), calls,
        Collectives(**collectives),
    )  # fmt: skip
    return find_correction(
        evidence, defined.rank_of_row, defined.ranks, defined.regions,
        defined.communicators.items,
    )  # fmt: skip


def _tighter(ranks: int, one: Ints, other: Ints) -> Ints:
    """Find the shortest transfers of two sets: sender, receiver, ticks."""
    both = np.concatenate([one, other], axis=1)
    sent = np.full(both.shape[1], max(0, -int(both[2].min(initial=0))))
    return np.stack(
        shortest_transfers(
            ranks,
            both[0].astype(np.int32),
            both[1].astype(np.int32),
            sent,
            sent + both[2],
        )
    )


def _as_messages(transfers: Ints) -> Messages:
    count = transfers.shape[1]
    sent = np.full(count, max(0, -int(transfers[2].min(initial=0))))
    short, nothing = np.zeros(count, np.int32), np.zeros(count, np.int64)
    return Messages(
        transfers[0].astype(np.int32), transfers[1].astype(np.int32), nothing, short,
        short, nothing, nothing, nothing, sent, sent + transfers[2],
    )  # fmt: skip


# The parts as they are in the trace, and the trace.


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
    calls["completes"] = _renumber(
        calls["completes"], begins, everywhere, np.diff(begins)
    )
    for row, begin, stop in zip(
        own.tolist(), calls["offsets"][:-1], calls["offsets"][1:], strict=True
    ):
        numbers = settled.path[settled.path_of[row]]
        calls["path"][begin:stop] = numbers[calls["path"][begin:stop]]
    parts = {name: np.array(one) for name, one in told["collectives"].items()}
    parts["call"] = _renumber(parts["call"], begins, everywhere, np.diff(told["parts"]))
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
        "timeline": _columns(timeline),
        "calls": _columns(found.calls),
        "messages": _columns(found.messages),
        "collectives": _columns(found.collectives),
        "further": {
            kind: _columns(records)
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
    facts = np.zeros((len(_FACTS), len(settled.later)), np.int64)
    for some, one in zip(rows, told, strict=True):
        facts[:, some] = one["facts"]
    locations = np.zeros(len(settled.later), LOCATION)
    locations["id"] = [place.id for place in work.defined.processes.locations]
    for name, values in zip(_FACTS, facts, strict=True):
        locations[name] = values
    source = source_of(work.defined.files, Subset())
    faults, lost_in = faults_of(source, locations)
    counts = _records_of_types(told)
    astray = np.sum([one["astray"] for one in told], axis=0)
    last, alignment = settled.last, None
    if correction is not None:
        offset = correction.offset[work.defined.rank_of_row]
        last = np.where(last >= 0, last + offset, -1)
        before = _tallies(work, settled).backwards
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


def _place(
    whole: NDArray[Any],
    offsets: Ints,
    rows: Ints,
    own: Ints,
    column: NDArray[Any],
) -> None:
    """Copy the elements of some rows to where they are in the whole column.

    Parameters
    ----------
    offsets, own : int64
        Where the elements of each row begin: in `whole`, of all rows, and in `column`,
        of these ones.
    """
    breaks = np.flatnonzero(np.diff(rows) != 1) + 1
    for run in np.split(np.arange(len(rows)), breaks):
        if len(run):
            begin, stop = own[run[0]], own[run[-1] + 1]
            at = offsets[rows[run[0]]]
            whole[at : at + stop - begin] = column[begin:stop]


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
                _place(whole, offsets, rows, begins, one[field])
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
                _place(time, offsets, rows, begins, one["time"])
                _place(values, offsets, rows, begins, one["values"])
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
            _place(whole, settled.sends, rows, own["sends"], one["messages"][name])
        whole[sends:] = np.concatenate([g["alone"][name] for g in groups])[order]
        columns[name] = whole
    if correction is not None:
        arrived = columns["receive_time"][sends:]
        arrived[arrived >= 0] += correction.offset[columns["receiver"][sends:]][
            arrived >= 0
        ]
    tally = _tallies(work, settled)
    if correction is not None:
        found = [one["violations"] for one in done]
        tally = tally._replace(
            backwards=sum(count for count, _ in found),
            worst=max((most for _, most in found), default=0),
        )
    return Messages(**columns), tally


def _tallies(work: Work, settled: Settled) -> MessageTally:
    """Sum up the messages that did not fit, before clocks were corrected."""
    groups = range(len(settled.groups))
    found = [
        MessageTally(*told_by(work.file("matched", group))["tally"]) for group in groups
    ]
    unknown = sum(
        told_by(work.file("decoded", part))["unknown_partners"]
        for part in range(len(work.parts))
    )
    sums = {
        name: sum(getattr(tally, name) for tally in found)
        for name in MessageTally._fields
        if name not in ("worst", "between")
    }
    return MessageTally(**sums)._replace(
        unknown_partners=sums["unknown_partners"] + unknown,
        worst=max((tally.worst for tally in found), default=0),
        between=found[0].between if len(found) == 1 else (),
    )


def groups_between(work: Work, settled: Settled) -> tuple[tuple[int, int], ...]:
    """Name communicators that are one between two groups: parts are read once more."""
    return _tallies(work, settled).between


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
