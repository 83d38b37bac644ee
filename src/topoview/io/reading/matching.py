"""Matching: sends come to the part of their receiver, and go back."""

from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from topoview.io.clocks.bounds import shortest_transfers
from topoview.io.clocks.correction import must_align
from topoview.io.decoder.blocks import Receives
from topoview.io.decoder.decoding import MessageTally, UnmatchedMessages
from topoview.io.decoder.library import RECEIVED
from topoview.io.reading.decoding import SENT, load_received, sends_of
from topoview.io.reading.messages import match_messages
from topoview.io.reading.settling import Settled
from topoview.io.reading.work import (
    Work,
    columns_of,
    load_step,
    make_once,
    place_rows,
    read_stretch,
    renumber,
    write_stretches,
)
from topoview.model import Calls, Ints
from topoview.store.arrays import MemoryAllocator

MATCHED: Final = np.dtype(
    [(name, np.int64) for name in ("receive_call", "completion_call", "receive_time")]
)
"""What comes back of a send."""
_AS_SENT: Final = tuple(
    name for name in SENT.names or () if name not in ("row", "place")
)


class _WholeReceives(Receives):
    """Receives without gaps."""

    def __init__(self, offsets: Ints) -> None:
        self._offsets = offsets
        self.parts = np.stack([offsets[:-1], offsets[1:]], axis=1)

    def squeeze(self) -> Ints:
        return self._offsets


def match_part(work: Work, settled: Settled, group: int) -> None:
    """Match the receives of a group of parts with the sends to them."""
    make_once(work.file("matched", group), lambda: _match(work, settled, group))


def _match(work: Work, settled: Settled, group: int) -> dict[str, Any]:
    first, stop = settled.groups[group]
    defined = work.defined
    sent, places, order, begins = _sends_to(work, settled, first, stop)
    rows, offsets, receives, posted = _receives_of(work, settled, first, stop)
    sends, more = len(order), len(receives)
    columns: dict[str, NDArray[Any]] = {
        f"messages.{name}": np.concatenate([column, np.zeros(more, column.dtype)])
        for name, column in sent.items()
    }
    # When sends completed stays with the part that sent them.
    for name in (*(MATCHED.names or ()), "send_completion_call"):
        columns[f"messages.{name}"] = np.full(sends + more, -1, np.int64)
    columns["receives"] = receives
    columns |= {f"receives.{name}": receives[name] for name in RECEIVED.names or ()}
    if settled.ordered:
        columns["receives.posted"] = posted
    rank = defined.rank_of_row[rows]
    messages, tally, left = match_messages(
        UnmatchedMessages(columns, sends, _WholeReceives(offsets), 0),
        _calls_for_groups(work, settled, first, stop), rank, defined.ranks,
        defined.communicators, defined.is_eztrace, MemoryAllocator(),
        defined.regions, settled.gaps,
    )  # fmt: skip
    matched = np.empty(sends, MATCHED)
    for name in MATCHED.names or ():
        matched[name][order] = getattr(messages, name)[:sends]
    write_stretches(work.file("back", group), begins, matched)
    return {
        "tally": tuple(tally),
        "alone": {n: one[sends:] for n, one in columns_of(messages).items()},
        "sent": places,
        "alone_row": rows[np.searchsorted(offsets, left, side="right") - 1],
    }


def _sends_to(
    work: Work, settled: Settled, first: int, stop: int
) -> tuple[dict[str, NDArray[Any]], Ints, Ints, Ints]:
    """Gather the sends to some parts in the order of the trace.

    Returns
    -------
    dict, int64, int64, int64
        Last where they are in the trace, where they are in the files of their parts,
        one file behind the other, and where each begins.
    """
    blocks = [sends_of(work, part, first, stop) for part in range(len(work.parts))]
    sent = np.concatenate(blocks)
    begins = np.cumsum([0, *map(len, blocks)])
    del blocks
    row = sent["row"]
    places = settled.sends[row] + sent["place"]
    order = np.argsort(places, kind="stable")
    row = row[order]
    columns = {name: sent[name][order] for name in _AS_SENT}
    columns["send_time"] += settled.later[row]
    call = columns["send_call"]
    columns["send_call"] = np.where(call >= 0, call + settled.moved[row], call)
    return columns, places[order], order, begins


