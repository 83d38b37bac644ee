"""Skeletons with windows, files and neighbours: what they call, and that they run."""

import os
import re
import subprocess
from pathlib import Path

import numpy as np
import pytest
from parts import logicalise
from programs import Step, trace_of
from test_one_sided import FIELDS, RANKS, with_records

from topoview.model import Match, Trace
from topoview.skeleton import LANGUAGES, skeleton_program
from topoview.skeleton.program import SkeletonProgram
from topoview.topology import directions, lattice

IO = ("handle", "bytes", "matching")


def ring(periodic: bool = True) -> Match:
    none = np.zeros((0, 2), np.int32)
    ranks = np.arange(RANKS, dtype=np.int32)
    return Match(lattice((RANKS,), (periodic,)), ranks, 0, none, none, 1.0, 1.0)


def skeleton(trace: Trace) -> SkeletonProgram:
    match = ring()
    logical = logicalise(trace, directions(match), match=match)
    assert logical.ranks_verified == RANKS
    return skeleton_program(trace, logical, match, np.zeros(logical.statements))


def steps(*names: str) -> list[list[Step]]:
    return [[Step(name) for name in names] for _ in range(RANKS)]


def windows(*rest: str) -> Trace:
    """Put to the east, get from the west, three times between fences."""
    turn = ("Put", "Win_fence", "Get", "Fetch_and_op", "Win_fence", *rest)
    names = ("Win_create", "Win_fence", *turn * 3, "Win_free")
    trace = trace_of(steps(*names))
    at = {name: [i for i, n in enumerate(names) if n == name] for name in set(names)}
    own = [(r, i) for r in range(RANKS) for name in rest for i in at[name]]
    free = len(names) - 1

    def moved(
        name: str, step: int, size: int
    ) -> list[tuple[int, int, tuple[int, ...]]]:
        calls = [(r, i) for r in range(RANKS) for i in at[name]]
        return [(r, i, (7, (r + step) % RANKS, size, 0)) for r, i in calls]

    fetched = [
        (r, i, (7, (r + 1) % RANKS, 0, 8, 8, 0))
        for r in range(RANKS)
        for i in at["Fetch_and_op"]
    ]
    fences = [(r, i, (7,)) for r in range(RANKS) for i in at["Win_fence"]]
    kinds = {
        "RmaWinCreate": (("window",), [(r, 0, (7,)) for r in range(RANKS)]),
        "RmaWinDestroy": (("window",), [(r, free, (7,)) for r in range(RANKS)]),
        "RmaPut": (FIELDS, moved("Put", 1, 64)),
        "RmaGet": (FIELDS, moved("Get", -1, 4096)),
        "RmaAtomic": (
            ("window", "remote", "type", "bytes_sent", "bytes_received", "matching"),
            fetched,
        ),
        "RmaGroupSync": (("window",), fences + [(r, i, (7,)) for r, i in own]),
    }
    return with_records(trace, kinds)


def files() -> Trace:
    names = ("File_open", *("File_write_at", "File_iwrite", "Waitall") * 2)
    names += ("File_write_all", "File_read_all", "File_close")
    trace = trace_of(steps(*names))
    opened = [(r, 0, (3, 0, 0, 0)) for r in range(RANKS)]
    moved = [
        (r, i, (3, 100 * (i + 1), i))
        for r in range(RANKS)
        for i, name in enumerate(names)
        if "write" in name or "read" in name
    ]
    closed = [(r, len(names) - 1, (3,)) for r in range(RANKS)]
    kinds = {
        "IoCreateHandle": (
            ("handle", "mode", "creation_flags", "status_flags"),
            opened,
        ),
        "IoOperationComplete": (IO, moved),
        "IoDestroyHandle": (("handle",), closed),
    }
    return with_records(trace, kinds)


