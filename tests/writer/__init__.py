"""Writing a trace as an OTF2 archive, through libotf2."""

from writer.write import EVENT_CHUNK, write_trace

__all__ = ["EVENT_CHUNK", "write_trace"]
