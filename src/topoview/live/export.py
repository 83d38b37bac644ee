"""Files for other tools: of a trace, of its topology, of a table."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from topoview.base.text import did_you_mean
from topoview.errors import UsageError
from topoview.live.tables.scope import needs, scope_of
from topoview.model import Column, Schema, Table
from topoview.report.formats.chrome import write_chrome
from topoview.report.formats.graphml import write_graphml
from topoview.report.formats.perfetto import write_perfetto
from topoview.report.waits.tables import not_aligned, wait_sums_table
from topoview.report.write import write_csv, write_parquet

if TYPE_CHECKING:
    from topoview.live.tables.registry import RunTable
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
    """Whether it holds one of `tables`, which needs results of its own."""


class ExportedTable(NamedTuple):
    """A table that is exported: the results that it is made of, and what makes it."""

    wanted: tuple[str, ...]
    make: "Callable[[Results], Table]"


def _waits(results: "Results") -> Table:
    if results["wait_sums"] is None:
        raise not_aligned(results.trace)
    return wait_sums_table(results.trace, results["wait_sums"], "rank")


def _of_run(table: "RunTable") -> ExportedTable:
    """Return what exports a table of a run: of the exchange, as SQL answers."""
    wanted = needs(table.needs, span="exchange")
    return ExportedTable(
        wanted,
        lambda results: table.make(scope_of(results.analysis(), span="exchange")),
    )


_OWN: Final = {
    "calls": ExportedTable((), lambda results: _columns(results.trace.calls)),
    "messages": ExportedTable((), lambda results: _columns(results.trace.messages)),
    "collectives": ExportedTable(
        (), lambda results: _columns(results.trace.collectives)
    ),
    "waits": ExportedTable(("wait_sums",), _waits),
}
"""Columns as they are stored, and sums of waiting by rank."""


@cache
def tables() -> dict[str, ExportedTable]:
    """Return the tables that CSV and Parquet files hold, by name."""
    from topoview.live.tables.registry import OF_RUN  # imports what makes all of them

    others = {name: _of_run(one) for name, one in OF_RUN.items() if name not in _OWN}
    return _OWN | others


def _table(name: str) -> ExportedTable:
    """Return a table; raises `UsageError` if there is none of the name."""
    if name in _OWN:
        return _OWN[name]
    if name not in tables():
        hint = did_you_mean(name, tables()) or f": tables are {', '.join(tables())}"
        raise UsageError(f"there is no table {name!r}{hint}")
    return tables()[name]


def _columns(columns: Any) -> Table:  # noqa: ANN401 - a ColumnTable
    """Return all columns of a trace, times in ticks and numbers as they are."""
    data = columns.columns(rows=True)
    return Table(Schema(*(Column(name, "#") for name in data)), data)


def _csv(results: "Results", path: Path, table: str) -> int:
    made = _table(table).make(results)
    write_csv(made, str(path))
    return len(made)


def _parquet(results: "Results", path: Path, table: str) -> int:
    made = _table(table).make(results)
    write_parquet(made, path)
    return len(made)


def _graphml(results: "Results", path: Path, table: str) -> int:
    """Write the topology with its ranks: as `Match.to_networkx` gives it."""
    del table
    match = results["identification"].best
    nodes, edges = match.graph_parts()
    name = {"name": match.topology.name}
    write_graphml(path, nodes, edges, name, directed=False)
    return len(edges)


FORMATS: Final = {
    ".perfetto-trace": Format(("waits",), write_perfetto),
    ".json": Format((), write_chrome),
    ".csv": Format((), _csv, has_tables=True),
    ".parquet": Format((), _parquet, has_tables=True),
    ".graphml": Format(("identification",), _graphml),
}
"""Formats by the suffix of a file."""


class Export(NamedTuple):
    """What writes a file: the results that it takes, and itself."""

    wanted: tuple[str, ...]
    write: "Callable[[Results, Path], int]"


def export_to(path: Path, table: str = "") -> Export:
    """Find what writes a file of a suffix, or of a table if it holds one.

    Raises `UsageError` if there is no such format or table.
    """
    chosen = FORMATS.get(path.suffix.lower())
    if chosen is None:
        raise UsageError(f"{path} must end in {', '.join(FORMATS)}")
    if table and not chosen.has_tables:
        raise UsageError(
            f"{path} holds no table, so it cannot be of {table}: write .csv or .parquet"
        )
    name = table or next(iter(_OWN))
    wanted = _table(name).wanted if chosen.has_tables else chosen.wanted
    return Export(wanted, lambda results, file: chosen.write(results, file, name))
