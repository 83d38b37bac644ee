"""Functions over a whole trace, and the pipeline that runs them."""

from topoview.analysis.pipeline import Analysis, analyse
from topoview.analysis.simulation.simulate import (
    Delay,
    Program,
    silent_program,
    simulate,
)

__all__ = [
    "Analysis",
    "Delay",
    "Program",
    "analyse",
    "silent_program",
    "simulate",
]
