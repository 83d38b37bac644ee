"""The timeline in the window."""
