"""Write a large OTF2 trace fast: one chunk a rank, repeated with shifted times.

Run: ``python benchmarks/generate.py FOLDER EVENTS [RANKS_X RANKS_Y [RANKS_Z]]
[--phases] [--late] [--functions N] [--copies N]``. A solver on a torus is simulated for
as many iterations as fill a chunk of each rank; the chunk is then written again and
again, each time as much later as the run lasted. All messages are complete within a
repetition, so the whole is a trace as a tracer would write it: a program that solves
the same problem many times. With ``--phases`` ranks have other neighbours in the second
half. With ``--functions`` each computation calls N functions, as a compiler that
instruments all of them lets a tracer record: most events are theirs then. With
``--copies`` the program runs N times side by side, each in communicators of its own:
event files are shared by hard links, since only local definitions say whose they are,
and the disk holds one N-th of the trace.
"""

import argparse
import shutil
import struct
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

import _otf2
import numpy as np

from topoview.model import Communicator, Timeline, TimeState, Trace
from topoview.topology import lattice

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests"))

from simulation import Delay, Program, simulate
from writer import EVENT_CHUNK, write_trace
from writer.definitions import write_definitions
from writer.write import open_archive

HEADER = 18
STEP = 27
"""Ranks between neighbours in the second half: odd, for powers of two of ranks."""
FUNCTIONS = 8
"""How many there are to be called."""
NUMBERS = frozenset({12, 13, 16, 17, 20, 21, 24, 28, 29, 30})
TIMESTAMP, END_OF_CHUNK, LONG = 5, 0, 0xFF


def with_functions(trace: Trace, count: int) -> Trace:
    """Let each computation call so many functions, one after the other."""
    line, regions = trace.timeline, trace.regions
    length = np.append(np.diff(line.time), 0)
    length[line.offsets[1:] - 1] = 0  # the last interval, outside, lasts for ever
    calls = (line.region == 0) & (length >= 4 * count)  # ticks for each and between
    pieces = np.where(calls, 2 * count, 1)  # a function, and the gap after it
    first = np.append(0, np.cumsum(pieces))
    of = np.repeat(np.arange(len(pieces)), pieces)
    place = np.arange(len(of)) - first[of]
    function = len(regions.names) + place // 2 % FUNCTIONS
    names = tuple(f"function {k + 1}" for k in range(FUNCTIONS))
    return replace(
        trace,
        timeline=Timeline(
            first[line.offsets],
            line.time[of] + place * length[of] // pieces[of],
            line.state[of],
            np.where(calls[of] & (place % 2 == 0), function, line.region[of]).astype(
                np.int32
            ),
        ),
        regions=replace(
            regions,
            names=regions.names + names,
            state=np.append(
                regions.state, np.full(FUNCTIONS, TimeState.COMPUTE, np.uint8)
            ),
            operation=np.append(regions.operation, np.full(FUNCTIONS, -1, np.int32)),
        ),
    )


