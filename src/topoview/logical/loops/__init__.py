"""Loops in a sequence of symbols, without loss."""
