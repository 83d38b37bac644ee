"""All that is told of a call, message, rank or communicator, against brute force."""

from collections.abc import Callable
from functools import cache

import numpy as np
import pytest
import traces

from topoview.live.moments.moment import TimeCursor
from topoview.live.moments.wait_chains import awaited_by, waiting_for
from topoview.live.picking.details.calls import (
    call_details,
    counters_around,
    wait_of_call,
)
from topoview.live.picking.details.collectives import collective_details
from topoview.live.picking.details.messages import message_details, pair_details
from topoview.live.picking.details.ranks import rank_details
from topoview.live.picking.details.statements import statement_waits
from topoview.live.picking.picked import changes_to_pick, changes_to_step, is_there
from topoview.model import Analysis, Trace
from topoview.model.trace import COLLECTIVE_OPERATIONS
from topoview.session import Picked, Session, State

REAL = ("sp-jacobi2d-8x4-periodic-idlewave", "sp-rowcol-6x4", "ez-cg-8")


@cache
def known_of(name: str) -> Analysis:
    if name:
        return traces.analysis_of_real(name)
    return traces.analysed(traces.simulated("torus", (4, 3)))


@pytest.fixture(params=("", *REAL))
def known(request: pytest.FixtureRequest) -> Analysis:
    return known_of(request.param)


def some_calls(known: Analysis, count: int = 40) -> list[int]:
    chosen = np.random.default_rng(3).integers(0, len(known.trace.calls), count)
    return sorted(set(chosen.tolist()))


def row_by_counting(trace: Trace, call: int) -> int:
    rows = range(len(trace.locations))
    return next(r for r in rows if call < trace.calls.offsets[r + 1])


def test_calls(known: Analysis) -> None:
    trace, calls, them = known.trace, known.trace.calls, known.trace.messages
    for call in some_calls(known):
        found = call_details(known, call)
        row = row_by_counting(trace, call)
        assert (found.row, found.rank) == (row, trace.rank_of_location[row])
        assert (found.enter, found.leave) == (calls.enter[call], calls.leave[call])
        meant = {call, int(calls.completes[call])} - {-1}
        touched = [
            m
            for m in range(len(them))
            if meant
            & {
                int(them.send_call[m]),
                int(them.receive_call[m]),
                int(them.completion_call[m]),
            }
        ]
        assert list(found.messages) == touched
        assert known.logical is not None
        statement = int(known.logical.statement_of_call[call])
        assert found.statement == statement
        alike = [
            c
            for c in range(calls.offsets[row], calls.offsets[row + 1])
            if (
                known.logical.statement_of_call[c] == statement
                if statement >= 0
                else calls.region[c] == calls.region[call]
            )
        ]
        assert (found.number, found.count) == (alike.index(call) + 1, len(alike))


def test_waits_and_who_caused_them(known: Analysis) -> None:
    trace, calls, them = known.trace, known.trace.calls, known.trace.messages
    told = 0
    for call in some_calls(known, 200):
        own = [m for m in range(len(them)) if them.completion_call[m] == call]
        own = [m for m in own if them.send_call[m] >= 0]
        if not own or not trace.clock.aligned:
            continue
        begins = [int(calls.enter[them.send_call[m]]) for m in own]
        wait = wait_of_call(known, call)
        assert wait is not None
        spent = int(calls.leave[call] - calls.enter[call])
        late = max(0, min(max(begins) - int(calls.enter[call]), spent))
        assert wait.ticks == late
        if late:
            senders = {int(them.sender[m]) for m, t in zip(own, begins, strict=True)}
            assert wait.whom in senders
            assert calls.enter[wait.cause] == max(begins) == wait.until
            assert row_by_counting(trace, wait.cause) == wait.whom
            assert wait.chain[:1] in ((row_by_counting(trace, call),), ())
            told += 1
            sums = np.zeros(256)
            line, row = trace.timeline, wait.whom
            for k in range(line.offsets[row], line.offsets[row + 1]):
                is_last = k + 1 == line.offsets[row + 1]
                end = wait.until if is_last else int(line.time[k + 1])
                begin = max(int(line.time[k]), int(calls.enter[call]))
                end = min(end, int(calls.enter[call]) + late)
                sums[line.state[k]] += max(end - begin, 0)
            assert wait.busy_ticks == sums.max() == sums[wait.busy]
    if trace.clock.aligned and known is known_of(""):
        assert told


