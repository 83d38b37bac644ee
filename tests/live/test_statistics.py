"""Statistics against plain loops over what the otf2 package reads, and NumPy."""

import functools
import json
from collections import defaultdict
from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import Any

import numpy as np
import otf2
import pandas as pd
import pytest
import traces
from hypothesis import given
from hypothesis import strategies as st
from plain_events import Plain

import topoview
from topoview.__main__ import main
from topoview.errors import UsageError
from topoview.live.colourings.scales import IN_MPI, ColouringRequest
from topoview.live.colourings.table import COLOURINGS
from topoview.live.tables.scope import Scope, scope_of
from topoview.live.tables.search.query import parse_query
from topoview.live.tables.statistics.by_group import (
    GROUPS,
    Statistics,
    StatisticsRequest,
    difference,
    statistics_needs,
)
from topoview.live.tables.statistics.histogram import spread_of
from topoview.model import Analysis, TimeState
from topoview.ui.panels.profile.panel import calls_of_line
from topoview.worker.results import shown_of

pytestmark = pytest.mark.usefixtures("one_store")

TORUS = "sp-jacobi2d-8x4-periodic-idlewave"
ROWS = "sp-rowcol-6x4"
THREADS = "ez-threads-halo"
PHASES = "sp-twophase-6x6-user-metrics"


@functools.cache
def analysed(name: str) -> Analysis:
    """Analyse a real trace, once."""
    return shown_of(traces.real_path(name))


def told(values: Iterable[float]) -> list[float]:
    """Sum up numbers as NumPy does: sum, mean, min, median, 95 %, max."""
    some = np.array(list(values), np.float64)
    return [
        *(some.sum(), some.mean(), some.min()),
        *(np.median(some), np.percentile(some, 95), some.max()),
    ]


def row_of(row: pd.Series, name: str) -> list[float]:
    keys = ("mean", "min", "median", "p95", "max")
    return [row[name], *(row[f"{name}_{key}"] for key in keys)]


def frame(name: str, by: str, of: str = "compute") -> pd.DataFrame:
    return Scope(analysed(name)).statistics(by, of).to_pandas().set_index(by)


@pytest.mark.parametrize("name", [TORUS, ROWS, THREADS])
def test_calls_equal_a_plain_loop(plain: Callable[[str], Plain], name: str) -> None:
    for by, place in (("rank", 0), ("function", 1)):
        true: dict[Any, list[float]] = defaultdict(list)
        for call in plain(name).calls:
            true[call[place]].append(call[2])
        table = frame(name, by)
        assert set(table.index) == set(true)
        for key, took in true.items():
            assert table.calls[key] == len(took)
            assert row_of(table.loc[key], "seconds") == pytest.approx(told(took))


@pytest.mark.parametrize("name", [TORUS, THREADS])
def test_messages_equal_a_plain_loop(plain: Callable[[str], Plain], name: str) -> None:
    messages = plain(name).messages
    by_tag: dict[int, list[Any]] = defaultdict(list)
    by_class: dict[int, list[Any]] = defaultdict(list)
    for message in messages:
        by_tag[message[3]].append(message)
        by_class[message[2].bit_length()].append(message)
    for by, true in (("tag", by_tag), ("size", by_class)):
        table = frame(name, by)
        assert len(table) == len(true)
        for (key, own), row in zip(
            sorted(true.items()), table.itertuples(), strict=True
        ):
            assert by == "size" or row.Index == key
            some = table.loc[row.Index]
            assert row.messages == len(own)
            assert row_of(some, "bytes") == pytest.approx(told(m[2] for m in own))
            assert row_of(some, "seconds") == pytest.approx(told(m[4] for m in own))
    assert frame(name, "communicator").messages.sum() == len(messages)


def test_directions_are_those_of_the_torus(plain: Callable[[str], Plain]) -> None:
    """Ranks count along y first: EAST is 8 on, and rows of 8 wrap around."""
    known = analysed(TORUS)
    assert known.identification is not None
    match = known.identification.best
    places = {tuple(p): r for r, p in enumerate(match.coordinates.tolist())}
    table, (wide, tall) = frame(TORUS, "direction"), match.topology.dims
    for way, (dx, dy) in {"EAST": (1, 0), "NORTH": (0, -1)}.items():
        pairs = {
            (rank, places[(x + dx) % wide, (y + dy) % tall])
            for (x, y), rank in places.items()
        }
        own = [m for m in plain(TORUS).messages if m[:2] in pairs]
        assert table.messages[way] == len(own)
        took = told(m[4] for m in own)
        assert row_of(table.loc[way], "seconds") == pytest.approx(took)


