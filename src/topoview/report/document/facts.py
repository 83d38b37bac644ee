"""What findings and sections of a report have in common: sums of the run, commands."""

import math
import shlex
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import numpy as np

from topoview.analysis.comparing.runs import RunComparison
from topoview.analysis.comparing.series import Run, run_of, sums
from topoview.analysis.waits.efficiency import efficiency_of
from topoview.base.text import duration_text, one_line
from topoview.model import SPAN_TEXTS, Analysis, Efficiency, Floats, Ints, LinkLoads

MAX_CELLS = 1 << 24
"""Ranks times iterations up to which each is told apart."""

MIN_LOOP = 0.1
"""Share of the time from the first to the last communication that the main loop takes
at least where it stands for the run; that of HPCG has 2 short iterations."""


@dataclass(frozen=True)
class Facts:
    """An analysis, and what reports tell of it beside."""

    analysis: Analysis
    """All results; what is not known is left out of the report."""
    delay: int = -1
    """Index of the delay that the scene and the timeline show; -1 for none."""
    time: int = 0
    """What they show, in ticks."""
    loads: LinkLoads | None = None
    """Of the links of the machine's network; None where nothing tells of nodes."""
    machine: tuple[str, ...] = ()
    """Options of commands that describe the machine."""
    compared: RunComparison | None = None
    other: str = ""
    """`compared` and `other`: the run (A) beside another one (B), and that one's trace
    as a command has it; None where there is none."""

    @property
    def file(self) -> str:
        """The trace as a command line has it."""
        return shlex.quote(one_line(Path(self.analysis.trace.path).name or "TRACE"))

    def command(self, name: str, *options: str) -> str:
        """Write a command about the trace."""
        return " ".join(("topoview", name, self.file, *options))

    @cached_property
    def run(self) -> Run | None:
        """What the run did, call by call; None without a logical trace."""
        analysis = self.analysis
        if analysis.logical is None or analysis.positions is None:
            return None
        if analysis.identification is None:
            return None
        run = run_of(
            analysis.trace,
            analysis.identification,
            analysis.logical,
            analysis.positions,
            analysis.waits,
        )
        return run if stands_for_run(run) else run.without_loop()

    @property
    def where(self) -> str:
        """What is looked at: ``in the loop`` or ``in the run``."""
        return "in the loop" if self.run and self.run.iterations else "in the run"

    @cached_property
    def efficiency(self) -> Efficiency | None:
        """Efficiencies of the profile's span; None where not known."""
        analysis = self.analysis
        if analysis.profile is None or not analysis.trace.clock.aligned:
            return None
        factors = efficiency_of(analysis.trace, analysis.profile)
        return None if math.isnan(factors.parallel) else factors

    @property
    def span(self) -> str:
        """The span that numbers are of: ``exchange``."""
        profile = self.analysis.profile
        return SPAN_TEXTS["exchange" if profile is None else profile.span.name]

    def of_ranks(self, measure: str) -> Floats:
        """Sum up by rank what is looked at: float64, shape (ranks,)."""
        run, ranks = self.run, self.analysis.trace.ranks
        if run is None:
            return np.zeros(ranks)
        values = run.values[measure][run.in_loop]
        return np.bincount(run.rank[run.in_loop], values, ranks).astype(np.float64)

    @cached_property
    def waits_by_iteration(self) -> Floats | None:
        """Waiting of each rank in each iteration, in seconds; None where not known.

        float64, shape (ranks, iterations)
        """
        run = self.run
        if run is None or run.waits is None or not run.iterations:
            return None
        if run.trace.ranks * run.iterations > MAX_CELLS:
            return None
        values = run.values["wait"], run.trace.ranks, run.iterations
        return sums(run.rank, run.iteration, *values).by_iteration

    @cached_property
    def iteration_seconds(self) -> Floats:
        """How long iterations take the mean rank: float64, shape (iterations,)."""
        run = self.run
        if run is None or not run.iterations:
            return np.zeros(0)
        values = run.values["time"] + run.values["computation"]
        whole = np.bincount(run.iteration, values, run.iterations + 1)
        result: Floats = whole[1:] / max(run.trace.ranks, 1)
        return result

    def duration(self, ticks: float | Ints) -> str:
        """Write a number of ticks as a duration."""
        return duration_text(float(ticks) / self.analysis.trace.clock.resolution)


def stands_for_run(run: Run) -> bool:
    """Return whether the loop takes most of the time in which ranks communicate."""
    if not run.iterations:
        return True
    calls, ranks = run.trace.calls, run.trace.ranks
    covered = np.flatnonzero(run.logical.statement_of_call[: calls.offsets[ranks]] >= 0)
    begin, end = int(calls.enter[covered].min()), int(calls.leave[covered].max())
    return run.window[1] - run.window[0] >= MIN_LOOP * (end - begin)
