#!/usr/bin/env python3
"""Write the pages and files that are made of the source.

``docs/reference/commands.md``, the completion of shells and the man page in
``resources/shell`` are made of the parsers of all commands,
``docs/reference/columns.md`` and ``tables.schema.json`` of the schemas of all tables,
``docs/reference/api.md`` of the docstrings of the Python API. A test fails if one
differs from what this script writes.
"""

import argparse
import inspect
import json
import re
from collections.abc import Iterator
from functools import cache
from importlib import import_module
from pathlib import Path

import shtab

import topoview
from topoview.__main__ import COMMANDS, _parser
from topoview.cli.options import Parser, trace_path, window_parser
from topoview.cli.printing import JSON_FORMAT
from topoview.model import Schema
from topoview.version import __version__

ROOT = Path(__file__).resolve().parents[1]

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
`frame.attrs["units"]`. [A schema of JSON](tables.schema.json) has a definition for each
table, by the headings of this page.
"""

SCHEMAS = {
    "identify, matches": "report.identification.MATCHES",
    "profile --by class": "report.profile.ACCOUNT",
    "profile": "report.profile.PROFILE",
    "profile --by rank-function": "report.profile.BY_RANK",
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
    yield from _command("topoview", "Open the window.", window_parser(), groups)
    for name, command in COMMANDS.items():
        yield from _command(name, command.text, _parser_of(name), groups)


def _parser_of(name: str) -> Parser:
    return _parser(name, import_module(f"topoview.cli.{COMMANDS[name].file}"))


def _command(
    name: str, text: str, parser: argparse.ArgumentParser, groups: dict[str, str]
) -> Iterator[str]:
    """Write a command; `groups` holds where tables of options were written before."""
    yield f"## {name}\n\n{text}\n"
    named = [a for a in parser._actions if not a.option_strings]
    words = " ".join(_argument(action) for action in named)
    start = "topoview" if name == "topoview" else f"topoview {name}"
    yield f"`{start} {words + ' ' if words else ''}[OPTION...]`\n"
    if name in COMMANDS:
        yield f"For instance `{str(parser.epilog).partition(': ')[2]}`.\n"
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


def schema_of(title: str) -> Schema:
    """Find the schema of a heading of the page."""
    module, name = SCHEMAS[title].rsplit(".", 1)
    schema: Schema = getattr(import_module(f"topoview.{module}"), name)
    return schema


def tables_schema() -> str:
    """Write the schema of JSON's rows: ``#/$defs/calls`` is that of a row of calls."""
    rows = {title: _row_schema(schema_of(title)) for title in SCHEMAS}
    form = {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "Rows of topoview's tables",
        "properties": {"format": {"const": JSON_FORMAT}},
        "$defs": rows,
    }
    return json.dumps(form, indent=1, ensure_ascii=False) + "\n"


def _row_schema(schema: Schema) -> dict[str, object]:
    columns = {}
    for column in schema:
        unit = UNITS.get(column.unit, column.unit)
        kinds = ["number", "null"] if unit else ["number", "string", "null"]
        words = ", ".join(filter(None, (column.tip, unit)))
        columns[column.name] = {"type": kinds, "description": words}
    return {"type": "object", "properties": columns, "additionalProperties": False}


def _schema(title: str) -> str:
    schema = schema_of(title)
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


@cache
def _whole_parser() -> Parser:
    """Make one parser of all commands, as other programs read them."""
    whole = window_parser()
    trace = next(action for action in whole._actions if action.dest == "trace")
    whole._remove_action(trace)  # there are commands or files
    commands = whole.add_subparsers(prog="topoview", metavar="COMMAND")
    for name, command in COMMANDS.items():
        parser = _parser_of(name)
        commands.add_parser(
            name,
            help=command.text,
            parents=[parser],
            add_help=False,
        )
        for action in parser._actions:
            if action.type in (Path, trace_path):
                action.complete = shtab.FILE  # type: ignore[attr-defined]
    return whole


def completion(shell: str) -> str:
    """Write the file that completes commands and options in a shell."""
    text = shtab.complete(_whole_parser(), shell)
    # bash offers files, too, where no command fits: `topoview TRACE` opens the window
    return text.replace("complete -o bashdefault", "complete -o default") + "\n"


def man_page() -> str:
    """Write the page that ``man topoview`` shows."""
    window = window_parser()
    return "\n".join(
        (
            f'.TH topoview 1 "" "topoview {__version__}"',
            ".SH NAME",
            "topoview \\- communication topology and waits of MPI programs",
            *(".SH SYNOPSIS", f".B {_troff(str(window.usage))}"),
            *(".SH DESCRIPTION", _troff(str(window.description))),
            *_man_options(window),
            *(line for name in COMMANDS for line in _man_command(name)),
            "",
        )
    )


def _man_command(name: str) -> Iterator[str]:
    parser = _parser_of(name)
    yield f".SH {name.upper()}"
    yield _troff(COMMANDS[name].text)
    yield from _man_options(parser)
    yield f".PP\n{_troff(str(parser.epilog))}"


def _man_options(parser: argparse.ArgumentParser) -> Iterator[str]:
    for action in parser._actions:
        if action.dest != "help":
            yield f".TP\n.B {_troff(_written(action).replace('`', ''))}"
            yield _troff(_meaning(parser, action))


def _troff(text: str) -> str:
    """Write a text in one line that troff takes as it is."""
    return " ".join(text.split()).replace("\\", "\\e").replace("-", "\\-")


PAGES = {
    "docs/reference/commands.md": commands_page,
    "docs/reference/columns.md": columns_page,
    "docs/reference/tables.schema.json": tables_schema,
    "docs/reference/api.md": api_page,
    "resources/shell/topoview.bash": lambda: completion("bash"),
    "resources/shell/_topoview": lambda: completion("zsh"),
    "resources/shell/topoview.fish": lambda: completion("fish"),
    "resources/shell/topoview.1": man_page,
}


def main() -> None:
    """Write them."""
    for name, make in PAGES.items():
        (ROOT / name).write_text(make(), "utf-8")


if __name__ == "__main__":
    main()