def test_operations_equal_a_plain_loop(plain: Callable[[str], Plain]) -> None:
    true: dict[str, list[Any]] = defaultdict(list)
    for kind, members in plain(ROWS).operations:
        true[kind].append(members)
    table = Scope(analysed(ROWS)).statistics("collective").to_pandas()
    assert table.collective.is_unique
    kinds = table.collective.astype(str).str.partition(" on ")[0]
    assert set(kinds) == set(true)
    for kind, own in true.items():
        some = table[kinds == kind]
        spreads = [max(p[0] for p in each) - min(p[0] for p in each) for each in own]
        assert some.operations.sum() == len(own)
        assert some.spread.sum() == pytest.approx(sum(spreads))
        assert some.spread_max.max() == pytest.approx(max(spreads))
        took = [sum(p[1] - p[0] for p in each) for each in own]
        assert some.seconds.sum() == pytest.approx(sum(took))
        sent = [sum(p[2] for p in each) for each in own]
        assert some.bytes.sum() == sum(sent)


@given(
    st.lists(
        st.tuples(
            st.integers(0, 4),
            st.one_of(st.just(float("nan")), st.floats(-1e6, 1e6)),
        ),
        max_size=60,
    )
)
def test_spread_is_that_of_numpy(rows: list[tuple[int, float]]) -> None:
    group = np.array([row[0] for row in rows], np.int64)
    values = np.array([row[1] for row in rows], np.float64)
    found = spread_of(values, group, 5)
    for place in range(5):
        own = values[(group == place) & ~np.isnan(values)]
        parts = (found.total, found.mean, found.least, found.median, found.high)
        mine = [part[place] for part in (*parts, found.most)]
        if len(own):
            assert mine == pytest.approx(told(own), rel=1e-9, abs=1e-6)
        else:
            assert np.isnan(mine[1:]).all()


def test_planes_by_hand() -> None:
    known = analysed(TORUS)
    assert known.identification is not None
    trace, match = known.trace, known.identification.best
    line, scale = trace.timeline, trace.clock.resolution
    computed = []
    for rank in range(trace.ranks):
        own = slice(line.offsets[rank], line.offsets[rank + 1])
        until = np.append(line.time[own][1:], trace.clock.length)
        some = line.state[own] == TimeState.COMPUTE
        computed.append((until - line.time[own])[some].sum() / scale)
    seconds = np.array(computed)
    table = frame(TORUS, "plane")
    for axis, name in enumerate("xy"):
        for at in range(match.topology.dims[axis]):
            own = seconds[match.coordinates[:, axis] == at]
            row = table.loc[f"{name} {at}"]
            assert row_of(row, "seconds") == pytest.approx(told(own))
            assert row.balance == pytest.approx(own.mean() / own.max())
    told_of = frame(TORUS, "coordinate")
    for axis, name in enumerate("xy"):
        place = match.coordinates[:, axis]
        r = np.corrcoef(place, seconds)[0, 1]
        assert told_of.correlation[name] == pytest.approx(r)
        means = [seconds[place == at].mean() for at in range(place.max() + 1)]
        assert told_of.slowest[name] == f"{name} {int(np.argmax(means))}"
        assert told_of.fastest[name] == f"{name} {int(np.argmin(means))}"


def test_each_group_adds_up_to_the_same() -> None:
    """Whatever calls or messages are told by, all of them are in one row."""
    known = analysed(ROWS)
    counted = Statistics(StatisticsRequest(known, ranks=(3, 4)))
    calls = len(scope_of(known, ranks="3,4").calls())
    messages = len(scope_of(known, ranks="3,4").messages())
    for by in ("function", "rank"):
        assert counted.table(by)["calls"].sum() == calls
    for by in ("size", "direction", "communicator", "tag"):
        assert counted.table(by)["messages"].sum() == messages
    states = counted.table("state").to_pandas()
    assert states.seconds.sum() == pytest.approx(
        counted.state_seconds[[3, 4], 1:].sum()
    )


def test_a_window_and_what_is_looked_for() -> None:
    known = analysed(TORUS)
    part = scope_of(known, "waitall > 1 ms", (1.74, 1.80), "4-9")
    (row,) = part.statistics("function").to_pandas().itertuples()
    every = part.calls().to_pandas()
    own = every[every.begin >= 1.74]  # those that overlap begin before, too
    assert (row.function, row.calls) == ("Waitall", len(own))
    assert row.wait == pytest.approx(own.waited.sum())
    assert row.seconds_median == pytest.approx(own.seconds.median())


