#!/usr/bin/env python3
"""Write the pages of the reference that are made of the source.

``docs/reference/commands.md`` is made of the parsers of all commands,
``docs/reference/columns.md`` of the schemas of all tables, ``docs/reference/api.md`` of
the docstrings of the Python API. A test fails if a page differs from what this script
writes.
"""

import argparse
import inspect
import re
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path

import topoview
from topoview.__main__ import COMMANDS, _parser
from topoview.cli.options import window_parser
from topoview.model import Schema

FOLDER = Path(__file__).resolve().parents[1] / "docs" / "reference"

COMMANDS_HEAD = """# Commands and options

This page lists every command with all of its options, as `topoview COMMAND --help`
does. It is made of the parsers by `scripts/reference.py`; [the command
line](command-line.md) explains results, exit status and the keys of JSON. TRACE is an
anchor file, the folder that holds it, or an archive of that folder.
"""

COLUMNS_HEAD = """# Columns of tables

This page lists the columns of every table, as JSON, CSV, Parquet and Python name them
and `--sort` takes them (made by `scripts/reference.py`). The window has some of them
under the titles that stand beside. A table may lack columns that say nothing of it.
Times are in seconds, *at* from the trace's beginning; shares are fractions. A
Parquet file has the unit in the metadata of each field, a pandas frame in
`frame.attrs["units"]`.
"""

SCHEMAS = {
    "profile --by class": "report.profile.ACCOUNT",
    "profile": "report.profile.PROFILE",
    "profile --by rank, in Python": "report.profile.BY_RANK",
    "idle-waves": "report.delays.DELAYS",
    "waits, what hangs": "report.hung.HUNG",
    "waits, a row a call": "report.tables.WAITS",
    "waits --by": "report.tables.WAIT_SUMS",
    "efficiency --by": "report.tables.EFFICIENCY",
    "efficiency --by gpu-wait": "report.devices.GPU_WAITS",
    "efficiency --by device": "report.devices.DEVICES",
    "calls": "live.tables.calls.CALLS",
    "messages": "live.tables.calls.MESSAGES",
    "matrix": "report.formats.matrix.MATRIX",
    "iterations": "live.tables.iterations.ITERATIONS",
    "communicators": "live.tables.parts.COMMUNICATORS",
    "phases": "live.tables.parts.PHASES",
    "regions": "live.tables.regions.REGIONS",
    "regions --parameters": "live.tables.regions.PARAMETERS",
    "statistics": "live.tables.statistics.STATISTICS",
    "statistics --by coordinate": "live.tables.statistics.COORDINATES",
    "network, links": "model.network.LINKS",
    "network, nodes": "model.network.NODES",
    "network --extents": "live.tables.extents.EXTENTS",
    "map": "report.network.MAPPINGS",
    "compare": "report.run_comparison.COMPARISON",
    "scaling": "report.run_comparison.SCALING",
}
"""Schemas by the headings of the page: modules of the package, and names."""

UNITS = {"": "", "#": "number", "at": "s, at", "share": "share", "/s": "1/s"}

API_HEAD = """# Python functions

This page lists every function of the package `topoview`, from its docstrings (made by
`scripts/reference.py`); [from Python](python.md) shows them at work.
"""


def commands_page() -> str:
    """Write the page about commands."""
    return "\n".join((COMMANDS_HEAD, *_commands()))


def _commands() -> Iterator[str]:
    groups: dict[str, str] = {}
    window = window_parser({})
    yield from _command("topoview", "Open the window.", window, groups)
    for name, command in COMMANDS.items():
        parser = _parser(name, import_module(f"topoview.cli.{command.file}"))
        yield from _command(name, command.text, parser, groups)


def _command(
    name: str, text: str, parser: argparse.ArgumentParser, groups: dict[str, str]
) -> Iterator[str]:
    """Write a command; `groups` holds where tables of options were written before."""
    yield f"## {name}\n\n{text}\n"
    named = [a for a in parser._actions if not a.option_strings]
    words = " ".join(_argument(action) for action in named)
    start = "topoview" if name == "topoview" else f"topoview {name}"
    yield f"`{start} {words + ' ' if words else ''}[OPTION...]`\n"
    for group in parser._action_groups:
        rows = [a for a in group._group_actions if a.dest != "help"]
        if not rows or [action.dest for action in rows] == ["trace"]:
            continue
        title = str(group.title)
        first = "argument" if title == "positional arguments" else "option"
        lines = [f"| {first} | meaning |", "| -- | -- |"]
        for action in rows:
            meaning = _cell(_meaning(parser, action))
            lines.append(f"| {_written(action)} | {meaning} |")
        table = "\n".join(lines)
        if title in ("options", "positional arguments"):
            yield f"{table}\n"
            continue
        title = title[0].upper() + title[1:]
        before = groups.setdefault(table, name)
        if before == name:
            yield f"{title}:\n\n{table}\n"
        else:
            yield f"{title}: as for [{before}](#{before}).\n"


