"""What is said of a delay: a sentence, facts, the cells of a table, CSV."""

import math
from collections.abc import Iterator
from typing import Final

from topoview.model import Analysis, Delays
from topoview.text import duration_text, plural

TITLES: Final = (
    *("origin", "iteration", "late by", "ranks reached"),
    *("hops per iteration", "decay per hop", "caused"),
)
"""Columns of the table of delays."""

CSV_TITLES: Final = (
    *("rank", "begin_seconds", "iteration", "seconds", "ranks_reached"),
    *("hops_per_iteration", "decay_seconds_per_hop", "caused_seconds"),
)


def delay_headline(known: Analysis, delay: int) -> str:
    """Say who was late, by how much, and when.

    ``Rank 5 was late by 59.8 ms in iteration 8.``; where it took about as long as such
    places of the program usually do: ``Rank 5 kept others waiting in ...``.
    """
    delays, clock = _of(known), known.trace.clock
    excess, region = int(delays.excess[delay]), int(delays.region[delay])
    what = "kept others waiting"
    if delays.is_late(delay):
        what = f"was late by {duration_text(clock.seconds(excess))}"
    inside = f" in {known.trace.regions.title(region)}" if region >= 0 else ""
    when = f"in iteration {delays.iteration[delay]}"
    if not delays.iteration[delay]:
        when = f"at {duration_text(clock.seconds(int(delays.begin[delay])))}"
    return f"Rank {delays.rank[delay]} {what}{inside}{',' * bool(inside)} {when}."


def delay_facts(known: Analysis, delay: int) -> str:
    """Say what it did: ``31 ranks waited, 1.85 s in all; 1 hop per iteration.``."""
    delays, clock = _of(known), known.trace.clock
    caused = duration_text(clock.seconds(int(delays.caused[delay])))
    found = f"{plural(int(delays.reached[delay]), 'rank')} waited, {caused} in all"
    speed = speed_text(float(delays.hops_per_iteration[delay]))
    return f"{found}; {speed}." if speed else f"{found}."


def front_words(known: Analysis, delay: int) -> str:
    """Label a front: ``front: 1 hop per iteration, 4.2 ms per hop``; or nothing."""
    delays = _of(known)
    found = [speed_text(float(delays.hops_per_iteration[delay]))]
    rate = float(delays.hops_per_second[delay])
    if math.isfinite(rate) and rate > 0:
        found.append(f"{duration_text(1 / rate)} per hop")
    words = ", ".join(filter(None, found))
    return f"front: {words}" if words else ""


def speed_text(hops: float) -> str:
    """Write hops per iteration: ``1 hop per iteration``; empty where unknown."""
    if not math.isfinite(hops):
        return ""
    number = f"{hops:.2g}" if abs(hops) < 10 else f"{hops:.0f}"
    return f"{number} hop{'' if number == '1' else 's'} per iteration"


def delay_cells(known: Analysis, delay: int) -> tuple[str, ...]:
    """Write the cells of a delay's row, a text for each of `TITLES`."""
    delays, clock = _of(known), known.trace.clock
    iteration, excess = int(delays.iteration[delay]), int(delays.excess[delay])
    hops, decay = float(delays.hops_per_iteration[delay]), float(delays.decay[delay])
    return (
        f"rank {delays.rank[delay]}",
        f"{iteration}" if iteration else "",
        duration_text(clock.seconds(excess)),
        f"{delays.reached[delay]}",
        f"{hops:.2f}" if math.isfinite(hops) else "",
        duration_text(decay) if math.isfinite(decay) else "",
        duration_text(clock.seconds(int(delays.caused[delay]))),
    )


def delay_rows(known: Analysis) -> Iterator[tuple[object, ...]]:
    """List all delays in plain numbers, as `CSV_TITLES` says, costliest first."""
    delays, clock = _of(known), known.trace.clock
    for i in range(len(delays)):
        yield (
            int(delays.rank[i]),
            clock.seconds(int(delays.begin[i])),
            int(delays.iteration[i]) or "",
            clock.seconds(int(delays.excess[i])),
            int(delays.reached[i]),
            *map(_number, (delays.hops_per_iteration[i], delays.decay[i])),
            clock.seconds(int(delays.caused[i])),
        )


def _number(value: float) -> float | str:
    return float(value) if math.isfinite(value) else ""


def _of(known: Analysis) -> Delays:
    assert known.delays is not None
    return known.delays
