"""Which of very many shapes each pixel's line of sight meets first, and its colour.

Ray casting: boxes and their bevels are met by slabs (Kay and Kajiya 1986).
"""

from typing import Final

import numpy as np
from numpy.typing import NDArray

from topoview.base.kernels import kernel
from topoview.model import Bools, Bytes, Floats, Indices, Shorts
from topoview.scene.actors import AMBIENT, DIFFUSE
from topoview.scene.ranks.glyphs import BEVEL
from topoview.scene.shading import DEPTH_LEVELS

NO_RANK: Final = -1
"""In the picture of ranks: the background. What is less is the rim of a rank."""

BEVEL_BEGIN: Final = 1 - 2 * BEVEL
"""Share of half a box's side that is left of it by bevels."""

EVEN_BYTES: Final = np.uint32(0x00FF00FF)
EVEN_HALVES: Final = np.uint32(0x00800080)
LAST_BYTE: Final = np.uint32(0xFF000000)
"""Parts of a pixel of four bytes: its first and third one, halves of these, opacity."""

LAST_LEVEL: Final = np.float32(DEPTH_LEVELS - 1)

MIN_SLOPE: Final = 1e-9
"""Of a ray along an axis: less than a pixel anywhere."""

Singles = NDArray[np.float32]

Triple = tuple[float, float, float]


@kernel(error_model="numpy", inline="always")
def _dot(a: Triple, b: Triple) -> float:
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]


@kernel(error_model="numpy")
def _reach(a: Triple, half: Triple) -> float:
    """How far a box reaches along a vector."""
    return abs(a[0]) * half[0] + abs(a[1]) * half[1] + abs(a[2]) * half[2]


@kernel(error_model="numpy", inline="always")
def _inverse(number: float) -> float:
    return 1 / (number if abs(number) > MIN_SLOPE else MIN_SLOPE)


@kernel(error_model="numpy")
def _crossed(to: Triple, way: Triple, half: Triple) -> tuple[float, float]:
    """Where a ray enters and leaves a box; that is no way if it misses it."""
    x, y, z = _inverse(way[0]), _inverse(way[1]), _inverse(way[2])
    a, b, c = to[0] * x, to[1] * y, to[2] * z
    x, y, z = abs(x) * half[0], abs(y) * half[1], abs(z) * half[2]
    return max(a - x, b - y, c - z), min(a + x, b + y, c + z)


@kernel(error_model="numpy")
def _clipped(to: Triple, way: Triple, half: Triple) -> tuple[float, float]:
    """Where a ray enters and leaves what bevels leave of a box, but for its sides."""
    enter, leave = -np.inf, np.inf
    x, y, z = to[0] / half[0], to[1] / half[1], to[2] / half[2]
    u, v, w = way[0] / half[0], way[1] / half[1], way[2] / half[2]
    for _ in range(3):
        x, y, z, u, v, w = y, z, x, v, w, u
        for sign in (-1, 1):
            over = _inverse(u + sign * v)
            middle, reach = (x + sign * y) * over, abs(over) * (1 + BEVEL_BEGIN)
            enter, leave = max(enter, middle - reach), min(leave, middle + reach)
    for second in (-1, 1):
        for third in (-1, 1):
            over = _inverse(u + second * v + third * w)
            middle = (x + second * y + third * z) * over
            reach = abs(over) * (1 + 2 * BEVEL_BEGIN)
            enter, leave = max(enter, middle - reach), min(leave, middle + reach)
    return enter, leave


@kernel(error_model="numpy")
def _bevelled(at: Triple, half: Triple) -> bool:
    """Tell whether a place on a box is cut off by a bevel, or in it."""
    count = 0
    for k in range(3):
        count += abs(at[k]) > BEVEL_BEGIN * half[k]
    return count > 1


@kernel(error_model="numpy")
def _box_light(at: Triple, half: Triple, lamp: Triple) -> float:
    """Light at a place on a box: in a bevel that of its sides is mixed."""
    total = square = 0.0
    for k in range(3):
        place = at[k] / half[k]
        share = max(abs(place) - BEVEL_BEGIN, 0.0)
        total += np.copysign(share, place) * lamp[k]
        square += share * share
    return float(total / np.sqrt(square))


