"""What a trace does not tell is not taken for what a program does not do."""

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from one_sided import with_puts
from patterns import Stage, run
from traces import as_read, read_real, simulated, without_records
from writer import write_trace

from topoview.__main__ import main
from topoview.io.unrecorded import find_unrecorded
from topoview.model import NO_MESSAGES, Identification, Trace
from topoview.pipeline import Results
from topoview.report.identification.answer import (
    headline,
    identification_page,
    identification_record,
)
from topoview.report.write import page_text


def identified(trace: Trace) -> Identification:
    return Results(trace).make("parts")


OPERATIONS = ["Sendrecv", "Put", "Send", "Neighbor_alltoall"]


@pytest.mark.parametrize("operation", OPERATIONS)
@pytest.mark.parametrize("tracer", ["EZTrace", "Score-P 8.4"])
def test_calls_without_record_have_partners(operation: str, tracer: str) -> None:
    whole = simulated("torus", (4, 3))
    trace = without_records(whole, operation, tracer)
    (lost,) = trace.unrecorded
    assert (lost.operation, lost.calls) == (operation, len(whole.messages))
    assert lost.of_rank.tolist() == np.bincount(whole.messages.sender).tolist()
    found = identified(trace)
    assert found.best.topology.kind == "none"
    assert found.best.calls_covered == found.best.bytes_covered == 0
    line = f"partners not recorded: {lost.calls} calls of MPI_{operation}"
    assert headline(found) == line
    assert page_text(identification_page(found)).splitlines()[0] == line
    assert NO_MESSAGES not in page_text(identification_page(found))
    told = identification_record(found)
    assert told["unrecorded"] == [{"operation": operation, "calls": lost.calls}]
    assert told["headline"] == line
    note = f"{lost.calls} calls of MPI_{operation}: partners not recorded"
    assert note in Results(trace).make("logical").notes


