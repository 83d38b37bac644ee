"""Scenes in every geometry: ranks are picked where they are seen; slices; copies."""

from dataclasses import replace

import numpy as np
import pytest
from scene_cases import Case, MakeStage, Stage, matched

from topoview.model import Geometry, Machine, TimeState
from topoview.model.frozen.written_down import decode
from topoview.scene.palette import THEMES, rgb
from topoview.scene.ranks.rank_actors import image_shifts
from topoview.scene.ranks.slices import ranks_inside, sliced_dimensions
from topoview.scene.shading import shade_by_state
from topoview.topology import lattice, lay_out
from topoview.topology.kinds.sphere import sphere_of_triangles, sphere_of_vertices
from topoview.topology.layout import LAYOUTS

LIGHT = THEMES["light"]


def laid(case: Case, name: str, geometry: Geometry | None = None) -> Case:
    geometry = geometry or Geometry()
    return replace(case, layout=lay_out(case.match, case.matrix, name, geometry))


def shown(make: MakeStage, case: Case, geometry: Geometry | None = None) -> Stage:
    stage = make()
    stage.scene.show(case.match, case.layout, case.matrix, geometry or Geometry())
    states = np.full(len(case.match.vertex), int(TimeState.COMPUTE), np.uint8)
    stage.scene.colour(shade_by_state(LIGHT, states, frozenset()))
    return stage


