"""Reading and writing OTF2 traces: the only place that knows the format."""

from topoview.io.process import read_in_process
from topoview.io.reader import open_trace
from topoview.io.writer import write_trace

__all__ = ["open_trace", "read_in_process", "write_trace"]
