"""Figures, places and forms of a logical trace."""
