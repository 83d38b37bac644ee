"""The command line: a table of subcommands.

``topoview [TRACE...]`` opens the window. Everything that the window finds is
also to be had without one: stdout carries the result, stderr progress and
errors. Exit status: 0 done; 1 the trace cannot be read or the result not be
written (one line on stderr says why); 2 wrong usage.

A command is imported when it is run: its file is in `topoview.cli`, its function is
called as the command, and ``NAME_options`` there adds its options.
"""

import argparse
import os
import signal
import sys
from dataclasses import dataclass
from importlib import import_module
from types import ModuleType

from topoview.base.text import one_line
from topoview.cli.options import add_subset, trace_path, window_parser
from topoview.cli.printing import prepare_output
from topoview.errors import TopoviewError, UsageError


@dataclass(frozen=True, slots=True)
class Command:
    """A subcommand."""

    file: str
    text: str
    """`file` and `text`: its file in `topoview.cli`, and what it does."""
    reads: bool = True
    """Whether it reads a trace."""
    subset: str | None = "read-"
    """Prefix of the options for what is read of a trace; None: always all of it."""


COMMANDS = {
    "info": Command("results", "Summarise a trace: ranks, events, clock, quality."),
    "identify": Command("results", "Identify the communication topology."),
    "logical": Command("logical", "Print the logical trace."),
    "compare": Command("comparing", "Compare two runs: what they do, and how long."),
    "scaling": Command("comparing", "Show how runs on several numbers of ranks scale."),
    "skeleton": Command("logical", "Write a program that makes the same MPI calls."),
    "matrix": Command("tables", "Count messages and bytes by pairs of ranks."),
    "messages": Command("tables", "List messages."),
    "calls": Command(
        "tables", "List MPI calls; cause is the rank that one waited for."
    ),
    "communicators": Command("tables", "List communicators."),
    "phases": Command("tables", "List the phases of the run."),
    "regions": Command("tables", "List regions of the program besides MPI."),
    "iterations": Command("tables", "List the iterations of a loop on every rank."),
    "statistics": Command(
        "tables", "Show how durations, sizes and times spread, by group."
    ),
    "profile": Command(
        "results", "Sum up time and calls by MPI function and by state."
    ),
    "waits": Command("waits", "Sum up wait states: kinds, ranks, causes."),
    "idle-waves": Command(
        "waits", "List delays, costliest first, and how they travel."
    ),
    "efficiency": Command("waits", "Compute POP efficiencies."),
    "network": Command("network", "Compute the load of the machine's links."),
    "map": Command("network", "Find better mappings of ranks."),
    "report": Command("exporting", "Write a report: HTML or PDF."),
    "export": Command("exporting", "Write a trace or its results for other tools."),
    "digest": Command(
        "digest", "Write all results, without the events, to one file.", subset=None
    ),
    "fetch": Command(
        "digest", "Write the events of a part of the trace of a digest.", subset=""
    ),
    "render": Command("drawing", "Write a picture of the 3D scene."),
    "movie": Command("drawing", "Write a film of the 3D scene."),
    "demo": Command(
        "drawing",
        "Open a sample trace; without a display, draw it to files.",
        reads=False,
    ),
    "cache": Command(
        "results",
        "Show or clear the cache of traces.",
        reads=False,
    ),
}


def _parser(name: str, module: ModuleType) -> argparse.ArgumentParser:
    command = COMMANDS[name]
    parser = argparse.ArgumentParser(prog=f"topoview {name}", description=command.text)
    parser.set_defaults(command=name)
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    if command.reads:
        parser.add_argument(
            "trace",
            type=trace_path,
            metavar="TRACE",
            help="anchor file, folder, or archive",
        )
        if command.subset is not None:
            group = parser.add_argument_group("reading a subset")
            add_subset(group.add_argument, command.subset)
    add_options = getattr(module, f"{name.replace('-', '_')}_options", None)
    if add_options is not None:
        add_options(parser)
    return parser


def _run(arguments: list[str]) -> int:
    if arguments and arguments[0] in COMMANDS:
        name = arguments[0]
        module = import_module(f"topoview.cli.{COMMANDS[name].file}")
        args = _parser(name, module).parse_args(arguments[1:])
        getattr(module, name.replace("-", "_"))(args)
        return 0
    said = {name: command.text for name, command in COMMANDS.items()}
    args = window_parser(said).parse_args(arguments)
    if args.install_desktop or args.remove_desktop:
        from topoview.desktop import install_desktop, remove_desktop

        act = remove_desktop if args.remove_desktop else install_desktop
        print("\n".join(act()))
        return 0
    if args.version or args.doctor:
        from topoview.cli.doctor import doctor, version_text

        if args.doctor:
            return doctor()
        print(version_text())
        return 0
    from topoview.cli.drawing import window

    return window(args.trace, draws=args.draws, language=args.language)


def main(arguments: list[str] | None = None) -> int:
    """Run topoview; returns the exit status."""
    prepare_output()
    if arguments is None:  # this is the program, and no part of another one
        _end_orderly()
    try:
        return _run(sys.argv[1:] if arguments is None else arguments)
    except TopoviewError as error:
        if error.details:
            print(error.details, file=sys.stderr)
        _complain(str(error))
        return 2 if isinstance(error, UsageError) else 1
    except MemoryError:
        _complain(
            "there is not enough memory for this: close other programs, or read some "
            "ranks (--ranks) or seconds (--from, --to) only"
        )
        return 1
    except KeyboardInterrupt:
        return 130
    except BrokenPipeError:  # the reader of our output has gone
        _forget_output()
        return 0


def _end_orderly() -> None:
    """Have what ends a process from outside remove its temporary files, too."""

    def leave(number: int, _: object) -> None:
        raise SystemExit(128 + number)

    for number in (signal.SIGTERM, signal.SIGHUP):
        if signal.getsignal(number) == signal.SIG_DFL:  # nohup ignores one
            signal.signal(number, leave)


def _forget_output() -> None:
    """Have nothing written any more when the process ends."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _complain(line: str) -> None:
    clear = "\r\x1b[K" if sys.stderr.isatty() else ""  # of unfinished progress
    print(f"{clear}topoview: {one_line(line)}", file=sys.stderr)


if __name__ == "__main__":
    if not sys.flags.safe_path:
        del sys.path[0]  # the current folder, where anybody's files may lie
    sys.exit(main())