@kernel(error_model="numpy")
def _ball_met(to: Triple, way: Triple, radius: float, lamp: Triple) -> Triple:
    """Where a ray enters a ball, the light there, and whether it does."""
    a, b = _dot(way, way), _dot(way, to)
    root = b * b - a * (_dot(to, to) - radius * radius)
    if root < 0:
        return np.inf, 0.0, 0.0
    t = (b - np.sqrt(root)) / a
    at = t * way[0] - to[0], t * way[1] - to[1], t * way[2] - to[2]
    return t, _dot(at, lamp) / radius, 1.0


@kernel(error_model="numpy")
def _box_met(
    to: Triple, way: Triple, half: Triple, hull: float, lamp: Triple
) -> Triple:
    """Where a ray enters a box, the light there, and 1; where it leaves its rim, -1."""
    t, leave = _crossed(to, way, half)
    if t <= leave:
        at = t * way[0] - to[0], t * way[1] - to[1], t * way[2] - to[2]
        if _bevelled(at, half):
            first, last = _clipped(to, way, half)
            t, leave = max(t, first), min(leave, last)
            at = t * way[0] - to[0], t * way[1] - to[1], t * way[2] - to[2]
        if t <= leave:
            return t, _box_light(at, half, lamp), 1.0
    if hull > 1:
        outside = half[0] * hull, half[1] * hull, half[2] * hull
        t, leave = _crossed(to, way, outside)
        first, last = _clipped(to, way, outside)
        t, leave = max(t, first), min(leave, last)
        if t <= leave:
            return leave, 0.0, -1.0
    return np.inf, 0.0, 0.0


@kernel(error_model="numpy", inline="always")
def _pixels_of(seen: float, around: float, middle: float, size: int) -> tuple[int, int]:
    """First pixel whose middle lies around a place, and the one after the last."""
    seen += middle - 0.5
    first = max(np.ceil(seen - around), 0.0)
    return int(first), int(max(min(np.floor(seen + around) + 1.0, size), first))


@kernel(error_model="numpy")
def cast_rays(  # noqa: C901, PLR0913 - one loop
    places: Singles,
    sizes: Singles,
    shape: Triple,
    hull: float,
    view: Floats,
    boxes: bool,
    numbers: Indices,
    ranks: Indices,
    depths: Singles,
    lights: Bytes,
) -> None:
    """Find the nearest shape on each pixel's line of sight.

    Parameters
    ----------
    places : float32, shape (n, 3)
        Best with the nearest first: then what is hidden costs little.
    sizes : float32, shape (n,)
        0 hides.
    shape
        Half the extent of the shape of size 1 along each axis.
    hull
        Size of the hull whose far side is the rim of a box, in sizes of that; 1: none.
    view : float64, shape (20,)
        `RayView.numbers`.
    boxes
        Whether they are boxes along the axes; else they are balls.
    numbers : int32, shape (n,)
        Their numbers.
    ranks : int32, shape (height, width)
        Gets the number of the nearest shape, ``-2 - number`` for its rim.
    depths : float32, shape (height, width)
        Gets its depth along the camera's axis where it is nearer.
    lights : uint8, shape (height, width)
        Gets the light on it.
    """
    size = ranks.shape[1], ranks.shape[0]
    right, down = (view[0], view[1], view[2]), (view[3], view[4], view[5])
    ahead = view[6], view[7], view[8]
    focal, beside, above, perspective, near = (
        *(view[12], view[13], view[14]),
        *(view[15], view[16]),
    )
    lamp = view[17], view[18], view[19]
    flat = 1 - perspective
    unit = shape[0] * hull, shape[1] * hull, shape[2] * hull
    wide, tall, deep = _reach(right, unit), _reach(down, unit), _reach(ahead, unit)
    for i in range(len(places)):
        scale = np.float64(sizes[i])
        if scale <= 0:
            continue
        to = places[i, 0] - view[9], places[i, 1] - view[10], places[i, 2] - view[11]
        far = _dot(to, ahead)
        nearest, furthest = far - deep * scale, far + deep * scale
        if furthest <= near:
            continue
        left, stop, low, high = 0, size[0], 0, size[1]
        if nearest > near:
            # of a corner at e: focal (u + e_u) / (far + e_far) - focal u / far
            most = focal * scale / (perspective * nearest + flat)
            v = _dot(to, down) / (perspective * far + flat)
            around = most * (tall + abs(v) * perspective * deep)
            low, high = _pixels_of(focal * v, around, above, size[1])
            if low == high:
                continue
            u = _dot(to, right) / (perspective * far + flat)
            around = most * (wide + abs(u) * perspective * deep)
            left, stop = _pixels_of(focal * u, around, beside, size[0])
        half = shape[0] * scale, shape[1] * scale, shape[2] * scale
        for row in range(low, high):
            y = (row + 0.5 - above) / focal
            for column in range(left, stop):
                if depths[row, column] <= nearest:
                    continue
                x = (column + 0.5 - beside) / focal
                aside = (
                    x * right[0] + y * down[0],
                    x * right[1] + y * down[1],
                    x * right[2] + y * down[2],
                )
                way = (
                    ahead[0] + perspective * aside[0],
                    ahead[1] + perspective * aside[1],
                    ahead[2] + perspective * aside[2],
                )
                own = (
                    to[0] - flat * aside[0],
                    to[1] - flat * aside[1],
                    to[2] - flat * aside[2],
                )
                if boxes:
                    depth, light, met = _box_met(own, way, half, hull, lamp)
                else:
                    depth, light, met = _ball_met(own, way, half[0], lamp)
                if met and near < depth < depths[row, column]:
                    number = numbers[i]
                    depths[row, column] = depth
                    ranks[row, column] = number if met > 0 else -2 - number
                    shown = min(AMBIENT + DIFFUSE * max(light, 0.0), 1.0)
                    lights[row, column] = np.uint8(shown * 255 + 0.5)


