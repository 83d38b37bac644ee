"""How runs on several numbers of ranks scale: time, speed-up, and where it is lost.

Global efficiency is parallel efficiency times computation scalability: what a run's
ranks compute, against the smallest run (POP Centre of Excellence, Standard metrics for
performance analysis of parallel applications). Where the problem stays the same (strong
scaling) the ranks together should compute as much, where it grows with the ranks (weak
scaling) each of them. Where runs count instructions and cycles, it is the product of
three: how many fewer instructions there are, how many more of them a cycle, how many
more cycles a second.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass

from topoview.analysis.comparing.series import Run, looked_at_alike
from topoview.analysis.logical.counters import useful_work
from topoview.analysis.waits.efficiency import efficiency_within
from topoview.model import Efficiency, UsefulWork

STRONG, WEAK = "strong", "weak"


@dataclass(frozen=True, slots=True)
class ScalingPoint:
    """A run among runs on other numbers of ranks."""

    name: str
    ranks: int
    iterations: int
    """`name`, `ranks` and `iterations`: of the trace; iterations of its loop, 0 where
    there is none."""
    seconds: float
    """Length of an iteration; of the run where there is no loop."""
    computed: float
    """Seconds that all ranks together compute in it."""
    speed_up: float
    """Of the smallest run's time; weak scaling: times the ranks."""
    computation: float
    """Computation scalability."""
    instructions: float
    ipc: float
    frequency: float
    """`instructions`, `ipc` and `frequency`: scalability of the instructions of its
    computation, of those a cycle, and of the cycles a second; NaN where a run does not
    count them."""
    efficiency: Efficiency | None
    """Those of POP; None where clocks are not aligned."""
    whole: float
    """Global efficiency; NaN where unknown."""


def scaling(
    runs: Sequence[Run], names: Sequence[str], kind: str = ""
) -> tuple[str, tuple[ScalingPoint, ...]]:
    """Find how runs scale, in order of their ranks.

    Parameters
    ----------
    kind
        ``strong`` or ``weak``; empty: what changes less, the computation of all ranks
        together or of each.

    Returns
    -------
    str
        The kind.
    tuple of ScalingPoint
    """
    pairs = sorted(
        zip(looked_at_alike(runs), names, strict=True),
        key=lambda one: one[0].trace.ranks,
    )
    turns = [max(run.iterations, 1) for run, _ in pairs]
    spent = [
        float(run.values["computation"][run.in_loop].sum()) / turn
        for (run, _), turn in zip(pairs, turns, strict=True)
    ]
    ranks = [run.trace.ranks for run, _ in pairs]
    kind = kind or _kind(spent, ranks)
    first = pairs[0][0].seconds / turns[0]
    works = [useful_work(run.trace, run.window) for run, _ in pairs]
    points = []
    for (run, name), turn, computed, work in zip(
        pairs, turns, spent, works, strict=True
    ):
        growth = run.trace.ranks / ranks[0] if kind == WEAK else 1.0
        seconds = run.seconds / turn
        scalability = spent[0] * growth / computed if computed else math.nan
        efficiency = None
        if run.waits is not None:
            efficiency = efficiency_within(run.trace, run.waits, run.window)
        whole = efficiency.parallel * scalability if efficiency else math.nan
        speed_up = growth * first / seconds if seconds else math.nan
        counted = _of_counters(works[0], work, growth * turn / turns[0])
        instructions, ipc, frequency = counted
        points.append(
            ScalingPoint(
                name=name,
                ranks=run.trace.ranks,
                iterations=run.iterations,
                seconds=seconds,
                computed=computed,
                speed_up=speed_up,
                computation=scalability,
                instructions=instructions,
                ipc=ipc,
                frequency=frequency,
                efficiency=efficiency,
                whole=whole,
            )
        )
    return kind, tuple(points)


def _of_counters(
    first: UsefulWork | None, own: UsefulWork | None, growth: float
) -> tuple[float, float, float]:
    """Compare what counters counted; `growth` is of the work that is to be done."""
    if first is None or own is None:
        return (math.nan,) * 3
    needed = _ratio(first.instructions, own.instructions)
    speeds = _ratio(own.ipc, first.ipc), _ratio(own.frequency, first.frequency)
    return growth * needed, *speeds


def _ratio(one: float, other: float) -> float:
    return one / other if other else math.nan


def _kind(spent: Sequence[float], ranks: Sequence[int]) -> str:
    """Return which changes less: what all ranks compute, or what each does."""
    together = each = 0.0
    for computed, count in zip(spent, ranks, strict=True):
        if computed and spent[0]:
            change = math.log(computed / spent[0])
            together += abs(change)
            each += abs(change - math.log(count / ranks[0]))
    return STRONG if together <= each else WEAK
