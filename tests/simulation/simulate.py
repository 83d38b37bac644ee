"""Simulate an MPI program: a whole trace in memory, without running anything.

Times follow from recurrences over all ranks at once, iteration after
iteration, in the manner of max-plus models of bulk-synchronous programs
(Afzal, Hager and Wellein, "Propagation and decay of injected one-off delays on
clusters", CLUSTER 2019): a rank goes on when it has computed and all messages
have arrived, so a delay travels on as an idle wave.
"""

from collections.abc import Callable

import numpy as np

from simulation.program import Exchange, Program, exchange
from simulation.tables import BUSY, Recorder, Times, timeline_of
from topoview import __version__
from topoview.base.progress import Report, silent
from topoview.model import (
    CallPaths,
    CartesianTopology,
    Clock,
    Communicator,
    Indices,
    Ints,
    Location,
    Trace,
)

RESOLUTION = 1_000_000_000
"""Ticks a second of simulated clocks."""

GAP = 100
"""Ticks from the end of a call to the next one, if nothing is computed."""

# In quotes: the module would take 10 ms to load, for every command.
Draw = Callable[["np.random.Generator", int], np.ndarray]

DISTRIBUTIONS: dict[str, Draw] = {
    "exponential": lambda rng, n: rng.exponential(1.0, n),
    "uniform": lambda rng, n: rng.uniform(0.0, 2.0, n),
    "half-normal": lambda rng, n: np.abs(rng.normal(0.0, np.sqrt(np.pi / 2), n)),
    "lognormal": lambda rng, n: rng.lognormal(-0.5, 1.0, n),
}
"""Name to what draws `n` random times of mean 1."""


def simulate(program: Program, report: Report = silent) -> Trace:
    """Simulate a program.

    Takes time and memory proportional to the events; each iteration is a few
    operations on whole arrays.

    Raises
    ------
    Cancelled
        From `report`.
    """
    rng = np.random.default_rng(program.seed)
    traffic = exchange(program)
    recorder = Recorder(program, traffic)
    run = _Run(program, traffic, recorder, rng)
    run.set_up()
    for iteration in range(program.iterations):
        report("simulating", iteration / program.iterations)
        run.iterate(iteration)
    run.collective("Finalize")
    end = run.now + GAP
    return _assemble(program, recorder, run, end)


