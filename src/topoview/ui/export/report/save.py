"""Write a report of an analysis: HTML or PDF, by the suffix of the file."""

import shlex
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from topoview.base.progress import Report, silent
from topoview.base.text import one_line
from topoview.errors import UsageError, writing
from topoview.live.network import beside_measured, traffic_of_matrix
from topoview.model import Analysis, LinkLoads, MachineChoice
from topoview.report.blocks import Document
from topoview.report.document.facts import Facts
from topoview.report.document.page import page
from topoview.report.document.sections import document
from topoview.report.network import machine_options
from topoview.report.run_comparison import compared_with
from topoview.session import Bookmark, Note, SceneOptions
from topoview.ui.export.picture import check_writable
from topoview.ui.export.report.pdf import save_pdf
from topoview.ui.export.report.pictures import (
    bookmark_picture,
    report_pictures,
    scene_model,
    state_of_report,
)
from topoview.ui.panels.scene.content import prepare_scene
from topoview.version import __version__

SUFFIXES = (".html", ".pdf")


@dataclass(frozen=True, slots=True)
class Further:
    """What a report tells beside the trace."""

    bookmarks: tuple[Bookmark, ...] = ()
    notes: tuple[Note, ...] = ()
    """`bookmarks` and `notes`: what the user has kept: a picture each, and a table."""
    scene: SceneOptions = field(default_factory=SceneOptions)
    """How the pictures of bookmarks are drawn."""
    machine: MachineChoice = field(default_factory=MachineChoice)
    """What the user says of the machine."""
    other: str = ""
    """Path of a trace that the run is compared with; empty for none."""


NO_MORE: Final = Further()


def save_report(
    analysis: Analysis, path: Path, further: Further = NO_MORE, report: Report = silent
) -> Document:
    """Write a report of a trace of which all results are known.

    Raises
    ------
    ExportError
        It cannot be written there.
    UsageError, PlacementError, TraceError
        What the user says of the machine does not fit; the other trace cannot be read.
    """
    check_writable(path, "reports", SUFFIXES)
    made = make_document(analysis, further, report)
    if path.suffix.lower() == ".pdf":
        save_pdf(made, path)
    else:
        with writing(path):
            path.write_text(page(made), "utf-8")
    return made


def make_document(
    analysis: Analysis, further: Further = NO_MORE, report: Report = silent
) -> Document:
    """Find what a report says, and draw its pictures; as `save_report`."""
    shown = state_of_report(analysis)
    compared = None
    if further.other:
        compared = compared_with(analysis.trace, further.other, report)
    facts = Facts(
        analysis=analysis,
        delay=shown.delay,
        time=shown.time,
        loads=loads_of(analysis, further.machine),
        machine=machine_options(further.machine),
        compared=compared,
        other=shlex.quote(one_line(further.other)),
    )
    content = prepare_scene(shown)
    pictures = report_pictures(facts, shown, content, report)
    kept = []
    for number, bookmark in enumerate(further.bookmarks):
        drawn = bookmark_picture(analysis, bookmark, further.scene, content)
        if drawn is not None:
            name = f"kept-{number + 1}"
            pictures[name] = drawn
            when = facts.duration(bookmark.time)
            kept.append((name, f"{bookmark.name}, at {when}."))
    notes = [
        (f"{note.rank}", facts.duration(note.time), note.text)
        for note in sorted(further.notes, key=lambda one: one.time)
    ]
    model = scene_model(shown, content)
    models = {} if model is None else {"scene": model}
    return document(facts, pictures, kept, notes, __version__, models)


def loads_of(analysis: Analysis, machine: MachineChoice) -> LinkLoads | None:
    """Put all messages on the machine's links; None where nothing tells of nodes."""
    if analysis.matrix is None:
        return None
    try:
        loads = traffic_of_matrix(analysis.trace, machine, analysis.matrix).loads
    except UsageError:
        if machine != MachineChoice():
            raise
        return None
    return beside_measured(analysis.trace, loads, machine)
