"""Pictures larger than a graphics card draws at once: drawn in tiles, put together."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from math import atan, degrees, radians, tan
from typing import Any

import numpy as np
from vtkmodules.vtkCommonCore import vtkUnsignedCharArray

from topoview.base.memory import memory_budget
from topoview.base.text import size_text, tr
from topoview.errors import ExportError
from topoview.model import Bytes
from topoview.ui.panels.scene.plotter import read_pixels

MAX_TILE_SIDE = 4096
"""Pixels of a side that are drawn at once: any card can, and needs 600 MB for it."""

TILE_MARGIN = 256
"""Pixels around a tile that are drawn and thrown away.

A point, or a line, whose middle lies outside of what is drawn is not drawn at all.
"""

MAX_PICTURE_SIDE = 32767
"""Pixels of a side that Qt can paint on."""

_BYTES_PER_PIXEL, _BYTES_PER_CLEAR_PIXEL = 16, 48
"""Bytes that a pixel of the file takes on its way into it; if it can be clear."""


def check_picture_size(width: int, height: int, *, clear: bool) -> None:
    """Check that a picture of so many pixels can be made.

    Parameters
    ----------
    width, height
        Pixels of the file.
    clear
        Whether nothing is behind the scene.

    Raises
    ------
    ExportError
        It is too large.
    """
    if max(width, height) > MAX_PICTURE_SIDE:
        raise ExportError(
            tr(
                "a picture of {width}x{height} pixels cannot be made: a side has at "
                "most {max_picture_side}; choose a smaller size or scale",
                width=width,
                height=height,
                max_picture_side=MAX_PICTURE_SIDE,
            )
        )
    needed = (_BYTES_PER_CLEAR_PIXEL if clear else _BYTES_PER_PIXEL) * width * height
    if needed > memory_budget():
        raise ExportError(
            tr(
                "a picture of {width}x{height} pixels would take about {needed} of "
                "memory, and {memory_budget} may be taken: choose a smaller size or "
                "scale, or allow more (TOPOVIEW_MEMORY, --memory)",
                width=width,
                height=height,
                needed=size_text(needed),
                memory_budget=size_text(memory_budget()),
            )
        )


def window_size(pixels: tuple[int, int]) -> tuple[int, int]:
    """Width and height of the window that a picture of so many pixels is drawn in."""
    return min(pixels[0], MAX_TILE_SIDE), min(pixels[1], MAX_TILE_SIDE)


def draw_in_tiles(window: Any, camera: Any, pixels: tuple[int, int], by: int) -> Bytes:  # noqa: ANN401 - of VTK
    """Draw a picture; a pixel of it is the mean of a square of those that are drawn.

    Parameters
    ----------
    window, camera
        VTK's, the window of a size that `window_size` gives.
    pixels
        Width and height of what is drawn, multiples of `by`.
    by
        Side of the squares.

    Returns
    -------
    uint8, shape (height / by, width / by, 4)
        Top row first.
    """
    width, height = pixels
    sides = window.GetSize()
    result = np.empty((height // by, width // by, 4), np.uint8)
    buffer = vtkUnsignedCharArray()
    for row in _tile_spans(height, sides[1], by):
        for column in _tile_spans(width, sides[0], by):
            below = height - row.begin - sides[1]
            with _camera_on_tile(camera, (column.begin, below), sides, pixels):
                window.Render()
            drawn = read_pixels(window, buffer)
            kept = drawn[
                row.first - row.begin : row.last - row.begin,
                column.first - column.begin : column.last - column.begin,
            ]
            result[
                row.first // by : row.last // by, column.first // by : column.last // by
            ] = _downsampled(kept, by)
    return result


@dataclass(frozen=True, slots=True)
class _TileSpan:
    """Pixels that are kept, without the last, and where what is drawn begins."""

    first: int
    last: int
    begin: int


def _tile_spans(length: int, side: int, by: int) -> list[_TileSpan]:
    """Cut a length into parts of which each is drawn `side` long, margins included."""
    if side >= length:
        return [_TileSpan(0, length, 0)]
    step = (side - 2 * TILE_MARGIN) // by * by
    return [
        _TileSpan(
            first,
            min(first + step, length),
            min(max(first - TILE_MARGIN, 0), length - side),
        )
        for first in range(0, length, step)
    ]


@contextmanager
def _camera_on_tile(
    camera: Any,  # noqa: ANN401 - of VTK
    corner: tuple[int, int],
    sides: tuple[int, int],
    pixels: tuple[int, int],
) -> Iterator[None]:
    """Let a camera see a part of what it sees: from its lower left corner on."""
    centre, angle = camera.GetWindowCenter(), camera.GetViewAngle()
    scale = camera.GetParallelScale()
    part = sides[1] / pixels[1]
    shift = [
        ((was - 1) * whole + 2 * begin) / side + 1
        for was, whole, begin, side in zip(centre, pixels, corner, sides, strict=True)
    ]
    camera.SetWindowCenter(*shift)
    camera.SetViewAngle(degrees(2 * atan(tan(radians(angle) / 2) * part)))
    camera.SetParallelScale(scale * part)
    try:
        yield
    finally:
        camera.SetWindowCenter(*centre)
        camera.SetViewAngle(angle)
        camera.SetParallelScale(scale)


def _downsampled(pixels: Bytes, by: int) -> Bytes:
    """Average squares of pixels, transparency too."""
    if by == 1:
        return pixels
    height, width = (length // by for length in pixels.shape[:2])
    rows = pixels.reshape(height, by, width, by, 4)
    high = rows[:, 0].astype(np.uint16)  # some times faster than a mean
    for row in range(1, by):
        high += rows[:, row]
    total = high[:, :, 0].copy()
    for column in range(1, by):
        total += high[:, :, column]
    total += by * by // 2
    return (total // (by * by)).astype(np.uint8)
