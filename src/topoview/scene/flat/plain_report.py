"""A report without the scene and the timeline: needs neither Qt nor a display.

Its charts are those of every report. As text it is what `topoview report` says in HTML.
"""

import re
import shlex
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Final

import numpy as np

from topoview.base.progress import Report, silent
from topoview.base.text import one_line
from topoview.errors import UsageError, save_text
from topoview.live.network import beside_measured, traffic_of_matrix
from topoview.live.timeline.orders import order_by_distance, order_by_rank
from topoview.live.waits.delays import changes_at_first
from topoview.model import Analysis, LinkLoads, MachineChoice, TimeState
from topoview.report import write
from topoview.report.blocks import Document, Picture
from topoview.report.document.facts import Facts
from topoview.report.document.sections import document, efficiency_parts, wait_kinds
from topoview.report.network import machine_options
from topoview.report.run_comparison import compared_with
from topoview.scene.flat.charts import bars_chart, efficiency_chart, heat_map, place_map
from topoview.scene.palette import STATE_COLOURS
from topoview.session import Bookmark, Note, SceneOptions, State
from topoview.version import __version__

TEXT_SUFFIXES: Final = (".txt", ".md")


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

    def sorted_notes(self, facts: Facts) -> list[tuple[str, str, str]]:
        """Return the rank, time and text of each note, by time."""
        return [
            (f"{note.rank}", facts.duration(note.time), note.text)
            for note in sorted(self.notes, key=lambda one: one.time)
        ]


NO_MORE: Final = Further()


def save_plain_report(
    analysis: Analysis, path: Path, further: Further = NO_MORE, report: Report = silent
) -> Document:
    """Write a report as HTML, Markdown or text, by the suffix of the file.

    Raises
    ------
    ExportError
        It cannot be written there.
    UsageError, PlacementError, TraceError
        What the user says of the machine does not fit; the other trace cannot be read.
    """
    write.check_writable(path, "reports without a display", (".html", *TEXT_SUFFIXES))
    facts = report_facts(analysis, further, report)
    notes = further.sorted_notes(facts)
    suffix = path.suffix.lower()
    charts = {} if suffix in TEXT_SUFFIXES else report_charts(facts)
    made = document(facts, charts, notes=notes, version=__version__)
    match suffix:
        case ".html":
            from topoview.report.document.page import page

            text = page(made)
        case ".md":
            text = write.page_markdown(write.document_page(made))
        case _:
            text = f"{write.page_text(write.document_page(made))}\n"
    save_text(path, text)
    return made


def state_of_report(analysis: Analysis) -> State:
    """Choose what the pictures show: what the window shows first, in the light."""
    whole = analysis.trace.clock.whole
    state = State(analysis, window=whole, theme="light")
    return replace(state, **changes_at_first(state))


def report_facts(
    analysis: Analysis, further: Further = NO_MORE, report: Report = silent
) -> Facts:
    """Find what a report is about; raises as `save_plain_report`."""
    shown = state_of_report(analysis)
    compared = None
    if further.other:
        compared = compared_with(analysis.trace, further.other, report)
    return Facts(
        analysis=analysis,
        delay=shown.delay,
        time=shown.time,
        loads=loads_of(analysis, further.machine),
        machine=machine_options(further.machine),
        compared=compared,
        other=shlex.quote(one_line(further.other)),
    )


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


def report_charts(facts: Facts) -> dict[str, Picture]:
    """Draw the charts that there is something for."""
    charts: dict[str, Callable[[Facts], str | None]] = {
        "efficiency": _efficiency,
        "kinds": _kinds,
        "places": _places,
        "iterations": _iterations,
    }
    drawn = {name: draw(facts) for name, draw in charts.items()}
    return {name: Picture(svg, svg_size(svg)) for name, svg in drawn.items() if svg}


def svg_size(svg: str) -> tuple[float, float]:
    """Read the size of a chart."""
    match = re.search(r'width="([\d.]+)" height="([\d.]+)"', svg)
    assert match is not None
    return float(match[1]), float(match[2])


def _efficiency(facts: Facts) -> str | None:
    rows = efficiency_parts(facts)
    return efficiency_chart(rows, 230) if rows else None


def _kinds(facts: Facts) -> str | None:
    colour = STATE_COLOURS[TimeState.WAIT]
    rows = [(*row, colour) for row in wait_kinds(facts)]
    return bars_chart(rows, 230, 100) if rows else None


def _places(facts: Facts) -> str | None:
    identification, waited = facts.analysis.identification, facts.of_ranks("wait")
    if identification is None or not waited.any():
        return None
    return place_map(identification.best, waited, mark=_late_rank(facts))


def _late_rank(facts: Facts) -> int:
    delays = facts.analysis.delays
    if delays is None or facts.delay < 0:
        return -1
    return int(delays.rank[facts.delay])


def _iterations(facts: Facts) -> str | None:
    table, identification = facts.waits_by_iteration, facts.analysis.identification
    if table is None or identification is None or table.shape[1] < 3 or not table.any():
        return None
    late, ranks = _late_rank(facts), facts.analysis.trace.ranks
    order = order_by_rank(ranks)
    groups = [(first, f"rank {first}") for first in range(0, ranks, max(ranks // 8, 1))]
    if late >= 0 and len(identification.best.topology.edges):
        order = order_by_distance(identification.best, (late,))
        labels = [f"rank {late}", *order.labels[1:]]
        groups = list(zip(order.groups.tolist(), labels, strict=False))
    values = table[np.asarray(order.ranks)]
    high = float(min(max(5 * ranks, 90), 270))
    colour = STATE_COLOURS[TimeState.WAIT]
    return heat_map(values, groups, table.sum(axis=0), colour, height=high)
