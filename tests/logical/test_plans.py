"""Plans of generated programs, whose axes are known, and of two real ones."""

import itertools
import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import pytest
from programs import Step, trace_of
from traces import read_real, results_of_real

from topoview.base.text import duration_text
from topoview.live.plan_page import plan_page
from topoview.live.tables.statistics.by_group import Statistics, StatisticsRequest
from topoview.logical.listing import listing
from topoview.model import Analysis, Identification, Trace
from topoview.model.trace import FIRST_WITHOUT_DATA
from topoview.pipeline import Options, Results
from topoview.report.identification.answer import headline, identification_record
from topoview.report.identification.parts import plan_lines
from topoview.scene.axes.axis_labels import axis_names
from topoview.session import choices
from topoview.topology import directions
from topoview.topology.layout.lay_out import lay_out

OPERATIONS = ("Allreduce", "Alltoall", "Allgather", "Bcast", "Reduce_scatter")


@dataclass(frozen=True)
class Planned:
    """A plan that is drawn, and a program that follows it."""

    sizes: tuple[int, ...]
    messages: tuple[int, ...]
    """Axes along which messages go to the next rank."""
    places: np.ndarray
    """Place of each rank on each axis."""
    trace: Trace

    def groups(self, axis: int) -> set[frozenset[int]]:
        others = np.delete(self.places, axis, axis=1)
        return groups_of(others)


def groups_of(key: np.ndarray) -> set[frozenset[int]]:
    """Ranks of equal keys."""
    which = np.unique(key, axis=0, return_inverse=True)[1].ravel()
    return {
        frozenset(np.flatnonzero(which == k).tolist()) for k in range(which.max() + 1)
    }


def lines(places: np.ndarray, axes: Sequence[int]) -> list[list[int]]:
    """List the groups along some axes, the members in order of their places."""
    others = np.delete(places, axes, axis=1)
    result = []
    for group in groups_of(others):
        ranks = np.array(sorted(group))
        order = np.lexsort(tuple(places[ranks, axis] for axis in axes))
        result.append(ranks[order].tolist())
    return result