def test_messages_and_pairs(known: Analysis) -> None:
    trace, calls, them = known.trace, known.trace.calls, known.trace.messages
    ends = list(zip(them.sender.tolist(), them.receiver.tolist(), strict=True))
    for message in np.random.default_rng(5).integers(0, len(them), 20).tolist():
        one = message_details(known, message)
        same = [m for m, pair in enumerate(ends) if pair == ends[message]]
        assert (one.number, one.count) == (same.index(message) + 1, len(same))
        pair = pair_details(known, *ends[message])
        assert pair.messages.tolist() == same
        assert pair.size == sum(int(them.size[m]) for m in same)
        if not trace.clock.aligned:
            assert (one.late, one.early, pair.late) == (0, 0, 0)
            continue

        def late(m: int) -> int:
            send, end = int(them.send_call[m]), int(them.completion_call[m])
            if send < 0 or end < 0:
                return 0
            by = int(calls.enter[send] - calls.enter[end])
            return max(0, min(by, int(calls.leave[end] - calls.enter[end])))

        assert one.late == late(message)
        assert pair.late == sum(map(late, same))
        assert pair.late_count == sum(late(m) > 0 for m in same)
        posted = int(them.receive_call[message])
        if posted >= 0 and one.send_call >= 0:
            early = int(calls.enter[posted] - them.send_time[message])
            assert one.early == max(early, 0)


def test_collective_operations(known: Analysis) -> None:
    """The k-th use of a communicator by each member, counted one by one."""
    trace, parts, calls = known.trace, known.trace.collectives, known.trace.calls
    uses: dict[tuple[int, int], list[int]] = {}
    for part in range(len(parts)):
        if parts.operation[part] >= COLLECTIVE_OPERATIONS.index("create handle"):
            continue
        rank = int(
            trace.rank_of_location[row_by_counting(trace, int(parts.call[part]))]
        )
        key = int(parts.communicator[part]), rank
        uses.setdefault(key, []).append(int(parts.call[part]))
    for (communicator, rank), own in list(uses.items())[:30]:
        turn = len(own) // 2
        one = collective_details(known, own[turn])
        assert one is not None
        members = {r for c, r in uses if c == communicator}
        if len(trace.communicators[communicator].ranks) < 2:
            members = {rank}
        instance = {
            r: uses[communicator, r][turn]
            for r in sorted(members)
            if len(uses[communicator, r]) > turn
        }
        assert dict(zip(one.ranks.tolist(), one.calls.tolist(), strict=True)) == (
            instance
        )
        enters = {r: int(calls.enter[c]) for r, c in instance.items()}
        assert enters[one.last] == max(enters.values()) == one.complete
        assert enters[one.first] == min(enters.values()) == one.begin
        waited = sum(
            max(0, min(one.complete - t, int(calls.leave[instance[r]]) - t))
            for r, t in enters.items()
        )
        assert one.waited == waited
        assert (one.number, one.count) == (turn + 1, len(own))


def test_ranks(known: Analysis) -> None:
    trace, line = known.trace, known.trace.timeline
    them = trace.messages
    for rank in range(0, trace.ranks, 5):
        ticks = int(trace.clock.length * 0.8)
        one = rank_details(known, rank, ticks)
        own = range(line.offsets[rank], line.offsets[rank + 1])
        now = max(k for k in own if line.time[k] <= ticks)
        assert (one.state, one.since) == (line.state[now], line.time[now])
        assert one.calls == trace.calls.offsets[rank + 1] - trace.calls.offsets[rank]
        assert one.sent[0] == int((them.sender == rank).sum())
        assert one.received[1] == int(them.size[them.receiver == rank].sum())


def test_whom_a_rank_waits_for_is_found_alone(known: Analysis) -> None:
    trace, waits = known.trace, known.waits
    assert waits is not None
    found = set()
    for ticks in np.linspace(0, trace.clock.length, 60).astype(np.int64).tolist():
        whom = waiting_for(TimeCursor(trace), waits, ticks).tolist()
        alone = [awaited_by(trace, waits, rank, ticks) for rank in range(trace.ranks)]
        assert alone == whom
        assert [rank_details(known, r, ticks).whom for r in (0, 7)] == [
            whom[0],
            whom[7],
        ]
        found |= set(whom)
    assert len(found) > 2, "some wait"


