"""Parameters that a trace records in functions, as levels of call paths.

A record of a parameter says that from now on it has a value in the function that is
open, until it gets another one or the function is left (OTF2, `ParameterInt`). So it
is a level of the call path right below that function: ``solve with level = 3``.
"""

from dataclasses import dataclass
from typing import Final

import numba
import numpy as np

from topoview.logical.parameter_levels import extended, levels_at
from topoview.logical.windows import ranks_of
from topoview.model import Bytes, Indices, Ints, Records, Trace

NUMBERS: Final = ("ParameterInt", "ParameterUnsignedInt")
TEXTS: Final = "ParameterString"
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
class Extended:
    """Call paths with levels for parameters.

    Attributes
    ----------
    parent, region : int32, shape (paths,)
        As of `topoview.model.Paths`; values of parameters are regions behind the
        trace's own.
    path, kept
        Of the ranks' calls, as of `topoview.model.Calls`.
    parameters
        What the further regions are.
    """

    parent: Indices
    region: Indices
    path: Ints
    kept: Bytes
    parameters: Parameters


def with_parameters(trace: Trace, calls: int) -> Extended | None:
    """Make the parameters of functions levels of the call paths.

    Parameters
    ----------
    calls
        Number of calls of the ranks' main threads, the first ones.

    Returns
    -------
    Extended or None
        None if no parameter is recorded in a function around a call.
    """
    found = _records(trace)
    if found is None:
        return None
    rank, time, own, parameters = found
    region = _region_at(trace, rank, time)
    call, level = levels_at(
        trace.calls.offsets,
        trace.calls.enter,
        trace.calls.path,
        trace.paths.parent,
        trace.paths.region,
        trace.timeline.offsets,
        trace.timeline.time,
        trace.timeline.region,
        rank,
        time,
        region,
    )
    used = call >= 0
    if not used.any():
        return None
    call, level, own = call[used], level[used], own[used]
    path, kept, parent, region_of = extended(
        trace.calls.offsets[: trace.ranks + 1],
        trace.calls.path[:calls],
        trace.calls.kept[:calls],
        trace.paths.parent,
        trace.paths.region,
        call,
        level,
        own,
        parameters.parameter,
        parameters.first,
    )
    return Extended(parent, region_of, path, kept, parameters)


def _records(trace: Trace) -> tuple[Ints, Ints, Ints, Parameters] | None:
    """Rank, time and value of each record of the ranks' main threads, in order."""
    tables = {r.name: r for r in trace.further if r.name in (*NUMBERS, TEXTS)}
    parts = [_part(trace, table) for table in tables.values() if len(table)]
    if not parts:
        return None
    rank, time, parameter, value, is_text = map(
        np.concatenate, zip(*parts, strict=True)
    )
    order = np.lexsort((time, rank))
    rank, time, parameter, value, is_text = (
        column[order] for column in (rank, time, parameter, value, is_text)
    )
    keys, own = np.unique(
        np.stack([parameter, is_text, value], axis=1), axis=0, return_inverse=True
    )
    defined = _names(trace, "parameter")
    ids, which = np.unique(keys[:, 0], return_inverse=True)
    names = tuple(defined.get(ref) or f"parameter {ref}" for ref in ids.tolist())
    words = _names(trace, TEXT_KIND)
    texts = tuple(
        f"{names[at]} = {words.get(number, number) if text else number}"
        for at, (_, text, number) in zip(which.tolist(), keys.tolist(), strict=True)
    )
    told = Parameters(
        len(trace.regions.names),
        names,
        which.astype(np.int64),
        keys[:, 2],
        texts,
        keys[:, 1] > 0,
    )
    return rank, time, own.astype(np.int64).ravel(), told


def _part(trace: Trace, table: Records) -> tuple[Ints, ...]:
    rank = ranks_of(trace, table)
    text = np.full(len(rank), int(table.name == TEXTS))
    parameter = table.column("parameter")[: len(rank)]
    return (
        rank,
        table.time[: len(rank)],
        parameter,
        table.column("value")[: len(rank)],
        text,
    )


def _names(trace: Trace, kind: str) -> dict[int, str]:
    known: dict[int, str] = {}
    for named in trace.names:
        if named.kind == kind:
            known.update(zip(named.identifiers.tolist(), named.names, strict=True))
    return known


def _region_at(trace: Trace, rank: Ints, time: Ints) -> Ints:
    """Innermost region of each rank at a time."""
    line = trace.timeline
    return _looked_up(line.offsets, line.time, line.region, rank, time)


@numba.njit(nogil=True, cache=True)
def _looked_up(offsets: Ints, time: Ints, region: Indices, row: Ints, at: Ints) -> Ints:
    found = np.full(len(row), -1, np.int64)
    for k in range(len(row)):
        low, high = offsets[row[k]], offsets[row[k] + 1]
        place = low + np.searchsorted(time[low:high], at[k], side="right") - 1
        if place >= low:
            found[k] = region[place]
    return found
