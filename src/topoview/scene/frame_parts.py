"""A frame cut into parts: some thousand ranks each, all else with the first ones."""

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from functools import partial
from itertools import pairwise
from typing import Any

from vtkmodules.vtkRenderingCore import vtkProp

from topoview.scene.ranks.glyphs import RankGlyphs

SIZE = 4000
"""Ranks in a part: about 40 ms where nothing but the processor draws."""

Part = Callable[[], AbstractContextManager[None]]
"""A part of a frame: what is entered while it is drawn."""


def frame_parts(renderer: Any, glyphs: RankGlyphs | None) -> list[Part]:  # noqa: ANN401
    """Cut what a renderer draws into parts; none if it is little, or dots.

    Parameters
    ----------
    renderer
        VTK's renderer.
    glyphs
        The ranks in it.
    """
    if glyphs is None or glyphs.moving or len(glyphs.ranks) <= SIZE:
        return []
    count = len(glyphs.ranks)
    parts = -(-count // SIZE)
    ends = [round(count * k / parts) for k in range(parts + 1)]
    return [
        partial(_only, renderer, glyphs, first, last) for first, last in pairwise(ends)
    ]


@contextmanager
def _only(renderer: Any, glyphs: RankGlyphs, first: int, last: int) -> Iterator[None]:  # noqa: ANN401
    """Draw some ranks only, and all else if they are the first ones."""
    own = set(glyphs.shapes)
    others: list[vtkProp] = [
        prop
        for prop in renderer.GetViewProps()
        if first and prop not in own and prop.GetVisibility()
    ]
    for prop in others:
        prop.VisibilityOff()
    try:
        with glyphs.only(first, last):
            yield
    finally:
        for prop in others:
            prop.VisibilityOn()
