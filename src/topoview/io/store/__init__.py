"""The store of traces that were read before."""
