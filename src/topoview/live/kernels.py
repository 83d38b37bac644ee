"""Kernels of live."""

from typing import Final

import numpy as np

from topoview.base.kernels import kernel
from topoview.model import Bools, Indices, Ints

CALLS_PER_BLOCK: Final = 1 << 18
"""Calls whose bytes are summed up together."""


@kernel
def mark_messages(  # noqa: PLR0913
    calls: tuple[Ints, Ints, Ints],
    ends: tuple[Indices, Indices],
    times: tuple[Ints, Ints],
    key: Indices,
    mask: Bools,
    window: tuple[int, int],
    own: Bools,
) -> Bools:
    sent, received, completed = calls
    sender, receiver = ends
    found = np.zeros(len(sent), np.bool_)
    for i in range(len(sent)):
        at = times[0][i] if times[0][i] >= 0 else times[1][i]
        if not window[0] <= at < window[1]:
            continue
        if len(own):
            a, b = sender[i], receiver[i]
            known = 0 <= a < len(own) and own[a]
            if not known and not (0 <= b < len(own) and own[b]):
                continue
        if len(mask):
            there = sent[i] >= 0 and mask[key[sent[i]]]
            there = there or (received[i] >= 0 and mask[key[received[i]]])
            if not there and not (completed[i] >= 0 and mask[key[completed[i]]]):
                continue
        found[i] = True
    return found


@kernel
def add_bytes(found: Ints, call: Ints, before: Ints, size: Ints, wanted: Bools) -> None:
    for i in range(len(call)):
        own = call[i]
        if own < 0 or not wanted[own // CALLS_PER_BLOCK]:
            continue
        if len(before) == 0 or before[i] != own:
            found[own] += size[i]
