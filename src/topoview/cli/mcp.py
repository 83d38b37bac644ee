"""Answers for assistants: the commands, as tools of the Model Context Protocol.

``topoview mcp`` speaks the protocol on stdin and stdout, as programs that start it
expect; it listens nowhere. A tool is a command: it is run in a process of its own, and
answers with its line, so that a reader can give it again, and with what it prints.
"""

import argparse
import os
import re
import shlex
import subprocess
import sys
import tempfile
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Literal

from topoview.base.extras import need
from topoview.base.platform import child_environment
from topoview.cli.commands import COMMANDS, LISTS

if TYPE_CHECKING:
    from mcp.server import MCPServer

MAX_LETTERS: Final = 20_000
"""Of an answer: more of it would fill what an assistant can keep in mind."""

MAX_ROWS: Final = 200
"""Of a table, whatever limit is asked for."""

INSTRUCTIONS: Final = """\
topoview reads OTF2 traces of MPI programs. Begin with `open_trace`, then `findings`
(what costs time, who waits for whom, what to do about it) and `identify` (the shape in
which ranks communicate). `table` lists and filters; `query` answers SQL over the same
columns. Ranks count from 0; times are seconds from the trace's beginning. Sums are of
the exchange (first to last call that communicates), lists of calls, messages and
iterations of the whole run, unless an answer says another span. Each answer begins with
the command that prints it again: cite it. State nothing that no answer says."""

if TYPE_CHECKING:
    TableName = str
else:
    TableName = Literal[tuple(k for k in COMMANDS if LISTS in COMMANDS[k].kind)]
    """Commands that print tables."""


def mcp(_: argparse.Namespace) -> None:
    """Serve an assistant until it closes stdin."""
    need("mcp")
    server().run("stdio")


def server() -> "MCPServer":
    """Create the server, with its tools; `need` has been called."""
    from mcp.server import MCPServer

    made = MCPServer("topoview", instructions=INSTRUCTIONS, log_level="WARNING")
    for tool in TOOLS:
        made.tool(structured_output=False)(tool)
    return made


async def open_trace(trace: str) -> str:
    """Summarise a trace: ranks, events, duration, clock, quality of the recording.

    `trace` is the path of an anchor file (.otf2), of a folder or an archive with one,
    or of a digest (.topoview).
    """
    return await _answer("info", trace)


async def findings(trace: str, start: float = -1, end: float = -1) -> str:
    """Show who waits for whom, how long, why, and what to do about it.

    `start` and `end` count a part of the run, in seconds; below 0: the exchange.
    """
    return await _answer("waits", trace, **_window(start, end))


async def identify(trace: str, why: bool = False) -> str:
    """Name the topology in which ranks communicate, and what does not fit.

    `why` adds the evidence: degrees, distances, what was tried.
    """
    return await _answer("identify", trace, why=why)


async def logical_trace(trace: str) -> str:
    """Print the one program that all ranks run: loops, conditions, directions."""
    return await _answer("logical", trace, times=True)


async def table(  # noqa: PLR0913 - what can be asked of a table
    trace: str,
    name: TableName,
    find: str = "",
    by: str = "",
    sort: str = "",
    limit: int = 20,
    ranks: str = "",
    start: float = -1,
    end: float = -1,
) -> str:
    """Print a table: calls, messages, waits by something, iterations, phases, ...

    `find` filters as the window's search does: "Waitall > 10 ms", "to EAST > 1 MiB",
    "rank 5". `by` groups where the table has groups: waits by rank, direction,
    iteration, kind; statistics by operation, direction, rank; profile by rank. `sort`
    is a column, largest first, or "-column". `ranks` is such as "0-15,20". `start` and
    `end` are seconds; below 0: the exchange, or of lists the whole run.
    """
    rows = min(limit, MAX_ROWS) if name not in ("efficiency", "profile") else 0
    options = {"find": find, "by": by, "sort": sort, "ranks": ranks}
    if rows and not (name == "waits" and not by):
        options["limit"] = str(rows)
    return await _answer(name, trace, **options, **_window(start, end))


