"""The communicator of a call, against looking through all records."""

from collections.abc import Callable

import pytest

from topoview.live.call_facts import communicator_of
from topoview.model import Trace


@pytest.mark.parametrize("name", ["sp-rowcol-6x4", "sp-bt-16"])
def test_of_every_call_of_real_traces(
    name: str, real_trace: Callable[[str], Trace]
) -> None:
    trace = real_trace(name)
    names = [communicator.name for communicator in trace.communicators]
    truth = {
        call: names[on]
        for call, on in zip(
            trace.messages.send_call.tolist(),
            trace.messages.communicator.tolist(),
            strict=True,
        )
    }
    parts = trace.collectives
    truth |= {
        call: names[on]
        for call, on in zip(
            parts.call.tolist(), parts.communicator.tolist(), strict=True
        )
    }
    calls = trace.calls
    for row in (0, 5):
        for call in range(calls.offsets[row], calls.offsets[row + 1]):
            begin, region = int(calls.enter[call]), int(calls.region[call])
            assert communicator_of(trace, row, begin, region) == truth.get(call, "")
    assert communicator_of(trace, 0, -5, 0) == ""


def test_without_messages_or_calls(simulated: Callable[..., Trace]) -> None:
    trace = simulated("grid", (3, 2))
    assert communicator_of(trace, 0, trace.clock.length + 1, 0) == ""
