"""Programs that make the calls of a logical trace again."""

from collections.abc import Callable

from topoview.logical.skeleton.build import skeleton_program
from topoview.logical.skeleton.c import skeleton_c
from topoview.logical.skeleton.program import SkeletonProgram
from topoview.logical.skeleton.python import skeleton_python

LANGUAGES: dict[str, Callable[[SkeletonProgram], str]] = {
    ".c": skeleton_c,
    ".py": skeleton_python,
}
"""Ending of a file's name to what writes a program into it."""

__all__ = ["LANGUAGES", "skeleton_program"]