def test_operations_are_those_of_the_calls_that_are_looked_for() -> None:
    known = analysed(ROWS)
    calls = scope_of(known, "alltoall rank 0").calls().to_pandas()
    table = scope_of(known, "alltoall rank 0").statistics("collective").to_pandas()
    assert len(calls)
    assert table.operations.sum() == len(calls)
    assert table.collective.str.startswith("Alltoall on").all()
    assert not len(scope_of(known, "alltoall > 1 GiB").statistics("collective"))


def test_differences_of_windows() -> None:
    known = analysed(TORUS)
    one, other = (
        scope_of(known, window=window).statistics("function")
        for window in ((0.0, 1.75), (1.75, None))
    )
    found = difference(one, other).to_pandas().set_index("function")
    a, b = (table.to_pandas().set_index("function") for table in (one, other))
    assert set(found.index) == set(a.index) | set(b.index)
    for name in found.index:
        calls = [int(t.calls.get(name, 0)) for t in (a, b)]
        assert found.calls[name] == calls[1] - calls[0]
    both = [name for name in found.index if name in a.index and name in b.index]
    for name in both:
        change = b.seconds_median[name] - a.seconds_median[name]
        assert found.seconds_median[name] == pytest.approx(change)
    alone = set(found.index) - set(both)
    assert alone
    assert found.seconds_median[list(alone)].isna().all()


def test_ranks_are_coloured_by_the_difference_of_two_windows() -> None:
    known, row = analysed(TORUS), COLOURINGS["difference"]
    trace = known.trace
    one, other = ((0, 10**9), (10**9, trace.clock.length))
    asked = ColouringRequest(known, 0, other)
    assert np.isnan(row.values(asked).values).all()
    parts = [
        Statistics(StatisticsRequest(known, window=window)) for window in (one, other)
    ]
    for focus, states in (
        (frozenset(), IN_MPI),
        (frozenset({int(TimeState.LATE_SENDER)}), [TimeState.LATE_SENDER]),
    ):
        found = row.values(replace(asked, base=one, focus=focus))
        assert found.low == -found.high
        shares = []
        for part in parts:
            recorded = part.state_seconds[:, 1:].sum(axis=1)
            with np.errstate(invalid="ignore"):
                told = part.state_seconds[:, list(states)].sum(axis=1) / recorded
            shares.append(told)
        assert found.values == pytest.approx(shares[1] - shares[0], nan_ok=True)
        assert np.nanmax(np.abs(found.values)) == pytest.approx(found.high)


def test_what_there_is_not_is_said() -> None:
    known = analysed(THREADS)
    with pytest.raises(UsageError, match="statistics are by function, state, size"):
        Scope(known).statistics("colour")
    grid = GROUPS["row"].given(known, known.identification.best)  # type: ignore[union-attr]
    assert not grid
    with pytest.raises(UsageError, match="by state are of all that ranks do"):
        scope_of(known, "send").statistics("state")
    unknown = replace(known, identification=None)
    with pytest.raises(UsageError, match="has no coordinates: its topology is unknown"):
        Scope(unknown).statistics("coordinate")


def test_the_function_of_the_package() -> None:
    path = traces.real_path(ROWS)
    table = topoview.statistics(path, ranks="2", span="run").to_pandas()
    assert table.calls.sum() == len(scope_of(analysed(ROWS), ranks="2").calls())


def test_only_what_a_group_needs_is_made() -> None:
    """Each is told of what it says that it needs, as of all."""
    path = traces.real_path(PHASES)
    whole = shown_of(path)
    for by in (*GROUPS, "coordinate"):
        for of in ("compute", "wait", "caused"):
            some = shown_of(path, None, statistics_needs(by, of))
            found = scope_of(some).statistics(by, of)
            assert found.to_pandas().equals(
                scope_of(whole).statistics(by, of).to_pandas()
            )
    assert statistics_needs("function") == ("waits",)
    assert statistics_needs("state") == ("waits", "account")


def test_what_ranks_caused_is_known_of_the_whole_run() -> None:
    known = analysed(ROWS)
    assert known.delays is not None
    table = Scope(known).statistics("row", "caused").to_pandas()
    whole = known.delays.of_rank.sum() / known.trace.clock.resolution
    rows = table[table["row"].str.startswith("y ")]
    assert rows.seconds.sum() == pytest.approx(whole)
    middle = known.trace.clock.length // 2
    part = Scope(known, window=(0, middle)).statistics("row", "caused").to_pandas()
    assert not part.seconds.any()


