"""What subcommands share: traces are read, progress and results are printed."""

import argparse
import contextlib
import io
import os
import stat
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from time import monotonic
from typing import TYPE_CHECKING, Any, Final

from topoview.base.memory import MEMORY_VARIABLE
from topoview.base.progress import Report, silent
from topoview.base.text import json_text, one_line, printable
from topoview.cli.commands import COMMANDS, KEPT
from topoview.cli.options import (
    WRITTEN,
    FileName,
    Parser,
    WrittenPath,
    add_subset,
    long_read,
)
from topoview.errors import TopoviewError, UsageError, writing

if TYPE_CHECKING:
    from topoview.model import Analysis, Subset, Trace
    from topoview.pipeline import Options, Results
    from topoview.store.answers import Answer
    from topoview.worker.results import Decide


def read(args: argparse.Namespace) -> "Trace":
    """Read a trace, or the part of it that is asked for."""
    return results(args, ()).trace


def results(
    args: argparse.Namespace,
    wanted: Sequence[str],
    options: "Options | None" = None,
    path: Path | None = None,
) -> "Results":
    """Return results of a trace, or of the part that is asked for.

    Parameters
    ----------
    wanted
        Names in `topoview.pipeline.RESULTS`.
    options
        What is asked of them.
    path
        Another trace than that of the arguments.
    """
    from topoview.worker import results_of

    source, part, decide = _source(args, path)
    result = results_of(source, wanted, options, progress(args), part, decide)
    _require_events(args, result.trace)
    _print_warnings(args, result.trace)
    return result


def analysis(
    args: argparse.Namespace, options: "Options", wanted: Sequence[str] | None = None
) -> "Analysis":
    """Return what the window shows, computing what is not kept."""
    from topoview.worker import analyse_in_process

    source, part, decide = _source(args)
    *_, result = analyse_in_process(
        source, progress(args), part, decide, options, wanted
    )
    _require_events(args, result.trace)
    _print_warnings(args, result.trace)
    return result


def subset_of(args: argparse.Namespace, path: Path | None = None) -> "Subset":
    """Return the part of a trace that options name; a worker has the memory they name.

    Raises `UsageError` if it is no part.
    """
    from topoview.model import Subset

    try:
        part = Subset.parse(args.begin, args.end, args.ranks)
    except ValueError as error:
        source = path or args.trace
        raise UsageError(f"{source} cannot be read in part: {error}") from None
    if args.memory is not None:
        os.environ[MEMORY_VARIABLE] = str(args.memory)  # the worker inherits it
    return part


def _source(
    args: argparse.Namespace, path: Path | None = None
) -> tuple[Path, "Subset", "Decide"]:
    """Return which part of which trace is read, and how long reads are decided on."""
    from topoview.model import Subset, TraceExtent

    chosen = path or args.trace
    part = subset_of(args, path)

    def decide(extent: TraceExtent) -> Subset:
        if sys.stderr.isatty() and not args.quiet:
            print(f"\r\x1b[K{long_read(extent)}", file=sys.stderr)
        return part

    return chosen, part, decide


