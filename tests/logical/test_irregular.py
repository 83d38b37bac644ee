"""Programs whose ranks do what chance or their place in a wave says."""

import numpy as np
from programs import Grid, Step, trace_of
from traces import logical_of

from topoview.logical.listing import line_count
from topoview.model import Trace

Ranks = list[list[Step]]

AROUND = [(x, y) for y in (-1, 0, 1) for x in (-1, 0, 1) if (x, y) != (0, 0)]


def shuffled(steps: Ranks, seed: int = 5) -> Trace:
    """Renumber the ranks of a program, and make its trace."""
    rank = np.random.default_rng(seed).permutation(len(steps)).tolist()
    moved: Ranks = [[] for _ in steps]
    for own, new in zip(steps, rank, strict=True):
        moved[new] = [
            Step(
                step.operation,
                tuple((rank[partner], size) for partner, size in step.sends),
                tuple(rank[partner] for partner in step.receives),
                step.posted,
                step.part,
            )
            for step in own
        ]
    return trace_of(moved)


def all_around(grid: Grid, rank: int, offset: tuple[int, int]) -> int:
    """Look up a neighbour on a torus."""
    partner = grid.towards(rank, offset)
    assert partner is not None
    return partner


def particles(dims: tuple[int, int], turns: int, *, empty: bool) -> Trace:
    """Tell all eight neighbours how many particles come, then send them.

    Parameters
    ----------
    empty
        Whether messages without particles are sent.
    """
    grid = Grid(dims, periodic=True)
    draw = np.random.default_rng(0)
    steps: Ranks = [[] for _ in range(grid.ranks)]
    for _ in range(turns):
        counts = draw.poisson(1.0, (grid.ranks, len(AROUND)))
        for rank, own in enumerate(steps):
            to = [all_around(grid, rank, offset) for offset in AROUND]
            source = [all_around(grid, rank, (-x, -y)) for x, y in AROUND]
            for there, here in zip(to, source, strict=True):
                own.append(Step("Sendrecv", ((there, 8),), (here,)))
            for k, here in enumerate(source):
                if empty or counts[here, k]:
                    own.append(Step("Irecv", receives=(here,)))
            for k, there in enumerate(to):
                if empty or counts[rank, k]:
                    own.append(Step("Isend", ((there, 80 * int(counts[rank, k])),)))
            own.append(Step("Waitall"))
    for own in steps:
        own.append(Step("Reduce", part=(0, 0, 8)))
    return shuffled(steps)


def waves(dims: tuple[int, int], chunks: int, turns: int) -> Trace:
    """Sweep from all four corners at once: a rank takes up each chunk as it can."""
    grid = Grid(dims)
    steps: Ranks = [[] for _ in range(grid.ranks)]
    for _ in range(turns):
        for rank, own in enumerate(steps):
            x, y = grid.place(rank)
            tasks = []
            for corner, (along, down) in enumerate(
                [(1, 1), (-1, 1), (1, -1), (-1, -1)]
            ):
                far = (x if along > 0 else dims[0] - 1 - x) + (
                    y if down > 0 else dims[1] - 1 - y
                )
                tasks += [(far + chunk, corner, along, down) for chunk in range(chunks)]
            for _, corner, along, down in sorted(tasks):
                for offset in ((-along, 0), (0, -down)):
                    source = grid.towards(rank, offset)
                    if source is not None:
                        own.append(Step("Recv", receives=(source,)))
                for offset in ((along, 0), (0, down)):
                    to = grid.towards(rank, offset)
                    if to is not None:
                        own.append(Step("Send", ((to, 64 * (1 + corner)),)))
            own.append(Step("Allreduce", part=(0, -1, 8)))
    return shuffled(steps)


def test_particles_that_all_neighbours_may_send_take_a_line_each_way() -> None:
    match, logical = logical_of(particles((5, 4), 30, empty=True))
    assert match.topology.name == "2D torus 5x4, 9-point stencil"
    assert logical.ranks_verified == 20
    assert line_count(logical) <= 13


def test_particles_that_only_some_neighbours_send_are_told_by_a_table() -> None:
    match, logical = logical_of(particles((5, 4), 12, empty=False))
    assert match.topology.name == "2D torus 5x4, 9-point stencil"
    assert logical.ranks_verified == 20
    assert logical.statements <= 30


def test_waves_from_all_corners_at_once_take_sixty_statements() -> None:
    match, logical = logical_of(waves((4, 3), 6, 10))
    assert match.topology.name == "2D grid 4x3"
    assert logical.ranks_verified == 12
    assert logical.statements <= 60