@kernel
def open_pixels(some: Bools, ranks: Indices, depths: Singles) -> None:
    """Forget what is seen of some shapes, and have what else is seen let no ray pass.

    Parameters
    ----------
    some : bool, shape (n,)
        Those to forget, by their numbers.
    ranks, depths
        Of `cast_rays`. Where one of them, or nothing, was seen, all rays pass;
        elsewhere depths get negative, which keeps them until they are positive again.
    """
    for row in range(len(ranks)):
        for column in range(ranks.shape[1]):
            rank = ranks[row, column]
            if rank != NO_RANK and not some[rank if rank >= 0 else -2 - rank]:
                depths[row, column] *= -1
            else:
                ranks[row, column], depths[row, column] = NO_RANK, np.inf


@kernel(error_model="numpy", inline="always")
def _row_of(
    rank: int, depth: np.float32, codes: Shorts, fading: tuple[np.float32, np.float32]
) -> int:
    """Row of the table of colours for a rank that is not the background."""
    level = min(max(depth * fading[1] - fading[0], np.float32(0)), LAST_LEVEL)
    return int(codes[rank]) * DEPTH_LEVELS + int(level)


@kernel(error_model="numpy", inline="always")
def _steps(fading: tuple[float, float]) -> tuple[np.float32, np.float32]:
    """Levels before depth 0, and for each unit of depth; half a level is rounded."""
    steps = (DEPTH_LEVELS - 1) / max(fading[1] - fading[0], 1e-9)
    return np.float32(fading[0] * steps - 0.5), np.float32(steps)


