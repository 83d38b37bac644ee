"""Every schema of the program can be asked for in every way, or says why not."""

import pkgutil
from importlib import import_module
from pathlib import Path

import pytest
import traces

import topoview
from topoview.__main__ import ALIASES, _parser, main
from topoview.cli.commands import COMMANDS, KEPT, LISTS
from topoview.cli.mcp import TOOLS
from topoview.live.export import tables
from topoview.live.tables.registry import OF_RUN, OTHERS, OtherTable, RunTable
from topoview.live.tables.scope import Scope, scope_of
from topoview.model import Schema

OF_THE_WINDOW = {
    "topoview.report.profile.GROUPS": "sums of the account, on a card",
    "topoview.report.logical.lines.LINES": "the listing: printed by `logical --times`",
    "topoview.live.tables.events.EVENTS": "all that a rank records, page by page",
    "topoview.ui.panels.lists.bookmarks.BOOKMARKS": "what the user has kept",
    "topoview.ui.panels.network.content.LOADED": "the first rows of links",
    "topoview.ui.panels.topology.panel.MATCHES": "the list to choose from",
}
"""Schemas that only panels show, and what they are."""

ELSEWHERE = {
    "identify": "identify",
    "compare": "compare",
    **dict.fromkeys(("scaling", "network", "map"), "nothing: of several files"),
}
"""Commands with tables that are no `table` of assistants: which tool answers."""

FROM_EVENTS = {"communicators", "phases", "regions", "statistics"}
"""Commands that list what a digest does not hold."""


def test_every_schema_is_declared() -> None:
    """In `topoview.live.tables.registry`: whoever adds a table enters it there."""
    modules = pkgutil.walk_packages(topoview.__path__, "topoview.")
    schemas = {
        f"{module.name}.{name}": value
        for module in modules
        if not module.name.endswith(("kernels", ".decoder.decoder"))
        for name, value in vars(import_module(module.name)).items()
        if isinstance(value, Schema) and name.isupper()
    }
    declared = {id(table.schema) for table in (*OF_RUN.values(), *OTHERS)}
    left = {id(value): name for name, value in schemas.items()}
    homes = {name for key, name in left.items() if key not in declared}
    by_id = {id(schemas[name]) for name in OF_THE_WINDOW}
    assert {id(schemas[name]) for name in homes} == by_id, sorted(homes)


@pytest.mark.parametrize("table", [*OF_RUN.values(), *OTHERS], ids=lambda t: t.line)
def test_each_table_is_printed_and_returned(table: RunTable | OtherTable) -> None:
    command, *options = table.line.partition(",")[0].split()
    module = import_module(f"topoview.cli.{COMMANDS[command].file}")
    known = _parser(command, module)._option_string_actions
    assert "--json" in known
    for option, word in zip(options[::2], [*options[1::2], ""], strict=False):
        assert not word or word in (known[option].choices or ()), table.line
    assert LISTS in COMMANDS[command].kind or command in ELSEWHERE
    names = {name: alias for alias, name in ALIASES.items()}
    assert (
        names.get(command, command) in topoview.PUBLIC
    )  # or `query`, which answers all of a run


def test_tables_of_a_run_are_those_that_are_made() -> None:
    analysis = traces.analysed(traces.simulated("torus", (4, 3), numbering=1))
    scope: Scope = scope_of(analysis, span="exchange")
    for name, table in OF_RUN.items():
        assert name in tables()
        if name not in ("devices", "gpu_waits"):  # there are none
            columns = set(map(id, table.make(scope).columns))
            assert table.schema is None or columns <= set(map(id, table.schema)), name


def test_assistants_can_ask_for_each_list() -> None:
    """All commands that sort and cut a table of a run, or a tool of their own."""
    tools = {tool.__name__ for tool in TOOLS}
    for name, command in COMMANDS.items():
        module = import_module(f"topoview.cli.{command.file}")
        lists = "--sort" in _parser(name, module)._option_string_actions
        other = name in tools or name in ELSEWHERE
        assert (LISTS in command.kind) == (lists and not other), name


@pytest.mark.usefixtures("one_store")
def test_digests_answer_what_they_hold(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "run.topoview"
    topoview.write_digest(traces.real_path("ez-cg-8"), file)
    for name, command in COMMANDS.items():
        if LISTS in command.kind:
            status = main([name, str(file), "--json", "-q"])
            assert (
                (status == 0) == (KEPT in command.kind) == (name not in FROM_EVENTS)
            ), name
    assert "digest" in capsys.readouterr().err
