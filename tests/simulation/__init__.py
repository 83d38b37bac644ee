"""Simulated MPI programs: traces of any topology without running anything."""

from simulation.program import SIDES, Delay, Program, grid_program, silent_program
from simulation.simulate import DISTRIBUTIONS, simulate

__all__ = [
    "DISTRIBUTIONS",
    "SIDES",
    "Delay",
    "Program",
    "grid_program",
    "silent_program",
    "simulate",
]
