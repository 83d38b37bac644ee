"""Parameters that a trace records in functions, as levels of call paths.

A record of a parameter says that from now on it has a value in the function that is
open, until it gets another one or the function is left (OTF2, `ParameterInt`). So it
is a level of the call path right below that function: ``solve with level = 3``.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from topoview.grouping import factorize
from topoview.logical.calls.one_sided import RecordsOfRanks, names_of_kind
from topoview.logical.functions import kernels
from topoview.logical.kernels import last_entries
from topoview.model import Bytes, EventRecords, Indices, Ints, Part, Trace

# mypy: disable-error-code="arg-type"


NUMBER_RECORDS: Final = ("ParameterInt", "ParameterUnsignedInt")
TEXT_RECORD: Final = "ParameterString"
TEXT_KIND: Final = "text of a parameter"
"""Kind of the names that texts of parameters have in a trace."""


@dataclass(frozen=True, slots=True, eq=False)
class Parameters:
    """Values of parameters, numbered behind the regions of a trace."""

    first: int
    """Number of the first value: that of the regions."""
    names: tuple[str, ...]
    """Name of each parameter."""
    parameter: Ints
    """int64, shape (values,): index into `names` of each value."""
    number: Ints
    """int64, shape (values,): the value; that of a text is an identifier."""
    texts: tuple[str, ...]
    """Each value in words: ``level = 3``."""
    is_text: np.ndarray
    """bool, shape (values,): whether it is no number."""


@dataclass(frozen=True, slots=True, eq=False)
class ExtendedPaths:
    """Call paths of some ranks, with levels for parameters."""

    parent: Indices
    region: Indices
    """`parent` and `region`: int32, shape (paths,): as of `topoview.model.CallPaths`;
    values of parameters are regions behind the trace's own. Paths in the order in which
    calls come to them."""
    values: Ints
    """int64, shape (values, 3): parameter, whether it is a text, and value: each once,
    ascending."""
    used: bool
    """Whether a parameter is recorded in a function around a call."""

    @staticmethod
    def joined(
        extended_paths: "Sequence[ExtendedPaths]", regions: int
    ) -> "tuple[ExtendedPaths, list[Ints]]":
        """Join those of several parts, in their order; tell each one's new numbers."""
        values, which = np.unique(
            np.concatenate([one.values for one in extended_paths]),
            axis=0,
            return_inverse=True,
        )
        ends = np.cumsum([len(one.values) for one in extended_paths])[:-1]
        numbers: dict[tuple[int, int], int] = {(-1, -1): 0}
        moved = []
        for one, number in zip(
            extended_paths, np.split(which.ravel(), ends), strict=True
        ):
            of_value = np.concatenate((np.arange(regions), regions + number, [-1]))
            new = np.zeros(len(one.parent), np.int64)
            region = of_value[one.region].tolist()
            for path, above in enumerate(one.parent.tolist()[1:], 1):
                at = int(new[above]), region[path]
                new[path] = numbers.setdefault(at, len(numbers))
            moved.append(new)
        parent, region_of = np.array(list(numbers), np.int32).T
        used = any(one.used for one in extended_paths)
        return ExtendedPaths(parent, region_of, values, used), moved


def with_parameters(part: Part) -> tuple[ExtendedPaths, Ints, Bytes] | None:
    """Add the parameters of functions to the call paths of some ranks, as levels.

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
    place = last_entries(line.offsets, line.time, rank, time)
    region = np.full(len(place), -1, np.int64)
    region[place >= 0] = line.region[place[place >= 0]]
    call, level = kernels.levels_at(
        calls.offsets,
        calls.enter,
        calls.path,
        trace.paths.parent,
        trace.paths.region,
        line.offsets,
        line.time,
        line.region,
        rank,
        time,
        region,
    )
    used = call >= 0
    path, kept, parent, region_of = kernels.extend_paths(
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
    """Describe the values of parameters: `ExtendedPaths.values` of all ranks."""
    defined = names_of_kind(trace, "parameter")
    ids, which = factorize(values[:, 0])
    names = tuple(defined.get(ref) or f"parameter {ref}" for ref in ids.tolist())
    words = names_of_kind(trace, TEXT_KIND)
    texts = tuple(
        f"{names[at]} = {words.get(number, number) if text else number}"
        for at, (_, text, number) in zip(which.tolist(), values.tolist(), strict=True)
    )
    first = len(trace.regions.names)
    return Parameters(
        first=first,
        names=names,
        parameter=which,
        number=values[:, 2],
        texts=texts,
        is_text=values[:, 1] > 0,
    )


def _tables(trace: Trace) -> list[EventRecords]:
    names = (*NUMBER_RECORDS, TEXT_RECORD)
    return [records for records in trace.further if records.name in names]


def _parameter_records(part: Part) -> tuple[Ints, Ints, Ints, Ints]:
    """Rank, time and value of each record of the ranks' main threads, in order.

    And the values: int64, shape (values, 3).
    """
    chunks = []
    for table in _tables(part.trace):
        own = RecordsOfRanks(part, table)
        text = np.full(len(own.rank), int(table.name == TEXT_RECORD))
        chunks.append((own.rank, own.time, own["parameter"], text, own["value"]))
    rank, time, *value = map(np.concatenate, zip(*chunks, strict=True))
    order = np.lexsort((time, rank))
    values, own_value = np.unique(
        np.stack(value, axis=1)[order], axis=0, return_inverse=True
    )
    return rank[order], time[order], own_value.astype(np.int64).ravel(), values
