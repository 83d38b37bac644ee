"""The subcommand about the communication topology: identify."""

import argparse

from topoview.commands.options import add_pattern
from topoview.commands.printing import progress, put, read


def identify(args: argparse.Namespace) -> None:
    """Tell the communication topology."""
    from topoview.analysis.identification import Asked, tell

    how = (args.edges, args.threshold, tuple(args.pattern))
    asked = Asked(*how, args.why or args.spectrum, args.spectrum)
    found = tell(read(args), asked, progress())
    put(args, found.record, found.text)


def identify_options(parser: argparse.ArgumentParser) -> None:
    """Add the options of `identify`."""
    add = parser.add_argument
    add("--edges", action="store_true", help="list the topology's edges too")
    few = "leave out pairs with less than this fraction of the largest pair's bytes"
    add("--threshold", type=_fraction, metavar="F", help=few)
    add_pattern(parser)
    add("--why", action="store_true", help="tell the candidates and their fate too")
    add("--spectrum", action="store_true", help="as --why, with spectra compared")


def _fraction(text: str) -> float:
    try:
        value = float(text)
    except ValueError:
        value = -1.0
    if not 0 < value <= 1:
        raise argparse.ArgumentTypeError(f"{text!r} is no fraction: write 0.05 for 5 %")
    return value
