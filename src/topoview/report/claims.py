"""What is claimed of a run, each with the condition under which it is said."""

from typing import Final

import numpy as np

from topoview import model

MIN_SHARE_APART: Final = 0.1
"""Share of the ranks that is in another state than most are, above which their states
are told to differ."""

SHARE_AROUND: Final = 1 / 128
"""Share of the window shown first, to both sides of a time, in which states differ."""

TIMES_AROUND: Final = 9

MAX_RANKS_COMPARED: Final = 1 << 15
"""Ranks whose states are looked at; of more so many at random, of which the share is
right to half a per cent (two standard errors)."""

MIN_SHARE_WAITED: Final = 0.001
"""Share of their time that ranks wait at least if anything is said of it."""

MIN_SHARE_EXPLAINED: Final = 0.5
"""Share of the pairs of a topology and of those seen that are both, above which the
ranks are told to communicate as it."""


MIN_SHARE_OF_BYTES: Final = 0.5
"""Share of the bytes from which on they are most of them."""

TIMES_MEAN: Final = 2.0
"""How many times the mean one of few numbers is, above which it stands out."""

READS_AS_MORE: Final = 0.005
"""What a ratio differs from 1 by at least if it does not read as 1.00."""


def late(trace: model.Trace, delays: model.Delays, delay: int) -> model.Claim:
    """Claim that a rank was late: longer than others ever are at that place.

    Or by as long as its tracer took, which is recorded. And that this is why others
    waited; and that no other rank stood still in a call at the same time.
    """
    second = trace.clock.resolution
    excess = float(delays.excess[delay]) / second
    noise = 0.0 if delays.is_measurement[delay] else float(delays.noise[delay]) / second
    return model.Claim(
        "late",
        excess,
        error=noise,
        evidence=(
            ("seconds", excess),
            ("ranks_reached", int(delays.reached[delay])),
        ),
        needs=(
            model.Claim("explains_waits", float(delays.is_late(delay))),
            model.Claim("alone", float(delays.beside[delay] == 0)),
        ),
    )


def saving(trace: model.Trace, delays: model.Delays, delay: int) -> model.Claim:
    """Claim by how much the exchange would be shorter had a rank not been late."""
    second = trace.clock.resolution
    seconds = max(float(delays.saved[delay]), 0.0) / second
    return model.Claim(
        "saving",
        seconds,
        evidence=(("saved_seconds", seconds),),
        needs=(late(trace, delays, delay),),
    )


def stall(trace: model.Trace, delays: model.Delays, delay: int) -> model.Claim:
    """Claim that several ranks stood still in calls at once, longer than by noise."""
    second = trace.clock.resolution
    return model.Claim(
        "stall",
        float(delays.excess[delay]) / second,
        error=float(delays.noise[delay]) / second,
        evidence=(("ranks", int(delays.beside[delay]) + 1),),
        needs=(model.Claim("beside", float(delays.beside[delay])),),
    )


def front(trace: model.Trace, delays: model.Delays, delay: int) -> model.Claim:
    """Claim that the waiting for a late rank travels from neighbour to neighbour."""
    correlation = float(delays.correlation[delay])
    return model.Claim(
        "front",
        correlation,
        least=model.MIN_CORRELATION,
        evidence=(("rank_correlation", correlation),),
        needs=(late(trace, delays, delay),),
    )


def speed(trace: model.Trace, delays: model.Delays, delay: int) -> model.Claim:
    """Claim how many hops a front travels with each iteration."""
    needs = front(trace, delays, delay)
    return _beyond_error(
        "hops_per_iteration",
        delays.hops_per_iteration[delay],
        delays.errors[0, delay],
        needs,
    )


def pace(trace: model.Trace, delays: model.Delays, delay: int) -> model.Claim:
    """Claim how many hops a front travels a second."""
    needs = front(trace, delays, delay)
    return _beyond_error(
        "hops_per_second", delays.hops_per_second[delay], delays.errors[1, delay], needs
    )


def predicted_pace(trace: model.Trace, delays: model.Delays, delay: int) -> model.Claim:
    """Claim how many hops a second a front should travel that is seen to travel."""
    needs = pace(trace, delays, delay)
    hops, error = delays.predicted[:, 1].tolist()
    return _beyond_error("predicted", hops, error, needs)


def decay(trace: model.Trace, delays: model.Delays, delay: int) -> model.Claim:
    """Claim that a front loses some seconds with each hop."""
    needs = front(trace, delays, delay)
    return _beyond_error("decay", delays.decay[delay], delays.errors[2, delay], needs)


def noise(trace: model.Trace, delays: model.Delays, delay: int) -> model.Claim:
    """Claim by how many seconds a hop noise shortens a front that is predicted."""
    needs = predicted_pace(trace, delays, delay)
    return _beyond_error("noise", delays.noise_per_hop, 0.0, needs)


def _beyond_error(
    name: str, number: float, error: float, needs: model.Claim
) -> model.Claim:
    """Claim what a line tells if it is beyond its error, both of which are evidence."""
    evidence = ((name, float(number)), ("error", float(error)))
    return model.Claim(
        name, float(number), float(error), evidence=evidence, needs=(needs,)
    )