def _argument(action: argparse.Action) -> str:
    shown = _value(action)
    return {"?": f"[{shown}]", "*": f"[{shown}...]", "+": f"{shown}..."}.get(
        str(action.nargs), shown
    )


def _value(action: argparse.Action) -> str:
    if action.metavar is not None:
        return str(action.metavar)
    if action.choices is not None:
        return "{" + ",".join(map(str, action.choices)) + "}"
    return action.dest.upper()


def _written(action: argparse.Action) -> str:
    if not action.option_strings:
        return f"`{_argument(action)}`"
    value = "" if action.nargs == 0 else f" {_argument(action)}"
    return ", ".join(f"`{_cell(name + value)}`" for name in action.option_strings)


def _meaning(parser: argparse.ArgumentParser, action: argparse.Action) -> str:
    return parser._get_formatter()._expand_help(action) if action.help else ""


def _cell(text: str) -> str:
    return " ".join(text.split()).replace("|", "\\|")


def columns_page() -> str:
    """Write the page about tables."""
    return "\n".join((COLUMNS_HEAD, *(_schema(title) for title in SCHEMAS)))


def _schema(title: str) -> str:
    module, name = SCHEMAS[title].rsplit(".", 1)
    schema: Schema = getattr(import_module(f"topoview.{module}"), name)
    lines = ["| column | unit | title | meaning |", "| -- | -- | -- | -- |"]
    for column in schema:
        unit = UNITS.get(column.unit, column.unit)
        heading = "" if column.heading == column.name else _cell(column.heading)
        lines.append(f"| `{column.name}` | {unit} | {heading} | {_cell(column.tip)} |")
    return f"## {title}\n\n" + "\n".join(lines) + "\n"


def api_page() -> str:
    """Write the page about functions."""
    names = [name for name in topoview.__all__ if not name.startswith("_")]
    return "\n".join((API_HEAD, *(_function(name) for name in names)))


def _function(name: str) -> str:
    function = getattr(topoview, name)
    taken = []
    for one in inspect.signature(function).parameters.values():
        star = {one.VAR_KEYWORD: "**", one.VAR_POSITIONAL: "*"}.get(one.kind, "")
        if one.kind is one.KEYWORD_ONLY and "*" not in taken:
            taken.append("*")
        default = "" if one.default is one.empty else f"={one.default!r}"
        taken.append(f"{star}{one.name}{default}")
    head = f"## {name}\n\n```text\ntopoview.{name}({', '.join(taken)})\n```\n"
    return f"{head}\n{_text(inspect.getdoc(function) or '')}\n"


def _text(docstring: str) -> str:
    """Turn a docstring in numpydoc's style into Markdown."""
    parts = re.split(r"^(\w[\w ]*)\n-{3,}\n", docstring, flags=re.M)
    told = [_prose(parts[0])]
    for title, body in zip(parts[1::2], parts[2::2], strict=True):
        rows = re.split(r"^(?=\S)", body.strip("\n"), flags=re.M)[1:]
        told.append(f"{title}:\n\n" + "\n".join(map(_entry, rows)))
    return "\n\n".join(part.strip() for part in told if part.strip())


def _entry(row: str) -> str:
    name, _, text = row.partition("\n")
    words = " ".join(line.strip() for line in text.splitlines())
    return f"- `{name.strip()}`: {_prose(words)}" if words else f"- {_prose(name)}"


def _prose(text: str) -> str:
    text = text.replace("``", "`")
    return re.sub(r"(?<!`)`(\w+)`(?!`)", r"`\1`", text)


PAGES = {
    "commands.md": commands_page,
    "columns.md": columns_page,
    "api.md": api_page,
}


def main() -> None:
    """Write the pages."""
    for name, make in PAGES.items():
        (FOLDER / name).write_text(make(), "utf-8")


if __name__ == "__main__":
    main()
