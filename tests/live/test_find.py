"""Finding calls part after part: against loops over the columns of the trace."""

from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest
import traces
from hypothesis import given
from hypothesis import strategies as st

from topoview.live.picking.selection import selected_spans
from topoview.live.tables.calls import CALLS_PER_BLOCK, NUMBERS, CallBytes, Search
from topoview.live.tables.search import find
from topoview.live.tables.search.find import (
    Finder,
    FindRequest,
    brushed_text,
    calls_of_text,
)
from topoview.live.tables.search.query import parse_query
from topoview.live.tables.statistics.histogram import BINS, LOG_SPAN, histogram
from topoview.model import Analysis
from topoview.session import CallFilter


@pytest.fixture(scope="module")
def known() -> Analysis:
    return traces.analysed(traces.simulated("torus", (4, 3), numbering=1))


def sizes_by_call(known: Analysis) -> dict[int, int]:
    """Bytes of each call: of its messages, or of its part in an operation."""
    trace, found = known.trace, dict.fromkeys(range(len(known.trace.calls)), 0)
    messages, parts = trace.messages, trace.collectives
    for at in range(len(messages)):
        ends = messages.send_call[at], messages.receive_call[at]
        for call in {int(c) for c in (*ends, messages.completion_call[at]) if c >= 0}:
            found[call] += int(messages.size[at])
    for at in range(len(parts)):
        found[int(parts.call[at])] = int(max(parts.sent[at], parts.received[at]))
    return found


def rank_by_call(known: Analysis) -> list[int]:
    trace = known.trace
    lengths = np.diff(trace.calls.offsets).tolist()
    owners = trace.rank_of_location[: len(lengths)].tolist()
    return [rank for rank, n in zip(owners, lengths, strict=True) for _ in range(n)]


