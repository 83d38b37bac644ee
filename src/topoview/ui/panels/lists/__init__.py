"""Panels that list things: rows that are sorted, filtered, clicked and copied."""
