"""Waits, delays and the critical path, of any part of a run."""
