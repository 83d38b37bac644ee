"""Axes of tubes, tori and circles, and levels of trees, as they are seen."""

from dataclasses import replace
from functools import lru_cache

import numpy as np

from topoview.base.text import tr
from topoview.model import Floats, Grid, Layout, Match, Pose
from topoview.scene.annotations import Label
from topoview.scene.axes.axis_labels import (
    CIRCLE_SUFFIXES,
    LINE_HEIGHT,
    MARGIN_ASIDE,
    MIN_AXIS_LENGTH,
    PERIODIC_SUFFIX,
    LabelLayout,
    ProjectedAxis,
    axis_names,
    label_width,
)
from topoview.scene.camera import depths, project
from topoview.scene.ranks.picking import convex_hull
from topoview.scene.ranks.surfaces import Surface

LABEL_DISTANCE = 13.0
"""Pixels from an axis to its numbers."""

MAX_LABEL_DISTANCE = 160.0
"""Pixels that numbers around a torus may be further out, beside its pipe."""

MINOR_LABEL_DISTANCE = 36.0
"""Pixels that numbers around its pipe may be further out."""

TREE_DIRECTIONS = "↑ PARENT ↓ CHILD"
"""Directions in a tree."""

CIRCLE_ANGLES = np.linspace(0, 2 * np.pi, 25)[:-1]

ViewSize = tuple[float, float]


def curved_axes(
    layout: Layout, surface: Surface | None, pose: Pose, size: ViewSize, reach: float
) -> list[ProjectedAxis]:
    """Project the axes of a layout that bends its dimensions; none of others.

    Glyphs reach so many pixels from their places.
    """
    grid = layout.grid
    if grid is None or grid.tables or not len(layout.positions):
        return []
    names = axis_names(grid)
    if surface is None:
        return _beyond_glyphs(_circle_axis(layout, grid, names, pose, size), reach)
    axes = []
    for number, which, table in _dimension_tables(grid, surface):
        see = _axis_around if surface.closed[which] else _axis_along
        axes.append(see(surface, which, table, names[number], pose, size))
    return _beyond_glyphs([axis for axis in axes if axis is not None], reach)


def _beyond_glyphs(axes: list[ProjectedAxis], reach: float) -> list[ProjectedAxis]:
    return [replace(axis, out=axis.out + 0.8 * reach) for axis in axes]


@lru_cache(maxsize=2)
def _dimension_tables(grid: Grid, surface: Surface) -> list[tuple[int, int, Floats]]:
    """Dimensions that a parameter of a surface shows, with its values.

    Kept while the camera turns, of two views: all ranks are looked at.
    """
    result = []
    for number in range(len(grid.dims)):
        for which in (0, 1):
            table = _dimension_table(grid, number, surface.parameters[:, which])
            if table is not None and len(table) > 1:
                result.append((number, which, table))
                break
    return result


def _dimension_table(grid: Grid, number: int, parameter: Floats) -> Floats | None:
    """Parameter of each coordinate of a dimension; None if it decides others."""
    column = grid.coordinates[:, number]
    valid = (column >= 0) & ~np.isnan(parameter)
    table = np.full(grid.dims[number], np.nan)
    table[column[valid]] = parameter[valid]
    differ = np.angle(np.exp(1j * (table[column[valid]] - parameter[valid])))
    fits = not np.isnan(table).any() and bool((np.abs(differ) < 1e-3).all())
    return table if fits and np.ptp(table) > 1e-3 else None


def _axis_along(  # noqa: PLR0913 - what is seen of what
    surface: Surface, which: int, table: Floats, name: str, pose: Pose, size: ViewSize
) -> ProjectedAxis | None:
    """Project the axis along a tube on its lower rim."""
    lines = []
    for angle in CIRCLE_ANGLES:
        places, _ = surface.at(*_parameter_pair(which, table, angle), 1.0)
        lines.append(project(pose, places, size))
    middle = np.mean(lines, axis=(0, 1))
    way = lines[0][-1] - lines[0][0]
    length = float(np.hypot(*way))
    if length < MIN_AXIS_LENGTH:
        return None
    normal = np.array([-way[1], way[0]]) / length
    normal = normal if normal[1] > 0 else -normal
    seen = max(lines, key=lambda line: float((line.mean(axis=0) - middle) @ normal))
    return ProjectedAxis(name, seen, np.tile(normal, (len(table), 1)), LABEL_DISTANCE)


