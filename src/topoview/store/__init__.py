"""Columns and results on disk, mapped to memory when they are opened again."""
