"""The command line: `topoview.cli.commands` is the table of subcommands.

``topoview [TRACE...]`` opens the window. Everything that the window finds is
also to be had without one: stdout carries the result, stderr progress and
errors. Exit status: 0 done; 1 the trace cannot be read or the result not be
written (one line on stderr says why); 2 wrong usage.

A command is imported when it is run: its file is in `topoview.cli`, its function is
called as the command, and ``NAME_options`` there adds its options.
"""

import gc
import os
import re
import signal
import sys
from importlib import import_module
from threading import Timer
from types import ModuleType

from topoview.base.platform import be_program, end_signals
from topoview.base.text import did_you_mean, one_line
from topoview.cli.commands import COMMANDS, GROUPS
from topoview.cli.options import Parser, add_subset, trace_path, window_parser
from topoview.cli.printing import (
    answer_to,
    give_again,
    keep_answer,
    prepare_output,
    states_of_written,
)
from topoview.errors import TopoviewError, UsageError

ALIASES = {"delays": "idle-waves", "plot": "render"}
"""Further names of commands: what the result is called in Python and in the window."""


def _overview() -> str:
    """List all commands, by groups."""
    return "\n".join(
        f"{title}:\n"
        + "".join(f"  {name:<15}{each.text}\n" for name, each in commands.items())
        for title, commands in GROUPS.items()
    )


def _parser(name: str, module: ModuleType) -> Parser:
    command = COMMANDS[name]
    start = f"topoview {name}{' TRACE' if command.reads else ''}"
    parser = Parser(
        prog=f"topoview {name}",
        description=command.text,
        epilog=f"example: {start} {command.example}",
    )
    parser.set_defaults(command=name)
    add = parser.add_argument
    add("--json", action="store_true", help="print one JSON object")
    if command.reads:
        add(
            "trace",
            type=trace_path,
            metavar="TRACE",
            help="anchor file, folder, or archive",
        )
        if command.subset is not None:
            group = parser.add_argument_group("reading a subset")
            add_subset(group.add_argument, command.subset)
    group = parser.add_argument_group("progress and warnings")
    loudness = group.add_mutually_exclusive_group()
    help_text = "print neither on stderr"
    loudness.add_argument("-q", "--quiet", action="store_true", help=help_text)
    help_text = "print all warnings, and a line for each step with its time"
    loudness.add_argument("-v", "--verbose", action="store_true", help=help_text)
    add_options = getattr(module, f"{name.replace('-', '_')}_options", None)
    if add_options is not None:
        add_options(parser)
    return parser


_OBJECTS_A_COLLECTION = 100_000
"""New objects after which a command looks for cycles of them: to import makes many,
which all stay."""


def _run(arguments: list[str]) -> int:
    arguments = _in_order(arguments)
    word = arguments[0] if arguments else ""
    name = ALIASES.get(word, word)
    if name in COMMANDS:
        before = gc.get_threshold()
        gc.set_threshold(_OBJECTS_A_COLLECTION)
        try:
            words = _joined(arguments[1:])
            answer = answer_to(name, words) if COMMANDS[name].reads else None
            if answer is not None and give_again(answer):
                return 0
            module = import_module(f"topoview.cli.{COMMANDS[name].file}")
            args = _parser(name, module).parse_args(words)
            written = states_of_written(args)
            getattr(module, name.replace("-", "_"))(args)
            if answer is not None:
                keep_answer(answer, args, written)
        finally:
            gc.set_threshold(*before)
        return 0
    args = window_parser(_overview()).parse_args(arguments)
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

    if args.trace and not args.trace[0].exists():
        word = str(args.trace[0])
        if meant := did_you_mean(word, COMMANDS):
            raise UsageError(f"{word} is neither a command nor a trace{meant}")
    return window(args.trace, draws=args.draws, language=args.language)


def _in_order(arguments: list[str]) -> list[str]:
    """Put a command's name first, and write help, version and doctor as options.

    Raises `UsageError`: help is wanted of what is no command.
    """
    if arguments[1:] and arguments[0] in ("-q", "--quiet", "-v", "--verbose"):
        return [arguments[1], arguments[0], *arguments[2:]]
    if arguments in (["version"], ["doctor"]):
        return [f"--{arguments[0]}"]
    if arguments[:1] != ["help"]:
        return arguments
    for word in arguments[1:2]:
        if word not in (*COMMANDS, *ALIASES):
            raise UsageError(f"{word} is no command{did_you_mean(word, COMMANDS)}")
    return [*arguments[1:2], "--help"]


def _joined(arguments: list[str]) -> list[str]:
    """Join ``--sort -COLUMN``, which argparse would take for two options."""
    result = arguments.copy()
    for at in range(len(result) - 2, -1, -1):
        if result[at] == "--sort" and re.fullmatch(r"-[a-z]\w+", result[at + 1]):
            result[at : at + 2] = [f"--sort={result[at + 1]}"]
    return result


def main(arguments: list[str] | None = None) -> int:
    """Run topoview; returns the exit status."""
    prepare_output()
    if arguments is None:  # this is the program, and no part of another one
        be_program()
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
    except Exception:
        if (
            _received
        ):  # a package that a signal ended midway tells of a fault of its own
            return 128 + _received[0]
        raise
    finally:
        if arguments is None:
            gc.freeze()  # else Python looks for cycles in all of it before it ends


_received: list[int] = []
"""Signals that were sent to end the process."""


def _end_orderly() -> None:
    """Remove temporary files also when the process is ended from outside."""

    def leave(number: int, _: object) -> None:
        _received.append(number)
        raise SystemExit(128 + number)

    def leave_again(lost: "sys.UnraisableHookArgs") -> None:
        # A signal came in a callback, where Python goes on: it is sent once more.
        if isinstance(lost.exc_value, SystemExit):
            number = int(lost.exc_value.code or 0) - 128
            Timer(0.01, os.kill, (os.getpid(), number)).start()
        else:
            sys.__unraisablehook__(lost)

    sys.unraisablehook = leave_again
    for number in end_signals():
        if signal.getsignal(number) == signal.SIG_DFL:  # nohup ignores one
            signal.signal(number, leave)


def _forget_output() -> None:
    """Redirect stdout to nowhere, so that flushing it at the end cannot fail."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _complain(line: str) -> None:
    clear = "\r\x1b[K" if sys.stderr.isatty() else ""  # of unfinished progress
    print(f"{clear}topoview: {one_line(line)}", file=sys.stderr)


if __name__ == "__main__":
    if not sys.flags.safe_path:
        del sys.path[0]  # the current folder, where anybody's files may lie
    sys.exit(main())
