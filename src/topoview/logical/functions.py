"""By which functions calls are told apart: by all around them, or ever fewer."""

from collections.abc import Iterator

from topoview.logical.call_paths import MOST
from topoview.logical.numbering import kinds_of
from topoview.logical.records import Records
from topoview.logical.stages import MERGING
from topoview.model import Ints
from topoview.progress import Report

LEVELS = 3
"""Outermost functions by which calls are told apart where all of them tell too much."""


def functions_of(rows: Records, report: Report) -> Iterator[Ints]:
    """Give each row a number for where it is called, ever more coarsely."""
    if not len(rows.path):
        return
    used = kinds_of(rows.path, report, MERGING)
    paths = rows.paths
    yield rows.path
    if paths.parameters is not None:
        for left_out in range(1, min(len(paths.parameters.names), MOST)):
            yield paths.without(left_out)[rows.path]
    plain = paths.without(MOST)
    if paths.parameters is not None:
        yield plain[rows.path]
    yield paths.functions()[rows.path] + 1
    for levels in range(min(int(paths.level[used].max()), LEVELS + 1) - 1, 0, -1):
        yield plain[paths.cut(rows.path, levels)]
