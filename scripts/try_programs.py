#!/usr/bin/env python3
"""Hold topoview's answers against what small MPI programs really do.

    scripts/try_programs.py [--keep FOLDER] [WORD ...]

Each program of tests/programs is compiled, run under EZTrace on several numbers of
ranks, and its trace is asked for `info`, `identify` and `logical`. What is true is told
by the programs themselves (tests/programs/truth.h) and by runs.toml beside them, not by
the tracer. Runs whose words are all among WORDs are tried only, if there are any. With
--keep traces stay in the folder and are not made again. Needs an MPI and EZTrace 2; on
Debian: apt install libopenmpi-dev openmpi-bin eztrace. tests/test_programs.py tries the
same runs, most of them as slow tests.
"""

import argparse
import contextlib
import io
import itertools
import json
import math
import os
import re
import shutil
import subprocess
import sys
import tempfile
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

PROGRAMS = Path(__file__).resolve().parents[1] / "tests" / "programs"

LIMIT = 180
"""Seconds that a run under the tracer may take."""

Pairs = set[tuple[int, int]]


@dataclass(frozen=True)
class Truth:
    """What the ranks of a run told: sends in order, and their places."""

    sends: list[list[tuple[int, int]]]
    places: list[tuple[int, ...]]

    @property
    def pairs(self) -> Pairs:
        """Pairs of different ranks between which a message goes."""
        return {
            (min(rank, to), max(rank, to))
            for rank, sends in enumerate(self.sends)
            for to, _ in sends
            if to != rank
        }


def read_truth(folder: Path, ranks: int) -> Truth:
    """Read what each rank wrote."""
    sends: list[list[tuple[int, int]]] = []
    places = []
    for rank in range(ranks):
        sends.append([])
        for line in (folder / str(rank)).read_text().splitlines():
            word, *numbers = line.split()
            if word == "place":
                places.append(tuple(map(int, numbers)))
            else:
                to, size = map(int, numbers)
                sends[-1].append((to, size))
    return Truth(sends, places)


def lattice_pairs(places: list[tuple[int, ...]], truth: dict[str, Any]) -> Pairs:
    """Pairs of ranks whose places differ by an offset."""
    dims = truth["dims"]
    wraps = truth.get("periodic", [False] * len(dims))
    units = [[int(i == j) for j in range(len(dims))] for i in range(len(dims))]
    rank_at = {place: rank for rank, place in enumerate(places)}
    found = set()
    for (rank, place), offset in itertools.product(
        enumerate(places), truth.get("offsets") or units
    ):
        there = tuple(
            (p + o) % n if wrap else p + o
            for p, o, n, wrap in zip(place, offset, dims, wraps, strict=True)
        )
        other = rank_at.get(there, rank)
        if other != rank:
            found.add((min(rank, other), max(rank, other)))
    return found


def make_trace(run: str, ranks: int, modules: str, folder: Path) -> None:
    """Compile a program, and run it under the tracer."""
    name, *arguments = run.split()
    told = folder / "truth"
    told.mkdir(parents=True)
    program = folder / name
    subprocess.run(
        [
            *("mpicc", "-O1", "-include", PROGRAMS / "truth.h"),
            *("-o", program, PROGRAMS / f"{name}.c"),
        ],
        check=True,
    )
    root = {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}
    idle = {"OMPI_MCA_mpi_yield_when_idle": "1"}
    mpirun = ["mpirun", "--oversubscribe", "-np", str(ranks)]
    with (folder / "run.log").open("w") as log:
        subprocess.run(
            [*mpirun, "eztrace", "-t", modules, program, *arguments],
            cwd=folder,
            env=root | idle | os.environ | {"TRUTH": str(told)},
            stdout=log,
            stderr=subprocess.STDOUT,
            timeout=LIMIT,
            check=True,
        )


def ask(aspect: str, trace: Path, *options: str) -> dict[str, Any]:
    """Ask topoview, in this process."""
    from topoview.__main__ import main

    with (
        contextlib.redirect_stdout(io.StringIO()) as out,
        contextlib.redirect_stderr(io.StringIO()) as err,
    ):
        status = main([aspect, str(trace), "--json", *options])
    if status:
        raise ValueError(err.getvalue())
    answer: dict[str, Any] = json.loads(out.getvalue())
    return answer


