"""Which of very many shapes each pixel's line of sight meets first, and its colour.

Ray casting: boxes and their bevels are met by slabs (Kay and Kajiya 1986).
"""

import cython
import numpy as np

if not cython.compiled:
    from math import copysign, inf, sqrt

    from topoview.base.kinds import (
        Bool,
        Bools,
        ByteRows,
        Float,
        FloatPair,
        Floats,
        FloatTriple,
        IndexRows,
        Indices,
        Int,
        OutByteRows,
        OutFloats,
        OutIndexRows,
        OutSingleRows,
        OutWordRows,
        Pair,
        Shorts,
        Single,
        SingleRows,
        Singles,
        Words,
    )
    from topoview.scene.actors import AMBIENT, DIFFUSE
    from topoview.scene.ranks.glyphs import BEVEL
    from topoview.scene.shading import DEPTH_LEVELS

    NO_RANK = -1
    """In the picture of ranks: the background. What is less is the rim of a rank."""

    BEVEL_BEGIN = 1 - 2 * BEVEL
    """Share of half a box's side that is left of it by bevels."""

    FLAT_SHARE = 0.05
    """Height of a box, of its width, below which it is a tile without bevels."""

    MIN_SLOPE = 1e-9
    """Of a ray along an axis: less than a pixel anywhere."""

    EVEN_BYTES = 0x00FF00FF
    EVEN_HALVES = 0x00800080
    LAST_BYTE = 0xFF000000
    """Parts of a pixel of four bytes: first and third, halves of these, opacity."""


# What a ray meets.


def _dot(a: FloatTriple, b: FloatTriple) -> Float:
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]


def _reach(a: FloatTriple, half: FloatTriple) -> Float:
    """Compute how far a box reaches along a vector."""
    return abs(a[0]) * half[0] + abs(a[1]) * half[1] + abs(a[2]) * half[2]


@cython.cdivision(True)
def _inverse(number: Float) -> Float:
    return 1 / (number if abs(number) > MIN_SLOPE else MIN_SLOPE)


def _crossed(to: FloatTriple, way: FloatTriple, half: FloatTriple) -> FloatPair:
    """Find where a ray enters and leaves a box; that is no way if it misses it."""
    x, y, z = _inverse(way[0]), _inverse(way[1]), _inverse(way[2])
    a, b, c = to[0] * x, to[1] * y, to[2] * z
    x, y, z = abs(x) * half[0], abs(y) * half[1], abs(z) * half[2]
    return max(a - x, b - y, c - z), min(a + x, b + y, c + z)


@cython.cdivision(True)
def _clipped(to: FloatTriple, way: FloatTriple, half: FloatTriple) -> FloatPair:
    """Find where a ray enters and leaves what bevels leave of a box, but its sides."""
    enter, leave = -inf, inf
    x, y, z = to[0] / half[0], to[1] / half[1], to[2] / half[2]
    u, v, w = way[0] / half[0], way[1] / half[1], way[2] / half[2]
    # bevels of edges: normal to the sum or the difference of two axes
    for _ in range(3):
        x, y, z, u, v, w = y, z, x, v, w, u
        for sign in range(-1, 2, 2):
            over = _inverse(u + sign * v)
            middle, reach = (x + sign * y) * over, abs(over) * (1 + BEVEL_BEGIN)
            enter, leave = max(enter, middle - reach), min(leave, middle + reach)
    # bevels of corners
    for second in range(-1, 2, 2):
        for third in range(-1, 2, 2):
            over = _inverse(u + second * v + third * w)
            middle = (x + second * y + third * z) * over
            reach = abs(over) * (1 + 2 * BEVEL_BEGIN)
            enter, leave = max(enter, middle - reach), min(leave, middle + reach)
    return enter, leave


def _bevelled(to: FloatTriple, way: FloatTriple, half: FloatTriple, t: Float) -> Bool:
    """Return whether a place of a ray on a box is cut off by a bevel, or in it."""
    if half[2] < FLAT_SHARE * half[0]:
        return False
    count: Int = abs(t * way[0] - to[0]) > BEVEL_BEGIN * half[0]
    count += abs(t * way[1] - to[1]) > BEVEL_BEGIN * half[1]
    count += abs(t * way[2] - to[2]) > BEVEL_BEGIN * half[2]
    return count > 1