def neighbours() -> Trace:
    turn = ("Neighbor_alltoall", "Ineighbor_allgather", "Waitall", "Neighbor_alltoallv")
    return trace_of(
        [
            [
                Step(name, part=None if name == "Waitall" else (0, -1, 64))
                for name in turn * 3
            ]
            for _ in range(RANKS)
        ]
    )


def counted() -> Trace:
    """Non-blocking collective operations whose shares have counts of their own."""
    names = (
        *("Igatherv", "Iscatterv", "Iallgatherv", "Ialltoallv", "Ireduce_scatter"),
        *("Ireduce_scatter_block", "Ineighbor_allgatherv", "Ineighbor_alltoallv"),
    )
    turn = [
        step
        for k, name in enumerate(names)
        for step in (
            Step(name, part=(0, 0 if k < 2 else -1, 64)),
            Step("Wait", posted=2 * k),
        )
    ]
    return trace_of([turn for _ in range(RANKS)])


def test_one_sided_calls_reach_whom_they_reached() -> None:
    found = skeleton(windows())
    assert not found.remarks
    text = LANGUAGES[".c"](found)
    for line in (
        r"win_create\(0, 41\d\d\);",
        r"win_fence\(0\);",
        r"put\(EAST, 64, 0\);",
        r"get\(WEST, 4096, 0\);",
        r"fetch_and_op\(EAST, 8, 0\);",
        r"win_free\(0\);",
    ):
        assert re.search(rf"^ +{line}", text, re.MULTILINE), line
    assert "win_allocate(0" not in text  # the trace makes it itself


def epochs(reach: tuple[tuple[int, ...], ...] = ((1, -1),)) -> Trace:
    """Post, start, put to those that many ranks on, complete, wait: twice each."""
    turns = [
        ("Win_post", "Win_start", *("Put" for _ in steps), "Win_complete", "Win_wait")
        for steps in reach * 2
    ]
    names = ("Win_create", *(name for turn in turns for name in turn), "Win_free")
    trace = trace_of(steps(*names))
    free = len(names) - 1
    puts = [i for i, name in enumerate(names) if name == "Put"]
    to = [step for steps in reach * 2 for step in steps]
    everybody = range(RANKS)
    moved = [
        (r, i, (7, (r + step) % RANKS, 64, 0))
        for r in everybody
        for i, step in zip(puts, to, strict=True)
    ]
    told = [
        (r, i, (7,))
        for r in everybody
        for i, name in enumerate(names)
        if name in ("Win_post", "Win_start", "Win_complete", "Win_wait")
    ]
    kinds = {
        "RmaWinCreate": (("window",), [(r, 0, (7,)) for r in everybody]),
        "RmaWinDestroy": (("window",), [(r, free, (7,)) for r in everybody]),
        "RmaPut": (FIELDS, moved),
        "RmaGroupSync": (("window",), told),
    }
    return with_records(trace, kinds)


def test_groups_of_epochs_follow_from_whom_ranks_reach() -> None:
    found = skeleton(epochs())
    assert not found.remarks
    assert not found.bound
    text = LANGUAGES[".c"](found)
    ways = r"neighbour\(.*\{-1\}\), neighbour\(.*\{1\}\)"
    for operation in ("post", "start"):
        assert re.search(rf"win_{operation}\(2, .*{ways}.*, 0\);", text)


def test_groups_that_are_not_told_leave_the_window_out() -> None:
    found = skeleton(windows("Win_post"))
    assert any("post equally often" in remark for remark in found.remarks)


def test_a_window_with_calls_unknown_is_left_out_whole() -> None:
    found = skeleton(windows("Win_test"))
    assert any("Win_test" in remark for remark in found.remarks)
    text = LANGUAGES[".c"](found)
    assert not re.search(r"^ +(put|get|win_\w+)\(", text, re.MULTILINE)


