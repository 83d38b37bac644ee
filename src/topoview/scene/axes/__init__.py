"""Axes as they are seen: their lines, numbers and names."""
