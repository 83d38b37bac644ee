"""Small timelines, traces and matches, built by hand."""

from collections.abc import Sequence

import numpy as np
from hypothesis import strategies as st

from topoview.model import (
    Calls,
    Clock,
    Collectives,
    Location,
    Match,
    Messages,
    Regions,
    Timeline,
    TimeState,
    Topology,
    Trace,
)

Row = Sequence[tuple[int, int]]
"""Begin and state of each interval."""
Window = tuple[int, int]

EMPTY = np.zeros(0, np.int64)
NARROW = EMPTY.astype(np.int32)


def timeline_of(rows: Sequence[Row]) -> Timeline:
    offsets = np.cumsum([0, *map(len, rows)])
    pairs = np.array([pair for row in rows for pair in row], np.int64).reshape(-1, 2)
    states = pairs[:, 1].astype(np.uint8)
    return Timeline(offsets, pairs[:, 0].copy(), states, states.astype(np.int32))


def trace_of(
    rows: Sequence[Row],
    length: int,
    ranks: int | None = None,
    owners: Sequence[int] = (),
) -> Trace:
    """Trace whose calls are its intervals of states; regions are states."""
    timeline = timeline_of(rows)
    ranks = len(rows) if ranks is None else ranks
    names = tuple(f"MPI_{state.name.title()}" for state in TimeState)
    codes = np.arange(len(TimeState), dtype=np.uint8)
    end = np.append(timeline.time[1:], length)
    end[timeline.offsets[1:] - 1] = length
    calls = np.flatnonzero(timeline.state > TimeState.COMPUTE)
    return Trace(
        "built.otf2",
        "built",
        "by hand",
        Clock(1_000_000, length),
        ranks,
        tuple(
            Location(row, owner, f"thread {row}")
            for row, owner in enumerate([*range(ranks), *owners])
        ),
        Regions(names, codes, codes.astype(np.int32), names),
        (),
        (),
        (),
        len(timeline.time),
        timeline,
        Calls(
            np.searchsorted(calls, timeline.offsets).astype(np.int64),
            timeline.region[calls],
            timeline.time[calls],
            end[calls],
            np.full(len(calls), -1, np.int64),
            np.zeros(len(calls), np.int32),
            np.zeros(len(calls), np.uint8),
        ),
        Messages(NARROW, NARROW, EMPTY, NARROW, NARROW, *(EMPTY for _ in range(6))),
        Collectives(EMPTY, NARROW, EMPTY.astype(np.uint8), NARROW, EMPTY, EMPTY, EMPTY),
    )


def grid_match(width: int, height: int, seed: int | None = None) -> Match:
    """Open grid; with a seed, ranks are numbered at random."""
    count = width * height
    x, y = np.arange(count) % width, np.arange(count) // width
    right = [(v, v + 1) for v in range(count) if x[v] + 1 < width]
    down = [(v, v + width) for v in range(count) if y[v] + 1 < height]
    topology = Topology(
        kind="lattice",
        name=f"2D grid {width}x{height}",
        dims=(width, height),
        periodic=(False, False),
        offsets=((1, 0), (0, 1)),
        edges=np.array(sorted(right + down), np.int32).reshape(-1, 2),
        coordinates=np.column_stack((x, y)).astype(np.int32),
    )
    vertex = np.arange(count, dtype=np.int32)
    if seed is not None:
        vertex = np.random.default_rng(seed).permutation(count).astype(np.int32)
    none = np.zeros((0, 2), np.int32)
    return Match(topology, vertex, len(topology.edges), none, none, 1.0, 1.0)


LENGTH = 60
STATES = len(TimeState)

times = st.sets(st.integers(1, LENGTH - 1), max_size=12).map(lambda s: [0, *sorted(s)])
rows_of_states = times.flatmap(
    lambda begins: st.lists(
        st.integers(0, STATES - 1), min_size=len(begins), max_size=len(begins)
    ).map(lambda states: list(zip(begins, states, strict=True)))
)
timelines = st.lists(rows_of_states, min_size=1, max_size=6)