def planned(
    sizes: tuple[int, ...], messages: tuple[int, ...], seed: int, *, alike: bool = False
) -> Planned:
    """Draw who is where, and a program with further communicators.

    Parameters
    ----------
    alike
        Whether communicators of all axes are used alike, and come in the order in which
        they are made; else they are used differently and come in any order.
    """
    draw = np.random.default_rng(seed)
    ranks = math.prod(sizes)
    every = np.array(list(itertools.product(*map(range, sizes))))
    places = every[draw.permutation(ranks)]
    own = [axis for axis in range(len(sizes)) if axis not in messages]
    often = draw.permutation(np.arange(1, len(own) + 1)).tolist()
    used: list[tuple[list[int], str, int]] = []
    for axis, times in zip(own, often, strict=True):
        name = OPERATIONS[0 if alike else int(draw.integers(len(OPERATIONS)))]
        some = lines(places, [axis])
        used += [(group, name, 2 if alike else 2 * times) for group in some]
    if len(sizes) > 2:  # groups along two axes, as for gradients of several kinds
        pair = sorted(draw.choice(len(sizes), 2, replace=False).tolist())
        used += [(group, "Allreduce", 1) for group in lines(places, pair)]
    used.append((draw.permutation(ranks)[: max(ranks // 2, 2)].tolist(), "Bcast", 1))
    used.append((draw.permutation(ranks).tolist(), "Barrier", 1))
    first, *_, last = lines(places, [0])[0]
    used.append(([first, last], "Allreduce", 5))
    if not alike:
        used = [used[k] for k in draw.permutation(len(used))]
    steps: list[list[Step]] = [[] for _ in range(ranks)]
    for axis in messages:
        for line in lines(places, [axis]):
            for one, other in itertools.pairwise(line):
                steps[one].append(Step("Send", ((other, 64),)))
                steps[other].append(Step("Recv", receives=(one,)))
    for number, (group, name, times) in enumerate(used):
        for rank in group:
            steps[rank] += [Step(name, part=(number + 1, -1, 8))] * times
    trace = trace_of(steps, [group for group, _, _ in used])
    return Planned(sizes, messages, places, trace)


def identified(trace: Trace) -> Identification:
    return Results(trace, Options(), []).make("identification")


def check(drawn: Planned) -> None:
    """Hold the plan, and every rank's place in it, against what was drawn."""
    found = identified(drawn.trace)
    plan = found.plan
    assert plan is not None
    assert sorted(axis.size for axis in plan.axes) == sorted(drawn.sizes)
    coordinates = plan.coordinates
    for axis, size in enumerate(drawn.sizes):
        same = [
            k
            for k in range(len(plan.axes))
            if groups_of(np.delete(coordinates, k, axis=1)) == drawn.groups(axis)
        ]
        assert len(same) == 1, (axis, plan.name)
        own, wanted = coordinates[:, same[0]], drawn.places[:, axis]
        turned = size - 1 - wanted if axis in drawn.messages else wanted
        assert np.array_equal(own, wanted) or np.array_equal(own, turned)
        by = plan.axes[same[0]].by
        assert ("point to point" in by) == (axis in drawn.messages)
    for coarser in found.plans[1:]:
        assert len(coarser.axes) <= len(plan.axes)
        assert math.prod(axis.size for axis in coarser.axes) == drawn.trace.ranks
    if len(drawn.sizes) > 2:
        assert any(len(coarser.axes) < len(plan.axes) for coarser in found.plans[1:])


PLANS = [
    ((4, 3, 2), (0,)),
    ((4, 2, 2), (0,)),
    ((2, 2, 2), (0,)),
    ((3, 5), ()),
    ((4, 4), ()),
    ((4, 4), (1,)),
    ((2, 3, 4), ()),
    ((3, 3, 3), (2,)),
    ((2, 2, 2, 2), (1,)),
    ((5, 2, 3), (0, 1)),
    ((8, 2), (0,)),
    ((2, 8, 2), (1,)),
    ((4, 3, 2, 2), (0,)),
    ((6, 4), ()),
    ((3, 2, 5), (2,)),
    ((2, 6), (1,)),
    ((4, 4, 4), (0,)),
    ((7, 3), ()),
    ((3, 4, 3), (0, 2)),
    ((2, 2, 3, 3), (3,)),
]


@pytest.mark.parametrize("number", range(len(PLANS)))
def test_each_rank_has_the_place_that_was_drawn(number: int) -> None:
    sizes, messages = PLANS[number]
    check(planned(sizes, messages, seed=number))


@pytest.mark.parametrize("sizes", [(3, 4), (4, 4), (2, 3, 4)])
def test_communicators_used_alike_are_told_apart_by_when_they_were_made(
    sizes: tuple[int, ...],
) -> None:
    check(planned(sizes, (), seed=7, alike=True))


def test_no_plan_without_communicators() -> None:
    steps = [
        [Step("Send", ((r ^ 1, 8),)), Step("Recv", receives=(r ^ 1,))] for r in range(6)
    ]
    assert identified(trace_of(steps)).plan is None


@pytest.mark.traces
def test_axes_are_named_by_what_runs_along_them() -> None:
    """The places are those of the program's source: see the traces' README."""
    found = identified(read_real("app-ai-moe-24"))
    assert found.plan is not None
    assert found.plan.name == "pipeline 4 x experts 3 x data 2"
    rank = np.arange(24)
    wanted = np.column_stack((rank % 4, rank // 4 % 3, rank // 12))
    assert np.array_equal(found.plan.coordinates, wanted)
    assert [plan.name for plan in found.plans[1:]] == [
        "pipeline 4 x (experts x data) 6"
    ]
    record = identification_record(found)["plan"]
    assert [axis["by"] for axis in record["axes"]] == [
        "point to point",
        "Alltoall",
        "Allreduce",
    ]
    assert record["coordinates"] == wanted.tolist()
    assert "pipeline 4 (point to point) x experts 3" in plan_lines(found)[0]
    assert choices(found)[0].match is found.plan.match
    assert headline(found) == (
        "pipeline 4 x experts 3 x data 2; messages on 6 x chain 4"
    )


@pytest.mark.traces
def test_a_page_tells_what_each_axis_costs_and_who_comes_last() -> None:
    results = Results(read_real("app-ai-moe-24"), Options(), [])
    sums = results.make("wait_sums")
    analysis = Analysis(
        trace=results.trace,
        identification=results.make("identification"),
        waits=results.make("waits"),
        wait_sums=sums,
    )
    tables = {b.name: b for b in plan_page(analysis).blocks if b.kind == "table"}
    assert [row[0] for row in tables["axes"].rows] == [
        "pipeline 4",
        "experts 3",
        "data 2",
    ]
    assert [row[-1] for row in tables["axes"].rows] == ["6", "8", "12"]
    seconds = int(sums.by_axis.max()) / results.trace.clock.resolution
    assert tables["waits"].rows[0] == ("experts", duration_text(seconds))
    assert tables["stragglers"].rows[0][:4] == ("4", "0, 1, 0", "96", "65")


def test_a_plan_does_not_lead_where_messages_join_all_ranks() -> None:
    """Rows and columns of a grid say no more than the grid itself."""
    grid = identified(planned((3, 4), (0, 1), seed=1).trace)
    assert grid.best.topology.name in ("2D grid 3x4", "2D grid 4x3")
    assert grid.leading_plan is None
    assert grid.shown_first is grid.best
    lines_alone = identified(planned((3, 4), (1,), seed=1).trace)
    assert lines_alone.leading_plan is lines_alone.plan
    assert lines_alone.plan is not None
    named = [name for name, _ in lines_alone.shown_first.planes()]
    axes = lines_alone.shown_first.topology.axes
    assert {name.partition(" = ")[0] for name in named} == set(axes)


@dataclass(frozen=True)
class Uses:
    """What runs along which axes of a drawn plan."""

    sizes: tuple[int, ...]
    groups: tuple[tuple[tuple[int, ...], str, int], ...]
    """Axes that ranks of a group differ along, what runs in it, and how often."""
    chains: tuple[int, ...] = ()
    rings: tuple[int, ...] = ()
    leaders: bool = False
    """Whether the first of each group along axis 0 are in a communicator."""


USES = {
    "tensor, data, pipeline of 3, context": Uses(
        (2, 2, 3, 2),
        (
            ((0,), "Allreduce", 8),
            ((1,), "Allreduce", 1),
            ((3,), "Allgather", 4),
            ((0, 3), "Allreduce", 2),
        ),
        chains=(2,),
    ),
    "attention around rings of 4": Uses(
        (4, 4, 3), (((0,), "Allreduce", 8), ((2,), "Allreduce", 1)), rings=(1,)
    ),
    "pipeline, and rings": Uses(
        (4, 2, 4, 2),
        (((1,), "Allreduce", 8), ((3,), "Allreduce", 1)),
        chains=(0,),
        rings=(2,),
    ),
    "a chain of two beside a ring of two": Uses(
        (2, 2, 3, 2),
        (((2,), "Alltoall", 8), ((3,), "Allreduce", 1)),
        chains=(0, 2),
        rings=(1,),
    ),
    "a ring of four beside a chain of two": Uses(
        (4, 2, 3), (((2,), "Allreduce", 8),), chains=(1,), rings=(0,)
    ),
    "two chains of two": Uses((2, 2, 3), (((2,), "Allreduce", 8),), chains=(0, 1)),
    "experts within data": Uses(
        (2, 4, 2, 2),
        (
            ((1,), "Alltoall", 4),
            ((2,), "Allreduce", 1),
            ((1, 2), "Allreduce", 1),
            ((3,), "Allreduce", 9),
        ),
        chains=(0,),
    ),
    "halves of halves": Uses(
        (2, 2, 2, 2),
        (
            ((0, 1, 2), "Allreduce", 1),
            ((0, 1), "Allreduce", 2),
            ((0,), "Allreduce", 3),
        ),
    ),
    "thirds of thirds": Uses((3, 3, 3), (((0, 1), "Allreduce", 1), ((0,), "Bcast", 2))),
    "nodes and their leaders": Uses((4, 6), (((0,), "Allreduce", 2),), leaders=True),
    "five axes of two": Uses(
        (2, 2, 2, 2, 2),
        (
            ((0,), "Allreduce", 16),
            ((1,), "Allgather", 8),
            ((2,), "Alltoall", 4),
            ((3,), "Allreduce", 1),
        ),
        chains=(4,),
    ),
}


def exchange(steps: list[list[Step]], places: np.ndarray, uses: Uses) -> None:
    """Send along chains, and around rings."""
    for axis in uses.chains:
        for line in lines(places, [axis]):
            for one, other in itertools.pairwise(line):
                steps[one].append(Step("Send", ((other, 64),)))
                steps[other].append(Step("Recv", receives=(one,)))
    for axis in uses.rings:
        for line in lines(places, [axis]):
            for before, rank, after in zip(
                [line[-1], *line], line, [*line[1:], line[0]], strict=False
            ):
                steps[rank].append(Step("Sendrecv", ((after, 64),), (before,)))


@pytest.mark.parametrize("name", USES)
def test_groups_along_several_axes_and_within_each_other(name: str) -> None:
    uses = USES[name]
    draw = np.random.default_rng(len(name))
    ranks = math.prod(uses.sizes)
    places = np.array(list(itertools.product(*map(range, uses.sizes))))
    places = places[draw.permutation(ranks)]
    used = [
        (group, operation, times)
        for axes, operation, times in uses.groups
        for group in lines(places, axes)
    ]
    used.append((draw.permutation(ranks).tolist(), "Barrier", 1))
    if uses.leaders:
        used.append((np.flatnonzero(places[:, 0] == 0).tolist(), "Allreduce", 1))
    else:
        used.append((draw.permutation(ranks)[: ranks // 2].tolist(), "Bcast", 1))
    used = [used[k] for k in draw.permutation(len(used))]
    steps: list[list[Step]] = [[] for _ in range(ranks)]
    exchange(steps, places, uses)
    for number, (group, operation, times) in enumerate(used):
        for rank in group:
            steps[rank] += [Step(operation, part=(number + 1, -1, 8))] * times
    plan = identified(trace_of(steps, [group for group, _, _ in used])).plan
    assert plan is not None
    found = [
        set(map(frozenset, lines(plan.coordinates, [k]))) for k in range(len(plan.axes))
    ]
    for axis in range(len(uses.sizes)):
        assert set(map(frozenset, lines(places, [axis]))) in found
    assert len(found) == len(uses.sizes)


@pytest.mark.traces
def test_the_scene_tells_what_runs_along_each_axis() -> None:
    results = Results(read_real("app-ai-moe-24"), Options(), [])
    plan = results.make("identification").plan
    grid = lay_out(plan.match, results.make("matrix")).grid
    assert grid is not None
    assert axis_names(grid) == [
        "pipeline 4: point to point",
        "experts 3: Alltoall",
        "data 2: Allreduce",
    ]


@pytest.mark.traces
def test_waits_traffic_and_stragglers_are_told_by_axis() -> None:
    """Counts of stragglers are those of a plain loop over the events."""
    results = Results(read_real("app-ai-moe-24"), Options(), [])
    sums = results.make("wait_sums")
    waited = dict(zip(sums.axes, sums.by_axis.tolist(), strict=True))
    assert sum(waited.values()) == sums.total
    assert max(waited, key=lambda name: waited[name]) == "experts"
    analysis = Analysis(
        trace=results.trace,
        identification=results.make("identification"),
        waits=results.make("waits"),
    )
    statistics = Statistics(StatisticsRequest(analysis))
    sent = statistics.table("axis")
    assert (sent["axis"].tolist(), sent["messages"].tolist()) == (["pipeline"], [2016])
    times = {name: np.zeros(24, int) for name in ("last", "first")}
    for entered in entries_of_operations(results.trace):
        times["last"][max(entered, key=lambda rank: entered[rank])] += 1
        times["first"][min(entered, key=lambda rank: entered[rank])] += 1
    for name, counts in times.items():
        table = statistics.table(name)
        for rank in range(24):
            told = table["operations"][table[name] == rank].tolist()
            assert told == ([counts[rank]] if counts[rank] else [])
    assert (times["last"][4], times["first"][4]) == (96, 65)


def entries_of_operations(trace: Trace) -> Iterator[dict[int, int]]:
    """Give when each rank entered each collective operation, rank by rank."""
    parts, calls = trace.collectives, trace.calls
    turns: dict[tuple[int, int], int] = {}
    entered: dict[tuple[int, int], dict[int, int]] = {}
    for i in np.argsort(parts.call, kind="stable").tolist():
        call, group = int(parts.call[i]), int(parts.communicator[i])
        if call < 0 or group < 0 or parts.operation[i] >= FIRST_WITHOUT_DATA:
            continue
        rank = int(np.searchsorted(calls.offsets, call, side="right")) - 1
        turn = turns[rank, group] = turns.get((rank, group), -1) + 1
        entered.setdefault((group, turn), {})[rank] = int(calls.enter[call])
    yield from entered.values()


@pytest.mark.traces
def test_families_of_one_size_are_told_apart_by_how_often_they_are_used() -> None:
    plan = identified(read_real("app-ai-g3-16")).plan
    assert plan is not None
    assert plan.name == "pipeline 4 x tensor 2 x data 2"
    rank = np.arange(16)
    wanted = np.column_stack((rank % 4, rank // 4 % 2, rank // 8))
    assert np.array_equal(plan.coordinates, wanted)


@pytest.mark.traces
def test_steps_along_axes_have_their_names() -> None:
    plan = identified(read_real("app-ai-moe-24")).plan
    assert plan is not None
    named = directions(plan.match)
    here, there = np.array([0, 0, 5, 0], np.int32), np.array([1, 8, 4, 16], np.int32)
    numbers, names = named.names(here, there)
    told = [names[k] for k in numbers]
    assert told == ["pipeline +1", "experts +2", "pipeline -1", "experts +1 & data +1"]
    for rank, name, partner in zip(here.tolist(), told, there.tolist(), strict=True):
        assert named.partner(rank, name) == partner


@pytest.mark.traces
def test_messages_along_a_named_axis_are_told_by_it() -> None:
    said = listing(results_of_real("app-ai-moe-24").make("logical"))
    assert "if pipeline >= 1:\n            Irecv from pipeline -1 96 KiB" in said
    assert "if pipeline <= 2:\n            Isend to pipeline +1 96 KiB" in said
    assert "EAST" not in said
    assert "Wait for each neighbour" in said