@pytest.mark.parametrize("ranks", [30, 300])
@pytest.mark.parametrize("name", [n for n in LAYOUTS if LAYOUTS[n].is_given(Machine())])
def test_what_is_picked_is_what_is_seen(
    stage: MakeStage, name: str, ranks: int
) -> None:
    """Colour the rank that is picked at its own middle: the pixel there changes."""
    case = laid(matched(lattice((ranks,), (True,))), name)
    drawn = shown(lambda: stage(size=(1500, 900)), case)
    drawn.scene.show_edges(shown=False)
    every = np.arange(ranks, dtype=np.int32)
    pixels = np.rint(drawn.scene.project(every)).astype(int)
    picked = [drawn.scene.pick(float(x), float(y)) for x, y in pixels]
    own = [rank for rank in range(ranks) if picked[rank] == rank]
    assert len(own) >= 0.3 * ranks, "those in front"
    states = np.full(ranks, int(TimeState.COMPUTE), np.uint8)
    some = own[:: max(1, len(own) // 12)]
    states[some] = int(TimeState.WAIT)
    drawn.scene.colour(shade_by_state(LIGHT, states, frozenset()))
    picture = drawn.picture().astype(int)
    orange = 0
    for x, y in pixels[some]:
        around = picture[y - 1 : y + 2, x - 1 : x + 2].reshape(-1, 3)
        orange += (around[:, 0] - around[:, 2]).max() > 60
    assert orange >= 0.85 * len(some), "others are behind the rim of a nearer one"


@pytest.mark.parametrize("topology", [sphere_of_triangles(3), sphere_of_vertices(4)])
def test_cells_of_a_sphere_are_picked(stage: MakeStage, topology: object) -> None:
    case = matched(topology, numbering=3)  # type: ignore[arg-type]
    assert case.layout.shape == "sphere"
    drawn = shown(stage, case)
    ranks = np.arange(len(case.match.vertex), dtype=np.int32)
    picked = [drawn.scene.pick(x, y) for x, y in drawn.scene.project(ranks)]
    towards = case.layout.normals @ drawn.scene.pose.axes[2]
    for rank in np.flatnonzero(towards > 0.3):
        assert picked[rank] == rank
    assert drawn.scene.outline(int(np.argmax(towards))).shape[1] == 2


def test_slices_hide_what_is_outside(stage: MakeStage) -> None:
    case = laid(matched(lattice((6, 5, 4), (False,) * 3)), "grid")
    geometry = Geometry(ranges=((0, 2, 3), (2, 1, 1)), outside="hidden")
    drawn = shown(stage, case, geometry)
    x, _, z = case.match.coordinates.T
    inside = (x >= 2) & (x <= 3) & (z == 1)
    assert drawn.scene.visible.tolist() == inside.tolist()
    pixels = drawn.scene.project(np.arange(120, dtype=np.int32))
    picked = {drawn.scene.pick(*pixel) for pixel in pixels} - {None}
    assert picked <= set(np.flatnonzero(inside).tolist())
    assert len(picked) >= 8
    edges = drawn.scene.edges.ends_to_see
    assert len(edges) == 5 + 2 * 4, "edges of a grid of 2x5 ranks"
    drawn.scene.slice(Geometry())
    assert drawn.scene.visible.all()


def test_dimmed_ranks_are_small_and_picked(stage: MakeStage) -> None:
    case = laid(matched(lattice((6, 5), (False,) * 2)), "flat")
    drawn = shown(stage, case, Geometry(ranges=((1, 4, 4),)))
    assert drawn.scene.visible.all()
    sizes = [np.ptp(drawn.scene.outline(rank), axis=0).max() for rank in (0, 29)]
    assert sizes[0] < 0.5 * sizes[1]
    x, y = drawn.scene.project(np.array([7], np.int32))[0]
    assert drawn.scene.pick(x, y) == 7


def test_ranges_are_of_the_layout_that_is_shown() -> None:
    case = matched(lattice((4, 4), (True, True)))
    assert sliced_dimensions(case.layout, case.match)[1] == (4, 4)
    free = laid(case, "cube")
    assert sliced_dimensions(free.layout, free.match)[1] == (4, 2, 2)
    assert ranks_inside(free.layout, free.match, Geometry(ranges=((5, 0, 0),))) is None
    inside = ranks_inside(free.layout, free.match, Geometry(ranges=((2, 1, 1),)))
    assert inside is not None
    assert inside.tolist() == [False] * 8 + [True] * 8


def test_selected_ranks_are_seen_inside_of_a_block(stage: MakeStage) -> None:
    case = laid(matched(lattice((7, 7, 7), (False,) * 3)), "grid")
    drawn = shown(stage, case)
    inner = 3 + 7 * 3 + 49 * 3
    states = np.full(343, int(TimeState.COMPUTE), np.uint8)
    states[inner] = int(TimeState.WAIT)
    drawn.scene.colour(shade_by_state(LIGHT, states, frozenset()))
    drawn.scene.look_with(drawn.scene.look("front"))
    x, y = np.rint(drawn.scene.project(np.array([inner], np.int32))[0]).astype(int)
    before = drawn.picture()[y, x].astype(int)
    assert drawn.scene.pick(x, y) != inner
    drawn.scene.mark((inner,))
    red, _, blue = drawn.picture()[y, x].astype(int)
    assert red > blue + 80
    assert abs(before[0] - before[2]) < 60
    assert drawn.scene.pick(x, y) == inner
    drawn.scene.mark(())
    assert (drawn.picture()[y, x] == before).all()


def test_copies_stand_around_and_are_picked_as_their_ranks(stage: MakeStage) -> None:
    case = laid(matched(lattice((5, 4), (True, True))), "flat")
    drawn = shown(stage, case, Geometry(copies=True))
    shifts = image_shifts(case.layout.grid)
    assert sorted(map(tuple, shifts[:, :2].tolist())) == sorted(
        (float(5 * i), float(4 * j)) for i in (-1, 0, 1) for j in (-1, 0, 1) if i or j
    )
    from topoview.scene.camera import project

    scene = drawn.scene
    for shift in shifts:
        for rank in (0, 7, 19):
            place = case.layout.positions[rank] + shift
            x, y = project(scene.pose, place[None], scene.size)[0]
            assert scene.pick(x, y) == rank
    picture = drawn.picture()
    x, y = np.rint(project(scene.pose, (case.layout.positions[7] + shifts[0])[None],
                           scene.size)[0]).astype(int)  # fmt: skip
    panel = np.array(rgb(LIGHT.panel), int)
    own_x, own_y = np.rint(scene.project(np.array([7], np.int32))[0]).astype(int)
    pale, own = picture[y, x].astype(int), picture[own_y, own_x].astype(int)
    assert 8 < np.abs(pale - panel).sum() < np.abs(own - panel).sum()


def test_only_what_is_periodic_is_copied() -> None:
    for periodic, count in (((True, False), 2), ((False, False), 0), ((True, True), 8)):
        case = laid(matched(lattice((5, 4), periodic)), "flat")
        assert len(image_shifts(case.layout.grid)) == count


@pytest.mark.parametrize(("wrap", "pieces"), [("stubs", 9 * 2 * (1 + 6)), ("none", 0)])
def test_edges_that_wrap(stage: MakeStage, wrap: str, pieces: int) -> None:
    case = laid(matched(lattice((5, 4), (True, True))), "flat")
    drawn = shown(stage, case, Geometry(wrap=wrap))
    assert len(drawn.scene.edges.ends) == 31 + pieces
    bows = shown(stage, case, Geometry(wrap="arcs"))
    assert len(bows.scene.edges.ends) == 31 + 9 * 16


def test_nested_dimensions_are_named(stage: MakeStage) -> None:
    case = laid(matched(lattice((3, 3, 3, 2), (False,) * 4)), "grid")
    drawn = shown(stage, case)
    names = {label.text for label in drawn.scene.axis_labels()}
    assert {"x EAST, 3", "y SOUTH, 3", "z UP, 3", "w 2", "0", "1", "2"} <= names


def test_names_of_nodes_are_written_below_them(stage: MakeStage) -> None:
    topology = lattice((12,), (False,))
    case = matched(topology)
    units = (np.arange(12) // 4).astype(np.int32)
    machine = Machine(("node",), units[None], (("kn1", "kn2", "kn3"),))
    layout = lay_out(case.match, case.matrix, "nodes", Geometry(), machine)
    drawn = shown(stage, replace(case, layout=layout))
    names = {label.text for label in drawn.scene.axis_labels()}
    assert names == {"kn1", "kn2", "kn3"}


def test_a_geometry_is_read_as_it_was_written() -> None:
    import json
    from dataclasses import asdict

    made = Geometry(7, "place", 1.5, "node", "f.csv", "arcs", True, ((0, 1, 2),),
                    "hidden", 1, 3.0, across=0, alone=2, fold=(0, 1, 0, 1))  # fmt: skip
    payload = json.loads(json.dumps(asdict(made)))
    assert decode(Geometry, payload, "geometry") == made
    for wrong in ({"wrap": "bows"}, {"spacing": 99.0}, {"fold": [4]}, {"width": "w"}):
        with pytest.raises(ValueError, match="geometry"):
            decode(Geometry, {**payload, **wrong}, "geometry")
