"""Lines between ranks: edges, messages in flight, traffic of a window, wait chains."""