class _Run:
    """The state of all ranks while the program is simulated."""

    def __init__(
        self,
        program: Program,
        traffic: Exchange,
        recorder: Recorder,
        rng: "np.random.Generator",
    ) -> None:
        self.program = program
        self.traffic = traffic
        self.recorder = recorder
        self.rng = rng
        # ranks do not start at once; the first one to start is time 0
        start = (20e-6 * RESOLUTION * rng.random(program.ranks)).astype(np.int64)
        self.start: Ints = start - start.min()
        self.now: Ints = self.start.copy()

    def set_up(self) -> None:
        """Call what comes before the loop."""
        self.collective("Init", seconds=2e-4)
        if self.program.cartesian:
            self.collective("Cart_create", seconds=3e-5)
        self.collective("Barrier")

    def collective(self, operation: str, seconds: float = 0.0) -> None:
        """Let all ranks wait for each other in a call."""
        program = self.program
        hops = np.ceil(np.log2(max(program.ranks, 2)))
        enter = self.now + GAP
        last = enter.max() + _ticks(seconds + hops * program.latency)
        self.now = last + BUSY + self._jitter(2e-7)
        self.recorder.collective(operation, enter, self.now)

    def iterate(self, iteration: int) -> None:
        """Compute, exchange messages, reduce."""
        program = self.program
        self.now = self.now + self._compute(iteration)
        if len(self.traffic.sender):
            self._exchange(iteration)
        every = program.allreduce_every
        if every and iteration % every == every - 1:
            self.collective("Allreduce")

    def _compute(self, iteration: int) -> Ints:
        program = self.program
        seconds = np.full(program.ranks, program.compute)
        if program.noise:
            draw = DISTRIBUTIONS[program.distribution]
            times = draw(self.rng, program.ranks)
            seconds += program.noise * program.compute * times
        for delay in program.delays:
            if delay.iteration == iteration:
                seconds[delay.rank] += delay.seconds
        ticks: Ints = np.maximum(GAP, (seconds * RESOLUTION).astype(np.int64))
        return ticks

    def _exchange(self, iteration: int) -> None:
        slots, traffic = self.recorder.slots, self.traffic
        post = self.now[traffic.receiver] + slots.receive * (BUSY + GAP)
        send = self.now[traffic.sender] + slots.send * (BUSY + GAP)
        wait = self.now + slots.posts * (BUSY + GAP)
        arrival = self._arrival(send + BUSY, post + BUSY)
        done = wait.copy()
        np.maximum.at(done, traffic.receiver, arrival)
        late = traffic.size > self.program.eager_limit
        np.maximum.at(done, traffic.sender[late], arrival[late])
        done += BUSY
        self.now = np.where(slots.posts > 0, done, self.now)
        self.recorder.exchange(iteration, Times(post, send, wait, done))

    def _arrival(self, sent: Ints, posted: Ints) -> Ints:
        """When each message is there, given when its calls returned."""
        program, size = self.program, self.traffic.size
        latency = program.latency * (1 + 0.2 * self.rng.exponential(1.0, len(size)))
        hop = (latency * RESOLUTION).astype(np.int64)
        copy = (size / program.bandwidth * RESOLUTION).astype(np.int64)
        eager = sent + hop + copy
        # request to send, clear to send, data
        rendezvous = np.maximum(sent + hop, posted) + 2 * hop + copy
        return np.where(size > program.eager_limit, rendezvous, eager)

    def _jitter(self, seconds: float) -> Ints:
        spread = self.rng.random(self.program.ranks)
        jitter: Ints = (seconds * RESOLUTION * spread).astype(np.int64)
        return jitter


def _ticks(seconds: float) -> int:
    return round(seconds * RESOLUTION)


def _assemble(program: Program, recorder: Recorder, run: _Run, end: Ints) -> Trace:
    calls = recorder.calls()
    messages = recorder.messages(communicator=int(program.cartesian))
    collectives = recorder.collectives()
    records = 2 * program.ranks + 2 * len(calls) + 4 * len(messages)
    return Trace(
        path="",
        name=program.name,
        producer=f"topoview {__version__}",
        clock=Clock(RESOLUTION, int(end.max())),
        ranks=program.ranks,
        locations=tuple(
            Location(r, r, "Master thread", node=f"node{r // program.ranks_per_node}")
            for r in range(program.ranks)
        ),
        regions=recorder.regions,
        communicators=_communicators(program),
        topologies=_declared(program),
        metrics=(),
        events=records + 2 * len(collectives),
        timeline=timeline_of(calls, recorder.regions, run.start, end),
        calls=calls,
        messages=messages,
        collectives=collectives,
        paths=CallPaths(np.array([-1, 0], np.int32), np.array([-1, 0], np.int32)),
    )


def _communicators(program: Program) -> tuple[Communicator, ...]:
    world = np.arange(program.ranks, dtype=np.int32)
    found = [Communicator("MPI_COMM_WORLD", world)]
    if program.cartesian:
        found.append(Communicator("MPI_COMM_CART", program.rank_of))
    return tuple(found)


def _declared(program: Program) -> tuple[CartesianTopology, ...]:
    """List what MPI_Cart_create was told: the last dimension changes fastest."""
    if not program.cartesian:
        return ()
    topology = program.topology
    vertex: Indices = np.argsort(program.rank_of).astype(np.int32)
    return (
        CartesianTopology(
            name="MPI_COMM_CART",
            communicator=1,
            dims=topology.dims[::-1],
            periodic=np.array(topology.periodic[::-1], bool),
            names=tuple(f"dimension {i}" for i in range(len(topology.dims))),
            ranks=np.arange(program.ranks, dtype=np.int32),
            coordinates=np.ascontiguousarray(topology.coordinates[vertex, ::-1]),
        ),
    )
