"""Programs that make the calls of a logical trace again: C or Python, by the ending."""

from collections.abc import Callable

from topoview.skeleton.build import skeleton_program
from topoview.skeleton.c import skeleton_c
from topoview.skeleton.program import SkeletonProgram
from topoview.skeleton.python import skeleton_python

LANGUAGES: dict[str, Callable[[SkeletonProgram], str]] = {
    ".c": skeleton_c,
    ".py": skeleton_python,
}
"""Ending of a file's name to what writes a program into it."""

__all__ = ["LANGUAGES", "skeleton_program"]
