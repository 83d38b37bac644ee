"""Placement files: what is read of them, and what is told of wrong ones."""

from pathlib import Path

import numpy as np
import pytest
import traces

from topoview.errors import PlacementError
from topoview.live.machine import machine_of, placement_tells, read_placement


def written(folder: Path, text: str) -> Path:
    path = folder / "placed.csv"
    path.write_text(text)
    return path


def test_nodes_and_sockets(tmp_path: Path) -> None:
    text = "# made by hand\nrank,node,socket\n0,a,0\n2,b,0\n\n1,a,1\n3,b,1\n9,c,0\n"
    found = read_placement(written(tmp_path, text), 4)
    assert found.levels == ("node", "socket")
    assert found.units.tolist() == [[0, 0, 1, 1], [0, 1, 2, 3]]
    assert found.names == (("a", "b"), ("0", "1", "0", "1"))
    assert found.places.shape == (0, 3)
    assert [part.tolist() for part in found.parted("socket")] == found.units.tolist()
    assert [part.tolist() for part in found.parted("node")] == [[0, 0, 1, 1]]
    assert found.parted("rack") == ()


@pytest.mark.parametrize("apart", [",", ";", "\t"])
def test_places_of_a_network(tmp_path: Path, apart: str) -> None:
    rows = [("Rank", "X", "Y", "Z"), ("1", "3", "0.5", "-2"), ("0", "1e1", " 2 ", "0")]
    path = written(tmp_path, "\n".join(apart.join(row) for row in rows))
    found = read_placement(path, 3)
    assert found.levels == ()
    assert found.places[:2].tolist() == [[10.0, 2.0, 0.0], [3.0, 0.5, -2.0]]
    assert np.isnan(found.places[2]).all()
    assert placement_tells(str(path)) == (False, True)


def test_places_in_a_plane(tmp_path: Path) -> None:
    found = read_placement(written(tmp_path, "rank,x,y\n0,4,5\n"), 1)
    assert found.places.tolist() == [[4.0, 5.0, 0.0]]


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("", "is empty"),
        ("node,socket\n0,1\n", "line 1: there is no column rank"),
        ("rank\n0\n", "line 1: nothing but ranks"),
        ("rank,node,node\n0,a,b\n", "line 1: column node"),
        ("rank,node,\n0,a,b\n", "line 1: column without a name"),
        ("rank,node\n0,a\nx,b\n", "line 3: 'x' is no rank"),
        ("rank,node\n-1,a\n", "line 2: '-1' is no rank"),
        ("rank,node\n\n0\n", "line 3: 1 columns, 2 are needed"),
        ("rank,node\n0,a\n1,a\n0,b\n", "line 4: rank 0 stands in line 2 already"),
        ("rank,x,y,z\n0,1,2,far\n", "line 2: 'far' is no number"),
        ("rank,x,y,z\n0,1,nan,3\n", "line 2: 'nan' is no number"),
        ("rank,node\n8,a\n", "names none of the 4 ranks"),
    ],
)
def test_what_is_wrong_is_told_with_its_line(
    tmp_path: Path, text: str, told: str
) -> None:
    with pytest.raises(PlacementError, match="placed") as error:
        read_placement(written(tmp_path, text), 4)
    assert told in str(error.value)
    assert "\n" not in str(error.value)


def test_files_that_are_none(tmp_path: Path) -> None:
    with pytest.raises(PlacementError, match="cannot be read"):
        read_placement(tmp_path / "missing.csv", 4)
    (tmp_path / "odd.csv").write_bytes(b"\xff\xfe\x00rank")
    with pytest.raises(PlacementError, match="is no text"):
        read_placement(tmp_path / "odd.csv", 4)
    assert placement_tells(str(tmp_path / "missing.csv")) == (False, False)
    assert placement_tells("") == (False, False)


def test_the_trace_tells_its_nodes(tmp_path: Path) -> None:
    trace = traces.simulated("torus", (4, 3), numbering=1)
    found = machine_of(trace)
    names = [place.node for place in trace.locations[: trace.ranks]]
    assert trace.has_nodes == bool(names[0])
    if names[0]:
        told = [found.names[-1][unit] for unit in found.units[-1]]
        assert told == names
    path = written(tmp_path, "rank,x,y\n0,4,5\n1,3,3\n")
    assert machine_of(trace, str(path)).levels == found.levels
    assert len(machine_of(trace, str(path)).places) == 12
