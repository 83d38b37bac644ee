"""Partners that go round, or differ in bits, in algorithms of many partners."""

from collections.abc import Callable

import numpy as np
import pytest
from parts import logicalise
from programs import Step, entries_of, trace_of

from topoview.logical import expand
from topoview.logical.calls.partners import Exchanges, Shifts
from topoview.logical.listing import listing
from topoview.topology import communication_matrix, directions, identify
from topoview.topology.library import alternatives


def pairwise(rank: int, ranks: int) -> list[Step]:
    """Send k ranks ahead and receive from k ranks behind, for all k."""
    own: list[Step] = []
    for k in range(1, ranks):
        own.append(Step("Irecv", receives=((rank - k) % ranks,)))
        own.append(Step("Send", (((rank + k) % ranks, 64),)))
        own.append(Step("Wait", posted=len(own) - 2))
    return own


def dissemination(rank: int, ranks: int) -> list[Step]:
    """Send 1, 2 and 4 ranks ahead, as a barrier does, five times."""
    own: list[Step] = []
    for _ in range(5):
        for k in (1, 2, 4):
            own.append(Step("Irecv", receives=((rank - k) % ranks,)))
            own.append(Step("Send", (((rank + k) % ranks, 64),)))
            own.append(Step("Wait", posted=len(own) - 2))
    return own


def bitwise(rank: int, ranks: int) -> list[Step]:
    """Exchange with each other rank, by the bits of its number."""
    return [Step("Sendrecv", ((rank ^ k, 64),), (rank ^ k,)) for k in range(1, ranks)]


ROUND = ["Irecv from -k 64 B", "Send to +k 64 B", "Wait (Irecv from -k)"]
RING = [line.replace("-k", "WEST xk").replace("+k", "EAST xk") for line in ROUND]


@pytest.mark.parametrize(
    ("program", "ranks", "expected"),
    [
        (pairwise, 8, ["for k in 1..7:", *ROUND]),
        (pairwise, 7, ["for k in 1..6:", *ROUND]),
        (dissemination, 7, ["repeat 5:", "for k in 1, 2, 4:", *ROUND]),
        (dissemination, 8, ["repeat 5:", "for k in 1, 2, 4:", *RING]),
        (
            bitwise,
            8,
            ["for k in 1..7:", "Sendrecv to EXCHANGE k, from EXCHANGE k 64 B"],
        ),
    ],
)
def test_rounds_are_loops_over_the_distance(
    program: Callable[[int, int], list[Step]], ranks: int, expected: list[str]
) -> None:
    trace = trace_of([program(rank, ranks) for rank in range(ranks)])
    best = identify(communication_matrix(trace)).best
    logical = logicalise(trace, directions(best), match=best, others=alternatives(best))
    said = [line.strip() for line in listing(logical).splitlines() if line[0] != "#"]
    assert said == expected
    assert logical.ranks_verified == ranks
    for rank in range(ranks):
        assert expand(logical, rank) == entries_of(trace, rank)


def test_names_lead_to_the_partners_that_they_name() -> None:
    place = np.random.default_rng(3).permutation(9)
    ranks, partners = (a.ravel().astype(np.int32) for a in np.mgrid[0:9, 0:9])
    for words in (("+", "-"), ("EAST", "WEST")):
        shifts = Shifts.around(place, words)
        for named in (shifts.names, shifts.sources):
            found, names = named(ranks, partners)
            for here, there, index in zip(ranks, partners, found, strict=True):
                assert shifts.partner(int(here), names[index]) == there
    ranks, partners = (a.ravel().astype(np.int32) for a in np.mgrid[0:8, 0:8])
    found, names = Exchanges().names(ranks, partners)
    for here, there, index in zip(ranks, partners, found, strict=True):
        assert Exchanges().partner(int(here), names[index]) == there
