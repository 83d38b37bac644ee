"""The command line: a table of subcommands.

``topoview [TRACE...]`` opens the window. Everything that the window finds is
also to be had without one: stdout carries the result, stderr progress and
errors. Exit status: 0 done; 1 the trace cannot be read or the result not be
written (one line on stderr says why); 2 wrong usage.
"""

import argparse
import os
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from topoview.cli.drawing import (
    demo,
    demo_options,
    movie,
    movie_options,
    render,
    render_options,
    window,
)
from topoview.cli.logical import (
    compare,
    compare_options,
    logical,
    logical_options,
    skeleton,
    skeleton_options,
)
from topoview.cli.options import add_part, window_parser
from topoview.cli.results import (
    cache,
    cache_options,
    identify,
    identify_options,
    info,
    profile,
)
from topoview.errors import TopoviewError, UsageError


def _nothing(parser: argparse.ArgumentParser) -> None:
    """Add no options."""


@dataclass(frozen=True, slots=True)
class Command:
    """A subcommand: what it does, its options, and whether it reads a trace."""

    run: Callable[[argparse.Namespace], None]
    options: Callable[[argparse.ArgumentParser], None] = _nothing
    reads: bool = True


COMMANDS = {
    "info": Command(info),
    "identify": Command(identify, identify_options),
    "logical": Command(logical, logical_options),
    "compare": Command(compare, compare_options),
    "skeleton": Command(skeleton, skeleton_options),
    "profile": Command(profile),
    "render": Command(render, render_options),
    "movie": Command(movie, movie_options),
    "demo": Command(demo, demo_options, reads=False),
    "cache": Command(cache, cache_options, reads=False),
}


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="topoview")
    subparsers = parser.add_subparsers(dest="command", required=True)
    common = argparse.ArgumentParser(add_help=False)
    common.add_argument("--json", action="store_true", help="print one JSON object")
    reading = argparse.ArgumentParser(add_help=False, parents=[common])
    reading.add_argument(
        "trace", type=Path, metavar="TRACE", help="anchor file, folder, or archive"
    )
    add_part(reading.add_argument_group("reading a part").add_argument)
    for name, command in COMMANDS.items():
        made = subparsers.add_parser(
            name,
            help=command.run.__doc__,
            description=command.run.__doc__,
            parents=[reading if command.reads else common],
        )
        command.options(made)
    return parser


def _run(arguments: list[str]) -> int:
    if arguments and arguments[0] in COMMANDS:
        args = _parser().parse_args(arguments)
        COMMANDS[args.command].run(args)
        return 0
    said = {name: command.run.__doc__ or "" for name, command in COMMANDS.items()}
    args = window_parser(said).parse_args(arguments)
    if args.install_desktop or args.remove_desktop:
        from topoview.desktop import install_desktop, remove_desktop

        act = remove_desktop if args.remove_desktop else install_desktop
        print("\n".join(act()))
        return 0
    return window(args.trace)


def main(arguments: list[str] | None = None) -> int:
    """Run topoview; returns the exit status."""
    try:
        return _run(sys.argv[1:] if arguments is None else arguments)
    except TopoviewError as error:
        clear = "\r\x1b[K" if sys.stderr.isatty() else ""  # of unfinished progress
        print(f"{clear}topoview: {error}", file=sys.stderr)
        return 2 if isinstance(error, UsageError) else 1
    except KeyboardInterrupt:
        return 130
    except BrokenPipeError:  # the reader of our output has gone
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0


if __name__ == "__main__":
    sys.exit(main())
