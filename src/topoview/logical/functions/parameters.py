"""Parameters that a trace records in functions, as levels of call paths.

A record of a parameter says that from now on it has a value in the function that is
open, until it gets another one or the function is left (OTF2, `ParameterInt`). So it
is a level of the call path right below that function: ``solve with level = 3``.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from topoview.base.hash_table import slot_of
from topoview.base.kernels import kernel
from topoview.grouping import factorize
from topoview.logical.calls.one_sided import RecordsOfRanks
from topoview.model import Bytes, EventRecords, Indices, Ints, Part, Trace

# mypy: disable-error-code="arg-type"


_MAX_DEPTH: Final = 256
_MAX_PARAMETERS_OF_FUNCTION: Final = 8
"""Parameters of one function that are followed."""

_MAX_LEVELS_OPEN: Final = 254


@kernel
def levels_at(  # noqa: PLR0913
    offsets: Ints,
    enter: Ints,
    path: Indices,
    parent: Indices,
    region: Indices,
    rows: Ints,
    times: Ints,
    inner: Indices,
    rank: Ints,
    time: Ints,
    own: Ints,
) -> tuple[Ints, Ints]:
    """Find the first call after each record, and the level of its function there.

    -1 where the function was left before. Of a function that is open several times
    it is the innermost.
    """
    calls = np.full(len(rank), -1, np.int64)
    levels = np.full(len(rank), -1, np.int64)
    around = np.empty(_MAX_DEPTH + 1, np.int64)
    for k in range(len(rank)):
        low, high = offsets[rank[k]], offsets[rank[k] + 1]
        call = low + np.searchsorted(enter[low:high], time[k], side="left")
        if call == high or own[k] < 0:
            continue
        depth, node = 0, path[call]
        while node > 0:
            around[depth] = region[node]
            depth += 1
            node = parent[node]
        up = 0
        while up < depth and around[up] != own[k]:
            up += 1
        if up == depth:
            continue
        outer = around[up + 1] if up + 1 < depth else np.int64(-1)
        first, last = rows[rank[k]], rows[rank[k] + 1]
        at = first + np.searchsorted(times[first:last], time[k], side="right")
        is_left = False
        while at < last and times[at] < enter[call] and not is_left:
            is_left = bool(inner[at] == outer) and bool(outer != own[k])
            at += 1
        if not is_left:
            calls[k], levels[k] = call, depth - up
    return calls, levels


@kernel
def _child_node(  # noqa: PLR0913
    keys: Ints,
    values: Ints,
    parent: Indices,
    region: Indices,
    count: int,
    node: int,
    key: int,
) -> Any:  # noqa: ANN401 - an integer of numba's
    """Find the node that a region makes of another; a new one is `count`."""
    code = node << 32 | key
    slot = slot_of(keys, code)
    if keys[slot] >= 0:
        return values[slot]
    keys[slot], values[slot] = code, count
    parent[count], region[count] = node, key
    return count


@kernel
def _rehashed(keys: Ints, values: Ints) -> tuple[Ints, Ints]:
    larger, moved = (
        np.full(2 * len(keys), -1, np.int64),
        np.zeros(2 * len(keys), np.int64),
    )
    for place in range(len(keys)):
        if keys[place] >= 0:
            slot = slot_of(larger, keys[place])
            larger[slot], moved[slot] = keys[place], values[place]
    return larger, moved


@kernel
def extend_paths(  # noqa: C901, PLR0913
    offsets: Ints,
    path: Indices,
    kept: Bytes,
    parent: Indices,
    region: Indices,
    at_call: Ints,
    at_level: Ints,
    value: Ints,
    parameter: Ints,
    first: int,
) -> tuple[Ints, Bytes, Indices, Indices]:
    """Follow what the functions around calls have for values."""
    news = np.zeros(len(path), np.int64)
    open_since = np.zeros(len(path), np.uint8)
    slots = 4 * (_MAX_DEPTH + 1) * (_MAX_PARAMETERS_OF_FUNCTION + 1)
    room = 1
    while room < slots:
        room *= 2
    keys, values = np.full(room, -1, np.int64), np.zeros(room, np.int64)
    parents, regions = np.full(room, -1, np.int32), np.full(room, -1, np.int32)
    count = np.int64(1)
    set_to = np.zeros((_MAX_DEPTH + 1, _MAX_PARAMETERS_OF_FUNCTION), np.int64)
    anew = np.zeros((_MAX_DEPTH + 1, _MAX_PARAMETERS_OF_FUNCTION), np.bool_)
    many = np.zeros(_MAX_DEPTH + 1, np.int64)
    around = np.zeros(_MAX_DEPTH + 1, np.int64)
    turn = np.int64(0)
    for rank in range(len(offsets) - 1):
        many[:] = 0
        deepest = 0
        for call in range(offsets[rank], offsets[rank + 1]):
            depth, node = 0, path[call]
            while node > 0:
                depth += 1
                node = parent[node]
            node = path[call]
            for level in range(depth, 0, -1):
                around[level] = np.int64(region[node]) & 0xFFFFFFFF
                node = parent[node]
            stays = np.int64(kept[call])
            for level in range(stays + 1, deepest + 1):
                many[level] = 0
            deepest = depth
            anew[: depth + 1] = False
            while turn < len(at_call) and at_call[turn] == call:
                level, own = at_level[turn], parameter[value[turn]]
                place = 0
                while place < many[level] and parameter[set_to[level, place]] != own:
                    place += 1
                if place < _MAX_PARAMETERS_OF_FUNCTION:
                    many[level] = max(many[level], place + 1)
                    set_to[level, place] = value[turn]
                    anew[level, place] = True
                turn += 1
            if 2 * (count + (_MAX_DEPTH + 1) * (_MAX_PARAMETERS_OF_FUNCTION + 1)) > len(
                keys
            ):
                keys, values = _rehashed(keys, values)
                more_parents = np.full(len(keys), -1, np.int32)
                more_regions = np.full(len(keys), -1, np.int32)
                for i in range(count):
                    more_parents[i], more_regions[i] = parents[i], regions[i]
                parents, regions = more_parents, more_regions
            made, length, still, same = np.int64(0), 0, 0, True
            for level in range(1, depth + 1):
                made = _child_node(
                    keys, values, parents, regions, count, made, around[level]
                )
                count = max(count, made + 1)
                length += 1
                same = same and bool(level <= stays)
                still = length if same else still
                for place in range(many[level]):
                    key = first + set_to[level, place]
                    made = _child_node(keys, values, parents, regions, count, made, key)
                    count = max(count, made + 1)
                    length += 1
                    same = same and not bool(anew[level, place])
                    still = length if same else still
            news[call] = made
            open_since[call] = min(still, _MAX_LEVELS_OPEN) if still < length else 255
        if offsets[rank] < offsets[rank + 1]:
            open_since[offsets[rank]] = 0  # as of `topoview.model.Calls`
    return news, open_since, parents[:count].copy(), regions[:count].copy()


NUMBER_RECORDS: Final = ("ParameterInt", "ParameterUnsignedInt")
TEXT_RECORD: Final = "ParameterString"
TEXT_KIND: Final = "text of a parameter"
"""Kind of the names that texts of parameters have in a trace."""


@dataclass(frozen=True, slots=True, eq=False)
class Parameters:
    """Values of parameters, numbered behind the regions of a trace.

    Attributes
    ----------
    first
        Number of the first value: that of the regions.
    names
        Name of each parameter.
    parameter : int64, shape (values,)
        Index into `names` of each value.
    number : int64, shape (values,)
        The value; that of a text is an identifier.
    texts
        Each value in words: ``level = 3``.
    is_text : bool, shape (values,)
        Whether it is no number.
    """

    first: int
    names: tuple[str, ...]
    parameter: Ints
    number: Ints
    texts: tuple[str, ...]
    is_text: np.ndarray


@dataclass(frozen=True, slots=True, eq=False)
class ExtendedPaths:
    """Call paths of some ranks, with levels for parameters.

    Attributes
    ----------
    parent, region : int32, shape (paths,)
        As of `topoview.model.CallPaths`; values of parameters are regions behind the
        trace's own. Paths in the order in which calls come to them.
    values : int64, shape (values, 3)
        Parameter, whether it is a text, and value: each once, ascending.
    used
        Whether a parameter is recorded in a function around a call.
    """

    parent: Indices
    region: Indices
    values: Ints
    used: bool

    @staticmethod
    def joined(
        found: "Sequence[ExtendedPaths]", regions: int
    ) -> "tuple[ExtendedPaths, list[Ints]]":
        """Join those of several parts, in their order; tell each one's new numbers."""
        values, which = np.unique(
            np.concatenate([one.values for one in found]), axis=0, return_inverse=True
        )
        ends = np.cumsum([len(one.values) for one in found])[:-1]
        known: dict[tuple[int, int], int] = {(-1, -1): 0}
        moved = []
        for one, number in zip(found, np.split(which.ravel(), ends), strict=True):
            of_value = np.concatenate((np.arange(regions), regions + number, [-1]))
            new = np.zeros(len(one.parent), np.int64)
            region = of_value[one.region].tolist()
            for path, above in enumerate(one.parent.tolist()[1:], 1):
                at = int(new[above]), region[path]
                new[path] = known.setdefault(at, len(known))
            moved.append(new)
        parent, region_of = np.array(list(known), np.int32).T
        used = any(one.used for one in found)
        return ExtendedPaths(parent, region_of, values, used), moved


