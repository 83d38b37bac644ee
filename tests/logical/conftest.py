"""Hypothesis without deadlines here: the first example compiles kernels."""

from hypothesis import settings

settings.register_profile("compiling", deadline=None)
settings.load_profile("compiling")
