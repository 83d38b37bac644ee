"""Other tools' formats: traces, tables and topologies are written in them, not read."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from topoview.errors import writing
from topoview.model import Table
from topoview.report.formats.chrome import write_chrome
from topoview.report.formats.perfetto import write_perfetto
from topoview.report.tables import (
    delays_table,
    profile_table,
    wait_sums_table,
    write_csv,
    write_parquet,
)

if TYPE_CHECKING:
    from topoview.pipeline import Results


@dataclass(frozen=True, slots=True)
class Format:
    """A format.

    Attributes
    ----------
    wanted
        Results that it is made of.
    write
        Writes a file of results; told which table. Returns the number of records.
    """

    wanted: tuple[str, ...]
    write: "Callable[[Results, Path, str], int]"


TABLES: Final[dict[str, "Callable[[Results], Table]"]] = {
    "calls": lambda found: _columns(found.trace.calls, found),
    "messages": lambda found: _columns(found.trace.messages, found),
    "collectives": lambda found: _columns(found.trace.collectives, found),
    "profile": lambda found: profile_table(found.trace, found["profile"]),
    "waits": lambda found: wait_sums_table(found.trace, found["wait_sums"], "rank"),
    "delays": lambda found: delays_table(found.trace, found["delays"]),
}
"""Tables that CSV and Parquet files hold."""


def _columns(columns: Any, found: "Results") -> Table:  # noqa: ANN401 - a ColumnTable
    """Take all columns of a trace, times in ticks and numbers as they are."""
    del found
    return Table(dict(columns.columns(rows=True)))


def _csv(found: "Results", path: Path, table: str) -> int:
    made = TABLES[table](found)
    write_csv(made, str(path))
    return len(made)


def _parquet(found: "Results", path: Path, table: str) -> int:
    made = TABLES[table](found)
    write_parquet(made, path)
    return len(made)


def _graphml(found: "Results", path: Path, table: str) -> int:
    """Write the topology with its ranks: as `Match.to_networkx` gives it."""
    del table
    import networkx as nx

    graph = found["identification"].best.to_networkx()
    with writing(path):
        nx.write_graphml(graph, path)
    return int(graph.number_of_edges())


_TABLED = ("profile", "wait_sums", "delays")

FORMATS: Final = {
    ".perfetto-trace": Format(("waits",), write_perfetto),
    ".json": Format((), write_chrome),
    ".csv": Format(_TABLED, _csv),
    ".parquet": Format(_TABLED, _parquet),
    ".graphml": Format(("identification",), _graphml),
}
"""Formats by the suffix of a file."""


def format_of(path: Path) -> Format | None:
    """Find the format that a file's suffix asks for."""
    return FORMATS.get(path.suffix.lower())
