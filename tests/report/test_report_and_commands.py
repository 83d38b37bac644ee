"""Commands, as they are run, and reports say cell by cell what the tables hold."""

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import traces
from all_tables import TABLES
from writer import write_trace

import topoview
from topoview.__main__ import main
from topoview.model import Analysis, Table
from topoview.pipeline import analyse
from topoview.report import write
from topoview.report.blocks import Beside, Block, TableBlock, plain
from topoview.report.document.facts import Facts
from topoview.report.document.sections import document
from topoview.report.run_comparison import BY
from topoview.report.waits.tables import EFFICIENCY_PARTS, WAIT_GROUPS
from topoview.worker import analyse_in_process, open_trace

LINES = {
    **{
        name: name
        for name in ("calls", "messages", "communicators", "phases", "iterations")
    },
    "regions": "regions",
    "parameters": "regions --parameters",
    "call tree": "regions --tree",
    "states over time": "profile --by time --parts 9",
    "profile": "profile --by function",
    "account": "profile --by class",
    "profile by state": "profile --by state",
    "profile by rank": "profile --by rank",
    "delays": "idle-waves --limit 1000",
    **{f"waits by {by}": f"waits --by {by}" for by in WAIT_GROUPS},
    **{f"efficiency by {by}": f"efficiency --by {by}" for by in EFFICIENCY_PARTS},
    **{
        name: name.replace("by", "--by")
        for name in TABLES
        if name.startswith("statistics by")
    },
}
"""Commands that list a table."""


def matches(payload: dict[str, Any]) -> Iterator[dict[str, Any]]:
    names = {"topology": "name", "calls": "calls_covered", "bytes": "bytes_covered"}
    same = ("edges", "matched", "missing", "extra", "level")
    for match in payload["matches"]:
        yield {key: match[names.get(key, key)] for key in (*names, *same)}


def pairs(payload: dict[str, Any]) -> Iterator[dict[str, Any]]:
    names = ("sender", "receiver", "calls", "bytes")
    for pair in payload["pairs"]:
        yield dict(zip(names, pair, strict=True))


WITHIN: dict[str, tuple[str, Callable[[dict[str, Any]], Iterator[dict[str, Any]]]]] = {
    "matches": ("identify", matches),
    "matrix": ("matrix", pairs),
}
"""Commands whose JSON has a table among other things: how its rows are read."""

OF_SEVERAL_TRACES = {"scaling", "listings", *(f"comparison by {by}" for by in BY)}

ELSEWHERE = {
    *("waits", "profile of each rank", "tree of communicators"),  # Python, panels
    *("groups of the account", "events", "find", "extents", "delay groups"),
    *("hung", "devices", "waits for devices"),  # of other traces
    *("links", "nodes", "mappings"),  # of a machine: tests/network
}


@pytest.fixture(scope="module")
def anchor(tmp_path_factory: pytest.TempPathFactory) -> Path:
    trace = traces.simulated("torus", (4, 3), numbering=1)
    return write_trace(trace, tmp_path_factory.mktemp("run"))


@pytest.fixture(scope="module")
def analysis(anchor: Path) -> Analysis:
    *_, last = analyse(open_trace(anchor))
    return last


def rows_of(table: Table) -> list[dict[str, Any]]:
    rows: list[dict[str, Any]] = json.loads(json.dumps(write.record(table)))
    return rows


def test_each_table_is_somewhere() -> None:
    """Whoever adds the table of a result says here which command lists it."""
    assert {*LINES, *WITHIN, *OF_SEVERAL_TRACES, *ELSEWHERE} == set(TABLES)


@pytest.mark.usefixtures("one_store")
def test_commands_print_the_tables(
    anchor: Path, analysis: Analysis, capsys: pytest.CaptureFixture[str]
) -> None:
    def run(line: str, *further: str) -> dict[str, Any]:
        command, *options = line.split()
        assert main([command, str(anchor), *further, *options, "--json"]) == 0
        payload: dict[str, Any] = json.loads(capsys.readouterr().out)
        return payload

    list(analyse_in_process(anchor))  # all at once, not by a worker for each command
    for name, line in LINES.items():
        payload = run(line)
        rows = rows_of(TABLES[name](analysis))
        assert payload[line.split()[0]] == rows, name
        assert payload["count"] == len(rows), name
    for name, (line, read) in WITHIN.items():
        rows = list(read(run(line)))
        assert rows
        for row, told in zip(rows_of(TABLES[name](analysis)), rows, strict=True):
            assert {key: row[key] for key in told} == told, name
    scaled = run("scaling", str(anchor))
    assert scaled["runs"] == rows_of(topoview.scaling([anchor, anchor]))
    assert not scaled["lines"]
    assert not len(topoview.scaling([anchor, anchor], by="line"))
    runs = run("compare", str(anchor))["runs"]
    for by in BY:
        listed = [
            {by: row[by], "measure": measure, **row[measure]}
            for row in runs[f"by_{by}"]
            for measure in row
            if measure != by
        ]
        rows = rows_of(topoview.compare(anchor, anchor, by))
        for row, told in zip(rows, listed, strict=True):
            assert row.pop("verdict") == (told["verdict"] or "")
            assert {key: told[key] for key in row} == row


IN_REPORTS = {
    "topology": "matches",
    "remainder": "matches",
    "account-rank": "account",
    "functions": "profile",
    "delays": "delays",
}
"""Tables of reports that show rows and columns of a table."""

OF_REPORTS = {
    *("about", "statements", "statements-all", "ranks", "slowest", "planes", "quality"),
    *("waits", "wait-directions", "wait-statements", "path"),
}
"""Tables that are made for reports, or for the command `waits`."""


def blocks_in(blocks: tuple[Block, ...]) -> Iterator[Block]:
    for block in blocks:
        if isinstance(block, Beside):
            yield from blocks_in((*block.left, *block.right))
        else:
            yield block


def test_reports_show_the_tables(analysis: Analysis) -> None:
    report = document(Facts(analysis), {})
    tables = [b for b in blocks_in(report.blocks) if isinstance(b, TableBlock)]
    names = {block.name for block in tables}
    assert names <= {*IN_REPORTS, *OF_REPORTS}
    assert {"topology", "account-rank", "functions", "delays", "waits"} <= names
    for block in tables:
        if block.name not in IN_REPORTS:
            continue
        table = TABLES[IN_REPORTS[block.name]](analysis)
        column_of = {column.heading: column.name for column in table.columns}
        columns = [column_of[title] for title in block.titles[0]]
        texts = table.select(*columns).texts()
        shown = [tuple(map(plain, row)) for row in block.rows]
        assert shown == [row for row in texts if row in shown], block.name
        assert shown
