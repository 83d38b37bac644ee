"""What is not done with a trace because it would take too much memory."""

from typing import Final

from topoview.memory import budget, size_words
from topoview.model import Trace

_A_CALL: Final = 260
_A_MESSAGE: Final = 100
"""Bytes that making the logical trace takes, as measured: benchmarks/memory.py."""


def logical_refusal(trace: Trace) -> str:
    """Say why no logical trace is made, in a sentence; empty if one can be."""
    needed = _A_CALL * len(trace.calls) + _A_MESSAGE * len(trace.messages)
    if needed <= budget():
        return ""
    return (
        f"The logical trace was not made: it would take about {size_words(needed)} of "
        f"memory, and {size_words(budget())} may be taken. Read some ranks or a "
        "stretch of time only, or allow more (TOPOVIEW_MEMORY, --memory)."
    )
