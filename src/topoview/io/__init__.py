"""Reading and writing OTF2 traces: the only place that knows the format."""