def template(
    folder: Path,
    dims: tuple[int, ...],
    step: int = 1,
    *,
    late: bool = False,
    functions: int = 0,
) -> Trace:
    """Write the run that is repeated, and return it.

    Neighbours along the first axis are `step` ranks apart.
    """
    iterations = max(20, 2 * EVENT_CHUNK // (800 + 60 * functions))
    while True:
        program = Program(
            lattice(dims, (True,) * len(dims)),
            iterations=iterations,
            allreduce_every=10,
            numbering=(step * np.arange(np.prod(dims)) % np.prod(dims)).astype(
                np.int32
            ),
            noise=0.2 * late,
            delays=(Delay(5, iterations // 3, 60e-3),) * late,
        )
        trace = simulate(program)
        if step != 1:  # in the first part's communicators ranks have other places
            world = np.zeros_like(trace.messages.communicator)
            messages = replace(trace.messages, communicator=world)
            trace = replace(trace, messages=messages)
        if functions:
            trace = with_functions(trace, functions)
        with tempfile.TemporaryDirectory(dir=folder.parent) as scratch:
            anchor = write_trace(trace, Path(scratch) / "run")
            sizes = [f.stat().st_size for f in (anchor.parent / "traces").glob("*.evt")]
            if max(sizes) < EVENT_CHUNK - HEADER:
                anchor.parent.rename(folder)
                return trace
        iterations = int(iterations * 0.95 * EVENT_CHUNK / max(sizes))


def timestamps(chunk: bytes) -> tuple[np.ndarray, int]:
    """Find the places of all times in a chunk, and where its records end."""
    found, at = [], HEADER
    while chunk[at] > TIMESTAMP or chunk[at] == TIMESTAMP:
        kind = chunk[at]
        if kind == TIMESTAMP:
            found.append(at + 1)
            at += 9
            continue
        size = chunk[at + 1]
        at += 2
        if size == LONG:
            size = 0 if kind in NUMBERS else int.from_bytes(chunk[at : at + 8], "big")
            at += 0 if kind in NUMBERS else 8
        at += size
    return np.array(found, np.int64), at


class Run(NamedTuple):
    """A rank's file with one chunk, how often that is repeated, and its ticks."""

    whole: bytes
    times: int
    length: int

    @property
    def events(self) -> int:
        """Count those of the chunk."""
        return int(struct.unpack_from("<QQ", self.whole, 2)[1])


def repeat(file: Path, runs: Sequence[Run]) -> None:
    """Write the chunks of some runs again and again, one run after the other."""
    written = begin = 0
    with file.open("wb", buffering=0) as out:
        for run in runs:
            order = {b"B": "<", b"#": ">"}[run.whole[1:2]]
            places, end = timestamps(run.whole)
            chunk = np.zeros(EVENT_CHUNK, np.uint8)
            chunk[:end] = np.frombuffer(run.whole, np.uint8, end)
            chunk[end:] = END_OF_CHUNK
            byte = places[:, None] + np.arange(8)
            first = np.frombuffer(chunk[byte].tobytes(), f"{order}u8")
            for k in range(run.times):
                head = struct.pack(f"{order}QQ", written + 1, written + run.events)
                chunk[2:HEADER] = np.frombuffer(head, np.uint8)
                shifted = (first + np.uint64(begin)).astype(f"{order}u8")
                chunk[byte] = np.frombuffer(shifted.tobytes(), np.uint8).reshape(-1, 8)
                written, begin = written + run.events, begin + run.length
                if run is not runs[-1] or k < run.times - 1:
                    out.write(chunk.data)
        out.write(chunk[:end].tobytes() + run.whole[end:])


def share(folder: Path, trace: Trace, copies: int) -> None:
    """Let further groups of ranks have the event files of those of a trace."""
    ranks, kinds = trace.ranks, len(trace.communicators)
    firsts = range(0, copies * ranks, ranks)
    locations = tuple(
        replace(place, id=first + place.id, rank=first + place.rank)
        for first in firsts
        for place in trace.locations
    )
    groups = [
        Communicator(f"{one.name} {first // ranks}", first + one.ranks)
        for first in firsts
        for one in trace.communicators
    ]
    world = Communicator("MPI_COMM_WORLD", np.arange(copies * ranks))
    whole = replace(
        trace,
        ranks=copies * ranks,
        locations=locations,
        communicators=(world, *groups),
        topologies=(),
    )
    with (
        tempfile.TemporaryDirectory(dir=folder.parent) as scratch,
        open_archive(Path(scratch)) as archive,
    ):
        _otf2.Archive_SetCreator(archive, trace.producer)
        _otf2.Archive_OpenDefFiles(archive)
        for place in locations:
            local = _otf2.Archive_GetDefWriter(archive, place.id)
            first = 1 + place.rank // ranks * kinds
            own = list(range(first, first + kinds))
            table = _otf2.IdMap_CreateFromUint64Array(own, False)
            _otf2.DefWriter_WriteMappingTable(local, _otf2.MappingType.COMM, table)
            _otf2.IdMap_Free(table)
            _otf2.Archive_CloseDefWriter(archive, local)
        _otf2.Archive_CloseDefFiles(archive)
        definitions = _otf2.Archive_GetGlobalDefWriter(archive)
        write_definitions(definitions, whole, np.zeros(0, np.int64))
        _otf2.Archive_CloseGlobalDefWriter(archive, definitions)
        shutil.copytree(scratch, folder, dirs_exist_ok=True)
    for number, place in enumerate(locations[len(trace.locations) :]):
        shared = trace.locations[number % len(trace.locations)]
        file = folder / "traces" / f"{place.id}.evt"
        file.hardlink_to(folder / "traces" / f"{shared.id}.evt")


def generate(  # noqa: PLR0913 - options of the command
    folder: Path,
    events: int,
    dims: tuple[int, ...] = (4, 4),
    *,
    phases: bool = False,
    late: bool = False,
    functions: int = 0,
    copies: int = 1,
) -> Path:
    """Write a trace of at least so many events; returns its anchor file."""
    events = -(-events // copies)
    trace = template(folder, dims, late=late, functions=functions)
    length = trace.clock.length + 1
    files = sorted((folder / "traces").glob("*.evt"))
    runs = {file: [Run(file.read_bytes(), 0, length)] for file in files}
    if phases:
        with tempfile.TemporaryDirectory(dir=folder.parent) as scratch:
            other = Path(scratch) / "other"
            after = template(other, dims, STEP, late=late, functions=functions)
            length = after.clock.length + 1
            for file, own in runs.items():
                whole = (other / "traces" / file.name).read_bytes()
                own.append(Run(whole, 0, length))
    for file, own in runs.items():
        of_all = [sum(one[k].events for one in runs.values()) for k in range(len(own))]
        times = [max(1, -(-events // (len(own) * count))) for count in of_all]
        repeated = [run._replace(times=n) for run, n in zip(own, times, strict=True)]
        repeat(file, repeated)
    if copies > 1:
        share(folder, trace, copies)
    return folder / "traces.otf2"


def main() -> None:
    """Write a trace where the command line says."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("events", type=float)
    parser.add_argument("dims", type=int, nargs="*", default=[4, 4])
    parser.add_argument(
        "--phases", action="store_true", help="with other neighbours later"
    )
    parser.add_argument("--late", action="store_true", help="with noise and delays")
    parser.add_argument(
        "--functions", type=int, default=0, help="calls in each computation"
    )
    parser.add_argument("--copies", type=int, default=1, help="run side by side")
    arguments = parser.parse_args()
    print(
        generate(
            arguments.folder,
            int(arguments.events),
            tuple(arguments.dims),
            phases=arguments.phases,
            late=arguments.late,
            functions=arguments.functions,
            copies=arguments.copies,
        )
    )


if __name__ == "__main__":
    main()
