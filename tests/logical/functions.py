"""Traces of small programs that record the functions around their calls."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from programs import Step, trace_of

from topoview.model import CallPaths, Trace

Told = tuple[str, Step]
"""The functions around a call, ``main > !solve``, and the call."""


def with_functions(trace: Trace, functions: Sequence[Sequence[str]]) -> Trace:
    """Let each call of each rank be in functions, such as ``main > solve``.

    All of them are entered anew where they differ from those of the call before; and
    after a ``!``, which is no part of the name.
    """
    regions = trace.regions
    stacks = [[told.replace("!", "").split(" > ") for told in own] for own in functions]
    named = sorted({name for own in stacks for stack in own for name in stack if name})
    n = len(regions.names)
    everything = replace(
        regions,
        names=(*regions.names, *named),
        state=np.append(regions.state, np.zeros(len(named), np.uint8)),
        operation=np.append(regions.operation, np.full(len(named), -1, np.int32)),
    )
    known: dict[tuple[str, ...], int] = {(): 0}
    parent, region = [-1], [-1]
    path, kept = [], []
    for rank, own_stacks in enumerate(stacks):
        before: list[str] = []
        for told, stack in zip(functions[rank], own_stacks, strict=True):
            own = [name for name in stack if name]
            for level in range(len(own)):
                key = tuple(own[: level + 1])
                if key not in known:
                    known[key] = len(parent)
                    parent.append(known[key[:-1]])
                    region.append(n + named.index(key[-1]))
            path.append(known[tuple(own)])
            same = 0
            while same < min(len(own), len(before)) and own[same] == before[same]:
                same += 1
            new = [level for level, name in enumerate(told.split(" > ")) if "!" in name]
            kept.append(min([same, *new]))
            before = own
    return replace(
        trace,
        regions=everything,
        paths=CallPaths(np.array(parent, np.int32), np.array(region, np.int32)),
        calls=replace(
            trace.calls,
            path=np.array(path, np.int32),
            kept=np.array(kept, np.uint8),
        ),
    )


def trace_in_functions(ranks: Sequence[Sequence[Told]]) -> Trace:
    """Make the trace of a program that tells the functions around each call."""
    trace = trace_of([[step for _, step in own] for own in ranks])
    return with_functions(trace, [[told for told, _ in own] for own in ranks])