def waiting(analysis: model.Analysis) -> model.Claim:
    """Claim that ranks wait at all, for more than calls that all make at once."""
    delays, clock = analysis.delays, analysis.trace.clock
    assert delays is not None
    share = delays.waiting / max(analysis.trace.ranks * clock.ticks_read, 1)
    return model.Claim(
        "waiting", share, least=MIN_SHARE_WAITED, evidence=(("share", share),)
    )


def states_differ(analysis: model.Analysis, ticks: int) -> model.Claim:
    """Claim that the states of the ranks differ at a time, so that it shows something.

    The number is the share of the ranks that is in another state than most, on average
    shortly before and after: ranks that do the same never do so to the tick.
    """
    assert analysis.overview is not None
    return _states_differ(analysis.trace, analysis.overview.window, ticks)


@model.kept_with_source()
def _states_differ(
    trace: model.Trace, window: tuple[int, int], ticks: int
) -> model.Claim:
    """Look where that was not done yet: it takes long for very many ranks."""
    around = max((window[1] - window[0]) * SHARE_AROUND, 1)
    spread = np.linspace(ticks - around, ticks + around, TIMES_AROUND)
    times: model.Ints = spread.clip(0, max(trace.clock.length, 1)).astype(np.int64)
    ranks = np.arange(trace.ranks)
    if len(ranks) > MAX_RANKS_COMPARED:
        drawn = np.random.default_rng(0).integers(trace.ranks, size=MAX_RANKS_COMPARED)
        ranks = np.sort(drawn)
    intervals = trace.timeline.at(times[:, None], ranks)
    alike = [np.bincount(row).max() for row in trace.timeline.state[intervals]]
    share = 1 - float(np.mean(alike)) / max(len(ranks), 1)
    evidence = (("share", share),)
    return model.Claim("states_differ", share, least=MIN_SHARE_APART, evidence=evidence)


def stands_out(name: str, values: np.ndarray, times_mean: float = 0.0) -> model.Claim:
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
        return model.Claim(name, 0.0)
    most, mean = float(values.max()), float(values.mean())
    least = max(model.noise_limit(values), times_mean * mean)
    return model.Claim(
        name, most, least=least, evidence=(("times_mean", most / max(mean, 1)),)
    )


def shape(identification: model.Identification) -> model.Claim:
    """Claim that ranks communicate as a topology, of whose pairs and those seen."""
    best = identification.best
    pairs = best.matched + best.missing + best.extra
    explained = best.matched / pairs if pairs else 0.0
    is_named = best.topology.is_named
    return model.Claim(
        "shape",
        explained,
        least=MIN_SHARE_EXPLAINED,
        evidence=(
            ("matched", best.matched),
            ("missing", best.missing),
            ("extra", best.extra),
        ),
        needs=(model.Claim("named", float(is_named)),),
    )


def most_bytes(match: model.Match) -> model.Claim:
    """Claim that most bytes are on the edges of a match, each of which was seen."""
    share = match.bytes_covered
    return model.Claim(
        "most_bytes",
        share + READS_AS_MORE,
        least=MIN_SHARE_OF_BYTES,
        evidence=(("share", share), ("missing", match.missing)),
        needs=(model.Claim("none_missing", float(not match.missing)),),
    )


def phases(identification: model.Identification) -> model.Claim:
    """Claim that a run has several phases, each with its own pairs of ranks."""
    count = sum(part.by == "phase" for part in identification.parts)
    return model.Claim("phases", count, least=1, evidence=(("phases", count),))


def direction(sums: model.WaitSums) -> model.Claim:
    """Claim that waiting for one rank is mostly in one direction of those used."""
    ticks = sums.by_direction
    most, used = float(ticks.max(initial=0)), int((ticks > 0).sum())
    times = most * used / max(float(ticks.sum()), 1)
    share = most / max(float(ticks.sum()), 1)
    evidence = (("direction_share", share),)
    return model.Claim(
        "direction", times + READS_AS_MORE, least=TIMES_MEAN, evidence=evidence
    )


def between_nodes(loads: model.LinkLoads) -> model.Claim:
    """Claim how much goes from node to node; told as assumed where the nodes were."""
    share = loads.between_nodes / max(loads.total_bytes, 1)
    evidence = (("share", share), *_machine(loads))
    needs = (model.Claim("hop_bytes", float(loads.hop_bytes)),)
    return model.Claim("between_nodes", share, evidence=evidence, needs=needs)


def hottest(loads: model.LinkLoads) -> model.Claim:
    """Claim that some links carry more than others: how many times the mean."""
    times = loads.hottest_bytes / loads.mean_bytes if loads.mean_bytes else 0.0
    evidence = (("times_mean", times), ("bytes", loads.hottest_bytes), *_machine(loads))
    return model.Claim("hottest", times, READS_AS_MORE, 1.0, evidence)


def mapping_gains(before: model.Mapping, after: model.Mapping) -> model.Claim:
    """Claim that a mapping has fewer hop-bytes than another: which share less."""
    whole = before.loads.hop_bytes
    less = (whole - after.loads.hop_bytes) / max(whole, 1)
    evidence = (("share", less), *_machine(before.loads))
    return model.Claim("mapping_gains", less, READS_AS_MORE, 0.0, evidence)


def _machine(loads: model.LinkLoads) -> tuple[tuple[str, float], ...]:
    """Return as evidence whether the machine was assumed."""
    return (("assumed", float(loads.placement.assumed)),)
