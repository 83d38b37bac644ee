"""Regions: numbered densely, classified, and found again by identifier."""

from typing import Final

import numpy as np

from topoview.io.columns import Meaning
from topoview.io.definitions import Definitions
from topoview.io.states import operation_name, region_state
from topoview.model import Regions

_SPREAD: Final = 4
_ALWAYS: Final = 1 << 16
_LAST_LINE: Final = 1 << 30


def find_regions(definitions: Definitions) -> tuple[Regions, Meaning]:
    """Find the regions, number them densely, and classify them.

    Definitions that differ in nothing but their identifier are one region:
    EZTrace defines every region once for each rank.
    """
    numbers: dict[tuple[str, int, int, int, int, int], int] = {}
    dense: dict[int, int] = {}
    for ref, record in definitions.regions.items():
        key = (definitions.string(record.name), *record[1:])
        dense[ref] = numbers.setdefault(key, len(numbers))
    operations: dict[str, int] = {}
    state = np.zeros(len(numbers), np.uint8)
    operation = np.full(len(numbers), -1, np.int32)
    for (name, role, paradigm, *_), number in numbers.items():
        state[number] = region_state(name, role, paradigm)
        called = operation_name(name, paradigm)
        if called:
            operation[number] = operations.setdefault(called, len(operations))
    files = tuple(definitions.string(key[3]) for key in numbers)
    lines = np.array([key[4:] for key in numbers], np.int64).reshape(-1, 2)
    known = any(files)
    regions = Regions(
        tuple(key[0] for key in numbers),
        state,
        operation,
        tuple(operations),
        files if known else (),
        np.where(lines <= _LAST_LINE, lines, 0).astype(np.int32)[: len(files) * known],
    )
    contexts = {
        ref: dense.get(context.region, -1)
        for ref, context in definitions.contexts.items()
    }
    return regions, _meaning(dense, contexts, regions)


def _meaning(
    dense: dict[int, int], contexts: dict[int, int], regions: Regions
) -> Meaning:
    identifiers = np.array(sorted(dense), np.uint32)
    numbers = np.array([dense[i] for i in identifiers.tolist()], np.int32)
    direct = np.zeros(0, np.int32)
    if len(dense) and max(dense) < _ALWAYS + _SPREAD * len(dense):
        direct = np.full(max(dense) + 1, -1, np.int32)
        direct[identifiers] = numbers
    of_context = np.zeros(0, np.int32)
    if contexts and max(contexts) < _ALWAYS + _SPREAD * len(contexts):
        of_context = np.full(max(contexts) + 1, -1, np.int32)
        of_context[list(contexts)] = list(contexts.values())
    return Meaning(
        identifiers, numbers, direct, of_context, regions.state, regions.operation
    )
