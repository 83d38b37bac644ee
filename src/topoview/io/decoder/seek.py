"""Where in a location's file a stretch of time begins and ends, and what was before.

Chunks begin with a time, so that those at a moment are found by bisection.
"""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final, Literal, NamedTuple

import numpy as np

from topoview.io.decoder.channels import COUNT, global_channels, move_channels
from topoview.io.decoder.counted import Counted, Part, Start
from topoview.io.decoder.counting import place_chunk
from topoview.io.decoder.definitions import BIG, HEADER, LITTLE, MARK, correct_first
from topoview.io.decoder.fill import LATEST
from topoview.io.decoder.walk import (
    AT,
    CHUNK,
    DEPTH,
    EVENTS,
    FULL,
    LOGGED,
    MOMENT_AT,
    NOW,
    OFF,
    REACHED,
    REQUESTS,
    STRANGE,
    WORDS,
    global_words,
    walk,
)
from topoview.io.decoder.worker import Worker
from topoview.io.record_types import TIMESTAMP
from topoview.model import Bools, Ints

_PEEK: Final = Part(1 << 12)
_ROOM: Final = 256
_NONE: Final = np.zeros((0, 3), np.int64)


class Before(NamedTuple):
    """What is before a moment in a location's file.

    Attributes
    ----------
    start
        Where reading begins; None: at the file's beginning. Its messages are not
        known yet.
    channels : int64, shape (n, 4)
        Partner, communicator, tag, and number of messages before.
    receives : bool, shape (n,)
        Whether those were received.
    """

    start: Start | None
    channels: Ints
    receives: Bools


_NOTHING: Final = Before(None, np.zeros((0, 4), np.int64), np.zeros(0, np.bool_))


class Strange(Exception):  # noqa: N818 - it is no error
    """What is before a moment has to be decoded to know what it means."""


def file_size(path: str) -> int:
    """Tell the bytes of a file, 0 if that is not known."""
    try:
        return os.stat(path).st_size  # noqa: PTH116 - of very many files
    except OSError:
        return 0


def peek(worker: Worker, location: int) -> Counted:
    """Count the beginning of a location."""
    return worker.count(location, _PEEK)


@contextmanager
def _opened(worker: Worker, location: int) -> Iterator[int]:
    """Open a location's file, with its local definitions known."""
    file = os.open(f"{worker.folder}/{location}.evt", os.O_RDONLY)
    try:
        worker.local.define(location)
        yield file
    finally:
        os.close(file)


