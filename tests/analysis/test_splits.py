"""Programs of several patterns, told apart by tag, size, call site and level."""

from dataclasses import replace

import numpy as np
import pytest
from patterns import Stage, both_ways, run

from topoview.analysis.parts.identified import find_parts
from topoview.model import IdentifiedPart, Trace
from topoview.report.identification.parts import part_lines
from topoview.topology import communication_matrix, identify, lattice

GRID = lattice((6, 6), (False, False)).edges
STARS = [(i, 36 + i // 9) for i in range(36)]


def servers(key: str) -> Trace:
    """Run a grid of 36 ranks, 9 of which send to each of 4 others."""
    trace, stage = run(
        40,
        [
            Stage(both_ways(GRID), 1, "halo" if key == "call site" else ""),
            Stage(STARS, 2, "output" if key == "call site" else ""),
        ],
    )
    values = np.array([0, 7])[stage]
    messages = trace.messages
    if key == "tag":
        messages = replace(messages, tag=values.astype(np.int32))
    if key == "size":
        messages = replace(messages, size=values + 8)
    return replace(trace, messages=messages)


def split(trace: Trace) -> list[IdentifiedPart]:
    matrix = communication_matrix(trace)
    parts = find_parts(trace, matrix, identification=identify(matrix))
    return [part for part in parts if part.by != "phase"]


@pytest.mark.parametrize(
    ("key", "names"),
    [
        ("tag", ["0", "7"]),
        ("size", ["8 bytes", "15 bytes"]),
        ("call site", ["halo", "output"]),
    ],
)
def test_messages_of_a_kind_are_parts(key: str, names: list[str]) -> None:
    parts = [part for part in split(servers(key)) if part.by == key]
    assert [part.name for part in parts] == names
    found = [part.matches[0] for part in parts]
    assert [match.topology.name for match in found] == ["2D grid 6x6", "4 x star 10"]
    joined = {tuple(sorted(pair)) for pair in found[0].rank_edges.tolist()}
    assert joined == {tuple(pair) for pair in GRID.tolist()}
    assert all(not match.missing and not match.extra for match in found)


def test_nothing_is_split_where_the_answer_explains_all() -> None:
    trace, stage = run(36, [Stage(both_ways(GRID)), Stage(both_ways(GRID[::2]))])
    messages = replace(trace.messages, tag=stage.astype(np.int32))
    assert split(replace(trace, messages=messages)) == []


def test_coupled_models_are_components_of_a_level() -> None:
    ocean = lattice((5, 4), (False, False)).edges + 36
    coupler = [(0, 36), (5, 40), (7, 50), (20, 55), (12, 45)]
    trace, _ = run(
        56,
        [
            Stage(both_ways(GRID), 20),
            Stage(both_ways(ocean), 20),
            Stage(both_ways(np.array(coupler))),
        ],
    )
    parts = [part for part in split(trace) if part.by == "component"]
    assert [part.name for part in parts] == ["1 at level 1", "2 at level 1"]
    names = [part.matches[0].topology.name for part in parts]
    assert names == ["2D grid 6x6", "2D grid 5x4"]
    assert [len(part.ranks) for part in parts] == [36, 20]
    assert "2D grid 5x4 in component 2 at level 1" in part_lines(parts)


def test_workers_without_their_manager() -> None:
    manager = [(36, worker) for worker in range(36)]
    trace, _ = run(37, [Stage(both_ways(GRID)), Stage(manager)])
    parts = {part.name: part for part in split(trace) if part.by == "component"}
    assert list(parts) == ["without rank 36", "around rank 36"]
    names = [part.matches[0].topology.name for part in parts.values()]
    assert names == ["2D grid 6x6", "star 37"]
    assert parts["without rank 36"].ranks.tolist() == list(range(36))
