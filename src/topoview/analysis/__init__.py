"""Functions over a whole trace, and the pipeline that runs them."""

from topoview.analysis.pipeline import Analysis, analyse

__all__ = ["Analysis", "analyse"]
