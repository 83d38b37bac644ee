"""Pages, and files for people and other tools."""

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from topoview.api.scope import compute_results, find_part, reporter, spelled
from topoview.api.structure import machine_choice
from topoview.model import SpanName

if TYPE_CHECKING:
    from topoview.api.scope import Progress, Source
    from topoview.report.blocks import Document, Page


@spelled()
def info(trace: "Source", progress: "Progress" = None) -> "Page":
    """Summarise a trace: ranks, events, clock, and how good the recording is.

    Parameters
    ----------
    trace, progress
        As for `identify`.

    Returns
    -------
    topoview.report.blocks.Page
        It prints itself, as ``topoview info`` does.

    Examples
    --------
    >>> print(repr(topoview.info(trace)).splitlines()[3])
    ranks         288
    """
    from topoview.report.info import info_page

    return info_page(compute_results(trace, [], progress).trace)


@spelled()
def advice(trace: "Source", progress: "Progress" = None) -> "Page":
    """Find what costs most time, and what could be done about it.

    Parameters
    ----------
    trace, progress
        As for `identify`.

    Returns
    -------
    topoview.report.blocks.Page
        Sentences with their numbers, costliest first, each with the command that shows
        it; empty where nobody waited. It prints itself.

    Examples
    --------
    >>> print(repr(topoview.advice(trace)).splitlines()[1][:43])
      1. Parallel efficiency is 89.8 % in the e
    """
    from topoview.report.advice import advice_blocks
    from topoview.report.blocks import Page

    analysis = find_part(trace, progress, "waits and causes").analysis
    return Page(blocks=advice_blocks(analysis))


@spelled()
def export(
    trace: "Source",
    path: str | Path,
    *,
    table: str = "",
    progress: "Progress" = None,
) -> Path:
    """Write a trace, a table or a topology for other tools, by the suffix.

    Parameters
    ----------
    trace, progress
        As for `identify`.
    path
        Where it is written: ``.perfetto-trace``, ``.json`` and others, as
        ``topoview export`` takes them.
    table
        What a CSV or Parquet file holds; empty: the calls.

    Raises
    ------
    topoview.errors.UsageError
        If the suffix is none of these, or there is no such table.
    topoview.errors.ExportError
        If it cannot be written there.

    Examples
    --------
    >>> topoview.export(trace, "run.perfetto-trace")  # doctest: +SKIP
    """
    from topoview.live.export import export_to

    made = export_to(Path(path), table)
    made.write(compute_results(trace, list(made.wanted), progress), Path(path))
    return Path(path)


@spelled()
def write_digest(
    trace: str | Path, path: str | Path, *, progress: "Progress" = None
) -> Path:
    """Write all results of a trace, without its events, to one file.

    Parameters
    ----------
    trace
        Path of the trace.
    path
        Where the digest is written: it opens as a trace does.
    progress
        As for `identify`.

    Raises
    ------
    topoview.errors.TopoviewError
        If the trace cannot be read, or the file not be written.

    Examples
    --------
    >>> topoview.write_digest("run/traces.otf2", "run.topoview")  # doctest: +SKIP
    """
    from topoview.worker.digest import make_digest

    make_digest(trace, path, report=reporter(progress))
    return Path(path)


@spelled()
def write_report(  # noqa: PLR0913 - what can be asked for
    trace: "Source",
    path: str | Path,
    *,
    compare: str | Path = "",
    machine: "str | Path | dict[str, Any]" = "",
    span: SpanName = "exchange",
    progress: "Progress" = None,
) -> Path:
    """Write a report of a run: HTML, PDF, Markdown or text, by the suffix.

    Without Qt, HTML lacks the pictures of scene and timeline.

    Parameters
    ----------
    trace, progress
        As for `identify`.
    path
        Where it is written.
    compare
        Path of another trace, which the run is compared with.
    machine
        As for `network`.
    span
        ``exchange``, ``run`` or ``loop``: the time that numbers are of.

    Raises
    ------
    topoview.errors.ExportError
        If it cannot be written there.
    topoview.errors.UsageError
        If there is no such span.

    Examples
    --------
    >>> topoview.write_report(trace, "run.html")  # doctest: +SKIP
    """
    from topoview.live.tables.scope import scope_of
    from topoview.scene.flat.plain_report import Further
    from topoview.worker.results import shown_of

    save_report = report_writer(Path(path))

    further = Further(machine=machine_choice(machine), other=str(compare))
    part = scope_of(shown_of(trace, reporter(progress)), span=span).of_span()
    save_report(part, Path(path), further, reporter(progress))
    return Path(path)


def report_writer(path: Path) -> "Callable[..., Document]":
    """Return what writes a report to a file: without Qt where it is not installed.

    Raises `ExportError` if the file cannot be a report, `TopoviewError` if it has
    pictures that cannot be drawn here.
    """
    from topoview.base.extras import EXTRAS
    from topoview.report.write import check_writable
    from topoview.scene.flat.plain_report import TEXT_SUFFIXES, save_plain_report

    suffix = path.suffix.lower()
    check_writable(path, "reports", (".html", ".pdf", *TEXT_SUFFIXES))
    if suffix in TEXT_SUFFIXES or (suffix == ".html" and EXTRAS["window"].missing):
        return save_plain_report
    from topoview.ui.export.report.save import save_report
    from topoview.ui.panels.scene.plotter import require_opengl

    require_opengl()  # else it would be said only once the trace has been analysed
    return save_report


@spelled()
def write_skeleton(
    trace: "Source", path: str | Path, *, progress: "Progress" = None
) -> Path:
    """Write a program that makes the same MPI calls: C or Python, by the suffix.

    Parameters
    ----------
    trace, progress
        As for `identify`.
    path
        Where it is written: ``.c``, or ``.py`` for mpi4py.

    Raises
    ------
    topoview.errors.UsageError
        If it has another suffix.

    Examples
    --------
    >>> topoview.write_skeleton(trace, "halo.c")  # doctest: +SKIP
    """
    from topoview.skeleton import language_of, write_skeleton

    language_of(Path(path))
    results = compute_results(trace, ["identification", "logical"], progress)
    match = results["identification"].shown_first
    write_skeleton(results.trace, results["logical"], match, Path(path))
    return Path(path)
