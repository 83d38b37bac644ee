"""What is drawn in space as a glTF model, for slides and other viewers.

Ranks are nodes with names that share a mesh for each shape and colour, so that they
can be picked and moved one by one. Edges are thin rods: presentation programs leave
out lines.
"""

from typing import Any

import numpy as np
import trimesh
from scipy.spatial import cKDTree
from trimesh.visual import ColorVisuals
from trimesh.visual.material import PBRMaterial

from topoview.model import Bytes, Floats, Indices, Ints
from topoview.scene.export_shapes import CUBE_FACES, Balls, DrawnShapes, Faces, Strokes

Y_UP = np.array([[1, 0, 0, 0], [0, 0, 1, 0], [0, -1, 0, 0], [0, 0, 0, 1]], float)
"""glTF has y up, the scene z."""

ROD_THICKNESS = 0.012
"""Half the thickness of a rod for each pixel of a line's width."""

MAX_NODES = 20_000
"""Ranks up to which a model is made: viewers take seconds for more nodes."""

MAX_FINE_BALLS = 1000
"""Balls up to which an icosahedron is divided twice, else once."""


def make_gltf(found: DrawnShapes, places: Floats, facts: dict[str, str]) -> bytes:
    """Make a binary glTF file (.glb, version 2.0).

    Parameters
    ----------
    found
        What is drawn.
    places : float64, shape (ranks, 3)
        Where each rank is.
    facts
        Kept in the file, as ``extras`` of its scene.
    """
    scene = trimesh.Scene(metadata=facts)
    ranks = cKDTree(places)
    _add_boxes(scene, found.faces, ranks)
    _add_balls(scene, found.balls, ranks)
    _add_rods(scene, found.strokes)
    scene.apply_transform(Y_UP)
    made: Any = scene.export(file_type="glb", include_normals=True)
    return bytes(made)


def _ranks_at(points: Floats, ranks: cKDTree) -> Ints:
    """Rank at each point, -1 where there is none."""
    if not len(points) or not ranks.n:
        return np.full(len(points), -1)
    apart, rank = ranks.query(points)
    return np.where(apart < 1e-4, rank, -1)


def _add_boxes(scene: trimesh.Scene, faces: Faces, ranks: cKDTree) -> None:
    """Put boxes of ranks as nodes, and all other faces as one mesh."""
    seen = np.flatnonzero(faces.outside)
    rank = _ranks_at(faces.centre[seen], ranks)
    other = seen[rank < 0]
    if len(other):
        corners = faces.corners[other]
        both = np.concatenate([corners[:, [0, 1, 2]], corners[:, [0, 2, 3]]])
        _add_mesh(scene, "surface", both, np.tile(faces.colours[other], (2, 1)))
    boxes = seen[rank >= 0].reshape(-1, len(CUBE_FACES))
    corners = faces.corners[boxes]
    half = np.ptp(corners, axis=(1, 2)) / 2
    _add_nodes(
        scene,
        rank[rank >= 0].reshape(-1, len(CUBE_FACES))[:, 0],
        faces.centre[boxes[:, 0]],
        half,
        faces.colours[boxes[:, 0]],
        trimesh.creation.box(extents=(2, 2, 2)),
    )


def _add_balls(scene: trimesh.Scene, balls: Balls, ranks: cKDTree) -> None:
    """Put balls of ranks as nodes; heads of messages are told apart by their size."""
    rank = _ranks_at(balls.places, ranks)
    some = np.flatnonzero((rank >= 0) & ~balls.behind & (balls.radii > 0))
    finer = 2 if len(some) <= MAX_FINE_BALLS else 1
    radii = np.repeat(balls.radii[some, None], 3, axis=1)
    ball = trimesh.creation.icosphere(subdivisions=finer)
    _add_nodes(scene, rank[some], balls.places[some], radii, balls.colours[some], ball)


def _add_nodes(  # noqa: PLR0913 - what a node is made of
    scene: trimesh.Scene,
    rank: Indices | Ints,
    places: Floats,
    half: Floats,
    colours: Bytes,
    unit: trimesh.Trimesh,
) -> None:
    """Place one mesh for each size and colour at its ranks."""
    looks = np.concatenate([np.rint(half * 1e4), colours], axis=1)
    kinds, kind = np.unique(looks, axis=0, return_inverse=True)
    names = []
    for number, look in enumerate(kinds):
        shape = unit.copy()
        shape.apply_scale(look[:3] / 1e4)
        red, green, blue, alpha = (int(part) for part in look[3:])
        shape.visual = trimesh.visual.TextureVisuals(
            material=_material((red, green, blue, alpha))
        )
        names.append(f"{len(unit.faces)}-{number}")
        scene.geometry[names[-1]] = shape
    for one, place, which in zip(rank, places, kind.ravel(), strict=True):
        matrix = np.eye(4)
        matrix[:3, 3] = place
        scene.graph.update(f"rank {one}", matrix=matrix, geometry=names[which])


def _material(colour: tuple[int, int, int, int]) -> PBRMaterial:
    """Colour that does not shine."""
    mode = "OPAQUE" if colour[3] == 255 else "BLEND"
    return PBRMaterial(
        baseColorFactor=_linear_light(np.array([colour], np.uint8))[0],
        metallicFactor=0.0,
        roughnessFactor=0.9,
        alphaMode=mode,
    )


def _linear_light(colours: Bytes) -> Bytes:
    """From sRGB, as colours on screens are, to light, as glTF has them."""
    share = colours[:, :3] / 255.0
    low = share / 12.92
    high = ((share + 0.055) / 1.055) ** 2.4
    light = np.where(share <= 0.04045, low, high)
    rgb = np.rint(255 * light).astype(np.uint8)
    return np.concatenate([rgb, colours[:, 3:]], axis=1)


def _add_rods(scene: trimesh.Scene, strokes: Strokes) -> None:
    """Put lines as rods of square section."""
    if not len(strokes.ends):
        return
    way = strokes.ends[:, 1] - strokes.ends[:, 0]
    way /= np.maximum(np.linalg.norm(way, axis=1, keepdims=True), 1e-12)
    other = np.where(np.abs(way[:, 2:]) > 0.9, [1.0, 0.0, 0.0], [0.0, 0.0, 1.0])
    side = np.cross(way, other)
    side /= np.maximum(np.linalg.norm(side, axis=1, keepdims=True), 1e-12)
    up = np.cross(side, way)
    half = (ROD_THICKNESS * strokes.widths)[:, None]
    around = np.stack([side + up, up - side, -side - up, side - up], axis=1)
    ring = strokes.ends[:, :, None] + half[:, None, None] * around[:, None]
    following = np.roll(ring, -1, axis=2)
    begin, end = ring[:, 0], ring[:, 1]
    first = np.stack([begin, end, following[:, 1]], axis=2)
    second = np.stack([begin, following[:, 1], following[:, 0]], axis=2)
    triangles = np.concatenate([first, second], axis=1).reshape(-1, 3, 3)
    _add_mesh(scene, "edges", triangles, np.repeat(strokes.colours, 8, axis=0))


def _add_mesh(
    scene: trimesh.Scene, name: str, triangles: Floats, colours: Bytes
) -> None:
    """Put triangles, each of its own colour, as one mesh."""
    corners = triangles.reshape(-1, 3)
    shape = trimesh.Trimesh(
        corners, np.arange(len(corners)).reshape(-1, 3), process=False
    )
    each = np.repeat(_linear_light(colours), 3, axis=0)
    shape.visual = ColorVisuals(shape, vertex_colors=each)
    scene.add_geometry(shape, node_name=name, geom_name=name)