def with_parameters(part: Part) -> tuple[ExtendedPaths, Ints, Bytes] | None:
    """Make the parameters of functions levels of the call paths of some ranks.

    Returns
    -------
    ExtendedPaths
    int64, shape (calls,), and uint8, shape (calls,)
        Path of each call of the ranks' main threads, and `topoview.model.Calls.kept`.

    None if the trace records no parameter.
    """
    trace, main = part.trace, part.main
    if not any(len(table) for table in _tables(trace)):
        return None
    rank, time, own, values = _parameter_records(part)
    calls, line = trace.calls, trace.timeline
    region = _looked_up(line.offsets, line.time, line.region, rank, time)
    call, level = levels_at(
        *(calls.offsets, calls.enter, calls.path),
        *(trace.paths.parent, trace.paths.region),
        *(line.offsets, line.time, line.region),
        *(rank, time, region),
    )
    used = call >= 0
    path, kept, parent, region_of = extend_paths(
        calls.offsets[part.ranks.start : part.ranks.stop + 1] - main.start,
        calls.path[main],
        calls.kept[main],
        trace.paths.parent,
        trace.paths.region,
        call[used] - main.start,
        level[used],
        own[used],
        factorize(values[:, 0])[1],
        len(trace.regions.names),
    )
    return ExtendedPaths(parent, region_of, values, bool(used.any())), path, kept


