"""How calls of all sorts enter the logical trace."""

from dataclasses import replace
from itertools import product

import numpy as np
import pytest
from parts import logicalise, read_calls
from programs import Grid, Step, trace_of
from traces import logical_of

from topoview.analysis.logical.iterations import iterations
from topoview.base.progress import Cancelled
from topoview.logical import expand, logical_record
from topoview.logical.calls.partners import Naming
from topoview.logical.listing import listing, spelled_out
from topoview.logical.verification import verify
from topoview.model import Call, Communicator, Location, LogicalTrace, Loop, Trace, When
from topoview.pipeline import analyse


def chain(ranks: int = 4) -> Grid:
    return Grid((ranks,))


def shown(logical: LogicalTrace) -> list[str]:
    return [x for x in listing(logical).splitlines() if not x.startswith("#")]


def notes(logical: LogicalTrace) -> str:
    return "\n".join(x for x in listing(logical).splitlines() if x.startswith("#"))


def neighbours(rank: int, ranks: int) -> tuple[list[int], list[int]]:
    left = [rank - 1] if rank else []
    right = [rank + 1] if rank < ranks - 1 else []
    return left, right


def test_sendrecv_shows_both_halves_and_keeps_one_at_the_border() -> None:
    steps = [
        [Step("Sendrecv", tuple((r, 8) for r in right), tuple(left))] * 3
        for left, right in (neighbours(rank, 4) for rank in range(4))
    ]
    logical = logicalise(trace_of(steps), chain())
    assert shown(logical) == ["repeat 3:", "    Sendrecv to 1, from -1 8 B"]
    assert logical.ranks_verified == 4
    assert expand(logical, 0) == [("Sendrecv", 1, 8, None)] * 3
    assert expand(logical, 1) == [("Sendrecv", 2, 8, 0)] * 3
    assert expand(logical, 3) == [("Sendrecv", None, 8, 2)] * 3


@pytest.mark.parametrize("nulls", [True, False])
@pytest.mark.parametrize("size", [4, 6])
def test_halves_missing_at_edges_are_no_other_statement(size: int, nulls: bool) -> None:
    """A Jacobi of four Sendrecv: where a partner is MPI_PROC_NULL nothing is recorded.

    As under Score-P, whether the border ranks' calls are there or not.
    """
    grid = Grid((size, size))
    steps: list[list[Step]] = [[] for _ in range(grid.ranks)]
    for rank, offset in product(range(grid.ranks), ((0, -1), (0, 1), (-1, 0), (1, 0))):
        to = grid.towards(rank, offset)
        source = grid.towards(rank, [-step for step in offset])
        sends = () if to is None else ((to, 2048),)
        receives = () if source is None else (source,)
        if sends or receives or nulls:
            steps[rank].append(Step("Sendrecv", sends, receives))
    logical = logical_of(trace_of([own * 40 for own in steps]))[1]
    assert logical.ranks_verified == grid.ranks
    assert shown(logical) == [
        "repeat 40:",
        "    Sendrecv to NORTH, from SOUTH 2 KiB",
        "    Sendrecv to SOUTH, from NORTH 2 KiB",
        "    Sendrecv to WEST, from EAST 2 KiB",
        "    Sendrecv to EAST, from WEST 2 KiB",
    ]


def test_waits_are_named_by_what_they_complete() -> None:
    steps = []
    for rank in range(4):
        left, right = neighbours(rank, 4)
        own = [Step("Irecv", receives=(r,)) for r in left]
        own += [Step("Isend", ((r, 8),)) for r in right]
        own += [Step("Wait", posted=i) for i in reversed(range(len(own)))]
        steps.append(own)
    logical = logicalise(trace_of(steps), chain())
    assert logical.ranks_verified == 4
    assert shown(logical) == [
        "if rank >= 1:",
        "    Irecv from -1 8 B",
        "if rank <= 2:",
        "    Isend to 1 8 B",
        "    Wait (Isend to 1)",
        "if rank >= 1:",
        "    Wait (Irecv from -1)",
    ]
    assert [e[0] for e in expand(logical, 3)] == ["Irecv", "Wait"]
    assert isinstance(logical.body[1], When)
    wait = logical.body[1].body[1]
    assert isinstance(wait, Call)
    assert (wait.to, wait.awaits_to, wait.size) == (None, "1", None)