async def query(trace: str, sql: str, limit: int = 50) -> str:
    """Answer a SELECT in DuckDB's SQL over the tables of a run.

    Tables: calls, messages, waits (calls that waited), iterations, regions, phases,
    communicators, delays, matrix, account, profile, ranks and others. An unknown table
    or column is answered with those there are.
    """
    return await _answer("query", trace, sql, limit=str(min(limit, MAX_ROWS)))


async def compare(trace: str, other: str) -> str:
    """Compare two runs: what they do, how long each part takes, what differs."""
    return await _answer("compare", trace, other)


async def picture(
    trace: str, time: float = -1, colour: str = "state", layout: str = ""
) -> list[Any]:
    """Draw the ranks in 3D in the shape of their topology.

    `time` is in seconds; below 0: what the window shows first. `colour` is such as
    state, wait, caused, suffered, iteration, in-receive; an unknown one is answered
    with those there are, as is an unknown `layout`.
    """
    from mcp.server.mcpserver import Image

    with tempfile.TemporaryDirectory(prefix="topoview-") as folder:
        file = Path(folder, "scene.png")
        moment = {"time": str(time)} if time >= 0 else {}
        line = await _answer(
            "render", trace, output=str(file), colour=colour, layout=layout, **moment
        )
        drawn = file.read_bytes()
    return [line.replace(str(file), file.name), Image(data=drawn, format="png")]


async def report(trace: str, output: str) -> str:
    """Write a report as HTML or PDF to a new file; nothing is written over."""
    from mcp.server.mcpserver.exceptions import ToolError

    # a link, too, whatever it leads to; and what is written is a path, without its "/"
    if os.path.lexists(Path(output)):
        raise ToolError(f"there is a file {output} already: name a new one")
    return await _answer("report", trace, output=output)


TOOLS: Final[tuple[Callable[..., Awaitable[Any]], ...]] = (
    open_trace,
    findings,
    identify,
    logical_trace,
    table,
    query,
    compare,
    picture,
    report,
)
"""What an assistant can ask. To add one is to write a function and a line here."""


def _window(start: float, end: float) -> dict[str, str]:
    bounds = {"from": start, "to": end}
    return {name: str(seconds) for name, seconds in bounds.items() if seconds >= 0}


async def _answer(command: str, *words: str, **options: str | bool) -> str:
    """Run a command; give its line and what it prints, as much as can be read.

    Raises `ToolError` with the command's own line if it fails.
    """
    from mcp.server.mcpserver.exceptions import ToolError

    arguments = [command]
    for name, value in options.items():
        if value:
            arguments.append(f"--{name}" if value is True else f"--{name}={value}")
    arguments += ["--", *words] if any(w.startswith("-") for w in words) else words
    try:
        status, text, remarks = await run_command(arguments)
    except (OSError, ValueError) as error:  # too long for the system, or with a NUL
        raise ToolError(f"no command has such words: {error}") from None
    if status:
        raise ToolError(remarks or f"topoview ended with status {status}")
    if len(text) > MAX_LETTERS:
        text = text[: text.rindex("\n", 0, MAX_LETTERS)]
        text += "\n(cut here: ask for fewer rows, ranks or seconds)\n"
    notes = "".join(f"note: {line}\n" for line in remarks.splitlines())
    return f"$ {shlex.join(['topoview', *arguments])}\n{notes}{text}"


async def run_command(arguments: list[str]) -> tuple[int, str, str]:
    """Run topoview: its status, what it printed, and remarks without its progress.

    A process of its own ends with the request that is cancelled, and takes its memory
    with it.
    """
    import anyio

    done = await anyio.run_process(
        [sys.executable, "-P", "-m", "topoview", *arguments],
        stdin=subprocess.DEVNULL,
        check=False,
        env=child_environment(),
    )
    said = done.stderr.decode(errors="replace").splitlines()
    remarks = [line for line in said if not re.search(r"\d%$", line)]
    return done.returncode, done.stdout.decode(errors="replace"), "\n".join(remarks)