def test_files_are_written_and_read() -> None:
    found = skeleton(files())
    assert not found.remarks
    text = LANGUAGES[".c"](found)
    assert re.search(r"^ +file_open\(0, 1\);", text, re.MULTILINE)
    assert re.search(r"^ +file_write_at\(.+, 0\);", text, re.MULTILINE)
    assert re.search(r"^ +file_iwrite\(\d+, .+, 0\);", text, re.MULTILINE)
    assert re.search(r"^ +file_close\(0\);", text, re.MULTILINE)


def test_neighbourhood_collectives_have_the_lattice() -> None:
    found = skeleton(neighbours())
    assert not found.remarks
    text = LANGUAGES[".c"](found)
    assert "make_lattice(&comm[1]);" in text
    assert re.search(r"^ +neighbor_alltoall\(32, comm\[1\]\);", text, re.MULTILINE)


def test_neighbours_in_a_graph_are_not_those_on_the_lattice() -> None:
    turn = Step("Neighbor_alltoall", part=(0, -1, 64))
    found = skeleton(
        trace_of([[Step("Dist_graph_create"), turn] for _ in range(RANKS)])
    )
    assert [told.split(":")[0] for told in found.remarks] == [
        "Neighbor_alltoall, not made again"
    ]
    assert "MPI_Comm_dup" in LANGUAGES[".c"](found)


PROGRAMS = {
    "windows": windows,
    "files": files,
    "neighbours": neighbours,
    "counted": counted,
    "epochs": epochs,
    "epochs of two kinds": lambda: epochs(((1,), (2, 3))),
}


@pytest.mark.parametrize("kind", PROGRAMS)
def test_python_is_a_program(kind: str) -> None:
    compile(LANGUAGES[".py"](skeleton(PROGRAMS[kind]())), "skeleton.py", "exec")


@pytest.mark.parametrize("kind", PROGRAMS)
def test_c_makes_the_calls_of_the_trace(kind: str, tmp_path: Path) -> None:
    """Held against what a library between the program and MPI writes down."""
    trace = PROGRAMS[kind]()
    source = tmp_path / "skeleton.c"
    source.write_text(LANGUAGES[".c"](skeleton(trace)))
    between = Path(__file__).parent / "calls_made.c"
    warn = ("-Wall", "-Wextra", "-Werror")
    build = ("mpicc", *warn, "-o", str(tmp_path / "skeleton"), str(source))
    subprocess.run((*build, str(between)), check=True, timeout=120)
    root = {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}
    run = ("mpirun", "--oversubscribe", "-np", str(RANKS), str(tmp_path / "skeleton"))
    done = subprocess.run(
        run,
        cwd=tmp_path,
        env={**os.environ, **root},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert not list(tmp_path.glob("*.tmp"))
    for rank in range(RANKS):
        made = (tmp_path / f"calls.{rank}").read_text().splitlines()
        made = [call for call in made if not call.startswith("Cart_create")]
        assert made == [" ".join(map(str, call)) for call in calls_of(trace, rank)]


def calls_of(trace: Trace, rank: int) -> list[tuple[str, int, int]]:
    """Operation, partner and bytes of a rank's calls, straight from the trace."""
    begin, end = trace.calls.offsets[rank : rank + 2].tolist()
    partner: dict[int, int] = {}
    size = {
        int(call): int(sent)
        for call, sent in zip(
            trace.collectives.call, trace.collectives.sent, strict=True
        )
    }
    for records in trace.further:
        for row in range(*records.offsets[rank : rank + 2].tolist()):
            at = np.searchsorted(trace.calls.enter[begin:end], records.time[row])
            call = begin + int(at) - 1
            for field, to in (("remote", partner), ("bytes", size)):
                if field in records.fields:
                    to[call] = int(records.column(field)[row])
            if "bytes_sent" in records.fields:
                size[call] = int(records.column("bytes_sent")[row])
    names = trace.regions.operations
    return [
        (
            names[int(trace.calls.region[call])],
            partner.get(call, -1),
            size.get(call, -1),
        )
        for call in range(begin, end)
    ]
