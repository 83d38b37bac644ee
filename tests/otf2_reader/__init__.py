"""Events read through libotf2: the oracle that the decoder is proved against.

Slower, on one core, and with all records in memory.
"""

from otf2_reader.fallback import read_through_library

__all__ = ["read_through_library"]
