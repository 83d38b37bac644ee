"""Waits: who waited, for whom, and whose delay it was in the end."""