@kernel(error_model="numpy")
def colour_pixels(  # noqa: PLR0913
    ranks: Indices,
    depths: Singles,
    lights: Bytes,
    codes: Shorts,
    table: Bytes,
    fading: tuple[float, float],
    found: Bytes,
) -> None:
    """Give pixels the colours of the ranks in them.

    Where several samples make a pixel it has the mixture of their colours, and what
    they cover of it as its opacity. Where there is no rank it has the background's.

    Parameters
    ----------
    ranks, depths, lights
        What `cast_rays` found; as many samples a pixel along both sides as `found`
        is smaller.
    codes : uint16, shape (n,)
        Code of each shape.
    table : uint8, shape (codes * DEPTH_LEVELS + 1, 4)
        Their colours in each depth, and last what is where there is no rank, the only
        one whose fourth part counts: its opacity. Rims have its colour.
    fading
        Depths of the first level and of the last one.
    found : uint8, shape (height, width, 4)
        Gets three parts of colours in the order of the table, and opacities.
    """
    height, width, _ = found.shape
    levels, background = _steps(fading), len(table) - 1
    if ranks.shape[0] != height:
        _mix_samples(ranks, depths, lights, codes, table, levels, found)
        return
    whole, colours = found.view(np.uint32), table.view(np.uint32)
    for row in range(height):
        for column in range(width):
            rank = ranks[row, column]
            if rank == NO_RANK:
                whole[row, column, 0] = colours[background, 0]
                continue
            at, light = background, np.uint32(255)
            if rank >= 0:
                at = _row_of(rank, depths[row, column], codes, levels)
                light = np.uint32(lights[row, column])
            colour = colours[at, 0]
            even = _lit(colour & EVEN_BYTES, light)
            odd = _lit((colour >> np.uint32(8)) & EVEN_BYTES, light)
            whole[row, column, 0] = even | (odd << np.uint32(8)) | LAST_BYTE


@kernel(error_model="numpy", inline="always")
def _lit(pair: np.uint32, light: np.uint32) -> np.uint32:
    """Multiply two bytes, every other one of a number, by 255ths, rounded."""
    product = pair * light + EVEN_HALVES
    product += (product >> np.uint32(8)) & EVEN_BYTES
    return (product >> np.uint32(8)) & EVEN_BYTES


@kernel(error_model="numpy")
def _mix_samples(  # noqa: PLR0913
    ranks: Indices,
    depths: Singles,
    lights: Bytes,
    codes: Shorts,
    table: Bytes,
    levels: tuple[np.float32, np.float32],
    found: Bytes,
) -> None:
    """Do the same where several samples make a pixel; `levels` as of `_steps`."""
    height, width, _ = found.shape
    samples = ranks.shape[0] // height
    for row in range(height):
        for column in range(width):
            red = green = blue = covered = 0
            for y in range(row * samples, row * samples + samples):
                for x in range(column * samples, column * samples + samples):
                    rank = ranks[y, x]
                    if rank == NO_RANK:
                        continue
                    covered += 1
                    at, light = len(table) - 1, 255
                    if rank >= 0:
                        at = _row_of(rank, depths[y, x], codes, levels)
                        light = int(lights[y, x])
                    red += table[at, 0] * light
                    green += table[at, 1] * light
                    blue += table[at, 2] * light
            if covered:
                part = 1 / (255 * covered)
                found[row, column, 0] = np.uint8(red * part + 0.5)
                found[row, column, 1] = np.uint8(green * part + 0.5)
                found[row, column, 2] = np.uint8(blue * part + 0.5)
            else:
                found[row, column, :3] = table[-1, :3]
            found[row, column, 3] = covered * 255 // (samples * samples)


@kernel(error_model="numpy")
def depth_pixels(
    depths: Singles, range_: tuple[float, float, float], found: Singles
) -> None:
    """Give pixels the depths of their nearest samples, as OpenGL has them.

    Parameters
    ----------
    depths
        What `cast_rays` found, as for `colour_pixels`.
    range_
        Nearest and furthest depth that is drawn; 1 for a camera with perspective.
    found : float32, shape (height, width)
        Gets them; what no rank is in keeps what it has.
    """
    height, width = found.shape
    samples = depths.shape[0] // height
    near, far, perspective = range_
    share = far / (far - near)
    for row in range(height):
        for column in range(width):
            nearest = np.float32(np.inf)
            for y in range(row * samples, row * samples + samples):
                for x in range(column * samples, column * samples + samples):
                    nearest = min(nearest, depths[y, x])
            if nearest == np.inf:
                continue
            if perspective > 0:
                found[row, column] = share - share * near / nearest
            else:
                found[row, column] = (nearest - near) / (far - near)
