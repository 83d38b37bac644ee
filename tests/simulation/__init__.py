"""Simulated MPI programs: traces of any topology without running anything."""

from simulation.program import Delay, Program, silent_program
from simulation.simulate import DISTRIBUTIONS, simulate

__all__ = ["DISTRIBUTIONS", "Delay", "Program", "silent_program", "simulate"]
