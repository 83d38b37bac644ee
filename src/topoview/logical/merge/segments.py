"""Merge the ranks' calls between two collectives, where their lists differ.

Several ways are tried, and each is weighed by what must be written
(`topoview.logical.merge.content_cost`).
"""

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import pairwise

import numpy as np

from topoview.base.progress import silent
from topoview.grouping import (
    Hashes,
    factorize,
    first_entries,
    run_begins,
    run_offsets,
    sums_by_owner,
)
from topoview.logical.calls.call_table import CallTable
from topoview.logical.kernels import mix_bits
from topoview.logical.loops.compression import compress
from topoview.logical.loops.cost import LINE
from topoview.logical.merge.content_cost import ContentRows, content_bits
from topoview.logical.merge.lists import Lists, RowKeys, joint, sums_of
from topoview.logical.merge.sequences import fold, project, project_from_end
from topoview.model import Bools, Ints


@dataclass(frozen=True, slots=True, eq=False)
class MergedSegment:
    """Positions of the ranks' calls in a segment."""

    bits: float
    """What it takes to write the segment so."""
    group: Ints
    """int64, shape (cells,): which ranks do the same."""
    places: list[Ints]
    """For each group the positions of its calls, int64, from 0."""
    script: Bools
    """bool, shape (positions,): positions at which the calls follow no rule."""


Places = list[Ints]

APART = "apart"
"""The way in which no calls are lists: each is a statement of its own."""


@dataclass(slots=True)
class _Segment:
    """A segment: for each group of ranks that do the same the rows of one of them."""

    table: CallTable
    lists: Lists
    keys: RowKeys
    rows: list[Ints]
    members: Ints
    ends_in_anchor: bool
    weighed: dict[bytes, float] = field(default_factory=dict)
    """What each choice of positions takes: most ways come to one that others have."""

    def ways(self) -> Iterator[tuple[str, Places, Bools | None]]:
        """Merge in all ways worth trying: name, positions, and which are scripts."""
        keys = self.keys
        named = [keys.named[own] for own in self.rows]
        tokens: list[tuple[str, list[Hashes] | None]] = [
            ("lists", None),
            ("calls", named),
            ("sized", [keys.sized[own] for own in self.rows]),
        ]
        if any(keys.lone[own].any() for own in self.rows):
            tokens.append(("as sends", [self._named_by_send(own) for own in self.rows]))
        for name, words in tokens:
            for places in self._merged(words):
                ended = self._anchored(places)
                yield name, self._listed_again(ended), None
                if name in ("calls", "sized"):
                    yield APART, ended, None
            if name in ("calls", "sized"):
                for places in self._merged(words, _turns_merged):
                    yield APART, self._anchored(places), None
        yield from self._script()

    def _heads(self, own: Ints) -> tuple[Ints, Ints]:
        """Rows that begin a list, and the number of each row's list."""
        begins = self.lists.begins[own].copy()
        begins[:1] = True
        return own[begins], np.cumsum(begins) - 1

    def _merged(
        self,
        words: Sequence[Hashes] | None,
        merges: Callable[[Ints, Ints], Iterator[Ints]] | None = None,
    ) -> Iterator[Places]:
        """Merge sequences of lists, or of calls by given words."""
        if words is None:
            both = [self._heads(own) for own in self.rows]
            words = [self.lists.word[heads] for heads, _ in both]
            spread = [of for _, of in both]
        else:
            spread = [np.arange(len(own)) for own in words]
        keys: dict[bytes, int] = {}
        of = [keys.setdefault(own.tobytes(), len(keys)) for own in words]
        distinct = [np.frombuffer(own, np.uint64) for own in keys]
        order = sorted(range(len(distinct)), key=lambda g: -len(distinct[g]))
        place = {g: at for at, g in enumerate(order)}
        counts = np.array([len(distinct[g]) for g in order])
        offsets = run_offsets(counts)
        symbols = np.concatenate([distinct[g] for g in order]).view(np.int64)
        flat = factorize(symbols)[1]
        for position in (merges or _merges)(flat, offsets):
            yield [
                position[offsets[place[g]] : offsets[place[g] + 1]][own]
                for g, own in zip(of, spread, strict=True)
            ]

    def _anchored(self, places: Places) -> Places:
        """Turn the collective that ends the segment into one position again."""
        if not self.ends_in_anchor:
            return places
        last = 1 + max(int(own.max()) for own in places)
        ended = [np.append(own[:-1], last) for own in places]
        return _without_gaps(ended)

    def _listed_again(self, places: Places) -> Places:
        """Join neighbouring positions of one operation to lists of the merged program.

        So segments that were merged call by call are told in the same words as those
        in which the ranks' own lists are alike.
        """
        count = 1 + max(int(own.max()) for own in places)
        word = np.zeros(count, np.uint64)
        joins = np.zeros(count, bool)
        for own, at in zip(self.rows, places, strict=True):
            word[at] = self.lists.word[own]
            joins[at] = self.keys.listed[own] | self.lists.serving[own]
        same = np.zeros(count, bool)
        same[1:] = (word[1:] == word[:-1]) & joins[1:] & joins[:-1]
        number = np.cumsum(~same) - 1
        return [number[at] for at in places]

    def _named_by_send(self, own: Ints) -> Hashes:
        """Words in which the k-th call without a partner is named as the k-th send.

        Of each operation, where there are as many, or so many times as many.
        """
        word, kinds = self.keys.named[own], self.keys.kind[own]
        lone = np.flatnonzero(self.keys.lone[own])
        sends = word[self.table.receiver[own] >= 0]
        for kind in np.unique(kinds[lone]):
            some = lone[kinds[lone] == kind]
            if len(sends) and len(some) % len(sends) == 0:
                times = len(some) // len(sends)
                word[some] = mix_bits(kinds[some] ^ np.tile(sends, times))
        return word

    def _script(self) -> Iterator[tuple[str, Places, Bools]]:
        """Leave all to a table for each rank, but for the collective at the end."""
        tail = int(self.ends_in_anchor)
        if all(len(own) == tail for own in self.rows):
            return
        whole = [np.zeros(len(own), np.int64) for own in self.rows]
        for own in whole:
            own[len(own) - tail :] = 1
        whole = _without_gaps(whole)
        used = 1 + max(int(own.max()) for own in whole)
        yield "script", whole, np.arange(used) < used - tail

    def bits(self, places: Places, script: Bools) -> float:
        """Weigh a way: lines of its loops, and what says what stands there."""
        place = np.concatenate(places)
        way = place.tobytes() + script.tobytes()
        if way not in self.weighed:
            self.weighed[way] = self._bits(place, script)
        return self.weighed[way]

    def _bits(self, place: Ints, script: Bools) -> float:
        row = np.concatenate(self.rows)
        counts = [len(own) for own in self.rows]
        group = np.repeat(np.arange(len(self.rows)), counts)
        count = len(script)
        first = run_begins(place, group)
        key = sums_of(first, self.keys.exact[row])
        content = joint(place[first], group[first], key, count)
        distinct, codes = factorize(content.view(np.int64))
        chosen = np.zeros(count, bool)
        chosen[first_entries(codes, len(distinct))] = True
        own = chosen[place]
        weighed = content_bits(
            self.table,
            self.lists,
            self.keys,
            ContentRows(row[own], place[own], self.members[group[own]], count, script),
        )
        tokens, written = compress(codes)
        lines = tokens.leaves(written) + len(tokens.loops)
        return LINE * lines + float(weighed.bits.sum())


