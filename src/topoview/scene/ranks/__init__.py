"""Shapes of ranks."""
