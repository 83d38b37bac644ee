"""Definitions of an archive: read as records, and resolved into those of the model."""