def identify_faults(run: dict[str, Any], truth: Truth, trace: Path) -> Iterator[str]:
    """Tell what is wrong with an identification."""
    got = ask("identify", trace, "--edges")
    kinds = run["kind"] if isinstance(run["kind"], list) else [run["kind"]]
    best = got["matches"][0] if got["matches"] else {"kind": "none", "name": "nothing"}
    yield f" {best['name']}" + "".join(
        f"; {part['by']} {part['name']}: {part['matches'][0]['name']}"
        for part in got["parts"][:6]
        if part["matches"]
    )
    if best["kind"] not in kinds:
        yield f"says {best['name']} ({best['kind']}), is {run['kind']}"
    if best["kind"] in ("none", "unknown"):
        return
    if "dims" in run and sorted(best["dims"] or ()) != sorted(run["dims"]):
        yield f"says {best['name']}, dims are {run['dims']}"
    pairs = truth.pairs
    if "dims" in run and (run.get("edges") == "lattice" or not run.get("sends", True)):
        pairs = lattice_pairs(truth.places, run)
    edges = {(min(e), max(e)) for e in best["edge_list"]}
    missing, extra = len(edges - pairs), len(pairs - edges)
    if missing > run.get("missing", 0) or extra > run.get("extra", 0):
        yield f"{best['name']}: {missing} missing, {extra} extra of {len(pairs)} pairs"
    if best["bytes_covered"] < run.get("covered", 1 - 1e-9):
        yield f"{best['name']}: {best['bytes_covered']:.3f} of the bytes"
    for warning in got["warnings"]:
        yield f" warning: {warning}"


def listing_faults(run: dict[str, Any], got: dict[str, Any]) -> Iterator[str]:
    """Tell what is wrong with how a logical trace reads."""
    if got["statements"] > run.get("statements", math.inf):
        yield f"{got['statements']} statements, expected {run['statements']}"
    listing = got["listing"]
    if not run.get("lists") and re.search(r"rank (in )?\d+(, |\.\.)", listing):
        yield "names ranks one by one"
    yield from (f"never says {w}" for w in run.get("words", []) if w not in listing)


def logical_faults(run: dict[str, Any], truth: Truth, trace: Path) -> Iterator[str]:
    """Tell what is wrong with a logical trace."""
    ranks = len(truth.sends)
    asked = [option for r in range(ranks) for option in ("--expand", str(r))]
    got = ask("logical", trace, *asked)
    (trace.parent / "listing").write_text(got["listing"])
    exact = f"{got['ranks_verified']} of {ranks} ranks"
    yield f" {got['statements']} statements, {exact}"
    if run.get("verified", True) and got["ranks_verified"] != ranks:
        yield f"exact for {exact}"
    wrong = [
        rank
        for rank, sends in enumerate(truth.sends)
        if [
            (to, size)
            for _, to, size, _ in got["expansion"][str(rank)]
            if to is not None
        ]
        != sends
    ]
    if wrong and run.get("sends", True):
        yield f"other sends than the program's: ranks {wrong}"
    yield from listing_faults(run, got)


def info_faults(run: dict[str, Any], truth: Truth, trace: Path) -> Iterator[str]:
    """Tell what is wrong with the facts about a trace."""
    del run
    got = ask("info", trace)
    if got["ranks"] != len(truth.sends):
        yield f"{got['ranks']} ranks"
    yield from (f" warning: {warning}" for warning in got["warnings"])


ASPECTS = {
    "info": info_faults,
    "identify": identify_faults,
    "logical": logical_faults,
}


def try_run(run: dict[str, Any], ranks: int, folder: Path) -> bool:
    """Print what is wrong with the answers about one run; facts are indented."""
    name = run["run"].split()[0]
    try:
        if not (folder / f"{name}_trace").is_dir():
            shutil.rmtree(folder, ignore_errors=True)
            make_trace(run["run"], ranks, run.get("modules", "openmpi"), folder)
    except (OSError, subprocess.SubprocessError) as error:
        print(f"    no trace: {error}")
        return False
    truth = read_truth(folder / "truth", ranks)
    right = True
    for aspect, faults in ASPECTS.items():
        try:
            for fault in faults(run, truth, folder / f"{name}_trace"):
                right &= fault.startswith(" ")
                print(f"  {'  ' if fault.startswith(' ') else '! '}{aspect}: {fault}")
        except Exception as error:  # noqa: BLE001 - a fault like others
            print(f"  ! {aspect}: {type(error).__name__}: {error}")
            right = False
    return right


def main() -> int:
    """Try the runs; returns how many fall short."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("words", nargs="*", metavar="WORD")
    parser.add_argument("--keep", type=Path, help="folder in which traces stay")
    args = parser.parse_args()
    runs = tomllib.loads((PROGRAMS / "runs.toml").read_text())["run"]
    short = tried = 0
    with tempfile.TemporaryDirectory() as scratch:
        for run in runs:
            if not set(args.words) <= set(run["run"].split()):
                continue
            for ranks in run["ranks"]:
                print(f"{run['run']} on {ranks}", flush=True)
                name = f"{run['run'].replace(' ', '-')}-{ranks}"
                place = (args.keep or Path(scratch)).resolve() / name
                short += not try_run(run, ranks, place)
                tried += 1
    print(f"{tried - short} of {tried} hold")
    return short


if __name__ == "__main__":
    sys.exit(main())