def test_whom_a_statement_waits_for_by_adding_up(known: Analysis) -> None:
    logical, waits, calls = known.logical, known.waits, known.trace.calls
    assert logical is not None
    if waits is None:
        assert statement_waits(known, 0) == ((), 0)
        return
    longest = 0
    for statement in set(logical.statement_of_call.tolist()) - {-1}:
        sums: dict[int, int] = {}
        for call in np.flatnonzero(logical.statement_of_call == statement).tolist():
            end = min(int(waits.until[call]), int(calls.leave[call]))
            late = end - int(calls.enter[call])
            if waits.until[call] >= 0 and late > 0:
                whom = int(waits.whom[call])
                sums[whom] = sums.get(whom, 0) + late
        found, unknown = statement_waits(known, statement)
        assert {**dict(found), -1: unknown} == {-1: 0, **sums}
        times = [ticks for _, ticks in found]
        assert times == sorted(times, reverse=True)
        longest = max(longest, *times, 0)
    assert longest > 0


def test_counters_by_adding_up(real_trace: Callable[[str], Trace]) -> None:
    trace = real_trace("sp-twophase-6x6-user-metrics")
    records = next(r for r in trace.further if r.name == "Metric")
    value, told = records.numbers(), 0
    call = int(trace.calls.offsets[7]) + 100
    row, before = row_by_counting(trace, call), int(trace.calls.leave[call - 1])
    enter, leave = int(trace.calls.enter[call]), int(trace.calls.leave[call])
    for found in counters_around(trace, call):
        counter, last = found.counter, {}
        for k in range(records.offsets[row], records.offsets[row + 1]):
            fields = records.column("metric")[k], records.column("place")[k]
            if fields == (counter.metric, counter.place):
                for end in (before, enter, leave):
                    if records.time[k] <= end:
                        last[end] = value[k] * counter.scale
        if counter.mode == "grows" and before in last:
            assert found.before == pytest.approx(last[enter] - last[before])
            assert found.inside == pytest.approx(last[leave] - last[enter])
            told += 1
        elif counter.mode == "value" and enter in last:
            assert (found.before, found.inside) == (last[enter], last[leave])
            told += 1
    assert told


def state_of(known: Analysis) -> State:
    session = Session()
    session.update(analysis=known, window=(0, known.trace.clock.length), time=0)
    return session.state


def test_the_cursor_goes_into_what_is_picked(known: Analysis) -> None:
    state, calls = state_of(known), known.trace.calls
    for call in some_calls(known, 10):
        changes = changes_to_pick(state, Picked("call", call))
        assert calls.enter[call] <= changes.get("time", 0) <= calls.leave[call]
        assert changes["selection"].call == call
    message = len(known.trace.messages) // 2
    changes = changes_to_pick(state, Picked("message", message))
    assert changes["time"] == known.trace.messages.send_time[message]


def test_stepping_to_and_fro_comes_back(known: Analysis) -> None:
    session = Session()
    session.update(analysis=known, window=(0, known.trace.clock.length))
    first = int(known.trace.collectives.call[0]) if len(known.trace.collectives) else -1
    for picked in (
        *(Picked("call", call) for call in some_calls(known, 5)),
        Picked("message", 0),
        Picked("collective", first),
    ):
        if not is_there(known, picked):
            continue
        session.update(**changes_to_pick(session.state, picked))
        there = changes_to_step(session.state, 1)
        if not there:
            continue
        assert there["picked"].number > picked.number
        session.update(**there)
        session.update(**changes_to_step(session.state, -1))
        assert session.state.picked == picked


def test_what_another_trace_has_is_not_there(known: Analysis) -> None:
    state = state_of(known)
    many = 10**9
    for kind in ("call", "collective", "message", "rank", "statement", "communicator"):
        assert changes_to_pick(state, Picked(kind, many)) == {}
        assert not is_there(known, Picked(kind, -1))
    assert not is_there(known, Picked("pair", 0, many))
    assert not is_there(known, Picked("planet", 0))
