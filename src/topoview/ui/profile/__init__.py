"""The profile in the window."""
