"""What is said of a trace that was read, held against what was done to it."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np

from topoview.io import open_trace, write_trace
from topoview.model import Trace


def health_of(path: Path):  # noqa: ANN201 - the model's
    health = open_trace(path).health
    assert health is not None
    return health


def verdicts(health) -> dict[str, str]:  # noqa: ANN001 - the model's
    return {finding.subject: finding.verdict for finding in health.findings}


def test_a_whole_trace(anchor: Path) -> None:
    trace, health = open_trace(anchor), health_of(anchor)
    assert health.verdict == "exact"
    assert health.events == trace.events
    assert health.sends == health.receives == health.matched == len(trace.messages)
    assert (health.events_lost, health.damaged_files, health.violations) == (0, 0, 0)


def test_a_file_that_was_cut(anchor: Path) -> None:
    whole = health_of(anchor)
    file = next((anchor.parent / anchor.stem).glob("3.evt"))
    file.write_bytes(file.read_bytes()[: file.stat().st_size // 2])
    cut = health_of(anchor)
    assert cut.verdict == "incomplete"
    assert verdicts(cut)["files"] == verdicts(cut)["events"] == "incomplete"
    assert cut.damaged_files == 1
    assert cut.events + cut.events_lost == whole.events
    assert cut.events_lost > 0
    assert cut.matched + cut.inferred_receives == cut.sends
    assert cut.matched + cut.inferred_sends == cut.receives
    assert cut.inferred_receives > 0
    assert cut.inferred_sends > 0


def test_a_missing_file(anchor: Path) -> None:
    next((anchor.parent / anchor.stem).glob("3.evt")).unlink()
    found = health_of(anchor)
    assert verdicts(found)["events"] == "incomplete"
    words = " ".join(finding.text for finding in found.findings)
    assert f"{found.inferred_receives} went to ranks without events" in words


def test_sends_without_receives(
    simulated: Callable[..., Trace], tmp_path: Path
) -> None:
    trace = simulated("torus", (4, 3))
    messages = trace.messages
    gone = np.arange(len(messages)) % 5 == 0
    trace = replace(
        trace,
        messages=replace(
            messages,
            receive_call=np.where(gone, -1, messages.receive_call),
            completion_call=np.where(gone, -1, messages.completion_call),
            receive_time=np.where(gone, -1, messages.receive_time),
        ),
    )
    found = health_of(write_trace(trace, tmp_path / "run"))
    assert found.sends == len(messages)
    assert found.sends - found.receives == found.inferred_receives > 0


def test_ez_trace_names_other_communicators(
    real_trace: Callable[[str], Trace],
) -> None:
    health = real_trace("ez-bt-16").health
    assert health is not None
    assert health.loosely == health.matched == 8160
    assert health.verdict == "repaired"
    assert health.violations == 0


def test_clocks_of_score_p(real_trace: Callable[[str], Trace]) -> None:
    trace = real_trace("sp-bt-16")
    health, messages = trace.health, trace.messages
    assert health is not None
    early = messages.receive_time < messages.send_time
    assert health.violations == np.count_nonzero(early)
    worst = int((messages.send_time - messages.receive_time).max(initial=0))
    assert health.worst_seconds == trace.clock.seconds(worst)
