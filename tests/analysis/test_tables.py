"""Tables of calls, messages, iterations and communicators, against the otf2 package."""

import contextlib
import functools
import math
from collections import Counter, defaultdict
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import otf2
import pytest
import traces
from hypothesis import given
from hypothesis import strategies as st

from topoview.errors import UsageError
from topoview.live.tables.calls import Search
from topoview.live.tables.scope import Scope, scope_of
from topoview.live.tables.search.query import (
    Bound,
    Partner,
    Query,
    QueryError,
    parse_query,
)
from topoview.model import Analysis, Column, Schema, Table, Trace
from topoview.report.waits.tables import waits_table
from topoview.worker.results import shown_of

DELAYED = "sp-jacobi2d-8x4-periodic-idlewave"


def test_rows_without_a_number_come_last() -> None:
    waits = np.array([np.nan, 2.0, np.nan, 3.0, 1.0, 2.0])
    table = Table(Schema(Column("wait", "s")), {"wait": waits})
    assert table.order("wait", descending=True).tolist() == [3, 1, 5, 4, 0, 2]
    assert table.order("wait", descending=False).tolist() == [4, 1, 5, 3, 0, 2]


@pytest.mark.parametrize(
    ("seconds", "text"),
    [
        (0.0, "0.000000 s"),
        (12.3456789, "12.345679 s"),
        (1e-5, "0.000010 s"),
        (1.07e-8, "0.0000000107 s"),
        (4e-12, "0.000000000004 s"),
    ],
)
def test_times_keep_their_digits(seconds: float, text: str) -> None:
    assert Column("begin", "at").text(seconds) == text


@dataclass
class Plain:
    """What a plain loop over the events of Score-P's archive finds."""

    calls: list[tuple[int, str, int, int]] = field(default_factory=list)
    sends: list[tuple[int, int, int, int, int]] = field(default_factory=list)


def plain_loop(anchor: Path) -> Plain:
    found, open_calls = Plain(), defaultdict(list)
    with otf2.reader.open(str(anchor)) as archive:
        ranks = {
            location: location.group.name.split()[-1]
            for location in archive.definitions.locations
        }
        for location, event in archive.events:
            rank = int(ranks[location])
            name = getattr(getattr(event, "region", None), "name", "")
            if isinstance(event, otf2.events.Enter) and name.startswith("MPI_"):
                open_calls[location].append((name, event.time))
            elif isinstance(event, otf2.events.Leave) and name.startswith("MPI_"):
                begun, enter = open_calls[location].pop()
                assert begun == name
                found.calls.append((rank, name, enter, event.time))
            elif isinstance(event, otf2.events.MpiIsend | otf2.events.MpiSend):
                partner = int(ranks[event.communicator.group.members[event.receiver]])
                size, tag = event.msg_length, event.msg_tag
                found.sends.append((rank, partner, size, tag, event.time))
    return found


@functools.cache
def analysed(name: str) -> Analysis:
    """Analyse a real trace, once."""
    return shown_of(traces.real_path(name))


@pytest.fixture(scope="module")
def known() -> Analysis:
    return analysed(DELAYED)


@pytest.fixture(scope="module")
def plain(tmp_path_factory: pytest.TempPathFactory) -> Plain:
    folder = tmp_path_factory.mktemp("plain")
    return plain_loop(traces.unpacked(DELAYED, folder))


def seconds(trace: Trace, ticks: int) -> float:
    return ticks / trace.clock.resolution


@pytest.mark.parametrize(
    ("text", "fits"),
    [
        ("Waitall", lambda name, _: name == "MPI_Waitall"),
        (
            "mpi_waitall > 2 ms",
            lambda name, took: name == "MPI_Waitall" and took > 2e-3,
        ),
        ("I* <= 20 us", lambda name, took: name[4] == "I" and took <= 20e-6),
        ("isend irecv", lambda name, _: name in {"MPI_Isend", "MPI_Irecv"}),
        ("< 50us > 10us", lambda _, took: 10e-6 < took < 50e-6),
    ],
)
def test_calls_equal_a_plain_loop(
    known: Analysis, plain: Plain, text: str, fits: Callable[[str, float], bool]
) -> None:
    table = Scope(known, parse_query(text)).calls().to_pandas()
    told = Counter(zip(table["rank"], "MPI_" + table.function.astype(str), strict=True))
    scale = known.trace.clock.resolution
    true = Counter(
        (rank, name)
        for rank, name, enter, leave in plain.calls
        if fits(name, (leave - enter) / scale)
    )
    assert told == true
    assert sum(true.values()) > 0