def test_calls_with_no_partner_are_dropped_and_counted() -> None:
    """MPI_PROC_NULL leaves a call without a message; its Wait completes nothing."""
    steps = []
    for rank in range(4):
        left, right = neighbours(rank, 4)
        steps.append(
            [
                Step("Irecv", receives=tuple(left)),
                Step("Send", tuple((r, 8) for r in right)),
                Step("Wait", posted=0 if left else -1),
            ]
        )
    logical = logicalise(trace_of(steps), chain())
    assert logical.ranks_verified == 4
    assert logical.calls_excluded == 0
    assert "3 calls with MPI_PROC_NULL" in notes(logical)
    assert np.sum(logical.statement_of_call < 0) == 3


def test_receives_that_are_not_recorded_stay() -> None:
    steps = [[Step("Send", ((1, 8),))] * 2, [Step("Recv", receives=())]]
    logical = logicalise(trace_of(steps), chain(2))
    assert "    Recv" in shown(logical)
    assert logical.ranks_verified == 2
    steps = [[Step("Sendrecv"), Step("Sendrecv"), Step("Barrier")]] * 2
    logical = logicalise(trace_of(steps), chain(2))
    assert shown(logical) == ["repeat 2:", "    Sendrecv", "Barrier"]


def without_completion(trace: Trace, receiver: int) -> Trace:
    """Forget what EZTrace does of a C program: a rank's receives, all completions."""
    messages, calls = trace.messages, trace.calls
    lost = messages.receiver == receiver
    return replace(
        trace,
        messages=replace(
            messages, receive_call=np.where(lost, -1, messages.receive_call)
        ),
        calls=replace(calls, completes=np.full(len(calls), -1, np.int64)),
    )


@pytest.mark.parametrize("several", [False, True])
def test_receives_and_waits_follow_where_there_is_no_choice(*, several: bool) -> None:
    """Of two open requests a Wait may complete either: then none is told."""
    steps = []
    for rank in range(4):
        left, right = neighbours(rank, 4)
        own = [Step("Irecv", receives=(r,)) for r in left for _ in range(2)]
        own += [Step("Send", ((r, 8 + i),)) for r in right for i in range(2)]
        own += [Step("Wait")] * (len(left) * several) + [Step("Waitall")]
        own += [Step("Irecv", receives=(r,)) for r in left]
        own += [Step("Send", ((r, 9),)) for r in right]
        own += [Step("Wait")] * len(left)
        steps.append(own)
    trace = without_completion(trace_of(steps), 2)
    logical = logicalise(trace, chain())
    sizes = [e[2] for e in expand(logical, 2) if e[0] == "Irecv"]
    assert sizes == [8, 9, 9]
    last = "Wait" if several else "Wait (Irecv from -1)"
    assert shown(logical)[-1].strip() == last
    assert ("    Wait" in shown(logical)) == several


def test_receives_from_several_ranks_are_not_guessed() -> None:
    steps = [[Step("Send", ((1, 8),))], [Step("Recv", receives=(s,)) for s in (0, 2)]]
    trace = trace_of([*steps, [Step("Send", ((1, 8),))]])
    logical = logicalise(without_completion(trace, 1), chain(3))
    assert "Recv" in notes(logical) + "\n".join(shown(logical))
    assert all(e[3] is None for e in expand(logical, 1))


def test_a_call_that_starts_several_messages_has_a_line_for_each() -> None:
    grid = Grid((3, 3))
    steps = []
    for rank in range(9):
        around = [grid.towards(rank, o) for o in ((0, 1), (1, 0), (-1, 0), (0, -1))]
        there = [r for r in around if r is not None]
        some = there if rank % 2 else there[::-1]
        steps.append(
            [
                Step("Startall", tuple((r, 8) for r in there), tuple(some)),
                Step("Waitall"),
            ]
        )
    logical = logicalise(trace_of(steps), grid)
    assert logical.ranks_verified == 9
    spelled = shown(spelled_out(logical))
    assert spelled[:2] == ["if rank <= 5:", "    Startall to 0 1 8 B"]
    assert logical.statements == 9
    sends = [e for e in expand(logical, 0) if e[1] is not None]
    assert sends == [("Startall", 3, 8, None), ("Startall", 1, 8, None)]
    # the ranks of the last row send nothing to the first direction
    assert logical.statement_of_call[::2].tolist() == [0] * 6 + [1, 1, 2]
    assert (logical.statement_of_call[1::2] == 8).all()


def test_polls_are_shown_once() -> None:
    steps = [
        [
            Step("Irecv", receives=(1 - rank,)),
            Step("Send", ((1 - rank, 8),)),
            *[Step("Test")] * (3 + 5 * rank),
            Step("Barrier"),
        ]
        for rank in range(2)
    ]
    logical = logicalise(trace_of(steps), Grid((2,), periodic=True))
    assert shown(logical)[2:] == ["Test", "Barrier"]
    assert logical.ranks_verified == 2
    assert logical.ticks[2] == 3 * (3 + 8)
    assert "9 repeated polls" in notes(logical)


