"""Colourings by results of the whole run: profile, traffic, machine, logical trace."""

from collections import Counter
from collections.abc import Callable

import numpy as np

from topoview.analysis.logical.iterations import iterations_at
from topoview.base.text import tr
from topoview.live.colourings.scales import ColouringRequest, categories, spanned
from topoview.live.picking.occurrences import positions_at
from topoview.model import NOWHERE, Ints, RankValues, Trace, kept_with_source


def calls(request: ColouringRequest) -> RankValues:
    """Count the MPI calls of each rank."""
    profile = request.analysis.profile_of_run
    assert profile is not None
    return spanned(profile.calls.sum(axis=1))


def traffic(axis: int) -> Callable[[ColouringRequest], RankValues]:
    """Sum up the bytes that each rank received (0) or sent (1)."""

    def values(request: ColouringRequest) -> RankValues:
        assert request.analysis.matrix is not None
        return spanned(request.analysis.matrix.volume.sum(axis=axis), unit="B")

    return values


def nodes(request: ColouringRequest) -> RankValues:
    """Name the node of each rank."""
    return _nodes_of(request.analysis.trace)


@kept_with_source()
def _nodes_of(trace: Trace) -> RankValues:
    names = trace.hosts
    number = {name: n for n, name in enumerate(dict.fromkeys(filter(None, names)))}
    return categories(
        [number.get(name, -1) for name in names], tuple(number), tr("not recorded")
    )


def communicators(request: ColouringRequest) -> RankValues:
    """Find the smallest communicator that a rank shares with some, not with all."""
    trace, chosen = (
        request.analysis.trace,
        smallest_communicators(request.analysis.trace),
    )
    used, of = np.unique(chosen, return_inverse=True)
    names = [trace.communicators[c].name for c in used[used >= 0].tolist()]
    return categories((of - (used[0] < 0)).tolist(), _distinct(names), tr("in none"))


def smallest_communicators(trace: Trace) -> Ints:
    """Return the smallest communicator of each rank: int64, (ranks,), -1 for none."""
    size = np.full(trace.ranks, trace.ranks)
    chosen = np.full(trace.ranks, -1)
    for number, communicator in enumerate(trace.communicators):
        ranks = communicator.ranks[communicator.ranks >= 0]
        better = ranks[len(ranks) < size[ranks]] if len(ranks) > 1 else ranks[:0]
        chosen[better], size[better] = number, len(ranks)
    return chosen


MAX_CLASS_COLOURS = 8
"""Classes that have a colour each; of more, the smallest share the last one."""


def symmetry(request: ColouringRequest) -> RankValues:
    """Colour ranks by their class of symmetry, the largest first.

    Ranks of different classes cannot change places.
    """
    of = request.analysis.symmetry
    assert of is not None
    sizes = np.bincount(of[of >= 0])
    order = np.argsort(-sizes, kind="stable")
    place = np.empty(len(sizes), np.int64)
    place[order] = np.minimum(np.arange(len(sizes)), MAX_CLASS_COLOURS - 1)
    names = [
        tr("class {i}", i=i + 1) for i in range(min(len(sizes), MAX_CLASS_COLOURS))
    ]
    if len(sizes) > MAX_CLASS_COLOURS:
        names[-1] = tr(
            "{sizes} smaller classes", sizes=len(sizes) - MAX_CLASS_COLOURS + 1
        )
    values = np.full(len(of), np.nan)
    values[of >= 0] = place[of[of >= 0]]
    return RankValues(values, 0, len(names), names=tuple(names), none="silent")


def _distinct(names: list[str]) -> tuple[str, ...]:
    """Add numbers to names that occur more than once: ``row 1``, ``row 2``."""
    times, seen = Counter(names), Counter[str]()
    shown = []
    for name in names:
        seen[name] += 1
        shown.append(f"{name} {seen[name]}" if times[name] > 1 else name)
    return tuple(shown)


NO_LOOP = tr("the logical trace has no loop")
NO_CALLS_SELECTED = tr("select calls in the logical trace or the profile")


def progress(request: "ColouringRequest") -> RankValues:
    """Count the calls of the logical trace that ranks are ahead of the slowest."""
    analysis = request.analysis
    assert analysis.positions is not None
    positions = positions_at(request.look.cursor, analysis.positions, request.time)
    there = ~np.isnan(positions)
    none = tr("not in the logical trace")
    if not there.any():
        return RankValues(positions, none=none)
    ahead = positions - positions[there].min()
    return RankValues(ahead, 0.0, float(ahead[there].max()), none=none)


def iteration(request: "ColouringRequest") -> RankValues:
    """Return which iteration of the selected loop each rank is in, from 1."""
    analysis = request.analysis
    assert analysis.positions is not None
    loop = request.loop
    nowhere = np.full(analysis.trace.ranks, np.nan)
    if not 0 <= loop < len(analysis.positions.loops):
        return RankValues(nowhere, none=NO_LOOP)
    at = positions_at(request.look.cursor, analysis.positions, request.time)
    place = np.nan_to_num(at, nan=NOWHERE).astype(np.int64)
    number = iterations_at(analysis.positions, place, loop)
    values = np.where(number > 0, number, np.nan)
    there = values[~np.isnan(values)]
    low, high = (there.min(), there.max()) if len(there) else (0.0, 1.0)
    return RankValues(values, float(low), float(high), none=tr("not in the loop"))


def selected_time(request: "ColouringRequest") -> RankValues:
    """Time of the window that each rank spends in the selected calls."""
    trace = request.analysis.trace
    if not request.wanted:
        return RankValues(np.full(trace.ranks, np.nan), none=NO_CALLS_SELECTED)
    spans = request.look.calls.spans(trace, request.analysis.logical, request.wanted)
    begin, end = request.window
    spent = np.minimum(spans.leave, end) - np.maximum(spans.enter, begin)
    sums = np.concatenate([[0], np.cumsum(np.maximum(spent, 0))])
    ticks = np.diff(sums[spans.offsets[: trace.ranks + 1]])
    seconds = ticks / trace.clock.resolution
    seconds[~spans.ranks[: trace.ranks]] = np.nan
    valid = seconds[~np.isnan(seconds)]
    low, high = (valid.min(), valid.max()) if len(valid) else (0.0, 1.0)
    return RankValues(seconds, float(low), float(high), "s", none=tr("not in them"))
