"""The simulator's traces keep the model's promises, and idle waves travel."""

import networkx as nx
import numpy as np
import pytest
from hypothesis import given, settings
from simulation import Delay, Program, simulate
from simulation.demo import demo_program, simulate_demo
from traces import permutation, programs

from topoview.model import TimeState, Trace
from topoview.topology import lattice, star


def rows_of_calls(trace: Trace) -> np.ndarray:
    offsets = trace.calls.offsets
    return np.repeat(np.arange(len(offsets) - 1), np.diff(offsets))


def operations_of_calls(trace: Trace) -> np.ndarray:
    regions = trace.regions
    return np.array(regions.operations)[regions.operation[trace.calls.region]]


@settings(max_examples=60)
@given(programs())
def test_timeline_is_contiguous_and_shows_the_calls(program: Program) -> None:
    trace = simulate(program)
    line, calls = trace.timeline, trace.calls
    for row in range(line.rows):
        here = slice(line.offsets[row], line.offsets[row + 1])
        time, state, region = line.time[here], line.state[here], line.region[here]
        assert time[0] == 0
        assert (np.diff(time) > 0).all()
        assert state[-1] == TimeState.OUTSIDE
        changes = (np.diff(region) != 0) | (np.diff(state.astype(int)) != 0)
        assert changes.all()
        mine = slice(calls.offsets[row], calls.offsets[row + 1])
        in_call = region > 0
        np.testing.assert_array_equal(time[in_call], calls.enter[mine])
        np.testing.assert_array_equal(time[1:][in_call[:-1]], calls.leave[mine])
        np.testing.assert_array_equal(region[in_call], calls.region[mine])
        np.testing.assert_array_equal(
            state[in_call], trace.regions.state[region[in_call]]
        )
    ends = line.time[line.offsets[1:] - 1]
    assert trace.clock.length == ends.max()


@settings(max_examples=60)
@given(programs())
def test_messages_belong_to_calls_of_their_ranks(program: Program) -> None:
    trace = simulate(program)
    messages, row = trace.messages, rows_of_calls(trace)
    operation = operations_of_calls(trace)
    assert (np.diff(messages.send_call) > 0).all()
    np.testing.assert_array_equal(row[messages.send_call], messages.sender)
    np.testing.assert_array_equal(row[messages.receive_call], messages.receiver)
    np.testing.assert_array_equal(row[messages.completion_call], messages.receiver)
    assert (operation[messages.send_call] == "Isend").all()
    assert (operation[messages.receive_call] == "Irecv").all()
    assert (operation[messages.completion_call] == "Waitall").all()
    assert (messages.receive_time > messages.send_time).all()
    assert len(np.unique(messages.receive_call)) == len(messages)
    assert np.count_nonzero(operation == "Irecv") == len(messages)


@settings(max_examples=60)
@given(programs())
def test_messages_go_along_the_edges(program: Program) -> None:
    trace = simulate(program)
    truth = nx.Graph()
    truth.add_edges_from(program.rank_of[program.topology.edges].tolist())
    pairs = zip(trace.messages.sender, trace.messages.receiver, strict=True)
    seen = {frozenset((int(a), int(b))) for a, b in pairs if a != b}
    expected = {frozenset(edge) for edge in truth.edges if edge[0] != edge[1]}
    assert seen == (expected if program.iterations else set())


@settings(max_examples=30)
@given(programs())
def test_everybody_takes_part_in_collectives(program: Program) -> None:
    trace = simulate(program)
    every = program.allreduce_every
    reductions = program.iterations // every if every else 0
    calls = trace.collectives.call
    assert (np.diff(calls) > 0).all()
    number = np.bincount(rows_of_calls(trace)[calls], minlength=trace.ranks)
    assert (number == 1 + reductions).all()
    # nobody leaves before the last one has come
    enter = trace.calls.enter[calls].reshape(trace.ranks, -1)
    leave = trace.calls.leave[calls].reshape(trace.ranks, -1)
    assert (leave.min(axis=0) > enter.max(axis=0)).all()


@pytest.mark.parametrize("size", [1000, 1_000_000])
def test_idle_wave_moves_one_hop_an_iteration(size: int) -> None:
    dims, delayed, when = (7, 6), 17, 4
    torus = lattice(dims, (True, True))
    numbering = permutation(42, 3)
    program = Program(
        torus,
        numbering=numbering,
        iterations=12,
        noise=0.0,
        size=size,
        delays=(Delay(delayed, when, 9e-3),),
    )
    trace = simulate(program)
    operation = operations_of_calls(trace)
    waits = np.flatnonzero(operation == "Waitall").reshape(42, 12)
    waited = (trace.calls.leave - trace.calls.enter)[waits]
    graph = nx.Graph()
    graph.add_edges_from(numbering[torus.edges].tolist())
    hops = nx.single_source_shortest_path_length(graph, delayed)
    for rank in range(42):
        long = np.flatnonzero(waited[rank] > 7e6)
        expected = [] if rank == delayed else [when + hops[rank] - 1]
        assert long.tolist() == expected


def test_noise_has_the_mean_that_was_asked_for() -> None:
    program = Program(star(400), iterations=50, compute=1e-3, noise=0.5, size=1)
    for distribution in ("exponential", "uniform", "half-normal", "lognormal"):
        trace = simulate(
            Program(
                program.topology,
                iterations=program.iterations,
                compute=program.compute,
                noise=program.noise,
                distribution=distribution,
            )
        )
        operation = operations_of_calls(trace)
        calls = trace.calls
        first = np.flatnonzero(
            (operation == "Irecv") & (np.roll(operation, 1) != "Irecv")
        )
        computed = calls.enter[first] - calls.leave[first - 1]
        workers = rows_of_calls(trace)[first] > 0
        assert computed[workers].mean() == pytest.approx(1.5e6, rel=0.03)


def test_the_same_seed_gives_the_same_trace() -> None:
    one, two = simulate_demo(), simulate_demo()
    np.testing.assert_array_equal(one.calls.leave, two.calls.leave)


def test_demo_delays_one_rank() -> None:
    program, trace = demo_program(), simulate_demo()
    (delay,) = program.delays
    line = trace.timeline
    length = np.diff(line.time, append=0)
    computing = line.state == TimeState.COMPUTE
    longest = int(np.argmax(np.where(computing, length, 0)))
    row = int(np.searchsorted(line.offsets, longest, side="right")) - 1
    assert row == delay.rank


def test_demo_shows_its_wave_in_the_middle_of_the_run() -> None:
    """A ring of waiting ranks, four hops wide; before and after it is calm."""
    trace = simulate_demo()
    waiting = [
        np.mean(trace.timeline.state[trace.timeline.at(time)] == TimeState.WAIT)
        for time in (np.array([0.25, 0.5, 0.8]) * trace.clock.length).astype(int)
    ]
    assert waiting[0] < 0.1
    assert 0.2 < waiting[1] < 0.5
    assert waiting[2] < 0.1


def test_wrong_programs_are_refused() -> None:
    with pytest.raises(ValueError, match="no permutation"):
        Program(star(3), numbering=np.array([0, 0, 1], np.int32))
    with pytest.raises(ValueError, match="cannot be"):
        Program(star(3), ranks=2)
