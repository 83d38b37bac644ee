"""Numbers of colourings as they are asked for, kept where they do not change."""

from dataclasses import replace
from typing import Any

import numpy as np

from topoview.analysis.colourings.general import row_of
from topoview.analysis.colourings.table import WAITING, Asked, Colouring
from topoview.analysis.pipeline import Analysis
from topoview.model import RankValues

KEPT = 6
"""Numbers that do not follow time and are kept."""

SAMPLES = 24
"""Times of a window that the range of what follows time is taken from."""


class Values:
    """Finds the numbers of a colouring, and keeps what does not change with time."""

    def __init__(self) -> None:
        self._kept: dict[tuple[object, ...], RankValues] = {}
        self._longest: tuple[Analysis, int] | None = None
        self._spans: dict[tuple[object, ...], tuple[float, float]] = {}

    def of(self, name: str, asked: Asked) -> RankValues | None:
        """Numbers of a colouring; None for `STATE`, and where they are not known."""
        row = row_of(name, asked.known)
        if row is None:
            return None
        if row.over == "time":
            return row.values(replace(asked, longest_wait=self._wait(asked.known)))
        window = asked.window if row.over == "window" else None
        key = (name, asked.known, window, *_chosen(row, asked))
        if key not in self._kept:
            _make_room(self._kept)
            self._kept[key] = row.values(asked)
        return self._kept[key]

    def span(self, name: str, asked: Asked) -> tuple[float, float] | None:
        """Find the least and the greatest number within the window.

        For what follows time `SAMPLES` times of it are looked at.

        Returns
        -------
        tuple of float, or None
            None without any number.
        """
        row = row_of(name, asked.known)
        if row is None:
            return None
        times_ = [asked.time]
        if row.over == "time":
            begin, end = asked.window
            times_ = [int(t) for t in np.linspace(begin, end - 1, SAMPLES)]
        key = (name, asked.known, asked.window, *_chosen(row, asked))
        if key not in self._spans:
            found = [self.of(name, replace(asked, time=time)) for time in times_]
            parts = [each.values for each in found if each is not None]
            known = np.concatenate(parts)
            known = known[~np.isnan(known)]
            _make_room(self._spans)
            none = (np.nan, np.nan)
            ends = (float(known.min()), float(known.max())) if len(known) else none
            self._spans[key] = ends
        ends = self._spans[key]
        return None if np.isnan(ends[0]) else ends

    def _wait(self, known: Analysis) -> int:
        if self._longest is None or self._longest[0].trace is not known.trace:
            from topoview.analysis.shares import longest_ticks

            self._longest = (known, longest_ticks(known.trace, WAITING))
        return self._longest[1]


def _chosen(row: Colouring, asked: Asked) -> tuple[object, ...]:
    """Return what is selected, of what follows it."""
    return (asked.wanted, asked.loop) if row.selects else ()


def _make_room(kept: dict[tuple[object, ...], Any]) -> None:
    while len(kept) >= KEPT:
        del kept[next(iter(kept))]
