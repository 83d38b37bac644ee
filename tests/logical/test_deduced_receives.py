"""Receives that a tracer does not record, and from whom they must come."""

from dataclasses import replace

import numpy as np
import pytest
from programs import Step, trace_of
from traces import logical_of

from topoview.logical.calls import messages
from topoview.logical.calls.messages import deduced_receives
from topoview.logical.listing import listing
from topoview.model import Trace, whole_part

STAGES, BATCHES, TURNS = 4, 5, 3


def pipeline() -> Trace:
    """Send batches through the stages of a pipeline, and then back."""
    steps: list[list[Step]] = [[] for _ in range(2 * STAGES)]
    for rank, own in enumerate(steps):
        stage, ends = rank % STAGES, (0, STAGES - 1)
        for _ in range(TURNS):
            for step, (first, last) in ((1, ends), (-1, ends[::-1])):
                for _ in range(BATCHES):
                    if stage != first:
                        own.append(Step("Irecv", receives=(rank - step,)))
                        own.append(Step("Wait"))
                    if stage != last:
                        own.append(Step("Isend", sends=((rank + step, 64),)))
                        own.append(Step("Wait"))
            own.append(Step("Allreduce", part=(0, -1, 8)))
    return trace_of(steps)


def chain() -> Trace:
    """Exchange with both neighbours at once: either message may come first."""
    steps: list[list[Step]] = [[] for _ in range(STAGES)]
    for rank, own in enumerate(steps):
        around = [r for r in (rank - 1, rank + 1) if 0 <= r < STAGES]
        for _ in range(TURNS):
            own += [Step("Irecv", receives=(r,)) for r in around]
            own += [Step("Isend", sends=((r, 64),)) for r in around]
            own.append(Step("Waitall"))
    return trace_of(steps)


def unrecorded(trace: Trace) -> Trace:
    """Leave out what receives recorded."""
    lost = np.full(len(trace.messages), -1, np.int64)
    messages = replace(
        trace.messages, receive_call=lost, completion_call=lost, receive_time=lost
    )
    return replace(trace, messages=messages)


def test_receives_that_can_come_from_one_rank_only_are_found() -> None:
    truth = pipeline()
    message, call = deduced_receives(whole_part(unrecorded(truth)))
    assert message.tolist() == list(range(len(truth.messages)))
    assert call.tolist() == truth.messages.receive_call.tolist()


def test_a_pipeline_is_told_by_directions() -> None:
    logical = logical_of(unrecorded(pipeline()))[1]
    lines = [line.strip() for line in listing(logical).splitlines()]
    assert {"Irecv from WEST 64 B", "Irecv from EAST 64 B"} <= set(lines)
    assert "Irecv" not in lines
    assert logical.ranks_verified == 2 * STAGES


def test_receives_that_can_come_from_two_ranks_are_left_alone() -> None:
    truth = chain()
    message, call = deduced_receives(whole_part(unrecorded(truth)))
    ends = np.flatnonzero(np.isin(truth.messages.receiver, (0, STAGES - 1)))
    assert message.tolist() == ends.tolist()
    assert call.tolist() == truth.messages.receive_call[ends].tolist()


@pytest.mark.parametrize("bound", ["MAX_CALLS_FOLLOWED", "MAX_STEPS_FOLLOWED"])
def test_of_too_much_to_follow_only_receives_from_one_rank_are_found(
    bound: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    truth = pipeline()
    whole = whole_part(unrecorded(truth))
    calls = len(truth.calls)
    steps = calls * (truth.ranks if bound == "MAX_STEPS_FOLLOWED" else 1)
    monkeypatch.setattr(messages, bound, steps)
    assert deduced_receives(whole).shape[1] == len(truth.messages)
    monkeypatch.setattr(messages, bound, steps - 1)
    ends = np.flatnonzero(truth.messages.receiver % STAGES % (STAGES - 1) == 0)
    assert deduced_receives(whole)[0].tolist() == ends.tolist()
