"""All subcommands: a table from which the parser, help, pages and tools follow."""

from dataclasses import dataclass
from enum import Flag, auto


class Kind(Flag):
    """What else asks for what a command prints."""

    LISTS = auto()
    """It is a table of one run, sorted and cut as options say: assistants do."""
    KEPT = auto()
    """A digest holds it: digests are read for it."""


LISTS, KEPT = Kind
NEITHER = Kind(0)


@dataclass(frozen=True, slots=True)
class Command:
    """A subcommand."""

    file: str
    """Its file in `topoview.cli`."""
    text: str
    """What it does."""
    example: str
    """Options of a line that shows it at work."""
    kind: Kind = NEITHER
    reads: bool = True
    """Whether it reads a trace."""
    subset: str | None = "read-"
    """Prefix of the options for what is read of a trace; None: always all of it."""


GROUPS: dict[str, dict[str, Command]] = {
    "the program": {
        "info": Command(
            "results",
            "Summarise a trace: ranks, events, clock, quality.",
            "--json",
            KEPT,
        ),
        "identify": Command(
            "results", "Identify the communication topology.", "--why", KEPT
        ),
        "logical": Command("logical", "Print the logical trace.", "--times", KEPT),
        "phases": Command(
            "tables", "List the phases of the run.", "--csv phases.csv", LISTS
        ),
        "communicators": Command(
            "tables", "List communicators.", "--sort bytes", LISTS
        ),
        "matrix": Command(
            "tables",
            "Count messages and bytes by pairs of ranks.",
            "--npz pairs.npz",
            LISTS | KEPT,
        ),
        "messages": Command(
            "tables", "List messages.", '--find "to EAST > 1 MiB"', LISTS | KEPT
        ),
        "calls": Command(
            "tables",
            "List MPI calls, and the rank that each waited for.",
            '--find "Waitall > 10 ms" --sort waited --limit 20',
            LISTS | KEPT,
        ),
        "regions": Command(
            "tables",
            "List regions of the program besides MPI.",
            "--sort seconds",
            LISTS,
        ),
    },
    "any of it": {
        "query": Command(
            "tables",
            "Answer a question in SQL about the tables of a run.",
            '"select function, sum(seconds) from calls group by 1"',
        ),
    },
    "its time": {
        "profile": Command(
            "results",
            "Sum up time by class and by MPI function.",
            "--by rank",
            LISTS | KEPT,
        ),
        "efficiency": Command(
            "waits", "Compute POP efficiencies.", "--from 2 --to 5", LISTS | KEPT
        ),
        "waits": Command(
            "waits",
            "Sum up wait states: kinds, ranks, causes.",
            "--by direction",
            LISTS | KEPT,
        ),
        "idle-waves": Command(
            "waits",
            "List delays, costliest first, and how they travel.",
            "--limit 5",
            LISTS | KEPT,
        ),
        "iterations": Command(
            "tables",
            "List the iterations of a loop on every rank.",
            "--ranks 0-15",
            LISTS | KEPT,
        ),
        "statistics": Command(
            "tables",
            "Show how durations, sizes and times spread, by group.",
            "--by direction",
            LISTS,
        ),
        "compare": Command(
            "comparing", "Compare two runs: what they do, and how long.", "OTHER"
        ),
        "scaling": Command(
            "comparing", "Show how runs on several numbers of ranks scale.", "OTHER"
        ),
    },
    "its machine": {
        "network": Command(
            "network", "Compute the load of the machine's links.", "--torus 4x4x4", KEPT
        ),
        "map": Command(
            "network", "Find better mappings of ranks.", "--torus 4x4x4", KEPT
        ),
    },
    "to take away": {
        "report": Command(
            "exporting",
            "Write a report: HTML, PDF, Markdown or text.",
            "-o report.html",
            KEPT,
        ),
        "render": Command(
            "drawing",
            "Write a picture of the 3D scene.",
            "-o scene.png --time 1.5 --colour wait",
            KEPT,
        ),
        "movie": Command("drawing", "Write a film of the 3D scene.", "-o run.mp4"),
        "export": Command(
            "exporting",
            "Write a trace or its results for other tools.",
            "-o run.perfetto-trace",
        ),
        "skeleton": Command(
            "logical", "Write a program that makes the same MPI calls.", "-o halo.c"
        ),
        "digest": Command(
            "digest",
            "Write all results, without the events, to one file.",
            "-o run.topoview --workers 2",
            subset=None,
        ),
        "fetch": Command(
            "digest",
            "Write the events of a part of the trace of a digest.",
            "-o part.topoview --from 2 --to 3",
            subset="",
        ),
    },
    "topoview itself": {
        "demo": Command(
            "drawing",
            "Open a sample trace; without a display, draw it to files.",
            "--pictures folder",
            reads=False,
        ),
        "mcp": Command(
            "mcp",
            "Answer an assistant, by the Model Context Protocol.",
            "",
            reads=False,
        ),
        "cache": Command(
            "results", "Show or clear the cache of traces.", "--limit 20G", reads=False
        ),
    },
}
"""All subcommands, by what they are about."""

COMMANDS = {
    name: command for group in GROUPS.values() for name, command in group.items()
}
