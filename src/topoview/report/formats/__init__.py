"""Other tools' formats: traces, tables and topologies are written in them, not read."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from topoview.errors import writing
from topoview.model import Column, Schema, Table
from topoview.report.delays import delays_table
from topoview.report.formats.chrome import write_chrome
from topoview.report.formats.perfetto import write_perfetto
from topoview.report.profile import function_table
from topoview.report.tables import not_aligned, wait_sums_table
from topoview.report.write import write_csv, write_parquet

if TYPE_CHECKING:
    from topoview.pipeline import Results


@dataclass(frozen=True, slots=True)
class Format:
    """A format."""

    wanted: tuple[str, ...]
    """Results that it is made of."""
    write: "Callable[[Results, Path, str], int]"
    """Writes a file of results, of the table that is named. Returns the number of
    records."""
    has_tables: bool = False
    """Whether it holds one of `TABLES`, which needs results of its own."""


class ExportedTable(NamedTuple):
    """A table that is exported: the results that it is made of, and what makes it."""

    wanted: tuple[str, ...]
    make: "Callable[[Results], Table]"


def _waits(results: "Results") -> Table:
    if results["wait_sums"] is None:
        raise not_aligned(results.trace)
    return wait_sums_table(results.trace, results["wait_sums"], "rank")


def _delays(results: "Results") -> Table:
    if results["waits"] is None:
        raise not_aligned(results.trace)
    return delays_table(results.trace, results["delays"])


TABLES: Final = {
    "calls": ExportedTable((), lambda results: _columns(results.trace.calls)),
    "messages": ExportedTable((), lambda results: _columns(results.trace.messages)),
    "collectives": ExportedTable(
        (), lambda results: _columns(results.trace.collectives)
    ),
    "profile": ExportedTable(
        ("profile",), lambda results: function_table(results.trace, results["profile"])
    ),
    "waits": ExportedTable(("wait_sums",), _waits),
    "delays": ExportedTable(("waits", "delays"), _delays),
}
"""Tables that CSV and Parquet files hold."""


def _columns(columns: Any) -> Table:  # noqa: ANN401 - a ColumnTable
    """Take all columns of a trace, times in ticks and numbers as they are."""
    data = columns.columns(rows=True)
    return Table(Schema(*(Column(name, "#") for name in data)), data)


def _csv(results: "Results", path: Path, table: str) -> int:
    made = TABLES[table].make(results)
    write_csv(made, str(path))
    return len(made)


def _parquet(results: "Results", path: Path, table: str) -> int:
    made = TABLES[table].make(results)
    write_parquet(made, path)
    return len(made)


def _graphml(results: "Results", path: Path, table: str) -> int:
    """Write the topology with its ranks: as `Match.to_networkx` gives it."""
    del table
    import networkx as nx

    graph = results["identification"].best.to_networkx()
    with writing(path):
        nx.write_graphml(graph, path)
    return int(graph.number_of_edges())


FORMATS: Final = {
    ".perfetto-trace": Format(("waits",), write_perfetto),
    ".json": Format((), write_chrome),
    ".csv": Format((), _csv, has_tables=True),
    ".parquet": Format((), _parquet, has_tables=True),
    ".graphml": Format(("identification",), _graphml),
}
"""Formats by the suffix of a file."""


def format_of(path: Path) -> Format | None:
    """Find the format that a file's suffix asks for."""
    return FORMATS.get(path.suffix.lower())