def test_the_commands(capsys: pytest.CaptureFixture[str]) -> None:
    for name, asked, key in (
        (ROWS, ["statistics", "--by", "plane", "--of", "wait"], "plane"),
        (ROWS, ["statistics", "--find", "alltoall", "--from", "0.1"], "function"),
        (PHASES, ["regions"], "region"),
    ):
        path = str(traces.real_path(name))
        assert main([asked[0], path, *asked[1:], "--json"]) == 0
        record = json.loads(capsys.readouterr().out)
        rows = record[asked[0]]
        assert record["count"] == len(rows) > 0
        assert all(isinstance(row[key], str) for row in rows)
    assert main(["statistics", path, "--by", "direction"]) == 0
    first, second, *_ = capsys.readouterr().out.splitlines()
    assert first.startswith("Span: exchange, ")
    assert second.startswith("direction  messages")


Visits = dict[tuple[str, ...], list[tuple[int, int]]]
"""Begin and end in ticks, by the regions from the outermost on."""


@pytest.fixture(scope="module")
def paths(tmp_path_factory: pytest.TempPathFactory) -> Visits:
    """Find the visits to regions by a plain loop."""
    folder = tmp_path_factory.mktemp("regions")
    found: Visits = defaultdict(list)
    stacks: dict[Any, list[tuple[str, int]]] = defaultdict(list)
    with otf2.reader.open(str(traces.unpacked(PHASES, folder))) as archive:
        for location, event in archive.events:
            if isinstance(event, otf2.events.Enter):
                stacks[location].append((event.region.name, event.time))
            elif isinstance(event, otf2.events.Leave):
                path = tuple(name for name, _ in stacks[location])
                found[path].append((stacks[location].pop()[1], event.time))
    return found


@pytest.fixture(scope="module")
def visits(paths: Visits) -> dict[str, list[tuple[int, int]]]:
    """Visits to regions besides MPI: begin and end in ticks."""
    found: dict[str, list[tuple[int, int]]] = defaultdict(list)
    for path, times in paths.items():
        if not path[-1].startswith("MPI_"):
            found[path[-1]] += times
    return found


def test_the_call_tree_equals_a_plain_loop(paths: Visits) -> None:
    """Inclusive, exclusive, how often; and each line's query finds its MPI calls."""
    known = analysed(PHASES)
    scale = known.trace.clock.resolution
    table = Scope(known).call_tree()
    assert {tuple(path.split(" > ")) for path in table["path"]} == {
        path for path, times in paths.items() if any(e > b for b, e in times)
    }

    def total(path: tuple[str, ...]) -> int:
        return sum(end - begin for begin, end in paths[path])

    for number, row in enumerate(table):
        path = tuple(row["path"].split(" > "))
        below = [p for p in paths if p[:-1] == path]
        own = total(path) - sum(map(total, below))
        assert row["seconds"] == pytest.approx(total(path) / scale)
        assert row["own_seconds"] == pytest.approx(own / scale, abs=1e-9)
        assert row["visits"] == sum(end > begin for begin, end in paths[path])
        assert row["depth"] == len(path) - 1
        inside = [p for p in paths if p[: len(path)] == path]
        wanted = [path] if path[-1].startswith("MPI_") else inside
        count = sum(len(paths[p]) for p in wanted if p[-1].startswith("MPI_"))
        query = calls_of_line(known.trace, table, number)
        assert len(Scope(known, query=parse_query(query)).calls()) == count


def test_regions_equal_a_plain_loop(visits: dict[str, list[tuple[int, int]]]) -> None:
    known = analysed(PHASES)
    scale = known.trace.clock.resolution
    table = Scope(known).regions().to_pandas().set_index("region")
    for name in ("phase halo", "halo", "transpose", "work"):
        own = visits[name]
        row = table.loc[name]
        assert row.visits == len(own)
        assert row.ranks == 36
        took = told((end - begin) / scale for begin, end in own)
        assert row_of(row, "seconds") == pytest.approx(took)
        length = max(end for _, end in own) - min(begin for begin, _ in own)
        assert row.end - row.begin == pytest.approx(length / scale)


def test_parameters_and_phases_of_a_known_program() -> None:
    """It tells its cycle, 0 to 3; in each it runs ten halo exchanges and five more."""
    known = analysed(PHASES)
    table = Scope(known).parameters().to_pandas()
    assert table.parameter.tolist() == ["cycle"] * 4
    assert table.value.tolist() == ["0", "1", "2", "3"]
    assert table.records.tolist() == [36] * 4
    assert (table.end > table.begin).all()
    of_two = Scope(known, ranks=(3, 5)).parameters().to_pandas()
    assert of_two.ranks.tolist() == of_two.records.tolist() == [2] * 4
    phases = Scope(known).phases().to_pandas()
    halo = phases[phases.remark == "halo"]
    assert halo.iterations.tolist() == [10] * 4
