"""Kernels of analysis/waits."""

import numpy as np

from topoview.base.kernels import kernel
from topoview.model import Floats, Indices, Ints

BLOCK = 16
"""Entries of which the largest is found by looking at each."""


@kernel
def grow(tree: Ints, sums: Ints) -> None:
    for i in range(len(tree) // 2 - 1, 0, -1):
        one, other = tree[2 * i], tree[2 * i + 1]
        is_first = sums[one + 1] - sums[one] >= sums[other + 1] - sums[other]
        tree[i] = one if is_first else other


@kernel
def largest(tree: Ints, sums: Ints, begin: int, end: int) -> int:
    """Find the largest from `begin` to before `end`; `sums` are running sums."""
    best, most = -1, np.int64(-1)
    inner = min(-(-begin // BLOCK) * BLOCK, end)
    outer = max(end // BLOCK * BLOCK, inner)
    for one in range(begin, inner):
        if sums[one + 1] - sums[one] > most:
            best, most = one, sums[one + 1] - sums[one]
    for one in range(outer, end):
        if sums[one + 1] - sums[one] > most:
            best, most = one, sums[one + 1] - sums[one]
    blocks = len(tree) // 2
    low, high = inner // BLOCK + blocks, outer // BLOCK + blocks
    while low < high:
        for side in range(2):
            one = -1
            if side == 0 and low & 1:
                one = tree[low]
                low += 1
            elif side == 1 and high & 1:
                high -= 1
                one = tree[high]
            if one >= 0 and sums[one + 1] - sums[one] > most:
                best, most = one, sums[one + 1] - sums[one]
        low >>= 1
        high >>= 1
    return best


@kernel
def causal_order(  # noqa: C901
    offsets: Ints, rank: Indices, cause: Ints, waited: Ints, enter: Ints
) -> Ints:
    """List calls that wait so that what a wait may be due to comes before it.

    A rank goes on from call to call; at one that waits it stands still until the
    other has come to the call that it waits for. Where all stand still, as after
    records that do not fit together, the wait that began first is left out.

    Parameters
    ----------
    offsets : int64, shape (ranks + 1,)
    rank : int32, shape (calls,)
    cause : int64, shape (calls,)
        The call that each waits for; not followed where it is none of these.
    waited : int64, shape (calls + 1,)
        Ticks that the calls before each waited.
    enter : int64, shape (calls,)
    """
    ranks = len(offsets) - 1
    order = np.empty(len(cause), np.int64)
    found = 0
    place = offsets[:-1].copy()
    come = np.zeros(ranks, np.bool_)  # to its place, and told those that wait for it
    first = np.full(len(cause), -1, np.int32)  # of the ranks that wait for a call
    following = np.full(ranks, -1, np.int32)
    ready = np.arange(ranks)
    many = ranks
    while True:
        while many:
            many -= 1
            one = ready[many]
            while place[one] < offsets[one + 1]:
                call = place[one]
                if not come[one]:
                    come[one] = True
                    waiting = first[call]
                    while waiting >= 0:
                        ready[many] = waiting
                        many += 1
                        waiting = following[waiting]
                    first[call] = -1
                other = cause[call]
                if 0 <= other < len(cause) and waited[call + 1] > waited[call]:
                    whose = rank[other]
                    if place[whose] < other or (
                        place[whose] == other and not come[whose]
                    ):
                        following[one] = first[other]
                        first[other] = one
                        break
                    order[found] = call
                    found += 1
                place[one] += 1
                come[one] = False
        stuck = -1
        for one in range(ranks):
            if place[one] < offsets[one + 1] and (
                stuck < 0 or enter[place[one]] < enter[place[stuck]]
            ):
                stuck = one
        if stuck < 0:
            return order[:found]
        leave_queue(first, following, cause[place[stuck]], stuck)
        place[stuck] += 1
        come[stuck] = False
        ready[0] = stuck
        many = 1


@kernel
def leave_queue(first: Indices, following: Indices, call: int, rank: int) -> None:
    """Take a rank out of those that wait for a call."""
    if first[call] == rank:
        first[call] = following[rank]
        return
    one = first[call]
    while following[one] != rank:
        one = following[one]
    following[one] = following[rank]


@kernel
def pass_on(  # noqa: PLR0913
    costs: Ints,
    offsets: Ints,
    rank: Indices,
    order: Ints,
    causes: Ints,
    ends: Ints,
    begin: Ints,
    of_own: Floats,
    of_unusual: Floats,
    passed: Floats,
    own: Ints,
    excess: Ints,
    waited: Ints,
    caused: Floats,
    delayed: Floats,
) -> None:
    """Add up what falls on each piece: of waits' own `costs`, and what they pass on.

    `caused` and `delayed` are nothing at first. They take what begins to fall on each
    tick of the pieces, and what ends to, and then the sums.
    """
    passing = np.zeros(len(rank) + 1)  # of call c: entry c + 1
    below, density = offsets[1:] - 1, np.zeros(len(offsets) - 1)
    for k in range(len(order) - 1, -1, -1):
        call, cause = order[k], causes[k]
        mine = rank[call]
        while below[mine] >= call:
            density[mine] += passing[below[mine] + 1]
            below[mine] -= 1
        cost = costs[k] + (waited[call + 1] - waited[call]) * density[mine]
        if passed[k] > 0:
            passing[cause] += cost * passed[k]
            if begin[k] > offsets[rank[cause]]:
                passing[begin[k]] -= cost * passed[k]
        caused[ends[k] - 1] += cost * of_own[k]
        delayed[ends[k] - 1] += cost * of_unusual[k]
        if begin[k] > 0:
            caused[2 * begin[k] - 1] -= cost * of_own[k]
            delayed[2 * begin[k] - 1] -= cost * of_unusual[k]
    usual, unusual = 0.0, 0.0
    for piece in range(len(caused) - 1, -1, -1):
        usual += caused[piece]
        unusual += delayed[piece]
        delayed[piece] = unusual * (excess[piece + 1] - excess[piece])
        caused[piece] = usual * (own[piece + 1] - own[piece]) + delayed[piece]


@kernel
def main_origins(  # noqa: PLR0913
    order: Ints,
    causes: Ints,
    ends: Ints,
    begin: Ints,
    of_own: Floats,
    of_unusual: Floats,
    passed: Floats,
    own: Ints,
    excess: Ints,
    waited: Ints,
    own_tree: Ints,
    excess_tree: Ints,
    waited_tree: Ints,
) -> tuple[Ints, Floats]:
    """Find the two pieces that each wait is most due to, causes first.

    Of the awaited rank's pieces the two largest are looked at, and of its waits the
    longest, with what that one is most due to. `own`, `excess` and `waited` are
    running sums.
    """
    place = np.full(len(waited) - 1, -1, np.int32)
    origins = np.full((len(order), 2), -1, np.int64)
    ticks = np.zeros((len(order), 2))
    for k in range(len(order)):
        place[order[k]] = k
        late = waited[order[k] + 1] - waited[order[k]]
        here, there = 2 * begin[k], ends[k]
        for usual in range(2):
            share = late * (of_own[k] if usual else of_unusual[k])
            if share <= 0:
                continue
            tree = own_tree if usual else excess_tree
            sums = own if usual else excess
            first = largest(tree, sums, here, there)
            note_origin(
                origins, ticks, k, first, share * (sums[first + 1] - sums[first])
            )
            for low, high in ((here, first), (first + 1, there)):
                next_ = largest(tree, sums, low, high)
                if next_ >= 0:
                    note_origin(
                        origins,
                        ticks,
                        k,
                        next_,
                        share * (sums[next_ + 1] - sums[next_]),
                    )
        if passed[k] > 0:
            wait = largest(waited_tree, waited, begin[k], causes[k])
            of = place[wait]
            if of >= 0:
                for i in range(2):
                    if origins[of, i] >= 0:
                        share = passed[k] * (waited[causes[k]] - waited[begin[k]])
                        share *= late / (waited[wait + 1] - waited[wait])
                        note_origin(
                            origins, ticks, k, origins[of, i], share * ticks[of, i]
                        )
    return origins, ticks


@kernel
def note_origin(origins: Ints, ticks: Floats, k: int, piece: int, share: float) -> None:
    """Enter a piece that a wait is due to, if it is one of the two with most."""
    if piece == origins[k, 0]:
        ticks[k, 0] += share
        return
    if piece == origins[k, 1]:
        ticks[k, 1] += share
    elif share > ticks[k, 1]:
        origins[k, 1], ticks[k, 1] = piece, share
    if ticks[k, 1] > ticks[k, 0]:
        for_first, its = origins[k, 0], ticks[k, 0]
        origins[k, 0], ticks[k, 0] = origins[k, 1], ticks[k, 1]
        origins[k, 1], ticks[k, 1] = for_first, its
