"""The kinds of topologies that are not lattices: recognised, numbered, named."""
