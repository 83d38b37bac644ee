"""The decoder of files of events and of global definitions."""
