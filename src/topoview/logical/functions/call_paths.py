"""Call paths of the call table's rows, in an order in which neighbours share most."""

from dataclasses import dataclass, replace

import numpy as np

from topoview.grouping import run_begins
from topoview.logical.functions.parameters import (
    ExtendedPaths,
    Parameters,
    parameters_of,
)
from topoview.model import Bytes, Indices, Ints, Part, Trace

ALL_LEVELS: int = 255
"""Levels of a path that stayed open: all of them."""

MAX_PARAMETERS_TRIED: int = 4
"""Parameters whose values are tried one by one; see `CallPaths.without`."""


@dataclass(frozen=True, slots=True, eq=False)
class CallPaths:
    """Call paths as a tree, in an order in which a path comes before those in it.

    What is between two paths in this order shares with both what they have in common.
    """

    parent: Ints
    """int64, shape (paths,): -1 for the first, that of calls in no function."""
    region: Ints
    """int64, shape (paths,): innermost region."""
    level: Ints
    """int64, shape (paths,): number of regions."""
    parameters: Parameters | None = None
    """What levels are that are no regions of the trace; None if all are."""
    further: tuple[str, ...] = ()
    """Names of what stands behind the values of parameters."""

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the levels that are no regions of the trace, in their order."""
        if self.parameters is None:
            return self.further
        return (*(f"with {text}" for text in self.parameters.texts), *self.further)

    def common(self, one: int, other: int) -> int:
        """Find the longest path that is the begin of two."""
        while one != other:
            if self.level[one] < self.level[other]:
                one, other = other, one
            one = int(self.parent[one])
        return one

    def cut(self, path: Ints, levels: int) -> Ints:
        """Shorten paths to their outermost levels."""
        shortened = np.arange(len(self.level))
        while (deep := self.level[shortened] > levels).any():
            shortened[deep] = self.parent[shortened[deep]]
        return shortened[path]

    def functions(self) -> Ints:
        """Innermost region of each path that is no value of a parameter."""
        result = self.region.copy()
        if self.parameters is not None:
            for path in range(1, len(result)):
                if result[path] >= self.parameters.first:
                    result[path] = result[self.parent[path]]
        return result

    def without(self, parameters: int) -> Ints:
        """Enumerate paths as if values of some parameters were one value each.

        Parameters
        ----------
        parameters
            How many, those of most values; all if it is as many as there are.
        """
        recorded = self.parameters
        if recorded is None:
            return np.arange(len(self.level))
        often = np.bincount(recorded.parameter)
        left_out = set(np.argsort(-often, kind="stable")[:parameters].tolist())
        if parameters >= MAX_PARAMETERS_TRIED:
            left_out = set(range(len(often)))
        result = np.zeros(len(self.level), np.int64)
        numbers: dict[tuple[int, int], int] = {}
        for path in range(1, len(result)):
            key = int(self.region[path])
            if key >= recorded.first:
                own = int(recorded.parameter[key - recorded.first])
                key = -2 - own if own in left_out else key
            at = int(result[self.parent[path]]), key
            result[path] = numbers.setdefault(at, len(numbers) + 1)
        return result

    def regions(self, path: int) -> tuple[int, ...]:
        """Regions of a path, the outermost first."""
        chain: list[int] = []
        while path > 0:
            chain.append(int(self.region[path]))
            path = int(self.parent[path])
        return tuple(reversed(chain))


@dataclass(frozen=True, slots=True, eq=False)
class KnownPaths:
    """The call paths of all ranks."""

    paths: CallPaths
    """All of them."""
    number: Ints
    """int64, shape (paths,): their numbers there: of the trace's, or of `extended`."""
    regions: int
    """Number of the trace's regions."""
    extended: ExtendedPaths | None
    """Paths with parameters; None if none is used."""

    @staticmethod
    def of(trace: Trace, extended: ExtendedPaths | None) -> "KnownPaths":
        """Put paths in order, with the parameters of all ranks."""
        regions = len(trace.regions.names)
        if extended is None or not extended.used:
            paths, number = sorted_paths(trace.paths.parent, trace.paths.region)
            return KnownPaths(paths, number, regions, None)
        paths, number = sorted_paths(extended.parent, extended.region)
        parameters = parameters_of(trace, extended.values)
        return KnownPaths(
            replace(paths, parameters=parameters), number, regions, extended
        )


class PathReader:
    """Tells the call paths of calls of some ranks, values of parameters included.

    Parameters
    ----------
    told
        As `with_parameters` tells of them.
    """

    def __init__(
        self,
        part: Part,
        extension: tuple[ExtendedPaths, Ints, Bytes] | None,
        known_paths: KnownPaths,
    ) -> None:
        self._number, self._begin = known_paths.number, 0
        self._path: Ints | Indices = part.trace.calls.path
        self._kept = part.trace.calls.kept
        if extension is not None and known_paths.extended is not None:
            own, self._path, self._kept = extension
            numbers = ExtendedPaths.joined(
                (known_paths.extended, own), known_paths.regions
            )[1]
            self._number, self._begin = known_paths.number[numbers[1]], part.main.start

    def rows(self, call: Ints, first: int) -> tuple[Ints, Bytes]:
        """Return the call path of each row.

        Parameters
        ----------
        call : int64, shape (rows,), ascending
            Indices into the trace's calls, of the ranks' main threads.
        first
            First call of the first rank.

        Returns
        -------
        int64, shape (rows,)
            Path of each row.
        uint8, shape (rows,)
            How many of its outermost regions stayed open since the row before, 255 for
            all: those that did over all calls since, also over such without a row.
        """
        path = self._number[self._path[call - self._begin]]
        kept = np.full(len(call), ALL_LEVELS, np.uint8)
        if len(call):
            new = run_begins(call)
            begins = np.append(first, call[new[:-1]] + 1)
            own = self._kept[first - self._begin : int(call[-1]) + 1 - self._begin]
            kept[new] = np.minimum.reduceat(own, begins - first)
        return path, kept


def sorted_paths(parent: Indices, region: Indices) -> tuple[CallPaths, Ints]:
    """Put paths in order; tell the new number of each."""
    order = _order(parent)
    number = np.empty(len(order), np.int64)
    number[order] = np.arange(len(order))
    around = np.append(number, -1)[parent[order]]
    level = np.zeros(len(order), np.int64)
    for path in range(1, len(order)):
        level[path] = level[around[path]] + 1
    return CallPaths(around, region[order].astype(np.int64), level), number


def _order(parent: Indices) -> Ints:
    """Put paths in an order in which those in one follow it at once."""
    below: list[list[int]] = [[] for _ in range(len(parent))]
    for path, above in enumerate(parent[1:].tolist(), 1):
        below[above].append(path)
    order: list[int] = []
    left = [0]
    while left:
        path = left.pop()
        order.append(path)
        left += reversed(below[path])
    return np.array(order, np.int64)