def _chunks_before(worker: Worker, file: int, moment: int) -> int:
    """Count the chunks that begin before a time stamp; the first one always does."""
    low, high = 1, -(-os.fstat(file).st_size // worker.event_chunk)
    while low < high:
        middle = (low + high) // 2
        begin = _begin_of(worker, file, middle * worker.event_chunk)
        low, high = (low, middle) if begin >= moment else (middle + 1, high)
    return low


def _begin_of(worker: Worker, file: int, at: int) -> int:
    """Time stamp that a chunk begins with; -1 if it has none."""
    head = os.pread(file, HEADER + 9, at)
    if len(head) < HEADER + 9 or head[0] != MARK or head[HEADER] != TIMESTAMP:
        return -1
    order: Literal["little", "big"] = "big" if head[1] == BIG else "little"
    stamp = int.from_bytes(head[HEADER + 1 :], order)
    if stamp > LATEST:
        return -1
    worker.set(first=stamp, clock=0)
    correct_first(worker.frame)
    return int(worker.frame[0]["first"])


def end_of(worker: Worker, location: int, until: int) -> Part:
    """Find which part of a location's file is read up to a time stamp.

    Those chunks that begin before it, and one behind them.
    """
    try:
        with _opened(worker, location) as file:
            size = os.fstat(file).st_size
            chunks = _chunks_before(worker, file, until) + 1
            return Part(min(chunks * worker.event_chunk, size), until)
    except OSError:
        return Part(0)


def before(worker: Worker, location: int, first: int, moment: int) -> Before:
    """Find what is before a time stamp in a location that begins at another one.

    The worker's frame must say the location's rank.

    Raises
    ------
    Strange
        If it has to be decoded.
    """
    if first < 0 or first >= moment:
        return _NOTHING
    try:
        with _opened(worker, location) as file:
            return _Walk(worker).over(file, first, moment)
    except OSError:
        raise Strange from None


class _Walk:
    """One walk over the beginning of a file."""

    def __init__(self, worker: Worker) -> None:
        self._worker = worker
        self._kept = np.zeros(WORDS, np.int64)
        self._stack, self._free = np.zeros((2, _ROOM), np.int64)
        self._table = np.zeros((_ROOM, COUNT + 1), np.int64)
        self._log = np.zeros(_ROOM, np.int64)

    def over(self, file: int, first: int, moment: int) -> Before:
        """Walk up to a moment, back to the last one at which no request was open."""
        worker, kept, step = self._worker, self._kept, self._worker.event_chunk
        last, status = 0, REACHED
        count = _chunks_before(worker, file, moment)
        worker.set(clock=0)
        for number in range(count):
            is_last = number == count - 1
            last = self._load(file, number * step, last)
            kept[[AT, EVENTS, CHUNK]] = 0, 0, number
            while (status := self._walk(moment if is_last else -1)) == FULL:
                self._grow()
            if status == STRANGE or (status == REACHED and not is_last):
                raise Strange
            if not worker.advance(step):
                break
        has_ended = status != REACHED
        if has_ended and os.fstat(file).st_size > count * step:
            kept[[AT, EVENTS, CHUNK]] = 0, 0, count
            has_ended = False
        return self._result(first, has_ended)

    def _load(self, file: int, begin: int, last: int) -> int:
        worker = self._worker
        got = worker.buffer.load(file, begin, worker.event_chunk)
        head = worker.buffer.bytes[:HEADER]
        swap = int(head[1] == BIG)
        first, final = (int(n) for n in head[2:].view(">u8" if swap else "<u8"))
        sound = got >= HEADER and head[0] == MARK and head[1] in (LITTLE, BIG)
        if not sound or first != last + 1 or not 0 <= final - last < got:
            raise Strange
        at = worker.buffer.address
        place_chunk(worker.frame, at, got, swap, final - last)
        return final

    def _walk(self, until: int) -> int:
        return walk(
            self._worker.frame, self._kept, self._stack, self._free, self._table,
            self._log, until,
        )  # fmt: skip

    def _grow(self) -> None:
        """Make room for twice as much of everything: each costs little."""
        self._stack, self._free, self._log = (
            np.concatenate([old, np.zeros_like(old)])
            for old in (self._stack, self._free, self._log)
        )
        table = np.zeros((2 * len(self._table), COUNT + 1), np.int64)
        places = np.zeros(len(self._table), np.int64)
        move_channels(self._table, table, places)
        logged = self._kept[LOGGED]
        self._log[:logged] = places[self._log[:logged]]
        self._table = table

    def _result(self, first: int, has_ended: bool) -> Before:
        frame, kept, stack = self._worker.frame, self._kept, self._stack
        if kept[REQUESTS]:
            kept, stack, has_ended = kept[MOMENT_AT:], self._free, False
            logged = self._log[: self._kept[LOGGED]]
            np.subtract.at(self._table[:, COUNT], logged, 1)
        size = int(np.count_nonzero(self._table[:, COUNT]))
        channels, receives = np.zeros((size, 4), np.int64), np.zeros(size, np.bool_)
        found = global_channels(frame, self._table, channels, receives)
        words = stack[: kept[DEPTH]].copy()
        global_words(frame, words)
        start = Start(
            chunk=int(kept[CHUNK]),
            skip=int(kept[AT]),
            events=int(kept[EVENTS]),
            first=first,
            now=int(kept[NOW]),
            off=int(kept[OFF] or has_ended),
            words=words[:0] if has_ended else words,
            sends=_NONE,
            receives=_NONE,
        )
        return Before(start, channels[:found], receives[:found])
