"""Lattices: made, named, recognised under any numbering, and laid in rank order."""
