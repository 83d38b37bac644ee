"""What is said of a trace that was read, held against what was done to it."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from event_files import Event, write_definitions, write_file
from traces import EVERY_REAL
from writer import write_trace

from topoview.model import Trace
from topoview.worker import open_trace


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


@pytest.mark.traces
def test_ez_trace_names_other_communicators(
    real_trace: Callable[[str], Trace],
) -> None:
    health = real_trace("ez-bt-16").health
    assert health is not None
    assert health.loosely == health.matched == 8160
    assert health.verdict == "repaired"
    assert health.violations == 0


def test_clocks_of_score_p(real_trace: Callable[[str], Trace]) -> None:
    trace = real_trace("sp-twophase-6x6-user-metrics")
    health, messages = trace.health, trace.messages
    assert health is not None
    early = messages.receive_time < messages.send_time
    assert health.violations == np.count_nonzero(early)
    worst = int((messages.send_time - messages.receive_time).max(initial=0))
    assert health.worst_seconds == trace.clock.seconds(worst)


RECEIVES = ("MpiRecv", "MpiIrecv", "MpiMrecv", "MpiImrecv")


def sums(trace: Trace) -> None:
    """Hold what is told of sends and receives against the number of records."""
    health, counts = trace.health, dict(trace.counts)
    assert health is not None
    assert health.send_records == counts.get("MpiSend", 0) + counts.get("MpiIsend", 0)
    assert health.receive_records == sum(counts.get(name, 0) for name in RECEIVES)
    out = {
        kind: sum(part.count for part in health.left_out if part.records == kind)
        for kind in ("sends", "receives")
    }
    assert health.sends + out["sends"] == health.send_records
    assert health.receives + out["receives"] == health.receive_records
    assert health.matched + health.inferred_receives == health.sends
    assert health.matched + health.inferred_sends == health.receives
    assert health.sends + health.inferred_sends == len(trace.messages)


@pytest.mark.parametrize("name", EVERY_REAL)
def test_all_records_of_real_traces_are_accounted_for(
    name: str, real_trace: Callable[[str], Trace]
) -> None:
    sums(real_trace(name))


@pytest.mark.parametrize("producer", ["EZTrace", "Score-P 8.4"])
def test_each_record_that_is_left_out_has_a_reason(
    producer: str, simulated: Callable[..., Trace], tmp_path: Path
) -> None:
    trace = replace(simulated("grid", (3, 2)), producer=producer)
    path = write_trace(trace, tmp_path / "run")
    nobody, send, isend, irecv, receive = 4294967294, 14, 15, 19, 18
    events = [
        Event(10, send, (nobody, 0, 1, 8)),
        Event(11, send, (77, 0, 1, 8)),
        Event(12, send, (1, 0, 1, 8)),
        Event(13, isend, (2, 0, 1, 8, 500)),
        Event(14, irecv, (0, 0, 1, 8, 500)),  # how a persistent send ends
        Event(15, receive, (nobody, 0, 1, 8)),
        Event(16, receive, (77, 0, 1, 8)),
        Event(17, receive, (0, 0, 99, 8)),  # rank 0 itself
        Event(18, receive, (3, 0, 99, 8)),
    ]
    folder = path.parent / path.stem
    (folder / "0.evt").write_bytes(write_file(events, "little"))
    (folder / "0.def").write_bytes(write_definitions("little", {}, []))
    read = open_trace(path)
    sums(read)
    assert read.health is not None
    told = {(part.records, part.reason): part.count for part in read.health.left_out}
    assert told[("sends", "to MPI_PROC_NULL")] == 1
    assert told[("receives", "from MPI_PROC_NULL")] == 1
    unknown = "with a partner that is not in their communicator"
    assert told[("sends", unknown)] == told[("receives", unknown)] == 1
    own = ("receives", "from the own rank, which sent none")
    assert told.get(own, 0) == (producer == "EZTrace")
    # as many sends to rank 0 lack a receive: EZTrace misread whom this one is from
    stale = sum(n for (_, why), n in told.items() if "of another message" in why)
    assert stale == (producer == "EZTrace")
    assert sum(told.values()) == (7 if producer == "EZTrace" else 5)
    words = [finding.text for finding in read.health.findings]
    assert all(any(reason in text for text in words) for _, reason in told)