def merge_segment(
    table: CallTable, lists: Lists, keys: RowKeys, cells: Ints, said: Hashes
) -> dict[str, MergedSegment]:
    """Merge a segment in several ways.

    Parameters
    ----------
    cells : int64, shape (cells,)
        The ranks' parts of the segment, as in `Lists.cell`.
    said : uint64, shape (cells,)
        What each rank does, by names.

    Returns
    -------
    dict
        By the name of the way, the best of each.
    """
    _, first, which = np.unique(said, return_index=True, return_inverse=True)
    order = np.argsort(first)  # by the lowest rank: segments that are alike stay so
    number = np.empty(len(order), np.int64)
    number[order] = np.arange(len(order))
    first, group = first[order], number[which]
    rows = [np.arange(lists.cell[c], lists.cell[c + 1]) for c in cells[first].tolist()]
    segment = _Segment(
        table=table,
        lists=lists,
        keys=keys,
        rows=rows,
        members=sums_by_owner(
            group, lists.members[lists.rank[lists.cell[cells]]], len(rows)
        ),
        ends_in_anchor=bool(lists.anchor[rows[0][-1]]) if len(rows[0]) else False,
    )
    result: dict[str, MergedSegment] = {}
    for name, places, script in segment.ways():
        count = 1 + max(int(own.max()) for own in places)
        scripts = np.zeros(count, bool) if script is None else script
        bits = segment.bits(places, scripts)
        if name not in result or bits < result[name].bits:
            result[name] = MergedSegment(bits, group, places, scripts)
    return result


def _merges(flat: Ints, offsets: Ints) -> Iterator[Ints]:
    """Merge sequences in all ways that are worth it: positions, equal ones once.

    By projection, from the begin and from the end, and where sequences disagree what
    comes first, aligned with each other.
    """
    if len(offsets) == 2:
        yield np.arange(len(flat))
        return
    merged = [
        way(flat, offsets, stays=stays)
        for way in (project, project_from_end)
        for stays in (False, True)
    ]
    if any(one is None or one.forced for one in merged):
        ways_to_fold = (False, True) if len(offsets) == 3 else (False,)
        merged += [fold(flat, offsets, silent, early=early) for early in ways_to_fold]
    distinct = {one.position.tobytes(): one for one in merged if one is not None}
    for one in distinct.values():
        yield one.position
    if not distinct:
        yield np.arange(len(flat))


def _turns_merged(flat: Ints, offsets: Ints) -> Iterator[Ints]:
    """Merge one turn of sequences that are equally many turns each, and what follows.

    What follows is one token that ends them all, or nothing. Else the last turn of a
    sequence could become the first of another, and what is between them one loop.
    """
    parts = [flat[begin:end] for begin, end in pairwise(offsets.tolist())]
    ends = {int(own[-1]) if len(own) else -1 for own in parts}
    tail = int(len(ends) == 1 and min(ends) >= 0)
    bodies = [own[: len(own) - tail] for own in parts]
    most = math.gcd(*map(len, bodies))
    for turns in range(most, 1, -1):
        if most % turns == 0 and all(_is_repeated(own, turns) for own in bodies):
            break
    else:
        return
    once = [own[: len(own) // turns] for own in bodies]
    begins = run_offsets(np.array([len(own) for own in once]))
    for position in _merges(np.concatenate(once), begins):
        count = 1 + int(position.max(initial=-1))
        turn, last = np.arange(turns)[:, None] * count, np.full(tail, turns * count)
        yield np.concatenate(
            [
                np.append(turn + position[begin:end], last)
                for begin, end in pairwise(begins.tolist())
            ]
        )


def _is_repeated(own: Ints, turns: int) -> bool:
    period = len(own) // turns
    return np.array_equal(own[period:], own[: len(own) - period])


def _without_gaps(places: Places) -> Places:
    used = np.unique(np.concatenate(places))
    return [np.searchsorted(used, own) for own in places]