def waiting_after_tests(luck: np.ndarray) -> Trace:
    """Exchange in a ring: test for all, and wait where luck had it not done yet."""
    ranks = len(luck)

    def turn(rank: int, done: bool) -> list[Step]:
        behind, ahead = (rank - 1) % ranks, (rank + 1) % ranks
        posts = [Step("Irecv", receives=(behind,)), Step("Isend", ((ahead, 8),))]
        return [*posts, Step("Testall"), *[Step("Waitall")] * (not done)]

    steps = [
        [step for done in own for step in turn(rank, bool(done))]
        for rank, own in enumerate(luck)
    ]
    return trace_of(steps)


def test_waits_where_a_test_was_too_early_do_not_split_the_ranks() -> None:
    luck = np.random.default_rng(3).random((6, 20)) < 0.5
    logical = logicalise(waiting_after_tests(luck), Grid((6,), periodic=True))
    assert [line.strip() for line in shown(logical)][-1] == "Testall"
    assert (logical.groups, logical.ranks_verified) == (1, 6)
    assert f"{int((~luck).sum())} repeated polls" in notes(logical)


def test_waits_that_always_follow_a_test_stay() -> None:
    logical = logicalise(
        waiting_after_tests(np.zeros((6, 20), bool)), Grid((6,), periodic=True)
    )
    assert [line.strip() for line in shown(logical)][-2:] == ["Testall", "Waitall"]
    assert logical.ranks_verified == 6


def test_local_calls_are_left_out() -> None:
    steps = [[Step("Comm_rank"), Step("Barrier"), Step("Wtime"), Step("Finalize")]] * 2
    logical = logicalise(trace_of(steps), chain(2))
    assert shown(logical) == ["Barrier"]
    assert (logical.records, logical.calls_excluded) == (4, 0)


