"""Write a report of an analysis: HTML or PDF, by the suffix of the file."""

from pathlib import Path

from topoview.base.progress import Report, silent
from topoview.errors import save_text
from topoview.model import Analysis
from topoview.report.blocks import Document
from topoview.report.document.page import page
from topoview.report.document.sections import document
from topoview.report.write import check_writable
from topoview.scene.flat.plain_report import (
    NO_MORE,
    Further,
    report_facts,
    state_of_report,
)
from topoview.ui.export.picture_choice import REPORT_FORMATS
from topoview.ui.export.report.pdf import save_pdf
from topoview.ui.export.report.pictures import (
    bookmark_picture,
    report_pictures,
    scene_model,
)
from topoview.ui.panels.scene.content import prepare_scene
from topoview.version import __version__


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
    check_writable(path, "reports", tuple(REPORT_FORMATS))
    made = make_document(analysis, further, report)
    if path.suffix.lower() == ".pdf":
        save_pdf(made, path)
    else:
        save_text(path, page(made))
    return made


def make_document(
    analysis: Analysis, further: Further = NO_MORE, report: Report = silent
) -> Document:
    """Find what a report says, and draw its pictures; as `save_report`."""
    shown = state_of_report(analysis)
    facts = report_facts(analysis, further, report)
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
    model = scene_model(shown, content)
    models = {} if model is None else {"scene": model}
    return document(
        facts, pictures, kept, further.sorted_notes(facts), __version__, models
    )
