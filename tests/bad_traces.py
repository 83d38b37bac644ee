"""What users open by mistake: makers of bad input, by name."""

import tarfile
import zipfile
from collections.abc import Callable
from pathlib import Path

import otf2
from simulation import Program, silent_program, simulate
from traces import shape
from writer import write_trace


def good_trace(folder: Path) -> Path:
    """Write a small trace that is all right."""
    return write_trace(simulate(Program(shape("torus", (3, 2)), iterations=3)), folder)


def no_such_file(folder: Path) -> Path:
    return folder / "nowhere.otf2"


def a_text(folder: Path) -> Path:
    path = folder / "notes.txt"
    path.write_text("It was a dark and stormy night.\n")
    return path


def a_text_called_otf2(folder: Path) -> Path:
    return a_text(folder).rename(folder / "notes.otf2")


def an_empty_file(folder: Path) -> Path:
    path = folder / "traces.otf2"
    path.touch()
    return path


def an_empty_folder(folder: Path) -> Path:
    path = folder / "empty"
    path.mkdir()
    return path


def a_folder_of_other_things(folder: Path) -> Path:
    a_text(folder)
    return folder


def a_cut_anchor(folder: Path) -> Path:
    anchor = good_trace(folder)
    anchor.write_bytes(anchor.read_bytes()[:40])
    return anchor


def a_scrambled_anchor(folder: Path) -> Path:
    anchor = good_trace(folder)
    anchor.write_bytes(bytes(b ^ 0x5A for b in anchor.read_bytes()))
    return anchor


def a_folder_of_events(folder: Path) -> Path:
    anchor = good_trace(folder)
    return anchor.with_suffix("")


def a_file_of_events(folder: Path) -> Path:
    return a_folder_of_events(folder) / "0.evt"


def an_anchor_alone(folder: Path) -> Path:
    anchor = good_trace(folder / "whole")
    return anchor.rename(folder / "traces.otf2")


def cut_definitions(folder: Path) -> Path:
    anchor = good_trace(folder)
    definitions = anchor.with_suffix(".def")
    definitions.write_bytes(definitions.read_bytes()[:100])
    return anchor


def two_traces(folder: Path) -> Path:
    good_trace(folder / "one")
    good_trace(folder / "two")
    return folder


def a_tar_of_two_traces(folder: Path) -> Path:
    two_traces(folder / "both")
    path = folder / "both.tar.gz"
    with tarfile.open(path, "w:gz") as tar:
        tar.add(folder / "both", "both")
    return path


def a_zip_of_two_traces(folder: Path) -> Path:
    two_traces(folder / "both")
    path = folder / "both.zip"
    with zipfile.ZipFile(path, "w") as packed:
        for file in sorted((folder / "both").rglob("*")):
            packed.write(file, file.relative_to(folder))
    return path


def a_tar_of_no_trace(folder: Path) -> Path:
    path = folder / "notes.tar.xz"
    with tarfile.open(path, "w:xz") as tar:
        tar.add(a_text(folder), "notes.txt")
    return path


def a_zip_of_no_trace(folder: Path) -> Path:
    path = folder / "notes.zip"
    with zipfile.ZipFile(path, "w") as packed:
        packed.write(a_text(folder), "notes.txt")
    return path


def a_cut_tar(folder: Path) -> Path:
    good_trace(folder / "trace")
    path = folder / "trace.tar.gz"
    with tarfile.open(path, "w:gz") as tar:
        tar.add(folder / "trace", "trace")
    path.write_bytes(path.read_bytes()[:-500])
    return path


def a_text_called_tar(folder: Path) -> Path:
    return a_text(folder).rename(folder / "notes.tar.gz")


def a_text_called_zip(folder: Path) -> Path:
    return a_text(folder).rename(folder / "notes.zip")


UNREADABLE: dict[str, Callable[[Path], Path]] = {
    maker.__name__: maker
    for maker in (
        no_such_file,
        a_text,
        a_text_called_otf2,
        an_empty_file,
        an_empty_folder,
        a_folder_of_other_things,
        a_cut_anchor,
        a_scrambled_anchor,
        a_folder_of_events,
        a_file_of_events,
        an_anchor_alone,
        cut_definitions,
        two_traces,
        a_tar_of_two_traces,
        a_zip_of_two_traces,
        a_tar_of_no_trace,
        a_zip_of_no_trace,
        a_cut_tar,
        a_text_called_tar,
        a_text_called_zip,
    )
}
"""Name to what makes it in an empty folder and returns the path to open."""


def one_rank(folder: Path) -> Path:
    return write_trace(simulate(silent_program(1, allreduce_every=1)), folder)


def collectives_only(folder: Path) -> Path:
    return write_trace(simulate(silent_program(5, allreduce_every=1)), folder)


def without_mpi(folder: Path) -> Path:
    """Two processes that know nothing of each other."""
    with otf2.writer.open(str(folder / "plain"), timer_resolution=1000) as trace:
        define = trace.definitions
        root = define.system_tree_node("machine")
        solve = define.region("solve", source_file="solve.c")
        for i in range(2):
            group = define.location_group(f"process {i}", system_tree_parent=root)
            write = trace.event_writer("main thread", group=group)
            write.enter(10 * i, solve)
            write.leave(100, solve)
    return folder / "plain" / "traces.otf2"


def without_events(folder: Path) -> Path:
    """One process that was not measured."""
    with otf2.writer.open(str(folder / "plain"), timer_resolution=1000) as trace:
        define = trace.definitions
        root = define.system_tree_node("machine")
        group = define.location_group("process", system_tree_parent=root)
        trace.event_writer("main thread", group=group)
    return folder / "plain" / "traces.otf2"


def without_iterations(folder: Path) -> Path:
    program = Program(shape("torus", (3, 2)), iterations=0)
    return write_trace(simulate(program), folder)


UNUSUAL: dict[str, Callable[[Path], Path]] = {
    maker.__name__: maker
    for maker in (
        one_rank,
        collectives_only,
        without_mpi,
        without_events,
        without_iterations,
    )
}
"""Traces in which there is little to see, but which are no mistake."""


def a_missing_location(folder: Path) -> Path:
    """Rank 2 left no events."""
    anchor = good_trace(folder)
    (anchor.with_suffix("") / "2.evt").unlink()
    return anchor


def a_cut_location(folder: Path) -> Path:
    """Rank 2 was killed while it wrote."""
    anchor = good_trace(folder)
    events = anchor.with_suffix("") / "2.evt"
    events.write_bytes(events.read_bytes()[:300])
    return anchor


DAMAGED: dict[str, Callable[[Path], Path]] = {
    maker.__name__: maker for maker in (a_missing_location, a_cut_location)
}
"""Traces of six ranks that can be read in part, with a warning."""
