"""Options that commands share, and values as they are written on a command line."""

import argparse
import math
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, NoReturn

from topoview.base.memory import parse_size
from topoview.base.resources import languages
from topoview.base.text import did_you_mean, size_text
from topoview.errors import UsageError

if TYPE_CHECKING:
    from topoview.model import TraceExtent


class Parser(argparse.ArgumentParser):
    """Says in one line what is wrong, and what was probably meant."""

    def parse_args(self, args: Any = None, namespace: Any = None) -> argparse.Namespace:  # type: ignore[override] # noqa: ANN401 - as argparse
        """Read a line; what is left over is no option."""
        parsed: argparse.Namespace
        parsed, left = self.parse_known_args(args, namespace)
        if left:
            options = self._option_string_actions
            word = left[0].partition("=")[0]
            what = "is no option" if word.startswith("-") else "is one word too many"
            self.error(f"{word} {what}{did_you_mean(word, options)}")
        return parsed

    def error(self, message: str) -> NoReturn:
        """Refuse a line.

        Raises `UsageError`: always.
        """
        end = "" if message.endswith("?") else ":"
        raise UsageError(f"{message}{end} see {self.prog} --help")

    def _check_value(self, action: argparse.Action, value: Any) -> None:  # noqa: ANN401 - as argparse
        if action.choices is None or value in action.choices:
            return
        choices = [str(choice) for choice in action.choices if choice != ""]
        meant = did_you_mean(value, choices) if isinstance(value, str) else ""
        raise argparse.ArgumentError(
            action, f"{value!r} is none of {', '.join(choices)}{meant}"
        )


def add_subset(add: Callable[..., Any], prefix: str = "read-") -> None:
    """Add the options for what is read of a trace, and in how much memory.

    They begin with a prefix: without one they say what is counted of it.
    """
    help_ = "seconds from the trace's beginning"
    for name, key, text in (("from", "begin", "from S"), ("to", "end", "up to S")):
        add(
            f"--{prefix}{name}",
            dest=key,
            type=seconds,
            metavar="S",
            help=f"read {text} {help_}{' on' if key == 'begin' else ''}",
        )
    add(
        f"--{prefix}ranks",
        dest="ranks",
        default="",
        metavar="0-63,70",
        help="read only these ranks",
    )
    add(
        "--memory",
        type=memory_size,
        metavar="SIZE",
        help="memory that may be used, such as 6G (a quarter of the machine's)",
    )


def trace_path(text: str) -> Path:
    """Path of a trace; an empty one would be the current folder."""
    if not text:
        raise argparse.ArgumentTypeError("no trace is named: write a path")
    return Path(text)


class LazyChoices:
    """Names to choose from that take long to find: for help, or if one is given.

    Parameters
    ----------
    find
        Finds them.
    """

    def __init__(self, find: Callable[[], Iterable[str]]) -> None:
        self._find = find

    def __iter__(self) -> Iterator[str]:
        """Find the names."""
        return iter(self._find())


class FileName(str):
    """Name of a file that an option reads or writes; another one than a `Path`."""

    __slots__ = ()


_PLAIN_PATH: Any = type(Path())


class WrittenPath(_PLAIN_PATH):  # type: ignore[misc]
    """Path of a file that an option writes; another one than a `Path` that is read."""


def csv_path(text: str) -> Path | FileName:
    """Turn a text into the path of a file that is written, or ``-`` for stdout."""
    return FileName(text) if text == "-" else WrittenPath(text)


WRITTEN: Final = (
    "-o",
    "--output",
    "--csv",
    "--parquet",
    "--npz",
    "--graphml",
    "--html",
    "--svg",
    "--dot",
    "--rankfile",
    "--slurm",
    "--mpich",
    "--permutation",
)
"""Options whose values are paths of files that are written."""


def add_flags(add: Callable[..., Any], flags: dict[str, str]) -> None:
    """Add options without values: what each does by name."""
    for name, text in flags.items():
        add(name, action="store_true", help=text)


def add_written(parser: argparse.ArgumentParser, name: str, text: str) -> None:
    """Add the option for the file that is written, which has such a name."""
    add = parser.add_argument
    add("-o", "--output", type=WrittenPath, required=True, metavar=name, help=text)


def add_pattern(parser: argparse.ArgumentParser) -> None:
    """Add the option for the user's own patterns."""
    parser.add_argument(
        "--pattern",
        type=Path,
        action="append",
        default=[],
        metavar="FILE",
        help="also look for the pattern in a .toml or .py file (repeatable)",
    )


def size_in_bytes(text: str) -> int:
    """Bytes of a size such as ``6G``."""
    try:
        return parse_size(text)
    except ValueError as error:
        raise argparse.ArgumentTypeError(str(error)) from None


