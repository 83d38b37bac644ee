"""The version; what is saved names it."""

__version__ = "0.1.0"
