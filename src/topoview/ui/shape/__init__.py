"""Choices of the scene's shape."""
