"""Clocks that are aligned by what all parts tell."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from topoview.io.clocks.bounds import shortest_transfers
from topoview.io.clocks.correction import (
    ClockCorrection,
    ClockEvidence,
    allowed_violation,
    find_correction,
)
from topoview.io.reading.decoding import load_received
from topoview.io.reading.matching import has_to_align
from topoview.io.reading.settling import Settled
from topoview.io.reading.work import Work, load_or_make, load_step, place_rows
from topoview.model import Calls, Collectives, Ints, Messages


def correct_clocks(work: Work, settled: Settled) -> ClockCorrection | None:
    """Find how to align the clocks of a trace of which all parts are complete."""
    if not has_to_align(work, settled):
        return None
    fields = load_or_make(work.folder / "clocks.kept", lambda: _correct(work, settled))
    return None if fields is None else ClockCorrection(*fields)


def _correct(work: Work, settled: Settled) -> tuple[object, ...] | None:
    defined, transfers = work.defined, np.zeros((3, 0), np.int64)
    size = int(settled.parts[-1])
    region = np.zeros(size, np.int32)
    enter, leave = np.zeros((2, size), np.int64)
    collectives: dict[str, NDArray[Any]] = {}
    for part, own in enumerate(work.all_rows()):
        at = load_step(work.file("decoded", part))["parts"]
        payload = load_received(work, part)
        corrections = load_step(work.file("transfers", part))
        transfers = _tighter(defined.ranks, transfers, np.stack(corrections))
        entries = payload["entries"]
        later = np.repeat(settled.later[own], np.diff(at))
        for target, column in (
            (region, entries["region"]),
            (enter, entries["enter"] + later),
            (leave, entries["leave"] + later),
        ):
            place_rows(target, settled.parts, own, at, column)
        for name, column in payload["collectives"].items():
            whole = collectives.setdefault(name, np.zeros(size, column.dtype))
            place_rows(whole, settled.parts, own, at, column)
    collectives["call"] = collectives["completion_call"] = np.arange(size)
    nothing = np.zeros(size, np.int64)
    calls = Calls(
        offsets=settled.parts,
        region=region,
        enter=enter,
        leave=leave,
        completes=nothing,
        path=nothing.astype(np.int32),
        kept=nothing.astype(np.uint8),
    )
    evidence = ClockEvidence(
        length=int(settled.last.max(initial=0)),
        last=settled.last,
        messages=_as_messages(transfers),
        calls=calls,
        collectives=Collectives(**collectives),
        first=settled.first,
        tolerance=allowed_violation(settled.aligned, defined.files.resolution),
    )
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
        sender=transfers[0].astype(np.int32),
        receiver=transfers[1].astype(np.int32),
        size=nothing,
        tag=short,
        communicator=short,
        send_call=nothing,
        receive_call=nothing,
        completion_call=nothing,
        send_completion_call=nothing,
        send_time=sent,
        receive_time=sent + transfers[2],
    )
