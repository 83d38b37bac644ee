"""The command line: one function a subcommand.

``topoview [TRACE...]`` opens the window. Everything that the window finds is
also to be had without one: stdout carries the result, stderr progress and
errors. Exit status: 0 done; 1 the trace cannot be read or the result not be
written (one line on stderr says why); 2 wrong usage.
"""

import argparse
import os
import sys
from collections.abc import Sequence
from pathlib import Path

from topoview import __version__
from topoview.commands.logical import (
    compare,
    compare_options,
    logical,
    logical_options,
    skeleton,
    skeleton_options,
)
from topoview.commands.printing import progress as _progress
from topoview.commands.printing import put as _print
from topoview.commands.printing import read
from topoview.errors import TopoviewError


def info(args: argparse.Namespace) -> None:
    """Tell what a trace holds."""
    from topoview.analysis.info import info_record, info_text

    trace = read(args.trace)
    _print(args, lambda: info_record(trace), lambda: info_text(trace))


def identify(args: argparse.Namespace) -> None:
    """Tell the communication topology."""
    from topoview.topology import communication_matrix, identification_record
    from topoview.topology import identify as find
    from topoview.topology.text import identification_text

    trace = read(args.trace)
    found = find(communication_matrix(trace), _progress())
    _print(
        args,
        lambda: identification_record(found, edges=args.edges),
        lambda: identification_text(found, edges=args.edges),
    )


def profile(args: argparse.Namespace) -> None:
    """Tell time and calls by MPI function and by state."""
    from topoview.analysis.profile import profile as measure
    from topoview.analysis.profile import profile_record, profile_table

    trace = read(args.trace)
    found = measure(trace, _progress())
    _print(
        args,
        lambda: profile_record(trace, found),
        lambda: profile_table(trace, found),
    )


def render(args: argparse.Namespace) -> None:
    """Write a picture of the 3D scene."""
    from topoview.analysis import analyse
    from topoview.analysis.interest import interesting_times
    from topoview.ui.export import render_image, save_image

    trace = read(args.trace)
    *_, known = analyse(trace, _progress())
    length = trace.clock.seconds(trace.clock.length)
    time = args.time
    if time is None:
        time = trace.clock.seconds(interesting_times(trace)[1])
    if not 0 <= time <= length:
        raise TopoviewError(
            f"{trace.name} has no time {time:g} s: it lasts {length:.6g} s"
        )
    image = render_image(
        known, time=trace.clock.ticks(time), size=args.size, theme=args.theme
    )
    save_image(image, args.output)
    _print(
        args,
        lambda: {"path": str(args.output), "time": time, "size": list(args.size)},
        lambda: str(args.output),
    )


def demo(args: argparse.Namespace) -> None:
    """Write the sample trace and open it; without a display draw it to files."""
    from topoview.analysis.demo import write_demo
    from topoview.ui.display import has_display

    anchor = write_demo(args.output)
    if args.pictures is None and has_display():
        sys.exit(_window([anchor]))
    from topoview.ui.pictures import draw_pictures

    pictures = args.pictures or Path("topoview-demo")
    found = draw_pictures(anchor, pictures, _progress())
    _print(args, lambda: found.record, lambda: found.text)


def _window(paths: Sequence[Path]) -> int:
    from topoview.ui.display import has_display

    if not has_display():
        if paths and not paths[0].exists():
            raise TopoviewError(
                f"{paths[0]} is neither a command nor a trace: see topoview --help"
            )
        raise TopoviewError(
            "there is no display to open a window on: use one of the commands "
            "info, identify, logical, profile, render, or run under xvfb-run"
        )
    from topoview.ui import run

    return run([str(path) for path in paths])


def _size(text: str) -> tuple[int, int]:
    width, _, height = text.partition("x")
    if not (width.isdecimal() and height.isdecimal()):
        raise argparse.ArgumentTypeError(f"{text!r} is no size: write 1280x800")
    size = int(width), int(height)
    if not all(64 <= length <= 16384 for length in size):
        raise argparse.ArgumentTypeError("a side has 64 to 16384 pixels")
    return size


COMMANDS = {
    "info": info,
    "identify": identify,
    "logical": logical,
    "compare": compare,
    "skeleton": skeleton,
    "profile": profile,
    "render": render,
    "demo": demo,
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
    made = {
        name: subparsers.add_parser(
            name,
            help=function.__doc__,
            description=function.__doc__,
            parents=[common if name == "demo" else reading],
        )
        for name, function in COMMANDS.items()
    }
    made["identify"].add_argument(
        "--edges", action="store_true", help="list the topology's edges too"
    )
    logical_options(made["logical"])
    compare_options(made["compare"])
    skeleton_options(made["skeleton"])
    add = made["render"].add_argument
    add("-o", "--output", type=Path, required=True, metavar="F.png")
    add("--time", type=float, metavar="S", help="seconds from the trace's beginning")
    add("--size", type=_size, default=(1280, 800), metavar="WxH")
    add("--theme", choices=["light", "dark"], default="light")
    add = made["demo"].add_argument
    add("--output", type=Path, metavar="FOLDER", help="where the trace is written")
    add("--pictures", type=Path, metavar="FOLDER", help="draw to files, open no window")
    return parser


def _window_parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="topoview",
        usage="topoview [TRACE...] | topoview COMMAND ...",
        description="Show the communication topology of MPI programs in their traces.\n"
        "TRACE is an OTF2 anchor file, the folder holding it, or an archive of one.",
        epilog="commands:\n"
        + "\n".join(f"  {name:<10}{f.__doc__}" for name, f in COMMANDS.items())
        + "\n\n'topoview COMMAND --help' tells more.",
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("trace", nargs="*", type=Path, metavar="TRACE")
    parser.add_argument("--version", action="version", version=__version__)
    parser.add_argument(
        "--install-desktop",
        action="store_true",
        help="register topoview for double-clicks on traces, for this user",
    )
    parser.add_argument(
        "--remove-desktop", action="store_true", help="undo --install-desktop"
    )
    return parser


def _run(arguments: list[str]) -> int:
    if arguments and arguments[0] in COMMANDS:
        args = _parser().parse_args(arguments)
        COMMANDS[args.command](args)
        return 0
    args = _window_parser().parse_args(arguments)
    if args.install_desktop or args.remove_desktop:
        from topoview.desktop import install_desktop, remove_desktop

        act = remove_desktop if args.remove_desktop else install_desktop
        print("\n".join(act()))
        return 0
    return _window(args.trace)


def main(arguments: list[str] | None = None) -> int:
    """Run topoview; returns the exit status."""
    try:
        return _run(sys.argv[1:] if arguments is None else arguments)
    except TopoviewError as error:
        clear = "\r\x1b[K" if sys.stderr.isatty() else ""  # of unfinished progress
        print(f"{clear}topoview: {error}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        return 130
    except BrokenPipeError:  # the reader of our output has gone
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0


if __name__ == "__main__":
    sys.exit(main())
