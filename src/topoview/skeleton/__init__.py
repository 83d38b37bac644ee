"""Programs that make the calls of a logical trace again: C or Python, by the ending."""

from collections.abc import Callable
from pathlib import Path

from topoview.analysis.logical.statements import computed_mean
from topoview.errors import UsageError, save_text
from topoview.model import LogicalTrace, Match, Trace
from topoview.skeleton.build import skeleton_program
from topoview.skeleton.c import skeleton_c
from topoview.skeleton.program import SkeletonProgram
from topoview.skeleton.python import skeleton_python

LANGUAGES: dict[str, Callable[[SkeletonProgram], str]] = {
    ".c": skeleton_c,
    ".py": skeleton_python,
}
"""Ending of a file's name to what writes a program into it."""


def write_skeleton(
    trace: Trace, logical: LogicalTrace, match: Match, path: Path
) -> SkeletonProgram:
    """Write a program that makes the calls of a trace again.

    Raises
    ------
    UsageError
        If no language has that ending.
    ExportError
        If it cannot be written there.
    """
    program_text = language_of(path)
    seconds = computed_mean(trace, logical)
    program = skeleton_program(trace, logical, match, seconds * 1e6)
    text = program_text(program)
    save_text(path, text)
    return program


def language_of(path: Path) -> Callable[[SkeletonProgram], str]:
    """Return what writes a program by the ending of a file.

    Raises `UsageError` if there is none.
    """
    if path.suffix not in LANGUAGES:
        raise UsageError(f"{path} must end in {' or '.join(LANGUAGES)}")
    return LANGUAGES[path.suffix]
