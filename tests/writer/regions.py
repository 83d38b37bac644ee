"""Records that enter and leave regions which are no MPI calls.

Around a call those of its path are open. Elsewhere the timeline tells the innermost
one: what is open around that follows from the calls before and after.
"""

from itertools import takewhile

import numpy as np

from topoview.model import Bools, CallPaths, TimeState, Trace
from writer.records import Block, Kind, Turn, block

_FIELDS = 6
_ROW, _TIME, _REGION, _ENTERS, _TURN, _PLACE = range(_FIELDS)
_SURELY = 255  # of `Calls.kept`
_OUTSIDE = int(TimeState.OUTSIDE)


def region_blocks(trace: Trace) -> list[Block]:
    """List the records that enter and leave regions that are no MPI calls."""
    changes = _Changes(trace)
    for row in range(trace.timeline.rows):
        changes.add_row(row)
    found = np.array(changes.found, np.int64).reshape(-1, _FIELDS)
    number = np.arange(len(found))
    blocks = []
    for kind, enters in ((Kind.ENTER, 1), (Kind.LEAVE, 0)):
        for turn in (Turn.CALL, Turn.ENTER_REGION, Turn.LEAVE_REGION):
            here: Bools = (found[:, _ENTERS] == enters) & (found[:, _TURN] == turn)
            part = found[here]
            at = part[:, _ROW], part[:, _TIME]
            place = [part[:, _PLACE], np.full(len(part), -1), number[here]]
            if len(part):
                region = (part[:, _REGION],)
                blocks.append(block(kind, turn, at, np.stack(place, 1), region))
    return blocks


def _unrolled(paths: CallPaths) -> list[list[int]]:
    """List the regions of each path, the outermost first."""
    found: list[list[int]] = [[]]
    pairs = zip(paths.parent.tolist(), paths.region.tolist(), strict=True)
    for parent, region in list(pairs)[1:]:
        found.append([*found[parent], region])
    return found


def _common(one: list[int], other: list[int]) -> int:
    """Count the outermost levels in which two stacks agree."""
    pairs = zip(one, other, strict=False)
    return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], pairs))


def _around(stack: list[int], path: list[int], here: int) -> list[int]:
    """Find what is open in an interval; see `_Changes`.

    Parameters
    ----------
    path
        That of the next call.
    """
    if here in stack:
        return stack[: len(stack) - stack[::-1].index(here)]
    common = _common(stack, path)
    if here in path[common:]:
        return path[: path.index(here, common) + 1]
    return [*path[:common], here]


class _Changes:
    """What is entered and left, in the order of each row.

    In an interval whose region is open that one is left to; else it is taken to be in
    those around the next call, or it is called from what is open before and then.
    """

    def __init__(self, trace: Trace) -> None:
        timeline, calls = trace.timeline, trace.calls
        self.found: list[tuple[int, ...]] = []
        self._offsets = timeline.offsets.tolist(), calls.offsets.tolist()
        self._time, self._state = timeline.time.tolist(), timeline.state.tolist()
        self._region = timeline.region.tolist()
        self._enter, self._leave = calls.enter.tolist(), calls.leave.tolist()
        self._path, self._kept = calls.path.tolist(), calls.kept.tolist()
        self._paths = _unrolled(trace.paths)
        self._is_own = (trace.regions.operation < 0).tolist()

    def add_row(self, row: int) -> None:
        """Find those of a row."""
        (at, end), (first, stop) = (part[row : row + 2] for part in self._offsets)
        call, stack = first, list[int]()
        while at < end or call < stop:
            if call < stop and (at == end or self._enter[call] <= self._time[at]):
                wanted, keep = self._paths[self._path[call]], len(stack)
                if call > first and self._kept[call] < _SURELY:
                    keep = self._kept[call]
                now = self._enter[call]
                self._change(row, now, stack, wanted, keep, (Turn.CALL, 2 * call + 1))
                stack, call = wanted, call + 1
                continue
            now, here, state = self._time[at], self._region[at], self._state[at]
            at += 1
            if here >= 0 and not self._is_own[here]:
                continue
            if call > first and self._leave[call - 1] > now:
                if here >= 0:  # called by MPI
                    until = min(
                        [self._leave[call - 1], *self._time[at : min(at + 1, end)]]
                    )
                    self.found.append((row, now, here, 1, Turn.ENTER_REGION, 0))
                    self.found.append((row, until, here, 0, Turn.LEAVE_REGION, 0))
                continue
            wanted = []
            if here >= 0:
                near = min(call, stop - 1)
                path = self._paths[self._path[near]] if near >= first else []
                wanted = _around(stack, path, here)
            elif state == _OUTSIDE and at < end:
                continue  # a pause
            self._change(row, now, stack, wanted, len(stack), (Turn.ENTER_REGION, 0))
            stack = wanted

    def _change(
        self,
        row: int,
        now: int,
        stack: list[int],
        wanted: list[int],
        most: int,
        when: tuple[int, int],
    ) -> None:
        """Leave what is open down to so many levels, and enter what is wanted."""
        keep = min(_common(stack, wanted), most)
        for region in stack[keep:][::-1]:
            self.found.append((row, now, region, 0, *when))
        for region in wanted[keep:]:
            self.found.append((row, now, region, 1, *when))
