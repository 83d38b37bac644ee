"""What subcommands share: traces are read, progress and results are printed."""

import argparse
import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from topoview.errors import TopoviewError
from topoview.progress import Report, silent

if TYPE_CHECKING:
    from topoview.model import Trace


def read(path: Path) -> "Trace":
    """Read a trace in a process of its own."""
    from topoview.io import read_in_process

    trace: Trace = read_in_process(path, progress())
    return trace


def progress() -> Report:
    """Progress on one line of stderr, if somebody looks at it."""
    if not sys.stderr.isatty():
        return silent

    def report(stage: str, fraction: float) -> None:
        end = "\n" if fraction >= 1 else ""
        print(f"\r\x1b[K{stage} {fraction:4.0%}", end=end, file=sys.stderr, flush=True)

    return report


def put(
    args: argparse.Namespace,
    record: Callable[[], dict[str, Any]],
    text: Callable[[], str],
) -> None:
    """Print a result as JSON or as text."""
    print(json.dumps(record()) if args.json else text())


def write(path: Path, text: str) -> None:
    """Write a file.

    Raises
    ------
    TopoviewError
        It cannot be written.
    """
    try:
        path.write_text(text, "utf-8")
    except OSError as error:
        raise TopoviewError(f"{path} cannot be written: {error.strerror}") from None
