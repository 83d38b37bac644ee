"""Stretches of time in files whose times are damaged come to an end."""

from pathlib import Path

from topoview.model import Subset
from topoview.worker import open_trace

DAMAGED = Path(__file__).parent / "data" / "times-behind-all-others.tar.xz"
"""Simulated, with bytes flipped at random: a call that is open at a damaged time."""


def test_a_call_that_is_open_at_a_time_behind_all_others() -> None:
    """All of the file is read for its end, and no more."""
    trace = open_trace(DAMAGED, subset=Subset(6.96e-5, 1.1165685398244751))
    assert trace.events
    assert trace.warnings