@cython.cdivision(True)
def _box_light(at: FloatTriple, half: FloatTriple, lamp: FloatTriple) -> Float:
    """Compute the light at a place on a box: in a bevel that of its sides is mixed."""
    if half[2] < FLAT_SHARE * half[0]:
        return copysign(1.0, at[2]) * lamp[2]
    a: Bool = abs(at[0]) > BEVEL_BEGIN * half[0]
    b: Bool = abs(at[1]) > BEVEL_BEGIN * half[1]
    c: Bool = abs(at[2]) > BEVEL_BEGIN * half[2]
    if a + b + c == 1:  # the light of a side does not depend on the place
        if a:
            return copysign(1.0, at[0]) * lamp[0]
        if b:
            return copysign(1.0, at[1]) * lamp[1]
        return copysign(1.0, at[2]) * lamp[2]
    x, y, z = at[0] / half[0], at[1] / half[1], at[2] / half[2]
    u = max(abs(x) - BEVEL_BEGIN, 0.0)
    v = max(abs(y) - BEVEL_BEGIN, 0.0)
    w = max(abs(z) - BEVEL_BEGIN, 0.0)
    total = copysign(u, x) * lamp[0] + copysign(v, y) * lamp[1]
    total += copysign(w, z) * lamp[2]
    return total / sqrt(u * u + v * v + w * w)


@cython.cdivision(True)
def _ball_met(to: FloatTriple, way: FloatTriple, radius: Float) -> FloatPair:
    """Find where a ray enters a ball, and 1; infinity and 0 where it misses it."""
    a, b = _dot(way, way), _dot(way, to)
    root = b * b - a * (_dot(to, to) - radius * radius)
    if root < 0:
        return inf, 0.0
    return (b - sqrt(root)) / a, 1.0


def _box_met(
    to: FloatTriple, way: FloatTriple, half: FloatTriple, hull: Float
) -> FloatPair:
    """Find where a ray enters a box, and 1, or leaves its rim, and -1, as `_ball_met`.

    Bevels are looked at only where a ray is near an edge.
    """
    t, leave = _crossed(to, way, half)
    if t <= leave:
        if _bevelled(to, way, half, t):
            first, last = _clipped(to, way, half)
            t, leave = max(t, first), min(leave, last)
        if t <= leave:
            return t, 1.0
    if hull > 1:
        outside: FloatTriple = (half[0] * hull, half[1] * hull, half[2] * hull)
        t, leave = _crossed(to, way, outside)
        if t <= leave:
            first, last = _clipped(to, way, outside)
            t, leave = max(t, first), min(leave, last)
            if t <= leave:
                return leave, -1.0
    return inf, 0.0


def _pixels_of(place: Float, around: Float, middle: Float, size: Int) -> Pair:
    """Find the first pixel whose middle lies around a place, and one after the last."""
    place += middle - 0.5
    # to be cut to the picture first is the same, and lets a cast round
    limit: Float = size
    low = min(max(place - around, 0.0), limit)
    high = min(max(place + around, -1.0), limit)
    first = cython.cast(Int, low)
    if first < low:
        first += 1
    last = min(cython.cast(Int, high) + 1, size) if high >= 0 else 0
    return first, max(first, last)