def test_calls_along_a_declared_lattice_are_an_inference() -> None:
    trace = without_records(simulated("torus", (4, 3)), "Sendrecv")
    (part,) = (p for p in identified(trace).parts if p.by == "inference")
    (match,) = part.matches
    assert match.topology.name == "2D torus 4x3"
    assert match.matched == 0
    assert match.missing == 24
    assert match.calls_covered == 0
    assert match.coordinates.tolist() == [[r % 4, r // 4] for r in range(12)]
    text = page_text(identification_page(identified(trace)))
    assert (
        "not recorded, only an inference: MPI_Sendrecv may go along the axes of a "
        in text
    )
    assert "makes 5 calls for each of its 4 directions" in text


def test_edges_of_an_open_lattice_make_fewer_calls() -> None:
    """Calls by neighbours, not by directions: nothing is called at an edge."""
    trace = without_records(simulated("grid", (4, 3)), "Sendrecv")
    (part,) = (p for p in identified(trace).parts if p.by == "inference")
    assert part.matches[0].topology.name == "2D grid 4x3"
    assert "makes 5 calls for each of its neighbours" in part.remark


def test_other_numbers_of_calls_are_no_inference() -> None:
    whole = without_records(simulated("torus", (4, 3)), "Sendrecv")
    (lost,) = whole.unrecorded
    more = lost.of_rank + (np.arange(12) == 7)
    some = replace(whole, unrecorded=(replace(lost, of_rank=more),))
    assert [p for p in identified(some).parts if p.by == "inference"] == []
    seven = replace(whole, unrecorded=(replace(lost, of_rank=np.full(12, 7)),))
    (part,) = (p for p in identified(seven).parts if p.by == "inference")
    assert part.matches == ()  # a 2D torus has four directions
    assert part.remark == "each of the 12 makes 7 calls"


def test_calls_beside_messages_that_are_recorded() -> None:
    """A torus is known, and further calls are not: both are told."""
    whole = simulated("torus", (4, 3))
    regions = whole.regions
    other = regions.operations.index("Allreduce")
    names = list(regions.operations)
    names[other] = "Sendrecv"
    changed = replace(
        whole,
        calls=replace(whole.calls),
        regions=replace(regions, operations=tuple(names)),
    )
    trace = as_read(changed)
    (lost,) = trace.unrecorded
    found = identified(trace)
    assert found.best.topology.name == "2D torus 4x3"
    assert headline(found).startswith("2D torus 4x3; partners not recorded: ")
    messages = len(whole.messages)
    assert found.best.calls_covered == messages / (messages + lost.calls)


def test_calls_to_nobody_are_not_lost() -> None:
    """Where others of the same operation left a record, these went to nobody."""
    trace = simulated("grid", (4, 3))
    assert find_unrecorded(trace, is_eztrace=False) == ()
    put = replace(with_puts(trace), regions=without_records(trace, "Put").regions)
    assert find_unrecorded(put, is_eztrace=True) == ()
    one = simulated("grid", (1,))
    assert find_unrecorded(one, is_eztrace=True) == ()


def test_every_json_tells(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    trace = without_records(simulated("torus", (4, 3)), "Sendrecv", "Score-P 8.4")
    anchor = str(write_trace(trace, tmp_path / "run"))
    for command in ("info", "identify", "logical", "profile"):
        assert main([command, anchor, "--json"]) == 0
        told = json.loads(capsys.readouterr().out)["warnings"]
        assert any("MPI_Sendrecv left no record" in text for text in told), command
    assert main(["identify", anchor]) == 0
    assert capsys.readouterr().out.startswith("partners not recorded: 240 calls")
    assert main(["logical", anchor]) == 0
    assert "calls of MPI_Sendrecv: partners not recorded" in capsys.readouterr().out


@pytest.mark.traces
def test_a_real_program_whose_sendrecv_is_not_recorded() -> None:
    """CoMD exchanges along the axes of a 3D torus by MPI_Sendrecv alone."""
    found = identified(read_real("app-comd-36eam"))
    line = "partners not recorded: 4\u2009752 calls of MPI_Sendrecv"
    assert headline(found) == line
    assert found.best.calls_covered == 0
    assert [part.by for part in found.parts] == ["inference"]


def test_messages_to_oneself_only() -> None:
    trace, _ = run(8, [Stage([(r, r) for r in range(8)], 3)])
    found = identified(trace)
    assert headline(found) == "messages to oneself only"
    assert found.best.topology.name == "messages to oneself only"
    assert found.best.topology.kind == "none"
    assert found.best.calls_covered == 1
    both, _ = run(8, [Stage([(r, r) for r in range(8)]), Stage(collective=True)])
    line = "messages to oneself only; all-to-all 8, by Alltoall"
    assert headline(identified(both)) == line


def test_collectives_of_all_are_named_where_nothing_else_is() -> None:
    everyone = Stage(collective=True, times=3)
    rooted = Stage(collective=True, root=2)
    trace, _ = run(8, [everyone, rooted])
    found = identified(trace)
    assert headline(found) == "all-to-all 8, by Alltoall"
    none, match = found.matches
    assert none.topology.kind == "none"
    assert match.topology.kind == "complete"
    assert match.by == ("Alltoall",)
    assert match.calls_covered == match.bytes_covered == 3 / 4
    assert len(match.rank_edges) == 28
    trace, _ = run(8, [rooted])
    assert headline(identified(trace)) == f"{NO_MESSAGES}; Bcast over all 8 ranks"
    trace, _ = run(8, [])
    assert headline(identified(trace)) == NO_MESSAGES


def test_collectives_of_some_ranks_are_not_of_all() -> None:
    trace, _ = run(8, [Stage(collective=True, communicator=1)], [[1, 2, 5]])
    found = identified(trace)
    assert headline(found) == NO_MESSAGES
    assert [part.by for part in found.parts] == ["communicator"]


def test_collectives_beside_messages_are_not_named() -> None:
    trace, _ = run(4, [Stage(collective=True), Stage([(0, 1), (1, 2), (2, 3)])])
    found = identified(trace)
    assert headline(found) == "chain 4"
    assert found.collectives == ()


@pytest.mark.traces
@pytest.mark.parametrize(
    ("name", "line"),
    [
        ("ez-ft-16", "all-to-all 16, by Alltoall"),
        ("sp-ft-16", "all-to-all 16, by Alltoall"),
        ("ez-ep-16", f"{NO_MESSAGES}; Allreduce, Bcast, Barrier over all 16 ranks"),
    ],
)
def test_real_programs_with_collectives_only(name: str, line: str) -> None:
    assert headline(identified(read_real(name))) == line
