"""Write a large OTF2 trace fast: one chunk a rank, repeated with shifted times.

Run: ``python benchmarks/generate.py FOLDER EVENTS [RANKS_X RANKS_Y [RANKS_Z]]``. A
solver on a torus is simulated for as many iterations as fill a chunk of each rank; the
chunk is then written again and again, each time as much later as the run lasted. All
messages are complete within a repetition, so the whole is a trace as a tracer would
write it: a program that solves the same problem many times.
"""

import argparse
import struct
import sys
import tempfile
from pathlib import Path

import numpy as np

from topoview.topology import lattice

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests"))

from simulation import Program, simulate
from writer import write_trace

CHUNK = 1 << 20
HEADER = 18
NUMBERS = frozenset({12, 13, 16, 17, 20, 21, 24, 28, 29, 30})
TIMESTAMP, END_OF_CHUNK, LONG = 5, 0, 0xFF


def template(folder: Path, dims: tuple[int, ...]) -> int:
    """Write the run that is repeated; returns its length in ticks."""
    iterations = 2 * CHUNK // 800
    while True:
        torus = lattice(dims, (True,) * len(dims))
        trace = simulate(Program(torus, iterations=iterations, allreduce_every=10))
        with tempfile.TemporaryDirectory(dir=folder.parent) as scratch:
            anchor = write_trace(trace, Path(scratch) / "run")
            sizes = [f.stat().st_size for f in (anchor.parent / "traces").glob("*.evt")]
            if max(sizes) < CHUNK - HEADER:
                anchor.parent.rename(folder)
                return trace.clock.length + 1
        iterations = int(iterations * 0.95 * CHUNK / max(sizes))


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


def repeat(file: Path, times: int, length: int) -> int:
    """Write the one chunk of a file again and again; returns the events."""
    whole = file.read_bytes()
    order = {b"B": "<", b"#": ">"}[whole[1:2]]
    events = struct.unpack_from(f"{order}QQ", whole, 2)[1]
    places, end = timestamps(whole)
    chunk = np.zeros(CHUNK, np.uint8)
    chunk[:end] = np.frombuffer(whole, np.uint8, end)
    chunk[end:] = END_OF_CHUNK
    byte = places[:, None] + np.arange(8)
    first = np.frombuffer(chunk[byte].tobytes(), f"{order}u8")
    with file.open("wb", buffering=0) as out:
        for k in range(times):
            head = struct.pack(f"{order}QQ", k * events + 1, (k + 1) * events)
            chunk[2:HEADER] = np.frombuffer(head, np.uint8)
            shifted = (first + np.uint64(k * length)).astype(f"{order}u8")
            chunk[byte] = np.frombuffer(shifted.tobytes(), np.uint8).reshape(-1, 8)
            if k < times - 1:
                out.write(chunk.data)
        out.write(chunk[:end].tobytes() + whole[end:])
    return events * times


def generate(folder: Path, events: int, dims: tuple[int, ...] = (4, 4)) -> Path:
    """Write a trace of at least so many events; returns its anchor file."""
    length = template(folder, dims)
    files = sorted((folder / "traces").glob("*.evt"))
    counts = [struct.unpack_from("<QQ", f.read_bytes(), 2)[1] for f in files]
    times = max(1, -(-events // sum(counts)))
    for file in files:
        repeat(file, times, length)
    return folder / "traces.otf2"


def main() -> None:
    """Write a trace where the command line says."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("events", type=float)
    parser.add_argument("dims", type=int, nargs="*", default=[4, 4])
    arguments = parser.parse_args()
    print(generate(arguments.folder, int(arguments.events), tuple(arguments.dims)))


if __name__ == "__main__":
    main()
