"""The communication matrix in the window."""
