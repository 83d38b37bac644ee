"""Archives read through libotf2, by plain loops: the truth for the own decoder."""

from otf2_reader.reading import read_by, read_through_library

__all__ = ["read_by", "read_through_library"]
