"""Write a report of an analysis: HTML or PDF, by the suffix of the file."""

from pathlib import Path

from topoview.errors import writing
from topoview.model import Analysis
from topoview.progress import Report, silent
from topoview.report.document.blocks import Document
from topoview.report.document.facts import Facts
from topoview.report.document.page import page
from topoview.report.document.sections import document
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


def save_report(  # noqa: PLR0913
    known: Analysis,
    path: Path,
    bookmarks: tuple[Bookmark, ...] = (),
    notes: tuple[Note, ...] = (),
    scene: SceneOptions | None = None,
    report: Report = silent,
) -> Document:
    """Write a report.

    Parameters
    ----------
    known
        All results of the trace.
    bookmarks, notes
        What the user has kept: a picture each, and a table.
    scene
        How the pictures of bookmarks are drawn.

    Raises
    ------
    ExportError
        It cannot be written there.
    """
    check_writable(path, "reports", SUFFIXES)
    made = make_document(known, bookmarks, notes, scene, report)
    if path.suffix.lower() == ".pdf":
        save_pdf(made, path)
    else:
        with writing(path):
            path.write_text(page(made), "utf-8")
    return made


def make_document(
    known: Analysis,
    bookmarks: tuple[Bookmark, ...] = (),
    notes: tuple[Note, ...] = (),
    scene: SceneOptions | None = None,
    report: Report = silent,
) -> Document:
    """Find what a report says, and draw its pictures; as `save_report`."""
    shown = state_of_report(known)
    facts = Facts(known, shown.delay)
    content = prepare_scene(shown)
    pictures = report_pictures(facts, shown, content, report)
    kept = []
    for number, bookmark in enumerate(bookmarks):
        drawn = bookmark_picture(known, bookmark, scene or SceneOptions(), content)
        if drawn is not None:
            name = f"kept-{number + 1}"
            pictures[name] = drawn
            when = facts.duration(bookmark.time)
            kept.append((name, f"{bookmark.name}, at {when}."))
    told = [
        (f"{note.rank}", facts.duration(note.time), note.text)
        for note in sorted(notes, key=lambda one: one.time)
    ]
    model = scene_model(shown, content)
    models = {} if model is None else {"scene": model}
    return document(facts, pictures, kept, told, __version__, models)
