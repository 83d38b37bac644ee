"""Regular programs, each written for any number of ranks that is a power of two."""

from collections.abc import Callable, Iterable, Sequence
from itertools import product

from programs import Grid, Step, trace_of

from topoview.model import Trace

Ranks = list[list[Step]]
Pair = tuple[int, int]


def sides(ranks: int, dims: int) -> tuple[int, ...]:
    """Split a power of two into sides as equal as they can be, the larger first."""
    bits = ranks.bit_length() - 1
    return tuple(2 ** ((bits + dims - 1 - axis) // dims) for axis in range(dims))


def unit_steps(dims: int) -> list[tuple[int, ...]]:
    return [
        tuple(sign * (axis == own) for axis in range(dims))
        for own in range(dims)
        for sign in (-1, 1)
    ]


def exchange(
    steps: Ranks, grid: Grid, offsets: Iterable[Sequence[int]], size: int = 64
) -> None:
    """Exchange with all neighbours: post receives, send, wait for all."""
    offsets = list(offsets)
    for rank, own in enumerate(steps):
        around = [grid.towards(rank, offset) for offset in offsets]
        behind = [grid.towards(rank, [-a for a in offset]) for offset in offsets]
        own += [Step("Irecv", receives=(p,)) for p in behind if p is not None]
        own += [Step("Isend", sends=((p, size),)) for p in around if p is not None]
        own.append(Step("Waitall"))


def together(steps: Ranks, operation: str, size: int = 8, root: int = -1) -> None:
    for own in steps:
        own.append(Step(operation, part=(0, root, size)))


def send(steps: Ranks, sender: int, receiver: int, size: int = 64) -> None:
    steps[sender].append(Step("Send", sends=((receiver, size),)))
    steps[receiver].append(Step("Recv", receives=(sender,)))


def swap(steps: Ranks, pairs: Iterable[Pair], size: int = 64) -> None:
    """Let pairs of ranks exchange a message by Sendrecv."""
    for a, b in pairs:
        for own, other in ((a, b), (b, a)):
            steps[own].append(
                Step("Sendrecv", sends=((other, size),), receives=(other,))
            )


def stencil(dims: int, *, periodic: bool = False) -> Callable[[Ranks, int], None]:
    def program(steps: Ranks, turns: int) -> None:
        grid = Grid(sides(len(steps), dims), periodic=periodic)
        for _ in range(turns):
            exchange(steps, grid, unit_steps(dims))
        together(steps, "Allreduce")

    return program


def halo_with_corners(steps: Ranks, turns: int) -> None:
    grid = Grid(sides(len(steps), 2))
    for _ in range(turns):
        exchange(steps, grid, [o for o in product((-1, 0, 1), repeat=2) if any(o)])
        together(steps, "Allreduce")


def ring_shift(steps: Ranks, turns: int) -> None:
    n = len(steps)
    for _ in range(turns):
        for rank, own in enumerate(steps):
            to, source = (rank + 1) % n, (rank - 1) % n
            own.append(Step("Sendrecv", sends=((to, 64),), receives=(source,)))


def ring_allreduce(steps: Ranks, turns: int) -> None:
    """Reduce, then gather, around the ring: as many steps as there are ranks."""
    for _ in range(turns):
        ring_shift(steps, 2 * (len(steps) - 1))
        together(steps, "Barrier", 0)


def pipeline(steps: Ranks, turns: int) -> None:
    for _ in range(turns):
        for rank in range(len(steps) - 1):
            send(steps, rank, rank + 1)
    together(steps, "Barrier", 0)


def sweeps(steps: Ranks, turns: int) -> None:
    """Sweep a plane from each of its four corners, as transport codes do."""
    grid = Grid(sides(len(steps), 2))
    for _ in range(turns):
        for x, y in product((1, -1), repeat=2):
            for rank, own in enumerate(steps):
                for offset in ((-x, 0), (0, -y)):
                    before = grid.towards(rank, offset)
                    if before is not None:
                        own.append(Step("Recv", receives=(before,)))
                for offset in ((x, 0), (0, y)):
                    after = grid.towards(rank, offset)
                    if after is not None:
                        own.append(Step("Send", sends=((after, 64),)))
        together(steps, "Allreduce")


def master_and_workers(steps: Ranks, turns: int) -> None:
    for _ in range(turns):
        for worker in range(1, len(steps)):
            send(steps, 0, worker, 256)
        for worker in range(1, len(steps)):
            send(steps, worker, 0, 32)
    together(steps, "Barrier", 0)


def butterfly(steps: Ranks, turns: int) -> None:
    """Reduce by recursive doubling."""
    for _ in range(turns):
        bit = 1
        while bit < len(steps):
            swap(steps, ((r, r ^ bit) for r in range(len(steps)) if not r & bit))
            bit *= 2


def dissemination(steps: Ranks, turns: int) -> None:
    """Meet as in the dissemination barrier."""
    n = len(steps)
    for _ in range(turns):
        step = 1
        while step < n:
            for rank, own in enumerate(steps):
                to, source = (rank + step) % n, (rank - step) % n
                own.append(Step("Sendrecv", sends=((to, 0),), receives=(source,)))
            step *= 2


def transpose(steps: Ranks, turns: int) -> None:
    """Exchange with everybody, one after the other."""
    n = len(steps)
    for _ in range(turns):
        for step in range(1, n):
            for rank, own in enumerate(steps):
                to, source = (rank + step) % n, (rank - step) % n
                own.append(Step("Sendrecv", sends=((to, 64),), receives=(source,)))
        together(steps, "Barrier", 0)


def tree(steps: Ranks, turns: int) -> None:
    """Reduce to rank 0 by a binomial tree, and send the result back."""
    n = len(steps)
    for _ in range(turns):
        bits = [2**k for k in range(n.bit_length() - 1)]
        for bit in bits:
            for rank in range(bit, n, 2 * bit):
                send(steps, rank, rank - bit, 8)
        for bit in reversed(bits):
            for rank in range(bit, n, 2 * bit):
                send(steps, rank - bit, rank, 8)


def binary_tree(steps: Ranks, turns: int) -> None:
    n = len(steps)
    for _ in range(turns):
        for rank in range(n - 1, 0, -1):
            send(steps, rank, (rank - 1) // 2, 8)
        for rank in range(1, n):
            send(steps, (rank - 1) // 2, rank, 8)


def odd_even_sort(steps: Ranks, turns: int) -> None:
    """Compare with one neighbour, then with the other."""
    n = len(steps)
    for _ in range(turns):
        for first in (0, 1):
            swap(steps, ((r, r + 1) for r in range(first, n - 1, 2)))


def parity_halo(dims: int) -> Callable[[Ranks, int], None]:
    """Exchange by blocking calls: even places send first, odd ones receive first."""

    def program(steps: Ranks, turns: int) -> None:
        grid = Grid(sides(len(steps), dims))
        for _ in range(turns):
            for rank, own in enumerate(steps):
                for offset in unit_steps(dims):
                    to = grid.towards(rank, offset)
                    source = grid.towards(rank, [-a for a in offset])
                    pair = [
                        Step("Send", sends=((to, 64),)) if to is not None else None,
                        Step("Recv", receives=(source,))
                        if source is not None
                        else None,
                    ]
                    odd = sum(grid.place(rank)) % 2
                    own += [step for step in pair[:: 1 - 2 * odd] if step is not None]
            together(steps, "Allreduce")

    return program


def red_black(steps: Ranks, turns: int) -> None:
    """Send the red ranks' sides to the black ones, then theirs back."""
    grid = Grid(sides(len(steps), 2))
    for _ in range(turns):
        for colour in (0, 1):
            for rank, own in enumerate(steps):
                around = [grid.towards(rank, offset) for offset in unit_steps(2)]
                partners = [partner for partner in around if partner is not None]
                if sum(grid.place(rank)) % 2 == colour:
                    own += [Step("Isend", sends=((p, 64),)) for p in partners]
                else:
                    own += [Step("Irecv", receives=(p,)) for p in partners]
                own.append(Step("Waitall"))
        together(steps, "Allreduce")


def multigrid(steps: Ranks, turns: int) -> None:
    """Smooth on four grids that are each half as fine, down and up again."""
    grid = Grid(sides(len(steps), 2))
    for _ in range(turns):
        for size in (1024, 512, 256, 128, 256, 512, 1024):
            exchange(steps, grid, unit_steps(2), size)
        together(steps, "Allreduce")


def conjugate_gradients(steps: Ranks, turns: int) -> None:
    grid = Grid(sides(len(steps), 1))
    for _ in range(turns):
        exchange(steps, grid, unit_steps(1))
        together(steps, "Allreduce")
        together(steps, "Allreduce", 16)
    together(steps, "Barrier", 0)


def cannon(steps: Ranks, turns: int) -> None:
    """Multiply matrices: shift blocks along rows and columns of a torus."""
    grid = Grid(sides(len(steps), 2), periodic=True)
    for _ in range(turns):
        for _ in range(grid.dims[1]):
            for axis in range(2):
                for rank, own in enumerate(steps):
                    step = [-(axis == 0), -(axis == 1)]
                    to = grid.towards(rank, step)
                    source = grid.towards(rank, [-a for a in step])
                    assert to is not None
                    assert source is not None
                    own.append(Step("Sendrecv", sends=((to, 64),), receives=(source,)))
        together(steps, "Barrier", 0)


def gather_and_spread(steps: Ranks, turns: int) -> None:
    """Gather at rank 0 by messages, and broadcast what comes of it."""
    for _ in range(turns):
        for rank in range(1, len(steps)):
            send(steps, rank, 0)
        together(steps, "Bcast", 64, 0)


def checkpoints(steps: Ranks, turns: int) -> None:
    """Exchange in each turn, and gather in every tenth."""
    grid = Grid(sides(len(steps), 2))
    for turn in range(10 * turns):
        exchange(steps, grid, unit_steps(2))
        if turn % 10 == 9:
            together(steps, "Gather", 64, 0)


def pencils(steps: Ranks, turns: int) -> None:
    """Transform a cube: exchange within rows, then within columns."""
    rows, columns = lines(len(steps))
    for _ in range(turns):
        for rank, own in enumerate(steps):
            for family in (rows, columns):
                (part,) = (k for k, ranks in family if rank in ranks)
                own.append(Step("Alltoall", part=(part, -1, 64)))
    together(steps, "Allreduce")


def lines(ranks: int) -> tuple[list[tuple[int, list[int]]], ...]:
    """Give the communicators of rows and of columns numbers."""
    width = sides(ranks, 2)[0]
    rows = [list(range(r, r + width)) for r in range(0, ranks, width)]
    columns = [list(range(c, ranks, width)) for c in range(width)]
    numbered = list(enumerate((*rows, *columns), 1))
    return numbered[: len(rows)], numbered[len(rows) :]


PROGRAMS: dict[str, Callable[[Ranks, int], None]] = {
    "stencil 2D": stencil(2),
    "stencil 2D periodic": stencil(2, periodic=True),
    "stencil 3D": stencil(3),
    "stencil 3D periodic": stencil(3, periodic=True),
    "conjugate gradients": conjugate_gradients,
    "halo with corners": halo_with_corners,
    "ring shift": ring_shift,
    "ring allreduce": ring_allreduce,
    "pipeline": pipeline,
    "sweeps": sweeps,
    "master and workers": master_and_workers,
    "butterfly": butterfly,
    "dissemination": dissemination,
    "transpose": transpose,
    "tree": tree,
    "binary tree": binary_tree,
    "odd-even sort": odd_even_sort,
    "parity halo": parity_halo(2),
    "parity halo 3D": parity_halo(3),
    "red-black": red_black,
    "multigrid": multigrid,
    "cannon": cannon,
    "gather and spread": gather_and_spread,
    "checkpoints": checkpoints,
    "pencils": pencils,
}


def run(name: str, ranks: int, turns: int) -> Trace:
    """Make the trace of a program."""
    steps: Ranks = [[] for _ in range(ranks)]
    PROGRAMS[name](steps, turns)
    communicators: list[list[int]] = []
    if name == "pencils":
        communicators = [own for family in lines(ranks) for _, own in family]
    return trace_of(steps, communicators)
