"""The listings of a program on several numbers of ranks: what changes but numbers.

The listing of a regular program is the same on any number of ranks, apart from
numbers; and those follow from the number of ranks, or from the extents of its lattice.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from topoview.analysis.comparing.lines import aligned_pairs
from topoview.logical.listing import INDENT, lines
from topoview.model import AXES, LogicalTrace, Topology

BYTES = {"B": 1, "KiB": 1 << 10, "MiB": 1 << 20, "GiB": 1 << 30}
"""Units in listings."""

_NUMBER = rf"\d+(?:\.\d+)?(?: (?:{'|'.join(BYTES)})\b)?"
_NUMBERS = re.compile(rf"(?<![\w.]){_NUMBER}(?:(?:\.\.|, )(?:{_NUMBER}|\.\.\.))*")
"""A number, or a list of numbers."""

Numbers = tuple[float, ...]


@dataclass(slots=True)
class SizedLine:
    """A line of the listings of several runs."""

    text: str
    """As in the first run that has it."""
    key: str
    """The line without its numbers, ``#`` in place of each."""
    numbers: dict[int, Numbers] = field(default_factory=dict)
    """Of each run that has the line, by its place among the runs: the numbers in it,
    of a list the last one, of sizes the bytes."""

    def varying(self) -> Iterator[dict[int, float]]:
        """Iterate over the numbers that are not the same in all runs that have it."""
        for column in zip(*self.numbers.values(), strict=True):
            if len(set(column)) > 1:
                yield dict(zip(self.numbers, column, strict=True))


def listings_across(runs: Sequence[LogicalTrace]) -> list[SizedLine]:
    """Lay the listings of runs upon each other: all lines of all runs, in order."""
    joined: list[SizedLine] = []
    for number, logical in enumerate(runs):
        listed = [
            _sized_line(INDENT * e.depth + e.text, number) for e in lines(logical)
        ]
        keys = [[line.key for line in some] for some in (joined, listed)]
        pairs = aligned_pairs(*keys) if joined else []
        merged: list[SizedLine] = []
        i = j = 0
        for end_i, end_j in [*pairs, (len(joined), len(listed))]:
            merged += [*joined[i:end_i], *listed[j:end_j]]
            if end_i < len(joined) and end_j < len(listed):
                joined[end_i].numbers |= listed[end_j].numbers
                merged.append(joined[end_i])
            i, j = end_i + 1, end_j + 1
        joined = merged
    return joined


def _sized_line(text: str, run: int) -> SizedLine:
    numbers = []
    for listed in _NUMBERS.findall(text):
        number, *unit = re.findall(_NUMBER, listed)[-1].split()
        numbers.append(float(number) * (BYTES[unit[0]] if unit else 1))
    return SizedLine(text, _NUMBERS.sub("#", text), {run: tuple(numbers)})


# What numbers follow from.


def facts_of(
    ranks: Sequence[int], topologies: Sequence[Topology]
) -> list[dict[str, int]]:
    """List what the numbers of each run may follow from.

    Returns
    -------
    list of dict
        ``ranks``, and where all are on lattices of as many dimensions their extents:
        ``nx``, ``ny``, ...
    """
    dims = [topology.dims for topology in topologies]
    alike = len({len(extents) for extents in dims}) == 1
    return [
        {"ranks": count}
        | {f"n{axis}": n for axis, n in zip(AXES, topology.dims * alike, strict=False)}
        for count, topology in zip(ranks, topologies, strict=True)
    ]


def rule_of(values: Mapping[int, float], facts: Sequence[Mapping[str, int]]) -> str:
    """Find what a number follows from: ``ranks - 1``, ``2 nx``, ``4096 / ranks``.

    Parameters
    ----------
    values
        The number in each run, by the run's place in `facts`.

    Returns
    -------
    str
        Empty if it follows from none of the facts, or if two runs have one value.
    """
    runs = list(values)
    for name in facts[0]:
        least = {run: facts[run][name] for run in runs}
        if len(set(least.values())) < len(runs):
            continue
        for factor in (1, 2):
            rest = {values[run] - factor * least[run] for run in runs}
            if len(rest) == 1 and abs(step := int(rest.pop())) <= 2:
                times = name if factor == 1 else f"2 {name}"
                sign = "-" if step < 0 else "+"
                return f"{times} {sign} {abs(step)}" if step else times
        for text, amounts in (
            (f"{{:g}} {name}", {values[run] / least[run] for run in runs}),
            (f"{{:g}} / {name}", {values[run] * least[run] for run in runs}),
        ):
            if len(amounts) == 1:
                return text.format(amounts.pop())
    return ""