def _axis_around(  # noqa: PLR0913 - what is seen of what
    surface: Surface, which: int, table: Floats, name: str, pose: Pose, size: ViewSize
) -> ProjectedAxis | None:
    """Project an axis around a pipe at its end, or at its left; or around a torus."""
    if which == 0:  # around a torus, on its outer rim
        places, _ = surface.at(table, np.zeros(len(table)), 1.0)
        ring, _ = surface.at(CIRCLE_ANGLES, np.zeros(len(CIRCLE_ANGLES)), 1.0)
    else:
        at = _numbered_angle(surface, pose, size)
        places, _ = surface.at(np.full(len(table), at), table, 1.0)
        ring, _ = surface.at(np.full(len(CIRCLE_ANGLES), at), CIRCLE_ANGLES, 1.0)
    seen, rim = project(pose, places, size), project(pose, ring, size)
    if np.ptp(rim, axis=0).max() < MIN_AXIS_LENGTH:
        return None
    way = seen - rim.mean(axis=0)
    outward = way / np.maximum(np.hypot(*way.T), 1e-9)[:, None]
    if not surface.closed[0]:
        return ProjectedAxis(name, seen, outward, LABEL_DISTANCE, closed=True)
    name = name.removesuffix(PERIODIC_SUFFIX) + CIRCLE_SUFFIXES[which]
    if which:  # its numbers stand among those of the ring: they say what they are of
        prefix = f"{name[0]} "
        return ProjectedAxis(
            name,
            seen,
            outward,
            LABEL_DISTANCE,
            closed=True,
            reach=MINOR_LABEL_DISTANCE,
            prefix=prefix,
        )
    return ProjectedAxis(
        name, seen, outward, LABEL_DISTANCE, closed=True, reach=MAX_LABEL_DISTANCE
    )


def _numbered_angle(surface: Surface, pose: Pose, size: ViewSize) -> float:
    """Where around a pipe is numbered: its nearer end; of a torus its left side."""
    if surface.closed[0]:
        columns = np.unique(surface.parameters[surface.on, 0].round(6))
        ring, _ = surface.at(columns, np.zeros(len(columns)), 1.0)
        return float(columns[np.argmin(project(pose, ring, size)[:, 0])])
    ends = np.array(surface.extent[0])
    places, _ = surface.at(ends, np.zeros(2), 0.0)
    return float(ends[np.argmin(depths(pose, places))])


def _parameter_pair(which: int, table: Floats, other: float) -> tuple[Floats, Floats]:
    rest = np.full(len(table), other)
    return (table, rest) if which == 0 else (rest, table)


def _circle_axis(
    layout: Layout, grid: Grid, names: list[str], pose: Pose, size: ViewSize
) -> list[ProjectedAxis]:
    """Project the axis of a ring of ranks; of several rings the outermost dimension."""
    number = len(grid.dims) - 1
    column, count = grid.coordinates[:, number], grid.dims[number]
    places = np.full((count, 3), np.nan)
    valid = column >= 0
    if number:  # ranks on the outer circle
        valid = valid & (grid.coordinates[:, 0] == 0)
    places[column[valid]] = layout.positions[valid]
    if count < 3 or np.isnan(places).any() or np.ptp(places[:, 2]) > 1e-3:
        return []
    seen = project(pose, places, size)
    if np.ptp(seen, axis=0).max() < MIN_AXIS_LENGTH:
        return []
    way = seen - seen.mean(axis=0)
    outward = way / np.maximum(np.hypot(*way.T), 1e-9)[:, None]
    wraps = grid.periodic[number] or any(grid.directions)
    name = names[number] if wraps else ""  # an all-to-all has no way around
    return [ProjectedAxis(name, seen, outward, LABEL_DISTANCE, closed=True)]


def body_outline(points: Floats, pose: Pose, size: ViewSize, reach: float) -> Floats:
    """Rim of glyphs that reach so many pixels, as they are seen: shape (k, 2)."""
    if len(points) < 3:
        return np.zeros((0, 2))
    rim = convex_hull(project(pose, points, size))
    way = rim - rim.mean(axis=0)
    away = way / np.maximum(np.hypot(*way.T), 1e-9)[:, None]
    return np.asarray(rim + reach * away)


def tree_labels(
    match: Match, layout: Layout, pose: Pose, size: ViewSize, reach: float
) -> list[Label]:
    """Name the levels of a tree in a column beside it, and where parents are.

    Glyphs reach so many pixels from their places.
    """
    level = match.coordinates[:, 0]
    numbers = np.unique(level[level >= 0]).tolist()
    if not numbers:
        return []
    inner = np.zeros((len(numbers), 3))  # on the cone's axis
    inner[:] = layout.positions[level == numbers[0]].mean(axis=0)
    inner[:, 2] = [layout.positions[level == n, 2].mean() for n in numbers]
    heights = project(pose, inner, size)[:, 1].tolist()
    words = LabelLayout(size, np.zeros((0, 2)))
    texts = [tr("level {number}", number=number) for number in numbers]
    wide = max(map(label_width, texts))
    left = float(project(pose, layout.positions, size)[:, 0].min())
    x = max(left - LABEL_DISTANCE - reach - wide / 2, wide / 2 + MARGIN_ASIDE)
    for text, y in zip(texts, heights, strict=True):
        if words.fits(x, y, text):
            words.put(x, y, text)
    below = heights[-1] + LINE_HEIGHT + 3
    x += (label_width(TREE_DIRECTIONS) - wide) / 2  # one under the other at the left
    if len(numbers) > 1 and words.fits(x, below, TREE_DIRECTIONS):
        words.put(x, below, TREE_DIRECTIONS, strong=True)
    return words.labels