def test_messages_equal_a_plain_loop(known: Analysis, plain: Plain) -> None:
    for tag in {send[3] for send in plain.sends}:
        table = Scope(known, parse_query(f"tag {tag}")).messages().to_pandas()
        told = Counter(zip(table.sender, table.receiver, table.bytes, strict=True))
        assert told == Counter(send[:3] for send in plain.sends if send[3] == tag)
    matrix = scope_of(known, ranks="3").matrix()
    true = Counter(send[:2] for send in plain.sends if 3 in send[:2])
    pairs = matrix.columns()
    told = dict(
        zip(
            zip(pairs["sender"].tolist(), pairs["receiver"].tolist(), strict=True),
            pairs["calls"].tolist(),
            strict=True,
        )
    )
    assert told == true


def test_a_window_and_ranks(known: Analysis, plain: Plain) -> None:
    begin, end = 1.74, 1.76
    first = min(call[2] for call in plain.calls)  # the trace's beginning is earlier
    table = scope_of(known, "waitall", (begin, end), [5, 9]).calls().to_pandas()
    every = Scope(known, parse_query("waitall rank 5,9")).calls().to_pandas()
    inside = (every.begin < end) & (every.begin + every.seconds >= begin)
    assert table.call.tolist() == every.call[inside].tolist()
    assert 0 < len(table) < len(every)
    assert first > 0


def test_the_delayed_rank_is_the_slowest_iteration_without_waiting(
    known: Analysis,
) -> None:
    table = Scope(known).iterations().to_pandas()
    assert len(table) == 32 * 60
    assert sorted(set(table.iteration)) == list(range(1, 61))
    own = table.seconds - table.wait
    worst = table.loc[own.idxmax()]
    assert (worst["rank"], worst.iteration) == (5, 9)
    assert table.bytes.eq(4 * 2048).all()
    # an iteration ends where the next one begins
    of_rank = table[table["rank"] == 7]
    ends = of_rank.begin + of_rank.seconds
    assert np.allclose(ends[:-1], of_rank.begin[1:])


def test_directions_are_those_of_the_torus(known: Analysis) -> None:
    """Followed east, ranks come round after eight steps; partners agree."""
    east = Scope(known, parse_query("to EAST iteration 3")).messages().to_pandas()
    to = dict(zip(east.sender, east.receiver, strict=True))
    assert len(to) == 32
    for rank in to:
        at, steps = to[rank], 1
        while at != rank:
            at, steps = to[at], steps + 1
        assert steps in {4, 8}
    west = Scope(known, parse_query("from WEST iteration 3")).messages().to_pandas()
    assert set(west.message) == set(east.message)
    calls = Scope(known, parse_query("isend to east iteration 3")).calls().to_pandas()
    assert dict(zip(calls["rank"], calls.to, strict=True)) == to
    assert set(calls.direction) == {"to EAST"}
    assert calls.bytes.eq(2048).all()


def test_a_completing_call_has_all_its_messages(known: Analysis) -> None:
    calls = Scope(known, parse_query("waitall iteration 4")).calls().to_pandas()
    assert calls.messages.eq(4).all()
    assert calls.bytes.eq(4 * 2048).all()
    assert calls["from"].eq(-2).all()  # several
    assert calls.iteration.eq(4).all()


def test_waits_are_those_of_the_analysis(known: Analysis) -> None:
    table = Scope(known, parse_query("waited > 5 ms")).calls().to_pandas()
    waits = waits_table(
        known.trace, known.waits, known.profile_of_run.span.window
    ).to_pandas()
    long = waits[waits.seconds > 5e-3]
    assert table.call.tolist() == long.call.tolist()
    assert np.allclose(table.waited, long.seconds)
    assert table.waited_for.tolist() == long.waited_for.tolist()


def test_communicators() -> None:
    """The program splits 24 ranks into 4 rows of 6 and 6 columns of 4."""
    table = Scope(analysed("sp-rowcol-6x4")).communicators().to_pandas()
    sizes = Counter(table.ranks)
    assert sizes[6] == 4
    assert sizes[4] == 6
    assert table.name.is_unique
    assert set(table.topology[table.ranks == 6]) != {""}
    assert (table.spread_most >= table.spread).all()


def spread_by_hand(trace: Trace, communicator: int) -> list[int]:
    """Arrivals of each operation, in order: the n-th of each member."""
    parts, calls = trace.collectives, trace.calls
    of_rank: dict[int, list[int]] = defaultdict(list)
    for i in range(len(parts)):
        if parts.communicator[i] == communicator and parts.operation[i] < 17:
            row = int(np.searchsorted(calls.offsets, parts.call[i], side="right")) - 1
            of_rank[row].append(int(calls.enter[parts.call[i]]))
    lengths = {len(enters) for enters in of_rank.values()}
    assert len(lengths) <= 1
    return [max(e) - min(e) for e in zip(*of_rank.values(), strict=True)]


