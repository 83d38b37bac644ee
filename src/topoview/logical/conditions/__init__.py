"""Which ranks do what: predicates of ranks, and the conditions they make."""
