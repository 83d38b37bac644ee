"""What is claimed of a run, each with the condition under which it is said."""

from typing import Final

import numpy as np

from topoview.model import (
    MIN_CORRELATION,
    Analysis,
    Claim,
    Identification,
    LinkLoads,
    noise_limit,
)

MIN_SHARE_APART: Final = 0.1
"""Share of the ranks that is in another state than most are, above which their states
are told to differ."""

SHARE_AROUND: Final = 1 / 128
"""Share of the window shown first, to both sides of a time, in which states differ."""

TIMES_AROUND: Final = 9

MIN_SHARE_WAITED: Final = 0.001
"""Share of their time that ranks wait at least if anything is said of it."""

MIN_SHARE_EXPLAINED: Final = 0.5
"""Share of the pairs of a topology and of those seen that are both, above which the
ranks are told to communicate as it."""


def late(analysis: Analysis, delay: int) -> Claim:
    """Claim that a rank was late: longer than others ever are at that place.

    And that this is why others waited.
    """
    delays, second = analysis.delays, analysis.trace.clock.resolution
    assert delays is not None
    excess = float(delays.excess[delay]) / second
    return Claim(
        "late",
        excess,
        error=float(delays.noise[delay]) / second,
        evidence=(
            ("seconds", excess),
            ("ranks_reached", int(delays.reached[delay])),
        ),
        needs=(Claim("explains_waits", float(delays.is_late(delay))),),
    )


def front(analysis: Analysis, delay: int) -> Claim:
    """Claim that the waiting for a late rank travels from neighbour to neighbour."""
    delays = analysis.delays
    assert delays is not None
    correlation = float(delays.correlation[delay])
    return Claim(
        "front",
        correlation,
        least=MIN_CORRELATION,
        evidence=(("rank_correlation", correlation),),
        needs=(late(analysis, delay),),
    )


def speed(analysis: Analysis, delay: int) -> Claim:
    """Claim how many hops a front travels with each iteration."""
    delays = analysis.delays
    assert delays is not None
    hops, error = (
        float(delays.hops_per_iteration[delay]),
        float(delays.errors[0, delay]),
    )
    evidence = (("hops_per_iteration", hops), ("error", error))
    return Claim("speed", hops, error, 0.0, evidence, (front(analysis, delay),))


def decay(analysis: Analysis, delay: int) -> Claim:
    """Claim that a front loses some seconds with each hop."""
    delays = analysis.delays
    assert delays is not None
    lost, error = float(delays.decay[delay]), float(delays.errors[2, delay])
    evidence = (("decay_seconds_per_hop", lost), ("error", error))
    return Claim("decay", lost, error, 0.0, evidence, (front(analysis, delay),))


def waiting(analysis: Analysis) -> Claim:
    """Claim that ranks wait at all, for more than calls that all make at once."""
    delays, clock = analysis.delays, analysis.trace.clock
    assert delays is not None
    share = delays.waiting / max(analysis.trace.ranks * clock.ticks_read, 1)
    return Claim("waiting", share, least=MIN_SHARE_WAITED, evidence=(("share", share),))


def states_differ(analysis: Analysis, ticks: int) -> Claim:
    """Claim that the states of the ranks differ at a time, so that it shows something.

    The number is the share of the ranks that is in another state than most, on average
    shortly before and after: ranks that do the same never do so to the tick.
    """
    assert analysis.overview is not None
    trace, window = analysis.trace, analysis.overview.window
    around = max((window[1] - window[0]) * SHARE_AROUND, 1)
    apart = []
    for time in np.linspace(ticks - around, ticks + around, TIMES_AROUND):
        at = int(np.clip(time, 0, max(trace.clock.length, 1)))
        states = trace.timeline.state[trace.timeline.at(at)[: trace.ranks]]
        apart.append(1 - np.bincount(states, minlength=1).max() / max(len(states), 1))
    share = float(np.mean(apart))
    evidence = (("share", share),)
    return Claim("states_differ", share, least=MIN_SHARE_APART, evidence=evidence)


def stands_out(name: str, values: np.ndarray, times_mean: float = 0.0) -> Claim:
    """Claim that the largest of some numbers is beyond the noise of the others.

    Parameters
    ----------
    name
        Name of the claim.
    values : shape (n,)
        Of ranks, pairs or iterations.
    times_mean
        How many times the mean it is at least.
    """
    if not len(values):
        return Claim(name, 0.0)
    most, mean = float(values.max()), float(values.mean())
    least = max(noise_limit(values), times_mean * mean)
    return Claim(
        name, most, least=least, evidence=(("times_mean", most / max(mean, 1)),)
    )


def shape(identification: Identification) -> Claim:
    """Claim that ranks communicate as a topology, of whose pairs and those seen."""
    best = identification.best
    pairs = best.matched + best.missing + best.extra
    explained = best.matched / pairs if pairs else 0.0
    is_named = best.topology.is_named
    return Claim(
        "shape",
        explained,
        least=MIN_SHARE_EXPLAINED,
        evidence=(
            ("matched", best.matched),
            ("missing", best.missing),
            ("extra", best.extra),
        ),
        needs=(Claim("named", float(is_named)),),
    )


def between_nodes(loads: LinkLoads) -> Claim:
    """Claim how much goes from node to node; told as assumed where the nodes were."""
    share = loads.between_nodes / max(loads.total_bytes, 1)
    return Claim(
        "between_nodes",
        share,
        evidence=(("share", share), ("assumed", float(loads.placement.assumed))),
        needs=(Claim("hop_bytes", float(loads.hop_bytes)),),
    )
