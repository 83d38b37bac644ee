"""The user's own patterns in parts of a run, in the pipeline and the logical trace."""

from dataclasses import replace
from pathlib import Path

import networkx as nx
import numpy as np
import pytest
from patterns import Stage, both_ways, run
from traces import logical_of
from writer import write_trace

from topoview.__main__ import main
from topoview.analysis.parts.identified import find_parts
from topoview.pipeline import Options, Results, analyse
from topoview.store.keys import pattern_folder
from topoview.topology import communication_matrix, lattice, load_pattern

WHEEL = """
name = "my wheel"
partners = ["rank % (n - 1) + 1 if rank > 0 else -1", "0 if rank > 0 else -1"]
"""

MOEBIUS = """
def edges(ranks):
    if ranks % 2:
        return None
    ring = [(r, (r + 1) % ranks) for r in range(ranks)]
    return ring + [(r, r + ranks // 2) for r in range(ranks // 2)]
"""


def wheel(n: int, seed: int) -> list[tuple[int, int]]:
    """Messages of a wheel, both ways, its ranks renumbered."""
    order = np.random.default_rng(seed).permutation(n)
    return both_ways(order[np.array(nx.wheel_graph(n).edges)])


@pytest.fixture
def remembered(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Make a folder of remembered patterns, with one in it."""
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    place = pattern_folder()
    place.mkdir(parents=True)
    (place / "wheel.toml").write_text(WHEEL)
    return place


@pytest.mark.parametrize("n", [9, 14])
def test_a_phase_may_be_the_users_own_pattern(tmp_path: Path, n: int) -> None:
    file = tmp_path / "wheel.toml"
    file.write_text(WHEEL)
    ring = both_ways(lattice((n,), (True,)).edges)
    trace, _ = run(n, [Stage(wheel(n, 1), 40), Stage(ring, 40)])
    matrix = communication_matrix(trace)
    parts = find_parts(trace, matrix, patterns=[load_pattern(file)])
    assert [part.by for part in parts] == ["phase", "phase"]
    names = [part.matches[0].topology.name for part in parts]
    assert names == ["my wheel", f"ring {n}"]
    assert {p.matches[0].topology.kind for p in find_parts(trace, matrix)} <= {
        "lattice",
        "star",
        "unknown",
    }


def test_communicators_and_components_may_be_the_users_own(tmp_path: Path) -> None:
    file = tmp_path / "moebius_ladder.py"
    file.write_text(MOEBIUS)
    pattern = load_pattern(file)
    parts = []
    for size in (10, 14):
        order = np.random.default_rng(size).permutation(size)
        ladder = order[np.array(list(nx.circulant_graph(size, [1, size // 2]).edges))]
        parts.append(ladder)
    ends = np.concatenate([parts[0], parts[1] + 10])
    stages = [
        Stage(both_ways(parts[0]), 3, communicator=1),
        Stage(both_ways(parts[1] + 10), 3, communicator=2),
    ]
    groups = [list(range(10)), list(range(10, 24))]
    trace, _ = run(24, stages, groups)
    matrix = communication_matrix(trace)
    assert matrix.calls.nnz == 2 * len(ends)
    found = find_parts(trace, matrix, patterns=[pattern])
    named = [(p.by, p.matches[0].topology.name) for p in found]
    assert ("component", "moebius ladder") in named
    assert ("communicator", "moebius ladder") in named
    assert {name for by, name in named if by != "phase"} == {"moebius ladder"}


@pytest.mark.usefixtures("remembered")
def test_remembered_patterns_serve_everything_that_identifies() -> None:
    trace, _ = run(12, [Stage(wheel(12, 5), 6)])
    best, logical = logical_of(trace)
    assert best.topology.name == "my wheel"
    assert logical.statements
    *_, known = analyse(trace)
    assert known.identification is not None
    assert known.identification.best.topology.name == "my wheel"


@pytest.mark.usefixtures("qapp")  # or it would make one that knows no widgets
@pytest.mark.parametrize("command", ["logical", "render"])
def test_commands_take_a_pattern(
    command: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """What is in a file of one's own is found, and a wrong file is told."""
    own = tmp_path / "wheel.toml"
    own.write_text(WHEEL)
    trace, _ = run(9, [Stage(wheel(9, 1), 40)])
    anchor = write_trace(replace(trace, producer="Score-P"), tmp_path / "trace")
    picture = tmp_path / "picture.svg"
    rest = ["-o", str(picture)] if command == "render" else []
    for more in ([], ["--pattern", str(own)]):
        assert main([command, str(anchor), *rest, *more]) == 0
        if rest:
            named = picture.read_text()
        else:
            options = Options(patterns=tuple(map(Path, more[1:])))
            found = Results(trace, options).make("identification")
            named = found.best.topology.name
        assert ("my wheel" in named) is bool(more)
    capsys.readouterr()
    own.write_text("partners = 7")
    assert main([command, str(anchor), "--pattern", str(own), *rest]) == 1
    assert "wheel.toml" in capsys.readouterr().err
