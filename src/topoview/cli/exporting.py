"""The subcommands that write what others take away: report, export."""

import argparse
from pathlib import Path
from typing import TYPE_CHECKING, Any

from topoview.cli.options import LazyChoices, add_written, trace_path
from topoview.cli.printing import analysis, progress, put, results

if TYPE_CHECKING:
    from topoview.model import Analysis, MachineChoice


def report(args: argparse.Namespace) -> None:
    """Write a report of a run."""
    from topoview.api import report_writer
    from topoview.cli.network import machine_choice
    from topoview.live.tables.scope import scope_of
    from topoview.model import MachineChoice
    from topoview.pipeline import Options
    from topoview.scene.flat.plain_report import Further

    save_report = report_writer(args.output)
    machine = machine_choice(args)
    whole = analysis(args, Options())
    analysed = scope_of(whole, span=args.span or "exchange").of_span()
    own: dict[str, Any] = {}
    if args.session is not None:
        own, in_session = _of_session(args.session, analysed)
        machine = in_session if machine == MachineChoice() else machine
    further = Further(**own, machine=machine, other=str(args.compare or ""))
    made = save_report(analysed, args.output, further, progress(args))
    findings = [(one.title, one.text, one.command) for one in made.findings]
    put(
        args,
        lambda: {
            "path": str(args.output),
            "findings": [
                {"title": title, "text": text, "command": command}
                for title, text, command in findings
            ],
        },
        lambda: "\n".join(
            [
                *(
                    f"{k}. {title} {text}"
                    for k, (title, text, _) in enumerate(findings, 1)
                ),
                str(args.output),
            ]
        ),
        analysed.trace,
    )


def _of_session(
    path: Path, analysis: "Analysis"
) -> "tuple[dict[str, Any], MachineChoice]":
    """Return what a session keeps for a report, and the machine that it names."""
    from topoview.model import MachineChoice
    from topoview.ui.panels.options import NetworkOptions
    from topoview.ui.session_file import load_session

    kept = load_session(path, analysis)
    chosen = kept.get("panels", {}).get(NetworkOptions, NetworkOptions())
    names = ("bookmarks", "notes", "scene")
    return {key: kept[key] for key in names if key in kept}, MachineChoice.of(chosen)


def report_options(parser: argparse.ArgumentParser) -> None:
    """Add the options of `report`."""
    from topoview.cli.network import add_machine

    add = parser.add_argument
    where = "the file that is written: HTML, PDF, Markdown (.md) or text (.txt)"
    add_written(parser, "F.html", where)
    help_text = "the time that numbers are of (exchange)"
    add("--span", choices=("exchange", "run", "loop"), help=help_text)
    help_text = "a saved session, whose bookmarks and notes are part of the report"
    add("--session", type=Path, metavar="F.session.json", help=help_text)
    help_text = "another trace, which the run is compared with"
    add("--compare", type=trace_path, metavar="OTHER", help=help_text)
    add_machine(parser)


def export(args: argparse.Namespace) -> None:
    """Write a trace, a table or a topology for other tools."""
    from topoview.live.export import export_to

    made = export_to(args.output, args.table or "")
    computed = results(args, made.wanted)
    count = made.write(computed, args.output)
    put(
        args,
        lambda: {"path": str(args.output), "records": count},
        lambda: str(args.output),
        computed.trace,
    )


def export_options(parser: argparse.ArgumentParser) -> None:
    """Add the options of `export`."""
    from topoview.live.export import FORMATS, tables

    add = parser.add_argument
    where = f"the file that is written: {', '.join(FORMATS)}"
    add_written(parser, "FILE", where)
    help_text = "what a CSV or Parquet file holds (calls)"
    # in a group names are not asked for before they are needed
    add = parser.add_mutually_exclusive_group().add_argument
    add("--table", choices=LazyChoices(tables), help=help_text)