@cython.cdivision(True)
def cast_rays(  # noqa: C901, PLR0913 - one loop
    places: SingleRows,
    sizes: Singles,
    shape: FloatTriple,
    hull: Float,
    view: Floats,
    boxes: Bool,
    numbers: Indices,
    ranks: OutIndexRows,
    depths: OutSingleRows,
    lights: OutByteRows,
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
    height: Int = ranks.shape[0]
    width: Int = ranks.shape[1]
    right: FloatTriple = (view[0], view[1], view[2])
    down: FloatTriple = (view[3], view[4], view[5])
    ahead: FloatTriple = (view[6], view[7], view[8])
    focal, beside, above = view[12], view[13], view[14]
    perspective, near = view[15], view[16]
    lamp: FloatTriple = (view[17], view[18], view[19])
    flat = 1 - perspective
    unit: FloatTriple = (shape[0] * hull, shape[1] * hull, shape[2] * hull)
    wide, tall, deep = _reach(right, unit), _reach(down, unit), _reach(ahead, unit)
    i: Int
    row: Int
    column: Int
    depth: Float
    met: Float
    across: OutFloats = np.empty(width)
    with cython.nogil:
        dark = cython.cast(Int, AMBIENT * 255 + 0.5)
        for column in range(width):
            across[column] = (column + 0.5 - beside) / focal
        for i in range(len(places)):
            scale = cython.cast(Float, sizes[i])
            if scale <= 0:
                continue
            to: FloatTriple = (
                places[i, 0] - view[9],
                places[i, 1] - view[10],
                places[i, 2] - view[11],
            )
            far = _dot(to, ahead)
            nearest, furthest = far - deep * scale, far + deep * scale
            if furthest <= near:
                continue
            # The pixels that it may be seen in: all, if it reaches to the eye.
            left: Int = 0
            stop: Int = width
            low: Int = 0
            high: Int = height
            # What is projected is widest at its nearest depth: no pixel outside is
            # looked at.
            if nearest > near:
                # of a corner at e: focal (u + e_u) / (far + e_far) - focal u / far
                most = focal * scale / (perspective * nearest + flat)
                v = _dot(to, down) / (perspective * far + flat)
                around = most * (tall + abs(v) * perspective * deep)
                low, high = _pixels_of(focal * v, around, above, height)
                if low == high:
                    continue
                u = _dot(to, right) / (perspective * far + flat)
                around = most * (wide + abs(u) * perspective * deep)
                left, stop = _pixels_of(focal * u, around, beside, width)
            half: FloatTriple = (shape[0] * scale, shape[1] * scale, shape[2] * scale)
            for row in range(low, high):
                y = (row + 0.5 - above) / focal
                for column in range(left, stop):
                    # Hidden by what is nearer: with the nearest shapes first this
                    # spares most rays.
                    if depths[row, column] <= nearest:
                        continue
                    # With perspective rays begin at the eye, else they are parallel.
                    x = across[column]
                    aside: FloatTriple = (
                        x * right[0] + y * down[0],
                        x * right[1] + y * down[1],
                        x * right[2] + y * down[2],
                    )
                    way: FloatTriple = (
                        ahead[0] + perspective * aside[0],
                        ahead[1] + perspective * aside[1],
                        ahead[2] + perspective * aside[2],
                    )
                    offset: FloatTriple = (
                        to[0] - flat * aside[0],
                        to[1] - flat * aside[1],
                        to[2] - flat * aside[2],
                    )
                    if boxes:
                        depth, met = _box_met(offset, way, half, hull)
                    else:
                        depth, met = _ball_met(offset, way, half[0])
                    if met == 0 or depth <= near or depth >= depths[row, column]:
                        continue
                    depths[row, column] = depth
                    # The far side of the hull is the rim: dark, and behind the body
                    # itself.
                    if met < 0:
                        ranks[row, column] = -2 - numbers[i]
                        lights[row, column] = dark
                        continue
                    ranks[row, column] = numbers[i]
                    at: FloatTriple = (
                        depth * way[0] - offset[0],
                        depth * way[1] - offset[1],
                        depth * way[2] - offset[2],
                    )
                    light = (
                        _box_light(at, half, lamp)
                        if boxes
                        else _dot(at, lamp) / half[0]
                    )
                    shown = min(AMBIENT + DIFFUSE * max(light, 0.0), 1.0)
                    lights[row, column] = cython.cast(Int, shown * 255 + 0.5)


def open_pixels(shapes: Bools, ranks: OutIndexRows, depths: OutSingleRows) -> None:
    """Forget what is seen of some shapes, and have what else is seen let no ray pass.

    Parameters
    ----------
    shapes : bool, shape (n,)
        Those to forget, by their numbers.
    ranks, depths
        Of `cast_rays`. Where one of them, or nothing, was seen, all rays pass;
        elsewhere depths get negative, which keeps them until they are positive again.
    """
    row: Int
    column: Int
    with cython.nogil:
        for row in range(len(ranks)):
            for column in range(ranks.shape[1]):
                rank = ranks[row, column]
                if rank != NO_RANK and not shapes[rank if rank >= 0 else -2 - rank]:
                    depths[row, column] = -depths[row, column]
                else:
                    ranks[row, column], depths[row, column] = NO_RANK, inf


# Colours and depths of pixels.


def _row_of(code: Int, depth: Single, before: Single, steps: Single) -> Int:
    """Find the row of the table of colours for a code at a depth."""
    level: Single = max(depth * steps - before, cython.cast(Single, 0))
    level = min(level, cython.cast(Single, DEPTH_LEVELS - 1))
    row: Int = code * DEPTH_LEVELS + cython.cast(Int, level)
    return row


def _lit(pair: Int, light: Int) -> Int:
    """Multiply two bytes, every other one of a number, by 255ths, rounded."""
    product = pair * light + EVEN_HALVES
    product += (product >> 8) & EVEN_BYTES
    return (product >> 8) & EVEN_BYTES


@cython.cdivision(True)
def colour_pixels(  # noqa: PLR0913
    ranks: IndexRows,
    depths: SingleRows,
    lights: ByteRows,
    codes: Shorts,
    table: Words,
    fading: FloatPair,
    pixels: OutWordRows,
) -> None:
    """Colour pixels by the ranks in them.

    Where several samples make a pixel it has the mixture of their colours, and what
    they cover of it as its opacity. Where there is no rank it has the background's.

    Parameters
    ----------
    ranks, depths, lights
        What `cast_rays` finds; as many samples a pixel along both sides as `pixels`
        is smaller.
    codes : uint16, shape (n,)
        Code of each shape.
    table : uint32, shape (codes * DEPTH_LEVELS + 1,)
        Their colours in each depth, a byte a part, and last what is where there is no
        rank, the only one whose last byte counts: its opacity. Rims have its colour.
    fading
        Depths of the first level and of the last one.
    pixels : uint32, shape (height, width)
        Gets three bytes of colours in the order of the table, and opacities.
    """
    height: Int = pixels.shape[0]
    width: Int = pixels.shape[1]
    background: Int = table[len(table) - 1]
    # levels for each unit of depth, and before depth 0; half a level is rounded
    levels = (DEPTH_LEVELS - 1) / max(fading[1] - fading[0], 1e-9)
    before: Single = cython.cast(Single, fading[0] * levels - 0.5)
    steps: Single = cython.cast(Single, levels)
    row: Int
    column: Int
    colour: Int
    light: Int
    with cython.nogil:
        if ranks.shape[0] != height:
            _mix_samples(ranks, depths, lights, codes, table, before, steps, pixels)
            height = 0
        for row in range(height):
            for column in range(width):
                rank = ranks[row, column]
                if rank == NO_RANK:
                    pixels[row, column] = background
                    continue
                colour, light = background, 255
                if rank >= 0:
                    depth = depths[row, column]
                    colour = table[_row_of(codes[rank], depth, before, steps)]
                    light = lights[row, column]
                even = _lit(colour & EVEN_BYTES, light)
                odd = _lit((colour >> 8) & EVEN_BYTES, light)
                pixels[row, column] = even | (odd << 8) | LAST_BYTE


@cython.cdivision(True)
def _mix_samples(  # noqa: PLR0913
    ranks: IndexRows,
    depths: SingleRows,
    lights: ByteRows,
    codes: Shorts,
    table: Words,
    before: Single,
    steps: Single,
    pixels: OutWordRows,
) -> None:
    """Colour pixels where several samples make one."""
    height: Int = pixels.shape[0]
    width: Int = pixels.shape[1]
    background: Int = table[len(table) - 1]
    samples: Int = ranks.shape[0] // max(height, 1)
    row: Int
    column: Int
    y: Int
    x: Int
    colour: Int
    light: Int
    for row in range(height):
        for column in range(width):
            red: Int = 0
            green: Int = 0
            blue: Int = 0
            covered: Int = 0
            for y in range(row * samples, row * samples + samples):
                for x in range(column * samples, column * samples + samples):
                    rank = ranks[y, x]
                    if rank == NO_RANK:
                        continue
                    covered += 1
                    colour, light = background, 255
                    if rank >= 0:
                        depth = depths[y, x]
                        colour = table[_row_of(codes[rank], depth, before, steps)]
                        light = lights[y, x]
                    red += (colour & 255) * light
                    green += (colour >> 8 & 255) * light
                    blue += (colour >> 16 & 255) * light
            if covered == 0:
                pixels[row, column] = background & 0xFFFFFF
                continue
            part = 1 / cython.cast(Float, 255 * covered)
            colour = cython.cast(Int, red * part + 0.5)
            colour |= cython.cast(Int, green * part + 0.5) << 8
            colour |= cython.cast(Int, blue * part + 0.5) << 16
            opacity = covered * 255 // (samples * samples)
            pixels[row, column] = colour | opacity << 24


@cython.cdivision(True)
def depth_pixels(
    depths: SingleRows, range_: FloatTriple, pixels: OutSingleRows
) -> None:
    """Write the depths of pixels: of their nearest samples, as OpenGL has them.

    Parameters
    ----------
    depths
        What `cast_rays` finds, as for `colour_pixels`.
    range_
        Nearest and furthest depth that is drawn; 1 for a camera with perspective.
    pixels : float32, shape (height, width)
        Gets them; what no rank is in keeps what it has.
    """
    height: Int = pixels.shape[0]
    width: Int = pixels.shape[1]
    samples: Int = depths.shape[0] // max(height, 1)
    near, far, perspective = range_[0], range_[1], range_[2]
    share = far / (far - near)
    row: Int
    column: Int
    y: Int
    x: Int
    with cython.nogil:
        for row in range(height):
            for column in range(width):
                nearest: Single = cython.cast(Single, inf)
                for y in range(row * samples, row * samples + samples):
                    for x in range(column * samples, column * samples + samples):
                        nearest = min(nearest, depths[y, x])
                if nearest == inf:
                    continue
                if perspective > 0:
                    pixels[row, column] = share - share * near / nearest
                else:
                    pixels[row, column] = (nearest - near) / (far - near)