def parameters_of(trace: Trace, values: Ints) -> Parameters:
    """Tell what values of parameters say: `ExtendedPaths.values` of all ranks."""
    defined = _names(trace, "parameter")
    ids, which = factorize(values[:, 0])
    names = tuple(defined.get(ref) or f"parameter {ref}" for ref in ids.tolist())
    words = _names(trace, TEXT_KIND)
    texts = tuple(
        f"{names[at]} = {words.get(number, number) if text else number}"
        for at, (_, text, number) in zip(which.tolist(), values.tolist(), strict=True)
    )
    first = len(trace.regions.names)
    return Parameters(first, names, which, values[:, 2], texts, values[:, 1] > 0)


def _tables(trace: Trace) -> list[EventRecords]:
    names = (*NUMBER_RECORDS, TEXT_RECORD)
    return [records for records in trace.further if records.name in names]


def _parameter_records(part: Part) -> tuple[Ints, Ints, Ints, Ints]:
    """Rank, time and value of each record of the ranks' main threads, in order.

    And the values: int64, shape (values, 3).
    """
    found = []
    for table in _tables(part.trace):
        own = RecordsOfRanks(part, table)
        text = np.full(len(own.rank), int(table.name == TEXT_RECORD))
        found.append((own.rank, own.time, own["parameter"], text, own["value"]))
    rank, time, *value = map(np.concatenate, zip(*found, strict=True))
    order = np.lexsort((time, rank))
    values, own_value = np.unique(
        np.stack(value, axis=1)[order], axis=0, return_inverse=True
    )
    return rank[order], time[order], own_value.astype(np.int64).ravel(), values


def _names(trace: Trace, kind: str) -> dict[int, str]:
    known: dict[int, str] = {}
    for named in trace.names:
        if named.kind == kind:
            known.update(zip(named.identifiers.tolist(), named.names, strict=True))
    return known


@kernel
def _looked_up(offsets: Ints, time: Ints, region: Indices, row: Ints, at: Ints) -> Ints:
    found = np.full(len(row), -1, np.int64)
    for k in range(len(row)):
        low, high = offsets[row[k]], offsets[row[k] + 1]
        place = low + np.searchsorted(time[low:high], at[k], side="right") - 1
        if place >= low:
            found[k] = region[place]
    return found
