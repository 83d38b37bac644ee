"""The logical trace in the window."""
