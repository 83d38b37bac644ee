"""When ranks come to operations that they share: collectives, windows, fences."""
