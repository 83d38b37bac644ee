"""Find the shortest way to write a sequence, and what loops' bodies cost."""

import cython
import numpy as np

if not cython.compiled:
    from topoview.base.kinds import Int, IntRows, Ints, OutIntRows, OutInts
    from topoview.logical.loops.repetition_kernels import InnerRuns, find_inner_runs

    SYMBOL_COST = 1 << 32
    """Cost of a symbol; a loop costs 1 beside its body, so that symbols count first."""

    INFINITE_COST = 1 << 62
    """More than any sequence costs."""

    MAX_ROTATED_SYMBOLS = 1 << 20
    """Symbols of rotations that are tried for each class, at least 8 rotations."""

    MAX_CUTS = 8
    """Rotations that are tried beside, where not all are."""

    SYMBOLS_PER_REPORT = 20_000_000
    """Symbols that are looked at between two reports."""


@cython.cclass
class Workspace:
    """What `find_shortest` overwrites.

    at, back, run, head
        For each number of first symbols: their cost, where their last item begins and
        which run it is a loop of, -1 for a symbol; the runs that begin to count there,
        as a list that `follows` links.
    room
        Where each run's `best` begin: the least cost of what comes before a loop of
        it, and `start`: where the loop starts then, for each phase of the period.
    active
        Run, phase, rotation and end of each run that counts now.
    cut
        Whether an item ends there; `try_cuts` keeps it.
    """

    def __init__(self, symbols: Int, runs: Int, phases: Int) -> None:
        self.at = self.back = self.run = self.head = self.cut = np.empty(0, np.int64)
        self.follows = self.room = self.best = self.start = np.empty(0, np.int64)
        self.active = np.empty((0, 4), np.int64)
        self.reserve(symbols, runs, phases)

    def reserve(self, symbols: Int, runs: Int, phases: Int) -> Int:
        """Grow the room for so many symbols, runs, and symbols of all runs' periods."""
        if symbols + 1 > len(self.at):
            self.at, self.back, self.run, self.head, self.cut = np.empty(
                (5, symbols + 1), np.int64
            )
        if runs + 1 > len(self.room):
            self.follows, self.room = np.empty((2, runs + 1), np.int64)
            self.active = np.empty((runs, 4), np.int64)
        if phases > len(self.best):
            self.best, self.start = np.empty((2, phases), np.int64)
        return 0


def parse(  # noqa: PLR0913
    s: Ints, runs: IntRows, classes: Ints, first: Ints, slot: Ints, cost: Ints
) -> OutIntRows:
    """Find the shortest way to write a sequence.

    Parameters
    ----------
    runs : int64, shape (runs, 3)
        Begin, end and period in the sequence.
    classes, first : int64, shape (runs,)
        Class of each run, and where its root first begins.
    slot : int64, shape (classes + 1,)
        Where each class has the costs of its rotations.
    cost : int64
        Costs, 0 where there is none.

    Returns
    -------
    int64, shape (items, 4)
        Symbol, count, class and rotation of each item in order; the last two are those
        of a loop's body, -1 for a symbol.
    """
    n: Int = len(s)
    space: Workspace = Workspace(n, len(runs), int(np.sum(np.asarray(runs)[:, 2])))
    with cython.nogil:
        find_shortest(n, 0, runs, len(runs), classes, first, slot, cost, space)
    return np.asarray(items_found(n, 0, s, runs, classes, first, space))


def parse_body(  # noqa: PLR0913
    which: Int,
    rotation: Int,
    s: Ints,
    table: Ints,
    begin: Ints,
    period: Ints,
    slot: Ints,
    cost: Ints,
) -> OutIntRows:
    """Find the shortest way to write a rotation of a class, as `parse` does.

    Parameters
    ----------
    s, table, begin, period
        As `classify` fills them.
    """
    n: Int = period[which]
    inner: InnerRuns = InnerRuns(n)
    k: Int
    phases: Int = 0
    with cython.nogil:
        many: Int = find_inner_runs(which, s, table, begin, period, inner)
        for k in range(many):
            phases += inner.runs[k, 2]
    space: Workspace = Workspace(n, many, phases)
    with cython.nogil:
        cost_of_part(n, rotation, inner, many, slot, cost, space)
    return np.asarray(
        items_found(
            n, rotation, inner.text, inner.runs, inner.classes, inner.first, space
        )
    )


def items_found(  # noqa: PLR0913
    n: Int,
    begin: Int,
    text: Ints,
    runs: IntRows,
    classes: Ints,
    first: Ints,
    space: Workspace,
) -> OutIntRows:
    """Collect the items of the shortest way that `find_shortest` has found."""
    j: Int = n
    many: Int = 0
    while j > 0:
        many += 1
        j = space.back[j]
    items: OutIntRows = np.empty((many, 4), np.int64)
    j = n
    while j > 0:
        many -= 1
        i: Int = space.back[j]
        k: Int = space.run[j]
        items[many, 0] = text[begin + i]
        items[many, 1] = 1
        items[many, 2] = items[many, 3] = -1
        if k >= 0:
            items[many, 1] = (j - i) // runs[k, 2]
            items[many, 2] = classes[k]
            items[many, 3] = (begin + i - first[k]) % runs[k, 2]
        j = i
    return items


