"""Reading and writing OTF2 traces: the only place that knows the format."""

from topoview.io.reader import open_trace
from topoview.io.writer import write_trace

__all__ = ["open_trace", "write_trace"]