def test_collectives_tell_communicator_root_and_size() -> None:
    """Rows of a 2x3 grid are one family, columns another; roots are local."""
    rows, columns = [[0, 1, 2], [3, 4, 5]], [[0, 3], [1, 4], [2, 5]]
    steps = [
        [
            Step("Bcast", part=(0, 4, 40)),
            Step("Reduce", part=(1 + rank // 3, 3 * (rank // 3) + 1, 8)),
            Step("Allreduce", part=(3 + rank % 3, -1, 16)),
            Step("Alltoall", part=(0, -1, 100 + rank)),
            Step("Barrier", part=(0, -1, 0)),
        ]
        for rank in range(6)
    ]
    logical = logicalise(trace_of(steps, rows + columns), chain(6))
    assert logical.ranks_verified == 6
    assert shown(logical) == [
        "Bcast 40 B (root 4)",
        "Reduce 8 B (root 1, row)",
        "Allreduce 16 B (column)",
        "Alltoall 100..105 B",
        "Barrier",
    ]
    assert expand(logical, 3)[3] == ("Alltoall", None, 103, None)


def test_a_collective_of_each_root_in_turn_is_a_loop_over_the_roots() -> None:
    """As programs share out what each rank has, one rank after the other."""
    steps = [
        [Step("Barrier", part=(0, -1, 0))]
        + [Step("Bcast", part=(0, root, 8)) for root in range(6)]
        + [Step("Gather", part=(0, root, 4)) for root in (0, 2, 4)]
        for _ in range(6)
    ]
    logical = logicalise(trace_of(steps), chain(6))
    assert logical.ranks_verified == 6
    assert shown(logical) == [
        "Barrier",
        "for k in 0..5:",
        "    Bcast 8 B (root k)",
        "for k in 0, 2, 4:",
        "    Gather 4 B (root k)",
    ]
    assert [call[0] for call in expand(logical, 3)].count("Bcast") == 6


def test_roots_that_are_not_told_are_no_exact_answer() -> None:
    """The check holds each root against the number that the loop is at."""
    steps = [[Step("Bcast", part=(0, root, 8)) for root in range(6)] for _ in range(6)]
    trace = trace_of(steps)
    logical = logicalise(trace, chain(6))
    (loop,) = logical.body
    assert isinstance(loop, Loop)
    rows = read_calls(trace, Naming(chain(6))).table(slice(0, 6))
    for over, exact in ((loop.over, 6), (loop.over[::-1], 0)):
        other = replace(logical, body=(replace(loop, over=over),))
        assert verify(other, rows, trace.regions).exact.sum() == exact


def test_of_ranks_that_differ_the_first_are_told() -> None:
    """Whichever ranks do the same, and are compared at once."""
    roots = [Step("Bcast", part=(0, root, 8)) for root in range(6)]
    steps = [
        [
            Step("Recv", receives=(rank - 1,))
            if rank % 2
            else Step("Send", sends=((rank + 1, 8),)),
            *roots,
        ]
        for rank in range(6)
    ]
    trace = trace_of(steps)
    logical = logicalise(trace, chain(6))
    *before, loop = logical.body
    assert isinstance(loop, Loop)
    other = replace(logical, body=(*before, replace(loop, over=loop.over[::-1])))
    rows = read_calls(trace, Naming(chain(6))).table(slice(0, 6))
    told = verify(other, rows, trace.regions).differs
    assert told == tuple(f"rank {rank} differs at its call 2" for rank in range(3))


@pytest.mark.parametrize(("reductions", "often"), [(1, 5), (0, 40)])
def test_roots_in_turn_are_iterations_where_a_step_holds_nothing_else(
    reductions: int, often: int
) -> None:
    roots = [Step("Bcast", part=(0, root, 8)) for root in range(8)]
    step = [*roots, *[Step("Allreduce", part=(0, -1, 8))] * reductions]
    *_, known = analyse(trace_of([step * 5] * 8))
    assert known.logical is not None
    assert known.positions is not None
    assert "    for k in 0..7:" in shown(known.logical)
    assert iterations(known.positions, slice(None)).max() == often


class Mute(Grid):
    """Knows no name for partners that are farther than one step."""

    def names(
        self, ranks: np.ndarray, partners: np.ndarray
    ) -> tuple[np.ndarray, list[str]]:
        index, names = super().names(ranks, partners)
        far = np.abs(ranks - partners) > 1
        return np.where(far, -1, index).astype(np.int32), names


def test_partners_without_a_name_go_by_their_rank() -> None:
    steps = [[Step("Send", ((1, 8),)), Step("Send", ((2, 24),))], [], []]
    steps[1] = [Step("Recv", receives=(0,)), Step("Send", ((2, 8),))]
    steps[2] = [Step("Recv", receives=(0,)), Step("Recv", receives=(1,))]
    logical = logicalise(trace_of(steps), Mute((3,)))
    assert (logical.calls_excluded, logical.bytes_excluded) == (0, 0)
    assert logical.ranks_verified == 3
    assert "    Send to rank 2 24 B" in shown(logical)


@pytest.mark.parametrize(
    "steps", [[[]], [[], []], [[Step("Init")]], [[Step("Barrier")]]]
)
def test_traces_without_messages(steps: list[list[Step]]) -> None:
    logical = logicalise(trace_of(steps), chain(len(steps)))
    assert logical.ranks_verified == len(steps)
    assert (logical.calls_excluded, logical.bytes_excluded) == (0, 0)
    assert logical.statements == sum(s.operation == "Barrier" for s in steps[0])
    assert listing(logical)


def test_record_of_a_barrier() -> None:
    trace: Trace = trace_of([[Step("Barrier")]] * 2)
    logical = logicalise(trace, chain(2))
    entries = expand(logical, 1)
    record = logical_record(logical, {1: entries})
    assert record["expansion"] == {"1": [["Barrier", None, None, None]]}
    sizes = {"ranks": 2, "records": 1, "statements": 1, "loops": 0, "depth": 0}
    sizes["ranks_verified"] = 2
    assert {key: record[key] for key in sizes} == sizes
    assert record["calls_excluded"] == record["bytes_excluded"] == 0
    assert "Barrier" in record["listing"]
    assert record["seconds"] >= 0
    assert "expansion" not in logical_record(logical)


def test_cancel() -> None:
    def stop(stage: str, fraction: float) -> None:
        del stage, fraction
        raise Cancelled

    with pytest.raises(Cancelled):
        logicalise(trace_of([[Step("Barrier")]]), chain(1), stop)


def test_calls_of_further_threads_are_left_out() -> None:
    """Rows after the ranks' are threads and streams."""
    trace = trace_of([[Step("Barrier")] * 3] * 3)
    locations = (*trace.locations[:2], Location(9, 1, "OMP thread 1"))
    world = (Communicator("", np.arange(2, dtype=np.int32)),)
    threaded = replace(trace, ranks=2, locations=locations, communicators=world)
    logical = logicalise(threaded, chain(2))
    assert logical.statement_of_call.tolist() == [0] * 6 + [-1] * 3
    assert np.isclose(logical.calls_excluded, 3 / 9)
    assert "3 calls of other threads" in notes(logical)