def test_arrivals_are_spread_as_by_hand() -> None:
    known = analysed("sp-rowcol-6x4")
    table = Scope(known).communicators().to_pandas().set_index("communicator")
    scale = known.trace.clock.resolution
    assert table.operations.sum() > 0
    for number, row in table.iterrows():
        true = spread_by_hand(known.trace, number)
        assert row.operations == len(true)
        if true:
            assert row.spread_most == pytest.approx(max(true) / scale)
            assert row.spread == pytest.approx(sum(true) / len(true) / scale, abs=1e-6)


def test_phases_partition_the_messages() -> None:
    """The program changes between a grid and its transposition, eight times."""
    known = analysed("sp-twophase-6x6-user-metrics")
    table = Scope(known).phases().to_pandas()
    assert len(table) > 1
    assert (table.begin.diff()[1:] > 0).all()
    for name, begin, length in zip(table.name, table.begin, table.seconds, strict=True):
        own = scope_of(known, phase=name).messages()
        same = scope_of(known, window=(begin, begin + length)).messages()
        assert len(own) == pytest.approx(len(same), abs=2)
    assert table.messages.sum() <= len(known.trace.messages)


@pytest.mark.parametrize(
    ("text", "query"),
    [
        ("", Query()),
        ("MPI_Isend", Query(functions=("isend",))),
        (
            "to EAST x2 from 3",
            Query(partners=(Partner("to", "EAST x2"), Partner("from", "3"))),
        ),
        ("to EXCHANGE 4", Query(partners=(Partner("to", "EXCHANGE 4"),))),
        ("tag 3-5,9", Query(bounds=(Bound("tag", 3, 5), Bound("tag", 9, 9)))),
        (">= 1 KiB", Query(bounds=(Bound("bytes", 1024, math.inf),))),
        ("size<=2MB", Query(bounds=(Bound("bytes", -math.inf, 2e6),))),
        ("waited >=3us", Query(bounds=(Bound("waited", 3e-6, math.inf),))),
        ("on row in solve", Query(communicators=("row",), regions=("solve",))),
        ("ranks 0-7", Query(bounds=(Bound("rank", 0, 7),))),
    ],
)
def test_queries_are_understood(text: str, query: Query) -> None:
    found = parse_query(text)
    assert [b.column for b in found.bounds] == [b.column for b in query.bounds]
    for one, other in zip(found.bounds, query.bounds, strict=True):
        assert (one.least, one.most) == pytest.approx((other.least, other.most))
    assert found.functions == query.functions
    assert found.partners == query.partners
    assert found.communicators == query.communicators
    assert found.regions == query.regions


@pytest.mark.parametrize(
    "text", ["> 10", "> ten", "tag x", "to", "waited > 3 KiB", "<"]
)
def test_what_is_not_understood_is_said(text: str) -> None:
    with pytest.raises(QueryError, match="Waitall > 10 ms"):
        parse_query(text)


@given(traces.texts(max_size=30))
def test_any_text_is_a_query_or_refused(text: str) -> None:
    with contextlib.suppress(QueryError):
        assert isinstance(parse_query(text), Query)


TERMS = st.lists(
    st.sampled_from(
        ["isend", "wait*", "> 1 ms", "> 1 KiB", "to EAST", "from 4", "tag 0-200",
         "rank 3-9", "iteration 2-30", "waited > 10us", "on communicator", "in main"]
    ),
    max_size=4,
)  # fmt: skip


@given(TERMS)
def test_terms_only_take_away(known: Analysis, terms: list[str]) -> None:
    """Each further term of another kind leaves a part of what was found."""
    search = Search(known)
    kinds = {term.split()[0] if term[0] != ">" else term for term in terms}
    if len(kinds) < len(terms) or {"isend", "wait*"} <= kinds:
        return
    found: set[Any] = set(search.calls(parse_query(" ".join(terms))).tolist())
    for i in range(len(terms)):
        fewer = " ".join(terms[:i] + terms[i + 1 :])
        assert found <= set(search.calls(parse_query(fewer)).tolist())


def test_what_a_trace_does_not_have_is_said(known: Analysis) -> None:
    with pytest.raises(UsageError, match="has no phase 'x': it has none"):
        scope_of(known, phase="x")
    with pytest.raises(UsageError, match="has no communicator 'x': it has"):
        scope_of(known, communicator="x")
    with pytest.raises(UsageError, match="has ranks 0 to 31 only"):
        scope_of(known, ranks="40")
    with pytest.raises(UsageError, match="no such loop: its logical trace has 1"):
        Scope(known).iterations(3)