def test_bytes_are_summed_up_only_around_the_calls_that_are_asked_for() -> None:
    rng, count, number = np.random.default_rng(2), 6 * CALLS_PER_BLOCK + 17, 300
    send, receive, completion = rng.integers(-1, count, (3, number))
    completion[::3] = receive[::3]
    size, sent = rng.integers(1, 99, number), rng.integers(1, 99, 40)
    parts = np.append(-1, rng.choice(count, 39, replace=False))
    right = np.zeros(count, np.int64)
    for ends in (send, receive, np.where(completion == receive, -1, completion)):
        np.add.at(right, ends[ends >= 0], size[ends >= 0])
    right[parts[1:]] = sent[1:]
    messages = SimpleNamespace(
        send_call=send, receive_call=receive, completion_call=completion, size=size
    )
    operations = SimpleNamespace(call=parts, sent=sent, received=sent // 2)
    trace = SimpleNamespace(
        calls=range(count), messages=messages, collectives=operations
    )
    volume, asked = CallBytes(trace), 0
    touched = np.flatnonzero(right)
    for block in (3, 0, 1, 2, 6, 4, 5):
        some = touched[touched // CALLS_PER_BLOCK == block]
        assert volume.of(some).tolist() == right[some].tolist()
        asked += len(some)
    assert asked == len(touched)


def test_numbers_equal_a_loop(known: Analysis) -> None:
    trace, search = known.trace, Search(known)
    calls = trace.calls
    every = np.arange(len(calls))
    sizes, ranks = sizes_by_call(known), rank_by_call(known)
    assert search.numbers("bytes", every).tolist() == [sizes[c] for c in every.tolist()]
    assert search.numbers("rank", every).tolist() == ranks
    took = [
        (leave - enter) / trace.clock.resolution
        for enter, leave in zip(calls.enter.tolist(), calls.leave.tolist(), strict=True)
    ]
    assert search.numbers("duration", every).tolist() == took


@pytest.mark.parametrize("size", [1, 7, 1000])
def test_parts_together_are_the_whole(
    known: Analysis, monkeypatch: pytest.MonkeyPatch, size: int
) -> None:
    """Whatever the parts: the same calls, sorted by the column, all of them."""
    monkeypatch.setattr(find, "FIRST_PART", size)
    text = "isend waitall > 0 s to EAST from WEST to NORTH"
    query, finder = parse_query(text), Finder()
    asked = FindRequest(known, query, sort="duration", descending=False)
    found = finder.step(asked)
    steps = 1
    while found.next:
        before = set(found.calls.tolist())
        found = finder.step(replace(asked, calls=found.next))
        assert before <= set(found.calls.tolist())
        steps += 1
    every = Search(known).calls(query)
    assert sorted(found.calls.tolist()) == every.tolist()
    took = known.trace.calls.leave - known.trace.calls.enter
    assert (np.diff(took[found.calls]) >= 0).all()
    assert found.count == len(every) == found.histogram.total
    assert found.ticks == took[every].sum()
    ranks = rank_by_call(known)
    assert found.ranks == tuple(sorted({ranks[c] for c in every.tolist()}))
    assert steps > 1 or size >= len(took)


def test_a_superseded_search_begins_anew(known: Analysis) -> None:
    finder = Finder()
    stopped = finder.step(FindRequest(known, parse_query("isend")), lambda: False)
    assert not len(stopped.calls)
    other = finder.step(FindRequest(known, parse_query("waitall")))
    every = Search(known).calls(parse_query("waitall"))
    assert sorted(other.calls.tolist()) == every.tolist()


@pytest.mark.parametrize("column", NUMBERS)
def test_a_brush_is_a_query(known: Analysis, column: str) -> None:
    """Rows within the brush are what the text that is selected finds; bars tell it."""
    finder, text = Finder(), "isend irecv waitall"
    asked = FindRequest(known, parse_query(text), column=column)
    whole = finder.step(asked)
    bins = whole.histogram
    assert bins.total == whole.count
    for first, last in ((0, 0), (0, len(bins.counts) // 2), (1, len(bins.counts) - 1)):
        if last < first:
            continue
        brush = bins.span(first, last)
        part = finder.step(replace(asked, brush=brush))
        assert len(part.calls) == bins.counts[first : last + 1].sum()
        assert part.count == whole.count
        narrowed = parse_query(brushed_text(text, column, brush))
        assert sorted(part.calls.tolist()) == Search(known).calls(narrowed).tolist()


def test_found_calls_stand_out(known: Analysis) -> None:
    text = "waitall rank 2-5"
    spans = selected_spans(known.trace, None, CallFilter(query=text, analysis=known))
    assert spans.call.tolist() == Search(known).calls(parse_query(text)).tolist()
    assert np.flatnonzero(spans.ranks).tolist() == [2, 3, 4, 5]
    assert (calls_of_text(known, "waitall >") == -1).all()  # is not understood


def test_a_communicator_and_a_size_must_both_fit(known: Analysis) -> None:
    """Collective operations on a communicator are no longer of any size."""
    name = known.trace.communicators[0].name
    search, sizes = Search(known), sizes_by_call(known)
    on = search.calls(parse_query(f'on "{name}"')).tolist()
    least = min(sizes[call] for call in on)
    both = search.calls(parse_query(f'on "{name}" > {least} B')).tolist()
    assert both == [call for call in on if sizes[call] > least]
    assert 0 < len(both) < len(on)


NUMBER = st.one_of(
    st.floats(0, 1e9),
    st.just(np.nan),
    st.integers(0, 1000).map(float),
    st.floats(1e-9, 1e-6),
    st.floats(1.9, 1.9000001),
)


@given(st.lists(NUMBER, min_size=1, max_size=80), st.booleans())
def test_every_number_is_in_one_bin(numbers: list[float], amount: bool) -> None:
    values = np.array(numbers)
    bins = histogram(values, amount=amount)
    known = values[~np.isnan(values)]
    assert bins.total == len(values)
    assert bins.unknown == len(values) - len(known)
    assert len(bins.counts) <= BINS + 1
    assert (np.diff(bins.edges) > 0).all()
    for place in range(len(bins.counts)):
        low, high = bins.span(place, place)
        assert ((known >= low) & (known < high)).sum() == bins.counts[place]
    if bins.zeros:
        low, high = bins.span(-1, -1)
        assert ((known >= low) & (known < high)).sum() == bins.zeros
    positive = known[known > 0]
    if amount and len(positive):
        spans = known.max() > LOG_SPAN * positive.min()
        assert bins.log == spans
    assert amount or not bins.log


@given(st.lists(st.integers(0, 5000).map(float), min_size=1, max_size=80))
def test_bins_of_whole_numbers_are_whole(numbers: list[float]) -> None:
    bins = histogram(np.array(numbers), amount=False, whole=True)
    assert (bins.edges == np.round(bins.edges)).all()
    assert bins.total == len(numbers) == bins.counts.sum()