def picture_size(text: str) -> tuple[int, int]:
    """Pixels of a size such as ``1280x800``."""
    width, _, height = text.partition("x")
    if not (width.isdecimal() and height.isdecimal()):
        raise argparse.ArgumentTypeError(f"{text!r} is no size: write 1280x800")
    size = int(width), int(height)
    if not all(64 <= length <= 16384 for length in size):
        raise argparse.ArgumentTypeError("a side has 64 to 16384 pixels")
    return size


def long_read(extent: "TraceExtent") -> str:
    """Explain what a long read means, and what else can be done."""
    return (
        f"{extent.events} events, {size_text(extent.size)}: reading takes about "
        f"{extent.seconds:.0f} s; --read-ranks, --read-from and --read-to read a part"
    )


def positive(text: str) -> float:
    """Turn a text into a number above 0."""
    return _number(text, lambda number: 0 < number < 10_000, "above 0")


def not_negative(text: str) -> float:
    """Turn a text into a number from 0 on."""
    return _number(text, lambda number: 0 <= number < float("inf"), "from 0 on")


def per_cent(text: str) -> float:
    """Turn a text into a number from 0 to 100."""
    return _number(text, lambda number: 0 <= number <= 100, "from 0 to 100")


def _number(text: str, is_one: Callable[[float], bool], words: str) -> float:
    try:
        number = float(text)
    except ValueError:
        number = float("nan")
    if not is_one(number):
        raise argparse.ArgumentTypeError(f"{text!r} is no number {words}")
    return number


MAX_COUNT: Final = 10**9
"""Largest whole number of an option: columns of numbers hold twice as much."""


def count(text: str, least: int = 0, most: int = MAX_COUNT) -> int:
    """Turn a text into a whole number in a range: from 0 on."""
    if not (text.isdecimal() and len(text) <= len(str(most))):
        number = least - 1
    else:
        number = int(text)
    if not least <= number <= most:
        raise argparse.ArgumentTypeError(
            f"{text!r} is no whole number from {least} to {most}"
        )
    return number


def count_of(least: int, most: int) -> Callable[[str], int]:
    """Return a function that turns a text into a whole number in a range."""
    return partial(count, least=least, most=most)


def seconds(text: str) -> float:
    """Turn a text into seconds, which may be checked later."""
    return _number(text, math.isfinite, "of seconds")


def rank_number(text: str) -> int:
    """Turn a text into a rank, which may be checked later."""
    try:
        return count(text)
    except argparse.ArgumentTypeError:
        raise argparse.ArgumentTypeError(f"{text!r} is no rank: write 12") from None


def memory_size(text: str) -> int:
    """Bytes of what may be taken of memory, such as ``6G``."""
    size = size_in_bytes(text)
    if not size:
        raise argparse.ArgumentTypeError("nothing can be read in no memory: write 6G")
    return size


def window_parser(commands: str = "") -> Parser:
    """Build the parser of the line that opens the window.

    Parameters
    ----------
    commands
        What its help says of the commands.
    """
    parser = Parser(
        prog="topoview",
        usage="topoview [TRACE...] | topoview COMMAND ...",
        description="Show the communication topology of MPI programs in their traces.\n"
        "TRACE is an OTF2 anchor file, the folder holding it, or an archive of one.",
        epilog=f"{commands}\n'topoview help COMMAND' lists its options.",
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    traces = "anchor files, folders or archives; without one, the first page is shown"
    parser.add_argument(
        "trace", nargs="*", type=trace_path, metavar="TRACE", help=traces
    )
    parser.add_argument(
        "-V",
        "--version",
        action="store_true",
        help="print versions and licences of topoview and its parts",
    )
    parser.add_argument(
        "--doctor",
        action="store_true",
        help="check what topoview needs, and say how to get what is missing",
    )
    parser.add_argument(
        "--no-3d",
        action="store_false",
        dest="draws",
        help="open the window without the 3D scene, where OpenGL does not work",
    )
    parser.add_argument(
        "--language",
        default="",
        choices=("system", *languages()),
        help="language of the window this time (that of its preferences)",
    )
    parser.add_argument(
        "--install-desktop",
        action="store_true",
        help="register topoview for double-clicks on traces, for this user",
    )
    parser.add_argument(
        "--remove-desktop", action="store_true", help="undo --install-desktop"
    )
    return parser


def fraction(text: str) -> float:
    """Read a fraction above 0."""
    try:
        value = float(text)
    except ValueError:
        value = -1.0
    if not 0 < value <= 1:
        raise argparse.ArgumentTypeError(f"{text!r} is no fraction: write 0.05 for 5 %")
    return value
