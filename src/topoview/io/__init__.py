"""Read OTF2 traces: the only place that knows the format."""
