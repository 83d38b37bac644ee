"""Samples of where locations were, shown in the timeline.

From a sample to the next event or sample a location is taken to be in the region of
the sample, unless its events say that it is in an MPI call.
"""

# mypy: allow-untyped-defs
# ruff: noqa: ANN001, ANN202 - numba finds the types of what has none

from typing import Final

import numba
import numpy as np

from topoview.io.allocation import Allocate
from topoview.model import (
    Indices,
    MPIState,
    Records,
    Regions,
    Sources,
    Timeline,
)

_SAMPLE: Final = "CallingContextSample"
_OUTSIDE: Final = np.uint8(MPIState.OUTSIDE)


def show_samples(
    timeline: Timeline,
    further: tuple[Records, ...],
    sources: Sources,
    regions: Regions,
    allocate: Allocate,
) -> Timeline:
    """Show samples in a timeline; it is given back as it is if there are none.

    A location of which nothing but samples is recorded is outside of its recorded
    time before the first and from the last one on.
    """
    samples = [records for records in further if records.name == _SAMPLE]
    if not samples or not len(samples[0]) or not len(sources.contexts):
        return timeline
    (records,) = samples
    region = _regions(records, sources)
    most = len(timeline.time) + 2 * len(records)
    time = allocate("timeline.time", most, np.int64)
    state = allocate("timeline.state", most, np.uint8)
    shown = allocate("timeline.region", most, np.int32)
    offsets = np.zeros(len(timeline.offsets), np.int64)
    count = _merge(
        (timeline.offsets, timeline.time, timeline.state, timeline.region),
        (records.offsets, records.time, region),
        (regions.state, regions.operation),
        offsets,
        (time, state, shown),
    )
    return Timeline(offsets, time[:count], state[:count], shown[:count])


def _regions(records: Records, sources: Sources) -> Indices:
    """Region of each sample, -1 where its context is not defined."""
    context = records.column("context")
    at = np.searchsorted(sources.contexts, context)
    at = np.minimum(at, len(sources.contexts) - 1)
    known = sources.contexts[at] == context
    return np.where(known, sources.context_region[at], -1).astype(np.int32)


@numba.njit(nogil=True, cache=True)
def _merge(old, samples, known, offsets, new):
    begins, times, states, regions = old
    sample_begins, sample_times, sample_regions = samples
    state_of, operation_of = known
    at = 0
    for row in range(len(begins) - 1):
        first = at
        sample, stop = sample_begins[row], sample_begins[row + 1]
        alone = begins[row + 1] - begins[row] == 1 and sample < stop
        for i in range(begins[row], begins[row + 1]):
            last = i + 1 == begins[row + 1]
            end = np.iinfo(np.int64).max if last else times[i + 1]
            at = _put(new, first, at, times[i], states[i], regions[i])
            is_call = regions[i] >= 0 and operation_of[regions[i]] >= 0
            free = alone or (states[i] != _OUTSIDE and not is_call)
            while sample < stop and sample_times[sample] < end:
                here = sample_regions[sample]
                if free and here >= 0:
                    moment = max(sample_times[sample], times[i])
                    at = _put(new, first, at, moment, state_of[here], here)
                sample += 1
        if alone:
            at = _put(new, first, at, sample_times[stop - 1], _OUTSIDE, np.int32(-1))
        offsets[row + 1] = at
    return at


@numba.njit(nogil=True)
def _put(new, first, at, moment, kind, here):  # noqa: PLR0913
    """Begin an interval; gives the place behind it. None is empty or repeats."""
    time, state, region = new
    if at > first and time[at - 1] == moment:
        at -= 1
    if at > first and state[at - 1] == kind and region[at - 1] == here:
        return at
    time[at], state[at], region[at] = moment, kind, here
    return at + 1
