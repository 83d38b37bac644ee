"""Phases, and which of them have the same pattern of communication."""

from dataclasses import dataclass, replace

import numpy as np

from topoview.model import Indices, Ints, Trace, distinct, freeze

LEAST = 0.01
"""Share of all messages below which a kind of phase is not told."""

MOST_NAMES = 3
"""Names of regions that one kind is called by."""


@dataclass(frozen=True, slots=True, eq=False)
class Phases:
    """Phases of a run, in order of time.

    Attributes
    ----------
    kind : int32, shape (phases,)
        Phases that look alike have the same kind, numbered by appearance.
    names
        Name of each kind: that of the user's region, empty if there is none.
    times : int64, shape (phases,)
        How often each was gone through: 1, or more where each phase stands for
        all stretches of its kind.
    begin, end : int64, shape (phases,)
        Time windows in ticks.
    of_message : int32, shape (messages,)
        Phase of each message, -1 if it is in none.
    """

    kind: Indices
    names: tuple[str, ...]
    times: Ints
    begin: Ints
    end: Ints
    of_message: Indices

    def __post_init__(self) -> None:
        """Make the arrays read-only."""
        freeze(self)


def told_apart(trace: Trace, phases: Phases) -> Phases | None:
    """Join phases in which the same pairs communicate; None if one kind is left.

    Kinds that hold next to no messages, or only such of ranks to themselves, are
    left out.
    """
    kinds = len(phases.names)
    of_message = np.append(phases.kind, -1)[phases.of_message]
    counts = np.bincount(of_message[of_message >= 0], minlength=kinds)
    kept = counts >= LEAST * len(of_message)
    sets = _pair_sets(trace, of_message, kinds)
    join: dict[bytes, int] = {}
    number = np.full(kinds + 1, -1, np.int32)
    names: list[list[str]] = []
    for kind in np.flatnonzero(kept & [len(pairs) > 0 for pairs in sets]).tolist():
        same = join.setdefault(sets[kind].tobytes(), len(join))
        if same == len(names):
            names.append([])
        number[kind] = same
        names[same].append(phases.names[kind])
    if len(names) < 2:
        return None
    return _joined(phases, number, tuple(map(_name, names)))


def _name(names: list[str]) -> str:
    more = len(names) - MOST_NAMES
    listed = ", ".join(name for name in names[:MOST_NAMES] if name)
    return f"{listed} and {more} more" if more > 0 and listed else listed


def _pair_sets(trace: Trace, of_message: Indices, kinds: int) -> list[Ints]:
    """Pairs that communicate in each kind, smaller rank first, as sorted numbers."""
    n = trace.ranks
    some = np.flatnonzero(of_message >= 0)
    one = trace.messages.sender[some].astype(np.int64)
    other = trace.messages.receiver[some].astype(np.int64)
    keys = np.minimum(one, other) * n + np.maximum(one, other)
    keys = distinct(keys[one != other] + of_message[some][one != other] * (n * n))
    bounds = np.searchsorted(keys, np.arange(kinds + 1) * (n * n))
    return [keys[bounds[k] : bounds[k + 1]] - k * (n * n) for k in range(kinds)]


def _joined(phases: Phases, number: Indices, names: tuple[str, ...]) -> Phases:
    """Give kinds new numbers; neighbouring phases that have become alike are one."""
    kind = number[phases.kind]
    kept = np.flatnonzero(kind >= 0)
    single = bool((phases.times == 1).all())
    if single:  # one after the other in time
        new = np.cumsum(np.diff(kind[kept], prepend=-1) != 0) - 1
    else:
        new = kind[kept].astype(np.int64)
    count = int(new.max()) + 1
    to = np.full(len(kind) + 1, -1, np.int32)
    to[kept] = new
    begin = np.full(count, np.iinfo(np.int64).max)
    end = np.zeros(count, np.int64)
    times = np.zeros(count, np.int64)
    kinds = np.zeros(count, np.int32)
    np.minimum.at(begin, new, phases.begin[kept])
    np.maximum.at(end, new, phases.end[kept])
    np.add.at(times, new, phases.times[kept])
    kinds[new] = kind[kept]
    return replace(
        phases,
        kind=kinds,
        names=names,
        times=np.ones(count, np.int64) if single else times,
        begin=begin,
        end=end,
        of_message=to[phases.of_message],
    )
