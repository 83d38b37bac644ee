"""Collective operations of all ranks: what they tell where nothing else does.

A program without messages between ranks communicates through these alone. An
all-to-all among them has a topology, others are named.
"""

import re
from dataclasses import replace
from typing import Final

import numpy as np

from topoview.model import Identification, Match, Topology, Trace
from topoview.model.trace import FIRST_WITHOUT_DATA
from topoview.topology.kinds.complete import complete

MAX_ALL_TO_ALL_PAIRS = 2_000_000
"""Pairs within communicators up to which they are drawn as all-to-all."""

_ALL_TO_ALL: Final = re.compile("I?alltoall[vw]?", re.IGNORECASE)


def name_collectives(trace: Trace, identification: Identification) -> Identification:
    """Add the collective operations of all ranks if there is nothing else.

    That is if no two ranks exchange messages, and no call could have done so unseen.
    All-to-all operations add a match, of kind ``complete``.
    """
    if not identification.best.topology.is_empty or identification.unrecorded:
        return identification
    calls, volume = _operations(trace)
    if not calls:
        return identification
    order = sorted(calls, key=lambda name: (-volume[name], -calls[name], name))
    among = tuple(name for name in order if _ALL_TO_ALL.fullmatch(name))
    matches = identification.matches
    if among and trace.ranks * (trace.ranks - 1) // 2 <= MAX_ALL_TO_ALL_PAIRS:
        shares = (
            sum(amounts[name] for name in among) / max(sum(amounts.values()), 1)
            for amounts in (calls, volume)
        )
        matches = (*matches, _all_to_all(trace.ranks, among, *shares))
    return replace(identification, matches=matches, collectives=tuple(order))


def _operations(trace: Trace) -> tuple[dict[str, int], dict[str, int]]:
    """Count the parts that ranks took in operations of all, and the bytes they sent."""
    parts = trace.collectives
    everyone = trace.communicator_sizes == trace.ranks
    chosen = np.append(everyone, False)[parts.communicator]
    chosen &= (parts.operation < FIRST_WITHOUT_DATA) & (parts.call >= 0)
    region = trace.calls.region[parts.call[chosen]]
    code = trace.regions.operation[region]
    calls = np.bincount(code[code >= 0])
    volume = np.bincount(code[code >= 0], np.maximum(parts.sent[chosen], 0)[code >= 0])
    names = trace.regions.operations
    used = np.flatnonzero(calls).tolist()
    return (
        {names[i]: int(calls[i]) for i in used},
        {names[i]: int(volume[i]) for i in used},
    )


def _all_to_all(ranks: int, by: tuple[str, ...], calls: float, volume: float) -> Match:
    topology = complete(ranks)
    topology = replace(topology, name=f"{topology.name}, by {', '.join(by)}")
    everybody = np.arange(ranks, dtype=np.int32)
    return replace(whole_match(ranks, topology, everybody, calls, volume), by=by)


def whole_match(
    ranks: int,
    topology: Topology,
    members: np.ndarray,
    calls: float = 1.0,
    volume: float = 1.0,
) -> Match:
    """Match a topology whose vertices are `members`: all of it, by its definition."""
    vertex = np.full(ranks, -1, np.int32)
    vertex[members] = np.arange(len(members))
    nothing = np.zeros((0, 2), np.int32)
    return Match(
        topology=topology,
        vertex=vertex,
        matched=len(topology.edges),
        missing_edges=nothing,
        extra_edges=nothing,
        calls_covered=calls,
        bytes_covered=volume,
    )