def prepare_output() -> None:
    """Escape characters that the terminal's encoding lacks, in place of errors."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")


_TRACES = ("trace", "other", "others", "compare")
"""Arguments that are traces: other paths are of files that options read or write."""


def answer_to(name: str, words: Sequence[str]) -> "Answer | None":
    """Return where it is kept what a command prints; None if there is no trace.

    It is found by the words as they stand, as to parse them takes longer: each that is
    a path stands for its files as they are now.
    """
    from topoview.io.archive.finding import store_key
    from topoview.model import Subset
    from topoview.store.answers import Answer

    prefix = COMMANDS[name].subset
    parts = Parser(add_help=False, prog=f"topoview {name}")
    if prefix is not None:
        add_subset(parts.add_argument, prefix)
    try:
        part, left = parts.parse_known_args(words)
        written = {k + 1 for k, word in enumerate(left) if word in WRITTEN}
        read = [word for k, word in enumerate(left) if k not in written]
        paths = [path for path in map(Path, read) if path.exists()]
        first, *others = paths
        subset = Subset.parse(part.begin, part.end, part.ranks) if prefix else Subset()
        keys = [store_key(path, Subset()) for path in others]
        key = store_key(first, subset)
    except (OSError, ValueError, TopoviewError):
        return None  # the command says what is wrong
    ours = sorted(item for item in os.environ.items() if item[0].startswith("TOPOVIEW"))
    words_written = any(word.partition("=")[0] in WRITTEN for word in words)
    return Answer(key, (name, *words), keys, ours, paths=paths, writes=words_written)


def give_again(answer: "Answer") -> bool:
    """Write files and print what an answer holds; False if it is not kept.

    Raises `TopoviewError`: a file cannot be written.
    """
    kept = answer.find()
    if kept is None:
        return False
    for path, data in kept.files:
        with writing(path):
            Path(path).write_bytes(data)
    for aside, text in kept.said:
        write(text, aside=aside)
    return True


_ELSEWHERE: Final = ("digest", "fetch")
"""Commands that are not kept: they write much, or what another machine reads."""

Written = dict[WrittenPath, "tuple[int, ...] | None"]
"""Files that a command writes, and in what state they are; None: they are not there."""


def states_of_written(args: argparse.Namespace) -> Written:
    """Look at the files that a command is to write."""
    values = [one for value in vars(args).values() for one in _listed(value)]
    return {one: _state_of(one) for one in values if isinstance(one, WrittenPath)}


def _state_of(path: Path) -> tuple[int, ...] | None:
    """Return size, times and place of a file; None of what is no regular one."""
    with contextlib.suppress(OSError):
        state = path.lstat()
        if stat.S_ISREG(state.st_mode):
            return state.st_ino, state.st_size, state.st_mtime_ns, state.st_ctime_ns
    return None


def keep_answer(answer: "Answer", args: argparse.Namespace, before: Written) -> None:
    """Keep what a command printed and wrote, if that is all it did, and all it read."""
    values = vars(args)
    paths = [path for name in _TRACES for path in _listed(values.get(name))]
    others = [_listed(value) for name, value in values.items() if name not in _TRACES]
    reads = any(
        one and isinstance(one, Path | FileName) and not isinstance(one, WrittenPath)
        for some in others
        for one in some
    )
    if reads or args.verbose or args.command in _ELSEWHERE or paths != answer.paths:
        return
    after = states_of_written(args)
    new = all(
        state not in (None, before[path])
        and all(one[path] in (before[path], state) for one in values.get("noted", []))
        for path, state in after.items()
    )
    if after and not (new and answer.writes):
        return  # to a pipe, not now, or by another program meanwhile
    said = values.get("said", [])
    if said or after:
        answer.keep(said, [*after], lambda: states_of_written(args) == after)


def _listed(value: Any) -> list[Any]:  # noqa: ANN401 - of an option
    return value if isinstance(value, list) else [] if value is None else [value]


_OF_EVENTS = ("since", "until", "communicator", "phase", "of")
"""Options that ask for what only events tell."""


def _require_events(args: argparse.Namespace, trace: "Trace") -> None:
    """Refuse what a digest does not hold.

    Raises `TopoviewError`: it needs the events.
    """
    from topoview.pipeline import events_needed

    needs_events = any(
        getattr(args, name, None) not in (None, "", ()) for name in _OF_EVENTS
    )
    if trace.digest and (needs_events or KEPT not in COMMANDS[args.command].kind):
        raise TopoviewError(events_needed(trace))


def _print_warnings(args: argparse.Namespace, trace: "Trace") -> None:
    """Print on stderr that there are notes on a trace: results may depend on them."""
    hidden = args.json or args.quiet or args.command == "info"
    if trace.warnings and not hidden:
        first, *others = trace.warnings
        more = f" ({len(others)} more: topoview info)" if others else ""
        lines = trace.warnings if args.verbose else [f"{first}{more}"]
        for line in lines:
            _say(args, one_line(f"{trace.name}: {line}"), aside=True)


SECONDS_BETWEEN_LINES: Final = 5.0
"""Seconds between lines of progress where no terminal shows one line that changes."""


def progress(args: argparse.Namespace) -> Report:
    """Return what writes progress to stderr, if it is not to be quiet.

    On a terminal one line changes; else there is a line every few seconds. Our own
    window reads a line for each per cent; our tests, which may be slow, read none.
    """
    wanted = os.environ.get("TOPOVIEW_PROGRESS")
    if args.verbose:
        return _steps()
    if args.quiet or wanted == "none":
        return silent
    all_lines = wanted == "lines"
    one_line_only = sys.stderr.isatty() and not all_lines
    last, since = "", monotonic()

    def report(stage: str, fraction: float) -> None:
        nonlocal last, since
        line, now = f"{stage} {fraction:.0%}", monotonic()
        if line == last:
            return
        if one_line_only:
            start, end = "\r\x1b[K", "\n" if fraction >= 1 else ""
        elif all_lines or now - since >= SECONDS_BETWEEN_LINES:
            start, end = "", "\n"
        else:
            return
        last, since = line, now
        print(f"{start}{line}", end=end, file=sys.stderr, flush=True)

    return report


def _steps() -> Report:
    """Return what writes a line for each step, with the seconds since the first."""
    last, start = "", monotonic()

    def report(stage: str, _: float) -> None:
        nonlocal last
        if stage != last:
            last = stage
            print(f"{monotonic() - start:7.2f} s  {stage}", file=sys.stderr, flush=True)

    return report


JSON_FORMAT: Final = 1
"""Number of the format of JSON: greater where a key is gone or means something else."""


def put(
    args: argparse.Namespace,
    record: Callable[[], dict[str, Any]],
    text: Callable[[], str],
    *traces: "Trace",
) -> None:
    """Print a result as JSON or as text.

    Parameters
    ----------
    record, text
        Make what is printed.
    traces
        What it was made of: JSON has their warnings too, before its own.

    Raises
    ------
    TopoviewError
        If it cannot be written: the disk that it is directed to is full.
    """
    if args.json:
        output = json_text({"format": JSON_FORMAT, **_warned(record(), traces)})
    else:
        output = printable(text())
    _say(args, output)


def _say(args: argparse.Namespace, text: str, *, aside: bool = False) -> None:
    """Write a text, and note it in the arguments' `said`.

    Whoever reads it may take his time: files are `noted` as they are before.
    """
    vars(args).setdefault("said", []).append((aside, text))
    vars(args).setdefault("noted", []).append(states_of_written(args))
    write(text, aside=aside)


def write(text: str, *, aside: bool = False) -> None:
    """Write a text to stdout, or aside: to stderr.

    Raises `TopoviewError`: the disk that it is directed to is full.
    """
    try:
        print(text, file=sys.stderr if aside else sys.stdout, flush=True)
    except BrokenPipeError:  # nobody reads on
        raise
    except OSError as error:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        raise TopoviewError(
            f"the result cannot be written ({error.strerror}): make room, or direct "
            "it elsewhere"
        ) from None


def _warned(record: dict[str, Any], traces: "tuple[Trace, ...]") -> dict[str, Any]:
    """Add what is to be known of the traces: a result may depend on it."""
    texts = [warning for trace in traces for warning in trace.warnings]
    warnings = dict.fromkeys((*texts, *record.get("warnings", ())))
    return {**record, "warnings": list(warnings)} if traces else record
