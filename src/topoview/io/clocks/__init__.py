"""Clocks of ranks, aligned by causality where the tracer did not, or badly."""
