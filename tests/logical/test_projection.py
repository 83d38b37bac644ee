"""Programs run on grids, wherever there is a neighbour, stand for all ranks."""

from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st
from parts import logicalise
from programs import Grid, Step, entries_of, trace_of
from traces import examples

from topoview.logical import expand
from topoview.logical.listing import listing
from topoview.model import LogicalTrace, Trace

Line = tuple[str, tuple[int, ...], int]
"""Operation, offset of the partner, and number of its size rule."""

OFFSETS = st.sampled_from([(1, 0), (-1, 0), (0, 1), (0, -1), (1, 1)])
EXCHANGE = st.tuples(st.just("exchange"), OFFSETS, st.integers(0, 3))
OTHER = st.tuples(
    st.sampled_from(["Barrier", "Waitall", "Allreduce"]), st.just((0, 0)), st.just(0)
)
BODY = st.lists(EXCHANGE | OTHER, min_size=1, max_size=4)
PROGRAM = st.lists(st.tuples(st.integers(1, 4), BODY), min_size=1, max_size=3)
DIMS = st.sampled_from([(3, 3), (4, 3), (5, 4)])


def size_of(rule: int, sender: int, turn: int) -> int:
    """All equal; by rank; by turn; by both."""
    return (64, 100 + sender % 3, 8 + turn % 2, 500 + sender + turn % 3)[rule]


def execute(grid: Grid, program: list[tuple[int, list[Line]]]) -> list[list[Step]]:
    """Write out what every rank does; exchanges go to offset, come from its back."""
    steps: list[list[Step]] = [[] for _ in range(grid.ranks)]
    lines = [line for count, body in program for _ in range(count) for line in body]
    for turn, (operation, offset, rule) in enumerate(lines):
        back = [-o for o in offset]
        for rank in range(grid.ranks):
            if operation == "Allreduce":
                steps[rank].append(Step("Allreduce", part=(0, -1, 8)))
            elif operation != "exchange":
                steps[rank].append(Step(operation))
            else:
                steps[rank] += exchange(grid, rank, offset, back, rule, turn)
    return steps


def exchange(
    grid: Grid,
    rank: int,
    offset: tuple[int, ...],
    back: list[int],
    rule: int,
    turn: int,
) -> list[Step]:
    to, source = grid.towards(rank, offset), grid.towards(rank, back)
    found = []
    if source is not None:
        found.append(Step("Irecv", receives=(source,)))
    if to is not None:
        found.append(Step("Send", sends=((to, size_of(rule, rank, turn)),)))
    return found


def exact_ranks(trace: Trace, logical: LogicalTrace) -> int:
    return sum(
        expand(logical, rank) == entries_of(trace, rank) for rank in range(trace.ranks)
    )


@examples(60)
@given(dims=DIMS, program=PROGRAM)
def test_the_program_stands_for_all_ranks(
    dims: tuple[int, ...], program: list[tuple[int, list[Line]]]
) -> None:
    grid = Grid(dims)
    trace = trace_of(execute(grid, program))
    logical = logicalise(trace, grid)
    assert exact_ranks(trace, logical) == trace.ranks
    assert logical.ranks_verified == trace.ranks
    assert logical.calls_excluded == 0
    assert logical.bytes_excluded == 0
    assert (logical.statement_of_call >= 0).all()
    assert logical.statements <= logical.records
    assert logical.ticks.sum() == 3 * len(trace.calls)
    lines = [x for x in listing(logical).splitlines() if not x.startswith("#")]
    heads = sum(line.endswith(":") for line in lines)
    called = sum(line.strip().startswith("block ") for line in lines)
    blank = sum(not line for line in lines)
    named = len(logical.blocks)
    assert len(lines) == logical.statements + heads + called - named + blank


@examples(60)
@given(
    dims=DIMS,
    program=PROGRAM,
    changes=st.lists(
        st.tuples(st.integers(0, 8), st.integers(0, 30), st.integers(0, 2)), max_size=6
    ),
)
def test_ranks_that_do_something_else_are_exact_too(
    dims: tuple[int, ...],
    program: list[tuple[int, list[Line]]],
    changes: list[tuple[int, int, int]],
) -> None:
    """The paper's rule holds as much of them as the maximal process does."""
    grid = Grid(dims)
    steps = execute(grid, program)
    for rank, place, kind in changes:
        own = steps[rank]
        at = place % (len(own) + 1)
        if kind == 0:
            own.insert(at, Step("Reduce", part=(0, 0, 16)))
        elif kind == 1 and at < len(own) and not own[at].sends + own[at].receives:
            del own[at]
        elif kind == 2 and at < len(own) and own[at].sends:
            ((to, size),) = own[at].sends
            own[at] = replace(own[at], sends=((to, size + 1),))
    trace = trace_of(steps)
    if not len(trace.calls):
        return
    logical = logicalise(trace, grid)
    assert exact_ranks(trace, logical) == trace.ranks
    assert logical.ranks_verified == trace.ranks
    assert (logical.calls_excluded, logical.bytes_excluded) == (0, 0)
    alone = logical.maximal
    assert alone is not None


def test_the_maximal_process_has_most_directions() -> None:
    grid = Grid((4, 3))
    body = [("exchange", o, 0) for o in ((1, 0), (-1, 0), (0, 1), (0, -1))]
    steps = execute(grid, [(5, body)])
    logical = logicalise(trace_of(steps), grid)
    assert logical.maximal_rank == 5
    assert (logical.statements, logical.loops, logical.depth) == (8, 1, 1)
    steps[6].append(Step("Barrier"))
    assert logicalise(trace_of(steps), grid).maximal_rank == 6


def test_sizes_tell_statements_apart_where_all_ranks_agree() -> None:
    """A message of 8 bytes after one of 64 is another statement."""
    grid = Grid((4, 1))
    small, large = ("exchange", (1, 0), 0), ("exchange", (1, 0), 1)
    logical = logicalise(trace_of(execute(grid, [(6, [small, large])])), grid)
    assert (logical.statements, logical.loops) == (4, 1)
    sends = [x.strip() for x in listing(logical).splitlines() if "Send" in x]
    assert sends == ["Send to 1 0 64 B", "Send to 1 0 100..102 B"]


def test_sizes_in_another_turn_at_every_rank_are_one_statement() -> None:
    grid = Grid((3, 3), periodic=True)
    steps = [
        [
            step
            for turn in range(12)
            for step in (
                Step("Irecv", receives=(grid.towards(r, (-1, 0)),)),
                Step(
                    "Send", sends=((grid.towards(r, (1, 0)), 8 + (r + turn) % 4 // 2),)
                ),
            )
        ]
        for r in range(9)
    ]
    logical = logicalise(trace_of(steps), grid)
    assert logical.ranks_verified == 9
    assert (logical.statements, logical.loops) == (2, 1)
    assert len(logical.sizes.values) == 2 * 9 * 4
