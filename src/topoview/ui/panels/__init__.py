"""The views of a trace: scene, timeline, matrix, profile, logical trace, events."""