def _receives_of(
    work: Work, settled: Settled, first: int, stop: int
) -> tuple[Ints, Ints, NDArray[np.void], Ints]:
    """Gather the receives of some parts: rows, where those of each begin, and they."""
    own = dict(enumerate(work.all_rows()[first:stop], first))
    rows = np.sort(np.concatenate(list(own.values())))
    joint = np.zeros(len(rows) + 1, np.int64)
    for part, some in own.items():
        sizes = np.diff(load_step(work.file("decoded", part))["receives"])
        joint[np.searchsorted(rows, some) + 1] = sizes
    joint = np.cumsum(joint)
    receives = np.zeros(max(int(joint[-1]), 1), RECEIVED)[: joint[-1]]
    posted = np.zeros(int(joint[-1]), np.int64)
    for part, some in own.items():
        one = load_step(work.file("decoded", part))
        columns = dict(load_received(work, part)["received"])
        sizes = np.diff(one["receives"])
        later = np.repeat(settled.later[some], sizes)
        columns["time"] = columns["time"] + later
        columns["posted"] = columns["posted"] + later
        for name in ("call", "post"):
            columns[name] = renumber(
                columns[name], one["calls"], settled.calls[some], sizes
            )
        at = np.searchsorted(rows, some)
        for name, column in columns.items():
            target = posted if name == "posted" else receives[name]
            place_rows(target, joint, at, one["receives"], column)
    return rows, joint, receives, posted


def _calls_for_groups(work: Work, settled: Settled, first: int, stop: int) -> Calls:
    """Return the calls that tell who makes communicators between two groups.

    They matter only where all parts are matched together.
    """
    nothing, rows = np.zeros(0, np.int64), len(settled.later)
    offsets, region = np.zeros(rows + 1, np.int64), np.zeros(0, np.int32)
    if work.defined.is_eztrace and stop - first == len(work.parts):
        offsets, region = settled.calls, np.zeros(int(settled.calls[-1]), np.int32)
        for part in range(first, stop):
            own = load_step(work.file("decoded", part))["calls"]
            column = load_received(work, part)["region"]
            place_rows(region, offsets, work.rows(part), own, column)
    empty = np.zeros(0, np.int32)
    return Calls(
        offsets=offsets,
        region=region,
        enter=nothing,
        leave=nothing,
        completes=nothing,
        path=empty,
        kept=empty.astype(np.uint8),
    )


def complete_part(work: Work, settled: Settled, part: int) -> None:
    """Write what a part's clocks show, where they have to be aligned."""
    if has_to_align(work, settled):
        file = work.file("transfers", part)
        make_once(file, lambda: _transfers(work, settled, part))


def has_to_align(work: Work, settled: Settled) -> bool:
    """Return whether clocks are not aligned, or badly: all parts are matched."""
    worst = tallies(work, settled).worst
    return must_align(settled.aligned, worst, work.defined.files.resolution)


def _transfers(work: Work, settled: Settled, part: int) -> Ints:
    sent = sends_of(work, part, 0, len(work.parts))
    later = settled.later[sent["row"]]
    received = receives_back(work, settled, part)["receive_time"]
    return np.stack(
        shortest_transfers(
            work.defined.ranks, sent["sender"], sent["receiver"],
            sent["send_time"] + later, received,
        )
    )  # fmt: skip


def receives_back(work: Work, settled: Settled, part: int) -> NDArray[np.void]:
    """Find which receives the sends of a part have, in order of its file.

    They are matched again where that was removed.
    """
    stretches = []
    for group in range(len(settled.groups)):
        file = work.file("back", group)
        if not file.exists():
            _match(work, settled, group)
        stretches.append(read_stretch(file, len(work.parts), part, part + 1, MATCHED))
    return np.concatenate(stretches)


def remove_receives(work: Work, settled: Settled) -> None:
    """Remove which receives all sends have: it is in the columns."""
    for group in range(len(settled.groups)):
        work.file("back", group).unlink(missing_ok=True)


def tallies(work: Work, settled: Settled) -> MessageTally:
    """Sum up the messages that did not fit, before clocks were corrected."""
    groups = range(len(settled.groups))
    group_tallies = [
        MessageTally(*load_step(work.file("matched", group))["tally"])
        for group in groups
    ]
    unknown = sum(
        load_step(work.file("decoded", part))["unknown_partners"]
        for part in range(len(work.parts))
    )
    sums = {
        name: sum(getattr(tally, name) for tally in group_tallies)
        for name in MessageTally._fields
        if name not in ("worst", "between")
    }
    return MessageTally(**sums)._replace(
        unknown_partners=sums["unknown_partners"] + unknown,
        worst=max((tally.worst for tally in group_tallies), default=0),
        between=group_tallies[0].between if len(group_tallies) == 1 else (),
    )


def groups_between(work: Work, settled: Settled) -> tuple[tuple[int, int], ...]:
    """Name communicators that are one between two groups: parts are read once more."""
    return tallies(work, settled).between