def find_shortest(  # noqa: C901, PLR0913
    n: Int,
    begin: Int,
    runs: IntRows,
    many: Int,
    classes: Ints,
    first: Ints,
    slot: Ints,
    cost: Ints,
    space: Workspace,
) -> None:
    """Find how to write n symbols of a text from an index on: fills `space`."""
    i: Int
    j: Int
    k: Int
    for j in range(n + 1):
        space.run[j] = space.head[j] = -1
    space.at[0] = space.back[0] = space.room[0] = 0
    for k in range(many):
        low: Int = max(runs[k, 0] - begin, 0)
        high: Int = min(runs[k, 1] - begin, n)
        p: Int = runs[k, 2]
        space.room[k + 1] = space.room[k]
        if high - low >= 2 * p:  # a loop may end at the second period's end or later
            space.room[k + 1] += p
            space.follows[k] = space.head[low + 2 * p]
            space.head[low + 2 * p] = k
    for i in range(space.room[many]):
        space.best[i] = INFINITE_COST
    active: Int = 0
    for j in range(1, n + 1):
        space.at[j] = space.at[j - 1] + SYMBOL_COST
        space.back[j] = j - 1
        k = space.head[j]
        while k >= 0:
            p = runs[k, 2]
            space.active[active, 0] = k
            space.active[active, 1] = 0
            space.active[active, 2] = (j - 2 * p + begin - first[k]) % p
            space.active[active, 3] = min(runs[k, 1] - begin, n)
            active += 1
            k = space.follows[k]
        a: Int = 0
        while a < active:
            k = space.active[a, 0]
            if j > space.active[a, 3]:  # the run is over: the last one takes its place
                active -= 1
                for i in range(4):
                    space.active[a, i] = space.active[active, i]
                continue
            p = runs[k, 2]
            place: Int = space.room[k] + space.active[a, 1]
            body: Int = cost[slot[classes[k]] + space.active[a, 2]]
            if body > 0:
                # a loop of two periods, or what was best a period before, prolonged
                i = j - 2 * p
                if space.at[i] + body + 1 < space.best[place]:
                    space.best[place] = space.at[i] + body + 1
                    space.start[place] = i
                if space.best[place] < space.at[j]:
                    space.at[j] = space.best[place]
                    space.back[j] = space.start[place]
                    space.run[j] = k
            for i in range(1, 3):
                space.active[a, i] += 1
                if space.active[a, i] == p:
                    space.active[a, i] = 0
            a += 1


# What loops' bodies cost.


def rotation_costs(  # noqa: PLR0913
    s: Ints,
    table: Ints,
    begin: Ints,
    period: Ints,
    slot: Ints,
    cost: OutInts,
    done: Int,
    work: Int,
) -> tuple[Int, Int]:
    """Find what rotations of classes cost, until there was enough work for a report.

    Parameters
    ----------
    s, table, begin, period
        As `classify` fills them; ascending periods.
    slot : int64, shape (classes + 1,)
        Where each class has the costs of its rotations.
    cost : int64, shape (slot[-1],)
        Gets costs; stays 0 for rotations that are not tried.
    done
        Classes that were looked at before.
    work
        Symbols that may be looked at.

    Returns
    -------
    int and int
        `done` and `work` for the next time.
    """
    until: Int = max(0, work - SYMBOLS_PER_REPORT)
    inner: InnerRuns = InnerRuns(0)
    space: Workspace = Workspace(0, 0, 0)
    k: Int
    rotation: Int
    with cython.nogil:
        while done < len(period) and work > until:
            length: Int = period[done]
            if 2 * length > len(inner.text):
                with cython.gil:
                    inner.reserve(2 * length)  # rarely, as periods ascend
            many: Int = find_inner_runs(done, s, table, begin, period, inner)
            phases: Int = 0
            visits: Int = 2 * length  # of symbols, and as often as runs cover them
            for k in range(many):
                phases += inner.runs[k, 2]
                visits += inner.runs[k, 1] - inner.runs[k, 0]
            if not (
                2 * length < len(space.at)
                and many < len(space.room)
                and phases <= len(space.best)
            ):
                with cython.gil:
                    space.reserve(4 * length, 2 * many, 2 * phases)
            step: Int = max(1, length // max(8, MAX_ROTATED_SYMBOLS // length))
            rotation = 0
            while rotation < length:
                cost[slot[done] + rotation] = cost_of_part(
                    length, rotation, inner, many, slot, cost, space
                )
                rotation += step
            work -= (length // step + 1) * visits
            if step > 1:
                work -= visits * try_cuts(done, length, inner, many, slot, cost, space)
            done += 1
    return done, work


def try_cuts(  # noqa: PLR0913
    which: Int,
    length: Int,
    inner: InnerRuns,
    many: Int,
    slot: Ints,
    cost: OutInts,
    space: Workspace,
) -> Int:
    """Try rotations at which two periods written shortest are cut in any case.

    Returns how many periods were written for that.
    """
    cost_of_part(2 * length, 0, inner, many, slot, cost, space)
    i: Int
    for i in range(2 * length + 1):
        space.cut[i] = 0
    i = 2 * length
    while i > 0:
        space.cut[i] = 1
        i = space.back[i]
    tried: Int = 0
    for i in range(length):
        if tried == MAX_CUTS:
            break
        place: Int = slot[which] + i
        if space.cut[i] and space.cut[i + length] and not cost[place]:
            cost[place] = cost_of_part(length, i, inner, many, slot, cost, space)
            tried += 1
    return tried + 2


def cost_of_part(  # noqa: PLR0913
    n: Int,
    begin: Int,
    inner: InnerRuns,
    many: Int,
    slot: Ints,
    cost: Ints,
    space: Workspace,
) -> Int:
    """Find what n symbols of two periods cost from an index on; fills `space`."""
    find_shortest(
        n, begin, inner.runs, many, inner.classes, inner.first, slot, cost, space
    )
    total: Int = space.at[n]
    return total
