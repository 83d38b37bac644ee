"""Traces of simulated MPI programs."""
