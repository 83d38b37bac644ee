"""Writing a trace as an OTF2 archive, through libotf2."""

from writer.write import write_trace

__all__ = ["write_trace"]
